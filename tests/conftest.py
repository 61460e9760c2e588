"""Profiles, and what every test stands on."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Examples of one test share nothing that a fixture resets, and this machine may be busy: no deadline.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("ci", derandomize=True, max_examples=200, **_COMMON)  # type: ignore[arg-type]
settings.register_profile("dev", max_examples=100, **_COMMON)  # type: ignore[arg-type]
settings.load_profile("ci" if os.environ.get("CI") else "dev")

SHARED = Path(__file__).parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The facts beside the checkout, which a user's clone does not have."""
    if not SHARED.is_dir():
        if os.environ.get("INFX_REQUIRE_REAL") == "1":
            pytest.fail(f"INFX_REQUIRE_REAL=1, and {SHARED.name} does not lie beside the checkout")
        pytest.skip(f"needs {SHARED.name} beside the checkout")
    return SHARED


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the caller's shell sets must not change a test."""
    for name in ("INFX_POLICY_ROOT", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
