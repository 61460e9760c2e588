"""The regions of a cluster: what each lane takes, every ground of refusal, every way of admission."""

from collections.abc import Iterable, Mapping
from itertools import combinations

from attrs import frozen

from infx_policy import region as regions
from infx_policy import values
from infx_policy.fact import BY_NAME, FACTS
from infx_policy.inventory import Cluster
from infx_policy.lane import Lane, Row, above
from infx_policy.policy import Policy
from infx_policy.region import EMPTY, FULL, Region
from infx_policy.rows import given_settings, must_be_shared, node_local
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
    """The regions of one cluster: what each lane takes (less what `instead-of` takes away), grounds of refusal,
    and outcomes, which are disjoint.
    """

    taken: Mapping[str, Region]
    grounds: tuple[Ground, ...]
    outcomes: tuple[tuple[Outcome, Region], ...]


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


def union_of(rows: Iterable[Row]) -> Region:
    """The requests that any of the rows matches."""
    return regions.union([row.when.region for row in rows])


def taken_by(lane: Lane, lanes: tuple[Lane, ...]) -> Region:
    """What a lane takes, less what others take away from it."""
    return lane.takes.when.region - union_of(other.takes for other in above(lane, lanes))


def _regions(policy: Policy, record: Cluster, lanes: tuple[Lane, ...]) -> ClusterRegions:
    taken = {lane.name: taken_by(lane, lanes) for lane in lanes}
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
        staged = union_of(lane.stages)
        outcomes.append((Outcome(record.name, lane, "shared"), left & staged))
        outcomes.append((Outcome(record.name, lane, "workspace"), left - staged))
    return ClusterRegions(
        taken,
        tuple(each for each in grounds if not each.region.is_empty),
        tuple((outcome, each) for outcome, each in outcomes if not each.is_empty),
    )


def _grounds(policy: Policy, record: Cluster, lane: Lane) -> list[Ground]:
    """The lane's own grounds of refusal, over all requests; only those that it takes count."""
    found = [Ground(~union_of(lane.admits), True, lane, "no-admit-row")]
    found += [Ground(row.when.region, False, lane, "refused-by-row", (row,)) for row in lane.refuses]
    if lane.driver not in policy.drivers:
        found.append(Ground(FULL, False, lane, "lane-without-driver"))
    staged = union_of(lane.stages)
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
    named = values.union(values.only(BY_NAME["model"], [checkpoint]), values.suffix(f"/{checkpoint}"))
    return regions.side("model", named)


def unstated(policy: Policy, facts: Facts, cluster: str) -> Region:
    """The values that the facts which a request leaves open may have on a cluster."""
    box: dict[str, values.Values] = {}
    for fact in FACTS:
        if fact.vocabulary and fact.name not in facts:
            box[fact.name] = values.only(fact, policy.inventory.vocabulary[fact.name])
    runners = policy.inventory.runners_of(cluster)
    if "runner" not in facts:  # a cluster without runners has none to offer, which is the value none
        box["runner"] = values.only(BY_NAME["runner"], runners or [""])
    return regions.of_box(box)
