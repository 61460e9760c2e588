"""JSON Schemas (draft 2020-12) of what is read and of what explain prints, made from what reads and prints it.

What is read is closed: another key is an error there and here. The keys are in their one form, with `-`; that
`_` is accepted for it is left out. What is printed is open, since it grows by adding.
"""

from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import attrs

from infx_policy.condition import KNOWN
from infx_policy.decision import Verdict
from infx_policy.driver import DRIVERS, Driver, SettingKind
from infx_policy.duration import Duration
from infx_policy.explanation import SCHEMA
from infx_policy.fact import FACTS, MATCHED, MODES, Fact, Kind, folded
from infx_policy.inventory import Cluster
from infx_policy.lane import ADMITS, MOUNTS, REFUSES, STAGES, TAKES
from infx_policy.reasons import ReasonCode
from infx_policy.request import ROLES, Role

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Schema = {"type": "string", "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$"}
_MODEL: Schema = {"type": "string", "pattern": r"^[^*\u0000-\u001f\u007f-\u009f]*$"}
_FLAG: Schema = {"type": "boolean"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_DURATION: Schema = {
    "type": "string",
    "description": 'A time as Slurm writes it, as "8:00:00" or "1-12"; a bare number has no unit and is refused.',
    "pattern": r"^([0-9]{1,6}:[0-5][0-9]|[0-9]{1,5}:[0-5][0-9]:[0-5][0-9]|"
    r"[0-9]{1,4}-([01]?[0-9]|2[0-3])(:[0-5][0-9](:[0-5][0-9])?)?)$",
}
_LOADED = ("name", "source", "contributor")
"""What loading adds to a record; no key of it."""


def schema_of(name: str, drivers: Iterable[Driver] = DRIVERS) -> Schema:
    """The schema of `request`, `decision`, `runners` or `lanes`; lanes take the settings of these drivers."""
    made = _MAKERS[name](drivers)
    return {"$schema": DIALECT, "$id": f"urn:infx-policy:schema:{name}", "title": f"infx_policy {name}", **made}


def _object(
    properties: Mapping[str, Schema], required: Iterable[str] | None = None, *, closed: bool = True, about: str = ""
) -> Schema:
    """An object; without `required` every key must be there."""
    return {
        **({"description": about} if about else {}),
        "type": "object",
        "properties": dict(properties),
        "required": sorted(properties if required is None else required),
        **({"additionalProperties": False} if closed else {}),
    }


def _by_name(value: Schema, about: str = "") -> Schema:
    return {**({"description": about} if about else {}), "type": "object", "additionalProperties": value}


def _list(value: Schema, least: int = 0) -> Schema:
    return {"type": "array", "items": value, **({"minItems": least} if least else {})}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _one_or_several(name: str, *, least: int) -> Schema:
    return {"anyOf": [_ref(name), _list(_ref(name), least)]}


def _or_null(value: Schema) -> Schema:
    return {"anyOf": [value, {"type": "null"}]}


def _typed(kind: Any, definitions: Schema) -> Schema:
    """The schema of a type that tables are read into; attrs classes become definitions."""
    arguments = get_args(kind)
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if attrs.has(kind):
        definitions.setdefault(kind.__name__, {})
        definitions[kind.__name__] = _record(kind, definitions)
        return _ref(kind.__name__)
    if get_origin(kind) is Literal:
        return {"enum": list(arguments)}
    if get_origin(kind) is tuple:
        return _list(_typed(arguments[0], definitions))
    if get_origin(kind) is Mapping:
        return _by_name(_typed(arguments[1], definitions))
    ways = [_typed(one, definitions) for one in arguments if one is not NoneType]
    return ways[0] if len(ways) == 1 else {"anyOf": ways}


_PLAIN: dict[Any, Schema] = {str: _TEXT, bool: _FLAG, int: _WHOLE, Duration: _DURATION}


def _record(cls: type, definitions: Schema, given: Iterable[str] = ()) -> Schema:
    fields = [each for each in attrs.fields(cls) if each.init and each.name not in given]
    names = {each.name: folded(str(each.alias)).rstrip("-") for each in fields}
    return _object(
        {names[each.name]: _typed(each.type, definitions) for each in fields},
        [names[each.name] for each in fields if each.default is attrs.NOTHING],
        about=" ".join((cls.__doc__ or "").split()),
    )


def _facts(definitions: Schema) -> dict[str, Schema]:
    sizes = _record(Role, definitions, ("role",))
    kinds: dict[Kind, Schema] = {
        Kind.TEXT: _TEXT,
        Kind.FLAG: _FLAG,
        Kind.MODE: {"enum": list(MODES)},
        Kind.INTEGER: _WHOLE,
        Kind.INTEGERS: _list(_WHOLE),
        Kind.TEXTS: _list(_TEXT),
        Kind.ROLES: _object(dict.fromkeys(ROLES, sizes), ()),
    }
    return {fact.name: {**kinds[fact.kind], "description": fact.meaning} for fact in FACTS}


def _request(_drivers: Iterable[Driver]) -> Schema:
    definitions: Schema = {}
    about = "The facts of one launch; what is not stated is left out."
    definitions["request"] = _object(_facts(definitions), (), about=about)
    return {
        "description": "What explain reads: a request, or a list of them.",
        **_one_or_several("request", least=1),
        "$defs": definitions,
    }


def _runners(_drivers: Iterable[Driver]) -> Schema:
    definitions: Schema = {}
    words = _typed(tuple[str, ...], definitions)
    vocabulary = {
        fact.name: _by_name(words, "prefix -> the models that it names") if fact.name == "model-prefix" else words
        for fact in FACTS
        if fact.vocabulary
    }
    definitions["Cluster"] = _record(Cluster, definitions, _LOADED)
    properties = {
        "extends": {**_TEXT, "description": "another policy's folder, relative to this file, or `bundled`"},
        "vocabulary": _object(vocabulary, (), about="the known words of requests; any other is refused"),
        "labels": _by_name(words, "label -> runners; a runner stands under exactly one `cluster:<id>`"),
        "clusters": _by_name(_ref("Cluster"), "the cluster records"),
    }
    about = "runners.yaml: vocabulary, labels and cluster records."
    return {**_object(properties, (), about=about), "$defs": definitions}


def _conditions() -> Schema:
    """What a `when` may say, a definition a kind of fact."""
    plain: dict[str, Schema] = {
        "text": _TEXT,
        "word": {**_TEXT, "description": f"a word of the vocabulary; `{KNOWN}` is each of them"},
        "flag": _FLAG,
        "mode": {"enum": list(MODES)},
        "integer": _WHOLE,
        "model": _MODEL,
    }
    glob = _object({"glob": {**_TEXT, "description": "`*` is any characters, `?` one"}})
    ends = {**_object({"at-least": _WHOLE, "at-most": _WHOLE}, ()), "minProperties": 1}
    own = {"model": [glob], "integer": [ends]}
    return {
        name: {
            "anyOf": [
                value,
                _list({"anyOf": [value, glob]} if name == "model" else value, least=1),
                _object({"not": _ref(name)}),
                *own.get(name, []),
            ]
        }
        for name, value in plain.items()
    }


def _condition_of(fact: Fact) -> str:
    return "model" if fact.name == "model" else "word" if fact.vocabulary else fact.kind.value


def _when() -> Schema:
    facts = {fact.name: {**_ref(_condition_of(fact)), "description": fact.meaning} for fact in MATCHED}
    any_of = {**_list(_ref("when"), least=1), "description": "alternatives, of which one must hold"}
    conditions = {**_object({**facts, "any-of": any_of}, ()), "minProperties": 1}
    return {"description": "All facts must hold.", "anyOf": [{"const": "all"}, conditions]}


def _rows(own: Mapping[str, Schema], required: Iterable[str], about: str) -> Schema:
    because = {**_TEXT, "minLength": 1, "description": "one sentence on why the row is there"}
    waive = _by_name(_TEXT, "codes of findings that are accepted here, each with the reason")
    row = _object({"when": _ref("when"), **own, "because": because, "waive": waive}, ("when", "because", *required))
    return _by_name(row, about)


def _lanes(drivers: Iterable[Driver]) -> Schema:
    declared = {one.name: one for driver in drivers for one in driver.consumes}
    kinds: dict[SettingKind, Schema] = {
        SettingKind.TEXT: _TEXT,
        SettingKind.TEXTS: _list(_TEXT),
        SettingKind.FLAG: _FLAG,
        SettingKind.DURATION: _DURATION,
    }
    mount = {"volume": _TEXT, "target": _TEXT, "world-writable": _FLAG, "read-only": _FLAG}
    sections = {
        TAKES: {**_ref("when"), "description": "which requests this lane decides"},
        "driver": {**_TEXT, "description": "who runs what it admits"},
        "instead-of": {**_TEXT, "description": "the lane whose requests this one takes away"},
        ADMITS: _rows({}, (), "rows, any of which admits"),
        REFUSES: _rows({}, (), "rows, any of which refuses"),
        STAGES: _rows({}, (), "rows, any of which has the run live in the shared run root"),
        MOUNTS: _rows(mount, ("volume", "target"), "volumes of the record, mounted into the containers"),
        **{name: _rows({"value": kinds[one.kind]}, ("value",), one.meaning) for name, one in sorted(declared.items())},
    }
    lanes = _by_name(_object(sections, (TAKES,)), "the lanes, one a launch path")
    cluster = {**_TEXT, "description": "the record whose lanes these are"}
    about = "lanes/<cluster>.yaml: one cluster's lanes and their rows."
    return {
        **_object({"cluster": cluster, "lanes": lanes}, about=about),
        "$defs": {"when": _when(), **_conditions()},
    }


def _open(**properties: Schema) -> Schema:
    """An object of the output: every key is there, and more may come. `_` in a key stands for `-`."""
    return _object({folded(name).strip("-"): value for name, value in properties.items()}, closed=False)


_OUT: Schema = {"type": "string"}
_OUT_OR_NULL: Schema = _or_null(_OUT)
_HELD: Schema = {"enum": [True, False, None]}
_ROWS: Schema = _list(_open(row=_OUT, source=_OUT))


def _decision(_drivers: Iterable[Driver]) -> Schema:
    definitions: Schema = {}
    definitions["facts"] = _object(_facts(definitions), (), closed=False)
    definitions["time-limit"] = _open(
        value=_OUT_OR_NULL,
        undecided=_FLAG,
        from_=_OUT_OR_NULL,
        rows=_ROWS,
        candidates=_open(recipe=_OUT_OR_NULL, cluster=_OUT_OR_NULL, lane=_OUT_OR_NULL, request=_OUT_OR_NULL),
    )
    definitions["decision"] = _open(
        schema={"const": SCHEMA},
        verdict={"enum": [one.value for one in Verdict]},
        request={**_ref("facts"), "description": "what the request states"},
        defaults={**_ref("facts"), "description": "what the workflow's defaults add"},
        **dict.fromkeys(("cluster", "partition", "lane", "driver"), _OUT_OR_NULL),
        **_consequences(),
        **_grounds(),
        topology=_or_null(_open(nodes=_WHOLE, gpus=_WHOLE, roles={"type": "object"})),
        notes=_list(_OUT),
        policy=_open(root=_OUT, digest={"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}, files=_list(_OUT)),
    )
    return {
        "description": "What `explain --format json` prints: a decision, or a list of them for several requests.",
        **_one_or_several("decision", least=0),
        "$defs": definitions,
    }


def _consequences() -> dict[str, Schema]:
    setting = _open(value={}, undecided=_FLAG, rows=_ROWS)
    mount = {"volume": _OUT, "target": _OUT, "world_writable": _FLAG, "read_only": _FLAG, "undecided": _FLAG}
    kind: Schema = {"enum": ["shared", "workspace", None]}
    return {
        "run_root": _open(kind=kind, path=_OUT_OR_NULL, rows=_list(_OUT), because=_OUT_OR_NULL),
        "settings": {**_by_name(setting), "properties": {"time-limit": _ref("time-limit")}},
        "mounts": _list(_open(**mount, rows=_ROWS)),
    }


def _grounds() -> dict[str, Schema]:
    codes: Schema = {"enum": sorted(code.value for code in ReasonCode)}
    facts: Schema = {"type": "object"}
    reason = _open(code=codes, message=_OUT, row=_OUT_OR_NULL, source=_OUT_OR_NULL, facts=facts)
    mark = _open(fact=_OUT, wanted={}, value={}, held=_HELD)
    row = _open(row=_OUT, source=_OUT, contributor=_OUT, because=_OUT, held=_HELD, conditions=_list(mark))
    return {
        "reasons": _list(reason),
        "considered": _list(row),
        "residual": _list(_open(when=facts, verdict={"const": "admitted"}, lane=_OUT, run_root=_OUT)),
        "nearest": _list(_open(facts=_by_name(_list({}, least=1)), lane=_OUT)),
    }


_MAKERS: dict[str, Callable[[Iterable[Driver]], Schema]] = {
    "request": _request,
    "decision": _decision,
    "runners": _runners,
    "lanes": _lanes,
}
NAMES: tuple[str, ...] = tuple(_MAKERS)
"""The schemas that there are."""
