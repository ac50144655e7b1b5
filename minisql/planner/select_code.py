"""SELECT code: from a bound block to instructions that hand each result row to a sink.

A sink is called once per place where rows come out, with the registers of a row and the label that ends the SELECT; it
emits what is to be done with the row.  `emit_bound_select` calls it exactly once, so a sink may hold whole loops (a subquery
in FROM runs the loops of its outer query in its sink).

The stages of a block: plan, loops, then either result rows straight from the innermost loop, or through a grouping, a
distinct set, a window computation, a sorter, and last OFFSET and LIMIT.

Source: https://www.sqlite.org/lang_select.html.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import SortSpec
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.aggregate_code import Calls, emit_grouped, emit_shortcut, find_calls
from minisql.planner.block_plan import BlockPlan, plan_block
from minisql.planner.index_terms import same_expression
from minisql.planner.loops import emit_plan
from minisql.planner.ordering import OrderItem, bind_order_by, same_tree
from minisql.planner.query_blocks import Block, BoundSelect, Result, RowCount
from minisql.planner.scope import Scope
from minisql.planner.window_code import emit_windowed
from minisql.values.collation import Collation

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler

Sink = Callable[[tuple[int, ...], int], object]


class Limits:
    """LIMIT and OFFSET of a SELECT: registers that count down (0: none), `both` = limit + offset for sorters, and the
    constant limit if it is one."""

    __slots__ = ("both", "constant", "limit", "offset")

    def __init__(self) -> None:
        self.limit = 0
        self.offset = 0
        self.both = 0
        self.constant: int | None = None


def emit_limits(compiler: Compiler, node: ast.Select, scope: Scope | None, done: int) -> Limits:
    """Computes LIMIT and OFFSET; jumps to `done` for LIMIT 0."""
    limits = Limits()
    if node.limit is None:
        return limits
    # LIMIT sees no columns of its own SELECT.
    place = scope if scope is not None else Scope([])
    limits.limit = compiler.register()
    register = compiler.emit_expression(node.limit, place)
    constant = compiler.constants.get(register)
    compiler.emit(op.SCopy, register, limits.limit)
    if constant.__class__ is int:
        limits.constant = constant if constant >= 0 else None
        if constant == 0:
            compiler.emit(op.Goto, 0, done)
    else:
        compiler.emit(op.MustBeInt, limits.limit, 0)
        compiler.emit(op.IfNot, limits.limit, done, 0)
    if node.offset is not None:
        limits.offset = compiler.register()
        register = compiler.emit_expression(node.offset, place)
        compiler.emit(op.SCopy, register, limits.offset)
        if compiler.constants.get(register).__class__ is not int:
            compiler.emit(op.MustBeInt, limits.offset, 0)
        limits.both = compiler.register()
        compiler.emit(op.OffsetLimit, limits.limit, limits.both, limits.offset)
    else:
        limits.both = compiler.register()
        compiler.emit(op.SCopy, limits.limit, limits.both)
    return limits


def emit_block(compiler: Compiler, bound: BoundSelect, block: Block, sink: Sink, node: ast.Select | None) -> None:
    """Emits one block with the ORDER BY and LIMIT of `node` (None: an arm of a compound has neither)."""
    done = compiler.label()
    if block.rows is not None:
        limits = emit_limits(compiler, node, bound.scope, done) if node is not None else Limits()
        order = None
        if node is not None and node.order_by:
            order = bind_order_by(compiler, node.order_by, block, bound)
        emit_values(compiler, block, limits, order, sink, done)
        compiler.place(done)
        return
    core = block.core
    assert core is not None, "a block is a core or VALUES"
    order = bind_order_by(compiler, node.order_by, block, bound) if node is not None and node.order_by else None
    calls = find_calls(compiler, block, order)
    if order is not None and not block.inputs and not calls.windows:
        # There is one row at most.
        emit_unwanted(compiler, [item.expression for item in order], block.scope)
        order = None
    if block.is_existence:
        order = None
    if calls.is_grouped:
        order = _order_of_groups(block, calls, order)
    limits = emit_limits(compiler, node, bound.scope, done) if node is not None else Limits()
    if calls.is_grouped and emit_shortcut(compiler, block, calls, order, limits, sink, done):
        compiler.place(done)
        return
    counts = None
    if compiler.has_virtual_tables and limits.limit and not core.is_distinct and not calls.is_grouped and not calls.windows:
        counts = _row_counts(limits, node)
    plan = plan_block(compiler, block, order, limits.constant, calls, counts)
    if calls.is_ordered and not calls.windows and not plan.is_grouped:
        # The groups come in this order by themselves.
        order = None
    if calls.windows:
        emit_windowed(compiler, block, plan, calls, _finisher(compiler, block, order, limits, sink, done), done)
    elif calls.is_grouped:
        emit_grouped(compiler, block, plan, calls, _finisher(compiler, block, order, limits, sink, done), done)
    else:
        finisher = _finisher(compiler, block, order if not plan.is_ordered else None, limits, sink, done)
        finisher.is_grouped = plan.is_grouped
        finisher.n_ordered = plan.n_ordered
        end = compiler.label() if finisher.has_second_phase else done
        emit_plan(compiler, block, plan, end, lambda next_label: finisher.row(next_label, end))
        if finisher.has_second_phase:
            compiler.place(end)
        finisher.finish()
    compiler.place(done)


def _row_counts(limits: Limits, node: ast.Select | None) -> list[RowCount]:
    """LIMIT and OFFSET as a virtual table may hear of them."""
    assert node is not None, "only a SELECT has a LIMIT"
    counts = [RowCount("LIMIT", limits.limit, _literal(node.limit))]
    if limits.offset:
        counts.insert(0, RowCount("OFFSET", limits.offset, _literal(node.offset)))
    return counts


def _literal(node: ast.Expression | None) -> int | None:
    """The value of an integer that is written out and not negative."""
    value = node.value if isinstance(node, ast.Literal) else None
    return value if isinstance(value, int) and value >= 0 else None


def _order_of_groups(block: Block, calls: Calls, order: list[OrderItem] | None) -> list[OrderItem] | None:
    """What is left of ORDER BY when groups have been sorted: nothing for a single group.

    With as many terms as keys the groups are sorted in the directions of the terms, whatever these say: as SQLite does it,
    which shows where terms are equal.
    """
    if order is None or not calls.has_keys:
        return None
    if len(order) == len(calls.keys):
        calls.descending = tuple(item.is_descending for item in order)
        plain = all(item.nulls_first != item.is_descending for item in order)
        calls.is_ordered = plain and all(same_tree(item.expression, key) for item, key in zip(order, calls.keys))
    return order


def emit_unwanted(compiler: Compiler, expressions: Sequence[ast.Expression], scope: Scope) -> None:
    """Expressions whose values nobody wants must mean something nevertheless; their code is taken away again."""
    builder = compiler.builder
    start, n_loops, n_jumps = len(compiler.code), len(builder.loops), len(builder.jumps)
    compiler.tolerates_rows += 1
    for expression in expressions:
        compiler.emit_expression(expression, scope)
    compiler.tolerates_rows -= 1
    if len(builder.loops) == n_loops:
        del compiler.code[start:], builder.jumps[n_jumps:]


class Finisher:
    """DISTINCT, ORDER BY, OFFSET and LIMIT of a block around its sink.

    `open` emits what must stand before the loops; `row` emits the handling of one row; `finish` the loop over the sorter.
    """

    __slots__ = (
        "block", "compiler", "distinct", "done", "is_grouped", "limits", "n_ordered", "order", "sink", "sorter", "width",
    )  # fmt: skip

    def __init__(
        self, compiler: Compiler, block: Block, order: list[OrderItem] | None, limits: Limits, sink: Sink, done: int
    ) -> None:
        self.compiler = compiler
        self.block = block
        self.order = order
        self.limits = limits
        self.sink = sink
        self.done = done
        self.distinct = -1
        # For EXPLAIN QUERY PLAN: whether equal rows come together, how many terms of ORDER BY the loops satisfy.
        self.is_grouped = False
        self.n_ordered = 0
        self.sorter = -1
        self.width = 0

    @property
    def has_second_phase(self) -> bool:
        """Whether rows come out of a sorter."""
        return self.order is not None

    def open(self) -> None:
        """Opens the distinct set and the sorter."""
        compiler = self.compiler
        block = self.block
        core = block.core
        if core is not None and core.is_distinct and not block.is_existence:
            self.distinct = compiler.builder.cursor()
            collations = tuple(compiler.collation_for(result.expression, block.scope) for result in block.results)
            compiler.emit(op.SetOpen, self.distinct, 0, 0, collations)
        if self.order is not None:
            self.sorter = compiler.builder.cursor()
            spec, self.width = self._sort_spec()
            compiler.emit(op.SorterOpen, self.sorter, self.limits.both, 0, spec)

    def _sort_spec(self) -> tuple[SortSpec, int]:
        assert self.order is not None, "the caller looked"
        n_results = len(self.block.results)
        keys = []
        width = n_results
        for item in self.order:
            if item.position is not None:
                keys.append(item.position)
            else:
                keys.append(width)
                width += 1
        return sort_spec(self.order, keys, width), width

    def row(self, next_label: int, done: int) -> None:
        """Emits result expressions and what follows for one row."""
        compiler = self.compiler
        scope = self.block.scope
        if self.block.is_existence:
            emit_unwanted(compiler, [result.expression for result in self.block.results], scope)
            self.result((), next_label)
            return
        skips = self.limits.offset and self.order is None and self.distinct < 0
        if skips:
            # Rows that are passed over are not computed.
            compiler.emit(op.IfPos, self.limits.offset, next_label, 1)
        registers = tuple([compiler.emit_expression(result.expression, scope) for result in self.block.results])
        self.result(registers, next_label, bool(skips))

    def result(self, registers: tuple[int, ...], next_label: int, is_counted: bool = False) -> None:
        """Emits what follows the computation of a result row; `is_counted`: OFFSET has let it pass."""
        compiler = self.compiler
        if self.distinct >= 0:
            compiler.emit(op.SetInsert, self.distinct, next_label, 0, registers)
        if self.order is not None:
            scope = self.block.scope
            extra = tuple(
                [compiler.emit_expression(item.expression, scope) for item in self.order if item.position is None]
            )
            compiler.emit(op.SorterInsert, self.sorter, 0, 0, registers + extra)
            return
        limits = self.limits
        if limits.offset and not is_counted:
            compiler.emit(op.IfPos, limits.offset, next_label, 1)
        self.sink(registers, self.done)
        if limits.limit:
            compiler.emit(op.DecrJumpZero, limits.limit, self.done)

    def finish(self) -> None:
        """Emits the loop over the sorter, if there is one."""
        compiler = self.compiler
        if self.distinct >= 0 and not self.is_grouped:
            compiler.explain("USE TEMP B-TREE FOR DISTINCT")
        if self.order is None:
            return
        if compiler.wants_explain:
            n_open = len(self.order) - self.n_ordered
            which = "" if not self.n_ordered else "LAST TERM OF " if n_open == 1 else f"LAST {n_open} TERMS OF "
            compiler.explain(f"USE TEMP B-TREE FOR {which}ORDER BY")
        base = compiler.registers(self.width)
        end = compiler.label()
        following = compiler.label()
        compiler.builder.begin_loop(op.SorterSort, self.sorter, end, base, self.width)
        registers = tuple(range(base, base + len(self.block.results)))
        limits = self.limits
        if limits.offset:
            compiler.emit(op.IfPos, limits.offset, following, 1)
        self.sink(registers, self.done)
        if limits.limit:
            compiler.emit(op.DecrJumpZero, limits.limit, self.done)
        compiler.builder.end_loop(op.Next, following, end)


def _finisher(
    compiler: Compiler, block: Block, order: list[OrderItem] | None, limits: Limits, sink: Sink, done: int
) -> Finisher:
    finisher = Finisher(compiler, block, order, limits, sink, done)
    finisher.open()
    return finisher


def sort_spec(order: list[OrderItem], keys: list[int], width: int) -> SortSpec:
    """The SortSpec of ORDER BY items whose values stand at `keys` in rows of `width`."""
    return SortSpec(
        tuple(keys),
        tuple(item.collation for item in order),
        tuple(item.is_descending for item in order),
        tuple(item.nulls_first for item in order),
        width,
    )


def emit_values(
    compiler: Compiler, block: Block, limits: Limits, order: list[OrderItem] | None, sink: Sink, done: int
) -> None:
    """VALUES: one row straight, several through a list of rows."""
    assert block.rows is not None, "the caller looked"
    scope = block.scope
    rows = block.rows
    width = len(rows[0])
    finisher = _finisher(compiler, block, order, limits, sink, done)
    if len(rows) == 1:
        compiler.explain("SCAN CONSTANT ROW")
        registers = tuple([compiler.emit_expression(expression, scope) for expression in rows[0]])
        end = compiler.label()
        finisher.result(registers, end)
        compiler.place(end)
        finisher.finish()
        return
    for row in rows:
        if len(row) != width:
            raise sqlite_error(ERROR, "all VALUES must have the same number of terms")
    cursor = compiler.builder.cursor()
    emit_row_list(compiler, cursor, rows, scope)
    base = compiler.registers(width)
    end = compiler.label()
    following = compiler.label()
    compiler.explain(f"SCAN {len(rows)}-ROW VALUES CLAUSE")
    compiler.builder.begin_loop(op.Rewind, cursor, end, base, width)
    finisher.result(tuple(range(base, base + width)), following)
    compiler.builder.end_loop(op.Next, following, end)
    finisher.finish()


def emit_row_list(compiler: Compiler, cursor: int, rows: list[list[ast.Expression]], scope: Scope) -> None:
    """Fills a list cursor with the rows of a VALUES; constants need one instruction for all."""
    constants = compiler.constants
    if all(item.__class__ is ast.Literal for row in rows for item in row):
        values = tuple(tuple(item.value for item in row) for row in rows)  # type: ignore[attr-defined]
        compiler.emit(op.ConstantRows, cursor, 0, 0, values)
        return
    width = len(rows[0])
    compiler.emit(op.OpenList, cursor, width)
    del constants
    for row in rows:
        registers = tuple([compiler.emit_expression(item, scope) for item in row])
        compiler.emit(op.ListAppend, cursor, 0, 0, registers)


__all__ = ["BlockPlan", "Collation", "Result", "emit_block", "same_expression", "sqlite_error"]
