"""The line that reproduces an answer: pasted, it gives the same one."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import ADMITTED, GAP, REFUSED, REQUESTS, UNDECIDED, Cli, Ran


def _decided(ran: Ran) -> list[dict[str, object]]:
    found = json.loads(ran.out)
    listed = found if isinstance(found, list) else [found]
    return [{key: one[key] for key in ("verdict", "cluster", "lane", "reasons", "run-root", "settings", "policy")}
            for one in listed]  # fmt: skip


def _as_json(arguments: list[str]) -> list[str]:
    return [arguments[0], "--format", "json", *arguments[1:]]


def _same(cli: Cli, *given: str, stdin: bytes = b"") -> list[list[str]]:
    """Asserts that each `again` line of a run gives the same; returns their arguments."""
    arguments = ["explain", *given]
    lines = cli(*arguments, given=stdin).again
    before = _decided(cli(*_as_json(arguments), given=stdin))
    after = [one for line in lines for one in _decided(cli(*_as_json(line)))]
    assert before == after
    return lines


@pytest.mark.parametrize("words", [ADMITTED, REFUSED, UNDECIDED])
def test_of_words(cli: Cli, words: tuple[str, ...]) -> None:
    assert _same(cli, *words) == [["explain", *words]]


@pytest.mark.parametrize("word", ["image=x", "roles.agg.tp=8", "run-id=1", 'settings=["A=b"]'])
def test_of_words_that_no_row_reads(cli: Cli, word: str) -> None:
    _same(cli, word)


def test_of_words_that_a_shell_would_split(cli: Cli) -> None:
    _same(cli, *ADMITTED[:-1], "recipe=a b'c\".yaml", "model=$(x)*", "workspace=/home/ü x", "concurrency=1,2")


@pytest.mark.parametrize("word", ["concurrency=", "recipe=", "thinking-mode=", "bench-script="])
def test_of_the_value_none(cli: Cli, word: str) -> None:
    _same(cli, "cluster=gb200-nv", word)


def test_of_a_file_is_the_file(cli: Cli) -> None:
    path = str(REQUESTS / "2p1d.yaml")
    assert _same(cli, path) == [["explain", path]]
    assert _same(cli, "framework=trt", path) == [["explain", path, "framework=trt"]]


def test_of_the_environment(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        for name, value in {"RUNNER_NAME": "h200-dgxc-slurm_00", "FRAMEWORK": "sglang", "IS_MULTINODE": "false",
                            "GITHUB_WORKSPACE": "/home/a b", "SALLOC_TIME_LIMIT": "90"}.items():  # fmt: skip
            patch.setenv(name, value)
        (line,) = cli("explain", "--env", "agentic=false").again
        before = _decided(cli("explain", "--env", "agentic=false", "--format", "json"))
    assert before[0]["verdict"] == "admitted"
    assert _decided(cli(*_as_json(line))) == before


def test_of_each_item_of_a_list(cli: Cli, tmp_path: Path) -> None:
    found = [json.loads(cli("explain", path, "--format", "json").out) for path in sorted(REQUESTS.glob("*.yaml"))]
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps([one["request"] for one in found]))
    lines = _same(cli, str(listed))
    assert len(lines) == len(found)
    assert not any(str(listed) in line for line in lines)


def test_of_standard_input(cli: Cli) -> None:
    _same(cli, "-", "agentic=false", stdin=(REQUESTS / "2p1d.yaml").read_bytes())


def test_states_every_fact_of_a_request_that_has_no_file(cli: Cli) -> None:
    stated = {
        "cluster": "gb200-nv",
        "model": 'a, b\'c "d" $x ü',
        "framework": "known",
        "agentic": False,
        "multinode": True,
        "thinking-mode": "",
        "bench-script": '""',
        "concurrency": [],
        "image": "not x",
        "recipe": "",
        "roles": {"prefill": {"workers": 1, "tp": 0}, "agg": {"dp-attn": False}},
        "run-id": "[1]",
        "workspace": " ",
        "time-limit-minutes": 0,
        "settings": ["A=b, c", "B="],
    }
    ((_, *words),) = cli("explain", "-", given=json.dumps(stated).encode()).again
    assert json.loads(cli("explain", *words, "--format", "json").out)["request"] == stated


def test_names_the_policy(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = _same(cli, *ADMITTED, "--policy", str(GAP))
    assert line[-2:] == ["--policy", str(GAP)]
    with monkeypatch.context() as patch:
        patch.setenv("INFX_POLICY_ROOT", str(GAP))
        (line,) = cli("explain", *ADMITTED).again
    assert cli(*line).head.startswith("REFUSED")


def test_names_a_policy_whose_folder_is_called_bundled(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(GAP, tmp_path / "bundled")
    (tmp_path / "bundled" / "runners.yaml").write_text("extends: bundled\n")
    monkeypatch.chdir(tmp_path)
    _same(cli, *ADMITTED, "--policy", "bundled")


@pytest.mark.parametrize("name", ["a b.yaml", "ü'\".yaml", "./a=b.yaml", "./-x.yaml", "./--policy", "$HOME.yaml"])
def test_of_a_file_with_a_hostile_name(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(REQUESTS / "2p1d.yaml", name)
    assert _same(cli, name) == [["explain", name]]


def test_of_a_file_given_after_two_dashes(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(REQUESTS / "2p1d.yaml", "--x.yaml")
    (line,) = cli("explain", "--", "--x.yaml").again
    assert cli(*line).head == "ADMITTED  gb200-nv srt-multi"
