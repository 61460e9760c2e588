"""Deciding a request whose facts are not all stated: over every completion, exactly.

A completion gives each unstated fact a value: a word of its vocabulary, a runner of its cluster, a recipe
or none, any value of a fact without vocabulary. Each ground of refusal and each way of admission is a
region; what the verdict is follows from how they lie over the completions.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from attrs import frozen

from infx_policy import refusal, values
from infx_policy import region as regions
from infx_policy.decision import Decision, Mounted, RunRoot, Setting, Verdict
from infx_policy.evaluation import (
    cluster_of,
    considered,
    given_settings,
    must_be_shared,
    node_local,
    partition_of,
    run_root_of,
    unknown_words,
)
from infx_policy.fact import BY_NAME, FACTS
from infx_policy.inventory import Cluster
from infx_policy.lane import Lane, Mount, Row, above
from infx_policy.match import Match
from infx_policy.policy import Policy
from infx_policy.reasons import Reason
from infx_policy.region import EMPTY, FULL, Region
from infx_policy.values import Value

Facts = Mapping[str, Value]


@frozen
class Outcome:
    """A way of being admitted: lane, driver and kind of run root on a cluster."""

    cluster: str
    lane: Lane
    kind: str


@frozen(eq=False, repr=False)
class Ground:
    """A ground of refusal and the requests for which it stands. `quiet`: it may only follow from a word
    that nobody knows. The reason is made for the facts of a request.
    """

    region: Region
    quiet: bool
    lane: Lane | None
    kind: str
    rows: tuple[Row, ...] = ()
    setting: str = ""


@frozen(eq=False, repr=False)
class ClusterRegions:
    """The regions of one cluster: grounds of refusal, and outcomes, which are disjoint."""

    grounds: tuple[Ground, ...]
    outcomes: tuple[tuple[Outcome, Region], ...]


@frozen(eq=False, repr=False)
class Completions:
    """What a request may still become: for each cluster that it may be on, the completions there and the
    part of them that each outcome holds. `reasons` stand for all of them.
    """

    facts: Facts
    reasons: tuple[Reason, ...]
    possible: Mapping[str, Region]
    admitted: tuple[tuple[Outcome, Region], ...]


NO_RECIPE = regions.of_box(
    {"multinode": values.only(BY_NAME["multinode"], [True]), "recipe": values.only(regions.RECIPE, [False])}
)


def regions_of(policy: Policy, cluster: str) -> ClusterRegions:
    """The regions of a cluster, made once for a policy."""
    found: ClusterRegions | None = policy.regions.get(cluster)
    if found is None:
        record = policy.inventory.clusters[cluster]
        found = policy.regions[cluster] = _regions(policy, record, policy.lanes.get(cluster, ()))
    return found


def _union(rows: Iterable[Row]) -> Region:
    return regions.union([row.when.region for row in rows])


def _regions(policy: Policy, record: Cluster, lanes: tuple[Lane, ...]) -> ClusterRegions:
    taken = {lane.name: lane.takes.when.region - _union(other.takes for other in above(lane, lanes)) for lane in lanes}
    grounds = [
        Ground(NO_RECIPE, False, None, "no-recipe"),
        Ground(~regions.union(list(taken.values())), True, None, "no-lane"),
    ]
    ambiguous = EMPTY
    for one, two in combinations(lanes, 2):
        ambiguous = ambiguous | (taken[one.name] & taken[two.name])
    grounds.append(Ground(ambiguous, False, None, "ambiguous-lane"))
    outcomes: list[tuple[Outcome, Region]] = []
    for lane in lanes:
        inside = taken[lane.name] - ambiguous
        own = [
            Ground(inside & each.region, each.quiet, each.lane, each.kind, each.rows, each.setting)
            for each in _grounds(policy, record, lane)
        ]
        grounds += own
        left = inside - NO_RECIPE - regions.union([each.region for each in own])
        staged = _union(lane.stages)
        outcomes.append((Outcome(record.name, lane, "shared"), left & staged))
        outcomes.append((Outcome(record.name, lane, "workspace"), left - staged))
    return ClusterRegions(
        tuple(each for each in grounds if not each.region.is_empty),
        tuple((outcome, each) for outcome, each in outcomes if not each.is_empty),
    )


def _grounds(policy: Policy, record: Cluster, lane: Lane) -> list[Ground]:
    """The lane's own grounds of refusal, over all requests; only those that it takes count."""
    found = [Ground(~_union(lane.admits), True, lane, "no-admit-row")]
    found += [Ground(row.when.region, False, lane, "refused-by-row", (row,)) for row in lane.refuses]
    if lane.driver not in policy.drivers:
        found.append(Ground(FULL, False, lane, "lane-without-driver"))
    staged = _union(lane.stages)
    unstaged = ~staged if must_be_shared(policy, record, lane) else EMPTY
    if record.shared_run_root is None:
        unstaged = unstaged | staged
    elif node_local(record):
        found.append(Ground(staged, False, lane, "node-local-run-root"))
    found.append(Ground(unstaged, True, lane, "no-shared-run-root"))
    for setting, rows in given_settings(lane):
        pairs = [(one, two) for one, two in combinations(rows, 2) if one.value != two.value]
        overlap = regions.union([one.when.region & two.when.region for one, two in pairs])
        found.append(Ground(overlap, False, lane, "conflicting-setting", rows, setting))
    for row in dict(lane.settings).get("checkpoint", ()):
        found.append(Ground(row.when.region - _named(str(row.value)), False, lane, "model-mismatch", (row,)))
    return found


