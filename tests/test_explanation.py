"""A decision explained: request and defaults, conditions, what is left open, and which time limit wins."""

import json
from typing import Any

import pytest

from infx_policy import Request, Verdict, decide, explain
from infx_policy.decision import Setting
from infx_policy.duration import Duration
from infx_policy.explanation import Explanation, TimeLimit
from tests.small import bundled, lane, row, small

KEYS = {"schema", "verdict", "request", "defaults", "cluster", "partition", "lane", "driver", "run-root", "settings",
        "mounts", "reasons", "considered", "residual", "nearest", "topology", "notes", "policy"}  # fmt: skip
GB200: dict[str, Any] = {"cluster": "gb200-nv", "framework": "vllm", "multinode": True, "recipe": "r.yaml"}


def _explained(**facts: Any) -> Explanation:
    return explain(bundled(), Request(**{**GB200, **facts}))


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({}, "admitted"),
        ({"framework": "tilert"}, "refused"),
        ({"framework": None}, "undecided"),
        ({"cluster": "x"}, "refused"),
    ],
)
def test_every_key_is_always_there(facts: dict[str, Any], verdict: str) -> None:
    found = _explained(**facts).to_mapping()
    assert set(found) == KEYS
    assert (found["schema"], found["verdict"]) == ("infx-policy/decision/1", verdict)
    assert found["topology"] is None
    assert json.loads(json.dumps(found)) == found
    assert bool(found["residual"]) == (verdict == "undecided")
    assert bool(found["reasons"]) == (verdict == "refused")


def test_a_refusal_has_the_nearest_changes() -> None:
    (change,) = _explained(framework="tilert").to_mapping()["nearest"]
    assert change["lane"] == "srt-multi"
    assert set(change["facts"]) == {"framework"}
    assert sorted(change["facts"]["framework"]) == ["dynamo-sglang", "dynamo-trt", "dynamo-vllm", "vllm"]


def test_an_undecided_request_has_a_residual() -> None:
    (one,) = _explained(framework=None).to_mapping()["residual"]
    assert one["when"] == {"framework": ["dynamo-sglang", "dynamo-trt", "dynamo-vllm", "vllm"]}
    assert (one["lane"], one["run-root"], one["verdict"]) == ("srt-multi", "shared", "admitted")


def test_defaults_are_shown_as_defaults() -> None:
    request = Request(**GB200, bench_script="", batch_job=False, defaults=("bench-script", "batch-job"))
    found = explain(bundled(), request).to_mapping()
    assert found["defaults"] == {"bench-script": "", "batch-job": False}
    assert found["request"] == GB200


def test_the_workspace_is_the_requests_own() -> None:
    policy = small({"c": {"l": lane(admits=[row("all")])}})
    asked = Request(cluster="c", multinode=False, workspace="/home/runner/work")
    assert explain(policy, asked).to_mapping()["run-root"]["path"] == "/home/runner/work"
    assert explain(policy, Request(cluster="c", multinode=False)).to_mapping()["run-root"]["path"] == "{workspace}"
    assert _explained(workspace="/home").to_mapping()["run-root"]["path"].startswith("/mnt/lustre01/")


def test_a_decision_that_is_given_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(**GB200)
    decision = decide(bundled(), request)
    monkeypatch.setattr("infx_policy.explanation.decide", None)
    assert explain(bundled(), request, decision).decision is decision


def test_rows_are_considered_with_their_conditions_marked() -> None:
    found = _explained(framework="tilert").to_mapping()["considered"]
    rows = {one["row"]: one for one in found}
    assert rows["srt-multi.takes"]["held"] is True
    near = rows["srt-multi.admits.llm-d-vllm"]
    assert (near["held"], near["contributor"]) == (False, "bundled tables")
    assert near["conditions"] == [{"fact": "framework", "wanted": "vllm", "value": "tilert", "held": False}]
    assert near["source"].startswith("lanes/gb200-nv.yaml:")
    assert near["because"]


def test_a_row_that_holds_for_every_known_word_holds() -> None:
    found = explain(bundled(), Request(cluster="gb300-nv", multinode=False, bench_script=""))
    assert found.decision.verdict is Verdict.ADMITTED
    held = {one.row.label: one.held for one in found.decision.considered}
    assert held["srt-single.admits.known-frameworks"] is True


def test_a_recipe_that_was_not_read_is_noted() -> None:
    assert "recipe's file was not read" in _explained().notes[0]
    assert _explained(recipe=None, multinode=False, bench_script="").notes == ()
    assert _explained(framework="tilert").notes == ()


TWO, THREE, FOUR, FIVE = (Duration(hours * 3600) for hours in (2, 3, 4, 5))
LANE, OPEN = Setting("time-limit", THREE, ()), Setting("time-limit", None, (), undecided=True)


@pytest.mark.parametrize(
    ("limit", "winner"),
    [
        (TimeLimit(TWO, FOUR, LANE, FIVE), ("recipe", TWO)),
        (TimeLimit(None, FOUR, LANE, FIVE), ("cluster", FOUR)),
        (TimeLimit(None, None, LANE, FIVE), ("lane", THREE)),
        (TimeLimit(None, None, OPEN, FIVE), ("lane", None)),
        (TimeLimit(None, FOUR, OPEN, FIVE), ("cluster", FOUR)),
        (TimeLimit(None, None, None, FIVE), ("request", FIVE)),
        (TimeLimit(None, None, None, None), None),
    ],
)
def test_which_time_limit_wins(limit: TimeLimit, winner: tuple[str, Duration | None] | None) -> None:
    assert limit.winner() == winner
    found = limit.to_mapping()
    assert found["from"] == (winner and winner[0])
    assert found["value"] == (str(winner[1]) if winner and winner[1] else None)
    assert found["undecided"] == (winner is not None and winner[1] is None)
    assert list(found["candidates"]) == ["recipe", "cluster", "request", "lane"]


def test_the_time_limit_stands_among_the_settings() -> None:
    found = _explained(time_limit_minutes=480).to_mapping()["settings"]["time-limit"]
    assert (found["value"], found["from"], found["undecided"]) == ("6:00:00", "cluster", False)
    assert found["candidates"] == {"recipe": None, "cluster": "6:00:00", "request": "8:00:00", "lane": None}
    gb300 = _explained(cluster="gb300-nv", model_prefix="dsv4", agentic=True, framework="dynamo-trt").to_mapping()
    assert (gb300["settings"]["time-limit"]["value"], gb300["settings"]["time-limit"]["from"]) == ("8:00:00", "lane")
    open_lane = _explained(cluster="gb300-nv", model_prefix="dsv4", agentic=True, framework=None).to_mapping()
    limit = open_lane["settings"]["time-limit"]
    assert (limit["value"], limit["undecided"]) == (None, True)
    assert "time-limit" not in _explained(framework="tilert").to_mapping()["settings"]


def test_a_limit_that_hangs_on_multinode_is_not_said() -> None:
    found = _explained(multinode=None, time_limit_minutes=30).to_mapping()["settings"]["time-limit"]
    assert (found["value"], found["undecided"]) == (None, True)
