"""The request that the benchmark workflow's environment states.

The variables and what they mean are those of SemiAnalysisAI/InferenceX's launcher (2026): a recipe may
be `CONFIG_FILE` or stand in `PREFILL_ADDITIONAL_SETTINGS`, a JSON list of `NAME=value`; `CONC` is the
single concurrency of a run, `CONC_LIST` several. An empty variable is unset.
"""

from collections.abc import Mapping

from attrs import frozen

from infx_policy import reading
from infx_policy.errors import Fault, FaultCode, fault
from infx_policy.fact import FACTS, Kind
from infx_policy.source import Source
from infx_policy.tokens import structured, value_of

_SIZES = {
    "workers": "NUM_WORKERS",
    "tp": "TP",
    "ep": "EP",
    "dp-attn": "DP_ATTN",
    "pp": "PP_SIZE",
    "dcp": "DCP_SIZE",
    "pcp": "PCP_SIZE",
}
_SETTINGS = ("PREFILL_ADDITIONAL_SETTINGS", "DECODE_ADDITIONAL_SETTINGS")


@frozen(eq=False, repr=False)
class Stated:
    """What an environment states: facts under their wire names, the variable of each, those that only a default
    gives, and what is wrong.
    """

    data: dict[str, object]
    places: dict[str, Source]
    defaults: tuple[str, ...]
    faults: list[Fault]

    def place(self, path: str) -> Source:
        """The variable that states a fact, or a part of it."""
        parts = path.replace("[", ".").split(".")
        for length in range(len(parts), 0, -1):
            if found := self.places.get(".".join(parts[:length])):
                return found
        return Source(f"fact {path}")


def stated(environ: Mapping[str, str]) -> Stated:
    """What `environ` states. Facts that only a default gives are named in `defaults`."""
    faults: list[Fault] = []
    places: dict[str, Source] = {}
    data: dict[str, object] = {}
    for fact in FACTS:
        if fact.variable and fact.kind is not Kind.TEXTS and (text := environ.get(fact.variable)):
            places[fact.name] = Source(fact.variable)
            data[fact.name] = value_of(fact.kind, text, places[fact.name], "", faults)
    _concurrency(environ, data, places, faults)
    _settings(environ, data, places, faults)
    _roles(environ, data, places, faults)
    defaults = [fact for fact in FACTS if fact.default is not None and fact.name not in data]
    data.update({fact.name: fact.default for fact in defaults})
    known = {name: value for name, value in data.items() if value is not None}
    return Stated(known, places, tuple(fact.name for fact in defaults), faults)


def _concurrency(
    environ: Mapping[str, str], data: dict[str, object], places: dict[str, Source], faults: list[Fault]
) -> None:
    single = environ.get("CONC")
    if not single:
        return
    here = Source("CONC")
    one = value_of(Kind.INTEGER, single, here, "", faults)
    listed = data.get("concurrency")
    if listed is None:
        places["concurrency"] = here
        data["concurrency"] = [] if one is None else [one]
    elif one is not None and isinstance(listed, list) and one not in listed:
        other = f"`CONC_LIST`, which is `{environ['CONC_LIST']}`"
        faults.append(fault(FaultCode.CONTRADICTION, here, literal=f"CONC={single}", other=other))


def _settings(
    environ: Mapping[str, str], data: dict[str, object], places: dict[str, Source], faults: list[Fault]
) -> None:
    """Settings of both roles. `CONFIG_FILE` among them is the recipe."""
    settings: list[str] = []
    for variable in _SETTINGS:
        text = environ.get(variable)
        if not text:
            continue
        here = Source(variable)
        listed = structured(text, here, faults)
        if listed is None:
            continue
        if not isinstance(listed, list):
            faults.append(
                fault(
                    FaultCode.NOT_A_LIST,
                    here,
                    literal=text,
                    what=reading.what(listed),
                    example='"NAME=value"',
                )
            )
            continue
        for one in listed:
            name, equals, value = one.partition("=") if isinstance(one, str) else ("", "", "")
            if not (name and equals):
                expected = '`"NAME=value"`'
                faults.append(fault(FaultCode.NOT_A_CONDITION, here, literal=reading.shown(one), expected=expected))
            elif name == "CONFIG_FILE":
                _recipe(value, here, data, places, faults)
            elif one not in settings:
                settings.append(f"{name}={value}")
                places["settings"] = here
    if settings:
        data["settings"] = settings


def _recipe(value: str, here: Source, data: dict[str, object], places: dict[str, Source], faults: list[Fault]) -> None:
    before = data.get("recipe")
    if before is not None and before != value:
        other = f"`{before}` of `{places['recipe']}`"
        faults.append(fault(FaultCode.CONTRADICTION, here, literal=f"CONFIG_FILE={value}", other=other))
    elif value:
        data["recipe"], places["recipe"] = value, here


def _roles(environ: Mapping[str, str], data: dict[str, object], places: dict[str, Source], faults: list[Fault]) -> None:
    roles: dict[str, object] = {}
    for role in ("prefill", "decode"):
        sizes: dict[str, object] = {}
        for size, suffix in _SIZES.items():
            variable = f"{role.upper()}_{suffix}"
            if text := environ.get(variable):
                here = places[f"roles.{role}.{size}"] = Source(variable)
                sizes[size] = value_of(Kind.FLAG if size == "dp-attn" else Kind.INTEGER, text, here, "", faults)
        sizes = {name: value for name, value in sizes.items() if value is not None}
        if sizes:
            roles[role] = sizes
    if roles:
        data["roles"] = roles
