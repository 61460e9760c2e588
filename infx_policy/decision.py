"""What was decided of a request, and why."""

from enum import Enum
from typing import Any

from attrs import frozen

from infx_policy.duration import Duration
from infx_policy.lane import Mount, Row
from infx_policy.policy import PolicyName
from infx_policy.reasons import Reason
from infx_policy.values import Value

RUN_KEY = "{run-key}"
"""The mark in a run root's path that launch fills in once."""
WORKSPACE = "{workspace}"
"""The mark for the runner's checkout, where the request does not state it."""


class Verdict(Enum):
    """Whether a request may be launched; undecided where facts that would tell are unstated."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    UNDECIDED = "undecided"


@frozen
class RunRoot:
    """Where a run lives: `shared` (every node sees it) or `workspace` (the runner's checkout).

    `root` is the record's shared run root; `rows` are the staging rows that hold.
    """

    kind: str
    root: str | None = None
    rows: tuple[Row, ...] = ()

    @property
    def path(self) -> str:
        """The directory, with a mark for what launch fills in."""
        return WORKSPACE if self.root is None else f"{self.root.rstrip('/')}/{RUN_KEY}"

    @property
    def because(self) -> str:
        """Why it lies there."""
        if self.rows:
            return " ".join(dict.fromkeys(row.because for row in self.rows))
        return "The nodes that run it see the runner's workspace."

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form."""
        rows = [row.label for row in self.rows]
        return {"kind": self.kind, "path": self.path, "rows": rows, "because": self.because}


NO_RUN_ROOT: dict[str, Any] = {"kind": None, "path": None, "rows": [], "because": None}


@frozen
class Setting:
    """A setting's value and the rows that give it; `undecided` where unstated facts would tell, and then
    `rows` are those that may hold.
    """

    name: str
    value: Any
    rows: tuple[Row, ...]
    undecided: bool = False

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form."""
        return {"value": wire(self.value), "undecided": self.undecided, "rows": _named(self.rows)}


@frozen
class Mounted:
    """A mount and the rows that give it; `undecided` where unstated facts would tell."""

    mount: Mount
    rows: tuple[Row, ...]
    undecided: bool = False

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form."""
        return {**self.mount.to_mapping(), "undecided": self.undecided, "rows": _named(self.rows)}


@frozen
class Considered:
    """A row and whether it holds: None where unstated facts would tell."""

    row: Row
    held: bool | None


@frozen
class Decision:
    """A verdict, its grounds, and what follows from it. Decisions are shared between requests that agree
    in the facts that rows read, so nothing in it is of one request alone; `facts` are those that were read.

    `lane`, `driver` and `run_root` are None where the verdict leaves them open. `admitted_by` are the admit
    rows that hold.
    """

    verdict: Verdict
    facts: tuple[tuple[str, Value], ...]
    policy: PolicyName
    cluster: str | None = None
    partition: str | None = None
    lane: str | None = None
    driver: str | None = None
    run_root: RunRoot | None = None
    admitted_by: tuple[Row, ...] = ()
    settings: tuple[Setting, ...] = ()
    mounts: tuple[Mounted, ...] = ()
    reasons: tuple[Reason, ...] = ()
    considered: tuple[Considered, ...] = ()

    def to_mapping(self) -> dict[str, Any]:
        """The part of explain's JSON that deciding alone gives, under the same keys."""
        return {
            "verdict": self.verdict.value,
            "cluster": self.cluster,
            "partition": self.partition,
            "lane": self.lane,
            "driver": self.driver,
            "run-root": {**NO_RUN_ROOT, "rows": []} if self.run_root is None else self.run_root.to_mapping(),
            "settings": {one.name: one.to_mapping() for one in self.settings},
            "mounts": [one.to_mapping() for one in self.mounts],
            "reasons": [one.to_mapping() for one in self.reasons],
            "policy": self.policy.to_mapping(),
        }


def _named(rows: tuple[Row, ...]) -> list[dict[str, str]]:
    return [{"row": row.label, "source": row.source.row} for row in rows]


def wire(value: Any) -> Any:
    """A setting's value as JSON holds it."""
    if isinstance(value, Duration):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
