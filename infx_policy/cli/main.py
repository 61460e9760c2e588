"""The command line: its arguments, and what an expected failure looks like."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from infx_policy.cli.output import report_error, report_faults, settle
from infx_policy.errors import InputError

COULD_NOT_EVALUATE = 2
LOG_LEVELS = ("debug", "info", "warning", "error")
REPORTS = ("text", "json", "github", "sarif", "markdown")


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


def _explain(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "requests",
        nargs="*",
        metavar="REQUEST",
        help="a YAML or JSON file (one request or a list), `-` for standard input, or key=value words",
    )
    command.add_argument("--env", action="store_true", help="read the workflow's environment variables")
    command.add_argument("--format", choices=("text", "json", "jsonl"), default="text")
    command.add_argument("--all", action="store_true", help="show every row considered, each condition marked")
    _tables(command)


def _verify(command: argparse.ArgumentParser) -> None:
    command.add_argument("--requests", nargs="+", metavar="FILE", help="requests that rows are to be reached by")
    command.add_argument("--select", action="append", default=[], metavar="CODE", help="only findings of this code")
    command.add_argument("--ignore", action="append", default=[], metavar="CODE", help="no findings of this code")
    command.add_argument("--strict", action="store_true", help="warnings fail too")
    command.add_argument("--format", choices=REPORTS, default="text")
    _tables(command)


def _diff(command: argparse.ArgumentParser) -> None:
    command.add_argument("base", metavar="BASE", help="a folder of tables, or a git revision")
    command.add_argument("head", metavar="HEAD", nargs="?", help="the same; else the tables that commands work on")
    command.add_argument("--forbid-new-admission", action="store_true", help="exit 1 where a request becomes admitted")
    command.add_argument("--format", choices=REPORTS, default="text")
    _tables(command)


def _listing(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("text", "json"), default="text")
    _tables(command)


def _schema(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="decision, request, runners or lanes")
    _plugins(command)


def _tables(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--policy",
        metavar="DIR",
        help="a folder with runners.yaml and lanes/; else INFX_POLICY_ROOT, else the bundled tables",
    )
    _plugins(command)
    command.add_argument("--log-level", choices=LOG_LEVELS, help="log to stderr; off by default")


def _plugins(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--skip-broken-plugins", action="store_true", help="report a plugin that fails, and go on without it"
    )


COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "explain": ("decide requests and say why", _explain),
    "verify": ("check what must hold of the tables, over all requests", _verify),
    "diff": ("show what a change of the tables changes", _diff),
    "clusters": ("list the inventory", _listing),
    "plugins": ("list who contributed what", _listing),
    "schema": ("print a JSON Schema", _schema),
}
"""Each command, what it is for, and what adds its arguments."""


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The parser of one command, or of all where it names none: building all takes every command's time."""
    top = _Parser(
        prog="infx-policy",
        description="Decides whether a benchmark launch request is admitted to a cluster's lane, and where its run "
        "root lies.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", prog=top.prog)
    for name in [command] if command in COMMANDS else COMMANDS:
        about, add = COMMANDS[str(name)]
        add(commands.add_parser(str(name), help=about, description=about))
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code. Expected failures are `ERROR:` lines, never a traceback."""
    given = list(sys.argv[1:] if argv is None else argv)
    settle()
    try:
        arguments = _arguments(given)
        run: Callable[[argparse.Namespace], int] = import_module(f"infx_policy.cli.{arguments.command}").run
        code = run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except InputError as error:
        report_faults(error.faults)
        return COULD_NOT_EVALUATE
    except BrokenPipeError:
        _drop_output()
        return COULD_NOT_EVALUATE
    except OSError as error:
        _drop_output()
        report_error(f"can't go on: {error.strerror or error}")
        return COULD_NOT_EVALUATE
    except KeyboardInterrupt:
        return 130
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else COULD_NOT_EVALUATE
    return code


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    """The arguments, of which `explain` takes requests before, between and after its options."""
    top = parser(given[0] if given else None)
    arguments, left = top.parse_known_args(given)
    if arguments.command == "explain" and not any(one.startswith("-") for one in left):
        arguments.requests = [*arguments.requests, *left]
    elif left:
        top.error(f"unrecognized arguments: {' '.join(left)}")
    return arguments


def _drop_output() -> None:
    """Lets what is still buffered for standard output go nowhere, so that the exit raises nothing."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
