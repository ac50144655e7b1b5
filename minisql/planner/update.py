"""Code for UPDATE: which rows, their new values, and how one row changes.

The keys of the rows are gathered first, then each row is found again and changed; a row with a given rowid is sought
directly, and a scan changes rows as it comes by them when nothing else can be disturbed: no index leads the scan, no rowid
or primary key changes, no trigger, foreign key, subquery or REPLACE is about.

Source: https://www.sqlite.org/lang_update.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.build import CONFLICT_ACTIONS
from minisql.errors import ERROR, Error, sqlite_error
from minisql.parser import ast
from minisql.planner.announcing import announce_joined_update, announce_view_rows
from minisql.planner.assignments import Assignments, map_assignments, resolve_values
from minisql.planner.constraints import Write, emit_early_type_checks, emit_row_checks
from minisql.planner.foreign_keys import (
    check_parent_keys,
    emit_foreign_key_check,
    emit_parent_actions,
    limit_to_update,
)
from minisql.planner.gathering import emit_sort_by_key, gather_rows, key_positions, statement_scope
from minisql.planner.index_entries import emit_delete_entries, is_touched
from minisql.planner.insert_row import emit_entries, emit_insert_row
from minisql.planner.json_arguments import columns_with_json
from minisql.planner.layout import RowRegisters, TableLayout, allocate_row, table_layout
from minisql.planner.optimizations import ROWS_AT_ONCE, is_left_out
from minisql.planner.references import has_subquery
from minisql.planner.returning import Returning, begin_returning, emit_returned_rows, emit_returning_row
from minisql.planner.row_choice import choose_row, emit_chosen_row, explain_choice, may_use_index
from minisql.planner.row_hearing import emit_row_heard
from minisql.planner.rows import emit_generated_columns, emit_virtual_columns, names_scope, row_scope, row_source
from minisql.planner.scope import Scope
from minisql.planner.targets import (
    Target,
    check_writable,
    emit_find_again,
    emit_seek_row,
    find_target,
    key_registers,
    open_target,
)
from minisql.planner.triggers import STEP_EMITTERS, emit_triggers, has_time, triggers_of
from minisql.planner.view_targets import view_as_table
from minisql.planner.virtual_writes import check_writable_module, emit_virtual_update, refuse_virtual_returning
from minisql.planner.whole_rows import update_spec
from minisql.planner.writes import statement_conflict
from minisql.values import affinity
from minisql.values.collation import BINARY

if TYPE_CHECKING:
    from minisql.bytecode.program import RowsSpec
    from minisql.catalog.schema import Table, Trigger
    from minisql.planner.compiler import Compiler


class Updating:
    """One UPDATE (or DO UPDATE) under compilation: blocks `old` and `new`, what is assigned, and what it sets off."""

    __slots__ = ("assignments", "conflict", "layout", "new", "old", "returning", "table", "target", "triggers")

    def __init__(self, compiler: Compiler, table: Table, assignments: Assignments, conflict: int) -> None:
        self.table = table
        self.layout: TableLayout = table_layout(table)
        self.assignments = assignments
        self.conflict = conflict
        self.old = allocate_row(compiler.builder, self.layout)
        self.new = allocate_row(compiler.builder, self.layout)
        self.triggers: list[Trigger] = triggers_of(compiler, table, "UPDATE", assignments.names)
        self.target: Target | None = None
        self.returning: Returning | None = None

    @property
    def may_replace(self) -> bool:
        """Whether a conflict may delete other rows: a key that the update touches replaces."""
        replace = op.ON_CONFLICT_REPLACE
        assignments = self.assignments
        for index in self.layout.indexes:
            if index.is_unique and (self.conflict or index.conflict_action) == replace:
                if is_touched(index, assignments.changed, assignments.is_key_changed):
                    return True
        clustered = self.layout.clustered
        own = self.table.conflict_action if clustered is None else clustered.conflict_action
        return assignments.is_key_changed and (self.conflict or own) == replace

    @property
    def may_change_itself(self) -> bool:
        """Whether what REPLACE sets off may reach the very row that is being updated."""
        target = self.target
        return target is not None and self.may_replace and bool(target.delete_triggers or target.foreign_keys)


def emit_update(compiler: Compiler, node: ast.Update) -> tuple[str, ...]:
    """UPDATE; returns the column names of RETURNING."""
    table = find_target(compiler, node.target)
    changed = None
    if table.view is not None:
        # Only a trigger of these columns makes the view writable.
        changed = {name.lower() for assignment in node.assignments for name in assignment.columns}
    check_writable(compiler, table, triggers_of(compiler, table, "UPDATE", changed), node)
    try:
        return _emit_update(compiler, node, table)
    except Error:
        is_connected = table.module is None or table.module_instance is not None
        if compiler.context.authorizer is None and not node.sources and is_connected:
            _report_names(compiler, node, table)
        raise


def _report_names(compiler: Compiler, node: ast.Update, table: Table) -> None:
    """Of several errors SQLite reports names first: those of the values, then those of WHERE."""
    scratch = compiler.spawn()
    scratch.text = compiler.text
    scratch.trigger = compiler.trigger
    scratch.home = compiler.home
    if table.view is not None:
        table = view_as_table(scratch, table)
    scope = names_scope(table, node.target.alias, statement_scope(scratch, node.with_clause))
    map_assignments(scratch, table, node.assignments, lambda: scope)
    resolve_values(scratch, node.assignments, scope)
    if node.where is not None:
        scratch.emit_expression(node.where, scope)


def _emit_update(compiler: Compiler, node: ast.Update, table: Table) -> tuple[str, ...]:
    is_view = table.view is not None
    view = table
    if is_view:
        table = view_as_table(compiler, table)
    if table.module is not None:
        check_writable_module(compiler, table)
        refuse_virtual_returning(table, "UPDATE", node.returning)
    _check_sources(node)
    # The order in which the rows of a view are found is not minded.
    if node.order_by is not None and node.limit is None and not is_view:
        raise sqlite_error(ERROR, "ORDER BY without LIMIT on UPDATE")
    scope = statement_scope(compiler, node.with_clause)
    make_scope = None if node.sources else lambda: names_scope(table, node.target.alias, scope)
    assignments = map_assignments(compiler, table, node.assignments, make_scope)
    if assignments.announcer is not None:
        if is_view:
            announce_view_rows(compiler, view, node)
        elif node.sources:
            announce_joined_update(compiler, node, scope)
        else:
            assignments.announcer.name([node.where], names_scope(table, node.target.alias, scope))
    conflict = statement_conflict(compiler, CONFLICT_ACTIONS[node.conflict])
    updating = Updating(compiler, table, assignments, conflict)
    if table.module is not None:
        emit_virtual_update(compiler, table, node, scope, assignments, (updating.old, updating.new), conflict)
        return ()
    updating.returning = begin_returning(compiler, node.returning, scope, table)
    if is_view:
        _emit_view_rows(compiler, updating, node, scope)
        return emit_returned_rows(compiler, updating.returning)
    own_scope = Scope([row_source(table, updating.old, node.target.alias)], scope)
    choice = None if node.sources or node.limit is not None else choose_row(compiler, table, node.target, node.where)
    if choice is not None:
        explain_choice(compiler, table, node.target.alias or node.target.name, choice)
        target = begin_update(compiler, updating, False)

        def emit_body(ignore: int) -> None:
            emit_update_row(compiler, updating, own_scope, ignore)

        emit_chosen_row(compiler, target, updating.old, choice, own_scope, emit_body)
    elif _may_change_in_passing(compiler, updating, node):
        explain_choice(compiler, table, node.target.alias or node.target.name, None)
        _emit_scan(compiler, updating, node, own_scope)
    else:
        _emit_gathered(compiler, updating, node, scope, own_scope)
    if assignments.announcer is not None:
        # SQLite compiles the triggers first, to see which columns they read.
        assignments.announcer.finish()
    return emit_returned_rows(compiler, updating.returning)


def _check_sources(node: ast.Update) -> None:
    alias, name = node.target.alias, node.target.name
    for source in node.sources:
        if not isinstance(source, ast.TableSource) or (source.alias is None) != (alias is None):
            continue
        if (source.alias or source.name).lower() == (alias or name).lower():
            shown = source.alias or source.name
            raise sqlite_error(ERROR, f"target object/alias may not appear in FROM clause: {shown}")


def begin_update(compiler: Compiler, updating: Updating, is_multiple: bool) -> Target:
    """Opens the table and the indexes that the update touches (all of them when rows may be replaced)."""
    table = updating.table
    assignments = updating.assignments
    layout = updating.layout
    touched = [index for index in layout.indexes if is_touched(index, assignments.changed, assignments.is_key_changed)]
    may_replace = updating.may_replace
    if may_replace:
        touched = list(layout.indexes)
    updating.target = target = open_target(compiler, table, updating.conflict, touched)
    concerned = limit_to_update(compiler, target.foreign_keys, assignments.changed)
    if may_replace:
        check_parent_keys(compiler, target.foreign_keys, "DELETE")
    else:
        target.foreign_keys = concerned
    if is_multiple or updating.triggers or target.foreign_keys is not None or may_replace:
        compiler.needs_statement_journal = True
    return target


def _may_change_in_passing(compiler: Compiler, updating: Updating, node: ast.Update) -> bool:
    if node.sources or node.limit is not None or updating.triggers or updating.assignments.is_key_changed:
        return False
    table = updating.table
    if compiler.context.flags.get("foreign_keys") or updating.may_replace:
        return False
    if node.target.indexed_by is not None or has_subquery(node.where, node.assignments, node.returning):
        return False
    return not may_use_index(compiler, table, node.where)


def _emit_scan(compiler: Compiler, updating: Updating, node: ast.Update, scope: Scope) -> None:
    target = begin_update(compiler, updating, True)
    builder = compiler.builder
    old = updating.old
    end = compiler.label()
    following = compiler.label()
    spec = None if is_left_out(compiler, ROWS_AT_ONCE) else update_spec(updating, node.assignments)
    new_rows = _open_new_rows(compiler, spec)
    builder.begin_loop(op.Rewind, target.cursor, end, old.base, updating.layout.n_stored)
    emit_loaded(compiler, target, old)
    if node.where is not None:
        compiler.emit_condition(node.where, scope, following, False, True)
    if spec is None:
        emit_update_row(compiler, updating, scope, following)
    else:
        _emit_new_row(compiler, updating, scope, following, new_rows)
    builder.end_loop(op.Next, following, end)
    _emit_update_rows(compiler, target, new_rows, spec)


def _open_new_rows(compiler: Compiler, spec: RowsSpec | None) -> int:
    """A list for the new rows when all of them are to be written at once."""
    if spec is None:
        return -1
    cursor = compiler.builder.cursor()
    compiler.emit(op.OpenList, cursor, 1)
    return cursor


def _emit_new_row(compiler: Compiler, updating: Updating, scope: Scope, ignore: int, new_rows: int) -> None:
    """Computes a new row, checks it, and adds it to the list."""
    new = updating.new
    target = updating.target
    assert target is not None, "the table is open"
    emit_new_values(compiler, updating, scope, None)
    write = Write(updating.table, new, ignore)
    write.old = updating.old
    write.changed = updating.assignments.changed
    write.is_key_changed = False
    emit_row_checks(compiler, target, write)
    compiler.emit(op.ListAppend, new_rows, p4=new.all_registers())


def _emit_update_rows(compiler: Compiler, target: Target, new_rows: int, spec: RowsSpec | None) -> None:
    if spec is not None:
        compiler.emit(op.UpdateRows, target.cursor, new_rows, 0, spec, op.COUNT_CHANGE | op.IS_UPDATE)


def emit_loaded(compiler: Compiler, target: Target, row: RowRegisters) -> None:
    """Completes a row that a loop has loaded: rowid and virtual columns."""
    from_cursor = not target.table.is_without_rowid and target.layout.rowid_offset < 0
    if from_cursor:
        compiler.emit(op.Rowid, target.cursor, row.rowid)
    emit_virtual_columns(compiler, target.table, row)


def _emit_gathered(
    compiler: Compiler, updating: Updating, node: ast.Update, scope: Scope | None, own_scope: Scope
) -> None:
    table = updating.table
    keys = key_positions(table)
    n_keys = len(keys)
    values = updating.assignments.expressions if node.sources else []
    width = n_keys + len(values)
    target = begin_update(compiler, updating, True)
    is_one_pass = not (
        updating.triggers
        or node.returning is not None
        or target.foreign_keys is not None
        or updating.assignments.is_key_changed
        or updating.may_replace
        or node.sources
        or node.limit is not None
        or has_subquery(node.where)
    )
    start = len(compiler.code)
    cursor = gather_rows(compiler, node, keys, values, scope, is_one_pass, node.sources)
    if is_one_pass and _reads_changed_index(compiler, target, start):
        is_one_pass = False
    if node.sources:
        cursor = _emit_last_of_each(compiler, cursor, n_keys, width)
    if not is_one_pass:
        emit_sort_by_key(compiler, table, cursor, width)
    builder = compiler.builder
    row = builder.registers(width)
    end = compiler.label()
    following = compiler.label()
    spec = None if node.sources or is_left_out(compiler, ROWS_AT_ONCE) else update_spec(updating, node.assignments)
    new_rows = _open_new_rows(compiler, spec)
    builder.begin_loop(op.Rewind, cursor, end, row, width)
    emit_seek_row(compiler, target, range(row, row + n_keys), updating.old, following)
    if spec is not None:
        _emit_new_row(compiler, updating, own_scope, following, new_rows)
        builder.end_loop(op.Next, following, end)
        _emit_update_rows(compiler, target, new_rows, spec)
        return
    given = [row + n_keys + number for number in range(len(values))] if node.sources else None
    emit_update_row(compiler, updating, own_scope, following, given)
    builder.end_loop(op.Next, following, end)


def _reads_changed_index(compiler: Compiler, target: Target, start: int) -> bool:
    """Tells whether the code from `start` on walks an index that the update changes: such rows cannot change in passing."""
    roots = {index.root_page for index in target.index_cursors}
    database = target.table.schema_index
    return any(
        instruction[0] == op.OpenRead and instruction[2] in roots and instruction[3] == database
        for instruction in compiler.code[start:]
    )


def _emit_last_of_each(compiler: Compiler, cursor: int, n_keys: int, width: int) -> int:
    """Of several joined rows for one target row the last one counts."""
    builder = compiler.builder
    result = builder.cursor()
    seen = builder.cursor()
    row = builder.registers(width)
    end = compiler.label()
    following = compiler.label()
    compiler.emit(op.OpenList, result, width)
    compiler.emit(op.SetOpen, seen, p4=(BINARY,) * n_keys)
    builder.begin_loop(op.Last, cursor, end, row, width)
    compiler.emit(op.SetInsert, seen, following, 0, tuple(range(row, row + n_keys)))
    compiler.emit(op.ListAppend, result, row, width)
    builder.end_loop(op.Prev, following, end)
    return result


def _emit_view_rows(compiler: Compiler, updating: Updating, node: ast.Update, scope: Scope | None) -> None:
    """INSTEAD OF triggers for every row of the view that the conditions admit."""
    table = updating.table
    builder = compiler.builder
    compiler.needs_statement_journal = True
    columns = range(len(table.columns))
    values = updating.assignments.expressions if node.sources else []
    cursor = gather_rows(compiler, node, columns, values, scope, False, node.sources)
    old = updating.old
    width = len(columns) + len(values)
    row = builder.registers(width)
    own_scope = Scope([row_source(table, old, node.target.alias)], scope)
    end = compiler.label()
    following = compiler.label()
    builder.begin_loop(op.Rewind, cursor, end, row, width)
    compiler.emit(op.Copy, row, old.base, len(columns))
    given = [row + len(columns) + number for number in range(len(values))] if node.sources else None
    emit_new_values(compiler, updating, own_scope, given)
    emit_triggers(compiler, table, updating.triggers, "INSTEAD OF", old, updating.new, updating.conflict, following)
    emit_returning_row(compiler, updating.returning, table, updating.new)
    builder.end_loop(op.Next, following, end)


def emit_new_values(compiler: Compiler, updating: Updating, scope: Scope, given: list[int] | None) -> None:
    """Fills the new row: a copy of the old one, then the assigned values (computed, or given in registers)."""
    layout = updating.layout
    old, new = updating.old, updating.new
    assignments = updating.assignments
    compiler.emit(op.Copy, old.base, new.base, layout.n_block)
    if layout.rowid_offset < 0:
        compiler.emit(op.SCopy, old.rowid, new.rowid)
    assignments.emit_values(compiler, new, scope, given)
    if given is None:
        lone = [(positions[0], value) for positions, value in assignments.items if len(positions) == 1]
        new.json_columns = columns_with_json(compiler, updating.table, lone, scope)
    for source, destination in layout.copies:
        compiler.emit(op.SCopy, new.base + source, new.base + destination)
    if assignments.sets_rowid:
        compiler.emit(op.MustBeInt, new.rowid, 0)
    columns = updating.table.columns
    # A view that is updated for the sake of RETURNING alone converts nothing.
    is_stored = updating.table.view is None or bool(updating.triggers)
    if is_stored and layout.affinities is not None and any(columns[p].affinity > affinity.BLOB for p in assignments.assigned):
        # What is copied from the old row has its affinity.
        wanted = [affinity.BLOB] * len(layout.affinities)
        for position in assignments.assigned:
            if 0 <= layout.offsets[position] < len(wanted):
                wanted[layout.offsets[position]] = layout.affinities[layout.offsets[position]]
        compiler.emit(op.Affinity, new.base, p4=tuple(wanted))


def emit_update_row(
    compiler: Compiler, updating: Updating, scope: Scope, ignore: int, given: list[int] | None = None
) -> None:
    """Changes the row that `updating.old` holds and the target's cursor stands on; jumps to `ignore` to leave it alone."""
    table = updating.table
    target = updating.target
    assert target is not None, "the table is open"
    old, new = updating.old, updating.new
    triggers = updating.triggers
    changed = updating.assignments.changed
    is_key_changed = updating.assignments.is_key_changed
    emit_new_values(compiler, updating, scope, given)
    has_before = has_time(triggers, "BEFORE")
    stored = old
    if has_before:
        emit_early_type_checks(compiler, table, new)
        emit_generated_columns(compiler, table, new)
        emit_triggers(compiler, table, triggers, "BEFORE", old, new, target.conflict, ignore)
        stored = _emit_reload(compiler, updating, ignore)
    if table.has_generated:
        emit_early_type_checks(compiler, table, new)
    emit_generated_columns(compiler, table, new)
    write = Write(table, new, ignore)
    write.old = old
    write.changed = changed
    write.is_key_changed = is_key_changed
    write.renews_entries = updating.may_change_itself
    emit_row_checks(compiler, target, write)
    use = target.foreign_keys
    emit_foreign_key_check(compiler, use, table, old, None, changed)
    if updating.may_change_itself:
        stored = allocate_row(compiler.builder, updating.layout)
        emit_seek_row(compiler, target, key_registers(old, table), stored, ignore)
    emit_row_heard(compiler, target, stored, new)
    _emit_take_out(compiler, updating, target, stored)
    emit_foreign_key_check(compiler, use, table, None, new, changed)
    emit_entries(compiler, target, write)
    flags = op.COUNT_CHANGE | op.IS_UPDATE
    if not (is_key_changed or triggers or use is not None or updating.may_replace):
        flags |= op.IN_PLACE
    emit_insert_row(compiler, target, new, flags)
    emit_parent_actions(compiler, use, table, old, new, changed)
    emit_returning_row(compiler, updating.returning, table, new)
    if triggers:
        emit_triggers(compiler, table, triggers, "AFTER", old, new, target.conflict, ignore)


