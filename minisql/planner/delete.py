"""Code for DELETE: all rows at once, one row by its rowid, a scan that deletes in passing, or gathered keys.

Source: https://www.sqlite.org/lang_delete.html (the truncate optimization is section 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.announcing import announce_expressions, announce_view_rows
from minisql.planner.authorization import DELETE, allows
from minisql.planner.foreign_keys import check_parent_keys, emit_foreign_key_check, emit_parent_actions
from minisql.planner.gathering import emit_sort_by_key, gather_rows, key_positions, statement_scope
from minisql.planner.layout import RowRegisters, allocate_row, table_layout
from minisql.planner.optimizations import HEARS_ROWS, ROWS_AT_ONCE, is_left_out
from minisql.planner.references import has_subquery
from minisql.planner.returning import Returning, begin_returning, emit_returned_rows, emit_returning_row
from minisql.planner.row_choice import choose_row, emit_chosen_row, explain_choice, may_use_index
from minisql.planner.rows import emit_virtual_columns, names_scope, row_source
from minisql.planner.scope import Scope
from minisql.planner.targets import (
    Target,
    check_writable,
    emit_delete_row,
    emit_seek_row,
    find_target,
    key_registers,
    open_target,
)
from minisql.planner.triggers import STEP_EMITTERS, emit_triggers, has_time, triggers_of
from minisql.planner.view_targets import view_as_table
from minisql.planner.virtual_writes import check_writable_module, emit_virtual_delete, refuse_virtual_returning
from minisql.planner.whole_rows import deletion_spec
from minisql.planner.writes import use_database

if TYPE_CHECKING:
    from minisql.catalog.schema import Table, Trigger
    from minisql.planner.compiler import Compiler


class Deletion:
    """One DELETE under compilation: the row is in `old`."""

    __slots__ = ("old", "returning", "table", "target", "triggers")

    def __init__(self, table: Table, old: RowRegisters, triggers: list[Trigger]) -> None:
        self.table = table
        self.old = old
        self.triggers = triggers
        self.target: Target | None = None
        self.returning: Returning | None = None


def emit_delete(compiler: Compiler, node: ast.Delete) -> tuple[str, ...]:
    """DELETE; returns the column names of RETURNING."""
    table = find_target(compiler, node.target)
    triggers = triggers_of(compiler, table, "DELETE")
    check_writable(compiler, table, triggers, node)
    is_view = table.view is not None
    allows_clear = allows(compiler, DELETE, table.name, None, table.schema_name)
    if is_view:
        view = table
        table = view_as_table(compiler, table)
        if compiler.authorized is not None:
            announce_view_rows(compiler, view, node, names_scope(table, node.target.alias, None))
    # The order in which the rows of a view are found is not minded.
    if node.order_by is not None and node.limit is None and not is_view:
        raise sqlite_error(ERROR, "ORDER BY without LIMIT on DELETE")
    if triggers:
        compiler.needs_statement_journal = True
    scope = statement_scope(compiler, node.with_clause)
    if table.module is not None:
        check_writable_module(compiler, table)
        refuse_virtual_returning(table, "DELETE", node.returning)
        emit_virtual_delete(compiler, table, node, scope)
        return ()
    deletion = Deletion(table, allocate_row(compiler.builder, table_layout(table)), triggers)
    deletion.returning = begin_returning(compiler, node.returning, scope, table)
    if compiler.authorized is not None and not is_view:
        announce_expressions(compiler, [node.where], names_scope(table, node.target.alias, scope))
    if is_view:
        _emit_view_rows(compiler, deletion, node, scope)
        return emit_returned_rows(compiler, deletion.returning)
    flags = compiler.context.flags
    is_watched = bool(triggers) or bool(flags.get("foreign_keys"))
    own_scope = Scope([row_source(table, deletion.old, node.target.alias)], scope)
    choice = None if node.limit is not None else choose_row(compiler, table, node.target, node.where)
    is_whole = node.where is None and node.limit is None and node.returning is None and not flags[HEARS_ROWS]
    if is_whole and not is_watched and allows_clear:
        _emit_clear(compiler, table)
    elif choice is not None:
        explain_choice(compiler, table, node.target.alias or node.target.name, choice)
        target = deletion.target = open_target(compiler, table, 0)

        def emit_body(ignore: int) -> None:
            emit_one_deletion(compiler, deletion, ignore)

        emit_chosen_row(compiler, target, deletion.old, choice, own_scope, emit_body)
    elif (
        node.limit is None
        and node.target.indexed_by is None
        and not is_watched
        and not _has_subquery(compiler, node)
        and not may_use_index(compiler, table, node.where)
    ):
        explain_choice(compiler, table, node.target.alias or node.target.name, None)
        _emit_scan(compiler, deletion, node.where, own_scope)
    else:
        _emit_gathered(compiler, deletion, node, scope)
    return emit_returned_rows(compiler, deletion.returning)


def _has_subquery(compiler: Compiler, node: ast.Delete) -> bool:
    return compiler.has_subqueries and has_subquery(node.where, node.returning)


def _emit_clear(compiler: Compiler, table: Table) -> None:
    database = table.schema_index
    use_database(compiler, database, True)
    for index in table.indexes:
        if not index.is_clustered:
            compiler.emit(op.Clear, index.root_page, database, 0)
    compiler.emit(op.Clear, table.root_page, database, 0, None, op.COUNT_CHANGE)


def _emit_scan(compiler: Compiler, deletion: Deletion, where: ast.Expression | None, scope: Scope) -> None:
    target = deletion.target = open_target(compiler, deletion.table, 0)
    compiler.needs_statement_journal = True
    emit_scan_and_delete(compiler, deletion, target, where, scope)


def emit_scan_and_delete(
    compiler: Compiler, deletion: Deletion, target: Target, where: ast.Expression | None, scope: Scope
) -> None:
    """Walks the table and deletes the rows that meet the condition."""
    builder = compiler.builder
    old = deletion.old
    end = compiler.label()
    following = compiler.label()
    is_single = bool(deletion.triggers) or deletion.returning is not None or is_left_out(compiler, ROWS_AT_ONCE)
    spec = None if is_single else deletion_spec(target)
    rowids = -1
    if spec is not None:
        rowids = builder.cursor()
        compiler.emit(op.OpenList, rowids, 1)
    builder.begin_loop(op.Rewind, target.cursor, end, old.base, target.layout.n_stored)
    if not target.table.is_without_rowid and target.layout.rowid_offset < 0:
        compiler.emit(op.Rowid, target.cursor, old.rowid)
    emit_virtual_columns(compiler, target.table, old)
    if where is not None:
        compiler.emit_condition(where, scope, following, False, True)
    if spec is not None:
        compiler.emit(op.ListAppend, rowids, p4=(old.rowid,))
        builder.end_loop(op.Next, following, end)
        compiler.emit(op.DeleteRows, target.cursor, rowids, 0, spec, op.COUNT_CHANGE)
        return
    emit_one_deletion(compiler, deletion, following)
    builder.end_loop(op.Next, following, end)


def _emit_gathered(compiler: Compiler, deletion: Deletion, node: ast.Delete, scope: Scope | None) -> None:
    table = deletion.table
    compiler.needs_statement_journal = True
    keys = key_positions(table)
    n_keys = len(keys)
    target = deletion.target = open_target(compiler, table, 0)
    is_one_pass = not (
        deletion.triggers
        or node.returning is not None
        or target.foreign_keys is not None
        or node.limit is not None
        or _has_subquery(compiler, node)
    )
    cursor = gather_rows(compiler, node, keys, (), scope, is_one_pass)
    if not is_one_pass:
        emit_sort_by_key(compiler, table, cursor, n_keys)
    if not deletion.triggers and node.returning is None and not is_left_out(compiler, ROWS_AT_ONCE):
        spec = deletion_spec(target)
        if spec is not None:
            compiler.emit(op.DeleteRows, target.cursor, cursor, 0, spec, op.COUNT_CHANGE)
            return
    builder = compiler.builder
    row = builder.registers(n_keys)
    end = compiler.label()
    following = compiler.label()
    builder.begin_loop(op.Rewind, cursor, end, row, n_keys)
    emit_seek_row(compiler, target, range(row, row + n_keys), deletion.old, following)
    emit_one_deletion(compiler, deletion, following)
    builder.end_loop(op.Next, following, end)


def _emit_view_rows(compiler: Compiler, deletion: Deletion, node: ast.Delete, scope: Scope | None) -> None:
    table = deletion.table
    columns = range(len(table.columns))
    cursor = gather_rows(compiler, node, columns, (), scope)
    builder = compiler.builder
    old = deletion.old
    end = compiler.label()
    following = compiler.label()
    builder.begin_loop(op.Rewind, cursor, end, old.base, len(columns))
    emit_triggers(compiler, table, deletion.triggers, "INSTEAD OF", old, None, 0, following)
    emit_returning_row(compiler, deletion.returning, table, old)
    builder.end_loop(op.Next, following, end)


def emit_one_deletion(compiler: Compiler, deletion: Deletion, ignore: int) -> None:
    """Deletes the row that `deletion.old` holds and the target's cursor stands on, with all that this sets off."""
    table = deletion.table
    target = deletion.target
    assert target is not None, "the table is open"
    old = deletion.old
    triggers = deletion.triggers
    has_before = has_time(triggers, "BEFORE")
    stored = old
    if has_before:
        emit_triggers(compiler, table, triggers, "BEFORE", old, None, 0, ignore)
        # The trigger may have changed the row or deleted it; for other triggers the old row stays as it was.
        stored = allocate_row(compiler.builder, old.layout)
        emit_seek_row(compiler, target, key_registers(old, table), stored, ignore)
    use = target.foreign_keys
    check_parent_keys(compiler, use, "DELETE")
    emit_foreign_key_check(compiler, use, table, old, None, None)
    emit_delete_row(compiler, target, stored, op.COUNT_CHANGE)
    emit_parent_actions(compiler, use, table, old, None, None)
    emit_returning_row(compiler, deletion.returning, table, old)
    if triggers:
        emit_triggers(compiler, table, triggers, "AFTER", old, None, 0, ignore)


STEP_EMITTERS[ast.Delete] = emit_delete
