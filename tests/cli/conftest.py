"""The command line as a function."""

import io
import os
import sys

import pytest

from infx_policy.cli.main import main
from infx_policy.fact import FACTS
from tests.cli.running import Cli, Ran


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs the command line in this process; `given` is its standard input."""

    def run(*arguments: str | os.PathLike[str], given: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = main([os.fspath(each) for each in arguments])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under CI the workflow's own variables are set."""
    roles = ("NUM_WORKERS", "TP", "EP", "DP_ATTN", "PP_SIZE", "DCP_SIZE", "PCP_SIZE", "ADDITIONAL_SETTINGS")
    names = [f"{role}_{size}" for role in ("PREFILL", "DECODE") for size in roles]
    for name in [*names, "CONC", *(fact.variable for fact in FACTS if fact.variable)]:
        monkeypatch.delenv(name, raising=False)
