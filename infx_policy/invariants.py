"""What must hold of every lane: each invariant yields findings, over all requests of the vocabulary."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from attrs import frozen

from infx_policy import region as regions
from infx_policy import values
from infx_policy.condition import Condition
from infx_policy.fact import BY_NAME
from infx_policy.findings import Finding, FindingCode, finding
from infx_policy.grounds import NO_RECIPE, regions_of, union_of
from infx_policy.inventory import Cluster
from infx_policy.lane import Lane, Row
from infx_policy.match import alternatives
from infx_policy.policy import Policy
from infx_policy.refusal import condition_in_words, flow, place, written_box
from infx_policy.region import Box, Region
from infx_policy.rows import given_settings, must_be_shared, node_local
from infx_policy.spelling import nearest
from infx_policy.values import Value, Words
from infx_policy.witness import confirmed, domain, witness


@frozen(eq=False, repr=False)
class Scope:
    """A lane and its regions, within the vocabulary: the requests that it alone takes, and those that it
    admits and does not refuse (`alive`).
    """

    policy: Policy
    record: Cluster
    lane: Lane
    taken: Region
    admits: Region
    refuses: Region
    alive: Region


def scopes(policy: Policy) -> tuple[Scope, ...]:
    """Every lane of the policy."""
    return tuple(
        _scope(policy, policy.inventory.clusters[name], lane) for name, lanes in policy.lanes.items() for lane in lanes
    )


def _scope(policy: Policy, record: Cluster, lane: Lane) -> Scope:
    def here(region: Region) -> Region:
        return regions.restricted(region, {"cluster": record.name}) & possible

    possible = domain(policy, record.name)
    by_lane = regions_of(policy, record.name).taken
    others = regions.union([region for name, region in by_lane.items() if name != lane.name])
    taken = here(by_lane[lane.name] - others)
    admits, refuses = here(union_of(lane.admits)), here(union_of(lane.refuses))
    return Scope(policy, record, lane, taken, admits, refuses, (taken & admits) - refuses)


def _rows(*rows: Row) -> str:
    return " and ".join(place(row) for row in rows)


def _here(scope: Scope, row: Row) -> Region:
    return regions.restricted(row.when.region, {"cluster": scope.record.name})


def _shown(scope: Scope, region: Region, code: str) -> dict[str, object] | None:
    facts = witness(scope.policy, scope.record.name, region)
    return None if facts is None else confirmed(scope.policy, facts, code)


def unstaged_admission(scope: Scope) -> Iterator[Finding]:
    """Every request that the lane admits and whose files must be staged, is."""
    if not must_be_shared(scope.policy, scope.record, scope.lane):
        return
    open_ = (scope.alive - NO_RECIPE) - union_of(scope.lane.stages)
    if scope.record.shared_run_root is None:
        open_ = scope.alive - NO_RECIPE
    for row in scope.lane.admits:
        for box in regions.boxes(open_ & _here(scope, row), ~domain(scope.policy, scope.record.name)):
            yield _unstaged(scope, row, box)


def _unstaged(scope: Scope, row: Row, box: Box) -> Finding:
    left = regions.of_box(box) & domain(scope.policy, scope.record.name)
    facts = _shown(scope, left - NO_RECIPE, "no-shared-run-root")
    if scope.record.shared_run_root is None:
        remedy, paste = f"write `shared-run-root` in the record ({scope.record.source.row})", ""
    else:
        section = f"lanes.{scope.lane.name}.shared-run-root"
        remedy, paste = f"add the row below under `{section}` in {scope.lane.source.file}", _staging_row(row)
    return finding(
        FindingCode.UNSTAGED_ADMISSION, row.source, row.label, facts, paste,
        rows=place(row), when=condition_in_words(written_box(scope.policy, box)), lane=scope.lane.name,
        cluster=scope.record.name, remedy=remedy,
    )  # fmt: skip


def _staging_row(row: Row) -> str:
    """A staging row for what an admit row admits, ready to paste into the lane's file."""
    return (
        f"      {row.name}:\n        when: {flow(row.written)}\n"
        "        because: Compute nodes do not mount the runner's checkout.\n"
    )


def staged_without_root(scope: Scope) -> Iterator[Finding]:
    """A record whose lanes stage has a folder to stage into."""
    if scope.record.shared_run_root is not None:
        return
    for row in scope.lane.stages:
        left = (scope.alive - NO_RECIPE) & _here(scope, row)
        if not left.is_empty:
            facts = _shown(scope, left, "no-shared-run-root")
            yield finding(
                FindingCode.STAGED_WITHOUT_ROOT, row.source, row.label, facts,
                rows=place(row), cluster=scope.record.name,
            )  # fmt: skip


