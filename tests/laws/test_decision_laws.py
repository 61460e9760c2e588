"""Deciding: the rows alone, the regions, and going through every completion are one meaning."""

from hypothesis import given
from hypothesis import strategies as st

from infx_policy.completion import completed
from infx_policy.decision import Verdict
from infx_policy.evaluation import made
from infx_policy.policy import Policy
from infx_policy.rows import evaluated
from tests import oracle
from tests.strategies import Facts, partly_stated, policies, stated

FullyStated = policies().flatmap(lambda policy: st.tuples(st.just(policy), stated(policy)))
PartlyStated = policies().flatmap(lambda policy: st.tuples(st.just(policy), partly_stated(policy)))


@given(PartlyStated)
def test_a_decision_is_what_its_completions_agree_in(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    assert oracle.shape(made(policy, facts)) == oracle.decided(policy, facts)


@given(PartlyStated)
def test_the_reasons_of_a_refusal_are_those_of_its_completions(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    decision = made(policy, facts)
    if decision.verdict is Verdict.REFUSED:
        assert oracle.are_codes(policy, facts, {one.code.value for one in decision.reasons})


@given(FullyStated)
def test_regions_decide_as_rows_do(drawn: tuple[Policy, Facts]) -> None:
    policy, facts = drawn
    by_rows, by_regions = evaluated(policy, facts), completed(policy, facts)
    if by_rows.cluster not in policy.inventory.clusters:
        return
    assert oracle.shape(by_regions) == oracle.shape(by_rows)
    assert {one.code for one in by_regions.reasons} == {one.code for one in by_rows.reasons}
