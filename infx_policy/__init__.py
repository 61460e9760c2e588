"""Decides, before any node is allocated, whether a benchmark launch request is admitted to a cluster's
lane and where its run root lies.

    from infx_policy import Request, decide, load_policy

    policy = load_policy()
    decision = decide(policy, Request(cluster="gb200-nv", framework="vllm", multinode=True, recipe="r.yaml"))

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infx_policy.comparison import diff
    from infx_policy.decision import Decision, Verdict
    from infx_policy.errors import InputError
    from infx_policy.evaluation import decide
    from infx_policy.explanation import explain
    from infx_policy.loading import load_policy
    from infx_policy.match import Match
    from infx_policy.policy import Policy
    from infx_policy.reasons import Reason, ReasonCode
    from infx_policy.request import Request
    from infx_policy.verification import verify

__all__ = [
    "Decision",
    "InputError",
    "Match",
    "Policy",
    "Reason",
    "ReasonCode",
    "Request",
    "Verdict",
    "decide",
    "diff",
    "explain",
    "load_policy",
    "verify",
]

_HOMES = {
    "Decision": "decision",
    "InputError": "errors",
    "Match": "match",
    "Policy": "policy",
    "Reason": "reasons",
    "ReasonCode": "reasons",
    "Request": "request",
    "Verdict": "decision",
    "decide": "evaluation",
    "diff": "comparison",
    "explain": "explanation",
    "load_policy": "loading",
    "verify": "verification",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'infx_policy' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"infx_policy.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
