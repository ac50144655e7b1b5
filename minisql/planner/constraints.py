"""Code that checks a row before it is written: NOT NULL, STRICT types, CHECK, the rowid, UNIQUE and PRIMARY KEY.

The order is SQLite's: NOT NULL, types, CHECK, then the rowid and the unique indexes in the order of `TableLayout.indexes`;
an INTEGER PRIMARY KEY that replaces comes behind indexes that do not, so that no row is deleted in vain.  What happens on a
conflict is decided by the statement's OR clause, else the constraint's ON CONFLICT clause, else ABORT; upserts decide first.

Source: https://www.sqlite.org/lang_conflict.html, https://www.sqlite.org/lang_createtable.html section 3,
https://www.sqlite.org/stricttables.html.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import (
    CONSTRAINT_CHECK,
    CONSTRAINT_NOTNULL,
    CONSTRAINT_PRIMARYKEY,
    CONSTRAINT_ROWID,
    CONSTRAINT_UNIQUE,
)
from minisql.planner.index_entries import emit_index_condition, emit_index_entry, is_touched, plain_entry
from minisql.planner.optimizations import HEARS_ROWS
from minisql.planner.references import referenced_names
from minisql.planner.rows import emit_generated_columns, emit_schema_condition, emit_schema_expression, row_scope
from minisql.planner.scope import Scope
from minisql.planner.targets import emit_delete_for_replace, key_registers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from minisql.catalog.schema import Column, Index, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters
    from minisql.planner.targets import Target

    ConflictHandler = Callable[["Index | None"], "Callable[[], None] | None"]

ABORT, IGNORE, REPLACE = op.ON_CONFLICT_ABORT, op.ON_CONFLICT_IGNORE, op.ON_CONFLICT_REPLACE


class Write:
    """A row about to be written: its registers `new`, for an UPDATE also `old` and the positions of `changed` columns.

    `ignore` is the label that leaves the row alone; `known` maps row registers to the constants that they hold;
    `is_new_rowid` promises that no row has the rowid; `is_key_changed` tells whether an UPDATE may change the rowid or
    primary key.  `entries` receives the index entries: (index, registers, flag register or 0 for a partial index).
    `upsert` is asked first about a conflict with an index (None: the rowid); `order` is its order of the checks (None stands
    for the rowid or the clustered primary key).  `renews_entries`: all index entries are made anew, whatever changed.
    `has_replaced` is a register that says that REPLACE has set something off, or 0.
    """

    __slots__ = (
        "_scope",
        "changed",
        "entries",
        "has_replaced",
        "has_types",
        "ignore",
        "is_key_changed",
        "is_new_rowid",
        "known",
        "new",
        "old",
        "order",
        "renews_entries",
        "table",
        "upsert",
    )

    def __init__(self, table: Table, new: RowRegisters, ignore: int) -> None:
        self.table = table
        self.new = new
        self.ignore = ignore
        self._scope: Scope | None = None
        self.old: RowRegisters | None = None
        self.changed: Collection[int] | None = None
        self.renews_entries = False
        self.known: dict[int, object] = {}
        self.is_new_rowid = False
        self.is_key_changed = True
        self.has_replaced = 0
        self.has_types = False
        self.entries: list[tuple[Index, tuple[int, ...], int]] = []
        self.upsert: ConflictHandler | None = None
        self.order: Sequence[Index | None] | None = None

    @property
    def scope(self) -> Scope:
        """The scope in which the table's columns mean the new row."""
        if self._scope is None:
            self._scope = row_scope(self.table, self.new)
        return self._scope


def emit_row_checks(compiler: Compiler, target: Target, write: Write) -> None:
    """Checks everything that concerns the row alone, then its conflicts with other rows; fills `write.entries`."""
    table = target.table
    layout = target.layout
    if layout.not_null:
        _emit_not_null(compiler, target, write)
    if table.checks and not compiler.context.flags.get("ignore_check_constraints"):
        if layout.strict_types is not None:
            _emit_type_checks(compiler, target, write)
        _emit_checks(compiler, target, write)
    emit_conflict_checks(compiler, target, write)


def _emit_type_checks(compiler: Compiler, target: Target, write: Write) -> None:
    """The types of a STRICT table, those of virtual columns too, in the order of the columns: before CHECK, else before the
    first index is looked at, so behind the rowid."""
    if write.has_types:
        return
    write.has_types = True
    table = target.table
    types = target.layout.strict_types
    assert types is not None, "the caller looked"
    if len(types) == len(table.columns) and not table.is_without_rowid:
        compiler.emit(op.TypeCheck, write.new.base, p4=types)
        return
    for position in range(len(table.columns)):
        _emit_type_check(compiler, table, write.new, position)


