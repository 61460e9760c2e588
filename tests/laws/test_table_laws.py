"""Policies that are read from files decide as those that are made in memory."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from infx_policy import load_policy
from infx_policy.evaluation import made
from tests import oracle
from tests.small import written
from tests.strategies import Drawn, Facts, drawn_policies, partly_stated

Asked = drawn_policies().flatmap(
    lambda drawn: st.tuples(st.just(drawn), st.lists(partly_stated(drawn.policy()), min_size=3, max_size=3))
)


@settings(max_examples=50)
@given(Asked)
def test_tables_mean_what_the_same_data_means(given_: tuple[Drawn, list[Facts]]) -> None:
    drawn, several = given_
    with TemporaryDirectory() as folder:
        policy = load_policy(written(Path(folder) / "policy", drawn.tables(), drawn.lanes), with_plugins=())
    for facts in several:
        one, two = made(policy, facts), made(drawn.policy(), facts)
        assert oracle.shape(one) == oracle.shape(two)
        assert {each.code for each in one.reasons} == {each.code for each in two.reasons}
        assert {each.row.label: each.held for each in one.considered} == {
            each.row.label: each.held for each in two.considered
        }
