"""A request: the facts of one launch, typed and closed."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from attrs import evolve, field, fields_dict, frozen

from infx_policy import documents
from infx_policy.documents import At
from infx_policy.errors import Fault, FaultCode, InputError, fault, ticked
from infx_policy.fact import BY_NAME, FACTS, MODES, Fact, Kind, folded
from infx_policy.reading import flag_of, one_of, shown, text_of, what, whole_of
from infx_policy.source import Source
from infx_policy.spelling import nearest

ROLES = ("prefill", "decode", "agg")
"""The roles that a request may declare."""


@frozen
class Role:
    """What a request declares of one role. Sizes are per worker, as in a benchmark config: `tp` counts
    the GPUs of a worker's data-parallel ranks too (DEP8 is `tp` 8, `ep` 8, `dp-attn` true). None is
    unstated.
    """

    role: str
    workers: int | None = None
    tp: int | None = None
    ep: int | None = None
    pp: int | None = None
    pcp: int | None = None
    dcp: int | None = None
    dp_attn: bool | None = None

    def to_mapping(self) -> dict[str, int | bool]:
        """The stated sizes under their wire names."""
        names = [name for name in fields_dict(Role) if name != "role"]
        return {name.replace("_", "-"): getattr(self, name) for name in names if getattr(self, name) is not None}


def _numbers(given: Iterable[int] | None) -> tuple[int, ...] | None:
    return None if given is None else tuple(given)


def _texts(given: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(given)


_DECIDING = attrgetter(*(fact.attribute for fact in FACTS if fact.matched), "has_recipe")


@frozen(kw_only=True)
class Request:
    """The facts of one launch. None is unstated, which is another thing than empty: `recipe=""` states
    that there is no recipe. `docs/requests.md` lists the facts; `fact.FACTS` is their table.

    Raises TypeError where a value is not of its fact's type.
    """

    cluster: str | None = None
    runner: str | None = None
    model: str | None = None
    model_prefix: str | None = None
    precision: str | None = None
    framework: str | None = None
    spec_decoding: str | None = None
    agentic: bool | None = None
    multinode: bool | None = None
    disagg: bool | None = None
    eval_only: bool | None = None
    run_eval: bool | None = None
    thinking_mode: str | None = None
    batch_job: bool | None = None
    bench_script: str | None = None
    max_concurrency: int | None = None
    concurrency: tuple[int, ...] | None = field(default=None, converter=_numbers)
    image: str | None = None
    recipe: str | None = None
    eval_recipe: str | None = None
    roles: tuple[Role, ...] | None = None
    run_id: str | None = None
    run_attempt: str | None = None
    workspace: str | None = None
    result_name: str | None = None
    time_limit_minutes: int | None = None
    settings: tuple[str, ...] | None = field(default=None, converter=_texts)
    defaults: tuple[str, ...] = field(default=(), eq=False)
    """Names of the facts that no one stated and the workflow's default filled."""
    has_recipe: bool | None = field(init=False, eq=False, repr=False)
    """Whether a recipe is named: what a decision reads of it. None where that is unstated."""
    key: str = field(init=False, eq=False, repr=False)
    """All that a decision may read, as one text: a text keeps its hash, so that looking a decision up costs a
    request no more than once. Equal keys are equal facts, since no fact holds a control character.
    """

    def __attrs_post_init__(self) -> None:
        put = object.__setattr__
        put(self, "has_recipe", None if self.recipe is None else self.recipe != "")
        if self.concurrency is not None:
            most = max(self.concurrency, default=0)
            if self.max_concurrency is None:
                put(self, "max_concurrency", most)
        for fact in FACTS:
            value = getattr(self, fact.attribute)
            if value is not None and not _is_of(fact.kind, value):
                raise TypeError(f"fact `{fact.name}` is {fact.kind.value}; {ticked(repr(value))} is not")
        if self.concurrency is not None and self.max_concurrency != max(self.concurrency, default=0):
            raise ValueError(
                f"`max-concurrency` {self.max_concurrency} is not the largest of `concurrency`; state one of the two"
            )
        put(self, "key", "\0".join(["\1" if one is None else str(one) for one in _DECIDING(self)]))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> "Request":
        """The request that a mapping of wire names states, as a YAML or JSON file would.

        Raises InputError with every fault of the mapping.
        """
        return read(mapping, lambda _path: Source("request"))

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Request":
        """The request that the workflow's variables state; an empty variable is unset.

        Raises InputError with every fault, each naming its variable.
        """
        from infx_policy import environment  # words and files do not pay for it

        found = environment.stated(environ)
        return evolve(read(found.data, found.place, found.faults), defaults=found.defaults)

    def to_mapping(self) -> dict[str, Any]:
        """The stated facts under their wire names, in the table's order."""
        return {fact.name: value for fact in FACTS if (value := self._wire(fact)) is not None}

    def _wire(self, fact: Fact) -> object:
        value = getattr(self, fact.attribute)
        if value is None or (fact.name == "max-concurrency" and self.concurrency is not None):
            return None
        if fact.kind is Kind.ROLES:
            return {role.role: role.to_mapping() for role in value}
        return list(value) if isinstance(value, tuple) else value


