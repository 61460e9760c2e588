"""Wheels, and environments that hold nothing but what is installed into them."""

import os
import subprocess
import sys
import venv
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parent.parent
LAB = ROOT / "examples" / "plugins" / "infx-policy-lab"


def built(project: Path, into: Path) -> Path:
    """The wheel of a project's folder."""
    into.mkdir(parents=True, exist_ok=True)
    before = set(into.iterdir())
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(into), str(project)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = set(into.iterdir()) - before
    return wheel


@frozen
class Environment:
    """A virtual environment without pip, and a folder outside the checkout to run its commands in."""

    path: Path
    elsewhere: Path

    @classmethod
    def made(cls, path: Path) -> "Environment":
        """A new one in a folder."""
        venv.create(path / "venv", symlinks=True)
        (path / "elsewhere").mkdir()
        return cls(path / "venv", path / "elsewhere")

    def pip(self, *arguments: str | Path) -> None:
        """Runs this interpreter's pip on it."""
        command = [
            sys.executable,
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "--python",
            self.path,
            *arguments,
        ]
        ran = subprocess.run(command, env=self._variables({}), capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr

    def run(self, program: str, *arguments: str | Path, path: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Runs one of its programs there; `path` is a further folder to import from."""
        command = [self.path / "bin" / program, *arguments]
        variables = self._variables({} if path is None else {"PYTHONPATH": str(path)})
        return subprocess.run(command, cwd=self.elsewhere, env=variables, capture_output=True, text=True, check=False)

    def policy(self, *arguments: str | Path, path: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Runs `python -m infx_policy` there."""
        return self.run("python", "-m", "infx_policy", *arguments, path=path)

    def _variables(self, further: dict[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV", "VIRTUAL"))}
        return {**kept, **further}
