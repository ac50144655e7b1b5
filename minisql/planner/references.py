"""Which names an expression mentions, without resolving them: for dependencies between columns, indexes and triggers.

The walk is a loop over the slots of the nodes, so the depth of a tree does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.parser import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIELDS: dict[type, tuple[str, ...]] = {}
_ATOMS = frozenset({str, int, float, bytes, bool, type(None)})


def walk(*roots: object) -> Iterator[object]:
    """Yields every node below the roots and the roots themselves, each before its parts; lists and tuples are entered."""
    pending = list(roots)
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind in _ATOMS:
            continue
        if kind is list or kind is tuple:
            pending.extend(node)  # type: ignore[arg-type]
            continue
        yield node
        names = _FIELDS.get(kind)
        if names is None:
            names = _FIELDS[kind] = ast.fields(kind)
        pending.extend([getattr(node, name) for name in names])


def referenced_names(*roots: object) -> set[str]:
    """The lower-case names of all column references below the roots, qualified or not."""
    return {node.name.lower() for node in walk(*roots) if node.__class__ is ast.Column}


def has_subquery(*roots: object) -> bool:
    """Tells whether a SELECT stands anywhere below the roots."""
    return any(node.__class__ is ast.Select or node.__class__ is ast.InTable for node in walk(*roots))


def calls_function(*roots: object) -> bool:
    """Tells whether a function is called anywhere below the roots."""
    return any(node.__class__ is ast.FunctionCall for node in walk(*roots))
