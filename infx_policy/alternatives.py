"""What would be admitted instead: the smallest changes of a refused request, over the whole region.

Changes are counted by facts. Another cluster, runner, multinode or recipe is offered only where nothing
else of its size helps. Every change that is offered is decided before it is shown.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import combinations, islice, product
from typing import Any

from attrs import frozen

from infx_policy import region as regions
from infx_policy import values
from infx_policy.decision import Decision, Verdict
from infx_policy.evaluation import made
from infx_policy.fact import MODES, Fact, Kind
from infx_policy.grounds import Outcome, regions_of, unstated
from infx_policy.policy import Policy
from infx_policy.region import Region
from infx_policy.values import Value, Values

STRUCTURAL = ("cluster", "runner", "multinode", "recipe")
"""Facts that make another launch of a request, rather than mend it."""
_MOST_CHECKED = 256
_RANKED = {fact.name: fact for fact in regions.FACTS}
Facts = Mapping[str, Value]


@frozen
class Change:
    """Facts to change and the values that each may have, all admitted to `lane`."""

    facts: tuple[tuple[str, tuple[Value, ...]], ...]
    lane: str

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form. `recipe` is `FILE` where any recipe will do."""
        shown = {name: [_shown(name, value) for value in allowed] for name, allowed in self.facts}
        return {"facts": shown, "lane": self.lane}


def _shown(name: str, value: Value) -> Value:
    if name == "recipe":
        return "FILE" if value else ""
    return value


def nearest(policy: Policy, decision: Decision) -> tuple[Change, ...]:
    """The smallest changes with which a refused request would be admitted; none for another verdict."""
    if decision.verdict is not Verdict.REFUSED:
        return ()
    given = dict(decision.facts)
    here = decision.cluster if decision.cluster in policy.inventory.clusters else None
    for size in range(1, len(regions.FACTS) + 1):
        for structural in (False, True):
            found = list(_of_size(policy, given, here, size, structural=structural))
            if found:
                return _checked(policy, given, _grouped(found))
    return ()


def _of_size(policy: Policy, given: Facts, here: str | None, size: int, *, structural: bool) -> Iterator[Change]:
    """Changes of `size` facts: of the request where it is, and if `structural` also on other clusters."""
    found_here = [] if here is None else list(_on(policy, given, here, size, {}, structural=structural))
    yield from found_here
    is_runner_enough = any("runner" in dict(change.facts) for change in found_here)
    if structural and not is_runner_enough:
        for cluster in sorted(policy.inventory.clusters):
            if cluster != here:
                moved = _moved(policy, given, cluster)
                yield from _on(policy, {**given, **_first(moved)}, cluster, size - 1, moved, structural=True)


def _first(moved: Mapping[str, tuple[Value, ...]]) -> dict[str, Value]:
    return {name: allowed[0] for name, allowed in moved.items()}


def _moved(policy: Policy, given: Facts, cluster: str) -> dict[str, tuple[Value, ...]]:
    """The facts that bring a request to another cluster: its name, or a runner of it, or both."""
    runners = policy.inventory.runners_of(cluster)
    if "runner" not in given or not runners or ("cluster" in given and given["runner"] in runners):
        return {"cluster": (cluster,)}
    by_runner: dict[str, tuple[Value, ...]] = {"runner": (runners[0],)}
    return {"cluster": (cluster,), **by_runner} if "cluster" in given else by_runner


def _on(
    policy: Policy,
    given: Facts,
    cluster: str,
    size: int,
    moved: Mapping[str, tuple[Value, ...]],
    *,
    structural: bool,
) -> Iterator[Change]:
    """Changes of exactly `size` facts on one cluster, beside those that moved the request there."""
    facts = {**given, "cluster": cluster}
    runners = policy.inventory.runners_of(cluster)
    forced = {
        name for name, words in policy.inventory.vocabulary.items() if name in facts and str(facts[name]) not in words
    }
    if "runner" in facts and str(facts["runner"]) not in runners:
        forced.add("runner")
    if size < len(forced) or ("runner" in forced and not structural):
        return
    for outcome, region in regions_of(policy, cluster).outcomes:
        asked = _asked(region) - {"cluster"}
        free = {name for name in asked | forced if structural or name not in STRUCTURAL}
        for chosen in combinations(sorted(free - forced, key=regions.RANK.__getitem__), size - len(forced)):
            changed = frozenset(chosen) | forced
            yield from _changes(policy, facts, outcome, region, changed, moved)


