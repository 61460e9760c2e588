"""Y03: text without quotes is read as a number, boolean, null or date."""

import re
from pathlib import Path

import pytest

from tests.cases.making import Cli, named, policy, request

LANE = """\
cluster: gb200-nv
lanes:
  srt-multi:
    driver: srt-slurm
    admits:
      numbers: {when: {model-prefix: [5.2, 5.10, 1e3, 2026-08-13]}, because: one}
      words: {when: {model-prefix: [no, ~], spec-decoding: off}, because: two}
      flags: {when: {agentic: "no", multinode: 1}, because: three}
      right: {when: {model-prefix: ["5.10", "no"], agentic: false}, because: on}
    takes: {multinode: true}
"""
REQUEST = """\
cluster: gb200-nv
model-prefix: 5.10
spec-decoding: off
agentic: "no"
"""
NOT_TEXT = [
    ("6", "numbers.when.model-prefix", "5.2"),
    ("6", "numbers.when.model-prefix", "5.10"),
    ("6", "numbers.when.model-prefix", "1e3"),
    ("6", "numbers.when.model-prefix", "2026-08-13"),
    ("7", "words.when.model-prefix", "no"),
    ("7", "words.when.model-prefix", "~"),
    ("7", "words.when.spec-decoding", "off"),
    ("9", "right.because", "on"),
]


@pytest.mark.parametrize("command", [("explain", "cluster=gb200-nv"), ("verify",)], ids=["explain", "verify"])
def test_all_of_them_come_in_one_run_as_they_are_written(
    run_cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ran = run_cli(*command, "--policy", policy(tmp_path / "policy", {"gb200-nv": LANE}))
    texts, flags = ran.faults_of("not-text"), ran.faults_of("not-a-boolean")
    assert len(texts) == len(NOT_TEXT)
    for line, (number, path, literal) in zip(texts, NOT_TEXT, strict=True):
        place = rf"ERROR: lanes/gb200-nv\.yaml:{number}:\d+: `{re.escape(literal)}` is read as .* without quotes; "
        assert re.match(place + rf'write `?"{re.escape(literal)}"', line), line
        named([path], line)
    assert len(flags) == 2
    named(["lanes/gb200-nv.yaml:8:", "flags.when.agentic", '`"no"`', "`true` or `false`"], flags[0])
    named(["lanes/gb200-nv.yaml:8:", "flags.when.multinode", "`1`"], flags[1])
    assert sorted(ran.faults) == sorted([*texts, *flags])


def test_a_request_is_read_in_the_same_way(run_cli: Cli, tmp_path: Path) -> None:
    ran = run_cli("explain", request(tmp_path / "request.yaml", REQUEST))
    prefix, draft = ran.faults_of("not-text")
    named(["request.yaml:2:", "`5.10`", '"5.10"'], prefix)
    named(["request.yaml:3:", "`off`", '"off"'], draft)
    (flag,) = ran.faults_of("not-a-boolean")
    named(["request.yaml:4:", '`"no"`'], flag)


def test_words_of_a_command_line_are_text(run_cli: Cli) -> None:
    words = ("cluster=gb200-nv", "model-prefix=5.10", "framework=vllm")
    ran = run_cli("explain", *words, "--format", "json")
    assert (ran.code, ran.verdict) == (1, "refused")
    assert ran.codes == ["unknown-model-prefix"]
    assert ran.document["request"]["model-prefix"] == "5.10"
