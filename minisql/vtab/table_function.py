"""Table-valued functions as virtual tables: rows computed from the values of hidden columns.

A `TableFunction` takes its arguments from equalities with its hidden columns, which is what the arguments of a call in FROM
stand for.  An argument whose value is not known yet makes the plan impossible, so the table goes further inside.

Source: https://www.sqlite.org/vtab.html#tabfunc2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minisql.vtab.protocol import EQ, NORMAL_RISK, ROWID, Constraint, Cursor, IndexInfo, Module, Value, VirtualTable

Rows = Callable[[Any, list[Any], int], Iterable[tuple[Value, ...]]]
"""`rows(owner, arguments, n_given)`: the visible columns; the first `n_given` arguments were given, the others are None."""

RowsAtOnce = Callable[[list[Any], tuple[int, ...]], list[tuple[Value, ...]] | None]
"""`rows_at_once(given arguments, wanted columns)`: the rows as a list, of the wanted columns only; None: ask `rows`."""


class TableFunction(Module):
    """A table-valued function with visible `columns` and one hidden column for each of `arguments`.

    `plan_numbers` gives the index number (which EXPLAIN QUERY PLAN shows) for 0, 1, 2.. given arguments; by default it is 0.
    Only leading arguments count: without the first the others are mere conditions on columns that are NULL.
    """

    is_eponymous_only = True

    def __init__(
        self,
        columns: Sequence[str],
        arguments: Sequence[str],
        rows: Rows,
        plan_numbers: Sequence[int] = (0,),
        first_rowid: int = 1,
        rows_at_once: RowsAtOnce | None = None,
        risk: int = NORMAL_RISK,
    ) -> None:
        self.rows_at_once = rows_at_once
        self.risk = risk
        self.first_rowid = first_rowid
        self.columns = columns
        self.arguments = arguments
        self.rows = rows
        self.plan_numbers = plan_numbers

    def connect(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Declares the columns; nothing is stored."""
        names = [*(f'"{name}"' for name in self.columns), *(f'"{name}" HIDDEN' for name in self.arguments)]
        return f"CREATE TABLE x({', '.join(names)})", FunctionTable(self, owner)


class FunctionTable(VirtualTable):
    """The table of a TableFunction."""

    def __init__(self, function: TableFunction, owner: Any) -> None:
        self.function = function
        self.owner = owner
        self.rows_at_once = function.rows_at_once

    def best_index(self, info: IndexInfo) -> bool | None:
        """Uses the equalities with the leading hidden columns."""
        function = self.function
        first = len(function.columns)
        given: dict[int, Constraint] = {}
        for constraint in info.constraints:
            place = constraint.column - first
            if constraint.operator == EQ and place >= 0:
                if constraint.is_usable:
                    given.setdefault(place, constraint)
                elif place not in given:
                    return False
        n_given = 0
        while n_given in given:
            constraint = given[n_given]
            n_given += 1
            constraint.argument = n_given
            constraint.omit = True
        numbers = function.plan_numbers
        info.index_number = numbers[min(n_given, len(numbers) - 1)]
        if n_given or not function.arguments:
            info.estimated_cost, info.estimated_rows = 20.0, 20
        else:
            info.estimated_cost, info.estimated_rows = 2147483647.0, 2147483647
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return FunctionCursor(self)


class FunctionCursor(Cursor):
    """One evaluation of the function."""

    def __init__(self, table: FunctionTable) -> None:
        self.table = table

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """Computes the rows for the arguments, which the hidden columns show; the rowid counts them."""
        function = self.table.function
        n_given = len(arguments)
        values = [*arguments, *[None] * (len(function.arguments) - n_given)]
        rows = function.rows(self.table.owner, values, n_given)
        if ROWID in columns:
            places = [number if number != ROWID else len(function.columns) + len(values) for number in columns]
            for rowid, row in enumerate(rows, function.first_rowid):
                whole = (*row, *values, rowid)
                yield tuple([whole[place] for place in places])
        elif tuple(columns) == tuple(range(len(function.columns))):
            yield from rows
        else:
            for row in rows:
                whole = (*row, *values)
                yield tuple([whole[number] for number in columns])