def _named(checkpoint: str) -> Region:
    """The requests whose model names a checkpoint."""
    return (Match(model=[checkpoint]) | Match(model={"glob": f"*/{checkpoint}"})).region


def completions(policy: Policy, given: Facts) -> Completions:
    """What the request may still become."""
    cluster, reasons = cluster_of(policy, given)
    reasons += unknown_words(policy, given)
    if cluster is not None:
        candidates = [cluster] if cluster in policy.inventory.clusters else []
    elif "runner" in given:
        owners = policy.inventory.clusters_of_runner.get(str(given["runner"]), ())
        candidates = [name for name in owners if name in policy.inventory.clusters]
    else:
        candidates = sorted(policy.inventory.clusters)
    facts = dict(given) if cluster is None else {**given, "cluster": cluster}
    possible: dict[str, Region] = {}
    admitted: list[tuple[Outcome, Region]] = []
    for name in candidates:
        possible[name] = unstated(policy, facts, name)
        stated = {**facts, "cluster": name}
        for outcome, region in regions_of(policy, name).outcomes if not reasons else ():
            left = regions.restricted(region, stated) & possible[name]
            if not left.is_empty:
                admitted.append((outcome, left))
    return Completions(facts, tuple(reasons), possible, tuple(admitted))


def unstated(policy: Policy, facts: Facts, cluster: str) -> Region:
    """The values that the facts which a request leaves open may have on a cluster."""
    box: dict[str, values.Values] = {}
    for fact in FACTS:
        if fact.vocabulary and fact.name not in facts:
            box[fact.name] = values.only(fact, policy.inventory.vocabulary[fact.name])
    runners = policy.inventory.runners_of(cluster)
    if "runner" not in facts and runners:
        box["runner"] = values.only(BY_NAME["runner"], runners)
    return regions.of_box(box)


def completed(policy: Policy, given: Facts) -> Decision:
    """The decision over every completion of the facts."""
    found = completions(policy, given)
    if found.reasons or not found.admitted:
        return _refused(policy, given, found)
    outcome, left = found.admitted[0]
    is_whole = len(found.admitted) == 1 and list(found.possible) == [outcome.cluster]
    if is_whole and found.possible[outcome.cluster] <= left:
        return _open(policy, given, found, Verdict.ADMITTED)
    return _open(policy, given, found, Verdict.UNDECIDED)


