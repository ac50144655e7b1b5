"""Auxiliary functions: what they can ask about the current row and query, and the built-in bm25, highlight and snippet.

A function of one's own is called with a `RowContext` and the arguments behind the table's name.

Source: https://www.sqlite.org/fts5.html sections 5 and 7.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.cast import to_integer, to_real, to_text
from minisql.vtab.fts5.formats import FULL, NONE
from minisql.vtab.fts5.known import Document
from minisql.vtab.fts5.matching import COLUMN_SHIFT
from minisql.vtab.fts5.tokenizers import AUXILIARY

if TYPE_CHECKING:
    from minisql.vtab.fts5.matching import Match
    from minisql.vtab.fts5.table import FtsTable

_OFFSET_MASK = (1 << COLUMN_SHIFT) - 1
K1, B = 1.2, 0.75
_LEAST_FREQUENCY = 1e-6

AuxiliaryFunction = Callable[..., Any]
Instance = tuple[int, int, int]
"""An occurrence of a phrase: number of the phrase, column, offset of its first token."""


class RowContext:
    """The current row of a scan, for auxiliary functions.  Columns and phrases count from 0, sizes are in tokens."""

    def __init__(self, table: FtsTable, match: Match | None) -> None:
        self.table = table
        self.match = match
        self.rowid = 0
        self.auxiliary_data: dict[str, Any] = {}
        self._instances: list[Instance] | None = None
        self._values: tuple[Any, ...] | None = None
        self._sizes: list[int] | None = None

    def move(self, rowid: int) -> None:
        """Makes a row the current one."""
        self.rowid = rowid
        self._instances = self._values = self._sizes = None

    # The table

    @property
    def column_count(self) -> int:
        """The number of columns."""
        return self.table.configuration.n_columns

    @property
    def row_count(self) -> int:
        """The number of rows of the table."""
        return self.table.totals()[0]

    def column_total_size(self, column: int = -1) -> int:
        """The tokens of a column in all rows, of all columns for -1."""
        totals = self.table.totals()
        if column < 0:
            return sum(totals[1:])
        if column >= self.column_count:
            raise IndexError(column)
        return totals[1 + column]

    def tokenize(self, text: str) -> list[tuple[str, int, int]]:
        """The tokens of a text with their places in characters."""
        return [item[:3] for item in self.table.configuration.tokenizer.tokenize(text, AUXILIARY)]

    # The query

    @property
    def phrase_count(self) -> int:
        """The number of phrases of the query."""
        return 0 if self.match is None else len(self.match.query.phrases)

    def phrase_size(self, phrase: int) -> int:
        """The number of tokens of a phrase."""
        if self.match is None:
            return 0
        return len(self.match.query.phrases[phrase].terms)

    def phrase_row_count(self, phrase: int) -> int:
        """The number of rows of the table that hold a phrase."""
        return 0 if self.match is None else self.match.hit_count(self.match.query.phrases[phrase])

    # The row

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of all columns."""
        if self._values is None:
            self._values = self.table.content.row(self.rowid)
        return self._values

    def column_text(self, column: int) -> str:
        """The text of a column ('' for NULL)."""
        value = self.values[column]
        return "" if value is None else to_text(value)

    def column_size(self, column: int = -1) -> int:
        """The tokens of a column of the row, of all columns for -1."""
        if self._sizes is None:
            known = self.table.index.memory.known()
            self._sizes = known.sizes.get(self.rowid) if known is not None else None
        if self._sizes is None:
            self._sizes = self.table.content.sizes(self.rowid, self)
            if known is not None:
                known.sizes_for(1)[self.rowid] = self._sizes
        if column < 0:
            return sum(self._sizes)
        return self._sizes[column]

    def document(self, column: int) -> Document:
        """The text of a column of the row with its tokens."""
        known = self.table.index.memory.known()
        found = known.documents.get((self.rowid, column)) if known is not None else None
        if found is None:
            text = self.column_text(column)
            found = Document(text, _spans(self, text))
            if known is not None:
                known.keep_document(self.rowid, column, found)
        return found

    @property
    def instances(self) -> list[Instance]:
        """All occurrences of the query's phrases in the row, by column and offset."""
        if self._instances is None:
            self._instances = self._found_instances()
        return self._instances

    def _found_instances(self) -> list[Instance]:
        match = self.match
        if match is None:
            return []
        if self.table.configuration.detail != FULL:
            return self._tokenized_instances(match)
        found = [
            (place, number) for number, places in enumerate(match.positions(self.rowid)) for place in places
        ]
        found.sort()
        return [(number, place >> COLUMN_SHIFT, place & _OFFSET_MASK) for place, number in found]

    def _tokenized_instances(self, match: Match) -> list[Instance]:
        """Without offsets in the index the text is tokenized again; nothing is found in a contentless table."""
        if self.table.configuration.is_contentless:
            return []
        allowed = match.word_columns(self.rowid, self.table.configuration.detail == NONE)
        found = []
        for column in range(self.column_count):
            if self.table.configuration.is_unindexed[column]:
                continue
            for offset, token in enumerate(self.tokenize(self.column_text(column))):
                for phrase, columns in zip(match.query.phrases, allowed):
                    if columns is None or column not in columns:
                        continue
                    term = phrase.terms[0]
                    if any(token[0].startswith(word) if term.is_prefix else token[0] == word for word in term.words):
                        found.append((phrase.number, column, offset))
        return found


