"""Hypothesis strategies: Matches, requests and small random policies.

`CLASSES` gives each fact values that stand for every value which the conditions drawn here tell apart, so that
going through them is going through all requests.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from attrs import evolve, frozen
from hypothesis import strategies as st

from infx_policy.fact import BY_NAME, MATCHED, MODES, Kind
from infx_policy.lane import Lane
from infx_policy.match import Match
from infx_policy.policy import Policy
from infx_policy.request import Request
from infx_policy.values import Value
from tests.small import Data, lane, row, small, tables

Facts = dict[str, Value]
NAMES = tuple(fact.name for fact in MATCHED)
CLASSES: dict[str, list[Value]] = {
    "cluster": ["c", "d", "e"],
    "runner": ["c_0", "c_1", "d_0", "nobody"],
    "model": ["x/alpha", "x/q/alpha", "y/alpha", "alpha", "x/beta", "y/beta", "x/other", "other"],
    "model-prefix": ["alpha", "beta", "nope"],
    "precision": ["fp4", "nope"],
    "framework": ["sglang", "vllm", "nope"],
    "spec-decoding": ["none", "nope"],
    "thinking-mode": ["on", "off", ""],
    "bench-script": ["", "s.sh", "t.sh"],
    "max-concurrency": [0, 2, 3, 4, 5, 6, 7],
    "recipe": [True, False, True],
}
_TEXTS: dict[str, list[str]] = {
    "cluster": ["c", "d"],
    "runner": ["c_0", "c_1", "d_0"],
    "model": ["x/alpha"],
    "model-prefix": ["alpha", "beta"],
    "precision": ["fp4"],
    "framework": ["sglang", "vllm"],
    "spec-decoding": ["none"],
    "bench-script": ["", "s.sh"],
}
"""The words that conditions name; each fact has one more in `CLASSES`, for all others."""
_GLOBS = ["x/*", "*/alpha"]
_NUMBERS = [2, 4, 6]


def classes(name: str) -> list[Value]:
    """The values that stand for all of a fact."""
    return CLASSES.get(name, [False, True])


@cache
def conditions(name: str) -> st.SearchStrategy[Any]:
    """What a `when` may say of one fact: the simplest first."""
    fact = BY_NAME[name]
    by_kind: dict[Kind, list[Any]] = {Kind.FLAG: [True, False], Kind.MODE: [*MODES], Kind.INTEGER: [*_NUMBERS]}
    plain = [*_TEXTS[name]] if fact.kind is Kind.TEXT else by_kind[fact.kind]
    if name == "model":
        plain += [{"glob": glob} for glob in _GLOBS]
    several = [*plain, *([one, two] for one, two in combinations(plain, 2))]
    if fact.kind is Kind.INTEGER:
        several += [{end: number} for end in ("at-least", "at-most") for number in _NUMBERS]
        several += [{"at-least": low, "at-most": high} for low, high in combinations(_NUMBERS, 2)]
    return st.sampled_from([*several, *({"not": one} for one in several)])


@cache
def whens(names: tuple[str, ...] = NAMES, *, depth: int = 1) -> st.SearchStrategy[Any]:
    """What a row's `when` may be over these facts, in plain data."""
    one = st.one_of([_about((name,)) for name in names])
    two = st.one_of([_about(pair) for pair in combinations(names, 2)]) if len(names) > 1 else one
    found = one | two | st.just("all")
    if depth:
        several = st.lists(whens(names, depth=depth - 1), min_size=1, max_size=3)
        either = several.map(lambda inner: {"any-of": inner})
        found = found | one | either | st.builds(lambda facts, rest: {**facts, **rest}, one, either)
    return found


