"""The records of FTS5's shadow tables: varints, the structure record, averages and sizes, ids of pages, reading pages.

A segment's leaves hold keys and doclists: `segment_writer` makes them, `segment_reader` takes them apart.

Source: https://www.sqlite.org/fts5.html section 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from minisql.storage.varint import encode_varint, read_varint
from minisql.vtab.shadow_tables import corrupt

STRUCTURE_ID = 10  # the document has these two the wrong way round
AVERAGES_ID = 1
FULL, COLUMN, NONE = "full", "column", "none"
_MAGIC_V2 = b"\xff\x00\x00\x01"
_SEGMENT_SHIFT = 37
_TOMBSTONE_SEGMENT = 1 << 16


def page_id(segment: int, page: int) -> int:
    """The rowid in %_data of a leaf."""
    return (segment << _SEGMENT_SHIFT) + page


def tombstone_id(segment: int, page: int) -> int:
    """The rowid in %_data of a page of a segment's tombstone hash."""
    return ((segment + _TOMBSTONE_SEGMENT) << _SEGMENT_SHIFT) + page


# Varints


def varints(data: bytes) -> list[int]:
    """All varints of a record."""
    values = []
    place = 0
    end = len(data)
    try:
        while place < end:
            byte = data[place]
            if byte < 0x80:
                values.append(byte)
                place += 1
            else:
                value, place = read_varint(data, place)
                values.append(value)
    except IndexError:
        raise corrupt() from None
    return values


# Structure


class Segment:
    """A segment b-tree: its id, first and last leaf; for tables with contentless_delete=1 the range of origins, the number of
    tombstone pages, and of entries and tombstones."""

    __slots__ = ("first", "identifier", "last", "n_entries", "n_tombstone_pages", "n_tombstones", "origin_first", "origin_last")

    def __init__(self, identifier: int, first: int, last: int) -> None:
        self.identifier = identifier
        self.first = first
        self.last = last
        self.origin_first = 0
        self.origin_last = 0
        self.n_tombstone_pages = 0
        self.n_tombstones = 0
        self.n_entries = 0


class Structure:
    """The segments by level, oldest first in each; `n_written` counts leaves ever written; `merging` by level is the number of
    segments that C SQLite was merging when it stopped; `has_origins` for contentless_delete=1, with the `origin` counter."""

    __slots__ = ("cookie", "has_origins", "levels", "n_written", "origin")

    def __init__(self) -> None:
        self.cookie = 0
        self.levels: list[list[Segment]] = []
        self.n_written = 0
        self.has_origins = False
        self.origin = 0

    def newest_first(self) -> list[Segment]:
        """All segments, those with newer data first."""
        return [segment for level in self.levels for segment in reversed(level)]

    def unused_identifier(self) -> int:
        """A segment id that no segment has; raises FULL when there is none left."""
        taken = {segment.identifier for level in self.levels for segment in level}
        candidate = 1
        while candidate in taken:
            candidate += 1
        if candidate > 2000:
            raise corrupt()
        return candidate


def decode_structure(data: bytes) -> Structure:
    """Reads the structure record."""
    structure = Structure()
    try:
        structure.cookie = int.from_bytes(data[:4], "big")
        place = 4
        if data[4:8] == _MAGIC_V2:
            structure.has_origins = True
            place = 8
        n_levels, place = read_varint(data, place)
        n_segments, place = read_varint(data, place)
        structure.n_written, place = read_varint(data, place)
        if n_levels > 2000 or n_segments > 2000:
            raise corrupt()
        for _ in range(n_levels):
            _n_merge, place = read_varint(data, place)
            n_here, place = read_varint(data, place)
            level = []
            if n_here > 2000:
                raise corrupt()
            for _ in range(n_here):
                values = []
                for _ in range(8 if structure.has_origins else 3):
                    value, place = read_varint(data, place)
                    values.append(value)
                segment = Segment(*values[:3])
                if segment.last < segment.first:
                    raise corrupt()
                if structure.has_origins:
                    (
                        segment.origin_first, segment.origin_last, segment.n_tombstone_pages, segment.n_tombstones,
                        segment.n_entries,
                    ) = values[3:]  # fmt: skip
                    structure.origin = max(structure.origin, segment.origin_last)
                level.append(segment)
            structure.levels.append(level)
    except IndexError:
        raise corrupt() from None
    if sum(map(len, structure.levels)) != n_segments:
        raise corrupt()
    return structure


