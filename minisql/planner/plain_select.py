"""The plain SELECT: one core over nothing, or over whole tables of which there is nothing to choose, in one go.

Most statements that run only once are like that, and for them the stages of the general way (binding, planning, finishing)
cost more than what they do.  This emits the same program without them; `emit_plain_select` declines, before anything is
emitted, whatever needs more.  PRAGMA minisql_fast_path = off plans everything, so tests compare both ways.

Source: https://www.sqlite.org/lang_select.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.limits import COLUMN
from minisql.parser import ast
from minisql.planner.aggregate_code import Calls, emit_grouped, emit_shortcut, find_calls
from minisql.planner.binding import TABLE, Block, BoundSelect, Input, expand_results
from minisql.planner.block_plan import BlockPlan
from minisql.planner.conditions import emit_condition
from minisql.planner.expressions import emit_expression
from minisql.planner.scope import Scope, Source, row_registers, stored_width
from minisql.planner.select_code import Finisher, Limits

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler

_CHOOSING_JOINS = ast.JOIN_LEFT | ast.JOIN_RIGHT | ast.JOIN_NATURAL


def emit_plain_select(compiler: Compiler, node: ast.Select) -> BoundSelect | None:
    """Emits a SELECT whose rows are the statement's; None, with nothing done, if it is not a plain one."""
    core = node.cores[0]
    if (
        core.__class__ is not ast.Core
        or node.order_by is not None
        or node.limit is not None
        or node.with_clause is not None
        or len(node.cores) > 1
        or core.group_by is not None
        or core.having is not None
        or core.windows is not None
    ):
        return None
    scope = Scope([])
    block = Block(core, scope)
    items = core.sources
    if items and not _bind_tables(compiler, core, scope):
        return None
    expand_results(compiler, core.columns, block)
    if len(block.results) > compiler.context.limits[COLUMN]:
        raise sqlite_error(ERROR, "too many columns in result set")
    text = compiler.text
    if text is None or "(" in text.sql:
        calls = find_calls(compiler, block, None)
        if calls.windows:
            return None
        if calls.is_grouped:
            _emit_grouped(compiler, block, calls)
            return _bound(node, block)
    _emit_rows(compiler, block)
    return _bound(node, block)


def _bound(node: ast.Select, block: Block) -> BoundSelect:
    bound = BoundSelect(node, None)
    bound.blocks.append(block)
    return bound


def _bind_tables(compiler: Compiler, core: ast.Core, scope: Scope) -> bool:
    """Makes a source of every table in FROM; false if there may be something to choose, or anything but stored tables."""
    items = core.sources
    has_where = core.where is not None
    if compiler.mentions_rowid and (has_where or len(items) > 1):
        return False
    if has_where and len(items) > 1:
        return False
    needs_scan = has_where or core.is_distinct
    find_table = compiler.context.catalog.find_table
    sources = scope.sources
    for item in items:
        if item.__class__ is not ast.TableSource or item.schema is not None or item.indexed_by is not None:
            return False
        join = item.join
        if join is not None and (join.flags & _CHOOSING_JOINS or join.on is not None or join.using):
            return False
        table: Table | None = find_table(item.name)
        if (
            table is None
            or table.view is not None
            or table.module is not None
            or table.indexes
            or (needs_scan and table.rowid_alias >= 0)
        ):
            return False
        source = Source(item.alias or item.name, table.columns, table.column_positions, [], table)
        source.schema_name = table.schema_name
        source.has_rowid = True
        source.is_stored = True
        sources.append(source)
    return True


def _emit_rows(compiler: Compiler, block: Block) -> None:
    """The scans, WHERE inside of the innermost, and the result row."""
    builder = compiler.builder
    scope = block.scope
    core = block.core
    assert core is not None, "VALUES is not plain"
    distinct = -1
    if core.is_distinct:
        distinct = builder.cursor()
        collations = tuple([compiler.collation_for(result.expression, scope) for result in block.results])
        builder.emit(op.SetOpen, distinct, 0, 0, collations)
    done = builder.label()
    opened = []
    for source in scope.sources:
        table = source.table
        assert table is not None, "only tables are scanned"
        width = stored_width(table)
        source.cursor = compiler.open_read(table)
        first = builder.registers(width)
        source.registers = row_registers(table, first)
        opened.append((source.cursor, first, width))
    loops = []
    next_label = done
    for cursor, first, width in opened:
        loop_end = builder.label()
        builder.begin_loop(op.Rewind, cursor, loop_end, first, width)
        next_label = builder.label()
        loops.append((next_label, loop_end))
    if core.where is not None:
        emit_condition(compiler, core.where, scope, next_label, False, True)
    registers = tuple([emit_expression(compiler, result.expression, scope) for result in block.results])
    if distinct >= 0:
        builder.emit(op.SetInsert, distinct, next_label, 0, registers)
    builder.emit(op.ResultRow, 0, 0, 0, registers)
    while loops:
        next_label, loop_end = loops.pop()
        builder.end_loop(op.Next, next_label, loop_end)
    builder.place(done)


def _emit_grouped(compiler: Compiler, block: Block, calls: Calls) -> None:
    """One group over all rows."""
    emit = compiler.emit
    done = compiler.label()
    inputs = block.inputs
    for source in block.scope.sources:
        made = Input(TABLE, source)
        made.table = source.table
        inputs.append(made)

    def sink(registers: tuple[int, ...], _done: int) -> None:
        emit(op.ResultRow, 0, 0, 0, registers)

    limits = Limits()
    if not emit_shortcut(compiler, block, calls, None, limits, sink, done):
        finisher = Finisher(compiler, block, None, limits, sink, done)
        finisher.open()
        emit_grouped(compiler, block, BlockPlan([], [], False, False, inputs), calls, finisher, done)
    compiler.place(done)