def _about(names: tuple[str, ...]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({name: conditions(name) for name in names})


@cache
def matches(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Match]:
    """Matches as rows write them, composed as callers compose them."""
    plain = whens(names).map(Match.from_mapping)
    turned = plain | plain.map(lambda match: ~match)
    both = st.builds(lambda one, two: one & two, turned, turned)
    return turned | both | st.builds(lambda one, two: ~(one | two), turned, both) | both.map(lambda match: ~match)


@cache
def assignments(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Facts]:
    """A value for each of these facts."""
    return st.fixed_dictionaries({name: st.sampled_from(classes(name)) for name in names})


def partial(facts: st.SearchStrategy[Facts]) -> st.SearchStrategy[Facts]:
    """The same with some of the facts left out."""
    return facts.flatmap(
        lambda given: st.sets(st.sampled_from(sorted(given))).map(
            lambda kept: {name: given[name] for name in given if name in kept}
        )
    )


@st.composite
def requests(draw: st.DrawFn, /, policy: Policy, names: Collection[str] = NAMES, **fixed: Any) -> Request:
    """Requests in the policy's words, some of them partly stated and some with a word that it does not know.

    `names` are the facts that may be stated, `fixed` those that are given; shrinking leaves facts out.
    """
    found: dict[str, Any] = dict(fixed)
    for fact in MATCHED:
        if fact.attribute not in found and fact.name in names:
            found[fact.attribute] = draw(st.none() | _values(policy, fact.name))
    if "recipe" not in found:
        found["recipe"] = draw(st.sampled_from([None, "", "r.yaml"]))
    return Request(**found)


def _values(policy: Policy, name: str) -> st.SearchStrategy[Any]:
    fact, inventory = BY_NAME[name], policy.inventory
    if fact.kind is Kind.FLAG:
        return st.booleans()
    if fact.kind is Kind.MODE:
        return st.sampled_from(MODES)
    if fact.kind is Kind.INTEGER:
        return st.integers(0, 1024)
    words: dict[str, list[str]] = {
        **{key: sorted(known) for key, known in inventory.vocabulary.items()},
        "cluster": sorted(inventory.clusters),
        "runner": sorted(inventory.clusters_of_runner),
        "model": sorted({model for models in inventory.models.values() for model in models}),
        "bench-script": ["", "s.sh"],
    }
    return st.sampled_from(words[name]) | st.just("nope")


@frozen
class Drawn:
    """A random policy as the plain data of its tables."""

    lanes: dict[str, dict[str, Data]]
    clusters: dict[str, Data]
    runners: dict[str, list[str]]

    def policy(self) -> Policy:
        """The policy."""
        return small(self.lanes, self.clusters, self.runners)

    def tables(self) -> Data:
        """What its `runners.yaml` holds."""
        return tables(self.lanes, self.clusters, self.runners)


_VOLUMES: Data = {
    "local": {"path": "/local", "visibility": "node-local"},
    "nested": {"path": "/local/nfs", "visibility": "shared"},
}
_READ = ("framework", "model-prefix", "agentic", "multinode", "max-concurrency", "model", "bench-script", "runner")


_SETS = [(name,) for name in _READ] + list(combinations(_READ, 2)) + [("framework", "agentic", "model")]


@st.composite
def drawn_policies(draw: st.DrawFn) -> Drawn:
    """Two clusters with up to three lanes each, whose rows read a few facts."""
    names = draw(st.sampled_from(_SETS))
    lanes = {name: draw(_lanes(names)) for name in ("c", "d")}
    return Drawn(lanes, {name: draw(_RECORDS) for name in lanes}, {"c": ["c_0", "c_1"], "d": ["d_0"]})


def policies() -> st.SearchStrategy[Policy]:
    """Small random policies."""
    return drawn_policies().map(Drawn.policy)


_RECORDS = st.builds(
    lambda root, seen: {
        "workspace": {"visibility": seen},
        "volumes": _VOLUMES,
        **({} if root is None else {"shared-run-root": root}),
    },
    st.sampled_from(["/shared/runs", None, "/local/runs", "/local/nfs/runs"]),
    st.sampled_from(["shared", "submit-host"]),
)


@cache
def _lanes(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, Data]]:
    """One to three lanes; the second may be instead of the first, the third of either."""
    one = _lane(names, ())
    two = st.fixed_dictionaries({"l": one, "m": _lane(names, ("l",))})
    three = st.fixed_dictionaries({"l": one, "m": _lane(names, ("l",)), "n": _lane(names, ("l", "m"))})
    return st.fixed_dictionaries({"l": one}) | two | three


