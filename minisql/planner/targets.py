"""The table that a statement changes: found and checked, its cursors, and the deletion of one row.

Source: https://www.sqlite.org/lang_insert.html, https://www.sqlite.org/lang_conflict.html (REPLACE deletes rows).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import CONSTRAINT_PINNED, ERROR, sqlite_error
from minisql.planner.binding import bind_view, check_index_name
from minisql.planner.foreign_keys import (
    ForeignKeyUse,
    check_parent_keys,
    emit_foreign_key_check,
    emit_parent_actions,
    foreign_key_use,
)
from minisql.planner.index_entries import emit_delete_entries
from minisql.planner.layout import TableLayout, allocate_row, table_layout
from minisql.planner.row_hearing import emit_row_heard
from minisql.planner.rows import emit_virtual_columns, row_scope
from minisql.planner.triggers import emit_triggers, has_time, triggers_of
from minisql.planner.writes import use_database

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from minisql.catalog.schema import Index, Table, Trigger
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters


class Target:
    """A table under change: its `layout`, the write cursor `cursor`, `index_cursors` of the indexes that are open.

    `conflict` is the statement's ON_CONFLICT_* (0: none given).  `counts` tells that the statement's own row changes count
    in changes().  `delete_triggers` are those that REPLACE fires.  `foreign_keys` says what foreign keys ask for.
    `is_pinned` is set in a trigger that must not write the table.
    """

    __slots__ = (
        "conflict",
        "cursor",
        "delete_triggers",
        "foreign_keys",
        "index_cursors",
        "is_pinned",
        "layout",
        "reports_name",
        "table",
    )

    def __init__(self, table: Table, layout: TableLayout, conflict: int) -> None:
        self.table = table
        self.layout = layout
        self.conflict = conflict
        self.cursor = -1
        self.index_cursors: dict[Index, int] = {}
        self.delete_triggers: Sequence[Trigger] = ()
        self.foreign_keys: ForeignKeyUse | None = None
        self.is_pinned = False
        # The update hook hears of rowid tables only.
        self.reports_name = table.name if not table.is_without_rowid else None

    @property
    def may_replace(self) -> bool:
        """Whether a conflict may delete other rows of the table."""
        replace = op.ON_CONFLICT_REPLACE
        if self.conflict:
            return self.conflict == replace
        return self.table.conflict_action == replace or any(
            index.conflict_action == replace for index in self.table.indexes
        )


def find_target(compiler: Compiler, source: ast.TableSource) -> Table:
    """The table or view of an INSERT, UPDATE or DELETE; raises SQLite's error if there is none."""
    schema = source.schema
    if schema is None:
        schema = compiler.home
    table = compiler.context.catalog.find_table(source.name, schema) or compiler.eponymous_table(source.name)
    if table is None:
        name = f"{schema}.{source.name}" if schema else source.name
        raise sqlite_error(ERROR, f"no such table: {name}")
    if source.indexed_by is not None:
        check_index_name(table, source.indexed_by)
    return table


def check_writable(
    compiler: Compiler, table: Table, triggers: Sequence[Trigger], node: ast.Insert | ast.Update | ast.Delete
) -> None:
    """Refuses views without INSTEAD OF triggers and the schema tables.  `triggers` are those of the event.

    RETURNING counts as one more trigger for SQLite, so with it a trigger of another event is enough.
    """
    name = table.name
    if table.view is not None:
        is_returning = node.returning is not None and not compiler.counted
        if not has_time(triggers, "INSTEAD OF") and not (is_returning and table.triggers):
            scratch = compiler.spawn()
            scratch.authorized = None
            bind_view(scratch, table)  # What is wrong with the view itself comes first.
            raise sqlite_error(ERROR, f"cannot modify {name} because it is a view")
        return
    # Other tables with reserved names (sqlite_sequence, sqlite_stat1, the shell's sqlite_parameters) are open to everybody.
    if table.root_page == 1 and not compiler.context.flags.get("writable_schema"):
        raise sqlite_error(ERROR, f"table {name} may not be modified")


def open_target(
    compiler: Compiler, table: Table, conflict: int, indexes: Collection[Index] | None = None, is_drop: bool = False
) -> Target:
    """Opens the table and its indexes (or the given ones) for writing; `is_drop` as in `foreign_key_use`."""
    layout = table_layout(table)
    target = Target(table, layout, conflict)
    target.foreign_keys = foreign_key_use(compiler, table, is_drop)
    database = table.schema_index
    use_database(compiler, database, True)
    target.cursor = compiler.builder.cursor()
    emit = compiler.emit
    emit(op.OpenWrite, target.cursor, table.root_page, database, table.shape)
    for index in layout.indexes:
        if indexes is None or index in indexes:
            cursor = target.index_cursors[index] = compiler.builder.cursor()
            emit(op.OpenWrite, cursor, index.root_page, database, index.shape)
    if compiler.context.flags.get("recursive_triggers"):
        target.delete_triggers = triggers_of(compiler, table, "DELETE")
        target.is_pinned = compiler.trigger is not None and (database, table.root_page) in compiler.pinned
    return target


