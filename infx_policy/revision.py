"""The tables of a git revision, read through git: no checkout is disturbed."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve

from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.loading import load_policy
from infx_policy.plugins import Plugin
from infx_policy.policy import Policy
from infx_policy.source import Source


def policy_at(revision: str, folder: Path, with_plugins: Sequence[Plugin] = ()) -> Policy:
    """The policy that `folder`, a folder of a git work tree, held at a revision.

    Raises InputError where there is no repository or revision, or with the faults of its tables, which are
    shown as `<revision>:<file>`.
    """
    top = Path(_git(folder, revision, "rev-parse", "--show-toplevel").decode().rstrip("\n"))
    commit = _git(folder, revision, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    relative = folder.resolve().relative_to(top.resolve())
    with _exported(top, commit.decode().strip(), revision) as root:
        try:
            policy = load_policy(root / relative, with_plugins=with_plugins)
        except InputError as error:
            raise InputError(_renamed(error, root / relative, revision)) from None
    return evolve_name(policy, revision)


def evolve_name(policy: Policy, root: str) -> Policy:
    """The policy under another root's name; its digest and files stay."""
    return Policy(evolve(policy.name, root=root), policy.inventory, policy.lanes, policy.drivers)


def _renamed(error: InputError, root: Path, revision: str) -> Iterator[Fault]:
    for one in error.faults:
        file = one.source.file.replace(str(root), ".")
        details = tuple((name, str(value).replace(str(root), revision)) for name, value in one.details)
        yield evolve(one, source=evolve(one.source, file=f"{revision}:{file}"), details=details)


def _git(folder: Path, revision: str, *arguments: str, given: bytes = b"") -> bytes:
    try:
        ran = subprocess.run(["git", "-C", str(folder), *arguments], input=given, capture_output=True, check=False)
    except (FileNotFoundError, NotADirectoryError) as error:
        what = f"git did not start: {error.strerror}"
        raise InputError([fault(FaultCode.UNREADABLE, Source(revision), literal=revision, what=what)]) from None
    if ran.returncode != 0:
        said = ran.stderr.decode(errors="replace").strip().splitlines()
        what = said[-1] if said else "git knows no such revision; name a folder, or a commit of this repository"
        raise InputError([fault(FaultCode.UNREADABLE, Source(revision), literal=revision, what=what)])
    return ran.stdout


@contextmanager
def _exported(top: Path, commit: str, revision: str) -> Iterator[Path]:
    """The tables of a commit in a folder of their own: every `runners.yaml` and what lies in a `lanes` folder."""
    listed = _git(top, revision, "ls-tree", "-r", "-z", "--full-tree", commit).decode(errors="surrogateescape")
    blobs: dict[str, str] = {}
    for entry in listed.split("\0"):
        mode, _, rest = entry.partition(" ")
        name = rest.partition("\t")[2]
        parts = name.split("/")
        is_table = parts[-1] == "runners.yaml" or (len(parts) > 1 and parts[-2] == "lanes")
        if is_table and mode.startswith("100"):
            blobs[name] = rest.split()[1].partition("\t")[0]
    with TemporaryDirectory(prefix="infx-policy-") as made:
        for name, blob in blobs.items():
            path = Path(made, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_git(top, revision, "cat-file", "blob", blob))
        yield Path(made)
