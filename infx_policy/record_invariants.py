"""What must hold of the inventory, and of the tables against requests that are given."""

from collections.abc import Callable, Iterator, Sequence

from infx_policy import region as regions
from infx_policy import values
from infx_policy.evaluation import decide
from infx_policy.fact import BY_NAME
from infx_policy.findings import Finding, FindingCode, finding
from infx_policy.grounds import regions_of
from infx_policy.lane import TAKES, Lane, Row
from infx_policy.policy import Policy
from infx_policy.refusal import place
from infx_policy.region import Region
from infx_policy.request import Request
from infx_policy.source import Source
from infx_policy.witness import domain, shown, witness

CLUSTER_LABEL = "cluster:"


def runner_in_two_clusters(policy: Policy) -> Iterator[Finding]:
    """A runner stands under one `cluster:` label."""
    inventory = policy.inventory
    for runner, clusters in sorted(inventory.clusters_of_runner.items()):
        if len(clusters) > 1:
            labels = [f"{CLUSTER_LABEL}{cluster}" for cluster in clusters]
            sources = [inventory.label_sources.get(label, Source("runners.yaml")) for label in labels]
            named = " and ".join(f"`{label}` ({source.row})" for label, source in zip(labels, sources, strict=True))
            yield finding(
                FindingCode.RUNNER_IN_TWO_CLUSTERS, sources[-1], labels[-1], {"runner": runner},
                runner=runner, labels=named,
            )  # fmt: skip


def label_contradiction(policy: Policy) -> Iterator[Finding]:
    """A cluster's label has a record, and a runner's partition is one of its cluster's."""
    inventory = policy.inventory
    for label in sorted(inventory.labels):
        kind, _, name = label.partition(":")
        source = inventory.label_sources.get(label, Source("runners.yaml"))
        if kind == "cluster" and name not in inventory.clusters:
            what = f"label `{label}` names a cluster without a record"
            remedy = f"add `{name}` under `clusters`, or take the label out"
            yield finding(FindingCode.LABEL_CONTRADICTION, source, label, what=what, remedy=remedy)
        if kind == "partition":
            for cluster in _contradicted(policy, name, inventory.labels[label]):
                what = f"label `{label}` gives runners of `{cluster}` a partition that its record does not name"
                remedy = f"write it under `slurm.partitions` ({inventory.clusters[cluster].source.row})"
                yield finding(FindingCode.LABEL_CONTRADICTION, source, label, what=what, remedy=remedy)


def _contradicted(policy: Policy, partition: str, runners: Sequence[str]) -> list[str]:
    inventory = policy.inventory
    clusters = {name for runner in runners for name in inventory.clusters_of_runner.get(runner, ())}
    found: list[str] = []
    for name in sorted(clusters & set(inventory.clusters)):
        slurm = inventory.clusters[name].slurm
        if slurm is not None and partition not in (slurm.partition, *slurm.partitions):
            found.append(name)
    return found


def dead_vocabulary(policy: Policy) -> Iterator[Finding]:
    """Every known word is admitted somewhere."""
    admitted: list[Region] = []
    for cluster in sorted(policy.inventory.clusters):
        possible = domain(policy, cluster)
        ways = regions.union([region for _, region in regions_of(policy, cluster).outcomes])
        admitted.append(regions.restricted(ways, {"cluster": cluster}) & possible)
    for name, words in sorted(policy.inventory.vocabulary.items()):
        for word in sorted(words):
            side = regions.side(name, values.only(BY_NAME[name], [word]))
            if all((region & side).is_empty for region in admitted):
                yield finding(FindingCode.DEAD_VOCABULARY, Source("runners.yaml"), word, fact=name, word=word)


def one_directory_for_two_models(policy: Policy) -> Iterator[Finding]:
    """A record gives each model name a directory of its own."""
    for name, record in sorted(policy.inventory.clusters.items()):
        by_place: dict[tuple[str, str], list[str]] = {}
        for model, entry in record.models.entries.items():
            by_place.setdefault((entry.root, entry.dir), []).append(model)
        for (root, directory), models in sorted(by_place.items()):
            if len(models) > 1:
                yield finding(
                    FindingCode.TWO_MODELS_ONE_KEY, record.source, name,
                    what=f"record `{name}` names directory `{directory}` of volume `{root}`",
                    models=", ".join(f"`{model}`" for model in models),
                    remedy="give each its own, or waive it with the reason",
                )  # fmt: skip


def one_checkpoint_for_two_models(policy: Policy, requests: Sequence[Request]) -> Iterator[Finding]:
    """A checkpoint row selects it for one model of those that are asked for."""
    for lanes in policy.lanes.values():
        for row in [row for lane in lanes for row in dict(lane.settings).get("checkpoint", ())]:
            models = sorted({one.model for one in requests if one.model and _reaches(policy, row, one)})
            if len(models) > 1:
                yield finding(
                    FindingCode.TWO_MODELS_ONE_KEY, row.source, row.label,
                    what=f"row {place(row)} selects checkpoint `{row.value}`",
                    models=", ".join(f"`{model}`" for model in models),
                    remedy="narrow its `when` to the models of that checkpoint",
                )  # fmt: skip


def _reaches(policy: Policy, row: Row, request: Request) -> bool:
    decision = decide(policy, request)
    return any(each.row is row and each.held for each in decision.considered) and decision.lane == row.lane


def unreached_row(policy: Policy, requests: Sequence[Request]) -> Iterator[Finding]:
    """Every row is reached by a given request."""
    reached: set[Row] = set()
    for request in requests:
        decision = decide(policy, request)
        reached.update(each.row for each in decision.considered if each.held and each.row.lane == decision.lane)
    for cluster, lanes in sorted(policy.lanes.items()):
        for lane in lanes:
            for row in lane.rows:
                if row not in reached:
                    facts = witness(policy, cluster, _reaching(policy, cluster, lane, row))
                    if facts is not None:
                        yield finding(FindingCode.UNREACHED_ROW, row.source, row.label, shown(facts), rows=place(row))


def _reaching(policy: Policy, cluster: str, lane: Lane, row: Row) -> Region:
    """The requests that the lane takes and the row matches; admitted ones where there are any."""
    found = regions_of(policy, cluster)
    taken = found.taken[lane.name] if row.section == TAKES else found.taken[lane.name] & row.when.region
    admitted = taken & regions.union([region for outcome, region in found.outcomes if outcome.lane is lane])
    here = regions.restricted(admitted, {"cluster": cluster}) & domain(policy, cluster)
    return taken if here.is_empty else admitted


POLICY_INVARIANTS: tuple[Callable[[Policy], Iterator[Finding]], ...] = (
    runner_in_two_clusters,
    label_contradiction,
    one_directory_for_two_models,
    dead_vocabulary,
)
REQUEST_INVARIANTS: tuple[Callable[[Policy, Sequence[Request]], Iterator[Finding]], ...] = (
    one_checkpoint_for_two_models,
    unreached_row,
)
