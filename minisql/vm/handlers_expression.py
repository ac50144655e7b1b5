"""Handlers of values: constants, copies, operators, comparisons as values, functions and IN over constants.

The operators themselves live in `minisql.values`; integers that cannot overflow are added here without a call.

Source: https://www.sqlite.org/opcode.html; the contracts in minisql.bytecode.opcodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes
from minisql.values import arithmetic
from minisql.values.affinity import apply_affinity, apply_comparison_affinity
from minisql.values.arithmetic import truth
from minisql.values.cast import cast
from minisql.values.collation import BINARY
from minisql.values.compare import compare, equal
from minisql.vm.comparing import compare_result
from minisql.vm.handlers import Operands, handles
from minisql.vm.picking import GETTERS

if TYPE_CHECKING:
    from minisql.vm.frame import Frame


@handles(opcodes.Integer)
def integer(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[2]] = i[1]
    return pc


@handles(opcodes.Constant)
def constant(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[2]] = i[4]
    return pc


@handles(opcodes.Null)
def null(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    first = i[2]
    n = i[3] or 1
    registers[first : first + n] = [None] * n
    return pc


@handles(opcodes.SCopy)
def scopy(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[2]] = registers[i[1]]
    return pc


@handles(opcodes.Copy)
def copy(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    source, target, n = i[1], i[2], i[3]
    registers[target : target + n] = registers[source : source + n]
    return pc


@handles(opcodes.AddImm)
def add_imm(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[1]] += i[2]
    return pc


@handles(opcodes.Add)
def add(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = arithmetic.add(registers[i[1]], registers[i[2]])
    return pc


@handles(opcodes.Subtract)
def subtract(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = arithmetic.subtract(registers[i[1]], registers[i[2]])
    return pc


@handles(opcodes.Multiply)
def multiply(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = arithmetic.multiply(registers[i[1]], registers[i[2]])
    return pc


BINARY_OPERATORS: dict[int, Callable[[Any, Any], Any]] = {
    opcodes.Add: arithmetic.add,
    opcodes.Subtract: arithmetic.subtract,
    opcodes.Multiply: arithmetic.multiply,
    opcodes.Divide: arithmetic.divide,
    opcodes.Remainder: arithmetic.remainder,
    opcodes.Concat: arithmetic.concat,
    opcodes.BitAnd: arithmetic.bit_and,
    opcodes.BitOr: arithmetic.bit_or,
    opcodes.ShiftLeft: arithmetic.shift_left,
    opcodes.ShiftRight: arithmetic.shift_right,
    opcodes.And: arithmetic.logical_and,
    opcodes.Or: arithmetic.logical_or,
}


@handles(
    opcodes.Divide,
    opcodes.Remainder,
    opcodes.Concat,
    opcodes.BitAnd,
    opcodes.BitOr,
    opcodes.ShiftLeft,
    opcodes.ShiftRight,
    opcodes.And,
    opcodes.Or,
)
def binary_operator(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = BINARY_OPERATORS[i[0]](registers[i[1]], registers[i[2]])
    return pc


UNARY_OPERATORS: dict[int, Callable[[Any], Any]] = {
    opcodes.Negative: arithmetic.negate,
    opcodes.BitNot: arithmetic.bit_not,
    opcodes.Not: arithmetic.logical_not,
}


@handles(opcodes.Negative, opcodes.BitNot, opcodes.Not)
def unary_operator(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = UNARY_OPERATORS[i[0]](registers[i[1]])
    return pc


@handles(opcodes.IsTrue)
def is_true(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = is_true_value(registers[i[1]], i[2], i[4] or 0, i[5] & 1)
    return pc


def is_true_value(value: Any, wanted: int, if_null: int, negates: int) -> int:
    """IS [NOT] TRUE and IS [NOT] FALSE: whether the truth of a value is `wanted`, NULL counting as `if_null`.

    Source: https://www.sqlite.org/lang_expr.html section 13
    """
    known = truth(value)
    return (int(if_null) if known is None else int(known == (wanted != 0))) ^ negates


@handles(opcodes.IsNullValue)
def is_null_value(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = 1 if registers[i[1]] is None else 0
    return pc


@handles(opcodes.NotNullValue)
def not_null_value(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = 0 if registers[i[1]] is None else 1
    return pc


@handles(opcodes.Cast)
def cast_(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = cast(registers[i[1]], i[2], frame.host.function_context.encoding)
    return pc


@handles(opcodes.Affinity)
def affinity_(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    register = i[1]
    for wanted in i[4]:
        registers[register] = apply_affinity(registers[register], wanted)
        register += 1
    return pc


@handles(opcodes.ApplyAffinity)
def apply_affinity_(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = apply_affinity(registers[i[1]], i[2])
    return pc


@handles(opcodes.Function)
def function(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    called, arguments, collation = i[4]
    values = GETTERS[arguments](registers)
    if called.needs_context:
        if called.needs_collation:
            registers[i[3]] = called.call(collation or BINARY, frame.host.function_context, *values)
        else:
            registers[i[3]] = called.call(frame.host.function_context, *values)
    elif called.needs_collation:
        registers[i[3]] = called.call(collation or BINARY, *values)
    else:
        registers[i[3]] = called.call(*values)
    return pc


@handles(
    opcodes.EqResult,
    opcodes.NeResult,
    opcodes.LtResult,
    opcodes.LeResult,
    opcodes.GtResult,
    opcodes.GeResult,
    opcodes.IsResult,
    opcodes.IsNotResult,
)
def comparison(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = compare_result(i[0], registers[i[1]], registers[i[2]], i[4], i[5])
    return pc


@handles(opcodes.RowCompare)
def row_compare(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    operator, lefts, rights, collations, affinities = i[4]
    pairs = []
    for position, (left, right) in enumerate(zip(lefts, rights)):
        a, b = registers[left], registers[right]
        if affinities is not None and affinities[position]:
            a, b = apply_comparison_affinity(a, b, affinities[position])
        pairs.append((a, b, (collations[position] if collations is not None else None) or BINARY))
    registers[i[3]] = compare_rows(operator, pairs)
    return pc


def compare_rows(operator: str, pairs: list[tuple[Any, Any, Any]]) -> int | None:
    """Compares row values column by column; `pairs` holds (left, right, collation).

    Source: https://www.sqlite.org/rowvalue.html section 2.1
    """
    operator = operator.upper()
    if operator in ("IS", "IS NOT"):
        same = all(compare(a, b, collation) == 0 for a, b, collation in pairs)
        return int(same == (operator == "IS"))
    if operator in ("=", "==", "<>", "!="):
        equal = _rows_equal(pairs)
        return equal if equal is None or operator in ("=", "==") else 1 - equal
    for a, b, collation in pairs[:-1]:
        if a is None or b is None:
            return None
        order = compare(a, b, collation)
        if order:
            return int(order < 0) if operator[0] == "<" else int(order > 0)
    a, b, collation = pairs[-1]
    if a is None or b is None:
        return None
    order = compare(a, b, collation)
    if order == 0:
        return int(operator.endswith("="))
    return int(order < 0) if operator[0] == "<" else int(order > 0)


def _rows_equal(pairs: list[tuple[Any, Any, Any]]) -> int | None:
    result: int | None = 1
    for a, b, collation in pairs:
        if a is None or b is None:
            result = None
        elif compare(a, b, collation):
            return 0
    return result


@handles(opcodes.InConstant)
def in_constant(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    registers[i[3]] = in_constants(registers[i[1]], i[4], i[2], i[5] & 1)
    return pc


def in_constants(value: Any, constants: Any, affinity: int, negates: int) -> int | None:
    """value [NOT] IN (constants), after an affinity (0: none) is applied to the value.

    Source: https://www.sqlite.org/lang_expr.html#in_op
    """
    if affinity and value is not None:
        value = apply_affinity(value, affinity)
    result: int | None
    if value is None:
        # Nothing is in an empty list, not even NULL.
        result = None if constants.keys or constants.has_null or constants.values else 0
    elif constants.collation is not None and (value.__class__ is str or constants.collation.hash_key is None):
        result = _in_collated(value, constants)
    else:
        result = 1 if value in constants.keys else None if constants.has_null else 0
    return result if result is None or not negates else 1 - result


def _in_collated(value: Any, constants: Any) -> int | None:
    collation = constants.collation
    if collation.hash_key is not None:
        found = collation.hash_key(value) in constants.keys
    else:
        found = any(equal(value, other, collation) for other in constants.values)
    return 1 if found else None if constants.has_null else 0
