"""Decides the launch that the workflow's variables state, and hands on what starts it.

Prints lane, driver and run root as JSON; exit 0 admitted, 1 not to be launched, 2 could not be evaluated.
"""

import json
import os
import sys

from infx_policy import Decision, InputError, Request, Verdict, decide, load_policy


def open_questions(decision: Decision) -> list[str]:
    """What the stated facts leave open. A launch leaves nothing open."""
    settings = [one.name for one in decision.settings if one.undecided]
    mounts = [f"mount {one.mount.target}" for one in decision.mounts if one.undecided]
    return settings + mounts if decision.verdict is Verdict.ADMITTED else ["the verdict"]


def main() -> int:
    try:
        policy = load_policy(os.environ.get("INFX_POLICY_ROOT") or None)  # once; deciding reads nothing
        decision = decide(policy, Request.from_env(os.environ))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if decision.verdict is Verdict.REFUSED:
        problems = [one.to_mapping()["message"] for one in decision.reasons]
    else:
        problems = [f"undecided: {name}; state more facts" for name in open_questions(decision)]
    if problems or decision.run_root is None:
        print(*problems, sep="\n", file=sys.stderr)
        return 1
    root = {"kind": decision.run_root.kind, "path": decision.run_root.path}
    json.dump({"lane": decision.lane, "driver": decision.driver, "run-root": root}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
