"""P06: a refusal names another fact than the one that failed, or lists accepted values that somebody typed by hand."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases.making import Cli, Ran, changed, named, policy, request

LANE = """\
    cluster: gb200-nv
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: srt-slurm
        admits:
          kimi-fp4:
            when: {model-prefix: kimik2.5, precision: fp4, framework: dynamo-vllm}
            because: Only fp4 weights are on the cluster.
          dsv4:
            when: {model-prefix: dsv4, precision: [fp4, fp8], framework: [dynamo-sglang, dynamo-vllm]}
            because: Both precisions are on the cluster.
        shared-run-root:
          all: {when: all, because: Compute nodes do not mount the runner's checkout.}
"""
REQUEST = """\
    {cluster: gb200-nv, model-prefix: kimik2.5, precision: fp8, framework: dynamo-vllm, spec-decoding: none,
    agentic: false, multinode: true, recipe: recipes/r.yaml}
"""


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return request(tmp_path / "request.yaml", REQUEST)


def _policy(tmp_path: Path, text: str = LANE) -> Path:
    return policy(tmp_path / "policy", {"gb200-nv": text})


def _conditions(ran: Ran, row: str) -> dict[str, Any]:
    (found,) = [one for one in ran.document["considered"] if one["row"] == row]
    return {one["fact"]: one["held"] for one in found["conditions"]}


def test_the_precision_is_named_and_what_held_is_marked(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    ran = run_cli("explain", asked, "--policy", _policy(tmp_path), "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", ["no-admit-row"])
    (reason,) = ran.document["reasons"]
    assert reason["facts"]["precision"] == "fp8"
    named(["kimi-fp4", "wants `precision` fp4"], reason["message"])
    assert _conditions(ran, "srt-multi.admits.kimi-fp4") == {
        "model-prefix": True,
        "precision": False,
        "framework": True,
    }


def test_the_screen_marks_them_too(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    ran = run_cli("explain", asked, "--policy", _policy(tmp_path))
    lines = [line.strip() for line in ran.out.splitlines()]
    assert "missed  precision is fp8, wants fp4" in lines
    assert "held    model-prefix is kimik2.5" in lines
    assert "held    framework is dynamo-vllm" in lines


def test_each_smallest_change_is_admitted_and_no_larger_is_offered(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    root = _policy(tmp_path)
    ran = run_cli("explain", asked, "--policy", root, "--format", "json")
    offered = changed(ran)
    assert sorted(offered) == [["model-prefix=dsv4"], ["precision=fp4"]]
    for words in offered:
        assert run_cli("explain", asked, *words, "--policy", root).code == 0


def test_accepted_values_come_from_the_table(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    wider = LANE.replace("precision: fp4,", "precision: [fp4, bf16],")
    ran = run_cli("explain", asked, "--policy", _policy(tmp_path, wider), "--format", "json")
    named(["kimi-fp4", "wants `precision` fp4 or bf16"], ran.document["reasons"][0]["message"])


def test_both_failing_facts_are_named_and_every_offer_is_admitted(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    root = _policy(tmp_path)
    ran = run_cli("explain", asked, "framework=tilert", "--policy", root, "--format", "json")
    (reason,) = [one for one in ran.document["reasons"] if one["code"] == "no-admit-row"]
    assert {"precision": "fp8", "framework": "tilert"}.items() <= reason["facts"].items()
    named(["`precision`", "`framework`"], reason["message"])
    offered = changed(ran)
    assert offered
    for words in offered:  # other clusters have lanes that run tilert
        over = {"framework": "tilert", **dict(word.split("=") for word in words)}
        stated = [f"{name}={value}" for name, value in over.items()]
        assert run_cli("explain", asked, *stated, "--policy", root).code == 0
