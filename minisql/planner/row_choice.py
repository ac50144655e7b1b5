"""Short ways to the rows that an UPDATE or DELETE changes: one row by its rowid, or a scan that changes rows in passing.

Source: https://www.sqlite.org/lang_update.html, https://www.sqlite.org/optoverview.html section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.parser import ast
from minisql.planner.references import walk
from minisql.planner.rows import emit_virtual_columns
from minisql.planner.scope import ROWID_NAMES

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters
    from minisql.planner.scope import Scope
    from minisql.planner.targets import Target

_VARYING = frozenset((ast.Column, ast.Select, ast.InTable, ast.FunctionCall, ast.Raise))

RowidTerm = tuple[ast.Expression, list[ast.Expression]]
"""The value that the rowid must equal, and the other terms of WHERE."""


def rowid_term(table: Table, target: ast.TableSource, where: ast.Expression | None) -> RowidTerm | None:
    """Finds `rowid = value` among the terms of WHERE, where the value is the same for all rows."""
    if where is None or table.is_without_rowid:
        return None
    terms = where.terms if isinstance(where, ast.And) else [where]
    for number, term in enumerate(terms):
        if isinstance(term, ast.Binary) and term.operator == "=":
            for side, value in ((term.left, term.right), (term.right, term.left)):
                if _is_rowid(table, target, side) and not any(node.__class__ in _VARYING for node in walk(value)):
                    return value, terms[:number] + terms[number + 1 :]
    return None


def _is_rowid(table: Table, target: ast.TableSource, node: ast.Expression) -> bool:
    if not isinstance(node, ast.Column) or node.schema is not None:
        return False
    if node.table is not None and node.table.lower() != (target.alias or target.name).lower():
        return False
    position = table.column_positions.get(node.name.lower())
    if position is None:
        return node.name.lower() in ROWID_NAMES
    return position == table.rowid_alias


def emit_chosen_row(
    compiler: Compiler,
    target: Target,
    row: RowRegisters,
    term: RowidTerm,
    scope: Scope,
    emit_body: Callable[[int], None],
) -> None:
    """Seeks the row, tests the other terms, runs the body once; the body gets the label that skips it."""
    value, rest = term
    done = compiler.label()
    register = compiler.emit_expression(value, scope)
    compiler.emit(op.SeekRowid, target.cursor, done, row.base, register)
    if target.layout.rowid_offset < 0:
        compiler.emit(op.Rowid, target.cursor, row.rowid)
    emit_virtual_columns(compiler, target.table, row)
    for other in rest:
        compiler.emit_condition(other, scope, done, False, True)
    emit_body(done)
    compiler.place(done)


_COMPARISONS = frozenset(("=", "<", "<=", ">", ">=", "IS"))


def _searchable_names(where: ast.Expression) -> set[str]:
    """The lower-case names of columns that are compared as they are, in any term of ANDs and ORs: an index may serve them."""
    names: set[str] = set()
    pending = [where]
    while pending:
        term = pending.pop()
        operands: list[ast.Expression] = []
        if isinstance(term, (ast.And, ast.Or)):
            pending.extend(term.terms)
        elif isinstance(term, ast.Binary):
            if term.operator in _COMPARISONS:
                operands = [term.left, term.right]
        elif isinstance(term, (ast.Between, ast.InList, ast.InSelect, ast.InTable, ast.IsNull, ast.NotNull, ast.Like)):
            operands = [term.operand]
        for operand in operands:
            while isinstance(operand, ast.Collate) or (isinstance(operand, ast.Unary) and operand.operator == "+"):
                operand = operand.operand
            if isinstance(operand, ast.Column):
                names.add(operand.name.lower())
            elif isinstance(operand, ast.RowValue):
                names.update(item.name.lower() for item in operand.items if isinstance(item, ast.Column))
    return names


def may_use_index(table: Table, where: ast.Expression | None) -> bool:
    """Tells whether an index or the rowid may lead the search for rows, so that a plain scan would be a waste."""
    if where is None:
        return False
    names = _searchable_names(where)
    if names & ROWID_NAMES or (table.rowid_alias >= 0 and table.columns[table.rowid_alias].name.lower() in names):
        return True
    for index in table.indexes:
        first = index.columns[0]
        if first.position < 0 or table.columns[first.position].name.lower() in names:
            return True
    return False
