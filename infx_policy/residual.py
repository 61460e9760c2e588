"""When an undecided request is admitted: what is left to state."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from infx_policy import region as regions
from infx_policy import values
from infx_policy.completion import completions
from infx_policy.decision import Decision
from infx_policy.fact import BY_NAME
from infx_policy.policy import Policy
from infx_policy.refusal import written_box
from infx_policy.region import Region


@frozen
class Residual:
    """A way in which an undecided request is admitted: when, and to what."""

    when: Mapping[str, Any]
    lane: str
    run_root: str

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form; `when` is the grammar of the tables."""
        return {"when": dict(self.when), "verdict": "admitted", "lane": self.lane, "run-root": self.run_root}


def left_open(policy: Policy, decision: Decision) -> tuple[Residual, ...]:
    """When an undecided request is admitted: few boxes over the facts that it leaves open."""
    found = completions(policy, dict(decision.facts))
    is_open = "cluster" not in found.facts and len(found.possible) > 1
    free = ~regions.union([_at(cluster, possible, is_open) for cluster, possible in found.possible.items()])
    groups: dict[tuple[str, str], Region] = {}
    for outcome, left in found.admitted:
        key = (outcome.lane.name, outcome.kind)
        groups[key] = groups.get(key, regions.EMPTY) | _at(outcome.cluster, left, is_open)
    return tuple(
        Residual(written_box(policy, box), lane, kind)
        for (lane, kind), region in sorted(groups.items(), key=lambda pair: pair[0])
        for whole in regions.boxes(region, free)
        for box in regions.writable(whole)
    )


def _at(cluster: str, region: Region, is_open: bool) -> Region:
    if not is_open:
        return region
    return region & regions.side("cluster", values.only(BY_NAME["cluster"], [cluster]))
