"""Sets of values of one fact: the sides of a region's boxes.

Three forms, each canonical, so that equal sets are equal objects: `Words` (a finite set or the
complement of one; also flags and modes, whose universe is finite), `Whole` (whole numbers, as
intervals) and `language.Language` (where a glob is). Values are open here: any other word than those
named is a value too.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Union

from attrs import evolve, frozen

from infx_policy import language
from infx_policy.fact import MODES, Fact, Kind
from infx_policy.language import Language, Part

if TYPE_CHECKING:
    from interegular.fsm import FSM

Value = str | bool | int
FLAGS: frozenset[Value] = frozenset({False, True})


@frozen
class Words:
    """A finite set of values, or all others. With a `universe` it is always written as a finite set."""

    members: frozenset[Value]
    complement: bool = False
    universe: frozenset[Value] | None = None

    def __contains__(self, value: object) -> bool:
        return (value in self.members) != self.complement

    @property
    def is_empty(self) -> bool:
        """Whether no value is in it."""
        return not self.members and not self.complement

    @property
    def is_full(self) -> bool:
        """Whether every value is in it."""
        return self.members == self.universe if self.universe is not None else self.complement and not self.members


@frozen
class Whole:
    """Whole numbers of zero or more: disjoint intervals in order, both ends included; None is no end."""

    intervals: tuple[tuple[int, int | None], ...]

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and any(
            low <= value and (high is None or value <= high) for low, high in self.intervals
        )

    @property
    def is_empty(self) -> bool:
        """Whether no value is in it."""
        return not self.intervals

    @property
    def is_full(self) -> bool:
        """Whether every value is in it."""
        return self.intervals == ((0, None),)


Values = Union[Words, Whole, Language]  # noqa: UP007 - Language is a forward name to some tools


def full(fact: Fact) -> Values:
    """Every value that a fact may have."""
    return _FULL[fact.kind]


def empty(fact: Fact) -> Values:
    """No value of a fact."""
    return complement(full(fact))


def only(fact: Fact, members: Iterable[Value]) -> Values:
    """Exactly these values of a fact."""
    if fact.kind is Kind.INTEGER:
        numbers = Whole(())
        for member in members:
            numbers = _whole_union(numbers, Whole(((int(member), int(member)),)))
        return numbers
    return Words(frozenset(members), universe=_UNIVERSES.get(fact.kind))


def interval(low: int, high: int | None) -> Whole:
    """The whole numbers from `low` to `high`, both included."""
    return Whole(((low, high),)) if high is None or low <= high else Whole(())


def glob(pattern: str) -> Values:
    """The texts that a glob matches."""
    if "*" not in pattern and "?" not in pattern:
        return Words(frozenset({pattern}))
    return _written(_of(language.of_glob(pattern)), ((pattern, True),), negated=False)


def suffix(text: str) -> Values:
    """The texts that end in a text."""
    parts = () if "*" in text or "?" in text else ((f"*{text}", True),)
    return _written(_of(language.of_suffix(text)), parts, negated=False)


def is_empty(one: Values) -> bool:
    """Whether no value is in it. A Language never is."""
    return not isinstance(one, Language) and one.is_empty


def is_full(one: Values) -> bool:
    """Whether every value is in it. A Language never is."""
    return not isinstance(one, Language) and one.is_full


def complement(one: Values) -> Values:
    """Every other value of the fact."""
    if isinstance(one, Words):
        if one.universe is not None:
            return Words(one.universe - one.members, universe=one.universe)
        return Words(one.members, not one.complement)
    if isinstance(one, Whole):
        return _whole_complement(one)
    parts, negated = _form(one)
    return _written(_of(language.complement(one.automaton)), parts, negated=not negated)


def union(one: Values, two: Values) -> Values:
    """Values in either; both are of one fact."""
    return complement(intersection(complement(one), complement(two)))


def intersection(one: Values, two: Values) -> Values:
    """Values in both; both are of one fact."""
    if isinstance(one, Words) and isinstance(two, Words):
        return _words_intersection(one, two)
    if isinstance(one, Whole) and isinstance(two, Whole):
        return _whole_intersection(one, two)
    if isinstance(one, Words) and not one.complement:
        return Words(frozenset(member for member in one.members if member in two))
    if isinstance(two, Words) and not two.complement:
        return Words(frozenset(member for member in two.members if member in one))
    if is_full(one) or is_full(two):
        return two if is_full(one) else one
    (first, is_first_negated), (second, is_second_negated) = _form(one), _form(two)
    can_join = is_first_negated and is_second_negated and first and second
    parts = tuple(sorted({*first, *second})) if can_join else ()
    return _written(_of(_automaton(one) & _automaton(two)), parts, negated=True)


def difference(one: Values, two: Values) -> Values:
    """Values of the first that are not in the second."""
    return intersection(one, complement(two))


def example(one: Values, preferred: Iterable[Value] = ()) -> Value:
    """A value of a set that is not empty: the first preferred one in it, else a plain one."""
    for value in preferred:
        if value in one:
            return value
    if isinstance(one, Whole):
        return one.intervals[0][0]
    if isinstance(one, Language):
        return one.shortest()
    if not one.complement:
        return min(one.members, key=lambda member: (str(type(member)), member == "", str(member)))
    return next(word for word in _others() if word not in one.members)


def _others() -> Iterable[str]:
    yield "other"
    number = 2
    while True:
        yield f"other-{number}"
        number += 1


def _words_intersection(one: Words, two: Words) -> Words:
    if one.complement and two.complement:
        return Words(one.members | two.members, True, one.universe)
    if one.complement:
        return Words(two.members - one.members, universe=one.universe)
    if two.complement:
        return Words(one.members - two.members, universe=one.universe)
    return Words(one.members & two.members, universe=one.universe)


def _whole_intersection(one: Whole, two: Whole) -> Whole:
    found: list[tuple[int, int | None]] = []
    for low, high in one.intervals:
        for other_low, other_high in two.intervals:
            ends = [end for end in (high, other_high) if end is not None]
            start, end = max(low, other_low), min(ends) if ends else None
            if end is None or start <= end:
                found.append((start, end))
    return Whole(tuple(sorted(found, key=lambda pair: pair[0])))


def _whole_complement(one: Whole) -> Whole:
    found: list[tuple[int, int | None]] = []
    start: int | None = 0
    for low, high in one.intervals:
        if start is not None and start < low:
            found.append((start, low - 1))
        start = None if high is None else high + 1
    if start is not None:
        found.append((start, None))
    return Whole(tuple(found))


def _whole_union(one: Whole, two: Whole) -> Whole:
    return _whole_complement(_whole_intersection(_whole_complement(one), _whole_complement(two)))


_forms: dict[Language, tuple[tuple[Part, ...], bool]] = {}
_MOST_FORMS = 10_000


def _form(one: Values) -> tuple[tuple[Part, ...], bool]:
    """How a set of texts is written: texts and globs, and whether it is all others."""
    if isinstance(one, Words):
        return tuple((str(member), False) for member in sorted(one.members, key=str)), one.complement
    if not isinstance(one, Language):
        return (), False
    return (one.parts, one.negated) if one.parts else _forms.get(one, ((), False))


def _written(found: Values, parts: tuple[Part, ...], *, negated: bool) -> Values:
    """The set with the form that writes it. Equal sets come about in several ways, not all of which can be
    written: the form is kept for the others.
    """
    if not isinstance(found, Language):
        return found
    globs = [text for text, is_glob in parts if is_glob]
    parts = tuple(one for one in parts if one[1] or not any(language.matches(glob_, one[0]) for glob_ in globs))
    if not parts:
        parts, negated = _forms.get(found, ((), False))
    elif len(_forms) < _MOST_FORMS:
        _forms.setdefault(found, (parts, negated))
    return evolve(found, parts=parts, negated=negated)


def form(one: Language) -> tuple[tuple[Part, ...], bool]:
    """The texts and globs that write a language, none where no list of them does, and whether it is all others."""
    return _form(one)


def _automaton(one: Values) -> "FSM":
    if isinstance(one, Language):
        return one.automaton
    assert isinstance(one, Words)
    return language.of_texts([str(member) for member in one.members], others=one.complement)


def _of(automaton: "FSM") -> Values:
    found = language.canonical(automaton)
    return found if isinstance(found, Language) else Words(frozenset(found[0]), found[1])


_UNIVERSES: dict[Kind, frozenset[Value]] = {Kind.FLAG: FLAGS, Kind.MODE: frozenset(MODES)}
_FULL: dict[Kind, Values] = {
    Kind.TEXT: Words(frozenset(), True),
    Kind.FLAG: Words(FLAGS, universe=FLAGS),
    Kind.MODE: Words(frozenset(MODES), universe=frozenset(MODES)),
    Kind.INTEGER: Whole(((0, None),)),
}
