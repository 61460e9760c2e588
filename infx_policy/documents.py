"""YAML and JSON as one tree that knows where each value was written.

Both kinds of file become PyYAML nodes (libyaml's parser composes YAML; JSON goes through a JSON parser
first), so that what reads a tree needs no second form of it. No value is constructed here: a scalar
stays the text that was written, and `Unquoted` tells text from what YAML 1.1 would take for
something else.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from attrs import field, frozen
from yaml.error import Mark, MarkedYAMLError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.source import Source

LARGEST_FILE = 8 * 1024 * 1024
"""Bytes; the largest table or request that is read."""
MOST_VALUES = 200_000
"""Values that a document may unfold to by its aliases."""
DEEPEST = 64
"""Levels of nesting that a value may have."""

_TAG = "tag:yaml.org,2002:"
_WHAT = {
    "int": "a number",
    "float": "a number",
    "bool": "a boolean",
    "null": "nothing",
    "timestamp": "a date",
    "merge": "a merge key",
    "value": "a default key",
}
# YAML 1.2 and other loaders read these as numbers although PyYAML's resolver does not.
_NUMBER_ELSEWHERE = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?|0o[0-7]+|0[xX][0-9a-fA-F]+")


@frozen(eq=False, repr=False)
class At:
    """A value in a document: its node, the file's shown name, the dotted path to it and its own key."""

    node: Node
    file: str
    path: str = ""
    key: str = ""
    key_node: Node | None = None

    @property
    def source(self) -> Source:
        """Where the value begins."""
        return source_of(self.node, self.file)

    @property
    def named(self) -> Source:
        """Where its key stands; where the value begins if it has none."""
        return source_of(self.node if self.key_node is None else self.key_node, self.file)

    def child(self, name: str, key_node: Node, node: Node) -> "At":
        """The value that stands under `name` of this one."""
        return At(node, self.file, f"{self.path}.{name}" if self.path else name, name, key_node)

    @property
    def is_mapping(self) -> bool:
        """Whether keys stand in it."""
        return isinstance(self.node, MappingNode)

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.node, SequenceNode)

    @property
    def what(self) -> str:
        """What the value is, for messages."""
        if isinstance(self.node, MappingNode):
            return "a mapping"
        if isinstance(self.node, SequenceNode):
            return "a list"
        scalar = scalar_of(self.node)
        return "text" if isinstance(scalar, str) else scalar.what


@frozen
class Unquoted:
    """A scalar that stands without quotes and is not text: its letters, and what YAML reads."""

    text: str
    what: str
    value: bool | int | None = field(default=None, eq=False)

    def __str__(self) -> str:
        return self.text


def source_of(node: Node, file: str) -> Source:
    """Where a node begins."""
    mark = node.start_mark
    return Source(file, mark.line + 1, mark.column + 1)


def scalar_of(node: Node) -> str | Unquoted:
    """The text of a scalar, or what else its letters mean."""
    text: str = node.value
    style: str | None = getattr(node, "style", None)
    kind = node.tag.removeprefix(_TAG)
    if kind == "str":
        if not style and text[:1] in "+-.0123456789" and _NUMBER_ELSEWHERE.fullmatch(text):
            return Unquoted(text, "a number")
        return text
    if kind == "bool" and text.lower() in ("true", "false"):
        return Unquoted(text, "a boolean", text.lower() == "true")
    if kind == "int" and re.fullmatch(r"-?(0|[1-9]\d{0,17})", text, re.ASCII):
        return Unquoted(text, "a number", int(text))
    return Unquoted(text, _WHAT.get(kind, f"a value with tag `{node.tag}`"))


