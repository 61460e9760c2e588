"""A decision as data: frozen, and every key of its JSON there whatever the verdict."""

import json
from typing import Any

import pytest
from attrs.exceptions import FrozenInstanceError

from infx_policy import Policy, Request, Verdict, decide
from infx_policy.decision import RunRoot, wire
from infx_policy.duration import Duration
from tests.small import lane, row, small

KEYS = ["verdict", "cluster", "partition", "lane", "driver", "run-root", "settings", "mounts", "reasons", "policy"]


def _policy() -> Policy:
    lanes = {
        "l": lane(
            admits=[row({"agentic": True}), row({"framework": "vllm"})],
            shared_run_root=[row({"framework": "vllm"}), row("all")],
            time_limit=[row("all", value="4:00:00")],
            eval_unsets=[row({"agentic": True}, value=["a.b"])],
            mounts=[row({"agentic": True}, volume="v", target="/t", world_writable=True)],
        )
    }
    return small({"c": lanes}, {"c": {"shared-run-root": "/shared/"}})


def _json(**facts: Any) -> dict[str, Any]:
    return decide(_policy(), Request(**{"cluster": "c", "multinode": False, **facts})).to_mapping()


@pytest.mark.parametrize(
    "facts",
    [{"framework": "vllm"}, {"framework": "sglang", "agentic": False}, {}, {"cluster": "nope"}, {"cluster": None}],
)
def test_every_key_is_always_there_and_json_can_hold_it(facts: dict[str, Any]) -> None:
    found = _json(**facts)
    assert list(found) == KEYS
    assert list(found["run-root"]) == ["kind", "path", "rows", "because"]
    assert json.loads(json.dumps(found)) == found


def test_an_admission() -> None:
    found = _json(framework="vllm", agentic=True)
    place = {"source": "lanes/c.yaml:2"}
    assert (found["verdict"], found["cluster"], found["lane"], found["driver"]) == ("admitted", "c", "l", "local")
    assert found["run-root"] == {
        "kind": "shared",
        "path": "/shared/{run-key}",
        "rows": ["l.shared-run-root.r0", "l.shared-run-root.r1"],
        "because": "A test needs it.",
    }
    assert found["settings"] == {
        "eval-unsets": {"value": ["a.b"], "undecided": False, "rows": [{"row": "l.eval-unsets.r0", **place}]},
        "time-limit": {"value": "4:00:00", "undecided": False, "rows": [{"row": "l.time-limit.r0", **place}]},
    }
    (mount,) = found["mounts"]
    assert mount == {"volume": "v", "target": "/t", "world-writable": True, "read-only": False, "undecided": False,
                     "rows": [{"row": "l.mounts.r0", **place}]}  # fmt: skip
    assert found["policy"] == {"root": "small", "digest": "sha256:0", "files": []}


def test_a_refusal_has_no_run_root_settings_or_mounts() -> None:
    found = _json(framework="sglang", agentic=False)
    assert (found["verdict"], found["settings"], found["mounts"]) == ("refused", {}, [])
    assert found["run-root"] == {"kind": None, "path": None, "rows": [], "because": None}
    assert [one["code"] for one in found["reasons"]] == ["no-admit-row"]


def test_a_mapping_is_the_callers_own() -> None:
    decision = decide(_policy(), Request(cluster="c", multinode=False, framework="sglang", agentic=False))
    mine = decision.to_mapping()["run-root"]
    mine["rows"].append("changed")
    mine["kind"] = "changed"
    try:
        assert decision.to_mapping()["run-root"] == {"kind": None, "path": None, "rows": [], "because": None}
    finally:
        mine["rows"].clear()


def test_a_decision_is_frozen() -> None:
    decision = decide(_policy(), Request(cluster="c", multinode=False, framework="vllm"))
    with pytest.raises(FrozenInstanceError):
        decision.verdict = Verdict.REFUSED  # type: ignore[misc]


def test_a_run_root_says_why_it_is_there() -> None:
    assert RunRoot("workspace").path == "{workspace}"
    assert RunRoot("workspace").because == "The nodes that run it see the runner's workspace."
    assert RunRoot("shared", "/a//").path == "/a/{run-key}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(Duration(3600), "1:00:00"), (("a", "b"), ["a", "b"]), ("a", "a"), (True, True), (None, None)],
)
def test_values_on_the_wire(value: Any, expected: Any) -> None:
    assert wire(value) == expected


def test_rows_considered_are_all_of_the_cluster_with_whether_they_hold() -> None:
    decision = decide(_policy(), Request(cluster="c", multinode=False, framework="vllm"))
    held = {one.row.label: one.held for one in decision.considered}
    assert held == {
        "l.takes": True,
        "l.admits.r0": None,
        "l.admits.r1": True,
        "l.shared-run-root.r0": True,
        "l.shared-run-root.r1": True,
        "l.mounts.r0": None,
        "l.eval-unsets.r0": None,
        "l.time-limit.r0": True,
    }
