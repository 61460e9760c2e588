"""Deciding a request by its rows, one after the other: the meaning that analysis is held against."""

from collections.abc import Mapping, Sequence
from posixpath import normpath
from typing import Any

from infx_policy import refusal
from infx_policy.decision import Considered, Decision, Mounted, RunRoot, Setting, Verdict
from infx_policy.fact import FACTS
from infx_policy.inventory import Cluster
from infx_policy.lane import Lane, Mount, Row, above
from infx_policy.match import kleene
from infx_policy.policy import Policy
from infx_policy.reasons import Reason
from infx_policy.values import Value

Facts = Mapping[str, Value]


class Unstated(Exception):
    """A row's condition hangs on a fact that the request does not state."""


def evaluated(policy: Policy, given: Facts) -> Decision:
    """The decision where every row that counts is settled by the stated facts; else raises Unstated."""
    cluster, reasons = cluster_of(policy, given)
    words = unknown_words(policy, given)
    facts = {**given, "cluster": cluster} if cluster is not None else given
    reasons += words
    if (needs := needs_recipe(facts)) is None:
        raise Unstated
    if needs:
        reasons.append(refusal.no_recipe())
    record = policy.inventory.clusters.get(cluster) if cluster is not None else None
    if record is None:
        if cluster is None:
            raise Unstated
        return Decision(Verdict.REFUSED, tuple(given.items()), policy.name, cluster, reasons=tuple(reasons))
    lanes = policy.lanes.get(record.name, ())
    taken = [lane for lane in lanes if _is_taken(lane, lanes, facts)]
    if len(taken) != 1:
        if taken:
            reasons.append(refusal.ambiguous_lane(taken, facts))
        elif not words:
            reasons.append(refusal.no_lane(record.name, lanes, facts))
        return _decision(policy, given, facts, record, None, tuple(reasons))
    reasons += _lane_reasons(policy, record, taken[0], facts, quiet=bool(words))
    return _decision(policy, given, facts, record, taken[0], tuple(reasons))


def needs_recipe(facts: Facts) -> bool | None:
    """Whether a recipe is wanting: several nodes, and none is named."""
    if facts.get("multinode") is False or facts.get("recipe") is True:
        return False
    return None if "multinode" not in facts or "recipe" not in facts else True


def cluster_of(policy: Policy, facts: Facts) -> tuple[str | None, list[Reason]]:
    """The cluster, stated or the runner's only one, and what is wrong with either."""
    cluster, runner = facts.get("cluster"), facts.get("runner")
    reasons: list[Reason] = []
    if cluster is not None and cluster not in policy.inventory.clusters:
        reasons.append(refusal.unknown_cluster(policy, str(cluster)))
    if runner is not None:
        owners = policy.inventory.clusters_of_runner.get(str(runner), ())
        if not owners:
            reasons.append(refusal.unknown_runner(policy, str(runner)))
        elif cluster is None and len(owners) == 1:
            cluster = owners[0]
            if cluster not in policy.inventory.clusters:
                reasons.append(refusal.unknown_cluster(policy, cluster))
        elif cluster is not None and cluster not in owners and cluster in policy.inventory.clusters:
            reasons.append(refusal.runner_mismatch(str(cluster), str(runner), owners))
    return (None if cluster is None else str(cluster)), reasons


def unknown_words(policy: Policy, facts: Facts) -> list[Reason]:
    """A reason for each stated word outside the vocabulary."""
    found = [
        (fact, str(facts[fact.name]), policy.inventory.vocabulary[fact.name])
        for fact in FACTS
        if fact.vocabulary and fact.name in facts
    ]
    return [refusal.unknown_word(fact, word, words) for fact, word, words in found if word not in words]


def asked(row: Row, facts: Facts) -> bool:
    """Whether the row holds; raises Unstated where the stated facts do not settle it."""
    answer = kleene(row.when, facts)
    if answer is None:
        raise Unstated
    return answer


def holding(rows: Sequence[Row], facts: Facts) -> tuple[Row, ...]:
    """The rows that hold."""
    return tuple(row for row in rows if asked(row, facts))


def _is_taken(lane: Lane, lanes: tuple[Lane, ...], facts: Facts) -> bool:
    if kleene(lane.takes.when, facts) is False:
        return False
    return not any(asked(other.takes, facts) for other in above(lane, lanes)) and asked(lane.takes, facts)


def must_be_shared(policy: Policy, record: Cluster, lane: Lane) -> bool:
    """Whether what the lane starts runs where the runner's workspace is not seen."""
    driver = policy.drivers.get(lane.driver or "")
    return driver is not None and driver.compute_nodes and record.workspace.visibility != "shared"


