"""What a connection remembers of a full-text table between two changes of its database: rows of terms, sizes, documents.

Nothing is remembered while this connection writes to the database, and everything is forgotten when the database may have
changed (`VtabHost.read_stamp`).  benchmarks/fts.py shows what it is worth: searches mostly decode the same doclists again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

_MAX_ROWS = 500_000
_MAX_DOCUMENTS = 2_000


class Known:
    """`terms` by what was looked for (rows, positions or counts by rowid), `sizes` by rowid, `documents` by rowid and column;
    `structure` and `averages` as they were decoded."""

    def __init__(self) -> None:
        self.terms: dict[Any, Any] = {}
        self.n_rows = 0
        self.sizes: dict[int, list[int]] = {}
        self.documents: dict[tuple[int, int], Document] = {}
        self.structure: Any = None
        self.averages: list[int] | None = None

    def keep_term(self, key: Any, rows: dict[int, Any]) -> None:
        """Remembers what was found for a key; when that becomes too much everything is forgotten first."""
        self.n_rows += len(rows)
        if self.n_rows > _MAX_ROWS:
            self.terms.clear()
            self.n_rows = len(rows)
        self.terms[key] = rows

    def keep_document(self, rowid: int, column: int, document: Document) -> None:
        """Remembers a document, instead of all others if there are many."""
        if len(self.documents) >= _MAX_DOCUMENTS:
            self.documents.clear()
        self.documents[rowid, column] = document


class Document:
    """The text of a column of a row, the (start, end) of its tokens in characters, and the tokens that begin sentences."""

    __slots__ = ("sentences", "spans", "text")

    def __init__(self, text: str, spans: list[tuple[int, int]]) -> None:
        self.text = text
        self.spans = spans
        self.sentences: list[int] | None = None


class Memory:
    """Holds the `Known` of one table as long as it is true."""

    def __init__(self, host: VtabHost) -> None:
        self.host = host
        self._stamp: tuple[int, int] | None = None
        self._known = Known()

    def known(self) -> Known | None:
        """What is remembered; None while the database is being written."""
        stamp = self.host.read_stamp()
        if stamp is None:
            return None
        if stamp != self._stamp:
            self._stamp = stamp
            self._known = Known()
        return self._known

    def forget(self) -> None:
        """Forgets everything."""
        self._stamp = None
        self._known = Known()