def _is_of(kind: Kind, value: object) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    match kind:
        case Kind.TEXT:
            return isinstance(value, str) and value.isprintable()
        case Kind.FLAG:
            return isinstance(value, bool)
        case Kind.MODE:
            return value in MODES
        case Kind.INTEGER:
            return whole and isinstance(value, int) and value >= 0
        case Kind.ROLES:
            return isinstance(value, tuple) and all(isinstance(each, Role) for each in value)
    inner = Kind.INTEGER if kind is Kind.INTEGERS else Kind.TEXT
    return isinstance(value, tuple) and all(_is_of(inner, each) for each in value)


def read(data: Mapping[str, object], place: Callable[[str], Source], faults: Iterable[Fault] = ()) -> Request:
    """The request that `data` states; `place` gives the source of a dotted path in it.

    Values are those of `documents.plain` or plain Python. Raises InputError with `faults`, found before,
    and every fault of the data.
    """
    found = list(faults)
    values: dict[str, Any] = {}
    written: dict[str, str] = {}
    for key, value in data.items():
        name = folded(str(key))
        fact = BY_NAME.get(name)
        if fact is None:
            near = nearest(name, BY_NAME)
            found.append(
                fault(
                    FaultCode.UNKNOWN_KEY,
                    place(str(key)),
                    str(key),
                    literal=key,
                    what="a request",
                    nearest=near,
                    expected=", ".join(BY_NAME),
                )
            )
        elif name in written:
            found.append(
                fault(
                    FaultCode.DUPLICATE_KEY,
                    place(str(key)),
                    name,
                    literal=key,
                    other=f"{place(written[name])}, as `{written[name]}`",
                    values="",
                )
            )
        else:
            written[name] = str(key)
            values[fact.attribute] = _value(fact.kind, value, str(key), place, found)
    _check_concurrency(values, place, written, found)
    if found:
        raise InputError(found)
    return Request(**values)


def _check_concurrency(
    values: Mapping[str, Any], place: Callable[[str], Source], written: Mapping[str, str], found: list[Fault]
) -> None:
    most, listed = values.get("max_concurrency"), values.get("concurrency")
    if most is not None and listed is not None and most != max(listed, default=0):
        key = written["max-concurrency"]
        other = f"`concurrency`, whose largest is {max(listed, default=0)}"
        found.append(fault(FaultCode.CONTRADICTION, place(key), key, literal=f"{key}: {most}", other=other))


