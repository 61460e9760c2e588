"""Y02: a duration is carried as whatever the loader made of it, and its unit is guessed.

For a later issue: that the plan gives Slurm the same time.
"""

from pathlib import Path

import pytest

from tests.cases.making import Cli, named, policy

LANE = """\
    cluster: gb300-nv
    lanes:
      srt-multi:
        takes: {multinode: true}
        driver: srt-slurm
        admits: {all-known: {when: {framework: known}, because: The lane runs every framework.}}
        time-limit: {limit: {when: all, value: VALUE, because: The queue ends it.}}
"""
OVERLAP = "{limit: {when: all, value: {one}, because: one}, other: {when: {agentic: true}, value: {two}, because: two}}"
ADMITTED = (
    "cluster=gb300-nv", "model-prefix=dsv4", "precision=fp4", "framework=dynamo-vllm", "spec-decoding=none",
    "agentic=true", "multinode=true", "recipe=r.yaml",
)  # fmt: skip
COMMANDS = pytest.mark.parametrize("command", [("explain", *ADMITTED), ("verify",)], ids=["explain", "verify"])


def _policy(tmp_path: Path, value: str) -> Path:
    return policy(tmp_path / "policy", {"gb300-nv": LANE.replace("VALUE", value)})


@COMMANDS
@pytest.mark.parametrize(
    ("written", "read_as"),
    [("4:00:00", "14400"), ("4:00", None), ("240", None), ("60:00", "3600"), ("1.5", None)],
)
def test_a_number_is_shown_as_it_stands_with_the_quoted_form(
    run_cli: Cli, tmp_path: Path, command: tuple[str, ...], written: str, read_as: str | None
) -> None:
    ran = run_cli(*command, "--policy", _policy(tmp_path, written))
    (line,) = ran.faults_of("duration-not-text")
    assert ran.faults == [line]
    named(["lanes/gb300-nv.yaml:7:", "time-limit.limit.value", f"`{written}` is read as a number", f'"{written}'], line)
    assert read_as is None or read_as not in line


@COMMANDS
@pytest.mark.parametrize("written", ['"4:99"', '"-1:00:00"', '"0:00:00"', '"4h"', '""', '"4:00:00:00"'])
def test_no_duration_is_shown_with_the_forms_that_are(
    run_cli: Cli, tmp_path: Path, command: tuple[str, ...], written: str
) -> None:
    ran = run_cli(*command, "--policy", _policy(tmp_path, written))
    (line,) = ran.faults_of("duration-invalid")
    assert ran.faults == [line]
    named([f"`{written}`", '"H:MM:SS"', '"MM:SS"', '"D-H"', '"D-H:MM"', '"D-H:MM:SS"'], line)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('"4:00:00"', "4:00:00"),
        ("08:00:00", "8:00:00"),
        ('"2-12"', "2-12:00:00"),
        ('"4:00"', "0:04:00"),
        ('"240:00"', "4:00:00"),
    ],
)
def test_a_limit_has_one_form_in_text_and_in_json(run_cli: Cli, tmp_path: Path, written: str, shown: str) -> None:
    root = _policy(tmp_path, written)
    ran = run_cli("explain", *ADMITTED, "--policy", root, "--format", "json")
    assert ran.code == 0
    limit = ran.document["settings"]["time-limit"]
    assert (limit["value"], limit["from"], limit["candidates"]["lane"]) == (shown, "lane", shown)
    text = run_cli("explain", *ADMITTED, "--policy", root)
    assert f"\n  time limit       {shown}, from the lane, by srt-multi.time-limit.limit" in text.out


def test_equal_limits_in_two_forms_do_not_conflict(run_cli: Cli, tmp_path: Path) -> None:
    def overlapping(one: str, two: str) -> Path:
        rows = OVERLAP.replace("{one}", one).replace("{two}", two)
        text = LANE.replace("{limit: {when: all, value: VALUE, because: The queue ends it.}}", rows)
        return policy(tmp_path / "policy", {"gb300-nv": text})

    root = overlapping('"4:00:00"', '"240:00"')
    assert run_cli("explain", *ADMITTED, "--policy", root).code == 0
    assert "conflicting-setting" not in run_cli("verify", "--policy", root, "--format", "json").codes
    root = overlapping('"4:00:00"', '"4:00"')
    ran = run_cli("explain", *ADMITTED, "--policy", root, "--format", "json")
    assert (ran.code, ran.codes) == (1, ["conflicting-setting"])
