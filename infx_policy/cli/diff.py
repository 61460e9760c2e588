"""`diff`: what a change of the tables changes."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from infx_policy.cli import reports
from infx_policy.cli.output import write, write_json
from infx_policy.cli.tables import installed_plugins, policy_of
from infx_policy.comparison import Comparison, diff, in_words
from infx_policy.errors import Fault, InputError
from infx_policy.loading import load_policy
from infx_policy.plugins import Plugin
from infx_policy.policy import Policy
from infx_policy.revision import policy_at


def run(arguments: argparse.Namespace) -> int:
    """Exit 1 where a finding of severity error is new, or a request newly admitted under
    `--forbid-new-admission`; else 0.
    """
    contributors = installed_plugins(arguments)
    faults: list[Fault] = []
    sides = [_side(arguments, one, contributors, faults) for one in (arguments.base, arguments.head)]
    base, head = sides
    if faults or base is None or head is None:
        raise InputError(faults)
    found = diff(base, head, [one for plugin in contributors for one in plugin.invariants])
    _report(arguments.format, found)
    forbidden = arguments.forbid_new_admission and any(one.is_new_admission for one in found.changes)
    return 1 if found.has_new_error or forbidden else 0


def _side(
    arguments: argparse.Namespace, name: str | None, contributors: Sequence[Plugin], faults: list[Fault]
) -> Policy | None:
    """The policy of a folder, of a git revision, or, without a name, the one that commands work on."""
    try:
        if name is None:
            return policy_of(arguments, contributors)
        if Path(name).is_dir():
            return load_policy(name, with_plugins=contributors)
        return policy_at(name, Path(arguments.policy or "."), contributors)
    except InputError as error:
        faults.extend(error.faults)
        return None


def _report(form: str, found: Comparison) -> None:
    if form == "json":
        write_json(_mapping(found))
    elif form == "sarif":
        write_json(reports.sarif(found.new))
    elif form == "github":
        lines = [f"::notice title=decided differently::{in_words(one)}" for one in found.changes]
        write("\n".join(part for part in [*lines, reports.github(found.new)] if part))
    elif form == "markdown":
        write(_markdown(found))
    else:
        write(_text(found))


def _mapping(found: Comparison) -> dict[str, Any]:
    return {
        "schema": "infx-policy/diff/1",
        "changes": [one.to_mapping() for one in found.changes],
        "findings": [one.to_mapping() for one in found.new],
        "gone": [one.to_mapping() for one in found.gone],
        "runners": {runner: {"before": list(one), "after": list(two)} for runner, (one, two) in found.moved.items()},
        "base": found.base.name.to_mapping(),
        "head": found.head.name.to_mapping(),
    }


def _runners(found: Comparison) -> list[str]:
    return [
        f"runner {runner}: cluster {' and '.join(before) or 'none'} -> {' and '.join(after) or 'none'}"
        for runner, (before, after) in found.moved.items()
    ]


def _text(found: Comparison) -> str:
    lines = [in_words(one) for one in found.changes] or ["no request is decided differently"]
    lines += _runners(found)
    for label, findings in (("new", found.new), ("gone", found.gone)):
        if findings:
            lines += [f"{label} findings:", reports.text(findings)]
    lines.append(f"{found.base.name.root} -> {found.head.name.root}: {_counted(found)}")
    return "\n".join(lines)


def _counted(found: Comparison) -> str:
    return f"{len(found.changes)} changes, {len(found.new)} new findings, {len(found.gone)} gone"


def _markdown(found: Comparison) -> str:
    lines = [f"**{_counted(found)}**", ""]
    lines += [f"- {in_words(one)}" for one in found.changes] or ["No request is decided differently."]
    lines += [f"- {one}" for one in _runners(found)]
    for label, findings in (("New", found.new), ("Gone", found.gone)):
        if findings:
            lines += ["", f"{label} findings:", "", reports.markdown(findings)]
    return "\n".join(lines)
