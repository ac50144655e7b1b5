"""Reading what is left of a damaged database: pages and records without trust in anything around them.

Goes through the pages of a file by number; a page that looks like part of a b-tree gives its cells, a cell its rowid and
values, and what does not make sense is left out.  Nothing here raises for what the bytes say.  Which page belongs to which
tree is found from the pointers between pages, as far as they are there.

Source: https://www.sqlite.org/fileformat2.html, https://www.sqlite.org/recovery.html.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress

from minisql.errors import Error
from minisql.storage.btree import BtreeFile
from minisql.storage.header import ENCODINGS, FREELIST_TRUNK, META, META_ENCODING, RESERVED_BYTES, page_size_of, read_u32
from minisql.storage.node import INDEX_INTERIOR, INDEX_LEAF, TABLE_INTERIOR, TABLE_LEAF, local_size, max_local
from minisql.storage.record import decode_text, serial_type_size
from minisql.storage.varint import read_signed_varint, read_varint
from minisql.storage.vfs import OsVfs

_KINDS = (INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF)
_INTERIOR = (INDEX_INTERIOR, TABLE_INTERIOR)

SalvagedRow = tuple[int | None, tuple[object, ...]]
"""(rowid or None for an entry of an index or a WITHOUT ROWID table, values)."""


class Wreck:
    """The pages of a damaged file.  `parents` maps each page that another one points to onto that one."""

    def __init__(self, pages: Sequence[bytes], reserved_bytes: int, encoding: str, freelist_trunk: int) -> None:
        self.pages = pages
        self.page_size = len(pages[0]) if pages else 512
        self.usable = max(self.page_size - reserved_bytes, 480)
        self.encoding = encoding
        self.freelist_trunk = freelist_trunk
        self.parents: dict[int, int] = {}
        self.overflow_pages: set[int] = set()
        for number in range(1, len(pages) + 1):
            for child in self.children(number):
                self.parents.setdefault(child, number)

    @staticmethod
    def open(path: str) -> Wreck:
        """Reads the pages through the pager (which knows a log), else as the file has them; raises SQLITE_CANTOPEN."""
        with suppress(Error):
            return _read_by_pager(path)
        file = OsVfs().open(path, create=False, read_only=True, lock=False)
        try:
            data = file.read(file.size(), 0)
        finally:
            file.close()
        header = data[:100].ljust(100, b"\0")
        page_size = page_size_of(header) or _guess_page_size(data)
        pages = [data[at : at + page_size].ljust(page_size, b"\0") for at in range(0, len(data), page_size)]
        encoding = ENCODINGS[read_u32(header, META + 4 * META_ENCODING) & 3]
        reserved = header[RESERVED_BYTES] if page_size - header[RESERVED_BYTES] >= 480 else 0
        return Wreck(pages, reserved, encoding, read_u32(header, FREELIST_TRUNK))

    def kind(self, number: int) -> int:
        """The b-tree kind of a page (2, 5, 10, 13), 0 when it is none."""
        if not 1 <= number <= len(self.pages):
            return 0
        kind = self.pages[number - 1][100 if number == 1 else 0]
        return kind if kind in _KINDS else 0

    def _cells(self, number: int) -> Iterator[int]:
        """The offsets of a page's cells, those outside the page left out."""
        data = self.pages[number - 1]
        first = 100 if number == 1 else 0
        start = first + (12 if data[first] in _INTERIOR else 8)
        count = int.from_bytes(data[first + 3 : first + 5], "big")
        for i in range(min(count, (self.usable - start) // 2)):
            at = int.from_bytes(data[start + 2 * i : start + 2 * i + 2], "big")
            if start <= at < self.usable:
                yield at

    def children(self, number: int) -> list[int]:
        """The pages that an interior page points to."""
        if self.kind(number) not in _INTERIOR:
            return []
        data = self.pages[number - 1]
        first = 100 if number == 1 else 0
        found = [read_u32(data, at) for at in self._cells(number)]
        found.append(read_u32(data, first + 8))
        return [child for child in found if 1 < child <= len(self.pages) and child != number]

    def tree(self, root: int) -> list[int]:
        """The pages of a tree in the order of its keys, each once."""
        seen: dict[int, None] = {}
        stack = [root]
        while stack:
            number = stack.pop()
            if number not in seen and self.kind(number):
                seen[number] = None
                stack.extend(reversed(self.children(number)))
        return list(seen)

    def root_of(self, number: int) -> int:
        """The page at the end of the way up from a page."""
        seen = {number}
        while number in self.parents and self.parents[number] not in seen:
            number = self.parents[number]
            seen.add(number)
        return number

    def freelist(self) -> set[int]:
        """The pages of the freelist."""
        seen: set[int] = set()
        trunk = self.freelist_trunk
        while 1 <= trunk <= len(self.pages) and trunk not in seen:
            seen.add(trunk)
            data = self.pages[trunk - 1]
            count = min(read_u32(data, 4), self.usable // 4 - 2)
            seen.update(read_u32(data, 8 + 4 * i) for i in range(count))
            trunk = read_u32(data, 0)
        return seen

    def rows(self, number: int) -> Iterator[SalvagedRow]:
        """The rows of a leaf, or the entries of an index page, that can be read."""
        kind = self.kind(number)
        if kind in (0, TABLE_INTERIOR):
            return
        data = self.pages[number - 1]
        for at in self._cells(number):
            try:
                at += 4 * (kind == INDEX_INTERIOR)
                size, at = read_varint(data, at)
                rowid: int | None = None
                if kind == TABLE_LEAF:
                    rowid, at = read_signed_varint(data, at)
                payload = self._payload(data, at, size, kind == TABLE_LEAF)
                values = self._values(payload)
            except (IndexError, ValueError):
                continue
            if values:
                yield rowid, values

    def _payload(self, data: bytes, at: int, size: int, is_table_leaf: bool) -> bytes:
        """Joins a payload; what its chain of overflow pages lacks is missing at the end."""
        if size > self.page_size * len(self.pages):
            raise ValueError
        largest = max_local(self.usable, is_table_leaf)
        if size <= largest:
            return data[at : min(at + size, self.usable)]
        end = at + local_size(size, self.usable, largest)
        parts = [data[at:end]]
        n_left = size - (end - at)
        number = read_u32(data, end)
        seen: set[int] = set()
        while n_left > 0 and 1 <= number <= len(self.pages) and number not in seen:
            seen.add(number)
            page = self.pages[number - 1]
            parts.append(page[4 : 4 + min(n_left, self.usable - 4)])
            n_left -= self.usable - 4
            number = read_u32(page, 0)
        self.overflow_pages |= seen
        return b"".join(parts)

    def _values(self, payload: bytes) -> tuple[object, ...]:
        """The values of a record, up to the first that is not wholly there."""
        header_size, at = read_varint(payload, 0)
        if not at <= header_size <= len(payload):
            raise ValueError
        values: list[object] = []
        body = header_size
        while at < header_size:
            serial_type, at = read_varint(payload, at)
            end = body + serial_type_size(serial_type)
            if end > len(payload):
                if not values:
                    raise ValueError
                break
            values.append(_value(serial_type, payload[body:end], self.encoding))
            body = end
        return tuple(values)


def _read_by_pager(path: str) -> Wreck:
    file = BtreeFile.open(path, create=False, read_only=True)
    try:
        file.begin_read()
        pager = file.pager
        # Damaged files may be longer than their header says, and the pages behind hold rows as well.
        n_pages = max(pager.n_pages, (pager.file.size() if pager.file is not None else 0) // pager.page_size)
        pages = [pager.read_page_bytes(number) for number in range(1, n_pages + 1)]
        wreck = Wreck(pages, pager.reserved_bytes, file.encoding, read_u32(pager.header, FREELIST_TRUNK))
        file.end_read()
    finally:
        file.close()
    return wreck


def _guess_page_size(data: bytes) -> int:
    """The page size by which most pages look like part of a b-tree, for a file whose header is gone."""

    def share(page_size: int) -> float:
        starts = range(page_size, len(data), page_size)
        return sum(data[at] in _KINDS for at in starts) / max(len(starts), 1)

    return max((4096, 1024, 512, 2048, 8192, 16384, 32768, 65536), key=share)


def _value(serial_type: int, data: bytes, encoding: str) -> object:


    if serial_type >= 12:
        return decode_text(data, encoding) if serial_type & 1 else data
    if serial_type in (8, 9):
        return serial_type - 8
    if serial_type == 7:
        number: float = struct.unpack(">d", data)[0]
        return number if number == number else None
    return int.from_bytes(data, "big", signed=True) if 1 <= serial_type <= 6 else None