def encode_structure(structure: Structure) -> bytes:
    """The structure record."""
    parts = [structure.cookie.to_bytes(4, "big")]
    if structure.has_origins:
        parts.append(_MAGIC_V2)
    levels = structure.levels
    while levels and not levels[-1]:
        levels = levels[:-1]
    parts.append(encode_varint(len(levels)))
    parts.append(encode_varint(sum(map(len, levels))))
    parts.append(encode_varint(structure.n_written))
    for level in levels:
        parts.append(b"\x00" + encode_varint(len(level)))
        for segment in level:
            values = [segment.identifier, segment.first, segment.last]
            if structure.has_origins:
                values += [
                    segment.origin_first, segment.origin_last, segment.n_tombstone_pages, segment.n_tombstones,
                    segment.n_entries,
                ]  # fmt: skip
            parts += map(encode_varint, values)
    return b"".join(parts)


# Pages


def page_keys(page: bytes) -> list[int]:
    """The offsets of the keys on a leaf."""
    offsets = []
    offset = 0
    for delta in varints(page[int.from_bytes(page[2:4], "big") :]):
        offset += delta
        offsets.append(offset)
    return offsets


def check_page(page: bytes | None) -> bytes:
    """A leaf whose header makes sense; raises the error for a corrupt one."""
    if page is None or len(page) < 4:
        raise corrupt()
    footer = int.from_bytes(page[2:4], "big")
    if not 4 <= footer <= len(page) or int.from_bytes(page[:2], "big") > footer:
        raise corrupt()
    return page


# Entries of doclists, and poslists

Entry = tuple[int, bool, bytes]
"""A row of a doclist: rowid, whether older segments' entry of this row is deleted, poslist (detail=none: b'' or b'\\x00')."""


def encode_offsets(offsets: Sequence[int]) -> bytes:
    """The offsets of one column: the first plus 2, then differences plus 2."""
    parts = bytearray()
    last = -2
    for offset in offsets:
        delta = offset - last
        last = offset - 2
        if delta < 0x80:
            parts.append(delta)
        else:
            parts += encode_varint(delta)
    return bytes(parts)


def encode_positions(positions: Sequence[tuple[int, Sequence[int]]]) -> bytes:
    """A poslist of detail=full from (column, offsets) pairs in order of columns."""
    parts = bytearray()
    for column, offsets in positions:
        if column:
            parts.append(1)
            parts += encode_varint(column)
        parts += encode_offsets(offsets)
    return bytes(parts)


def encode_columns(columns: Sequence[int]) -> bytes:
    """A poslist of detail=column."""
    parts = bytearray()
    last = -2
    for column in columns:
        parts += encode_varint(column - last)
        last = column - 2
    return bytes(parts)


def decode_positions(data: bytes) -> list[tuple[int, int]]:
    """The (column, offset) pairs of a poslist of detail=full, in order."""
    result = []
    column = 0
    offset = 0
    place = 0
    end = len(data)
    try:
        while place < end:
            value = data[place]
            if value < 0x80:
                place += 1
            else:
                value, place = read_varint(data, place)
            if value == 1:
                column, place = read_varint(data, place)
                offset = 0
            else:
                offset += value - 2
                result.append((column, offset))
    except IndexError:
        raise corrupt() from None
    return result


def packed_positions(data: bytes) -> list[int]:
    """The positions of a poslist of detail=full as (column << 32) + offset."""
    if data.isascii() and 1 not in data:
        # One column, small differences.
        twice = range(2, 2 * len(data) + 2, 2)
        return [total - skipped for total, skipped in zip(accumulate(data), twice)]
    return [(column << 32) + offset for column, offset in decode_positions(data)]


def decode_columns(data: bytes) -> list[int]:
    """The columns of a poslist of detail=column."""
    columns = []
    column = 0
    for value in varints(data):
        column += value - 2
        columns.append(column)
    return columns
