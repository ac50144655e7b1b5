"""INSERT, UPDATE and DELETE on virtual tables: every row is one VUpdate, the module does the rest.

The rows of UPDATE and DELETE are gathered before the first one changes.

Source: https://www.sqlite.org/vtab.html#xupdate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.planner.gathering import gather_rows
from minisql.planner.rows import row_source
from minisql.planner.scope import ROWID, Scope
from minisql.planner.trust import refuse_unsafe_table
from minisql.planner.writes import use_database

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.parser import ast
    from minisql.planner.assignments import Assignments
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters


def check_writable_module(compiler: Compiler, table: Table) -> None:
    """Connects the table and refuses it if its module cannot change it."""
    if table.module_instance is None:
        compiler.context.connect_virtual_table(table)
    if compiler.trigger is not None:
        refuse_unsafe_table(compiler, table)
    if not compiler.context.is_writable_virtual(table):
        raise sqlite_error(ERROR, f"table {table.name} may not be modified")


def begin_virtual_write(compiler: Compiler, table: Table, is_single: bool = False) -> None:
    """Notes what every change of a virtual table needs; a single row cannot fail half-way."""
    use_database(compiler, table.schema_index, True)
    if not is_single:
        compiler.needs_statement_journal = True


def refuse_virtual_returning(table: Table, verb: str, returning: object) -> None:
    """RETURNING works with INSERT only."""
    if table.module is not None and returning is not None:
        raise sqlite_error(ERROR, f"{verb} RETURNING is not available on virtual tables")


def emit_virtual_insert(compiler: Compiler, table: Table, new: RowRegisters, rowid_source: int, conflict: int) -> None:
    """One new row; the module gets values as they are, without affinity, but a rowid that is given must be an integer."""
    null = rowid = compiler.constant(None)
    if rowid_source:
        rowid = compiler.register()
        compiler.emit(op.SCopy, rowid_source, rowid)
        is_null = compiler.label()
        compiler.emit(op.IsNull, rowid, is_null)
        compiler.emit(op.MustBeInt, rowid, 0)
        compiler.place(is_null)
    registers = (null, rowid, *new.column_registers())
    _emit_change(compiler, table, registers, conflict, None, compiler.register())


def _key(table: Table) -> int:
    """What names a row: the rowid, or the primary key of a WITHOUT ROWID table, which has one column."""
    return table.primary_key[0] if table.is_without_rowid and table.primary_key else ROWID


def emit_virtual_delete(compiler: Compiler, table: Table, node: ast.Delete, scope: Scope | None) -> None:
    """DELETE."""
    begin_virtual_write(compiler, table)
    cursor = gather_rows(compiler, node, [_key(table)], (), scope)
    builder = compiler.builder
    row = builder.register()
    end = compiler.label()
    builder.begin_loop(op.Rewind, cursor, end, row, 1)
    _emit_change(compiler, table, (row,), 0, None, 0)
    builder.end_loop(op.Next, 0, end)


def emit_virtual_update(
    compiler: Compiler,
    table: Table,
    node: ast.Update,
    scope: Scope | None,
    assignments: Assignments,
    rows: tuple[RowRegisters, RowRegisters],
    conflict: int,
) -> None:
    """UPDATE; `rows` are the registers of the old and the new row."""
    begin_virtual_write(compiler, table)
    old, new = rows
    columns = range(len(table.columns))
    values = assignments.expressions if node.sources else []
    cursor = gather_rows(compiler, node, [_key(table), *columns], values, scope, False, node.sources)
    builder = compiler.builder
    width = 1 + len(columns) + len(values)
    row = builder.registers(width)
    end = compiler.label()
    builder.begin_loop(op.Rewind, cursor, end, row, width)
    for number, register in enumerate(old.column_registers()):
        compiler.emit(op.SCopy, row + 1 + number, register)
        compiler.emit(op.SCopy, row + 1 + number, new.column(number))
    compiler.emit(op.SCopy, row, old.rowid)
    compiler.emit(op.SCopy, row, new.rowid)
    given = [row + 1 + len(columns) + number for number in range(len(values))] if node.sources else None
    assignments.emit_values(compiler, new, Scope([row_source(table, old, node.target.alias)], scope), given)
    key = _key(table)
    new_key = new.rowid if key == ROWID else new.column(key)
    registers = (row, new_key, *new.column_registers())
    _emit_change(compiler, table, registers, conflict, frozenset(assignments.assigned), 0)
    builder.end_loop(op.Next, 0, end)


def _emit_change(
    compiler: Compiler,
    table: Table,
    registers: tuple[int, ...],
    conflict: int,
    assigned: frozenset[int] | None,
    result: int,
) -> None:
    operands = (table.schema_index, table.name, registers, assigned)
    compiler.emit(op.VUpdate, 0, conflict, result, operands, op.COUNT_CHANGE)