def _lane_reasons(policy: Policy, record: Cluster, lane: Lane, facts: Facts, *, quiet: bool) -> list[Reason]:
    """Why the lane refuses. `quiet` leaves out what only follows from a word that nobody knows."""
    admits = holding(lane.admits, facts)
    reasons = [] if admits or quiet else [refusal.no_admit_row(lane, facts)]
    reasons += [refusal.refused_by_row(row, facts) for row in holding(lane.refuses, facts)]
    if lane.driver not in policy.drivers:
        reasons.append(refusal.lane_without_driver(policy, lane))
    staged = bool(holding(lane.stages, facts))
    if staged or must_be_shared(policy, record, lane):
        if not staged or record.shared_run_root is None:
            reasons += [] if quiet else [refusal.no_shared_run_root(record, lane, admits, facts)]
        else:
            reasons += node_local(record)
    for setting, rows in conflicts(lane, facts):
        reasons.append(refusal.conflicting_setting(setting, rows, facts))
    return reasons + [refusal.model_mismatch(row, facts) for row in _mismatched(lane, facts)]


def node_local(record: Cluster) -> list[Reason]:
    """The reason against a shared run root that lies on a node-local volume, where it does."""
    volume = record.volume_of(record.shared_run_root or "")
    if volume is None or volume[1].visibility == "shared":
        return []
    return [refusal.node_local_run_root(record, *volume)]


def conflicts(lane: Lane, facts: Facts) -> list[tuple[str, list[Row]]]:
    """Settings and mount targets for which rows with different values hold, with one row a value."""
    found: list[tuple[str, list[Row]]] = []
    for name, rows in given_settings(lane):
        by_value: dict[Any, Row] = {}
        for row in holding(rows, facts):
            by_value.setdefault(row.value, row)
        if len(by_value) > 1:
            found.append((name, list(by_value.values())))
    return found


def given_settings(lane: Lane) -> list[tuple[str, tuple[Row, ...]]]:
    """The settings of a lane, and each mount target as one more, with their rows."""
    targets: dict[str, list[Row]] = {}
    for row in lane.mounts:
        assert isinstance(row.value, Mount)
        targets.setdefault(normpath(row.value.target), []).append(row)
    named = [(f"`{name}`", rows) for name, rows in lane.settings]
    return named + [(f"mount target `{target}`", tuple(rows)) for target, rows in targets.items()]


def names_checkpoint(model: str, checkpoint: str) -> bool:
    """Whether a model id names a checkpoint: it is the id, or ends in it after a slash."""
    return model == checkpoint or model.endswith(f"/{checkpoint}")


def _mismatched(lane: Lane, facts: Facts) -> list[Row]:
    found: list[Row] = []
    for row in holding(dict(lane.settings).get("checkpoint", ()), facts):
        if "model" not in facts:
            raise Unstated
        if not names_checkpoint(str(facts["model"]), str(row.value)):
            found.append(row)
    return found


def _decision(
    policy: Policy,
    given: Facts,
    facts: Facts,
    record: Cluster,
    lane: Lane | None,
    reasons: tuple[Reason, ...],
) -> Decision:
    refused = bool(reasons) or lane is None
    staged = () if refused or lane is None else holding(lane.stages, facts)
    return Decision(
        verdict=Verdict.REFUSED if refused else Verdict.ADMITTED,
        facts=tuple(given.items()),
        policy=policy.name,
        cluster=record.name,
        partition=partition_of(policy, record, facts.get("runner")),
        lane=None if lane is None else lane.name,
        driver=None if lane is None else lane.driver,
        run_root=None if refused else run_root_of(record, staged),
        admitted_by=() if lane is None else holding(lane.admits, facts),
        settings=() if refused or lane is None else _settings(lane, facts),
        mounts=() if refused or lane is None else _mounts(lane, facts),
        reasons=reasons,
        considered=considered(policy, record.name, facts),
    )


def partition_of(policy: Policy, record: Cluster, runner: Value | None) -> str | None:
    """The Slurm partition: the runner's label gives it, else the record; None where runners differ in it."""
    inventory = policy.inventory
    runners = inventory.runners_of(record.name) if runner is None else (str(runner),)
    labelled = {inventory.partitions.get(one) for one in runners} or {None}
    if len(labelled) > 1:
        return None
    return labelled.pop() or (record.slurm.partition if record.slurm else None)


def run_root_of(record: Cluster, staged: tuple[Row, ...]) -> RunRoot:
    """The run root of an admitted request."""
    return RunRoot("shared", record.shared_run_root, staged) if staged else RunRoot("workspace")


def _settings(lane: Lane, facts: Facts) -> tuple[Setting, ...]:
    held = [(name, holding(rows, facts)) for name, rows in lane.settings]
    return tuple(Setting(name, rows[0].value, rows) for name, rows in held if rows)


def _mounts(lane: Lane, facts: Facts) -> tuple[Mounted, ...]:
    by_mount: dict[Mount, list[Row]] = {}
    for row in holding(lane.mounts, facts):
        by_mount.setdefault(row.value, []).append(row)
    return tuple(Mounted(mount, tuple(rows)) for mount, rows in by_mount.items())


def considered(policy: Policy, cluster: str, facts: Facts) -> tuple[Considered, ...]:
    """Every row of the cluster's lanes and whether it holds."""
    lanes = policy.lanes.get(cluster, ())
    return tuple(Considered(row, kleene(row.when, facts)) for lane in lanes for row in lane.rows)
