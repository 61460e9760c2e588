"""Regular languages, for the globs over `model`: exact, canonical, and made only where a glob is.

interegular builds and combines the automata. It is imported inside the functions that need it, since
most tables hold no glob.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from interegular.fsm import FSM, Alphabet

Part = tuple[str, bool]
"""A text, and whether it is a glob."""
DEAD = -1
"""The state from which nothing is accepted."""


@frozen
class Language:
    """A set of texts that is neither finite nor the complement of a finite set.

    `symbols` are the characters that the automaton tells apart; the last entry of each row of `steps`
    is for every other character. The automaton is minimal and its states are numbered breadth first,
    so equal sets are equal objects.
    """

    symbols: tuple[str, ...]
    steps: tuple[tuple[int, ...], ...]
    finals: frozenset[int]
    automaton: "FSM" = field(eq=False, repr=False)
    parts: tuple[Part, ...] = field(default=(), eq=False)
    """The texts and globs that write it; none where it can't be written as one list of them."""
    negated: bool = field(default=False, eq=False)
    """Whether it is all that the parts do not match."""

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and bool(self.automaton.accepts(text))

    def shortest(self) -> str:
        """A shortest text of it, always the same one."""
        frontier: list[tuple[str, int]] = [("", 0)]
        seen = {0}
        while frontier:
            following: list[tuple[str, int]] = []
            for text, state in frontier:
                if state in self.finals:
                    return text
                for symbol, target in zip([*self.symbols, self._other()], self.steps[state], strict=True):
                    if target != DEAD and target not in seen:
                        seen.add(target)
                        following.append((text + symbol, target))
            frontier = following
        raise AssertionError("a Language is never empty")

    def _other(self) -> str:
        return next(char for char in _letters() if char not in self.symbols)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.symbols, self.steps, self.finals)


def _letters() -> Iterable[str]:
    return (chr(code) for code in [*range(97, 123), *range(48, 58), *range(0x4E00, 0x9FFF)])


def matches(glob: str, text: str) -> bool:
    """Whether a glob matches a text: `*` is any characters, `?` one character, all else itself."""
    return _compiled(glob).fullmatch(text) is not None


_patterns: dict[str, re.Pattern[str]] = {}


def _compiled(glob: str) -> re.Pattern[str]:
    found = _patterns.get(glob)
    if found is None:
        # Possessive in effect: each star stops at the first place where the next part fits.
        parts = [re.escape(part).replace(r"\?", ".") for part in glob.split("*")]
        if len(parts) == 1:
            text = parts[0]
        else:
            middle = "".join(f"(?>.*?{part})" for part in parts[1:-1] if part)
            text = f"{parts[0]}{middle}.*{parts[-1]}"
        found = _patterns[glob] = re.compile(text, re.DOTALL)
    return found


def of_glob(glob: str) -> "FSM":
    """The automaton of a glob."""
    parts = ["[\\s\\S]" if char == "?" else "[\\s\\S]*" if char == "*" else re.escape(char) for char in glob]
    return _of_pattern("".join(parts))


def of_texts(texts: Iterable[str], *, others: bool) -> "FSM":
    """The automaton of a finite set of texts, or of all others."""
    symbols = sorted({char for text in texts for char in text})
    alphabet = _alphabet(symbols)
    steps: dict[int, dict[int, int]] = {0: {}}
    finals: set[int] = set()
    for text in sorted(texts):
        state = 0
        for char in text:
            state = steps[state].setdefault(alphabet[char], len(steps))
            steps.setdefault(state, {})
        finals.add(state)
    made = _automaton(alphabet, steps, finals)
    return complement(made) if others else made


def _alphabet(symbols: Iterable[str]) -> "Alphabet":
    """The alphabet whose keys are the symbols' places; the last is every other character."""
    from interegular.fsm import Alphabet, anything_else

    places: Any = {symbol: index for index, symbol in enumerate([*symbols, anything_else])}
    return Alphabet(places)


