"""A decision with all that a reader needs to act on it: conditions marked, the nearest changes, what is
left open, and which time limit wins.
"""

from typing import TYPE_CHECKING, Any

from attrs import frozen

from infx_policy.decision import WORKSPACE, Decision, Setting, Verdict, wire
from infx_policy.duration import Duration
from infx_policy.evaluation import decide
from infx_policy.policy import Policy
from infx_policy.refusal import marks
from infx_policy.request import Request

if TYPE_CHECKING:
    from infx_policy.alternatives import Change
    from infx_policy.residual import Residual

SCHEMA = "infx-policy/decision/1"


@frozen(eq=False, repr=False)
class TimeLimit:
    """The job's limit: what each source says, and the first of them, which wins. None: says nothing.

    The recipe's own limit is first; it is None as long as recipes are not read.
    """

    recipe: Duration | None
    cluster: Duration | None
    lane: Setting | None
    request: Duration | None
    is_open: bool = False
    """Whether the record has a limit that hangs on `multinode`, which is not stated."""

    def winner(self) -> tuple[str, Duration | None] | None:
        """Which source wins, with its value; a value of None is a lane's that is undecided."""
        lane = None if self.lane is None else ("lane", self.lane.value)
        candidates = (
            self.recipe and ("recipe", self.recipe),
            ("cluster", None) if self.is_open else self.cluster and ("cluster", self.cluster),
            lane,
            self.request and ("request", self.request),
        )
        return next((each for each in candidates if each), None)

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form, in the place of setting `time-limit`."""
        winner = self.winner()
        lane = {"value": None, "undecided": False, "rows": []} if self.lane is None else self.lane.to_mapping()
        said = {"recipe": self.recipe, "cluster": self.cluster, "request": self.request}
        return {
            "value": wire(winner[1]) if winner else None,
            "undecided": bool(winner and winner[1] is None),
            "from": winner[0] if winner else None,
            "rows": lane["rows"],
            "candidates": {
                **{name: None if one is None else str(one) for name, one in said.items()},
                "lane": lane["value"],
            },
        }


@frozen(eq=False, repr=False)
class Explanation:
    """A decision of one request, explained. `notes` say what was not looked at."""

    policy: Policy
    request: Request
    decision: Decision
    nearest: tuple["Change", ...] = ()
    residual: tuple["Residual", ...] = ()
    time_limit: TimeLimit | None = None
    notes: tuple[str, ...] = ()

    def to_mapping(self) -> dict[str, Any]:
        """The whole JSON of explain; every key is always there."""
        facts = known_facts(self.decision)
        decided = self.decision.to_mapping()
        root = decided["run-root"]
        if root["path"] == WORKSPACE and self.request.workspace is not None:
            root["path"] = self.request.workspace
        if self.time_limit is not None:
            decided["settings"]["time-limit"] = self.time_limit.to_mapping()
        stated = self.request.to_mapping()
        policy = decided.pop("policy")
        return {
            "schema": SCHEMA,
            "verdict": decided.pop("verdict"),
            "request": {name: value for name, value in stated.items() if name not in self.request.defaults},
            "defaults": {name: stated[name] for name in self.request.defaults},
            **decided,
            "considered": [
                {
                    "row": each.row.label,
                    "source": each.row.source.row,
                    "contributor": each.row.contributor,
                    "because": each.row.because,
                    "held": each.held,
                    "conditions": [mark.to_mapping() for mark in marks(each.row, facts)],
                }
                for each in self.decision.considered
            ],
            "residual": [one.to_mapping() for one in self.residual],
            "nearest": [one.to_mapping() for one in self.nearest],
            "topology": None,
            "notes": list(self.notes),
            "policy": policy,
        }


def known_facts(decision: Decision) -> dict[str, Any]:
    """The facts of a decision, with the cluster that follows from its runner."""
    facts = dict(decision.facts)
    if decision.cluster is not None:
        facts["cluster"] = decision.cluster
    return facts


def explain(policy: Policy, request: Request, decision: Decision | None = None) -> Explanation:
    """The decision of a request (made here where it is not given), explained."""
    decision = decide(policy, request) if decision is None else decision
    nearest: tuple[Change, ...] = ()
    left: tuple[Residual, ...] = ()
    if decision.verdict is Verdict.REFUSED:  # analysis is imported by the verdict that needs it
        from infx_policy import alternatives

        nearest = alternatives.nearest(policy, decision)
    elif decision.verdict is Verdict.UNDECIDED:
        from infx_policy import residual

        left = residual.left_open(policy, decision)
    return Explanation(
        policy,
        request,
        decision,
        nearest=nearest,
        residual=left,
        time_limit=_time_limit(policy, request, decision),
        notes=_notes(request, decision),
    )


def _notes(request: Request, decision: Decision) -> tuple[str, ...]:
    if decision.verdict is Verdict.REFUSED or not request.recipe:
        return ()
    return ("the recipe's file was not read: topology and the recipe's own time limit are not known here",)


def _time_limit(policy: Policy, request: Request, decision: Decision) -> TimeLimit | None:
    if decision.verdict is Verdict.REFUSED or decision.cluster is None:
        return None
    record = policy.inventory.clusters[decision.cluster]
    fixed: Duration | None = None
    is_open = False
    if record.srt_slurm is not None:
        single, multi = record.srt_slurm.single_node_time_limit, record.srt_slurm.default_time_limit
        fixed = multi if request.multinode else single
        is_open = request.multinode is None and single != multi
    lane = next((one for one in decision.settings if one.name == "time-limit"), None)
    minutes = request.time_limit_minutes
    return TimeLimit(None, fixed, lane, Duration.minutes(minutes) if minutes else None, is_open)
