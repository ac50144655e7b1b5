"""generate_series(start, stop, step): the integers from start to stop, as a table.

Arguments are read as CAST AS INTEGER reads them; a step of zero counts as one and a negative one counts down; a NULL argument
gives no rows; without a stop the series ends at 4294967295.  Conditions on `value` with a number narrow the series itself, so
that one over all integers can be asked for a few.

Source: https://www.sqlite.org/series.html.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.affinity import NUMERIC, apply_affinity
from minisql.values.cast import to_integer
from minisql.vtab.protocol import EQ, GE, GT, INNOCUOUS, LE, LT, ROWID, Cursor, IndexInfo, Module, Value, VirtualTable

_VALUE, _START, _STOP, _STEP = range(4)
_DEFAULT_STOP = 0xFFFFFFFF
_BOUNDS = frozenset((EQ, GE, GT, LE, LT))


def make_module(name: str) -> Module:
    """The module generate_series."""
    return SeriesModule()


class SeriesModule(Module):
    """generate_series, which exists without being created."""

    is_eponymous_only = True
    risk = INNOCUOUS

    def connect(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Declares the columns."""
        return "CREATE TABLE x(value, start HIDDEN, stop HIDDEN, step HIDDEN)", SeriesTable()


class SeriesTable(VirtualTable):
    """The table; it keeps nothing."""

    def best_index(self, info: IndexInfo) -> bool | None:
        """Takes the hidden columns and all bounds of the value; the index text lists what `scan` gets: `column operator,`."""
        used: list[str] = []
        given = set()
        for constraint in info.constraints:
            is_argument = constraint.column in (_START, _STOP, _STEP) and constraint.operator == EQ
            is_bound = constraint.column in (_VALUE, ROWID) and constraint.operator in _BOUNDS and not constraint.is_in
            if is_argument and not constraint.is_usable:
                return False
            if not constraint.is_usable or constraint.column in given or not (is_argument or is_bound):
                continue
            if is_argument:
                given.add(constraint.column)
            used.append(f"{max(constraint.column, 0)} {constraint.operator}")
            constraint.argument = len(used)
            constraint.omit = True
        if _START not in given:
            raise sqlite_error(ERROR, 'first argument to "generate_series()" missing or unusable')
        info.index_string = ",".join(used)
        info.estimated_cost, info.estimated_rows = (1.0, 1000) if _STOP in given else (100.0, 2147483647)
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return SeriesCursor()


class SeriesCursor(Cursor):
    """One series."""

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """Counts; the hidden columns show the arguments in force."""
        values: dict[int, int] = {_STOP: _DEFAULT_STOP, _STEP: 1}
        bounds = []
        for text, argument in zip((index_string or "").split(","), arguments):
            column, operator = map(int, text.split())
            if argument is None:
                return
            if column == _VALUE:
                bounds.append((operator, argument))
            else:
                values[column] = to_integer(argument)
        start, stop, step = values[_START], values[_STOP], values[_STEP] or 1
        shown = (None, start, stop, step)
        for value in _narrowed(start, stop, step, bounds):
            yield tuple([value if column <= 0 else shown[column] for column in columns])


def _narrowed(start: int, stop: int, step: int, bounds: list[tuple[int, Any]]) -> range:
    """The values of the series that meet all bounds; what is no number meets none."""
    low, high = (start, stop) if step > 0 else (stop, start)
    for operator, bound in bounds:
        number = apply_affinity(bound, NUMERIC)
        if not isinstance(number, (int, float)):
            return range(0)
        if operator in (EQ, GE, GT):
            low = max(low, _first_above(number, operator == GT))
        if operator in (EQ, LE, LT):
            high = min(high, -_first_above(-number, operator == LT))
    if step > 0:
        begin = start + max(0, -(-(low - start) // step)) * step
        return range(begin, high + 1, step)
    begin = start + max(0, -(-(start - high) // -step)) * step
    return range(begin, low - 1, step)


def _first_above(number: int | float, is_strict: bool) -> int:
    """The first integer that is not less than a number, or greater than it."""
    if number.__class__ is float and not math.isfinite(number):
        return 1 << 64 if number > 0 else -(1 << 64)
    first = math.ceil(number)
    return first + 1 if is_strict and first == number else first
