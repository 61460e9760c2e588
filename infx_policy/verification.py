"""Verifying a policy: what must hold over all requests, not over samples that somebody thought of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from infx_policy.findings import Finding, FindingCode, Severity, finding
from infx_policy.invariants import LANE_INVARIANTS, scopes
from infx_policy.policy import Policy
from infx_policy.record_invariants import POLICY_INVARIANTS, REQUEST_INVARIANTS
from infx_policy.request import Request
from infx_policy.source import Source
from infx_policy.spelling import nearest

_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


@frozen(eq=False)
class Invariant:
    """A plugin's own invariant: its findings' code, and what yields them from a policy."""

    code: str
    check: Callable[[Policy], Iterable[Finding]]


def verify(
    policy: Policy, requests: Sequence[Request] = (), invariants: Sequence[Invariant] = ()
) -> tuple[Finding, ...]:
    """Every finding of the policy, errors first; a waived one carries its reason.

    `requests` are those of a corpus: with them, rows that none reaches and checkpoints that serve several
    models are found. `invariants` are plugins'. A witness that `decide` does not confirm raises
    AssertionError: it would be a fault of this library.
    """
    found: list[Finding] = []
    for scope in scopes(policy):
        for lane_invariant in LANE_INVARIANTS:
            found.extend(lane_invariant(scope))
    for policy_invariant in POLICY_INVARIANTS:
        found.extend(policy_invariant(policy))
    for request_invariant in REQUEST_INVARIANTS if requests else ():
        found.extend(request_invariant(policy, requests))
    for own in invariants:
        found.extend(evolve(one, code=own.code) for one in own.check(policy))
    return _ordered(_waived(policy, list(dict.fromkeys(found))))


def _ordered(found: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=_place))


def _place(one: Finding) -> tuple[Any, ...]:
    where = (one.source.file, one.source.line or 0, one.code, one.details)
    return (one.waived is not None, _WEIGHT[one.severity], *where)


def _waivers(policy: Policy) -> dict[Source, tuple[str, Mapping[str, str]]]:
    """What each row and record waives, by its place."""
    rows = {
        row.source: (f"row `{row.label}`", row.waive)
        for lanes in policy.lanes.values()
        for lane in lanes
        for row in lane.rows
        if row.waive
    }
    records = {
        one.source: (f"record `{one.name}`", one.waive) for one in policy.inventory.clusters.values() if one.waive
    }
    return {**rows, **records}


def _waived(policy: Policy, found: list[Finding]) -> list[Finding]:
    waivers = _waivers(policy)
    answered: list[Finding] = []
    used: set[tuple[Source, str]] = set()
    for one in found:
        reason = waivers.get(one.source, ("", {}))[1].get(one.code)
        used.add((one.source, one.code))
        answered.append(one if reason is None else evolve(one, waived=reason))
    known = [code.value for code in FindingCode]
    for source, (where, waive) in waivers.items():
        for code in waive:
            if (source, code) not in used:
                near = "" if code in known else nearest(code, known) or ""
                named = {"where": where, "waived": code, "nearest": near}
                answered.append(finding(FindingCode.WAIVER_UNUSED, source, None, None, "", **named))
    return answered