def _open(policy: Policy, given: Facts, found: Completions, verdict: Verdict) -> Decision:
    """The decision where something may be admitted: what all its outcomes share is stated."""
    outcomes = [outcome for outcome, _ in found.admitted]
    clusters = set(found.possible)
    cluster = next(iter(clusters)) if len(clusters) == 1 else None
    if cluster is None:
        return Decision(verdict, tuple(given.items()), policy.name)
    record = policy.inventory.clusters[cluster]
    facts = {**found.facts, "cluster": cluster}
    lanes = {outcome.lane for outcome in outcomes}
    lane = outcomes[0].lane if len(lanes) == 1 else None
    left = regions.union([region for _, region in found.admitted])
    kinds = {outcome.kind for outcome in outcomes}
    return Decision(
        verdict=verdict,
        facts=tuple(given.items()),
        policy=policy.name,
        cluster=cluster,
        partition=partition_of(policy, record, facts.get("runner"))
        if _same_partition(policy, cluster, facts)
        else None,
        lane=None if lane is None else lane.name,
        driver=outcomes[0].lane.driver if len({outcome.lane.driver for outcome in outcomes}) == 1 else None,
        run_root=_run_root(record, lane, facts, left) if lane is not None and len(kinds) == 1 else None,
        admitted_by=() if lane is None else _certain(lane.admits, facts, left),
        settings=() if lane is None else _settings(lane, facts, left),
        mounts=() if lane is None else _mounts(lane, facts, left),
        considered=considered(policy, cluster, facts),
    )


def _same_partition(policy: Policy, cluster: str, facts: Facts) -> bool:
    runners = policy.inventory.runners_of(cluster)
    return "runner" in facts or len({policy.inventory.partitions.get(runner) for runner in runners}) <= 1


def _share(row: Row, facts: Facts, left: Region) -> tuple[Region, bool]:
    """The part of `left` for which the row holds, and whether that is all of it."""
    region = regions.restricted(row.when.region, facts)
    return region & left, left <= region


def _certain(rows: Iterable[Row], facts: Facts, left: Region) -> tuple[Row, ...]:
    return tuple(row for row in rows if _share(row, facts, left)[1])


def _possible(rows: Iterable[Row], facts: Facts, left: Region) -> tuple[Row, ...]:
    return tuple(row for row in rows if not _share(row, facts, left)[0].is_empty)


def _run_root(record: Cluster, lane: Lane, facts: Facts, left: Region) -> RunRoot:
    staged = _certain(lane.stages, facts, left) or _possible(lane.stages, facts, left)
    return run_root_of(record, staged)


def _settings(lane: Lane, facts: Facts, left: Region) -> tuple[Setting, ...]:
    found: list[Setting] = []
    for name, rows in lane.settings:
        possible = _possible(rows, facts, left)
        if possible:
            given = {row.value for row in possible}
            is_sure = len(given) == 1 and left <= regions.restricted(_union(possible), facts)
            found.append(Setting(name, possible[0].value if is_sure else None, possible, not is_sure))
    return tuple(found)


def _mounts(lane: Lane, facts: Facts, left: Region) -> tuple[Mounted, ...]:
    by_mount: dict[Mount, list[Row]] = {}
    for row in _possible(lane.mounts, facts, left):
        by_mount.setdefault(row.value, []).append(row)
    return tuple(
        Mounted(mount, tuple(rows), not left <= regions.restricted(_union(rows), facts))
        for mount, rows in by_mount.items()
    )


