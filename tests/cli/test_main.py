"""The command line as a process: arguments, exit codes, and the ways in which a run can be cut short."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ADMITTED, REQUESTS, Cli, Ran, environment, spawn

COMMANDS = ("explain", "verify", "diff", "clusters", "plugins", "schema")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "COMMAND"),
        (("explan",), "explan"),
        (("explain", "--frmat", "json"), "--frmat"),
        (("explain", *ADMITTED, "--format", "yaml"), "yaml"),
        (("clusters", "--format", "jsonl"), "jsonl"),
        (("clusters", "gb200-nv"), "gb200-nv"),
        (("explain", *ADMITTED, "--policy"), "--policy"),
        (("explain", *ADMITTED, "--log-level", "loud"), "loud"),
        (("schema",), "NAME"),
    ],
)
def test_what_is_no_argument_is_one_error_with_the_way_to_help(cli: Cli, arguments: tuple[str, ...], says: str) -> None:
    (fault,) = cli(*arguments).faults
    assert says in fault
    assert "--help` lists what it takes" in fault


def test_help_lists_the_commands(cli: Cli) -> None:
    ran = cli("--help")
    assert (ran.code, ran.err) == (0, "")
    assert all(f"\n    {name} " in ran.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(cli: Cli, command: str) -> None:
    ran = cli(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: infx-policy {command} ")


@pytest.mark.parametrize("command", COMMANDS[:-1])
def test_every_command_takes_the_common_options(cli: Cli, command: str) -> None:
    text = cli(command, "--help").out
    assert all(option in text for option in ("--policy DIR", "--format", "--skip-broken-plugins", "--log-level"))


@pytest.mark.parametrize(("words", "code"), [(ADMITTED, 0), (ADMITTED[:1], 1), (("x",), 2)])
def test_the_process_exits_with_the_code(words: tuple[str, ...], code: int) -> None:
    assert spawn("explain", *words).code == code


@pytest.mark.parametrize("seed", ["1", "2"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_answers_are_the_same_bytes_under_every_hash_seed(seed: str, form: str) -> None:
    files = [os.fspath(path) for path in sorted(REQUESTS.glob("*.yaml"))]

    def run(with_seed: str) -> Ran:
        return spawn("explain", *files, "--all", "--format", form, env=environment(PYTHONHASHSEED=with_seed))

    expected, found = run("0"), run(seed)
    assert all(word in expected.out.lower() for word in ("admitted", "refused", "undecided"))
    assert found == expected


@pytest.mark.parametrize("seed", ["1", "2"])
def test_errors_are_the_same_bytes_under_every_hash_seed(seed: str) -> None:
    def run(with_seed: str) -> Ran:
        return spawn("explain", "framwork=x", "modle=y", "multinode=2", env=environment(PYTHONHASHSEED=with_seed))

    assert len(run("0").faults) == 3
    assert run(seed) == run("0")


def test_a_reader_that_leaves_early_is_no_traceback(tmp_path: Path) -> None:
    long = tmp_path / "long.yaml"
    long.write_text("- {cluster: gb200-nv, framework: vllm, multinode: true, recipe: r.yaml}\n" * 200)
    command = f"{shlex.quote(sys.executable)} -m infx_policy explain {long} | head -c1"
    ran = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("A", "")


def test_a_closed_pipe_is_no_traceback() -> None:
    command = [sys.executable, "-m", "infx_policy", "explain", *ADMITTED]
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(command, env=environment(), stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ran.stderr, ran.returncode) == ("", 2)


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_output_that_can_not_be_written_is_an_error(redirection: str, form: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m infx_policy explain {' '.join(ADMITTED)} --format {form} {redirection}"
    ran = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr
    assert len(Ran(ran.returncode, ran.stdout, ran.stderr).faults) == 1


def test_a_closed_standard_input_is_an_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m infx_policy explain - <&-"
    ran = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True, check=False)
    assert len(Ran(ran.returncode, ran.stdout, ran.stderr).faults) == 1


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(("words", "code"), [(ADMITTED, 0), (ADMITTED[:1], 1), (("x",), 2)])
def test_a_standard_error_that_takes_nothing_changes_no_exit_code(
    words: tuple[str, ...], code: int, redirection: str
) -> None:
    command = f"{shlex.quote(sys.executable)} -m infx_policy explain {' '.join(words)} --log-level info {redirection}"
    ran = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == code


def test_an_interrupt_exits_130_without_a_traceback() -> None:
    # A shell's background job ignores SIGINT, which children inherit; the default handler is put back.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from infx_policy.__main__ import main; sys.exit(main(['explain', '-']))"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"#" * 1_000_000)  # more than a pipe holds: once it is written, the child is reading
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.stdin.close()  # a signal that falls between two reads is seen when the next one returns
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == b""


@pytest.mark.parametrize("command", ["explain", "clusters"])
def test_a_name_longer_than_a_file_system_takes(cli: Cli, command: str) -> None:
    given = ["x" * 5000] if command == "explain" else ["--policy", "x" * 5000]
    (fault,) = cli(command, *given).faults
    assert len(fault) < 12_000


@pytest.mark.parametrize("word", ["framework=a\nb", "model=\x1b[31m", "recipe=a\rb", "image=\u202e", "runner=\x00"])
def test_control_characters_in_a_value_are_refused_and_escaped(cli: Cli, word: str) -> None:
    (fault,) = cli("explain", word).faults
    assert fault.isprintable()
    assert fault.endswith("[control-character]")


def test_bytes_that_are_no_text_are_refused() -> None:
    (fault,) = spawn("explain", b"framework=\xff").faults
    assert fault.endswith("[control-character]")


@pytest.mark.parametrize("name", ["a\nb.yaml", "a\x1b[31m.yaml"])
def test_control_characters_in_a_file_s_name_keep_to_one_line(cli: Cli, name: str) -> None:
    (fault,) = cli("explain", name).faults
    assert fault.isprintable()
    assert len(cli("clusters", "--policy", name).faults) == 1


def test_control_characters_in_a_readable_file_s_name_reach_no_terminal(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31mb\nc.yaml"
    path.write_bytes((REQUESTS / "2p1d.yaml").read_bytes())
    ran = cli("explain", path)
    assert "\x1b" not in ran.out
    assert all(line[:2] == "  " for line in ran.out.splitlines()[1:])


@pytest.mark.parametrize(("name", "coding"), [("ü 模.yaml".encode(), "ascii"), (b"\xff.yaml", "utf-8")])
def test_a_name_that_standard_output_can_not_show_is_no_traceback(tmp_path: Path, name: bytes, coding: str) -> None:
    (tmp_path / os.fsdecode(name)).write_bytes((REQUESTS / "2p1d.yaml").read_bytes())
    ran = spawn("explain", name, env=environment(PYTHONIOENCODING=coding), cwd=tmp_path)
    assert (ran.code, ran.head, ran.err) == (0, "ADMITTED  gb200-nv srt-multi", "")


def test_an_equals_sign_makes_a_word_and_a_path_keeps_it_a_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a=b.yaml").write_bytes((REQUESTS / "2p1d.yaml").read_bytes())
    (fault,) = cli("explain", "a=b.yaml").faults
    assert fault.startswith("argument 1: `a` is no key of a request")
    assert cli("explain", "./a=b.yaml").head == "ADMITTED  gb200-nv srt-multi"
