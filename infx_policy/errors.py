"""What was wrong with an input, as data; `sentence` makes the words.

Nothing here stops at the first fault: whoever reads an input collects every `Fault` of it and raises
one `InputError`.
"""

from collections.abc import Iterable
from enum import Enum

from attrs import frozen

from infx_policy.source import Source


class FaultCode(Enum):
    """What kind of fault it is; the value is printed in brackets after each `ERROR:` line."""

    ALIAS_TOO_LARGE = "alias-too-large"
    BYTE_ORDER_MARK = "byte-order-mark"
    CONTRADICTION = "contradiction"
    CONTROL_CHARACTER = "control-character"
    DUPLICATE_CLAIM = "duplicate-claim"
    DUPLICATE_KEY = "duplicate-key"
    DURATION_INVALID = "duration-invalid"
    DURATION_NOT_TEXT = "duration-not-text"
    EMPTY_FILE = "empty-file"
    EMPTY_LIST = "empty-list"
    EXTENDS_CYCLE = "extends-cycle"
    INSTEAD_OF_CYCLE = "instead-of-cycle"
    INSTEAD_OF_UNKNOWN = "instead-of-unknown"
    MERGE_KEY = "merge-key"
    MISSING_BECAUSE = "missing-because"
    MISSING_KEY = "missing-key"
    MISSING_WHEN = "missing-when"
    NEGATIVE = "negative"
    NOT_A_BOOLEAN = "not-a-boolean"
    NOT_A_CONDITION = "not-a-condition"
    NOT_A_FILE = "not-a-file"
    NOT_A_LIST = "not-a-list"
    NOT_A_MAPPING = "not-a-mapping"
    NOT_A_WORD = "not-a-word"
    NOT_ABSOLUTE = "not-absolute"
    NOT_AN_INTEGER = "not-an-integer"
    NOT_FOUND = "not-found"
    NOT_ONE_OF = "not-one-of"
    NOT_TEXT = "not-text"
    NOT_UTF8 = "not-utf8"
    PLUGIN_BROKEN = "plugin-broken"
    SYNTAX = "syntax"
    TOO_DEEP = "too-deep"
    TOO_LARGE = "too-large"
    UNKNOWN_CLUSTER = "unknown-cluster"
    UNKNOWN_KEY = "unknown-key"
    UNREADABLE = "unreadable"
    WRONG_KIND = "wrong-kind"


