"""Rows that were inserted and are not written yet, in the plain case: detail=full, no prefix indexes, ascending rowids.

Tokens are counted through all rows and columns: a word's list has the numbers of its places, one append for each token, and
nothing is done for each word of each row until the segment is written.  Then two lists with an item for each place, its rowid
and the poslist of a row with this token only, are read for all places of a word at once; just the rows that have a word more
than once take steps of Python of their own (benchmarks/fts.py, build).

        place      0    1    2    3    4 ...
        token      the  cat  the  a    cat       places["the"] = [0, 2], places["cat"] = [1, 4]
        rowid_at   7    7    7    9    9
        body_at    the size of the poslist and the poslist of a token at offset 0, 1, 2, 0, 1

Source: https://www.sqlite.org/fts5.html section 9.2.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, compress, repeat
from operator import itemgetter, ne, not_, sub

from minisql.storage.varint import encode_varint
from minisql.vtab.fts5.formats import encode_positions

_N_OFFSETS_KEPT = 1 << 10
_N_COLUMNS_KEPT = 16
_N_EXTENDED = 1 << 14
_MAXIMUM_SIZE = 0x7E
_NO_PLACES = array("I")


class FreshRows:
    """Gathers inserted rows; `add` says whether a row could be taken."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets everything."""
        self.rowids: list[int] = []
        self._places: defaultdict[str, array[int]] = defaultdict(_NO_PLACES.__copy__)
        # The columns of all rows: their rowids and numbers, and the places of their first tokens.
        self._owners: list[int] = []
        self._columns: list[int] = []
        self._starts: list[int] = [0]

    @property
    def n_tokens(self) -> int:
        """The number of all tokens."""
        return self._starts[-1]

    def add(self, rowid: int, columns: Sequence[tuple[int, Sequence[str], Sequence[int] | None]]) -> bool:
        """Takes the columns (number, tokens, offsets) of a row; False if it does not fit in here."""
        rowids = self.rowids
        if rowids and rowid <= rowids[-1]:
            return False
        for _column, _words, offsets in columns:
            if offsets is not None:
                return False
        rowids.append(rowid)
        places = self._places
        for column, words, _offsets in columns:
            start = self._starts[-1]
            for place, word in enumerate(words, start):
                places[word].append(place)
            self._owners.append(rowid)
            self._columns.append(column)
            self._starts.append(start + len(words))
        return True

    def words(self) -> Iterator[tuple[bytes, Sequence[int], Sequence[bytes]]]:
        """For each word, in the order of their bytes, its rowids in order, and the size and poslist of each."""
        lengths = list(map(sub, self._starts[1:], self._starts))
        rowid_at = list(chain.from_iterable(map(repeat, self._owners, lengths)))
        body_at = list(chain.from_iterable(map(_bodies, self._columns, lengths)))
        joiner = _Joiner(self._columns, self._starts, len(self._columns) == len(self.rowids))
        keys = sorted([(word.encode("utf-8", "surrogateescape"), word) for word in self._places])
        for key, word in keys:
            places = self._places[word].tolist()
            if len(places) == 1:
                yield key, (rowid_at[places[0]],), (body_at[places[0]],)
                continue
            take = itemgetter(*places)
            rowids, bodies = take(rowid_at), take(body_at)
            are_first = [True, *map(ne, rowids[1:], rowids)]
            if all(are_first):
                yield key, rowids, bodies
            else:
                joined = joiner.join(places, list(bodies), list(compress(range(len(places)), map(not_, are_first))))
                yield key, list(compress(rowids, are_first)), list(compress(joined, are_first))


class _Joiner:
    """Makes one poslist of those of the tokens of a row; `starts` are the places of the first tokens of the columns."""

    def __init__(self, columns: list[int], starts: list[int], has_one_column: bool) -> None:
        self.columns = columns
        self.starts = starts
        self.has_one_column = has_one_column

    def join(self, places: list[int], bodies: list[bytes], repeated: list[int]) -> list[bytes]:
        """The bodies, with that of the first place of each row for all of them.

        `repeated` are the indexes of places in the row of the place before.
        """
        extended = _extended
        has_one_column = self.has_one_column
        head = last = -1
        odd = set()
        for i in repeated:
            if i != last + 1:
                head = i - 1
            last = i
            if has_one_column or self._column_at(places[i - 1]) == self._column_at(places[i]):
                bodies[head] = extended[bodies[head], places[i] - places[i - 1]]
            else:
                bodies[head] = b""
            if not bodies[head]:
                odd.add(head)
        is_repeated = set(repeated)
        for head in odd:
            end = head + 1
            while end in is_repeated:
                end += 1
            bodies[head] = self._body(places[head:end])
        return bodies

    def _column_at(self, place: int) -> int:
        return bisect_right(self.starts, place) - 1

    def _body(self, places: list[int]) -> bytes:
        """Size and poslist of the places of one row."""
        by_column: dict[int, list[int]] = {}
        for place in places:
            number = self._column_at(place)
            by_column.setdefault(self.columns[number], []).append(place - self.starts[number])
        poslist = encode_positions(list(by_column.items()))
        return encode_varint(2 * len(poslist)) + poslist


class _Extended(dict[tuple[bytes, int], bytes]):
    """Size and poslist with one more token, so far behind the last one; empty if a size or a distance takes two bytes."""

    def __missing__(self, key: tuple[bytes, int]) -> bytes:
        body, distance = key
        if len(self) >= _N_EXTENDED:
            self.clear()
        is_small = body and body[0] < _MAXIMUM_SIZE and distance < _MAXIMUM_SIZE
        result = self[key] = bytes((body[0] + 2, *body[1:], distance + 2)) if is_small else b""
        return result


_extended = _Extended()
_kept: dict[int, list[bytes]] = {}


def _bodies(column: int, n: int) -> list[bytes]:
    """Size and poslist of rows with one token, at the first n offsets of a column."""
    kept = _kept.get(column)
    if kept is None:
        kept = [_body_of_one(column, offset) for offset in range(_N_OFFSETS_KEPT)]
        if column < _N_COLUMNS_KEPT:
            _kept[column] = kept
    if n <= _N_OFFSETS_KEPT:
        return kept[:n]
    return kept + [_body_of_one(column, offset) for offset in range(_N_OFFSETS_KEPT, n)]


def _body_of_one(column: int, offset: int) -> bytes:
    poslist = encode_positions([(column, [offset])])
    return bytes((2 * len(poslist),)) + poslist
