"""Loop code: from chosen access paths to nested loops with the terms checked as early as they can be.

`emit_loops` opens everything, emits the constant terms, then one loop per access from outer to inner, then `body`, then
closes the loops.  An access that finds at most one row is no loop but a jump to the enclosing loop's next row.

Outer joins must not repeat the body, since all jumps but the recorded back jumps go forward: the rows of the right side that
match the current outer row are gathered in a list, a null row is added if there are none, and the body runs over that list:

    loop over t2's access:  ON terms -> next;  append row to L
    if L is empty: append NULLs
    loop over L:  body

RIGHT and FULL joins are gathered whole (see `emit_right_join`): a hash table of the right side remembers which of its rows
have found a partner, and the others follow with NULLs on the left.

Source: https://www.sqlite.org/optoverview.html, https://www.sqlite.org/lang_select.html section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import HashSpec
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.access import BY_HASH, BY_OR, BY_ROWID, BY_ROWS, SCAN, Access, find_accesses
from minisql.planner.compound_columns import emit_column_rows
from minisql.planner.conditions import emit_condition
from minisql.planner.explain_plan import set_up_name, source_name
from minisql.planner.key_values import emit_key, emit_key_values
from minisql.planner.nodes import SourceColumn
from minisql.planner.operands import affinity_of
from minisql.planner.prepare_access import open_table, prepare, row_extent
from minisql.planner.query_blocks import NESTED, NO_PLAN, RECURSION, SUBQUERY, Input
from minisql.planner.scope import ROWID, row_registers, stored_width
from minisql.planner.virtual_tables import VirtualAccess, VirtualUnion, open_virtual, virtual_accesses
from minisql.values.collation import BINARY

if TYPE_CHECKING:
    from minisql.catalog.schema import Index
    from minisql.planner.block_plan import BlockPlan
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block, BoundSelect
    from minisql.planner.scope import Scope
    from minisql.planner.terms import Term

Body = Callable[[int], None]
"""Called with the label of the innermost loop's next row; emits what is done for each row."""


class Nest:
    """The state of `emit_loops`: which inputs have a current row (`available`), where to go for the next row
    (`next_label`), the loops to close, and which terms are still to be checked."""

    __slots__ = ("available", "closers", "compiler", "end_label", "next_label", "terms")

    def __init__(self, compiler: Compiler, terms: list[Term], end_label: int) -> None:
        self.compiler = compiler
        self.terms = terms
        self.end_label = end_label
        self.next_label = end_label
        self.available = 0
        self.closers: list[tuple[int, int, int]] = []

    def begin(self, opcode: int, cursor: int, row: int, n_columns: int, p4: object = None, p5: int = 0) -> int:
        """Starts a loop; returns its end label."""
        compiler = self.compiler
        end = compiler.label()
        compiler.builder.begin_loop(opcode, cursor, end, row, n_columns, p4, p5)
        self.next_label = compiler.label()
        advance = op.Prev if opcode in (op.Last, op.SeekLE, op.SeekLT) else op.Next
        self.closers.append((advance, self.next_label, end))
        return end

    def close(self, down_to: int = 0) -> None:
        """Ends loops until `down_to` are open."""
        builder = self.compiler.builder
        while len(self.closers) > down_to:
            advance, label, end = self.closers.pop()
            builder.end_loop(advance, label, end)

    def check_ready_terms(self, owner: Input | None = None) -> None:
        """Emits the terms that can be checked now; those of an outer join's ON only for their owner."""
        compiler = self.compiler
        for term in self.terms:
            if term.is_done or term.is_virtual or term.owner is not owner or term.mask & ~self.available:
                continue
            term.is_done = True
            compiler.emit_condition(term.expression, term.scope, self.next_label, False, True)


def emit_scan(
    compiler: Compiler, inputs: list[Input], where: ast.Expression | None, scope: Scope, end: int, body: Body
) -> None:
    """Nested scans of whole tables, WHERE checked inside: what `emit_loops` would do with a plan that had no choice."""
    builder = compiler.builder
    opened = []
    for made in inputs:
        table = made.table
        assert table is not None, "only tables are scanned"
        source = made.source
        cursor = compiler.open_read(table)
        width = stored_width(table)
        first = builder.registers(width)
        source.cursor = cursor
        source.registers = row_registers(table, first)
        opened.append((cursor, first, width))
    loops = []
    next_label = end
    for cursor, first, width in opened:
        loop_end = builder.label()
        builder.begin_loop(op.Rewind, cursor, loop_end, first, width)
        next_label = builder.label()
        loops.append((next_label, loop_end))
    if where is not None:
        compiler.emit_condition(where, scope, next_label, False, True)
    body(next_label)
    while loops:
        next_label, loop_end = loops.pop()
        builder.end_loop(op.Next, next_label, loop_end)


