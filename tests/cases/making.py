"""Policies and requests of the cases, written from text, and what a run of the command line printed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from attrs import frozen

ROOT = Path(__file__).parents[2]
BUNDLED = "extends: bundled\n"
KEYS = (
    "schema", "verdict", "request", "defaults", "cluster", "lane", "driver", "run-root", "settings", "mounts",
    "reasons", "considered", "residual", "nearest", "topology", "policy",
)  # fmt: skip
"""What every decision's JSON holds."""


@frozen
class Ran:
    """What a run of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """stdout, which holds one JSON document and nothing else."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def verdict(self) -> str:
        return str(self.document["verdict"])

    @property
    def codes(self) -> list[str]:
        """The codes of the reasons or findings that stand in the JSON."""
        document = self.document
        named = document["reasons"] if "reasons" in document else document["findings"]
        return [one["code"] for one in named]

    @property
    def faults(self) -> list[str]:
        """The `ERROR:` lines of a run that could not evaluate, which gives no verdict."""
        assert (self.code, self.out) == (2, ""), self
        lines = self.err.splitlines()
        assert lines
        assert all(line.startswith("ERROR: ") for line in lines), self.err
        return lines

    def faults_of(self, code: str) -> list[str]:
        """Those of one code."""
        return [line for line in self.faults if line.endswith(f"[{code}]")]

    def finding(self, code: str, row: str | None = None) -> dict[str, Any]:
        """The one finding of a code (and a row, where one is given)."""
        named = [one for one in self.document["findings"] if one["code"] == code and row in (None, one["row"])]
        (found,) = named
        return dict(found)


Cli = Callable[..., Ran]


def policy(root: Path, lanes: Mapping[str, str], runners: str = BUNDLED) -> Path:
    """A folder of tables: `lanes` are the lane files' texts by cluster, over the bundled tables."""
    (root / "lanes").mkdir(parents=True, exist_ok=True)
    (root / "runners.yaml").write_text(dedent(runners))
    for cluster, text in lanes.items():
        (root / "lanes" / f"{cluster}.yaml").write_text(dedent(text))
    return root


def request(path: Path, text: str) -> Path:
    """A file of a request."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))
    return path


def named(names: list[str], text: str) -> None:
    """Each of the names stands in what was printed; where a screen's lines are wrapped hangs on the paths in them."""
    missing = [name for name in names if name not in " ".join(text.split())]
    assert not missing, f"{missing} not in:\n{text}"


def changed(ran: Ran) -> list[list[str]]:
    """The words that make each change that a refusal offers, a list of words for each combination of values."""
    found: list[list[str]] = []
    for change in ran.document["nearest"]:
        combined: list[list[str]] = [[]]
        for fact, values in change["facts"].items():
            combined = [[*words, f"{fact}={_word(value)}"] for words in combined for value in values]
        found += combined
    return found


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def environment(**variables: str) -> dict[str, str]:
    """A process's environment of these variables alone; coverage's, where it measures, stays."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    return {**kept, "PYTHONPATH": str(ROOT), "PATH": "", **variables}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "infx_policy", *map(str, arguments)]


def spawn(*arguments: str | Path, cwd: Path, **variables: str) -> Ran:
    """Runs the command line in a process of its own, with an empty PATH."""
    env = environment(**variables)
    ran = subprocess.run(command(*arguments), env=env, cwd=cwd, capture_output=True, text=True, check=False)
    return Ran(ran.returncode, ran.stdout, ran.stderr)
