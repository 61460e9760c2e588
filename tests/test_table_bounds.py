"""What tables may not hold, since deciding on it would be endless or without ground."""

from pathlib import Path

import pytest

from infx_policy import InputError, Request, decide, load_policy

RUNNERS = """
extends: bundled
labels: {{"cluster:lab": [lab_0]}}
{more}
clusters:
  lab:
    gpus-per-node: 8
    arch: x86_64
    workspace: {{visibility: submit-host}}
    shared-run-root: {root}
    volumes: {{disk: {{path: /disk, visibility: {seen}}}}}
"""
LANES = """
cluster: lab
lanes:
  srt-multi:
    takes: {multinode: true}
    driver: slurm
    admits: {a: {when: WHEN, because: It runs.}}
    shared-run-root: {s: {when: all, because: Nodes see no checkout.}}
    mounts:
      one: {when: all, volume: disk, target: /t, because: x}
      two: {when: all, volume: other, target: TARGET, because: x}
"""


def _policy(
    folder: Path,
    *,
    root: str = "/shared",
    seen: str = "node-local",
    more: str = "",
    when: str = "all",
    target: str = "/u",
) -> list[str]:
    """The codes with which a request is refused, or with which the policy is."""
    (folder / "lanes").mkdir(exist_ok=True)
    (folder / "runners.yaml").write_text(RUNNERS.format(root=root, seen=seen, more=more))
    (folder / "lanes/lab.yaml").write_text(LANES.replace("WHEN", when).replace("TARGET", target))
    try:
        policy = load_policy(folder, with_plugins=())
    except InputError as error:
        return [one.code.value for one in error.faults]
    decision = decide(policy, Request(cluster="lab", multinode=True, recipe="r", model="org/a", framework="vllm"))
    return [one.code.value for one in decision.reasons]


def test_a_vocabulary_without_words_is_a_fault(tmp_path: Path) -> None:
    assert _policy(tmp_path) == []
    assert "empty-list" in _policy(tmp_path, more="vocabulary: {spec-decoding: []}")


@pytest.mark.parametrize(("root", "codes"), [('""', ["not-absolute"]), ("runs", ["not-absolute"]), ("/runs", [])])
def test_a_shared_run_root_is_an_absolute_path(tmp_path: Path, root: str, codes: list[str]) -> None:
    assert _policy(tmp_path, root=root) == codes


@pytest.mark.parametrize("root", ["/disk/x", "/shared/../disk/x", "/disk/./x", "//disk//x"])
def test_the_volume_of_a_path_is_that_of_its_plain_form(tmp_path: Path, root: str) -> None:
    assert _policy(tmp_path, root=root) == ["node-local-run-root"]
    assert _policy(tmp_path, root=root, seen="shared") == []


def test_a_mount_target_with_a_slash_at_its_end_is_the_same(tmp_path: Path) -> None:
    assert _policy(tmp_path, target="/t/") == ["conflicting-setting"]
    assert _policy(tmp_path, target="/t/x") == []


@pytest.mark.parametrize(("glob", "codes"), [("*a????????????", ["not-a-condition"]), ("*a????", []), ("?" * 40, [])])
def test_a_glob_can_not_make_loading_endless(tmp_path: Path, glob: str, codes: list[str]) -> None:
    when = f'{{any-of: [{{model: {{glob: "{glob}"}}}}, {{agentic: true}}, {{agentic: false}}]}}'
    assert _policy(tmp_path, when=when) == codes
