"""What verify finds in a policy, as data; `sentence` makes the words."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from attrs import frozen

from infx_policy.source import Source


class Severity(Enum):
    """How much a finding weighs: only errors make verify fail (with `--strict`, warnings too)."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FindingCode(Enum):
    """Every kind of finding; `docs/verify.md` lists them."""

    AMBIGUOUS_LANE = "ambiguous-lane"
    CONFLICTING_SETTING = "conflicting-setting"
    DEAD_VOCABULARY = "dead-vocabulary"
    DUPLICATE_ROW = "duplicate-row"
    LABEL_CONTRADICTION = "label-contradiction"
    LANE_WITHOUT_DRIVER = "lane-without-driver"
    NODE_LOCAL_RUN_ROOT = "node-local-run-root"
    RUNNER_IN_TWO_CLUSTERS = "runner-in-two-clusters"
    SETTING_MISSING = "setting-missing"
    SETTING_UNREAD = "setting-unread"
    SHADOWED_SETTING = "shadowed-setting"
    STAGED_WITHOUT_ROOT = "staged-without-root"
    TWO_MODELS_ONE_KEY = "two-models-one-key"
    UNKNOWN_VALUE = "unknown-value"
    UNREACHABLE_ROW = "unreachable-row"
    UNREACHED_ROW = "unreached-row"
    UNSTAGED_ADMISSION = "unstaged-admission"
    UNUSED_VALUE = "unused-value"
    VOLUME_MISSING = "volume-missing"
    VOLUME_NOT_VISIBLE = "volume-not-visible"
    WAIVER_UNUSED = "waiver-unused"


SEVERITIES: dict[FindingCode, Severity] = {
    FindingCode.AMBIGUOUS_LANE: Severity.ERROR,
    FindingCode.CONFLICTING_SETTING: Severity.ERROR,
    FindingCode.DEAD_VOCABULARY: Severity.NOTE,
    FindingCode.DUPLICATE_ROW: Severity.WARNING,
    FindingCode.LABEL_CONTRADICTION: Severity.ERROR,
    FindingCode.LANE_WITHOUT_DRIVER: Severity.ERROR,
    FindingCode.NODE_LOCAL_RUN_ROOT: Severity.ERROR,
    FindingCode.RUNNER_IN_TWO_CLUSTERS: Severity.ERROR,
    FindingCode.SETTING_MISSING: Severity.ERROR,
    FindingCode.SETTING_UNREAD: Severity.WARNING,
    FindingCode.SHADOWED_SETTING: Severity.ERROR,
    FindingCode.STAGED_WITHOUT_ROOT: Severity.ERROR,
    FindingCode.TWO_MODELS_ONE_KEY: Severity.ERROR,
    FindingCode.UNKNOWN_VALUE: Severity.ERROR,
    FindingCode.UNREACHABLE_ROW: Severity.WARNING,
    FindingCode.UNREACHED_ROW: Severity.NOTE,
    FindingCode.UNSTAGED_ADMISSION: Severity.ERROR,
    FindingCode.UNUSED_VALUE: Severity.WARNING,
    FindingCode.VOLUME_MISSING: Severity.ERROR,
    FindingCode.VOLUME_NOT_VISIBLE: Severity.ERROR,
    FindingCode.WAIVER_UNUSED: Severity.WARNING,
}

