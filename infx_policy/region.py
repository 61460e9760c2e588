"""Exact sets of requests.

A `Region` is a decision diagram over the matched facts in a fixed order: each node asks for one fact
and its edges hold disjoint sets of values that cover all of them. Diagrams are reduced and shared, so
two regions are the same set of requests exactly when they are the same object. From a diagram come
boxes (a set of values for each of some facts), the form in which people read regions.
"""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from infx_policy import values
from infx_policy.fact import BY_NAME, MATCHED, Fact, Kind
from infx_policy.values import Value, Values

RECIPE = Fact("recipe", Kind.FLAG, "whether a recipe is named", matched=False)
"""What regions know of a recipe; no row reads it."""

# The facts that split routes and clusters first, languages and long lists last: smaller diagrams.
_ORDER = (
    "cluster", "multinode", "recipe", "batch-job", "bench-script", "framework", "model-prefix", "precision",
    "spec-decoding", "agentic", "disagg", "eval-only", "run-eval", "thinking-mode", "max-concurrency",
    "runner", "model",
)  # fmt: skip
FACTS: tuple[Fact, ...] = tuple(RECIPE if name == "recipe" else BY_NAME[name] for name in _ORDER)
"""The matched facts in the order in which diagrams ask for them."""
RANK = {fact.name: rank for rank, fact in enumerate(FACTS)}
assert len(FACTS) == len(MATCHED) + 1

Box = Mapping[str, Values]
"""A set of requests: each named fact lies in its set of values; other facts are free."""


@frozen(eq=False, repr=False)
class Region:
    """A set of requests. `rank` is the fact that is asked for; edges lead to what is left.

    Compare with `==`: regions are shared, so identity is equality of the sets.
    """

    rank: int
    edges: tuple[tuple[Values, "Region"], ...]

    @property
    def is_empty(self) -> bool:
        """Whether no request is in it."""
        return self is EMPTY

    @property
    def is_full(self) -> bool:
        """Whether every request is in it."""
        return self is FULL

    def __and__(self, other: "Region") -> "Region":
        return _apply(self, other, _and)

    def __or__(self, other: "Region") -> "Region":
        return _apply(self, other, _or)

    def __sub__(self, other: "Region") -> "Region":
        return _apply(self, ~other, _and)

    def __invert__(self) -> "Region":
        return _inverted(self, {})

    def __le__(self, other: "Region") -> bool:
        return (self - other).is_empty

    def __contains__(self, facts: Mapping[str, Value]) -> bool:
        """Whether a request with every asked fact stated is in it."""
        at = self
        while at.edges:
            value = facts[FACTS[at.rank].name]
            at = next(below for side, below in at.edges if value in side)
        return at is FULL

    def __reduce__(self) -> tuple[Any, ...]:
        return (_end, (self is FULL,)) if not self.edges else (node, (self.rank, list(self.edges)))


_LAST = len(FACTS)
_shared: "weakref.WeakValueDictionary[tuple[Any, ...], Region]" = weakref.WeakValueDictionary()
_lock = threading.Lock()
EMPTY = Region(_LAST, ())
FULL = Region(_LAST, ())


def _end(is_full: bool) -> Region:
    return FULL if is_full else EMPTY


def node(rank: int, edges: list[tuple[Values, Region]]) -> Region:
    """The region that asks for the fact of `rank`; the edges' values are disjoint and cover all."""
    merged: dict[Region, Values] = {}
    for side, below in edges:
        if not values.is_empty(side):
            merged[below] = values.union(merged[below], side) if below in merged else side
    if len(merged) == 1:
        return next(iter(merged))
    key = (rank, frozenset((below, side) for below, side in merged.items()))
    with _lock:
        found = _shared.get(key)
        if found is None:
            found = Region(rank, tuple((side, below) for below, side in merged.items()))
            _shared[key] = found
    return found


def side(name: str, allowed: Values) -> Region:
    """The requests whose fact `name` lies in a set of values."""
    return node(RANK[name], [(allowed, FULL), (values.complement(allowed), EMPTY)])


def of_box(box: Box) -> Region:
    """The requests of a box."""
    found = FULL
    for name in sorted(box, key=RANK.__getitem__, reverse=True):
        found = node(RANK[name], [(box[name], found), (values.complement(box[name]), EMPTY)])
    return found


def union(regions: Iterator[Region] | list[Region]) -> Region:
    """The requests of any of the regions."""
    found = EMPTY
    for one in regions:
        found = found | one
    return found


def _and(one: Region, two: Region) -> Region | None:
    if one is EMPTY or two is EMPTY:
        return EMPTY
    if one is FULL or one is two:
        return two
    return one if two is FULL else None


def _or(one: Region, two: Region) -> Region | None:
    if one is FULL or two is FULL:
        return FULL
    if one is EMPTY or one is two:
        return two
    return one if two is EMPTY else None


_Memo = dict[tuple[Region, Region], Region]


def _apply(
    one: Region, two: Region, known: Callable[[Region, Region], Region | None], memo: _Memo | None = None
) -> Region:
    answer = known(one, two)
    if answer is not None:
        return answer
    memo = {} if memo is None else memo
    answer = memo.get((one, two))
    if answer is None:
        rank = min(one.rank, two.rank)
        edges: list[tuple[Values, Region]] = []
        for first, below in _edges(one, rank):
            for second, other in _edges(two, rank):
                both = values.intersection(first, second)
                if not values.is_empty(both):
                    edges.append((both, _apply(below, other, known, memo)))
        answer = memo[one, two] = node(rank, edges)
    return answer


