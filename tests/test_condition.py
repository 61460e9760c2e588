"""The grammar of `when`, one fact at a time: what it means, how it is written back, and what it refuses."""

from typing import Any

import pytest

from infx_policy import values
from infx_policy.condition import Reader, plainly, written
from infx_policy.errors import Fault, FaultCode, sentence
from infx_policy.fact import BY_NAME
from infx_policy.source import Source
from infx_policy.values import Values

WORDS = {"framework": frozenset({"trt", "vllm", "sglang"})}


def _read(name: str, value: object, vocabulary: dict[str, frozenset[str]] | None = WORDS) -> tuple[Any, list[Fault]]:
    found: list[Fault] = []
    reader = Reader(found, lambda path: Source(f"at {path}"), vocabulary)
    condition = reader.condition(BY_NAME[name], value, name)
    return (None if condition is None else condition.allowed), found


def _allowed(name: str, value: object) -> Values:
    allowed, found = _read(name, value)
    assert not found
    assert allowed is not None
    return allowed  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "value", "inside", "outside"),
    [
        ("framework", "vllm", ["vllm"], ["v", "trt", ""]),
        ("framework", ["vllm", "trt"], ["vllm", "trt"], ["sglang"]),
        ("framework", ("vllm", "trt"), ["vllm", "trt"], ["sglang"]),
        ("framework", {"vllm", "trt"}, ["vllm", "trt"], ["sglang"]),
        ("framework", {"not": "vllm"}, ["trt", "unheard-of"], ["vllm"]),
        ("framework", {"not": ["vllm", "trt"]}, ["sglang"], ["vllm", "trt"]),
        ("framework", {"not": {"not": "vllm"}}, ["vllm"], ["trt"]),
        ("framework", "known", ["vllm", "trt", "sglang"], ["known", "unheard-of"]),
        ("framework", {"not": "known"}, ["unheard-of"], ["vllm"]),
        ("agentic", True, [True], [False]),
        ("agentic", {"not": True}, [False], [True]),
        ("thinking-mode", "on", ["on"], ["off", ""]),
        ("thinking-mode", {"not": ""}, ["on", "off"], [""]),
        ("bench-script", {"not": ""}, ["s.sh"], [""]),
        ("model", {"glob": "x/*"}, ["x/a", "x/"], ["y/a", "x"]),
        ("model", [{"glob": "x/*"}, "y"], ["x/a", "y"], ["y/a"]),
        ("model", {"not": [{"glob": "x/*"}, "y"]}, ["y/a"], ["x/a", "y"]),
        ("model", "a?b", ["a?b"], ["axb"]),
        ("max-concurrency", 4, [4], [3, 5]),
        ("max-concurrency", [4, 6], [4, 6], [5]),
        ("max-concurrency", {"at-least": 4}, [4, 5, 10**6], [3]),
        ("max-concurrency", {"at_least": 4}, [4], [3]),
        ("max-concurrency", {"at-most": 4}, [0, 4], [5]),
        ("max-concurrency", {"at-least": 4, "at-most": 6}, [4, 5, 6], [3, 7]),
        ("max-concurrency", {"at-least": 4, "at-most": 4}, [4], [3, 5]),
        ("max-concurrency", {"not": {"at-least": 4}}, [3], [4]),
        ("cluster", "known", ["known"], ["c"]),
    ],
)
def test_what_a_condition_means(name: str, value: object, inside: list[Any], outside: list[Any]) -> None:
    allowed = _allowed(name, value)
    assert all(each in allowed for each in inside)
    assert not any(each in allowed for each in outside)