def emit_early_type_checks(compiler: Compiler, table: Table, row: RowRegisters) -> None:
    """Where something is computed from a new row of a STRICT table before its constraints are looked at (generated columns,
    BEFORE triggers), the types of the columns that were given come first."""
    if table.is_strict:
        for position, column in enumerate(table.columns):
            if column.generated is None:
                _emit_type_check(compiler, table, row, position)


def _emit_type_check(compiler: Compiler, table: Table, row: RowRegisters, position: int) -> None:
    column = table.columns[position]
    compiler.emit(op.TypeCheck, row.column(position), p4=((column.declared_type.upper(), column.name, table.name),))


def _emit_not_null(compiler: Compiler, target: Target, write: Write) -> None:
    """NOT NULL in two passes: generated columns, and columns that got their default instead, are looked at in the second."""
    table = target.table
    late: list[tuple[int, int]] = []
    has_defaults = False
    for position in target.layout.not_null:
        column = table.columns[position]
        if write.changed is not None and position not in write.changed:
            continue
        register = write.new.column(position)
        if write.known.get(register) is not None:
            continue
        action = target.conflict or column.not_null_action or ABORT
        if column.generated is not None:
            late.append((position, action if action != REPLACE else ABORT))
        elif action == REPLACE and column.default is not None:
            _emit_default_for_null(compiler, column, register)
            late.append((position, ABORT))
            has_defaults = True
        else:
            _emit_refuse_null(compiler, table, write, position, action if action != REPLACE else ABORT)
    if has_defaults:
        emit_generated_columns(compiler, table, write.new)
    for position, action in late:
        _emit_refuse_null(compiler, table, write, position, action)


def _emit_default_for_null(compiler: Compiler, column: Column, register: int) -> None:
    assert column.default is not None, "the caller looked"
    filled = compiler.label()
    compiler.emit(op.NotNull, register, filled)
    emit_schema_expression(compiler, column.default, Scope([]), register)
    compiler.emit(op.ApplyAffinity, register, column.affinity, register)
    compiler.place(filled)


def _emit_refuse_null(compiler: Compiler, table: Table, write: Write, position: int, action: int) -> None:
    register = write.new.column(position)
    if action == IGNORE:
        compiler.emit(op.IsNull, register, write.ignore)
    else:
        message = f"NOT NULL constraint failed: {table.name}.{table.columns[position].name}"
        compiler.emit(op.HaltIfNull, CONSTRAINT_NOTNULL, action, register, message)


_CHECK = "a CHECK constraint"


def _emit_checks(compiler: Compiler, target: Target, write: Write) -> None:
    table = target.table
    changed_names = (
        None if write.changed is None else {table.columns[position].name.lower() for position in write.changed}
    )
    for check in table.checks:
        if changed_names is not None and not write.is_key_changed and not changed_names & referenced_names(check.expression):
            continue
        if target.conflict == IGNORE:
            emit_schema_condition(compiler, check.expression, write.scope, write.ignore, False, False, _CHECK)
            continue
        passed = compiler.label()
        emit_schema_condition(compiler, check.expression, write.scope, passed, True, True, _CHECK)
        action = target.conflict if target.conflict not in (0, REPLACE) else ABORT
        message = f"CHECK constraint failed: {check.name or _shown(check.text)}"
        compiler.emit(op.Halt, CONSTRAINT_CHECK, action, p4=message)
        compiler.place(passed)


_QUOTED = re.compile(r"""(['"`])((?:(?!\1).|\1\1)*)\1|\[([^]]*)\]""", re.S)


def _shown(text: str) -> str:
    """A CHECK without a name goes by its text, which SQLite takes for a name: a quoted beginning is all that is left of it."""
    match = _QUOTED.match(text)
    if match is None:
        return text
    return match[3] if match[1] is None else match[2].replace(match[1] * 2, match[1])


def emit_conflict_checks(compiler: Compiler, target: Target, write: Write) -> None:
    """Looks for other rows with the same rowid, primary key or unique key and acts on them; fills `write.entries`."""
    if target.delete_triggers or (target.foreign_keys is not None and not target.foreign_keys.is_single and target.may_replace):
        write.has_replaced = compiler.register()
        compiler.emit(op.Integer, 0, write.has_replaced)
    is_strict = target.layout.strict_types is not None
    for index in write.order if write.order is not None else _default_order(target):
        if is_strict and (index is not None or target.layout.clustered is not None):
            _emit_type_checks(compiler, target, write)
        if index is None:
            _emit_key_check(compiler, target, write)
        elif index in target.index_cursors and (
            write.changed is None or write.renews_entries or is_touched(index, write.changed, write.is_key_changed)
        ):
            _emit_index_check(compiler, target, write, index)
    if is_strict:
        # A row may have been replaced already.
        compiler.needs_statement_journal = True
        _emit_type_checks(compiler, target, write)
    if write.has_replaced:
        _emit_recheck(compiler, target, write)


