"""Each finding code has a policy in which it fires and a close one in which it does not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from infx_policy import Request, load_policy, verify
from infx_policy.findings import Finding, FindingCode, Severity, sentence
from infx_policy.verification import Invariant

RUNNERS = """
extends: bundled
labels:
  "cluster:lab": [lab_0]
{labels}
clusters:
  lab:
    gpus-per-node: 8
    arch: x86_64
    workspace: {{visibility: {seen}}}
    slurm: {{partition: batch}}
{record}
"""
ADMITS = "admits: {r: {when: {framework: vllm}, because: It runs.}}"
STAGES = "shared-run-root: {s: {when: all, because: Nodes see no checkout.}}"
ROOT = "    shared-run-root: /shared/runs"


def lane(*sections: str, driver: str = "slurm", takes: str = "{multinode: true}", name: str = "srt-multi") -> str:
    """A lane with these sections, each one line."""
    return "\n".join(
        [f"  {name}:", f"    takes: {takes}", f"    driver: {driver}", *(f"    {each}" for each in sections)]
    )


def found(
    folder: Path,
    *lanes: str,
    seen: str = "shared",
    record: str = "",
    labels: str = "",
    requests: tuple[Request, ...] = (),
) -> list[Finding]:
    """What verify finds of cluster `lab`."""
    (folder / "lanes").mkdir(exist_ok=True)
    (folder / "runners.yaml").write_text(RUNNERS.format(seen=seen, record=record, labels=labels))
    (folder / "lanes/lab.yaml").write_text("\n".join(["cluster: lab", "lanes:", *lanes]) + "\n")
    policy = load_policy(folder, with_plugins=())
    return [one for one in verify(policy, requests) if one.waived is None]


SETTING = (
    "setup-script: {{a: {{when: {one}, value: a.sh, because: x}}, b: {{when: {two}, value: {value}, because: x}}}}"
)
LIMIT = 'time-limit: {l: {when: all, value: "1:00:00", because: x}}'
MOUNT = "mounts: {{m: {{when: all, volume: {volume}, target: /x, because: x}}}}"
VOLUMES = "    volumes: {{data: {{path: /shared, visibility: {seen}}}}}"
MODELS = "    models: {{entries: {{one: {{root: data, dir: one}}, two: {{root: data, dir: {dir}}}}}}}"
ONE, TWO = (
    Request(cluster="lab", framework="vllm", multinode=True, recipe="r", model=f"org/{name}") for name in ("one", "two")
)
Case = Callable[[Path], list[Finding]]

CASES: dict[FindingCode, tuple[Case, Case]] = {
    FindingCode.UNSTAGED_ADMISSION: (
        lambda at: found(at, lane(ADMITS), seen="submit-host", record=ROOT),
        lambda at: found(at, lane(ADMITS, STAGES), seen="submit-host", record=ROOT),
    ),
    FindingCode.STAGED_WITHOUT_ROOT: (
        lambda at: found(at, lane(ADMITS, STAGES)),
        lambda at: found(at, lane(ADMITS, STAGES), record=ROOT),
    ),
    FindingCode.NODE_LOCAL_RUN_ROOT: (
        lambda at: found(at, lane(ADMITS, STAGES), record=f"{ROOT}\n{VOLUMES.format(seen='node-local')}"),
        lambda at: found(at, lane(ADMITS, STAGES), record=f"{ROOT}\n{VOLUMES.format(seen='shared')}"),
    ),
    FindingCode.CONFLICTING_SETTING: (
        lambda at: found(at, lane(ADMITS, SETTING.format(one="{agentic: true}", two="{precision: fp4}", value="b.sh"))),
        lambda at: found(at, lane(ADMITS, SETTING.format(one="{agentic: true}", two="{agentic: false}", value="b.sh"))),
    ),
    FindingCode.AMBIGUOUS_LANE: (
        lambda at: found(at, lane(ADMITS), lane(ADMITS, takes="{framework: vllm}", name="other")),
        lambda at: found(
            at, lane(ADMITS), lane(ADMITS, "instead-of: srt-multi", takes="{framework: vllm}", name="other")
        ),
    ),
    FindingCode.SHADOWED_SETTING: (
        lambda at: found(at, lane(ADMITS, LIMIT), record='    srt-slurm: {default-time-limit: "2:00:00"}'),
        lambda at: found(at, lane(ADMITS, LIMIT), record='    srt-slurm: {single-node-time-limit: "2:00:00"}'),
    ),
    FindingCode.LANE_WITHOUT_DRIVER: (
        lambda at: found(at, lane(ADMITS, driver="sslurm")),
        lambda at: found(at, lane(ADMITS)),
    ),
    FindingCode.SETTING_MISSING: (
        lambda at: found(at, lane(ADMITS, driver="srt-slurm"), record="    srt-slurm: {}"),
        lambda at: found(
            at,
            lane(ADMITS, driver="srt-slurm"),
            record="    srt-slurm: {}\n    squash: {dir: /s, visibility: shared, import: compute}",
        ),
    ),
    FindingCode.SETTING_UNREAD: (
        lambda at: found(
            at, lane(ADMITS, MOUNT.format(volume="data"), driver="local"), record=VOLUMES.format(seen="shared")
        ),
        lambda at: found(at, lane(ADMITS, MOUNT.format(volume="data")), record=VOLUMES.format(seen="shared")),
    ),
    FindingCode.VOLUME_MISSING: (
        lambda at: found(at, lane(ADMITS, MOUNT.format(volume="dat")), record=VOLUMES.format(seen="shared")),
        lambda at: found(at, lane(ADMITS, MOUNT.format(volume="data")), record=VOLUMES.format(seen="shared")),
    ),
    FindingCode.VOLUME_NOT_VISIBLE: (
        lambda at: found(at, lane(ADMITS, MOUNT.format(volume="data")), record=VOLUMES.format(seen="submit-host")),
        lambda at: found(at, lane(ADMITS, MOUNT.format(volume="data")), record=VOLUMES.format(seen="node-local")),
    ),
    FindingCode.UNKNOWN_VALUE: (
        lambda at: found(at, lane("admits: {r: {when: {framework: [vllm, vlm]}, because: x}}")),
        lambda at: found(at, lane("admits: {r: {when: {framework: [vllm, trt]}, because: x}}")),
    ),
    FindingCode.UNREACHABLE_ROW: (
        lambda at: found(at, lane(ADMITS, "refuses: {n: {when: {framework: trt}, because: x}}")),
        lambda at: found(at, lane(ADMITS, "refuses: {n: {when: {agentic: true}, because: x}}")),
    ),
    FindingCode.UNUSED_VALUE: (
        lambda at: found(
            at, lane("admits: {r: {when: {framework: [vllm, trt]}, because: x}}", takes="{framework: vllm}")
        ),
        lambda at: found(at, lane("admits: {r: {when: {framework: [vllm, trt]}, because: x}}")),
    ),
    FindingCode.DUPLICATE_ROW: (
        lambda at: found(at, lane(ADMITS.replace("}}", "}, t: {when: {framework: [vllm]}, because: x}}"))),
        lambda at: found(at, lane(ADMITS.replace("}}", "}, t: {when: {framework: trt}, because: x}}"))),
    ),
    FindingCode.RUNNER_IN_TWO_CLUSTERS: (
        lambda at: found(at, lane(ADMITS), labels='  "cluster:gb200-nv": [lab_0]'),
        lambda at: found(at, lane(ADMITS), labels='  "cluster:gb200-nv": [lab_1]'),
    ),
    FindingCode.LABEL_CONTRADICTION: (
        lambda at: found(at, lane(ADMITS), labels='  "partition:other": [lab_0]'),
        lambda at: found(at, lane(ADMITS), labels='  "partition:batch": [lab_0]'),
    ),
    FindingCode.DEAD_VOCABULARY: (lambda at: _dead(at, "{precision: fp4}"), lambda at: _dead(at, "all")),
    FindingCode.TWO_MODELS_ONE_KEY: (
        lambda at: found(at, lane(ADMITS), record=MODELS.format(dir="one")),
        lambda at: found(at, lane(ADMITS), record=MODELS.format(dir="two")),
    ),
    FindingCode.UNREACHED_ROW: (
        lambda at: found(at, lane(ADMITS, "refuses: {n: {when: {agentic: true}, because: x}}"), requests=(ONE,)),
        lambda at: found(at, lane(ADMITS), requests=(ONE,)),
    ),
    FindingCode.WAIVER_UNUSED: (
        lambda at: found(at, lane(ADMITS), record="    waive: {setting-missing: There is a reason.}"),
        lambda at: found(
            at,
            lane(ADMITS, driver="srt-slurm"),
            record="    srt-slurm: {}\n    waive: {setting-missing: There is a reason.}",
        ),
    ),
}


def _dead(at: Path, when: str) -> list[Finding]:
    """What verify finds of a policy with one lane and two precisions."""
    (at / "lanes").mkdir()
    (at / "runners.yaml").write_text(
        "vocabulary: {framework: [vllm], model-prefix: {a: []}, precision: [fp4, int4], spec-decoding: [none]}\n"
        "clusters: {lab: {gpus-per-node: 8, arch: x86_64, workspace: {visibility: shared}}}\n"
    )
    admits = lane(f"admits: {{r: {{when: {when}, because: x}}}}")
    (at / "lanes/lab.yaml").write_text("\n".join(["cluster: lab", "lanes:", admits]))
    return list(verify(load_policy(at, with_plugins=())))


def _of(code: FindingCode, findings: list[Finding]) -> list[Finding]:
    """The findings of a code; rows of the bundled tables are not what a test of reach is about."""
    return [one for one in findings if one.code == code.value and "bundled" not in one.source.file]


@pytest.mark.parametrize("code", FindingCode, ids=lambda code: code.value)
def test_it_fires_and_a_close_policy_is_quiet(code: FindingCode, tmp_path: Path) -> None:
    fires, quiet = CASES[code]
    (tmp_path / "fires").mkdir()
    (tmp_path / "quiet").mkdir()
    assert (loud := _of(code, fires(tmp_path / "fires")))
    assert _of(code, quiet(tmp_path / "quiet")) == []
    assert all(sentence(one)[0] in "`abcdefghijklmnopqrstuvwxyz" and ";" in sentence(one) for one in loud)


def test_a_checkpoint_that_serves_two_models_of_a_corpus_is_found(tmp_path: Path) -> None:
    row = "checkpoint: {c: {when: {framework: vllm}, value: one, because: x}}"
    both = found(tmp_path, lane(ADMITS, row), requests=(ONE, TWO))
    assert _of(FindingCode.TWO_MODELS_ONE_KEY, both)
    assert not _of(FindingCode.TWO_MODELS_ONE_KEY, found(tmp_path, lane(ADMITS, row), requests=(ONE,)))


def test_the_row_that_verify_gives_to_paste_makes_it_clean(tmp_path: Path) -> None:
    (one,) = _of(FindingCode.UNSTAGED_ADMISSION, found(tmp_path, lane(ADMITS), seen="submit-host", record=ROOT))
    pasted = lane(ADMITS, f"shared-run-root:\n{one.paste}")
    assert not _of(FindingCode.UNSTAGED_ADMISSION, found(tmp_path, pasted, seen="submit-host", record=ROOT))


def test_a_waived_finding_keeps_its_reason(tmp_path: Path) -> None:
    record = "    srt-slurm: {}\n    waive: {setting-missing: There is a reason.}"
    found(tmp_path, lane(ADMITS, driver="srt-slurm"), record=record)
    waived = [one for one in verify(load_policy(tmp_path, with_plugins=())) if one.row == "lab"]
    assert [one.waived for one in waived] == ["There is a reason."]


def test_a_plugin_s_invariant_is_asked(tmp_path: Path) -> None:
    found(tmp_path, lane(ADMITS))
    policy = load_policy(tmp_path, with_plugins=())
    own = Finding("x", Severity.ERROR, policy.inventory.clusters["lab"].source, said="it is not so; mend it")
    given = verify(policy, (), [Invariant("mine", lambda _policy: [own])])
    assert [sentence(one) for one in given if one.code == "mine"] == ["it is not so; mend it"]
