"""X03: callers must read prose to learn what happened, since codes and streams carry several meanings.

For a later issue: the codes and outcomes of `launch`, and what a signal does to its job.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cases.making import KEYS, ROOT, Cli, command, environment, request, spawn

BASE = """\
    {cluster: gb200-nv, model-prefix: dsv4, precision: fp4, framework: FRAMEWORK, spec-decoding: none, agentic: false,
    multinode: true, recipe: recipes/r.yaml}
"""


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    return request(tmp_path / "refused.yaml", BASE.replace("FRAMEWORK", "tilert"))


@pytest.fixture
def admitted(tmp_path: Path) -> Path:
    return request(tmp_path / "admitted.yaml", BASE.replace("FRAMEWORK", "dynamo-vllm"))


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the tables in which one lane file ends in the middle of a bracket."""
    root = tmp_path / "broken"
    shutil.copytree(ROOT / "lanes", root / "lanes")
    shutil.copy(ROOT / "runners.yaml", root)
    text = (root / "lanes" / "gb200-nv.yaml").read_text()
    (root / "lanes" / "gb200-nv.yaml").write_text(text[: text.index("framework: [dynamo-sglang,") + 20])
    return root


def test_a_refusal_is_one_document_on_stdout_and_nothing_else(tmp_path: Path, refused: Path) -> None:
    ran = spawn("explain", refused, "--format", "json", cwd=tmp_path)
    assert (ran.code, ran.err) == (1, "")
    assert ran.verdict == "refused"
    assert ran.document["schema"] == "infx-policy/decision/1"
    assert set(KEYS) <= ran.document.keys()
    for reason in ran.document["reasons"]:
        assert set(reason) >= {"code", "message", "row", "source", "facts"}


def test_several_answers_come_in_the_order_asked(run_cli: Cli, refused: Path, admitted: Path) -> None:
    both = {refused: "refused", admitted: "admitted"}
    for given in ([refused, admitted], [admitted, refused]):
        ran = run_cli("explain", *given, "--format", "jsonl")
        assert (ran.code, ran.err) == (1, "")
        assert [json.loads(line)["verdict"] for line in ran.out.splitlines()] == [both[one] for one in given]
    listed = json.loads(run_cli("explain", refused, admitted, "--format", "json").out)
    assert [one["verdict"] for one in listed] == ["refused", "admitted"]


def test_codes_tell_admitted_refused_undecided_and_unevaluated_apart(
    run_cli: Cli, refused: Path, admitted: Path, broken: Path
) -> None:
    assert run_cli("explain", admitted).code == 0
    assert run_cli("explain", refused).code == 1
    assert run_cli("explain", "cluster=gb200-nv", "multinode=true").code == 1
    assert run_cli("explain", admitted, "--policy", broken).code == 2
    assert run_cli("explain", admitted, refused, "nowhere.yaml").code == 2


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_broken_table_gives_one_error_line_and_no_verdict(
    tmp_path: Path, admitted: Path, broken: Path, form: str
) -> None:
    ran = spawn("explain", admitted, "--policy", broken, "--format", form, cwd=tmp_path)
    (line,) = ran.faults
    assert re.match(r"ERROR: lanes/gb200-nv\.yaml:\d+:\d+: ", line)
    assert "Traceback" not in ran.err


def test_a_broken_request_beside_a_good_one_gives_no_verdict_at_all(
    tmp_path: Path, admitted: Path, broken: Path
) -> None:
    bad = request(tmp_path / "bad.yaml", "cluster: [gb200-nv")
    ran = spawn("explain", admitted, bad, "missing.yaml", "--policy", broken, cwd=tmp_path)
    assert len(ran.faults) == 3


@pytest.mark.parametrize("given", [["explain", "--no-such-option"], ["no-such-command"], []])
def test_wrong_usage_is_one_error_line_too(tmp_path: Path, given: list[str]) -> None:
    assert len(spawn(*given, cwd=tmp_path).faults) == 1


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_reader_that_goes_away_sees_no_traceback(tmp_path: Path, refused: Path, admitted: Path, form: str) -> None:
    given = [refused, admitted] * 200
    line = command("explain", *given, "--format", form)
    with subprocess.Popen(
        line, env=environment(), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert (said, process.returncode != 0) == ("", True)


@pytest.mark.parametrize("where", [">&-", ">/dev/full"])
def test_a_stdout_that_takes_nothing_is_no_traceback_and_no_verdict(tmp_path: Path, admitted: Path, where: str) -> None:
    line = ["sh", "-c", f'exec "$@" {where}', "sh", *command("explain", admitted)]
    env = environment(PATH="/usr/bin:/bin")
    ran = subprocess.run(line, env=env, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert "Traceback" not in ran.stderr
    assert ran.returncode == 2
