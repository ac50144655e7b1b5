"""Verifier: checks that a Program keeps the rules that the virtual machine relies on.

The machine does not check operands while it runs; whoever builds programs runs this in the tests, and `PRAGMA
minisql_verify` on demand.  `verify` returns the list of faults, empty for a good program: operands out of range, jumps out
of the program, constants overwritten, loop extents that do not match the code, and jumps that break the control-flow rule of
the builder (backwards only by recorded loops, Gosub/Return and coroutines).

Source: DESIGN, "A VM of two tiers"; the contracts in minisql.bytecode.opcodes.
"""

from __future__ import annotations

from typing import Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import CONTRACTS, JUMPS
from minisql.bytecode.program import GroupSpec, Instruction, LoopExtent, Program, WindowSpec

# What each operand is: r register read, w register written, c cursor, j jump.  Operands not named hold anything.
_ROLES: dict[str, tuple[str, str, str]] = {}
for _names, _roles in (
    ("Goto", ("", "j", "")),
    ("Gosub InitCoroutine Yield", ("w", "j", "")),
    ("Return EndCoroutine AddImm", ("r", "", "")),
    ("Integer Constant Null", ("", "w", "")),
    ("SCopy Copy OffsetLimit", ("r", "w", "")),
    ("HaltIfNull", ("", "", "r")),
    ("Add Subtract Multiply Divide Remainder Concat BitAnd BitOr ShiftLeft ShiftRight And Or", ("r", "r", "w")),
    ("EqResult NeResult LtResult LeResult GtResult GeResult IsResult IsNotResult", ("r", "r", "w")),
    ("Negative BitNot Not IsTrue IsNullValue NotNullValue Cast ApplyAffinity InConstant", ("r", "", "w")),
    ("Function RowCompare", ("", "", "w")),
    ("Eq Ne Lt Le Gt Ge", ("r", "j", "r")),
    ("If IfNot IsNull NotNull IfPos IfNotZero DecrJumpZero MustBeInt", ("r", "j", "")),
    ("Affinity TypeCheck", ("r", "", "")),
    ("OpenRead OpenWrite OpenList OpenTree Close HashOpen SetOpen MemoOpen QueueOpen WindowOpen GroupOpen", ("c", "", "")),
    ("Rewind Last Next Prev SeekRowid SeekGE SeekGT SeekLE SeekLT", ("c", "j", "")),
    ("NotExists", ("c", "j", "r")),
    ("IdxGE IdxGT IdxLE IdxLT Found NotFound NoConflict TreeInsert", ("c", "j", "")),
    ("HashProbe HashUnmatched SorterSort GroupRewind WindowRewind QueueNext VFilter", ("c", "j", "")),
    ("SetInsert SetFound SetNotFound", ("c", "j", "")),
    ("MemoGet", ("c", "j", "w")),
    ("MemoPut", ("c", "", "r")),
    ("DeferredSeek", ("c", "c", "")),
    ("IdxRowid Rowid Count NewRowid", ("c", "w", "")),
    ("Column VColumn", ("c", "", "w")),
    ("InSet", ("c", "", "w")),
    ("Insert", ("c", "r", "r")),
    ("Delete IdxInsert IdxDelete SorterInsert SorterOpen HashInsert HashMark GroupStep WindowStep", ("c", "", "")),
    ("ListAppend ListSort SetDelete SetSort QueueInsert VOpen", ("c", "", "")),
    ("CreateBtree ReadCookie Destroy", ("", "w", "")),
):
    for _name in _names.split():
        _ROLES[_name] = _roles

_LOADS_ROW = frozenset(
    (op.Rewind, op.Last, op.Next, op.Prev, op.SeekRowid, op.SeekGE, op.SeekGT, op.SeekLE, op.SeekLT, op.HashProbe)
)
# p4 is a tuple of registers that are read.
_REGISTERS_IN_P4 = frozenset(
    (
        op.AnyNull, op.IdxGE, op.IdxGT, op.IdxLE, op.IdxLT, op.Found, op.NotFound, op.NoConflict, op.IdxInsert, op.IdxDelete,
        op.HashInsert, op.HashProbe, op.SetInsert, op.SetDelete, op.SetFound, op.SetNotFound, op.InSet, op.MemoGet, op.MemoPut,
        op.QueueInsert, op.TreeInsert,
    )
)  # fmt: skip
_OPTIONAL_JUMPS = frozenset((op.MustBeInt, op.SetInsert, op.TreeInsert, op.Program))
_BACKWARD = frozenset((op.Next, op.Prev, op.Goto, op.Gosub, op.Yield, op.IfPos, op.IfNotZero))


