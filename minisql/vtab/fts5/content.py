"""The rows of an FTS5 table: %_content or somebody else's table, %_docsize, and the averages that are kept in memory.

Source: https://www.sqlite.org/fts5.html sections 4.4, 9.3 and 9.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import CONSTRAINT, CORRUPT_VTAB, Error, sqlite_error
from minisql.storage.varint import encode_varint
from minisql.vtab.fts5.formats import varints
from minisql.vtab.shadow_tables import corrupt, quoted

if TYPE_CHECKING:
    from minisql.vtab.fts5.auxiliary import RowContext
    from minisql.vtab.fts5.configuration import Configuration
    from minisql.vtab.host import VtabHost

Row = tuple[Any, ...]
_MANY = 20


class Content:
    """Reads and writes the rows and their sizes."""

    def __init__(self, host: VtabHost, configuration: Configuration) -> None:
        self.host = host
        self.configuration = configuration
        name = configuration.table_sql
        n = configuration.n_columns
        self._kept = self._kept_columns()
        self._keeps_all = len(self._kept) == n
        stored = [f"c{number}" for number in range(n) if number in self._kept]
        if configuration.is_external:
            assert configuration.content is not None, "an external table has a name"
            # With a name for the table a column that it lacks is an error, and not a string.
            source = f"{quoted(configuration.schema_name)}.{quoted(configuration.content)} T"
            is_rowid = configuration.content_rowid.lower() in ("rowid", "oid", "_rowid_")
            key = f"T.{configuration.content_rowid if is_rowid else quoted(configuration.content_rowid)}"
            columns = ", ".join(f"T.{quoted(column)}" for column in configuration.columns)
            self._select = f"SELECT {key}, {columns} FROM {source}"
            self._key = key
        else:
            self._select = f"SELECT {', '.join(['id', *stored])} FROM {name('content')}"
            self._key = "id"
        marks = ", ".join("?" * (1 + len(stored)))
        self._insert_sql = f"INSERT INTO {name('content')}({', '.join(['id', *stored])}) VALUES({marks})"
        self._replace_sql = "REPLACE" + self._insert_sql[len("INSERT") :]
        self._row_sql = f"{self._select} WHERE {self._key}=?"
        self._size_sql = f"SELECT sz FROM {name('docsize')} WHERE id=?"
        has_origin = configuration.is_deletable
        extra, mark = (", origin", ", ?") if has_origin else ("", "")
        self._all_sizes_sql = f"SELECT id, sz FROM {name('docsize')} WHERE id BETWEEN ? AND ?"
        self._put_size_sql = f"REPLACE INTO {name('docsize')}(id, sz{extra}) VALUES(?, ?{mark})"
        self._drop_size_sql = f"DELETE FROM {name('docsize')} WHERE id=?"
        self._drop_row_sql = f"DELETE FROM {name('content')} WHERE id=?"
        self._origin_sql = f"SELECT origin FROM {name('docsize')} WHERE id=?"

    def _kept_columns(self) -> list[int]:
        configuration = self.configuration
        numbers = range(configuration.n_columns)
        if configuration.is_contentless:
            return [number for number in numbers if configuration.is_unindexed[number]]
        return list(numbers)

    # Rows

    def row(self, rowid: int) -> Row:
        """The values of all columns of a row; raises if the content table does not have it."""
        configuration = self.configuration
        if not configuration.has_own_content and not configuration.is_external:
            return (None,) * configuration.n_columns
        rows = self.host.execute(self._row_sql, (rowid,))
        if not rows:
            table = configuration.content if configuration.is_external else configuration.table_name + "_content"
            raise sqlite_error(CORRUPT_VTAB, f"fts5: missing row {rowid} from content table {_shown(configuration, table)}")
        return self._widened(rows[0][1:])

    def find(self, rowid: int) -> Row | None:
        """As `row`, but None for one that is not there."""
        rows = self.host.execute(self._row_sql, (rowid,))
        return self._widened(rows[0][1:]) if rows else None

    def _widened(self, values: Sequence[Any]) -> Row:
        if len(self._kept) == self.configuration.n_columns:
            return tuple(values)
        row: list[Any] = [None] * self.configuration.n_columns
        for number, value in zip(self._kept, values):
            row[number] = value
        return tuple(row)

    def scan(self, lower: int | None, upper: int | None, is_descending: bool) -> Iterator[tuple[int, Row]]:
        """All rows by rowid; of a contentless table only the rowids are known."""
        configuration = self.configuration
        select, key = self._select, self._key
        if not configuration.has_own_content and not configuration.is_external:
            if not configuration.has_sizes:
                raise sqlite_error(1, f"{configuration.table_name}: table does not support scanning")
            select, key = f"SELECT id FROM {configuration.table_sql('docsize')}", "id"
        conditions = []
        values = []
        for bound, operator in ((lower, ">="), (upper, "<=")):
            if bound is not None:
                conditions.append(f"{key}{operator}?")
                values.append(bound)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        direction = "DESC" if is_descending else "ASC"
        for row in self.host.rows(f"{select}{where} ORDER BY {key} {direction}", values):
            yield row[0], self._widened(row[1:]) if len(row) > 1 else (None,) * configuration.n_columns

    def insert(self, rowid: int | None, values: Sequence[Any], replaces: bool = False) -> int:
        """Stores a row and returns its rowid; raises CONSTRAINT for one that is there already."""
        sql = self._replace_sql if replaces else self._insert_sql
        try:
            return self.host.change(sql, (rowid, *(values if self._keeps_all else [values[n] for n in self._kept])))
        except Error as error:
            if error.sqlite_errorcode & 0xFF != CONSTRAINT:
                raise
            raise sqlite_error(error.sqlite_errorcode) from error

    def delete(self, rowid: int) -> None:
        """Forgets a row and its size."""
        if self.configuration.has_own_content:
            self.host.execute(self._drop_row_sql, (rowid,))
        self.delete_sizes(rowid)

    # Sizes

    def put_sizes(self, rowid: int | None, sizes: Sequence[int], origin: int) -> int:
        """Stores the number of tokens of each column and returns the rowid."""
        data = encode_varint(sizes[0]) if len(sizes) == 1 else b"".join(map(encode_varint, sizes))
        values = (rowid, data, origin) if self.configuration.is_deletable else (rowid, data)
        return self.host.change(self._put_size_sql, values)

    def delete_sizes(self, rowid: int) -> None:
        """Forgets the size of a row."""
        if self.configuration.has_sizes:
            self.host.execute(self._drop_size_sql, (rowid,))

    def stored_sizes(self, rowid: int) -> list[int] | None:
        """The sizes in %_docsize, None if there are none."""
        rows = self.host.execute(self._size_sql, (rowid,))
        if not rows or not isinstance(rows[0][0], bytes):
            return None
        sizes = varints(rows[0][0])
        return sizes if len(sizes) == self.configuration.n_columns else None

    def origin(self, rowid: int) -> int | None:
        """The origin of a row of a table with contentless_delete=1, None if there is no such row."""
        rows = self.host.execute(self._origin_sql, (rowid,))
        return rows[0][0] if rows else None

    def many_sizes(self, rowids: Sequence[int], known: dict[int, list[int]]) -> dict[int, list[int]]:
        """The stored sizes of many rows; `known` has those of some, and gets the others."""
        missing = [rowid for rowid in rowids if rowid not in known]
        if len(missing) > _MANY and missing[-1] - missing[0] < _MANY * len(missing):
            # Close together: reading the rows between costs less than looking each up.
            for rowid, data in self.host.execute(self._all_sizes_sql, (missing[0], missing[-1])):
                if isinstance(data, bytes):
                    known[rowid] = [data[0]] if len(data) == 1 and data[0] < 0x80 else varints(data)
            missing = [rowid for rowid in missing if rowid not in known]
        for rowid in missing:
            sizes = self.stored_sizes(rowid)
            if sizes is None:
                raise corrupt()
            known[rowid] = sizes
        n = self.configuration.n_columns
        if any(len(known[rowid]) != n for rowid in rowids):
            raise corrupt()
        return known

    def sizes(self, rowid: int, context: RowContext) -> list[int]:
        """The sizes of a row's columns: stored, or counted, or (contentless without sizes) -1."""
        configuration = self.configuration
        if configuration.has_sizes:
            sizes = self.stored_sizes(rowid)
            if sizes is None:
                raise corrupt()
            return sizes
        if configuration.is_contentless:
            return [-1] * configuration.n_columns
        return [
            0 if is_unindexed else len(context.tokenize(context.column_text(number)))
            for number, is_unindexed in enumerate(configuration.is_unindexed)
        ]


def _shown(configuration: Configuration, table: str | None) -> str:
    return f"'{configuration.schema_name}'.'{table}'"
