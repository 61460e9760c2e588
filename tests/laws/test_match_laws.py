"""Matches are a Boolean algebra, and their exact side agrees with evaluating them."""

import pickle
from fnmatch import fnmatchcase
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from infx_policy import region as regions
from infx_policy import values
from infx_policy.fact import BY_NAME
from infx_policy.match import Match, kleene
from tests.strategies import NAMES, Facts, assignments, classes, matches, partial

Globs = st.text("ab*?/", max_size=5)
ALL, NOTHING = Match.all(), ~Match.all()
_FEW = ("framework", "agentic", "max-concurrency", "model")


@given(matches(), matches())
def test_de_morgan(one: Match, two: Match) -> None:
    assert ~(one & two) == ~one | ~two
    assert ~(one | two) == ~one & ~two


@given(matches(), matches(), matches())
def test_distribution(one: Match, two: Match, three: Match) -> None:
    assert one & (two | three) == (one & two) | (one & three)
    assert one | (two & three) == (one | two) & (one | three)


@given(matches(), matches(), matches())
def test_order_and_grouping_mean_nothing(one: Match, two: Match, three: Match) -> None:
    assert one & two & three == three & (two & one)
    assert one | two | three == three | (two | one)


@given(matches(), matches())
def test_absorption_and_idempotence(one: Match, two: Match) -> None:
    assert one & (one | two) == one == one | (one & two)
    assert one & one == one == one | one


@given(matches())
def test_complement_and_bounds(one: Match) -> None:
    assert ~~one == one
    assert one | ~one == ALL
    assert one & ~one == NOTHING
    assert one & ALL == one == one | NOTHING
    assert one & NOTHING == NOTHING
    assert one | ALL == ALL
    assert one != ~one


@given(matches(), matches())
def test_equal_matches_hash_alike(one: Match, two: Match) -> None:
    again = (two & one) | (one & ~two)
    assert again == one
    assert hash(again) == hash(one)
    assert len({one, again}) == 1
    assert (one == two) == (len({one, two}) == 1)


@given(matches(), matches(), assignments())
def test_operators_mean_what_they_say_of_each_request(one: Match, two: Match, facts: Facts) -> None:
    first, second = one.holds(facts), two.holds(facts)
    assert (one & two).holds(facts) == (first and second)
    assert (one | two).holds(facts) == (first or second)
    assert (~one).holds(facts) == (not first)


@given(matches(_FEW), matches(_FEW))
def test_equal_is_agreeing_on_every_request(one: Match, two: Match) -> None:
    every = [dict(zip(_FEW, chosen, strict=True)) for chosen in product(*(classes(name) for name in _FEW))]
    assert (one == two) == all(one.holds(facts) == two.holds(facts) for facts in every)


@given(matches(), matches())
def test_unequal_matches_have_a_request_that_tells_them_apart(one: Match, two: Match) -> None:
    apart = (one.region - two.region) | (two.region - one.region)
    assert apart.is_empty == (one == two)
    for box in [] if apart.is_empty else regions.boxes(apart):
        facts = {name: values.example(box.get(name, values.full(BY_NAME[name]))) for name in NAMES}
        assert one.holds(facts) != two.holds(facts)


@given(matches(), assignments())
def test_the_region_holds_what_the_match_does(match: Match, facts: Facts) -> None:
    assert ({**facts, "recipe": True} in match.region) == match.holds(facts) == kleene(match, facts)


@given(matches(_FEW), partial(assignments(_FEW)))
def test_three_values_are_those_of_the_completions(match: Match, facts: Facts) -> None:
    left_out = [name for name in _FEW if name not in facts]
    each = {
        match.holds({**facts, **dict(zip(left_out, chosen, strict=True))})
        for chosen in product(*(classes(name) for name in left_out))
    }
    assert match.holds(facts) == (each.pop() if len(each) == 1 else None)


@given(matches(_FEW), partial(assignments(_FEW)))
def test_within_a_vocabulary_only_its_words_are_completions(match: Match, facts: Facts) -> None:
    words = ["sglang", "vllm"]
    within = regions.side("framework", values.only(BY_NAME["framework"], words))
    left_out = [name for name in _FEW if name not in facts]
    domain = [words if name == "framework" else classes(name) for name in left_out]
    each = {match.holds({**facts, **dict(zip(left_out, chosen, strict=True))}) for chosen in product(*domain)}
    if facts.get("framework") != "nope":
        assert match.holds(facts, within) == (each.pop() if len(each) == 1 else None)


@given(matches())
def test_a_match_survives_pickling(match: Match) -> None:
    again: Match = pickle.loads(pickle.dumps(match))
    assert again == match
    assert hash(again) == hash(match)


@given(Globs, st.text("ab/?*c", max_size=6))
def test_a_glob_matches_what_fnmatch_does(glob: str, text: str) -> None:
    expected = fnmatchcase(text, glob)
    assert Match(model={"glob": glob}).holds({"model": text}) == expected
    assert (text in values.glob(glob)) == expected


@given(Globs, Globs)
def test_globs_are_equal_when_they_match_the_same(one: str, two: str) -> None:
    first, second = Match(model={"glob": one}), Match(model={"glob": two})
    apart = (first.region - second.region) | (second.region - first.region)
    assert apart.is_empty == (first == second)
    if not apart.is_empty:
        model = values.example(regions.a_box(apart).get("model", values.full(BY_NAME["model"])))
        assert fnmatchcase(str(model), one) != fnmatchcase(str(model), two)


@given(matches())
def test_what_a_match_reads_is_what_changes_it(match: Match) -> None:
    asked = match.region
    for name in set(NAMES) - match.facts():
        for value in classes(name)[:2]:
            assert regions.restricted(asked, {name: value}) is asked