def emit_plan(
    compiler: Compiler, block: Block, plan: BlockPlan, end: int, body: Body, may_repeat: bool = False
) -> None:
    """The loops of a planned block."""
    if plan.scan is not None:
        emit_scan(compiler, plan.scan, block.where, block.scope, end, body)
    else:
        emit_loops(compiler, plan.accesses, plan.terms, end, body, may_repeat)


def emit_loops(
    compiler: Compiler, accesses: list[Access], terms: list[Term], end_label: int, body: Body, may_repeat: bool = False
) -> None:
    """Emits the nested loops around `body`; everything ends at `end_label`, which the caller places.

    A body that `may_repeat` is emitted for each arm of a UNION ALL that stands in FROM alone: the columns are in the same
    registers for all of them.
    """
    nest = Nest(compiler, terms, end_label)
    nest.check_ready_terms()
    inline = accesses[0] if accesses and _runs_inline(accesses[0]) else None
    for access in accesses:
        if access is not inline:
            prepare(compiler, access, terms)
    if inline is None:
        _emit_rest(nest, accesses, 0, body)
        return
    nest.available |= inline.input.mask
    parent = compiler.explain_parent
    is_set_up = compiler.wants_explain and _is_set_up(compiler, inline.input)
    repeats = may_repeat and len(accesses) == 1 and not terms and not compiler.wants_explain
    common: list[int] = []
    if is_set_up:
        compiler.explain_below(f"CO-ROUTINE {set_up_name(compiler, inline.input)}")

    def sink(registers: tuple[int, ...], done: int) -> None:
        inner_parent = compiler.explain_parent
        compiler.explain_parent = parent
        if is_set_up:
            explain_access(compiler, inline)
        inline.input.source.registers = _in_common(compiler, registers, common) if repeats else list(registers)
        nest.next_label = compiler.label()
        last = nest.next_label
        nest.check_ready_terms()
        _emit_rest(nest, accesses, 1, body)
        compiler.place(last)
        compiler.explain_parent = inner_parent

    assert inline.input.select is not None, "only subqueries run inline"
    emit_column_rows(compiler, inline.input.select, sink, inline.input, repeats)
    compiler.explain_parent = parent


def _in_common(compiler: Compiler, registers: tuple[int, ...], common: list[int]) -> list[int]:
    """Copies an arm's columns into the registers that all arms have in common, which the first arm chooses."""
    if not common:
        first = compiler.registers(len(registers))
        common += range(first, first + len(registers))
    for register, target in zip(registers, common):
        compiler.emit(op.SCopy, register, target)
    return common


def emit_lone_loop(compiler: Compiler, access: Access, terms: list[Term], end_label: int, body: Body) -> None:
    """`emit_loops` for one table of the database, without the steps that only joins need."""
    nest = Nest(compiler, terms, end_label)
    open_table(compiler, access)
    open_access(nest, access)
    next_label = nest.next_label
    for term in terms:
        # Terms and candidates refer to each other, and a cycle would wait for the garbage collector.
        term.candidates = []
        if not term.is_done:
            emit_condition(compiler, term.expression, term.scope, next_label, False, True)
    body(next_label)
    nest.close()


def _gathers_right_join(made: Input) -> bool:
    return made.block is not None and any(part.join_flags & ast.JOIN_RIGHT for part in made.block.inputs)


def _is_set_up(compiler: Compiler, made: Input) -> bool:
    """Whether EXPLAIN QUERY PLAN shows a subquery as a step of its own: VALUES and plain compounds are just scanned."""
    select = made.select
    assert select is not None, "the caller looked"
    if len(select.blocks) == 1:
        return select.blocks[0].rows is None or len(select.blocks[0].rows) == 1
    return made.common_table is not None or select.node.order_by is not None or select.node.limit is not None or any(
        operator != "UNION ALL" for operator in select.operators
    ) or _has_mixed_types(compiler, select)