def unreachable_row(scope: Scope) -> Iterator[Finding]:
    """Every row can act on some request of the lane."""
    lane = scope.lane
    if scope.taken.is_empty:
        others = [one.name for one in scope.policy.lanes[lane.cluster] if one is not lane]
        why = f"other lanes ({', '.join(others)}) take all that it takes" if others else "it takes no known request"
        yield _unreachable(lane.takes, why)
        return
    for row in lane.admits:
        if (scope.taken & _here(scope, row)).is_empty:
            yield _unreachable(row, "the lane takes no request that it matches")
        elif (scope.alive & _here(scope, row)).is_empty:
            yield _unreachable(row, "refuse rows match all that it admits")
    for row in lane.refuses:
        if (scope.taken & scope.admits & _here(scope, row)).is_empty:
            yield _unreachable(row, "no admit row matches what it refuses")
    for row in (*lane.stages, *lane.mounts, *(row for _, rows in lane.settings for row in rows)):
        if (scope.alive & _here(scope, row)).is_empty:
            yield _unreachable(row, "the lane admits no request that it matches")


def _unreachable(row: Row, why: str) -> Finding:
    return finding(FindingCode.UNREACHABLE_ROW, row.source, row.label, rows=place(row), why=why)


def duplicate_row(scope: Scope) -> Iterator[Finding]:
    """No two rows of a section have the same effect on the same requests."""
    lane = scope.lane
    sections: list[Sequence[Row]] = [lane.admits, lane.refuses, lane.stages, lane.mounts]
    for rows in [*sections, *(rows for _, rows in lane.settings)]:
        for one, two in combinations(rows, 2):
            same = scope.taken & _here(scope, one)
            if one.value == two.value and not same.is_empty and same is scope.taken & _here(scope, two):
                yield finding(FindingCode.DUPLICATE_ROW, two.source, two.label, rows=_rows(one, two))


def conflicting_setting(scope: Scope) -> Iterator[Finding]:
    """No request that the lane admits gets two values of one setting."""
    for setting, rows in given_settings(scope.lane):
        for one, two in combinations(rows, 2):
            left = scope.alive & _here(scope, one) & _here(scope, two)
            if one.value == two.value or left.is_empty:
                continue
            facts = _shown(scope, left, "conflicting-setting")
            both = " and ".join(f"`{_value(row)}`" for row in (one, two))
            yield finding(
                FindingCode.CONFLICTING_SETTING, one.source, one.label, facts,
                rows=_rows(one, two), setting=setting, values=both,
            )  # fmt: skip


def _value(row: Row) -> str:
    return str(row.value.volume) if hasattr(row.value, "volume") else str(row.value)


def shadowed_setting(scope: Scope) -> Iterator[Finding]:
    """No lane's limit stands under a limit that the record fixes."""
    fixed = scope.record.srt_slurm
    if fixed is None:
        return
    for key, limit, multinode in (
        ("srt-slurm.default-time-limit", fixed.default_time_limit, True),
        ("srt-slurm.single-node-time-limit", fixed.single_node_time_limit, False),
    ):
        side = regions.side("multinode", values.only(BY_NAME["multinode"], [multinode]))
        for row in dict(scope.lane.settings).get("time-limit", ()):
            acts = scope.alive & _here(scope, row)
            if limit is not None and not acts.is_empty and acts <= side:
                yield finding(
                    FindingCode.SHADOWED_SETTING, row.source, row.label,
                    rows=place(row), cluster=scope.record.name, key=key, value=str(limit),
                )  # fmt: skip


def ambiguous_lane(scope: Scope) -> Iterator[Finding]:
    """No request is taken by two lanes."""
    lanes = scope.policy.lanes[scope.lane.cluster]
    taken = regions_of(scope.policy, scope.record.name).taken
    for other in lanes[lanes.index(scope.lane) + 1 :]:
        facts = _shown(scope, taken[scope.lane.name] & taken[other.name], "ambiguous-lane")
        if facts is not None:
            rows = f"`{scope.lane.name}` ({scope.lane.source.row}) and `{other.name}` ({other.source.row})"
            takes = scope.lane.takes
            yield finding(FindingCode.AMBIGUOUS_LANE, takes.source, takes.label, facts, rows=rows)


def node_local_run_root(scope: Scope) -> Iterator[Finding]:
    """What the lane stages goes where every node sees one content."""
    left = (scope.alive - NO_RECIPE) & union_of(scope.lane.stages)
    for reason in node_local(scope.record) if not left.is_empty else ():
        facts = _shown(scope, left, "node-local-run-root")
        details = dict(reason.details)
        yield finding(
            FindingCode.NODE_LOCAL_RUN_ROOT, scope.record.source, scope.record.name, facts,
            root=details["root"], volume=details["volume"], path=details["path"], visibility=details["visibility"],
            cluster=scope.record.name,
        )  # fmt: skip


