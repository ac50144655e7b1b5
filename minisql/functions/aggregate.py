"""The aggregate functions count, sum, total, avg, min, max, group_concat and string_agg.

Each call of `make` gives one accumulator for one group.  NULLs are skipped inside `step`; DISTINCT, FILTER and ORDER BY are the
VM's.  Sums of integers are exact until they leave 64 bits; once a value is not an integer, or they have, the sum goes on as
a Kahan-Babuska-Neumaier sum, in the steps that SQLite takes, so that the last bit agrees.

Source: https://www.sqlite.org/lang_aggfunc.html.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from itertools import accumulate
from typing import Any

from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import AggregateFunction
from minisql.values.affinity import apply_numeric
from minisql.values.cast import to_real, to_text
from minisql.values.collation import Collation
from minisql.values.compare import compare
from minisql.values.storage_class import INT64_MAX, INT64_MIN

# Integers at or beyond this are added in two parts, both of which a double holds exactly.
_SPLIT_LIMIT = 4503599627370496


class Count:
    """count(*) and count(X)."""

    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 0

    def step(self, *arguments: Any) -> None:
        """Counts the row, unless its argument is NULL."""
        if not arguments or arguments[0] is not None:
            self.n += 1

    def inverse(self, *arguments: Any) -> None:
        """Takes a row out again."""
        if not arguments or arguments[0] is not None:
            self.n -= 1

    def value(self) -> int:
        """Returns the number of rows."""
        return self.n


class Sum:
    """sum(X): an integer while all values are integers, else a compensated real; "integer overflow" when that fails."""

    __slots__ = ("error", "is_real", "n", "overflowed", "total")

    def __init__(self) -> None:
        self.n = 0
        self.total: int | float = 0
        self.error = 0.0
        self.is_real = False
        self.overflowed = False

    def step(self, value: Any) -> None:
        """Adds a value; text that is not a number counts 0.0."""
        kind = value.__class__
        if kind is int and not self.is_real:
            self.n += 1
            total = self.total + value
            if INT64_MIN <= total <= INT64_MAX:
                self.total = total
            else:
                self.overflowed = True
                self._become_real()
                self._add_integer(value)
        elif kind is float and self.is_real:
            self.n += 1
            self.overflowed = False
            self._add_real(value)
        elif value is not None:
            self.n += 1
            self._add(apply_numeric(value), 1)

    def inverse(self, value: Any) -> None:
        """Subtracts a value that left the window frame."""
        if value is None:
            return
        self.n -= 1
        number = apply_numeric(value)
        if number.__class__ is int and not self.is_real:
            self.total -= number
        else:
            self._add(number, -1)

    def _add(self, number: Any, sign: int) -> None:
        if number.__class__ is int:
            if self.is_real:
                self._add_integer(sign * number)
            else:
                self.n -= 1
                self.step(number)
            return
        if not self.is_real:
            self._become_real()
        elif sign > 0:
            self.overflowed = False
        self._add_real(sign * to_real(number))

    def _become_real(self) -> None:
        exact = int(self.total)
        self.is_real = True
        if -_SPLIT_LIMIT < exact < _SPLIT_LIMIT:
            self.total, self.error = float(exact), 0.0
        else:
            low = int(math.fmod(exact, 16384)) if abs(exact) < 2**53 else _truncated_remainder(exact)
            self.total, self.error = float(exact - low), float(low)

    def _add_integer(self, value: int) -> None:
        if -_SPLIT_LIMIT < value < _SPLIT_LIMIT:
            self._add_real(float(value))
        else:
            low = _truncated_remainder(value)
            self._add_real(float(value - low))
            self._add_real(float(low))

    def _add_real(self, value: float) -> None:
        before = self.total
        after = before + value
        if abs(before) > abs(value):
            self.error += (before - after) + value
        else:
            self.error += (value - after) + before
        self.total = after

    def real_total(self) -> float:
        """Returns the sum as a real, with the collected rounding error unless that is not finite."""
        if not self.is_real:
            return float(self.total)
        return self.total + self.error if math.isfinite(self.error) else float(self.total)

    def value(self) -> int | float | None:
        """Returns the sum; NULL for no rows, raises "integer overflow" when integers left 64 bits."""
        if self.n <= 0:
            return None
        if not self.is_real:
            return self.total
        if self.overflowed:
            raise sqlite_error(ERROR, "integer overflow")
        total = self.real_total()
        return total if total == total else None


def _truncated_remainder(value: int) -> int:
    """value % 16384 as C has it, with the sign of the value."""
    return value % 16384 if value >= 0 else -(-value % 16384)


class Total(Sum):
    """total(X): the sum as a real, 0.0 for no rows."""

    __slots__ = ()

    def value(self) -> float | None:
        """Returns the sum as a real."""
        total = self.real_total()
        return total if total == total else None


class Average(Sum):
    """avg(X): the sum as a real divided by the number of values."""

    __slots__ = ()

    def value(self) -> float | None:
        """Returns the average; NULL for no rows."""
        if self.n <= 0:
            return None
        average = self.real_total() / self.n
        return average if average == average else None


class Minimum:
    """min(X) by a collation; of equal values the first."""

    __slots__ = ("best", "collation")

    def __init__(self, collation: Collation) -> None:
        self.best: Any = None
        self.collation = collation

    def step(self, value: Any) -> None:
        """Keeps the smaller of the best so far and the value."""
        best = self.best
        kind = value.__class__
        if kind is best.__class__ and kind is not str:
            if value is not None and value < best:
                self.best = value
        elif value is not None and (best is None or compare(best, value, self.collation) > 0):
            self.best = value

    def value(self) -> Any:
        """Returns the smallest value, or NULL."""
        return self.best


class Maximum:
    """max(X) by a collation; of equal values the first."""

    __slots__ = ("best", "collation")

    def __init__(self, collation: Collation) -> None:
        self.best: Any = None
        self.collation = collation

    def step(self, value: Any) -> None:
        """Keeps the larger of the best so far and the value."""
        best = self.best
        kind = value.__class__
        if kind is best.__class__ and kind is not str:
            if value is not None and value > best:
                self.best = value
        elif value is not None and (best is None or compare(best, value, self.collation) < 0):
            self.best = value

    def value(self) -> Any:
        """Returns the largest value, or NULL."""
        return self.best


class GroupConcat:
    """group_concat(X, SEPARATOR): texts joined; each row's separator stands before its text, except the first row's."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: deque[tuple[str, str]] = deque()

    def step(self, value: Any, separator: Any = ",") -> None:
        """Appends a value."""
        if value is not None:
            self.parts.append(("" if separator is None else to_text(separator), to_text(value)))

    def inverse(self, value: Any, separator: Any = ",") -> None:
        """Removes the oldest value."""
        if value is not None:
            self.parts.popleft()

    def value(self) -> str | None:
        """Returns the joined text, or NULL if there was no value."""
        if not self.parts:
            return None
        pieces = [piece for part in self.parts for piece in part]
        pieces[0] = ""
        return "".join(pieces)


