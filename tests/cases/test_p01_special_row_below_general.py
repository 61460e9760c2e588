"""P01: the effect of a row depends on its place in the file, so a general row swallows a special one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cases.making import Cli, Ran, named, policy, request

LANE = """\
    cluster: gb300-nv
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: srt-slurm
        admits:
          known-frameworks:
            when: {framework: known}
            because: The lane runs every framework.
        setup-script:
"""
AGENTIC = """\
          agentic:
            when: {agentic: true}
            value: agentic.sh
            because: Agentic runs need the toolkit.
"""
SPECIAL = """\
          dsv4-trt-agentic:
            when: {model-prefix: dsv4, framework: dynamo-trt, agentic: true}
            value: dsv4-trt-agentic.sh
            because: This engine needs another version of the toolkit.
"""
REPAIRED = AGENTIC.replace(
    "{agentic: true}", "{agentic: true, any-of: [{model-prefix: {not: dsv4}}, {framework: {not: dynamo-trt}}]}"
)
REQUEST = """\
    {cluster: gb300-nv, model-prefix: dsv4, precision: fp4, framework: dynamo-trt,
    spec-decoding: none, agentic: true, multinode: true, recipe: recipes/r.yaml}
"""
ORDERS = pytest.mark.parametrize("swapped", [False, True], ids=["as-given", "other-order"])


def _policy(tmp_path: Path, agentic: str, *, swapped: bool) -> Path:
    rows = [SPECIAL, agentic] if swapped else [agentic, SPECIAL]
    return policy(tmp_path / "policy", {"gb300-nv": LANE + "".join(rows)})


def _explain(run_cli: Cli, tmp_path: Path, root: Path, *more: str) -> Ran:
    return run_cli("explain", request(tmp_path / "request.yaml", REQUEST), *more, "--policy", root)


@ORDERS
def test_the_overlap_is_refused_and_neither_script_is_in_force(run_cli: Cli, tmp_path: Path, swapped: bool) -> None:
    root = _policy(tmp_path, AGENTIC, swapped=swapped)
    ran = _explain(run_cli, tmp_path, root, "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", ["conflicting-setting"])
    assert ran.document["settings"] == {}
    lines = {"agentic": 15, "dsv4-trt-agentic": 11} if swapped else {"agentic": 11, "dsv4-trt-agentic": 15}
    (reason,) = ran.document["reasons"]
    places = [f"`srt-multi.setup-script.{row}` (lanes/gb300-nv.yaml:{line})" for row, line in lines.items()]
    named(["setup-script", "agentic.sh", "dsv4-trt-agentic.sh", *places], reason["message"])
    text = _explain(run_cli, tmp_path, root)
    assert text.code == 1
    named(["conflicting-setting", *lines], text.out)
    assert "setup script " not in text.out


def _without_lines(ran: Ran) -> dict[str, Any]:
    """The answer less file lines, the policy's name and the order of the rows considered."""
    document: dict[str, Any] = json.loads(re.sub(r"\.yaml:\d+", ".yaml", ran.out))
    document["considered"].sort(key=lambda one: one["row"])
    return {key: value for key, value in document.items() if key != "policy"}


@pytest.mark.parametrize("agentic", [AGENTIC, REPAIRED], ids=["given", "repaired"])
def test_either_order_gives_the_same_answer_file_lines_apart(run_cli: Cli, tmp_path: Path, agentic: str) -> None:
    answers = []
    for swapped in (False, True):
        root = _policy(tmp_path, agentic, swapped=swapped)
        answers.append(_without_lines(_explain(run_cli, tmp_path, root, "--format", "json")))
    assert answers[0] == answers[1]


@ORDERS
def test_verify_finds_the_overlap_with_a_witness(run_cli: Cli, tmp_path: Path, swapped: bool) -> None:
    root = _policy(tmp_path, AGENTIC, swapped=swapped)
    ran = run_cli("verify", "--policy", root, "--format", "json")
    assert ran.code == 1
    found = ran.finding("conflicting-setting")
    named(["setup-script", "agentic.sh", "dsv4-trt-agentic.sh"], found["message"])
    named(["lanes/gb300-nv.yaml:11", "lanes/gb300-nv.yaml:15"], found["message"])
    expected = {"model-prefix": "dsv4", "framework": "dynamo-trt", "agentic": True}
    assert expected.items() <= found["witness"].items()


@ORDERS
def test_repaired_tables_give_the_special_script(run_cli: Cli, tmp_path: Path, swapped: bool) -> None:
    root = _policy(tmp_path, REPAIRED, swapped=swapped)
    ran = _explain(run_cli, tmp_path, root)
    assert ran.code == 0
    assert ran.out.startswith("ADMITTED  gb300-nv srt-multi\n")
    assert "\n  setup script     dsv4-trt-agentic.sh, by srt-multi.setup-script.dsv4-trt-agentic" in ran.out
    ordinary = _explain(run_cli, tmp_path, root, "framework=dynamo-vllm", "--format", "json")
    assert ordinary.document["settings"]["setup-script"]["value"] == "agentic.sh"
    assert "conflicting-setting" not in run_cli("verify", "--policy", root, "--format", "json").codes
