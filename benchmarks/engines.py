"""The peers that are rule engines. Each is given the rules in its own language, once, as well as its API permits:
parsed or compiled before the clock runs, one program a cluster, found in a Python dict, so that an engine never
looks through another cluster's rules. An answer is yes or no.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from operator import attrgetter
from typing import Any

from benchmarks.peers import Answer
from benchmarks.rules import LaneRules, Rules, Test, Ways
from infx_policy import Request


@dataclass(frozen=True)
class Engine:
    """A distribution of PyPI, and how its peer is made."""

    distribution: str
    make: Callable[[Rules], Answer]

    @property
    def version(self) -> str | None:
        """The installed version, None where it is not installed."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None


@dataclass(frozen=True)
class Syntax:
    """How a language writes a condition."""

    conjunction: str
    disjunction: str
    negation: str
    fact: Callable[[str], str]
    member: Callable[[str, str], str]

    def text(self, lanes: tuple[LaneRules, ...], rules: Rules) -> str:
        """The condition on which a cluster with these lanes admits."""
        if not lanes:
            return "false"
        known = [self._test(Test(fact, words)) for fact, words in rules.vocabulary.items()]
        one_of = self._any([self._lane(lane) for lane in lanes])
        return self._all([self.fact("has_recipe"), one_of, *known])

    def _lane(self, lane: LaneRules) -> str:
        parts = [self._ways(lane.takes), self._ways(lane.admits)]
        parts += [f"{self.negation}({self._ways(ways)})" for ways in (lane.above, lane.refuses) if ways]
        parts += [] if lane.stages is None else [self._ways(lane.stages)]
        return self._all(parts)

    def _ways(self, ways: Ways) -> str:
        return self._any([self._all([self._test(test) for test in way]) for way in ways])

    def _test(self, test: Test) -> str:
        fact = self.fact(test.fact)
        if all(isinstance(value, bool) for value in test.values):
            parts = [fact if value else f"{self.negation}({fact})" for value in test.values]
        elif len(test.values) == 1:
            parts = [f"{fact} == {json.dumps(test.values[0])}"]
        else:
            parts = [self.member(fact, json.dumps(test.values))]
        return f"{self.negation}({self._any(parts)})" if test.negated else self._any(parts)

    def _all(self, parts: list[str]) -> str:
        return f"({self.conjunction.join(parts)})" if parts else "true"

    def _any(self, parts: list[str]) -> str:
        return f"({self.disjunction.join(parts)})" if parts else "false"


CEL = Syntax(" && ", " || ", "!", str, lambda fact, values: f"{fact} in {values}")
CEDAR = Syntax(" && ", " || ", "!", "context.{}".format, lambda fact, values: f"{values}.contains({fact})")
RULE_ENGINE = Syntax(" and ", " or ", "not ", str, lambda fact, values: f"{fact} in {values}")


def _stated(rules: Rules) -> Callable[[Request], dict[str, Any]]:
    """What the engines are told of a request: the facts that rules read."""
    names = rules.facts
    values = attrgetter(*names)
    return lambda request: dict(zip(names, values(request), strict=True))


def _cel_expr_python(rules: Rules) -> Answer:
    cel = import_module("cel_expr_python.cel")
    kinds = {fact: cel.Type.STRING if fact in rules.vocabulary else cel.Type.BOOL for fact in rules.facts}
    environment = cel.NewEnv(variables=kinds)
    programs: dict[str | None, Any] = {
        name: environment.compile(CEL.text(lanes, rules)) for name, lanes in rules.clusters.items()
    }
    stated = _stated(rules)

    def answer(request: Request) -> bool:
        found: bool = programs[request.cluster].eval(data=stated(request)).value()
        return found

    return answer


