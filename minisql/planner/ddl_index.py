"""Code for CREATE INDEX: the row in sqlite_schema, and the tree filled from the rows that are there, sorted in one go.

REINDEX fills trees in the same way.

Source: https://www.sqlite.org/lang_createindex.html, https://www.sqlite.org/lang_reindex.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.build import build_index, is_plain_text, refuse_nulls, strip_collation
from minisql.errors import ERROR, sqlite_error
from minisql.limits import COLUMN
from minisql.parser import ast
from minisql.planner.announcing import announce_expressions
from minisql.planner.authorization import allows_create, allows_schema_row
from minisql.planner.constraints import unique_message
from minisql.planner.definition_checks import check_index_expressions
from minisql.planner.index_entries import emit_index_condition, emit_index_entry
from minisql.planner.layout import allocate_row, table_layout
from minisql.planner.rows import emit_virtual_columns, names_scope, row_scope
from minisql.planner.schema_rows import (
    TEMP,
    check_object_name,
    emit_schema_change,
    emit_schema_row,
    loaded_schema,
    no_such_table,
    open_schema_table,
    target_database,
)
from minisql.planner.writes import begin_ddl, use_database

if TYPE_CHECKING:
    from minisql.catalog.schema import Index, IndexColumn, Table
    from minisql.planner.compiler import Compiler

_INDEX_TREE = 2


def emit_create_index(compiler: Compiler, node: ast.CreateIndex) -> None:
    """CREATE [UNIQUE] INDEX; does nothing when the index exists and IF NOT EXISTS says so."""
    refuse_nulls(node.columns)
    catalog = compiler.context.catalog
    database = target_database(catalog, node.schema, offset=compiler.offset(node.position))
    if node.schema is None and node.table.lower() in loaded_schema(catalog, TEMP).tables:
        database = TEMP
    schema = loaded_schema(catalog, database)
    table = schema.tables.get(node.table.lower())
    if table is None and database == TEMP:
        if catalog.find_table(node.table, None) is None:
            raise sqlite_error(ERROR, f"no such table: {node.table}")
        raise sqlite_error(ERROR, f'cannot create a TEMP index on non-TEMP table "{node.table}"')
    if table is None:
        raise no_such_table(node.table, schema.name)
    _check_indexable(compiler, table)
    check_object_name(compiler, node.name)
    lowered = node.name.lower()
    if lowered in schema.tables:
        raise sqlite_error(ERROR, f"there is already a table named {node.name}")
    if lowered in schema.indexes:
        if not node.if_not_exists:
            raise sqlite_error(ERROR, f"index {node.name} already exists")
        use_database(compiler, database, False)
        return
    if not allows_create(compiler, "index", node.name, table.name, database == TEMP, schema.name):
        return
    begin_ddl(compiler, database)
    if len(node.columns) > compiler.context.limits[COLUMN]:
        raise sqlite_error(ERROR, "too many columns in index")
    for term in node.columns:
        column = strip_collation(term.expression)[0]
        if isinstance(column, ast.Column) and column.table is not None:
            if column.table.lower() != table.name.lower() or column.name.lower() not in table.column_positions:
                raise sqlite_error(ERROR, f"no such column: {column.table}.{column.name}", compiler.offset(column.position))
            raise sqlite_error(ERROR, 'the "." operator prohibited in index expressions')
        if isinstance(column, ast.Column) and not column.is_double_quoted:
            if column.name.lower() not in table.column_positions:
                raise sqlite_error(ERROR, f"no such column: {column.name}", compiler.offset(column.position))
        if isinstance(column, ast.Literal) and isinstance(column.value, str) and not is_plain_text(term.expression):
            # Text is a column's name here.
            if column.value.lower() not in table.column_positions:
                raise sqlite_error(ERROR, f"no such column: {column.value}")
    index = build_index(node, table, compiler.context.find_collation, sql=node.text)
    if compiler.authorized is not None:
        announce_index(compiler, index)
    check_index_expressions(compiler, index, compiler.text)
    builder = compiler.builder
    root = builder.register()
    builder.emit(op.CreateBtree, database, root, _INDEX_TREE)
    cursor = open_schema_table(compiler, database)
    emit_schema_row(compiler, cursor, "index", index.name, table.name, root, node.text)
    emit_fill_index(compiler, index, root, True)
    emit_schema_change(compiler, database, (("index", index.name, table.name, root, node.text),))


def announce_index(compiler: Compiler, index: Index) -> None:
    """The events of an index behind those of its name."""
    table = index.table
    terms = [index.where, *(_term(column, table) for column in index.columns)]
    announce_expressions(compiler, terms, names_scope(table, None, None))
    allows_schema_row(compiler, "index", index.name, table.schema_index, table.schema_name)


def _term(column: IndexColumn, table: Table) -> ast.Expression:
    """What a column of an index reads."""
    return column.expression or ast.Column(table.columns[column.position].name, None, None, False, -1)


def _check_indexable(compiler: Compiler, table: Table) -> None:
    if table.name[:7].lower() == "sqlite_" and not compiler.context.flags.get("writable_schema"):
        raise sqlite_error(ERROR, f"table {table.name} may not be indexed")
    if table.view is not None:
        raise sqlite_error(ERROR, "views may not be indexed")
    if table.module is not None:
        raise sqlite_error(ERROR, "virtual tables may not be indexed")


def emit_fill_index(compiler: Compiler, index: Index, root: int, is_register: bool) -> None:
    """Fills the empty tree of an index from its table; `root` is a page number or the register that holds it."""
    builder = compiler.builder
    table = index.table
    layout = table_layout(table)
    row = allocate_row(builder, layout)
    source = builder.cursor()
    entries = builder.cursor()
    target = builder.cursor()
    builder.emit(op.OpenRead, source, table.root_page, table.schema_index, table.shape)
    builder.emit(op.OpenList, entries, len(index.entry_columns))
    end = builder.label()
    following = builder.label()
    builder.begin_loop(op.Rewind, source, end, row.base, layout.n_stored)
    if not table.is_without_rowid and layout.rowid_offset < 0:
        builder.emit(op.Rowid, source, row.rowid)
    emit_virtual_columns(compiler, table, row)
    scope = row_scope(table, row)
    if index.where is not None:
        emit_index_condition(compiler, index, scope, following)
    builder.emit(op.ListAppend, entries, p4=emit_index_entry(compiler, index, row, scope))
    builder.end_loop(op.Next, following, end)
    builder.emit(op.OpenWrite, target, root, table.schema_index, index.shape, 1 if is_register else 0)
    n_unique = len(index.columns) if index.is_unique else 0
    builder.emit(op.IdxBuild, target, entries, n_unique, unique_message(index))