def _value(kind: Kind, value: object, path: str, place: Callable[[str], Source], found: list[Fault]) -> Any:
    match kind:
        case Kind.TEXT:
            return text_of(value, path, place, found)
        case Kind.FLAG:
            return flag_of(value, path, place, found)
        case Kind.MODE:
            word = text_of(value, path, place, found)
            return one_of(word, MODES, path, place, found) if word is not None else None
        case Kind.INTEGER:
            return whole_of(value, path, place, found)
        case Kind.ROLES:
            return _roles(value, path, place, found)
    if not isinstance(value, list | tuple):
        found.append(
            fault(
                FaultCode.NOT_A_LIST,
                place(path),
                path,
                literal=shown(value),
                what=what(value),
                example="64, 128" if kind is Kind.INTEGERS else "NAME=value",
            )
        )
        return None
    read_one = whole_of if kind is Kind.INTEGERS else text_of
    each = [read_one(one, f"{path}[{index}]", place, found) for index, one in enumerate(value)]
    return tuple(one for one in each if one is not None)


def _roles(value: object, path: str, place: Callable[[str], Source], found: list[Fault]) -> tuple[Role, ...] | None:
    expected = "roles, as `{prefill: {workers: 1, tp: 8}}`"
    if not isinstance(value, Mapping):
        found.append(
            fault(
                FaultCode.NOT_A_MAPPING,
                place(path),
                path,
                literal=shown(value),
                what=what(value),
                expected=expected,
            )
        )
        return None
    roles: list[Role] = []
    for name, sizes in value.items():
        inner = f"{path}.{name}"
        if one_of(str(name), ROLES, inner, place, found) is None:
            continue
        if not isinstance(sizes, Mapping):
            found.append(
                fault(
                    FaultCode.NOT_A_MAPPING,
                    place(inner),
                    inner,
                    literal=shown(sizes),
                    what=what(sizes),
                    expected="sizes, as `{workers: 1, tp: 8}`",
                )
            )
            continue
        roles.append(_role(str(name), sizes, inner, place, found))
    return tuple(sorted(roles, key=lambda role: ROLES.index(role.role)))


def _role(
    name: str, sizes: Mapping[str, object], path: str, place: Callable[[str], Source], found: list[Fault]
) -> Role:
    known = [folded(each) for each in fields_dict(Role) if each != "role"]
    values: dict[str, Any] = {}
    for key, value in sizes.items():
        size, inner = folded(str(key)), f"{path}.{key}"
        if size not in known:
            found.append(
                fault(
                    FaultCode.UNKNOWN_KEY,
                    place(inner),
                    inner,
                    literal=key,
                    what="a role",
                    nearest=nearest(size, known),
                    expected=", ".join(known),
                )
            )
        elif size.replace("-", "_") in values:
            found.append(fault(FaultCode.DUPLICATE_KEY, place(inner), inner, literal=key, other="its other spelling"))
        else:
            read_one = flag_of if size == "dp-attn" else whole_of
            values[size.replace("-", "_")] = read_one(value, inner, place, found)
    return Role(name, **values)


def requests_of(at: At) -> list[Request]:
    """The requests of a document: one mapping, or a list of them. Raises InputError with all faults."""
    faults: list[Fault] = []
    requests: list[Request] = []
    documents_found = documents.items(at) if at.is_list else [at]
    if not documents_found:
        faults.append(fault(FaultCode.EMPTY_LIST, at.source, at.path, literal="[]"))
    for one in documents_found:
        if not one.is_mapping:
            faults.append(
                fault(
                    FaultCode.WRONG_KIND,
                    one.source,
                    one.path,
                    literal=one.file,
                    what=one.what,
                    expected="a request, a mapping of facts, or a list of requests",
                )
            )
            continue
        try:
            documents.check_kind(one, documents.REQUEST)
            requests.append(_request_at(one))
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return requests


def _request_at(at: At) -> Request:
    found: list[Fault] = []
    sources: dict[str, Source] = {}
    data = documents.plain(at, found, sources)
    assert isinstance(data, dict)
    return read(data, _place_in(at, sources), found)


def _place_in(at: At, sources: Mapping[str, Source]) -> Callable[[str], Source]:
    """Finds the place of a path below `at`; of one that stands nowhere, that of `at`."""
    prefix = f"{at.path}." if at.path else ""
    return lambda path: sources.get(f"{prefix}{path}", at.source)
