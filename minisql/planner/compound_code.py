"""Compound SELECTs and recursive common tables.

Set operations run over sets of rows (UNION adds, EXCEPT takes away, INTERSECT keeps what both have) whose rows come out
sorted, as SQLite's do; UNION ALL appends to a list, or runs its arms one after the other when nothing has to be done with
their rows together.  A recursive table keeps a queue: each row taken from it goes to the sink and then through the
recursive arms, which put new rows into the queue.

Source: https://www.sqlite.org/lang_select.html#compound, https://www.sqlite.org/lang_with.html section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import SortSpec
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.aggregate_code import find_calls
from minisql.planner.compound_columns import arm_collation
from minisql.planner.ordering import (
    check_term_count,
    effective_nulls_first,
    ordinal_of,
    ordinal_suffix,
    same_tree,
    strip_collate,
)
from minisql.planner.select_code import Limits, Sink, emit_block, emit_limits

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block, BoundSelect
    from minisql.values.collation import Collation


def emit_compound(compiler: Compiler, bound: BoundSelect, sink: Sink, may_repeat: bool) -> None:
    """Emits a compound SELECT; `may_repeat` allows the sink to be called once per arm."""
    node = bound.node
    if bound.common_table is not None and bound.common_table.is_recursive:
        emit_recursion(compiler, bound, sink)
        return
    done = compiler.label()
    limits = emit_limits(compiler, node, bound.scope, done)
    order = compound_order(compiler, bound, node.order_by) if node.order_by else None
    all_union_all = all(operator == "UNION ALL" for operator in bound.operators)
    parent = compiler.explain_parent
    if all_union_all and may_repeat and order is None:
        compiler.explain_below("COMPOUND QUERY")
        for number, block in enumerate(bound.blocks):
            arm_parent = compiler.explain_below("UNION ALL" if number else "LEFT-MOST SUBQUERY")
            emit_block(
                compiler,
                bound,
                block,
                lambda registers, arm_done: _emit_limited(compiler, limits, sink, registers, done),
                None,
            )
            compiler.explain_parent = arm_parent
        compiler.explain_parent = parent
        compiler.place(done)
        return
    cursor, is_set = emit_arms(compiler, bound, len(bound.blocks))
    compiler.explain_parent = parent
    width = len(bound.columns)
    if order is not None:
        keys = [position for position, *_ in order]
        items = list(order)
        if is_set:
            items += [
                (position, collation, False, True)
                for position, collation in enumerate(column_collations(compiler, bound))
                if position not in keys
            ]
        spec = _sort_spec(items, width)
        if is_set:
            compiler.emit(op.SetSort, cursor, 0, 0, spec)
        else:
            compiler.emit(op.ListSort, cursor, 0, 0, spec)
    elif is_set:
        compiler.emit(op.SetSort, cursor)
    emit_row_loop(compiler, cursor, width, limits, sink, done)
    compiler.place(done)


def _emit_limited(compiler: Compiler, limits: Limits, sink: Sink, registers: tuple[int, ...], done: int) -> None:
    following = compiler.label()
    if limits.offset:
        compiler.emit(op.IfPos, limits.offset, following, 1)
    sink(registers, done)
    if limits.limit:
        compiler.emit(op.DecrJumpZero, limits.limit, done)
    compiler.place(following)


def emit_row_loop(compiler: Compiler, cursor: int, width: int, limits: Limits, sink: Sink, done: int) -> None:
    """A loop over gathered rows with OFFSET and LIMIT."""
    base = compiler.registers(width)
    end = compiler.label()
    following = compiler.label()
    compiler.builder.begin_loop(op.Rewind, cursor, end, base, width)
    if limits.offset:
        compiler.emit(op.IfPos, limits.offset, following, 1)
    sink(tuple(range(base, base + width)), done)
    if limits.limit:
        compiler.emit(op.DecrJumpZero, limits.limit, done)
    compiler.builder.end_loop(op.Next, following, end)


def emit_arms(compiler: Compiler, bound: BoundSelect, n_arms: int) -> tuple[int, bool]:
    """Gathers the rows of the first arms: (cursor, is it a set)."""
    operators = bound.operators
    collations = tuple(column_collations(compiler, bound))
    width = len(bound.columns)
    cursor = compiler.builder.cursor()
    if not compiler.wants_explain and n_arms > 1 and all(operator == "UNION" for operator in operators[: n_arms - 1]):
        # Of two equal rows of different arms SQLite shows that of the later arm.
        _open(compiler, cursor, True, collations, width)
        for number in range(n_arms - 1, -1, -1):
            emit_block(compiler, bound, bound.blocks[number], _collector(compiler, cursor, True), None)
        return cursor, True
    is_plain = not bound.node.order_by and all(operator == "UNION ALL" for operator in operators)
    parents = [] if is_plain else _explain_merges(compiler, bound, n_arms)
    arm_parent = _explain_arm(compiler, is_plain, 0)
    is_set = n_arms > 1 and operators[0] != "UNION ALL"
    _open(compiler, cursor, is_set, collations, width)
    emit_block(compiler, bound, bound.blocks[0], _collector(compiler, cursor, is_set), None)
    for number in range(1, n_arms):
        operator = operators[number - 1]
        if is_plain:
            compiler.explain_parent = arm_parent
            _explain_arm(compiler, True, number)
        if parents:
            compiler.explain_parent = parents.pop()
            compiler.explain_below("RIGHT")
        if operator == "UNION ALL":
            if is_set:
                cursor = _as_list(compiler, cursor, width)
                is_set = False
            emit_block(compiler, bound, bound.blocks[number], _collector(compiler, cursor, False), None)
            continue
        if not is_set and operator != "UNION":
            cursor = _as_set(compiler, cursor, collations, width)
        is_set = True
        if operator == "UNION":
            cursor = _union(compiler, bound, number, cursor, collations, width)
        elif operator == "EXCEPT":
            emit_block(compiler, bound, bound.blocks[number], _remover(compiler, cursor), None)
        else:
            cursor = _intersect(compiler, bound, number, cursor, collations, width)
    return cursor, is_set


def _explain_merges(compiler: Compiler, bound: BoundSelect, n_arms: int) -> list[int]:
    """The rows MERGE (operator), LEFT of the operators from the last to the first; the merges, to come back for RIGHT."""
    merges: list[int] = []
    if not compiler.wants_explain:
        return merges
    for number in range(n_arms - 1, 0, -1):
        compiler.explain_below(f"MERGE ({bound.operators[number - 1]})")
        merges.append(compiler.explain_parent)
        compiler.explain_below("LEFT")
    return merges


def _explain_arm(compiler: Compiler, is_plain: bool, number: int) -> int:
    """The row of an arm whose rows just follow those of the others; the row to go back to before the next."""
    if not is_plain or not compiler.wants_explain:
        return compiler.explain_parent
    if not number:
        compiler.explain_below("COMPOUND QUERY")
    parent = compiler.explain_parent
    compiler.explain_below("UNION ALL" if number else "LEFT-MOST SUBQUERY")
    return parent


def _remover(compiler: Compiler, cursor: int) -> Sink:
    return lambda registers, done: compiler.emit(op.SetDelete, cursor, 0, 0, registers)


def _open(compiler: Compiler, cursor: int, is_set: bool, collations: tuple[Collation, ...], width: int) -> None:
    if is_set:
        compiler.emit(op.SetOpen, cursor, 0, 0, collations)
    else:
        compiler.emit(op.OpenList, cursor, width)


def _collector(compiler: Compiler, cursor: int, is_set: bool) -> Sink:
    opcode = op.SetInsert if is_set else op.ListAppend
    return lambda registers, done: compiler.emit(opcode, cursor, 0, 0, registers)


def _as_list(compiler: Compiler, cursor: int, width: int) -> int:
    """The rows of a set in sorted order as a list."""
    compiler.emit(op.SetSort, cursor)
    rows = compiler.builder.cursor()
    compiler.emit(op.OpenList, rows, width)
    emit_row_loop(compiler, cursor, width, Limits(), _collector(compiler, rows, False), 0)
    return rows


def _as_set(compiler: Compiler, cursor: int, collations: tuple[Collation, ...], width: int) -> int:
    rows = compiler.builder.cursor()
    compiler.emit(op.SetOpen, rows, 0, 0, collations)
    emit_row_loop(compiler, cursor, width, Limits(), _collector(compiler, rows, True), 0)
    return rows


def _union(
    compiler: Compiler, bound: BoundSelect, number: int, left: int, collations: tuple[Collation, ...], width: int
) -> int:
    """The rows of the next arm and those of `left` that it lacks."""
    both = compiler.builder.cursor()
    _open(compiler, both, True, collations, width)
    emit_block(compiler, bound, bound.blocks[number], _collector(compiler, both, True), None)
    emit_row_loop(compiler, left, width, Limits(), _collector(compiler, both, True), 0)
    return both


def _intersect(
    compiler: Compiler, bound: BoundSelect, number: int, left: int, collations: tuple[Collation, ...], width: int
) -> int:
    """The rows of `left` that the next arm has too."""
    right = compiler.builder.cursor()
    both = compiler.builder.cursor()
    compiler.emit(op.SetOpen, right, 0, 0, collations)
    compiler.emit(op.SetOpen, both, 0, 0, collations)
    emit_block(compiler, bound, bound.blocks[number], _collector(compiler, right, True), None)
    compiler.emit(op.SetSort, left)

    def sink(registers: tuple[int, ...], done: int) -> None:
        skip = compiler.label()
        compiler.emit(op.SetNotFound, right, skip, 0, registers)
        compiler.emit(op.SetInsert, both, 0, 0, registers)
        compiler.place(skip)

    emit_row_loop(compiler, left, width, Limits(), sink, 0)
    return both


def column_collations(compiler: Compiler, bound: BoundSelect) -> list[Collation]:
    """For each column the collation of the leftmost arm that has one."""
    collations = []
    for position in range(len(bound.columns)):
        name = None
        for block in bound.blocks:
            name = arm_collation(compiler, block, position)
            if name is not None:
                break
        collations.append(compiler.key_collation(name))
    return collations


def compound_order(
    compiler: Compiler, bound: BoundSelect, terms: list[ast.OrderingTerm]
) -> list[tuple[int, Collation, bool, bool]]:
    """ORDER BY of a compound: every term has to be a result column (position, collation, descending, NULLs first)."""
    check_term_count(compiler, terms, "ORDER BY")
    n_columns = len(bound.columns)
    collations = column_collations(compiler, bound)
    items = []
    for number, term in enumerate(terms, 1):
        expression, name = strip_collate(term.expression)
        ordinal = ordinal_of(expression)
        if ordinal is not None:
            if not 1 <= ordinal <= n_columns:
                raise sqlite_error(
                    ERROR, f"{ordinal_suffix(number)} ORDER BY term out of range - should be between 1 and {n_columns}"
                )
            position: int | None = ordinal - 1
        else:
            position = _matching_column(bound, expression)
        if position is None:
            raise sqlite_error(
                ERROR, f"{ordinal_suffix(number)} ORDER BY term does not match any column in the result set"
            )
        collation = compiler.key_collation(name) if name is not None else collations[position]
        items.append((position, collation, term.is_descending, effective_nulls_first(term)))
    return items


def _matching_column(bound: BoundSelect, expression: ast.Expression) -> int | None:
    """An alias of an arm, or an expression written as in an arm; arms from left to right."""
    for block in bound.blocks:
        if expression.__class__ is ast.Column and expression.table is None:
            lowered = expression.name.lower()
            for position, result in enumerate(block.results):
                if result.alias is not None and result.alias.lower() == lowered:
                    return position
        for position, result in enumerate(block.results):
            if same_tree(result.expression, expression):
                return position
        if expression.__class__ is ast.Column and expression.table is None:
            for position, result in enumerate(block.results):
                name = result.name or getattr(result.expression, "name", None)
                if result.alias is None and name is not None and name.lower() == lowered:
                    return position
    return None


# Recursion


def _check_recursive_arm(compiler: Compiler, block: Block) -> None:
    if block.core is None:
        return
    calls = find_calls(compiler, block, None)
    if calls.is_grouped:
        raise sqlite_error(ERROR, "recursive aggregate queries not supported")
    if calls.windows:
        raise sqlite_error(ERROR, "cannot use window functions in recursive queries")


def _open_queue(compiler: Compiler, bound: BoundSelect, queue: int) -> Sink:
    """Opens the queue (and for UNION the set of rows seen); returns the sink that puts rows into it."""
    node = bound.node
    spec = None
    if node.order_by:
        spec = _sort_spec(compound_order(compiler, bound, node.order_by), len(bound.columns))
    is_distinct = node.operators[bound.first_recursive - 1] == "UNION"
    seen = -1
    if is_distinct:
        seen = compiler.builder.cursor()
        compiler.emit(op.SetOpen, seen, 0, 0, tuple(column_collations(compiler, bound)))
    compiler.emit(op.QueueOpen, queue, 0, 0, spec)

    def enqueue(registers: tuple[int, ...], arm_done: int) -> None:
        skip = compiler.label()
        if is_distinct:
            compiler.emit(op.SetInsert, seen, skip, 0, registers)
        compiler.emit(op.QueueInsert, queue, 0, 0, registers)
        compiler.place(skip)

    return enqueue


def _sort_spec(items: list[tuple[int, Collation, bool, bool]], width: int) -> SortSpec:
    positions, collations, descending, nulls_first = zip(*items)
    return SortSpec(positions, collations, descending, nulls_first, width)


def emit_recursion(compiler: Compiler, bound: BoundSelect, sink: Sink) -> None:
    """WITH RECURSIVE: a queue, a loop over it, the sink, then the recursive arms."""
    node = bound.node
    common = bound.common_table
    assert common is not None, "a recursion belongs to a common table"
    first = bound.first_recursive
    operators = node.operators[first - 1 :]
    if first <= 0 or operators[0] in ("EXCEPT", "INTERSECT") or any(operator != operators[0] for operator in operators):
        raise sqlite_error(ERROR, f"circular reference: {common.node.name}")
    done = compiler.label()
    limits = emit_limits(compiler, node, bound.scope, done)
    width = len(bound.columns)
    queue = compiler.builder.cursor()
    enqueue = _open_queue(compiler, bound, queue)
    parent = compiler.explain_below("SETUP")
    common.is_emitting = True
    if first == 1:
        emit_block(compiler, bound, bound.blocks[0], enqueue, None)
    else:
        cursor, is_set = emit_arms(compiler, bound, first)
        if is_set:
            compiler.emit(op.SetSort, cursor)
        emit_row_loop(compiler, cursor, width, Limits(), enqueue, 0)
    common.is_emitting = False
    base = compiler.registers(width)
    end = compiler.label()
    following = compiler.label()
    compiler.builder.begin_loop(op.QueueNext, queue, end, base, width)
    skip_output = compiler.label()
    registers = tuple(range(base, base + width))
    if limits.offset:
        compiler.emit(op.IfPos, limits.offset, skip_output, 1)
    compiler.explain_parent = parent
    sink(registers, done)
    if limits.limit:
        compiler.emit(op.DecrJumpZero, limits.limit, done)
    compiler.place(skip_output)
    common.row_registers = list(registers)
    compiler.explain_below("RECURSIVE STEP")
    outer_recursion, compiler.in_recursion = compiler.in_recursion, True
    common.is_emitting = True
    for block in bound.blocks[first:]:
        _check_recursive_arm(compiler, block)
        emit_block(compiler, bound, block, enqueue, None)
    common.is_emitting = False
    common.row_registers = []
    compiler.in_recursion = outer_recursion
    compiler.explain_parent = parent
    compiler.builder.end_loop(op.Next, following, end)
    compiler.place(done)
