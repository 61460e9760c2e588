"""What a change of the tables changes: which requests are decided differently, as few boxes, and which
findings are new or gone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from infx_policy import region as regions
from infx_policy import values
from infx_policy.decision import wire
from infx_policy.duration import Duration
from infx_policy.fact import BY_NAME
from infx_policy.findings import Finding, Severity
from infx_policy.grounds import regions_of
from infx_policy.lane import Lane, Mount, Row
from infx_policy.policy import Policy
from infx_policy.refusal import condition_in_words, written_box
from infx_policy.region import EMPTY, FULL, Region
from infx_policy.verification import Invariant, verify

REFUSED: Mapping[str, Any] = {"verdict": "refused"}
Share = tuple[tuple[tuple[str, Any], ...], Region]
"""A part of all requests and what is decided there, as items of a mapping."""


@frozen
class Change:
    """Requests that are decided differently: `when` says which, `before` and `after` how. Of an admitted
    request only what differs is in them.
    """

    when: tuple[tuple[str, Any], ...]
    before: tuple[tuple[str, Any], ...]
    after: tuple[tuple[str, Any], ...]

    @property
    def is_new_admission(self) -> bool:
        """Whether the requests are admitted now and were not before."""
        return dict(self.before).get("verdict") == "refused"

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form; `when` is the grammar of the tables."""
        return {"when": dict(self.when), "before": dict(self.before), "after": dict(self.after)}


@frozen(eq=False)
class Comparison:
    """What differs from `base` to `head`. `moved` gives runners whose cluster differs, before and after."""

    base: Policy
    head: Policy
    changes: tuple[Change, ...]
    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    moved: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(factory=dict)

    @property
    def has_new_error(self) -> bool:
        """Whether a finding of severity error is new, and not waived."""
        return any(one.severity is Severity.ERROR and one.waived is None for one in self.new)


def diff(base: Policy, head: Policy, invariants: Sequence[Invariant] = ()) -> Comparison:
    """What changes from one policy to another, over all requests of both vocabularies."""
    before = {_key(one): one for one in verify(base, invariants=invariants)}
    after = {_key(one): one for one in verify(head, invariants=invariants)}
    return Comparison(
        base,
        head,
        tuple(_changes(base, head)),
        tuple(one for key, one in after.items() if key not in before),
        tuple(one for key, one in before.items() if key not in after),
        _moved(base, head),
    )


def _key(one: Finding) -> tuple[Any, ...]:
    """What makes two findings the same, wherever the row moved to in its file."""
    named = tuple((name, value) for name, value in one.details if "(" not in value)
    return (one.code, one.source.file.rpartition("/")[2], one.row, named, one.witness, one.waived is None)


def _moved(base: Policy, head: Policy) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    one, two = base.inventory.clusters_of_runner, head.inventory.clusters_of_runner
    return {
        runner: (one.get(runner, ()), two.get(runner, ()))
        for runner in sorted({*one, *two})
        if one.get(runner, ()) != two.get(runner, ())
    }


def _changes(base: Policy, head: Policy) -> Iterator[Change]:
    """Per pair of decisions and region the clusters that have it, so that equal changes are one."""
    vocabulary = {
        name: base.inventory.vocabulary[name] | head.inventory.vocabulary[name] for name in base.inventory.vocabulary
    }
    domain = _words(vocabulary)
    groups: dict[tuple[Any, Any, Region], list[str]] = {}
    clusters = sorted({*base.inventory.clusters, *head.inventory.clusters})
    for cluster in clusters:
        for before, after, region in _differing(base, head, cluster, domain):
            groups.setdefault((before, after, region), []).append(cluster)
    for (before, after, region), names in groups.items():
        for box in [part for whole in regions.boxes(region, ~domain) for part in regions.writable(whole)]:
            when = written_box(head, box)
            yield Change((("cluster", names[0] if len(names) == 1 else names), *when.items()), before, after)


def _words(vocabulary: Mapping[str, frozenset[str]]) -> Region:
    return regions.of_box({name: values.only(BY_NAME[name], words) for name, words in vocabulary.items()})


def _differing(
    base: Policy, head: Policy, cluster: str, domain: Region
) -> Iterator[tuple[tuple[tuple[str, Any], ...], tuple[tuple[str, Any], ...], Region]]:
    if _same_rows(base, head, cluster):
        return
    shares = [_standings(policy, cluster, domain) for policy in (base, head)]
    for before, one in shares[0]:
        for after, two in shares[1]:
            both = one & two
            if before != after and not both.is_empty:
                yield *_differences(before, after), both
    stay = _admitted(shares[0]) & _admitted(shares[1])
    if stay.is_empty:
        return
    sides = [_settings(policy, cluster, stay) for policy in (base, head)]
    for name in sorted({*sides[0], *sides[1]}):
        unset: list[Share] = [(((name, None),), stay)]
        for before, one in sides[0].get(name, unset):
            for after, two in sides[1].get(name, unset):
                if before != after and not (one & two).is_empty:
                    yield before, after, one & two


def _admitted(shares: list[Share]) -> Region:
    return regions.union([region for standing, region in shares if dict(standing) != REFUSED])


