"""Tables into a policy: every fault of every file in one report.

A policy is a folder with `runners.yaml` and `lanes/`. It may extend another, whose records and whole lane
files it replaces by name; installed plugins add theirs.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from infx_policy import documents, plugins
from infx_policy.documents import At
from infx_policy.driver import DRIVERS, Driver
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.fact import FACTS
from infx_policy.inventory import Cluster, Inventory
from infx_policy.lane import Lane
from infx_policy.lane_reading import LaneReader, check_instead_of
from infx_policy.plugins import Plugin
from infx_policy.policy import Policy, PolicyName
from infx_policy.source import Source
from infx_policy.spelling import nearest
from infx_policy.structuring import keys, not_a_mapping, record, structured

BUNDLED = "bundled"
"""The name of the tables that come with the library, as a root and in `extends`."""
_RUNNERS = "runners.yaml"
_SECTIONS = ("extends", "vocabulary", "labels", "clusters")
_VOCABULARIES = tuple(fact.name for fact in FACTS if fact.vocabulary)


@frozen(eq=False, repr=False)
class Folder:
    """A folder of tables: where it is, what its files' names are shown under, and who contributed it."""

    path: Path
    shown: str
    contributor: str

    def name_of(self, relative: str) -> str:
        """A file of it as it is shown."""
        return f"{self.shown}{relative}"


@frozen(eq=False, repr=False)
class Tables:
    """What the files say, before it is typed: later folders of a chain have replaced earlier ones."""

    files: dict[str, bytes] = field(factory=dict)
    runners: list[At] = field(factory=list)
    vocabulary: dict[str, list[At]] = field(factory=dict)
    labels: dict[str, tuple[At, Folder]] = field(factory=dict)
    clusters: dict[str, tuple[At, Folder]] = field(factory=dict)
    lanes: dict[str, tuple[At, Folder]] = field(factory=dict)


def bundled_root() -> Path:
    """The folder of the tables that come with the library: in the wheel, or the checkout."""
    inside = Path(__file__).parent / "tables"
    return inside if (inside / _RUNNERS).is_file() else Path(__file__).parent.parent


def load_policy(
    root: str | os.PathLike[str] | None = None,
    *,
    with_plugins: Sequence[Plugin] | None = None,
) -> Policy:
    """The policy in the folder `root`, the bundled one where it is None.

    `with_plugins` are those that contribute; None asks the installed ones. Raises InputError with every
    fault of every file and plugin.
    """
    faults: list[Fault] = []
    contributors = plugins.installed(faults) if with_plugins is None else tuple(with_plugins)
    given = BUNDLED if root is None else os.fspath(root)
    given = f".{os.sep}{given}" if root is not None and given == BUNDLED else given
    tables = Tables()
    top = Folder(bundled_root() if root is None else Path(given), "", "bundled tables" if root is None else given)
    for folder, runners in reversed(_chain(top, tables, faults)):
        _read_folder(folder, runners, tables, faults)
    for plugin in contributors:
        _read_plugin(plugin, tables, faults)
    drivers = _drivers(contributors, faults)
    inventory = _inventory(tables, faults)
    lanes = _lanes(tables, inventory, drivers, faults)
    if faults:
        raise InputError(sorted(faults, key=_order))
    name = PolicyName(given, _digest(tables.files, drivers), tuple(sorted(tables.files)))
    return Policy(name, inventory, lanes, drivers)


def _order(one: Fault) -> tuple[str, int, int]:
    return (one.source.file, one.source.line or 0, one.source.column or 0)


def _chain(top: Folder, tables: Tables, faults: list[Fault]) -> list[tuple[Folder, At | None]]:
    """The folder and those that it extends, through any number of steps, each with its `runners.yaml`."""
    chain: list[tuple[Folder, At | None]] = []
    seen: set[str] = set()
    following: Folder | None = top
    while following is not None:
        seen.add(os.path.realpath(following.path))
        at = _document(following, _RUNNERS, faults, tables.files) if _is_folder(following, faults) else None
        chain.append((following, at))
        extends = None if at is None or not at.is_mapping else documents.entries(at, []).get("extends")
        here: str | None = None if extends is None else _typed(extends[1], str, faults)
        following = None if here is None else _extended(top, chain[-1][0], here)
        if extends is not None and following is not None and os.path.realpath(following.path) in seen:
            faults.append(fault(FaultCode.EXTENDS_CYCLE, extends[1].source, "extends", literal=here))
            break
    return chain


def _extended(top: Folder, folder: Folder, here: str) -> Folder:
    if here == BUNDLED:
        return Folder(bundled_root(), f"{BUNDLED}/", "bundled tables")
    path = folder.path / here
    is_bundled = os.path.realpath(path) == os.path.realpath(bundled_root())
    contributor = "bundled tables" if is_bundled else f"{folder.contributor} extends {here}"
    return Folder(path, f"{os.path.relpath(path, top.path)}/", contributor)


