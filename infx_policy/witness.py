"""Requests that show a region: few facts, with words that people know."""

from collections.abc import Iterable, Mapping
from typing import Any

from infx_policy import region as regions
from infx_policy import values
from infx_policy.evaluation import made
from infx_policy.fact import MODES, Kind
from infx_policy.grounds import unstated
from infx_policy.match import alternatives
from infx_policy.policy import Policy
from infx_policy.region import FACTS, Region
from infx_policy.values import Value

Facts = Mapping[str, Value]


def domain(policy: Policy, cluster: str) -> Region:
    """Every request on a cluster: words of the vocabulary, runners of the cluster."""
    return unstated(policy, {}, cluster)


def witness(policy: Policy, cluster: str, region: Region) -> dict[str, Value] | None:
    """The facts of a request in the region, on a cluster; None where the vocabulary has none.

    Facts that do not matter are left out: whatever they are, the request is in the region.
    """
    possible = domain(policy, cluster)
    within = regions.restricted(region, {"cluster": cluster}) & possible
    if within.is_empty:
        return None
    box = regions.a_box(within, ~possible)
    bounds = next(regions.paths(possible), {})
    facts: dict[str, Value] = {"cluster": cluster}
    for fact in FACTS:
        if fact.name in box:
            allowed = box[fact.name]
            if fact.name in bounds:
                allowed = values.intersection(allowed, bounds[fact.name])
            facts[fact.name] = values.example(allowed, preferred(policy, cluster, fact.name))
    return facts


def preferred(policy: Policy, cluster: str, name: str) -> Iterable[Value]:
    """Values of a fact that a reader knows, the plainest first."""
    fact = next(each for each in FACTS if each.name == name)
    if fact.vocabulary:
        named = _named(policy, cluster, name)
        return sorted(policy.inventory.vocabulary[name], key=lambda word: (word not in named, word))
    if fact.kind is Kind.FLAG:
        return (True, False) if name == "recipe" else (False, True)
    if fact.kind is Kind.MODE:
        return MODES
    if name == "runner":
        return policy.inventory.runners_of(cluster)
    if name == "model":
        return sorted({model for models in policy.inventory.models.values() for model in models})
    return ("", "bench.sh") if name == "bench-script" else ()


def _named(policy: Policy, cluster: str, name: str) -> set[str]:
    """The words of a fact that a single value of a row of the cluster names."""
    return {
        str(one.written)
        for lane in policy.lanes.get(cluster, ())
        for row in lane.rows
        for way in alternatives(row.when)
        for one in way
        if one.fact.name == name and isinstance(one.written, str)
    }


def confirmed(policy: Policy, facts: Facts, code: str) -> dict[str, Any]:
    """The witness under its wire names, once `decide` has refused it for the reason of this code.

    Raises AssertionError where it has not: then this library's two readings of the tables differ.
    """
    found = made(policy, facts)
    codes = [reason.code.value for reason in found.reasons]
    if code not in codes:
        raise AssertionError(f"internal: witness {dict(facts)} should be refused as {code}, and decide says {codes}")
    return shown(facts)


def shown(facts: Facts) -> dict[str, Any]:
    """Facts under their wire names: any recipe is `FILE`."""
    recipe = {True: "FILE", False: ""}
    return {name: recipe[bool(value)] if name == "recipe" else value for name, value in facts.items()}
