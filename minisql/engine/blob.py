"""Incremental blob I/O: a value of one row, read and written in place without changing its length.

The value is found through a statement of its own and written back by the engine's UPDATE; a handle expires when its row
changes in any other way.

Source: https://www.sqlite.org/c3ref/blob_open.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.engine.names import quoted
from minisql.errors import ABORT, ERROR, READONLY, sqlite_error
from minisql.values.storage_class import Value, decode_text, encode_text, type_name

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.engine.session import Session


class BlobHandle:
    """An open value; offsets count bytes."""

    __slots__ = ("_is_text", "_location", "_rowid", "_session", "_stamp", "is_writable", "size")

    def __init__(self, session: Session, schema: str, table_name: str, column: str, rowid: int, is_writable: bool) -> None:
        self._session = session
        self._rowid = rowid
        self.is_writable = is_writable
        table = _find(session, schema, table_name)
        position = table.column_positions.get(column.lower(), -1)
        if position < 0:
            raise sqlite_error(ERROR, f'no such column: "{column}"')
        if is_writable:
            _check_not_indexed(table, position)
        self._location = (f"{quoted(schema)}.{quoted(table.name)}", quoted(table.columns[position].name))
        value = self._fetch()
        if not isinstance(value, (str, bytes)):
            raise sqlite_error(ERROR, f"cannot open value of type {type_name(value)}")
        self._is_text = isinstance(value, str)
        self._stamp = value
        self.size = len(self._bytes(value))

    def _fetch(self) -> Value:
        table, column = self._location
        rows = self._session.execute(f"SELECT {column} FROM {table} WHERE _rowid_ = ?", (self._rowid,))
        if not rows:
            raise sqlite_error(ERROR, f"no such rowid: {self._rowid}")
        value: Value = rows[0][0]
        return value

    def _bytes(self, value: str | bytes) -> bytes:
        return value if isinstance(value, bytes) else encode_text(value, self._session.encoding)

    def _current(self) -> bytes:
        try:
            value = self._fetch()
        except Exception as error:
            raise sqlite_error(ABORT) from error
        if value != self._stamp or value.__class__ is not self._stamp.__class__:
            raise sqlite_error(ABORT)
        return self._bytes(value)

    def read(self, length: int, offset: int) -> bytes:
        """The bytes of a range inside the value."""
        data = self._current()
        if offset < 0 or length < 0 or offset + length > self.size:
            raise sqlite_error(ERROR)
        return data[offset : offset + length]

    def write(self, data: bytes, offset: int) -> None:
        """Overwrites a range inside the value."""
        current = self._current()
        if not self.is_writable:
            raise sqlite_error(READONLY)
        if offset < 0 or offset + len(data) > self.size:
            raise sqlite_error(ERROR)
        changed: bytes | str = current[:offset] + data + current[offset + len(data) :]
        if self._is_text:
            changed = decode_text(changed, self._session.encoding)  # type: ignore[arg-type]
        table, column = self._location
        session = self._session
        saved = session.changes, session.total_changes
        session.execute(f"UPDATE {table} SET {column} = ? WHERE _rowid_ = ?", (changed, self._rowid))
        session.changes, session.total_changes = saved
        self._stamp = changed


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
    return table


def _check_not_indexed(table: Table, position: int) -> None:
    if any(position in key.columns for key in table.foreign_keys):
        raise sqlite_error(ERROR, "cannot open foreign key column for writing")
    for index in table.indexes:
        if any(column.position in (position, -2) for column in index.columns):
            raise sqlite_error(ERROR, "cannot open indexed column for writing")
