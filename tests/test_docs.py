"""README and docs say what is so: snippets are executed, tables compared with the code."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from infx_policy.driver import DRIVERS
from infx_policy.fact import FACTS
from infx_policy.findings import SEVERITIES, FindingCode
from infx_policy.reasons import ReasonCode

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.name}:{page.read_text()[: found.start()].count(chr(10)) + 1}", found[2])
        for page in PAGES
        for found in _BLOCK.finditer(page.read_text())
        if found[1] == language
    ]


def _commands(block: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert parts[0] == "", "a console block begins with a command"
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts[1:]]


@pytest.mark.parametrize(("place", "code"), _blocks("python"), ids=lambda given: given.split("\n")[0])
def test_python_snippets_run(place: str, code: str) -> None:
    exec(compile(code, place, "exec"), {"__name__": "snippet"})


CONSOLE = [(place, *pair) for place, block in _blocks("console") for pair in _commands(block)]


@pytest.mark.parametrize(("place", "command", "expected"), CONSOLE, ids=[place for place, _, _ in CONSOLE])
def test_console_snippets_print_what_they_show(place: str, command: str, expected: str) -> None:
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environ.pop("INFX_POLICY_ROOT", None)
    ran = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    pattern = ".*".join(re.escape(part) for part in expected.split("...\n"))
    assert re.fullmatch(pattern, ran.stdout, re.DOTALL), f"{place}: {command}\n{ran.stdout}\n{ran.stderr}"


def test_there_are_snippets_of_both_kinds() -> None:
    assert len(_blocks("python")) >= 4
    assert len(CONSOLE) >= 5


def _rows(page: str, columns: int) -> list[list[str]]:
    lines = (ROOT / "docs" / page).read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in cells if len(row) == columns]


def test_requests_page_lists_every_fact() -> None:
    shown = [row for row in _rows("requests.md", 5) if row[0].startswith("`")]
    expected = [
        [
            f"`{fact.name}`",
            fact.kind.value,
            "yes" if fact.matched else "",
            f"`{fact.variable}`" if fact.variable else "",
            fact.meaning,
        ]
        for fact in FACTS
    ]
    assert shown == expected


def test_decisions_page_has_a_section_for_each_reason_and_no_other() -> None:
    headings = re.findall(r"^### (.+)$", (ROOT / "docs/decisions.md").read_text(), re.MULTILINE)
    assert headings == sorted(code.value for code in ReasonCode)


def test_verify_page_lists_every_finding() -> None:
    shown = [row[:2] for row in _rows("verify.md", 3) if row[0].startswith("`")]
    assert shown == [[f"`{code.value}`", SEVERITIES[code].value] for code in FindingCode]


def test_tables_page_lists_every_setting() -> None:
    declared = {(one.name, one.kind.value, one.meaning) for driver in DRIVERS for one in driver.consumes}
    shown = {(row[0].strip("`"), row[1], row[2]) for row in _rows("tables.md", 3) if row[0].startswith("`")}
    assert shown == declared


def test_architecture_page_names_every_module_in_the_order_that_the_linter_holds() -> None:
    shown = [row[1].strip("`") for row in _rows("architecture.md", 3) if row[1].startswith("`")]
    there = {path.stem if path.suffix else path.name for path in (ROOT / "infx_policy").iterdir()}
    assert set(shown) == {name for name in there if not name.startswith((".", "_")) or name == "__main__"} - {"py"}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    assert [name.strip() for layer in layers for name in re.split(r"[|:]", layer)] == shown


def test_links_lead_to_files() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
