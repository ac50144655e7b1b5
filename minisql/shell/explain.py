"""Explain: query plans as trees and programs as listings.

    QUERY PLAN
    |--SCAN a
    `--LIST SUBQUERY 2
       `--SCAN b

A plan comes as rows (id, parent, unused, detail) in the order of the tree's lines; a program as rows of EXPLAIN.

Source: https://www.sqlite.org/eqp.html, https://www.sqlite.org/cli.html#querying_the_database_schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from minisql.values.cast import to_text

_HEADINGS = (("addr", 4), ("opcode", 13), ("p1", 4), ("p2", 4), ("p3", 4), ("p4", 13), ("p5", 2), ("comment", 13))


def plan_lines(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """The lines of a query plan as a tree; none for a statement without a plan."""
    children: dict[int, list[tuple[int, str]]] = {}
    for number, parent, _unused, detail in rows:
        children.setdefault(parent, []).append((number, detail))
    if not children:
        return
    yield "QUERY PLAN\n"
    stack = [(entry, "", at == 0) for at, entry in enumerate(reversed(children.get(0, [])))]
    while stack:
        (number, detail), indent, is_last = stack.pop()
        yield f"{indent}{'`--' if is_last else '|--'}{detail}\n"
        below = indent + ("   " if is_last else "|  ")
        stack.extend((entry, below, at == 0) for at, entry in enumerate(reversed(children.get(number, []))))


def explain_lines(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """The listing of a program; a value wider than its column moves the rest of its line."""
    yield "  ".join(name.ljust(width) for name, width in _HEADINGS) + "\n"
    yield "  ".join("-" * width for _name, width in _HEADINGS) + "\n"
    for row in rows:
        cells = ["" if value is None else value if isinstance(value, str) else to_text(value) for value in row]
        padded = [cell.ljust(width) for cell, (_name, width) in zip(cells[:-1], _HEADINGS)]
        yield "  ".join([*padded, cells[-1]]) + "\n"
