"""The two peers in plain Python: a table that only looks up, and a list of predicates that are asked in turn."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from benchmarks.rules import LaneRules, Rules, Test, Ways
from infx_policy import Policy, Request, Verdict, decide

Answer = Callable[[Request], bool]
"""Whether a request is admitted."""
_DICT_KEY = ("cluster", "framework", "model_prefix", "precision", "spec_decoding", "agentic", "multinode", "has_recipe")


def dict_of(policy: Policy, requests: Iterable[Request]) -> Answer:
    """A dict from the tuple of facts to the verdict, filled beforehand."""
    key = attrgetter(*_DICT_KEY)
    table = {key(request): decide(policy, request).verdict is Verdict.ADMITTED for request in requests}

    def answer(request: Request) -> bool:
        return table[key(request)]

    return answer


@dataclass(frozen=True, slots=True)
class Predicate:
    """A row as one would write it by hand: each fact has one of some values, or is not asked for."""

    framework: frozenset[str] | None = None
    model_prefix: frozenset[str] | None = None
    precision: frozenset[str] | None = None
    spec_decoding: frozenset[str] | None = None
    agentic: bool | None = None
    multinode: bool | None = None

    def holds(self, request: Request) -> bool:
        """Whether the request has these values."""
        return (
            (self.multinode is None or request.multinode is self.multinode)
            and (self.framework is None or request.framework in self.framework)
            and (self.model_prefix is None or request.model_prefix in self.model_prefix)
            and (self.precision is None or request.precision in self.precision)
            and (self.spec_decoding is None or request.spec_decoding in self.spec_decoding)
            and (self.agentic is None or request.agentic is self.agentic)
        )


@dataclass(frozen=True, slots=True)
class _Lane:
    cluster: str
    takes: Sequence[Predicate]
    above: Sequence[Predicate]
    admits: Sequence[Predicate]
    refuses: Sequence[Predicate]
    stages: Sequence[Predicate] | None


def linear_of(rules: Rules) -> Answer:
    """The lanes of the request's cluster, found in a dict, and per lane its rows, asked one after the other."""
    clusters: dict[str | None, list[_Lane]] = {
        name: [_lane(name, one, rules) for one in lanes] for name, lanes in rules.clusters.items()
    }
    is_known = _known(rules)

    def answer(request: Request) -> bool:
        for lane in clusters.get(request.cluster, ()):
            if _any(lane.takes, request) and not _any(lane.above, request):
                return _admits(lane, request) and is_known(request)
        return False

    return answer


def one_list_of(rules: Rules) -> Answer:
    """As `linear_of`, but all clusters' lanes stand in one list."""
    every = [_lane(name, one, rules) for name, lanes in rules.clusters.items() for one in lanes]
    is_known = _known(rules)

    def answer(request: Request) -> bool:
        for lane in every:
            if lane.cluster == request.cluster and _any(lane.takes, request) and not _any(lane.above, request):
                return _admits(lane, request) and is_known(request)
        return False

    return answer


def _admits(lane: _Lane, request: Request) -> bool:
    return (
        bool(request.recipe)
        and _any(lane.admits, request)
        and not _any(lane.refuses, request)
        and (lane.stages is None or _any(lane.stages, request))
    )


def _known(rules: Rules) -> Answer:
    known = [(attrgetter(fact), frozenset(words)) for fact, words in rules.vocabulary.items()]
    return lambda request: all(word(request) in words for word, words in known)


def _any(predicates: Sequence[Predicate], request: Request) -> bool:
    for predicate in predicates:  # noqa: SIM110 - a generator for any() would cost half as much again
        if predicate.holds(request):
            return True
    return False


def _lane(cluster: str, lane: LaneRules, rules: Rules) -> _Lane:
    def predicates(ways: Ways) -> tuple[Predicate, ...]:
        return tuple(_predicate(way, rules) for way in ways)

    stages = None if lane.stages is None else predicates(lane.stages)
    takes, above, admits, refuses = map(predicates, (lane.takes, lane.above, lane.admits, lane.refuses))
    return _Lane(cluster, takes, above, admits, refuses, stages)


def _predicate(way: Iterable[Test], rules: Rules) -> Predicate:
    words: dict[str, frozenset[str]] = {}
    flags: dict[str, bool] = {}
    for test in way:
        if test.fact in rules.vocabulary:
            known = frozenset(rules.vocabulary[test.fact])
            named = frozenset(value for value in test.values if isinstance(value, str))
            allowed = known - named if test.negated else named
            words[test.fact] = words.get(test.fact, allowed) & allowed
        elif test.fact in ("agentic", "multinode"):
            if len(test.values) == 1:  # both values ask for nothing
                flags[test.fact] = bool(test.values[0])
        else:
            raise ValueError(f"the predicates have no field for `{test.fact}`")
    return Predicate(
        framework=words.get("framework"),
        model_prefix=words.get("model_prefix"),
        precision=words.get("precision"),
        spec_decoding=words.get("spec_decoding"),
        agentic=flags.get("agentic"),
        multinode=flags.get("multinode"),
    )
