"""Handlers of control flow: jumps, subroutines, coroutines, errors, counters, transactions and calls of the host.

Source: https://www.sqlite.org/opcode.html; the contracts in minisql.bytecode.opcodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes
from minisql.errors import MISMATCH, sqlite_error
from minisql.values.affinity import INTEGER, apply_affinity
from minisql.values.arithmetic import truth
from minisql.vm.comparing import compare_jumps
from minisql.vm.ephemeral import IteratorCursor, ListCursor
from minisql.vm.halting import halt_error
from minisql.vm.handlers import Operands, handles

if TYPE_CHECKING:
    from minisql.vm.frame import Frame


@handles(opcodes.Noop)
def noop(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return pc


@handles(opcodes.Goto)
def goto(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2]  # type: ignore[no-any-return]


@handles(opcodes.Gosub)
def gosub(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[1]] = pc - 1
    return i[2]  # type: ignore[no-any-return]


@handles(opcodes.Return)
def return_(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return registers[i[1]] + 1  # type: ignore[no-any-return]


@handles(opcodes.Once)
def once(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    passed = frame.once
    if passed is None:
        frame.once = {pc}
        return pc
    if pc in passed:
        return i[2]  # type: ignore[no-any-return]
    passed.add(pc)
    return pc


@handles(opcodes.HaltIfNull)
def halt_if_null(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    if registers[i[3]] is None:
        raise halt_error(i[1], i[2], i[4])
    return pc


@handles(opcodes.InitCoroutine)
def init_coroutine(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[1]] = i[3]
    return i[2]  # type: ignore[no-any-return]


@handles(opcodes.Yield)
def yield_(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    target = registers[i[1]]
    registers[i[1]] = pc
    return target  # type: ignore[no-any-return]


@handles(opcodes.EndCoroutine)
def end_coroutine(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    behind_yield = registers[i[1]]
    # A Yield that comes again is led back to this instruction and so to its own p2.
    registers[i[1]] = pc - 1
    return frame.program.code[behind_yield - 1][2]  # type: ignore[no-any-return]


@handles(opcodes.If)
def if_(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    value = truth(registers[i[1]])
    return i[2] if (i[3] if value is None else value) else pc


@handles(opcodes.IfNot)
def if_not(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    value = truth(registers[i[1]])
    return i[2] if (i[3] if value is None else not value) else pc


@handles(opcodes.IsNull)
def is_null(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if registers[i[1]] is None else pc


@handles(opcodes.NotNull)
def not_null(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if registers[i[1]] is not None else pc


@handles(opcodes.AnyNull)
def any_null(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    for register in i[4]:
        if registers[register] is None:
            return i[2]  # type: ignore[no-any-return]
    return pc


@handles(opcodes.Eq, opcodes.Ne, opcodes.Lt, opcodes.Le, opcodes.Gt, opcodes.Ge)
def compare(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    return i[2] if compare_jumps(i[0], registers[i[1]], registers[i[3]], i[4], i[5]) else pc


@handles(opcodes.MustBeInt)
def must_be_int(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    value = registers[i[1]]
    if value.__class__ is not int:
        if i[2] and apply_affinity(value, INTEGER).__class__ is not int:
            return i[2]  # type: ignore[no-any-return]
        registers[i[1]] = must_be_int_value(value)
    return pc


def must_be_int_value(value: Any) -> int:
    """Returns a value after INTEGER affinity; raises "datatype mismatch" if that is no integer.

    Source: https://www.sqlite.org/opcode.html#MustBeInt
    """
    number = apply_affinity(value, INTEGER)
    if number.__class__ is not int:
        raise sqlite_error(MISMATCH)
    return number


@handles(opcodes.IfPos)
def if_pos(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    value = registers[i[1]]
    if value > 0:
        registers[i[1]] = value - i[3]
        return i[2]  # type: ignore[no-any-return]
    return pc


@handles(opcodes.IfNotZero)
def if_not_zero(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    value = registers[i[1]]
    if value:
        if value > 0:
            registers[i[1]] = value - 1
        return i[2]  # type: ignore[no-any-return]
    return pc


@handles(opcodes.DecrJumpZero)
def decr_jump_zero(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    value = registers[i[1]] = registers[i[1]] - 1
    return pc if value else i[2]


@handles(opcodes.OffsetLimit)
def offset_limit(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    limit = registers[i[1]]
    registers[i[2]] = -1 if limit < 0 else limit + max(registers[i[3]], 0)
    return pc


@handles(opcodes.ResetCount)
def reset_count(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    if i[1]:
        frame.report_changes()
    else:
        frame.n_changes = 0
    return pc


@handles(opcodes.FkCounter)
def fk_counter(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    amount = registers[i[2]] if i[5] else i[2]
    if i[1]:
        frame.host.deferred_violations += amount
    else:
        frame.root.immediate_violations += amount
    return pc


@handles(opcodes.FkIfZero)
def fk_if_zero(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    count = frame.host.deferred_violations if i[1] else frame.root.immediate_violations
    return pc if count else i[2]


@handles(opcodes.Transaction)
def transaction(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.host.begin_statement(i[1], i[2] != 0, i[3], i[4])
    return pc


@handles(opcodes.AutoCommit)
def auto_commit(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.host.set_autocommit(i[1] != 0, i[2] != 0, i[3])
    return pc


@handles(opcodes.Savepoint)
def savepoint(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.host.savepoint(i[1], i[4])
    return pc


@handles(opcodes.HostCall)
def host_call(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    service, constants = i[4]
    result = frame.host.call(service, constants, registers[i[1] : i[1] + i[2]])
    if i[3]:
        registers[i[3]] = result
    return pc


@handles(opcodes.HostRows)
def host_rows(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    open_rows(frame, i, registers[i[1] : i[1] + i[2]])
    return pc


def open_rows(frame: Frame, i: Operands, arguments: list[Any]) -> ListCursor | IteratorCursor:
    """Opens the cursor of a HostRows instruction on the rows for these arguments."""
    service, constants = i[4]
    rows = frame.host.rows(service, constants, arguments)
    if rows.__class__ is list:
        listed = frame.cursors[i[3]] = ListCursor(rows)
        return listed
    cursor = frame.cursors[i[3]] = IteratorCursor(rows)
    frame.add_closable(cursor)
    return cursor


@handles(opcodes.ReadCookie)
def read_cookie(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[2]] = frame.host.call("read_cookie", (i[1], i[3]), [])
    return pc


@handles(opcodes.SetCookie)
def set_cookie(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    frame.host.set_cookie(i[1], i[2], i[3])
    return pc


@handles(opcodes.ParseSchema)
def parse_schema(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    objects = i[4]
    if objects is not None:
        objects = tuple(
            [(kind, name, table, registers[root] if root else 0, sql) for kind, name, table, root, sql in objects]
        )
    frame.host.reload_schema(i[1], objects)
    return pc