def _small_sum(values: list[Any]) -> int | None:
    """The sum of a list of integers of 32 bits, of which no partial sum can leave 64 bits; None for every other list."""
    if not values or values[0].__class__ is not int:
        return None
    try:
        # The array takes nothing but such integers, and looks at them faster than anything else.
        array("i", values)
    except (TypeError, OverflowError):
        return None
    total: int = sum(values)
    return total


def _fold_sum(values: list[Any]) -> Any:
    total = _small_sum(values)
    return _folded(Sum(), values) if total is None else total


def _fold_total(values: list[Any]) -> Any:
    total = _small_sum(values)
    return _folded(Total(), values) if total is None else float(total)


def _fold_average(values: list[Any]) -> Any:
    total = _small_sum(values)
    return _folded(Average(), values) if total is None else float(total) / len(values)


def _folded(accumulator: Sum, values: list[Any]) -> Any:
    """Sums a list at once where all values are integers or all are reals, NULLs aside."""
    kinds = set(map(type, values))
    if type(None) in kinds:
        kinds.discard(type(None))
        values = [value for value in values if value is not None]
    if kinds == {int} and max(max(values), -min(values)) <= INT64_MAX // len(values):
        # No partial sum of these can leave 64 bits.
        accumulator.total = sum(values)
        accumulator.n = len(values)
    elif kinds == {float}:
        accumulator.total, accumulator.error = _compensated_sum(values)
        accumulator.is_real = True
        accumulator.n = len(values)
    elif kinds == {int, float}:
        _sum_numbers(accumulator, values)
    else:
        step = accumulator.step
        for value in values:
            step(value)
    return accumulator.value()


