"""Rows that were inserted and are not written yet, in the plain case: detail=full, no prefix indexes, ascending rowids.

The token at `offset` of `column` of row number n is kept as the number (n << 32) + (column << 20) + offset in the list of its
word: one append for each token, and no work for each word of each row until the segment is written (benchmarks/fts.py, build).

Source: https://www.sqlite.org/fts5.html section 9.2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from minisql.vtab.fts5.formats import encode_positions, encode_varint

_ROW_SHIFT, _COLUMN_SHIFT = 32, 20
_PLACE_MASK, _OFFSET_MASK = (1 << _ROW_SHIFT) - 1, (1 << _COLUMN_SHIFT) - 1
_N_SINGLE = 126
_SINGLE = [bytes((2, offset + 2)) for offset in range(_N_SINGLE)]
"""Size and poslist of a row with one token in column 0."""


class FreshRows:
    """Gathers inserted rows; `add` says whether a row could be taken."""

    def __init__(self) -> None:
        self.rowids: list[int] = []
        self.places: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, rowid: int, columns: Iterable[tuple[int, Sequence[str], Sequence[int] | None]]) -> bool:
        """Takes the columns (number, tokens, offsets) of a row; False if it does not fit in here."""
        rowids = self.rowids
        if rowids and rowid <= rowids[-1]:
            return False
        for _column, words, offsets in columns:
            if offsets is not None or len(words) > _OFFSET_MASK:
                return False
        base = len(rowids) << _ROW_SHIFT
        rowids.append(rowid)
        places = self.places
        for column, words, _offsets in columns:
            for place, word in enumerate(words, base + (column << _COLUMN_SHIFT)):
                places[word].append(place)
        return True

    def clear(self) -> None:
        """Forgets everything."""
        self.rowids = []
        self.places = defaultdict(list)

    def words(self) -> Iterator[tuple[str, list[int], list[bytes]]]:
        """For each word its rowids in order, and the size and poslist of each."""
        rowids = self.rowids
        for word, places in self.places.items():
            yield word, *_split(places, rowids)


def _split(places: list[int], rowids: list[int]) -> tuple[list[int], list[bytes]]:
    found: list[int] = []
    bodies: list[bytes] = []
    several: dict[int, list[int]] = {}
    last = -1
    first = 0
    for place in places:
        number = place >> _ROW_SHIFT
        if number != last:
            last = number
            first = place & _PLACE_MASK
            found.append(rowids[number])
            bodies.append(_SINGLE[first] if first < _N_SINGLE else _body([first]))
        else:
            known = several.get(len(bodies))
            if known is None:
                several[len(bodies)] = [first, place & _PLACE_MASK]
            else:
                known.append(place & _PLACE_MASK)
    for behind, parts in several.items():
        bodies[behind - 1] = _body(parts)
    return found, bodies


def _body(parts: list[int]) -> bytes:
    """Size and poslist of the places of one row."""
    if parts[-1] < _N_SINGLE and len(parts) < 60:
        body = [2 * len(parts)]
        last = 0
        for part in parts:
            body.append(part - last + 2)
            last = part
        return bytes(body)
    by_column: dict[int, list[int]] = {}
    for part in parts:
        by_column.setdefault(part >> _COLUMN_SHIFT, []).append(part & _OFFSET_MASK)
    poslist = encode_positions(list(by_column.items()))
    return encode_varint(2 * len(poslist)) + poslist
