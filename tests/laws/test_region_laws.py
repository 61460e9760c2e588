"""Regions are sets of requests: their operations, boxes and quantifiers, held against membership."""

import pickle
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from infx_policy import region as regions
from infx_policy import values
from infx_policy.fact import BY_NAME
from infx_policy.match import Match
from infx_policy.region import EMPTY, FULL, Box, Region
from infx_policy.values import Values, Whole
from tests.strategies import Facts, assignments, classes, matches

_FEW = ("framework", "agentic", "max-concurrency", "model")
_EVERY: list[Facts] = [dict(zip(_FEW, chosen, strict=True)) for chosen in product(*map(classes, _FEW))]
Regions = matches(_FEW).map(lambda match: match.region)


def _members(region: Region) -> list[bool]:
    return [facts in region for facts in _EVERY]


def _covers(box: Box, facts: Facts) -> bool:
    return all(facts[name] in allowed for name, allowed in box.items())


@given(Regions, Regions)
def test_operations_are_those_of_sets(one: Region, two: Region) -> None:
    first, second = _members(one), _members(two)
    assert _members(one & two) == [a and b for a, b in zip(first, second, strict=True)]
    assert _members(one | two) == [a or b for a, b in zip(first, second, strict=True)]
    assert _members(one - two) == [a and not b for a, b in zip(first, second, strict=True)]
    assert _members(~one) == [not a for a in first]


@given(Regions, Regions)
def test_inclusion_and_identity(one: Region, two: Region) -> None:
    first, second = _members(one), _members(two)
    assert (one <= two) == all(b or not a for a, b in zip(first, second, strict=True))
    assert (one is two) == (one == two) == (first == second)
    assert one & two <= one <= one | two


@given(Regions)
def test_the_ends(one: Region) -> None:
    assert one.is_empty == (one is EMPTY) == (not any(_members(one)))
    assert one.is_full == (one is FULL) == all(_members(one))
    assert EMPTY <= one <= FULL
    assert ~~one is one


@given(Regions)
def test_paths_are_disjoint_and_make_up_the_region(one: Region) -> None:
    paths = list(regions.paths(one))
    for facts in _EVERY[::3]:
        assert sum(_covers(box, facts) for box in paths) == int(facts in one)


@given(Regions, Regions)
def test_boxes_cover_the_region_and_nothing_but_what_is_free(one: Region, free: Region) -> None:
    boxes = regions.boxes(one, free)
    covered = regions.union([regions.of_box(box) for box in boxes])
    assert one <= covered <= one | free
    assert regions.union([regions.of_box(box) for box in regions.boxes(one)]) is one


@given(Regions, Regions)
def test_each_box_is_needed_and_as_large_as_it_can_be(one: Region, free: Region) -> None:
    boxes = regions.boxes(one, free)
    for index, box in enumerate(boxes):
        others = regions.union([regions.of_box(other) for other in boxes[:index] + boxes[index + 1 :]])
        assert not one & regions.of_box(box) <= others
        for name in box:
            assert not values.is_full(box[name])
            assert _is_largest(box[name], regions.largest(one | free, box, name))


def _is_largest(found: Values, largest: Values) -> bool:
    """Ranges that no `when` can write together stand in a box each."""
    if isinstance(found, Whole) and isinstance(largest, Whole) and found != largest:
        return len(found.intervals) == 1 and found.intervals[0] in largest.intervals
    return found == largest


@given(Regions)
def test_a_box_lies_in_the_region(one: Region) -> None:
    if not one.is_empty:
        box = regions.of_box(regions.a_box(one))
        assert box <= one
        assert not box.is_empty


@given(Regions, assignments(_FEW), st.sets(st.sampled_from(_FEW)))
def test_restricted_takes_facts_as_given(one: Region, facts: Facts, names: set[str]) -> None:
    stated = {name: facts[name] for name in names}
    left = regions.restricted(one, stated)
    assert (facts in left) == (facts in one)
    for other in _EVERY[::7]:
        assert (other in left) == ({**other, **stated} in one)


@given(
    Regions, assignments(_FEW), st.sets(st.sampled_from(_FEW)), st.sampled_from([None, ["sglang", "vllm"], ["vllm"]])
)
def test_for_all_is_for_all(one: Region, facts: Facts, names: set[str], words: list[str] | None) -> None:
    within = {} if words is None else {"framework": values.only(BY_NAME["framework"], words)}
    found = regions.for_all(one, frozenset(names), within)
    domains = [words if name == "framework" and words else classes(name) for name in sorted(names)]
    each = [dict(zip(sorted(names), chosen, strict=True)) for chosen in product(*domains)]
    assert (facts in found) == all({**facts, **chosen} in one for chosen in each)
    for name in names:
        assert regions.restricted(found, {name: classes(name)[0]}) is found


@given(st.lists(matches(_FEW), max_size=4))
def test_a_union_is_in_any(several: list[Match]) -> None:
    found = regions.union([match.region for match in several])
    for facts in _EVERY[::5]:
        assert (facts in found) == any(match.holds(facts) for match in several)


@given(Regions)
def test_a_region_survives_pickling(one: Region) -> None:
    assert pickle.loads(pickle.dumps(one)) is one
