"""Policies that are read from files decide as those that are made in memory."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from infx_policy import Policy, load_policy
from infx_policy.evaluation import made
from tests import oracle
from tests.small import Data, written
from tests.strategies import Drawn, Facts, drawn_policies, partly_stated

Asked = drawn_policies().flatmap(
    lambda drawn: st.tuples(st.just(drawn), st.lists(partly_stated(drawn.policy()), min_size=3, max_size=3))
)


def _loaded(tables: Data, lanes: dict[str, dict[str, Data]]) -> Policy:
    with TemporaryDirectory() as folder:
        return load_policy(written(Path(folder) / "policy", tables, lanes), with_plugins=())


@settings(max_examples=50)
@given(Asked)
def test_tables_mean_what_the_same_data_means(given_: tuple[Drawn, list[Facts]]) -> None:
    drawn, several = given_
    policy = _loaded(drawn.tables(), drawn.lanes)
    for facts in several:
        one, two = made(policy, facts), made(drawn.policy(), facts)
        assert oracle.shape(one) == oracle.shape(two)
        assert {each.code for each in one.reasons} == {each.code for each in two.reasons}
        assert {each.row.label: each.held for each in one.considered} == {
            each.row.label: each.held for each in two.considered
        }


def _turned(given_: Any) -> Any:
    """The same tables, with everything that has a name in the opposite order."""
    return {key: _turned(value) for key, value in reversed(given_.items())} if isinstance(given_, dict) else given_


def _less_places(given_: Any) -> Any:
    if isinstance(given_, list):
        return [_less_places(each) for each in given_]
    if isinstance(given_, dict):
        return {key: _less_places(value) for key, value in given_.items() if key not in ("source", "policy", "digest")}
    return re.sub(r"\.yaml:\d+", ".yaml", given_) if isinstance(given_, str) else given_


@settings(max_examples=50)
@given(Asked)
def test_the_order_of_tables_changes_no_word_of_a_decision(given_: tuple[Drawn, list[Facts]]) -> None:
    drawn, several = given_
    policy, other = _loaded(drawn.tables(), drawn.lanes), _loaded(_turned(drawn.tables()), _turned(drawn.lanes))
    for facts in several:
        one, two = made(policy, facts).to_mapping(), made(other, facts).to_mapping()
        assert _less_places(one) == _less_places(two)
