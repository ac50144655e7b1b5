"""Writing a segment b-tree: keys with their doclists, in order, into leaves of about the configured size.

A leaf is a header (two 16-bit numbers: where its first rowid is if that lies before the first key, else 0; where the footer
begins), keys and doclists, and a footer with the differences between the offsets of its keys.  The first key of a leaf is
whole; others share a prefix with the key before.  The first rowid of a leaf, if it lies before the first key, is whole as well.

        first  footer | ...poslist  rowid poslist..  key doclist  key doclist.. | offsets of keys
        2 bytes 2 bytes

A poslist may go on on the next leaf, but a varint may not.  %_idx gets one row for each leaf with a key: the shortest prefix
of its first key that is behind every key before.

Source: https://www.sqlite.org/fts5.html section 9.2.4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import sub

from minisql.storage.varint import encode_varint, read_varint
from minisql.vtab.fts5.formats import NONE, Entry

_MAXIMUM_KEY_ROOM = 24
_N_VARINTS = 1 << 14
_VARINTS = [encode_varint(number) for number in range(_N_VARINTS)]


class SegmentWriter:
    """Writes one segment: `add` for every key, then `finish`.

    `write_page(number, bytes)` and `write_index(prefix, number)` store what is done; `last_page` is 0 if nothing was added.
    """

    def __init__(
        self,
        page_size: int,
        detail: str,
        write_page: Callable[[int, bytes], None],
        write_index: Callable[[bytes, int], None],
    ) -> None:
        self.page_size = page_size
        self.is_bare = detail == NONE
        self.write_page = write_page
        self.write_index = write_index
        self.last_page = 0
        self.n_entries = 0
        self._body = bytearray(4)
        self._footer = bytearray()
        self._last_offset = 0
        self._last_key = b""
        self._has_key = False
        self._has_rowid = False

    def add(self, key: bytes, entries: Sequence[Entry]) -> None:
        """Adds a key that is greater than all before, with its rows in order."""
        body = self._body
        if len(body) + len(self._footer) + len(key) + 2 >= self.page_size and len(body) > 4:
            self._flush()
            body = self._body
        self._add_key(key)
        last = 0
        is_first = True
        limit = self.page_size - _MAXIMUM_KEY_ROOM
        for rowid, is_deleted, poslist in entries:
            if len(body) + len(self._footer) >= limit:
                self._flush()
                body = self._body
            if not self._has_rowid and not self._has_key:
                body[0:2] = len(body).to_bytes(2, "big")
                self._has_rowid = True
                body += encode_varint(rowid)
            elif is_first:
                body += encode_varint(rowid)
            else:
                body += encode_varint(rowid - last)
            is_first = False
            last = rowid
            if self.is_bare:
                if is_deleted:
                    body += b"\x00\x00" if poslist else b"\x00"
                continue
            size = len(poslist) * 2 + is_deleted
            if size < 0x80:
                body.append(size)
            else:
                body += encode_varint(size)
            if len(body) + len(poslist) + len(self._footer) < self.page_size:
                body += poslist
            else:
                self._add_long(poslist)
                body = self._body
        self.n_entries += len(entries)

    def add_rows(self, key: bytes, rowids: Sequence[int], bodies: Sequence[bytes]) -> None:
        """As `add`, for rows of which none is deleted: `bodies` are the sizes of their poslists with these behind them."""
        if self.is_bare:
            self.add(key, [(rowid, False, body[read_varint(body, 0)[1] :]) for rowid, body in zip(rowids, bodies)])
            return
        if len(self._body) + len(self._footer) + len(key) + 2 >= self.page_size and len(self._body) > 4:
            self._flush()
        self._add_key(key)
        deltas = map(sub, rowids, (0, *rowids))
        if rowids[0] >= 0 and rowids[-1] < _N_VARINTS:
            chunks = list(map(bytes.__add__, map(_VARINTS.__getitem__, deltas), bodies))
        else:
            chunks = [
                (_VARINTS[delta] if 0 <= delta < _N_VARINTS else encode_varint(delta)) + body
                for delta, body in zip(deltas, bodies)
            ]
        self.n_entries += len(chunks)
        whole = b"".join(chunks)
        limit = self.page_size - _MAXIMUM_KEY_ROOM
        if len(self._body) + len(self._footer) + len(whole) < limit:
            self._body += whole
        else:
            self._add_chunks(chunks, rowids, bodies)

    def _add_chunks(self, chunks: list[bytes], rowids: Sequence[int], bodies: Sequence[bytes]) -> None:
        """Rows of a key that do not all fit on this leaf; a chunk is the difference of the rowids, then the body."""
        page_size = self.page_size
        limit = page_size - _MAXIMUM_KEY_ROOM
        ends = list(accumulate(map(len, chunks)))
        place, n = 0, len(chunks)
        while place < n:
            if len(self._body) + len(self._footer) >= limit:
                self._flush()
            body = self._body
            chunk = chunks[place]
            if not self._has_rowid and not self._has_key:
                body[0:2] = len(body).to_bytes(2, "big")
                self._has_rowid = True
                chunk = encode_varint(rowids[place]) + bodies[place]
            used = len(body) + len(self._footer) + len(chunk)
            if used >= page_size:
                self._add_cut(chunk)
                place += 1
                continue
            # Then all that begin before the limit, but for a last one that does not fit.
            stop = place + 1
            if used < limit:
                stop = min(bisect_left(ends, ends[place] + limit - used, stop) + 1, n)
                if used + ends[stop - 1] - ends[place] >= page_size:
                    stop -= 1
            body += chunk
            body += b"".join(chunks[place + 1 : stop])
            place = stop

    def _add_cut(self, chunk: bytes) -> None:
        """A row whose poslist goes on on the next leaf."""
        poslist = read_varint(chunk, read_varint(chunk, 0)[1])[1]
        self._body += chunk[:poslist]
        self._add_long(chunk[poslist:])

    def _add_key(self, key: bytes) -> None:
        body = self._body
        offset = len(body)
        if not self._has_key:
            self.write_index(self._separator(key), self.last_page + 1)
            body += encode_varint(len(key))
            body += key
        else:
            shared = _shared(self._last_key, key)
            body += encode_varint(shared)
            body += encode_varint(len(key) - shared)
            body += key[shared:]
        self._footer += encode_varint(offset - self._last_offset)
        self._last_offset = offset
        self._last_key = key
        self._has_key = True

    def _separator(self, key: bytes) -> bytes:
        """The shortest prefix of the key that is greater than the last key of the leaves before."""
        if not self.last_page and not self._has_key:
            return b""
        return key[: _shared(self._last_key, key) + 1]

    def _add_long(self, poslist: bytes) -> None:
        """A poslist that goes over the end of the leaf, cut between varints."""
        place = 0
        while place < len(poslist):
            room = self.page_size - len(self._body) - len(self._footer)
            stop = place
            while stop < len(poslist):
                _value, following = read_varint(poslist, stop)
                if following - place > room and stop > place:
                    break
                stop = following
            self._body += poslist[place:stop]
            place = stop
            if place < len(poslist):
                self._flush()

    def _flush(self) -> None:
        body = self._body
        body[2:4] = len(body).to_bytes(2, "big")
        self.last_page += 1
        self.write_page(self.last_page, bytes(body + self._footer))
        self._body = bytearray(4)
        self._footer = bytearray()
        self._last_offset = 0
        self._has_key = self._has_rowid = False

    def finish(self) -> None:
        """Writes the last leaf."""
        if len(self._body) > 4:
            self._flush()


def _shared(first: bytes, second: bytes) -> int:
    """The length of the common prefix."""
    limit = min(len(first), len(second))
    if first[:limit] == second[:limit]:
        return limit
    low = 0
    while first[low] == second[low]:
        low += 1
    return low
