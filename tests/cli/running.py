"""Running the command line, in this process or in one of its own."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]
REQUESTS = ROOT / "examples" / "requests"
GAP = ROOT / "examples" / "gap"

ADMITTED = ("cluster=gb200-nv", "framework=vllm", "agentic=true", "multinode=true", "recipe=r.yaml")
REFUSED = ("cluster=gb200-nv", "framework=tilert", "agentic=true", "multinode=true", "recipe=r.yaml")
UNDECIDED = ("cluster=gb200-nv", "agentic=true", "multinode=true", "recipe=r.yaml")


@frozen
class Ran:
    """What a run of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def faults(self) -> list[str]:
        """The `ERROR:` lines of a run that could not evaluate, which prints nothing else."""
        assert (self.code, self.out) == (2, ""), self
        lines = self.err.splitlines()
        assert lines
        assert all(line.startswith("ERROR: ") for line in lines), self.err
        return [line.removeprefix("ERROR: ") for line in lines]

    @property
    def head(self) -> str:
        """The first line, which holds the verdict."""
        return self.out.partition("\n")[0]

    @property
    def again(self) -> list[list[str]]:
        """The arguments of each line that says how to ask once more."""
        lines = [line.split(maxsplit=1)[1] for line in self.out.splitlines() if line.startswith("  again ")]
        words = [shlex.split(line) for line in lines]
        assert all(each[:4] == ["python", "-m", "infx_policy", "explain"] for each in words), words
        return [each[3:] for each in words]


Cli = Callable[..., Ran]


def environment(**variables: str) -> dict[str, str]:
    """This process's environment, with the checkout importable and these variables over it."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **variables}


def spawn(
    *arguments: str | bytes,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    given: bytes = b"",
) -> Ran:
    """Runs `python -m infx_policy` in a process of its own; `given` is its standard input."""
    command = [sys.executable, "-m", "infx_policy", *arguments]
    ran = subprocess.run(command, env=env or environment(), cwd=cwd, input=given, capture_output=True, check=False)
    return Ran(ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace"))