def _emit_reload(compiler: Compiler, updating: Updating, ignore: int) -> RowRegisters:
    """A BEFORE trigger may have deleted the row, or changed columns that the statement does not set.

    Returns the row as it is stored now; for triggers the old row stays as it was.
    """
    target = updating.target
    assert target is not None, "the table is open"
    fresh = allocate_row(compiler.builder, updating.layout)
    emit_seek_row(compiler, target, key_registers(updating.old, updating.table), fresh, ignore)
    assigned = updating.assignments.assigned
    for position in updating.layout.insertable:
        if position not in assigned:
            compiler.emit(op.SCopy, fresh.column(position), updating.new.column(position))
    return fresh


def _emit_take_out(compiler: Compiler, updating: Updating, target: Target, old: RowRegisters) -> None:
    """Takes the old index entries out, and the row itself when its key may change (else the new one replaces it), or when
    it must not be found as a child of what it becomes."""
    table = updating.table
    changed, is_key_changed = updating.assignments.changed, updating.assignments.is_key_changed
    touched = {
        index: cursor
        for index, cursor in target.index_cursors.items()
        if updating.may_change_itself or is_touched(index, changed, is_key_changed)
    }
    if touched:
        emit_delete_entries(compiler, table, old, row_scope(table, old), touched)
    use = target.foreign_keys
    if is_key_changed or table.is_without_rowid or (use is not None and use.is_recursive):
        gone = compiler.label()
        if is_key_changed or updating.may_replace or updating.triggers:
            emit_find_again(compiler, target, old, gone)
        operands = (None, table.schema_index)
        compiler.emit(op.Delete, target.cursor, 0, 1 if table.is_without_rowid else 0, operands, op.IS_UPDATE)
        compiler.place(gone)


STEP_EMITTERS[ast.Update] = emit_update
