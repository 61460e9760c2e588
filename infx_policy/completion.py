"""Deciding a request whose facts are not all stated: over every completion, exactly.

A completion gives each unstated fact a value: a word of its vocabulary, a runner of its cluster, a recipe
or none, any value of a fact without vocabulary. Each ground of refusal and each way of admission is a
region; what the verdict is follows from how they lie over the completions.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from infx_policy import refusal
from infx_policy import region as regions
from infx_policy.decision import Considered, Decision, Mounted, RunRoot, Setting, Verdict
from infx_policy.grounds import Ground, Outcome, regions_of, taken_by, union_of, unstated
from infx_policy.inventory import Cluster
from infx_policy.lane import Lane, Mount, Row
from infx_policy.policy import Policy
from infx_policy.reasons import Reason
from infx_policy.region import Region
from infx_policy.rows import cluster_of, considered, needs_recipe, node_local, partition_of, run_root_of, unknown_words
from infx_policy.values import Value

Facts = Mapping[str, Value]


@frozen(eq=False, repr=False)
class Completions:
    """What a request may still become: for each cluster that it may be on, the completions there and the
    part of them that each outcome holds. `reasons` stand for all of them.
    """

    facts: Facts
    reasons: tuple[Reason, ...]
    possible: Mapping[str, Region]
    admitted: tuple[tuple[Outcome, Region], ...]


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
        partition=partition_of(policy, record, facts.get("runner")),
        lane=None if lane is None else lane.name,
        driver=outcomes[0].lane.driver if len({outcome.lane.driver for outcome in outcomes}) == 1 else None,
        run_root=_run_root(record, lane, facts, left) if lane is not None and len(kinds) == 1 else None,
        admitted_by=() if lane is None else _certain(lane.admits, facts, left),
        settings=() if lane is None else _settings(lane, facts, left),
        mounts=() if lane is None else _mounts(lane, facts, left),
        considered=_considered(policy, cluster, found),
    )


def _considered(policy: Policy, cluster: str, found: Completions) -> tuple[Considered, ...]:
    """Every row of the cluster's lanes, and whether it holds for every completion or for none."""
    facts, possible = {**found.facts, "cluster": cluster}, found.possible[cluster]
    answered: list[Considered] = []
    for each in considered(policy, cluster, facts):
        if each.held is None:
            region = regions.restricted(each.row.when.region, facts)
            held = True if possible <= region else False if (possible & region).is_empty else None
            answered.append(Considered(each.row, held))
        else:
            answered.append(each)
    return tuple(answered)


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
            is_sure = len(given) == 1 and left <= regions.restricted(union_of(possible), facts)
            found.append(Setting(name, possible[0].value if is_sure else None, possible, not is_sure))
    return tuple(found)


def _mounts(lane: Lane, facts: Facts, left: Region) -> tuple[Mounted, ...]:
    by_mount: dict[Mount, list[Row]] = {}
    for row in _possible(lane.mounts, facts, left):
        by_mount.setdefault(row.value, []).append(row)
    return tuple(
        Mounted(mount, tuple(rows), not left <= regions.restricted(union_of(rows), facts))
        for mount, rows in by_mount.items()
    )


def _refused(policy: Policy, given: Facts, found: Completions) -> Decision:
    """The refusal: reasons that stand for every completion; where each has another one, all of them."""
    quiet = bool(unknown_words(policy, given))
    stood = [_standing(policy, found, cluster, quiet=quiet) for cluster in found.possible]
    certain = [reason for reason in (stood[0][0] if stood else []) if all(reason in each[0] for each in stood)]
    some = [reason for each in stood for reason in each[1]]
    recipe = [refusal.no_recipe()] if needs_recipe(found.facts) and not found.possible else []
    reasons = tuple(dict.fromkeys([*found.reasons, *recipe, *(certain or ([] if found.reasons else some))]))
    only = next(iter(found.possible)) if len(found.possible) == 1 else None
    if only is None:
        stated = found.facts.get("cluster")
        name = None if stated is None else str(stated)
        return Decision(Verdict.REFUSED, tuple(given.items()), policy.name, name, reasons=reasons)
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
        considered=_considered(policy, only, found),
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
        taken = taken_by(lane, lanes) - regions.union([taken_by(each, lanes) for each in lanes if each is not lane])
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
        own = taken_by(lane, lanes)
        return regions.restricted(own, facts) & possible

    return [
        lane for lane in lanes if any(not (taken(lane) & taken(other)).is_empty for other in lanes if other is not lane)
    ]
