"""X02: the preview is made by other code than the launch, or needs what only the cluster has.

What holds of `explain` already. For a later issue: `plan` and `launch --dry-run` and what they show, the golden plan,
and that what is submitted equals it.
"""

import os
from pathlib import Path

import pytest

from tests.cases.making import ROOT, spawn

REQUEST = ROOT / "examples" / "requests" / "2p1d.yaml"
OTHERS: dict[str, tuple[list[str], dict[str, str]]] = {
    "again": ([], {}),
    "quiet": (["--log-level", "error"], {}),
    "loud": (["--log-level", "debug"], {}),
    "no-colour": ([], {"NO_COLOR": "1"}),
    "a-terminal-of-colour": ([], {"TERM": "xterm-256color", "CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"}),
    "other-hashes": ([], {"PYTHONHASHSEED": "4"}),
    "elsewhere": ([], {"TZ": "Asia/Tokyo", "LC_ALL": "C", "HOME": "/nonexistent", "USER": "nobody"}),
}


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_stdout_holds_the_same_bytes_each_time(tmp_path: Path, form: str) -> None:
    plain = spawn("explain", REQUEST, "--format", form, cwd=tmp_path)
    assert (plain.code, plain.err) == (0, "")
    for other, (more, variables) in OTHERS.items():
        again = spawn("explain", REQUEST, "--format", form, *more, cwd=tmp_path, **variables)
        assert (again.code, again.out) == (plain.code, plain.out), other
    assert os.listdir(tmp_path) == []


def test_nothing_of_a_cluster_is_needed(tmp_path: Path) -> None:
    ran = spawn("explain", REQUEST, cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith("ADMITTED  gb200-nv srt-multi\n")
