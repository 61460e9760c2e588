"""Y01: a loader keeps one of several values for one name and says nothing.

Merge keys are refused in tables, as docs/tables.md says, and never reported as duplicates. For a later issue: that
recipes and configs take them.
"""

from pathlib import Path

import pytest

from tests.cases.making import BUNDLED, Cli, named, policy, request

RUNNERS = """\
clusters:
  gb200-nv: {gpus-per-node: 4}
  gb300-nv: {gpus-per-node: 4}
  gb200-nv: {gpus-per-node: 8}
"""
LANE = """\
cluster: gb200-nv
lanes:
  srt-multi:
    driver: srt-slurm
    admits:
      dynamo: {when: {framework: dynamo-vllm}, because: one}
      dynamo: {when: {framework: dynamo-trt}, because: two}
    takes: {multinode: true}
"""
MERGED = """\
cluster: gb200-nv
lanes:
  srt-multi:
    takes: {multinode: true}
    driver: srt-slurm
    admits:
      dynamo: {when: &base {framework: [dynamo-sglang, dynamo-vllm], precision: fp4}, because: one}
      llm-d:
        when:
          <<: *base
          framework: [vllm]
        because: two
"""


@pytest.mark.parametrize("command", ["explain", "verify"])
def test_keys_written_twice_are_found_in_both_files_in_one_run(run_cli: Cli, tmp_path: Path, command: str) -> None:
    given = ["cluster=gb200-nv"] if command == "explain" else []
    ran = run_cli(command, *given, "--policy", policy(tmp_path / "policy", {"gb200-nv": LANE}, RUNNERS))
    lane, runners = ran.faults_of("duplicate-key")
    named(["runners.yaml:4", "gb200-nv", "first at runners.yaml:2"], runners)
    named(["lanes/gb200-nv.yaml:7", "dynamo", "first at lanes/gb200-nv.yaml:6"], lane)


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        (
            "request.json",
            '{"cluster": "gb200-nv", "framework": "vllm", "framework": "dynamo-vllm"}',
            ["framework", "vllm", "dynamo-vllm"],
        ),
        (
            "two-spellings.yaml",
            "cluster: gb200-nv\nmodel-prefix: dsv4\nmodel_prefix: kimik3\n",
            ["two-spellings.yaml:3", "two-spellings.yaml:2", "model-prefix", "model_prefix"],
        ),
    ],
)
def test_a_fact_stated_twice_is_an_error(run_cli: Cli, tmp_path: Path, name: str, text: str, names: list[str]) -> None:
    (line,) = run_cli("explain", request(tmp_path / name, text)).faults_of("duplicate-key")
    named(names, line)


def test_so_is_a_word_given_twice(run_cli: Cli) -> None:
    (line,) = run_cli("explain", "framework=vllm", "framework=dynamo-vllm").faults_of("duplicate-key")
    named(["framework"], line)
    (line,) = run_cli("explain", "model-prefix=dsv4", "model_prefix=dsv4").faults_of("duplicate-key")
    named(["model_prefix"], line)


def test_a_merge_key_is_refused_with_its_line_and_is_no_duplicate(run_cli: Cli, tmp_path: Path) -> None:
    ran = run_cli("explain", "cluster=gb200-nv", "--policy", policy(tmp_path / "policy", {"gb200-nv": MERGED}, BUNDLED))
    (line,) = ran.faults_of("merge-key")
    named(["lanes/gb200-nv.yaml:10:", "`<<`"], line)
    assert ran.faults == [line]
