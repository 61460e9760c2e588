"""F02: being writable on the submitting host is taken for being visible on every node of the job.

For a later issue, on a real Slurm: `launch` where a node does not see the run root or can't write to it
(`run-root-not-visible`), and where a record calls a workspace visible that is not.
"""

from pathlib import Path

import pytest

from tests.cases.making import Cli, named, policy, request

RUNNERS = """\
    extends: bundled
    clusters:
      lab-local: {gpus-per-node: 1, arch: x86_64, workspace: {visibility: submit-host}, shared-run-root: /scratch/runs,
        volumes: {scratch: {path: /scratch, visibility: node-local}}}
      lab-lies: {gpus-per-node: 1, arch: x86_64, workspace: {visibility: submit-host}, shared-run-root: /shared/runs,
        volumes: {shared: {path: /shared, visibility: shared}}}
"""
LANE = """\
    cluster: CLUSTER
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: slurm
        admits: {vllm: {when: {framework: vllm}, because: The lab runs it.}}
        shared-run-root: {all: {when: all, because: The nodes do not mount the checkout.}}
"""
BASE = """\
    {model-prefix: dsv4, precision: fp4, framework: vllm, spec-decoding: none, agentic: false, multinode: true,
    recipe: recipes/two-nodes.yaml}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    lanes = {cluster: LANE.replace("CLUSTER", cluster) for cluster in ("lab-local", "lab-lies")}
    return policy(tmp_path / "policy", lanes, RUNNERS)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return request(tmp_path / "base.yaml", BASE)


def test_a_run_root_on_a_node_local_volume_is_refused(run_cli: Cli, root: Path, base: Path) -> None:
    ran = run_cli("explain", base, "cluster=lab-local", "--policy", root, "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", ["node-local-run-root"])
    named(["`lab-local`", "`/scratch/runs`", "`scratch`", "`/scratch`"], ran.document["reasons"][0]["message"])
    assert ran.document["run-root"]["path"] is None


def test_one_on_a_shared_volume_is_believed_until_the_probe_says_otherwise(
    run_cli: Cli, root: Path, base: Path
) -> None:
    ran = run_cli("explain", base, "cluster=lab-lies", "--policy", root, "--format", "json")
    assert (ran.code, ran.document["run-root"]["kind"]) == (0, "shared")


def test_the_longest_path_prefix_tells_the_volume(run_cli: Cli, tmp_path: Path, base: Path) -> None:
    lanes = {"lab-lies": LANE.replace("CLUSTER", "lab-lies")}
    inner = "volumes: {shared: {path: /shared, visibility: shared}, fast: {path: /shared/runs, visibility: node-local}}"
    text = RUNNERS.replace("volumes: {shared: {path: /shared, visibility: shared}}", inner)
    ran = run_cli(
        "explain", base, "cluster=lab-lies", "--policy", policy(tmp_path / "nested", lanes, text), "--format", "json"
    )
    assert (ran.verdict, ran.codes) == ("refused", ["node-local-run-root"])
    named(["`fast`"], ran.document["reasons"][0]["message"])


def test_verify_finds_it(run_cli: Cli, root: Path) -> None:
    ran = run_cli("verify", "--policy", root, "--format", "json")
    assert ran.code == 1
    named(["`lab-local`", "`/scratch/runs`", "`scratch`"], ran.finding("node-local-run-root")["message"])
