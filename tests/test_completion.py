"""Deciding over every completion of what is not stated."""

from typing import Any

import pytest

from infx_policy import Policy, Request, Verdict, decide, load_policy
from infx_policy.completion import completed
from infx_policy.decision import Decision
from infx_policy.evaluation import made
from tests.small import lane, row, small

FACTS: dict[str, Any] = {"cluster": "c", "multinode": False}
OPEN = [row({"agentic": True}, value="a.sh"), row({"agentic": False}, value="b.sh")]


def _one(takes: Any = "all", **sections: Any) -> Policy:
    return small({"c": {"l": lane(takes, **sections)}}, {"c": {"shared-run-root": "/shared"}})


def _made(policy: Policy, **facts: Any) -> Decision:
    return made(policy, {**FACTS, **facts})


def _codes(decision: Decision) -> list[str]:
    return [one.code.value for one in decision.reasons]


@pytest.mark.parametrize(
    ("admits", "verdict"),
    [
        ([{"framework": "vllm"}, {"framework": {"not": "vllm"}}], Verdict.ADMITTED),
        ([{"framework": ["vllm", "sglang"]}], Verdict.ADMITTED),
        ([{"framework": "vllm"}], Verdict.UNDECIDED),
        ([{"framework": "trt"}], Verdict.REFUSED),
        ([{"framework": {"not": ["vllm", "sglang"]}}], Verdict.REFUSED),
    ],
)
def test_a_fact_with_a_vocabulary_has_its_words(admits: list[Any], verdict: Verdict) -> None:
    assert _made(_one(admits=[row(when) for when in admits])).verdict is verdict


@pytest.mark.parametrize(
    ("admits", "verdict"),
    [
        ([{"runner": ["c_0", "c_1"]}], Verdict.ADMITTED),
        ([{"runner": "c_0"}], Verdict.UNDECIDED),
        ([{"runner": "d_0"}], Verdict.REFUSED),
        ([{"model": {"glob": "a*"}}, {"model": {"not": {"glob": "a*"}}}], Verdict.ADMITTED),
        ([{"model": {"glob": "a*"}}, {"model": {"glob": "b*"}}], Verdict.UNDECIDED),
        ([{"max-concurrency": {"at-least": 4}}, {"max-concurrency": {"at-most": 5}}], Verdict.ADMITTED),
        ([{"max-concurrency": {"at-least": 5}}, {"max-concurrency": {"at-most": 3}}], Verdict.UNDECIDED),
        ([{"thinking-mode": ["on", "off", ""]}], Verdict.ADMITTED),
        ([{"bench-script": ""}, {"bench-script": "s.sh"}], Verdict.UNDECIDED),
    ],
)
def test_another_fact_has_any_value_and_a_runner_is_one_of_its_cluster(admits: list[Any], verdict: Verdict) -> None:
    policy = small({"c": {"l": lane(admits=[row(when) for when in admits])}}, runners={"c": ["c_0", "c_1"]})
    assert _made(policy).verdict is verdict


def test_recipes_are_named_or_not() -> None:
    policy = _one(admits=[row("all")])
    assert made(policy, {"cluster": "c", "multinode": True}).verdict is Verdict.UNDECIDED
    assert made(policy, {"cluster": "c", "recipe": True}).verdict is Verdict.ADMITTED
    assert made(policy, {"cluster": "c", "recipe": False}).verdict is Verdict.UNDECIDED
    refusing = _one(admits=[row("all")], refuses=[row({"multinode": False})])
    decision = made(refusing, {"cluster": "c", "recipe": False})
    assert decision.verdict is Verdict.REFUSED
    assert sorted(_codes(decision)) == ["no-recipe", "refused-by-row"]


def test_lanes_kinds_of_run_root_and_clusters_are_open_where_completions_differ() -> None:
    admits = [row("all")]
    two = small({"c": {"l": lane({"agentic": True}, admits=admits), "m": lane({"agentic": False}, admits=admits)}})
    decision = _made(two)
    assert (decision.verdict, decision.lane, decision.driver) == (Verdict.UNDECIDED, None, "local")
    root = _made(_one(admits=admits, shared_run_root=[row({"agentic": True})]))
    assert (root.verdict, root.lane, root.run_root) == (Verdict.UNDECIDED, "l", None)
    clusters = small({"c": {"l": lane(admits=admits)}, "d": {"l": lane(admits=admits)}})
    where = made(clusters, {"multinode": False})
    assert (where.verdict, where.cluster, where.lane) == (Verdict.UNDECIDED, None, None)
    only = made(_one(admits=admits), {"multinode": False})
    assert (only.verdict, only.cluster, only.lane) == (Verdict.ADMITTED, "c", "l")


def test_settings_are_each_a_value_or_undecided() -> None:
    decision = _made(_one(admits=[row("all")], setup_script=OPEN, time_limit=[row("all", value="1:00:00")]))
    assert decision.verdict is Verdict.ADMITTED
    found = {one.name: (str(one.value), one.undecided, len(one.rows)) for one in decision.settings}
    assert found == {"setup-script": ("None", True, 2), "time-limit": ("1:00:00", False, 1)}


def test_a_setting_that_some_completions_lack_is_undecided() -> None:
    (setting,) = _made(_one(admits=[row("all")], setup_script=OPEN[:1])).settings
    assert (setting.value, setting.undecided) == (None, True)
    agreeing = [row({"agentic": True}, value="a.sh"), row({"agentic": False}, value="a.sh")]
    (setting,) = _made(_one(admits=[row("all")], setup_script=agreeing)).settings
    assert (setting.value, setting.undecided) == ("a.sh", False)


