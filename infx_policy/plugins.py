"""Installed plugins: found, loaded with their signatures checked, and asked what they contribute.

Looking for plugins costs a directory listing; pluggy and importlib.metadata are imported only where
there is one.
"""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from infx_policy.driver import Driver
from infx_policy.errors import Fault, FaultCode, fault
from infx_policy.source import Source

if TYPE_CHECKING:
    from pluggy import PluginManager

    from infx_policy.decision import Decision
    from infx_policy.verification import Invariant

GROUP = "infx_policy"
HOOKS = ("infx_clusters", "infx_lanes", "infx_drivers", "infx_invariants", "infx_decided")


@frozen(eq=False, repr=False)
class Plugin:
    """An installed plugin: its distribution, and what it contributes."""

    distribution: str
    version: str
    clusters: tuple[Path, ...] = ()
    lanes: tuple[Path, ...] = ()
    drivers: tuple[Driver, ...] = ()
    invariants: tuple["Invariant", ...] = ()
    hooks: tuple[str, ...] = ()
    decided: Callable[["Decision"], None] | None = field(default=None, repr=False)


def are_installed(paths: Iterable[str] | None = None) -> bool:
    """Whether any distribution on the import path names an entry point of ours.

    What is no folder (a zip file) is not looked into: then the answer is True, and the full look-up
    decides.
    """
    for entry in sys.path if paths is None else paths:
        try:
            names = os.listdir(entry or ".")
        except NotADirectoryError:
            return True
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(entry or ".", name, "entry_points.txt"), "rb") as stream:
                        if b"[infx_policy]" in stream.read():
                            return True
                except OSError:
                    continue
    return False


def installed(faults: list[Fault]) -> tuple[Plugin, ...]:
    """Every installed plugin, in order of distribution; adds a fault for each that is broken."""
    if not are_installed():
        return ()
    from importlib.metadata import entry_points

    found: list[Plugin] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda one: (_name(one), one.name)):
        try:
            found.append(_loaded(entry))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything, and is named for it
            what = f"{type(error).__name__}: {error}"
            faults.append(
                fault(
                    FaultCode.PLUGIN_BROKEN,
                    Source(f"entry point {entry.value}"),
                    literal=_name(entry),
                    what=what,
                )
            )
    return tuple(found)


def _name(entry: Any) -> str:
    return str(entry.dist.name) if entry.dist else str(entry.name)


def _loaded(entry: Any) -> Plugin:
    """The plugin of an entry point. Each has a manager of its own, so that its answers bear its name."""
    import pluggy

    from infx_policy import hookspecs

    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(hookspecs)
    manager.register(entry.load(), name=_name(entry))
    manager.check_pending()
    implemented = tuple(
        name for name in HOOKS
        if getattr(manager.hook, name).get_hookimpls()
    )  # fmt: skip
    if not implemented:
        raise TypeError("it implements no hook; mark its functions with `infx_policy.hookspecs.hookimpl`")
    return Plugin(
        distribution=_name(entry),
        version=str(entry.dist.version) if entry.dist else "",
        clusters=_folders(manager.hook.infx_clusters()),
        lanes=_folders(manager.hook.infx_lanes()),
        drivers=_drivers(manager.hook.infx_drivers(), _name(entry)),
        invariants=tuple(each for answer in manager.hook.infx_invariants() for each in answer),
        hooks=implemented,
        decided=_notifier(manager) if "infx_decided" in implemented else None,
    )


def _folders(answers: list[Any]) -> tuple[Path, ...]:
    listed = [each for answer in answers for each in (answer if isinstance(answer, list | tuple) else [answer])]
    return tuple(Path(each) for each in listed)


def _drivers(answers: list[Any], distribution: str) -> tuple[Driver, ...]:
    from attrs import evolve

    listed = [each for answer in answers for each in answer]
    for each in listed:
        if not isinstance(each, Driver):
            raise TypeError(f"`infx_drivers` gave {each!r}, which is no `infx_policy.driver.Driver`")
    return tuple(evolve(each, contributor=distribution) for each in listed)


def _notifier(manager: "PluginManager") -> Callable[["Decision"], None]:
    def notify(decision: "Decision") -> None:
        manager.hook.infx_decided(decision=decision)

    return notify
