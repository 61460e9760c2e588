"""Logs: key=value lines on standard error, where they are asked for."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from infx_policy.cli.main import main
from infx_policy.loading import load_policy
from tests.cli.running import ADMITTED, REFUSED, Cli, spawn

_PAIR = re.compile(r"(\w+)=('(?:[^'\\]|\\.)*'|\[[^]]*\]|\S+)")


def _events(text: str) -> list[dict[str, str]]:
    lines = text.splitlines()
    found = [dict(_PAIR.findall(line)) for line in lines]
    shown = [" ".join(f"{key}={value}" for key, value in event.items()) for event in found]
    assert shown == lines, "a line holds key=value and nothing else"
    return found


@pytest.mark.parametrize("words", [ADMITTED, REFUSED])
def test_nothing_is_logged_by_default(words: tuple[str, ...]) -> None:
    assert spawn("explain", *words).err == ""


def test_events_are_pairs_with_the_policy_s_digest() -> None:
    loaded, decided = _events(spawn("explain", *REFUSED, "--log-level", "info").err)
    digest = repr(load_policy().name.digest)
    assert (loaded["event"], loaded["policy_digest"], loaded["root"]) == ("'policy-loaded'", digest, "'bundled'")
    assert (decided["event"], decided["policy_digest"], decided["level"]) == ("'decided'", digest, "'info'")
    assert (decided["verdict"], decided["cluster"], decided["lane"]) == ("'refused'", "'gb200-nv'", "'srt-multi'")
    assert decided["reasons"] == "['no-admit-row', 'no-shared-run-root']"
    assert all(event["timestamp"].endswith("Z'") for event in (loaded, decided))


def test_every_decision_is_an_event(tmp_path: Path) -> None:
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps([{"cluster": "gb200-nv"}] * 3))
    events = _events(spawn("explain", str(listed), "--log-level", "debug").err)
    assert [event["event"] for event in events] == ["'policy-loaded'", *["'decided'"] * 3]


@pytest.mark.parametrize("level", ["warning", "error"])
def test_a_higher_level_leaves_them_out(level: str) -> None:
    assert spawn("explain", *REFUSED, "--log-level", level).err == ""


def test_data_on_standard_output_is_the_same_with_logs() -> None:
    given = ("explain", *ADMITTED, "--format", "json")
    assert spawn(*given, "--log-level", "info").out == spawn(*given).out


def test_other_commands_log_the_policy() -> None:
    (loaded,) = _events(spawn("clusters", "--log-level", "info").err)
    assert loaded["event"] == "'policy-loaded'"


def test_a_second_call_logs_to_where_standard_error_is_then() -> None:
    for _ in range(2):
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream), contextlib.redirect_stdout(io.StringIO()):
            assert main(["clusters", "--log-level", "info"]) == 0
        assert "event='policy-loaded'" in stream.getvalue()


def test_faults_stay_error_lines_beside_logs(cli: Cli) -> None:
    assert len(cli("explain", "framwork=x", "--policy", "nowhere", "--log-level", "debug").faults) == 2
