"""Makes a case small: statements are left out (delta debugging), then clauses, subqueries, columns and rows by sqlglot's trees.

A smaller case replaces a larger one only if it still fails, so neither step has to keep a statement's meaning.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import sqlglot
from sqlglot import exp

from tests.fuzz.judging import Case

Fails = Callable[[Case], bool]
_KEPT = ("this", "kind", "expression")


def shrunk(case: Case, fails: Fails, seconds: float = 30.0) -> Case:
    """The smallest case found in the time."""
    end = time.monotonic() + seconds
    case = fewer_statements(case, fails, end)
    for _ in range(3):
        before = case
        for position in reversed(range(len(case.script))):
            case = smaller_statement(case, position, fails, end)
        case = fewer_statements(case, fails, end)
        if case == before or time.monotonic() > end:
            break
    for setting in case.settings:
        plainer = replace(case, settings=tuple(other for other in case.settings if other != setting))
        case = plainer if fails(plainer) else case
    plainer = replace(case, in_file=False)
    return plainer if case.in_file and fails(plainer) else case


def fewer_statements(case: Case, fails: Fails, end: float) -> Case:
    """Leaves out runs of statements, halves first; the last statement stays."""
    size = max(1, len(case.script) // 2)
    while True:
        start = 0
        progressed = False
        while start < len(case.script) - 1 and time.monotonic() < end:
            kept = case.script[:start] + case.script[min(start + size, len(case.script) - 1) :]
            smaller = replace(case, script=kept)
            if fails(smaller):
                case, progressed = smaller, True
            else:
                start += size
        if time.monotonic() > end or (size == 1 and not progressed):
            return case
        size = max(1, size // 2)


def smaller_statement(case: Case, position: int, fails: Fails, end: float) -> Case:
    """The case with one statement cut down through its tree."""
    tree = parsed(case.script[position])
    if tree is None:
        return case

    def with_text(text: str) -> Case:
        return replace(case, script=(*case.script[:position], text, *case.script[position + 1 :]))

    text = written_back(tree)
    if text is None or not fails(with_text(text)):
        return case
    case = with_text(text)
    progressed = True
    while progressed and time.monotonic() < end:
        progressed = False
        size = len(case.script[position])
        for smaller in reductions(tree):
            if time.monotonic() > end:
                break
            text = written_back(smaller)
            if text is not None and len(text) < size and fails(candidate := with_text(text)):
                case, tree, progressed = candidate, smaller, True
                break
    return case


def parsed(sql: str) -> exp.Expression | None:
    """sqlglot's tree, None for what it does not know."""
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except Exception:  # sqlglot raises more than its own errors
        return None
    return None if isinstance(tree, exp.Command) else tree


def written_back(tree: exp.Expression) -> str | None:
    """The tree as SQL; None for one that lacks a part that its writer needs."""
    try:
        return tree.sql(dialect="sqlite", unsupported_level=sqlglot.ErrorLevel.IGNORE)
    except Exception:  # a writer meets a tree without a part: any error
        return None


def reductions(tree: exp.Expression) -> Iterator[exp.Expression]:
    """Copies of the tree with one part less, the large parts first."""
    nodes = list(tree.bfs())
    for number, node in enumerate(nodes):
        for name, value in list(node.args.items()):
            if isinstance(value, list):
                for i in range(len(value)) if len(value) > 1 or name not in ("expressions",) else ():
                    yield _edited(tree, number, name, value[:i] + value[i + 1 :])
            elif isinstance(value, exp.Expression) and name not in _KEPT:
                yield _edited(tree, number, name, None)
            elif value is True:
                yield _edited(tree, number, name, False)
    for number, node in enumerate(nodes):
        if number and isinstance(node, (exp.Condition, exp.Subquery, exp.SetOperation)):
            for child in node.iter_expressions():
                if isinstance(child, (exp.Condition, exp.Subquery, exp.Select)):
                    yield _replaced(tree, number, child.copy())
            if not isinstance(node, (exp.Literal, exp.Null, exp.Column, exp.SetOperation)):
                yield _replaced(tree, number, exp.Literal.number(1))
                yield _replaced(tree, number, exp.Null())


def _edited(tree: exp.Expression, number: int, name: str, value: object) -> exp.Expression:
    copy = tree.copy()
    node = list(copy.bfs())[number]
    node.set(
        name,
        [item.copy() if isinstance(item, exp.Expression) else item for item in value] if isinstance(value, list) else value,
    )
    return copy


def _replaced(tree: exp.Expression, number: int, other: exp.Expression) -> exp.Expression:
    copy = tree.copy()
    list(copy.bfs())[number].replace(other)
    return copy
