"""Leaves of table b-trees: from the bytes of a page to rowids and rows.

Most leaves are alike throughout: payloads under 128 bytes, rowids of one varint length, record headers of one length.  Their
cells are cut by one struct each, and a record of numbers behind the rowid column is unpacked without a further call.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from operator import itemgetter, ne
from struct import Struct
from typing import Any

from minisql.storage.corruption import corrupt
from minisql.storage.node import TableLeaf, cell_offsets
from minisql.storage.overflow import join_payload
from minisql.storage.pager import Pager
from minisql.storage.record import Decoder, RecordCodec, Row
from minisql.storage.varint import read_signed_varint, read_varint

_FEW_CELLS = 8

_cell_head = Struct("4B").unpack_from


def _never(data: bytes, at: int, rowid: int) -> Row:
    raise AssertionError("no decoder for this header")


_NOT_KNOWN: tuple[int, Decoder] = (1 << 32, _never)


def decode_page(pager: Pager, leaf: TableLeaf, codec: RecordCodec) -> None:
    """Fills `rowids` and `rows` of a leaf from its page.

    Raises SQLITE_CORRUPT, IndexError, ValueError or RecordError for cells that make no sense.
    """
    data = leaf.data
    assert data is not None
    usable = pager.usable
    offsets = cell_offsets(data, leaf.number, usable)
    if len(offsets) >= _FEW_CELLS and usable == len(data) and _decode_alike(leaf, data, offsets, codec):
        return
    largest = usable - 35
    rowids: list[int] = []
    rows: list[Row] = []
    add_rowid, add_row, known_decoder = rowids.append, rows.append, codec.decoders.get
    for at in offsets:
        # Sizes of one byte and rowids of up to three are read here, the rest in `varint` (benchmark scan_cold).
        size, rowid, second, third = _cell_head(data, at)
        if size >= 0x80:
            size, at = read_varint(data, at)
            rowid, at = read_signed_varint(data, at)
        elif rowid < 0x80:
            at += 2
        elif second < 0x80:
            rowid = (rowid & 0x7F) << 7 | second
            at += 3
        elif third < 0x80:
            rowid = (rowid & 0x7F) << 14 | (second & 0x7F) << 7 | third
            at += 4
        else:
            rowid, at = read_signed_varint(data, at + 1)
        if size > largest:
            payload = join_payload(pager, data, at, size, True)
            add_row(codec.decode(payload, 0, size, rowid))
        else:
            end = at + size
            if end > usable:
                raise corrupt(leaf.number, "cell runs off the page")
            body = at + data[at]
            body_size, decode = known_decoder(data[at:body], _NOT_KNOWN)
            if body + body_size == end:
                add_row(decode(data, body, rowid))
            else:
                add_row(codec.decode(data, at, end, rowid))
        add_rowid(rowid)
    leaf.rowids = rowids
    leaf.rows = rows


@lru_cache(200)
def _cell_struct(n_rowid: int, n_header: int) -> Any:
    """What cuts a cell into (payload size, first bytes of the rowid, its last byte, record header)."""
    return Struct(f">B{'B' if n_rowid == 2 else 'H'}B{n_header}s").unpack_from


def _rowid_length(data: bytes, at: int) -> int:
    """The bytes of a rowid's varint, 2 or 3; 0 for others and for a cell whose size takes more than one byte."""
    size, first, second, third = _cell_head(data, at)
    if size >= 0x80 or first < 0x80:
        return 0
    return 2 if second < 0x80 else 3 if third < 0x80 else 0


def _decode_alike(leaf: TableLeaf, data: bytes, offsets: tuple[int, ...], codec: RecordCodec) -> bool:
    """As decode_page for a page whose cells are alike; False, with nothing done, for every other one."""
    # Rowids ascend, so those between the first and the last are of the same length.
    n_rowid = _rowid_length(data, offsets[0])
    if not n_rowid or n_rowid != _rowid_length(data, offsets[-1]):
        return False
    n_lead = 1 + n_rowid
    n_header = data[offsets[0] + n_lead]
    n_head = n_lead + n_header
    cut = _cell_struct(n_rowid, n_header)
    rowids: list[int] = []
    rows: list[Row] = []
    add_rowid, add_row = rowids.append, rows.append
    known_unpacker, known_decoder = codec.unpackers.get, codec.decoders.get
    try:
        for at in offsets:
            size, high, low, header = cut(data, at)
            rowid = (high >> 1 & 0x3F80 | high & 0x7F) << 7 | low
            add_rowid(rowid)
            unpacker = known_unpacker(header)
            if unpacker is not None and unpacker[0] == size:
                add_row((rowid, *unpacker[1](data, at + n_head)))
                continue
            if size >= 0x80:
                return False
            body_size, decode = known_decoder(header, _NOT_KNOWN)
            if body_size + n_header == size:
                add_row(decode(data, at + n_head, rowid))
            else:
                add_row(codec.decode(data, at + n_lead, at + n_lead + size, rowid))
    except struct.error:
        # A cell at the end of the page may have a shorter header than the first.
        return False
    for position in codec.real:
        values = list(map(itemgetter(position), rows))
        if any(map(ne, values, values)):  # NaN is NULL
            return False
    leaf.rowids = rowids
    leaf.rows = rows
    return True
