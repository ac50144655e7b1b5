"""The integrity check: does the index hold just the tokens of the rows, with the sizes and totals that are stored?

Source: https://www.sqlite.org/fts5.html section 6.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import Error
from minisql.vtab.fts5.formats import COLUMN, FULL, decode_columns, decode_positions

if TYPE_CHECKING:
    from minisql.vtab.fts5.table import FtsTable

_Occurrence = tuple[bytes, int, int, int]


def check_index(table: FtsTable, with_external: bool) -> str | None:
    """None if everything is in order, else what is wrong.  The rows of an external content table count only if asked for."""
    try:
        indexed = _indexed(table)
        configuration = table.configuration
        if configuration.is_contentless or (configuration.is_external and not with_external):
            return None
        expected, problem = _expected(table)
        if problem is not None:
            return problem
        return None if indexed == expected else "the index does not fit the rows"
    except Error as error:
        return str(error)


def _indexed(table: FtsTable) -> set[_Occurrence]:
    """Everything in the index: (key, rowid, column, offset), -1 for what is not recorded."""
    detail = table.configuration.detail
    found: set[_Occurrence] = set()
    last = None
    for key, entries in table.index.keys_in(b"", None):
        if last is not None and key <= last:
            return set()
        last = key
        for rowid, _deleted, poslist in entries:
            if detail == FULL:
                found.update([(key, rowid, column, offset) for column, offset in decode_positions(poslist)])
            elif detail == COLUMN:
                found.update([(key, rowid, column, -1) for column in decode_columns(poslist)])
            else:
                found.add((key, rowid, -1, -1))
    return found


def _expected(table: FtsTable) -> tuple[set[_Occurrence], str | None]:
    """What the index should hold, and what is wrong with sizes and totals."""
    configuration = table.configuration
    detail = configuration.detail
    expected: set[_Occurrence] = set()
    totals = [0] * (configuration.n_columns + 1)
    for rowid, row in table.content.scan(None, None, False):
        columns, sizes = table.document(row)
        totals[0] += 1
        for number, size in enumerate(sizes, 1):
            totals[number] += size
        if configuration.has_sizes and table.content.stored_sizes(rowid) != sizes:
            return expected, "a stored size is wrong"
        for column, words, offsets in columns:
            for offset, word in enumerate(words) if offsets is None else zip(offsets, words):
                for key in table.index.keys_of(word.encode("utf-8", "surrogateescape")):
                    expected.add(
                        (key, rowid, column, offset)
                        if detail == FULL
                        else (key, rowid, column, -1)
                        if detail == COLUMN
                        else (key, rowid, -1, -1)
                    )
    if totals != table.totals():
        return expected, "the totals are wrong"
    return expected, None