def emit_refuse_pinned(compiler: Compiler, target: Target) -> None:
    """Ends the statement before a row is written to a table in which an UPDATE outside is just now replacing a row.

    Source: https://www.sqlite.org/rescode.html, SQLITE_CONSTRAINT_PINNED.
    """
    if target.is_pinned:
        compiler.emit(op.Halt, CONSTRAINT_PINNED, op.ON_CONFLICT_ABORT, p4="constraint failed")


def emit_seek_row(compiler: Compiler, target: Target, key: Sequence[int], row: RowRegisters, missing: int) -> None:
    """Moves the target's cursor to the row with that rowid or primary key and loads it; jumps to `missing` without one.

    `key` holds the register of the rowid, or those of the primary-key fields in the order of the key.
    """
    table = target.table
    emit = compiler.emit
    if table.is_without_rowid:
        emit(op.NotFound, target.cursor, missing, row.base, tuple(key))
    else:
        emit(op.SeekRowid, target.cursor, missing, row.base, key[0])
        if target.layout.rowid_offset < 0 and row.rowid != key[0]:
            emit(op.SCopy, key[0], row.rowid)
    emit_virtual_columns(compiler, table, row)


def key_registers(row: RowRegisters, table: Table) -> tuple[int, ...]:
    """The registers that name a row: the rowid, or the primary-key fields of a WITHOUT ROWID table."""
    if not table.is_without_rowid:
        return (row.rowid,)
    clustered = row.layout.clustered
    assert clustered is not None, "a WITHOUT ROWID table has a clustered index"
    return tuple(range(row.base, row.base + len(clustered.columns)))


def emit_delete_row(
    compiler: Compiler, target: Target, row: RowRegisters, flags: int
) -> None:
    """Deletes the row that the target's cursor is on and that `row` holds: index entries, then the row."""
    table = target.table
    scope = row_scope(table, row)
    emit_refuse_pinned(compiler, target)
    emit_row_heard(compiler, target, row, None)
    emit_delete_entries(compiler, table, row, scope, target.index_cursors)
    # The update hook does not hear of rows that REPLACE deletes; those do not count either.
    operands = (target.reports_name if flags & op.COUNT_CHANGE else None, table.schema_index)
    compiler.emit(op.Delete, target.cursor, 0, 1 if table.is_without_rowid else 0, operands, flags)


def emit_find_again(compiler: Compiler, target: Target, row: RowRegisters, missing: int) -> None:
    """Moves the target's cursor to the row whose key is in `row`; loads nothing."""
    table = target.table
    if table.is_without_rowid:
        compiler.emit(op.NotFound, target.cursor, missing, 0, key_registers(row, table))
    else:
        compiler.emit(op.NotExists, target.cursor, missing, row.rowid)


def emit_delete_for_replace(compiler: Compiler, target: Target, key: Sequence[int], pins: bool) -> None:
    """Deletes the row in the way of REPLACE, with all that hangs on it; it is not counted in changes().

    `pins` says that nothing that hangs on it may write the table.

    Source: https://www.sqlite.org/lang_conflict.html, "REPLACE".
    """
    table = target.table
    pinned = compiler.pinned
    if pins and target.delete_triggers:
        compiler.pinned = pinned | {(table.schema_index, table.root_page)}
    row = allocate_row(compiler.builder, target.layout)
    done = compiler.label()
    emit_seek_row(compiler, target, key, row, done)
    stored = row
    if target.delete_triggers:
        emit_triggers(compiler, table, target.delete_triggers, "BEFORE", row, None, op.ON_CONFLICT_REPLACE, done)
        stored = allocate_row(compiler.builder, target.layout)
        emit_seek_row(compiler, target, key, stored, done)
    check_parent_keys(compiler, target.foreign_keys, "DELETE")
    emit_foreign_key_check(compiler, target.foreign_keys, table, row, None, None)
    emit_delete_row(compiler, target, stored, 0)
    emit_parent_actions(compiler, target.foreign_keys, table, row, None, None)
    if target.delete_triggers:
        emit_triggers(compiler, table, target.delete_triggers, "AFTER", row, None, op.ON_CONFLICT_REPLACE, done)
    compiler.pinned = pinned
    compiler.place(done)