def _has_mixed_types(compiler: Compiler, select: BoundSelect) -> bool:
    """Whether the arms of a compound differ in the affinity of a column: SQLite does not merge them into the query then."""
    kinds = [[affinity_of(compiler, result.expression, arm.scope) for result in arm.results] for arm in select.blocks]
    return any(other != kinds[0] for other in kinds)


def _runs_inline(access: Access) -> bool:
    """A subquery as the outermost loop calls the inner loops for each of its rows, without storing them."""
    made = access.input
    if access.kind != BY_ROWS or made.kind != SUBQUERY or made.join_flags & ast.JOIN_LEFT:
        return False
    return not made.is_shared


def _emit_rest(nest: Nest, accesses: list[Access], first: int, body: Body) -> None:
    base = len(nest.closers)
    for access in accesses[first:]:
        explain_access(nest.compiler, access)
        if access.input.join_flags & ast.JOIN_LEFT:
            _open_left(nest, access)
        else:
            open_access(nest, access)
            nest.available |= access.input.mask
            nest.check_ready_terms()
    body(nest.next_label)
    nest.close(base)
    # Terms and candidates refer to each other, and a cycle would wait for the garbage collector.
    for term in nest.terms:
        term.candidates = []


# Opening the loop of one access


def open_access(nest: Nest, access: Access) -> None:
    """Emits the start of the loop (or the single search) of an access."""
    made = access.input
    compiler = nest.compiler
    kind = access.kind
    if kind == BY_ROWS:
        _open_rows(nest, access)
    elif kind == BY_ROWID:
        _open_rowid(nest, access)
    elif kind == BY_HASH:
        keys = tuple(emit_key(compiler, candidate, nest.available) for candidate in access.hash_terms)
        nest.begin(op.HashProbe, made.search_cursor, made.search_base, made.search_width, keys)
        mark_done(access)
    elif isinstance(access, VirtualUnion):
        _open_virtual_union(nest, access)
    elif kind == BY_OR:
        _open_union(nest, access)
    elif kind == SCAN and access.index is None:
        opcode = op.Last if access.is_reversed else op.Rewind
        nest.begin(opcode, made.source.cursor, made.row_base, stored_width(made.table))  # type: ignore[arg-type]
    else:
        _open_index(nest, access)


def _open_rows(nest: Nest, access: Access) -> None:
    made = access.input
    if made.kind == RECURSION:
        # The queue's current row is in registers already: the enclosing QueueNext loop is the loop.
        common = made.common_table
        assert common is not None, "a recursion belongs to a common table"
        made.source.registers = common.row_registers
        return
    if isinstance(access, VirtualAccess):
        open_virtual(nest, access)
        return
    first, width = row_extent(made)
    nest.begin(op.Rewind, made.source.cursor, first, width)


def _open_rowid(nest: Nest, access: Access) -> None:
    compiler = nest.compiler
    made = access.input
    cursor = made.source.cursor
    first, width = row_extent(made)
    if access.equal:
        candidate = access.equal[0]
        if candidate.operator == "IN":
            register = open_in_values(nest, candidate, access.is_reversed)
        else:
            register = compiler.emit_expression(candidate.value, candidate.scope)  # type: ignore[arg-type]
        compiler.emit(op.SeekRowid, cursor, nest.next_label, first, register)
        mark_done(access)
        return
    lower, upper = access.lower, access.upper
    low = emit_key(compiler, lower, nest.available) if lower is not None else 0
    high = emit_key(compiler, upper, nest.available) if upper is not None else 0
    for register in (low, high):
        if register and register not in compiler.constants:
            compiler.emit(op.IsNull, register, nest.next_label)
        elif register and compiler.constants[register] is None:
            compiler.emit(op.Goto, 0, nest.next_label)
    if access.is_reversed:
        if upper is not None:
            opcode = op.SeekLE if upper.operator == "<=" else op.SeekLT
            end = nest.begin(opcode, cursor, first, width, high)
        else:
            end = nest.begin(op.Last, cursor, first, width)
        bound, register, stop = lower, low, (op.Lt if lower is not None and lower.operator == ">=" else op.Le)
    else:
        if lower is not None:
            opcode = op.SeekGE if lower.operator == ">=" else op.SeekGT
            end = nest.begin(opcode, cursor, first, width, low)
        else:
            end = nest.begin(op.Rewind, cursor, first, width)
        bound, register, stop = upper, high, (op.Gt if upper is not None and upper.operator == "<=" else op.Ge)
    if bound is not None:
        compiler.emit(stop, compiler.emit_rowid(made.source), end, register)
    mark_done(access)


