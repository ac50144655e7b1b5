"""The order that a block wants its rows in: what planning hands to the choice of access paths.

Source: https://www.sqlite.org/queryplanner-ng.html, https://www.sqlite.org/lang_select.html#orderby.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.planner.scope import Source


class OrderTerm:
    """A term of the wanted order: a column of a source (position None: something else that reads `mask`)."""

    __slots__ = ("collation", "is_descending", "mask", "position", "source")

    def __init__(self, source: Source | None, position: int | None, collation: str, is_descending: bool, mask: int) -> None:
        self.source = source
        self.position = position
        self.collation = collation
        self.is_descending = is_descending
        self.mask = mask


class WantedOrder:
    """The order wanted of the rows: `terms`; `is_grouping` if any permutation and direction will do, `is_distinct` if rows that
    are equal are wanted once; the price of sorting depends on `n_columns` and `limit` (a LogEst or None).  `directions` (True:
    descending) are those in which groups are wanted, None if it does not matter."""

    __slots__ = ("directions", "is_distinct", "is_grouping", "limit", "n_columns", "terms")

    def __init__(self, terms: list[OrderTerm], n_columns: int, limit: int | None, is_grouping: bool) -> None:
        self.terms = terms
        self.n_columns = n_columns
        self.limit = limit
        self.is_grouping = is_grouping
        self.is_distinct = False
        self.directions: tuple[bool, ...] | None = None
