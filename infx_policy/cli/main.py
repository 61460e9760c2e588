"""The command line: its arguments, and what an expected failure looks like."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from infx_policy.cli.output import report_error, report_faults
from infx_policy.errors import InputError

COULD_NOT_EVALUATE = 2
LOG_LEVELS = ("debug", "info", "warning", "error")


class _Help(argparse.HelpFormatter):
    """Help of a fixed width; asking the terminal would import shutil for every command."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Help, **settings)

    def error(self, message: str) -> NoReturn:
        report_error(f"{message}; `{self.prog} --help` lists what it takes")
        raise SystemExit(COULD_NOT_EVALUATE)


def parser() -> argparse.ArgumentParser:
    """The parser of every command."""
    top = _Parser(
        prog="infx-policy",
        description="Decides whether a benchmark launch request is admitted to a cluster's lane, and where its run "
        "root lies.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", prog=top.prog)
    explain = _command(commands, "explain", "decide requests and say why")
    explain.add_argument(
        "requests",
        nargs="*",
        metavar="REQUEST",
        help="a YAML or JSON file (one request or a list), `-` for standard input, or key=value words",
    )
    explain.add_argument("--env", action="store_true", help="read the workflow's environment variables")
    explain.add_argument("--format", choices=("text", "json", "jsonl"), default="text")
    explain.add_argument("--all", action="store_true", help="show every row considered, each condition marked")
    for name, about in (
        ("clusters", "list the inventory"),
        ("plugins", "list who contributed what"),
    ):
        _command(commands, name, about).add_argument("--format", choices=("text", "json"), default="text")
    schema = commands.add_parser("schema", help="print a JSON Schema")
    schema.add_argument("name", metavar="NAME", help="decision, request, runners or lanes")
    return top


def _command(commands: "argparse._SubParsersAction[_Parser]", name: str, about: str) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=about, description=about)
    command.add_argument(
        "--policy",
        metavar="DIR",
        help="a folder with runners.yaml and lanes/; else INFX_POLICY_ROOT, else the bundled tables",
    )
    command.add_argument(
        "--skip-broken-plugins", action="store_true", help="report a plugin that fails, and go on without it"
    )
    command.add_argument("--log-level", choices=LOG_LEVELS, help="log to stderr; off by default")
    return command


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code. Expected failures are `ERROR:` lines, never a traceback."""
    try:
        arguments = parser().parse_args(argv)
        run: Callable[[argparse.Namespace], int] = import_module(f"infx_policy.cli.{arguments.command}").run
        code = run(arguments)
        sys.stdout.flush()
    except InputError as error:
        report_faults(error.faults)
        return COULD_NOT_EVALUATE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COULD_NOT_EVALUATE
    except KeyboardInterrupt:
        return 130
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else COULD_NOT_EVALUATE
    return code
