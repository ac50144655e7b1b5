"""Walking trees without recursion: the children of every node class as one call.

`CHILDREN[type(node)](node)` is a tuple of what lies directly below a node: nodes, lists of nodes, None.  The getters are
made once per class from the fields that can hold nodes; attrgetter makes them C calls, since planning walks every
expression of every statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from minisql.parser import ast
from minisql.planner.nodes import Held, SourceColumn

_PLAIN_FIELDS = frozenset(
    (
        "operator", "name", "position", "is_negated", "is_star", "is_distinct", "collation", "type_name", "is_descending",
        "nulls", "unit", "kind", "exclude", "schema", "table", "alias", "first", "end", "keyword", "number", "value",
        "is_double_quoted", "operators", "flags", "using", "indexed_by", "is_not_indexed", "is_recursive", "materialized",
        "action", "base", "is_row_list", "is_query_plan",
    )
)  # fmt: skip


_LEAVES = frozenset(
    (ast.Literal, ast.Column, ast.Variable, ast.CurrentTime, SourceColumn, Held, ast.Star, ast.TableStar)
)


def _nothing(node: Any) -> tuple[Any, ...]:
    return ()


def _getter(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    names = [name for name in ast.fields(kind) if name not in _PLAIN_FIELDS or (kind is ast.Core and name == "columns")]
    if kind is ast.FrameBound:
        names = ["expression"]
    if kind is ast.Frame:
        names = ["start", "end"]
    if kind in _LEAVES or not names:
        return _nothing
    if len(names) == 1:
        get = attrgetter(names[0])
        return lambda node: (get(node),)
    return attrgetter(*names)


class _Children(dict[type, Callable[[Any], tuple[Any, ...]]]):
    """Getters by class, made on first use."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[Any, ...]]:
        is_node = issubclass(kind, (ast.Expression, ast.Part, ast.Statement, ast.FromItem))
        getter = _getter(kind) if is_node else tuple if kind in (list, tuple) else _nothing
        self[kind] = getter
        return getter


CHILDREN: dict[type, Callable[[Any], tuple[Any, ...]]] = _Children()


def walk(root: object) -> Iterator[Any]:
    """All nodes below and including `root`, subqueries included, in no particular order."""
    pending = [root]
    children = CHILDREN
    while pending:
        node = pending.pop()
        yield node
        pending.extend(children[node.__class__](node))
