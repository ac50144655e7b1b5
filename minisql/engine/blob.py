"""Incremental blob I/O: a value of one row, read and written in place without changing its length.

An open value counts as a running statement: it keeps its read transaction, a writable one is a writer, so that COMMIT and
SAVEPOINT wait for it and in autocommit mode what it wrote is committed when it closes.  It expires when its row changes in
any other way, and a writable one when the transaction is rolled back.

Left out on purpose: an UPDATE that leaves every value of the row as it was expires nothing here.

Source: https://www.sqlite.org/c3ref/blob_open.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.engine.hooks import UPDATE_OPERATIONS
from minisql.engine.transactions import finish_statement
from minisql.errors import ABORT, ABORT_ROLLBACK, ERROR, READONLY, sqlite_error
from minisql.values.shape import RowShape
from minisql.values.storage_class import decode_text, encode_text, type_name

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.engine.session import Session


DELETE = UPDATE_OPERATIONS["delete"]


class BlobHandle:
    """An open value; offsets count bytes.  `size` is 0 once the value has expired.

    `is_writing`, `counts_changes`, `savepoints` and `deferred_violations` are those of a statement: the transaction's
    bookkeeping asks for them.
    """

    __slots__ = (
        "_end_code",
        "_generation",
        "_is_text",
        "_position",
        "_root",
        "_row",
        "_rowid",
        "_rowid_alias",
        "_session",
        "_shape",
        "counts_changes",
        "database",
        "deferred_violations",
        "is_open",
        "is_writable",
        "is_writing",
        "savepoints",
        "size",
    )

    def __init__(self, session: Session, schema: str, table_name: str, column: str, rowid: int, is_writable: bool) -> None:
        self._session = session
        self._rowid = rowid
        self._end_code = 0
        self.is_writable = is_writable
        self.is_writing = self.counts_changes = self.is_open = False
        self.savepoints: list[tuple[int, int]] = []
        self.deferred_violations = 0
        session.ensure_schemas()
        table = _find(session, schema, table_name)
        self._position = table.column_positions.get(column.lower(), -1)
        if self._position < 0:
            raise sqlite_error(ERROR, f'no such column: "{column}"')
        if is_writable:
            _check_not_indexed(table, self._position)
        self.database = session.catalog.schema_position(schema)
        self._rowid_alias = table.rowid_alias
        self._root = table.root_page
        self._shape = _row_shape(table)
        self._generation = session.schema_generation
        self._begin()
        try:
            self._open_value()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Joins the running statements, with the locks of a reader or a writer."""
        session = self._session
        starting, session.starting = session.starting, None
        try:
            if self.is_writable:
                session.ensure_writing(self.database)
                self.is_writing = True
                session.writers.add(self)
            else:
                session.ensure_reading(self.database)
        finally:
            session.starting = starting
        session.running.add(self)
        session.blobs.add(self)
        self.is_open = True

    def _open_value(self) -> None:
        row = self._fetch()
        if row is None:
            raise sqlite_error(ERROR, f"no such rowid: {self._rowid}")
        value = None if self._position == self._rowid_alias else row[self._position]
        if not isinstance(value, (str, bytes)):
            raise sqlite_error(ERROR, f"cannot open value of type {type_name(value)}")
        self._row: tuple[Any, ...] = row
        self._is_text = isinstance(value, str)
        self.size = len(self._bytes(value))

    def close(self) -> None:
        """Ends the value's part in the transaction; in autocommit mode this commits what it wrote, and may fail to."""
        session = self._session
        if not self.is_open:
            return
        self.is_open = False
        session.blobs.discard(self)
        finish_statement(session, self, None)

    def roll_back(self) -> None:
        """The transaction is rolled back: a writable value goes with it, though it keeps its read lock until it is closed."""
        if self.is_writing:
            self.is_writing = False
            self._end_code = ABORT_ROLLBACK
            self._session.writers.discard(self)

    def _fetch(self) -> tuple[Any, ...] | None:
        session = self._session
        btree = session.btrees[self.database]
        assert btree is not None, "an open value keeps its database"
        if self._generation != session.schema_generation:
            self._generation = session.schema_generation
            session.ensure_schemas()
            schema = session.catalog.schemas[self.database]
            tables = schema.tables.values() if schema is not None else ()
            self._shape = next((_row_shape(table) for table in tables if table.root_page == self._root), self._shape)
        return btree.table_cursor(self._root, self._shape).seek_rowid(self._rowid)

    def _bytes(self, value: str | bytes) -> bytes:
        return value if isinstance(value, bytes) else encode_text(value, self._session.encoding)

    def _current(self) -> bytes:
        if self._end_code:
            raise sqlite_error(self._end_code)
        row = self._fetch()
        known = self._row
        # ADD COLUMN makes rows longer and expires nothing.
        if row is None or row[: len(known)] != known or list(map(type, row[: len(known)])) != list(map(type, known)):
            self._end_code = ABORT
            self.size = 0
            self.close()
            raise sqlite_error(ABORT)
        return self._bytes(row[self._position])

    def read(self, length: int, offset: int) -> bytes:
        """The bytes of a range inside the value."""
        data = self._current()
        if offset < 0 or length < 0 or offset + length > self.size:
            raise sqlite_error(ERROR)
        return data[offset : offset + length]

    def write(self, data: bytes, offset: int) -> None:
        """Overwrites a range inside the value."""
        if not self.is_writable:
            raise sqlite_error(READONLY)
        current = self._current()
        if offset < 0 or offset + len(data) > self.size:
            raise sqlite_error(ERROR)
        changed: bytes | str = current[:offset] + data + current[offset + len(data) :]
        if self._is_text:
            changed = decode_text(changed, self._session.encoding)  # type: ignore[arg-type]
        btree = self._session.btrees[self.database]
        assert btree is not None, "an open value keeps its database"
        cursor = btree.table_cursor(self._root, self._shape, True)
        row = cursor.seek_rowid(self._rowid)
        assert row is not None, "the row has just been read"
        if self._session.preupdate_hook is not None:
            self._tell(row)
        self._row = row = (*row[: self._position], changed, *row[self._position + 1 :])
        cursor.update(row)

    def _tell(self, row: tuple[Any, ...]) -> None:
        """SQLite's preupdate hook hears of a write as of a DELETE that names the column."""
        session = self._session
        schema = session.catalog.schemas[self.database]
        tables = schema.tables.values() if schema is not None else ()
        table = next((table for table in tables if table.root_page == self._root), None)
        if schema is None or table is None or session.preupdate_hook is None:
            return
        alias = self._rowid_alias
        old = (*row[:alias], self._rowid, *row[alias + 1 :]) if alias >= 0 else row
        rowid = self._rowid
        session.preupdate_hook((DELETE, schema.name, table.name, rowid, rowid, old, None, 0, self._position))


def _find(session: Session, schema: str, name: str) -> Table:
    table = session.catalog.find_table(name, schema)
    if table is None:
        raise sqlite_error(ERROR, f"no such table: {schema}.{name}")
    if table.module is not None:
        raise sqlite_error(ERROR, f"cannot open virtual table: {name}")
    if table.view is not None:
        raise sqlite_error(ERROR, f"cannot open view: {name}")
    if table.is_without_rowid:
        raise sqlite_error(ERROR, f"cannot open table without rowid: {name}")
    if table.has_generated:
        raise sqlite_error(ERROR, f"cannot open table with generated columns: {name}")
    return table


def _row_shape(table: Table) -> RowShape:
    shape = table.shape
    assert isinstance(shape, RowShape), "only rowid tables are opened"
    return shape


def _check_not_indexed(table: Table, position: int) -> None:
    if any(position in key.columns for key in table.foreign_keys):
        raise sqlite_error(ERROR, "cannot open foreign key column for writing")
    for index in table.indexes:
        if any(column.position in (position, -2) for column in index.columns):
            raise sqlite_error(ERROR, "cannot open indexed column for writing")
