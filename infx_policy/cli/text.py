"""A decision as one screen for a person: the verdict, the row, the fact, the remedy."""

import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from infx_policy.cli.output import coloured
from infx_policy.decision import WORKSPACE, Considered, Verdict, wire
from infx_policy.documents import quoted
from infx_policy.errors import one_line
from infx_policy.explanation import Explanation, known_facts
from infx_policy.lane import ADMITS, STAGES, TAKES, Row
from infx_policy.loading import BUNDLED
from infx_policy.reasons import ReasonCode, sentence
from infx_policy.refusal import condition_in_words, flow, in_words, marks, nearest_rows
from infx_policy.request import Request

_LABEL = 17
_WIDTH = 118


def screen(one: Explanation, again: Sequence[str], *, every: bool, colour: bool) -> str:
    """The whole answer. `again` are the arguments that ask for it once more."""
    decision = one.decision
    where = " ".join(part for part in (decision.cluster, decision.lane) if part)
    head = coloured(decision.verdict.value, decision.verdict.value.upper(), colour)
    lines = [f"{head}  {where or 'cluster open'}"]
    body = {Verdict.ADMITTED: _admitted, Verdict.REFUSED: _refused, Verdict.UNDECIDED: _undecided}
    lines += body[decision.verdict](one)
    if one.request.defaults:
        stated = one.request.to_mapping()
        named = ", ".join(f"{name}={in_words(stated[name])}" for name in one.request.defaults)
        lines += _entry("defaults", f"{named} (the workflow's, stated by no one)")
    for note in one.notes:
        lines += _entry("note", note)
    if every:
        lines += _every(one)
    lines += _entry("policy", f"{decision.policy.root}, {decision.policy.digest[:19]}")
    lines.append(_indent("again", f"python -m infx_policy explain {_again(one, again)}"))
    return "\n".join([lines[0], *(one_line(line) for line in lines[1:])]) + "\n"


def summary(explained: Iterable[Explanation]) -> str:
    """The line under several answers."""
    counts = Counter(each.decision.verdict.value for each in explained)
    named = ", ".join(f"{counts[verdict.value]} {verdict.value}" for verdict in Verdict)
    return f"{sum(counts.values())} requests: {named}"


def _indent(label: str, text: str) -> str:
    return f"  {label:<{_LABEL}}{text}"


def _entry(label: str, text: str) -> list[str]:
    """A labelled entry, wrapped with a hanging indent; no long name is broken."""
    wrapped = textwrap.wrap(text, _WIDTH - _LABEL - 2, break_long_words=False, break_on_hyphens=False) or [""]
    return [_indent(label, wrapped[0]), *(_indent("", line) for line in wrapped[1:])]


def _row(row: Row) -> str:
    by = "" if row.contributor == "bundled tables" else f", of {row.contributor}"
    return f"{row.label} ({row.source.row}{by})"


def _admitted(one: Explanation) -> list[str]:
    decision = one.decision
    lines: list[str] = []
    for row in decision.admitted_by:
        lines += _entry("admitted by", f"{_row(row)}, when {flow(row.written)}")
        lines += _entry("", row.because)
    return lines + _placed(one)


def _placed(one: Explanation) -> list[str]:
    """What follows from a verdict that is no refusal."""
    decision = one.decision
    lines: list[str] = []
    if decision.run_root is not None:
        path = decision.run_root.path
        path = one.request.workspace or path if path == WORKSPACE else path
        lines += _entry("run root", f"{decision.run_root.kind}: {path}")
        for row in decision.run_root.rows:
            lines += _entry("", _row(row))
        lines += _entry("", decision.run_root.because)
    if decision.driver is not None:
        lines += _entry("driver", f"{decision.driver}, partition {decision.partition or 'open'}")
    if one.time_limit is not None:
        lines += _entry("time limit", _time_limit(one))
    for setting in decision.settings:
        if setting.name != "time-limit":
            rows = "; ".join(_row(row) for row in setting.rows)
            value = "undecided" if setting.undecided else _value(setting.value)
            lines += _entry(setting.name.replace("-", " "), f"{value}, by {rows}")
    for mounted in decision.mounts:
        mount = mounted.mount
        flags = [name for name, on in (("world-writable", mount.world_writable), ("read-only", mount.read_only)) if on]
        how = f" ({', '.join(flags)})" if flags else ""
        unsure = "undecided: " if mounted.undecided else ""
        rows = "; ".join(_row(row) for row in mounted.rows)
        lines += _entry("mount", f"{unsure}{mount.volume} -> {mount.target}{how}, by {rows}")
    return lines


