"""Document values into typed ones, with every fault and its place.

cattrs dispatches on the type; each hook takes a `documents.At` and raises InputError with all faults
below it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any, Literal, get_args, get_origin

import attrs
from cattrs import BaseConverter

from infx_policy import documents, reading
from infx_policy.documents import At, Unquoted
from infx_policy.duration import Duration
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.fact import folded
from infx_policy.spelling import nearest


def keys(at: At, known: Iterable[str], what: str, faults: list[Fault]) -> dict[str, At]:
    """The known keys of a mapping, in their one spelling; a fault for each other one and for no mapping."""
    names = list(known)
    if not at.is_mapping:
        expected = ", ".join(f"`{name}`" for name in names)
        faults.append(not_a_mapping(at, expected))
        return {}
    found: dict[str, At] = {}
    for name, (written, child) in documents.entries(at, faults, folded).items():
        if name in names:
            found[name] = child
        else:
            faults.append(
                fault(
                    FaultCode.UNKNOWN_KEY, child.named, child.path, literal=written, what=what,
                    nearest=nearest(name, names), expected=", ".join(names),
                )
            )  # fmt: skip
    return found


def not_a_mapping(at: At, expected: str) -> Fault:
    """The fault of a value that is no mapping."""
    literal = reading.shown(documents.scalar_of(at.node)) if not at.is_list else "[...]"
    return fault(FaultCode.NOT_A_MAPPING, at.source, at.path, literal=literal, what=at.what, expected=expected)


def scalar(at: At) -> Any:
    """A scalar as it stands, or what a list or mapping is shown as, which no scalar type takes."""
    if at.is_mapping:
        return {"...": "..."}
    return ["..."] if at.is_list else documents.scalar_of(at.node)


def _by(read: Callable[..., Any], at: At, _type: type) -> Any:
    faults: list[Fault] = []
    value = read(scalar(at), at.path, lambda _path: at.source, faults)
    if faults:
        raise InputError(faults)
    return value


def _duration(at: At, _type: type) -> Duration:
    value = scalar(at)
    literal = reading.shown(value)
    if isinstance(value, Unquoted):
        quoted = f"`{documents.quoted(value.text)}`"
        raise InputError([fault(FaultCode.DURATION_NOT_TEXT, at.source, at.path, literal=literal, quoted=quoted)])
    found = Duration.of(value) if isinstance(value, str) else None
    if found is None:
        literal = documents.quoted(value) if isinstance(value, str) else literal
        raise InputError([fault(FaultCode.DURATION_INVALID, at.source, at.path, literal=literal)])
    return found


def _word(at: At, kind: Any) -> Any:
    words = get_args(kind)
    text = _by(reading.text_of, at, str)
    if text not in words:
        expected = ", ".join(f"`{word}`" for word in words)
        near = nearest(text, words)
        raise InputError(
            [fault(FaultCode.NOT_ONE_OF, at.source, at.path, literal=text, expected=expected, nearest=near)]
        )
    return text


def _text_or_flag(at: At, _type: Any) -> str | bool:
    value = scalar(at)
    if isinstance(value, Unquoted) and isinstance(value.value, bool):
        return value.value
    text: str = _by(reading.text_of, at, str)
    return text


def _list(converter: BaseConverter, at: At, kind: Any) -> tuple[Any, ...]:
    if not at.is_list:
        literal = reading.shown(scalar(at))
        raise InputError(
            [fault(FaultCode.NOT_A_LIST, at.source, at.path, literal=literal, what=at.what, example="a, b")]
        )
    faults: list[Fault] = []
    inner = get_args(kind)[0]
    if inner is str and (texts := documents.texts(at)) is not None:
        return texts
    found = _each(converter, [("", child) for child in documents.items(at)], inner, faults)
    if faults:
        raise InputError(faults)
    return tuple(value for _, value in found)


def _mapping(converter: BaseConverter, at: At, kind: Any) -> dict[str, Any]:
    if not at.is_mapping:
        raise InputError([not_a_mapping(at, "names")])
    faults: list[Fault] = []
    children = [(name, child) for name, (_, child) in documents.entries(at, faults).items()]
    found = _each(converter, children, get_args(kind)[1], faults)
    if faults:
        raise InputError(faults)
    return dict(found)


def _each(
    converter: BaseConverter, children: list[tuple[str, At]], kind: Any, faults: list[Fault]
) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, child in children:
        try:
            found.append((name, converter.structure(child, kind)))
        except InputError as error:
            faults.extend(error.faults)
    return found


@cache
def wire_fields(cls: type) -> tuple[tuple[str, "attrs.Attribute[Any]"], ...]:
    """The wire name of each attribute: kebab-case, without the underscore that keeps it off a keyword."""
    return tuple((folded(str(each.alias)).rstrip("-"), each) for each in attrs.fields(cls))


def _record(converter: BaseConverter, at: At, cls: type, given: Mapping[str, Any] | None = None) -> Any:
    """An attrs class from a mapping: wire names are the attributes' in kebab-case."""
    given = given or {}
    fields = {name: each for name, each in wire_fields(cls) if each.name not in given}
    faults: list[Fault] = []
    found = keys(at, fields, f"`{at.path}`" if at.path else "this file", faults)
    values: dict[str, Any] = dict(given)
    for name, child in found.items():
        try:
            kind: Any = fields[name].type
            values[str(fields[name].alias)] = converter.structure(child, kind)
        except InputError as error:
            faults.extend(error.faults)
    if at.is_mapping:
        near = {dict(one.details).get("nearest") for one in faults}
        faults.extend(
            fault(FaultCode.MISSING_KEY, at.named, f"{at.path}.{name}" if at.path else name, literal=name)
            for name, each in fields.items()
            if each.default is attrs.NOTHING and name not in found and name not in near
        )
    if faults:
        raise InputError(faults)
    return cls(**values)


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_mapping(kind: Any) -> bool:
    return get_origin(kind) is Mapping


def _made() -> BaseConverter:
    converter = BaseConverter(detailed_validation=False)
    converter.register_structure_hook(str, partial(_by, reading.text_of))
    converter.register_structure_hook(bool, partial(_by, reading.flag_of))
    converter.register_structure_hook(int, partial(_by, reading.whole_of))
    converter.register_structure_hook_func(attrs.has, partial(_record, converter))
    converter.register_structure_hook_func(_is_literal, _word)
    converter.register_structure_hook_func(_is_tuple, partial(_list, converter))
    converter.register_structure_hook_func(_is_mapping, partial(_mapping, converter))
    converter.register_structure_hook_func(lambda kind: kind == str | bool, _text_or_flag)
    converter.register_structure_hook_func(lambda kind: kind is Duration, _duration)
    return converter


_converter = _made()


def structured(at: At, kind: Any) -> Any:
    """The value at a place, of a type. Raises InputError with every fault below it."""
    return _converter.structure(at, kind)


def record(at: At, cls: type, given: Mapping[str, Any]) -> Any:
    """An attrs class from a mapping, the attributes of `given` set by the caller."""
    return _record(_converter, at, cls, given)
