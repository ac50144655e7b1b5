"""The operators: arithmetic with int64 overflow, bits, concatenation and three-valued logic.

Operands are any values; results are values.  NULL in, NULL out (except AND and OR).  Integer results beyond 64 bits are
computed again as reals; division by zero and reals that are not a number give NULL.  Text and blobs count by their numeric
prefix.  Each function tests the common case, two integers, first: these are the VM's hot paths.

Source: https://www.sqlite.org/lang_expr.html sections 2 and 3.
"""

from __future__ import annotations

import math
from typing import Any

from minisql.values.cast import to_integer, to_number, to_real, to_text
from minisql.values.number_text import real_to_text
from minisql.values.storage_class import INT64_MAX, INT64_MIN, Value

_MAX = INT64_MAX
_MIN = INT64_MIN


def add(a: Any, b: Any) -> int | float | None:
    """SQL `a + b`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a.__class__ is int and b.__class__ is int:
        total: int | float = a + b
        if _MIN <= total <= _MAX:
            return total
        return float(a) + float(b)
    if a is None or b is None:
        return None
    if (a.__class__ is not float and a.__class__ is not int) or (b.__class__ is not float and b.__class__ is not int):
        a, b = to_number(a), to_number(b)
        if a.__class__ is int and b.__class__ is int:
            return add(a, b)
    total = a + b
    return total if total == total else None


def subtract(a: Any, b: Any) -> int | float | None:
    """SQL `a - b`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a.__class__ is int and b.__class__ is int:
        difference: int | float = a - b
        if _MIN <= difference <= _MAX:
            return difference
        return float(a) - float(b)
    if a is None or b is None:
        return None
    if (a.__class__ is not float and a.__class__ is not int) or (b.__class__ is not float and b.__class__ is not int):
        a, b = to_number(a), to_number(b)
        if a.__class__ is int and b.__class__ is int:
            return subtract(a, b)
    difference = a - b
    return difference if difference == difference else None


def multiply(a: Any, b: Any) -> int | float | None:
    """SQL `a * b`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a.__class__ is int and b.__class__ is int:
        product: int | float = a * b
        if _MIN <= product <= _MAX:
            return product
        return float(a) * float(b)
    if a is None or b is None:
        return None
    if (a.__class__ is not float and a.__class__ is not int) or (b.__class__ is not float and b.__class__ is not int):
        a, b = to_number(a), to_number(b)
        if a.__class__ is int and b.__class__ is int:
            return multiply(a, b)
    product = a * b
    return product if product == product else None


def divide(a: Any, b: Any) -> int | float | None:
    """SQL `a / b`: integers truncate toward zero; a zero divisor gives NULL.

    Source: https://www.sqlite.org/lang_expr.html section 2
    """
    if a.__class__ is int and b.__class__ is int:
        if b == 0:
            return None
        if a >= 0 and b > 0:
            return a // b
        quotient = abs(a) // abs(b)
        if (a < 0) != (b < 0):
            return -quotient
        return quotient if quotient <= _MAX else float(quotient)
    if a is None or b is None:
        return None
    if (a.__class__ is not float and a.__class__ is not int) or (b.__class__ is not float and b.__class__ is not int):
        a, b = to_number(a), to_number(b)
        if a.__class__ is int and b.__class__ is int:
            return divide(a, b)
    if b == 0:
        return None
    result = float(a) / float(b)
    return result if result == result else None


def remainder(a: Any, b: Any) -> int | float | None:
    """SQL `a % b`: both operands as integers, the sign of the dividend; REAL if an operand is REAL.

    Source: https://www.sqlite.org/lang_expr.html section 2
    """
    if a.__class__ is int and b.__class__ is int:
        if b == 0:
            return None
        if a >= 0:
            return a % abs(b)
        return -(-a % abs(b))
    if a is None or b is None:
        return None
    number, other = to_number(a), to_number(b)
    result = remainder(to_integer(a), to_integer(b))
    if result is not None and (number.__class__ is float or other.__class__ is float):
        return float(result)
    return result


def negate(a: Any) -> int | float | None:
    """SQL `-a`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a.__class__ is int:
        if a != _MIN:
            return -a
    elif a.__class__ is float:
        return 0 - a  # never -0.0
    return subtract(0, a)


