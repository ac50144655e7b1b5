"""The rows of json_each, json_tree, jsonb_each and jsonb_tree.

A row is (key, value, type, atom, id, parent, fullkey, path).  The id of an element is the offset of its JSONB, for a member
of an object that of its label; so the sizes that elements would have in JSONB are computed along the way.

Source: https://www.sqlite.org/json1.html section 4.24.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from minisql.functions.characters import before_nul
from minisql.functions.json_functions import tree_of
from minisql.functions.json_nodes import (
    JsonObject,
    encode,
    header,
    node_type_name,
    render,
    text_of_string,
    value_of_node,
)
from minisql.functions.json_parser import parse_standard
from minisql.functions.json_path import MISSING, find_child, lookup, parse_path
from minisql.functions.json_structure import scalar_value, scalars_at
from minisql.values.cast import to_text

Row = tuple[Any, Any, str, Any, int, int | None, str, str]

_PLAIN_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_LAST_STEP = re.compile(r'(?:\.(?:"(?:[^"\\]|\\.)*"|[^."\[][^.\[]*)|\[[^\]]*\])$', re.DOTALL)


class _Element:
    """A node with what its row shows: where it is, what it is called."""

    __slots__ = ("full_key", "key", "node", "offset", "parent", "path", "payload")

    def __init__(self, node: Any, key: Any, offset: int, payload: int, parent: int | None, full_key: str, path: str) -> None:
        self.node = node
        self.key = key
        self.offset = offset
        self.payload = payload
        self.parent = parent
        self.full_key = full_key
        self.path = path

    def row(self, binary: bool) -> Row:
        node = self.node
        if node.__class__ is list or node.__class__ is JsonObject:
            value: Any = encode(node) if binary else render(node)
            atom = None
        else:
            value = atom = value_of_node(node)
        return self.key, value, node_type_name(node), atom, self.offset, self.parent, self.full_key, self.path

    def children(self, parent: int | None) -> list[_Element]:
        """The elements directly inside, empty for a scalar."""
        node = self.node
        offset = self.payload
        elements = []
        if node.__class__ is list:
            for i, item in enumerate(node):
                size = len(encode(item))
                payload = offset + _header_size(item, size)
                elements.append(_Element(item, i, offset, payload, parent, f"{self.full_key}[{i}]", self.full_key))
                offset += size
        elif node.__class__ is JsonObject:
            for label, item in node:
                label_size = len(encode(label))
                size = len(encode(item))
                payload = offset + label_size + _header_size(item, size)
                full_key = self.full_key + _label_step(label)
                elements.append(_Element(item, text_of_string(label), offset, payload, parent, full_key, self.full_key))
                offset += label_size + size
        return elements


def _header_size(node: Any, size: int) -> int:
    """The size of the header in front of a container's payload, given its whole size."""
    if node.__class__ is not list and node.__class__ is not JsonObject:
        return 0
    return next(n for n in (1, 2, 3, 5) if len(header(0, size - n)) == n)


def _label_step(label: str) -> str:
    return f".{label}" if _PLAIN_LABEL.fullmatch(label) else f'."{label}"'


COLUMNS = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path")
"""The visible columns."""


def json_rows(value: Any, path: Any = "$", recursive: bool = False, binary: bool = False) -> Iterator[Row]:
    """Yields the rows of json_each (or json_tree if recursive; the jsonb_ ones if binary) for a JSON argument and a root path.

    NULL arguments and a path that leads nowhere give no rows; raises "malformed JSON" and "bad JSON path".
    Source: https://www.sqlite.org/json1.html section 4.24
    """
    if value is None:
        return
    tree = tree_of(value)
    element = None if path is None else _root_element(tree, before_nul(to_text(path)), recursive)
    if element is None:
        return
    if not recursive:
        children = element.children(None)
        if element.node.__class__ is list or element.node.__class__ is JsonObject:
            for child in children:
                yield child.row(binary)
        else:
            yield element.row(binary)
        return
    pending = [element]
    while pending:
        element = pending.pop()
        yield element.row(binary)
        pending += reversed(element.children(element.offset))


_KEY, _VALUE, _TYPE, _ATOM, _ID, _PARENT, _FULL_KEY, _PATH = range(8)
_PLACED = frozenset((_ID, _FULL_KEY, _PATH))
_TYPE_NAMES = {'"': "text", "t": "true", "f": "false", "n": "null"}
_MAX_NEEDS = 100
_NEEDS: dict[tuple[int, ...], tuple[bool, bool, Callable[[Sequence[Any]], Any]]] = {}


