"""Reading segment b-trees: the keys of a segment in order, or those from a key on, each with the rows of its doclist.

Source: https://www.sqlite.org/fts5.html section 9.2.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from minisql.storage.varint import read_varint
from minisql.vtab.fts5.formats import NONE, Entry, Segment, check_page, page_keys
from minisql.vtab.shadow_tables import corrupt, signed

Pages = Callable[[int], bytes]
"""Gives the leaf of a number."""


class SegmentReader:
    """Walks one segment; `page` fetches a leaf by its id in %_data, None if there is none."""

    def __init__(self, segment: Segment, detail: str, page: Callable[[int], bytes | None]) -> None:
        self.segment = segment
        self.detail = detail
        self._page = page

    def leaf(self, number: int) -> bytes:
        """A leaf of the segment."""
        return check_page(self._page(number))

    def keys(self, number: int, lower: bytes = b"") -> Iterator[tuple[bytes, list[Entry]]]:
        """The keys from leaf `number` on that are not below `lower`, with their rows.  Rows of keys below are not decoded."""
        last = self.segment.last
        key = b""
        page = self.leaf(number)
        footer = int.from_bytes(page[2:4], "big")
        offsets = page_keys(page)
        place = 0
        while True:
            if place == len(offsets):
                number += 1
                if number > last:
                    return
                page = self.leaf(number)
                footer = int.from_bytes(page[2:4], "big")
                offsets = page_keys(page)
                place = 0
                continue
            key, start = _read_key(page, offsets, place, key)
            place += 1
            if key < lower:
                continue
            end = offsets[place] if place < len(offsets) else footer
            chunks = _Chunks(self.detail)
            chunks.add(page, start, end)
            while place == len(offsets) and number < last:
                # The doclist of the last key of a leaf may go on.
                page = self.leaf(number + 1)
                offsets = page_keys(page)
                footer = int.from_bytes(page[2:4], "big")
                number += 1
                place = 0
                stop = offsets[0] if offsets else footer
                chunks.add_continuation(page, stop)
            yield key, chunks.finished()


def _read_key(page: bytes, offsets: list[int], place: int, before: bytes) -> tuple[bytes, int]:
    """The key at an offset, and where its doclist begins."""
    start = offsets[place]
    try:
        shared = 0
        if place:
            shared, start = read_varint(page, start)
        size, start = read_varint(page, start)
    except IndexError:
        raise corrupt() from None
    if shared > len(before) or start + size > len(page):
        raise corrupt()
    return before[:shared] + page[start : start + size], start + size


class _Chunks:
    """Puts the rows of one doclist together from its pieces on several leaves."""

    __slots__ = ("entries", "is_bare", "missing")

    def __init__(self, detail: str) -> None:
        self.entries: list[Entry] = []
        self.is_bare = detail == NONE
        self.missing = 0

    def add(self, page: bytes, start: int, end: int) -> None:
        """The piece behind a key, or from the first rowid of a leaf on; its first rowid is whole."""
        if self.is_bare:
            self._add_bare(page, start, end)
            return
        rowid = 0
        entries = self.entries
        place = start
        try:
            while place < end:
                delta = page[place]
                if delta < 0x80:
                    place += 1
                else:
                    delta, place = read_varint(page, place)
                rowid += delta
                size = page[place]
                if size < 0x80:
                    place += 1
                else:
                    size, place = read_varint(page, place)
                stop = place + (size >> 1)
                if stop > end:
                    self.missing = stop - end
                    stop = end
                if rowid >> 63:
                    rowid &= 0xFFFFFFFFFFFFFFFF
                    entries.append((signed(rowid), size & 1 == 1, page[place:stop]))
                else:
                    entries.append((rowid, size & 1 == 1, page[place:stop]))
                place = stop
        except IndexError:
            raise corrupt() from None

    def _add_bare(self, page: bytes, start: int, end: int) -> None:
        rowid = 0
        place = start
        try:
            while place < end:
                delta, place = read_varint(page, place)
                rowid = (rowid + delta) & 0xFFFFFFFFFFFFFFFF
                is_deleted = place < end and page[place] == 0
                has_content = True
                if is_deleted:
                    place += 1
                    has_content = place < end and page[place] == 0
                    place += has_content
                self.entries.append((signed(rowid), is_deleted, b"\x00" if has_content else b""))
        except IndexError:
            raise corrupt() from None

    def add_continuation(self, page: bytes, end: int) -> None:
        """The piece at the beginning of a further leaf: the rest of a poslist, then rows."""
        first = int.from_bytes(page[:2], "big")
        stop = first or end
        if stop > end or (first and first < 4):
            raise corrupt()
        rest = page[4:stop]
        if rest:
            if len(rest) > self.missing or not self.entries:
                raise corrupt()
            rowid, is_deleted, poslist = self.entries[-1]
            self.entries[-1] = (rowid, is_deleted, poslist + rest)
            self.missing -= len(rest)
        if first:
            if self.missing:
                raise corrupt()
            self.add(page, first, end)

    def finished(self) -> list[Entry]:
        """The rows; raises for a poslist that ends too early."""
        if self.missing:
            raise corrupt()
        return self.entries
