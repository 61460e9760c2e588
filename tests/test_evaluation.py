"""Deciding by the rows: what each section of a lane does, and where the answer is kept."""

import inspect
from typing import Any

import pytest

from infx_policy import Policy, Request, Verdict, decide, evaluation
from infx_policy.completion import completed
from infx_policy.decision import Decision
from infx_policy.evaluation import made
from infx_policy.lane import Mount
from infx_policy.rows import Unstated, evaluated
from tests.small import Data, lane, row, small

FACTS: dict[str, Any] = {"cluster": "c", "multinode": False, "framework": "vllm"}
HIDDEN: Data = {"workspace": {"visibility": "submit-host"}, "shared-run-root": "/shared/runs"}


def _codes(policy: Policy, **facts: Any) -> list[str]:
    given = {**FACTS, **{name.replace("_", "-"): value for name, value in facts.items()}}
    return [one.code.value for one in made(policy, given).reasons]


def _one(**sections: Any) -> Policy:
    return small({"c": {"l": lane(**sections)}})


def _decided(policy: Policy, **facts: Any) -> Decision:
    decision = made(policy, {**FACTS, **facts})
    assert decision.verdict is Verdict.ADMITTED, decision.reasons
    return decision


def test_any_admit_row_admits() -> None:
    policy = _one(admits=[row({"framework": "trt"}), row({"framework": "vllm"})])
    decision = _decided(policy)
    assert (decision.cluster, decision.lane, decision.driver) == ("c", "l", "local")
    assert [one.name for one in decision.admitted_by] == ["r1"]


def test_a_broad_row_hides_no_narrow_one() -> None:
    policy = _one(admits=[row("all"), row({"framework": "vllm"})])
    assert [one.name for one in _decided(policy).admitted_by] == ["r0", "r1"]


def test_a_refuse_row_beats_every_admit_row() -> None:
    policy = _one(admits=[row("all")], refuses=[row({"agentic": True}), row({"precision": "fp4"})])
    assert _codes(policy, agentic=True, precision="fp4") == ["refused-by-row", "refused-by-row"]
    assert _codes(policy, agentic=False, precision="fp8") == ["unknown-precision", "refused-by-row"]
    assert made(policy, {**FACTS, "agentic": False}).verdict is Verdict.REFUSED


def test_a_refusal_falls_through_to_no_other_lane() -> None:
    policy = small({"c": {"l": lane({"agentic": True}, admits=[row({"framework": "trt"})]),
                          "m": lane({"agentic": False}, admits=[row("all")])}})  # fmt: skip
    assert _codes(policy, agentic=True) == ["no-admit-row"]
    assert _codes(policy, agentic=False) == []


def test_instead_of_takes_away_through_any_number_of_steps() -> None:
    lanes = {
        "wide": lane("all", admits=[row("all")]),
        "middle": {**lane({"agentic": True}, admits=[row("all")]), "instead-of": "wide"},
        "narrow": {**lane({"precision": "fp4"}, admits=[row("all")]), "instead-of": "middle"},
    }
    known = small({"c": lanes}, vocabulary={"precision": ["fp4", "fp8"]})
    for agentic, precision, expected in [(True, "fp4", "narrow"), (False, "fp4", "narrow"), (True, "fp8", "middle"),
                                         (False, "fp8", "wide")]:  # fmt: skip
        assert _decided(known, agentic=agentic, precision=precision).lane == expected


@pytest.mark.parametrize(
    ("when", "driver", "record", "kind"),
    [
        ("all", "slurm", HIDDEN, "shared"),
        ({"framework": "trt"}, "slurm", {**HIDDEN, "workspace": {"visibility": "shared"}}, "workspace"),
        ({"framework": "trt"}, "local", HIDDEN, "workspace"),
        ("all", "local", HIDDEN, "shared"),
    ],
)
def test_a_staging_row_makes_the_run_root_shared(when: Any, driver: str, record: Data, kind: str) -> None:
    lanes = {"l": lane("all", driver, admits=[row("all")], shared_run_root=[row(when)])}
    root = _decided(small({"c": lanes}, {"c": record})).run_root
    assert root is not None
    assert root.kind == kind
    assert root.path == {"shared": "/shared/runs/{run-key}", "workspace": "{workspace}"}[kind]
    assert [one.name for one in root.rows] == (["r0"] if kind == "shared" else [])


