"""P03: a predicate is coarser than the artefact that it selects, so different artefacts get the same one.

The setting is our `checkpoint`.
"""

from pathlib import Path

import pytest

from tests.cases.making import BUNDLED, Cli, named, policy, request

WHEN = "{model-prefix: qwen3.5, precision: fp4}"
REPAIRED = '{model: {glob: "*/Qwen3.5-397B-A17B-NVFP4-V2"}}'
LANE = """\
    cluster: b200-nscale
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: srt-slurm
        admits:
          dynamo:
            when: {framework: [dynamo-sglang, dynamo-trt]}
            because: Both engines run here.
        checkpoint:
          qwen-fp4:
            when: WHEN
            value: Qwen3.5-397B-A17B-NVFP4-V2
            because: The fp4 weights of this family.
"""
BASE = """\
    {cluster: b200-nscale, model-prefix: qwen3.5, precision: fp4, spec-decoding: none, agentic: false,
    multinode: true, recipe: recipes/r.yaml, MORE}
"""
OLDER = "model: nvidia/Qwen3.5-397B-A17B-NVFP4, framework: dynamo-trt"
NEWER = "model: nvidia/Qwen3.5-397B-A17B-NVFP4-V2, framework: dynamo-sglang"
RECORD = """\
    extends: bundled
    clusters:
      b200-nscale:
        gpus-per-node: 8
        arch: x86_64
        workspace: {visibility: shared}
        slurm: {partition: batch, exclusive: false}
        squash: {dir: /data/containers, visibility: shared, import: compute}
        srt-slurm: {network-interface: ""}
        volumes: {scratch: {path: /scratch, visibility: node-local}}
        models:
          entries:
            Qwen3.5-397B-A17B-NVFP4: {root: scratch, dir: Qwen3.5-397B-A17B-NVFP4-V2}
            Qwen3.5-397B-A17B-NVFP4-V2: {root: scratch, dir: Qwen3.5-397B-A17B-NVFP4-V2}
"""
WAIVER = '        waive: {two-models-one-key: "The older name is served from the newer directory on purpose."}\n'


@pytest.fixture
def requests(tmp_path: Path) -> tuple[Path, Path]:
    older = request(tmp_path / "older.yaml", BASE.replace("MORE", OLDER))
    return older, request(tmp_path / "newer.yaml", BASE.replace("MORE", NEWER))


def _policy(tmp_path: Path, when: str, runners: str = BUNDLED) -> Path:
    return policy(tmp_path / "policy", {"b200-nscale": LANE.replace("WHEN", when)}, runners)


def test_the_older_model_is_not_loaded_from_the_newer_checkpoint(
    run_cli: Cli, tmp_path: Path, requests: tuple[Path, Path]
) -> None:
    ran = run_cli("explain", requests[0], "--policy", _policy(tmp_path, WHEN), "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", ["model-mismatch"])
    (reason,) = ran.document["reasons"]
    named(["`nvidia/Qwen3.5-397B-A17B-NVFP4`", "`Qwen3.5-397B-A17B-NVFP4-V2`"], reason["message"])
    named(["qwen-fp4", "lanes/b200-nscale.yaml:11"], reason["message"])
    assert reason["facts"]["model"] == "nvidia/Qwen3.5-397B-A17B-NVFP4"
    assert ran.document["settings"] == {}


def test_the_newer_one_is(run_cli: Cli, tmp_path: Path, requests: tuple[Path, Path]) -> None:
    ran = run_cli("explain", requests[1], "--policy", _policy(tmp_path, WHEN))
    assert ran.code == 0
    assert ran.out.startswith("ADMITTED  b200-nscale srt-multi\n")


def test_a_row_as_narrow_as_the_checkpoint_leaves_the_older_model_alone(
    run_cli: Cli, tmp_path: Path, requests: tuple[Path, Path]
) -> None:
    root = _policy(tmp_path, REPAIRED)
    older, newer = (run_cli("explain", one, "--policy", root, "--format", "json") for one in requests)
    assert (older.verdict, older.document["settings"].get("checkpoint")) == ("admitted", None)
    assert newer.document["settings"]["checkpoint"]["value"] == "Qwen3.5-397B-A17B-NVFP4-V2"


def test_verify_finds_the_key_with_the_requests_that_it_confuses(
    run_cli: Cli, tmp_path: Path, requests: tuple[Path, Path]
) -> None:
    root = _policy(tmp_path, WHEN)
    ran = run_cli("verify", "--policy", root, "--format", "json", "--requests", *requests)
    assert ran.code == 1
    found = ran.finding("two-models-one-key", "srt-multi.checkpoint.qwen-fp4")
    named(["`nvidia/Qwen3.5-397B-A17B-NVFP4`", "`nvidia/Qwen3.5-397B-A17B-NVFP4-V2`"], found["message"])
    repaired = run_cli("verify", "--policy", _policy(tmp_path, REPAIRED), "--format", "json", "--requests", *requests)
    rows = [one["row"] for one in repaired.document["findings"] if one["code"] == "two-models-one-key"]
    assert "srt-multi.checkpoint.qwen-fp4" not in rows


def test_verify_finds_a_directory_under_two_models_names(run_cli: Cli, tmp_path: Path) -> None:
    root = _policy(tmp_path, REPAIRED, RECORD)
    ran = run_cli("verify", "--policy", root, "--format", "json", "--select", "two-models-one-key")
    (found,) = [one for one in ran.document["findings"] if one["waived"] is None]
    assert (ran.code, found["source"]) == (1, "runners.yaml:3")
    named(["`Qwen3.5-397B-A17B-NVFP4`", "`Qwen3.5-397B-A17B-NVFP4-V2`"], found["message"])
    root = _policy(tmp_path, REPAIRED, RECORD + WAIVER)
    ran = run_cli("verify", "--policy", root, "--format", "json", "--select", "two-models-one-key")
    assert (ran.code, [one for one in ran.document["findings"] if one["waived"] is None]) == (0, [])
