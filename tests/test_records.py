"""The bundled records and labels are the source's, but for what moved and what docs/differences.md lists."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

RUNNERS = Path(__file__).parent.parent / "runners.yaml"
ABSENT = "absent"
LIMIT = ("srt-slurm", "single-node-time-limit")
ADDED = ("models", "entries", "DeepSeek-V4-Pro-0813")
VISIBILITY = ("workspace", "visibility")
Data = Mapping[str, Any]


@pytest.fixture(scope="module")
def source(shared: Path) -> Data:
    return _read(shared / "facts" / "clusters.yaml")


@pytest.fixture(scope="module")
def bundled() -> Data:
    return _read(RUNNERS)


def _read(path: Path) -> Data:
    found: Data = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    return found


def _moved(record: Data) -> dict[str, Any]:
    """A record of the source with its keys where ours are."""
    slurm = dict(record.get("slurm", {}))
    found = {**record, **{name: slurm.pop(name) for name in ("volumes", "squash", "srt-slurm") if name in slurm}}
    found["slurm"] = slurm
    srt = dict(found.get("srt-slurm", {}))
    if "shared-run-root" in srt:
        found["shared-run-root"] = srt.pop("shared-run-root")
        found["srt-slurm"] = srt
    found["volumes"] = {name: {"visibility": "shared", **one} for name, one in found.get("volumes", {}).items()}
    return found


def _flat(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from _flat(child, (*path, key))
    else:
        yield path, value


def test_labels_are_the_sources(source: Data, bundled: Data) -> None:
    assert bundled["labels"] == source["labels"]
    runners = {runner for named in bundled["labels"].values() for runner in named}
    assert (len(runners), len(bundled["clusters"])) == (151, 13)


def test_records_are_the_sources_but_for_what_is_listed(source: Data, bundled: Data) -> None:
    assert bundled["clusters"].keys() == source["clusters"].keys()
    found = set()
    for name, record in bundled["clusters"].items():
        here, there = dict(_flat(record)), dict(_flat(_moved(source["clusters"][name])))
        for path in here.keys() | there.keys():
            before, after = there.get(path, ABSENT), here.get(path, ABSENT)
            if before != after and path[0] != "waive":
                found.add((name, path, before, after))
    hidden = {"gb200-nv"}
    visible = {name: "submit-host" if name in hidden else "shared" for name in source["clusters"]}
    assert found == {
        *((name, VISIBILITY, ABSENT, visibility) for name, visibility in visible.items()),
        ("gb200-nv", (*ADDED, "root"), ABSENT, "lustre-models"),
        ("gb200-nv", (*ADDED, "dir"), ABSENT, "DeepSeek-V4-Pro-0813"),
        ("mi300x-amd", LIMIT, 180, "3:00:00"),
        ("mi325x-amd", LIMIT, 480, "8:00:00"),
        ("mi355x-amds", LIMIT, 500, "8:20:00"),
    }
