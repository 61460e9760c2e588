"""Matches as callers write them, and three values over what a request states."""

from typing import Any

import pytest

from infx_policy import InputError, Match, Request, values
from infx_policy import region as regions
from infx_policy.errors import FaultCode
from infx_policy.fact import BY_NAME, MATCHED
from infx_policy.match import alternatives, stated

VLLM, AGENTIC = Match(framework="vllm"), Match(agentic=True)


def _faults(**facts: object) -> list[tuple[FaultCode, str]]:
    with pytest.raises(InputError) as caught:
        Match(**facts)
    return [(one.code, one.path) for one in caught.value.faults]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request(framework="vllm", agentic=True), True),
        (Request(framework="vllm", agentic=False), False),
        (Request(framework="trt"), False),
        (Request(framework="vllm"), None),
        (Request(), None),
    ],
)
def test_facts_are_anded(request_: Request, expected: bool | None) -> None:
    assert Match(framework="vllm", agentic=True).holds(request_) is expected


def test_all_matches_everything_and_must_be_written() -> None:
    assert Match.all().holds(Request()) is True
    assert Match.from_mapping("all") == Match.all()
    assert (~Match.all()).holds(Request()) is False
    assert Match(any_of=["all"]) == Match.all()
    with pytest.raises(TypeError, match=r"Match\.all\(\)"):
        Match()
    with pytest.raises(InputError):
        Match.from_mapping({})
    with pytest.raises(InputError):
        Match.from_mapping("al")


def test_what_completions_share_is_known() -> None:
    assert (VLLM | ~VLLM).holds(Request()) is True
    assert (VLLM & ~VLLM).holds(Request()) is False
    assert (VLLM & Match(framework="trt")).holds(Request()) is False
    assert (Match(max_concurrency={"at-least": 4}) | Match(max_concurrency={"at-most": 4})).holds({}) is True
    assert (Match(model={"glob": "a*"}) & Match(model={"glob": "b*"})).holds({}) is False


def test_a_vocabulary_bounds_the_completions() -> None:
    within = regions.side("framework", values.only(BY_NAME["framework"], ["vllm", "trt"]))
    either = Match(framework=["vllm", "trt"])
    assert either.holds({}) is None
    assert either.holds({}, within) is True
    assert (~either).holds({}, within) is False
    assert VLLM.holds({}, within) is None
    assert VLLM.holds({"framework": "vllm"}, within) is True


def test_unstated_is_not_empty() -> None:
    named = Match(bench_script={"not": ""})
    assert named.holds(Request()) is None
    assert named.holds(Request(bench_script="")) is False
    assert named.holds(Request(bench_script="s.sh")) is True


def test_python_and_yaml_write_the_same() -> None:
    assert Match.from_mapping({"model-prefix": "a", "any-of": [{"agentic": True}]}) == Match(
        model_prefix="a", any_of=[Match(agentic=True)]
    )
    assert Match(max_concurrency={"at_least": 2}) == Match.from_mapping({"max-concurrency": {"at-least": 2}})
    assert Match.from_mapping({"framework": "known"}, {"framework": frozenset({"vllm"})}) == VLLM


def test_any_of_beside_facts_must_hold_too() -> None:
    match = Match(framework="vllm", any_of=[{"agentic": True}, {"precision": "fp4", "multinode": False}])
    assert match.holds({"framework": "vllm", "agentic": False, "precision": "fp4", "multinode": False}) is True
    assert match.holds({"framework": "vllm", "agentic": False, "precision": "fp4", "multinode": True}) is False
    assert match.holds({"framework": "trt", "agentic": True}) is False
    assert match == (VLLM & (AGENTIC | Match(precision="fp4", multinode=False)))


def test_faults_are_all_found() -> None:
    assert _faults(framwork="vllm", agentic="yes", image="x", any_of=[]) == [
        (FaultCode.UNKNOWN_KEY, "framwork"),
        (FaultCode.NOT_A_BOOLEAN, "agentic"),
        (FaultCode.NOT_A_CONDITION, "image"),
        (FaultCode.NOT_A_CONDITION, "any_of"),
    ]
    assert _faults(any_of=[{"agentic": True}, {"framwork": "x"}, {}]) == [
        (FaultCode.UNKNOWN_KEY, "any_of[1].framwork"),
        (FaultCode.NOT_A_CONDITION, "any_of[2]"),
    ]
    assert _faults(any_of={"agentic": True}) == [(FaultCode.NOT_A_CONDITION, "any_of")]