def _sum_numbers(accumulator: Sum, values: list[Any]) -> None:
    """Steps integers and reals: from the first real on, small integers count as reals, in one loop."""
    step = accumulator.step
    n_integers = next(position for position, value in enumerate(values) if value.__class__ is float)
    for value in values[:n_integers]:
        step(value)
    rest = values[n_integers:]
    if accumulator.is_real or max(max(rest), -min(rest)) >= _SPLIT_LIMIT:
        for value in rest:
            step(value)
        return
    accumulator._become_real()
    total, error = accumulator.total, accumulator.error
    for value in map(float, rest):
        after = total + value
        if abs(total) > abs(value):
            error += (total - after) + value
        else:
            error += (value - after) + total
        total = after
    accumulator.total, accumulator.error = total, error
    accumulator.n += len(rest)


def _compensated_sum(values: list[float]) -> tuple[float, float]:
    """The sum of reals and its collected rounding error: `_add_real` as one loop."""
    total = error = 0.0
    if min(values) >= 0.0:
        # As below; without two calls for each value (benchmark scan_filter_sum).
        for value in values:
            after = total + value
            if total > value:
                error += total - after + value
            else:
                error += value - after + total
            total = after
        return total, error
    for value in values:
        after = total + value
        if abs(total) > abs(value):
            error += (total - after) + value
        else:
            error += (value - after) + total
        total = after
    return total, error


def _fold_count(values: list[Any]) -> int:
    return len(values) - values.count(None)


def _are_small_integers(values: list[Any]) -> bool:
    """Tells whether all values are integers of which no partial sum can leave 64 bits."""
    if _small_sum(values) is not None:
        return True
    return set(map(type, values)) == {int} and max(max(values), -min(values)) <= INT64_MAX // len(values)


def _running_sum(values: list[Any]) -> list[Any] | None:
    if _are_small_integers(values):
        return list(accumulate(values))
    return _running_reals(values) if set(map(type, values)) == {float} else None


def _running_total(values: list[Any]) -> list[Any] | None:
    sums = _running_sum(values)
    return None if sums is None else [value if value is None else float(value) for value in sums]


def _running_average(values: list[Any]) -> list[Any] | None:
    sums = _running_sum(values)
    return None if sums is None else [value if value is None else float(value) / n for n, value in enumerate(sums, 1)]


def _running_reals(values: list[float]) -> list[Any]:
    """The sums of a list of reals after each of them, as `Sum` has them."""
    results: list[Any] = []
    total = error = 0.0
    for value in values:
        after = total + value
        if abs(total) > abs(value):
            error += (total - after) + value
        else:
            error += (value - after) + total
        total = after
        result = total + error if math.isfinite(error) else total
        results.append(result if result == result else None)
    return results


def _running_count(values: list[Any]) -> list[Any] | None:
    return None if None in values else list(range(1, len(values) + 1))


def _running_minimum(values: list[Any]) -> list[Any] | None:
    return list(accumulate(values, min)) if set(map(type, values)) in _PLAIN_NUMBERS else None


def _running_maximum(values: list[Any]) -> list[Any] | None:
    return list(accumulate(values, max)) if set(map(type, values)) in _PLAIN_NUMBERS else None


_PLAIN_NUMBERS = ({int}, {float})

FUNCTIONS = (
    AggregateFunction("count", 0, 0, Count, has_inverse=True, fold=_fold_count, running=_running_count),
    AggregateFunction("count", 1, 1, Count, has_inverse=True, fold=_fold_count, running=_running_count),
    AggregateFunction("sum", 1, 1, Sum, has_inverse=True, fold=_fold_sum, running=_running_sum),
    AggregateFunction("total", 1, 1, Total, has_inverse=True, fold=_fold_total, running=_running_total),
    AggregateFunction("avg", 1, 1, Average, has_inverse=True, fold=_fold_average, running=_running_average),
    AggregateFunction("min", 1, 1, Minimum, needs_collation=True, running=_running_minimum),
    AggregateFunction("max", 1, 1, Maximum, needs_collation=True, running=_running_maximum),
    AggregateFunction("group_concat", 1, 2, GroupConcat, has_inverse=True),
    AggregateFunction("string_agg", 2, 2, GroupConcat, has_inverse=True),
)
