"""What goes to stdout and stderr."""

import errno
import io
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from infx_policy.errors import Fault, one_line, sentence

_CODES = {"admitted": "32", "refused": "31", "undecided": "33"}


def settle() -> None:
    """Makes both streams take any text: what their encoding has no letter for is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Data, to stdout; OSError where it takes none."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def write_json(data: Any, *, compact: bool = False) -> None:
    """A JSON document, to stdout; on one line where it is `compact`."""
    import json  # text, the usual format, does not pay for it

    write(json.dumps(data, separators=(",", ":") if compact else None, indent=None if compact else 2))


def report_error(message: str) -> None:
    """An expected failure, to stderr, as one line."""
    _report(f"ERROR: {one_line(message)}\n")


def report_faults(faults: Iterable[Fault], label: str = "ERROR") -> None:
    """One line a fault, to stderr."""
    for one in dict.fromkeys(faults):
        _report(f"{label}: {one_line(str(one.source))}: {sentence(one)} [{one.code.value}]\n")


def _report(line: str) -> None:
    """To stderr; where it takes nothing, the exit code still tells."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(line)
            sys.stderr.flush()


def is_coloured() -> bool:
    """Whether stdout is a terminal that takes colour and `NO_COLOR` is not set."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def coloured(verdict: str, text: str, is_on: bool) -> str:
    """Text in the colour of a verdict."""
    return f"\x1b[1;{_CODES[verdict]}m{text}\x1b[0m" if is_on else text
