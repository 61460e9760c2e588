"""Regions: decision diagrams that are shared, so that equal sets are the same object."""

import gc

import pytest

from infx_policy import region as regions
from infx_policy import values
from infx_policy.fact import BY_NAME, MATCHED
from infx_policy.match import Match
from infx_policy.region import EMPTY, FULL, RANK, Box, Region


def _only(name: str, *members: values.Value) -> values.Values:
    return values.only(BY_NAME[name], members)


VLLM = {"framework": _only("framework", "vllm")}
AGENTIC = {"agentic": _only("agentic", True)}


def test_each_matched_fact_and_whether_there_is_a_recipe_is_asked_once() -> None:
    assert sorted(RANK) == sorted([*(fact.name for fact in MATCHED), "recipe"])
    assert sorted(RANK.values()) == list(range(len(MATCHED) + 1))


def test_equal_regions_are_one_object() -> None:
    both = regions.of_box({**VLLM, **AGENTIC})
    assert both is regions.of_box(VLLM) & regions.of_box(AGENTIC)
    assert both == regions.of_box({**AGENTIC, **VLLM})
    assert both != regions.of_box(VLLM)
    assert regions.of_box(VLLM) is regions.side("framework", VLLM["framework"])


def test_a_fact_whose_every_value_leads_to_one_place_is_not_asked() -> None:
    assert regions.of_box({"agentic": _only("agentic", True, False)}) is FULL
    assert regions.of_box({}) is FULL
    assert regions.of_box({"framework": values.empty(BY_NAME["framework"])}) is EMPTY
    assert regions.side("agentic", _only("agentic", True)) | regions.side("agentic", _only("agentic", False)) is FULL


def test_membership_asks_for_what_the_region_asks() -> None:
    region = regions.of_box({**VLLM, **AGENTIC})
    assert {"framework": "vllm", "agentic": True} in region
    assert {"framework": "vllm", "agentic": False} not in region
    assert {"framework": "trt"} not in regions.of_box(VLLM)
    with pytest.raises(KeyError):
        assert {"agentic": True} in region


def test_the_ends() -> None:
    assert {} in FULL
    assert {} not in EMPTY
    assert (FULL.is_full, FULL.is_empty, EMPTY.is_full, EMPTY.is_empty) == (True, False, False, True)
    assert ~FULL is EMPTY
    assert regions.union([]) is EMPTY
    assert EMPTY <= regions.of_box(VLLM) <= FULL
    assert (regions.of_box(VLLM) >= FULL) is False


def test_a_difference_takes_away() -> None:
    left = regions.of_box(VLLM) - regions.of_box(AGENTIC)
    assert left is regions.of_box({**VLLM, "agentic": _only("agentic", False)})
    assert left - left is EMPTY


def test_boxes_of_an_alternative() -> None:
    region = Match(any_of=[{"framework": "vllm"}, {"agentic": True}]).region
    assert sorted(regions.boxes(region), key=str) == [AGENTIC, VLLM]
    assert regions.boxes(EMPTY) == []
    assert regions.boxes(FULL) == [{}]


def test_what_is_free_makes_boxes_plainer() -> None:
    region = regions.of_box({**VLLM, **AGENTIC})
    assert regions.boxes(region, free=~regions.of_box(AGENTIC)) == [VLLM]
    assert regions.boxes(region, free=~region) == [{}]
    assert regions.boxes(region) == [{**VLLM, **AGENTIC}]
    assert regions.a_box(region, ~regions.of_box(AGENTIC)) == VLLM


def test_boxes_that_name_fewer_facts_come_first() -> None:
    three = {"framework": "trt", "precision": "fp4", "agentic": False}
    found = regions.boxes(Match(any_of=[three, {"model-prefix": "alpha"}]).region)
    assert [len(box) for box in found] == [1, 3]


def test_a_box_that_the_others_cover_is_left_out() -> None:
    region = Match(any_of=[{"framework": "sglang", "agentic": True}, {"agentic": False, "precision": "fp4"}]).region
    names = [sorted(box) for box in regions.boxes(region)]
    assert names == [["agentic", "framework"], ["agentic", "precision"]]  # and not framework and precision


def test_alternatives_that_cover_everything_are_one_box() -> None:
    region = Match(
        any_of=[{"framework": "vllm", "agentic": True}, {"framework": {"not": "vllm"}}, {"agentic": False}]
    ).region
    assert region is FULL
    assert regions.boxes(region) == [{}]


def test_restricted_no_longer_asks() -> None:
    region = regions.of_box({**VLLM, **AGENTIC})
    assert regions.restricted(region, {"framework": "vllm"}) is regions.of_box(AGENTIC)
    assert regions.restricted(region, {"framework": "trt"}) is EMPTY
    assert regions.restricted(region, {"precision": "fp4"}) is region
    assert regions.restricted(region, {"image": "x"}) is region


IS_KNOWN: Box = {"framework": _only("framework", "vllm", "trt")}


@pytest.mark.parametrize(
    ("when", "within", "expected"),
    [
        ({"framework": ["vllm", "trt"]}, IS_KNOWN, FULL),
        ({"framework": ["vllm", "trt"]}, {}, EMPTY),
        ({"framework": "vllm"}, IS_KNOWN, EMPTY),
        ({"framework": ["vllm", "trt"], "agentic": True}, IS_KNOWN, regions.of_box(AGENTIC)),
        ({"agentic": True}, {}, regions.of_box(AGENTIC)),
        ({"any-of": [{"framework": "vllm"}, {"agentic": True}]}, IS_KNOWN, regions.of_box(AGENTIC)),
    ],
)
def test_for_all(when: object, within: Box, expected: Region) -> None:
    region = Match.from_mapping(when).region
    assert regions.for_all(region, frozenset({"framework"}), within) is expected


def test_the_largest_side_of_a_box() -> None:
    region = Match(any_of=[{"framework": "vllm"}, {"framework": "trt", "agentic": True}]).region
    assert regions.largest(region, AGENTIC, "framework") == _only("framework", "vllm", "trt")
    assert regions.largest(region, {}, "framework") == _only("framework", "vllm")
    assert regions.largest(region, {"framework": _only("framework", "trt")}, "agentic") == _only("agentic", True)
    assert values.is_full(regions.largest(region, VLLM, "agentic"))


def test_regions_that_nobody_holds_are_let_go() -> None:
    region = Match(framework="a-word-of-this-test-alone").region
    key = (region.rank, frozenset((below, side) for side, below in region.edges))
    assert key in regions._shared
    del region
    gc.collect()
    assert key not in regions._shared
