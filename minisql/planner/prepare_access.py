"""Preparation of access paths: what happens once, outside of all loops.

`prepare` opens the cursors of an access, gathers the rows of subqueries, common tables and nested joins in lists, and fills
hash tables, leaving out rows that fail the table's own terms.  Within something that runs many times (a correlated subquery,
a recursive step) the gathering stands behind a Once as long as it reads nothing from outside.

Source: https://www.sqlite.org/optoverview.html#automatic_query_time_indexes
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import HashSpec, SortSpec
from minisql.parser import ast
from minisql.planner.access import BY_HASH, BY_OR, Access, reads_outside
from minisql.planner.compound_columns import emit_column_rows
from minisql.planner.explain_plan import set_up_name
from minisql.planner.query_blocks import FUNCTION, NESTED, SUBQUERY, TABLE, CommonTable, Input
from minisql.planner.scope import ROWID, row_registers, stored_width
from minisql.planner.virtual_tables import VirtualAccess, VirtualUnion, prepare_virtual
from minisql.values.collation import BINARY

if TYPE_CHECKING:
    from minisql.catalog.schema import Index
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Capture
    from minisql.planner.terms import Term


def prepare(compiler: Compiler, access: Access, terms: list[Term]) -> None:
    """Opens cursors; gathers the rows of subqueries and hash tables."""
    made = access.input
    if made.kind == TABLE:
        assert made.table is not None, "a table input has a table"
        open_table(compiler, access)
    elif made.kind == SUBQUERY:
        with_once = _begin_once(compiler, access)
        materialize(compiler, made, access.kind == BY_HASH and not made.join_flags & ast.JOIN_LEFT)
        _end_once(compiler, access, with_once)
    elif made.kind == NESTED:
        assert made.block is not None, "a nested input has a block"
        compiler.emit_nested(made)
    elif isinstance(access, (VirtualAccess, VirtualUnion)):
        prepare_virtual(compiler, access)
    if access.kind == BY_HASH:
        with_once = _begin_once(compiler, access)
        _build_hash(compiler, access, terms)
        _end_once(compiler, access, with_once)


OnceState = tuple[int, int, "Capture | None", dict[int, None], bool]


def _begin_once(compiler: Compiler, access: Access) -> OnceState | None:
    """What is gathered within a loop (a correlated subquery, a recursive step) is gathered once if it reads nothing outside."""
    capture = compiler.gathering_capture
    if capture is None and not compiler.in_recursion:
        return None
    label = compiler.label()
    address = compiler.emit(op.Once, 0, label)
    if capture is None:
        return address, label, None, {}, False
    state = address, label, capture, capture.registers, capture.is_opaque
    # What is read from now on is noted by itself.
    capture.registers = {}
    capture.is_opaque = False
    return state


def _end_once(compiler: Compiler, access: Access, state: OnceState | None) -> None:
    if state is None:
        return
    address, label, capture, registers, was_opaque = state
    if capture is not None:
        if capture.is_correlated:
            compiler.code[address] = (op.Noop, 0, 0, 0, None, 0)
        registers.update(capture.registers)
        capture.registers = registers
        capture.is_opaque = capture.is_opaque or was_opaque
    compiler.place(label)


def open_table(compiler: Compiler, access: Access) -> None:
    """Opens the cursors that an access to a stored table needs and gives its columns their registers."""
    made = access.input
    table = made.table
    source = made.source
    assert table is not None, "only tables are opened"
    if access.is_covering and access.index is not None and not access.index.is_clustered:
        _open_covering(compiler, access, access.index)
        return
    cursor = compiler.open_read(table)
    source.cursor = cursor
    # One more for the rowid, which a hash table keeps behind the row.
    made.row_base = compiler.registers(stored_width(table) + 1)
    source.registers = row_registers(table, made.row_base)
    if access.kind == BY_OR:
        return
    index = access.index
    if index is not None and not index.is_clustered:
        access_cursor = compiler.builder.cursor()
        compiler.emit(op.OpenRead, access_cursor, index.root_page, index.schema_index, index.shape)
        made.search_cursor = access_cursor
        made.search_base = compiler.registers(len(index.entry_columns))


def _open_covering(compiler: Compiler, access: Access, index: Index) -> None:
    made = access.input
    source = made.source
    cursor = compiler.builder.cursor()
    compiler.emit(op.OpenRead, cursor, index.root_page, index.schema_index, index.shape)
    base = compiler.registers(len(index.entry_columns))
    registers = [0] * len(source.columns)
    for field, column in enumerate(index.entry_columns):
        if column.position == -1:
            source.rowid_register = base + field
            alias = index.table.rowid_alias
            if alias >= 0:
                registers[alias] = base + field
        elif column.position >= 0 and not registers[column.position]:
            registers[column.position] = base + field
    source.registers = registers
    source.cursor = cursor
    made.row_base = base
    made.search_cursor = cursor
    made.search_base = base


def materialize(compiler: Compiler, made: Input, is_hashed: bool) -> None:
    """Gathers the rows of a subquery in a list cursor."""
    assert made.select is not None, "the caller looked"
    source = made.source
    width = len(source.columns)
    common = made.common_table
    if common is not None and made.is_shared:
        cursor = _gather_shared(compiler, made, common)
    else:
        cursor = compiler.builder.cursor()
        _gather_rows(compiler, made, cursor, is_hashed)
    source.cursor = cursor
    made.row_base = compiler.registers(width)
    source.registers = list(range(made.row_base, made.row_base + width))


def _gather_shared(compiler: Compiler, made: Input, common: CommonTable) -> int:
    """Gathers the rows of a common table unless another of its uses has done so; returns a cursor of this use's own."""
    if common.cursor < 0:
        common.cursor = compiler.builder.cursor()
        common.flag = compiler.register()
        wants_explain = compiler.wants_explain
    else:
        # It is gathered by whichever use comes first, and told once.
        wants_explain = False
    done = compiler.label()
    compiler.emit(op.If, common.flag, done, 0)
    compiler.wants_explain, outer = wants_explain, compiler.wants_explain
    _gather_rows(compiler, made, common.cursor, False)
    compiler.wants_explain = outer
    compiler.emit(op.Integer, 1, common.flag)
    compiler.place(done)
    cursor = compiler.builder.cursor()
    compiler.emit(op.OpenDup, cursor, common.cursor)
    return cursor