def _is_folder(folder: Folder, faults: list[Fault]) -> bool:
    if os.path.isdir(folder.path):
        return True
    what = "a file" if os.path.exists(folder.path) else "not there"
    expected = f"a folder with `{_RUNNERS}` and `lanes/`"
    literal = folder.shown.rstrip("/") or folder.contributor
    faults.append(fault(FaultCode.WRONG_KIND, Source(literal), literal=literal, what=what, expected=expected))
    return False


def _document(folder: Folder, relative: str, faults: list[Fault], files: dict[str, bytes]) -> At | None:
    name = folder.name_of(relative)
    kind = documents.INVENTORY if relative == _RUNNERS else documents.LANES
    try:
        text = documents.read_text(folder.path / relative, name)
        files[name] = text.encode()
        at = documents.parse(text, name, "its tables, as docs/tables.md says")
        documents.check_kind(at, kind)
    except InputError as error:
        faults.extend(error.faults)
        return None
    return at


def _read_folder(folder: Folder, runners: At | None, tables: Tables, faults: list[Fault]) -> None:
    _read_runners(folder, runners, tables, faults)
    for cluster, at in _lane_files(folder, tables, faults):
        tables.lanes[cluster] = (at, folder)


def _read_runners(folder: Folder, at: At | None, tables: Tables, faults: list[Fault], *, adds: bool = False) -> None:
    """Lays one `runners.yaml` over the tables; `adds` for a plugin, which may replace nothing."""
    if at is None:
        return
    tables.runners.append(at)
    found = keys(at, _SECTIONS[1:] if adds else _SECTIONS, f"`{_RUNNERS}`{' of a plugin' if adds else ''}", faults)
    for name, value in _section(found.get("vocabulary"), faults, _VOCABULARIES):
        tables.vocabulary[name] = [*(tables.vocabulary.get(name, []) if adds else []), value]
    for section, known in (("label", tables.labels), ("cluster", tables.clusters)):
        for name, value in _section(found.get(f"{section}s"), faults):
            before = known.get(name)
            if not (adds and before and _claimed(section, name, before, value, folder, faults)):
                known[name] = (value, folder)


def _section(at: At | None, faults: list[Fault], known: Sequence[str] = ()) -> Iterator[tuple[str, At]]:
    if at is None:
        return
    if known:
        yield from keys(at, known, f"`{at.path}`", faults).items()
    elif at.is_mapping:
        yield from ((name, child) for name, (_, child) in documents.entries(at, faults).items())
    else:
        faults.append(not_a_mapping(at, "names"))


def _claimed(what: str, name: str, before: tuple[At, Folder], value: At, folder: Folder, faults: list[Fault]) -> bool:
    """Adds the fault of a thing that a plugin claims although another contributor has it."""
    other = f"{before[1].contributor} ({before[0].source})"
    named = {"literal": name, "what": what, "other": other, "claimant": folder.contributor}
    faults.append(fault(FaultCode.DUPLICATE_CLAIM, value.source, "", **named))
    return True


def _lane_files(folder: Folder, tables: Tables, faults: list[Fault]) -> Iterator[tuple[str, At]]:
    """The lane files of a folder with the cluster that each is for."""
    lanes = folder.path / "lanes"
    seen: dict[str, At] = {}
    try:
        names = sorted(os.listdir(lanes)) if os.path.exists(lanes) else []
    except OSError as error:
        name = folder.name_of("lanes")
        faults.append(fault(FaultCode.UNREADABLE, Source(name), literal=name, what=error.strerror))
        return
    for name in names:
        shown = folder.name_of(f"lanes/{name}")
        if name.endswith(".yml"):
            expected = "files whose names end in `.yaml`"
            faults.append(
                fault(FaultCode.WRONG_KIND, Source(shown), literal=name, what="named `.yml`", expected=expected)
            )
        if not name.endswith(".yaml"):
            continue
        at = _document(folder, f"lanes/{name}", faults, tables.files)
        if at is None:
            continue
        cluster = _cluster_of(at, faults)
        if cluster is None:
            continue
        if cluster in seen:
            other = str(seen[cluster].source)
            faults.append(
                fault(
                    FaultCode.DUPLICATE_CLAIM,
                    at.source,
                    literal=cluster,
                    what="lanes of cluster",
                    other=other,
                    claimant=shown,
                )
            )
            continue
        seen[cluster] = at
        yield cluster, at


def _cluster_of(at: At, faults: list[Fault]) -> str | None:
    if not at.is_mapping:
        faults.append(not_a_mapping(at, "`cluster` and `lanes`"))
        return None
    found = documents.entries(at, []).get("cluster")
    if found is None:
        faults.append(fault(FaultCode.MISSING_KEY, at.source, "cluster", literal="cluster"))
        return None
    try:
        cluster: str = structured(found[1], str)
    except InputError as error:
        faults.extend(error.faults)
        return None
    return cluster


