"""Sets of values: canonical, so that equal sets are equal objects."""

import pytest

from infx_policy import values
from infx_policy.fact import BY_NAME, MODES, Fact
from infx_policy.language import Language
from infx_policy.values import Values, Whole, Words

FRAMEWORK, MODEL = BY_NAME["framework"], BY_NAME["model"]
AGENTIC, MODE, NUMBER = BY_NAME["agentic"], BY_NAME["thinking-mode"], BY_NAME["max-concurrency"]
FEW = values.only(FRAMEWORK, ["vllm", "sglang"])
SLASH = values.glob("*/a")


@pytest.mark.parametrize("fact", [FRAMEWORK, MODEL, AGENTIC, MODE, NUMBER], ids=lambda fact: fact.name)
def test_all_and_none(fact: Fact) -> None:
    everything, nothing = values.full(fact), values.empty(fact)
    assert values.is_full(everything)
    assert not values.is_empty(everything)
    assert values.is_empty(nothing)
    assert not values.is_full(nothing)
    assert values.complement(everything) == nothing
    assert values.complement(nothing) == everything
    assert values.union(everything, nothing) == everything
    assert values.intersection(everything, nothing) == nothing


def test_words_are_open() -> None:
    others = values.complement(FEW)
    assert "vllm" in FEW
    assert "vllm" not in others
    assert "nobody-knows-it" in others
    assert values.union(FEW, others) == values.full(FRAMEWORK)
    assert values.difference(FEW, values.only(FRAMEWORK, ["vllm"])) == values.only(FRAMEWORK, ["sglang"])
    assert values.union(FEW, values.only(FRAMEWORK, ["trt"])) == values.only(FRAMEWORK, ["trt", "vllm", "sglang"])
    assert values.intersection(others, values.only(FRAMEWORK, ["trt", "vllm"])) == values.only(FRAMEWORK, ["trt"])


def test_flags_and_modes_are_closed() -> None:
    assert values.complement(values.only(AGENTIC, [True])) == values.only(AGENTIC, [False])
    assert values.only(AGENTIC, [True, False]) == values.full(AGENTIC)
    assert values.complement(values.only(MODE, ["on"])) == values.only(MODE, ["off", ""])
    assert values.only(MODE, MODES) == values.full(MODE)


def test_whole_numbers_are_joined_intervals() -> None:
    assert values.only(NUMBER, [3, 1, 2]) == values.interval(1, 3) == Whole(((1, 3),))
    assert values.union(values.interval(0, 4), values.interval(5, None)) == values.full(NUMBER)
    assert values.complement(values.interval(2, 4)) == Whole(((0, 1), (5, None)))
    assert values.complement(values.interval(0, 4)) == Whole(((5, None),))
    assert values.intersection(values.interval(2, None), values.complement(values.only(NUMBER, [4]))) == Whole(
        ((2, 3), (5, None))
    )
    assert values.interval(5, 4) == values.empty(NUMBER)


@pytest.mark.parametrize(("number", "inside"), [(0, False), (2, True), (3, True), (4, False), (5, True), (10**9, True)])
def test_membership_of_whole_numbers(number: int, inside: bool) -> None:
    assert (number in Whole(((2, 3), (5, None)))) == inside
    assert str(number) not in Whole(((2, 3), (5, None)))


def test_a_glob_is_as_plain_as_it_can_be() -> None:
    assert values.glob("a/b") == values.only(MODEL, ["a/b"])
    assert values.glob("*") == values.full(MODEL)
    assert values.glob("**") == values.full(MODEL)
    assert values.glob("?*") == values.complement(values.only(MODEL, [""]))
    assert isinstance(values.glob("a*"), Language)
    assert values.glob("a**b*") == values.glob("a*b**")


def test_globs_with_words() -> None:
    one = values.only(MODEL, ["x/a", "y/b"])
    assert values.intersection(one, SLASH) == values.only(MODEL, ["x/a"])
    assert values.intersection(SLASH, one) == values.only(MODEL, ["x/a"])
    assert values.difference(one, SLASH) == values.only(MODEL, ["y/b"])
    more = values.union(SLASH, one)
    assert "y/b" in more
    assert "z/a" in more
    assert "z/b" not in more
    assert values.difference(more, SLASH) == values.only(MODEL, ["y/b"])
    assert values.union(SLASH, values.complement(SLASH)) == values.full(MODEL)
    assert values.intersection(SLASH, values.full(MODEL)) == SLASH == values.intersection(values.full(MODEL), SLASH)
    assert values.complement(values.complement(SLASH)) == SLASH


def test_a_glob_keeps_how_it_was_written_through_its_complement() -> None:
    others = values.complement(SLASH)
    assert isinstance(SLASH, Language)
    assert isinstance(others, Language)
    assert values.form(SLASH) == ((("*/a", True),), False)
    assert values.form(others) == ((("*/a", True),), True)


@pytest.mark.parametrize("text", ["/a", "/a*b", "/a?b", "/a.b", "/[a]"])
def test_a_suffix_is_no_glob(text: str) -> None:
    found = values.suffix(text)
    assert f"x{text}" in found
    assert text in found
    assert f"{text}x" not in found
    assert ("x/ayb" in found) is False


EXAMPLES: list[tuple[Values, list[values.Value], values.Value]] = [
    (FEW, [], "sglang"),
    (FEW, ["trt", "vllm"], "vllm"),
    (values.complement(values.only(FRAMEWORK, ["other"])), [], "other-2"),
    (values.full(FRAMEWORK), [], "other"),
    (values.interval(7, None), [3], 7),
    (values.interval(7, None), [9], 9),
    (SLASH, [], "/a"),
    (values.only(BY_NAME["bench-script"], ["", "s.sh"]), [], "s.sh"),
    (values.full(AGENTIC), [], False),
]


@pytest.mark.parametrize(("allowed", "preferred", "expected"), EXAMPLES)
def test_an_example_is_in_the_set(allowed: Values, preferred: list[values.Value], expected: values.Value) -> None:
    assert values.example(allowed, preferred) == expected
    assert expected in allowed


def test_a_set_in_a_universe_is_written_as_words() -> None:
    assert values.complement(values.only(AGENTIC, [])) == Words(values.FLAGS, universe=values.FLAGS)
