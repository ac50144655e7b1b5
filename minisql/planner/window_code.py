"""Window functions: one computation per distinct window, each over the rows of the one before.

All rows of the block (or of its groups) go into a window cursor with everything that later expressions may read; the cursor
sorts and partitions them and adds one value per call.  Then the scope is moved: every register that the row carried is now
the one that the cursor loads, and each computed call is a register in `scope.windows`.

Source: https://www.sqlite.org/windowfunctions.html.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import SortSpec, WindowCall, WindowSpec
from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import AggregateFunction, ScalarFunction, aggregate_with_json_arguments
from minisql.functions.size_limits import aggregate_within_limits
from minisql.limits import DEFAULTS
from minisql.parser import ast
from minisql.planner.aggregate_code import Calls, Grouping, emit_grouping
from minisql.planner.calls import call_collation, find_function, json_positions
from minisql.planner.loops import emit_plan
from minisql.planner.ordering import check_term_count, effective_nulls_first, same_tree
from minisql.planner.query_blocks import Block
from minisql.planner.walking import walk
from minisql.planner.wide_operands import texts_of_blobs

if TYPE_CHECKING:
    from minisql.planner.block_plan import BlockPlan
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope
    from minisql.planner.select_code import Finisher

_DEFAULT_FRAME = ast.Frame(
    "RANGE", ast.FrameBound("UNBOUNDED PRECEDING", None), ast.FrameBound("CURRENT ROW", None), None
)
_WHOLE_FRAME_FUNCTIONS = frozenset(("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"))


class ResolvedWindow:
    """A window with its base windows merged in."""

    __slots__ = ("calls", "frame", "order_by", "partition_by")

    def __init__(
        self, partition_by: list[ast.Expression], order_by: list[ast.OrderingTerm], frame: ast.Frame | None
    ) -> None:
        self.partition_by = partition_by
        self.order_by = order_by
        self.frame = frame
        self.calls: list[tuple[ast.FunctionCall, ast.Frame]] = []


def emit_windowed(
    compiler: Compiler, block: Block, plan: BlockPlan, calls: Calls, finisher: Finisher, done: int
) -> None:
    """A block with window functions."""
    # As in SQLite the first window is computed last, over the rows of the others.
    windows = distinct_windows(compiler, block, calls)[::-1]
    scope = block.scope
    scope.windows = {}
    cursor = compiler.builder.cursor()
    address = compiler.emit(op.WindowOpen, cursor)
    top_parent = compiler.explain_parent
    parents = []
    for number in range(len(windows)):
        parents.append(compiler.explain_below(f"CO-ROUTINE (subquery-{compiler.select_number(block.core) + 1 + number})"))
    grouping, spec = _feed_first(compiler, block, plan, calls, finisher, cursor, windows[0])
    if spec.sort is not None and not plan.is_ordered:
        compiler.explain("USE TEMP B-TREE FOR ORDER BY")
    for number, window in enumerate(windows):
        opcode, p1, p2, p3, _, p5 = compiler.code[address]
        compiler.code[address] = (opcode, p1, p2, p3, spec, p5)
        is_last = number == len(windows) - 1
        if compiler.wants_explain:
            compiler.explain_parent = parents.pop()
            depth = compiler.select_number(block.core) + len(windows) - number
            compiler.explain(f"SCAN (subquery-{depth})")
            if not is_last:
                compiler.explain("USE TEMP B-TREE FOR ORDER BY")
        next_address = 0
        next_cursor = 0
        if not is_last:
            next_cursor = compiler.builder.cursor()
            next_address = compiler.emit(op.WindowOpen, next_cursor)
        width = len(spec.row_registers) + len(spec.calls)
        base = compiler.registers(width)
        loop_end = compiler.label()
        following = compiler.label()
        compiler.builder.begin_loop(op.WindowRewind, cursor, loop_end, base, width)
        _move(block, spec.row_registers, base, grouping)
        offset = base + len(spec.row_registers)
        for call_number, (node, _) in enumerate(window.calls):
            scope.windows[id(node)] = offset + call_number
        if is_last:
            finisher.row(following, done)
        else:
            carried = [*range(base, base + width)]
            spec = _emit_step(compiler, scope, next_cursor, windows[number + 1], carried)
        compiler.builder.end_loop(op.Next, following, loop_end)
        cursor, address = next_cursor, next_address
    compiler.explain_parent = top_parent
    if grouping is not None:
        grouping.finish(compiler)
    finisher.finish()


def _feed_first(
    compiler: Compiler,
    block: Block,
    plan: BlockPlan,
    calls: Calls,
    finisher: Finisher,
    cursor: int,
    window: ResolvedWindow,
) -> tuple[Grouping | None, WindowSpec]:
    """The loops that feed the first computation with the block's rows, or with its groups."""
    scope = block.scope
    if calls.is_grouped:
        grouping = emit_grouping(compiler, block, plan, calls, finisher)
        compiler.builder.begin_loop(op.GroupRewind, grouping.cursor, grouping.end, grouping.base, grouping.width)
        following = compiler.label()
        core = block.core
        if core is not None and core.having is not None:
            compiler.emit_condition(core.having, scope, following, False, True)
        carried = list(range(grouping.base, grouping.base + grouping.width))
        spec = _emit_step(compiler, scope, cursor, window, carried)
        compiler.builder.end_loop(op.Next, following, grouping.end)
        return grouping, spec
    found: list[WindowSpec] = []

    def body(next_label: int) -> None:
        found.append(_emit_step(compiler, scope, cursor, window, _row_registers(compiler, block)))

    end = compiler.label()
    emit_plan(compiler, block, plan, end, body)
    compiler.place(end)
    return None, found[0]


