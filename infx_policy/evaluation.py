"""Deciding a request: by the rows where the stated facts settle them, else over every completion.

`decide` looks an answer up before it makes one: decisions are shared between requests that agree in the
facts that the policy's rows read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from infx_policy.decision import Decision
from infx_policy.policy import Policy
from infx_policy.request import Request
from infx_policy.rows import Unstated, evaluated, unknown_words
from infx_policy.values import Value

MEMO = 16_384
"""Answers that a policy keeps; when they are that many, it starts anew."""
Facts = Mapping[str, Value]


def decide(policy: Policy, request: Request) -> Decision:
    """Whether the request is admitted to a lane, why, and where its run root lies. Reads nothing but its
    arguments.
    """
    decision: Decision | None = policy.looked_up.get(request.key)
    return _shared(policy, request) if decision is None else decision


def _shared(policy: Policy, request: Request) -> Decision:
    """The decision that all requests share which agree in the facts that the rows read."""
    key = policy.key(request)
    decision: Decision | None = policy.answers.get(key)
    if decision is None:
        decision = made(policy, facts_of(policy, key))
        if len(policy.answers) >= MEMO:
            policy.answers.clear()
        policy.answers[key] = decision
    if len(policy.looked_up) >= MEMO:
        policy.looked_up.clear()
    policy.looked_up[request.key] = decision
    return decision


def facts_of(policy: Policy, key: Sequence[Any]) -> dict[str, Value]:
    """The stated facts among those that the policy reads; `recipe` is whether one is named."""
    return {name: value for name, value in zip([*policy.reads, "recipe"], key, strict=True) if value is not None}


def made(policy: Policy, facts: Facts) -> Decision:
    """The decision over these facts: by the rows alone where they say enough, else over completions."""
    try:
        decision = evaluated(policy, facts)
    except Unstated:
        from infx_policy.completion import completed  # regions are built only where facts are missing

        decision = completed(policy, facts)
    unknown = {name for one in unknown_words(policy, facts) for name, _ in one.facts}
    if not unknown:
        return decision
    # What stands whatever the unknown word should have been is a reason of its own.
    known = made(policy, {name: value for name, value in facts.items() if name not in unknown})
    return evolve(decision, reasons=tuple(dict.fromkeys([*decision.reasons, *known.reasons])))
