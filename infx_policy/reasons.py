"""Why a request is refused, as data; `sentence` makes the words."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from attrs import frozen

from infx_policy.errors import ticked
from infx_policy.source import Source


class ReasonCode(Enum):
    """Every reason for which a request is refused."""

    AMBIGUOUS_LANE = "ambiguous-lane"
    CONFLICTING_SETTING = "conflicting-setting"
    LANE_WITHOUT_DRIVER = "lane-without-driver"
    MODEL_MISMATCH = "model-mismatch"
    NO_ADMIT_ROW = "no-admit-row"
    NO_LANE = "no-lane"
    NO_RECIPE = "no-recipe"
    NO_SHARED_RUN_ROOT = "no-shared-run-root"
    NODE_LOCAL_RUN_ROOT = "node-local-run-root"
    REFUSED_BY_ROW = "refused-by-row"
    RUNNER_MISMATCH = "runner-mismatch"
    UNKNOWN_CLUSTER = "unknown-cluster"
    UNKNOWN_FRAMEWORK = "unknown-framework"
    UNKNOWN_MODEL_PREFIX = "unknown-model-prefix"
    UNKNOWN_PRECISION = "unknown-precision"
    UNKNOWN_RUNNER = "unknown-runner"
    UNKNOWN_SPEC_DECODING = "unknown-spec-decoding"


_UNKNOWN_WORD = "`{fact}` {word} is not in the vocabulary{nearest}; write a known word, or add it to `runners.yaml`"
SENTENCES: dict[ReasonCode, str] = {
    ReasonCode.AMBIGUOUS_LANE: "lanes {rows} both take it; narrow one `takes`, or write `instead-of` in one",
    ReasonCode.CONFLICTING_SETTING: "rows {rows} give {setting} different values ({values}); "
    "make their `when`s exclude each other",
    ReasonCode.LANE_WITHOUT_DRIVER: "lane `{lane}` names {driver}, which nothing declares; "
    "write one of {known}, or install the plugin that has it",
    ReasonCode.MODEL_MISMATCH: "row {rows} selects checkpoint `{checkpoint}` for model `{model}`; "
    "narrow its `when` to the models of that checkpoint",
    ReasonCode.NO_ADMIT_ROW: "no row of lane `{lane}` admits it{nearest}",
    ReasonCode.NO_LANE: "no lane of `{cluster}` takes it; its lanes are {lanes}",
    ReasonCode.NO_RECIPE: "a multi-node request needs one recipe; state `recipe` as `FILE` or `FILE:SELECTOR`",
    ReasonCode.NO_SHARED_RUN_ROOT: "compute nodes of `{cluster}` do not see the runner's workspace "
    "and {missing}{rows}; {remedy}",
    ReasonCode.NODE_LOCAL_RUN_ROOT: "the shared run root `{root}` of `{cluster}` lies on volume `{volume}` "
    "(`{path}`), which is {visibility}; name a folder that every node sees",
    ReasonCode.REFUSED_BY_ROW: "row {rows} refuses it: {because}",
    ReasonCode.RUNNER_MISMATCH: "runner `{runner}` belongs to cluster {owners}, not `{cluster}`; state one of the two",
    ReasonCode.UNKNOWN_CLUSTER: "no record of cluster {word}{nearest}; name a known cluster",
    ReasonCode.UNKNOWN_FRAMEWORK: _UNKNOWN_WORD,
    ReasonCode.UNKNOWN_MODEL_PREFIX: _UNKNOWN_WORD,
    ReasonCode.UNKNOWN_PRECISION: _UNKNOWN_WORD,
    ReasonCode.UNKNOWN_RUNNER: "runner {word} has no `cluster:` label{nearest}; name a known runner",
    ReasonCode.UNKNOWN_SPEC_DECODING: _UNKNOWN_WORD,
}
"""One sentence a code: what is wrong, then the remedy. The placeholders are the reason's details."""


@frozen
class Reason:
    """Why a request is refused: a code, the row and its place where one row decided, the facts it turned
    on with the request's values, and what else its sentence names.
    """

    code: ReasonCode
    row: str | None = None
    source: Source | None = None
    facts: tuple[tuple[str, Any], ...] = ()
    details: tuple[tuple[str, str], ...] = ()

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "code": self.code.value,
            "message": sentence(self),
            "row": self.row,
            "source": None if self.source is None else self.source.row,
            "facts": dict(self.facts),
        }


def reason(
    code: ReasonCode,
    row: str | None = None,
    source: Source | None = None,
    facts: Mapping[str, Any] | None = None,
    **details: str,
) -> Reason:
    """A reason whose details are given by name."""
    return Reason(code, row, source, tuple((facts or {}).items()), tuple(details.items()))


def sentence(one: Reason) -> str:
    """The reason in words, without its code."""
    words = dict(one.details)
    if "word" in words:
        words["word"] = ticked(words["word"])
        words["nearest"] = f" (did you mean `{words['nearest']}`?)" if words.get("nearest") else ""
    return SENTENCES[one.code].format(**words)