def json_each_columns(value: Any, path: Any, is_given: bool, columns: tuple[int, ...]) -> list[tuple[Any, ...]] | None:
    """The rows of json_each, only these columns of them: 8 is the argument, 9 the root path as given, -1 the row's number.

    None where `json_rows` has to compute them: for a root that is no container, and for columns that tell where elements are.
    Source: https://www.sqlite.org/json1.html section 4.24
    """
    needs = _NEEDS.get(columns)
    if needs is None:
        if len(_NEEDS) > _MAX_NEEDS:
            _NEEDS.clear()
        pick = itemgetter(*columns) if len(columns) > 1 else lambda lists: (lists[columns[0]],)
        needs = _NEEDS[columns] = not _PLACED.isdisjoint(columns), _TYPE in columns, pick
    needs_places, needs_types, pick = needs
    if needs_places:
        return None
    if value is None:
        return []
    given = path if is_given else None
    types: Sequence[str] = ()
    contents: list[Any] = []
    if value.__class__ is str and (not is_given or path.__class__ is str):
        tokens = scalars_at(value, path if is_given else "$")
        if tokens is not None:
            types = found = []
            for token in tokens:
                first = token[0]
                if first == '"':
                    contents.append(token[1:-1])
                    found.append("text")
                else:
                    contents.append(scalar_value(token))
                    found.append(_TYPE_NAMES.get(first) or node_type_name(parse_standard(token)))
            return _picked(pick, range(len(contents)), contents, types, contents, value, given)
    node = tree_of(value)
    if is_given:
        if path is None:
            return []
        node = lookup(node, parse_path(path if path.__class__ is str else to_text(path)))
        if node is MISSING:
            return []
    if node.__class__ is list:
        keys: Sequence[Any] = range(len(node))
        nodes = node
    elif node.__class__ is JsonObject:
        keys = [text_of_string(label) for label, _ in node]
        nodes = [item for _, item in node]
    else:
        return None
    if needs_types:
        types = ["text" if item.__class__ is str else node_type_name(item) for item in nodes]
    atoms: list[Any] = []
    for item in nodes:
        if item.__class__ is list or item.__class__ is JsonObject:
            contents.append(render(item))
            atoms.append(None)
        else:
            content = item if item.__class__ is str else value_of_node(item)
            contents.append(content)
            atoms.append(content)
    return _picked(pick, keys, contents, types, atoms, value, given)


def _picked(
    pick: Callable[[Sequence[Any]], Any],
    keys: Sequence[Any],
    contents: list[Any],
    types: Sequence[str],
    atoms: list[Any],
    value: Any,
    given: Any,
) -> list[tuple[Any, ...]]:
    """Rows of the picked columns."""
    n_rows = len(contents)
    values, paths = (value,) * n_rows, (given,) * n_rows
    by_column = (keys, contents, types, atoms, None, (None,) * n_rows, None, None, values, paths, range(n_rows))
    return list(zip(*pick(by_column)))


def _root_element(root: Any, path: str, recursive: bool) -> _Element | None:
    """The element that a root path names, with its offset in the JSONB of the whole; None if there is none."""
    element = _Element(root, None, 0, _header_size(root, len(encode(root))), None, "$", "$")
    steps = parse_path(path)
    ancestors = []
    for step in steps:
        position = find_child(element.node, step)
        if position < 0:
            return None
        ancestors.append(element)
        element = element.children(None)[position]
    if steps:
        element.full_key = path
        element.path = _path_of_parent(element, ancestors, path) if recursive else path
        element.key = _key_of_rest(path[len(element.path) :])
    return element


def _key_of_rest(rest: str) -> str | int | None:
    """The key column of the first row: what its root path has beyond the path column."""
    if not rest:
        return None
    if rest[0] == "[":
        digits = re.match(r"[0-9]*", rest[1:])
        return int(digits[0] or 0) if digits is not None else 0
    return rest[2:-1] if rest[1] == '"' else rest[1:]


def _path_of_parent(element: _Element, ancestors: list[_Element], path: str) -> str:
    """The path column of json_tree's first row.

    SQLite shortens the root path step by step until it names a container whose first element is the root; so the root that is
    not a first element gets `$`.
    """
    while ancestors and path != "$":
        last = _LAST_STEP.search(path)
        assert last is not None
        path = path[: last.start()]
        if ancestors.pop().payload == element.offset:
            break
    return path