_WITH_OPERAND = frozenset((ast.Between, ast.InList))


def mark_done(access: Access) -> None:
    """The terms that an access makes true need no check (BETWEEN only if both parts are used, row values always)."""
    used = [*access.equal, *access.hash_terms]
    if access.lower is not None:
        used.append(access.lower)
    if access.upper is not None:
        used.append(access.upper)
    for candidate in used:
        term = candidate.term
        kind = term.expression.__class__
        if kind in _WITH_OPERAND and term.expression.operand.__class__ is ast.RowValue:  # type: ignore[attr-defined]
            continue
        if kind is ast.Between:
            if access.lower is not None and access.upper is not None and access.lower.term is access.upper.term:
                term.is_done = True
        elif kind is ast.Like or (kind is ast.Binary and term.expression.left.__class__ is ast.RowValue):  # type: ignore[attr-defined]
            continue
        else:
            term.is_done = True


def open_in_values(nest: Nest, candidate: object, descends: bool) -> int:
    """A loop over the values of an IN in ascending or descending order; returns the register of the value."""
    compiler = nest.compiler
    value = compiler.register()
    cursor = emit_key_values(compiler, candidate)  # type: ignore[arg-type]
    nest.begin(op.Last if descends else op.Rewind, cursor, value, 1)
    return value


def _open_index(nest: Nest, access: Access) -> None:
    """An index scan: equalities, then a range, forwards or backwards."""
    compiler = nest.compiler
    made = access.input
    index = access.index
    assert index is not None, "the access has an index"
    if index.is_clustered:
        cursor, base, width = made.source.cursor, made.row_base, stored_width(index.table)
    else:
        cursor, base = made.search_cursor, made.search_base
        width = len(index.entry_columns)
    equal: list[int] = []
    for candidate in access.equal:
        if candidate.operator == "IN":
            descends = index.columns[len(equal)].descending
            equal.append(open_in_values(nest, candidate, access.is_reversed != descends))
        elif candidate.operator == "ISNULL":
            equal.append(compiler.constant(None))
        else:
            register = emit_key(compiler, candidate, nest.available)
            if candidate.operator == "=":
                if register not in compiler.constants:
                    compiler.emit(op.IsNull, register, nest.next_label)
                elif compiler.constants[register] is None:
                    compiler.emit(op.Goto, 0, nest.next_label)
            equal.append(register)
    _scan_range(nest, access, cursor, base, width, equal)
    mark_done(access)
    if index.is_clustered or access.is_covering:
        return
    seek_table_row(compiler, made, index, cursor, base, nest.next_label)


def seek_table_row(compiler: Compiler, made: Input, index: Index, cursor: int, base: int, missing: int) -> None:
    """Loads the table row that an index entry points to."""
    table = index.table
    if not table.is_without_rowid:
        compiler.emit(op.DeferredSeek, made.source.cursor, cursor, made.row_base)
        return
    clustered = next(other for other in table.indexes if other.is_clustered)
    fields = {column.position: base + field for field, column in reversed(list(enumerate(index.entry_columns)))}
    key = tuple(fields[column.position] for column in clustered.columns)
    compiler.emit(op.SeekGE, made.source.cursor, missing, made.row_base, key)