def _emit_replace(compiler: Compiler, target: Target, write: Write, key: tuple[int, ...], pins: bool) -> None:
    emit_delete_for_replace(compiler, target, key, pins)
    if write.has_replaced:
        compiler.emit(op.Integer, 1, write.has_replaced)


def _emit_recheck(compiler: Compiler, target: Target, write: Write) -> None:
    """When REPLACE has set something off, this may have put other rows in the way: then nothing is replaced any more.

    The rowid comes first, a clustered primary key where it stands among the indexes.
    """
    done = compiler.label()
    compiler.emit(op.IfNot, write.has_replaced, done, 1)
    order = write.order if write.order is not None else _default_order(target)
    if target.layout.clustered is None:
        _emit_recheck_key(compiler, target, write)
        order = [index for index in order if index is not None]
    entries = {entry[0]: entry for entry in write.entries}
    for index in order:
        if index is None:
            _emit_recheck_key(compiler, target, write)
        elif index.is_unique and index in entries:
            _emit_recheck_index(compiler, target, write, *entries[index])
    compiler.place(done)


def _emit_recheck_key(compiler: Compiler, target: Target, write: Write) -> None:
    emit = compiler.emit
    table = target.table
    passed = compiler.label()
    key = key_registers(write.new, table)
    clustered = target.layout.clustered
    if clustered is None:
        if write.old is not None:
            emit(op.Eq, write.new.rowid, passed, write.old.rowid)
        emit(op.NotExists, target.cursor, passed, write.new.rowid)
        code, message = rowid_conflict(table)
    else:
        if write.old is not None:
            _emit_jump_if_same(compiler, clustered, key, key_registers(write.old, table), passed)
        emit(op.NotFound, target.cursor, passed, 0, key)
        code, message = unique_code(clustered), unique_message(clustered)
    emit(op.Halt, code, ABORT, p4=message)
    compiler.place(passed)


def _emit_recheck_index(
    compiler: Compiler, target: Target, write: Write, index: Index, entry: tuple[int, ...], flag: int
) -> None:
    emit = compiler.emit
    passed = compiler.label()
    if flag:
        emit(op.IfNot, flag, passed, 1)
    emit(op.NoConflict, target.index_cursors[index], passed, 0, entry[: len(index.columns)])
    if write.old is not None:
        _emit_jump_if_own(compiler, target, conflicting_key(compiler, target, index), write.old, passed)
    emit(op.Halt, unique_code(index), ABORT, p4=unique_message(index))
    compiler.place(passed)


def _default_order(target: Target) -> Sequence[Index | None]:
    indexes = target.layout.indexes
    clustered = target.layout.clustered
    if clustered is not None:
        # The primary key of a WITHOUT ROWID table is one of the indexes, in their order.
        return tuple(None if index is clustered else index for index in target.table.indexes)
    if target.table.conflict_action == REPLACE and not target.conflict and indexes:
        return (*indexes, None)
    return (None, *indexes)


def _emit_key_check(compiler: Compiler, target: Target, write: Write) -> None:
    if target.layout.clustered is not None:
        _emit_clustered_check(compiler, target, write)
    else:
        _emit_rowid_check(compiler, target, write)


def _emit_rowid_check(compiler: Compiler, target: Target, write: Write) -> None:
    if write.is_new_rowid or (write.old is not None and not write.is_key_changed):
        return
    table = target.table
    new = write.new
    passed = compiler.label()
    if write.old is not None:
        compiler.emit(op.Eq, new.rowid, passed, write.old.rowid)
    handler = write.upsert(None) if write.upsert is not None else None
    action = target.conflict or table.conflict_action or ABORT
    if handler is None and action == REPLACE and write.old is None and _may_overwrite(compiler, target):
        compiler.place(passed)
        return
    compiler.emit(op.NotExists, target.cursor, passed, new.rowid)
    if handler is not None:
        handler()
        compiler.emit(op.Goto, 0, write.ignore)
    elif action == REPLACE:
        _emit_replace(compiler, target, write, (new.rowid,), False)
    elif action == IGNORE:
        compiler.emit(op.Goto, 0, write.ignore)
    else:
        code, message = rowid_conflict(table)
        compiler.emit(op.Halt, code, action, p4=message)
    compiler.place(passed)


def _may_overwrite(compiler: Compiler, target: Target) -> bool:
    """Whether Insert alone replaces the old row: nothing else hangs on it."""
    is_plain = not target.layout.indexes and not target.delete_triggers and target.foreign_keys is None
    return is_plain and not compiler.context.flags[HEARS_ROWS]