def _refused(policy: Policy, given: Facts, found: Completions) -> Decision:
    """The refusal: reasons that stand for every completion; where each has another one, all of them."""
    quiet = any(each.code.value.startswith("unknown-") for each in found.reasons)
    stood = [_standing(policy, found, cluster, quiet=quiet) for cluster in found.possible]
    certain = [reason for reason in (stood[0][0] if stood else []) if all(reason in each[0] for each in stood)]
    some = [reason for each in stood for reason in each[1]]
    reasons = tuple(dict.fromkeys([*found.reasons, *(certain or ([] if found.reasons else some))]))
    only = next(iter(found.possible)) if len(found.possible) == 1 else None
    if only is None:
        return Decision(Verdict.REFUSED, tuple(given.items()), policy.name, reasons=reasons)
    record = policy.inventory.clusters[only]
    lane = _only_lane(policy, only, found)
    return Decision(
        verdict=Verdict.REFUSED,
        facts=tuple(given.items()),
        policy=policy.name,
        cluster=only,
        partition=partition_of(policy, record, found.facts.get("runner")),
        lane=None if lane is None else lane.name,
        driver=None if lane is None else lane.driver,
        reasons=reasons,
        considered=considered(policy, only, {**found.facts, "cluster": only}),
    )


def _standing(policy: Policy, found: Completions, cluster: str, *, quiet: bool) -> tuple[list[Reason], list[Reason]]:
    """The reasons on one cluster that stand for every completion there, and for some."""
    facts = {**found.facts, "cluster": cluster}
    possible = found.possible[cluster]
    certain: list[Reason] = []
    some: list[Reason] = []
    for ground in regions_of(policy, cluster).grounds:
        region = regions.restricted(ground.region, facts)
        if (quiet and ground.quiet) or (region & possible).is_empty:
            continue
        some.append(_reason(policy, cluster, ground, facts, possible))
        if possible <= region:
            certain.append(some[-1])
    return certain, some


def _only_lane(policy: Policy, cluster: str, found: Completions) -> Lane | None:
    """The lane that takes every completion, where there is one."""
    lanes = policy.lanes.get(cluster, ())
    facts = {**found.facts, "cluster": cluster}
    for lane in lanes:
        taken = lane.takes.when.region - _union(other.takes for other in above(lane, lanes))
        if found.possible[cluster] <= regions.restricted(taken, facts):
            return lane
    return None


def _reason(policy: Policy, cluster: str, ground: Ground, facts: Facts, possible: Region) -> Reason:
    record = policy.inventory.clusters[cluster]
    lanes = policy.lanes.get(cluster, ())
    makers: Mapping[str, Any] = {
        "no-recipe": refusal.no_recipe,
        "no-lane": lambda: refusal.no_lane(cluster, lanes, facts),
        "ambiguous-lane": lambda: refusal.ambiguous_lane(_overlapping(lanes, facts, possible), facts),
    }
    if ground.lane is None:
        return makers[ground.kind]()  # type: ignore[no-any-return]
    lane = ground.lane
    left = possible & regions.restricted(ground.region, facts)
    rows = _possible(ground.rows, facts, left)
    admits = _possible(lane.admits, facts, left)
    own: Mapping[str, Any] = {
        "no-admit-row": lambda: refusal.no_admit_row(lane, facts),
        "refused-by-row": lambda: refusal.refused_by_row(ground.rows[0], facts),
        "lane-without-driver": lambda: refusal.lane_without_driver(policy, lane),
        "node-local-run-root": lambda: node_local(record)[0],
        "no-shared-run-root": lambda: refusal.no_shared_run_root(record, lane, admits, facts),
        "conflicting-setting": lambda: refusal.conflicting_setting(ground.setting, _one_a_value(rows), facts),
        "model-mismatch": lambda: refusal.model_mismatch(ground.rows[0], facts),
    }
    return own[ground.kind]()  # type: ignore[no-any-return]


def _one_a_value(rows: Iterable[Row]) -> list[Row]:
    by_value: dict[Any, Row] = {}
    for row in rows:
        by_value.setdefault(row.value, row)
    return list(by_value.values())


def _overlapping(lanes: tuple[Lane, ...], facts: Facts, possible: Region) -> list[Lane]:
    def taken(lane: Lane) -> Region:
        own = lane.takes.when.region - _union(other.takes for other in above(lane, lanes))
        return regions.restricted(own, facts) & possible

    return [
        lane for lane in lanes if any(not (taken(lane) & taken(other)).is_empty for other in lanes if other is not lane)
    ]