def _scan_range(nest: Nest, access: Access, cursor: int, base: int, width: int, equal: list[int]) -> None:
    """Starts the scan at one end of the range and emits the check for the other end."""
    compiler = nest.compiler
    index = access.index
    assert index is not None, "the access has an index"
    lower, upper = access.lower, access.upper
    if lower is not None and lower.operator == "NOTNULL":
        lower = None
        starts_behind_nulls = True
    else:
        starts_behind_nulls = upper is not None and lower is None
    low = emit_key(compiler, lower, nest.available) if lower is not None else 0
    high = emit_key(compiler, upper, nest.available) if upper is not None else 0
    for register in (low, high):
        if register and register not in compiler.constants:
            compiler.emit(op.IsNull, register, nest.next_label)
        elif register and compiler.constants[register] is None:
            compiler.emit(op.Goto, 0, nest.next_label)
    low_open = lower is not None and lower.operator == ">"
    high_open = upper is not None and upper.operator == "<"
    if starts_behind_nulls:
        # NULLs are below every value and match no comparison.
        low, low_open = compiler.constant(None), True
    position = len(equal)
    descending = position < len(index.columns) and index.columns[position].descending
    if descending:
        low, high, low_open, high_open = high, low, high_open, low_open
    if access.is_reversed:
        start, start_open, stop, stop_open = high, high_open, low, low_open
        seeks, bounds = (op.SeekLE, op.SeekLT), (op.IdxLT, op.IdxLE)
    else:
        start, start_open, stop, stop_open = low, low_open, high, high_open
        seeks, bounds = (op.SeekGE, op.SeekGT), (op.IdxGT, op.IdxGE)
    if start or equal:
        key = tuple([*equal, start] if start else equal)
        end = nest.begin(seeks[1] if start_open and start else seeks[0], cursor, base, width, key)
    else:
        end = nest.begin(op.Last if access.is_reversed else op.Rewind, cursor, base, width)
    if stop or equal:
        key = tuple([*equal, stop] if stop else equal)
        compiler.emit(bounds[1] if stop_open and stop else bounds[0], cursor, end, 0, key)


# OR


def _open_union(nest: Nest, access: Access) -> None:
    """Gathers the rowids that any branch of an OR finds, each once, in the order found; then reads those rows."""
    compiler = nest.compiler
    made = access.input
    table = made.table
    assert table is not None, "unions are over tables"
    rows = compiler.builder.cursor()
    seen = compiler.builder.cursor()
    compiler.emit(op.OpenList, rows, 1)
    compiler.emit(op.SetOpen, seen, 0, 0, (BINARY,))
    for branch in access.branches:
        _gather_branch(nest, branch, rows, seen)
    rowid = compiler.register()
    nest.begin(op.Rewind, rows, rowid, 1)
    compiler.emit(op.SeekRowid, made.source.cursor, nest.next_label, made.row_base, rowid)
    # Searches with an affinity may find more than the comparison accepts, so the terms are checked as usual.


def _open_virtual_union(nest: Nest, access: VirtualUnion) -> None:
    """Gathers the rows that any branch of an OR over a virtual table finds, each once."""
    compiler = nest.compiler
    made = access.input
    rows = compiler.builder.cursor()
    seen = compiler.builder.cursor()
    width = made.row_width
    row = tuple(range(made.row_base, made.row_base + width))
    compiler.emit(op.OpenList, rows, width)
    key = (made.source.rowid_register,) if made.source.has_rowid else row
    compiler.emit(op.SetOpen, seen, 0, 0, (BINARY,) * len(key))
    for branch, parts in zip(access.branches, access.parts):
        inner = Nest(compiler, [], compiler.label())
        inner.available = nest.available
        made.source.cursor = compiler.builder.cursor()
        open_access(inner, branch)
        for part in parts:
            if not part.is_done:
                compiler.emit_condition(part.expression, part.scope, inner.next_label, False, True)
        known = inner.next_label
        compiler.emit(op.SetInsert, seen, known, 0, key)
        compiler.emit(op.ListAppend, rows, 0, 0, row)
        inner.close()
        compiler.place(inner.end_label)
    nest.begin(op.Rewind, rows, made.row_base, width)
    assert access.or_term is not None, "a union comes from an OR"
    access.or_term.is_done = True


def _gather_branch(nest: Nest, branch: Access, rows: int, seen: int) -> None:
    compiler = nest.compiler
    made = branch.input
    assert made.table is not None, "unions are over tables"
    inner = Nest(compiler, [], compiler.label())
    inner.available = nest.available
    source = made.source
    saved = made.search_cursor, made.search_base
    if branch.index is not None:
        cursor = compiler.builder.cursor()
        index = branch.index
        compiler.emit(op.OpenRead, cursor, index.root_page, index.schema_index, index.shape)
        base = compiler.registers(len(index.entry_columns))
        made.search_cursor, made.search_base = cursor, base
        branch.is_covering = True
        open_access(inner, branch)
        rowid = base + len(index.entry_columns) - 1
    else:
        open_access(inner, branch)
        rowid = compiler.emit_rowid(source)
    made.search_cursor, made.search_base = saved
    known = inner.next_label
    compiler.emit(op.SetInsert, seen, known, 0, (rowid,))
    compiler.emit(op.ListAppend, rows, 0, 0, (rowid,))
    inner.close()
    compiler.place(inner.end_label)