def read_text(path: Path, name: str) -> str:
    """The text of a file, which is shown as `name`; raises InputError with what stands in the way."""
    here = Source(name)
    if os.path.isdir(path):
        raise InputError([fault(FaultCode.NOT_A_FILE, here, literal=name, what="a directory")])
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError([fault(FaultCode.NOT_A_FILE, here, literal=name, what="a device or pipe")])
    try:
        with open(path, "rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise InputError([fault(FaultCode.NOT_FOUND, here, literal=name, expected="a file that exists")]) from None
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError([fault(FaultCode.UNREADABLE, here, literal=name, what=what)]) from None
    if len(data) > LARGEST_FILE:
        size = os.stat(path).st_size
        raise InputError([fault(FaultCode.TOO_LARGE, here, literal=size, limit=LARGEST_FILE)])
    return decoded(data, name)


def decoded(data: bytes, name: str) -> str:
    """Bytes as text; raises InputError where they are not plain UTF-8."""
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise InputError([fault(FaultCode.BYTE_ORDER_MARK, Source(name, 1, 1))])
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError([fault(FaultCode.NOT_UTF8, Source(name, line))]) from None


def parse(text: str, name: str, expected: str) -> At:
    """The tree of a document. A name that ends in `.json`, or `{` or `[` as the first letter of a name
    that ends in neither `.yaml` nor `.yml`, makes it JSON.

    `expected` says what an empty file should hold. Raises InputError.
    """
    if not text.strip():
        raise InputError([fault(FaultCode.EMPTY_FILE, Source(name), expected=expected)])
    as_json = name.endswith(".json") or (not name.endswith((".yaml", ".yml")) and text.lstrip()[0] in "{[")
    root = _json_nodes(text, name) if as_json else _yaml_nodes(text, name)
    if root is None:
        raise InputError([fault(FaultCode.EMPTY_FILE, Source(name), expected=expected)])
    if not as_json and "&" in text and "*" in text:
        _check_aliases(root, name)
    return At(root, name)


def _yaml_nodes(text: str, name: str) -> Node | None:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node: Node | None = loader.get_single_node()
    except MarkedYAMLError as error:
        raise InputError([_syntax(error, name)]) from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = f"character {error.character!r} is not allowed in YAML"
        raise InputError(
            [
                fault(
                    FaultCode.SYNTAX,
                    Source(name, line),
                    what=what,
                    remedy="remove it, or write it as an escape",
                )
            ]
        ) from None
    except RecursionError:
        raise InputError([fault(FaultCode.TOO_DEEP, Source(name), limit=DEEPEST)]) from None
    finally:
        loader.dispose()
    return node


def _syntax(error: MarkedYAMLError, name: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    here = Source(name, mark.line + 1, mark.column + 1) if mark else Source(name)
    problem = error.problem or "not YAML"
    if "nesting" in problem:
        return fault(FaultCode.TOO_DEEP, here, limit=DEEPEST)
    context = f" {error.context}" if error.context else ""
    remedy = "indent with blanks" if "tab" in problem or "\\t" in problem else "mend the text there"
    if "another document" in problem:
        remedy = "keep one document a file"
    return fault(FaultCode.SYNTAX, here, what=f"{problem}{context}", remedy=remedy)


def _check_aliases(root: Node, name: str) -> None:
    """Raises InputError where aliases make the document endless or very large."""
    sizes: dict[int, int] = {}

    def size(node: Node, above: frozenset[int]) -> int:
        known = sizes.get(id(node))
        if known is not None:
            return known
        if id(node) in above or len(above) > DEEPEST:
            code = FaultCode.ALIAS_TOO_LARGE if id(node) in above else FaultCode.TOO_DEEP
            limit = MOST_VALUES if id(node) in above else DEEPEST
            raise InputError([fault(code, source_of(node, name), limit=limit)])
        total = 1 + sum(size(below, above | {id(node)}) for below in _below(node))
        if total > MOST_VALUES:
            raise InputError([fault(FaultCode.ALIAS_TOO_LARGE, source_of(node, name), limit=MOST_VALUES)])
        sizes[id(node)] = total
        return total

    size(root, frozenset())


def _below(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, SequenceNode) else []


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}:,]|[^\s\][{}:,"]+')


def _json_nodes(text: str, name: str) -> Node:
    import json  # only JSON documents pay for it

    def refused(constant: str) -> object:
        line = text.count("\n", 0, text.find(constant)) + 1
        what = f"`{constant}` is no JSON"
        raise InputError([fault(FaultCode.SYNTAX, Source(name, line), what=what, remedy="write a number or text")])

    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=refused)
        return _json_node(_JsonTokens(text, name))
    except json.JSONDecodeError as error:
        here = Source(name, error.lineno, error.colno)
        what = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise InputError([fault(FaultCode.SYNTAX, here, what=what, remedy="mend the text there")]) from None
    except RecursionError:
        raise InputError([fault(FaultCode.TOO_DEEP, Source(name), limit=DEEPEST)]) from None


def _mark(name: str, index: int, line: int, column: int) -> Mark:
    nothing: Any = None  # the text around the mark, which is not kept
    return Mark(name, index, line, column, nothing, nothing)


class _JsonTokens:
    """The tokens of a text that is known to be JSON, one after the other, with their marks."""

    def __init__(self, text: str, name: str) -> None:
        self._found = _TOKEN.finditer(text)
        self._name = name
        self._text = text
        self._line = 0
        self._line_start = 0

    def next(self) -> tuple[str, Mark]:
        found = next(self._found)
        before = self._text.count("\n", self._line_start, found.start())
        if before:
            self._line += before
            self._line_start = self._text.rfind("\n", 0, found.start()) + 1
        return found[0], _mark(self._name, found.start(), self._line, found.start() - self._line_start)


def _json_node(tokens: _JsonTokens, begun: tuple[str, Mark] | None = None) -> Node:
    token, mark = begun or tokens.next()
    if token == "{":
        return MappingNode(f"{_TAG}map", _json_pairs(tokens), mark, mark)
    if token == "[":
        return SequenceNode(f"{_TAG}seq", _json_items(tokens), mark, mark)
    if token[0] == '"':
        return ScalarNode(f"{_TAG}str", unescaped(token), mark, mark, style='"')
    kind = {"true": "bool", "false": "bool", "null": "null"}.get(token)
    kind = kind or ("int" if re.fullmatch(r"-?\d+", token) else "float")
    return ScalarNode(f"{_TAG}{kind}", token, mark, mark)


