"""Predicates over requests, as rows and callers write them.

`Match(framework="vllm") & ~Match(agentic=False)`. A Match keeps how it was written, evaluates itself over
the facts of a request, and knows its exact region; two are equal when they mean the same set of
requests. Evaluation and region are two implementations of one meaning, and tests hold them together.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from attrs import field, frozen

from infx_policy import region as regions
from infx_policy import values
from infx_policy.condition import Condition, Reader, Vocabulary
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.fact import BY_NAME, MATCHED, folded
from infx_policy.region import Region
from infx_policy.request import Request
from infx_policy.source import Source
from infx_policy.spelling import nearest
from infx_policy.values import Value

_NAMES = [fact.name for fact in MATCHED]
Facts = Mapping[str, Value]
"""The stated matched facts of a request."""


@frozen(init=False, eq=False, repr=False)
class Match:
    """A predicate over a request, composable with `&`, `|` and `~`.

    Keyword arguments are facts (`model_prefix=["dsv4", "kimik3"]`, `agentic=True`,
    `max_concurrency={"at-least": 64}`, `model={"glob": "*/DeepSeek-V4-*"}`, `framework={"not": "vllm"}`) and
    `any_of`, a list of alternatives; all must hold. A scalar is a set of one value.

    Raises TypeError for positional arguments, InputError (a ValueError) for an unknown fact, a value of
    another type, or an empty set.
    """

    operator: Literal["all", "facts", "and", "or", "not"]
    conditions: tuple[Condition, ...]
    parts: tuple["Match", ...]
    _region: list[Region] = field(factory=list)

    def __init__(self, *positional: object, **facts: object) -> None:
        if positional:
            raise TypeError(
                f"a Match takes facts by name, as Match(framework={positional[0]!r}); "
                "for every request write Match.all()"
            )
        if not facts:
            raise TypeError(
                "a Match without a fact matches nothing and everything; for every request write Match.all()"
            )
        read = Match.from_mapping(facts)
        self.__attrs_init__(read.operator, read.conditions, read.parts)

    @classmethod
    def all(cls) -> "Match":
        """The Match of every request, which a row writes as `when: all`."""
        return _made("all")

    @classmethod
    def from_mapping(cls, when: object, vocabulary: Vocabulary | None = None) -> "Match":
        """The Match that a `when` writes: a mapping of facts and `any-of`, or `all`.

        `vocabulary` gives what `known` stands for. Raises InputError with every fault.
        """
        found: list[Fault] = []
        match = read(when, "", Reader(found, lambda _path: Source("match"), vocabulary))
        if found or match is None:
            raise InputError(found)
        return match

    def __and__(self, other: object) -> "Match":
        return _joined("and", self, other) if isinstance(other, Match) else NotImplemented

    def __or__(self, other: object) -> "Match":
        return _joined("or", self, other) if isinstance(other, Match) else NotImplemented

    def __invert__(self) -> "Match":
        return _made("not", parts=(self,))

    def __bool__(self) -> bool:
        raise TypeError("a Match is no truth value; compose with `&`, `|` and `~`, or ask `match.holds(request)`")

    def __eq__(self, other: object) -> bool:
        return self.region is other.region if isinstance(other, Match) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.region)

    @property
    def region(self) -> Region:
        """The exact set of requests; the same object for every Match that means the same set."""
        if not self._region:
            self._region.append(_region_of(self))
        return self._region[0]

    def holds(self, request: Request | Facts, within: Region = regions.FULL) -> bool | None:
        """True where it holds for every completion of the request, False where for none, else None.

        `within` bounds the completions, as a policy's vocabulary does; any value is one without it.
        """
        facts = stated(request) if isinstance(request, Request) else request
        answer = kleene(self, facts)
        if answer is not None:
            return answer
        possible = regions.restricted(within, facts)
        left = regions.restricted(self.region, facts)
        if (possible & left).is_empty:
            return False
        return True if possible <= left else None

    def facts(self) -> frozenset[str]:
        """The names of the facts that it reads."""
        own = {condition.fact.name for condition in self.conditions}
        return frozenset(own.union(*(part.facts() for part in self.parts)))

    def __repr__(self) -> str:
        return _shown(self)


def _made(
    operator: Literal["all", "facts", "and", "or", "not"],
    conditions: tuple[Condition, ...] = (),
    parts: tuple[Match, ...] = (),
) -> Match:
    made: Match = Match.__new__(Match)
    made.__attrs_init__(operator, conditions, parts)
    return made


def _joined(operator: Literal["and", "or"], one: Match, two: Match) -> Match:
    """Chains stay flat, so that a long one costs no depth."""
    parts = [part for side in (one, two) for part in (side.parts if side.operator == operator else (side,))]
    return _made(operator, parts=tuple(parts))


def stated(request: Request) -> dict[str, Value]:
    """The matched facts that a request states."""
    return {fact.name: value for fact in MATCHED if (value := getattr(request, fact.attribute)) is not None}


def read(when: object, path: str, reader: Reader) -> Match | None:
    """The Match that a `when` writes at `path`; None, and faults, where it writes none."""
    if when == "all":
        return Match.all()
    if isinstance(when, Match):
        return when
    if not isinstance(when, Mapping) or not when:
        expected = "`all`, or a mapping of facts, as `{framework: vllm}`"
        literal = "{}" if isinstance(when, Mapping) else str(when)
        reader.found.append(
            fault(FaultCode.NOT_A_CONDITION, reader.place(path), path, literal=literal, expected=expected)
        )
        return None
    before = len(reader.found)
    conditions: list[Condition] = []
    alternatives: Match | None = None
    seen: dict[str, str] = {}
    for key, value in when.items():
        inner, name = (f"{path}.{key}" if path else str(key)), folded(str(key))
        if name in seen:
            other = f"its other spelling `{seen[name]}`"
            reader.found.append(fault(FaultCode.DUPLICATE_KEY, reader.place(inner), inner, literal=key, other=other))
        seen[name] = str(key)
        if name == "any-of":
            alternatives = _any_of(value, inner, reader)
        elif name in _NAMES:
            condition = reader.condition(BY_NAME[name], value, inner)
            if condition is not None:
                conditions.append(condition)
        else:
            reader.found.append(_unknown(name, str(key), inner, reader.place))
    if len(reader.found) > before:
        return None
    own = _made("facts", tuple(conditions)) if conditions else None
    if own is not None and alternatives is not None:
        return _made("and", parts=(own, alternatives))
    return alternatives if own is None else own


def _any_of(value: object, path: str, reader: Reader) -> Match | None:
    if not isinstance(value, list | tuple) or not value:
        expected = "a list of conditions, as `[{framework: vllm}, {agentic: true}]`"
        literal = "[]" if isinstance(value, list | tuple) else str(value)
        reader.found.append(
            fault(FaultCode.NOT_A_CONDITION, reader.place(path), path, literal=literal, expected=expected)
        )
        return None
    each = [read(one, f"{path}[{index}]", reader) for index, one in enumerate(value)]
    return _made("or", parts=tuple(one for one in each if one is not None))


def _unknown(name: str, key: str, path: str, place: Callable[[str], Source]) -> Fault:
    carried = BY_NAME.get(name)
    if carried is not None:
        expected = "a fact that rows may read; this one is only carried"
        return fault(FaultCode.NOT_A_CONDITION, place(path), path, literal=key, expected=expected)
    known = [*_NAMES, "any-of"]
    return fault(
        FaultCode.UNKNOWN_KEY, place(path), path, literal=key, what="a condition", nearest=nearest(name, known),
        expected=", ".join(known),
    )  # fmt: skip


def kleene(match: Match, facts: Facts) -> bool | None:
    """Three-valued evaluation part by part; True and False are final, None may still be either."""
    match match.operator:
        case "all":
            return True
        case "not":
            inner = kleene(match.parts[0], facts)
            return None if inner is None else not inner
        case "or":
            answers = [kleene(part, facts) for part in match.parts]
            return True if True in answers else None if None in answers else False
        case "and":
            answers = [kleene(part, facts) for part in match.parts]
        case "facts":
            answers = [
                facts[one.fact.name] in one.allowed if one.fact.name in facts else None for one in match.conditions
            ]
    return False if False in answers else None if None in answers else True


def _region_of(match: Match) -> Region:
    match match.operator:
        case "all":
            return regions.FULL
        case "not":
            return ~match.parts[0].region
        case "or":
            return regions.union([part.region for part in match.parts])
        case "facts":
            return regions.of_box({one.fact.name: one.allowed for one in match.conditions})
    found = regions.FULL
    for part in match.parts:
        found = found & part.region
    return found


def alternatives(match: Match, negated: bool = False) -> Iterator[tuple[Condition, ...]]:
    """The conditions of each way in which the Match can hold, as far as they were written.

    A negated condition is shown as `{not: ...}`. Ways are not exclusive; `all` has one way, without
    conditions.
    """
    match match.operator:
        case "all":
            if not negated:
                yield ()
        case "not":
            yield from alternatives(match.parts[0], not negated)
        case "facts" if negated:
            for one in match.conditions:
                yield (Condition(one.fact, values.complement(one.allowed), _not(one.written)),)
        case "facts":
            yield match.conditions
        case "or" | "and" if (match.operator == "or") != negated:
            for part in match.parts:
                yield from alternatives(part, negated)
        case _:
            yield from _products([list(alternatives(part, negated)) for part in match.parts])


def _products(ways: list[list[tuple[Condition, ...]]]) -> Iterator[tuple[Condition, ...]]:
    if not ways:
        yield ()
        return
    for first in ways[0]:
        for rest in _products(ways[1:]):
            yield (*first, *rest)


def _not(written: Any) -> Any:
    return written["not"] if isinstance(written, Mapping) and set(written) == {"not"} else {"not": written}


def _shown(match: Match) -> str:
    match match.operator:
        case "all":
            return "Match.all()"
        case "not":
            return f"~{_bracketed(match.parts[0])}"
        case "facts":
            facts = ", ".join(f"{one.fact.attribute}={one.written!r}" for one in match.conditions)
            return f"Match({facts})"
    joint = " & " if match.operator == "and" else " | "
    return joint.join(_bracketed(part) for part in match.parts)


def _bracketed(match: Match) -> str:
    return f"({_shown(match)})" if match.operator in ("and", "or") and len(match.parts) > 1 else _shown(match)