SENTENCES: dict[FaultCode, str] = {
    FaultCode.ALIAS_TOO_LARGE: "aliases unfold to more than {limit} values; write them out, or alias less",
    FaultCode.BYTE_ORDER_MARK: "the file begins with a byte order mark; save it as UTF-8 without one",
    FaultCode.CONTRADICTION: "{literal} contradicts {other}; keep one of the two",
    FaultCode.CONTROL_CHARACTER: "{literal} holds a control character; write it without",
    FaultCode.DUPLICATE_CLAIM: "{what} {literal} is claimed by {other} and by {claimant}; uninstall one of the two",
    FaultCode.DUPLICATE_KEY: "{literal} is written twice (first at {other}{values}); keep one of the two",
    FaultCode.DURATION_INVALID: '{literal} is no duration; write `"H:MM:SS"`, `"MM:SS"`, `"D-H"`, `"D-H:MM"` or '
    '`"D-H:MM:SS"`, more than zero',
    FaultCode.DURATION_NOT_TEXT: "{literal} is read as a number without quotes; write {quoted}, as `H:MM:SS`",
    FaultCode.EMPTY_FILE: "the file is empty; write {expected}",
    FaultCode.EMPTY_LIST: "an empty list matches nothing; name a value, or leave the key out",
    FaultCode.EXTENDS_CYCLE: "`extends` leads back to this folder through {literal}; extend another",
    FaultCode.INSTEAD_OF_CYCLE: "`instead-of` leads back to this lane: {literal}; break the circle",
    FaultCode.INSTEAD_OF_UNKNOWN: "no lane {literal} is written for this cluster{nearest}",
    FaultCode.MERGE_KEY: "merge keys (`<<`) are refused in tables; write the keys out",
    FaultCode.MISSING_BECAUSE: "row {literal} has no `because`; say in one sentence why it is there",
    FaultCode.MISSING_KEY: "{literal} is missing; write it",
    FaultCode.MISSING_WHEN: "{literal} has no `{key}`; write its condition, or `{key}: all` for every request",
    FaultCode.NEGATIVE: "{literal} is less than {limit}; write {limit} or more",
    FaultCode.NOT_A_BOOLEAN: "{literal} is no flag; write {expected}",
    FaultCode.NOT_A_CONDITION: "{literal} is no condition; write {expected}",
    FaultCode.NOT_A_FILE: "{literal} is {what}, not a file; name a file",
    FaultCode.NOT_A_LIST: "{literal} is {what}; write a list, as `[{example}]`",
    FaultCode.NOT_A_MAPPING: "{literal} is {what}; write a mapping of {expected}",
    FaultCode.NOT_A_WORD: "{literal} is no `key=value` word and no file; write `fact=value`, or name a file",
    FaultCode.NOT_ABSOLUTE: "{literal} is no absolute path; write one that begins with `/`",
    FaultCode.NOT_AN_INTEGER: "{literal} is no whole number; write one, as `8`",
    FaultCode.NOT_FOUND: "{literal} is not there; name {expected}",
    FaultCode.NOT_ONE_OF: "{literal} is not one of {expected}{nearest}",
    FaultCode.NOT_TEXT: "{literal} is read as {what} without quotes; write {quoted}",
    FaultCode.NOT_UTF8: "the file is not UTF-8 text; save it as UTF-8",
    FaultCode.PLUGIN_BROKEN: "plugin {literal} failed: {what}; mend or uninstall it, or pass `--skip-broken-plugins`",
    FaultCode.SYNTAX: "{what}; {remedy}",
    FaultCode.TOO_DEEP: "values are nested more than {limit} deep; write them flatter",
    FaultCode.TOO_LARGE: "the file has {literal} bytes, more than {limit}; no table is that large",
    FaultCode.UNKNOWN_CLUSTER: "no record of cluster {literal}{nearest}; add one under `clusters` in `runners.yaml`",
    FaultCode.UNKNOWN_KEY: "{literal} is no key of {what}{nearest}",
    FaultCode.UNREADABLE: "{literal} can't be read: {what}",
    FaultCode.WRONG_KIND: "{literal} is {what}; this place takes {expected}",
}
"""One sentence a code: what is wrong, then the remedy. `{literal}` and the rest come from the fault."""


@frozen
class Fault:
    """One thing wrong with an input.

    `path` is the dotted way to it inside its document (empty at the top); `details` fill the
    sentence of its code; `literal`, the offending text as it was written, is one of them.
    """

    code: FaultCode
    source: Source
    path: str = ""
    details: tuple[tuple[str, object], ...] = ()

    @property
    def literal(self) -> str | None:
        """The offending text as written, where there is one."""
        found = dict(self.details).get("literal")
        return None if found is None else str(found)


def fault(code: FaultCode, source: Source, path: str = "", **details: object) -> Fault:
    """A fault whose details are given by name."""
    return Fault(code, source, path, tuple(details.items()))


_VERBATIM = {"what", "expected", "limit", "key", "example", "remedy", "other", "values", "quoted", "nearest"}


def sentence(one: Fault) -> str:
    """The fault in words: what is wrong, where in the document, and the remedy; no file name."""
    details = {name: str(value) for name, value in one.details}
    words = {name: value if name in _VERBATIM else ticked(value) for name, value in details.items()}
    near = details.get("nearest", "")
    words["nearest"] = f"; did you mean `{near}`?" if near and near != "None" else ""
    if one.code is FaultCode.UNKNOWN_KEY and not words["nearest"]:
        words["nearest"] = f"; known are {details['expected']}"
    words.setdefault("values", "")
    text = SENTENCES[one.code].format(**words)
    at = f" (at `{one.path}`)" if one.path and one.path != one.literal else ""
    return one_line(f"{text}{at}")


def one_line(text: str) -> str:
    """Text without control characters: they are written as escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def ticked(text: str) -> str:
    """Input between backticks, on one line and of bounded length."""
    return f"`{one_line(text[:200])}...`" if len(text) > 200 else f"`{one_line(text)}`"


class InputError(ValueError):
    """An input can't be evaluated; `faults` holds everything that is wrong with it, in order of place."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        return "\n".join(f"{one.source}: {sentence(one)} [{one.code.value}]" for one in self.faults)
