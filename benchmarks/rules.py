"""A policy's multi-node rules in the plain form that every peer is written from.

A condition is a disjunction of ways, a way a conjunction of tests, a test one fact against a set of values.
Only rows that say yes or no are in it: what a lane takes, admits, refuses and stages, less what a lane above
takes away. Settings, mounts, reasons and row names are left out, which only an answer of ours has.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from infx_policy import Match, Policy
from infx_policy.condition import Condition
from infx_policy.inventory import Cluster
from infx_policy.lane import Lane, Row, above
from infx_policy.match import alternatives, kleene
from infx_policy.rows import must_be_shared, node_local
from infx_policy.values import Words

Value = str | bool


@dataclass(frozen=True)
class Test:
    """A fact (by its attribute of Request) that must have one of the values, or none of them."""

    __test__ = False  # no test of pytest's

    fact: str
    values: tuple[Value, ...]
    negated: bool = False


Ways = tuple[tuple[Test, ...], ...]
"""A condition: any of the ways, all tests of it. No way never holds; a way without tests always does."""


@dataclass(frozen=True)
class LaneRules:
    """What one lane says to a multi-node request. `stages` is None where nothing must be staged."""

    takes: Ways
    above: Ways
    admits: Ways
    refuses: Ways
    stages: Ways | None


@dataclass(frozen=True)
class Rules:
    """All lanes that may take a multi-node request, by cluster, and the known words by fact."""

    clusters: Mapping[str, tuple[LaneRules, ...]]
    vocabulary: Mapping[str, tuple[str, ...]]

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that any rule reads, and whether a recipe is named."""
        tests = (
            test.fact
            for lanes in self.clusters.values()
            for lane in lanes
            for ways in (lane.takes, lane.above, lane.admits, lane.refuses, lane.stages or ())
            for way in ways
            for test in way
        )
        return tuple(dict.fromkeys([*self.vocabulary, "has_recipe", *sorted(set(tests) - {*self.vocabulary})]))


def rules_of(policy: Policy) -> Rules:
    """The rules of a policy. Raises ValueError where they need more than tests of words and flags."""
    words = policy.inventory.vocabulary
    vocabulary = {name.replace("-", "_"): tuple(sorted(known)) for name, known in words.items()}
    clusters = {name: tuple(_lanes(policy, record)) for name, record in sorted(policy.inventory.clusters.items())}
    return Rules(clusters, vocabulary)


def _lanes(policy: Policy, record: Cluster) -> Iterable[LaneRules]:
    lanes = policy.lanes.get(record.name, ())
    for lane in lanes:
        if _is_multinode(lane.takes.when) and lane.driver in policy.drivers:
            higher = [other.takes for other in above(lane, lanes) if _is_multinode(other.takes.when)]
            yield LaneRules(
                takes=_ways([lane.takes]),
                above=_ways(higher),
                admits=_ways(lane.admits),
                refuses=_ways(lane.refuses),
                stages=_stages(policy, record, lane),
            )


def _is_multinode(takes: Match) -> bool:
    return kleene(takes, {"multinode": True}) is not False


def _stages(policy: Policy, record: Cluster, lane: Lane) -> Ways | None:
    if not must_be_shared(policy, record, lane):
        if lane.stages:
            raise ValueError(f"lane `{lane.name}` of `{record.name}` stages what needs no staging")
        return None
    has_root = record.shared_run_root is not None and not node_local(record)
    return _ways(lane.stages) if has_root else ()


def _ways(rows: Iterable[Row]) -> Ways:
    return tuple(tuple(map(_test, way)) for row in rows for way in alternatives(row.when))


def _test(condition: Condition) -> Test:
    if not isinstance(condition.allowed, Words):
        raise ValueError(f"no peer is written for a condition on `{condition.fact.name}` that is no set of words")
    values = tuple(sorted(condition.allowed.members, key=str))
    if not all(isinstance(value, str | bool) for value in values):
        raise ValueError(f"no peer is written for numbers, which a row asks of `{condition.fact.name}`")
    return Test(
        condition.fact.attribute, tuple(v for v in values if isinstance(v, str | bool)), condition.allowed.complement
    )
