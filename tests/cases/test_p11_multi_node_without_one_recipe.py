"""P11: a missing selector means all, so one launch would submit everything there is.

For a later issue: `launch` of a folder (`recipe-not-a-file`), of a misspelt file (`recipe-missing`) and of a file with
variants and none named (`variant-missing`); that nothing exists afterwards and srtctl was not called; that a plan
without one recipe can't be built.
"""

from pathlib import Path

import pytest

from tests.cases.making import Cli, named, request

BASE = """\
    {cluster: gb200-nv, model-prefix: dsv4, precision: fp4, framework: vllm, spec-decoding: dspark, agentic: true,
    multinode: true}
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return request(tmp_path / "base.yaml", BASE)


def test_without_a_recipe_stated_it_is_undecided(run_cli: Cli, base: Path) -> None:
    ran = run_cli("explain", base, "--format", "json")
    assert (ran.code, ran.verdict) == (1, "undecided")
    assert ran.document["residual"]
    assert all("recipe" in one["when"] for one in ran.document["residual"])
    named(["recipe"], run_cli("explain", base).out)


def test_stating_that_there_is_none_is_refused(run_cli: Cli, base: Path) -> None:
    ran = run_cli("explain", base, "recipe=", "--format", "json")
    assert (ran.code, ran.verdict, ran.codes) == (1, "refused", ["no-recipe"])
    assert ran.document["request"]["recipe"] == ""


def test_no_completion_of_anything_else_admits_a_request_without_one(run_cli: Cli) -> None:
    ran = run_cli("explain", "multinode=true", "recipe=", "--format", "json")
    assert (ran.code, ran.verdict) == (1, "refused")
    assert "no-recipe" in ran.codes


def test_naming_one_is_what_would_do(run_cli: Cli, base: Path) -> None:
    assert run_cli("explain", base, "recipe=dsv4/agg.yaml").code == 0
