"""What explain adds holds: what is left open, and the nearest changes; and answers that are remembered are the same."""

from collections.abc import Iterator, Mapping
from itertools import combinations, islice, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx_policy import evaluation
from infx_policy.alternatives import STRUCTURAL, Change, nearest
from infx_policy.decision import Decision, Verdict
from infx_policy.evaluation import decide, facts_of, made
from infx_policy.match import Match
from infx_policy.policy import Policy
from infx_policy.request import Request
from infx_policy.residual import Residual, left_open
from infx_policy.rows import evaluated
from infx_policy.values import Value
from tests import oracle
from tests.strategies import Facts, known, partly_stated, policies, requests

PartlyStated = policies().flatmap(lambda policy: st.tuples(st.just(policy), partly_stated(policy)))
Refused = policies().flatmap(lambda policy: st.tuples(st.just(policy), partly_stated(policy, most=12)))
Asked = policies().flatmap(
    lambda policy: st.tuples(st.just(policy), st.lists(requests(policy, policy.reads), min_size=2, max_size=5))
)


@settings(max_examples=100)
@given(Asked, st.sampled_from([1, 2, 100]))
def test_remembered_answers_are_those_that_are_made(drawn: tuple[Policy, list[Request]], memo: int) -> None:
    policy, several = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "MEMO", memo)
        for request in [*several, *reversed(several)]:
            decision = decide(policy, request)
            fresh = made(policy, facts_of(policy, policy.key(request)))
            assert decision.to_mapping() == fresh.to_mapping()
            assert decide(policy, request) is decision
            assert len(policy.answers) <= memo


def _holds(one: Residual, completion: Mapping[str, Value]) -> bool:
    when = {name: wanted for name, wanted in one.when.items() if name != "recipe"}
    if "recipe" in one.when and (one.when["recipe"] == "") == completion["recipe"]:
        return False
    return not when or Match.from_mapping(when).holds(dict(completion)) is True


@given(PartlyStated)
def test_what_is_left_open_is_when_it_is_admitted(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    decision = made(policy, facts)
    if decision.verdict is not Verdict.UNDECIDED:
        return
    residual = left_open(policy, decision)
    assert residual
    if any("like" in str(one.when.get("model")) for one in residual):
        return  # no `when` writes every set of models; `like` then only names one of them
    assert not {name for one in residual for name in one.when} & set(facts)
    for completion in oracle.completions(policy, facts):
        final = evaluated(policy, completion)
        admitted = {(final.lane, final.run_root.kind)} if final.run_root else set()
        assert {(one.lane, one.run_root) for one in residual if _holds(one, completion)} == admitted


@given(Refused)
def test_each_change_is_admitted_and_changes_something(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    decision = made(policy, facts)
    for change in nearest(policy, decision):
        assert decision.verdict is Verdict.REFUSED
        names = [name for name, _ in change.facts]
        for chosen in islice(product(*(allowed for _, allowed in change.facts)), 64):
            changed = dict(zip(names, chosen, strict=True))
            assert all(facts.get(name) != value for name, value in changed.items() if name not in ("cluster", "runner"))
            after = made(policy, {**facts, **changed})
            assert (after.verdict, after.lane) == (Verdict.ADMITTED, change.lane)


@given(Refused)
def test_no_part_of_a_change_is_superfluous(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    for change in nearest(policy, made(policy, facts)):
        changed = {name: allowed[0] for name, allowed in change.facts}
        for name in changed:
            if name == "cluster" and "runner" in changed:
                continue  # it follows from the runner
            rest = {key: value for key, value in changed.items() if key != name}
            assert made(policy, {**facts, **rest}).verdict is not Verdict.ADMITTED


def _options(policy: Policy, facts: Facts, decision: Decision) -> Iterator[tuple[str, dict[str, Value]]]:
    """Each fact that may be changed, to each value; to move to another cluster is one change."""
    here = str(decision.cluster)
    for name in [*policy.reads, "recipe"]:
        if name != "cluster" and here in policy.inventory.clusters:
            yield from ((name, {name: value}) for value in known(policy, name, here) if value != facts.get(name))
    for other in policy.inventory.clusters:
        if other != here:
            yield from (("cluster", move) for move in _moves(policy, facts, other))


def _moves(policy: Policy, facts: Facts, cluster: str) -> Iterator[dict[str, Value]]:
    for runner in policy.inventory.runners_of(cluster) if "runner" in facts else []:
        named: dict[str, Value] = {} if "cluster" not in facts else {"cluster": cluster}
        yield {**named, **({} if runner == facts["runner"] else {"runner": runner})}
    if "runner" not in facts:
        yield {"cluster": cluster}


def _helping(policy: Policy, facts: Facts, decision: Decision, size: int) -> Iterator[dict[str, dict[str, Value]]]:
    """Every change of so many facts that is admitted."""
    by_name: dict[str, list[dict[str, Value]]] = {}
    for name, option in _options(policy, facts, decision):
        by_name.setdefault(name, []).append(option)
    for names in combinations(by_name, size):
        for chosen in product(*(by_name[name] for name in names)):
            changed = {name: value for option in chosen for name, value in option.items()}
            if made(policy, {**facts, **changed}).verdict is Verdict.ADMITTED:
                yield dict(zip(names, chosen, strict=True))


def _size(change: Change) -> int:
    names = {name for name, _ in change.facts}
    return len(names - {"runner"}) if "cluster" in names else len(names)


def _structural(names: Any) -> bool:
    return bool(set(names) & set(STRUCTURAL))


@settings(max_examples=60)
@given(Refused)
def test_no_smaller_change_is_admitted(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    decision = made(policy, facts)
    if decision.verdict is not Verdict.REFUSED:
        return
    offered = nearest(policy, decision)
    sizes = {_size(change) for change in offered}
    assert len(sizes) <= 1
    size = min(sizes, default=3)
    for smaller in range(1, min(size, 3)):
        assert not list(_helping(policy, facts, decision, smaller))


@settings(max_examples=100)
@given(Refused)
def test_every_single_change_that_helps_is_offered(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    decision = made(policy, facts)
    if decision.verdict is not Verdict.REFUSED:
        return
    offered = nearest(policy, decision)
    helping = list(_helping(policy, facts, decision, 1))
    plain = [each for each in helping if not _structural(each)]
    named = {(name, value) for change in offered for name, allowed in change.facts for value in allowed}
    for (name, option), *_ in ([*each.items()] for each in plain):
        if name not in ("model", "bench-script", "max-concurrency"):
            assert (name, option[name]) in named
        assert name in {key for key, _ in named}
    if plain:
        assert not any(_structural(dict(change.facts)) for change in offered)
    elif helping:
        names = {"runner" if set(option) == {"runner"} else name for each in helping for name, option in each.items()}
        assert names & {name for change in offered for name, _ in change.facts}
