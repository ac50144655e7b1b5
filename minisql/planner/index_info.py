"""IndexInfo: the question that the planner asks a virtual table's module for each way to read it, and the answer.

The planner never sees a module: it fills in the constraints that it could hand over, and the engine passes the question on to
the module's `best_index`.

Source: https://www.sqlite.org/vtab.html#xbestindex.
"""

from __future__ import annotations

from collections.abc import Sequence

ROWID = -1
"""The number of the rowid wherever a column number is wanted."""

EQ, GT, LE, LT, GE, MATCH, LIKE, GLOB, REGEXP, NE, IS_NOT, IS_NOT_NULL, IS_NULL, IS, LIMIT, OFFSET = (
    2, 4, 8, 16, 32, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74,
)  # fmt: skip
"""Operators of constraints, SQLITE_INDEX_CONSTRAINT_*."""

FIRST_FUNCTION = 150
"""Operators from here to 255 belong to functions that `find_function` has announced."""


class _Unknown:
    """The type of UNKNOWN."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
"""The right side of a constraint that is no constant."""


class Constraint:
    """`column operator value` as `best_index` sees it; the last three attributes are the answer.

    `column` is a column number or ROWID; a constraint that is not `is_usable` names a table to the right and may not be used.
    `value` is the right side if it is a constant, else UNKNOWN; `collation` that of the comparison; `is_in` tells that it is
    an IN, which is asked value by value unless `wants_all` is set: then `filter` gets all values as one tuple.

    `argument`: which argument of `filter` the value becomes, from 1; 0: not used.  `omit`: the module checks it, so the
    engine need not.

    Source: https://www.sqlite.org/vtab.html#xbestindex, sqlite3_vtab_in, sqlite3_vtab_rhs_value, sqlite3_vtab_collation.
    """

    __slots__ = ("argument", "collation", "column", "is_in", "is_usable", "omit", "operator", "value", "wants_all")

    def __init__(
        self,
        column: int,
        operator: int,
        is_usable: bool = True,
        value: object = UNKNOWN,
        collation: str = "BINARY",
        is_in: bool = False,
    ) -> None:
        self.column = column
        self.operator = operator
        self.is_usable = is_usable
        self.value = value
        self.collation = collation
        self.is_in = is_in
        self.argument = 0
        self.omit = False
        self.wants_all = False


class IndexInfo:
    """One question to `best_index` and its answer.

    Asked: `constraints`; `order_by`, pairs of column number and whether it descends (empty unless the whole order is over
    this table); `distinct` as sqlite3_vtab_distinct (0 order, 1 group, 2 distinct, 3 both); `columns_used`, the set of
    column numbers, None for all.
    Answered: `index_number` and `index_string` (handed to `filter`), `is_ordered` (the rows will come in the order asked
    for), `estimated_cost`, `estimated_rows`, `is_unique` (at most one row), `shows_hex`
    (EXPLAIN QUERY PLAN shows the number in hexadecimal).
    """

    __slots__ = (
        "columns_used", "constraints", "distinct", "estimated_cost", "estimated_rows", "index_number", "index_string",
        "is_ordered", "is_unique", "order_by", "shows_hex",
    )  # fmt: skip

    def __init__(
        self,
        constraints: Sequence[Constraint],
        order_by: Sequence[tuple[int, bool]] = (),
        distinct: int = 0,
        columns_used: frozenset[int] | None = None,
    ) -> None:
        self.constraints = constraints
        self.order_by = order_by
        self.distinct = distinct
        self.columns_used = columns_used
        self.index_number = 0
        self.index_string: str | None = None
        self.is_ordered = False
        self.is_unique = False
        self.shows_hex = False
        self.estimated_cost = 5e98
        self.estimated_rows = 25
