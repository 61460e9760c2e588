"""Findings in the formats that people, programs, GitHub and SARIF viewers read."""

import shlex
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from infx_policy.findings import Finding, Severity, sentence
from infx_policy.refusal import in_words

FORMATS = ("text", "json", "github", "sarif", "markdown")
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_WIDTH = 118


def counted(found: Sequence[Finding]) -> str:
    """How many of each severity stand, and how many are waived."""
    counts = Counter(one.severity for one in found if one.waived is None)
    named = [f"{counts[one]} {one.value}{'' if counts[one] == 1 else 's'}" for one in Severity]
    waived = sum(one.waived is not None for one in found)
    return f"{', '.join(named)}; {waived} waived"


def again(witness: Mapping[str, Any]) -> str:
    """The `key=value` words of a witness request."""
    words = [f"{name}={'' if value == '' else in_words(value)}" for name, value in witness.items()]
    return " ".join(shlex.quote(word) for word in words)


def text(found: Sequence[Finding]) -> str:
    """Each finding with its place, sentence, witness, and the row to paste."""
    return "\n".join(_text(one) for one in found)


def _text(one: Finding) -> str:
    head = f"{_mark(one)} {one.code}  {one.source.row}{f'  {one.row}' if one.row else ''}"
    if one.waived is not None:
        return "\n".join([head, *_wrapped(one.waived)])
    lines = [head, *_wrapped(sentence(one))]
    if one.witness is not None:
        lines += [f"  witness: {again(dict(one.witness))}"]
    if one.paste:
        lines += ["  paste:", *one.paste.rstrip("\n").splitlines()]
    return "\n".join(lines)


def _mark(one: Finding) -> str:
    return "waived" if one.waived is not None else one.severity.value


def _wrapped(words: str) -> list[str]:
    return textwrap.wrap(
        words, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def github(found: Sequence[Finding]) -> str:
    """Workflow commands that annotate the lines of a pull request; waived findings are left out."""
    kinds = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
    return "\n".join(
        f"::{kinds[one.severity]} file={_escaped(one.source.file, ',:')},line={one.source.line or 1},"
        f"title={_escaped(one.code, ',:')}::{_escaped(sentence(one))}"
        for one in found
        if one.waived is None
    )


def _escaped(words: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        words = words.replace(char, f"%{ord(char):02X}")
    return words


def sarif(found: Sequence[Finding]) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run."""
    codes = sorted({one.code for one in found})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "infx-policy", "rules": [{"id": code} for code in codes]}},
                "results": [_result(one) for one in found],
            }
        ],
    }


def _result(one: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": one.source.file}}
    if one.source.line is not None:
        column = {} if one.source.column is None else {"startColumn": one.source.column}
        place["region"] = {"startLine": one.source.line, **column}
    suppressed = [] if one.waived is None else [{"kind": "inSource", "justification": one.waived}]
    return {
        "ruleId": one.code,
        "level": _LEVELS[one.severity],
        "message": {"text": sentence(one)},
        "locations": [{"physicalLocation": place}],
        "suppressions": suppressed,
        "properties": {"witness": None if one.witness is None else dict(one.witness)},
    }


def markdown(found: Sequence[Finding]) -> str:
    """A table for a pull request, each witness folded below it."""
    if not found:
        return "No findings."
    lines = ["| | code | row | finding |", "|---|---|---|---|"]
    for one in found:
        row = f"`{one.row}` " if one.row else ""
        lines.append(f"| {_mark(one)} | `{one.code}` | {row}{one.source.row} | {_cell(sentence(one))} |")
    for one in [each for each in found if each.witness is not None and each.waived is None]:
        lines += ["", f"<details><summary>witness of {one.code}, {one.source.row}</summary>", "", "```"]
        lines += [f"python -m infx_policy explain {again(dict(one.witness or ()))}", "```", ""]
        if one.paste:
            lines += ["```yaml", one.paste.rstrip("\n"), "```", ""]
        lines += ["</details>"]
    return "\n".join(lines)


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("\n", " ")