def unknown_value(scope: Scope) -> Iterator[Finding]:
    """Rows name known words only."""
    inventory = scope.policy.inventory
    words = {**inventory.vocabulary, "cluster": frozenset(inventory.clusters)}
    words["runner"] = frozenset(inventory.clusters_of_runner)
    for row in scope.lane.rows:
        named = {
            (one.fact.name, str(member))
            for way in alternatives(row.when)
            for one in way
            if one.fact.name in words and isinstance(one.allowed, Words)
            for member in one.allowed.members
        }
        for fact, word in sorted(named):
            if word not in words[fact] and not (fact == "runner" and word == ""):
                near = nearest(word, words[fact]) or ""
                yield finding(
                    FindingCode.UNKNOWN_VALUE, row.source, row.label,
                    rows=place(row), word=word, fact=fact, nearest=near,
                )  # fmt: skip


def unused_value(scope: Scope) -> Iterator[Finding]:
    """Each known word that a row lists lets it act on some request."""
    lane = scope.lane
    acts = dict.fromkeys(lane.rows[1:], scope.alive)
    acts |= dict.fromkeys(lane.admits, scope.taken) | dict.fromkeys(lane.refuses, scope.taken & scope.admits)
    for row, region in acts.items():
        acting = region & _here(scope, row)
        for condition, word in _listed(row) if not acting.is_empty else ():
            at = regions.side(condition.fact.name, values.only(condition.fact, [word]))
            if (acting & at).is_empty:
                yield finding(
                    FindingCode.UNUSED_VALUE, row.source, row.label,
                    rows=place(row), fact=condition.fact.name, word=str(word),
                )  # fmt: skip


def _listed(row: Row) -> Iterator[tuple[Condition, Value]]:
    """The words of each list that the row writes out."""
    for condition in row.when.conditions:
        if isinstance(condition.written, list) and isinstance(condition.allowed, Words):
            yield from ((condition, word) for word in sorted(condition.allowed.members, key=str))


def lane_without_driver(scope: Scope) -> Iterator[Finding]:
    """The lane's driver is declared."""
    lane = scope.lane
    if lane.driver not in scope.policy.drivers:
        driver = "no driver" if lane.driver is None else f"driver `{lane.driver}`"
        known = ", ".join(f"`{name}`" for name in sorted(scope.policy.drivers))
        facts = None if scope.taken.is_empty else _shown(scope, scope.taken, "lane-without-driver")
        yield finding(
            FindingCode.LANE_WITHOUT_DRIVER, lane.source, lane.name, facts,
            lane=lane.name, driver=driver, known=known,
        )  # fmt: skip


def setting_unread(scope: Scope) -> Iterator[Finding]:
    """The lane's driver reads what its rows set."""
    driver = scope.policy.drivers.get(scope.lane.driver or "")
    if driver is None:
        return
    read = {one.name for one in driver.consumes} | ({"mounts"} if driver.mounts else set())
    given = [*scope.lane.settings, *([("mounts", scope.lane.mounts)] if scope.lane.mounts else [])]
    for setting, rows in given:
        if setting not in read:
            yield finding(
                FindingCode.SETTING_UNREAD, rows[0].source, rows[0].label,
                driver=driver.name, lane=scope.lane.name, setting=setting,
            )  # fmt: skip


def setting_missing(scope: Scope) -> Iterator[Finding]:
    """The record has what the lane's driver requires."""
    driver = scope.policy.drivers.get(scope.lane.driver or "")
    for setting in driver.requires if driver is not None and not scope.alive.is_empty else ():
        if getattr(scope.record, setting.replace("-", "_"), None) is None:
            yield finding(
                FindingCode.SETTING_MISSING, scope.record.source, scope.record.name,
                cluster=scope.record.name, setting=setting, driver=str(scope.lane.driver), lane=scope.lane.name,
            )  # fmt: skip


def volumes(scope: Scope) -> Iterator[Finding]:
    """Mounted volumes are of the record, and compute nodes see them."""
    for row in scope.lane.mounts:
        volume = scope.record.volumes.get(row.value.volume)
        named = {"rows": place(row), "volume": row.value.volume, "cluster": scope.record.name}
        if volume is None:
            near = nearest(row.value.volume, scope.record.volumes) or ""
            yield finding(FindingCode.VOLUME_MISSING, row.source, row.label, nearest=near, **named)
        elif volume.visibility == "submit-host":
            yield finding(FindingCode.VOLUME_NOT_VISIBLE, row.source, row.label, **named)


LANE_INVARIANTS: tuple[Callable[[Scope], Iterator[Finding]], ...] = (
    unstaged_admission,
    staged_without_root,
    node_local_run_root,
    conflicting_setting,
    ambiguous_lane,
    shadowed_setting,
    lane_without_driver,
    setting_missing,
    setting_unread,
    volumes,
    unknown_value,
    unreachable_row,
    unused_value,
    duplicate_row,
)
