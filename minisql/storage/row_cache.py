"""How much memory the decoded pages of all files of this process may take: one budget, that every pager counts in.

A pager trims the least recently used of its pages when the budget is used up; `DECODED_COST` of the pager says what a page
counts.

Source: PERFORMANCE, "Storage".
"""

from __future__ import annotations


class RowCacheBudget:
    """Bytes that decoded pages of all files in this process may take (`PRAGMA minisql_row_cache`)."""

    __slots__ = ("limit", "used")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0


row_cache = RowCacheBudget(256 * 1024 * 1024)
