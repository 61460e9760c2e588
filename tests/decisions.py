"""Our decisions in the terms of the other oracle, and how the two differ."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from attrs import fields

from infx_policy import Policy, Request, Verdict, decide, explain, load_policy
from infx_policy.duration import Duration
from tests.upstream import FLAGS, Upstream

COMPARED = tuple(one.name for one in fields(Upstream))


@cache
def bundled() -> Policy:
    """The bundled tables, without what happens to be installed."""
    return load_policy(with_plugins=())


def ours(policy: Policy, facts: Mapping[str, Any]) -> tuple[Upstream, tuple[str, ...]]:
    """Our decision, and the codes of its reasons."""
    request = Request.from_mapping(facts)
    decision = decide(policy, request)
    codes = tuple(one.code.value for one in decision.reasons)
    if decision.verdict is not Verdict.ADMITTED:
        return Upstream(decision.verdict.value, decision.lane, codes[0] if codes else None), codes
    explained = explain(policy, request, decision)
    assert explained.time_limit is not None
    assert decision.run_root is not None
    winner = explained.time_limit.winner()
    limit = None if winner is None else winner[1]
    assert limit is None or isinstance(limit, Duration)
    assert not any(one.undecided for one in decision.settings), facts
    assert not any(one.undecided for one in decision.mounts), facts
    values = {one.name: one.value for one in decision.settings}
    mounts = [one.mount for one in decision.mounts]
    return Upstream(
        "admitted",
        decision.lane,
        run_root=decision.run_root.kind,
        time_limit=None if limit is None else limit.seconds,
        setup_script=values.get("setup-script"),
        settings=frozenset(name for name in (*FLAGS, "eval-unsets") if values.get(name)),
        mounts=frozenset((one.volume, one.target, one.world_writable, one.read_only) for one in mounts),
    ), codes


def differences(here: Upstream, there: Upstream) -> tuple[str, ...]:
    """The names of what differs; a refusal has nothing further to compare."""
    if here.verdict != there.verdict:
        return ("verdict",)
    return tuple(name for name in COMPARED if getattr(here, name) != getattr(there, name))
