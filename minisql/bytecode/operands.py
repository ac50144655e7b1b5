"""Operand roles: which registers an instruction reads and writes, which cursor it uses, whether it jumps.

The verifier checks operands by these roles; the translator keeps registers in locals by them.  Most opcodes are covered by
a string of roles for p1, p2 and p3; those with register ranges or registers inside p4 have a function of their own.

    r  register read      w  register written     u  register read and written
    c  cursor             j  jump target          -  anything else

Source: the contracts in minisql.bytecode.opcodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import GroupSpec, Instruction, Program, WindowSpec
from minisql.values.shape import KeyShape, RowShape

ROLES: dict[int, str] = {}
for _names, _roles in (
    ("Goto", "-j-"),
    ("Gosub InitCoroutine", "wj-"),
    ("Yield", "uj-"),
    ("Return EndCoroutine", "r--"),
    ("AddImm", "u--"),
    ("HaltIfNull", "--r"),
    ("Integer Constant Null", "-w-"),
    ("SCopy", "rw-"),
    ("Copy", "rw-"),
    ("OffsetLimit", "rwr"),
    ("Add Subtract Multiply Divide Remainder Concat BitAnd BitOr ShiftLeft ShiftRight And Or", "rrw"),
    ("EqResult NeResult LtResult LeResult GtResult GeResult IsResult IsNotResult", "rrw"),
    ("Negative BitNot Not IsTrue IsNullValue NotNullValue Cast ApplyAffinity InConstant", "r-w"),
    ("Function RowCompare", "--w"),
    ("Eq Ne Lt Le Gt Ge", "rjr"),
    ("If IfNot IsNull NotNull", "rj-"),
    ("IfPos IfNotZero DecrJumpZero MustBeInt", "uj-"),
    ("Once AnyNull FkIfZero", "-j-"),
    ("Affinity TypeCheck", "u--"),
    ("OpenRead OpenWrite OpenList OpenTree Close HashOpen SetOpen MemoOpen QueueOpen WindowOpen GroupOpen SorterOpen", "c--"),
    ("Rewind Last Next Prev SeekRowid SeekGE SeekGT SeekLE SeekLT", "cj-"),
    ("NotExists", "cjr"),
    ("IdxGE IdxGT IdxLE IdxLT Found NotFound NoConflict TreeInsert", "cj-"),
    ("HashProbe HashUnmatched SorterSort GroupRewind WindowRewind QueueNext", "cj-"),
    ("SetInsert SetFound SetNotFound", "cj-"),
    ("MemoGet", "cjw"),
    ("MemoPut", "c-r"),
    ("DeferredSeek", "cc-"),
    ("IdxRowid Rowid Count NewRowid", "cw-"),
    ("Column InSet ListValues", "c-w"),
    ("Insert", "crr"),
    ("Delete IdxInsert IdxDelete SorterInsert HashInsert HashMark GroupStep WindowStep NullRow", "c--"),
    ("ListAppend ListSort SetDelete SetSort QueueInsert MemoOpen", "c--"),
    ("IdxBuild AppendRows DeleteRows UpdateRows", "cc-"),
    ("InsertRows", "cjc"),
    ("ConstantRows HashSort", "c--"),
    ("OpenDup", "cc-"),
    ("CreateBtree ReadCookie Destroy", "-w-"),
    ("Program", "-j-"),
    ("Noop Halt ResultRow Transaction AutoCommit Savepoint HostCall HostRows ResetCount FkCounter SetCookie", "---"),
    ("ParseSchema VUpdate Clear PreUpdate", "---"),
):
    for _name in _names.split():
        ROLES[op.OPCODE_BY_NAME[_name]] = _roles

_READ_POSITIONS = {code: [n for n, role in enumerate(roles, 1) if role in "ru"] for code, roles in ROLES.items()}
_WRITE_POSITIONS = {code: [n for n, role in enumerate(roles, 1) if role in "wu"] for code, roles in ROLES.items()}

LOADS_ROW = frozenset(
    (
        op.Rewind, op.Last, op.Next, op.Prev, op.SeekRowid, op.SeekGE, op.SeekGT, op.SeekLE, op.SeekLT, op.HashProbe,
        op.HashUnmatched, op.SorterSort, op.GroupRewind, op.QueueNext, op.WindowRewind, op.DeferredSeek, op.Found,
        op.NotFound, op.NoConflict,
    )
)  # fmt: skip
# p4 is a tuple of registers that are read.
REGISTERS_IN_P4 = frozenset(
    (
        op.AnyNull, op.IdxGE, op.IdxGT, op.IdxLE, op.IdxLT, op.Found, op.NotFound, op.NoConflict, op.IdxInsert, op.IdxDelete,
        op.HashInsert, op.HashProbe, op.SetInsert, op.SetDelete, op.SetFound, op.SetNotFound, op.InSet, op.MemoGet, op.MemoPut,
        op.QueueInsert, op.TreeInsert,
    )
)  # fmt: skip


class CursorLayout:
    """What the instructions of a program say about its cursors: row width, and the spec of a grouping or window."""

    __slots__ = ("specs", "widths")

    def __init__(self, program: Program) -> None:
        self.widths: dict[int, int] = {}
        self.specs: dict[int, Any] = {}
        for opcode, p1, _, _, p4, _ in program.code:
            if p4 is None:
                continue
            kind = p4.__class__
            if kind is RowShape:
                self.widths[p1] = p4.n_columns
            elif kind is KeyShape:
                self.widths[p1] = p4.n_fields
            elif kind is GroupSpec:
                self.specs[p1] = p4
                self.widths[p1] = len(p4.key_registers) + len(p4.calls) + len(p4.bare_registers)
            elif kind is WindowSpec:
                self.specs[p1] = p4
                self.widths[p1] = len(p4.row_registers) + len(p4.calls)
            elif opcode == op.QueueInsert:
                self.widths[p1] = len(p4)
        for loop in program.loops:
            # A loop over groups or windows may have room for more columns than its rows have.
            if loop.cursor not in self.specs:
                self.widths[loop.cursor] = max(self.widths.get(loop.cursor, 0), loop.n_columns)


def registers_read(instruction: Instruction, layout: CursorLayout) -> list[int]:
    """The registers that an instruction reads."""
    opcode = instruction[0]
    special = _READS.get(opcode)
    if special is not None:
        return list(special(instruction, layout))
    found: list[int] = [instruction[position] for position in _READ_POSITIONS[opcode]]
    if opcode in REGISTERS_IN_P4:
        found.extend(instruction[4])
    return found


def registers_written(instruction: Instruction, layout: CursorLayout) -> list[int]:
    """The registers that an instruction writes."""
    opcode = instruction[0]
    if opcode in LOADS_ROW:
        first: int = instruction[3]
        return list(range(first, first + layout.widths.get(instruction[1], 0))) if first else []
    special = _WRITES.get(opcode)
    if special is not None:
        return list(special(instruction, layout))
    return [instruction[position] for position in _WRITE_POSITIONS[opcode]]


def group_registers(spec: GroupSpec) -> list[int]:
    """The registers that feeding a row to a grouping reads."""
    registers = [*spec.key_registers, *spec.bare_registers]
    for call in spec.calls:
        registers += [*call.registers, *call.order_registers]
        if call.filter_register:
            registers.append(call.filter_register)
    return registers


def window_registers(spec: WindowSpec) -> list[int]:
    """The registers that feeding a row to a window computation reads."""
    registers = list(spec.row_registers)
    for call in spec.calls:
        registers += call.registers
        if call.filter_register:
            registers.append(call.filter_register)
    return registers


def _step_registers(instruction: Instruction, layout: CursorLayout) -> Iterable[int]:
    spec = layout.specs[instruction[1]]
    return group_registers(spec) if isinstance(spec, GroupSpec) else window_registers(spec)


def _offset_registers(instruction: Instruction, layout: CursorLayout) -> Iterable[int]:
    spec = layout.specs.get(instruction[1])
    if not isinstance(spec, WindowSpec):
        return []
    return [register for call in spec.calls for register in (call.frame[2], call.frame[4]) if register]


def _row_or_tuple(instruction: Instruction, layout: CursorLayout) -> Iterable[int]:
    return range(instruction[2], instruction[2] + instruction[3]) if instruction[4] is None else instruction[4]


def _seek_key(instruction: Instruction, layout: CursorLayout) -> Iterable[int]:
    return instruction[4] if instruction[4].__class__ is tuple else (instruction[4],)


Special = Callable[[Instruction, CursorLayout], Iterable[int]]

_READS: dict[int, Special] = {
    op.Copy: lambda i, layout: range(i[1], i[1] + i[3]),
    op.ResultRow: lambda i, layout: range(i[1], i[1] + i[2]) if i[4] is None else i[4],
    op.Affinity: lambda i, layout: range(i[1], i[1] + len(i[4])),
    op.TypeCheck: lambda i, layout: range(i[1], i[1] + len(i[4])),
    op.Function: lambda i, layout: i[4][1],
    op.RowCompare: lambda i, layout: (*i[4][1], *i[4][2]),
    op.HostCall: lambda i, layout: range(i[1], i[1] + i[2]),
    op.HostRows: lambda i, layout: range(i[1], i[1] + i[2]),
    op.SeekRowid: _seek_key,
    op.SeekGE: _seek_key,
    op.SeekGT: _seek_key,
    op.SeekLE: _seek_key,
    op.SeekLT: _seek_key,
    op.ListAppend: _row_or_tuple,
    op.SorterInsert: _row_or_tuple,
    op.HashInsert: lambda i, layout: (*range(i[2], i[2] + i[3]), *i[4]),
    op.SorterOpen: lambda i, layout: (i[2],) if i[2] else (),
    op.Insert: lambda i, layout: (*range(i[2], i[2] + i[4][0]), i[3]),
    op.PreUpdate: lambda i, layout: (*(i[4][3] or ()), *(i[4][4] or ()), *filter(None, i[4][5:])),
    op.Program: lambda i, layout: i[4][1],
    op.GroupStep: _step_registers,
    op.WindowStep: _step_registers,
    op.WindowRewind: _offset_registers,
    op.VUpdate: lambda i, layout: i[4][2],
    op.NewRowid: lambda i, layout: (i[3],) if i[3] else (),
    op.Clear: lambda i, layout: (i[3],) if i[3] else (),
    op.OpenRead: lambda i, layout: (i[2],) if i[5] else (),
    op.OpenWrite: lambda i, layout: (i[2],) if i[5] else (),
    op.ParseSchema: lambda i, layout: [item[3] for item in i[4] or () if item[3]],
}
_READS[op.Halt] = lambda i, layout: (i[3],) if i[5] else ()
_READS[op.FkCounter] = lambda i, layout: (i[2],) if i[5] else ()
_WRITES: dict[int, Special] = {
    op.Copy: lambda i, layout: range(i[2], i[2] + i[3]),
    op.Null: lambda i, layout: range(i[2], i[2] + (i[3] or 1)),
    op.Affinity: lambda i, layout: range(i[1], i[1] + len(i[4])),
    op.TypeCheck: lambda i, layout: range(i[1], i[1] + len(i[4])),
    op.NullRow: lambda i, layout: range(i[3], i[3] + (i[4] or 0)) if i[3] else (),
    op.HostCall: lambda i, layout: (i[3],) if i[3] else (),
    op.VUpdate: lambda i, layout: (i[3],) if i[3] else (),
    op.NewRowid: lambda i, layout: (i[2], i[3]) if i[3] else (i[2],),
    op.Clear: lambda i, layout: (i[3],) if i[3] else (),
}
