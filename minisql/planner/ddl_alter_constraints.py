"""Code for ALTER TABLE ... ALTER COLUMN SET/DROP NOT NULL and ADD/DROP CONSTRAINT: the text changes, the rows only must agree.

Source: https://www.sqlite.org/lang_altertable.html; details of the texts were found by experiment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.rename import StoredText, column_extents
from minisql.errors import CONSTRAINT, ERROR, sqlite_error
from minisql.planner.ddl_alter import check_alterable, find_alterable, stored_text
from minisql.planner.definition_checks import CHECKS, check_definition_expression
from minisql.planner.inner_statements import allows_add_constraint, allows_drop_constraint, allows_set_not_null
from minisql.planner.layout import allocate_row, table_layout
from minisql.planner.rows import emit_schema_condition, emit_virtual_columns, names_scope, row_scope
from minisql.planner.schema_rows import emit_schema_change
from minisql.planner.stored_texts import Rewrite, emit_rewrites
from minisql.planner.writes import begin_ddl

if TYPE_CHECKING:
    from collections.abc import Callable

    from minisql.catalog.schema import Table
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters
    from minisql.planner.scope import Scope

_STARTS = frozenset(
    ("CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS")
)
_DROPPABLE = ("CHECK", "NOT")


class Piece:
    """One constraint in the text: tokens [first, end), the token that says its `kind`, and its CONSTRAINT `name` or None."""

    __slots__ = ("end", "first", "kind", "name")

    def __init__(self, first: int, end: int, kind: str, name: str | None) -> None:
        self.first = first
        self.end = end
        self.kind = kind
        self.name = name


def _constraint_table(compiler: Compiler, name: str, schema: str | None) -> Table:
    table = find_alterable(compiler, name, schema)
    check_alterable(compiler, table)
    if table.view is not None:
        raise sqlite_error(ERROR, f'cannot edit constraints of view "{table.name}"')
    if table.module is not None:
        raise sqlite_error(ERROR, f'cannot edit constraints of virtual table "{table.name}"')
    return table


def _position(table: Table, name: str) -> int:
    position = table.column_positions.get(name.lower())
    if position is None:
        raise sqlite_error(ERROR, f"no such column: {name}")
    return position


def emit_set_not_null(compiler: Compiler, node: ast.SetNotNull) -> None:
    """ALTER TABLE ... ALTER COLUMN ... SET NOT NULL."""
    table = _constraint_table(compiler, node.table, node.schema)
    position = _position(table, node.column)
    if not allows_set_not_null(compiler, table, table.columns[position].name):
        return
    begin_ddl(compiler, table.schema_index)

    def emit_test(row: RowRegisters, scope: Scope, passed: int) -> None:
        compiler.emit(op.NotNull, row.column(position), passed)

    _emit_test_rows(compiler, table, emit_test)
    sql = _without_not_null(table.sql, position)
    text = stored_text(sql)
    _, end = column_extents(text)[position]
    # Behind whatever blanks and comments stand before the comma or the parenthesis.
    place = text.spans[end][0]
    _emit_new_text(compiler, table, f"{sql[:place]} {node.text}{sql[place:]}")


def emit_drop_not_null(compiler: Compiler, node: ast.DropNotNull) -> None:
    """ALTER TABLE ... ALTER COLUMN ... DROP NOT NULL."""
    table = _constraint_table(compiler, node.table, node.schema)
    position = _position(table, node.column)
    if not allows_drop_constraint(compiler, table, table.columns[position].name):
        return
    begin_ddl(compiler, table.schema_index)
    _emit_new_text(compiler, table, _without_not_null(table.sql, position))


def emit_add_constraint(compiler: Compiler, node: ast.AddConstraint) -> None:
    """ALTER TABLE ... ADD [CONSTRAINT name] CHECK (...)."""
    table = _constraint_table(compiler, node.table, node.schema)
    constraint = node.constraint
    if not allows_add_constraint(compiler, table, constraint, names_scope(table, None, None)):
        return
    begin_ddl(compiler, table.schema_index)
    text = stored_text(table.sql)
    if constraint.name is not None:
        lowered = constraint.name.lower()
        if any(piece.name == lowered for piece in _all_pieces(text, len(table.columns))):
            raise sqlite_error(ERROR, f"constraint {constraint.name} already exists")
    check_definition_expression(compiler, table, constraint.expression, CHECKS)

    def emit_test(row: RowRegisters, scope: Scope, passed: int) -> None:
        emit_schema_condition(compiler, constraint.expression, scope, passed, True, True)

    _emit_test_rows(compiler, table, emit_test)
    place = text.spans[column_extents(text)[-1][1]][0]
    _emit_new_text(compiler, table, f"{table.sql[:place]}, {node.text}{table.sql[place:]}")


def emit_drop_constraint(compiler: Compiler, node: ast.DropConstraint) -> None:
    """ALTER TABLE ... DROP CONSTRAINT name."""
    table = _constraint_table(compiler, node.table, node.schema)
    if not allows_drop_constraint(compiler, table, None):
        return
    begin_ddl(compiler, table.schema_index)
    text = stored_text(table.sql)
    lowered = node.name.lower()
    for piece in _all_pieces(text, len(table.columns)):
        if piece.name == lowered:
            if piece.kind not in _DROPPABLE:
                raise sqlite_error(ERROR, f"constraint may not be dropped: {node.name}")
            _emit_new_text(compiler, table, _without_piece(text, piece))
            return
    raise sqlite_error(ERROR, f"no such constraint: {node.name}")


def _emit_new_text(compiler: Compiler, table: Table, sql: str) -> None:
    emit_rewrites(compiler, table.schema_index, [Rewrite("table", table.name, new_sql=sql)])
    emit_schema_change(compiler, table.schema_index, None)


def _emit_test_rows(compiler: Compiler, table: Table, emit_test: Callable[[RowRegisters, Scope, int], None]) -> None:
    """Every row must pass the test, which jumps to the label it is given."""
    builder = compiler.builder
    layout = table_layout(table)
    row = allocate_row(builder, layout)
    cursor = builder.cursor()
    end = compiler.label()
    compiler.emit(op.OpenRead, cursor, table.root_page, table.schema_index, table.shape)
    builder.begin_loop(op.Rewind, cursor, end, row.base, layout.n_stored)
    if not table.is_without_rowid and layout.rowid_offset < 0:
        compiler.emit(op.Rowid, cursor, row.rowid)
    emit_virtual_columns(compiler, table, row)
    passed = compiler.label()
    emit_test(row, row_scope(table, row), passed)
    compiler.emit(op.Halt, CONSTRAINT, op.ON_CONFLICT_ABORT, p4="constraint failed")
    builder.end_loop(op.Next, passed, end)


def _without_not_null(sql: str, position: int) -> str:
    text = stored_text(sql)
    first, end = column_extents(text)[position]
    for piece in _pieces(text, first, end, True):
        if piece.kind == "NOT":
            return _without_piece(text, piece)
    return sql


def _all_pieces(text: StoredText, n_columns: int) -> list[Piece]:
    pieces: list[Piece] = []
    for number, (first, end) in enumerate(column_extents(text)):
        pieces += _pieces(text, first, end, number < n_columns)
    return pieces


def _pieces(text: StoredText, first: int, end: int, is_column: bool) -> list[Piece]:
    """The constraints among the tokens [first, end) of one item of the column list."""
    words = [word.upper() for word in text.words]
    starts: list[int] = []
    depth = 0
    for token in range(first + 1 if is_column else first, end):
        word = words[token]
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
        elif depth == 0 and word in _STARTS | {"FOREIGN"} and _begins_constraint(words, token):
            starts.append(token)
    pieces = []
    for start, following in zip(starts, [*starts[1:], end]):
        if words[start] == "CONSTRAINT":
            kind = words[start + 2] if start + 2 < following else ""
            pieces.append(Piece(start, following, kind, text.names[start + 1]))
        else:
            pieces.append(Piece(start, following, words[start], None))
    return pieces


def _begins_constraint(words: list[str], token: int) -> bool:
    word = words[token]
    before = words[token - 1]
    if before == "CONSTRAINT" or words[token - 2] == "CONSTRAINT":
        return False
    if word == "NOT":
        return words[token + 1] == "NULL"
    if word in ("NULL", "DEFAULT"):
        return before not in ("NOT", "DEFAULT", "SET")
    return not (word == "AS" and before == "ALWAYS")


def _without_piece(text: StoredText, piece: Piece) -> str:
    """The text without a constraint: with the blanks behind it, or at the end of an item with the comma or blanks before."""
    words, spans, sql = text.words, text.spans, text.sql
    first, end = piece.first, piece.end
    if words[first - 1] == ",":
        # A whole table constraint.
        if words[end] == ",":
            return sql[: spans[first][0]] + sql[spans[end + 1][0] :]
        return sql[: spans[first - 1][0]] + sql[spans[end - 1][1] :]
    if words[end] in (",", ")"):
        return sql[: spans[first - 1][1]] + sql[spans[end - 1][1] :]
    return sql[: spans[first][0]] + sql[spans[end][0] :]
