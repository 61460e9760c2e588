"""P10: a check exists, and nothing shows that it can still fire.

Elsewhere in the suite: a pair of inputs for each reason code, and that it fails where one check returns nothing.
"""

from pathlib import Path

import pytest

from tests.cases.making import Cli, named, policy

RUNNERS = """\
    extends: bundled
    clusters:
      gb200-nv:
        gpus-per-node: 4
        arch: aarch64
        workspace: {visibility: submit-host}
        shared-run-root: /lustre/runs
        volumes: {lustre: {path: /lustre, visibility: shared}}
        slurm: {partition: batch, exclusive: false}
        srt-slurm: {network-interface: ""}
"""
LANE = """\
    cluster: gb200-nv
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: srt-slurm
        admits:
          dynamo-vllm: {when: {framework: dynamo-vllm}, because: The engine runs here.}
          llm-d-vllm: {when: {framework: vllm}, because: llm-d's frontend runs plain vllm workers.}
        shared-run-root:
          llm-d: {when: {framework: vllm}, because: Compute nodes do not mount the runner's checkout.}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return policy(tmp_path / "policy", {"gb200-nv": LANE}, RUNNERS)


def test_verify_reports_both_in_one_run(run_cli: Cli, root: Path) -> None:
    ran = run_cli("verify", "--policy", root, "--format", "json")
    assert ran.code == 1
    (setting,) = [one for one in ran.document["findings"] if one["code"] == "setting-missing" and not one["waived"]]
    named(["`gb200-nv`", "`squash`", "`srt-slurm`", "`srt-multi`"], setting["message"])
    assert setting["source"] == "runners.yaml:3"
    unstaged = ran.finding("unstaged-admission")
    named(["dynamo-vllm", "gb200-nv"], unstaged["message"])
    assert unstaged["witness"]["framework"] == "dynamo-vllm"


def test_a_missing_setting_does_not_end_the_search_for_reasons(run_cli: Cli, root: Path) -> None:
    words = ("cluster=gb200-nv", "multinode=true", "recipe=r.yaml")
    ran = run_cli("explain", *words, "framework=dynamo-vllm", "--policy", root, "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", ["no-shared-run-root"])
    staged = run_cli("explain", *words, "framework=vllm", "--policy", root, "--format", "json")
    assert (staged.code, staged.verdict, staged.document["run-root"]["kind"]) == (0, "admitted", "shared")
