"""Code for ALTER TABLE: what all forms share, ADD COLUMN, and RENAME TO.

ALTER TABLE changes the texts in sqlite_schema and reads the schema again; only DROP COLUMN touches rows as well.

Source: https://www.sqlite.org/lang_altertable.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.build import build_table
from minisql.catalog.rename import StoredText, apply_edits, column_list_end, name_token, reference_edits
from minisql.errors import ERROR, Error, sqlite_error
from minisql.limits import COLUMN
from minisql.parser import ast, parse_one
from minisql.planner.alter_checks import verify_objects
from minisql.planner.authorization import (
    ALTER_TABLE,
    allows,
    allows_adding_column,
    allows_refusing_rows,
    allows_verifying_rows,
)
from minisql.planner.definition_checks import check_table_expressions
from minisql.planner.identifiers import quoted_identifier
from minisql.planner.inner_statements import allows_rename_table
from minisql.planner.layout import allocate_row, table_layout
from minisql.planner.references import walk
from minisql.planner.rows import emit_schema_condition, emit_virtual_columns, row_scope
from minisql.planner.schema_rows import (
    TEMP,
    check_object_name,
    emit_pending_row,
    emit_pending_writes,
    emit_schema_change,
    loaded_schema,
    no_such_table,
    open_pending_rows,
)
from minisql.planner.stored_texts import Rewrite, SchemaObject, emit_rewrites, schema_objects
from minisql.planner.writes import begin_ddl

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler


def find_alterable(compiler: Compiler, name: str, schema: str | None) -> Table:
    """The table of an ALTER TABLE; raises if there is none."""
    table = compiler.context.catalog.find_table(name, schema)
    if table is None:
        raise no_such_table(name, schema)
    return table


def check_alterable(compiler: Compiler, table: Table) -> None:
    """Refuses the engine's own tables."""
    if table.name.lower().startswith("sqlite_") and not (
        table.root_page != 1 and compiler.context.flags.get("writable_schema")
    ):
        raise sqlite_error(ERROR, f"table {table.name} may not be altered")


def emit_add_column(compiler: Compiler, node: ast.AddColumn) -> None:
    """ALTER TABLE ... ADD COLUMN."""
    table = find_alterable(compiler, node.table, node.schema)
    if table.module is not None:
        raise sqlite_error(ERROR, "virtual tables may not be altered")
    if table.view is not None:
        raise sqlite_error(ERROR, "Cannot add a column to a view")
    check_alterable(compiler, table)
    if node.column.name.lower() in table.column_positions:
        raise sqlite_error(ERROR, f"duplicate column name: {node.column.name}")
    if not allows(compiler, ALTER_TABLE, table.schema_name, table.name, None):
        return
    # Of the SQL that SQLite runs the authorizer hears; of our own ways to the same end it does not.
    compiler.authorized = None
    begin_ddl(compiler, table.schema_index)
    for constraint in node.column.constraints:
        if isinstance(constraint, ast.PrimaryKey):
            raise sqlite_error(ERROR, "Cannot add a PRIMARY KEY column")
        if isinstance(constraint, ast.Unique):
            raise sqlite_error(ERROR, "Cannot add a UNIQUE column")
    text = stored_text(table.sql)
    place = column_list_end(text, len(table.columns))
    new_sql = f"{table.sql[:place]}, {node.text}{table.sql[place:]}"
    altered = _altered_table(compiler, table, new_sql, "add column")
    try:
        check_table_expressions(compiler, altered)
    except Error as error:
        raise sqlite_error(ERROR, f"error in table {table.name} after add column: {error}") from error
    _emit_row_checks(compiler, table, altered, node.column)
    emit_rewrites(compiler, table.schema_index, [Rewrite("table", table.name, new_sql=new_sql)])
    emit_schema_change(compiler, table.schema_index, None)


def stored_text(sql: str) -> StoredText:
    """A stored SQL text with its tokens."""
    parsed, _ = parse_one(sql, drops_terms=False)
    assert parsed is not None, "a stored object has been parsed before"
    return StoredText(sql, parsed)


def _altered_table(compiler: Compiler, table: Table, new_sql: str, what: str) -> Table:
    """The table as it will be; its errors name the step that led to them."""
    try:
        parsed, _ = parse_one(new_sql, 0, compiler.context.limits)
        assert parsed is not None and isinstance(parsed.statement, ast.CreateTable), "a table's SQL is CREATE TABLE"
        context = compiler.context
        return build_table(
            parsed.statement,
            table.schema_index,
            table.schema_name,
            context.find_collation,
            table.root_page,
            new_sql,
            column_limit=context.limits[COLUMN],
        )
    except Error as error:
        if str(error).startswith(("no such collation", "duplicate column", "too many columns")):
            raise
        raise sqlite_error(ERROR, f"error in table {table.name} after {what}: {error}") from error


