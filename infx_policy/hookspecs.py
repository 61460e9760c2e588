"""The hooks of a plugin, entry-point group `infx_policy`. Hooks return values and are collected, or are
told of something; none runs inside `decide`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from infx_policy.decision import Decision
    from infx_policy.driver import Driver
    from infx_policy.verification import Invariant

GROUP = "infx_policy"
hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)
"""Marks a plugin's functions as hooks."""


@hookspec
def infx_clusters() -> "Path | Sequence[Path]":  # type: ignore[empty-body]
    """Folders whose `runners.yaml` adds cluster records, labels and words."""


@hookspec
def infx_lanes() -> "Path | Sequence[Path]":  # type: ignore[empty-body]
    """Folders whose `lanes/*.yaml` adds lanes."""


@hookspec
def infx_drivers() -> "Sequence[Driver]":  # type: ignore[empty-body]
    """Declarations of drivers."""


@hookspec
def infx_invariants() -> "Sequence[Invariant]":  # type: ignore[empty-body]
    """Invariants that verify checks beside its own."""


@hookspec
def infx_decided(decision: "Decision") -> None:
    """A decision was made; what the hook does changes nothing of it."""
