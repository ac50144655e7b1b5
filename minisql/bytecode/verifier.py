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
from minisql.bytecode.operands import REGISTERS_IN_P4, ROLES, CursorLayout, registers_read, registers_written
from minisql.bytecode.program import Instruction, LoopExtent, Program

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
    layout = CursorLayout(program)
    for address, instruction in enumerate(code):
        for text in _instruction_faults(program, layout, address, instruction):
            faults.append(f"{address} {CONTRACTS[instruction[0]].name}: {text}")
    for loop in program.loops:
        faults.extend(_loop_faults(code, loop))
    for n, register in program.parameters:
        if not 0 < register < n_registers:
            faults.append(f"parameter {n} in register {register}")
    if program.n_arguments >= n_registers:
        faults.append("more arguments than registers")
    return faults


def _instruction_faults(program: Program, layout: CursorLayout, address: int, instruction: Instruction) -> list[str]:
    n_registers = len(program.template)
    opcode, p1, p2, p3, p4, _ = instruction
    faults: list[str] = []
    for name, role, operand in zip(("p1", "p2", "p3"), ROLES[opcode], (p1, p2, p3)):
        if role in "rwu" and not _in_range(operand, 1, n_registers):
            faults.append(f"{name} is not a register: {operand!r}")
        elif role == "c" and not _in_range(operand, 0, program.n_cursors):
            faults.append(f"{name} is not a cursor: {operand!r}")
    if opcode in JUMPS and not (p2 == 0 and opcode in _OPTIONAL_JUMPS):
        if not _in_range(p2, 0, len(program.code)):
            faults.append(f"jump to {p2!r}")
        elif p2 <= address and opcode not in _BACKWARD:
            faults.append(f"jump back to {p2}")
    if faults:
        return faults
    if opcode in REGISTERS_IN_P4 and p4.__class__ is not tuple:
        return [f"p4 is not a tuple of registers: {p4!r}"]
    for register in registers_read(instruction, layout):
        if not _in_range(register, 1, n_registers):
            faults.append(f"reads register {register!r}")
    for register in registers_written(instruction, layout):
        if not _in_range(register, 1, n_registers):
            faults.append(f"writes register {register!r}")
    return faults


def _in_range(operand: Any, low: int, high: int) -> bool:
    return operand.__class__ is int and low <= operand < high


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
