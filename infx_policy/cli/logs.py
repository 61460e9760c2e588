"""Log events on stderr. structlog is imported with this module, which is imported only where something is
logged.
"""

import sys
from contextlib import suppress
from typing import Any

import structlog

from infx_policy.policy import Policy


def _logger(level: str) -> Any:
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
    )


def event(name: str, level: str, policy: Policy, **facts: Any) -> None:
    """An event of level info with the digest of the policy that it is about; `level` is the least shown."""
    if sys.stderr is None:
        return
    with suppress(OSError):  # a log that can't be written changes no answer
        _logger(level).info(name, policy_digest=policy.name.digest, **facts)
