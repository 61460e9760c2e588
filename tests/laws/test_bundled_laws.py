"""The bundled tables, over all requests: what gb200-nv admits it also stages, and order means nothing."""

from hypothesis import example, find, given, settings
from hypothesis import strategies as st

from infx_policy import Policy, Request, decide
from infx_policy.completion import completed
from infx_policy.decision import Verdict
from infx_policy.evaluation import facts_of, made
from infx_policy.lane import above
from infx_policy.match import stated
from infx_policy.reasons import ReasonCode
from infx_policy.rows import Unstated, evaluated, unknown_words
from tests import oracle
from tests.small import bundled, of_example
from tests.strategies import permuted, requests

CLUSTER = "gb200-nv"
READ = {name for lane in bundled().lanes[CLUSTER] for row in lane.rows for name in row.when.facts()}
Requests = requests(bundled(), bundled().reads)
Gb200 = requests(bundled(), READ, cluster=CLUSTER)


def _admitting(policy: Policy, request: Request) -> list[str]:
    """The lanes that, by their rows alone, take and admit the request."""
    facts = stated(request)
    lanes = policy.lanes[CLUSTER]
    return [
        lane.name
        for lane in lanes
        if lane.takes.when.holds(facts)
        and all(other.takes.when.holds(facts) is False for other in above(lane, lanes))
        and any(row.when.holds(facts) for row in lane.admits)
        and all(row.when.holds(facts) is False for row in lane.refuses)
    ]


def _staged(policy: Policy, lane: str, request: Request) -> bool:
    rows = next(each for each in policy.lanes[CLUSTER] if each.name == lane).stages
    return any(row.when.holds(request) for row in rows)


def _is_unstaged(policy: Policy, request: Request) -> bool:
    return any(not _staged(policy, lane, request) for lane in _admitting(policy, request))


@example(Request(cluster=CLUSTER, framework="vllm", multinode=True, recipe="r.yaml"))
@example(Request(cluster=CLUSTER, framework="tilert", multinode=False, bench_script="s.sh"))
@given(Gb200)
def test_what_gb200_admits_it_stages(request: Request) -> None:
    policy = bundled()
    decision = decide(policy, request)
    assert not _is_unstaged(policy, request)
    assert ReasonCode.NO_SHARED_RUN_ROOT not in {one.code for one in decision.reasons if _admitting(policy, request)}
    if decision.verdict is Verdict.ADMITTED:
        assert decision.run_root is not None
        assert decision.run_root.kind == "shared"
        assert set(_admitting(policy, request)) <= {decision.lane}


_SEEK = settings(max_examples=2000, derandomize=True, database=None, deadline=None)


def test_the_gap_shrinks_to_the_one_framework_that_nobody_stages() -> None:
    gap = of_example("gap")
    found = find(Gb200, lambda request: _is_unstaged(gap, request), settings=_SEEK)
    assert found == Request(cluster=CLUSTER, framework="vllm", multinode=True)
    request = Request(cluster=CLUSTER, framework="vllm", multinode=True, recipe="r.yaml")
    assert [one.code for one in decide(gap, request).reasons] == [ReasonCode.NO_SHARED_RUN_ROOT]
    assert decide(bundled(), request).lane == "srt-multi"


def test_the_upstream_rows_leave_more_than_one_model_unstaged() -> None:
    upstream = of_example("upstream")
    found = find(Gb200, lambda request: _is_unstaged(upstream, request) and bool(request.multinode), settings=_SEEK)
    assert found.multinode
    assert decide(upstream, found).verdict is not Verdict.ADMITTED


@settings(max_examples=15)
@given(permuted(bundled()), st.lists(Requests, min_size=5, max_size=5))
def test_the_order_of_the_bundled_rows_changes_no_decision(other: Policy, several: list[Request]) -> None:
    for request in several:
        one, two = decide(bundled(), request), decide(other, request)
        assert oracle.shape(one) == oracle.shape(two)
        assert {each.code for each in one.reasons} == {each.code for each in two.reasons}


@given(Requests)
def test_regions_decide_the_bundled_tables_as_rows_do(request: Request) -> None:
    policy = bundled()
    facts = facts_of(policy, policy.key(request))
    if unknown_words(policy, facts):
        return
    try:
        by_rows = evaluated(policy, facts)
    except Unstated:
        assert made(policy, facts).to_mapping() == completed(policy, facts).to_mapping()
        return
    if by_rows.cluster in policy.inventory.clusters:
        by_regions = completed(policy, facts)
        assert oracle.shape(by_regions) == oracle.shape(by_rows)
        assert {one.code for one in by_regions.reasons} == {one.code for one in by_rows.reasons}
