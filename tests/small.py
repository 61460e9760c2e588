"""Small policies, made in memory from the plain data that the tables' YAML would hold."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from infx_policy import load_policy
from infx_policy.driver import DRIVERS
from infx_policy.duration import Duration
from infx_policy.inventory import Cluster, Inventory, Volume, Workspace
from infx_policy.lane import ADMITS, MOUNTS, REFUSES, STAGES, Lane, Mount, Row
from infx_policy.match import Match
from infx_policy.policy import Policy, PolicyName
from infx_policy.source import Source

RECORD: dict[str, Any] = {"gpus-per-node": 8, "arch": "x86_64", "workspace": {"visibility": "shared"}}
VOCABULARY: dict[str, Any] = {
    "framework": ["sglang", "vllm"],
    "model-prefix": {"alpha": ["x/alpha"], "beta": ["x/beta"]},
    "precision": ["fp4"],
    "spec-decoding": ["none"],
}
"""The words of a small policy where it does not name others."""
Data = dict[str, Any]
EXAMPLES = Path(__file__).parents[1] / "examples"


@cache
def bundled() -> Policy:
    """The bundled tables, without what happens to be installed."""
    return load_policy(with_plugins=())


@cache
def of_example(name: str) -> Policy:
    """The tables of a folder under examples."""
    return load_policy(EXAMPLES / name, with_plugins=())


def small(
    lanes: Mapping[str, Mapping[str, Data]],
    clusters: Mapping[str, Data] | None = None,
    runners: Mapping[str, list[str]] | None = None,
    vocabulary: Data | None = None,
) -> Policy:
    """The policy of `{cluster: {lane: its data}}`. Records default to those that share the workspace, each with
    one runner.
    """
    data = tables(lanes, clusters, runners, vocabulary)
    vocabulary = data["vocabulary"]
    words = {name: frozenset(given) for name, given in vocabulary.items()}
    models = {prefix: tuple(given) for prefix, given in vocabulary["model-prefix"].items()}
    labels = {name: tuple(given) for name, given in data["labels"].items()}
    records = {name: _record(name, given) for name, given in data["clusters"].items()}
    made = {
        cluster: tuple(_lane(cluster, name, given, words) for name, given in by_name.items())
        for cluster, by_name in lanes.items()
    }
    inventory = Inventory(records, labels, words, models)
    return Policy(PolicyName("small", "sha256:0", ()), inventory, made, {driver.name: driver for driver in DRIVERS})


def tables(
    lanes: Mapping[str, Mapping[str, Data]],
    clusters: Mapping[str, Data] | None = None,
    runners: Mapping[str, list[str]] | None = None,
    vocabulary: Data | None = None,
) -> Data:
    """What `runners.yaml` would hold beside these lanes."""
    records = {name: {**RECORD, **(clusters or {}).get(name, {})} for name in [*lanes, *(clusters or {})]}
    names = {name: [f"{name}_0"] for name in records} if runners is None else runners
    return {
        "vocabulary": {**VOCABULARY, **(vocabulary or {})},
        "labels": {f"cluster:{name}": given for name, given in names.items()},
        "clusters": records,
    }


def written(root: Path, data: Data, lanes: Mapping[str, Mapping[str, Data]]) -> Path:
    """The same policy as a folder of tables; JSON is YAML too."""
    (root / "lanes").mkdir(parents=True)
    (root / "runners.yaml").write_text(json.dumps(data, indent=1))
    for cluster, by_name in lanes.items():
        (root / "lanes" / f"{cluster}.yaml").write_text(json.dumps({"cluster": cluster, "lanes": by_name}, indent=1))
    return root


def row(when: Any, **more: Any) -> Data:
    """A row's data."""
    return {
        "when": when,
        "because": "A test needs it.",
        **{key.replace("_", "-"): given for key, given in more.items()},
    }


def lane(takes: Any = "all", driver: str | None = "local", **sections: Any) -> Data:
    """A lane's data: sections by name, with `_` for `-`; rows in a list are named by their place."""
    found: Data = {"takes": takes, **({} if driver is None else {"driver": driver})}
    for key, given in sections.items():
        rows = {f"r{index}": one for index, one in enumerate(given)} if isinstance(given, list) else given
        found[key.replace("_", "-")] = rows
    return found


def _record(name: str, given: Data) -> Cluster:
    return Cluster(
        name=name,
        source=Source("runners.yaml", 1),
        contributor="small",
        gpus_per_node=given["gpus-per-node"],
        arch=given["arch"],
        workspace=Workspace(given["workspace"]["visibility"]),
        shared_run_root=given.get("shared-run-root"),
        volumes={key: Volume(one["path"], one["visibility"]) for key, one in given.get("volumes", {}).items()},
    )


def _lane(cluster: str, name: str, given: Data, words: Mapping[str, frozenset[str]]) -> Lane:
    def rows(section: str) -> tuple[Row, ...]:
        return tuple(_row(cluster, name, section, key, one, words) for key, one in given.get(section, {}).items())

    known = ("takes", "driver", "instead-of", ADMITS, REFUSES, STAGES, MOUNTS)
    return Lane(
        cluster=cluster,
        name=name,
        source=Source(f"lanes/{cluster}.yaml", 1),
        contributor="small",
        driver=given.get("driver"),
        takes=_row(cluster, name, "takes", "", row(given["takes"]), words),
        instead_of=given.get("instead-of"),
        admits=rows(ADMITS),
        refuses=rows(REFUSES),
        stages=rows(STAGES),
        mounts=rows(MOUNTS),
        settings=tuple((section, rows(section)) for section in sorted(given) if section not in known),
    )


def _row(cluster: str, lane: str, section: str, name: str, given: Data, words: Mapping[str, frozenset[str]]) -> Row:
    value = given.get("value")
    if section == MOUNTS:
        flags = (given.get("world-writable", False), given.get("read-only", False))
        value = Mount(given["volume"], given["target"], *flags)
    elif section == "time-limit":
        value = Duration.of(given["value"])
    elif isinstance(value, list):
        value = tuple(value)
    when = _match(json.dumps(given["when"]), tuple(words.items()))
    source = Source(f"lanes/{cluster}.yaml", 2)
    return Row(cluster, lane, section, name, when, given["because"], source, "small", given["when"], value)


@cache
def _match(when: str, words: tuple[tuple[str, frozenset[str]], ...]) -> Match:
    """Random policies write the same few conditions over and over."""
    return Match.from_mapping(json.loads(when), dict(words))
