"""F01: a launch is admitted in one table and placed in another, and nothing holds the two together."""

from pathlib import Path

import pytest

from tests.cases.making import Cli, Ran, named, policy, request

RUNNERS = """\
    extends: bundled
    clusters:
      gb200-nv:
        {gpus-per-node: 4, arch: aarch64, workspace: {visibility: submit-host}, shared-run-root: /lustre/runs,
         volumes: {lustre: {path: /lustre, visibility: shared}}}
"""
LANE = """\
    cluster: gb200-nv
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: srt-slurm
        admits:
          dynamo-vllm: {when: {framework: dynamo-vllm}, because: The engine runs here.}
        shared-run-root:
          ROW
"""
GIVEN = "kimi: {when: {model-prefix: kimik3}, because: Compute nodes do not mount the runner's checkout.}"
REPAIRED = "dynamo-vllm: {when: {framework: dynamo-vllm}, because: Compute nodes do not mount the runner's checkout.}"
REQUEST = """\
    {cluster: gb200-nv, model-prefix: dsv4, precision: fp4, framework: dynamo-vllm, spec-decoding: none,
    agentic: false, multinode: true, recipe: recipes/r.yaml}
"""


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return request(tmp_path / "request.yaml", REQUEST)


def _policy(tmp_path: Path, row: str, runners: str = RUNNERS) -> Path:
    return policy(tmp_path / "policy", {"gb200-nv": LANE.replace("ROW", row)}, runners)


def test_it_is_refused_before_anything_runs(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    ran = run_cli("explain", asked, "--policy", _policy(tmp_path, GIVEN), "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", ["no-shared-run-root"])
    (reason,) = ran.document["reasons"]
    named(["`gb200-nv`", "`srt-multi.admits.dynamo-vllm` (lanes/gb200-nv.yaml:7)"], reason["message"])
    named(["add one under `lanes.srt-multi.shared-run-root`", "{framework: dynamo-vllm}"], reason["message"])
    assert (reason["row"], reason["source"]) == ("srt-multi.admits.dynamo-vllm", "lanes/gb200-nv.yaml:7")
    assert ran.document["run-root"] == {"kind": None, "path": None, "rows": [], "because": None}
    text = run_cli("explain", asked, "--policy", _policy(tmp_path, GIVEN)).out
    named(["no-shared-run-root", "shared-run-root", "dynamo-vllm"], text)
    assert "run root  " not in text


def test_a_staging_row_for_what_is_admitted_repairs_it(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    ran = run_cli("explain", asked, "--policy", _policy(tmp_path, REPAIRED), "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (0, "admitted", [])
    root = ran.document["run-root"]
    assert (root["kind"], root["because"]) == ("shared", "Compute nodes do not mount the runner's checkout.")
    assert root["path"].startswith("/lustre/runs/")
    assert "srt-multi.shared-run-root.dynamo-vllm" in str(root["rows"])


def test_a_visible_workspace_needs_no_row(run_cli: Cli, tmp_path: Path, asked: Path) -> None:
    visible = RUNNERS.replace("submit-host", "shared")
    ran = run_cli("explain", asked, "--policy", _policy(tmp_path, GIVEN, visible), "--format", "json")
    assert (ran.code, ran.verdict, ran.document["run-root"]["kind"]) == (0, "admitted", "workspace")


def test_verify_finds_it_with_a_witness_that_is_refused(run_cli: Cli, tmp_path: Path) -> None:
    root = _policy(tmp_path, GIVEN)
    ran = run_cli("verify", "--policy", root, "--format", "json")
    assert ran.code == 1
    found = ran.finding("unstaged-admission")
    named(["dynamo-vllm"], found["message"])
    refused = _decided(run_cli, root, found["witness"])
    assert (refused.code, refused.codes) == (1, ["no-shared-run-root"])
    repaired = run_cli("verify", "--policy", _policy(tmp_path, REPAIRED), "--format", "json")
    assert "unstaged-admission" not in repaired.codes


def _decided(run_cli: Cli, root: Path, witness: dict[str, object]) -> Ran:
    words = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in witness.items()]
    return run_cli("explain", *words, "--policy", root, "--format", "json")
