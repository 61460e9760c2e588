"""How rows and facts become reasons, and conditions become words."""

from typing import Any

import pytest

from infx_policy import Policy, Reason
from infx_policy.evaluation import made
from infx_policy.lane import Row
from infx_policy.reasons import sentence
from infx_policy.refusal import condition_in_words, flow, in_words, marks, nearest_rows, written_box
from infx_policy.region import boxes
from tests.small import Data, lane, row, small

FACTS: dict[str, Any] = {"cluster": "c", "multinode": False, "framework": "vllm", "agentic": False}
HIDDEN: Data = {"workspace": {"visibility": "submit-host"}}


def _policy(record: Data | None = None, **sections: Any) -> Policy:
    return small({"c": {"l": lane(**{"admits": [row("all")], **sections})}}, {"c": record or {}})


def _reason(policy: Policy, **facts: Any) -> Reason:
    (found,) = made(policy, {**FACTS, **facts}).reasons
    return found


def _rows(*whens: Any) -> tuple[Row, ...]:
    return small({"c": {"l": lane(admits=[row(when) for when in whens])}}).lanes["c"][0].admits


def _marked(when: Any, facts: Data) -> list[tuple[str, bool | None]]:
    return [(mark.fact.name, mark.held) for mark in marks(_rows(when)[0], facts)]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (
            {"framework": "vllm", "agentic": True, "model": "x"},
            [("framework", True), ("agentic", False), ("model", None)],
        ),
        ({"any-of": [{"agentic": True}, {"framework": "vllm"}]}, [("framework", True)]),
        ({"any-of": [{"agentic": True, "framework": "trt"}, {"agentic": True}]}, [("agentic", False)]),
        ({"any-of": [{"model": "x"}, {"agentic": False, "framework": "trt"}]}, [("model", None)]),
        ({"framework": "vllm", "any-of": [{"agentic": True}]}, [("framework", True), ("agentic", False)]),
        ({"any-of": [{"agentic": False, "framework": "vllm", "model": "x"}, {"agentic": False}]}, [("agentic", True)]),
        ("all", []),
    ],
)
def test_conditions_of_the_nearest_way_are_marked(when: Any, expected: list[tuple[str, bool | None]]) -> None:
    assert _marked(when, FACTS) == expected


def test_a_mark_says_what_was_wanted_and_what_is() -> None:
    (mark,) = marks(_rows({"framework": {"not": ["vllm"]}})[0], FACTS)
    assert mark.to_mapping() == {"fact": "framework", "wanted": {"not": ["vllm"]}, "value": "vllm", "held": False}


def test_the_nearest_rows_miss_the_fewest_facts_and_hold_the_most() -> None:
    rows = _rows({"agentic": True, "framework": "trt"}, {"agentic": True}, {"agentic": True, "framework": "vllm"},
                 {"framework": "trt", "agentic": False})  # fmt: skip
    assert [one.name for one in nearest_rows(rows, FACTS)] == ["r2", "r3"]
    assert nearest_rows((), FACTS) == []


def test_no_admit_row_names_the_nearest_row_and_what_it_misses() -> None:
    found = _reason(
        _policy(admits=[row({"framework": "vllm", "agentic": True}), row({"framework": "x", "agentic": True})])
    )
    assert (found.row, dict(found.facts)) == ("l.admits.r0", {"agentic": False})
    assert found.source is not None
    assert "`l.admits.r0` (lanes/c.yaml:2) wants `agentic` true" in sentence(found)
    assert "since it has none; write one" in sentence(_reason(_policy(admits=[])))


def test_several_nearest_rows_leave_the_row_open() -> None:
    found = _reason(_policy(admits=[row({"agentic": True}), row({"framework": "trt"})]))
    assert (found.row, found.source) == (None, None)
    assert dict(found.facts) == {"agentic": False, "framework": "vllm"}


def test_a_refuse_row_says_why() -> None:
    found = _reason(_policy(refuses=[row({"agentic": False})]))
    assert (found.row, dict(found.facts)) == ("l.refuses.r0", {"agentic": False})
    assert sentence(found) == "row `l.refuses.r0` (lanes/c.yaml:2) refuses it: A test needs it."


def test_no_lane_names_the_lanes_and_what_they_read() -> None:
    found = _reason(_policy(takes={"agentic": True}))
    assert dict(found.facts) == {"agentic": False}
    assert "`l` (lanes/c.yaml:1)" in sentence(found)
    nothing = _reason(small({"c": {}}))
    assert sentence(nothing) == "no lane of `c` takes it; its lanes are none"


def test_ambiguous_lanes_are_named() -> None:
    lanes = {"l": lane(admits=[row("all")]), "m": lane({"agentic": False}, admits=[row("all")])}
    found = _reason(small({"c": lanes}))
    assert (found.row, dict(found.facts)) == ("l.takes", {"agentic": False})
    assert "`l` (lanes/c.yaml:1) and `m` (lanes/c.yaml:1)" in sentence(found)


