"""What a decision costs beside other ways to answer yes or no: `python -m benchmarks.decide`.

Every peer first answers all requests and must agree with `decide`; then all are timed in turn, round after
round, so that what else the machine does falls on each of them alike.
"""

import argparse
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter_ns

from attrs import evolve

from benchmarks import grid
from benchmarks.engines import ENGINES
from benchmarks.peers import Answer, dict_of, linear_of, one_list_of
from benchmarks.rules import rules_of
from infx_policy import Policy, Request, Verdict, decide, load_policy

OURS, COLD = "infx_policy: a full Decision", "infx_policy, memo emptied before each round"
DICT, LINEAR = "dict keyed by the tuple of facts", "linear list of frozen dataclasses, by cluster"
ONE_LIST = "the same, one list for all clusters"
_LEAST_NS = 10_000_000
"""A peer goes over the requests in each round until so much time is spent, as far as one pass can tell."""
Times = Mapping[str, Sequence[float]]
"""Nanoseconds a request, of each contender, one a round."""


@dataclass(frozen=True)
class Contender:
    """Something that answers requests; `before` is done, untimed, before each round."""

    name: str
    answer: Callable[[Request], object]
    passes: int = 1
    before: Callable[[], None] | None = None

    def round(self, requests: Sequence[Request]) -> float:
        """Nanoseconds a request."""
        if self.before is not None:
            self.before()
        answer = self.answer
        start = perf_counter_ns()
        for _ in range(self.passes):
            for request in requests:
                answer(request)
        return (perf_counter_ns() - start) / (self.passes * len(requests))


@dataclass(frozen=True)
class Target:
    """A ratio of our speed to another's that is to be reached."""

    text: str
    least: float
    found: float | None

    def line(self) -> str:
        """The target, and whether it is met."""
        if self.found is None:
            return f"not measured: {self.text}, as none is installed"
        return f"{'met' if self.found >= self.least else 'missed'}: {self.text}: {self.found:.2f}"


def peers_of(policy: Policy, requests: Sequence[Request]) -> dict[str, Answer]:
    """Every peer that can be had, by the name that the table shows."""
    rules = rules_of(policy)
    found = {DICT: dict_of(policy, requests), LINEAR: linear_of(rules), ONE_LIST: one_list_of(rules)}
    for engine in ENGINES:
        if engine.version is not None:
            found[f"{engine.distribution} {engine.version}"] = engine.make(rules)
    return found


def disagreements(policy: Policy, peers: Mapping[str, Answer], requests: Sequence[Request]) -> list[str]:
    """A line for each answer that is not the verdict of `decide`."""
    return [
        f"{name} says {'yes' if said else 'no'} where decide says {verdict.value}: {request.to_mapping()}"
        for request in requests
        for verdict in [decide(policy, request).verdict]
        for name, answer in peers.items()
        if (said := answer(request)) is not (verdict is Verdict.ADMITTED)
    ]


def contenders_of(policy: Policy, peers: Mapping[str, Answer], requests: Sequence[Request]) -> list[Contender]:
    """Ours, ours without its memo, and the peers, each with the passes that a round of it takes."""
    forgetful = evolve(policy)  # with a memo of its own
    ours = partial(decide, policy)
    found = [Contender(OURS, ours), *(Contender(name, answer) for name, answer in peers.items())]
    timed = []
    for one in found:
        cost = min(one.round(requests) for _ in range(3)) * len(requests)
        timed.append(Contender(one.name, one.answer, max(1, round(_LEAST_NS / cost))))
    return [timed[0], Contender(COLD, partial(decide, forgetful), before=forgetful.forget), *timed[1:]]


def measured(contenders: Sequence[Contender], requests: Sequence[Request], rounds: int) -> Times:
    """The times of all contenders, in turn; each round begins with another one."""
    times: dict[str, list[float]] = {one.name: [] for one in contenders}
    for number in range(rounds):
        first = number % len(contenders)
        for one in [*contenders[first:], *contenders[:first]]:
            times[one.name].append(one.round(requests))
    return times


def ratio(times: Times, name: str) -> float:
    """How many times as long as ours it takes: the median of the ratios of each round."""
    return median(other / ours for other, ours in zip(times[name], times[OURS], strict=True))


def targets(times: Times) -> list[Target]:
    """What is to be reached, with what was."""
    engines = [ratio(times, name) for name in times if name not in (OURS, COLD, DICT, LINEAR, ONE_LIST)]
    return [
        Target("at least 1.5 times the speed of the linear list", 1.5, ratio(times, LINEAR)),
        Target("at least 3 times the speed of the fastest engine", 3.0, min(engines, default=None)),
        Target("at least 0.25 of the speed of the dict", 0.25, ratio(times, DICT)),
    ]


def table(times: Times) -> str:
    """The times as Markdown, with those that are not installed."""
    lines = ["| contender | median, us | minimum, us | times ours |", "|---|---:|---:|---:|"]
    for name, found in times.items():
        lines.append(f"| {name} | {median(found) / 1e3:.3f} | {min(found) / 1e3:.3f} | {ratio(times, name):.2f} |")
    missing = [engine.distribution for engine in ENGINES if engine.version is None]
    return "\n".join([*lines, *(f"| {name} | not installed | | |" for name in missing)])


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; exit 1 where a peer does not agree with `decide`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decide", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="at least 7 for figures to show")
    parser.add_argument("--requests", type=int, default=grid.COUNT, metavar="N")
    arguments = parser.parse_args(argv)
    policy = load_policy(with_plugins=())
    asked = grid.sampled(policy, arguments.requests)
    peers = peers_of(policy, asked)
    wrong = disagreements(policy, peers, asked)
    if wrong:
        sys.stderr.write("\n".join([*wrong[:10], f"{len(wrong)} answers differ; nothing was timed\n"]))
        return 1
    timed = grid.again(asked)  # other objects than those that the memo and the dict hold
    times = measured(contenders_of(policy, peers, timed), timed, arguments.rounds)
    admitted = sum(decide(policy, request).verdict is Verdict.ADMITTED for request in asked)
    print(f"{len(asked)} requests, {admitted} of them admitted; {arguments.rounds} rounds; all peers agree with decide")
    print(f"Python {platform.python_version()} on {platform.machine()}, {policy.name.digest[:19]}\n")
    print(f"{table(times)}\n")
    print("\n".join(target.line() for target in targets(times)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
