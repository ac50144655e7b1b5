"""Code for CREATE TABLE, also AS SELECT, and for CREATE VIRTUAL TABLE.

The table object is built here only to find the errors and the automatic indexes; what stays is the text in sqlite_schema,
from which ParseSchema builds the object that the connection keeps.

Source: https://www.sqlite.org/lang_createtable.html, https://www.sqlite.org/autoinc.html, https://www.sqlite.org/vtab.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.build import build_table
from minisql.errors import ERROR, Error, sqlite_error
from minisql.limits import COLUMN
from minisql.parser import ast
from minisql.planner.announcing import announce_expressions, announce_select
from minisql.planner.authorization import (
    allows_constraint_indexes,
    allows_create,
    allows_create_virtual,
    allows_inner_table,
    allows_schema_row,
)
from minisql.planner.binding import unique_columns
from minisql.planner.definition_checks import check_table_expressions
from minisql.planner.gathering import gather_select
from minisql.planner.identifiers import identifier_text
from minisql.planner.rows import names_scope
from minisql.planner.schema_rows import (
    check_object_name,
    emit_schema_change,
    emit_schema_row,
    loaded_schema,
    open_schema_table,
    target_database,
)
from minisql.planner.writes import begin_ddl, use_database
from minisql.values import affinity
from minisql.values.shape import RowShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler

_TABLE, _INDEX = 1, 2
SEQUENCE_TABLE = "sqlite_sequence"
_TYPE_TEXTS = {
    affinity.TEXT: " TEXT",
    affinity.NUMERIC: " NUM",
    affinity.INTEGER: " INT",
    affinity.REAL: " REAL",
    affinity.FLEXNUM: " NUM",
}


def emit_create_table(compiler: Compiler, node: ast.CreateTable) -> None:
    """CREATE TABLE; does nothing when the table exists and IF NOT EXISTS says so."""
    catalog = compiler.context.catalog
    database = target_database(catalog, node.schema, node.is_temporary, offset=compiler.offset(node.position))
    check_object_name(compiler, node.name)
    is_allowed = allows_create(
        compiler, "table", node.name, None, node.is_temporary, loaded_schema(catalog, database).name
    )
    if not name_is_free(compiler, node, database):
        use_database(compiler, database, False)
        return
    if not is_allowed:
        return
    begin_ddl(compiler, database)
    if node.select is not None:
        _emit_create_as(compiler, node, database)
        return
    schema = loaded_schema(catalog, database)
    context = compiler.context
    table = build_table(
        node, database, schema.name, context.find_collation, sql=node.text, column_limit=context.limits[COLUMN]
    )
    if compiler.authorized is not None:
        announce_table(compiler, table)
        if table.has_autoincrement and SEQUENCE_TABLE not in schema.tables:
            allows_inner_table(compiler, SEQUENCE_TABLE, database, schema.name)
    check_table_expressions(compiler, table, compiler.text)
    builder = compiler.builder
    root = builder.register()
    # The tree of a WITHOUT ROWID table is an index tree.
    builder.emit(op.CreateBtree, database, root, _INDEX if table.is_without_rowid else _TABLE)
    cursor = open_schema_table(compiler, database)
    emit_schema_row(compiler, cursor, "table", table.name, table.name, root, node.text)
    objects: list[tuple[str, str, str, int, str | None]] = [("table", table.name, table.name, root, node.text)]
    # Automatic indexes were entered newest first, behind those that replace: their numbers give the order of creation.
    automatic = [index for index in table.indexes if not index.is_clustered]
    for index in sorted(automatic, key=lambda index: int(index.name.rpartition("_")[2])):
        index_root = builder.register()
        builder.emit(op.CreateBtree, database, index_root, _INDEX)
        emit_schema_row(compiler, cursor, "index", index.name, table.name, index_root, None)
        objects.append(("index", index.name, table.name, index_root, None))
    if table.has_autoincrement and SEQUENCE_TABLE not in schema.tables:
        objects.insert(0, _emit_sequence_table(compiler, cursor, database))
    emit_schema_change(compiler, database, tuple(objects))


def announce_table(compiler: Compiler, table: Table) -> None:
    """The events of a table behind those of its name: its automatic indexes, what it computes, its row."""
    allows_constraint_indexes(compiler, table)
    computed = [column.generated for column in table.columns] + [check.expression for check in table.checks]
    announce_expressions(compiler, computed, names_scope(table, None, None))
    allows_schema_row(compiler, "table", table.name, table.schema_index, table.schema_name)


def name_is_free(compiler: Compiler, node: ast.CreateTable | ast.CreateView | ast.CreateVirtualTable, database: int) -> bool:
    """Whether a table or view may take the name; False when it exists and that is no error."""
    schema = loaded_schema(compiler.context.catalog, database)
    lowered = node.name.lower()
    existing = schema.tables.get(lowered)
    if existing is not None:
        if not node.if_not_exists:
            raise already_exists(compiler, node, "view" if existing.view is not None else "table")
        return False
    if lowered in schema.indexes:
        raise sqlite_error(ERROR, f"there is already an index named {node.name}")
    return True


def already_exists(
    compiler: Compiler, node: ast.CreateTable | ast.CreateView | ast.CreateVirtualTable | ast.CreateTrigger, kind: str
) -> Error:
    """The error for a name that is taken: it shows the name as it is written, quotes included."""
    position = node.position if node.schema is None else node.position + 2
    name = compiler.text.exact_text(position, position + 1) if compiler.text is not None else node.name
    return sqlite_error(ERROR, f"{kind} {name} already exists", compiler.offset(position))


def _emit_sequence_table(compiler: Compiler, cursor: int, database: int) -> tuple[str, str, str, int, str | None]:
    builder = compiler.builder
    root = builder.register()
    sql = f"CREATE TABLE {SEQUENCE_TABLE}(name,seq)"
    builder.emit(op.CreateBtree, database, root, _TABLE)
    emit_schema_row(compiler, cursor, "table", SEQUENCE_TABLE, SEQUENCE_TABLE, root, sql)
    return ("table", SEQUENCE_TABLE, SEQUENCE_TABLE, root, sql)


def _emit_create_as(compiler: Compiler, node: ast.CreateTable, database: int) -> None:
    """The rows are gathered first, so a SELECT that reads sqlite_schema does not see the new table."""
    assert node.select is not None, "the caller looked"
    builder = compiler.builder
    if compiler.authorized is not None:
        announce_select(compiler, node.select, None, names_first=True)
    columns, rows = gather_select(compiler, node.select, None)
    allows_schema_row(compiler, "table", node.name, database, loaded_schema(compiler.context.catalog, database).name)
    columns = unique_columns(columns)
    names = [column.name for column in columns]
    affinities = [column.affinity for column in columns]
    sql = _create_as_text(node.name, names, affinities)
    root = builder.register()
    builder.emit(op.CreateBtree, database, root, _TABLE)
    cursor = open_schema_table(compiler, database)
    emit_schema_row(compiler, cursor, "table", node.name, node.name, root, sql)
    n_columns = len(names)
    target = builder.cursor()
    real_columns = tuple(i for i, item in enumerate(affinities) if item == affinity.REAL)
    builder.emit(op.OpenWrite, target, root, database, RowShape(n_columns, real_columns=real_columns), 1)
    kinds = tuple(max(item, affinity.BLOB) for item in affinities)
    operands = (None, database, kinds if any(kind > affinity.BLOB for kind in kinds) else None)
    builder.emit(op.AppendRows, target, rows, 0, operands)
    emit_schema_change(compiler, database, (("table", node.name, node.name, root, sql),))


def _create_as_text(name: str, columns: Sequence[str], affinities: Sequence[int]) -> str:
    width = _quoted_width(name) + sum(_quoted_width(column) + 5 for column in columns)
    start, separator, end = ("", ",", ")") if width < 50 else ("\n  ", ",\n  ", "\n)")
    items = [
        identifier_text(column) + _TYPE_TEXTS.get(item, "") for column, item in zip(columns, affinities)
    ]
    return f"CREATE TABLE {identifier_text(name)}({start}{separator.join(items)}{end}"


def _quoted_width(name: str) -> int:
    return len(name.encode("utf-8", "surrogateescape")) + name.count('"') + 2


def emit_create_virtual_table(compiler: Compiler, node: ast.CreateVirtualTable) -> None:
    """CREATE VIRTUAL TABLE: the module creates its own storage before the row is written."""
    database = target_database(compiler.context.catalog, node.schema, offset=compiler.offset(node.position))
    check_object_name(compiler, node.name)
    if not name_is_free(compiler, node, database):
        use_database(compiler, database, False)
        return
    schema = loaded_schema(compiler.context.catalog, database).name
    if not allows_create_virtual(compiler, node.name, node.module, database, schema):
        return
    allows_schema_row(compiler, "table", node.name, database, schema)
    begin_ddl(compiler, database)
    cursor = open_schema_table(compiler, database)
    emit_schema_row(compiler, cursor, "table", node.name, node.name, 0, node.text)
    emit_schema_change(compiler, database, (("table", node.name, node.name, 0, node.text),))
    arguments = (database, node.name, node.module, tuple(node.arguments))
    compiler.builder.emit(op.HostCall, 0, 0, 0, ("create_virtual_table", arguments))
