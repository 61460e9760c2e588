"""`explain`: decides requests and says why."""

import argparse
import os
from collections.abc import Sequence

from attrs import evolve, frozen

from infx_policy import words as key_values
from infx_policy.cli import text
from infx_policy.cli.output import is_coloured, report_error, write, write_json
from infx_policy.cli.requests import requests_in
from infx_policy.cli.tables import installed_plugins, policy_of
from infx_policy.decision import Verdict
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.evaluation import decide
from infx_policy.explanation import Explanation, explain
from infx_policy.plugins import Plugin
from infx_policy.policy import Policy
from infx_policy.request import Request
from infx_policy.source import Source


@frozen(eq=False, repr=False)
class Asked:
    """A request and how it was given: the words that give it again, where they are shorter than its facts."""

    request: Request
    again: tuple[str, ...] | None = None


def run(arguments: argparse.Namespace) -> int:
    """Exit 0 where all are admitted, 1 where any is not; raises InputError where one can't be evaluated."""
    faults: list[Fault] = []
    asked, is_list = _asked(arguments, faults)
    policy: Policy | None = None
    contributors: tuple[Plugin, ...] = ()
    try:
        contributors = installed_plugins(arguments)
        policy = policy_of(arguments, contributors)
    except InputError as error:
        faults.extend(error.faults)
    if faults or policy is None:
        raise InputError(faults)
    explained = [_explained(arguments, policy, contributors, one) for one in asked]
    if arguments.format == "text":
        screens = [
            text.screen(each, _again(arguments, one), every=arguments.all, colour=is_coloured())
            for one, each in zip(asked, explained, strict=True)
        ]
        write("\n".join([*screens, *([text.summary(explained)] if is_list else [])]))
    elif arguments.format == "jsonl":
        for each in explained:
            write_json(each.to_mapping(), compact=True)
    else:
        found = [each.to_mapping() for each in explained]
        write_json(found if is_list else found[0])
    return 0 if all(each.decision.verdict is Verdict.ADMITTED for each in explained) else 1


def _explained(
    arguments: argparse.Namespace, policy: Policy, contributors: Sequence[Plugin], one: Asked
) -> Explanation:
    decision = decide(policy, one.request)
    if arguments.log_level:
        from infx_policy.cli import logs

        codes = [reason.code.value for reason in decision.reasons]
        logs.event(
            "decided", arguments.log_level, policy,
            verdict=decision.verdict.value, cluster=decision.cluster, lane=decision.lane, reasons=codes,
        )  # fmt: skip
    for plugin in contributors:
        if plugin.decided is not None:
            try:
                plugin.decided(decision)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a hook that is only told of a decision can't undo it
                report_error(f"plugin `{plugin.distribution}` failed in `infx_decided`: {error}; the decision stands")
    return explain(policy, one.request, decision)


def _again(arguments: argparse.Namespace, one: Asked) -> list[str]:
    """The arguments that ask for a request again."""
    words = list(one.again) if one.again is not None else text.words_of(one.request)
    return [*words, *(["--skip-broken-plugins"] if arguments.skip_broken_plugins else [])]


def _asked(arguments: argparse.Namespace, faults: list[Fault]) -> tuple[list[Asked], bool]:
    """The requests, and whether they are to be answered as a list."""
    given: list[str] = arguments.requests
    words = [(number, one) for number, one in enumerate(given, 1) if key_values.is_word(one)]
    files = [(number, one) for number, one in enumerate(given, 1) if not key_values.is_word(one)]
    if arguments.env and files:
        faults.append(
            fault(FaultCode.CONTRADICTION, Source("--env"), literal="--env", other=f"the file `{files[0][1]}`")
        )
    if not (given or arguments.env):
        expected = "a request: a file, `-`, `key=value` words, or `--env`"
        faults.append(fault(FaultCode.NOT_FOUND, Source("explain"), literal="REQUEST", expected=expected))
    under: list[Asked] = [Asked(Request(), ())] if not files and not arguments.env else []
    is_list = len(files) > 1
    try:
        if arguments.env:
            under.append(Asked(Request.from_env(os.environ)))
    except InputError as error:
        faults.extend(error.faults)
    for number, name in files:
        found, listed = requests_in(name, number, faults)
        is_list = is_list or listed
        again = None if listed or name == "-" else (f".{os.sep}{name}" if name.startswith("-") else name,)
        under.extend(Asked(one, again) for one in found)
    asked: list[Asked] = []
    if not under:  # what the words are laid over can't be read; their own faults are told all the same
        under = [Asked(Request())]
    for one in under:
        try:
            asked.append(_laid_over(one, words))
        except InputError as error:
            faults.extend(error.faults)
    return asked, is_list


def _laid_over(one: Asked, words: list[tuple[int, str]]) -> Asked:
    if not words:
        return one
    numbers = [number for number, _ in words]
    stated = one.request.to_mapping()
    over = key_values.request_of_words([word for _, word in words], stated, numbers)
    changed = {word.partition("=")[0].replace("_", "-") for _, word in words}
    left = tuple(name for name in one.request.defaults if name not in changed)
    again = None if one.again is None else (*one.again, *(word for _, word in words))
    return Asked(evolve(over, defaults=left), again)
