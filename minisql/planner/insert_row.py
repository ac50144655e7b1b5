"""The last step of INSERT and UPDATE: index entries and the row itself go into their trees.

Source: https://www.sqlite.org/fileformat2.html sections 2.3 to 2.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.planner.targets import emit_refuse_pinned

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.constraints import Write
    from minisql.planner.layout import RowRegisters
    from minisql.planner.targets import Target


def emit_entries(compiler: Compiler, target: Target, write: Write) -> None:
    """Inserts the row's index entries that the checks have prepared."""
    for index, entry, flag in write.entries:
        skip = 0
        if flag:
            skip = compiler.label()
            compiler.emit(op.IfNot, flag, skip, 1)
        compiler.emit(op.IdxInsert, target.index_cursors[index], p4=entry)
        if skip:
            compiler.place(skip)


def emit_insert_row(compiler: Compiler, target: Target, row: RowRegisters, flags: int) -> None:
    """Writes the row itself."""
    emit_refuse_pinned(compiler, target)
    table = target.table
    n_stored = target.layout.n_stored
    if table.is_without_rowid:
        entry = tuple(range(row.base, row.base + n_stored))
        compiler.emit(op.IdxInsert, target.cursor, p4=entry, p5=flags & op.COUNT_CHANGE)
        return
    operands = (n_stored, target.reports_name, table.schema_index)
    compiler.emit(op.Insert, target.cursor, row.base, row.rowid, operands, flags)
