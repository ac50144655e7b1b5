"""Costs: logarithmic estimates, the assumed sizes of tables and indexes, the price of a sort.

A LogEst is ten times the base-2 logarithm of a quantity.  SQLite plans with these, and without ANALYZE it assumes a million
rows in every table; the row order that a query happens to have follows from its plan, so the estimates here are meant to
lead to the same choices, not to be good predictions.

Source: https://www.sqlite.org/queryplanner-ng.html, https://www.sqlite.org/fileformat2.html#stat1tab.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.catalog.schema import Index, Table

_ADDEND = (
    10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2,
)  # fmt: skip
_DEFAULT_INDEX_ROWS = (33, 32, 30, 28, 27)
DEFAULT_TABLE_ROWS = 200


@lru_cache(1000)
def log_estimate(quantity: float) -> int:
    """The LogEst of a quantity, 0 for less than 2."""
    return 0 if quantity < 2 else round(10 * math.log2(quantity))


def add(a: int, b: int) -> int:
    """The LogEst of the sum of two quantities."""
    if a < b:
        a, b = b, a
    difference = a - b
    if difference > 49:
        return a
    return a + 1 if difference > 31 else a + _ADDEND[difference]


def log_of(rows: int) -> int:
    """The LogEst of the logarithm of a number of rows: the cost of one search."""
    return 0 if rows <= 10 else log_estimate(rows) - 33


def table_rows(table: Table | None) -> int:
    """The estimated rows of a table."""
    if table is None or table.row_estimate is None:
        return DEFAULT_TABLE_ROWS
    return log_estimate(max(table.row_estimate, 1))


class IndexEstimates:
    """What the planner derives once per index: `rows` for 0, 1, 2.. equal leading columns, `search` cost, the cost of an entry
    relative to a table row (`entry_cost`), whether entries are narrower than rows, and the names of the columns that an
    entry does not hold (`missing`).  `order` is the order of its entries: (column or -1 for the rowid, collation in upper case,
    descending); `is_plain`: it has all rows and no expressions."""

    __slots__ = ("entry_cost", "is_narrower", "is_plain", "missing", "order", "rows", "search", "statistics")

    def __init__(self, index: Index) -> None:
        self.statistics = index.statistics
        self.rows = index_rows(index)
        self.search = log_of(self.rows[0])
        width, full = index_width(index), table_width(index.table)
        self.entry_cost = 1 + 15 * width // max(full, 1)
        self.is_narrower = _is_narrower(index, width) if index.table.is_without_rowid else width < full
        self.order = entry_order(index)
        self.is_plain = index.where is None and all(column.position != -2 for column in index.columns)
        # SQLite does not know that the indexes of UNIQUE constraints hold the primary key of a WITHOUT ROWID table.
        is_implied = index.table.is_without_rowid and index.sql is None and not index.is_clustered
        held = {column.position for column in (index.columns if is_implied else index.entry_columns)}
        held.add(index.table.rowid_alias)
        columns = index.table.columns
        if index.table.has_generated and not held.issuperset(range(len(columns))):
            # To SQLite a generated column uses all columns: it is read from the table unless the entry has them all.
            held = {position for position in held if position >= 0 and columns[position].generated is None}
        self.missing = frozenset(column.name.lower() for position, column in enumerate(columns) if position not in held)


def _is_narrower(index: Index, width: int) -> bool:
    """Whether an index of a WITHOUT ROWID table is read rather than the primary key: of equal ones the younger is."""
    indexes = index.table.indexes
    clustered = next(number for number, other in enumerate(indexes) if other.is_clustered)
    full = index_width(indexes[clustered])
    return width < full or (width == full and indexes.index(index) < clustered)


def index_estimates(index: Index) -> IndexEstimates:
    """The estimates of an index, from its cache slot while its statistics are the same."""
    known = index.estimates
    if known is None or known.statistics is not index.statistics:  # type: ignore[attr-defined]
        known = index.estimates = IndexEstimates(index)
    return known  # type: ignore[return-value]


def entry_order(index: Index) -> tuple[tuple[int, str, bool], ...]:
    """The columns that entries are sorted by, as far as they tell entries apart."""
    order = [(column.position, column.collation.name.upper(), column.descending) for column in index.columns]
    columns = index.table.columns
    if index.is_unique and all(column.position >= 0 and columns[column.position].is_not_null for column in index.columns):
        return tuple(order)
    behind = index.entry_columns[len(index.columns) :]
    order += [(column.position, column.collation.name.upper(), column.descending) for column in behind]
    if not behind and not index.is_clustered and not index.table.is_without_rowid:
        order.append((-1, "BINARY", False))
    return tuple(order)


def index_rows(index: Index) -> list[int]:
    """Estimated rows of an index for 0, 1, 2.. equal leading columns."""
    if index.statistics is not None:
        known = [log_estimate(max(value, 1)) for value in index.statistics[: len(index.columns) + 1]]
        while len(known) <= len(index.columns):
            known.append(known[-1])
        return known
    total = max(table_rows(index.table), 99)
    if index.where is not None:
        total -= 10
    rows = [total]
    for position in range(len(index.columns)):
        rows.append(_DEFAULT_INDEX_ROWS[position] if position < 5 else 23)
    if index.is_unique:
        rows[-1] = 0
    return rows


def table_width(table: Table) -> int:
    """The LogEst of a table row's width in units of four bytes."""
    width = sum(_column_width(column.declared_type, column.affinity) for column in table.columns)
    if table.rowid_alias < 0:
        width += 1
    return log_estimate(width * 4)


def index_width(index: Index) -> int:
    """The LogEst of an index entry's width."""
    width = 0
    columns = index.table.columns
    for column in index.entry_columns:
        width += 1 if column.position < 0 else _column_width(
            columns[column.position].declared_type, columns[column.position].affinity
        )
    if len(index.entry_columns) == len(index.columns):
        width += 1
    return log_estimate(width * 4)


def _column_width(declared_type: str, affinity: int) -> int:
    """The size of a column in units of four bytes, from its type: VARCHAR(100) is 26, numbers are 1."""
    from_digits = 0
    lowered = declared_type.lower()
    if affinity >= 0x43 or not declared_type:
        return 1
    if "char" in lowered or "clob" in lowered or "text" in lowered or "blob" in lowered:
        digits = ""
        for character in lowered:
            if character.isdigit():
                digits += character
            elif digits:
                break
        if digits:
            from_digits = int(digits)
        else:
            from_digits = 16
        return min(from_digits // 4 + 1, 255)
    return 1


def sorting_cost(rows: int, n_columns: int, n_terms: int, n_sorted: int, limit: int | None, is_distinct: bool) -> int:
    """The cost of sorting rows of which `n_sorted` leading terms are in order already."""
    cost = rows + log_estimate((n_columns + 59) // 30)
    if n_sorted > 0:
        cost += log_estimate((n_terms - n_sorted) * 100 // n_terms) - 66
    if limit is not None:
        cost += 10
        if n_sorted:
            cost += 6
        rows = min(rows, limit)
    elif is_distinct and rows > 10:
        rows -= 10
    return cost + log_of(rows)
