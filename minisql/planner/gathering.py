"""Rows gathered in a list before a statement changes anything: of a SELECT, or the keys of the rows to change.

Source: https://www.sqlite.org/lang_update.html, https://www.sqlite.org/lang_delete.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import SortSpec
from minisql.parser import ast
from minisql.planner.binding import bind_select, with_scope
from minisql.planner.index_terms import Usage
from minisql.planner.join_order import order_joins
from minisql.planner.loops import emit_lone_loop
from minisql.planner.nodes import SourceColumn
from minisql.planner.plain_select import emit_plain_select
from minisql.planner.query_blocks import TABLE, Input
from minisql.planner.scope import ROWID, Scope, Source
from minisql.planner.terms import make_term, names_in, split
from minisql.values.collation import BINARY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.catalog.schema import Column, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import BoundSelect

_NULL = ast.Literal(None)


def statement_scope(compiler: Compiler, with_clause: ast.With | None) -> Scope | None:
    """The scope around a statement's expressions: common tables of its WITH clause, OLD and NEW in a trigger."""
    outer = compiler.trigger.scope if compiler.trigger is not None else None
    return outer if with_clause is None else with_scope(compiler, with_clause, outer)


def gather_select(compiler: Compiler, select: ast.Select, scope: Scope | None) -> tuple[list[Column], int]:
    """The columns of a SELECT and a list cursor that holds its rows."""
    bound = bind_select(compiler, select, scope)
    return bound.columns, _emit_list(compiler, bound)


def gather_whole_select(compiler: Compiler, select: ast.Select, scope: Scope | None) -> tuple[int, int]:
    """The width of the rows of a SELECT and a list cursor that holds them; a plain SELECT takes its short way."""
    if scope is None and compiler.uses_fast_path and not compiler.wants_explain:
        builder = compiler.builder
        code = compiler.code
        start = len(code)
        cursor = builder.cursor()
        compiler.emit(op.OpenList, cursor, 0)
        if emit_plain_select(compiler, select, 0) is not None:
            width = 0
            for address in range(start, len(code)):
                if code[address][0] == op.ResultRow:
                    registers = code[address][4]
                    width = len(registers)
                    code[address] = (op.ListAppend, cursor, 0, 0, registers, 0)
            code[start] = (op.OpenList, cursor, width, 0, None, 0)
            return width, cursor
        del code[start:]
        builder.n_cursors = cursor
    columns, cursor = gather_select(compiler, select, scope)
    return len(columns), cursor


def _emit_list(compiler: Compiler, bound: BoundSelect) -> int:
    cursor = compiler.builder.cursor()
    compiler.emit(op.OpenList, cursor, len(bound.columns))

    def sink(registers: tuple[int, ...], _done: int) -> None:
        compiler.emit(op.ListAppend, cursor, p4=registers)

    compiler.emit_bound_select(bound, sink)
    return cursor


def key_positions(table: Table) -> list[int]:
    """The columns that name a row: ROWID, or the primary key of a WITHOUT ROWID table in the order of its tree."""
    if not table.is_without_rowid:
        return [ROWID]
    clustered = next(index for index in table.indexes if index.is_clustered)
    return [column.position for column in clustered.columns]


def gather_rows(
    compiler: Compiler,
    node: ast.Update | ast.Delete,
    positions: Sequence[int],
    values: Sequence[ast.Expression],
    scope: Scope | None,
    whole_rows: bool = False,
    joins: Sequence[ast.FromItem] = (),
) -> int:
    """A list cursor over every row of the target (joined with `joins`) that the statement's clauses admit.

    Its rows are the target's columns at `positions` (or ROWID), then `values`.  `whole_rows`: the rows might as well be changed
    where they are found, so an index may lead to them but is not scanned instead of the table.
    """
    if scope is None and not joins and node.limit is None and compiler.uses_fast_path and not compiler.wants_explain:
        if not (compiler.may_aggregate or compiler.has_subqueries):
            found = _gather_plainly(compiler, node, positions, whole_rows)
            if found >= 0:
                return found
    columns: list[ast.ResultColumn | ast.Star | ast.TableStar] = [
        ast.ResultColumn(expression, None, 0, 0) for expression in (*[_NULL] * len(positions), *values)
    ]
    core = ast.Core(columns, False, [node.target, *joins], node.where, None, None, None)
    bound = bind_select(compiler, ast.Select([core], [], node.order_by, node.limit, node.offset, None), scope)
    block = bound.blocks[0]
    # The target's own columns are meant, whatever else in FROM has its name.
    source = block.scope.sources[0]
    for result, position in zip(block.results, positions):
        result.expression = SourceColumn(source, position)
    block.needs_whole_rows = whole_rows
    first_row = len(compiler.explain_rows)
    cursor = _emit_list(compiler, bound)
    if whole_rows:
        # SQLite changes such rows as it finds them, so it needs the table as well and does not call the index covering.
        compiler.explain_rows[first_row:] = [
            (*row[:3], row[3].replace(" COVERING INDEX ", " INDEX ")) for row in compiler.explain_rows[first_row:]
        ]
    return cursor


def _gather_plainly(
    compiler: Compiler, node: ast.Update | ast.Delete, positions: Sequence[int], whole_rows: bool
) -> int:
    """As `gather_rows`, for the rowids of a stored table whose WHERE has no subqueries: the steps that matter for it, without
    a SELECT around them.  -1, with nothing done, if it is another target."""
    item = node.target
    if item.indexed_by is not None or item.is_not_indexed or positions != [ROWID]:
        return -1
    table = compiler.context.catalog.find_table(item.name, item.schema)
    if table is None or table.view is not None or table.module is not None or table.is_without_rowid or table.has_generated:
        return -1
    source = Source(item.alias or item.name, table.columns, table.column_positions, [], table)
    source.schema_name = table.schema_name
    source.has_rowid = source.is_stored = True
    made = Input(TABLE, source)
    made.table = table
    made.mask = source.mask = 1
    compiler.databases_read |= 1 << table.schema_index
    scope = Scope([source])
    terms = [make_term(compiler, part, scope, None, 1) for part in split(node.where)]
    usage = Usage(names_in([term.expression for term in terms]))
    usage.allows_covering_scan = not whole_rows
    made.usage = usage
    accesses, _ = order_joins(compiler, [made], terms, usage, None)
    cursor = compiler.builder.cursor()
    compiler.emit(op.OpenList, cursor, 1)
    done = compiler.label()
    key = SourceColumn(source, ROWID)

    def append(_next_label: int) -> None:
        compiler.emit(op.ListAppend, cursor, p4=(compiler.emit_expression(key, scope),))

    emit_lone_loop(compiler, accesses[0], terms, done, append)
    compiler.place(done)
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
