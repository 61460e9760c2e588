"""What is left to state of an undecided request, in the grammar of the tables."""

from typing import Any

import pytest

from infx_policy import Match, Policy, Request, Verdict, decide
from infx_policy.residual import Residual, left_open
from tests.small import Data, lane, row, small

Found = list[tuple[dict[str, Any], str, str]]


def _left(policy: Policy, **facts: Any) -> Found:
    decision = decide(policy, Request(**{"cluster": "c", "multinode": False, **facts}))
    assert decision.verdict is Verdict.UNDECIDED
    return [(dict(one.when), one.lane, one.run_root) for one in left_open(policy, decision)]


def _one(*admits: Any, **sections: Any) -> Policy:
    lanes = {"l": lane(admits=[row(when) for when in admits], **sections)}
    words = {"framework": ["sglang", "trt", "vllm"]}
    return small({"c": lanes}, {"c": {"shared-run-root": "/shared"}}, {"c": ["c_0", "c_1", "c_2"]}, words)


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({"framework": "vllm"}, {"framework": "vllm"}),
        ({"framework": ["vllm", "trt", "unheard-of"]}, {"framework": {"not": "sglang"}}),
        ({"framework": "vllm", "agentic": True}, {"framework": "vllm", "agentic": True}),
        ({"runner": ["c_0", "c_1"]}, {"runner": {"not": "c_2"}}),
        ({"max-concurrency": {"at-least": 8}}, {"max-concurrency": {"at-least": 8}}),
        ({"max-concurrency": {"not": 8}}, {"max-concurrency": {"not": 8}}),
        ({"model": {"glob": "x/*"}}, {"model": {"glob": "x/*"}}),
        ({"model": {"not": {"glob": "x/*"}}}, {"model": {"not": {"glob": "x/*"}}}),
        ({"bench-script": {"not": ""}}, {"bench-script": {"not": ""}}),
        ({"thinking-mode": {"not": "on"}}, {"thinking-mode": ["", "off"]}),
        ({"framework": ["vllm", "trt", "sglang"], "agentic": False}, {"agentic": False}),
    ],
)
def test_one_way(when: Data, expected: Data) -> None:
    assert _left(_one(when)) == [(expected, "l", "workspace")]


def test_what_is_stated_is_not_asked() -> None:
    policy = _one({"framework": "vllm", "agentic": True})
    assert _left(policy, framework="vllm") == [({"agentic": True}, "l", "workspace")]


def test_several_ways_and_the_plainest_first() -> None:
    policy = _one({"framework": "vllm"}, {"agentic": True, "disagg": True})
    assert [when for when, _, _ in _left(policy)] == [{"framework": "vllm"}, {"agentic": True, "disagg": True}]


def test_lanes_and_kinds_of_run_root_are_told_apart() -> None:
    lanes = {
        "l": lane({"agentic": True}, admits=[row("all")]),
        "m": lane({"agentic": False}, admits=[row("all")], shared_run_root=[row({"framework": "vllm"})]),
    }
    policy = small({"c": lanes}, {"c": {"shared-run-root": "/shared"}})
    assert _left(policy) == [
        ({"agentic": True}, "l", "workspace"),
        ({"framework": "vllm", "agentic": False}, "m", "shared"),
        ({"framework": "sglang", "agentic": False}, "m", "workspace"),
    ]


def test_a_recipe_is_named_or_not() -> None:
    policy = _one("all")
    assert _left(policy, multinode=True) == [({"recipe": {"not": ""}}, "l", "workspace")]
    assert _left(policy, multinode=None, recipe="") == [({"multinode": False}, "l", "workspace")]
    assert _left(policy, multinode=None) == [
        ({"multinode": False}, "l", "workspace"),
        ({"recipe": {"not": ""}}, "l", "workspace"),
    ]


def test_clusters_are_left_open() -> None:
    policy = small({"c": {"l": lane(admits=[row("all")])}, "d": {"l": lane(admits=[row({"agentic": True})])}})
    found = _left(policy, cluster=None)
    assert found == [({"cluster": "c"}, "l", "workspace"), ({"agentic": True}, "l", "workspace")]


@pytest.mark.parametrize("refused", [4, [4, 6], {"at-least": 4, "at-most": 6}])
def test_holes_between_numbers_are_not_promised(refused: Any) -> None:
    policy = _one({"max-concurrency": {"at-least": 2, "at-most": 8}}, refuses=[row({"max-concurrency": refused})])
    found = [Match.from_mapping(when) for when, _, _ in _left(policy)]
    for number in range(12):
        admitted = decide(policy, Request(cluster="c", multinode=False, max_concurrency=number)).verdict
        promised = any(match.holds({"max-concurrency": number}) for match in found)
        assert promised == (admitted is Verdict.ADMITTED), number


def test_a_checkpoint_is_left_open_in_words_that_a_row_can_hold() -> None:
    policy = _one("all", checkpoint=[row("all", value="alpha")])
    found = [Match.from_mapping(when) for when, _, _ in _left(policy)]
    for model, expected in [("alpha", True), ("x/alpha", True), ("x/alphas", False), ("alpha/x", False)]:
        assert any(match.holds({"model": model}) for match in found) is expected


def test_the_form_of_json() -> None:
    one = Residual({"agentic": True}, "l", "shared")
    assert one.to_mapping() == {"when": {"agentic": True}, "verdict": "admitted", "lane": "l", "run-root": "shared"}