def _same_rows(base: Policy, head: Policy, cluster: str) -> bool:
    """Whether both hold the very same objects, as where one policy is compared with itself."""
    one, two = base.lanes.get(cluster), head.lanes.get(cluster)
    return one is two and base.inventory is head.inventory and base.drivers is head.drivers


def _differences(
    before: tuple[tuple[str, Any], ...], after: tuple[tuple[str, Any], ...]
) -> tuple[tuple[tuple[str, Any], ...], tuple[tuple[str, Any], ...]]:
    """Both sides less what they share; a refused side keeps the other whole."""
    if REFUSED["verdict"] in (dict(before)["verdict"], dict(after)["verdict"]):
        return before, after
    shared = set(before) & set(after)
    return tuple(one for one in before if one not in shared), tuple(one for one in after if one not in shared)


def _standings(policy: Policy, cluster: str, domain: Region) -> list[Share]:
    """The parts of the domain by verdict, lane, driver and run root."""
    record = policy.inventory.clusters.get(cluster)
    known = _words(policy.inventory.vocabulary)
    shares: dict[tuple[tuple[str, Any], ...], Region] = {}
    admitted = EMPTY
    for outcome, region in regions_of(policy, cluster).outcomes if record is not None else ():
        here = regions.restricted(region, {"cluster": cluster}) & known
        root = record.shared_run_root if record is not None and outcome.kind == "shared" else None
        named = {
            "verdict": "admitted",
            "lane": outcome.lane.name,
            "driver": outcome.lane.driver,
            "run-root": outcome.kind if root is None else f"{outcome.kind}: {root}",
        }
        key = tuple(named.items())
        shares[key] = shares.get(key, EMPTY) | here
        admitted = admitted | here
    return [*shares.items(), (tuple(REFUSED.items()), domain - admitted)]


def _settings(policy: Policy, cluster: str, within: Region) -> dict[str, list[Share]]:
    """For each setting and mount target, the parts of `within` by value; the rest has none."""
    found: dict[str, list[Share]] = {}
    for lane in policy.lanes.get(cluster, ()):
        taken = within & regions.restricted(regions_of(policy, cluster).taken[lane.name], {"cluster": cluster})
        for name, rows in _given(policy, cluster, lane):
            for value, region in rows:
                found.setdefault(name, []).append((((name, value),), region & taken))
    for name, shares in found.items():
        left = within - regions.union([region for _, region in shares])
        found[name] = [*_merged(shares), (((name, None),), left)]
    return found


def _merged(shares: list[Share]) -> list[Share]:
    merged: dict[Any, Region] = {}
    for key, region in shares:
        merged[key] = merged.get(key, EMPTY) | region
    return list(merged.items())


def _given(policy: Policy, cluster: str, lane: Lane) -> Iterator[tuple[str, list[tuple[Any, Region]]]]:
    """The settings that a lane gives, the record's fixed limits over the lane's own, and the mounts."""
    fixed = _fixed(policy, cluster)
    free = FULL - regions.union([region for _, region in fixed])
    for name, rows in lane.settings:
        if name != "time-limit":
            yield name, [(_hashable(wire(row.value)), _here(row, cluster)) for row in rows]
    limits = [(str(row.value), _here(row, cluster) & free) for row in dict(lane.settings).get("time-limit", ())]
    yield "time-limit", [*((str(limit), region) for limit, region in fixed), *limits]
    targets: dict[str, list[tuple[Any, Region]]] = {}
    for row in lane.mounts:
        targets.setdefault(row.value.target, []).append((_mount(row.value), _here(row, cluster)))
    for target, shares in targets.items():
        yield f"mount {target}", shares


def _fixed(policy: Policy, cluster: str) -> list[tuple[Duration, Region]]:
    srt = policy.inventory.clusters[cluster].srt_slurm
    limits = () if srt is None else ((True, srt.default_time_limit), (False, srt.single_node_time_limit))
    given = [(flag, limit) for flag, limit in limits if limit is not None]
    return [(limit, regions.side("multinode", values.only(BY_NAME["multinode"], [flag]))) for flag, limit in given]


def _here(row: Row, cluster: str) -> Region:
    return regions.restricted(row.when.region, {"cluster": cluster})


def _mount(mount: Mount) -> str:
    flags = [name for name, on in (("world-writable", mount.world_writable), ("read-only", mount.read_only)) if on]
    return " ".join([mount.volume, *flags])


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def in_words(change: Change) -> str:
    """A change as one line: who, then what it was and is."""
    when = dict(change.when)
    cluster = when.pop("cluster")
    who = cluster if isinstance(cluster, str) else ", ".join(cluster)
    return f"{who}: {condition_in_words(when)}: {_side(change.before)} -> {_side(change.after)}"


def _side(side: tuple[tuple[str, Any], ...]) -> str:
    named = dict(side)
    verdict = named.pop("verdict", None)
    rest = ", ".join(f"{name} {'none' if value is None else _shown(value)}" for name, value in named.items())
    return ", ".join(part for part in (verdict, rest) if part)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, tuple) else str(value)
