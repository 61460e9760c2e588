"""Regular languages of globs: what they hold, their shortest text, and that equal ones are equal."""

import pickle
import string

import pytest

from infx_policy import language
from infx_policy.language import Language


def _glob(pattern: str) -> Language:
    found = language.canonical(language.of_glob(pattern))
    assert isinstance(found, Language)
    return found


@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("*/DeepSeek-V4-*", "deepseek-ai/DeepSeek-V4-Pro", True),
        ("*/DeepSeek-V4-*", "DeepSeek-V4-Pro", False),
        ("*/DeepSeek-V4-*", "deepseek-ai/DeepSeek-V4", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("a?c", "abbc", False),
        ("a*b*c", "a-b-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("*a*b", "ab", True),
        ("*a*b", "ba", False),
        ("*", "", True),
        ("?", "", False),
        ("a*", "a\nb", True),
        ("中*", "中文", True),
        ("a", "a", True),
        ("a", "A", False),
        ("*ab*ab", "ab", False),
        ("*ab*ab", "abab", True),
    ],
)
def test_what_a_glob_matches(glob: str, text: str, expected: bool) -> None:
    assert language.matches(glob, text) is expected
    assert bool(language.of_glob(glob).accepts(text)) is expected


@pytest.mark.parametrize("char", sorted({*string.punctuation, " ", "é", "ß"} - {"*", "?"}))
def test_other_characters_stand_for_themselves(char: str) -> None:
    assert f"a{char}b" in _glob(f"*{char}*")
    assert "ab" not in _glob(f"*{char}*")
    assert language.matches(f"a{char}*", f"a{char}b")
    assert not language.matches(f"a{char}*", "ab")


def test_a_language_holds_texts_alone() -> None:
    assert "ab" in _glob("a*")
    assert 3 not in _glob("*3*")


@pytest.mark.parametrize(
    ("glob", "expected"),
    [("*/a", "/a"), ("a*", "a"), ("?b*", "bb"), ("*x*y", "xy"), ("a?", "aa"), ("??", "aa")],
)
def test_the_shortest_text_takes_characters_that_were_named_where_it_can(glob: str, expected: str) -> None:
    assert _glob(glob).shortest() == expected


@pytest.mark.parametrize(("one", "two"), [("a**b", "a*b"), ("*a*", "**a**"), ("?*?", "??*"), ("*?", "?*")])
def test_globs_that_mean_the_same_are_equal(one: str, two: str) -> None:
    assert language.canonical(language.of_glob(one)) == language.canonical(language.of_glob(two))
    assert hash(language.canonical(language.of_glob(one))) == hash(language.canonical(language.of_glob(two)))


@pytest.mark.parametrize(("one", "two"), [("a*", "*a"), ("a*", "a?*"), ("*a*", "*b*"), ("??", "?")])
def test_globs_that_mean_another_thing_are_not_equal(one: str, two: str) -> None:
    assert language.canonical(language.of_glob(one)) != language.canonical(language.of_glob(two))


def test_finite_and_cofinite_sets_are_texts() -> None:
    texts = frozenset({"", "a", "ab", "中"})
    assert language.canonical(language.of_texts(texts, others=False)) == (texts, False)
    assert language.canonical(language.of_texts(texts, others=True)) == (texts, True)
    assert language.canonical(language.of_texts([], others=False)) == (frozenset(), False)
    assert language.canonical(language.of_texts([], others=True)) == (frozenset(), True)
    assert language.canonical(language.of_glob("a*") & language.of_texts(["ab", "b"], others=False)) == (
        frozenset({"ab"}),
        False,
    )


def test_what_two_globs_share_may_be_one_text() -> None:
    both = language.of_glob("a?") & language.of_glob("?b")
    assert language.canonical(both) == (frozenset({"ab"}), False)


def test_a_loop_without_other_characters_is_no_finite_set() -> None:
    found = language.canonical(language._of_pattern("ba*"))
    assert isinstance(found, Language)
    assert "baa" in found
    assert "bac" not in found


def test_symbols_that_nothing_tells_apart_are_left_out() -> None:
    assert _glob("a*").symbols == ("a",)
    assert _glob("??").symbols == ()
    assert "z" not in _glob("*zz*").shortest().strip("z")


def test_a_language_survives_pickling() -> None:
    one = _glob("*/a?c*")
    again: Language = pickle.loads(pickle.dumps(one))
    assert again == one
    assert hash(again) == hash(one)
    for text in ("x/abc", "x/abcd", "x/ac", "abc"):
        assert (text in again) == (text in one)
