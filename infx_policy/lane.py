"""Lanes and their rows: one cluster's rules for one launch path."""

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from infx_policy.match import Match
from infx_policy.source import Source

TAKES, ADMITS, REFUSES, STAGES, MOUNTS = "takes", "admits", "refuses", "shared-run-root", "mounts"
"""The sections of a lane that are no settings; each names what its rows do."""


@frozen
class Mount:
    """A volume of the record, mounted into the containers at `target`."""

    volume: str
    target: str
    world_writable: bool = False
    read_only: bool = False

    def to_mapping(self) -> dict[str, Any]:
        """The mount under its YAML keys."""
        return {
            "volume": self.volume,
            "target": self.target,
            "world-writable": self.world_writable,
            "read-only": self.read_only,
        }


@frozen(eq=False)
class Row:
    """A named Match with an effect, which its section names. `value` is a setting's value or a Mount.

    `written` is the `when` as it stands in the table; `waive` gives codes of findings that are accepted here, each
    with the reason.
    """

    cluster: str
    lane: str
    section: str
    name: str
    when: Match
    because: str
    source: Source
    contributor: str
    written: Any
    value: Any = None
    waive: Mapping[str, str] = field(factory=dict)

    @property
    def label(self) -> str:
        """`lane.section.name`, the name by which answers speak of the row."""
        return f"{self.lane}.{self.section}.{self.name}" if self.name else f"{self.lane}.{self.section}"


@frozen(eq=False, repr=False)
class Lane:
    """One cluster's rules for one launch path. Order of rows means nothing.

    `driver` is None where none is written. `instead_of` is the lane whose requests this one takes away.
    """

    cluster: str
    name: str
    source: Source
    contributor: str
    driver: str | None
    takes: Row
    instead_of: str | None = None
    admits: tuple[Row, ...] = ()
    refuses: tuple[Row, ...] = ()
    stages: tuple[Row, ...] = ()
    mounts: tuple[Row, ...] = ()
    settings: tuple[tuple[str, tuple[Row, ...]], ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every row of the lane, its `takes` first."""
        own = (self.takes, *self.admits, *self.refuses, *self.stages, *self.mounts)
        return own + tuple(row for _, rows in self.settings for row in rows)


def above(lane: Lane, lanes: tuple[Lane, ...]) -> tuple[Lane, ...]:
    """The lanes of `lanes` that take requests away from this one, through any number of `instead-of`."""
    found: list[Lane] = []
    wanted = [lane.name]
    while wanted:
        name = wanted.pop()
        for other in lanes:
            if other.instead_of == name and other not in found and other is not lane:
                found.append(other)
                wanted.append(other.name)
    return tuple(found)
