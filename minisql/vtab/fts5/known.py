"""What a connection remembers of a full-text table between two changes of its database: rows of terms, sizes, documents.

Nothing is remembered while this connection writes to the database, and everything is forgotten when the database may have
changed (`VtabHost.read_stamp`).  benchmarks/fts.py shows what it is worth: searches mostly decode the same doclists again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

_MAX_ROWS = 200_000
_MAX_SIZES = 100_000
_MAX_TOKENS = 200_000


class Known:
    """`terms` by what was looked for (rows, positions or counts by rowid), `sizes` by rowid, `documents` by rowid and column;
    `structure` and `averages` as they were decoded."""

    def __init__(self) -> None:
        self.terms: dict[Any, Any] = {}
        self.n_rows = 0
        self.sizes: dict[int, list[int]] = {}
        self.documents: dict[tuple[int, int], Document] = {}
        self.n_tokens = 0
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
        """Remembers a document, instead of all others if there are many, but not a very long one."""
        n_tokens = len(document.spans) + 1
        if n_tokens > _MAX_TOKENS // 10:
            return
        self.n_tokens += n_tokens
        if self.n_tokens > _MAX_TOKENS:
            self.documents.clear()
            self.n_tokens = n_tokens
        self.documents[rowid, column] = document

    def sizes_for(self, n_rows: int) -> dict[int, list[int]]:
        """The sizes that are known, to which so many rows may be added; others if that were too many."""
        if len(self.sizes) + n_rows > _MAX_SIZES:
            self.sizes = {}
        return self.sizes if n_rows <= _MAX_SIZES else {}


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
