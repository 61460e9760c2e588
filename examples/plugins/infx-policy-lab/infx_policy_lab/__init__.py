"""The lab: two machines that are reached by ssh, with a shared disk."""

from collections import Counter
from pathlib import Path

from infx_policy import Decision
from infx_policy.driver import TIME_LIMIT, Driver
from infx_policy.hookspecs import hookimpl

TABLES = Path(__file__).parent / "tables"
DECIDED: Counter[str] = Counter()
"""How many decisions of each verdict the command line has made in this process."""


@hookimpl
def infx_clusters() -> Path:
    return TABLES


@hookimpl
def infx_lanes() -> Path:
    return TABLES


@hookimpl
def infx_drivers() -> list[Driver]:
    return [Driver("lab-ssh", compute_nodes=True, consumes=(TIME_LIMIT,))]


@hookimpl
def infx_decided(decision: Decision) -> None:
    DECIDED[decision.verdict.value] += 1
