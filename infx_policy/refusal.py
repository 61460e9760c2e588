"""The grounds of a refusal: how rows and facts become reasons."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from attrs import frozen

from infx_policy import documents
from infx_policy.condition import written
from infx_policy.decision import wire
from infx_policy.fact import Fact
from infx_policy.inventory import Cluster, Volume
from infx_policy.lane import Lane, Mount, Row
from infx_policy.match import alternatives
from infx_policy.policy import Policy
from infx_policy.reasons import Reason, ReasonCode, reason
from infx_policy.spelling import nearest
from infx_policy.values import Value

_MOST_WAYS = 1000
"""Ways of one Match that are looked through for the nearest."""
Facts = Mapping[str, Value]


@frozen(eq=False, repr=False)
class Mark:
    """One condition of a row beside the request's value: held, missed, or (None) the fact is unstated."""

    fact: Fact
    wanted: Any
    value: Value | None
    held: bool | None

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form."""
        return {"fact": self.fact.name, "wanted": self.wanted, "value": self.value, "held": self.held}


def marks(row: Row, facts: Facts) -> tuple[Mark, ...]:
    """The conditions of the row, marked. Of several ways in which it can hold, the nearest one's."""
    best: tuple[Mark, ...] | None = None
    for way in islice(alternatives(row.when), _MOST_WAYS):
        marked = tuple(
            Mark(
                one.fact,
                one.written,
                facts.get(one.fact.name),
                facts[one.fact.name] in one.allowed if one.fact.name in facts else None,
            )
            for one in way
        )
        if best is None or _distance(marked) < _distance(best):
            best = marked
    return best or ()


def _distance(marked: Sequence[Mark]) -> tuple[int, int, int]:
    missed = sum(mark.held is False for mark in marked)
    held = sum(mark.held is True for mark in marked)
    return (missed, sum(mark.held is None for mark in marked), -held)


def nearest_rows(rows: Sequence[Row], facts: Facts) -> list[Row]:
    """The rows that miss the fewest facts; of those, the ones that hold most."""
    marked = [(row, _distance(marks(row, facts))) for row in rows]
    best = min((distance for _, distance in marked), default=None)
    return [row for row, distance in marked if distance == best]


def place(row: Row) -> str:
    """A row as messages name it."""
    return f"`{row.label}` ({row.source.row})"


def unknown_word(fact: Fact, word: str, words: frozenset[str]) -> Reason:
    """A word outside the vocabulary."""
    code = ReasonCode(f"unknown-{fact.name}")
    return reason(code, facts={fact.name: word}, fact=fact.name, word=word, nearest=nearest(word, words) or "")


def unknown_cluster(policy: Policy, cluster: str) -> Reason:
    """A cluster without a record."""
    near = nearest(cluster, policy.inventory.clusters) or ""
    return reason(ReasonCode.UNKNOWN_CLUSTER, facts={"cluster": cluster}, word=cluster, nearest=near)


def unknown_runner(policy: Policy, runner: str) -> Reason:
    """A runner without a cluster's label."""
    near = nearest(runner, policy.inventory.clusters_of_runner) or ""
    return reason(ReasonCode.UNKNOWN_RUNNER, facts={"runner": runner}, word=runner, nearest=near)


def runner_mismatch(cluster: str, runner: str, owners: Sequence[str]) -> Reason:
    """A runner of another cluster."""
    named = " and ".join(f"`{owner}`" for owner in owners)
    facts = {"cluster": cluster, "runner": runner}
    return reason(ReasonCode.RUNNER_MISMATCH, facts=facts, cluster=cluster, runner=runner, owners=named)


def no_recipe() -> Reason:
    """Several nodes and no recipe."""
    return reason(ReasonCode.NO_RECIPE, facts={"multinode": True, "recipe": ""})


def no_lane(cluster: str, lanes: Sequence[Lane], facts: Facts) -> Reason:
    """No `takes` holds."""
    read = {name for lane in lanes for name in lane.takes.when.facts()}
    turned = {name: value for name, value in facts.items() if name in read}
    named = ", ".join(f"`{lane.name}` ({lane.source.row})" for lane in lanes) or "none"
    return reason(ReasonCode.NO_LANE, facts=turned, cluster=cluster, lanes=named)


def ambiguous_lane(lanes: Sequence[Lane], facts: Facts) -> Reason:
    """Several lanes take it."""
    first = lanes[0]
    rows = " and ".join(f"`{lane.name}` ({lane.source.row})" for lane in lanes)
    turned = {mark.fact.name: mark.value for lane in lanes for mark in marks(lane.takes, facts)}
    return reason(ReasonCode.AMBIGUOUS_LANE, first.takes.label, first.takes.source, turned, rows=rows)


def no_admit_row(lane: Lane, facts: Facts) -> Reason:
    """Nothing admits it; the facts are those that the nearest rows miss."""
    near = nearest_rows(lane.admits, facts)
    missed = {mark.fact.name: mark for row in near for mark in marks(row, facts) if mark.held is not True}
    turned = {name: mark.value for name, mark in missed.items() if mark.value is not None}
    wants = "; ".join(f"{place(row)} wants {_wants(row, facts)}" for row in near)
    text = f": {wants}" if near else ", since it has none; write one"
    label, source = (near[0].label, near[0].source) if len(near) == 1 else (None, None)
    return reason(ReasonCode.NO_ADMIT_ROW, label, source, turned, lane=lane.name, nearest=text)


def _wants(row: Row, facts: Facts) -> str:
    missed = [mark for mark in marks(row, facts) if mark.held is not True]
    return " and ".join(f"`{mark.fact.name}` {in_words(mark.wanted)}" for mark in missed)