def _emit_clustered_check(compiler: Compiler, target: Target, write: Write) -> None:
    clustered = target.layout.clustered
    assert clustered is not None, "the table has no rowid"
    key = key_registers(write.new, target.table)
    own = None
    if write.old is not None:
        if not write.is_key_changed:
            return
        own = key_registers(write.old, target.table)
    passed = compiler.label()
    if own is not None:
        _emit_jump_if_same(compiler, clustered, key, own, passed)
    compiler.emit(op.NotFound, target.cursor, passed, 0, key)
    _emit_conflict(compiler, target, write, clustered, key)
    compiler.place(passed)


def _emit_jump_if_same(
    compiler: Compiler, index: Index, key: tuple[int, ...], own: tuple[int, ...], label: int
) -> None:
    """Jumps if both keys are equal in the sense of the index."""
    differs = compiler.label()
    for column, new, old in zip(index.columns, key, own):
        collation = column.collation if not column.collation.is_binary else None
        compiler.emit(op.Ne, new, differs, old, collation, op.NULLS_EQUAL)
    compiler.emit(op.Goto, 0, label)
    compiler.place(differs)


def _emit_index_check(compiler: Compiler, target: Target, write: Write, index: Index) -> None:
    emit = compiler.emit
    passed = compiler.label()
    flag = 0
    if index.where is not None:
        flag = compiler.register()
        emit(op.Integer, 0, flag)
        emit_index_condition(compiler, index, write.scope, passed)
        emit(op.Integer, 1, flag)
    entry = plain_entry(write.new, index) or emit_index_entry(compiler, index, write.new, write.scope)
    write.entries.append((index, entry, flag))
    if index.is_unique:
        cursor = target.index_cursors[index]
        n_key = len(index.columns)
        key = entry[:n_key]
        emit(op.NoConflict, cursor, passed, 0, key)
        other: tuple[int, ...] = ()
        if write.old is not None:
            # The row's own entry is no conflict.
            other = conflicting_key(compiler, target, index)
            _emit_jump_if_own(compiler, target, other, write.old, passed)
        _emit_conflict(compiler, target, write, index, other)
    compiler.place(passed)


def _emit_jump_if_own(
    compiler: Compiler, target: Target, other: tuple[int, ...], old: RowRegisters, label: int
) -> None:
    clustered = target.layout.clustered
    if clustered is None:
        compiler.emit(op.Eq, other[0], label, old.rowid)
    else:
        _emit_jump_if_same(compiler, clustered, other, key_registers(old, target.table), label)


def _emit_conflict(
    compiler: Compiler, target: Target, write: Write, index: Index, other: tuple[int, ...]
) -> None:
    """What happens when another row has the key; the index cursor stands on its entry, `other` holds its key if that was
    read already."""
    handler = write.upsert(index) if write.upsert is not None else None
    action = target.conflict or index.conflict_action or ABORT
    if handler is not None:
        handler()
        compiler.emit(op.Goto, 0, write.ignore)
    elif action == REPLACE:
        _emit_replace(compiler, target, write, other or conflicting_key(compiler, target, index), write.old is not None)
    elif action == IGNORE:
        compiler.emit(op.Goto, 0, write.ignore)
    else:
        compiler.emit(op.Halt, unique_code(index), action, p4=unique_message(index))


def conflicting_key(compiler: Compiler, target: Target, index: Index) -> tuple[int, ...]:
    """Reads the rowid or primary key at the end of the entry that the index cursor stands on."""
    cursor = target.index_cursors[index]
    if not target.table.is_without_rowid:
        rowid = compiler.register()
        compiler.emit(op.IdxRowid, cursor, rowid)
        return (rowid,)
    clustered = target.layout.clustered
    assert clustered is not None, "the table has no rowid"
    fields = {(column.position, column.collation.name): field for field, column in enumerate(index.entry_columns)}
    registers = []
    for column in clustered.columns:
        register = compiler.register()
        compiler.emit(op.Column, cursor, fields[column.position, column.collation.name], register)
        registers.append(register)
    return tuple(registers)


def rowid_conflict(table: Table) -> tuple[int, str]:
    """The extended result code and the error for two rows with the same rowid."""
    alias = table.rowid_alias
    name = table.columns[alias].name if alias >= 0 else "rowid"
    code = CONSTRAINT_PRIMARYKEY if alias >= 0 else CONSTRAINT_ROWID
    return code, f"UNIQUE constraint failed: {table.name}.{name}"


def unique_code(index: Index) -> int:
    """The extended result code of a conflict in the index."""
    return CONSTRAINT_PRIMARYKEY if index.origin == "pk" else CONSTRAINT_UNIQUE


def unique_message(index: Index) -> str:
    """The error for two rows with the same key."""
    if any(column.expression is not None for column in index.columns):
        return f"UNIQUE constraint failed: index '{index.name}'"
    table = index.table
    names = ", ".join(f"{table.name}.{table.columns[column.position].name}" for column in index.columns)
    return f"UNIQUE constraint failed: {names}"
