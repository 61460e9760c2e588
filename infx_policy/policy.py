"""A policy: inventory, lanes and drivers, as loaded from one root."""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from attrs import field, frozen

from infx_policy.driver import Driver
from infx_policy.fact import BY_NAME, FACTS
from infx_policy.inventory import Inventory
from infx_policy.lane import Lane
from infx_policy.request import Request

ALWAYS_READ = ("cluster", "runner", "multinode", *(fact.name for fact in FACTS if fact.vocabulary))
"""Facts that every decision reads, whatever the rows say; of the recipe it reads whether there is one."""


@frozen
class PolicyName:
    """What a decision names of its policy, so that it can be replayed: the root as it was given, the
    files that count, and `sha256:` and the digest of their names and contents.
    """

    root: str
    digest: str
    files: tuple[str, ...]

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form."""
        return {"root": self.root, "digest": self.digest, "files": list(self.files)}


@frozen(eq=False, repr=False)
class Policy:
    """The tables, loaded. Everything in it is immutable but its caches, which change no answer: `looked_up` by
    all facts of a request, `answers` by those that the rows read, `regions` by cluster.
    """

    name: PolicyName
    inventory: Inventory
    lanes: Mapping[str, tuple[Lane, ...]]
    drivers: Mapping[str, Driver]
    reads: tuple[str, ...] = field(init=False)
    key: Callable[[Request], tuple[Any, ...]] = field(init=False, repr=False)
    looked_up: dict[str, Any] = field(factory=dict, init=False, repr=False)
    answers: dict[tuple[Any, ...], Any] = field(factory=dict, init=False, repr=False)
    regions: dict[str, Any] = field(factory=dict, init=False, repr=False)

    def forget(self) -> None:
        """Drops every decision that was kept, as a measurement of a fresh policy needs."""
        self.looked_up.clear()
        self.answers.clear()

    def __attrs_post_init__(self) -> None:
        read = set(ALWAYS_READ)
        for lanes in self.lanes.values():
            for lane in lanes:
                for row in lane.rows:
                    read |= row.when.facts()
                if any(name == "checkpoint" for name, _ in lane.settings):
                    read.add("model")
        names = tuple(fact.name for fact in FACTS if fact.name in read)
        object.__setattr__(self, "reads", names)
        object.__setattr__(self, "key", attrgetter(*(BY_NAME[name].attribute for name in names), "has_recipe"))