def _emit_row_checks(compiler: Compiler, table: Table, altered: Table, definition: ast.ColumnDefinition) -> None:
    """What rows that are there already forbid."""
    column = altered.columns[-1]
    if column.generated is not None:
        if column.is_stored:
            _emit_refuse_rows(compiler, table, "cannot add a STORED column")
    else:
        has_null_default = column.default is None or (
            isinstance(column.default, ast.Literal) and column.default.value is None
        )
        is_reference = any(isinstance(item, ast.ForeignKey) for item in definition.constraints)
        if is_reference and not has_null_default and compiler.context.flags.get("foreign_keys"):
            _emit_refuse_rows(compiler, table, "Cannot add a REFERENCES column with non-NULL default value")
        if column.is_not_null and has_null_default:
            _emit_refuse_rows(compiler, table, "Cannot add a NOT NULL column with default value NULL")
        if not has_null_default and len(altered.columns) - 1 in table_layout(altered).computed_defaults:
            _emit_refuse_rows(compiler, table, "Cannot add a column with non-constant default")
    allows_adding_column(compiler, table)
    # Constraints that were there already are not looked at again, though rows may have got around them.
    has_check = len(altered.checks) > len(table.checks)
    if has_check or (column.generated is not None and column.is_not_null) or altered.is_strict:
        _emit_verify_rows(compiler, altered)


def _emit_refuse_rows(compiler: Compiler, table: Table, message: str) -> None:
    allows_refusing_rows(compiler, table)
    cursor = compiler.builder.cursor()
    empty = compiler.label()
    compiler.emit(op.OpenRead, cursor, table.root_page, table.schema_index, table.shape)
    compiler.emit(op.Rewind, cursor, empty)
    compiler.emit(op.Halt, ERROR, op.ON_CONFLICT_ABORT, p4=message)
    compiler.place(empty)


def _emit_verify_rows(compiler: Compiler, altered: Table) -> None:
    """Every row must meet the table's constraints with the new column."""
    allows_verifying_rows(compiler, altered)
    builder = compiler.builder
    layout = table_layout(altered)
    row = allocate_row(builder, layout)
    cursor = builder.cursor()
    end = compiler.label()
    compiler.emit(op.OpenRead, cursor, altered.root_page, altered.schema_index, altered.shape)
    builder.begin_loop(op.Rewind, cursor, end, row.base, layout.n_stored)
    if not altered.is_without_rowid and layout.rowid_offset < 0:
        compiler.emit(op.Rowid, cursor, row.rowid)
    emit_virtual_columns(compiler, altered, row)
    scope = row_scope(altered, row)
    for check in altered.checks:
        passed = compiler.label()
        emit_schema_condition(compiler, check.expression, scope, passed, True, True)
        compiler.emit(op.Halt, ERROR, op.ON_CONFLICT_ABORT, p4="CHECK constraint failed")
        compiler.place(passed)
    new = len(altered.columns) - 1
    if altered.columns[new].is_not_null:
        passed = compiler.label()
        compiler.emit(op.NotNull, row.column(new), passed)
        compiler.emit(op.Halt, ERROR, op.ON_CONFLICT_ABORT, p4="NOT NULL constraint failed")
        compiler.place(passed)
    if altered.is_strict:
        _emit_verify_default(compiler, altered)
    builder.end_loop(op.Next, 0, end)