def _automaton(alphabet: "Alphabet", steps: Mapping[int, Mapping[int, int]], finals: Iterable[int]) -> "FSM":
    from interegular.fsm import FSM

    table: Any = steps
    return FSM(alphabet=alphabet, states=set(steps), initial=0, finals=set(finals), map=table)


def complement(automaton: "FSM") -> "FSM":
    """The automaton of every other text."""
    found: FSM = automaton.everythingbut()  # type: ignore[no-untyped-call]
    return found


def _reduced(automaton: "FSM") -> "FSM":
    found: FSM = automaton.reduce()  # type: ignore[no-untyped-call]
    return found


def of_suffix(text: str) -> "FSM":
    """The automaton of all texts that end in a text."""
    return _of_pattern(f"[\\s\\S]*{re.escape(text)}")


def _of_pattern(pattern: str) -> "FSM":
    import interegular

    automaton: FSM = interegular.parse_pattern(pattern).to_fsm()
    return automaton


def canonical(automaton: "FSM") -> "Language | tuple[frozenset[str], bool]":
    """The set that an automaton accepts: a Language, or (texts, complement) where it or its
    complement is finite.
    """
    symbols, steps, finals = _numbered(_reduced(automaton))
    texts = _finite(symbols, steps, finals)
    if texts is not None:
        return texts, False
    others = _finite(*_numbered(_reduced(complement(automaton))))
    if others is not None:
        return others, True
    return Language(symbols, steps, finals, automaton)


_Numbered = tuple[tuple[str, ...], tuple[tuple[int, ...], ...], frozenset[int]]


def _numbered(automaton: "FSM") -> _Numbered:
    """The automaton with its states numbered breadth first and each symbol that acts as every other
    one does left out.
    """
    from interegular.fsm import anything_else

    live: set[Any] = {state for state in automaton.states if automaton.islive(state)}  # type: ignore[no-untyped-call]
    steps: Mapping[Any, Mapping[Any, Any]] = automaton.map

    def step(state: int, symbol: object) -> int:
        target = steps[state].get(automaton.alphabet[symbol], DEAD) if state in steps else DEAD
        return target if target in live else DEAD

    symbols = sorted(
        symbol
        for symbol in automaton.alphabet
        if symbol is not anything_else and any(step(state, symbol) != step(state, anything_else) for state in live)
    )
    if automaton.initial not in live:
        return (), ((DEAD,),), frozenset()
    numbers: dict[int, int] = {automaton.initial: 0}
    rows: list[tuple[int, ...]] = []
    queue: list[int] = [automaton.initial]
    for state in queue:
        targets = [step(state, symbol) for symbol in [*symbols, anything_else]]
        for target in targets:
            if target != DEAD and target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
        rows.append(tuple(numbers.get(target, DEAD) for target in targets))
    finals = frozenset(numbers[state] for state in automaton.finals if state in numbers)
    return tuple(symbols), tuple(rows), finals


def _finite(
    symbols: tuple[str, ...], steps: tuple[tuple[int, ...], ...], finals: frozenset[int]
) -> "frozenset[str] | None":
    """The texts of a finite set; None where a loop or a step on any other character makes it infinite."""
    found: set[str] = set()
    stack: list[tuple[int, str, frozenset[int]]] = [(0, "", frozenset())]
    while stack:
        state, text, above = stack.pop()
        if state in above or steps[state][-1] != DEAD:
            return None
        if state in finals:
            found.add(text)
        stack.extend(
            (target, text + symbol, above | {state})
            for symbol, target in zip(symbols, steps[state][:-1], strict=True)
            if target != DEAD
        )
    return frozenset(found)


def _revived(symbols: tuple[str, ...], steps: tuple[tuple[int, ...], ...], finals: frozenset[int]) -> Language:
    table = {
        state: {index: target for index, target in enumerate(row) if target != DEAD} for state, row in enumerate(steps)
    }
    return Language(symbols, steps, finals, _automaton(_alphabet(symbols), table, finals))
