"""AUTOINCREMENT: the largest rowid that a table has ever had, kept in sqlite_sequence.

Source: https://www.sqlite.org/autoinc.html, https://www.sqlite.org/fileformat2.html section 2.6.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import CORRUPT_SEQUENCE, sqlite_error
from minisql.values.affinity import INTEGER

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler


class Sequence:
    """The counter of one table in registers: its value now (`register`) and before (`before`), and its row's rowid."""

    __slots__ = ("before", "cursor", "database", "name", "register", "rowid")

    def __init__(self, name: str, database: int, cursor: int, first_register: int) -> None:
        self.name = name
        self.database = database
        self.cursor = cursor
        self.register = first_register
        self.before = first_register + 1
        self.rowid = first_register + 2


def begin_sequence(compiler: Compiler, table: Table) -> Sequence:
    """Reads the counter: 0 if sqlite_sequence has no row for the table."""
    builder = compiler.builder
    emit = compiler.emit
    schema = compiler.context.catalog.schemas[table.schema_index]
    storage = schema.tables.get("sqlite_sequence") if schema is not None else None
    if storage is None or len(storage.columns) != 2:
        raise sqlite_error(CORRUPT_SEQUENCE)
    sequence = Sequence(table.name, table.schema_index, builder.cursor(), builder.registers(3))
    row = builder.registers(2)
    emit(op.OpenWrite, sequence.cursor, storage.root_page, table.schema_index, storage.shape)
    emit(op.Integer, 0, sequence.register)
    end = compiler.label()
    following = compiler.label()
    builder.begin_loop(op.Rewind, sequence.cursor, end, row, 2)
    emit(op.Ne, row, following, builder.constant(table.name), None, op.JUMP_IF_NULL)
    emit(op.Rowid, sequence.cursor, sequence.rowid)
    # Whatever stands there counts as the integer that it begins with.
    emit(op.Cast, row + 1, INTEGER, sequence.register)
    emit(op.NotNull, sequence.register, end)
    emit(op.Integer, 0, sequence.register)
    emit(op.Goto, 0, end)
    builder.end_loop(op.Next, following, end)
    emit(op.SCopy, sequence.register, sequence.before)
    return sequence


def emit_note_rowid(compiler: Compiler, sequence: Sequence, rowid: int) -> None:
    """Raises the counter to a rowid that was given."""
    skip = compiler.label()
    compiler.emit(op.Ge, sequence.register, skip, rowid)
    compiler.emit(op.SCopy, rowid, sequence.register)
    compiler.place(skip)


def end_sequence(compiler: Compiler, sequence: Sequence) -> None:
    """Writes the counter back if it has grown."""
    builder = compiler.builder
    emit = compiler.emit
    row = builder.registers(2)
    builder.template[row] = sequence.name
    done = compiler.label()
    known = compiler.label()
    emit(op.Le, sequence.register, done, sequence.before)
    emit(op.NotNull, sequence.rowid, known)
    emit(op.NewRowid, sequence.cursor, sequence.rowid)
    compiler.place(known)
    emit(op.SCopy, sequence.register, row + 1)
    emit(op.Insert, sequence.cursor, row, sequence.rowid, (2, None, sequence.database))
    compiler.place(done)
