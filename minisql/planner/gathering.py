"""Rows gathered in a list before a statement changes anything: of a SELECT, or the keys of the rows to change.

Source: https://www.sqlite.org/lang_update.html, https://www.sqlite.org/lang_delete.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import SortSpec
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.binding import bind_select, with_scope
from minisql.values.collation import BINARY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.catalog.schema import Column, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope


def statement_scope(compiler: Compiler, with_clause: ast.With | None) -> Scope | None:
    """The scope around a statement's expressions: common tables of its WITH clause, OLD and NEW in a trigger."""
    outer = compiler.trigger.scope if compiler.trigger is not None else None
    return outer if with_clause is None else with_scope(compiler, with_clause, outer)


def gather_select(
    compiler: Compiler, select: ast.Select, scope: Scope | None, needs_whole_rows: bool = False
) -> tuple[list[Column], int]:
    """The columns of a SELECT and a list cursor that holds its rows.

    `needs_whole_rows`: the rows will be read from the table again, so an index that covers the SELECT is no shortcut.
    """
    bound = bind_select(compiler, select, scope)
    bound.blocks[0].needs_whole_rows = needs_whole_rows
    cursor = compiler.builder.cursor()
    compiler.emit(op.OpenList, cursor, len(bound.columns))

    def sink(registers: tuple[int, ...], _done: int) -> None:
        compiler.emit(op.ListAppend, cursor, p4=registers)

    compiler.emit_bound_select(bound, sink)
    return bound.columns, cursor


def rowid_name(table: Table) -> str:
    """A name by which the table's rowid can be reached."""
    if table.rowid_alias >= 0:
        return table.columns[table.rowid_alias].name
    for name in ("rowid", "_rowid_", "oid"):
        if name not in table.column_positions:
            return name
    raise sqlite_error(ERROR, f"no such column: {table.name}.rowid")


def key_expressions(table: Table, alias: str) -> list[ast.Expression]:
    """What names a row: its rowid, or the primary key of a WITHOUT ROWID table (fields in the order of its tree)."""
    if not table.is_without_rowid:
        return [ast.Column(rowid_name(table), alias, None, False, 0)]
    clustered = next(index for index in table.indexes if index.is_clustered)
    return [
        ast.Column(table.columns[column.position].name, alias, None, False, 0) for column in clustered.columns
    ]


def gather_keys(
    compiler: Compiler,
    node: ast.Update | ast.Delete,
    results: list[ast.Expression],
    scope: Scope | None,
    whole_rows: bool = False,
    joins: Sequence[ast.FromItem] = (),
) -> int:
    """A list cursor over `results` for every row of the target (joined with `joins`) that the statement's clauses admit."""
    columns: list[ast.ResultColumn | ast.Star | ast.TableStar] = [
        ast.ResultColumn(expression, None, 0, 0) for expression in results
    ]
    items: list[ast.FromItem] = [node.target, *joins]
    core = ast.Core(columns, False, items, node.where, None, None, None)
    select = ast.Select([core], [], node.order_by, node.limit, node.offset, None)
    _, cursor = gather_select(compiler, select, scope, whole_rows)
    return cursor


def emit_sort_by_key(compiler: Compiler, table: Table, cursor: int, width: int) -> None:
    """Sorts a list of rows that begin with the table's key in the order of the table.

    Rows that cannot be changed in passing are changed in that order, whatever index found them.
    """
    clustered = next((index for index in table.indexes if index.is_clustered), None)
    if clustered is None:
        spec = SortSpec((0,), (BINARY,), (False,), (True,), width)
    else:
        columns = clustered.columns
        spec = SortSpec(
            tuple(range(len(columns))),
            tuple(column.collation for column in columns),
            tuple(column.descending for column in columns),
            tuple(not column.descending for column in columns),
            width,
        )
    compiler.emit(op.ListSort, cursor, p4=spec)
