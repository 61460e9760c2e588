"""Facts written as text without types: `key=value` words and environment variables.

Text needs no quotes here; each kind of fact has one grammar, the same for words and variables.
"""

import re

from infx_policy import documents
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.fact import Kind
from infx_policy.source import Source

FLAGS = {"true": True, "1": True, "false": False, "0": False}
"""The words of a flag, in any case."""
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)


def value_of(kind: Kind, text: str, source: Source, name: str, faults: list[Fault]) -> object:
    """The plain value of a fact of `kind` that `text` writes; adds a fault and gives None where it writes none."""
    match kind:
        case Kind.FLAG:
            flag = FLAGS.get(text.lower())
            if flag is None:
                expected = "`true`, `false`, `1` or `0`"
                faults.append(fault(FaultCode.NOT_A_BOOLEAN, source, name, literal=text, expected=expected))
            return flag
        case Kind.INTEGER:
            return _whole(text, source, name, faults)
        case Kind.INTEGERS if not text.startswith("["):
            numbers = [_whole(part, source, name, faults) for part in re.split(r"[\s,]+", text.strip()) if text]
            return None if None in numbers else numbers
        case Kind.TEXTS if not text.startswith("["):
            return [text] if text else []
        case Kind.INTEGERS | Kind.TEXTS | Kind.ROLES:
            return structured(text, source, faults)
    return text


def _whole(text: str, source: Source, name: str, faults: list[Fault]) -> int | None:
    if _WHOLE.fullmatch(text):
        return int(text)
    faults.append(fault(FaultCode.NOT_AN_INTEGER, source, name, literal=text))
    return None


def structured(text: str, source: Source, faults: list[Fault]) -> object:
    """The value of a text that is a JSON document."""
    try:
        at = documents.parse(text, source.file, "a JSON value")
    except InputError as error:
        faults.extend(error.faults)
        return None
    return documents.plain(at, faults, {})
