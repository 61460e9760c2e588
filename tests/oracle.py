"""What decisions should be, by going through every completion: slow, and plain enough to be believed."""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import Any

from attrs import frozen

from infx_policy.decision import Decision, Verdict
from infx_policy.lane import Mount
from infx_policy.policy import Policy
from infx_policy.reasons import Reason, ReasonCode
from infx_policy.rows import evaluated
from infx_policy.values import Value
from tests.strategies import known

Facts = Mapping[str, Value]
UNDECIDED = "undecided"
Key = tuple[str, ...]


@frozen
class Shape:
    """What a decision says, less its wording and the order of its parts."""

    verdict: Verdict
    cluster: str | None
    lane: str | None
    driver: str | None
    kind: str | None
    settings: frozenset[tuple[str, Any]]
    mounts: frozenset[tuple[Mount, Any]]


def shape(decision: Decision) -> Shape:
    """The shape of a decision."""
    return Shape(
        decision.verdict,
        decision.cluster,
        decision.lane,
        decision.driver,
        None if decision.run_root is None else decision.run_root.kind,
        frozenset((one.name, UNDECIDED if one.undecided else one.value) for one in decision.settings),
        frozenset((one.mount, UNDECIDED if one.undecided else True) for one in decision.mounts),
    )


def completions(policy: Policy, facts: Facts) -> Iterator[dict[str, Value]]:
    """Every way to state what is not stated, up to values that no row tells apart."""
    for cluster in candidates(policy, facts):
        open_facts = [name for name in [*policy.reads, "recipe"] if name not in {"cluster", *facts}]
        domains = {name: domain for name in open_facts if (domain := known(policy, name, cluster))}
        for chosen in product(*domains.values()):
            yield {**facts, "cluster": cluster, **dict(zip(domains, chosen, strict=True))}


def candidates(policy: Policy, facts: Facts) -> list[str]:
    """The clusters that a request may be on."""
    if "cluster" in facts:
        return [str(facts["cluster"])]
    owners = policy.inventory.clusters_of_runner.get(str(facts.get("runner")), ())
    return list(owners) or sorted(policy.inventory.clusters)


def decided(policy: Policy, facts: Facts) -> Shape:
    """The decision's shape: what every completion agrees in."""
    each = [evaluated(policy, one) for one in completions(policy, facts)]
    clusters = candidates(policy, facts)
    cluster = clusters[0] if len(clusters) == 1 else None
    admitted = [one for one in each if one.verdict is Verdict.ADMITTED]
    outcomes = {(one.cluster, one.lane, one.driver, one.run_root and one.run_root.kind) for one in admitted}
    if not admitted:
        lanes = {one.lane for one in each}
        lane = next(iter(lanes)) if len(lanes) == 1 and cluster is not None else None
        drivers = {one.driver for one in each if lane is not None}
        return Shape(Verdict.REFUSED, cluster, lane, next(iter(drivers), None), None, frozenset(), frozenset())
    is_whole = len(outcomes) == 1 and len(admitted) == len(each)
    verdict = Verdict.ADMITTED if is_whole else Verdict.UNDECIDED
    if cluster is None:
        return Shape(verdict, None, None, None, None, frozenset(), frozenset())
    lanes, drivers = {one.lane for one in admitted}, {one.driver for one in admitted}
    kinds = {one.run_root.kind for one in admitted if one.run_root}
    is_one_lane = len(lanes) == 1
    return Shape(
        verdict,
        cluster,
        next(iter(lanes)) if is_one_lane else None,
        next(iter(drivers)) if len(drivers) == 1 else None,
        next(iter(kinds)) if is_one_lane and len(kinds) == 1 else None,
        _settings(admitted) if is_one_lane else frozenset(),
        _mounts(admitted) if is_one_lane else frozenset(),
    )


def _settings(admitted: list[Decision]) -> frozenset[tuple[str, Any]]:
    each = [{one.name: one.value for one in decision.settings} for decision in admitted]
    found = set()
    for name in {name for given in each for name in given}:
        values = {given.get(name) for given in each}
        found.add((name, next(iter(values)) if len(values) == 1 else UNDECIDED))
    return frozenset(found)


def _mounts(admitted: list[Decision]) -> frozenset[tuple[Mount, Any]]:
    each = [{one.mount for one in decision.mounts} for decision in admitted]
    return frozenset(
        (mount, True if all(mount in given for given in each) else UNDECIDED) for mount in set().union(*each)
    )


def are_codes(policy: Policy, facts: Facts, found: Collection[str]) -> bool:
    """Whether these are the codes of a refusal: those that stand for every completion, else all of them.

    What stands whatever an unknown word should have been stands beside the word. Two checks with one code, as of
    two lanes, may be taken for one where their reasons read alike.
    """
    least, most, every = _bounds(policy, facts)
    unknown = [name for name, words in policy.inventory.vocabulary.items() if facts.get(name, min(words)) not in words]
    rest = {name: value for name, value in facts.items() if name not in unknown}
    if unknown and decided(policy, rest).verdict is Verdict.REFUSED:
        beside = _bounds(policy, rest)
        return least | beside[0] <= set(found) <= most | beside[2]
    return least <= set(found) <= most if least or set(found) != every else True


def _bounds(policy: Policy, facts: Facts) -> tuple[set[str], set[str], set[str]]:
    """The codes of checks that refuse every completion, the codes that every completion has, and all codes."""
    each = [keys(evaluated(policy, one)) for one in completions(policy, facts)]
    least = {key[0] for key in frozenset.intersection(*each)}
    most = set.intersection(*({key[0] for key in one} for one in each))
    return least, most, {key[0] for key in frozenset.union(*each)}


def keys(decision: Decision) -> frozenset[Key]:
    """The reasons of a decision by the check that gave each."""
    return frozenset(_key(decision, one) for one in decision.reasons)


_OF_THE_REQUEST = (ReasonCode.NO_RECIPE, ReasonCode.UNKNOWN_RUNNER, ReasonCode.UNKNOWN_CLUSTER)
_BY_ROW = (ReasonCode.REFUSED_BY_ROW, ReasonCode.MODEL_MISMATCH)
_NOT_BY_LANE = (ReasonCode.NO_LANE, ReasonCode.AMBIGUOUS_LANE, ReasonCode.RUNNER_MISMATCH)


def _key(decision: Decision, one: Reason) -> Key:
    code = one.code.value
    if one.code in _OF_THE_REQUEST or code.startswith("unknown-"):
        return (code,)
    place = (code, str(decision.cluster))
    if one.code in _NOT_BY_LANE:
        return place
    if one.code in _BY_ROW:
        return (*place, str(one.row))
    if one.code is ReasonCode.CONFLICTING_SETTING:
        return (*place, str(one.row).split(".")[0], dict(one.details)["setting"])
    return (*place, str(decision.lane))
