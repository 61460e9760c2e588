"""Every reason: a request for which it is given, a close one for which it is not, and that only its check gives it.

The last is shown by taking the check out of the source and deciding again.
"""

import ast
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from attrs import field, frozen

from infx_policy import Policy, ReasonCode, completion, grounds, rows
from infx_policy.completion import completed
from infx_policy.evaluation import made
from infx_policy.rows import evaluated
from tests.small import Data, lane, row, small

Facts = dict[str, Any]
WORDS: Facts = {"model-prefix": "alpha", "precision": "fp4", "framework": "vllm", "spec-decoding": "none"}
FLAGS: Facts = {"multinode": False, "agentic": False, "recipe": False}
BASE: Facts = {"cluster": "c", "runner": "c_0", "model": "x/alpha", **WORDS, **FLAGS}


@frozen(eq=False)
class Entry:
    """A lane, what the request for which the reason is given has other than `BASE`, and what the close one has."""

    fires: Facts
    close: Facts
    lanes: dict[str, Data]
    record: Data = field(factory=dict)

    def policy(self) -> Policy:
        """A policy that has decided nothing yet."""
        return small({"c": self.lanes, "d": {}}, {"c": self.record})


def _entry(fires: Facts, close: Facts, record: Data | None = None, **sections: Any) -> Entry:
    given = {"takes": "all", "driver": "slurm", "admits": [row("all")], **sections}
    return Entry(fires, close, {"l": lane(**given)}, record or {})


HIDDEN: Data = {"workspace": {"visibility": "submit-host"}, "shared-run-root": "/shared"}
LOCAL: Data = {**HIDDEN, "volumes": {"disk": {"path": "/shared", "visibility": "node-local"}}}
AGENTIC, NOT_AGENTIC = {"agentic": True}, {"agentic": False}
ENTRIES: dict[ReasonCode, Entry] = {
    ReasonCode.AMBIGUOUS_LANE: Entry(
        AGENTIC, NOT_AGENTIC, {"l": lane(admits=[row("all")]), "m": lane({"agentic": True}, admits=[row("all")])}
    ),
    ReasonCode.CONFLICTING_SETTING: _entry(
        AGENTIC, NOT_AGENTIC, setup_script=[row("all", value="a.sh"), row({"agentic": True}, value="b.sh")]
    ),
    ReasonCode.LANE_WITHOUT_DRIVER: Entry(
        AGENTIC,
        NOT_AGENTIC,
        {
            "l": lane({"agentic": False}, admits=[row("all")]),
            "m": lane({"agentic": True}, "nobody", admits=[row("all")]),
        },
    ),
    ReasonCode.MODEL_MISMATCH: _entry(
        {"model": "x/beta"}, {"model": "y/alpha"}, checkpoint=[row("all", value="alpha")]
    ),
    ReasonCode.NO_ADMIT_ROW: _entry(NOT_AGENTIC, AGENTIC, admits=[row({"agentic": True})]),
    ReasonCode.NO_LANE: _entry(NOT_AGENTIC, AGENTIC, takes={"agentic": True}),
    ReasonCode.NO_RECIPE: _entry({"multinode": True}, {"multinode": True, "recipe": True}),
    ReasonCode.NO_SHARED_RUN_ROOT: _entry(NOT_AGENTIC, AGENTIC, HIDDEN, shared_run_root=[row({"agentic": True})]),
    ReasonCode.NODE_LOCAL_RUN_ROOT: _entry(
        AGENTIC, NOT_AGENTIC, {**LOCAL, "workspace": {"visibility": "shared"}}, shared_run_root=[row({"agentic": True})]
    ),
    ReasonCode.REFUSED_BY_ROW: _entry(AGENTIC, NOT_AGENTIC, refuses=[row({"agentic": True})]),
    ReasonCode.RUNNER_MISMATCH: _entry({"runner": "d_0"}, {"runner": "c_0"}),
    ReasonCode.UNKNOWN_CLUSTER: _entry({"cluster": "cc"}, {"cluster": "c"}),
    ReasonCode.UNKNOWN_FRAMEWORK: _entry({"framework": "vlm"}, {"framework": "sglang"}),
    ReasonCode.UNKNOWN_MODEL_PREFIX: _entry({"model-prefix": "alfa"}, {"model-prefix": "beta"}),
    ReasonCode.UNKNOWN_PRECISION: _entry({"precision": "fp5"}, {"precision": "fp4"}),
    ReasonCode.UNKNOWN_RUNNER: _entry({"runner": "c_1"}, {"runner": "c_0"}),
    ReasonCode.UNKNOWN_SPEC_DECODING: _entry({"spec-decoding": "mtp"}, {"spec-decoding": "none"}),
}
BY_CODE = pytest.mark.parametrize("code", ENTRIES, ids=lambda code: code.value)
_REGIONS = [code for code in ENTRIES if not code.value.startswith(("unknown-", "runner-"))]


