"""The plain SELECT: one core over nothing, over one table, or over tables joined without a condition, in one go.

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
from minisql.planner.aggregate_code import (
    Calls,
    aggregate_call,
    emit_grouped,
    emit_shortcut,
    find_calls,
    find_plain_calls,
    group_spec,
    map_keys,
    registers_of_calls,
    unique_calls_of,
)
from minisql.planner.binding import expand_results
from minisql.planner.block_plan import BlockPlan, block_usage, plan_block, scans_instead, wanted_order
from minisql.planner.conditions import emit_condition
from minisql.planner.expressions import emit_expression
from minisql.planner.index_terms import Usage
from minisql.planner.join_order import order_joins
from minisql.planner.loops import emit_lone_loop
from minisql.planner.ordering import bind_order_by
from minisql.planner.query_blocks import TABLE, Block, BoundSelect, Input, refuse_wide_join
from minisql.planner.scope import GroupMap, Scope, Source, row_registers, stored_width
from minisql.planner.select_code import Finisher, Limits
from minisql.planner.terms import make_term, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.bytecode.program import Instruction
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.ordering import OrderItem
    from minisql.planner.select_code import Sink

_CHOOSING_JOINS = ast.JOIN_LEFT | ast.JOIN_RIGHT | ast.JOIN_NATURAL


def emit_plain_select(compiler: Compiler, node: ast.Select, n_selects: int) -> BoundSelect | None:
    """Emits a SELECT whose rows are the statement's; None, with nothing done, if it is not a plain one.

    `n_selects` tells how many SELECTs the statement has.
    """
    core = node.cores[0]
    if (
        core.__class__ is not ast.Core
        or node.limit is not None
        or node.with_clause is not None
        or len(node.cores) > 1
        or core.windows is not None
        or (core.having is not None and core.group_by is None)
    ):
        return None
    is_grouping = core.group_by is not None
    scope = Scope([])
    block = Block(core, scope)
    items = core.sources
    columns = core.columns
    table = None
    # Whether there may be something to choose: how to reach the rows of the only table.
    has_choice = False
    if items:
        has_choice = len(items) == 1
        table = _bind_tables(compiler, items, scope)
        if table is None:
            return None
        if has_choice:
            has_choice = _may_choose(compiler, core, table)
        elif core.where is not None or compiler.mentions_rowid:
            return None
    if is_grouping and (not items or has_choice or node.order_by or compiler.mentions_rowid):
        return None
    bound = BoundSelect(node, None)
    bound.blocks.append(block)
    limit = compiler.context.limits[COLUMN]
    if (
        len(columns) == 1
        and columns[0].__class__ is ast.Star
        and table is not None
        and len(items) == 1
        and not (has_choice or node.order_by or core.is_distinct or table.has_generated or is_grouping)
        and len(table.columns) <= limit
    ):
        # The whole row as it lies in the registers: the columns are looked at when somebody asks for their names.
        _emit_rows(compiler, block)
        return bound
    expand_results(compiler, columns, block)
    if len(block.results) > limit:
        raise sqlite_error(ERROR, "too many columns in result set")
    refuse_wide_join(len(items))
    order = None
    if node.order_by:
        if not items:
            return None
        order = bind_order_by(compiler, node.order_by, block, bound)
        if items and not has_choice:
            has_choice = _may_be_in_order(compiler, order[0].expression, scope)
            if has_choice and len(items) > 1:
                return None
    calls = None
    if compiler.may_aggregate or is_grouping:
        calls = find_plain_calls(compiler, block) if n_selects == 1 and order is None and not is_grouping else None
        if calls is None:
            calls = find_calls(compiler, block, order)
        if calls.windows:
            return None
        if calls.is_grouped:
            if len(items) <= 1 and not has_choice and not compiler.mentions_rowid:
                _emit_lone_group(compiler, block, calls)
            else:
                _emit_grouped(compiler, block, calls, has_choice)
            return bound
    if has_choice:
        _emit_planned(compiler, block, order, calls or Calls(), n_selects)
    elif order is not None or len(items) > 1:
        _emit_joined_rows(compiler, block, order)
    else:
        _emit_rows(compiler, block)
    return bound


def _may_be_in_order(compiler: Compiler, expression: ast.Expression, scope: Scope) -> bool:
    """Whether the first term of ORDER BY may be the rowid, in whose order a scan comes."""
    if compiler.mentions_rowid:
        return True
    table = scope.sources[0].table
    if table is None or table.rowid_alias < 0:
        return False
    if expression.__class__ is ast.Column:
        return compiler.resolve(expression, scope) in (None, (scope.sources[0], table.rowid_alias))
    return expression.__class__ is not ast.Binary


def _bind_tables(compiler: Compiler, items: Sequence[ast.FromItem], scope: Scope) -> Table | None:
    """Makes a source of every table in FROM and returns one of them; None if they are not all stored tables with rowids that
    are joined without a condition, or if several of them leave a choice."""
    find_table = compiler.context.catalog.find_table
    sources = scope.sources
    is_alone = len(items) == 1
    table: Table | None = None
    for item in items:
        if item.__class__ is not ast.TableSource or item.schema is not None or item.indexed_by is not None:
            return None
        join = item.join
        if join is not None and (join.flags & _CHOOSING_JOINS or join.on is not None or join.using):
            return None
        table = find_table(item.name)
        if (
            table is None
            or table.view is not None
            or table.module is not None
            or table.is_without_rowid
            or (not is_alone and (table.indexes or table.rowid_alias >= 0))
            or item.is_not_indexed
        ):
            return None
        source = Source(item.alias or item.name, table.columns, table.column_positions, [], table)
        source.schema_name = table.schema_name
        source.has_rowid = True
        source.is_stored = True
        sources.append(source)
    return table


def _may_choose(compiler: Compiler, core: ast.Core, table: Table) -> bool:
    """Whether there may be another way to the rows of a lone table than scanning it."""
    if table.indexes:
        return True
    if core.where is not None:
        return compiler.mentions_rowid or (table.rowid_alias >= 0 and (core.is_distinct or _may_seek(compiler, core, table)))
    return core.is_distinct and table.rowid_alias >= 0


def _may_seek(compiler: Compiler, core: ast.Core, table: Table) -> bool:
    """Whether WHERE may mention the INTEGER PRIMARY KEY, under its name or under an alias."""
    text = compiler.text
    name = table.columns[table.rowid_alias].name.lower()
    if text is None or not name.isidentifier():
        return True
    for column in core.columns:
        if column.__class__ is ast.ResultColumn and column.alias is not None:
            return True
    # What stands behind the first WHERE holds this WHERE.
    lowered = text.sql.lower()
    return name in lowered[lowered.find("where") :]


def _emit_rows(compiler: Compiler, block: Block) -> None:
    """The rows of one table, or one row without any: a scan, WHERE inside of it, and the result row."""
    scope = block.scope
    core = block.core
    assert core is not None, "VALUES is not plain"
    builder = compiler.builder
    code = compiler.code
    sources = scope.sources
    where = core.where
    distinct = -1
    following = 0
    if core.is_distinct and (sources or compiler.may_collate):
        distinct = _open_distinct(compiler, block)
    if where is not None or distinct >= 0:
        following = compiler.label()
    if sources:
        start, cursor, first, width = _open_scan(compiler, sources[0])
    if where is not None:
        emit_condition(compiler, where, scope, following, False, True)
    if block.results:
        registers = tuple([emit_expression(compiler, result.expression, scope) for result in block.results])
    else:
        registers = tuple(sources[0].registers)
    if distinct >= 0:
        compiler.emit(op.SetInsert, distinct, following, 0, registers)
    code.append((op.ResultRow, 0, 0, 0, registers, 0))
    if sources:
        builder.close_scan(op.Rewind, cursor, start, first, width, following)
    elif following:
        compiler.place(following)


def _open_distinct(compiler: Compiler, block: Block) -> int:
    distinct = compiler.builder.cursor()
    collations = tuple([compiler.collation_for(result.expression, block.scope) for result in block.results])
    compiler.emit(op.SetOpen, distinct, 0, 0, collations)
    return distinct


def _open_scan(compiler: Compiler, source: Source) -> tuple[int, int, int, int]:
    """Opens the cursor of a table that stands alone and leaves room for the start of its scan: (address of that, cursor,
    first register of the row, how many)."""
    table = source.table
    assert table is not None, "only tables are scanned"
    builder = compiler.builder
    code = compiler.code
    width = stored_width(table)
    cursor = source.cursor = builder.n_cursors
    builder.n_cursors = cursor + 1
    database = table.schema_index
    compiler.databases_read |= 1 << database
    code.append((op.OpenRead, cursor, table.root_page, database, table.shape, 0))
    first = builder.registers(width)
    source.registers = row_registers(table, first)
    code.append(_OPEN)
    return len(code) - 1, cursor, first, width


_OPEN: Instruction = (op.Noop, 0, 0, 0, None, 0)
"""Stands where an instruction will be that is not complete yet."""


def _emit_lone_group(compiler: Compiler, block: Block, calls: Calls) -> None:
    """The groups of the rows of one table that is scanned, or of the one row without a table: what `emit_grouped` does, with
    nothing in between."""
    sources = block.scope.sources
    keys = calls.keys
    if sources and not keys and not calls.aggregates[0][0].arguments:
        done = compiler.label()
        block.inputs.append(_make_input(compiler, sources[0]))
        if emit_shortcut(compiler, block, calls, None, Limits(), _row_sink(compiler), done):
            compiler.place(done)
            return
    scope = block.scope
    core = block.core
    assert core is not None, "VALUES is not plain"
    builder = compiler.builder
    code = compiler.code
    distinct = _open_distinct(compiler, block) if core.is_distinct and (keys or compiler.may_collate) else -1
    group = builder.n_cursors
    builder.n_cursors = group + 1
    opening = len(code)
    code.append(_OPEN)
    width = -1
    if sources:
        start, cursor, first, width = _open_scan(compiler, sources[0])
    following = 0
    if core.where is not None:
        following = compiler.label()
        emit_condition(compiler, core.where, scope, following, False, True)
    unique_calls = unique_calls_of(calls)
    key_registers = tuple([emit_expression(compiler, key, scope) for key in keys]) if keys else ()
    made = [aggregate_call(compiler, node, function, scope, bool(keys)) for node, function in unique_calls]
    code.append((op.GroupStep, group, 0, 0, None, 0))
    if sources:
        builder.close_scan(op.Rewind, cursor, start, first, width, following)
    elif following:
        compiler.place(following)
    collations = tuple([compiler.collation_for(key, scope) for key in keys]) if keys else ()
    group_width = len(keys) + len(made) + width + 2
    base = builder.registers(group_width)
    first_call = base + len(keys)
    group_map = GroupMap(first_call + len(made), base + group_width, bool(keys))
    if sources:
        sources[0].group_map = group_map
    scope.aggregates = registers_of_calls(calls, unique_calls, first_call)
    if keys:
        map_keys(compiler, scope, sources, keys, key_registers, made, group_map, base)
    start = len(code)
    code.append(_OPEN)
    following = 0
    if distinct >= 0 or core.having is not None:
        following = compiler.label()
        if core.having is not None:
            emit_condition(compiler, core.having, scope, following, False, True)
    registers = tuple([emit_expression(compiler, result.expression, scope) for result in block.results])
    if distinct >= 0:
        compiler.emit(op.SetInsert, distinct, following, 0, registers)
    code.append((op.ResultRow, 0, 0, 0, registers, 0))
    builder.close_scan(op.GroupRewind, group, start, base, group_width, following)
    spec = group_spec(key_registers, collations, (False,) * len(keys), made, group_map)
    code[opening] = (op.GroupOpen, group, 0, 0, spec, 0)


def _emit_joined_rows(compiler: Compiler, block: Block, order: list[OrderItem] | None) -> None:
    """The scans, WHERE inside of the innermost, and the result row, through a sorter if there is an ORDER BY."""
    builder = compiler.builder
    scope = block.scope
    core = block.core
    assert core is not None, "VALUES is not plain"
    done = end = builder.label()
    distinct = -1
    finisher = None
    if order is not None:
        finisher = Finisher(compiler, block, order, Limits(), _row_sink(compiler), done)
        finisher.open()
        end = builder.label()
    elif core.is_distinct:
        distinct = builder.cursor()
        collations = tuple([compiler.collation_for(result.expression, scope) for result in block.results])
        builder.emit(op.SetOpen, distinct, 0, 0, collations)
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
    next_label = end
    for cursor, first, width in opened:
        loop_end = builder.label()
        builder.begin_loop(op.Rewind, cursor, loop_end, first, width)
        next_label = builder.label()
        loops.append((next_label, loop_end))
    if core.where is not None:
        emit_condition(compiler, core.where, scope, next_label, False, True)
    registers = tuple([emit_expression(compiler, result.expression, scope) for result in block.results])
    if finisher is not None:
        finisher.result(registers, next_label)
    else:
        if distinct >= 0:
            builder.emit(op.SetInsert, distinct, next_label, 0, registers)
        builder.emit(op.ResultRow, 0, 0, 0, registers)
    while loops:
        next_label, loop_end = loops.pop()
        builder.end_loop(op.Next, next_label, loop_end)
    if finisher is not None:
        builder.place(end)
        finisher.finish()
    builder.place(done)


def _row_sink(compiler: Compiler) -> Sink:
    emit = compiler.emit
    return lambda registers, _done: emit(op.ResultRow, 0, 0, 0, registers)


def _make_input(compiler: Compiler, source: Source) -> Input:
    made = Input(TABLE, source)
    table = made.table = source.table
    assert table is not None, "plain sources are tables"
    compiler.databases_read |= 1 << table.schema_index
    return made


def _bind_columns(compiler: Compiler, source: Source) -> frozenset[str] | None:
    """Looks up the names of a statement whose only source this is, once for all; returns those that are its columns."""
    columns = compiler.columns
    if columns is None:
        return None
    positions = source.positions
    used = set()
    for node in columns:
        name = node.name.lower()
        position = positions.get(name)
        if position is not None and (node.table is None or (node.schema is None and node.table.lower() == source.name)):
            node.binding = (source, position)
            used.add(name)
    return frozenset(used)


def _has_star(block: Block) -> bool:
    core = block.core
    return core is not None and any([column.__class__ is not ast.ResultColumn for column in core.columns])


def _emit_planned(
    compiler: Compiler, block: Block, order: list[OrderItem] | None, calls: Calls, n_selects: int
) -> None:
    """The rows of one table, reached in the cheapest way: the steps of `plan_block` that matter for it."""
    source = block.scope.sources[0]
    made = _make_input(compiler, source)
    block.inputs.append(made)
    made.mask = source.mask = 1
    done = end = compiler.label()
    used = _bind_columns(compiler, source) if n_selects == 1 else None
    terms = [make_term(compiler, part, block.scope, None, 1) for part in split(block.where)]
    usage = None
    if source.table is not None and source.table.indexes:
        if used is None or (order is not None and block.scope.aliases is not None):
            usage = block_usage(block, order, terms)
        else:
            usage = Usage.of_one(source.name, None if _has_star(block) else used)
        made.usage = usage
    wanted = wanted_order(compiler, block, order, None, calls)
    accesses, satisfied = order_joins(compiler, block.inputs, terms, usage, wanted)
    is_satisfied = wanted is not None and satisfied == len(wanted.terms)
    if wanted is not None and scans_instead(block, accesses, calls, wanted, is_satisfied and wanted.is_grouping):
        is_satisfied = False
    if is_satisfied:
        order = None
    core = block.core
    if order is None and core is not None and not core.is_distinct:
        emit_lone_loop(compiler, accesses[0], terms, done, lambda next_label: _emit_result(compiler, block))
        compiler.place(done)
        return
    finisher = Finisher(compiler, block, order, Limits(), _row_sink(compiler), done)
    finisher.open()
    if order is not None:
        end = compiler.label()
    emit_lone_loop(compiler, accesses[0], terms, end, lambda next_label: finisher.row(next_label, end))
    if order is not None:
        compiler.place(end)
    finisher.finish()
    compiler.place(done)


def _emit_result(compiler: Compiler, block: Block) -> None:
    """The current row is a row of the result."""
    scope = block.scope
    registers = tuple([emit_expression(compiler, result.expression, scope) for result in block.results])
    compiler.code.append((op.ResultRow, 0, 0, 0, registers, 0))


def _emit_grouped(compiler: Compiler, block: Block, calls: Calls, has_choice: bool) -> None:
    """One group over all rows."""
    done = compiler.label()
    inputs = block.inputs
    for source in block.scope.sources:
        inputs.append(_make_input(compiler, source))
    sink = _row_sink(compiler)
    limits = Limits()
    if not emit_shortcut(compiler, block, calls, None, limits, sink, done):
        plan = plan_block(compiler, block, None, None, calls) if has_choice else BlockPlan([], [], False, False, inputs)
        finisher = Finisher(compiler, block, None, limits, sink, done)
        finisher.open()
        emit_grouped(compiler, block, plan, calls, finisher, done)
    compiler.place(done)
