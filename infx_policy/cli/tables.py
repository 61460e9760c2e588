"""The policy that a command works on."""

import argparse
import gc
import os
from collections.abc import Sequence

from infx_policy import plugins
from infx_policy.cli.output import report_faults
from infx_policy.errors import Fault, InputError
from infx_policy.loading import load_policy
from infx_policy.plugins import Plugin
from infx_policy.policy import Policy


def installed_plugins(arguments: argparse.Namespace) -> tuple[Plugin, ...]:
    """The plugins; raises InputError for a broken one unless those are to be skipped, which is reported."""
    faults: list[Fault] = []
    found = plugins.installed(faults)
    if faults and not arguments.skip_broken_plugins:
        raise InputError(faults)
    report_faults(faults, "WARNING")
    return found


def policy_of(arguments: argparse.Namespace, contributors: Sequence[Plugin]) -> Policy:
    """The policy of `--policy`, `INFX_POLICY_ROOT`, or the bundled one."""
    root = arguments.policy or os.environ.get("INFX_POLICY_ROOT") or None
    policy = load_policy(root, with_plugins=contributors)
    gc.freeze()
    gc.enable()
    if arguments.log_level:
        from infx_policy.cli import logs

        logs.event("policy-loaded", arguments.log_level, policy, root=policy.name.root, files=len(policy.name.files))
    return policy
