"""Code for CREATE VIEW and CREATE TRIGGER: a row in sqlite_schema each, after SQLite's checks.

What stands inside is only looked at when the view is used or the trigger fires, except for parameters and for names in
other databases.

Source: https://www.sqlite.org/lang_createview.html, https://www.sqlite.org/lang_createtrigger.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.authorization import allows_create, allows_create_trigger, allows_schema_row
from minisql.planner.ddl_table import already_exists, name_is_free
from minisql.planner.references import walk
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
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler


def emit_create_view(compiler: Compiler, node: ast.CreateView) -> None:
    """CREATE VIEW."""
    catalog = compiler.context.catalog
    if any(part.__class__ is ast.Variable for part in walk(node.select)):
        raise sqlite_error(ERROR, "parameters are not allowed in views")
    database = target_database(catalog, node.schema, node.is_temporary, offset=compiler.offset(node.position))
    check_object_name(compiler, node.name)
    is_allowed = allows_create(
        compiler, "view", node.name, None, node.is_temporary, loaded_schema(catalog, database).name
    )
    if not name_is_free(compiler, node, database):
        use_database(compiler, database, False)
        return
    _check_databases(compiler, node.select, database, f"view {node.name}")
    if not is_allowed:
        return
    allows_schema_row(compiler, "view", node.name, database, loaded_schema(catalog, database).name)
    begin_ddl(compiler, database)
    cursor = open_schema_table(compiler, database)
    emit_schema_row(compiler, cursor, "view", node.name, node.name, 0, node.text)
    emit_schema_change(compiler, database, (("view", node.name, node.name, 0, node.text),))


def _check_databases(compiler: Compiler, node: object, database: int, what: str) -> None:
    """Refuses names in other databases, except in TEMP objects."""
    if database == TEMP:
        return
    own = loaded_schema(compiler.context.catalog, database).name.lower()
    for part in walk(node):
        if isinstance(part, (ast.TableSource, ast.FunctionSource, ast.InTable)) and part.schema is not None:
            if part.schema.lower() != own:
                raise sqlite_error(ERROR, f"{what} cannot reference objects in database {part.schema}")


def emit_create_trigger(compiler: Compiler, node: ast.CreateTrigger) -> None:
    """CREATE TRIGGER."""
    catalog = compiler.context.catalog
    if node.is_temporary and node.schema is not None:
        raise sqlite_error(ERROR, "temporary trigger may not have qualified name")
    database = target_database(catalog, node.schema, node.is_temporary, offset=compiler.offset(node.position))
    table = _trigger_table(compiler, node, database)
    if node.schema is None and not node.is_temporary and table is not None and table.schema_index == TEMP:
        # A trigger on a TEMP table is a TEMP trigger.
        database = TEMP
    if table is None:
        _no_table(compiler, node, database)
    assert table is not None, "a missing table is an error"
    if table.module is not None:
        raise sqlite_error(ERROR, "cannot create triggers on virtual tables")
    check_object_name(compiler, node.name)
    if node.name.lower() in loaded_schema(catalog, database).triggers:
        if not node.if_not_exists:
            raise already_exists(compiler, node, "trigger")
        use_database(compiler, database, False)
        return
    _check_trigger(node, table)
    if database != TEMP:
        _refuse_qualified_targets(node)
    _check_databases(compiler, [node.when, node.steps], database, f"trigger {node.name}")
    if not allows_create_trigger(compiler, node.name, table, node.is_temporary):
        return
    allows_schema_row(compiler, "trigger", node.name, database, loaded_schema(catalog, database).name)
    begin_ddl(compiler, database)
    cursor = open_schema_table(compiler, database)
    emit_schema_row(compiler, cursor, "trigger", node.name, table.name, 0, node.text)
    emit_schema_change(compiler, database, (("trigger", node.name, table.name, 0, node.text),))


def _trigger_table(compiler: Compiler, node: ast.CreateTrigger, database: int) -> Table | None:
    catalog = compiler.context.catalog
    schema = node.table.schema
    if schema is not None:
        if database != TEMP and schema.lower() != loaded_schema(catalog, database).name.lower():
            raise sqlite_error(ERROR, f"trigger {node.name} cannot reference objects in database {schema}")
        return catalog.find_table(node.table.name, schema)
    if database == TEMP:
        return catalog.find_table(node.table.name)
    if node.schema is None:
        in_temp = loaded_schema(catalog, TEMP).tables.get(node.table.name.lower())
        if in_temp is not None:
            return in_temp
    return loaded_schema(catalog, database).tables.get(node.table.name.lower())


def _no_table(compiler: Compiler, node: ast.CreateTrigger, database: int) -> None:
    schema = node.table.schema
    if schema is None and database != TEMP:
        schema = loaded_schema(compiler.context.catalog, database).name
    raise no_such_table(node.table.name, schema)


def _refuse_qualified_targets(node: ast.CreateTrigger) -> None:
    for step in node.steps:
        if isinstance(step, (ast.Insert, ast.Update, ast.Delete)) and step.target.schema is not None:
            raise sqlite_error(
                ERROR,
                "qualified table names are not allowed on INSERT, UPDATE, and DELETE statements within triggers",
            )


def _check_trigger(node: ast.CreateTrigger, table: Table) -> None:
    if table.name.lower().startswith("sqlite_"):
        raise sqlite_error(ERROR, "cannot create trigger on system table")
    if table.view is not None and node.time != "INSTEAD OF":
        raise sqlite_error(ERROR, f"cannot create {node.time} trigger on view: {node.table.name}")
    if table.view is None and node.time == "INSTEAD OF":
        raise sqlite_error(ERROR, f"cannot create INSTEAD OF trigger on table: {node.table.name}")
    if any(part.__class__ is ast.Variable for part in walk(node.when, node.steps)):
        raise sqlite_error(ERROR, "trigger cannot use variables")
