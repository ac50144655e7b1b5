"""Comparison jumps: the full rules behind Eq, Ne, Lt, Le, Gt and Ge.

The interpreter and translated code decide the plain cases (two numbers, or equality without a collation) themselves and come
here for everything else: NULL flags, affinities, text and mixed storage classes.

Source: https://www.sqlite.org/datatype3.html section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minisql.bytecode import opcodes
from minisql.bytecode.opcodes import JUMP_IF_NULL, NULLS_EQUAL
from minisql.values import compare
from minisql.values.affinity import NUMERIC, TEXT, apply_numeric, apply_text
from minisql.values.collation import BINARY, Collation

_JUMP_OPERATORS: dict[int, Callable[[Any, Any, Collation], int | None]] = {
    opcodes.Eq: compare.eq,
    opcodes.Ne: compare.ne,
    opcodes.Lt: compare.lt,
    opcodes.Le: compare.le,
    opcodes.Gt: compare.gt,
    opcodes.Ge: compare.ge,
}
RESULT_OPERATORS: dict[int, Callable[[Any, Any, Collation], int | None]] = {
    opcodes.EqResult: compare.eq,
    opcodes.NeResult: compare.ne,
    opcodes.LtResult: compare.lt,
    opcodes.LeResult: compare.le,
    opcodes.GtResult: compare.gt,
    opcodes.GeResult: compare.ge,
    opcodes.IsResult: compare.is_,
    opcodes.IsNotResult: compare.is_not,
}


def compare_jumps(opcode: int, a: Any, b: Any, collation: Collation | None, flags: int) -> bool:
    """Tells whether a comparison instruction jumps: `a` is r[p1], `b` is r[p3], `flags` its p5.

    Source: https://www.sqlite.org/opcode.html#Eq
    """
    if a is None or b is None:
        if flags & NULLS_EQUAL:
            return (a is b) == (opcode == opcodes.Eq)
        return flags & JUMP_IF_NULL != 0
    affinity = flags & 0xFF
    if affinity >= NUMERIC:
        a = apply_numeric(a)
        b = apply_numeric(b)
    elif affinity == TEXT:
        a = apply_text(a)
        b = apply_text(b)
    return bool(_JUMP_OPERATORS[opcode](a, b, collation or BINARY))


def compare_result(opcode: int, a: Any, b: Any, collation: Collation | None, flags: int) -> int | None:
    """Returns the value (1, 0 or NULL) of a comparison expression: EqResult to IsNotResult.

    Source: https://www.sqlite.org/lang_expr.html section 2
    """
    affinity = flags & 0xFF
    if affinity >= NUMERIC:
        a = apply_numeric(a)
        b = apply_numeric(b)
    elif affinity == TEXT:
        a = apply_text(a)
        b = apply_text(b)
    return RESULT_OPERATORS[opcode](a, b, collation or BINARY)