def test_every_code_has_an_entry() -> None:
    assert set(ENTRIES) == set(ReasonCode)


@BY_CODE
def test_it_is_given_alone_and_not_for_the_close_request(code: ReasonCode) -> None:
    entry = ENTRIES[code]
    assert [one.code for one in made(entry.policy(), {**BASE, **entry.fires}).reasons] == [code]
    assert [one.code for one in made(entry.policy(), {**BASE, **entry.close}).reasons] == []


@pytest.mark.parametrize("code", _REGIONS, ids=lambda code: code.value)
def test_regions_give_it_too(code: ReasonCode) -> None:
    entry = ENTRIES[code]
    assert [one.code for one in completed(entry.policy(), {**BASE, **entry.fires}).reasons] == [code]
    assert completed(entry.policy(), {**BASE, **entry.close}).reasons == ()


class _Without(ast.NodeTransformer):
    """Takes a call out of the lists that hold it, and out of the statements that append it."""

    def __init__(self, is_wanted: Callable[[ast.Call], bool]) -> None:
        self.is_wanted = is_wanted
        self.taken = 0

    def _is_gone(self, node: ast.AST) -> bool:
        found = isinstance(node, ast.Call) and self.is_wanted(node)
        self.taken += found
        return found

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        node.elts = [each for each in node.elts if not self._is_gone(each)]
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return ast.List([], ast.Load()) if self._is_gone(node.elt) else self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        gone = isinstance(node.value, ast.Call) and any(self._is_gone(each) for each in node.value.args)
        return ast.Pass() if gone else node


def _without(module: ModuleType, is_wanted: Callable[[ast.Call], bool]) -> ModuleType:
    """The module as its source would make it, less every check whose call is wanted."""
    tree = ast.parse(inspect.getsource(module))
    transformer = _Without(is_wanted)
    tree = ast.fix_missing_locations(transformer.visit(tree))
    assert transformer.taken, "the check is not there to be taken out"
    mutant = ModuleType(module.__name__)
    exec(compile(tree, f"<{module.__name__} less a check>", "exec"), mutant.__dict__)
    return mutant


def _maker(code: ReasonCode) -> str:
    words = code.value.startswith("unknown-") and code not in (ReasonCode.UNKNOWN_CLUSTER, ReasonCode.UNKNOWN_RUNNER)
    return "unknown_word" if words else code.value.replace("-", "_")


@BY_CODE
def test_without_its_check_it_is_not_given(code: ReasonCode) -> None:
    entry, maker = ENTRIES[code], _maker(code)
    facts = {**BASE, **entry.fires}
    mutant = _without(rows, lambda call: isinstance(call.func, ast.Attribute) and call.func.attr == maker)
    try:
        left = mutant.evaluated(entry.policy(), facts).reasons
    except mutant.Unstated:
        left = ()
    assert code not in {one.code for one in left}
    assert code in {one.code for one in evaluated(entry.policy(), facts).reasons}


@pytest.mark.parametrize("code", _REGIONS, ids=lambda code: code.value)
def test_without_its_ground_regions_do_not_give_it(code: ReasonCode, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ENTRIES[code]

    def is_ground(call: ast.Call) -> bool:
        kinds = [each.value for each in call.args if isinstance(each, ast.Constant)]
        return isinstance(call.func, ast.Name) and call.func.id == "Ground" and code.value in kinds

    monkeypatch.setattr(completion, "regions_of", _without(grounds, is_ground).regions_of)
    assert completed(entry.policy(), {**BASE, **entry.fires}).reasons == ()
