"""The sorter: collects rows for ORDER BY and walks them in order.

With a row limit it keeps a bounded buffer: when it is full it is sorted and cut, and rows whose first key sorts behind the
last row kept are refused at once.

Source: https://www.sqlite.org/opcode.html, "SorterOpen".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.vm.ephemeral import ListCursor
from minisql.vm.sorting import sort_rows

if TYPE_CHECKING:
    from minisql.bytecode.program import SortSpec

Row = tuple[Any, ...]

_MINIMAL_BUFFER = 512


class Sorter(ListCursor):
    """Collects rows, then walks them in order; `limit` < 0 means that all rows are wanted."""

    __slots__ = ("_capacity", "_limit", "spec", "threshold")

    def __init__(self, spec: SortSpec, limit: int = -1) -> None:
        super().__init__()
        self.spec = spec
        self._limit = limit
        self._capacity = max(2 * limit, _MINIMAL_BUFFER) if limit >= 0 else -1
        self.threshold: Any = None

    def insert(self, row: Row) -> Any:
        """Adds a row; with a limit, drops what can no longer be among the first rows.

        Returns `threshold`: the first key of the last row kept if that is a number and the buffer was full once, else None.
        """
        rows = self.rows
        if self.threshold is None or not self._is_behind(row[self.spec.keys[0]]):
            rows.append(row)
            if len(rows) == self._capacity:
                self._cut()
        return self.threshold

    def _is_behind(self, value: Any) -> bool:
        """Tells whether a first key sorts behind the last row kept.  Only numbers are decided here."""
        if value.__class__ is not int and value.__class__ is not float:
            return False
        return bool(value < self.threshold) if self.spec.descending[0] else bool(value > self.threshold)

    def _cut(self) -> None:
        sort_rows(self.rows, self.spec)
        del self.rows[self._limit :]
        if self.rows:
            last = self.rows[-1][self.spec.keys[0]]
            if last.__class__ is int or last.__class__ is float:
                self.threshold = last

    def sort(self) -> Row | None:
        """Sorts and returns the first row, or None if there is none."""
        sort_rows(self.rows, self.spec)
        return self.first()