def test_staging_rows_are_a_union() -> None:
    lanes = {"l": lane(admits=[row("all")], shared_run_root=[row({"framework": "vllm"}), row("all")])}
    root = _decided(small({"c": lanes}, {"c": HIDDEN})).run_root
    assert root is not None
    assert [one.name for one in root.rows] == ["r0", "r1"]


VOLUMES: Data = {
    "disk": {"path": "/disk", "visibility": "node-local"},
    "nfs": {"path": "/disk/nfs", "visibility": "shared"},
    "home": {"path": "/home", "visibility": "submit-host"},
}


@pytest.mark.parametrize(
    ("root", "codes"),
    [
        ("/disk/runs", ["node-local-run-root"]),
        ("/disk", ["node-local-run-root"]),
        ("/disk/nfs/runs", []),
        ("/disk/nfs2", ["node-local-run-root"]),
        ("/disks/runs", []),
        ("//disk//runs", ["node-local-run-root"]),
        ("/home/runs", ["node-local-run-root"]),
    ],
)
def test_the_longest_path_prefix_tells_the_volume(root: str, codes: list[str]) -> None:
    record = {**HIDDEN, "shared-run-root": root, "volumes": VOLUMES}
    policy = small({"c": {"l": lane(admits=[row("all")], shared_run_root=[row("all")])}}, {"c": record})
    assert _codes(policy) == codes


def test_settings_and_mounts_of_the_rows_that_hold() -> None:
    policy = _one(
        admits=[row("all")],
        setup_script=[row({"framework": "vllm"}, value="v.sh"), row({"framework": "sglang"}, value="s.sh")],
        eval_unsets=[row("all", value=["a", "b"])],
        mounts=[
            row({"framework": "vllm"}, volume="v", target="/t"),
            row({"framework": "sglang"}, volume="w", target="/t"),
        ],
    )
    decision = _decided(policy)
    assert {one.name: one.value for one in decision.settings} == {"setup-script": "v.sh", "eval-unsets": ("a", "b")}
    assert [one.mount for one in decision.mounts] == [Mount("v", "/t")]
    assert not any(one.undecided for one in decision.settings)
    assert not any(one.undecided for one in decision.mounts)


def test_rows_that_agree_are_no_conflict() -> None:
    mount = {"volume": "v", "target": "/t"}
    policy = _one(
        admits=[row("all")],
        setup_script=[row("all", value="a.sh"), row({"framework": "vllm"}, value="a.sh")],
        mounts=[row("all", **mount), row({"framework": "vllm"}, **mount)],
    )
    decision = _decided(policy)
    assert [len(one.rows) for one in decision.settings] == [2]
    assert [len(one.rows) for one in decision.mounts] == [2]


def test_mounts_on_one_target_conflict_and_on_two_do_not() -> None:
    one, same = row("all", volume="v", target="/t"), row("all", volume="w", target="/t")
    other, ro = row("all", volume="w", target="/u"), row("all", volume="v", target="/t", read_only=True)
    assert _codes(_one(admits=[row("all")], mounts=[one, same])) == ["conflicting-setting"]
    assert _codes(_one(admits=[row("all")], mounts=[one, ro])) == ["conflicting-setting"]
    assert _codes(_one(admits=[row("all")], mounts=[one, other])) == []


def test_the_cluster_follows_from_the_runner() -> None:
    policy = small({"c": {"l": lane(admits=[row("all")])}, "d": {"m": lane(admits=[row("all")])}})
    facts: dict[str, Any] = {"runner": "d_0", "multinode": False}
    assert (made(policy, facts).cluster, made(policy, facts).lane) == ("d", "m")
    assert made(policy, {**facts, "cluster": "d"}).lane == "m"
    assert [one.code.value for one in made(policy, {**facts, "cluster": "c"}).reasons] == ["runner-mismatch"]


def test_every_independent_reason_is_listed() -> None:
    policy = small({"c": {"l": lane("all", "nobody", admits=[row({"framework": "trt"})], refuses=[row("all")],
                                    setup_script=[row("all", value="a"), row("all", value="b")])}})  # fmt: skip
    expected = ["conflicting-setting", "lane-without-driver", "no-admit-row", "no-recipe", "refused-by-row"]
    assert sorted(_codes(policy, multinode=True, recipe=False)) == expected
    with_runner = _codes(policy, runner="nobody", multinode=True, recipe=False)
    assert sorted(with_runner) == sorted([*expected, "unknown-runner"])


