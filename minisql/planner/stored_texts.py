"""The stored SQL of all objects that ALTER TABLE may have to rewrite, and the code that writes them back.

Source: https://www.sqlite.org/lang_altertable.html, https://www.sqlite.org/schematab.html.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.rename import StoredText
from minisql.parser import parse_one
from minisql.planner.schema_rows import emit_pending_row, emit_pending_writes, open_pending_rows, open_schema_table

if TYPE_CHECKING:
    from minisql.catalog.schema import Schema, Table
    from minisql.planner.compiler import Compiler

_TYPE, _NAME, _TABLE_NAME, _SQL = 0, 1, 2, 4


class SchemaObject:
    """One row of sqlite_schema that has SQL: `kind`, `name`, the `table_name` it belongs to, and its text."""

    __slots__ = ("kind", "name", "sql", "table_name")

    def __init__(self, kind: str, name: str, table_name: str, sql: str) -> None:
        self.kind = kind
        self.name = name
        self.table_name = table_name
        self.sql = sql

    def text(self) -> StoredText:
        """The text with its tokens."""
        parsed, _ = parse_one(self.sql, drops_terms=False)
        assert parsed is not None, "a stored object has been parsed before"
        return StoredText(self.sql, parsed)


def schema_objects(schema: Schema) -> Iterator[SchemaObject]:
    """All objects of a schema that have SQL; virtual tables and sqlite_schema itself left out."""
    seen: set[int] = set()
    for table in schema.tables.values():
        if id(table) in seen or table.root_page == 1 or not table.sql:
            continue
        seen.add(id(table))
        kind = "view" if table.view is not None else "table"
        if table.module is None:
            yield SchemaObject(kind, table.name, table.name, table.sql)
    for index in schema.indexes.values():
        if index.sql:
            yield SchemaObject("index", index.name, index.table.name, index.sql)
    for trigger in schema.triggers.values():
        yield SchemaObject("trigger", trigger.name, trigger.table_name, trigger.sql)


class Rewrite:
    """New contents of a sqlite_schema row: the object's `kind` and old `name`, and the fields that change (None: not)."""

    __slots__ = ("kind", "name", "new_name", "new_sql", "new_table_name")

    def __init__(
        self,
        kind: str,
        name: str,
        new_name: str | None = None,
        new_table_name: str | None = None,
        new_sql: str | None = None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.new_name = new_name
        self.new_table_name = new_table_name
        self.new_sql = new_sql


def emit_rewrites(compiler: Compiler, database: int, rewrites: list[Rewrite]) -> None:
    """Writes the rows back."""
    if not rewrites:
        return
    builder = compiler.builder
    emit = compiler.emit
    cursor = open_schema_table(compiler, database)
    row = builder.registers(6)
    end = compiler.label()
    following = compiler.label()
    write = compiler.label()
    pending = open_pending_rows(compiler, 5)
    builder.begin_loop(op.Rewind, cursor, end, row, 5)
    for rewrite in rewrites:
        other = compiler.label()
        emit(op.Ne, row + _NAME, other, builder.constant(rewrite.name), None, op.JUMP_IF_NULL)
        emit(op.Ne, row + _TYPE, other, builder.constant(rewrite.kind), None, op.JUMP_IF_NULL)
        for field, value in (
            (_NAME, rewrite.new_name),
            (_TABLE_NAME, rewrite.new_table_name),
            (_SQL, rewrite.new_sql),
        ):
            if value is not None:
                emit(op.Constant, 0, row + field, 0, value)
        emit(op.Goto, 0, write)
        compiler.place(other)
    emit(op.Goto, 0, following)
    compiler.place(write)
    emit_pending_row(compiler, cursor, pending, row, 5)
    builder.end_loop(op.Next, following, end)
    emit_pending_writes(compiler, cursor, pending, row, 5)


def object_of(table: Table) -> SchemaObject:
    """The schema object of a table or view."""
    return SchemaObject("view" if table.view is not None else "table", table.name, table.name, table.sql)
