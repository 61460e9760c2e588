"""What a change of a request or of the tables can change of a decision, and what it can't."""

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from infx_policy.decision import Decision, Verdict
from infx_policy.evaluation import made
from infx_policy.lane import REFUSES, Row
from infx_policy.match import Match
from infx_policy.policy import Policy
from infx_policy.source import Source
from tests import oracle
from tests.strategies import Facts, known, partly_stated, permuted, policies, whens, with_lane

PartlyStated = policies().flatmap(lambda policy: st.tuples(st.just(policy), partly_stated(policy)))
Permuted = PartlyStated.flatmap(lambda drawn: st.tuples(st.just(drawn[0]), st.just(drawn[1]), permuted(drawn[0])))


def _parts(decision: Decision) -> tuple[object, ...]:
    """All that a decision says, without an order of rows."""
    root = decision.run_root
    return (
        oracle.shape(decision),
        decision.partition,
        {(one.code, dict(one.details).get("lane")) for one in decision.reasons},
        set(decision.admitted_by),
        None if root is None else (root.path, set(root.rows)),
        {(one.name, frozenset(one.rows)) for one in decision.settings},
        {(one.mount, frozenset(one.rows)) for one in decision.mounts},
        {(one.row, one.held) for one in decision.considered},
    )


def _of_the_other(policy: Policy, other: Policy) -> dict[Row, Row]:
    rows = {(row.cluster, row.label): row for lanes in policy.lanes.values() for one in lanes for row in one.rows}
    others = [row for lanes in other.lanes.values() for one in lanes for row in one.rows]
    return {row: rows[row.cluster, row.label] for row in others}


@given(Permuted)
def test_the_order_of_rows_and_lanes_changes_no_decision(drawn: tuple[Policy, Facts, Policy]) -> None:
    policy, facts, other = drawn
    assert _of_the_other(policy, other).keys() == set(_of_the_other(policy, other).values())
    assert _parts(made(other, facts)) == _parts(made(policy, facts))


@given(PartlyStated, whens(("framework", "agentic", "model")), st.data())
def test_another_refuse_row_admits_nothing_new(drawn: tuple[Policy, Facts], when: object, data: st.DataObject) -> None:
    policy, facts = drawn
    cluster = data.draw(st.sampled_from(sorted(policy.lanes)))
    lane = data.draw(st.sampled_from(policy.lanes[cluster]))
    match = Match.from_mapping(when)
    row = Row(cluster, lane.name, REFUSES, "new", match, "A test.", Source("new"), "small", when)
    stricter = with_lane(policy, cluster, evolve(lane, refuses=(*lane.refuses, row)))
    before, after = made(policy, facts), made(stricter, facts)
    if after.verdict is Verdict.ADMITTED:
        assert oracle.shape(after) == oracle.shape(before)
    if before.verdict is Verdict.REFUSED:
        assert after.verdict is Verdict.REFUSED
    if after.verdict is Verdict.ADMITTED and after.lane == lane.name and after.cluster == cluster:
        assert match.holds({**facts, "cluster": cluster}) is not True


@given(PartlyStated, st.data())
def test_stating_a_fact_only_settles(drawn: tuple[Policy, Facts], data: st.DataObject) -> None:
    policy, facts = drawn
    before = made(policy, facts)
    left_out = [name for name in [*policy.reads, "recipe"] if name not in facts]
    if not left_out:
        return
    name = data.draw(st.sampled_from(left_out))
    cluster = data.draw(st.sampled_from(oracle.candidates(policy, facts)))
    values = known(policy, name, cluster) if cluster in policy.inventory.clusters else []
    if values:
        after = made(policy, {**facts, name: data.draw(st.sampled_from(values))})
        assert before.verdict in (after.verdict, Verdict.UNDECIDED)
        if before.verdict is Verdict.ADMITTED:
            _agrees(before, after)


def _agrees(before: Decision, after: Decision) -> None:
    """What an admission says stays so when more is stated."""
    one, two = oracle.shape(before), oracle.shape(after)
    assert (one.cluster, one.lane, one.driver, one.kind) == (two.cluster, two.lane, two.driver, two.kind)
    sure = {pair for pair in [*one.settings, *one.mounts] if pair[1] != oracle.UNDECIDED}
    assert sure <= {*two.settings, *two.mounts}