@pytest.mark.parametrize(
    ("name", "value", "code", "path", "literal"),
    [
        ("framework", [], FaultCode.EMPTY_LIST, "framework", "[]"),
        ("framework", {"not": []}, FaultCode.EMPTY_LIST, "framework.not", "[]"),
        ("framework", {}, FaultCode.NOT_A_CONDITION, "framework", "{}"),
        ("framework", {"noot": "vllm"}, FaultCode.UNKNOWN_KEY, "framework.noot", "noot"),
        ("framework", {"glob": "v*"}, FaultCode.UNKNOWN_KEY, "framework.glob", "glob"),
        ("framework", {"at-least": 3}, FaultCode.UNKNOWN_KEY, "framework.at-least", "at-least"),
        ("framework", 5.2, FaultCode.NOT_TEXT, "framework", "5.2"),
        ("framework", True, FaultCode.NOT_TEXT, "framework", "true"),
        ("framework", ["vllm", 3], FaultCode.NOT_TEXT, "framework[1]", "3"),
        ("framework", [["vllm"]], FaultCode.NOT_TEXT, "framework[0]", "[...]"),
        ("framework", [{"not": "vllm"}], FaultCode.NOT_TEXT, "framework[0]", "{...}"),
        ("framework", "a\nb", FaultCode.CONTROL_CHARACTER, "framework", "a\nb"),
        ("agentic", "true", FaultCode.NOT_A_BOOLEAN, "agentic", '"true"'),
        ("agentic", 1, FaultCode.NOT_A_BOOLEAN, "agentic", "1"),
        ("thinking-mode", "onn", FaultCode.NOT_ONE_OF, "thinking-mode", "onn"),
        ("thinking-mode", True, FaultCode.NOT_TEXT, "thinking-mode", "true"),
        ("model", "x/*", FaultCode.NOT_A_CONDITION, "model", "x/*"),
        ("model", {"glob": ["x/*"]}, FaultCode.NOT_A_CONDITION, "model.glob", "[...]"),
        ("model", {"glob": 3}, FaultCode.NOT_TEXT, "model.glob", "3"),
        ("model", {"glob": "x/*", "not": "y"}, FaultCode.NOT_A_CONDITION, "model", "{glob, not}"),
        ("max-concurrency", -1, FaultCode.NEGATIVE, "max-concurrency", "-1"),
        ("max-concurrency", "4", FaultCode.NOT_AN_INTEGER, "max-concurrency", '"4"'),
        ("max-concurrency", 4.0, FaultCode.NOT_AN_INTEGER, "max-concurrency", "4.0"),
        ("max-concurrency", True, FaultCode.NOT_AN_INTEGER, "max-concurrency", "true"),
        ("max-concurrency", {"at-least": "4"}, FaultCode.NOT_AN_INTEGER, "max-concurrency.at-least", '"4"'),
        (
            "max-concurrency",
            {"at-least": 5, "at-most": 4},
            FaultCode.NOT_A_CONDITION,
            "max-concurrency",
            "at-least: 5, at-most: 4",
        ),
        ("max-concurrency", {"not": 4, "at-least": 3}, FaultCode.NOT_A_CONDITION, "max-concurrency", "{not, at-least}"),
    ],
)
def test_what_is_no_condition(name: str, value: object, code: FaultCode, path: str, literal: str) -> None:
    allowed, found = _read(name, value)
    assert allowed is None
    assert [(one.code, one.path, one.literal) for one in found] == [(code, path, literal)]
    assert found[0].source == Source(f"at {path}")


def test_a_key_written_in_both_spellings_is_a_fault() -> None:
    allowed, found = _read("max-concurrency", {"at-least": 5, "at_least": 7})
    assert allowed is None
    assert [one.code for one in found] == [FaultCode.DUPLICATE_KEY]


def test_known_in_a_list_is_not_taken_for_a_word() -> None:
    allowed, found = _read("framework", ["known"])
    assert found or (allowed is not None and "vllm" in allowed)


def test_known_asks_for_a_vocabulary() -> None:
    allowed, found = _read("framework", "known", None)
    assert allowed is None
    assert [one.code for one in found] == [FaultCode.NOT_A_CONDITION]


def test_all_faults_of_a_list_are_found() -> None:
    _, found = _read("framework", [1, "vllm", 2])
    assert [one.path for one in found] == ["framework[0]", "framework[2]"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("model", "x/*", '`{glob: "x/*"}`'),
        ("framework", {"noot": "vllm"}, "did you mean `not`?"),
        ("framework", 5.2, '`"5.2"`'),
        ("thinking-mode", "onn", "did you mean `on`?"),
    ],
)
def test_a_fault_says_what_to_write(name: str, value: object, words: str) -> None:
    assert words in sentence(_read(name, value)[1][0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("framework", "vllm"),
        ("framework", ["trt", "vllm"]),
        ("framework", {"not": "vllm"}),
        ("framework", {"not": ["trt", "vllm"]}),
        ("agentic", True),
        ("thinking-mode", ["off", "on"]),
        ("model", {"glob": "x/*"}),
        ("model", {"not": {"glob": "x/*"}}),
        ("max-concurrency", 4),
        ("max-concurrency", [4, 6]),
        ("max-concurrency", {"not": 4}),
        ("max-concurrency", {"not": [0, 4]}),
        ("max-concurrency", {"at-least": 4}),
        ("max-concurrency", {"at-most": 4}),
        ("max-concurrency", {"at-least": 4, "at-most": 6}),
    ],
)
def test_a_set_is_written_as_a_row_would_write_it(name: str, value: object) -> None:
    assert written(BY_NAME[name], _allowed(name, value)) == value


@pytest.mark.parametrize(
    "allowed",
    [
        values.intersection(values.interval(1, 9), values.complement(values.only(BY_NAME["max-concurrency"], [4]))),
        values.union(values.interval(3, 3), values.interval(5, 6)),
        values.intersection(values.interval(4, None), values.complement(values.only(BY_NAME["max-concurrency"], [7]))),
        values.complement(values.interval(2, 5)),
        values.union(values.interval(2, 3), values.interval(5, None)),
    ],
    ids=str,
)
def test_numbers_with_holes_are_written_with_their_holes(allowed: Values) -> None:
    number = BY_NAME["max-concurrency"]
    again = written(number, allowed)
    assert _allowed("max-concurrency", again) == allowed


def test_words_of_the_vocabulary_are_written_the_shorter_way() -> None:
    fact, words = BY_NAME["framework"], WORDS["framework"]
    assert written(fact, values.only(fact, ["vllm", "trt"]), words) == {"not": "sglang"}
    assert written(fact, values.complement(values.only(fact, ["vllm", "trt"])), words) == "sglang"
    assert written(fact, values.only(fact, ["vllm", "unheard-of"]), words) == "vllm"


def test_what_was_written_is_plain_data() -> None:
    assert plainly({"at_least": 3, "not": ("a", {"b"})}) == {"at-least": 3, "not": ["a", ["b"]]}