_CLASSES: dict[str, type] = {"INT": int, "INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}


def _emit_verify_default(compiler: Compiler, altered: Table) -> None:
    column = altered.columns[-1]
    wanted = _CLASSES.get(column.declared_type)
    value = column.default_value
    if value is not None and wanted is not None and value.__class__ is not wanted:
        compiler.emit(op.Halt, ERROR, op.ON_CONFLICT_ABORT, p4="type mismatch on DEFAULT")


def emit_rename_table(compiler: Compiler, node: ast.RenameTable) -> None:
    """ALTER TABLE ... RENAME TO."""
    table = find_alterable(compiler, node.table, node.schema)
    schema = loaded_schema(compiler.context.catalog, table.schema_index)
    new_name = node.new_name
    lowered = new_name.lower()
    if lowered in schema.tables or lowered in schema.indexes:
        raise sqlite_error(ERROR, f"there is already another table or index with this name: {new_name}")
    check_alterable(compiler, table)
    check_object_name(compiler, new_name)
    if table.view is not None:
        raise sqlite_error(ERROR, f"view {table.name} may not be altered")
    if not allows_rename_table(compiler, table):
        return
    begin_ddl(compiler, table.schema_index)
    if not compiler.context.flags.get("legacy_alter_table"):
        verify_objects(compiler, table, "")
    if table.module is not None:
        arguments = (table.schema_index, table.name, new_name)
        compiler.emit(op.HostCall, 0, 0, 0, ("rename_virtual_table", arguments))
    rewrites = _table_renames(compiler, table, new_name)
    emit_rewrites(compiler, table.schema_index, rewrites)
    _emit_rename_sequence(compiler, table, new_name)
    emit_schema_change(compiler, table.schema_index, None)
    if table.schema_index != TEMP:
        others = [
            Rewrite(item.kind, item.name, None, new_name if _watches(item, table) else None, sql)
            for item in schema_objects(loaded_schema(compiler.context.catalog, TEMP))
            if (sql := _renamed_text(compiler, item, table.name, new_name)) is not None or _watches(item, table)
        ]
        if others:
            begin_ddl(compiler, TEMP)
            emit_rewrites(compiler, TEMP, others)
            emit_schema_change(compiler, TEMP, None)


def _watches(item: SchemaObject, table: Table) -> bool:
    return item.kind == "trigger" and item.table_name.lower() == table.name.lower()


def _table_renames(compiler: Compiler, table: Table, new_name: str) -> list[Rewrite]:
    schema = loaded_schema(compiler.context.catalog, table.schema_index)
    rewrites = []
    lowered = table.name.lower()
    for item in schema_objects(schema):
        sql = _renamed_text(compiler, item, table.name, new_name)
        is_own = item.table_name.lower() == lowered
        if sql is not None or is_own:
            is_table = item.kind == "table" and is_own
            rewrites.append(
                Rewrite(item.kind, item.name, new_name if is_table else None, new_name if is_own else None, sql)
            )
    if table.module is not None:
        rewrites.append(Rewrite("table", table.name, new_name, new_name, _renamed_virtual(table, new_name)))
    for index in table.indexes:
        if index.sql is None and not index.is_clustered:
            number = index.name.rpartition("_")[2]
            rewrites.append(Rewrite("index", index.name, f"sqlite_autoindex_{new_name}_{number}", new_name))
    return rewrites


def _renamed_virtual(table: Table, new_name: str) -> str:
    text = stored_text(table.sql)
    return apply_edits(table.sql, [text.edit(3, quoted_identifier(new_name))])


def _renamed_text(compiler: Compiler, item: SchemaObject, old_name: str, new_name: str) -> str | None:
    """The object's SQL under the table's new name; None when it does not mention the table.

    PRAGMA legacy_alter_table leaves the insides of views and triggers alone, and foreign keys too unless they are enforced.
    """
    text = item.text()
    flags = compiler.context.flags
    is_legacy = bool(flags.get("legacy_alter_table"))
    lowered = old_name.lower()
    quoted = quoted_identifier(new_name)
    statement = text.parsed.statement
    edits = reference_edits(text, old_name, quoted) if not is_legacy or flags.get("foreign_keys") else []
    if isinstance(statement, ast.CreateTable):
        if statement.name.lower() == lowered:
            edits.append(text.edit(statement.position, quoted))
    elif isinstance(statement, ast.CreateIndex):
        if statement.table.lower() == lowered:
            on = next(token for token, word in enumerate(text.words) if word.upper() == "ON")
            edits.append(text.edit(on + 1, quoted))
    nodes = list(walk(statement))
    if is_legacy and isinstance(statement, ast.CreateView):
        nodes = []
    elif is_legacy and isinstance(statement, ast.CreateTrigger):
        nodes = [statement.table]
    hidden = any(isinstance(part, ast.CommonTable) and part.name.lower() == lowered for part in nodes)
    aliased = any((getattr(part, "alias", None) or "").lower() == lowered for part in nodes if isinstance(part, ast.FromItem))
    for part in nodes:
        if isinstance(part, (ast.TableSource, ast.InTable)):
            if part.name.lower() == lowered and not (hidden and part.schema is None):
                edits.append(text.edit(name_token(part), quoted))
        elif isinstance(part, ast.Column) and part.table is not None and part.table.lower() == lowered and not aliased:
            edits.append(text.edit(part.position + (2 if part.schema is not None else 0), quoted))
    return apply_edits(item.sql, edits) if edits else None


def _emit_rename_sequence(compiler: Compiler, table: Table, new_name: str) -> None:
    schema = loaded_schema(compiler.context.catalog, table.schema_index)
    sequence = schema.tables.get("sqlite_sequence")
    if sequence is None or not table.has_autoincrement:
        return
    builder = compiler.builder
    cursor = builder.cursor()
    row = builder.registers(3)
    end = compiler.label()
    following = compiler.label()
    compiler.emit(op.OpenWrite, cursor, sequence.root_page, table.schema_index, sequence.shape)
    pending = open_pending_rows(compiler, 2)
    builder.begin_loop(op.Rewind, cursor, end, row, 2)
    compiler.emit(op.Ne, row, following, builder.constant(table.name), None, op.JUMP_IF_NULL)
    compiler.emit(op.Constant, 0, row, 0, new_name)
    emit_pending_row(compiler, cursor, pending, row, 2)
    builder.end_loop(op.Next, following, end)
    emit_pending_writes(compiler, cursor, pending, row, 2)
