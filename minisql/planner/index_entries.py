"""Index entries of rows in registers: which registers make the entry, and whether a partial index has one at all.

An entry is a tuple of registers, so plain columns cost no instruction; only expressions are computed.

Source: https://www.sqlite.org/fileformat2.html section 2.4, https://www.sqlite.org/partialindex.html,
https://www.sqlite.org/expridx.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.planner.layout import table_layout
from minisql.planner.references import referenced_names
from minisql.planner.rows import emit_schema_condition, emit_schema_expression

if TYPE_CHECKING:
    from collections.abc import Collection

    from minisql.catalog.schema import Index, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters
    from minisql.planner.scope import Scope

ROWID, EXPRESSION = -1, -2

_PLACE = "an index"


def emit_index_entry(compiler: Compiler, index: Index, row: RowRegisters, scope: Scope) -> tuple[int, ...]:
    """The registers of a row's entry in an index; computes its expressions."""
    offsets = row.layout.offsets
    base = row.base
    entry = []
    for column in index.entry_columns:
        position = column.position
        if position >= 0:
            entry.append(base + offsets[position])
        elif position == ROWID:
            entry.append(row.rowid)
        else:
            assert column.expression is not None, "an index column is a column, the rowid or an expression"
            entry.append(emit_schema_expression(compiler, column.expression, scope, compiler.register(), _PLACE))
    return tuple(entry)


def plain_entry(row: RowRegisters, index: Index) -> tuple[int, ...] | None:
    """The registers of a row's entry in an index without expressions; None if there are some."""
    layout = row.layout
    offsets = layout.entries.get(index)
    if offsets is None:
        return None
    base = row.base
    if layout.rowid_offset >= 0 or layout.clustered is not None:
        return tuple([base + offset for offset in offsets])
    return (*[base + offset for offset in offsets[:-1]], row.rowid)


def emit_index_condition(compiler: Compiler, index: Index, scope: Scope, skip: int) -> None:
    """Jumps to `skip` when a partial index has no entry for the row."""
    if index.where is not None:
        emit_schema_condition(compiler, index.where, scope, skip, False, True, _PLACE)


def emit_delete_entries(
    compiler: Compiler, table: Table, row: RowRegisters, scope: Scope, cursors: dict[Index, int]
) -> None:
    """Deletes a row's entries from the indexes in `cursors`."""
    for index in table_layout(table).indexes:
        cursor = cursors.get(index)
        if cursor is None:
            continue
        skip = compiler.label()
        emit_index_condition(compiler, index, scope, skip)
        compiler.emit(op.IdxDelete, cursor, p4=emit_index_entry(compiler, index, row, scope))
        compiler.place(skip)


def is_touched(index: Index, changed: Collection[int], is_key_changed: bool) -> bool:
    """Tells whether an UPDATE of the columns in `changed` (positions) may change a row's entry in an index."""
    if is_key_changed:
        return True
    columns = index.table.columns
    names: set[str] | None = None
    for column in index.entry_columns:
        if column.position in changed:
            return True
        if column.position == EXPRESSION:
            names = names or {columns[position].name.lower() for position in changed}
            if names & referenced_names(column.expression):
                return True
    if index.where is None:
        return False
    return bool({columns[position].name.lower() for position in changed} & referenced_names(index.where))