def bit_and(a: Any, b: Any) -> int | None:
    """SQL `a & b`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    return to_integer(a) & to_integer(b)


def bit_or(a: Any, b: Any) -> int | None:
    """SQL `a | b`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    return to_integer(a) | to_integer(b)


def bit_not(a: Any) -> int | None:
    """SQL `~a`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    return None if a is None else ~to_integer(a)


def shift_left(a: Any, b: Any) -> int | None:
    """SQL `a << b`: a negative count shifts right, 64 or more shifts everything out.

    Source: https://www.sqlite.org/lang_expr.html section 2
    """
    if a is None or b is None:
        return None
    return _shift(to_integer(a), to_integer(b))


def shift_right(a: Any, b: Any) -> int | None:
    """SQL `a >> b`: arithmetic; a negative count shifts left.

    Source: https://www.sqlite.org/lang_expr.html section 2
    """
    if a is None or b is None:
        return None
    return _shift(to_integer(a), -to_integer(b))


def _shift(value: int, count: int) -> int:
    if count <= 0:
        return value >> -count if count > -64 else (-1 if value < 0 else 0)
    if count >= 64:
        return 0
    value = value << count & 0xFFFF_FFFF_FFFF_FFFF
    return value - (1 << 64) if value > _MAX else value


def concat(a: Any, b: Any) -> str | None:
    """SQL `a || b`: always text.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a.__class__ is str and b.__class__ is str:
        return a + b
    if a is None or b is None:
        return None
    if a.__class__ is bytes and b.__class__ is bytes:
        return to_text(a + b)  # a character may be split between the two
    return to_text(a) + to_text(b)


def truth(value: Any) -> bool | None:
    """Returns whether WHERE, CASE and AND take the value as true; None for NULL.

    Source: https://www.sqlite.org/lang_expr.html section 2 (boolean expressions)
    """
    if value.__class__ is int:
        return value != 0
    if value is None:
        return None
    return to_real(value) != 0.0


def logical_and(a: Any, b: Any) -> int | None:
    """SQL `a AND b`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    left, right = truth(a), truth(b)
    if left is False or right is False:
        return 0
    return None if left is None or right is None else 1


def logical_or(a: Any, b: Any) -> int | None:
    """SQL `a OR b`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    left, right = truth(a), truth(b)
    if left or right:
        return 1
    return None if left is None or right is None else 0


def logical_not(a: Any) -> int | None:
    """SQL `NOT a`.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    value = truth(a)
    return None if value is None else 0 if value else 1


def is_true(a: Any) -> int:
    """SQL `a IS TRUE`: 1 or 0.  Source: https://www.sqlite.org/lang_expr.html section 13"""
    return 1 if truth(a) else 0


def is_false(a: Any) -> int:
    """SQL `a IS FALSE`: 1 or 0.  Source: https://www.sqlite.org/lang_expr.html section 13"""
    return 1 if truth(a) is False else 0


def is_not_true(a: Any) -> int:
    """SQL `a IS NOT TRUE`: 1 or 0.  Source: https://www.sqlite.org/lang_expr.html section 13"""
    return 0 if truth(a) else 1


def is_not_false(a: Any) -> int:
    """SQL `a IS NOT FALSE`: 1 or 0.  Source: https://www.sqlite.org/lang_expr.html section 13"""
    return 0 if truth(a) is False else 1


def real_or_null(value: float) -> float | None:
    """Returns the real, or NULL where it is not a number: no NaN ever becomes a value.

    Source: https://www.sqlite.org/floatingpoint.html section 3.2
    """
    return None if math.isnan(value) else value


def number_to_text(value: int | float) -> str:
    """Returns the text of a number.  Source: https://www.sqlite.org/lang_expr.html#castexpr"""
    return str(value) if value.__class__ is int else real_to_text(value)


def unary_plus(value: Value) -> Value:
    """SQL `+a`: the value itself.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    return value
