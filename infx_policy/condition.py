"""What a `when` may say of one fact, read into a set of values.

The grammar: a value, a list of values (one of them), `{not: ...}`, `{at-least: N}` and `{at-most: N}` for
whole numbers, `{glob: ...}` for `model`, and `known`, every word of the fact's vocabulary.
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from infx_policy import documents, reading, values
from infx_policy.documents import Unquoted
from infx_policy.errors import Fault, FaultCode, fault
from infx_policy.fact import MODES, Fact, Kind
from infx_policy.language import Language
from infx_policy.source import Source
from infx_policy.spelling import nearest
from infx_policy.values import Value, Values, Whole, Words

Vocabulary = Mapping[str, frozenset[str]]
"""The known words of each fact that has a vocabulary."""
KNOWN = "known"
_MOST_SINGLE = 4


@frozen(eq=False, repr=False)
class Condition:
    """One fact and the values that it must have; `written` is how the row or call wrote them."""

    fact: Fact
    allowed: Values
    written: Any


@frozen(eq=False, repr=False)
class Reader:
    """Reads conditions: where faults go, how places are found, and what `known` stands for."""

    found: list[Fault]
    place: Callable[[str], Source]
    vocabulary: Vocabulary | None = None

    def condition(self, fact: Fact, value: object, path: str) -> Condition | None:
        """The condition that `value` writes of a fact; None, and a fault, where it writes none."""
        before = len(self.found)
        allowed = self._values(fact, value, path)
        return None if allowed is None or len(self.found) > before else Condition(fact, allowed, plainly(value))

    def _values(self, fact: Fact, value: object, path: str) -> Values | None:
        if isinstance(value, Mapping):
            return self._operators(fact, value, path)
        if isinstance(value, list | tuple | set | frozenset):
            return self._one_of(fact, value, path)
        if value == KNOWN and fact.vocabulary:
            return self._known(fact, path)
        member = self._member(fact, value, path)
        return None if member is None else values.only(fact, [member])

    def _one_of(
        self, fact: Fact, given: list[Any] | tuple[Any, ...] | set[Any] | frozenset[Any], path: str
    ) -> Values | None:
        if not given:
            self.found.append(fault(FaultCode.EMPTY_LIST, self.place(path), path, literal="[]"))
            return None
        together = values.empty(fact)
        ordered = given if isinstance(given, list | tuple) else sorted(given, key=str)
        for index, value in enumerate(ordered):
            inner = f"{path}[{index}]"
            if value == KNOWN and fact.vocabulary:
                expected = f"`{KNOWN}` alone, without a list"
                self.found.append(
                    fault(FaultCode.NOT_A_CONDITION, self.place(inner), inner, literal=KNOWN, expected=expected)
                )
                continue
            if isinstance(value, Mapping) and set(value) == {"glob"}:
                one = self._operators(fact, value, inner)
            else:
                member = self._member(fact, value, inner)
                one = None if member is None else values.only(fact, [member])
            if one is not None:
                together = values.union(together, one)
        return together

    def _known(self, fact: Fact, path: str) -> Values | None:
        if self.vocabulary is None:
            expected = f"words of `{fact.name}`; `known` is resolved where a policy is loaded, or pass `vocabulary`"
            self.found.append(
                fault(FaultCode.NOT_A_CONDITION, self.place(path), path, literal=KNOWN, expected=expected)
            )
            return None
        return Words(frozenset(self.vocabulary.get(fact.name, frozenset())))

    def _operators(self, fact: Fact, given: Mapping[Any, Any], path: str) -> Values | None:
        known = ["not"]
        if fact.kind is Kind.INTEGER:
            known += ["at-least", "at-most"]
        if fact.name == "model":
            known += ["glob"]
        names: dict[str, Any] = {}
        for key, value in given.items():
            name = str(key).replace("_", "-")
            if name in names:
                at, other = f"{path}.{key}", "its other spelling"
                self.found.append(fault(FaultCode.DUPLICATE_KEY, self.place(at), at, literal=key, other=other))
            names[name] = value
        for key in given:
            name = str(key).replace("_", "-")
            if name not in known:
                self.found.append(
                    fault(
                        FaultCode.UNKNOWN_KEY, self.place(f"{path}.{key}"), f"{path}.{key}", literal=key,
                        what=f"a condition on `{fact.name}`", nearest=nearest(name, known), expected=", ".join(known),
                    )
                )  # fmt: skip
        if not names or ("not" in names and len(names) > 1) or ("glob" in names and len(names) > 1):
            expected = " or ".join(f"`{{{name}: ...}}`" for name in known)
            literal = "{" + ", ".join(names) + "}"
            self.found.append(
                fault(FaultCode.NOT_A_CONDITION, self.place(path), path, literal=literal, expected=expected)
            )
            return None
        if "not" in names:
            inner = self._values(fact, names["not"], f"{path}.not")
            return None if inner is None else values.complement(inner)
        if "glob" in names and fact.name == "model":
            return self._glob(names["glob"], f"{path}.glob")
        return self._interval(names, path) if fact.kind is Kind.INTEGER else None

    def _glob(self, given: object, path: str) -> Values | None:
        if isinstance(given, list | tuple):
            expected = 'a list of globs, as `[{glob: "a/*"}, {glob: "b/*"}]`'
            self.found.append(
                fault(FaultCode.NOT_A_CONDITION, self.place(path), path, literal="[...]", expected=expected)
            )
            return None
        text = reading.text_of(given, path, self.place, self.found)
        if text is not None and "*" in text and text.count("?") > _MOST_SINGLE:
            expected = f"at most {_MOST_SINGLE} `?` beside a `*`: each doubles what there is to tell apart"
            self.found.append(fault(FaultCode.NOT_A_CONDITION, self.place(path), path, literal=text, expected=expected))
            return None
        return None if text is None else values.glob(text)

    def _interval(self, names: Mapping[str, Any], path: str) -> Values | None:
        ends: dict[str, int] = {}
        for name in ("at-least", "at-most"):
            if name in names:
                number = reading.whole_of(names[name], f"{path}.{name}", self.place, self.found)
                if number is None:
                    return None
                ends[name] = number
        found = values.interval(ends.get("at-least", 0), ends.get("at-most"))
        if found.is_empty:
            literal = f"at-least: {ends['at-least']}, at-most: {ends['at-most']}"
            expected = "a range that holds a number"
            self.found.append(
                fault(FaultCode.NOT_A_CONDITION, self.place(path), path, literal=literal, expected=expected)
            )
        return found

    def _member(self, fact: Fact, value: object, path: str) -> Value | None:
        match fact.kind:
            case Kind.FLAG:
                return reading.flag_of(value, path, self.place, self.found)
            case Kind.INTEGER:
                return reading.whole_of(value, path, self.place, self.found)
        text = reading.text_of(value, path, self.place, self.found)
        if text is not None and fact.kind is Kind.MODE and text not in MODES:
            expected = ", ".join(documents.quoted(mode) for mode in MODES)
            self.found.append(
                fault(FaultCode.NOT_ONE_OF, self.place(path), path, literal=text, expected=expected,
                      nearest=nearest(text, MODES))
            )  # fmt: skip
            return None
        if text is not None and fact.name == "model" and "*" in text:
            expected = f"`{{glob: {documents.quoted(text)}}}`"
            self.found.append(fault(FaultCode.NOT_A_CONDITION, self.place(path), path, literal=text, expected=expected))
            return None
        return text


def plainly(value: object) -> Any:
    """What was written, as plain data that JSON can hold."""
    if isinstance(value, Unquoted):
        return value.text if value.value is None else value.value
    if isinstance(value, Mapping):
        return {str(key).replace("_", "-"): plainly(inner) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return [plainly(inner) for inner in value] if isinstance(value, list | tuple) else value


def written(fact: Fact, allowed: Values, words: frozenset[str] | None = None) -> Any:
    """A set of values in the grammar of `when`; with `words`, the fact's vocabulary, the shorter of one
    of and none of.
    """
    if isinstance(allowed, Whole):
        return _written_numbers(allowed)
    if isinstance(allowed, Language):
        return _written_language(allowed)
    if words is not None and fact.kind is Kind.TEXT:
        inside = {word for word in words if word in allowed}
        outside = words - inside
        allowed = Words(frozenset(outside), True) if len(outside) < len(inside) else Words(frozenset(inside))
    members = sorted(allowed.members, key=str)
    listed: Any = members[0] if len(members) == 1 else members
    return {"not": listed} if allowed.complement else listed


def _written_numbers(allowed: Whole) -> Any:
    """One range as its ends, several as the numbers in them, or as all but the numbers between them."""
    low, high = allowed.intervals[0][0], allowed.intervals[-1][1]
    if len(allowed.intervals) == 1 and low != high:
        ends = {"at-least": low} if low or high is None else {}
        return ends if high is None else {**ends, "at-most": high}
    holes = values.complement(allowed)
    assert isinstance(holes, Whole)
    listed = [one for start, end in (allowed if high is not None else holes).intervals for one in _between(start, end)]
    found: Any = listed[0] if len(listed) == 1 else listed
    return {"not": found} if high is None else found


def _between(start: int, end: int | None) -> range:
    assert end is not None, "of a set and its complement one is finite, and that one is listed"
    return range(start, end + 1)


def _written_language(allowed: Language) -> Any:
    parts, negated = values.form(allowed)
    if not parts:
        return {"like": allowed.shortest()}
    listed: list[Any] = [{"glob": text} if is_glob else text for text, is_glob in parts]
    found: Any = listed[0] if len(listed) == 1 else listed
    return {"not": found} if negated else found
