"""FunctionContext: what a function with `needs_context` may ask of the connection that runs it.

The engine implements it.  Time stands still within one step of a statement, so that every 'now' of it is the same moment.

Source: https://www.sqlite.org/lang_corefunc.html; https://www.sqlite.org/lang_datefunc.html section 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class FunctionContext(Protocol):
    """Passed as the first argument of the functions that need it.

    `encoding` is the database encoding (values.storage_class); `limits` is indexed by the constants of `minisql.limits`;
    `pure_context` is None, or names the place ('an index', 'a CHECK constraint', 'a generated column') in which only
    deterministic functions are allowed just now.
    """

    changes: int
    total_changes: int
    last_insert_rowid: int
    encoding: int
    limits: Sequence[int]
    pure_context: str | None

    def current_time_ms(self) -> int:
        """Milliseconds since 1970-01-01 00:00:00 UTC, the same for all calls within one step."""

    def random_bytes(self, n: int) -> bytes:
        """Random bytes from the connection's source (seeded in tests)."""
