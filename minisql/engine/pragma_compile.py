"""Programs for PRAGMA statements: one HostRows and a loop that hands its rows out.

Source: https://www.sqlite.org/pragma.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.builder import ProgramBuilder
from minisql.bytecode.program import Program
from minisql.engine.pragma_table import PRAGMAS, QuotedValue
from minisql.errors import ERROR, sqlite_error
from minisql.planner.statement import listing_rows

if TYPE_CHECKING:
    from minisql.engine.session import Session
    from minisql.parser import ast

_ACTION_PRAGMA = 19


def compile_pragma(session: Session, node: ast.Pragma) -> Program:
    """The program of a PRAGMA; an unknown one does nothing and returns nothing, as in SQLite."""
    if node.schema is not None and session.catalog.schema_position(node.schema) < 0:
        raise sqlite_error(ERROR, f"unknown database {node.schema}")
    if not session.allows(_ACTION_PRAGMA, node.name, node.value, node.schema):
        return _empty_program()
    entry = PRAGMAS.get(node.name.lower())
    if node.schema is not None and session.catalog.schema_position(node.schema) == 1:
        session.shows_temp = True
    builder = ProgramBuilder()
    columns: tuple[str, ...] = ()
    if entry is not None:
        columns = entry.columns_for(node.value)
        cursor = builder.cursor()
        row = builder.registers(max(len(columns), 1))
        end = builder.label()
        value = QuotedValue(node.value) if node.value is not None and node.is_quoted else node.value
        constants = (node.schema, entry.name, value)
        builder.emit(op.HostRows, 0, 0, cursor, ("pragma", constants))
        if columns or entry.name == "incremental_vacuum":  # which has rows, but no columns
            builder.begin_loop(op.Rewind, cursor, end, row, len(columns))
            builder.emit(op.ResultRow, row, len(columns))
            builder.end_loop(op.Next, 0, end)
    builder.emit(op.Halt)
    program = builder.finish(columns, "pragma")
    program.column_origins = (None,) * len(columns)
    program.is_deterministic = False
    return program


def explain_pragma(session: Session, node: ast.Pragma, is_query_plan: bool) -> Program:
    """EXPLAIN of a PRAGMA: its instructions; it has no query plan."""
    names: tuple[str, ...] = ("id", "parent", "notused", "detail")
    rows: list[tuple[object, ...]] = []
    if not is_query_plan:
        names = ("addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment")
        rows = listing_rows(compile_pragma(session, node))
    builder = ProgramBuilder()
    cursor = builder.cursor()
    row = builder.registers(len(names))
    end = builder.label()
    builder.emit(op.ConstantRows, cursor, 0, 0, tuple(rows))
    builder.begin_loop(op.Rewind, cursor, end, row, len(names))
    builder.emit(op.ResultRow, row, len(names))
    builder.end_loop(op.Next, 0, end)
    builder.emit(op.Halt)
    program = builder.finish(names, "explain")
    program.column_origins = (None,) * len(names)
    return program


def _empty_program() -> Program:
    builder = ProgramBuilder()
    builder.emit(op.Halt)
    return builder.finish((), "pragma")