def test_what_only_follows_from_an_unknown_word_is_not_listed() -> None:
    policy = small({"c": {"l": lane("all", "slurm", admits=[row({"framework": "known"})])}}, {"c": HIDDEN})
    assert _codes(policy, framework="nope") == ["unknown-framework", "no-shared-run-root"]
    assert _codes(policy, framework="vllm") == ["no-shared-run-root"]
    seen = small({"c": {"l": lane("all", "slurm", admits=[row({"framework": "known"})])}})
    assert _codes(seen, framework="nope") == ["unknown-framework"]


def test_rows_alone_do_not_decide_what_hangs_on_unstated_facts() -> None:
    policy = _one(admits=[row({"agentic": True}), row({"agentic": False})])
    with pytest.raises(Unstated):
        evaluated(policy, FACTS)
    assert made(policy, FACTS).verdict is Verdict.ADMITTED


def test_a_fact_that_no_row_reads_need_not_be_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = _one(admits=[row({"framework": "vllm"})])
    monkeypatch.setattr("infx_policy.completion.completed", _never)
    assert decide(policy, Request(cluster="c", framework="vllm", multinode=False)).verdict is Verdict.ADMITTED


def _never(*_arguments: object) -> None:
    raise AssertionError("regions are built only where facts are missing")


def test_decisions_are_shared_by_requests_that_agree_in_what_is_read() -> None:
    policy = _one(admits=[row({"framework": "vllm"})])
    one = Request(cluster="c", framework="vllm", multinode=False, agentic=True, image="a", run_id="1")
    two = Request(cluster="c", framework="vllm", multinode=False, agentic=False, image="b", run_id="2")
    assert decide(policy, one) is decide(policy, two)
    assert decide(policy, one) is not decide(policy, Request(cluster="c", framework="sglang", multinode=False))


def test_a_recipe_is_read_for_whether_there_is_one() -> None:
    policy = _one(admits=[row("all")])
    several = [Request(cluster="c", multinode=True, recipe=recipe) for recipe in ("a.yaml", "b.yaml:x", "", None)]
    first, second, none, unstated = [decide(policy, request) for request in several]
    assert first is second
    assert first.verdict is Verdict.ADMITTED
    assert [one.code.value for one in none.reasons] == ["no-recipe"]
    assert unstated.verdict is Verdict.UNDECIDED


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MEMO", 3)
    policy = _one(admits=[row({"max-concurrency": {"at-least": 5}})])
    for _ in range(2):
        for number in range(8):
            verdict = decide(policy, Request(cluster="c", multinode=False, max_concurrency=number)).verdict
            assert verdict is (Verdict.ADMITTED if number >= 5 else Verdict.REFUSED)
            assert len(policy.answers) <= 3
            assert len(policy.looked_up) <= 3


def test_deciding_takes_a_policy_and_a_request_and_no_more() -> None:
    assert list(inspect.signature(decide).parameters) == ["policy", "request"]


@pytest.mark.parametrize("checkpoint", ["alpha", "y/alpha", "x/alpha"])
@pytest.mark.parametrize("model", ["x/alpha", "alpha", "y/alpha", "x/y/alpha", "x/alpha/", "beta"])
def test_rows_and_regions_agree_on_which_checkpoint_a_model_names(checkpoint: str, model: str) -> None:
    policy = _one(admits=[row("all")], checkpoint=[row("all", value=checkpoint)])
    facts = {**FACTS, "model": model}
    assert made(policy, facts).verdict is completed(policy, facts).verdict


@pytest.mark.parametrize("checkpoint", ["a*b", "a?b"])
def test_a_checkpoint_is_no_glob(checkpoint: str) -> None:
    policy = _one(admits=[row("all")], checkpoint=[row("all", value=checkpoint)])
    for model, verdict in [("x/axb", Verdict.REFUSED), (f"x/{checkpoint}", Verdict.ADMITTED)]:
        assert completed(policy, {**FACTS, "model": model}).verdict is verdict
        assert made(policy, {**FACTS, "model": model}).verdict is verdict