def test_a_missing_staging_row_can_be_copied_from_the_reason() -> None:
    record = {**HIDDEN, "shared-run-root": "/shared"}
    found = _reason(
        _policy(record, driver="slurm", admits=[row({"framework": "vllm", "model": {"not": "x y"}})]), model="z"
    )
    assert (found.row, dict(found.facts)) == ("l.admits.r0", {"framework": "vllm", "model": "z"})
    words = sentence(found)
    assert "although `l.admits.r0` (lanes/c.yaml:2) admits it" in words
    assert 'with `when: {framework: vllm, model: {not: "x y"}}`' in words
    assert "`lanes.l.shared-run-root` in lanes/c.yaml" in words


@pytest.mark.parametrize("stages", [[], [row("all")]])
def test_a_record_without_a_shared_root_is_what_is_missing(stages: list[Data]) -> None:
    words = sentence(_reason(_policy(HIDDEN, driver="slurm", shared_run_root=stages)))
    assert "its record has no `shared-run-root`" in words
    assert "add one to the record (runners.yaml:1)" in words


def test_a_node_local_root_names_the_volume() -> None:
    record = {"shared-run-root": "/disk/runs", "volumes": {"disk": {"path": "/disk", "visibility": "node-local"}}}
    words = sentence(_reason(_policy(record, shared_run_root=[row("all")])))
    assert "`/disk/runs` of `c` lies on volume `disk` (`/disk`), which is node-local" in words


def test_a_conflict_names_both_rows_and_values() -> None:
    found = _reason(_policy(setup_script=[row("all", value="a.sh"), row({"agentic": False}, value="b.sh")]))
    assert (found.row, dict(found.facts)) == ("l.setup-script.r0", {"agentic": False})
    assert "give `setup-script` different values (`a.sh` and `b.sh`)" in sentence(found)
    mounts = [row("all", volume="v", target="/t"), row("all", volume="v", target="/t", read_only=True)]
    assert "give mount target `/t` different values (`v` and `v read-only`)" in sentence(
        _reason(_policy(mounts=mounts))
    )


def test_a_mismatch_names_checkpoint_and_model() -> None:
    found = _reason(_policy(checkpoint=[row({"agentic": False}, value="alpha")]), model="x/beta")
    assert (found.row, dict(found.facts)) == ("l.checkpoint.r0", {"agentic": False, "model": "x/beta"})
    assert "selects checkpoint `alpha` for model `x/beta`" in sentence(found)


@pytest.mark.parametrize(("driver", "words"), [(None, "names no driver"), ("slurmy", "names driver `slurmy`")])
def test_a_lane_without_a_driver_says_which_there_are(driver: str | None, words: str) -> None:
    found = _reason(_policy(driver=driver))
    assert found.row == "l"
    assert words in sentence(found)
    assert "write one of `local`, `slurm`, `srt-slurm`" in sentence(found)


def test_unknown_names_name_the_nearest() -> None:
    policy = _policy()
    assert "`framework` `vlm` is not in the vocabulary (did you mean `vllm`?)" in sentence(
        _reason(policy, framework="vlm")
    )
    assert "(did you mean" not in sentence(_reason(policy, framework="zzz"))
    assert "(did you mean `c_0`?)" in sentence(_reason(policy, runner="c_1"))
    two = small({"cluster-a": {"l": lane(admits=[row("all")])}})
    assert "no record of cluster `cluster-b` (did you mean `cluster-a`?)" in sentence(_reason(two, cluster="cluster-b"))


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("vllm", "vllm"),
        ("", '""'),
        (True, "true"),
        (False, "false"),
        (4, "4"),
        (["a"], "a"),
        (["a", "b", "c"], "a, b or c"),
        ({"not": ["a", "b"]}, "not a or b"),
        ({"at-least": 3, "at-most": 9}, "at least 3 and at most 9"),
        ({"glob": "x/*"}, "like x/*"),
        ({"not": {"glob": "x/*"}}, "not like x/*"),
    ],
)
def test_conditions_are_read_aloud(wanted: Any, words: str) -> None:
    assert in_words(wanted) == words


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ({}, "always"),
        ({"agentic": True}, "agentic"),
        ({"agentic": False, "framework": "vllm"}, "not agentic and framework is vllm"),
        ({"recipe": {"not": ""}}, "a recipe is named"),
        ({"bench-script": ""}, "no bench-script is named"),
    ],
)
def test_a_when_is_a_sentence(when: Data, words: str) -> None:
    assert condition_in_words(when) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("vllm", "vllm"),
        ("5.2", '"5.2"'),
        ("no", '"no"'),
        ("", '""'),
        ("a b", '"a b"'),
        ("x/y", "x/y"),
        (True, "true"),
        (3, "3"),
        (["a", 1], "[a, 1]"),
        ({"framework": {"not": ["a", "b"]}, "agentic": False}, "{framework: {not: [a, b]}, agentic: false}"),
    ],
)
def test_plain_data_is_written_as_yaml_on_one_line(value: Any, text: str) -> None:
    assert flow(value) == text


def test_a_box_is_written_over_the_vocabulary_and_recipes_as_files() -> None:
    policy = _policy()
    (box,) = boxes(_rows({"framework": {"not": "vllm"}, "agentic": True})[0].when.region)
    assert written_box(policy, box) == {"framework": "sglang", "agentic": True}
