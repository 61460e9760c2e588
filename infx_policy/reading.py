"""Plain values into typed ones, or a fault: what `documents.plain` gives, or plain Python."""

from collections.abc import Callable, Mapping

from infx_policy import documents
from infx_policy.documents import Unquoted
from infx_policy.errors import Fault, FaultCode, fault
from infx_policy.source import Source
from infx_policy.spelling import nearest


def text_of(value: object, path: str, place: Callable[[str], Source], found: list[Fault]) -> str | None:
    """Text, or a fault: what stands without quotes is no text where YAML reads something else."""
    if not isinstance(value, str):
        literal = shown(value)
        found.append(
            fault(
                FaultCode.NOT_TEXT,
                place(path),
                path,
                literal=literal,
                what=what(value),
                quoted=f"`{documents.quoted(literal)}`",
            )
        )
        return None
    if not value.isprintable():
        found.append(fault(FaultCode.CONTROL_CHARACTER, place(path), path, literal=value))
        return None
    return value


def flag_of(value: object, path: str, place: Callable[[str], Source], found: list[Fault]) -> bool | None:
    """A boolean, or a fault."""
    inner = value.value if isinstance(value, Unquoted) else value
    if isinstance(inner, bool):
        return inner
    literal = documents.quoted(value) if isinstance(value, str) else shown(value)
    found.append(
        fault(
            FaultCode.NOT_A_BOOLEAN,
            place(path),
            path,
            literal=literal,
            expected="`true` or `false`, without quotes",
        )
    )
    return None


def whole_of(value: object, path: str, place: Callable[[str], Source], found: list[Fault]) -> int | None:
    """A whole number of zero or more, or a fault."""
    inner = value.value if isinstance(value, Unquoted) else value
    if isinstance(inner, bool) or not isinstance(inner, int):
        literal = documents.quoted(value) if isinstance(value, str) else shown(value)
        found.append(fault(FaultCode.NOT_AN_INTEGER, place(path), path, literal=literal))
        return None
    if inner < 0:
        found.append(fault(FaultCode.NEGATIVE, place(path), path, literal=str(inner), limit=0))
        return None
    return inner


def one_of(
    word: str, words: tuple[str, ...], path: str, place: Callable[[str], Source], found: list[Fault]
) -> str | None:
    """The word if it is one of `words`, else None and a fault that names the nearest."""
    if word in words:
        return word
    expected = ", ".join(f"`{known}`" if known else '`""`' for known in words)
    near = nearest(word, words)
    found.append(fault(FaultCode.NOT_ONE_OF, place(path), path, literal=word, expected=expected, nearest=near))
    return None


def what(value: object) -> str:
    """What a value is, for messages."""
    if isinstance(value, Unquoted):
        return value.what
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple | set | frozenset):
        return "a list"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    return "nothing" if value is None else "text" if isinstance(value, str) else f"a {type(value).__name__}"


def shown(value: object) -> str:
    """A value as it was written, as far as that is known."""
    if isinstance(value, Mapping):
        return "{...}" if value else "{}"
    if isinstance(value, list | tuple):
        return "[...]" if value else "[]"
    return str(value).lower() if isinstance(value, bool) else str(value)
