"""`key=value` words, as a command line states facts."""

import re
from collections.abc import Mapping, Sequence

from infx_policy import request
from infx_policy.errors import Fault, FaultCode, fault
from infx_policy.fact import BY_NAME, Kind, folded
from infx_policy.request import Request
from infx_policy.source import Source
from infx_policy.tokens import value_of

_WORD = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_.-]*)=(?P<value>.*)", re.DOTALL)


def is_word(argument: str) -> bool:
    """Whether a command line's argument is a `key=value` word; a file of such a name is given as `./NAME`."""
    return _WORD.fullmatch(argument) is not None


def request_of_words(
    words: Sequence[str], under: Mapping[str, object] | None = None, numbers: Sequence[int] | None = None
) -> Request:
    """The request that `key=value` words state, laid over the facts `under` them.

    `numbers` are the words' places on their command line, for messages; counted from 1 where they are
    not given. Raises InputError with every fault.
    """
    faults: list[Fault] = []
    places: dict[str, Source] = {}
    stated: dict[str, object] = {}
    roles: dict[str, dict[str, object]] = {}
    for number, word in zip(numbers or range(1, len(words) + 1), words, strict=True):
        found = _WORD.fullmatch(word)
        assert found is not None, f"{word!r} is no word"
        key, here = folded(found["key"]), Source(f"argument {number}")
        if key in places:
            faults.append(_twice(word, places[key], here))
            continue
        places[key] = here
        if key.startswith("roles."):
            _, role, size = [*key.split(".", 2), ""][:3]
            kind = Kind.FLAG if size == "dp-attn" else Kind.INTEGER
            roles.setdefault(role, {})[size] = value_of(kind, found["value"], here, key, faults)
            continue
        fact = BY_NAME.get(key)
        stated[key] = value_of(fact.kind, found["value"], here, key, faults) if fact else found["value"]
    if roles:
        stated["roles"] = _with_roles(stated.get("roles", (under or {}).get("roles")), roles)
    laid = {key: value for key, value in {**(under or {}), **stated}.items() if value is not None}
    return request.read(laid, lambda path: _place(path, places), faults)


def _with_roles(whole: object, parts: Mapping[str, Mapping[str, object]]) -> object:
    if whole is not None and not isinstance(whole, Mapping):
        return whole
    merged: dict[str, object] = dict(whole or {})
    for role, sizes in parts.items():
        before = merged.get(role)
        merged[role] = {**before, **sizes} if isinstance(before, Mapping) else dict(sizes)
    return merged


def _twice(word: str, first: Source, here: Source) -> Fault:
    key, _, value = word.partition("=")
    return fault(FaultCode.DUPLICATE_KEY, here, "", literal=key, other=str(first), values=f"; here with `{value}`")


def _place(path: str, places: Mapping[str, Source]) -> Source:
    key = folded(path)
    while key:
        if key in places:
            return places[key]
        key = key.rpartition(".")[0] or key.rpartition("[")[0]
    return Source("request")