SENTENCES: dict[FindingCode, str] = {
    FindingCode.AMBIGUOUS_LANE: "lanes {rows} both take one request; narrow one `takes`, or write `instead-of` in one",
    FindingCode.CONFLICTING_SETTING: "rows {rows} give {setting} of one request different values ({values}); "
    "make their `when`s exclude each other",
    FindingCode.DEAD_VOCABULARY: "no lane admits a request whose {fact} is `{word}`; admit one, or take the word out",
    FindingCode.DUPLICATE_ROW: "rows {rows} match the same requests with the same effect; keep one",
    FindingCode.LABEL_CONTRADICTION: "{what}; {remedy}",
    FindingCode.LANE_WITHOUT_DRIVER: "lane `{lane}` names {driver}, which nothing declares; write one of {known}",
    FindingCode.NODE_LOCAL_RUN_ROOT: "the shared run root `{root}` of `{cluster}` lies on volume `{volume}` "
    "(`{path}`), which is {visibility}; name a folder that every node sees",
    FindingCode.RUNNER_IN_TWO_CLUSTERS: "runner `{runner}` stands under {labels}; keep it under one",
    FindingCode.SETTING_MISSING: "record `{cluster}` has no `{setting}`, which driver `{driver}` of lane `{lane}` "
    "requires; write it",
    FindingCode.SETTING_UNREAD: "driver `{driver}` of lane `{lane}` does not read `{setting}`; take the rows out",
    FindingCode.SHADOWED_SETTING: "row {rows} can never act, since record `{cluster}` fixes `{key}` {value}; "
    "take one of the two out",
    FindingCode.STAGED_WITHOUT_ROOT: "row {rows} stages, and record `{cluster}` has no `shared-run-root`; write it",
    FindingCode.TWO_MODELS_ONE_KEY: "{what} for several models ({models}); {remedy}",
    FindingCode.UNKNOWN_VALUE: "row {rows} names `{word}`, which is no known {fact}{nearest}; write a known word",
    FindingCode.UNREACHABLE_ROW: "row {rows} can never act: {why}; take it out, or widen what it depends on",
    FindingCode.UNREACHED_ROW: "no given request reaches row {rows}; the smallest that would is the witness",
    FindingCode.UNSTAGED_ADMISSION: "row {rows} admits requests where {when}, which no `shared-run-root` row of lane "
    "`{lane}` stages, and compute nodes of `{cluster}` do not see the workspace; {remedy}",
    FindingCode.UNUSED_VALUE: "row {rows} names {fact} `{word}`, with which it can never act; take the word out",
    FindingCode.VOLUME_MISSING: "row {rows} mounts volume `{volume}`, which record `{cluster}` lacks{nearest}; add it",
    FindingCode.VOLUME_NOT_VISIBLE: "row {rows} mounts volume `{volume}` of `{cluster}`, which compute nodes "
    "do not see; mount one that they see",
    FindingCode.WAIVER_UNUSED: "{where} waives `{waived}`, and no such finding is there{nearest}; take the waiver out",
}
"""One sentence a code, with its remedy. The placeholders are the finding's details."""


@frozen
class Finding:
    """One thing that verify found: where, a witness request that shows it where there is one, and the
    reason with which the tables waive it, where they do.
    """

    code: str
    severity: Severity
    source: Source
    row: str | None = None
    details: tuple[tuple[str, str], ...] = ()
    witness: tuple[tuple[str, Any], ...] | None = None
    waived: str | None = None
    said: str = ""
    paste: str = ""

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": sentence(self),
            "row": self.row,
            "source": self.source.row,
            "witness": None if self.witness is None else dict(self.witness),
            "waived": self.waived,
            "paste": self.paste or None,
        }


def finding(
    code: FindingCode,
    source: Source,
    row: str | None = None,
    witness: Mapping[str, Any] | None = None,
    paste: str = "",
    **details: str,
) -> Finding:
    """A finding whose details are given by name, of its code's severity."""
    shown = None if witness is None else tuple(witness.items())
    return Finding(code.value, SEVERITIES[code], source, row, tuple(details.items()), shown, paste=paste)


def sentence(one: Finding) -> str:
    """The finding in words; what a plugin's invariant said itself stands as it is."""
    if one.said:
        return one.said
    words = dict(one.details)
    if "nearest" in words:
        words["nearest"] = f" (did you mean `{words['nearest']}`?)" if words["nearest"] else ""
    return SENTENCES[FindingCode(one.code)].format(**words)
