"""The aggregates median, percentile, percentile_cont and percentile_disc.

They keep the group's values; the list is sorted when the result is asked for.

Source: https://www.sqlite.org/percentile.html.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any

from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import AggregateFunction
from minisql.values.affinity import apply_numeric


class Percentile:
    """Values of one group, and the fraction that every row must repeat."""

    __slots__ = ("fraction", "is_sorted", "limit", "name", "values")

    def __init__(self, name: str, limit: float) -> None:
        self.name = name
        self.limit = limit
        self.fraction: float | None = None
        self.values: list[float] = []
        self.is_sorted = True

    def step(self, value: Any, fraction: Any = 0.5) -> None:
        """Adds a value; raises SQLite's errors for a wrong fraction or a value that is no number."""
        self._check_fraction(fraction)
        if value is None:
            return
        if value.__class__ is not int and value.__class__ is not float:
            raise sqlite_error(ERROR, f"input to {self.name}() is not numeric")
        number = float(value)
        if math.isinf(number):
            raise sqlite_error(ERROR, f"Inf input to {self.name}()")
        self.values.append(number)
        self.is_sorted = False

    def _check_fraction(self, fraction: Any) -> None:
        number = apply_numeric(fraction)
        if (number.__class__ is not int and number.__class__ is not float) or not 0.0 <= number <= self.limit:
            raise sqlite_error(
                ERROR, f"the fraction argument to {self.name}() is not between 0.0 and {self.limit:.1f}"
            )
        share = float(number) / self.limit
        if self.fraction is None:
            self.fraction = share
        elif abs(self.fraction - share) > 0.001:
            raise sqlite_error(ERROR, f"the fraction argument to {self.name}() is not the same for all input rows")

    def inverse(self, value: Any, fraction: Any = 0.5) -> None:
        """Removes a value that left the window frame."""
        if value is not None:
            self._sort()
            del self.values[bisect_left(self.values, float(value))]

    def _sort(self) -> None:
        if not self.is_sorted:
            self.values.sort()
            self.is_sorted = True

    def value(self) -> float | None:
        """Returns the value at the fraction, between two values if need be; NULL for no values."""
        if not self.values or self.fraction is None:
            return None
        self._sort()
        last = len(self.values) - 1
        place = self.fraction * last
        low = int(place)
        if self.name == "percentile_disc":
            return self.values[low]
        high = low if place == low or low == last else low + 1
        return self.values[low] + (self.values[high] - self.values[low]) * (place - low)


FUNCTIONS = (
    AggregateFunction("median", 1, 1, lambda: Percentile("median", 1.0), has_inverse=True),
    AggregateFunction("percentile", 2, 2, lambda: Percentile("percentile", 100.0), has_inverse=True),
    AggregateFunction("percentile_cont", 2, 2, lambda: Percentile("percentile_cont", 1.0), has_inverse=True),
    AggregateFunction("percentile_disc", 2, 2, lambda: Percentile("percentile_disc", 1.0), has_inverse=True),
)
