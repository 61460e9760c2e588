"""`explain --env`: the workflow's variables."""

import json

import pytest

from tests.cli.running import REQUESTS, Cli

WORKFLOW = {
    "RUNNER_NAME": "gb200-nv_00",
    "MODEL_PREFIX": "dsv4",
    "FRAMEWORK": "vllm",
    "IS_AGENTIC": "1",
    "IS_MULTINODE": "True",
    "CONFIG_FILE": "dsv4/disagg.yaml:2p1d",
    "CONC_LIST": "64 128",
    "PRECISION": "",
    "GITHUB_WORKSPACE": "/home/runner/work",
    "PREFILL_TP": "8",
}


@pytest.fixture(autouse=True)
def _workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WORKFLOW.items():
        monkeypatch.setenv(name, value)


def test_the_variables_are_the_request(cli: Cli) -> None:
    ran = cli("explain", "--env", "--format", "json")
    found = json.loads(ran.out)
    assert (ran.code, found["verdict"], found["cluster"]) == (0, "admitted", "gb200-nv")
    assert found["request"] == {
        "runner": "gb200-nv_00",
        "model-prefix": "dsv4",
        "framework": "vllm",
        "agentic": True,
        "multinode": True,
        "concurrency": [64, 128],
        "recipe": "dsv4/disagg.yaml:2p1d",
        "roles": {"prefill": {"tp": 8}},
        "workspace": "/home/runner/work",
    }
    assert found["defaults"] == {"batch-job": False, "bench-script": ""}


def test_defaults_are_shown_as_such(cli: Cli) -> None:
    assert 'batch-job=false, bench-script="" (the workflow\'s, stated by no one)' in cli("explain", "--env").out


def test_words_lie_over_the_variables(cli: Cli) -> None:
    ran = cli("explain", "--env", "framework=tilert", "batch_job=true", "--format", "json")
    found = json.loads(ran.out)
    assert (ran.code, found["request"]["framework"], found["request"]["batch-job"]) == (1, "tilert", True)
    assert found["defaults"] == {"bench-script": ""}


def test_an_empty_variable_is_unset(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAMEWORK", "")
    assert cli("explain", "--env").head == "UNDECIDED  gb200-nv srt-multi"


def test_every_fault_names_its_variable(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IS_AGENTIC", "maybe")
    monkeypatch.setenv("PREFILL_TP", "eight")
    monkeypatch.setenv("SALLOC_TIME_LIMIT", "4h")
    places = [fault.split(": ")[0] for fault in cli("explain", "--env").faults]
    assert sorted(places) == ["IS_AGENTIC", "PREFILL_TP", "SALLOC_TIME_LIMIT"]


def test_one_fault_in_a_list_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONC_LIST", "64 x")
    (fault,) = cli("explain", "--env").faults
    assert fault.startswith("CONC_LIST: `x` is no whole number")


def test_faults_of_words_stand_beside_those_of_variables(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IS_AGENTIC", "maybe")
    places = [fault.split(": ")[0] for fault in cli("explain", "--env", "framwork=vllm").faults]
    assert sorted(places) == ["IS_AGENTIC", "argument 1"]


def test_the_environment_and_a_file_are_two_requests(cli: Cli) -> None:
    (fault,) = cli("explain", "--env", REQUESTS / "2p1d.yaml").faults
    assert fault.startswith("--env: `--env` contradicts the file")


def test_without_the_option_the_environment_states_nothing(cli: Cli) -> None:
    found = json.loads(cli("explain", "cluster=gb200-nv", "--format", "json").out)
    assert (found["request"], found["defaults"]) == ({"cluster": "gb200-nv"}, {})
