"""The multi-node entries of the real benchmark configs, each search-space point of them as the facts of a request."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

CONFIGS = ("nvidia-master.yaml", "amd-master.yaml")
CLUSTERS = {
    "gb200": "gb200-nv",
    "cluster:gb200-nv": "gb200-nv",
    "gb300": "gb300-nv",
    "gb300-nv": "gb300-nv",
    "cluster:gb300-nv": "gb300-nv",
    "b200-multinode": "b200-nscale",
    "cluster:b200-dgxc": "b200-nscale",
    "b200-nscale": "b200-nscale",
    "cluster:b200-nscale": "b200-nscale",
    "b300": "b300-dsxe",
    "cluster:b300-nv": "b300-dsxe",
    "h200-multinode": "h200-dgxc",
    "cluster:h200-dgxc": "h200-dgxc",
    "h100-multinode": "h100-dgxc",
    "cluster:h100-dgxc": "h100-dgxc",
    "mi355x-disagg": "mi355x-amds",
    "cluster:mi355x-amds": "mi355x-amds",
}
"""The corpus's README: labels of its day and today's clusters."""
AGENTIC = {"agentic-coding": True, "fixed-seq-len": False}
"""Kinds of scenario: the agentic client drives a run, or prompts of fixed lengths do."""
_SIZES = {
    "num-worker": "workers", "tp": "tp", "ep": "ep", "dp-attn": "dp-attn", "pp": "pp", "pcp-size": "pcp",
    "dcp-size": "dcp",
}  # fmt: skip
_OF_ENTRY = ("model", "model-prefix", "precision", "framework", "disagg", "image")


@frozen
class Point:
    """One point of an entry. `facts` are a request's, under their wire names, without a cluster where the label of
    the entry has none today.
    """

    entry: str
    label: str
    facts: Mapping[str, Any]


def points(corpus: Path) -> Iterator[Point]:
    """Every point of every multi-node entry, in the order of the files."""
    for name in CONFIGS:
        with (corpus / "configs" / name).open() as file:
            entries = yaml.load(file, Loader=yaml.CSafeLoader)
        for entry, body in entries.items():
            if not body["multinode"]:
                continue
            for scenario, cases in body["scenarios"].items():
                for case in cases:
                    for point in case["search-space"]:
                        yield Point(entry, body["runner"], _facts(body, AGENTIC[scenario], point))


def _facts(body: Mapping[str, Any], agentic: bool, point: Mapping[str, Any]) -> dict[str, Any]:
    settings = [one for role in ("prefill", "decode") for one in point[role].get("additional-settings", [])]
    recipes = {one.removeprefix("CONFIG_FILE=") for one in settings if one.startswith("CONFIG_FILE=")}
    assert len(recipes) <= 1, recipes
    cluster = CLUSTERS.get(body["runner"])
    return {
        **({} if cluster is None else {"cluster": cluster}),
        **{name: body[name] for name in _OF_ENTRY},
        "multinode": True,
        "agentic": agentic,
        "spec-decoding": point.get("spec-decoding", "none"),
        "concurrency": point["conc-list"],
        "recipe": "".join(recipes),
        "roles": _roles(body, point),
        "settings": [one for one in dict.fromkeys(settings) if not one.startswith("CONFIG_FILE=")],
    }


def _roles(body: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """Pools as roles. Entries that are not disaggregated declare theirs under `prefill`, beside a `decode` of none."""
    if not body["disagg"]:
        assert point["decode"]["num-worker"] == 0, point
        return {"agg": _sizes(point["prefill"])}
    return {role: _sizes(point[role]) for role in ("prefill", "decode")}


def _sizes(pool: Mapping[str, Any]) -> dict[str, Any]:
    return {_SIZES[name]: value for name, value in pool.items() if name in _SIZES}
