"""The rows of a full-text table: in %_content, in a table of somebody else's, or nowhere; %_docsize and the totals in %_stat.

Source: https://www.sqlite.org/fts3.html sections 6.2 and 9.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.vtab.fts3.formats import decode_numbers, encode_numbers
from minisql.vtab.shadow_tables import corrupt, literal, quoted

if TYPE_CHECKING:
    from minisql.vtab.fts3.configuration import Configuration
    from minisql.vtab.host import VtabHost

Row = tuple[Any, ...]
"""The values of the columns, then the language (None where the table has none)."""
_TOTALS, AUTOMERGE = 0, 2
"""Rows of %_stat."""


class Content:
    """Reads and writes rows, sizes and totals."""

    def __init__(self, host: VtabHost, configuration: Configuration) -> None:
        self.host = host
        self.configuration = configuration
        name = configuration.table_sql
        columns = configuration.columns
        if configuration.content is None:
            stored = [f"c{number}{column}" for number, column in enumerate(columns)]
            source, key = name("content"), "docid"
            language: str | None = "langid"
        else:
            stored = list(columns)
            source = f"{quoted(configuration.schema_name)}.{quoted(configuration.content)}"
            key, language = "rowid", configuration.language
        decode = configuration.uncompress
        shown = [f"x.{quoted(column)}" for column in stored]
        if decode is not None:
            shown = [f"{decode}({column})" for column in shown]
        shown.append(f"x.{quoted(language)}" if configuration.language and language else "NULL")
        self._select = f"SELECT {key}, {', '.join(shown)} FROM {source} AS x"
        self._row_sql = f"{self._select} WHERE {key}=?"
        self._key = key
        marks = ["?"] * len(columns)
        if configuration.compress is not None:
            marks = [f"{configuration.compress}(?)"] * len(columns)
        if configuration.language:
            marks.append("?")
        self._insert_sql = f"INSERT INTO {name('content')} VALUES({', '.join(['?', *marks])})"
        self._drop_sql = f"DELETE FROM {name('content')} WHERE docid=?"
        self._other_sql = f"SELECT 1 FROM {name('content')} WHERE docid!=? LIMIT 1"
        self._put_size_sql = f"REPLACE INTO {name('docsize')} VALUES(?, ?)"
        self._drop_size_sql = f"DELETE FROM {name('docsize')} WHERE docid=?"
        self._size_sql = f"SELECT size FROM {name('docsize')} WHERE docid=?"
        self._stat = name("stat")

    # Rows

    def find(self, docid: int) -> Row | None:
        """A row; None if it is not there.  A table without content has none that could be read."""
        if self.configuration.content == "":
            raise sqlite_error(ERROR)
        try:
            rows = self.host.execute(self._row_sql, (docid,))
        except Error as error:
            raise sqlite_error(error.sqlite_errorcode) from error
        return tuple(rows[0][1:]) if rows else None

    def row(self, docid: int) -> Row:
        """A row that the index has: NULLs where another table has lost it."""
        found = self.find(docid)
        if found is not None:
            return found
        if self.configuration.content is None:
            raise corrupt()
        return (None,) * (self.configuration.n_columns + 1)

    def scan(self, lower: int | None, upper: int | None, is_descending: bool) -> Iterator[tuple[int, Row]]:
        """All rows with docids between two bounds."""
        if self.configuration.content == "":
            raise sqlite_error(ERROR)
        where = ""
        if lower is not None or upper is not None:
            least = -(1 << 63) if lower is None else lower
            most = (1 << 63) - 1 if upper is None else upper
            where = f" WHERE {self._key} BETWEEN {least} AND {most}"
        order = "DESC" if is_descending else "ASC"
        try:
            rows = self.host.rows(f"{self._select}{where} ORDER BY {self._key} {order}")
        except Error as error:
            raise sqlite_error(error.sqlite_errorcode) from error
        for row in rows:
            yield row[0], tuple(row[1:])

    def insert(self, docid: int | None, values: Sequence[Any], language: Any) -> int:
        """Stores a row in %_content and returns its docid."""
        extra = (language,) if self.configuration.language else ()
        return self.host.change(self._insert_sql, (docid, *values, *extra))

    def delete(self, docid: int) -> None:
        """Forgets a row and its size."""
        if self.configuration.content is None:
            self.host.execute(self._drop_sql, (docid,))
        if self.configuration.has_sizes:
            self.host.execute(self._drop_size_sql, (docid,))

    def is_last(self, docid: int) -> bool:
        """Tells whether %_content holds no other row."""
        return self.configuration.content is None and not self.host.execute(self._other_sql, (docid,))

    # Sizes and totals

    def put_sizes(self, docid: int, sizes: Sequence[int]) -> None:
        """The number of tokens of each column of a row."""
        self.host.execute(self._put_size_sql, (docid, encode_numbers(sizes)))

    def sizes(self, docid: int) -> list[int]:
        """The number of tokens of each column of a row."""
        rows = self.host.execute(self._size_sql, (docid,))
        if not rows or not isinstance(rows[0][0], bytes):
            raise corrupt()
        return decode_numbers(rows[0][0], self.configuration.n_columns)

    def totals(self) -> list[int] | None:
        """The number of rows, of tokens by column, and of bytes; None if nothing is written."""
        rows = self.host.execute(f"SELECT value FROM {self._stat} WHERE id={_TOTALS}")
        if not rows or not isinstance(rows[0][0], bytes):
            return None
        return decode_numbers(rows[0][0], self.configuration.n_columns + 2)

    def change_totals(self, n_rows: int, added: Sequence[int], removed: Sequence[int]) -> None:
        """Counts rows and tokens in and out; nothing falls below zero."""
        totals = self.totals() or [0] * (self.configuration.n_columns + 2)
        changes = [n_rows, *(plus - minus for plus, minus in zip(added, removed))]
        totals = [max(total + change, 0) for total, change in zip(totals, changes)]
        self.put_stat(_TOTALS, encode_numbers(totals))

    def put_stat(self, number: int, value: Any) -> None:
        """Writes a row of %_stat."""
        self.host.execute(f"REPLACE INTO {self._stat} VALUES(?, ?)", (number, value))

    def automerge(self) -> int:
        """How many segments of a level are merged after a transaction; 0: none."""
        rows = self.host.execute(f"SELECT value FROM {self._stat} WHERE id={AUTOMERGE}")
        value = rows[0][0] if rows else 0
        return value if isinstance(value, int) else 0

    def has_stat(self) -> bool:
        """Tells whether there is a table %_stat: that of an FTS3 table comes with its first setting."""
        configuration = self.configuration
        name = literal(configuration.table_name + "_stat")
        schema = quoted(configuration.schema_name)
        return bool(self.host.execute(f"SELECT 1 FROM {schema}.sqlite_schema WHERE type='table' AND name={name}"))

    def create_stat(self) -> None:
        """Makes %_stat."""
        name = literal(self.configuration.table_name + "_stat")
        schema = literal(self.configuration.schema_name)
        self.host.execute(f"CREATE TABLE IF NOT EXISTS {schema}.{name}(id INTEGER PRIMARY KEY, value BLOB)")