@cache
def _lane(names: tuple[str, ...], before: tuple[str, ...]) -> st.SearchStrategy[Data]:
    when = whens(names)
    often = st.sampled_from(["all", {"framework": "known"}]) | when
    own: list[Any] = [{"multinode": True}] if before else ["all", {"multinode": False}]
    takes = st.sampled_from([*own, *own, {"agentic": True}]) | when
    sections: dict[str, st.SearchStrategy[Any]] = {
        "admits": _rows(often, 2) | st.just([row("all")]),
        "refuses": st.just([]) | _rows(when, 1),
        "shared_run_root": _rows(often, 2),
        "setup_script": _rows(often, 2, value=["a.sh", "b.sh"]),
        "checkpoint": _rows(when, 1, value=["alpha", "beta"]),
        "mounts": _rows(often, 2, volume=["v", "w"], target=["/t", "/u"]),
    }
    plain = {name: sections[name] for name in ("admits", "refuses", "shared_run_root")}
    driver = st.sampled_from(["slurm", "local"] * 5 + ["srt-slurm", "nobody", None])
    given = st.fixed_dictionaries(plain) | st.fixed_dictionaries(sections)
    instead = st.sampled_from([None, *before, *before])
    return st.builds(_lane_of, takes, driver, given, instead)


def _lane_of(takes: Any, driver: str | None, sections: Data, instead_of: str | None) -> Data:
    kept = {name: rows for name, rows in sections.items() if rows}
    return {**lane(takes, driver, **kept), **({} if instead_of is None else {"instead-of": instead_of})}


def _rows(when: st.SearchStrategy[Any], most: int, **more: list[str]) -> st.SearchStrategy[list[Data]]:
    values = {name: st.sampled_from(given) for name, given in more.items()}
    return st.lists(st.builds(row, when, **values), max_size=most)


@st.composite
def stated(draw: st.DrawFn, policy: Policy, *, odd: bool = True) -> Facts:
    """A value for each fact that the policy reads; with `odd`, now and then one that it does not know."""
    cluster = draw(st.sampled_from(sorted(policy.inventory.clusters)))
    found: Facts = {}
    for name in [*policy.reads, "recipe"]:
        values = known(policy, name, cluster)
        if odd and draw(st.integers(0, 24)) == 24:
            values = classes(name)
        found[name] = draw(st.sampled_from(values))
    return found


def known(policy: Policy, name: str, cluster: str) -> list[Value]:
    """The values that an unstated fact may have on a cluster."""
    if name == "cluster":
        return [cluster]
    if name == "runner":
        return list(policy.inventory.runners_of(cluster))
    if name in policy.inventory.vocabulary:
        return sorted(policy.inventory.vocabulary[name])
    return list(dict.fromkeys(classes(name)))


def size(policy: Policy, open_facts: Sequence[str]) -> int:
    """How many completions there are at most."""
    found = 1
    for name in open_facts:
        found *= 2 if name == "cluster" else max(len(known(policy, name, each)) for each in policy.inventory.clusters)
    return found


@st.composite
def partly_stated(draw: st.DrawFn, policy: Policy, *, most: int = 150, odd: bool = True) -> Facts:
    """Facts of a request, some of them left out, with at most so many completions."""
    given = draw(stated(policy, odd=odd))
    left_out: list[str] = []
    for name in draw(st.permutations(sorted(given))):
        if size(policy, [*left_out, name]) <= most and draw(st.booleans()):
            left_out.append(name)
    return {name: value for name, value in given.items() if name not in left_out}


@st.composite
def permuted(draw: st.DrawFn, policy: Policy) -> Policy:
    """The same policy with its lanes and rows in another order."""
    found = {name: tuple(draw(st.permutations([draw(_shuffled(one)) for one in lanes]))) for name, lanes in
             policy.lanes.items()}  # fmt: skip
    return Policy(policy.name, policy.inventory, found, policy.drivers)


@st.composite
def _shuffled(draw: st.DrawFn, one: Lane) -> Lane:
    def order(rows: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(draw(st.permutations(rows)))

    return evolve(
        one,
        admits=order(one.admits),
        refuses=order(one.refuses),
        stages=order(one.stages),
        mounts=order(one.mounts),
        settings=order(tuple((name, order(rows)) for name, rows in one.settings)),
    )


def with_lane(policy: Policy, cluster: str, changed: Lane) -> Policy:
    """The policy with one lane replaced by its name."""
    lanes: Mapping[str, tuple[Lane, ...]] = {
        name: tuple(changed if name == cluster and each.name == changed.name else each for each in given)
        for name, given in policy.lanes.items()
    }
    return Policy(policy.name, policy.inventory, lanes, policy.drivers)