def unescaped(token: str) -> str:
    """The text that a JSON string writes."""
    import json

    text: str = json.loads(token, strict=False)
    return text


def _json_items(tokens: _JsonTokens) -> list[Node]:
    items: list[Node] = []
    while (begun := tokens.next())[0] != "]":
        if begun[0] != ",":
            items.append(_json_node(tokens, begun))
    return items


def _json_pairs(tokens: _JsonTokens) -> list[tuple[Node, Node]]:
    pairs: list[tuple[Node, Node]] = []
    while (begun := tokens.next())[0] != "}":
        if begun[0] != ",":
            key = _json_node(tokens, begun)
            tokens.next()
            pairs.append((key, _json_node(tokens)))
    return pairs


def unfolded(word: str) -> str:
    """A name as it is written: nothing is folded."""
    return word


def entries(at: At, faults: list[Fault], fold: Callable[[str], str] = unfolded) -> dict[str, tuple[str, At]]:
    """The keys of a mapping: folded name -> (name as written, value). Adds a fault for each key that is
    written twice, is no text, or is a merge key; the value must be a mapping.
    """
    assert isinstance(at.node, MappingNode)
    found: dict[str, tuple[str, At]] = {}
    for key_node, value_node in at.node.value:
        key = scalar_of(key_node) if isinstance(key_node, ScalarNode) else Unquoted("? ...", "a value")
        if isinstance(key, Unquoted):
            faults.append(_odd_key(key, source_of(key_node, at.file), at.path))
            continue
        name = fold(key)
        child = at.child(name, key_node, value_node)
        if name in found:
            faults.append(_twice(key, child, *found[name]))
        else:
            found[name] = (key, child)
    return found


def _twice(key: str, second: At, first_key: str, first: At) -> Fault:
    values = f", with {_brief(first.node)} and {_brief(second.node)}"
    other = f"{first.named}, as `{first_key}`" if first_key != key else str(first.named)
    return fault(FaultCode.DUPLICATE_KEY, second.named, second.path, literal=key, other=other, values=values)


def _odd_key(key: Unquoted, here: Source, path: str) -> Fault:
    if key.text == "<<":
        return fault(FaultCode.MERGE_KEY, here, path, literal=key.text)
    return fault(FaultCode.NOT_TEXT, here, path, literal=key.text, what=key.what, quoted=f"`{quoted(key.text)}`")


def _brief(node: Node) -> str:
    if isinstance(node, ScalarNode):
        return f"`{node.value[:60]}`"
    return "a mapping" if isinstance(node, MappingNode) else "a list"


REQUEST, LANES, INVENTORY = "a request", "a lane file", "an inventory"
"""The kinds of file that are read; each has keys that no other has."""
_MARKS = {
    "lanes": LANES,
    "clusters": INVENTORY,
    "labels": INVENTORY,
    "vocabulary": INVENTORY,
    "framework": REQUEST,
    "model-prefix": REQUEST,
    "multinode": REQUEST,
}


def check_kind(at: At, expected: str) -> None:
    """Raises InputError where a file is plainly of another kind than the expected one."""
    if not isinstance(at.node, MappingNode):
        return
    keys = [str(key.value).replace("_", "-") for key, _ in at.node.value]
    kinds = {_MARKS[key] for key in keys if key in _MARKS}
    if kinds and expected not in kinds:
        what = sorted(kinds)[0]
        raise InputError([fault(FaultCode.WRONG_KIND, at.source, literal=at.file, what=what, expected=expected)])


def texts(at: At) -> tuple[str, ...] | None:
    """The values of a list if all are printable text; what is wrong with another is for `items` to find."""
    assert isinstance(at.node, SequenceNode)
    found = tuple(scalar_of(node) if isinstance(node, ScalarNode) else None for node in at.node.value)
    return found if all(isinstance(one, str) and one.isprintable() for one in found) else None  # type: ignore[return-value]


def items(at: At) -> list[At]:
    """The values of a list, which the value must be."""
    assert isinstance(at.node, SequenceNode)
    return [At(node, at.file, f"{at.path}[{index}]") for index, node in enumerate(at.node.value)]


def quoted(text: str) -> str:
    """Text as YAML and JSON both write it in quotes."""
    body = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in body) + '"'


def plain(at: At, faults: list[Fault], sources: dict[str, Source], depth: int = 0) -> object:
    """The value as dicts, lists, text and `Unquoted`; `sources` gains the place of each dotted path."""
    sources[at.path] = at.source
    if depth > DEEPEST:
        faults.append(fault(FaultCode.TOO_DEEP, at.source, limit=DEEPEST))
        return None
    if isinstance(at.node, MappingNode):
        return {written: plain(value, faults, sources, depth + 1) for written, value in entries(at, faults).values()}
    if isinstance(at.node, SequenceNode):
        return [plain(value, faults, sources, depth + 1) for value in items(at)]
    return scalar_of(at.node)
