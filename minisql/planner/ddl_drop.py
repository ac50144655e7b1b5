"""Code for DROP TABLE, VIEW, INDEX and TRIGGER.

Dropping a table that foreign keys point to deletes its rows first, as if by DELETE: the violations this makes count.

Source: https://www.sqlite.org/lang_droptable.html, lang_dropindex.html, lang_dropview.html, lang_droptrigger.html,
https://www.sqlite.org/foreignkeys.html section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import CONSTRAINT_FOREIGNKEY, ERROR, sqlite_error
from minisql.planner.authorization import N_STATISTICS, allows_drop, allows_forgetting, allows_index_removal, allows_removal
from minisql.planner.delete import Deletion, emit_scan_and_delete
from minisql.planner.foreign_keys import foreign_key_use
from minisql.planner.layout import allocate_row, table_layout
from minisql.planner.optimizations import HEARS_ROWS
from minisql.planner.row_hearing import DELETION
from minisql.planner.rows import row_scope
from minisql.planner.schema_rows import (
    TEMP,
    emit_delete_rows,
    emit_moved_root,
    emit_schema_change,
    loaded_schema,
    no_such_table,
    open_schema_table,
)
from minisql.planner.targets import open_target
from minisql.planner.writes import begin_ddl

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler


def emit_drop(compiler: Compiler, node: ast.Drop) -> None:
    """DROP TABLE, VIEW, INDEX or TRIGGER."""
    if node.schema is not None and compiler.context.catalog.schema_position(node.schema) < 0:
        if not node.if_exists:
            kind = node.object_type.lower()
            raise sqlite_error(ERROR, f"no such {kind}: {node.schema}.{node.name}")
        return
    _EMITTERS[node.object_type](compiler, node)


def _verify_schemas(compiler: Compiler, name: str | None) -> None:
    """Nothing is there to drop: reading the databases makes sure that this is still so when the statement runs."""
    catalog = compiler.context.catalog
    if name is not None:
        compiler.use_database(catalog.schema_position(name), False)
        return
    for database, schema in enumerate(catalog.schemas):
        if schema is not None and database != TEMP:
            compiler.use_database(database, False)


def _emit_drop_table(compiler: Compiler, node: ast.Drop) -> None:
    table = compiler.context.catalog.find_table(node.name, node.schema)
    is_view = node.object_type == "VIEW"
    if table is None:
        if not node.if_exists:
            if is_view:
                name = f"{node.schema}.{node.name}" if node.schema else node.name
                raise sqlite_error(ERROR, f"no such view: {name}")
            raise no_such_table(node.name, node.schema)
        _verify_schemas(compiler, node.schema)
        return
    lowered = table.name.lower()
    if lowered.startswith("sqlite_") and not lowered.startswith(("sqlite_stat", "sqlite_parameters")):
        raise sqlite_error(ERROR, f"table {table.name} may not be dropped")
    if is_view and table.view is None:
        raise sqlite_error(ERROR, f"use DROP TABLE to delete table {node.name}")
    if not is_view and table.view is not None:
        raise sqlite_error(ERROR, f"use DROP VIEW to delete view {node.name}")
    database = table.schema_index
    kind = "view" if is_view else "table"
    if not allows_drop(compiler, kind, table.name, table if table.module else None, database, table.schema_name):
        return
    if compiler.authorized is not None:
        _announce_dependents(compiler, table)
        has_trees = not is_view and table.module is None
        n_trees = len({table.root_page, *(index.root_page for index in table.indexes)}) if has_trees else 0
        allows_removal(compiler, kind, n_trees, database, table.schema_name)
    begin_ddl(compiler, database)
    if table.module is not None:
        compiler.builder.emit(op.HostCall, 0, 0, 0, ("destroy_virtual_table", (database, table.name)))
    elif not is_view:
        _emit_drop_rows(compiler, table)
    cursor = open_schema_table(compiler, database)
    own_triggers = _emit_drop_triggers(compiler, table, cursor)
    _emit_forget_rows(compiler, table)
    emit_delete_rows(compiler, cursor, None, table_name=table.name, but_kind="trigger")
    if not is_view and table.module is None:
        _emit_destroy_trees(compiler, table, cursor)
    emit_schema_change(compiler, database, (*own_triggers, ("drop table", table.name, table.name, 0, None)))


def _announce_dependents(compiler: Compiler, table: Table) -> None:
    """The events of what goes with a table: its triggers, its rows in sqlite_sequence and in the statistics."""
    catalog = compiler.context.catalog
    tables = loaded_schema(catalog, table.schema_index).tables
    if table.view is None:
        for number in range(1, N_STATISTICS + 1):
            if f"sqlite_stat{number}" in tables:
                allows_forgetting(compiler, f"sqlite_stat{number}", "tbl", table.schema_name)
    for trigger in table.triggers:
        schema = loaded_schema(catalog, trigger.schema_index).name
        allows_drop(compiler, "trigger", trigger.name, table, trigger.schema_index, schema)
        allows_removal(compiler, "trigger", 0, trigger.schema_index, schema)
    if table.has_autoincrement and "sqlite_sequence" in tables:
        allows_forgetting(compiler, "sqlite_sequence", "name", table.schema_name)


def _emit_drop_rows(compiler: Compiler, table: Table) -> None:
    """Deletes the rows one by one where foreign keys count them; without triggers and actions."""
    use = foreign_key_use(compiler, table, is_drop=True)
    flags = compiler.context.flags
    if use is None:
        return
    skip = compiler.label()
    if not use.incoming:
        if not flags.get("defer_foreign_keys") and not any(reference.key.is_deferred for reference in use.own):
            return
        compiler.emit(op.FkIfZero, 1, skip)
    deletion = Deletion(table, allocate_row(compiler.builder, table_layout(table)), [])
    target = deletion.target = open_target(compiler, table, 0, is_drop=True)
    emit_scan_and_delete(compiler, deletion, target, None, row_scope(table, deletion.old))
    if not flags.get("defer_foreign_keys"):
        passed = compiler.label()
        compiler.emit(op.FkIfZero, 0, passed)
        message = "FOREIGN KEY constraint failed"
        compiler.emit(op.Halt, CONSTRAINT_FOREIGNKEY, op.ON_CONFLICT_ABORT, p4=message)
        compiler.place(passed)
    compiler.place(skip)
    compiler.emit(op.ResetCount, 1)


SchemaDrop = tuple[str, str, str, int, None]


def _emit_drop_triggers(compiler: Compiler, table: Table, cursor: int) -> tuple[SchemaDrop, ...]:
    """Deletes the rows of the table's triggers, TEMP ones in their own schema; returns what leaves the table's schema."""
    own: list[SchemaDrop] = []
    foreign: list[SchemaDrop] = []
    for trigger in table.triggers:
        is_own = trigger.schema_index == table.schema_index
        (own if is_own else foreign).append(("drop trigger", trigger.name, table.name, 0, None))
    for _, name, *_ in own:
        emit_delete_rows(compiler, cursor, name, "trigger")
    if foreign:
        begin_ddl(compiler, TEMP)
        temp_cursor = open_schema_table(compiler, TEMP)
        for _, name, *_ in foreign:
            emit_delete_rows(compiler, temp_cursor, name, "trigger")
        emit_schema_change(compiler, TEMP, tuple(foreign))
    return tuple(own)


def _emit_forget_rows(compiler: Compiler, table: Table) -> None:
    """Deletes what sqlite_sequence and the statistics tables say of the table."""
    tables = loaded_schema(compiler.context.catalog, table.schema_index).tables
    if table.has_autoincrement and "sqlite_sequence" in tables:
        _emit_delete_where(compiler, tables["sqlite_sequence"], 0, table.name)
    _emit_forget_statistics(compiler, table.schema_index, "tbl", table.name)


def _emit_forget_statistics(compiler: Compiler, database: int, column: str, name: str) -> None:
    tables = loaded_schema(compiler.context.catalog, database).tables
    for number in range(1, N_STATISTICS + 1):
        statistics = tables.get(f"sqlite_stat{number}")
        if statistics is not None and column in statistics.column_positions:
            _emit_delete_where(compiler, statistics, statistics.column_positions[column], name)


def _emit_delete_where(compiler: Compiler, table: Table, position: int, value: str) -> None:
    builder = compiler.builder
    cursor = builder.cursor()
    n_columns = len(table.columns)
    row = builder.registers(n_columns)
    end = builder.label()
    following = builder.label()
    builder.emit(op.OpenWrite, cursor, table.root_page, table.schema_index, table.shape)
    builder.begin_loop(op.Rewind, cursor, end, row, n_columns)
    builder.emit(op.Ne, row + position, following, builder.constant(value), None, op.JUMP_IF_NULL)
    if compiler.context.flags[HEARS_ROWS] and table.name == "sqlite_stat1":
        rowid = builder.register()
        builder.emit(op.Rowid, cursor, rowid)
        old = tuple(range(row, row + n_columns))
        builder.emit(op.PreUpdate, p4=(DELETION, table.name, table.schema_index, old, None, rowid, rowid))
    builder.emit(op.Delete, cursor, p4=(None, table.schema_index))
    builder.end_loop(op.Next, following, end)


def _emit_destroy_trees(compiler: Compiler, table: Table, cursor: int) -> None:
    """Largest root page first: in an auto-vacuum database Destroy moves the last root page into the gap."""
    builder = compiler.builder
    roots = {table.root_page, *(index.root_page for index in table.indexes)}
    for root in sorted(roots, reverse=True):
        moved = builder.register()
        builder.emit(op.Destroy, root, moved, table.schema_index)
        emit_moved_root(compiler, cursor, moved, root)


def _emit_drop_index(compiler: Compiler, node: ast.Drop) -> None:
    index = compiler.context.catalog.find_index(node.name, node.schema)
    if index is None:
        if not node.if_exists:
            name = f"{node.schema}.{node.name}" if node.schema else node.name
            raise sqlite_error(ERROR, f"no such index: {name}")
        _verify_schemas(compiler, node.schema)
        return
    if index.origin != "c":
        raise sqlite_error(ERROR, "index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped")
    database = index.schema_index
    if not allows_drop(compiler, "index", index.name, index.table, database, index.table.schema_name):
        return
    allows_index_removal(compiler, index)
    begin_ddl(compiler, database)
    cursor = open_schema_table(compiler, database)
    emit_delete_rows(compiler, cursor, index.name, "index")
    _emit_forget_statistics(compiler, database, "idx", index.name)
    moved = compiler.builder.register()
    compiler.builder.emit(op.Destroy, index.root_page, moved, database)
    emit_moved_root(compiler, cursor, moved, index.root_page)
    emit_schema_change(compiler, database, (("drop index", index.name, index.table.name, 0, None),))


def _emit_drop_trigger(compiler: Compiler, node: ast.Drop) -> None:
    trigger = compiler.context.catalog.find_trigger(node.name, node.schema)
    if trigger is None:
        if not node.if_exists:
            name = f"{node.schema}.{node.name}" if node.schema else node.name
            raise sqlite_error(ERROR, f"no such trigger: {name}")
        _verify_schemas(compiler, node.schema)
        return
    database = trigger.schema_index
    catalog = compiler.context.catalog
    watched = next(
        (table for schema in catalog.schemas if schema for table in schema.tables.values() if trigger in table.triggers), None
    )
    if not allows_drop(compiler, "trigger", trigger.name, watched, database, loaded_schema(catalog, database).name):
        return
    allows_removal(compiler, "trigger", 0, database, loaded_schema(catalog, database).name)
    begin_ddl(compiler, database)
    cursor = open_schema_table(compiler, database)
    emit_delete_rows(compiler, cursor, trigger.name, "trigger")
    emit_schema_change(compiler, database, (("drop trigger", trigger.name, trigger.table_name, 0, None),))


_EMITTERS = {
    "TABLE": _emit_drop_table,
    "VIEW": _emit_drop_table,
    "INDEX": _emit_drop_index,
    "TRIGGER": _emit_drop_trigger,
}