def test_settings_of_refused_completions_do_not_count() -> None:
    decision = _made(_one(admits=[row({"agentic": True})], setup_script=OPEN))
    assert decision.verdict is Verdict.UNDECIDED
    assert [(one.value, one.undecided) for one in decision.settings] == [("a.sh", False)]


def test_mounts_are_there_or_undecided() -> None:
    mounts = [row({"agentic": True}, volume="v", target="/t"), row("all", volume="w", target="/u")]
    decision = _made(_one(admits=[row("all")], mounts=mounts))
    assert [(one.mount.volume, one.undecided) for one in decision.mounts] == [("v", True), ("w", False)]


def test_a_conflict_that_may_be_is_undecided_and_one_that_must_be_is_refused() -> None:
    clash = [row("all", value="a.sh"), row({"agentic": True}, value="b.sh")]
    assert _made(_one(admits=[row("all")], setup_script=clash)).verdict is Verdict.UNDECIDED
    both = [row({"agentic": True}, value="a.sh"), row({"agentic": False}, value="b.sh"), row("all", value="c.sh")]
    decision = _made(_one(admits=[row("all")], setup_script=both))
    assert (decision.verdict, _codes(decision)) == (Verdict.REFUSED, ["conflicting-setting"])


def test_reasons_that_stand_for_every_completion_are_listed_alone() -> None:
    policy = _one(admits=[row("all")], refuses=[row({"agentic": True}), row({"framework": {"not": "trt"}})])
    decision = _made(policy)
    assert [one.row for one in decision.reasons] == ["l.refuses.r1"]


def test_where_each_completion_has_another_reason_all_are_listed() -> None:
    policy = _one(admits=[row({"agentic": True})], refuses=[row({"agentic": True})])
    assert sorted(_codes(_made(policy))) == ["no-admit-row", "refused-by-row"]


def test_an_unknown_word_refuses_whatever_is_left_open() -> None:
    policy = _one(admits=[row({"agentic": True})])
    assert _codes(_made(policy, framework="nope")) == ["unknown-framework"]
    assert _made(policy, framework="nope").verdict is Verdict.REFUSED


@pytest.mark.parametrize("facts", [{"runner": "nobody"}, {"runner": "d_0"}])
def test_what_stands_against_the_runner_hides_nothing_else(facts: dict[str, Any]) -> None:
    policy = small({"c": {"l": lane(admits=[row({"framework": "vllm", "agentic": True}), row({"agentic": True})],
                                    refuses=[row({"agentic": True})])}, "d": {}})  # fmt: skip
    stated = [_codes(_made(policy, framework="sglang", agentic=agentic, **facts)) for agentic in (True, False)]
    shared = set(stated[0]) & set(stated[1])
    assert set(_codes(_made(policy, framework="sglang", **facts))) == shared
    narrow = small({"c": {"l": lane({"agentic": True}, admits=[row("all")])}, "d": {}})
    asked = {"cluster": "c", "agentic": False, **facts}
    assert set(_codes(made(narrow, asked))) == {_codes(_made(narrow, **asked))[0], "no-lane"}


def test_two_lanes_that_take_every_completion_leave_the_lane_open() -> None:
    lanes = {"l": lane(admits=[row("all")]), "m": lane(admits=[row("all")])}
    for given in (lanes, dict(reversed(lanes.items()))):
        decision = made(small({"c": given}), {"cluster": "c"})
        assert _codes(decision) == ["ambiguous-lane"]
        assert (decision.lane, decision.driver) == (None, None)


def test_a_cluster_that_nobody_knows_is_named() -> None:
    policy = _one(admits=[row("all")])
    stated, left_open = made(policy, {"cluster": "e", "multinode": False}), made(policy, {"cluster": "e"})
    assert _codes(stated) == _codes(left_open) == ["unknown-cluster"]
    assert stated.cluster == left_open.cluster == "e"


def test_the_only_cluster_is_looked_at_where_none_is_stated() -> None:
    policy = _one(admits=[row({"framework": "trt"})])
    facts: dict[str, Any] = {"framework": "vllm", "multinode": True, "recipe": False}
    assert set(_codes(made(policy, facts))) == {one.code.value for one in completed(policy, facts).reasons}


def test_the_partition_is_open_where_runners_differ_in_it() -> None:
    policy = load_policy(with_plugins=())
    base = {"cluster": "gb300-nv", "framework": "vllm", "multinode": True, "recipe": "r.yaml"}
    by_runner = {
        decide(policy, Request.from_mapping({**base, "runner": f"gb300-nv_{n}"})).partition for n in ("00", "35")
    }
    assert by_runner == {"batch_1", "batch_3"}
    for more in ({}, {"model-prefix": "dsv4", "agentic": True}, {"model-prefix": "dsv4", "framework": "nope"}):
        assert decide(policy, Request.from_mapping({**base, **more})).partition is None


def test_no_completion_of_a_runner_is_thought_up() -> None:
    policy = small({"c": {"l": lane(admits=[row({"runner": "z"})])}}, runners={})
    assert _codes(_made(policy, runner="z")) == ["unknown-runner"]
    assert _made(policy).verdict is Verdict.REFUSED


def test_regions_are_made_once_for_a_policy() -> None:
    policy = _one(admits=[row({"agentic": True})])
    _made(policy)
    regions = policy.regions["c"]
    _made(policy, framework="vllm")
    assert policy.regions["c"] is regions
