"""Scalars out of JSON documents that are built alike, without a tree.

Documents of one column mostly have one structure: the same labels, arrays of the same length, the same white space, and other
scalars.  Once many documents had to be parsed, the structure of one of them is made into a regular expression with a group for
each scalar.  A text that it matches from end to end is plain JSON with that structure, so a path leads to the same group in
all of them.  Documents of another structure are parsed; when there are many of these, the structure is forgotten.

Numbers are matched as JSON writes them and strings without escapes only, so the value of a group is what the parser makes of
the same text.

Source: https://www.sqlite.org/json1.html section 3.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from minisql.functions.json_nodes import IntegerText, value_of_node
from minisql.functions.json_parser import NOT_STANDARD, parse_standard
from minisql.functions.json_path import MISSING, lookup, parse_path

_SCALAR = r'("[^"\\\x00-\x1f]*+"|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+|true|false|null)'
_TOKEN = re.compile(_SCALAR + r"|([][{},:])|[ \t\n\r]++")

_MAX_SIZE = 4000
_MAX_SCALARS = 60
_MAX_PATHS = 100
# Parsed documents before a structure is tried, and what a structure may cost in documents that it does not match.
_FIRST_PATIENCE = 250
_MAX_PATIENCE = 100_000
_FIRST_CREDIT = 100
_MAX_CREDIT = 1000

NOWHERE, CONTAINER = 0, -1

Scalars = Callable[[re.Match[str]], Any]


class Structure:
    """A structure: `tree` has the number of its group in the place of each scalar."""

    __slots__ = ("_arrays", "credit", "fullmatch", "groups", "tree")

    def __init__(self, expression: str, tree: Any) -> None:
        self.fullmatch = re.compile(expression).fullmatch
        self.tree = tree
        self.credit = _FIRST_CREDIT
        self.groups: dict[str, int] = {}
        self._arrays: dict[str, Scalars | None] = {}

    def group(self, path: str) -> int:
        """The group that a path leads to, NOWHERE, or CONTAINER for an array or object; raises "bad JSON path"."""
        node = lookup(self.tree, parse_path(path))
        found = NOWHERE if node is MISSING else int(node) if node.__class__ is IntegerText else CONTAINER
        if len(self.groups) >= _MAX_PATHS:
            self.groups.clear()
        self.groups[path] = found
        return found

    def array(self, path: str) -> Scalars | None:
        """What takes the texts of an array's elements out of a match; None if the path does not lead to an array of two
        scalars or more; raises "bad JSON path"."""
        if path in self._arrays:
            return self._arrays[path]
        node = lookup(self.tree, parse_path(path))
        found: Scalars | None = None
        if node.__class__ is list and len(node) > 1 and all(item.__class__ is IntegerText for item in node):
            found = itemgetter(*map(int, node))
        if len(self._arrays) >= _MAX_PATHS:
            self._arrays.clear()
        self._arrays[path] = found
        return found


class _Learning:
    """The structure of the moment, and the documents still to be parsed before the next is tried."""

    __slots__ = ("patience", "structure", "waiting")

    def __init__(self) -> None:
        self.structure: Structure | None = None
        self.waiting = self.patience = _FIRST_PATIENCE


_learning = _Learning()
_last: tuple[str, Structure, re.Match[str]] | None = None


def structured(text: str) -> tuple[str, Structure, re.Match[str]] | None:
    """The structure that a text is known to have, and its match; None if it has to be parsed."""
    global _last
    last = _last
    if last is not None and last[0] is text:
        return last
    structure = _learning.structure
    if structure is None:
        _learning.waiting -= 1
        if _learning.waiting > 0:
            return None
        structure = _learn(text)
        if structure is None:
            return None
    match = structure.fullmatch(text)
    if match is not None:
        if structure.credit < _MAX_CREDIT:
            structure.credit += 1
        _last = last = text, structure, match
        return last
    structure.credit -= 2
    if structure.credit < 0:
        _last = _learning.structure = None
        _learning.waiting = _learning.patience = min(_learning.patience * 4, _MAX_PATIENCE)
    return None


def _learn(text: str) -> Structure | None:
    """Makes the structure of a text that of the moment."""
    _learning.waiting = _learning.patience
    structure = structure_of(text)
    _learning.structure = structure
    if structure is None:
        _learning.waiting = _learning.patience = min(_learning.patience * 4, _MAX_PATIENCE)
    return structure


def structure_of(text: str) -> Structure | None:
    """The structure of plain JSON without escapes; None for anything else, for scalars, and for what is too large to pay."""
    if len(text) > _MAX_SIZE or text[:1] not in ("{", "[") or parse_standard(text) is NOT_STANDARD:
        return None
    expression: list[str] = []
    skeleton: list[str] = []
    n_scalars = place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        place = token.end()
        if token[1] is None or text[place:].lstrip(" \t\n\r")[:1] == ":":
            expression.append(re.escape(token[0]))
            skeleton.append(token[0])
        else:
            n_scalars += 1
            expression.append(_SCALAR)
            skeleton.append(str(n_scalars))
    if not 0 < n_scalars <= _MAX_SCALARS:
        return None
    return Structure("".join(expression), parse_standard("".join(skeleton)))


def scalar_at(text: str, path: str) -> Any:
    """The SQL value of the scalar at a path, None where there is nothing; NOT_STANDARD if the text has to be parsed.

    Source: https://www.sqlite.org/json1.html section 4.8
    """
    found = _last
    if found is None or found[0] is not text:
        found = structured(text)
        if found is None:
            return NOT_STANDARD
    _, structure, match = found
    group = structure.groups.get(path)
    if group is None:
        group = structure.group(path)
    if group > 0:
        token = match[group]
        if token[0] == '"':
            return token[1:-1]
        value = _values.get(token, _values)
        return scalar_value(token) if value is _values else value
    return None if group == NOWHERE else NOT_STANDARD


def scalars_at(text: str, path: str) -> Sequence[str] | None:
    """The texts of an array's elements, if all are scalars; None if the text has to be parsed."""
    found = structured(text)
    take = found and found[1].array(path)
    return take(found[2]) if found and take else None


_MAX_VALUES = 1000
_values: dict[str, Any] = {}


def scalar_value(token: str) -> Any:
    """The SQL value of a scalar of plain JSON without escapes; those of short tokens are remembered.

    Source: https://www.sqlite.org/json1.html section 4.8
    """
    if token[0] == '"':
        return token[1:-1]
    value = value_of_node(parse_standard(token))
    if len(token) <= 18:
        if len(_values) >= _MAX_VALUES:
            _values.clear()
        _values[token] = value
    return value
