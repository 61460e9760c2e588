"""The command line as a function."""

from pathlib import Path

import pytest

from infx_policy.cli.main import main
from infx_policy.fact import FACTS
from tests.cases.making import Cli, Ran


@pytest.fixture
def run_cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs the command line in this process."""

    def run(*arguments: str | Path) -> Ran:
        code = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under CI the workflow's own variables are set."""
    sizes = ("NUM_WORKERS", "TP", "EP", "DP_ATTN", "PP_SIZE", "DCP_SIZE", "PCP_SIZE", "ADDITIONAL_SETTINGS")
    roles = [f"{role}_{size}" for role in ("PREFILL", "DECODE") for size in sizes]
    for name in ["CONC", *roles, *(fact.variable for fact in FACTS if fact.variable)]:
        monkeypatch.delenv(name, raising=False)
