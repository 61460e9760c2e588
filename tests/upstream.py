"""The real launcher's decisions, straight from the facts about it: a second oracle, without a line of the library.

`lanes.yaml` states its rules as conditions that must all hold; `clusters.yaml` its records. Requests are mappings of
wire names in which every fact that a rule reads is stated.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

Data = Mapping[str, Any]
FLAGS = ("real-verification", "head-frontend", "write-eval-meta")


@frozen
class Upstream:
    """What the real launcher does with a request. `why` is our code for its refusal; `time_limit` is in seconds, None
    where only the workflow's own limit is left; `settings` and `mounts` are those in force.
    """

    verdict: str
    lane: str | None
    why: str | None = None
    run_root: str | None = None
    time_limit: int | None = None
    setup_script: str | None = None
    settings: frozenset[str] = frozenset()
    mounts: frozenset[tuple[str, str | None, bool, bool]] = frozenset()


@frozen
class Launcher:
    """The real launcher's tables."""

    lanes: Data
    clusters: Data

    @classmethod
    def of(cls, facts: Path) -> "Launcher":
        """From the folder of the facts."""
        lanes, clusters = (
            yaml.load((facts / name).read_text(), Loader=yaml.CSafeLoader) for name in ("lanes.yaml", "clusters.yaml")
        )
        return cls(lanes, clusters["clusters"])

    def decide(self, request: Data) -> Upstream:
        """Routes, then admits, then places."""
        if not request["multinode"]:
            return self._single_node(request)
        native = self.lanes["routing"]["srt-native"].get(request["cluster"], [])
        path = "srt-native" if _any(native, request) else "srt-multi"
        lane: Data | None = self.lanes["multi-node-lanes"].get(f"{request['cluster']}/{path}")
        if lane is None:
            return Upstream("refused", None, "no-lane")
        if why := self._refusal(lane, request):
            return Upstream("refused", path, why)
        return Upstream(
            "admitted",
            path,
            run_root="shared" if _any(lane.get("shared-run-root", []), request) else "workspace",
            time_limit=self._limit(lane, request),
            setup_script=lane.get("setup-scripts", {}).get(request["framework"]),
            settings=_settings(lane, request),
            mounts=_mounts(lane.get("mounts", []), request),
        )

    def _refusal(self, lane: Data, request: Data) -> str | None:
        known = self.lanes["vocabulary"]["framework"]
        allowed = known if lane["frameworks"] == "known" else lane["frameworks"]
        if request["framework"] not in allowed:
            return "no-admit-row" if request["framework"] in known else "unknown-framework"
        if _any([one["when"] for one in lane.get("rejects", [])], request):
            return "refused-by-row"
        return None if request["recipe"] else "no-recipe"

    def _single_node(self, request: Data) -> Upstream:
        """No framework is checked here, and nothing is staged."""
        batch = self.lanes["routing"]["srt-batch"].get(request["cluster"], [])
        if _any(batch, request) and not request["batch-job"]:
            path = "srt-batch"
        else:
            path = "script" if request["bench-script"] else "srt-single"
        minutes = self._record(request).get("single-node-time-limit")
        bump = self.lanes["time-limit"]["salloc-bump"]
        if (
            minutes is None
            and request["cluster"] == bump["cluster"]
            and _all(bump["when"], request)
            and max(request["concurrency"]) >= bump["concurrency-at-least"]
            and not request[bump["not-when"]]
        ):
            minutes = bump["minutes"]
        return Upstream("admitted", path, run_root="workspace", time_limit=None if minutes is None else minutes * 60)

    def _limit(self, lane: Data, request: Data) -> int | None:
        """The cluster's, else the long one where its condition holds, else the lane's."""
        limit = self._record(request).get("default-time-limit")
        long = lane.get("long-time-limit")
        if limit is None and long is not None and _all(long["when"], request):
            limit = long["limit"]
        if limit is None:
            limit = lane.get("time-limit")
        return None if limit is None else _seconds(limit)

    def _record(self, request: Data) -> Data:
        record: Data = self.clusters[request["cluster"]]["slurm"].get("srt-slurm", {})
        return record


def _all(condition: Data, request: Data) -> bool:
    return all(
        request[fact] in wanted if isinstance(wanted, list) else request[fact] == wanted
        for fact, wanted in condition.items()
    )


def _any(conditions: Sequence[Data], request: Data) -> bool:
    return any(_all(one, request) for one in conditions)


def _settings(lane: Data, request: Data) -> frozenset[str]:
    found = {name for name in FLAGS if name in lane and (lane[name] is True or _all(lane[name], request))}
    return frozenset(found | ({"eval-unsets"} if "eval-unsets" in lane else set()))


def _mounts(rows: Sequence[Data], request: Data) -> frozenset[tuple[str, str | None, bool, bool]]:
    return frozenset(
        (row["volume"], row.get("target"), row.get("world-writable", False), row.get("read-only", False))
        for row in rows
        if _all(row["when"], request)
    )


def _seconds(limit: str) -> int:
    hours, minutes, seconds = map(int, limit.split(":"))
    return hours * 3600 + minutes * 60 + seconds