# bm25


def bm25(context: RowContext, *weights: Any) -> float:
    """How well the row matches: the smaller the better.  `weights` by column, 1 where there is none."""
    known = context.auxiliary_data.get("bm25")
    if known is None:
        known = context.auxiliary_data["bm25"] = _statistics(context)
    frequencies, average = known
    counts = [0.0] * context.phrase_count
    for phrase, column, _offset in context.instances:
        counts[phrase] += to_real(weights[column]) if column < len(weights) else 1.0
    size = float(context.column_size())
    score = 0.0
    for frequency, count in zip(frequencies, counts):
        score += frequency * ((count * (K1 + 1.0)) / (count + K1 * (1 - B + B * size / average)))
    return -1.0 * score


def lone_ranks(context: RowContext, rowids: list[int]) -> dict[int, float] | None:
    """bm25 without weights of many rows at once; None unless the query is one phrase and the index knows where it stands."""
    match = context.match
    configuration = context.table.configuration
    group = match.lone_group() if match is not None and configuration.detail == FULL and configuration.has_sizes else None
    if group is None:
        return None
    (frequency,), average = _statistics(context)
    known = context.table.index.memory.known()
    sizes = context.table.content.many_sizes(rowids, known.sizes_for(len(rowids)) if known is not None else {})
    ranks = {}
    for rowid in rowids:
        count = float(group.n_hits(rowid))
        size = float(sum(sizes[rowid]))
        # The terms and their order are those of `bm25`.
        ranks[rowid] = -1.0 * (frequency * ((count * (K1 + 1.0)) / (count + K1 * (1 - B + B * size / average))))
    return ranks


def _statistics(context: RowContext) -> tuple[list[float], float]:
    """The inverse document frequency of each phrase, and the average size of a row."""
    n_rows = context.row_count
    average = context.column_total_size() / n_rows if n_rows else math.nan
    frequencies = []
    for phrase in range(context.phrase_count):
        hits = context.phrase_row_count(phrase)
        frequency = math.log((n_rows - hits + 0.5) / (hits + 0.5))
        frequencies.append(frequency if frequency > 0 else _LEAST_FREQUENCY)
    return frequencies, average or math.nan


# highlight


def highlight(context: RowContext, *arguments: Any) -> str | None:
    """The text of a column with marks around the phrases."""
    if len(arguments) != 3:
        raise sqlite_error(ERROR, "wrong number of arguments to function highlight()")
    column = to_integer(arguments[0])
    opening, closing = (_mark(argument) for argument in arguments[1:])
    if not 0 <= column < context.column_count:
        return ""
    if context.table.configuration.is_contentless and context.values[column] is None:
        return None
    return marked_text(context, column, context.document(column), opening, closing, 0, None)


def _mark(value: Any) -> str:
    return "" if value is None else to_text(value)


def merged_ranges(context: RowContext, column: int) -> list[tuple[int, int]]:
    """The token ranges [first, last] of the phrases in a column; those that overlap are one."""
    ranges: list[tuple[int, int]] = []
    for phrase, place, offset in context.instances:
        if place != column:
            continue
        last = offset + context.phrase_size(phrase) - 1
        if ranges and offset <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], last))
        else:
            ranges.append((offset, last))
    return ranges


def marked_text(
    context: RowContext, column: int, document: Document, opening: str, closing: str, start: int, end: int | None
) -> str:
    """The tokens [start, end] of a text (all to its end for None) with marks around the phrases among them."""
    text, spans = document.text, document.spans
    parts: list[str] = []
    copied = spans[start][0] if 0 < start < len(spans) else 0
    last = len(spans) - 1 if end is None else min(end, len(spans) - 1)
    for first_token, last_token in merged_ranges(context, column):
        if first_token < start:
            continue
        if first_token > last:
            break
        first = spans[first_token][0]
        if last_token > last and end is None:
            return "".join((*parts, text[copied:first], opening, text[first:], closing))
        behind = spans[min(last_token, last)][1]
        parts += (text[copied:first], opening, text[first:behind], closing)
        copied = behind
    if end is None or end >= len(spans) - 1:
        parts.append(text[copied:])
    elif start <= last:
        parts.append(text[copied : max(spans[last][1], copied)])
    return "".join(parts)


def _spans(context: RowContext, text: str) -> list[tuple[int, int]]:
    """Where the tokens of a text stand, synonyms left out."""
    tokenizer = context.table.configuration.tokenizer
    spans_of = getattr(tokenizer, "spans", None)
    if spans_of is not None:
        return spans_of(text)  # type: ignore[no-any-return]
    found = tokenizer.tokenize(text, AUXILIARY)
    return [(item[1], item[2]) for item in found if len(item) < 4 or not item[3]]
