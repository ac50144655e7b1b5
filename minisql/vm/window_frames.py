"""Window frames: which rows of a partition a window function looks at for each of its rows.

A partition is a list of rows in order; its peer groups are runs of rows equal in the ORDER BY terms.  A frame is a half-open
range of positions; EXCLUDE takes positions out of it again.

    RANGE with an offset works on the one ORDER BY value.  Numbers form one run in the order; the bounds are found in it by
    bisection.  A row whose value is NULL, text or a blob has its peers for a bound with an offset.

Source: https://www.sqlite.org/windowfunctions.html section 2.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.affinity import NUMERIC, apply_affinity

Frame = tuple[str, str, int, str, int, str]


class Partition:
    """One partition: `n` rows; peer group of each row, and the start and end of each group; the ORDER BY values."""

    __slots__ = ("_first_number", "_numbers", "descending", "ends", "group_of", "n", "starts", "values")

    def __init__(self, group_of: list[int], starts: list[int], values: Sequence[Any], descending: bool) -> None:
        self.n = len(group_of)
        self.group_of = group_of
        self.starts = starts
        self.ends = [*starts[1:], self.n]
        self.values = values
        self.descending = descending
        self._numbers: list[Any] | None = None
        self._first_number = 0

    def peers(self, i: int) -> tuple[int, int]:
        """The range of the rows that are peers of row i, itself included."""
        group = self.group_of[i]
        return self.starts[group], self.ends[group]

    def numbers(self) -> tuple[int, list[Any]]:
        """Where the run of numeric ORDER BY values starts, and the values, negated when the order is descending."""
        if self._numbers is None:
            positions = [i for i, value in enumerate(self.values) if value.__class__ in (int, float)]
            self._first_number = positions[0] if positions else 0
            sign = -1 if self.descending else 1
            self._numbers = [sign * self.values[i] for i in positions]
        return self._first_number, self._numbers


def frame_offset(value: Any, is_start: bool, unit: str) -> Any:
    """Checks the offset of a frame bound and returns it as a number.

    Source: https://www.sqlite.org/windowfunctions.html section 2.1
    """
    which = "starting" if is_start else "ending"
    value = apply_affinity(value, NUMERIC)
    if unit == "range":
        if value.__class__ not in (int, float) or value < 0:
            raise sqlite_error(ERROR, f"frame {which} offset must be a non-negative number")
        return value
    if value.__class__ is not int or value < 0:
        raise sqlite_error(ERROR, f"frame {which} offset must be a non-negative integer")
    return value


def frame_ranges(partition: Partition, frame: Frame, registers: list[Any]) -> list[tuple[int, int]]:
    """Returns the frame of each row as a half-open range, EXCLUDE not yet applied.

    Source: https://www.sqlite.org/windowfunctions.html section 2.1
    """
    unit, start_kind, start_register, end_kind, end_register, _ = frame
    start_offset = frame_offset(registers[start_register], True, unit) if start_register else 0
    end_offset = frame_offset(registers[end_register], False, unit) if end_register else 0
    bound = _BOUNDS[unit]
    n = partition.n
    if start_kind == "unbounded preceding" and end_kind == "current row":
        if unit == "rows":
            return [(0, end) for end in range(1, n + 1)]
        ends = partition.ends
        return [(0, ends[group]) for group in partition.group_of]
    ranges = []
    for i in range(n):
        low = 0 if start_kind == "unbounded preceding" else bound(partition, i, start_kind, start_offset, True)
        high = n if end_kind == "unbounded following" else bound(partition, i, end_kind, end_offset, False)
        low, high = max(0, min(low, n)), max(0, min(high, n))
        ranges.append((low, max(low, high)))
    return ranges


def _signed(kind: str, offset: Any) -> Any:
    return 0 if kind == "current row" else -offset if kind == "preceding" else offset


def _rows_bound(partition: Partition, i: int, kind: str, offset: Any, is_start: bool) -> int:
    position: int = i + _signed(kind, offset)
    return position if is_start else position + 1


def _groups_bound(partition: Partition, i: int, kind: str, offset: Any, is_start: bool) -> int:
    group: int = partition.group_of[i] + _signed(kind, offset)
    if group < 0:
        return 0
    if group >= len(partition.starts):
        return partition.n
    return partition.starts[group] if is_start else partition.ends[group]


def _range_bound(partition: Partition, i: int, kind: str, offset: Any, is_start: bool) -> int:
    low, high = partition.peers(i)
    if kind == "current row":
        return low if is_start else high
    value = partition.values[i]
    if value.__class__ is not int and value.__class__ is not float:
        return low if is_start else high
    first, numbers = partition.numbers()
    wanted = (-value if partition.descending else value) + _signed(kind, offset)
    return first + (bisect_left(numbers, wanted) if is_start else bisect_right(numbers, wanted))


_BOUNDS = {"rows": _rows_bound, "groups": _groups_bound, "range": _range_bound}


def included(partition: Partition, i: int, low: int, high: int, exclude: str) -> list[int] | range:
    """Returns the positions of a row's frame after EXCLUDE.

    Source: https://www.sqlite.org/windowfunctions.html section 2.2
    """
    if not exclude or exclude == "no others":
        return range(low, high)
    if exclude == "current row":
        return [position for position in range(low, high) if position != i]
    first, last = partition.peers(i)
    if exclude == "group":
        return [position for position in range(low, high) if not first <= position < last]
    return [position for position in range(low, high) if position == i or not first <= position < last]
