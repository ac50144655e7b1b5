"""Which terms an index can serve, whether it covers a query, and whether a partial index may be used.

Source: https://www.sqlite.org/optoverview.html section 2, https://www.sqlite.org/partialindex.html section 3,
https://www.sqlite.org/expridx.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.parser import ast
from minisql.planner.nodes import SourceColumn
from minisql.planner.scope import ROWID
from minisql.planner.terms import names_in, split
from minisql.values.affinity import NUMERIC, TEXT

if TYPE_CHECKING:
    from minisql.catalog.schema import Index, IndexColumn
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Input
    from minisql.planner.terms import Candidate, Term


class Usage:
    """The names that a block's statement uses: what a covering index has to hold.

    `allows_covering_scan` is False when rows that are found will be changed: then an index is searched, but not scanned.
    """

    __slots__ = ("_by_source", "allows_covering_scan", "names")

    def __init__(self, names: set[tuple[str | None, str]]) -> None:
        self.names = names
        self.allows_covering_scan = True
        self._by_source: dict[str, frozenset[str] | None] = {}

    @classmethod
    def of_one(cls, source_name: str, names: frozenset[str] | None) -> Usage:
        """The usage of a statement with a single source, by the names that may be its columns (None: all)."""
        usage = cls(set())
        usage._by_source[source_name] = names
        return usage

    def of_source(self, name: str) -> frozenset[str] | None:
        """The names that may mean columns of the source with that (lower-case) name; None for all of them."""
        if name not in self._by_source:
            names = self.names
            if ("*", "*") in names or (name, "*") in names:
                self._by_source[name] = None
            else:
                self._by_source[name] = frozenset(
                    column for table, column in names if table is None or table == name
                )
        return self._by_source[name]

    def uses(self, made: Input, name: str) -> bool:
        """Whether a column (lower case) of an input may be used."""
        used = self.of_source(made.source.name)
        return used is None or name in used


def usage_of(roots: list[object]) -> Usage:
    """The names used below some nodes."""
    return Usage(names_in(roots))


def covers(made: Input, missing: frozenset[str], usage: Usage) -> bool:
    """Whether an index entry that lacks the `missing` columns holds all columns of the table that are used."""
    if not missing:
        return True
    used = usage.of_source(made.source.name)
    return used is not None and missing.isdisjoint(used)


def find_term(compiler: Compiler, made: Input, index: Index, column: IndexColumn, candidate: Candidate) -> bool:
    """Whether a candidate constrains an index column in a way that the index can serve."""
    if column.position == -2:
        if candidate.expression is None or column.expression is None:
            return False
        if not same_expression(compiler, candidate.expression, column.expression, made):
            return False
        return candidate.collation in ("", column.collation.name.upper())
    if candidate.position != column.position:
        return False
    if candidate.operator in ("ISNULL", "NOTNULL"):
        return True
    affinity = index.table.columns[column.position].affinity
    if candidate.affinity == TEXT and affinity != TEXT:
        return False
    if candidate.affinity >= NUMERIC and affinity < NUMERIC:
        return False
    return candidate.collation == column.collation.name.upper()


def same_expression(compiler: Compiler, left: ast.Expression, right: ast.Expression, made: Input) -> bool:
    """Whether two expressions mean the same over the rows of one input; qualifiers and letter case of names do not count."""
    pairs: list[tuple[object, object]] = [(left, right)]
    while pairs:
        first, second = pairs.pop()
        if first.__class__ is ast.Collate and second.__class__ is not ast.Collate:
            return False
        if isinstance(first, (ast.Column, SourceColumn)) and isinstance(second, ast.Column):
            if _column_position(first, made) != _column_position(second, made):
                return False
            continue
        if first.__class__ is not second.__class__:
            return False
        if isinstance(first, list) and isinstance(second, list):
            if len(first) != len(second):
                return False
            pairs.extend(zip(first, second))
        elif isinstance(first, tuple) and isinstance(second, tuple):
            pairs.extend(zip(first, second))
        elif isinstance(first, (ast.Expression, ast.Part)):
            for name in ast.fields(first.__class__):
                if name == "name" and isinstance(first, ast.FunctionCall):
                    if first.name.lower() != second.name.lower():  # type: ignore[attr-defined]
                        return False
                elif name not in ("position", "first", "end"):
                    pairs.append((getattr(first, name), getattr(second, name)))
        elif first != second or first.__class__ is not second.__class__:
            return False
    return True


def _column_position(node: ast.Column | SourceColumn, made: Input) -> int | str:
    if isinstance(node, SourceColumn):
        return node.position if node.source is made.source else -9
    if node.table is not None and node.table.lower() != made.source.name:
        return -9
    position = made.source.positions.get(node.name.lower())
    if position is None:
        return ROWID if node.name.lower() in ("rowid", "oid", "_rowid_") else node.name
    if made.table is not None and position == made.table.rowid_alias:
        return ROWID
    return position


def partial_index_is_usable(compiler: Compiler, made: Input, index: Index, terms: list[Term]) -> bool:
    """Whether the terms of a query imply the WHERE of a partial index."""
    wanted = split(index.where)
    return all(any(_implies(compiler, term, part, made) for term in terms) for part in wanted)


def _implies(compiler: Compiler, term: Term, part: ast.Expression, made: Input) -> bool:
    if term.owner is not None and term.owner is not made:
        return False
    expression = term.expression
    if same_expression(compiler, expression, part, made):
        return True
    if part.__class__ is ast.Or:
        return any(_implies(compiler, term, item, made) for item in part.terms)
    if part.__class__ is ast.NotNull:
        return _never_null(expression, part.operand, compiler, made)
    return False


def _never_null(expression: ast.Expression, operand: ast.Expression, compiler: Compiler, made: Input) -> bool:
    """Whether the truth of `expression` implies that `operand` is not NULL."""
    if expression.__class__ is ast.Binary:
        operator = expression.operator
        if operator in ("=", "<", "<=", ">", ">=", "<>"):
            left, right = expression.left, expression.right
            return same_expression(compiler, left, operand, made) or same_expression(compiler, right, operand, made)
        return False
    if expression.__class__ is ast.Between and not expression.is_negated:
        return same_expression(compiler, expression.operand, operand, made)
    if expression.__class__ in (ast.InList, ast.InSelect, ast.Like) and not expression.is_negated:
        return same_expression(compiler, expression.operand, operand, made)
    return False