def _edges(one: Region, rank: int) -> tuple[tuple[Values, Region], ...]:
    return one.edges if one.rank == rank else ((values.full(FACTS[rank]), one),)


def _inverted(one: Region, memo: dict[Region, Region]) -> Region:
    if not one.edges:
        return EMPTY if one is FULL else FULL
    if one not in memo:
        memo[one] = node(one.rank, [(side, _inverted(below, memo)) for side, below in one.edges])
    return memo[one]


def restricted(one: Region, stated: Mapping[str, Value]) -> Region:
    """The region with the stated facts taken as given; it no longer asks for them."""
    by_rank = {RANK[name]: value for name, value in stated.items() if name in RANK}
    memo: dict[Region, Region] = {}

    def walk(at: Region) -> Region:
        if not at.edges:
            return at
        if at not in memo:
            if at.rank in by_rank:
                memo[at] = walk(next(below for side, below in at.edges if by_rank[at.rank] in side))
            else:
                memo[at] = node(at.rank, [(side, walk(below)) for side, below in at.edges])
        return memo[at]

    return walk(one)


def for_all(one: Region, names: frozenset[str], within: Box) -> Region:
    """The requests for which every value that `within` gives the facts `names` leads into the region.

    A fact that `within` does not name has all values. The answer no longer asks for `names`.
    """
    ranks = {RANK[name]: name for name in names}
    memo: dict[Region, Region] = {}

    def walk(at: Region) -> Region:
        if not at.edges:
            return at
        if at not in memo:
            if at.rank not in ranks:
                memo[at] = node(at.rank, [(side, walk(below)) for side, below in at.edges])
            else:
                allowed = within.get(ranks[at.rank])
                met = [
                    walk(below)
                    for side, below in at.edges
                    if allowed is None or not values.is_empty(values.intersection(side, allowed))
                ]
                found = FULL
                for below in met:
                    found = found & below
                memo[at] = found
        return memo[at]

    return walk(one)


def paths(one: Region, box: Box | None = None) -> Iterator[dict[str, Values]]:
    """Disjoint boxes that make up the region."""
    box = box or {}
    if not one.edges:
        if one is FULL:
            yield dict(box)
        return
    name = FACTS[one.rank].name
    for allowed, below in one.edges:
        yield from paths(below, {**box, name: allowed})


def largest(one: Region, box: Box, name: str) -> Values:
    """Every value of fact `name` that keeps the rest of the box inside the region."""
    rank = RANK[name]
    memo: dict[Region, Values] = {}
    everything, nothing = values.full(FACTS[rank]), values.empty(FACTS[rank])

    def walk(at: Region) -> Values:
        if not at.edges:
            return everything if at is FULL else nothing
        if at not in memo:
            if at.rank == rank:
                found = nothing
                for side_values, below in at.edges:
                    found = values.union(found, values.intersection(side_values, walk(below)))
            else:
                allowed = box.get(FACTS[at.rank].name)
                found = everything
                for side_values, below in at.edges:
                    if allowed is None or not values.is_empty(values.intersection(side_values, allowed)):
                        found = values.intersection(found, walk(below))
            memo[at] = found
        return memo[at]

    return walk(one)


def a_box(one: Region, free: Region = EMPTY) -> dict[str, Values]:
    """One box of a region that is not empty, as large as the region and `free` allow."""
    return _grown(next(paths(one)), one | free)


def boxes(one: Region, free: Region = EMPTY) -> list[dict[str, Values]]:
    """Few boxes that cover the region and nothing else but, where it helps, parts of `free`.

    Each is as large as it can be, none is covered by the others, and a fact whose every value fits is
    left out. Boxes that name fewer facts come first.
    """
    allowed = one | free
    grown: list[dict[str, Values]] = []
    left = one
    while not left.is_empty:
        grown.append(_grown(next(paths(left)), allowed))
        left = left - of_box(grown[-1])
    needed: list[dict[str, Values]] = []
    for index, box in enumerate(grown):
        others = union([of_box(other) for other in [*needed, *grown[index + 1 :]]])
        if not one & of_box(box) <= others:
            needed.append(box)
    return sorted(needed, key=lambda box: (len(box), sorted(RANK[name] for name in box)))


def writable(box: dict[str, Values]) -> list[dict[str, Values]]:
    """Boxes whose numbers a `when` can write: one a range, where they are neither a list nor all but a list."""
    for name, side_values in box.items():
        if isinstance(side_values, values.Whole) and len(side_values.intervals) > 1:
            holes = values.complement(side_values)
            assert isinstance(holes, values.Whole)
            if not (_is_list(side_values) or _is_list(holes)):
                return [{**box, name: values.Whole((one,))} for one in side_values.intervals]
    return [box]


def _is_list(numbers: values.Whole) -> bool:
    return all(low == high for low, high in numbers.intervals)


def _grown(box: dict[str, Values], allowed: Region) -> dict[str, Values]:
    for name in sorted(box, key=RANK.__getitem__, reverse=True):
        box[name] = largest(allowed, box, name)
        if values.is_full(box[name]):
            del box[name]
    return box