def test_both_spellings_of_a_fact_are_a_duplicate() -> None:
    with pytest.raises(InputError) as caught:
        Match.from_mapping({"model-prefix": "a", "model_prefix": "b"})
    assert [one.code for one in caught.value.faults] == [FaultCode.DUPLICATE_KEY]


def test_an_unknown_fact_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean `framework`"):
        Match(framwork="vllm")


def test_values_by_place_are_refused() -> None:
    with pytest.raises(TypeError, match="by name"):
        Match("vllm")


def test_a_match_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="no truth value"):
        bool(VLLM)


@pytest.mark.parametrize("other", [True, "vllm", None, {"framework": "vllm"}])
def test_only_matches_compose(other: Any) -> None:
    with pytest.raises(TypeError):
        VLLM & other
    with pytest.raises(TypeError):
        VLLM | other
    assert (other == VLLM) is False


def test_equality_is_meaning_the_same() -> None:
    assert Match(framework="vllm", agentic=True) == VLLM & AGENTIC == AGENTIC & ~~VLLM
    assert VLLM & ~Match(agentic=False) == VLLM & AGENTIC
    assert VLLM != AGENTIC
    assert Match(max_concurrency=[1, 2, 3]) == Match(max_concurrency={"at-least": 1, "at-most": 3})
    assert Match(model={"glob": "a"}) == Match(model="a")
    assert {VLLM & AGENTIC: 1}[AGENTIC & VLLM] == 1


def test_what_a_match_reads() -> None:
    assert (VLLM & (AGENTIC | ~Match(model="x"))).facts() == {"framework", "agentic", "model"}
    assert Match.all().facts() == frozenset()
    assert {fact.name for fact in MATCHED} >= Match(**{fact.attribute: _any(fact.name) for fact in MATCHED}).facts()


def _any(name: str) -> object:
    return values.example(values.full(BY_NAME[name]))


@pytest.mark.parametrize(
    ("match", "shown"),
    [
        (VLLM, "Match(framework='vllm')"),
        (~VLLM, "~Match(framework='vllm')"),
        (Match.all(), "Match.all()"),
        (VLLM & AGENTIC | VLLM, "(Match(framework='vllm') & Match(agentic=True)) | Match(framework='vllm')"),
        (~(VLLM | AGENTIC), "~(Match(framework='vllm') | Match(agentic=True))"),
        (Match(model_prefix=["a"], max_concurrency={"at_least": 3}),
         "Match(model_prefix=['a'], max_concurrency={'at-least': 3})"),
    ],
)  # fmt: skip
def test_a_match_shows_how_it_was_written(match: Match, shown: str) -> None:
    assert repr(match) == shown
    assert eval(shown) == match


def test_long_chains_cost_no_depth() -> None:
    match = VLLM
    for number in range(3000):
        match = match | Match(max_concurrency=number)
    assert match.holds({"framework": "trt", "max-concurrency": 2999}) is True
    assert match.holds({"framework": "trt", "max-concurrency": 3000}) is False
    assert len(match.parts) == 3001


def test_ways_to_hold() -> None:
    ways = [[one.fact.name for one in way] for way in alternatives(VLLM & (AGENTIC | Match(model="x", precision="y")))]
    assert ways == [["framework", "agentic"], ["framework", "model", "precision"]]
    negated = [[(one.fact.name, one.written) for one in way] for way in alternatives(~(VLLM & ~AGENTIC))]
    assert negated == [[("framework", {"not": "vllm"})], [("agentic", True)]]
    assert [[one.written for one in way] for way in alternatives(~Match(framework={"not": "vllm"}))] == [["vllm"]]
    assert list(alternatives(Match.all())) == [()]
    assert list(alternatives(~Match.all())) == []


def test_stated_facts_of_a_request() -> None:
    request = Request(framework="vllm", agentic=False, concurrency=[4, 8], recipe="r.yaml", bench_script="")
    assert stated(request) == {"framework": "vllm", "agentic": False, "bench-script": "", "max-concurrency": 8}