def verify(program: Program) -> list[str]:
    """Returns what is wrong with a program, one line each with its address.

    Source: DESIGN, "A VM of two tiers"
    """
    faults: list[str] = []
    code = program.code
    if not code or code[-1][0] not in (op.Halt, op.Goto, op.Return, op.EndCoroutine):
        faults.append("program can run off its end")
    n_registers = len(program.template)
    for address, instruction in enumerate(code):
        for text in _instruction_faults(program, n_registers, address, instruction):
            faults.append(f"{address} {CONTRACTS[instruction[0]].name}: {text}")
    for loop in program.loops:
        faults.extend(_loop_faults(code, loop))
    for n, register in program.parameters:
        if not 0 < register < n_registers:
            faults.append(f"parameter {n} in register {register}")
    if program.n_arguments >= n_registers:
        faults.append("more arguments than registers")
    return faults


def _instruction_faults(program: Program, n_registers: int, address: int, instruction: Instruction) -> list[str]:
    opcode, p1, p2, p3, p4, _ = instruction
    faults = []
    roles = _ROLES.get(CONTRACTS[opcode].name, ("", "", ""))
    for name, role, operand in zip(("p1", "p2", "p3"), roles, (p1, p2, p3)):
        if role in ("r", "w") and not _in_range(operand, 1, n_registers):
            faults.append(f"{name} is not a register: {operand!r}")
        elif role == "c" and not _in_range(operand, 0, program.n_cursors):
            faults.append(f"{name} is not a cursor: {operand!r}")
    if opcode in JUMPS and not (p2 == 0 and opcode in _OPTIONAL_JUMPS):
        if not _in_range(p2, 0, len(program.code)):
            faults.append(f"jump to {p2!r}")
        elif p2 <= address and opcode not in _BACKWARD:
            faults.append(f"jump back to {p2}")
    if opcode in _LOADS_ROW and not _in_range(p3, 0, n_registers):
        faults.append(f"row register {p3!r}")
    if opcode in _REGISTERS_IN_P4 or (opcode == op.ResultRow and p4 is not None):
        faults.extend(_register_faults(p4, n_registers))
    elif opcode == op.Function:
        faults.extend(_register_faults(p4[1], n_registers))
    elif isinstance(p4, GroupSpec):
        faults.extend(_register_faults(_group_registers(p4), n_registers))
    elif isinstance(p4, WindowSpec):
        faults.extend(_register_faults(p4.row_registers, n_registers))
    return faults


def _in_range(operand: Any, low: int, high: int) -> bool:
    return operand.__class__ is int and low <= operand < high


def _register_faults(registers: Any, n_registers: int) -> list[str]:
    if registers.__class__ is not tuple:
        return [f"p4 is not a tuple of registers: {registers!r}"]
    return [f"p4 names register {register!r}" for register in registers if not _in_range(register, 1, n_registers)]


def _group_registers(spec: GroupSpec) -> tuple[int, ...]:
    registers = spec.key_registers + spec.bare_registers
    for call in spec.calls:
        registers += call.registers + call.order_registers
        if call.filter_register:
            registers += (call.filter_register,)
    return registers


def _loop_faults(code: list[Instruction], loop: LoopExtent) -> list[str]:
    name = f"loop at {loop.start}"
    n = len(code)
    if not (0 <= loop.start < loop.body <= loop.next < n and loop.next < loop.end <= n):
        return [f"{name}: addresses are out of order"]
    faults = []
    if code[loop.start][0] != loop.kind or code[loop.start][1] != loop.cursor:
        faults.append(f"{name}: does not start with its opcode")
    back = code[loop.next]
    if back[0] not in (op.Next, op.Prev) or back[1] != loop.cursor or back[2] != loop.body:
        faults.append(f"{name}: does not end with Next or Prev to its body")
    return faults