# Outer joins


def _open_left(nest: Nest, access: Access) -> None:
    """The right side of a LEFT JOIN; see the module's docstring."""
    made = access.input
    if access.kind == BY_ROWID and access.is_single and access.equal[0].operator != "IN":
        _open_left_single(nest, access)
        return
    compiler = nest.compiler
    matches = compiler.builder.cursor()
    is_empty = compiler.register()
    row = left_row(compiler, made)
    compiler.emit(op.OpenList, matches, len(row))
    compiler.emit(op.Integer, 1, is_empty)
    inner = Nest(compiler, nest.terms, compiler.label())
    inner.available = nest.available
    inner.check_ready_terms(made)
    open_access(inner, access)
    inner.available |= made.mask
    inner.check_ready_terms(made)
    values = tuple(row_values(compiler, made))
    compiler.emit(op.ListAppend, matches, 0, 0, values)
    compiler.emit(op.Integer, 0, is_empty)
    inner.close()
    compiler.place(inner.end_label)
    found = compiler.label()
    compiler.emit(op.IfNot, is_empty, found, 0)
    null = compiler.constant(None)
    compiler.emit(op.ListAppend, matches, 0, 0, (null,) * len(row))
    compiler.place(found)
    nest.begin(op.Rewind, matches, row[0], len(row))
    apply_row(made, row)
    nest.available |= made.mask
    nest.check_ready_terms()


def left_row(compiler: Compiler, made: Input) -> list[int]:
    """New registers for the row of an input with its rowids."""
    width = 0
    for source in made.sources:
        width += sum(1 for register in source.registers if register) + (1 if source.has_rowid else 0)
    first = compiler.registers(max(width, 1))
    return list(range(first, first + max(width, 1)))


def row_values(compiler: Compiler, made: Input) -> list[int]:
    """The registers of an input's current row, rowids behind each source's columns."""
    values: list[int] = []
    for source in made.sources:
        values.extend(register for register in source.registers if register)
        if source.has_rowid:
            values.append(compiler.emit_rowid(source))
    return values or [compiler.constant(None)]


def apply_row(made: Input, row: list[int]) -> None:
    """From now on the columns of an input live in the registers `row`, laid out as `row_values` gave them."""
    place = 0
    for source in made.sources:
        registers = []
        for register in source.registers:
            if register:
                registers.append(row[place])
                place += 1
            else:
                registers.append(0)
        source.registers = registers
        if source.has_rowid:
            source.rowid_register = row[place]
            place += 1


def _open_left_single(nest: Nest, access: Access) -> None:
    """A right side found by its rowid: the row or the null row, without a loop."""
    compiler = nest.compiler
    made = access.input
    missing = compiler.label()
    found = compiler.label()
    inner = Nest(compiler, nest.terms, missing)
    inner.available = nest.available
    inner.check_ready_terms(made)
    open_access(inner, access)
    inner.available |= made.mask
    inner.check_ready_terms(made)
    compiler.emit(op.Goto, 0, found)
    compiler.place(missing)
    first, width = row_extent(made)
    compiler.emit(op.NullRow, made.source.cursor, 0, first, width)
    compiler.place(found)
    nest.available |= made.mask
    nest.check_ready_terms()


