"""Whole outputs of explain for the examples, as files to be read; and text and JSON say the same of any request."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx_policy import ReasonCode, Request, explain
from infx_policy.cli import text
from infx_policy.cli.main import main
from tests.decisions import bundled
from tests.goldens import GOLDEN, check

ROOT = Path(__file__).parent.parent
REQUESTS = sorted(path.stem for path in (ROOT / "examples" / "requests").glob("*.yaml"))
RUNS = {name: (name, ()) for name in REQUESTS} | {
    f"2p1d-on-{policy}": ("2p1d", ("--policy", f"examples/{policy}")) for policy in ("gap", "upstream")
}
FORMS = {"text": "txt", "json": "json"}
KNOWN = {code.value for code in ReasonCode}


def _printed(capsys: pytest.CaptureFixture[str], run: str, form: str) -> str:
    """stdout, with the policy's digest replaced, so that an edit of a table changes only what it means."""
    name, more = RUNS[run]
    main(["explain", f"examples/requests/{name}.yaml", *more, "--format", form])
    printed = capsys.readouterr()
    assert printed.err == ""
    in_json = re.sub(r'"digest": "sha256:[0-9a-f]{64}"', '"digest": "DIGEST"', printed.out)
    return re.sub(r"^(  policy .*), sha256:[0-9a-f]{12}$", r"\1, DIGEST", in_json, flags=re.MULTILINE)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("run", RUNS)
def test_explain_prints_what_was_reviewed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, run: str, form: str
) -> None:
    monkeypatch.chdir(ROOT)
    shown = _printed(capsys, run, form)
    assert shown.count("DIGEST") == 1
    check(f"explain/{run}.{FORMS[form]}", shown)


def test_no_golden_file_is_left_over() -> None:
    assert sorted(os.listdir(GOLDEN / "explain")) == sorted(f"{run}.{end}" for run in RUNS for end in FORMS.values())


def _facts() -> st.SearchStrategy[dict[str, Any]]:
    """Requests near the tables: known words, some unknown ones, any fact unstated."""
    inventory = bundled().inventory
    words = {name: [*sorted(known), "unheard-of"] for name, known in inventory.vocabulary.items()}
    choices: dict[str, list[Any]] = {
        "cluster": [*sorted(inventory.clusters), "unheard-of"],
        "runner": ["gb200-nv_00", "b200-nscale-slurm_00", "unheard-of"],
        **words,
        "recipe": ["r.yaml", ""],
        "bench-script": ["bench.sh", ""],
        "concurrency": [[8], [64, 128]],
        **{name: [True, False] for name in ("agentic", "multinode", "eval-only", "batch-job")},
    }
    optional = {name: st.sampled_from(values) for name, values in choices.items()}
    placed: dict[str, st.SearchStrategy[Any]] = {
        "cluster": st.sampled_from(sorted(inventory.clusters)),
        "multinode": st.just(True),
    }
    rest = {name: values for name, values in optional.items() if name not in (*placed, "runner")}
    return st.fixed_dictionaries({}, optional=optional) | st.fixed_dictionaries(placed, optional=rest)


def _line_of(screen: str, label: str) -> list[str]:
    return [line for line in screen.splitlines() if line.startswith(f"  {label} ")]


@given(_facts())
def test_text_and_json_agree(facts: Mapping[str, Any]) -> None:
    explained = explain(bundled(), Request.from_mapping(facts))
    document = explained.to_mapping()
    screen = text.screen(explained, (), every=True, colour=False)
    head = screen.splitlines()[0].split()
    where = [word for word in (document["cluster"], document["lane"]) if word is not None]
    assert head == [document["verdict"].upper(), *(where or ["cluster", "open"])]
    flat = " ".join(screen.split())
    said = [one["code"] for one in document["reasons"]]
    assert [code for code in re.findall(r"\[([a-z-]+)\]", flat) if code in KNOWN] == said
    for one in document["reasons"]:
        assert f"{one['message']} [{one['code']}]" in flat
    assert (document["verdict"] == "undecided") == bool(_line_of(screen, "admitted when"))
    if document["run-root"]["kind"] is not None:
        assert f"{document['run-root']['kind']}: {document['run-root']['path']}" in flat
    assert bool(_line_of(screen, "run root")) == (document["run-root"]["kind"] is not None)
    assert len(_line_of(screen, "mount")) == len(document["mounts"])
    for one in document["considered"]:
        assert f"{one['row']} ({one['source']}" in flat
    for change in document["nearest"]:
        assert f"(lane {change['lane']})" in flat
