"""The current row of a scan, as the functions snippet, offsets and matchinfo see it.

Source: https://www.sqlite.org/fts3.html section 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.values.cast import to_text
from minisql.vtab.fts3.expression import Phrase, reported_phrases
from minisql.vtab.fts3.formats import COLUMN_SHIFT

if TYPE_CHECKING:
    from minisql.vtab.fts3.content import Row
    from minisql.vtab.fts3.matching import Match
    from minisql.vtab.fts3.table import FtsTable

_OFFSET_MASK = (1 << COLUMN_SHIFT) - 1


class RowContext:
    """A scan and its current row.  `match` is None for a scan without a query."""

    def __init__(self, table: FtsTable, match: Match | None, is_descending: bool = False) -> None:
        self.is_descending = is_descending
        self.table = table
        self.match = match
        self.docid = 0
        self.phrases: list[Phrase] = [] if match is None else reported_phrases(match.root)
        self.known: dict[Any, Any] = {}
        self._values: Row | None = None
        self._places: dict[int, dict[int, list[int]]] = {}

    @property
    def is_query(self) -> bool:
        """Whether there is a query with at least one token."""
        return self.match is not None and self.match.root is not None

    @property
    def n_columns(self) -> int:
        """The number of columns of text."""
        return self.table.configuration.n_columns

    def move(self, docid: int, values: Row | None) -> None:
        """Makes a row the current one; `values` where they are known."""
        self.docid = docid
        self._values = values
        if self._places:
            self._places = {}

    @property
    def values(self) -> Row:
        """The values of the columns, and the language."""
        if self._values is None:
            self._values = self.table.content.row(self.docid)
        return self._values

    def has_lost_row(self) -> bool:
        """Whether the table of somebody else's that holds the rows does not have this one."""
        return bool(self.table.configuration.content) and self.is_query and self.table.content.find(self.docid) is None

    def text(self, column: int) -> str | None:
        """The text of a column, None for NULL."""
        value = self.values[column]
        return None if value is None else to_text(value)

    def live_hits(self) -> list[tuple[int, dict[int, int]]]:
        """For each phrase of a branch that matches its number, and how often it stands in the columns that have it.

        SQLite does not number the phrases to the right of NOT: they pass for the first one.
        """
        match = self.match
        assert match is not None, "only queries have phrases"
        numbers = {id(phrase): number for number, phrase in enumerate(self.phrases)}
        hits = []
        for phrase in match.live_phrases(self.docid):
            by_column: dict[int, int] = {}
            for position in match.positions(phrase, self.docid):
                column = position >> COLUMN_SHIFT
                by_column[column] = by_column.get(column, 0) + 1
            hits.append((numbers.get(id(phrase), 0), by_column))
        return hits

    def places(self, number: int, column: int) -> list[int]:
        """The offsets of the last word of a phrase in a column of the row."""
        by_column = self._places.get(number)
        if by_column is None:
            by_column = self._places[number] = {}
            assert self.match is not None, "only queries have phrases"
            for position in self.match.positions(self.phrases[number], self.docid):
                by_column.setdefault(position >> COLUMN_SHIFT, []).append(position & _OFFSET_MASK)
        return by_column.get(column, [])