def _asked(region: Region) -> set[str]:
    """The facts that a region asks for."""
    found: set[str] = set()
    seen: set[Region] = set()
    stack = [region]
    while stack:
        at = stack.pop()
        if at.edges and at not in seen:
            seen.add(at)
            found.add(regions.FACTS[at.rank].name)
            stack.extend(below for _, below in at.edges)
    return found


def _changes(
    policy: Policy,
    facts: Facts,
    outcome: Outcome,
    region: Region,
    changed: frozenset[str],
    moved: Mapping[str, tuple[Value, ...]],
) -> Iterator[Change]:
    """The ways to change exactly these facts."""
    kept = {name: value for name, value in facts.items() if name not in changed}
    open_facts = {name: value for name, value in facts.items() if name not in changed}
    possible = unstated(policy, open_facts, outcome.cluster)
    waiting = frozenset(_asked(region)) - set(facts) - changed
    box = next(regions.paths(possible), {})
    left = regions.for_all(regions.restricted(region, kept), waiting, box)
    domain = regions.for_all(possible, frozenset(), {})
    wanted = left & domain
    for each in regions.boxes(wanted, ~domain) if not wanted.is_empty else ():
        allowed = {name: _listed(policy, outcome, name, each.get(name), facts) for name in changed}
        ordered = sorted(changed, key=regions.RANK.__getitem__)
        if all(allowed.values()):
            named = [*moved.items(), *((name, allowed[name]) for name in ordered)]
            yield Change(tuple(named), outcome.lane.name)


def _listed(policy: Policy, outcome: Outcome, name: str, allowed: Values | None, facts: Facts) -> tuple[Value, ...]:
    """The values of a set as an answer names them: all known words, or one example of an open set."""
    fact = _RANKED[name]
    allowed = values.full(fact) if allowed is None else allowed
    known = _known(policy, outcome, fact)
    found = [value for value in known if value in allowed and value != facts.get(name)]
    if name == "runner":
        return tuple(found[:1])
    if found or fact.vocabulary:
        return tuple(sorted(found, key=lambda value: _unlikeness(value, facts.get(name))))
    if values.is_empty(allowed):
        return ()
    if fact.kind is Kind.INTEGER:
        return (_closest(allowed, facts.get(name)),)
    return (values.example(allowed, ["FILE"]),)


def _known(policy: Policy, outcome: Outcome, fact: Fact) -> Iterable[Value]:
    if fact.vocabulary:
        return sorted(policy.inventory.vocabulary[fact.name])
    if fact.kind is Kind.FLAG:
        return (True, False)
    if fact.kind is Kind.MODE:
        return MODES
    if fact.name == "runner":
        return policy.inventory.runners_of(outcome.cluster)
    if fact.name == "model":
        return sorted({model for models in policy.inventory.models.values() for model in models})
    return ("",) if fact.name == "bench-script" else ()


def _unlikeness(value: Value, asked: Value | None) -> tuple[float, str]:
    ratio = SequenceMatcher(None, str(asked), str(value), autojunk=False).ratio() if asked is not None else 0.0
    return (-ratio, str(value))


def _closest(allowed: Values, asked: Value | None) -> int:
    assert isinstance(allowed, values.Whole)
    ends = [end for pair in allowed.intervals for end in pair if end is not None]
    wanted = asked if isinstance(asked, int) else 0
    return min(ends, key=lambda end: (abs(end - wanted), end))


def _grouped(found: list[Change]) -> list[Change]:
    """Changes that differ only in the cluster become one that lists the clusters."""
    groups: dict[Any, list[Change]] = {}
    for change in found:
        rest = tuple(pair for pair in change.facts if pair[0] != "cluster")
        groups.setdefault((rest, change.lane, len(change.facts) - len(rest)), []).append(change)
    grouped: list[Change] = []
    for (rest, lane, moved), changes in groups.items():
        clusters = tuple(dict.fromkeys(value for change in changes for value in dict(change.facts).get("cluster", ())))
        grouped.append(Change(((("cluster", clusters),) if moved else ()) + rest, lane))
    return grouped


def _checked(policy: Policy, given: Facts, found: list[Change]) -> tuple[Change, ...]:
    """The changes, each decided; one that is not admitted is a fault of this library."""
    for change in dict.fromkeys(found):
        names = [name for name, _ in change.facts]
        for chosen in islice(product(*(allowed for _, allowed in change.facts)), _MOST_CHECKED):
            facts = {**given, **dict(zip(names, chosen, strict=True))}
            verdict = made(policy, facts).verdict
            if verdict is not Verdict.ADMITTED:
                raise AssertionError(f"internal: {change} was offered, and deciding {facts} says {verdict.value}")
    return tuple(dict.fromkeys(found))
