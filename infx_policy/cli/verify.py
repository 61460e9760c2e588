"""`verify`: what must hold of the tables, over all requests."""

import argparse
from collections.abc import Sequence

from infx_policy.cli import reports
from infx_policy.cli.output import write, write_json
from infx_policy.cli.requests import requests_in
from infx_policy.cli.tables import installed_plugins, policy_of
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.findings import Finding, FindingCode, Severity
from infx_policy.policy import Policy
from infx_policy.request import Request
from infx_policy.source import Source
from infx_policy.spelling import nearest
from infx_policy.verification import verify


def run(arguments: argparse.Namespace) -> int:
    """Exit 0 where no finding of severity error stands, else 1; with `--strict` warnings count too."""
    contributors = installed_plugins(arguments)
    faults: list[Fault] = []
    requests: list[Request] = []
    policy: Policy | None = None
    invariants = [one for plugin in contributors for one in plugin.invariants]
    _check_codes(arguments, [one.code for one in invariants], faults)
    try:
        policy = policy_of(arguments, contributors)
    except InputError as error:
        faults.extend(error.faults)
    for number, name in enumerate(arguments.requests or (), 1):
        requests.extend(requests_in(name, number, faults)[0])
    if faults or policy is None:
        raise InputError(faults)
    found = chosen(verify(policy, requests, invariants), arguments.select, arguments.ignore)
    _report(arguments.format, policy, found)
    return 1 if fails(found, strict=arguments.strict) else 0


def fails(found: Sequence[Finding], *, strict: bool) -> bool:
    """Whether a finding stands that makes the command fail."""
    heavy = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return any(one.waived is None and one.severity in heavy for one in found)


def chosen(found: Sequence[Finding], select: Sequence[str], ignore: Sequence[str]) -> list[Finding]:
    """The findings of the selected codes, less the ignored ones."""
    return [one for one in found if (not select or one.code in select) and one.code not in ignore]


def _check_codes(arguments: argparse.Namespace, more: Sequence[str], faults: list[Fault]) -> None:
    known = [*(one.value for one in FindingCode), *more]
    for option in ("select", "ignore"):
        for code in getattr(arguments, option):
            if code not in known:
                near = nearest(code, known)
                faults.append(
                    fault(
                        FaultCode.NOT_ONE_OF, Source(f"--{option}"), literal=code, nearest=near,
                        expected=", ".join(sorted(known)),
                    )
                )  # fmt: skip


def _report(form: str, policy: Policy, found: Sequence[Finding]) -> None:
    if form == "json":
        named = [one.to_mapping() for one in found]
        write_json({"schema": "infx-policy/findings/1", "findings": named, "policy": policy.name.to_mapping()})
    elif form == "sarif":
        write_json(reports.sarif(found))
    elif form == "github":
        write(reports.github(found)) if any(one.waived is None for one in found) else None
    elif form == "markdown":
        write(f"**{reports.counted(found)}**\n\n{reports.markdown(found)}")
    else:
        body = f"{reports.text(found)}\n" if found else ""
        write(f"{body}{policy.name.root}: {reports.counted(found)}")
