"""The smallest changes of a refused request that would be admitted."""

from typing import Any

import pytest

from infx_policy import Policy, Request, decide, explain
from infx_policy.alternatives import nearest
from infx_policy.evaluation import made
from tests.small import lane, row, small

Found = list[dict[str, list[Any]]]


def _near(policy: Policy, **facts: Any) -> Found:
    decision = decide(policy, Request(**{"cluster": "c", "multinode": False, **facts}))
    return [{name: list(allowed) for name, allowed in change.facts} for change in nearest(policy, decision)]


def _one(*admits: Any, **sections: Any) -> Policy:
    words = {"framework": ["sglang", "trt", "vllm"], "precision": ["fp4", "fp8"]}
    lanes = {"l": lane(admits=[row(when) for when in admits], **sections)}
    return small({"c": lanes}, runners={"c": ["c_0", "c_1"]}, vocabulary=words)


def test_every_value_of_the_one_fact_is_offered_the_likest_first() -> None:
    policy = _one({"framework": ["sglang", "vllm"]})
    assert _near(policy, framework="vlm") == [{"framework": ["vllm", "sglang"]}]
    assert _near(policy, framework="trt") == [{"framework": ["sglang", "vllm"]}]
    assert _near(policy, framework="vllm") == []


def test_fewest_facts_win() -> None:
    policy = _one({"framework": "vllm", "agentic": True}, {"precision": "fp8"})
    assert _near(policy, framework="sglang", agentic=False, precision="fp4") == [{"precision": ["fp8"]}]
    policy = _one({"framework": "vllm", "agentic": True}, {"precision": "fp8", "disagg": True})
    found = _near(policy, framework="sglang", agentic=False, precision="fp4", disagg=False)
    assert found == [{"framework": ["vllm"], "agentic": [True]}, {"precision": ["fp8"], "disagg": [True]}]


def test_values_are_named_as_they_are_known() -> None:
    assert _near(_one({"max-concurrency": {"at-least": 8}}), max_concurrency=3) == [{"max-concurrency": [8]}]
    assert _near(_one({"max-concurrency": {"at-most": 8}}), max_concurrency=30) == [{"max-concurrency": [8]}]
    assert _near(_one({"model": {"glob": "x/*"}}), model="y") == [{"model": ["x/alpha", "x/beta"]}]
    assert _near(_one({"model": {"glob": "z/*"}}), model="y") == [{"model": ["z/"]}]
    assert _near(_one({"bench-script": ""}), bench_script="s.sh") == [{"bench-script": [""]}]
    assert _near(_one({"bench-script": {"not": ""}}), bench_script="") == [{"bench-script": ["FILE"]}]
    assert _near(_one({"thinking-mode": {"not": "on"}}), thinking_mode="on") == [{"thinking-mode": ["off", ""]}]


def test_a_plain_fact_goes_before_a_structural_one() -> None:
    policy = _one({"multinode": True, "framework": "trt"}, {"framework": "vllm"})
    assert _near(policy, framework="trt") == [{"framework": ["vllm"]}]
    assert _near(_one({"multinode": True, "framework": "trt"}), framework="trt", recipe="r") == [{"multinode": [True]}]


def test_a_recipe_is_offered_as_a_file() -> None:
    policy = _one("all")
    decision = decide(policy, Request(cluster="c", multinode=True, recipe=""))
    assert [change.to_mapping() for change in nearest(policy, decision)] == [
        {"facts": {"multinode": [False]}, "lane": "l"},
        {"facts": {"recipe": ["FILE"]}, "lane": "l"},
    ]


def test_other_clusters_come_last_and_are_grouped() -> None:
    admits = lane(admits=[row({"framework": "vllm"})])
    never = lane(admits=[row("all")], refuses=[row("all")])
    policy = small({"c": {"l": never}, "d": {"l": admits}, "e": {"l": admits}, "f": {"m": admits}})
    assert _near(policy, framework="vllm") == [{"cluster": ["d", "e"]}, {"cluster": ["f"]}]
    assert _near(policy, framework="sglang") == [
        {"cluster": ["d", "e"], "framework": ["vllm"]},
        {"cluster": ["f"], "framework": ["vllm"]},
    ]
    stated = _near(policy, framework="vllm", runner="c_0")
    assert stated == [{"cluster": [name], "runner": [f"{name}_0"]} for name in ("d", "e", "f")]
    assert _near(policy, cluster=None, framework="vllm", runner="c_0") == [
        {"runner": [f"{name}_0"]} for name in ("d", "e", "f")
    ]


def test_a_runner_of_the_cluster_mends_a_mismatch() -> None:
    policy = small({"c": {"l": lane(admits=[row("all")])}, "d": {"l": lane(admits=[row("all")])}})
    assert {"runner": ["c_0"]} in _near(policy, runner="d_0")
    assert _near(policy, runner="nobody") == [{"runner": ["c_0"]}]


def test_the_cluster_of_the_runner_is_one_change() -> None:
    policy = small({"c": {"l": lane(admits=[])}, "d": {"l": lane(admits=[row("all")])}}, runners={"d": ["d_0", "d_1"]})
    assert _near(policy, runner="d_1") == [{"cluster": ["d"]}]


def test_another_cluster_and_a_structural_fact_are_offered_where_nothing_else_helps() -> None:
    lanes = {"c": {"l": lane(refuses=[row("all")])}, "d": {"l": lane({"multinode": True}, admits=[row("all")])}}
    assert _near(small(lanes), multinode=True, recipe="") == [{"cluster": ["d"], "recipe": [True]}]


def test_an_unlabelled_cluster_offers_no_runner_that_nobody_knows() -> None:
    policy = small({"c": {"l": lane(admits=[row("all")])}}, runners={})
    for change in _near(policy, runner="nobody"):
        facts = {"cluster": "c", "multinode": False, **{name: allowed[0] for name, allowed in change.items()}}
        assert made(policy, facts).reasons == ()


def test_an_unstated_fact_may_be_stated() -> None:
    policy = _one({"agentic": True, "framework": "vllm"}, refuses=[row({"agentic": False, "framework": "trt"})])
    assert _near(policy, framework="trt") == [{"framework": ["vllm"], "agentic": [True]}]


def test_nothing_is_offered_where_nothing_helps() -> None:
    policy = small({"c": {"l": lane(admits=[row("all")], refuses=[row("all")])}})
    assert _near(policy, framework="vllm") == []
    assert explain(policy, Request(cluster="c", multinode=False)).nearest == ()


@pytest.mark.parametrize("verdict", ["admitted", "undecided"])
def test_only_a_refusal_has_nearest(verdict: str) -> None:
    policy = _one({"agentic": True})
    decision = decide(policy, Request(cluster="c", multinode=False, agentic=True if verdict == "admitted" else None))
    assert decision.verdict.value == verdict
    assert nearest(policy, decision) == ()


def test_a_change_that_is_not_admitted_is_a_fault_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = _one({"framework": "vllm"})
    decision = decide(policy, Request(cluster="c", multinode=False, framework="trt"))
    monkeypatch.setattr("infx_policy.alternatives.made", lambda _policy, _facts: decision)
    with pytest.raises(AssertionError, match="internal"):
        nearest(policy, decision)
