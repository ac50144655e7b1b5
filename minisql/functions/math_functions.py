"""The mathematical functions.

Arguments that are not numbers and do not look like one give NULL, as do results that are not a number; overflow is infinite.
ceil, floor and trunc leave integers alone.

Source: https://www.sqlite.org/lang_mathfunc.html.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minisql.functions.registry import ScalarFunction
from minisql.values.affinity import apply_numeric
from minisql.values.cast import to_real


def _as_real(value: Any) -> float | None:
    number = value if value.__class__ is float or value.__class__ is int else apply_numeric(value)
    return float(number) if number.__class__ is float or number.__class__ is int else None


def _one(function: Callable[[float], float]) -> Callable[[Any], float | None]:
    """An SQL function of one real argument; `function` raises ValueError for NULL and OverflowError for infinity."""

    def call(value: Any) -> float | None:
        number = _as_real(value)
        if number is None:
            return None
        try:
            result = function(number)
        except ValueError:
            return None
        except OverflowError:
            return math.inf
        return result if result == result else None

    return call


def _two(function: Callable[[float, float], float]) -> Callable[[Any, Any], float | None]:
    """An SQL function of two real arguments."""

    def call(first: Any, second: Any) -> float | None:
        a, b = _as_real(first), _as_real(second)
        if a is None or b is None:
            return None
        try:
            result = function(a, b)
        except ValueError:
            return None
        return result if result == result else None

    return call


def _rounding(function: Callable[[float], int]) -> Callable[[Any], int | float | None]:
    """ceil, floor or trunc: integers stay as they are, reals stay real."""

    def call(value: Any) -> int | float | None:
        number = apply_numeric(value)
        if number.__class__ is int:
            return number
        if number.__class__ is not float:
            return None
        if not math.isfinite(number):
            return number
        return math.copysign(float(function(number)), number)

    return call


def _sinh(x: float) -> float:
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def _atanh(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1.0 else math.atanh(x)


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and math.fmod(y, 2.0) in (1.0, -1.0) else math.inf
    except ValueError:
        if x == 0.0 and y < 0.0:
            return math.copysign(math.inf, x) if math.fmod(y, 2.0) in (1.0, -1.0) else math.inf
        raise


def _logarithm(base: Any, value: Any) -> float | None:
    """log(B, X).  SQLite reads X leniently: '2x' counts as 2.0, where B must look like a number."""
    number = _as_real(base)
    if number is None or number <= 0.0:
        return None
    x = to_real(value)
    divisor = math.log(number)
    if x <= 0.0 or divisor <= 0.0:
        return None
    result = math.log(x) / divisor
    return result if result == result else None


def _degrees(x: float) -> float:
    return x * (180.0 / math.pi)


def _radians(x: float) -> float:
    return x * (math.pi / 180.0)


def _pi() -> float:
    return math.pi


FUNCTIONS = (
    ScalarFunction("ceil", 1, 1, _rounding(math.ceil)),
    ScalarFunction("ceiling", 1, 1, _rounding(math.ceil)),
    ScalarFunction("floor", 1, 1, _rounding(math.floor)),
    ScalarFunction("trunc", 1, 1, _rounding(math.trunc)),
    ScalarFunction("ln", 1, 1, _one(math.log)),
    ScalarFunction("log", 1, 1, _one(math.log10)),
    ScalarFunction("log", 2, 2, _logarithm),
    ScalarFunction("log10", 1, 1, _one(math.log10)),
    ScalarFunction("log2", 1, 1, _one(math.log2)),
    ScalarFunction("exp", 1, 1, _one(math.exp)),
    ScalarFunction("pow", 2, 2, _two(_power)),
    ScalarFunction("power", 2, 2, _two(_power)),
    ScalarFunction("mod", 2, 2, _two(math.fmod)),
    ScalarFunction("sqrt", 1, 1, _one(math.sqrt)),
    ScalarFunction("acos", 1, 1, _one(math.acos)),
    ScalarFunction("asin", 1, 1, _one(math.asin)),
    ScalarFunction("atan", 1, 1, _one(math.atan)),
    ScalarFunction("atan2", 2, 2, _two(math.atan2)),
    ScalarFunction("cos", 1, 1, _one(math.cos)),
    ScalarFunction("sin", 1, 1, _one(math.sin)),
    ScalarFunction("tan", 1, 1, _one(math.tan)),
    ScalarFunction("acosh", 1, 1, _one(math.acosh)),
    ScalarFunction("asinh", 1, 1, _one(math.asinh)),
    ScalarFunction("atanh", 1, 1, _one(_atanh)),
    ScalarFunction("cosh", 1, 1, _one(math.cosh)),
    ScalarFunction("sinh", 1, 1, _one(_sinh)),
    ScalarFunction("tanh", 1, 1, _one(math.tanh)),
    ScalarFunction("degrees", 1, 1, _one(_degrees)),
    ScalarFunction("radians", 1, 1, _one(_radians)),
    ScalarFunction("pi", 0, 0, _pi),
)
