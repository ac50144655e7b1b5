"""Handlers of cursors: opening, walking, seeking and reading rows of tables, indexes and ephemeral trees.

A handler that lands on a row copies all of it into the registers from p3, so columns are plain registers from then on.

Source: https://www.sqlite.org/opcode.html; the contracts in minisql.bytecode.opcodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes
from minisql.errors import CORRUPT_INDEX, sqlite_error
from minisql.values.affinity import NUMERIC, apply_affinity
from minisql.values.compare import compare
from minisql.values.shape import RowShape
from minisql.values.storage_class import INT64_MAX, INT64_MIN
from minisql.vm.ephemeral import ListCursor, TreeCursor
from minisql.vm.handlers import Operands, handles
from minisql.vm.picking import GETTERS

if TYPE_CHECKING:
    from minisql.vm.frame import Frame


@handles(opcodes.OpenRead, opcodes.OpenWrite)
def open_tree(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    opcode, number, root, database, shape, root_is_register = i
    if root_is_register:
        root = registers[root]
    btree: Any = frame.host.btrees[database]
    write = opcode == opcodes.OpenWrite
    if shape.__class__ is RowShape:
        frame.cursors[number] = btree.table_cursor(root, shape, write)
    else:
        frame.cursors[number] = btree.index_cursor(root, shape, write)
    return pc


@handles(opcodes.OpenList)
def open_list(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = ListCursor()
    return pc


@handles(opcodes.OpenDup)
def open_dup(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = ListCursor(frame.cursors[i[2]].rows)
    return pc


@handles(opcodes.ConstantRows)
def constant_rows(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = ListCursor(list(i[4]))
    return pc


@handles(opcodes.OpenTree)
def open_ephemeral_tree(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = TreeCursor(i[4])
    return pc


@handles(opcodes.Close)
def close(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = None
    return pc


@handles(opcodes.Rewind)
def rewind(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = frame.cursors[i[1]].first()
    if row is None:
        return i[2]  # type: ignore[no-any-return]
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


@handles(opcodes.Last)
def last(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = frame.cursors[i[1]].last()
    if row is None:
        return i[2]  # type: ignore[no-any-return]
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


@handles(opcodes.Next)
def next_(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = frame.cursors[i[1]].next()
    if row is None:
        return pc
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return i[2]  # type: ignore[no-any-return]


@handles(opcodes.Prev)
def prev(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = frame.cursors[i[1]].previous()
    if row is None:
        return pc
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return i[2]  # type: ignore[no-any-return]


@handles(opcodes.SeekRowid)
def seek_rowid(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    key = registers[i[4]]
    if key.__class__ is not int:
        key = apply_affinity(key, NUMERIC)
        if key.__class__ is not int:
            return i[2]  # type: ignore[no-any-return]
    row = frame.cursors[i[1]].seek_rowid(key)
    if row is None:
        return i[2]  # type: ignore[no-any-return]
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


@handles(opcodes.NotExists)
def not_exists(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if frame.cursors[i[1]].seek_rowid(registers[i[3]]) is None else pc


_INDEX_OPERATORS = {opcodes.SeekGE: "ge", opcodes.SeekGT: "gt", opcodes.SeekLE: "le", opcodes.SeekLT: "lt"}


@handles(opcodes.SeekGE, opcodes.SeekGT, opcodes.SeekLE, opcodes.SeekLT)
def seek(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    cursor = frame.cursors[i[1]]
    key = i[4]
    if key.__class__ is tuple:
        row = cursor.seek(GETTERS[key](registers), _INDEX_OPERATORS[i[0]])
    else:
        row = seek_table(cursor, i[0], registers[key])
    if row is None:
        return i[2]  # type: ignore[no-any-return]
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


def seek_table(cursor: Any, opcode: int, key: Any) -> Any:
    """Seeks a rowid by any value: reals lie between integers, text and blobs behind all of them, NULL finds nothing.

    Source: https://www.sqlite.org/opcode.html#SeekGE
    """
    goes_up = opcode in (opcodes.SeekGE, opcodes.SeekGT)
    if key.__class__ is not int:
        key = apply_affinity(key, NUMERIC)
        if key is None:
            return None
        if key.__class__ is str or key.__class__ is bytes:
            return None if goes_up else cursor.last()
        if key.__class__ is float:
            if key >= INT64_MAX:
                return None if goes_up else cursor.last()
            if key < INT64_MIN:
                return cursor.first() if goes_up else None
            # apply_affinity made integral reals integers, so the key lies strictly between floor and floor + 1.
            floor = int(key // 1)
            return cursor.seek_gt(floor) if goes_up else cursor.seek_le(floor)
    if opcode == opcodes.SeekGE:
        return cursor.seek_ge(key)
    if opcode == opcodes.SeekGT:
        return cursor.seek_gt(key)
    return cursor.seek_le(key) if opcode == opcodes.SeekLE else cursor.seek_lt(key)


def compare_prefix(shape: Any, entry: tuple[Any, ...], key: tuple[Any, ...]) -> int:
    """Compares an entry's first fields with a key in the order of an index: negative, 0 or positive.

    `shape` has the collations and the descending flags: a KeyShape, or storage's KeyOrder.
    """
    for position, wanted in enumerate(key):
        value = entry[position]
        if value == wanted:
            continue
        if value.__class__ is int and wanted.__class__ is int:
            order = -1 if value < wanted else 1
        else:
            order = compare(value, wanted, shape.collations[position])
            if order == 0:
                continue
        # The descending flags are None when there is no DESC field.
        return -order if shape.descending is not None and shape.descending[position] else order
    return 0


@handles(opcodes.IdxGE)
def idx_ge(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if _order(frame.cursors[i[1]], registers, i[4]) >= 0 else pc


@handles(opcodes.IdxGT)
def idx_gt(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if _order(frame.cursors[i[1]], registers, i[4]) > 0 else pc


@handles(opcodes.IdxLE)
def idx_le(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if _order(frame.cursors[i[1]], registers, i[4]) <= 0 else pc


@handles(opcodes.IdxLT)
def idx_lt(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if _order(frame.cursors[i[1]], registers, i[4]) < 0 else pc


def _order(cursor: Any, registers: list[Any], key: tuple[int, ...]) -> int:
    """Compares the current entry with the key in registers; two numbers, the usual bound, are decided at once."""
    if len(key) == 1:
        value = cursor.rows[cursor.position][0]
        wanted = registers[key[0]]
        if (value.__class__ is int or value.__class__ is float) and (wanted.__class__ is int or wanted.__class__ is float):
            order = (value > wanted) - (value < wanted)
            descending = cursor.order.descending
            return -order if descending is not None and descending[0] else order
    return compare_prefix(cursor.order, cursor.rows[cursor.position], GETTERS[key](registers))


@handles(opcodes.DeferredSeek)
def deferred_seek(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    cursors = frame.cursors
    row = cursors[i[1]].seek_rowid(cursors[i[2]].row[-1])
    if row is None:
        raise sqlite_error(CORRUPT_INDEX)
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


@handles(opcodes.Found)
def found(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = frame.cursors[i[1]].find(GETTERS[i[4]](registers))
    if row is None:
        return pc
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return i[2]  # type: ignore[no-any-return]


@handles(opcodes.NotFound)
def not_found(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = frame.cursors[i[1]].find(GETTERS[i[4]](registers))
    if row is None:
        return i[2]  # type: ignore[no-any-return]
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


@handles(opcodes.NoConflict)
def no_conflict(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    key = GETTERS[i[4]](registers)
    if None in key:
        return i[2]  # type: ignore[no-any-return]
    row = frame.cursors[i[1]].find(key)
    if row is None:
        return i[2]  # type: ignore[no-any-return]
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


@handles(opcodes.IdxRowid)
def idx_rowid(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    try:
        registers[i[2]] = frame.cursors[i[1]].row[-1]
    except (IndexError, TypeError):  # on no row: the null row of an outer join
        registers[i[2]] = None
    return pc


@handles(opcodes.Rowid)
def rowid(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    try:
        registers[i[2]] = frame.cursors[i[1]].rowid
    except IndexError:  # on no row: the null row of an outer join
        registers[i[2]] = None
    return pc


@handles(opcodes.Column)
def column(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    try:
        registers[i[3]] = frame.cursors[i[1]].row[i[2]]
    except (IndexError, TypeError):  # on no row: the null row of an outer join
        registers[i[3]] = None
    return pc


@handles(opcodes.Count)
def count(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[2]] = frame.cursors[i[1]].count()
    return pc


@handles(opcodes.NullRow)
def null_row(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    first, n = i[3], i[4]
    if first and n:
        registers[first : first + n] = [None] * n
    cursor = frame.cursors[i[1]]
    if cursor is not None:
        cursor.leave()
    return pc


@handles(opcodes.ListAppend)
def list_append(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = tuple(registers[i[2] : i[2] + i[3]]) if i[4] is None else GETTERS[i[4]](registers)
    frame.cursors[i[1]].rows.append(row)
    return pc


@handles(opcodes.TreeInsert)
def tree_insert(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    if frame.cursors[i[1]].insert(GETTERS[i[4]](registers)) or not i[2]:
        return pc
    return i[2]  # type: ignore[no-any-return]
