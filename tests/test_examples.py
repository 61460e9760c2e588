"""The examples do what their names say."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infx_policy import ReasonCode, Request, decide, load_policy
from infx_policy.documents import parse
from infx_policy.request import requests_of

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
REQUESTS = sorted((EXAMPLES / "requests").glob("*"))
POLICIES = sorted(path.parent for path in EXAMPLES.glob("*/runners.yaml"))
LAUNCHER = EXAMPLES / "launcher" / "launch.py"
WORKFLOW = {
    "RUNNER_NAME": "gb200-nv_03",
    "MODEL": "deepseek-ai/DeepSeek-V4-Pro-0813",
    "MODEL_PREFIX": "dsv4",
    "PRECISION": "fp4",
    "FRAMEWORK": "vllm",
    "SPEC_DECODING": "dspark",
    "IS_AGENTIC": "1",
    "IS_MULTINODE": "true",
    "RUN_EVAL": "false",
    "EVAL_ONLY": "false",
    "THINKING_MODE": "on",
    "CONC_LIST": "64 128",
    "PREFILL_ADDITIONAL_SETTINGS": '["CONFIG_FILE=dsv4/vllm/gb200-fp4/agentx/disagg-llm-d.yaml:2p1d"]',
    "PREFILL_NUM_WORKERS": "2",
    "PREFILL_TP": "8",
    "PREFILL_DP_ATTN": "true",
    "DECODE_NUM_WORKERS": "1",
    "DECODE_TP": "16",
    "DECODE_DP_ATTN": "true",
    "GITHUB_WORKSPACE": "/home/runner/_work/InferenceX/InferenceX",
    "GITHUB_RUN_ID": "17239487",
    "GITHUB_RUN_ATTEMPT": "1",
    "RESULT_FILENAME": "dsv4-fp4-gb200-llm-d-2p1d",
    "IMAGE": "quay.io/rh-ee-imarkov/llm-d-nokube-vllm:dspark-0814-nightly",
    "SALLOC_TIME_LIMIT": "",
}


def _request(path: Path) -> Request:
    (found,) = requests_of(parse(path.read_text(), path.name, "a request"))
    return found


def _launch(**over: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    environ = {**kept, "PYTHONPATH": str(ROOT), **WORKFLOW, **over}
    return subprocess.run([sys.executable, LAUNCHER], env=environ, capture_output=True, text=True, check=False)


def test_the_launcher_hands_on_what_starts_an_admitted_request() -> None:
    ran = _launch()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout) == {
        "lane": "srt-multi",
        "driver": "srt-slurm",
        "run-root": {"kind": "shared", "path": "/mnt/lustre01/users-public/sa-shared/gha-runs/{run-key}"},
    }


def test_the_launcher_says_why_it_does_not_start_a_refused_one() -> None:
    ran = _launch(FRAMEWORK="tilert")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert [line.partition(" it")[0] for line in ran.stderr.splitlines()][:1] == ["no row of lane `srt-multi` admits"]
    assert len(ran.stderr.splitlines()) == 2


def test_the_launcher_takes_its_tables_from_the_variable() -> None:
    ran = _launch(INFX_POLICY_ROOT=str(EXAMPLES / "gap"))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "do not see the runner's workspace" in ran.stderr


@pytest.mark.parametrize(
    ("variable", "open_one"), [("FRAMEWORK", "the verdict"), ("IS_AGENTIC", "mount /hf_hub_cache")]
)
def test_the_launcher_starts_nothing_that_is_open(variable: str, open_one: str) -> None:
    ran = _launch(**{variable: ""})
    assert (ran.returncode, ran.stdout) == (1, "")
    assert f"undecided: {open_one}; state more facts" in ran.stderr.splitlines()


@pytest.mark.parametrize(
    ("over", "places"),
    [
        ({"IS_AGENTIC": "maybe", "PREFILL_TP": "eight"}, ["IS_AGENTIC", "PREFILL_TP"]),
        ({"CONFIG_FILE": "other.yaml"}, ["PREFILL_ADDITIONAL_SETTINGS"]),
        ({"INFX_POLICY_ROOT": "nowhere"}, ["nowhere"]),
    ],
)
def test_the_launcher_names_what_it_can_not_read(over: dict[str, str], places: list[str]) -> None:
    ran = _launch(**over)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert [line.partition(": ")[0] for line in ran.stderr.splitlines()] == places


def test_the_launcher_is_short() -> None:
    lines = [line for line in LAUNCHER.read_text().splitlines() if line.strip()]
    assert len(lines) <= 40


def test_there_are_both_tables_and_requests() -> None:
    assert [path.name for path in POLICIES] == ["gap", "upstream"]
    assert len(REQUESTS) >= 16
    assert {path.suffix for path in REQUESTS} == {".yaml"}


@pytest.mark.parametrize("root", POLICIES, ids=lambda path: path.name)
def test_tables_load_and_differ_in_one_lane_file(root: Path) -> None:
    bundled, found = load_policy(with_plugins=()), load_policy(root, with_plugins=())
    assert found.name.digest != bundled.name.digest
    assert found.inventory.clusters.keys() == bundled.inventory.clusters.keys()
    assert found.lanes.keys() == bundled.lanes.keys()
    by_contributor = {(lane.cluster, lane.contributor) for lanes in found.lanes.values() for lane in lanes}
    own = {("gb200-nv", str(root))}
    assert by_contributor == own | {(name, "bundled tables") for name in bundled.lanes if name != "gb200-nv"}


def test_the_gap_refuses_what_the_bundled_tables_stage_and_upstream_keeps_its_own_rows() -> None:
    request = _request(EXAMPLES / "requests" / "2p1d.yaml")
    codes = {
        root.name: [one.code for one in decide(load_policy(root, with_plugins=()), request).reasons]
        for root in POLICIES
    }
    assert codes["gap"] == [ReasonCode.NO_SHARED_RUN_ROOT]
    assert codes["upstream"] == [ReasonCode.NO_SHARED_RUN_ROOT]


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: path.stem)
def test_a_request_is_decided_as_its_name_says(path: Path) -> None:
    decision = decide(load_policy(with_plugins=()), _request(path))
    named = path.stem.partition("-")[0]
    assert decision.verdict.value == (named if named in ("refused", "undecided") else "admitted")


@pytest.mark.parametrize("code", ["refused-by-row", "no-lane", "no-recipe"])
def test_a_refusal_is_for_the_reason_that_its_name_gives(code: str) -> None:
    path = EXAMPLES / "requests" / f"{code if code.startswith('refused') else f'refused-{code}'}.yaml"
    assert code in [one.code.value for one in decide(load_policy(with_plugins=()), _request(path)).reasons]


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: path.stem)
def test_a_request_begins_with_a_comment_that_says_what_it_shows(path: Path) -> None:
    assert path.read_text().startswith("# ")
