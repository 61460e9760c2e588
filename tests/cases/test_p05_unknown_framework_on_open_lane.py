"""P05: a missing restriction means everything, so words that nobody knows are admitted."""

from pathlib import Path

import pytest

from tests.cases.making import Cli, changed, named, policy, request

LANE = """\
    cluster: gb300-nv
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: srt-slurm
        admits:
          ROW
"""
KNOWN = "every-framework: {when: {framework: known}, because: The lane runs every framework.}"
ALL = "everything: {when: all, because: The lane has no limits.}"
SILENT = "everything: {because: No condition is written.}"
REQUEST = """\
    {cluster: gb300-nv, model-prefix: dsv4, precision: fp4, framework: FRAMEWORK, spec-decoding: none,
    agentic: false, multinode: true, recipe: recipes/r.yaml}
"""


@pytest.fixture
def misspelt(tmp_path: Path) -> Path:
    return request(tmp_path / "misspelt.yaml", REQUEST.replace("FRAMEWORK", "dynamo-vlm"))


@pytest.fixture
def right(tmp_path: Path) -> Path:
    return request(tmp_path / "right.yaml", REQUEST.replace("FRAMEWORK", "dynamo-vllm"))


def _policy(tmp_path: Path, row: str) -> Path:
    return policy(tmp_path / "policy", {"gb300-nv": LANE.replace("ROW", row)})


def test_a_misspelt_framework_is_refused_with_the_right_one(run_cli: Cli, tmp_path: Path, misspelt: Path) -> None:
    root = _policy(tmp_path, KNOWN)
    ran = run_cli("explain", misspelt, "--policy", root, "--format", "json")
    assert (ran.code, ran.verdict) == (1, "refused")
    assert "unknown-framework" in ran.codes
    named(["`dynamo-vlm`", "did you mean `dynamo-vllm`?"], ran.document["reasons"][0]["message"])
    assert ["framework=dynamo-vllm"] in changed(ran)
    assert ran.document["nearest"][0]["facts"]["framework"][0] == "dynamo-vllm"
    for words in changed(ran):
        assert run_cli("explain", misspelt, *words, "--policy", root).code == 0


@pytest.mark.parametrize("fact", ["framework", "model-prefix", "precision", "spec-decoding"])
def test_a_row_that_matches_all_admits_no_unknown_word(run_cli: Cli, tmp_path: Path, right: Path, fact: str) -> None:
    ran = run_cli("explain", right, f"{fact}=unheard-of", "--policy", _policy(tmp_path, ALL), "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", [f"unknown-{fact}"])


def test_known_words_are_admitted_by_both(run_cli: Cli, tmp_path: Path, right: Path) -> None:
    ran = run_cli("explain", right, "--policy", _policy(tmp_path, KNOWN))
    assert ran.code == 0
    assert ran.out.startswith("ADMITTED")
    named(["every-framework", "{framework: known}"], ran.out)
    assert run_cli("explain", right, "--policy", _policy(tmp_path, ALL)).code == 0


@pytest.mark.parametrize("command", ["explain", "verify"])
def test_a_row_without_a_condition_is_no_row(run_cli: Cli, tmp_path: Path, right: Path, command: str) -> None:
    given = [right] if command == "explain" else []
    ran = run_cli(command, *given, "--policy", _policy(tmp_path, SILENT))
    (line,) = ran.faults_of("missing-when")
    named(["lanes/gb300-nv.yaml:7", "everything", "when: all"], line)