def _read_plugin(plugin: Plugin, tables: Tables, faults: list[Fault]) -> None:
    for path in plugin.clusters:
        folder = Folder(path, f"{plugin.distribution}:", plugin.distribution)
        runners = _document(folder, _RUNNERS, faults, tables.files)
        _read_runners(folder, runners, tables, faults, adds=True)
    for path in plugin.lanes:
        folder = Folder(path, f"{plugin.distribution}:", plugin.distribution)
        if not os.path.isdir(path / "lanes"):
            literal = folder.name_of("lanes")
            faults.append(
                fault(FaultCode.NOT_FOUND, Source(literal), literal=literal, expected="a folder of lane files")
            )
        for cluster, at in _lane_files(folder, tables, faults):
            before = tables.lanes.get(cluster)
            if not (before and _claimed("lanes of cluster", cluster, before, at, folder, faults)):
                tables.lanes[cluster] = (at, folder)


def _drivers(contributors: Sequence[Plugin], faults: list[Fault]) -> dict[str, Driver]:
    drivers = {driver.name: driver for driver in DRIVERS}
    for plugin in contributors:
        for driver in plugin.drivers:
            if driver.name in drivers:
                other = drivers[driver.name].contributor
                faults.append(
                    fault(FaultCode.DUPLICATE_CLAIM, Source(plugin.distribution), literal=driver.name, what="driver",
                          other=other, claimant=plugin.distribution)
                )  # fmt: skip
            else:
                drivers[driver.name] = evolve(driver, contributor=plugin.distribution)
    return drivers


def _inventory(tables: Tables, faults: list[Fault]) -> Inventory:
    vocabulary: dict[str, frozenset[str]] = {}
    models: dict[str, tuple[str, ...]] = {}
    for name in _VOCABULARIES:
        kind = Mapping[str, tuple[str, ...]] if name == "model-prefix" else tuple[str, ...]
        words = [_typed(at, kind, faults) for at in tables.vocabulary.get(name, [])]
        if not words and tables.runners:
            here = Source(_RUNNERS)
            faults.append(fault(FaultCode.MISSING_KEY, here, f"vocabulary.{name}", literal=f"vocabulary.{name}"))
        for at, read in zip(tables.vocabulary.get(name, []), words, strict=True):
            if read is not None and not read:
                faults.append(fault(FaultCode.EMPTY_LIST, at.source, at.path, literal="[]"))
        vocabulary[name] = frozenset(word for each in words if each is not None for word in each)
        if name == "model-prefix":
            for each in words:
                models.update({prefix: (*models.get(prefix, ()), *known) for prefix, known in (each or {}).items()})
    labels = {name: _typed(at, tuple[str, ...], faults) or () for name, (at, _) in tables.labels.items()}
    clusters: dict[str, Cluster] = {}
    for name, (at, folder) in tables.clusters.items():
        given = {"name": name, "source": at.named, "contributor": folder.contributor}
        try:
            clusters[name] = record(at, Cluster, given)
            root = clusters[name].shared_run_root
            if root is not None and not root.startswith("/"):
                path = f"clusters.{name}.shared-run-root"
                faults.append(fault(FaultCode.NOT_ABSOLUTE, at.named, path, literal=root))
        except InputError as error:
            faults.extend(error.faults)
    sources = {name: at.named for name, (at, _) in tables.labels.items()}
    return Inventory(clusters, labels, vocabulary, models, sources)


def _typed(at: At, kind: Any, faults: list[Fault]) -> Any:
    try:
        return structured(at, kind)
    except InputError as error:
        faults.extend(error.faults)
        return None


def _lanes(
    tables: Tables, inventory: Inventory, drivers: Mapping[str, Driver], faults: list[Fault]
) -> dict[str, tuple[Lane, ...]]:
    settings = {one.name: one for driver in drivers.values() for one in driver.consumes}
    found: dict[str, tuple[Lane, ...]] = {}
    for cluster, (at, folder) in sorted(tables.lanes.items()):
        reader = LaneReader(cluster, folder.contributor, inventory.vocabulary, settings, faults)
        lanes = reader.lanes(at)
        if cluster not in tables.clusters:
            near = nearest(cluster, tables.clusters)
            faults.append(fault(FaultCode.UNKNOWN_CLUSTER, at.source, "cluster", literal=cluster, nearest=near))
        check_instead_of(lanes, faults)
        found[cluster] = lanes
    return found


def _digest(files: Mapping[str, bytes], drivers: Mapping[str, Driver]) -> str:
    """Of the files' names and contents, and of the declarations of drivers that plugins brought."""
    found = _sha256()
    for name, content in sorted(files.items()):
        found.update(f"{len(name)}:{name}:{len(content)}:".encode())
        found.update(content)
    for driver in sorted(drivers.values(), key=lambda one: one.name):
        if driver not in DRIVERS:
            found.update(repr(driver).encode())
    return f"sha256:{found.hexdigest()}"


def _sha256() -> Any:
    """SHA-256 from CPython's own lean module where it is; hashlib loads OpenSSL, which takes every command
    four milliseconds more (CPython's random module does the same).
    """
    name = "_sha256" if sys.version_info < (3, 12) else "_sha2"
    try:
        return import_module(name).sha256()
    except ImportError:
        return import_module("hashlib").sha256()
