"""Requests from the files and the standard input that a command line names."""

import os
import sys
from pathlib import Path

from infx_policy import documents, request
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.request import Request
from infx_policy.source import Source


def requests_in(name: str, number: int, faults: list[Fault]) -> tuple[list[Request], bool]:
    """The requests of a file, or of standard input where the name is `-`, and whether they are a list.

    `number` is the argument's place, for messages. Adds faults, and gives no request where there is one.
    """
    try:
        if name == "-":
            content, shown = _standard_input(), "standard input"
        elif not os.path.exists(name) and not name.endswith((".yaml", ".yml", ".json")) and os.sep not in name:
            raise InputError([fault(FaultCode.NOT_A_WORD, Source(f"argument {number}"), literal=name)])
        else:
            content, shown = documents.read_text(Path(name), name), name
        at = documents.parse(content, shown, "a request, a mapping of facts")
        return request.requests_of(at), at.is_list
    except InputError as error:
        faults.extend(error.faults)
        return [], False


def _standard_input() -> str:
    """All of standard input, which may be as large as a file."""
    name = "standard input"
    if sys.stdin is None:
        raise InputError([fault(FaultCode.UNREADABLE, Source(name), literal="-", what="it is closed")])
    data = sys.stdin.buffer.read(documents.LARGEST_FILE + 1)
    if len(data) > documents.LARGEST_FILE:
        literal = f"more than {documents.LARGEST_FILE}"
        raise InputError([fault(FaultCode.TOO_LARGE, Source(name), literal=literal, limit=documents.LARGEST_FILE)])
    return documents.decoded(data, name)
