"""Handlers that change trees: rows, index entries, roots.

Source: https://www.sqlite.org/opcode.html; the contracts in minisql.bytecode.opcodes.
"""

from __future__ import annotations

from itertools import pairwise
from random import randrange
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes
from minisql.bytecode.opcodes import APPEND, COUNT_CHANGE, IN_PLACE, IS_UPDATE, PRE_UPDATE_ONLY, SET_LAST_ROWID
from minisql.errors import CONSTRAINT_DATATYPE, CONSTRAINT_UNIQUE, CORRUPT_INDEX, FULL, sqlite_error
from minisql.values import affinity
from minisql.values.affinity import apply_affinity
from minisql.values.compare import equal
from minisql.values.storage_class import INT64_MAX, type_name
from minisql.vm.halting import halt_error
from minisql.vm.handlers import Operands, handles
from minisql.vm.picking import GETTERS

if TYPE_CHECKING:
    from minisql.values.collation import Collation
    from minisql.vm.frame import Frame
    from minisql.vm.host import Host

_RANDOM_TRIES = 100


@handles(opcodes.NewRowid)
def new_rowid(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    cursor = frame.cursors[i[1]]
    largest = cursor.last_rowid() or 0
    ever = i[3]
    if ever:
        # AUTOINCREMENT: never below the largest rowid that the table has ever had, and never random.
        largest = max(largest, registers[ever] or 0)
        if largest == INT64_MAX:
            raise sqlite_error(FULL)
        registers[ever] = largest + 1
        registers[i[2]] = largest + 1
        return pc
    registers[i[2]] = largest + 1 if largest < INT64_MAX else random_rowid(cursor)
    return pc


def random_rowid(cursor: Any) -> int:
    """A free rowid found by chance, once the largest one is in use.

    Source: https://www.sqlite.org/autoinc.html section 2
    """
    for _ in range(_RANDOM_TRIES):
        candidate = randrange(1, INT64_MAX // 2)
        if cursor.seek_rowid(candidate) is None:
            return candidate
    raise sqlite_error(FULL)


@handles(opcodes.Insert)
def insert(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    _, number, first, rowid_register, (n, table_name, _), flags = i
    rowid = registers[rowid_register]
    row = tuple(registers[first : first + n])
    if flags & IN_PLACE:
        frame.cursors[number].update(row)
    else:
        frame.cursors[number].insert(rowid, row, flags & APPEND != 0)
    host = frame.host
    if flags & COUNT_CHANGE:
        frame.n_changes += 1
    if flags & SET_LAST_ROWID:
        host.last_insert_rowid = rowid
    if table_name is not None and host.has_update_hook:
        report_insert(host, i[4], rowid, flags)
    return pc


def report_insert(host: Host, target: tuple[int, str, int], rowid: int, flags: int) -> None:
    """Calls the update hook for an Insert; `target` is its p4.

    Source: https://www.sqlite.org/c3ref/update_hook.html
    """
    _, table_name, schema_index = target
    host.row_changed("update" if flags & IS_UPDATE else "insert", schema_index, table_name, rowid)


@handles(opcodes.PreUpdate)
def pre_update(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    operation, table_name, schema_index, old, new, old_rowid, new_rowid = i[4]
    rows = [tuple([registers[register] for register in row]) if row is not None else None for row in (old, new)]
    rowids = registers[old_rowid] if old_rowid else 0, registers[new_rowid] if new_rowid else 0
    frame.host.row_changing(operation, schema_index, table_name, rows[0], rows[1], rowids, frame.depth)
    return pc


@handles(opcodes.Delete)
def delete(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    cursor = frame.cursors[i[1]]
    table_name, schema_index = i[4]
    flags = i[5]
    host = frame.host
    has_hook = table_name is not None and host.has_update_hook and not flags & IS_UPDATE
    rowid = cursor.rowid if has_hook else 0
    if not flags & PRE_UPDATE_ONLY:
        if i[3]:
            cursor.delete_current()
        else:
            cursor.delete()
    if flags & COUNT_CHANGE:
        frame.n_changes += 1
    if has_hook:
        host.row_changed("delete", schema_index, table_name, rowid)
    return pc


@handles(opcodes.IdxInsert)
def idx_insert(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].insert(GETTERS[i[4]](registers))
    if i[5] & COUNT_CHANGE:
        frame.n_changes += 1
    return pc


@handles(opcodes.IdxBuild)
def idx_build(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    target = frame.cursors[i[1]]
    entries = frame.cursors[i[2]].rows
    in_order, keys = target.order.sort(entries)
    if i[3]:
        _check_distinct(in_order, target.order.collations[: i[3]], i[4])
    target.insert_sorted(in_order, keys)
    return pc


def _check_distinct(entries: list[tuple[Any, ...]], collations: tuple[Collation, ...], message: str) -> None:
    """Raises CONSTRAINT_UNIQUE if two sorted entries agree in their first fields; NULLs never agree."""
    n = len(collations)
    for before, after in pairwise(entries):
        if None not in after[:n] and all(map(equal, before, after, collations)):
            raise halt_error(CONSTRAINT_UNIQUE, 0, message)


@handles(opcodes.IdxDelete)
def idx_delete(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    if not frame.cursors[i[1]].delete(GETTERS[i[4]](registers)) and not i[5]:
        raise sqlite_error(CORRUPT_INDEX)
    return pc


_STRICT_AFFINITIES = {
    "INT": affinity.INTEGER,
    "INTEGER": affinity.INTEGER,
    "REAL": affinity.REAL,
    "TEXT": affinity.TEXT,
    "BLOB": affinity.BLOB,
}
_STRICT_CLASSES = {"INT": int, "INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}


@handles(opcodes.TypeCheck)
def type_check(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    register = i[1]
    for declared_type, column_name, table_name in i[4]:
        value = registers[register]
        wanted = _STRICT_CLASSES.get(declared_type)
        if value is not None and wanted is not None and value.__class__ is not wanted:
            value = registers[register] = apply_affinity(value, _STRICT_AFFINITIES[declared_type])
            if value.__class__ is not wanted:
                name = "INT" if value.__class__ is int else type_name(value).upper()
                text = f"cannot store {name} value in {declared_type} column {table_name}.{column_name}"
                raise halt_error(CONSTRAINT_DATATYPE, 0, text)
        elif wanted is float and value == 0.0:
            # Zero is stored as an integer and so loses its sign.
            registers[register] = 0.0
        register += 1
    return pc


@handles(opcodes.CreateBtree)
def create_btree(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    btree: Any = frame.host.btrees[i[1]]
    registers[i[2]] = btree.create_tree(i[3] == 1)
    return pc


@handles(opcodes.Destroy)
def destroy(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.host.refuse_other_readers()
    btree: Any = frame.host.btrees[i[3]]
    registers[i[2]] = btree.drop_tree(i[1])
    return pc


@handles(opcodes.Clear)
def clear(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    btree: Any = frame.host.btrees[i[2]]
    n_rows = btree.clear_tree(i[1])
    if i[5] & COUNT_CHANGE:
        frame.n_changes += n_rows
    if i[3]:
        registers[i[3]] += n_rows
    return pc
