"""Host: the services that a running program needs from the connection; the engine implements it.

The virtual machine never sees SQL text, AST or schema.  Databases are numbered as in the catalog (0 main, 1 temp, ...).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from minisql.functions.context import FunctionContext
    from minisql.storage.btree import BtreeFile


class SchemaChanged(Exception):
    """The schema is not the one the program was compiled for: the engine compiles the statement again and restarts it."""


class Host(Protocol):
    """What tier 1 and tier 2 call back into.

    `btrees` holds one BtreeFile per database (None for a free slot); `schema_generation` is compared with the Transaction
    instruction's p4; `is_interrupted` is polled; `function_context` serves functions that depend on the connection;
    `progress`, if there is one, is called about every `progress_steps` instructions and interrupts by returning true; `tier` is
    PRAGMA minisql_tier: '1', '2', 'auto' or 'both'; `limits` holds SQLITE_LIMIT_* by number; `fetches_all` is true while
    all rows of a statement are being fetched, so that nothing can happen between two of them.
    """

    btrees: list[BtreeFile | None]
    schema_generation: int
    is_interrupted: bool
    function_context: FunctionContext
    last_insert_rowid: int
    changes: int
    total_changes: int
    deferred_violations: int
    progress: Callable[[], bool] | None
    progress_steps: int
    tier: str
    limits: Sequence[int]
    fetches_all: bool

    def begin_statement(self, database: int, write: bool, cookie: int, generation: int) -> None:
        """The Transaction instruction: starts a read or write transaction, checks the schema cookie and generation.

        Raises SchemaChanged, or the storage's errors (BUSY, ...).
        """

    def set_autocommit(self, autocommit: bool, rollback: bool, kind: int) -> None:
        """BEGIN, COMMIT, ROLLBACK with SQLite's errors for wrong nesting."""

    def savepoint(self, operation: int, name: str) -> None:
        """SAVEPOINT (0), RELEASE (1), ROLLBACK TO (2)."""

    def call(self, service: str, constants: tuple[object, ...], arguments: list[object]) -> object:
        """HostCall and HostRows: pragma rows, attach, vacuum, analyze, ...; returns a value, or an iterable of row tuples."""

    def reload_schema(self, database: int, objects: tuple[tuple[object, ...], ...] | None) -> None:
        """ParseSchema: None reads all again; else (type, name, table, root page, sql) of each object just written, where the
        types 'drop table' (a table or view with its indexes and triggers), 'drop index' and 'drop trigger' take it away."""

    def set_cookie(self, database: int, field: int, value: int) -> None:
        """SetCookie: writes a header field; field 1 also bumps the schema generation at once."""

    def refuse_other_readers(self) -> None:
        """Destroy: raises LOCKED while any other statement that reads a database is half-way."""

    def row_changed(self, operation: str, schema_index: int, table_name: str, rowid: int) -> None:
        """The update hook ('insert', 'update', 'delete'); called only while `has_update_hook` is true."""

    def row_changing(
        self,
        operation: int,
        schema_index: int,
        table_name: str,
        old: tuple[Any, ...] | None,
        new: tuple[Any, ...] | None,
        rowids: tuple[int, int],
        depth: int,
    ) -> None:
        """PreUpdate: the preupdate hook; only programs that were compiled while there is one call it."""

    def update_virtual(
        self, database: int, name: str, values: list[Any], conflict: int, assigned: frozenset[int] | None
    ) -> tuple[int | None, bool]:
        """VUpdate: the rowid of a new row, and whether anything changed."""

    has_update_hook: bool

    def rows(self, service: str, constants: tuple[object, ...], arguments: list[object]) -> Iterable[tuple[object, ...]]:
        """HostRows."""
