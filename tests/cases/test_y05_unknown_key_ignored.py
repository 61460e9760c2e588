"""Y05: input that is not understood is passed over, and the work goes on without it.

For a later issue: `review` of a config whose changelog names an entry that is not there (`changelog-key-missing`).
"""

from pathlib import Path

import pytest

from tests.cases.making import Cli, named, policy

LANE = """\
cluster: gb200-nv
lanes:
  srt-multi:
    driver: srt-slurm
    admits:
      dynamo: {when: {framwork: dynamo-vllm}, because: one}
    shared-run-roots:
      all: {when: all, because: two}
    takes: {multinode: true}
"""
RUNNERS = """\
clusters:
  gb200-nv: {gpus-per-nodes: 4, workspace: {visability: submit-host}}
"""


@pytest.mark.parametrize(
    "command", [("explain", "cluster=gb200-nv", "framework=dynamo-vllm"), ("verify",)], ids=["explain", "verify"]
)
def test_all_four_come_in_one_run_and_nothing_is_decided(
    run_cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ran = run_cli(*command, "--policy", policy(tmp_path / "policy", {"gb200-nv": LANE}, RUNNERS))
    lines = ran.faults_of("unknown-key")
    expected = [
        ["runners.yaml:2:", "`gpus-per-nodes`", "did you mean `gpus-per-node`?"],
        ["runners.yaml:2:", "clusters.gb200-nv.workspace.visability", "did you mean `visibility`?"],
        ["lanes/gb200-nv.yaml:6:", "lanes.srt-multi.admits.dynamo.when.framwork", "did you mean `framework`?"],
        ["lanes/gb200-nv.yaml:7:", "lanes.srt-multi.shared-run-roots", "did you mean `shared-run-root`?"],
    ]
    assert len(lines) == len(expected)
    for names in expected:
        (line,) = [one for one in lines if names[0] in one and names[2] in one]
        named(names, line)


def test_an_unknown_fact_of_a_request_is_an_error_that_names_the_nearest(run_cli: Cli) -> None:
    (line,) = run_cli("explain", "framwork=dynamo-vllm").faults_of("unknown-key")
    named(["`framwork`", "`framework`"], line)