def _common_expression_language(rules: Rules) -> Answer:
    cel = import_module("cel")
    programs: dict[str | None, Any] = {
        name: cel.compile(CEL.text(lanes, rules)) for name, lanes in rules.clusters.items()
    }
    stated = _stated(rules)

    def answer(request: Request) -> bool:
        found: bool = programs[request.cluster].execute(stated(request))
        return found

    return answer


def _rule_engine(rules: Rules) -> Answer:
    made = import_module("rule_engine").Rule
    programs: dict[str | None, Any] = {
        name: made(RULE_ENGINE.text(lanes, rules)) for name, lanes in rules.clusters.items()
    }
    stated = _stated(rules)

    def answer(request: Request) -> bool:
        found: bool = programs[request.cluster].matches(stated(request))
        return found

    return answer


def _cedarpy(rules: Rules) -> Answer:
    cedar = import_module("cedarpy")
    entities = cedar.Entities.from_json_str("[]")
    fixed = {
        "principal": {"type": "Launcher", "id": "launcher"},
        "action": {"type": "Action", "id": "launch"},
        "resource": {"type": "Lane", "id": "multi-node"},
    }
    programs: dict[str | None, Any] = {
        name: cedar.PolicySet.from_str(f"permit(principal, action, resource) when {{ {CEDAR.text(lanes, rules)} }};")
        for name, lanes in rules.clusters.items()
    }
    stated, is_authorized = _stated(rules), cedar.is_authorized

    def answer(request: Request) -> bool:
        asked = {**fixed, "context": stated(request)}
        found: bool = is_authorized(asked, programs[request.cluster], entities).allowed
        return found

    return answer


def _regopy(rules: Rules) -> Answer:
    interpreter = import_module("regopy").Interpreter()
    entry_points: dict[str | None, str] = {}
    for number, (name, lanes) in enumerate(rules.clusters.items()):
        interpreter.add_module(f"c{number}.rego", rego_text(f"infx.c{number}", lanes, rules))
        entry_points[name] = f"infx/c{number}/admitted"
    bundle = interpreter.build(None, list(entry_points.values()))
    stated = _stated(rules)

    def answer(request: Request) -> bool:
        interpreter.set_input(stated(request))
        found: bool = interpreter.query_bundle_entrypoint(bundle, entry_points[request.cluster])[0][0]
        return found

    return answer


def rego_text(package: str, lanes: tuple[LaneRules, ...], rules: Rules) -> str:
    """A module whose `admitted` says whether a cluster with these lanes admits the input."""
    lines = [f"package {package}", "import rego.v1", "default admitted := false"]
    known = [_rego_test(Test(fact, words)) for fact, words in rules.vocabulary.items()]
    for number, lane in enumerate(lanes):
        parts = ["input.has_recipe"]
        for part, ways in (("takes", lane.takes), ("admits", lane.admits), ("stages", lane.stages)):
            if ways is not None:
                parts.append(f"{part}_{number}")
                lines += [f"default {part}_{number} := false", *_rego_rules(f"{part}_{number}", ways)]
        for part, ways in (("above", lane.above), ("refuses", lane.refuses)):
            if ways:
                parts.append(f"not {part}_{number}")
                lines += _rego_rules(f"{part}_{number}", ways)
        lines.append(f"admitted if {{ {'; '.join([*parts, *known])} }}")
    return "\n".join(lines)


def _rego_rules(name: str, ways: Ways) -> Iterator[str]:
    for way in ways:
        yield f"{name} if {{ {'; '.join(map(_rego_test, way)) or 'true'} }}"


def _rego_test(test: Test) -> str:
    values = ", ".join(map(json.dumps, test.values))
    return f"{'not ' if test.negated else ''}input.{test.fact} in {{{values}}}"


ENGINES: tuple[Engine, ...] = (
    Engine("cel-expr-python", _cel_expr_python),
    Engine("common-expression-language", _common_expression_language),
    Engine("rule-engine", _rule_engine),
    Engine("regopy", _regopy),
    Engine("cedarpy", _cedarpy),
)
