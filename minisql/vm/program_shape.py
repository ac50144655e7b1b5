"""The shape of a program: all that its translation depends on, as a hashable key.

Two programs of one shape have the same translated source; what may differ are the values of constants (their classes and
rough sizes belong to the shape), the lists behind IN, and specifications that only handlers read.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import ConstantSet, GroupSpec, HashSpec, Program, RowsSpec, SortSpec, WindowSpec

_SIZES = (8, 16, 31, 47)


def magnitude(value: int) -> int:
    """The number of bits of an integer's magnitude, rounded up to a few sizes."""
    bits = value.bit_length()
    for size in _SIZES:
        if bits <= size:
            return size
    return 64


def program_shape(program: Program, masks: dict[int, tuple[int, ...]], modes: tuple[int, ...]) -> tuple[Any, ...]:
    """Returns the shape of a program under the hints that it is translated with (type masks, and what else they say)."""
    code = []
    for opcode, p1, p2, p3, p4, p5 in program.code:
        kind = p4.__class__
        if opcode == op.ConstantRows or opcode == op.Halt or opcode == op.HaltIfNull:
            p4 = None
        elif opcode == op.Insert:
            p4 = (p4[0], p4[1] is None)
        elif opcode == op.Delete:
            p4 = p4[0] is None
        elif opcode in (op.OpenRead, op.OpenWrite) and not p5:
            p2 = 0
        elif opcode == op.Program:
            p4 = p4[1]
        elif opcode == op.Constant:
            p4 = constant_shape(p4)
        elif kind in _SHAPES:
            p4 = _SHAPES[kind](p4)
        code.append((opcode, p1, p2, p3, p4, p5))
    template = tuple([None if value is None else constant_shape(value) for value in program.template])
    loops = tuple([(loop.start, loop.next, loop.row, loop.n_columns) for loop in program.loops])
    kind = program.statement_kind, program.n_arguments
    return tuple(code), template, tuple(program.parameters), loops, tuple(masks.items()), modes, kind


def constant_shape(value: Any) -> Any:
    """What the translation of a constant depends on: class, size of an integer and whether it is positive, whether text is
    ASCII."""
    kind = value.__class__
    if kind is int:
        return magnitude(value) if value > 0 else -magnitude(value)
    return (str, value.isascii()) if kind is str else kind


def _group_shape(spec: GroupSpec) -> Any:
    calls = tuple(
        [
            (
                *(call.function, call.registers, call.distinct, call.collation, call.filter_register),
                *(call.order is None, call.order_registers),
            )
            for call in spec.calls
        ]
    )
    return spec.key_registers, spec.key_collations, calls, spec.bare_registers, spec.bare_call


def _window_shape(spec: WindowSpec) -> Any:
    calls = tuple([(call.registers, call.filter_register, call.frame) for call in spec.calls])
    return spec.row_registers, spec.n_partition, calls


_SHAPES: dict[type, Callable[[Any], Any]] = {
    ConstantSet: lambda operand: (operand.collation, operand.has_null, bool(operand.values)),
    SortSpec: lambda operand: (operand.keys, operand.descending, operand.nulls_first),
    HashSpec: lambda operand: (operand.collations, operand.tracks_matches),
    GroupSpec: _group_shape,
    RowsSpec: lambda operand: None,
    WindowSpec: _window_shape,
}