def in_words(wanted: Any) -> str:
    """A condition's right side as people read it."""
    if isinstance(wanted, Mapping):
        word = {"not": "not", "at-least": "at least", "at-most": "at most", "glob": "like", "like": "like"}
        return " and ".join(f"{word.get(name, name)} {in_words(value)}" for name, value in wanted.items())
    if isinstance(wanted, list):
        each = [in_words(one) for one in wanted]
        return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} or {each[-1]}"
    if isinstance(wanted, bool):
        return "true" if wanted else "false"
    return '""' if wanted == "" else str(wanted)


def condition_in_words(when: Mapping[str, Any]) -> str:
    """A `when` as a sentence reads it."""
    return " and ".join(_fact_in_words(name, wanted) for name, wanted in when.items()) or "always"


def _fact_in_words(name: str, wanted: Any) -> str:
    if isinstance(wanted, bool):
        return name if wanted else f"not {name}"
    if wanted == "":
        return f"no {name} is named"
    if wanted == {"not": ""}:
        return f"a {name} is named"
    return f"{name} is {in_words(wanted)}"


def refused_by_row(row: Row, facts: Facts) -> Reason:
    """A refuse row holds."""
    turned = {mark.fact.name: mark.value for mark in marks(row, facts)}
    return reason(ReasonCode.REFUSED_BY_ROW, row.label, row.source, turned, rows=place(row), because=row.because)


def lane_without_driver(policy: Policy, lane: Lane) -> Reason:
    """No driver, or one that nothing declares."""
    driver = "no driver" if lane.driver is None else f"driver `{lane.driver}`"
    known = ", ".join(f"`{name}`" for name in sorted(policy.drivers))
    return reason(ReasonCode.LANE_WITHOUT_DRIVER, lane.name, lane.source, lane=lane.name, driver=driver, known=known)


def no_shared_run_root(cluster: Cluster, lane: Lane, admits: Sequence[Row], facts: Facts) -> Reason:
    """It would run where its files are not: no staging row holds, or the record has no root.

    `admits` are the rows that admit it, for which a staging row is wanting.
    """
    turned = {mark.fact.name: mark.value for row in admits for mark in marks(row, facts)}
    if cluster.shared_run_root is None:
        missing = "its record has no `shared-run-root`"
        remedy = f"add one to the record ({cluster.source.row}), or set `workspace.visibility` if the nodes do see it"
    else:
        missing = f"no `shared-run-root` row of lane `{lane.name}` holds"
        section = f"`lanes.{lane.name}.shared-run-root` in {lane.source.file}"
        when = " or ".join(f"`when: {each}`" for each in sorted({flow(row.written) for row in admits}))
        remedy = f"add one under {section} with {when}" if admits else f"a row that admits it needs one under {section}"
    rows = f", although {' and '.join(place(row) for row in admits)} admits it" if admits else ""
    label, source = (admits[0].label, admits[0].source) if admits else (None, None)
    return reason(
        ReasonCode.NO_SHARED_RUN_ROOT, label, source, turned, rows=rows,
        cluster=cluster.name, missing=missing, remedy=remedy,
    )  # fmt: skip


def flow(value: Any) -> str:
    """Plain data as YAML writes it on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {flow(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(inner) for inner in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and (value.lower() in _ODD or not _PLAIN.fullmatch(value)):
        return documents.quoted(value)
    return str(value)


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*", re.ASCII)
_ODD = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def node_local_run_root(cluster: Cluster, name: str, volume: Volume) -> Reason:
    """The shared root is another folder on each node, or none."""
    return reason(
        ReasonCode.NODE_LOCAL_RUN_ROOT, source=cluster.source, facts={"cluster": cluster.name}, cluster=cluster.name,
        root=str(cluster.shared_run_root), volume=name, path=volume.path, visibility=volume.visibility,
    )  # fmt: skip


def conflicting_setting(setting: str, rows: Sequence[Row], facts: Facts) -> Reason:
    """Two rows give one setting, or one mount target, different values."""
    turned = {mark.fact.name: mark.value for row in rows for mark in marks(row, facts)}
    named = " and ".join(place(row) for row in rows)
    values = " and ".join(f"`{_value(row)}`" for row in rows)
    return reason(
        ReasonCode.CONFLICTING_SETTING,
        rows[0].label,
        rows[0].source,
        turned,
        rows=named,
        setting=setting,
        values=values,
    )


def _value(row: Row) -> str:
    if isinstance(row.value, Mount):
        flags = [
            name
            for name, on in (("world-writable", row.value.world_writable), ("read-only", row.value.read_only))
            if on
        ]
        return " ".join([row.value.volume, *flags])
    return str(wire(row.value))


def model_mismatch(row: Row, facts: Facts) -> Reason:
    """A row selects another model's checkpoint."""
    turned = {**{mark.fact.name: mark.value for mark in marks(row, facts)}, "model": facts.get("model")}
    return reason(
        ReasonCode.MODEL_MISMATCH, row.label, row.source, turned, rows=place(row), checkpoint=str(row.value),
        model=str(facts.get("model")),
    )  # fmt: skip


def written_box(policy: Policy, box: Mapping[str, Any]) -> dict[str, Any]:
    """A region's box in the grammar of `when`, over the policy's vocabulary."""
    from infx_policy.region import FACTS

    by_name = {fact.name: fact for fact in FACTS}
    words: dict[str, frozenset[str]] = {
        **policy.inventory.vocabulary,
        "cluster": frozenset(policy.inventory.clusters),
        "runner": frozenset(policy.inventory.clusters_of_runner),
    }
    found: dict[str, Any] = {}
    for fact in FACTS:
        if fact.name in box:
            found[fact.name] = written(by_name[fact.name], box[fact.name], words.get(fact.name))
    if "recipe" in found:
        found["recipe"] = {"not": ""} if found["recipe"] is True else ""
    return found