def distinct_windows(compiler: Compiler, block: Block, calls: Calls) -> list[ResolvedWindow]:
    """The windows of all calls; calls with the same PARTITION BY and ORDER BY share one."""
    windows: list[ResolvedWindow] = []
    named = _named_windows(compiler, block.core.windows or ()) if block.core else {}
    for node in calls.windows:
        resolved = resolve_window(compiler, node.over, named)
        home = next((window for window in windows if _same_window(window, resolved)), None)
        if home is None:
            windows.append(resolved)
            home = resolved
        home.calls.append((node, _frame_of(compiler, node, resolved)))
    return windows


def _named_windows(compiler: Compiler, definitions: Sequence[ast.Window]) -> dict[str, ast.Window]:
    """The windows of a WINDOW clause by name, each with the earlier one that it extends merged in.

    SQLite chains a definition to the ones before it, and forgets what the first one names as its base.
    """
    named: dict[str, ast.Window] = {}
    for number, window in enumerate(definitions):
        if window.base is not None:
            base = None if number == 0 else window.base
            unchained = ast.Window(window.name, base, window.partition_by, window.order_by, window.frame)
            merged = resolve_window(compiler, unchained, named)
            window = ast.Window(window.name, None, merged.partition_by, merged.order_by, merged.frame)
        assert window.name is not None, "a window of a WINDOW clause has a name"
        named[window.name.lower()] = window
    return named


def _frame_of(compiler: Compiler, node: ast.FunctionCall, window: ResolvedWindow) -> ast.Frame:
    frame = window.frame or _DEFAULT_FRAME
    for bound in (frame.start, frame.end):
        if frame.unit == "RANGE" and bound.expression is not None and len(window.order_by) != 1:
            raise sqlite_error(ERROR, "RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression")
    return frame


def resolve_window(compiler: Compiler, over: object, named: dict[str, ast.Window]) -> ResolvedWindow:
    """A window definition with the definitions that it extends."""
    if isinstance(over, str):
        window = named.get(over.lower())
        if window is None:
            raise sqlite_error(ERROR, f"no such window: {over}")
        return resolve_window(compiler, window, named)
    assert isinstance(over, ast.Window), "OVER has a name or a definition"
    partition_by = list(over.partition_by or ())
    order_by = list(over.order_by or ())
    check_term_count(compiler, partition_by, "ORDER BY")
    check_term_count(compiler, order_by, "ORDER BY")
    frame = over.frame
    base_name = over.base
    if base_name is not None:
        base = named.get(base_name.lower())
        if base is None:
            raise sqlite_error(ERROR, f"no such window: {base_name}")
        inner = resolve_window(compiler, base, named)
        if partition_by:
            raise sqlite_error(ERROR, f"cannot override PARTITION clause of window: {base_name}")
        if inner.order_by and order_by:
            raise sqlite_error(ERROR, f"cannot override ORDER BY clause of window: {base_name}")
        if inner.frame is not None:
            raise sqlite_error(ERROR, f"cannot override frame specification of window: {base_name}")
        partition_by = inner.partition_by
        order_by = inner.order_by or order_by
    return ResolvedWindow(partition_by, order_by, frame)


def _same_window(left: ResolvedWindow, right: ResolvedWindow) -> bool:
    if len(left.partition_by) != len(right.partition_by) or len(left.order_by) != len(right.order_by):
        return False
    return all(same_tree(a, b) for a, b in zip(left.partition_by, right.partition_by)) and all(
        same_tree(a.expression, b.expression) and a.is_descending == b.is_descending and a.nulls == b.nulls
        for a, b in zip(left.order_by, right.order_by)
    )


def _row_registers(compiler: Compiler, block: Block) -> list[int]:
    """Everything that expressions behind the window may read of the current row."""
    carried: dict[int, None] = {}
    for made in block.inputs:
        for source in made.sources:
            carried.update(dict.fromkeys(register for register in source.registers if register))
            if source.has_rowid:
                source.rowid_register = compiler.emit_rowid(source)
                carried[source.rowid_register] = None
    return list(carried)