def _value(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else in_words(wire(value))


def _time_limit(one: Explanation) -> str:
    limit = one.time_limit
    assert limit is not None
    said = limit.to_mapping()
    lane = "none" if limit.lane is None else said["candidates"]["lane"] or "undecided"
    recipe = said["candidates"]["recipe"] or ("not read" if one.request.recipe else "none")
    others = [f"recipe {recipe}", f"cluster {said['candidates']['cluster'] or 'none'}", f"lane {lane}"]
    others.append(f"request {said['candidates']['request'] or 'none'}")
    value = said["value"] or ("undecided" if said["undecided"] else "none is set; state `time-limit-minutes`")
    source = f", from the {said['from']}" if said["from"] else ""
    rows = f", by {'; '.join(_row(row) for row in limit.lane.rows)}" if limit.lane and said["from"] == "lane" else ""
    return f"{value}{source}{rows} ({', '.join(others)})"


def _refused(one: Explanation) -> list[str]:
    lines: list[str] = []
    for reason in one.decision.reasons:
        lines += _entry("because", f"{sentence(reason)} [{reason.code.value}]")
    facts = known_facts(one.decision)
    near = _near(one)
    for index, row in enumerate(near):
        lines += _entry("nearest rows" if index == 0 else "", f"{_row(row)}, when {flow(row.written)}")
        lines += _marked(row, facts)
    for index, change in enumerate(one.nearest):
        shown = change.to_mapping()
        named = " and ".join(f"{name} {in_words(allowed)}" for name, allowed in shown["facts"].items())
        lines += _entry("would do" if index == 0 else "", f"{named} (lane {change.lane})")
    if not one.nearest:
        lines += _entry("would do", "no change of facts is admitted: the tables have to change")
    return lines


def _near(one: Explanation) -> list[Row]:
    """The rows that came nearest to the effect that was wanting."""
    facts = known_facts(one.decision)
    sections = {
        ReasonCode.NO_LANE: TAKES,
        ReasonCode.NO_ADMIT_ROW: ADMITS,
        ReasonCode.NO_SHARED_RUN_ROOT: STAGES,
    }
    found: list[Row] = []
    for code in dict.fromkeys(reason.code for reason in one.decision.reasons):
        if code in sections:
            rows = [
                each.row
                for each in one.decision.considered
                if each.row.section == sections[code] and each.row.lane == (one.decision.lane or each.row.lane)
            ]
            found += nearest_rows(rows, facts)
    named = {reason.row for reason in one.decision.reasons if reason.code is ReasonCode.REFUSED_BY_ROW}
    found += [each.row for each in one.decision.considered if each.row.label in named]
    return list(dict.fromkeys(found))


def _marked(row: Row, facts: Mapping[str, Any]) -> list[str]:
    words = {True: "held", False: "missed", None: "open"}
    lines: list[str] = []
    for mark in marks(row, facts):
        got = "is not stated" if mark.value is None else f"is {in_words(mark.value)}"
        wants = "" if mark.held else f", wants {in_words(mark.wanted)}"
        lines.append(_indent("", f"  {words[mark.held]:<7} {mark.fact.name} {got}{wants}"))
    return lines


def _undecided(one: Explanation) -> list[str]:
    lines: list[str] = []
    for index, each in enumerate(one.residual):
        to = f"lane {each.lane}, run root {each.run_root}"
        lines += _entry("admitted when" if index == 0 else "or when", f"{condition_in_words(each.when)} ({to})")
    lines += _entry("", "refused otherwise")
    return lines + _placed(one)


def _every(one: Explanation) -> list[str]:
    words = {True: "holds", False: "misses", None: "open"}
    facts = known_facts(one.decision)
    lines: list[str] = []
    for each in one.decision.considered:
        lines += _entry(words[each.held], f"{_row(each.row)}, when {flow(each.row.written)}")
        lines += _marked(each.row, facts) if not _is_plain(each) else []
    return lines


def _is_plain(each: Considered) -> bool:
    return each.held is True and not each.row.when.facts()


def _again(one: Explanation, again: Sequence[str]) -> str:
    root = one.decision.policy.root
    return " ".join(shlex.quote(word) for word in [*again, *([] if root == BUNDLED else ["--policy", root])])


def words_of(request: Request) -> list[str]:
    """The `key=value` words that state a request again."""
    found: list[str] = []
    for name, value in request.to_mapping().items():
        if isinstance(value, dict):
            found += [
                f"roles.{role}.{size}={in_words(given)}"
                for role, sizes in value.items()
                for size, given in sizes.items()
            ]
        elif isinstance(value, list) and name == "settings":
            found.append(f"{name}=[{', '.join(quoted(one) for one in value)}]")
        elif isinstance(value, list):
            found.append(f"{name}={','.join(map(str, value))}")
        else:
            found.append(f"{name}={'' if value == '' else in_words(value)}")
    return found
