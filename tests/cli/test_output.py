"""What goes to a terminal, and what to anything else."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping

import pytest

from infx_policy.cli.output import report_faults
from infx_policy.errors import FaultCode, fault
from infx_policy.source import Source
from tests.cli.running import ADMITTED, REFUSED, UNDECIDED, Cli, environment, spawn

CASES = [("ADMITTED", 32, ADMITTED), ("REFUSED", 31, REFUSED), ("UNDECIDED", 33, UNDECIDED)]


def _on_terminal(*arguments: str, env: Mapping[str, str]) -> str:
    """What a process prints where its standard output is a terminal."""
    command = [sys.executable, "-m", "infx_policy", *arguments]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, env={**environment(TERM="xterm"), **env}):
        os.close(theirs)
        found = b""
        try:
            while part := os.read(ours, 4096):
                found += part
        except OSError:  # Linux's word for the end of a terminal
            pass
    os.close(ours)
    return found.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("verdict", "colour", "words"), CASES)
def test_a_terminal_gets_the_verdict_in_colour_and_nothing_else(
    verdict: str, colour: int, words: tuple[str, ...]
) -> None:
    found = _on_terminal("explain", *words, env={})
    assert found.startswith(f"\x1b[1;{colour}m{verdict}\x1b[0m  gb200-nv")
    assert found.count("\x1b[") == 2


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"NO_COLOR": "0"}, {"TERM": "dumb"}], ids=str)
def test_a_terminal_that_wants_none_gets_no_colour(env: dict[str, str]) -> None:
    assert _on_terminal("explain", *ADMITTED, env=env).startswith("ADMITTED  ")


def test_an_empty_no_color_is_unset() -> None:
    assert _on_terminal("explain", *ADMITTED, env={"NO_COLOR": ""}).startswith("\x1b[1;32m")


def test_json_on_a_terminal_is_json() -> None:
    found = _on_terminal("explain", *ADMITTED, "--format", "json", env={})
    assert found.startswith("{\n")
    assert "\x1b" not in found


def test_what_is_no_terminal_gets_no_colour(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in cli("explain", *ADMITTED).out


@pytest.mark.parametrize("coding", ["ascii", "utf-8"])
def test_json_holds_letters_of_every_script_in_every_encoding(coding: str) -> None:
    ran = spawn("explain", "model=ü模", "--format", "json", env=environment(PYTHONIOENCODING=coding))
    assert json.loads(ran.out)["request"] == {"model": "ü模"}


def test_a_fault_is_reported_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (fault(FaultCode.NOT_A_WORD, Source(place), literal="x") for place in ("b", "a"))
    report_faults([first, second, first], "WARNING")
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[:2] for line in lines] == [["WARNING", "b"], ["WARNING", "a"]]
    assert all(line.endswith("[not-a-word]") for line in lines)
