"""Handlers of the coarse instructions: hash join, sorter, grouping, sets, memo, queue, windows and virtual tables.

Source: the contracts in minisql.bytecode.opcodes; DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes
from minisql.values.affinity import apply_affinity
from minisql.vm.ephemeral import MemoCursor, QueueCursor, SetCursor
from minisql.vm.grouping import GroupCursor
from minisql.vm.handlers import Operands, handles
from minisql.vm.hashing import HashCursor
from minisql.vm.picking import GETTERS
from minisql.vm.sorter import Sorter
from minisql.vm.sorting import ascending_spec, sort_rows
from minisql.vm.windows import WindowCursor

if TYPE_CHECKING:
    from minisql.vm.frame import Frame


def load_row(registers: list[Any], i: Operands, row: tuple[Any, ...] | None, pc: int) -> int:
    """Copies a row to r[p3..] and goes on, or jumps to p2 if there is none."""
    if row is None:
        return i[2]  # type: ignore[no-any-return]
    register = i[3]
    if register:
        registers[register : register + len(row)] = row
    return pc


@handles(opcodes.HashOpen)
def hash_open(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = HashCursor(i[4])
    return pc


@handles(opcodes.HashInsert)
def hash_insert(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].insert(GETTERS[i[4]](registers), tuple(registers[i[2] : i[2] + i[3]]))
    return pc


@handles(opcodes.HashSort)
def hash_sort(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    for bucket in frame.cursors[i[1]].buckets.values():
        if len(bucket) > 1:
            sort_rows(bucket, i[4])
    return pc


@handles(opcodes.HashProbe)
def hash_probe(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return load_row(registers, i, frame.cursors[i[1]].probe(GETTERS[i[4]](registers)), pc)


@handles(opcodes.HashMark)
def hash_mark(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].mark()
    return pc


@handles(opcodes.HashUnmatched)
def hash_unmatched(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return load_row(registers, i, frame.cursors[i[1]].first_unmatched(), pc)


@handles(opcodes.SorterOpen)
def sorter_open(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    limit = registers[i[2]] if i[2] else 0
    frame.cursors[i[1]] = Sorter(i[4], limit if limit.__class__ is int and limit > 0 else -1)
    return pc


@handles(opcodes.SorterInsert)
def sorter_insert(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = tuple(registers[i[2] : i[2] + i[3]]) if i[4] is None else GETTERS[i[4]](registers)
    frame.cursors[i[1]].insert(row)
    return pc


@handles(opcodes.SorterSort)
def sorter_sort(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return load_row(registers, i, frame.cursors[i[1]].sort(), pc)


@handles(opcodes.ListSort)
def list_sort(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    sort_rows(frame.cursors[i[1]].rows, i[4])
    return pc


@handles(opcodes.GroupOpen)
def group_open(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = GroupCursor(i[4])
    return pc


@handles(opcodes.GroupStep)
def group_step(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].step(registers)
    return pc


@handles(opcodes.GroupRewind)
def group_rewind(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return load_row(registers, i, frame.cursors[i[1]].finish(), pc)


@handles(opcodes.SetOpen)
def set_open(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = SetCursor(i[4])
    return pc


@handles(opcodes.SetInsert)
def set_insert(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    if i[5]:
        frame.cursors[i[1]].replace(GETTERS[i[4]](registers))
        return pc
    if frame.cursors[i[1]].add(GETTERS[i[4]](registers)) or not i[2]:
        return pc
    return i[2]  # type: ignore[no-any-return]


@handles(opcodes.SetDelete)
def set_delete(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].discard(GETTERS[i[4]](registers))
    return pc


@handles(opcodes.SetFound)
def set_found(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if frame.cursors[i[1]].contains(GETTERS[i[4]](registers)) else pc


@handles(opcodes.SetNotFound)
def set_not_found(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return pc if frame.cursors[i[1]].contains(GETTERS[i[4]](registers)) else i[2]


@handles(opcodes.SetSort)
def set_sort(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    cursor = frame.cursors[i[1]]
    cursor.sort_spec = i[4] if i[4] is not None else ascending_spec(cursor.collations)
    return pc


@handles(opcodes.InSet)
def in_set(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    row = GETTERS[i[4]](registers)
    if i[2]:
        row = tuple([apply_affinity(value, affinity) if affinity else value for value, affinity in zip(row, i[2])])
    result = frame.cursors[i[1]].member(row)
    registers[i[3]] = result if result is None or not i[5] & 1 else 1 - result
    return pc


@handles(opcodes.MemoOpen)
def memo_open(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = MemoCursor()
    return pc


def memo_key(registers: list[Any], positions: tuple[int, ...]) -> Any:
    """The key of a memo: a value, or the tuple of several."""
    values = GETTERS[positions](registers)
    if len(values) == 1:
        return distinguished(values[0])
    return tuple([distinguished(value) for value in values]) if float in map(type, values) else values


def distinguished(value: Any) -> Any:
    """Returns what is equal only for the same value of the same class: 1.0 is not 1, and 0.0 and -0.0 print differently."""
    return (str(value),) if value.__class__ is float else value


@handles(opcodes.MemoGet)
def memo_get(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    results = frame.cursors[i[1]].results
    key = memo_key(registers, i[4])
    if key in results:
        registers[i[3]] = results[key]
        return i[2]  # type: ignore[no-any-return]
    return pc


@handles(opcodes.MemoPut)
def memo_put(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].results[memo_key(registers, i[4])] = registers[i[3]]
    return pc


@handles(opcodes.QueueOpen)
def queue_open(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = QueueCursor(i[4])
    return pc


@handles(opcodes.QueueInsert)
def queue_insert(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].insert(GETTERS[i[4]](registers))
    return pc


@handles(opcodes.QueueNext)
def queue_next(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return load_row(registers, i, frame.cursors[i[1]].take(), pc)


@handles(opcodes.WindowOpen)
def window_open(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]] = WindowCursor(i[4])
    return pc


@handles(opcodes.WindowStep)
def window_step(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.cursors[i[1]].step(registers)
    return pc


@handles(opcodes.WindowRewind)
def window_rewind(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return load_row(registers, i, frame.cursors[i[1]].finish(registers), pc)


@handles(opcodes.ListValues)
def list_values(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    cursor = frame.cursors[i[1]]
    values = []
    row = cursor.first()
    while row is not None:
        values.append(row[0])
        row = cursor.next()
    registers[i[3]] = tuple(values)
    return pc


@handles(opcodes.VUpdate)
def v_update(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    database, name, arguments, assigned = i[4]
    values = [registers[number] for number in arguments]
    rowid, has_changed = frame.host.update_virtual(database, name, values, i[2], assigned)
    if i[3]:
        registers[i[3]] = rowid
    if has_changed and i[5] & opcodes.COUNT_CHANGE:
        frame.n_changes += 1
    return pc