def emit_right_join(
    compiler: Compiler,
    accesses: list[Access],
    terms: list[Term],
    left: list[Input],
    right: Input,
    rows: int,
    is_full: bool,
) -> None:
    """Gathers `left RIGHT JOIN right` (FULL with `is_full`) in list cursor `rows`: columns of the left, then the right."""
    hash_cursor = compiler.builder.cursor()
    whole = _whole_accesses(compiler, right, terms)
    if not whole or (right.indexed_by is not None and _is_useless(compiler, right, whole[0].index, terms)):
        raise sqlite_error(ERROR, NO_PLAN)
    prepare_right = min(whole, key=lambda access: (access.cost, access.kind))
    end = compiler.label()
    outer = Nest(compiler, terms, end)
    prepare(compiler, prepare_right, terms)
    one = compiler.constant(1)
    compiler.emit(op.HashOpen, hash_cursor, 0, 0, HashSpec((BINARY,), True))
    open_access(outer, prepare_right)
    values = row_values(compiler, right)
    row = left_row(compiler, right)
    for value, register in zip(values, row):
        compiler.emit(op.SCopy, value, register)
    compiler.emit(op.HashInsert, hash_cursor, row[0], len(row), (one,))
    outer.close()
    apply_row(right, row)
    null = compiler.constant(None)

    def body(next_label: int) -> None:
        has_partner = compiler.register()
        compiler.emit(op.Integer, 0, has_partner)
        inner = Nest(compiler, terms, next_label)
        inner.next_label = next_label
        for made in left:
            inner.available |= made.mask
        if compiler.wants_explain:
            suffix = " LEFT-JOIN" if is_full else ""
            compiler.explain(f"SCAN {source_name(compiler, right)}{suffix}")
        inner.begin(op.HashProbe, hash_cursor, row[0], len(row), (one,))
        inner.available |= right.mask
        inner.check_ready_terms(right)
        compiler.emit(op.HashMark, hash_cursor)
        compiler.emit(op.Integer, 1, has_partner)
        left_values = [register for made in left for register in row_values(compiler, made)]
        compiler.emit(op.ListAppend, rows, 0, 0, (*left_values, *row))
        inner.close()
        if is_full:
            found = compiler.label()
            compiler.emit(op.If, has_partner, found, 0)
            left_values = [register for made in left for register in row_values(compiler, made)]
            compiler.emit(op.ListAppend, rows, 0, 0, (*left_values, *([null] * len(row))))
            compiler.place(found)

    emit_loops(compiler, accesses, terms, end, body)
    compiler.place(end)
    width = sum(_row_width(made) for made in left)
    after = compiler.label()
    right_parent = compiler.explain_below(f"RIGHT-JOIN {source_name(compiler, right)}")
    if compiler.wants_explain:
        compiler.explain(compiler.describe_access(prepare_right).removesuffix(" LEFT-JOIN"), prepare_right.cost)
    compiler.explain_parent = right_parent
    compiler.builder.begin_loop(op.HashUnmatched, hash_cursor, after, row[0], len(row))
    compiler.emit(op.ListAppend, rows, 0, 0, (*([null] * width), *row))
    compiler.builder.end_loop(op.Next, 0, after)


def _whole_accesses(compiler: Compiler, made: Input, terms: list[Term]) -> Sequence[Access]:
    """The ways to read all rows of an input; those of a table-valued function are what its arguments give."""
    if made.table is None or made.table.module is None:
        return find_accesses(compiler, made, [], made.usage, False, False)
    arguments = [term for term in terms if made.arguments and _is_argument(made, term)]
    return virtual_accesses(compiler, made, arguments, made.usage, None, 0)


def _is_useless(compiler: Compiler, made: Input, index: Index | None, terms: list[Term]) -> bool:
    """Whether an index that INDEXED BY demands has expressions, and no term seeks in it: SQLite does not scan it then."""
    if index is None or all(column.position >= ROWID for column in index.columns):
        return False
    ways = find_accesses(compiler, made, terms, made.usage, False, False)
    return not any(access.equal or access.lower is not None or access.upper is not None for access in ways)


def _is_argument(made: Input, term: Term) -> bool:
    node = term.expression
    return node.__class__ is ast.Binary and node.left.__class__ is SourceColumn and node.left.source is made.source


def _row_width(made: Input) -> int:
    width = 0
    for source in made.sources:
        width += sum(1 for register in source.registers if register) + (1 if source.has_rowid else 0)
    return max(width, 1)


# Explain


def explain_access(compiler: Compiler, access: Access) -> None:
    """The EXPLAIN QUERY PLAN row of one loop; the gathered rows of a RIGHT JOIN have none of their own."""
    if compiler.wants_explain:
        if access.input.kind == NESTED and _gathers_right_join(access.input):
            return
        text = compiler.describe_access(access)
        if access.kind != BY_OR:
            compiler.explain(text, access.cost)
            return
        parent = compiler.explain_below(text)
        for number, branch in enumerate(access.branches, 1):
            index_parent = compiler.explain_below(f"INDEX {number}")
            compiler.explain(compiler.describe_access(branch), branch.cost)
            compiler.explain_parent = index_parent
        compiler.explain_parent = parent