def _gather_rows(compiler: Compiler, made: Input, cursor: int, is_hashed: bool) -> None:
    assert made.select is not None, "the caller looked"
    compiler.emit(op.OpenList, cursor, len(made.source.columns))
    parent = compiler.explain_below(f"{'CO-ROUTINE' if is_hashed else 'MATERIALIZE'} {set_up_name(compiler, made)}")
    emit_column_rows(
        compiler, made.select, lambda registers, done: compiler.emit(op.ListAppend, cursor, 0, 0, registers), made
    )
    compiler.explain_parent = parent


def _build_hash(compiler: Compiler, access: Access, terms: list[Term]) -> None:
    """Fills the hash table of an access from a scan of its input, leaving out rows that fail its own terms."""
    made = access.input
    table_cursor = made.source.cursor
    hash_cursor = compiler.builder.cursor()
    collations = tuple(
        compiler.key_collation(candidate.collation or "BINARY") for candidate in access.hash_terms
    )
    compiler.emit(op.HashOpen, hash_cursor, 0, 0, HashSpec(collations))
    first, width = row_extent(made)
    end = compiler.label()
    following = compiler.label()
    compiler.builder.begin_loop(op.Rewind, table_cursor, end, first, width)
    is_left = bool(made.join_flags & ast.JOIN_LEFT)
    for term in terms:
        own = term.owner is made if is_left else term.owner is None
        if term in access.terms or (access.keeps_order and reads_outside(compiler, term)):
            continue
        if own and term.mask == made.mask and not term.is_done and not term.is_virtual:
            term.is_done = True
            compiler.emit_condition(term.expression, term.scope, following, False, True)
    rowid = _hash_rowid(compiler, made, first, width)
    keys = tuple(
        compiler.emit_resolved(candidate.source, candidate.position)  # type: ignore[arg-type]
        for candidate in access.hash_terms
    )
    compiler.emit(op.HashInsert, hash_cursor, first, width + rowid, keys)
    compiler.builder.end_loop(op.Next, following, end)
    if not access.keeps_order:
        _sort_buckets(compiler, access, hash_cursor, first, width + rowid)
    made.search_cursor = hash_cursor
    made.search_base = first
    made.search_width = width + rowid


def _sort_buckets(compiler: Compiler, access: Access, hash_cursor: int, first: int, width: int) -> None:
    """SQLite's automatic index has the other used columns behind its key, so rows of one key come sorted by these."""
    made = access.input
    source = made.source
    alias = made.table.rowid_alias if made.table is not None else ROWID
    keys = {candidate.position for candidate in access.hash_terms}
    places = []
    collations = []
    for position, register in enumerate(source.registers):
        column = source.columns[position]
        if not register or position in keys or position == alias or len(made.sources) > 1:
            continue
        if made.usage is None or made.usage.uses(made, column.name.lower()):
            places.append(register - first)
            collations.append(BINARY)
    if places:
        n = len(places)
        spec = SortSpec(tuple(places), tuple(collations), (False,) * n, (True,) * n, width)
        compiler.emit(op.HashSort, hash_cursor, 0, 0, spec)


def _hash_rowid(compiler: Compiler, made: Input, first: int, width: int) -> int:
    """Keeps the rowid behind the row in the hash table if the table has one that is no column; tells how many registers."""
    table = made.table
    if made.kind != TABLE or table is None or table.is_without_rowid or table.rowid_alias >= 0:
        return 0
    # row_extent left room for it.
    compiler.emit(op.Rowid, made.source.cursor, first + width)
    made.source.rowid_register = first + width
    return 1


def row_extent(made: Input) -> tuple[int, int]:
    """First register and number of registers of an input's row in its cursor."""
    if made.kind == TABLE:
        assert made.table is not None, "a table input has a table"
        return made.row_base, stored_width(made.table)
    if made.kind == NESTED or made.kind == FUNCTION:
        return made.row_base, made.row_width
    return made.row_base, len(made.source.columns)