def _emit_step(
    compiler: Compiler, scope: Scope, cursor: int, window: ResolvedWindow, carried: list[int]
) -> WindowSpec:
    """Emits keys and arguments and the WindowStep; returns the spec."""
    calls = [_window_call(compiler, node, frame, scope) for node, frame in window.calls]
    keys = [compiler.emit_expression(node, scope) for node in window.partition_by]
    keys += [compiler.emit_expression(term.expression, scope) for term in window.order_by]
    row = [*keys, *carried]
    sort = None
    if keys:
        collations = [compiler.collation_for(node, scope) for node in window.partition_by]
        collations += [compiler.collation_for(term.expression, scope) for term in window.order_by]
        n_partition = len(window.partition_by)
        sort = SortSpec(
            tuple(range(len(keys))),
            tuple(collations),
            (False,) * n_partition + tuple(term.is_descending for term in window.order_by),
            (True,) * n_partition + tuple(effective_nulls_first(term) for term in window.order_by),
            len(row),
        )
    compiler.emit(op.WindowStep, cursor)
    return WindowSpec(tuple(row), sort, len(window.partition_by), tuple(calls))


def _window_call(compiler: Compiler, node: ast.FunctionCall, frame: ast.Frame, scope: Scope) -> WindowCall:
    function = find_function(compiler, node.name, len(node.arguments), node.position)
    if isinstance(function, ScalarFunction) or (isinstance(function, AggregateFunction) and not function.is_window):
        raise sqlite_error(ERROR, f"{node.name}() may not be used as a window function")
    if node.is_distinct:
        raise sqlite_error(ERROR, "DISTINCT is not supported for window functions")
    if node.order_by is not None:
        raise sqlite_error(ERROR, f"ORDER BY may not be used with non-aggregate {node.name}()", compiler.offset(node.position))
    if node.filter is not None and not isinstance(function, AggregateFunction):
        raise sqlite_error(ERROR, "FILTER clause may only be used with aggregate window functions")
    registers = tuple([compiler.emit_expression(argument, scope) for argument in node.arguments])
    if compiler.binary is not None:
        registers = texts_of_blobs(compiler, node.name, node.arguments, registers)
    if isinstance(function, AggregateFunction) and function.takes_subtype:
        positions = json_positions(compiler, node.arguments)
        if positions:
            function = aggregate_with_json_arguments(function, positions)
    if isinstance(function, AggregateFunction) and compiler.context.limits is not DEFAULTS:
        function = aggregate_within_limits(function, compiler.context.limits)
    collation = None
    if isinstance(function, AggregateFunction) and function.needs_collation:
        collation = call_collation(compiler, node.arguments, scope)
    filter_register = compiler.emit_expression(node.filter, scope) if node.filter is not None else 0
    start = _frame_offset(compiler, frame.start.expression, scope)
    end = _frame_offset(compiler, frame.end.expression, scope)
    description = (
        frame.unit.lower(),
        frame.start.kind.lower(),
        start,
        frame.end.kind.lower(),
        end,
        (frame.exclude or "").lower(),
    )
    return WindowCall(
        node.name.lower(),
        function if isinstance(function, AggregateFunction) else None,
        registers,
        description,
        filter_register,
        collation,
    )


def _frame_offset(compiler: Compiler, node: ast.Expression | None, scope: Scope) -> int:
    """The register of a frame bound's offset, 0 without one.  One that is not constant is NULL to SQLite, so it fails later."""
    if node is None:
        return 0
    if any(part.__class__ in _NOT_CONSTANT for part in walk(node)):
        return compiler.constant(None)
    return compiler.emit_expression(node, scope)


_NOT_CONSTANT = frozenset((ast.Column, ast.ScalarSubquery, ast.Exists, ast.InSelect))


def _move(block: Block, carried: tuple[int, ...], base: int, grouping: Grouping | None) -> None:
    """What the row carried in `carried` is now in the registers from `base`."""
    moved = {register: base + number for number, register in reversed(list(enumerate(carried)))}
    scope = block.scope
    for made in block.inputs:
        for source in made.sources:
            if grouping is None:
                source.registers = [moved.get(register, register) for register in source.registers]
                source.rowid_register = moved.get(source.rowid_register, source.rowid_register)
    if scope.aggregates is not None:
        scope.aggregates = {key: moved.get(register, register) for key, register in scope.aggregates.items()}
    if scope.group_keys is not None:
        scope.group_keys = [(key, moved.get(register, register)) for key, register in scope.group_keys]
    if scope.windows is not None:
        scope.windows = {key: moved.get(register, register) for key, register in scope.windows.items()}
    if grouping is not None:
        group_map = grouping.map
        group_map.registers = {key: moved.get(register, register) for key, register in group_map.registers.items()}
        if group_map.next_register < group_map.limit:
            delta = moved[group_map.next_register] - group_map.next_register
            group_map.next_register += delta
            group_map.limit += delta
