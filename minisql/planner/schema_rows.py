"""Code that reads and writes the rows of sqlite_schema, and the name rules that every CREATE obeys.

DDL has no instructions of its own for this: sqlite_schema is the table at root page 1 of its database, and its rows are
written with Insert and Delete.  After the rows the schema cookie moves and ParseSchema makes the connection's own catalog
follow.

Source: https://www.sqlite.org/schematab.html, https://www.sqlite.org/fileformat2.html section 1.3.10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, Error, sqlite_error
from minisql.values.shape import RowShape

if TYPE_CHECKING:
    from minisql.catalog.schema import Catalog, Schema, Table
    from minisql.planner.compiler import Compiler

SCHEMA_SHAPE = RowShape(5)
SCHEMA_COOKIE = 1
TEMP = 1
_TYPE, _NAME, _TABLE_NAME, _ROOT_PAGE, _SQL = range(5)


def target_database(catalog: Catalog, schema: str | None, is_temporary: bool = False, offset: int = -1) -> int:
    """The database in which an object is to be created; `offset` is where the statement names it."""
    if schema is None:
        return TEMP if is_temporary else 0
    position = catalog.schema_position(schema)
    if position < 0:
        raise sqlite_error(ERROR, f"unknown database {schema}", offset)
    if is_temporary and position != TEMP:
        raise sqlite_error(ERROR, "temporary table name must be unqualified")
    return position


def loaded_schema(catalog: Catalog, database: int) -> Schema:
    """The schema with this number, which exists."""
    schema = catalog.schemas[database]
    assert schema is not None, "the database was found by its name"
    return schema


def check_object_name(compiler: Compiler, name: str) -> None:
    """Refuses names that begin with sqlite_."""
    if name[:7].lower() == "sqlite_" and not compiler.context.flags.get("writable_schema"):
        raise sqlite_error(ERROR, f"object name reserved for internal use: {name}")


def no_such_table(name: str, schema: str | None) -> Error:
    """The error for a table that is not there."""
    return sqlite_error(ERROR, f"no such table: {schema}.{name}" if schema else f"no such table: {name}")


def open_schema_table(compiler: Compiler, database: int) -> int:
    """A cursor for writing sqlite_schema."""
    builder = compiler.builder
    cursor = builder.cursor()
    builder.emit(op.OpenWrite, cursor, 1, database, SCHEMA_SHAPE)
    return cursor


def emit_schema_row(
    compiler: Compiler, cursor: int, kind: str, name: str, table_name: str, root: int, sql: str | int | None
) -> None:
    """Adds a row to sqlite_schema; `root` is the register of the root page or 0; `sql` may be a register too."""
    builder = compiler.builder
    row = builder.registers(5)
    rowid = builder.register()
    template = builder.template
    template[row + _TYPE] = kind
    template[row + _NAME] = name
    template[row + _TABLE_NAME] = table_name
    template[row + _SQL] = sql
    if root:
        builder.emit(op.SCopy, root, row + _ROOT_PAGE)
    else:
        template[row + _ROOT_PAGE] = 0
    builder.emit(op.NewRowid, cursor, rowid)
    builder.emit(op.Insert, cursor, row, rowid, (5, None, 0), op.APPEND)


def emit_delete_rows(
    compiler: Compiler,
    cursor: int,
    name: str | None,
    kind: str | None = None,
    table_name: str | None = None,
    but_kind: str | None = None,
) -> None:
    """Deletes the rows of sqlite_schema that have all the given field values (and not the type `but_kind`)."""
    builder = compiler.builder
    row = builder.registers(5)
    end = builder.label()
    following = builder.label()
    builder.begin_loop(op.Rewind, cursor, end, row, 5)
    for field, value in ((_NAME, name), (_TYPE, kind), (_TABLE_NAME, table_name)):
        if value is not None:
            builder.emit(op.Ne, row + field, following, builder.constant(value), None, op.JUMP_IF_NULL)
    if but_kind is not None:
        builder.emit(op.Eq, row + _TYPE, following, builder.constant(but_kind))
    builder.emit(op.Delete, cursor, p4=(None, 0))
    builder.end_loop(op.Next, following, end)


def emit_moved_root(compiler: Compiler, cursor: int, moved: int, new_root: int) -> None:
    """After Destroy in an auto-vacuum database: the row whose root page was the one in `moved` gets `new_root`."""
    builder = compiler.builder
    row = builder.registers(6)
    end = builder.label()
    following = builder.label()
    skip = builder.label()
    builder.emit(op.IfNot, moved, skip, 1)
    pending = open_pending_rows(compiler, 5)
    builder.begin_loop(op.Rewind, cursor, end, row, 5)
    builder.emit(op.Ne, row + _ROOT_PAGE, following, moved, None, op.JUMP_IF_NULL)
    builder.emit(op.Integer, new_root, row + _ROOT_PAGE)
    emit_pending_row(compiler, cursor, pending, row, 5)
    builder.end_loop(op.Next, following, end)
    emit_pending_writes(compiler, cursor, pending, row, 5)
    builder.place(skip)


def open_pending_rows(compiler: Compiler, width: int) -> int:
    """A list for changed rows of a table that is being walked: they are written behind the loop, so that a row is met once,
    whatever the order of the rowids in a damaged file."""
    pending = compiler.builder.cursor()
    compiler.builder.emit(op.OpenList, pending, width + 1)
    return pending


def emit_pending_row(compiler: Compiler, cursor: int, pending: int, row: int, width: int) -> None:
    """Puts a changed row, and its rowid behind it, into the list."""
    compiler.builder.emit(op.Rowid, cursor, row + width)
    compiler.builder.emit(op.ListAppend, pending, p4=tuple(range(row, row + width + 1)))


def emit_pending_writes(compiler: Compiler, cursor: int, pending: int, row: int, width: int) -> None:
    """Writes the rows of the list."""
    builder = compiler.builder
    end = builder.label()
    following = builder.label()
    builder.begin_loop(op.Rewind, pending, end, row, width + 1)
    builder.emit(op.Insert, cursor, row, row + width, (width, None, 0))
    builder.end_loop(op.Next, following, end)


def emit_schema_change(
    compiler: Compiler, database: int, objects: tuple[tuple[str, str, str, int, str | None], ...] | None
) -> None:
    """Moves the schema cookie and lets the catalog follow: see ParseSchema for `objects`."""
    builder = compiler.builder
    cookie = (compiler.context.schema_cookie(database) + 1) & 0xFFFFFFFF
    builder.emit(op.SetCookie, database, SCHEMA_COOKIE, cookie)
    builder.emit(op.ParseSchema, database, p4=objects)


def tables_of(catalog: Catalog, database: int) -> dict[str, Table]:
    """The tables of one database by lower-case name."""
    return loaded_schema(catalog, database).tables
