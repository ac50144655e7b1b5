"""Pages as objects: b-tree nodes held as Python lists, and raw pages.

A page comes in as bytes and is cut no further than someone asks.  A table leaf goes through three states:

    data only            as read from the file
    rowids + rows        decoded for one `RecordCodec`; `data` stays as the clean image
    cells                before the first edit: one item per row, the encoded cell or None for a row not encoded yet

An edit works on the lists and keeps `size`, an upper bound of the encoded size that becomes exact when it would pass the
page (`fit_cells`).  `image()` makes the bytes.  Lists that a reader holds are never changed: `leased` says so, and
`Pager.prepare` or `own` gives the node fresh lists first.  The old lists double as the undo state of a savepoint.

In an index node a cell is the payload part alone (payload size, local payload, overflow page): leaf and interior cells
then have the same bytes and dividers move between levels as they are.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

import struct
from itertools import accumulate
from operator import sub

from minisql.storage.corruption import corrupt
from minisql.storage.index_key import KeyOrder
from minisql.storage.record import RecordCodec, Row
from minisql.storage.type_mask import ColumnMasks
from minisql.storage.varint import encode_varint, read_varint

INDEX_INTERIOR = 2
TABLE_INTERIOR = 5
INDEX_LEAF = 10
TABLE_LEAF = 13


class RawPage:
    """A page without structure: overflow, freelist, pointer map, or one whose kind is not known yet."""

    __slots__ = ("data", "epoch", "number", "used")

    def __init__(self, number: int, data: bytes) -> None:
        self.number = number
        self.data = data
        self.epoch = -1
        self.used = True

    def snapshot(self) -> tuple[object, ...]:
        """Returns the state to go back to."""
        return (self.data,)

    def restore(self, state: tuple[object, ...]) -> None:
        """Goes back to a snapshot."""
        (self.data,) = state  # type: ignore[assignment]

    def image(self, usable: int, page_size: int, header: bytes) -> bytes:
        """Returns the page's bytes."""
        return self.data


class TableInterior:
    """An interior page of a table b-tree: `keys[i]` is the largest rowid that `children[i]` may hold."""

    __slots__ = ("children", "data", "epoch", "keys", "leased", "number", "used")

    def __init__(self, number: int, keys: list[int], children: list[int]) -> None:
        self.number = number
        self.keys = keys
        self.children = children
        self.data: bytes | None = None
        self.leased = False
        self.epoch = -1
        self.used = True

    def snapshot(self) -> tuple[object, ...]:
        """Returns the old lists and goes on with copies."""
        state = self.keys, self.children, self.data
        self.own()
        self.data = None
        return state

    def own(self) -> None:
        """Replaces the lists by copies that no reader holds."""
        self.keys, self.children = self.keys[:], self.children[:]
        self.leased = False

    def restore(self, state: tuple[object, ...]) -> None:
        """Goes back to a snapshot."""
        self.keys, self.children, self.data = state  # type: ignore[assignment]

    def image(self, usable: int, page_size: int, header: bytes) -> bytes:
        """Encodes the page."""
        if self.data is None:
            cells = [
                child.to_bytes(4, "big") + encode_varint(key) for child, key in zip(self.children, self.keys, strict=False)
            ]
            self.data = assemble_page(TABLE_INTERIOR, cells, self.children[-1], usable, page_size, header)
        return self.data


class TableLeaf:
    """A leaf of a table b-tree; see the module docstring for its states.

    `leased` is set by readers that keep `rowids` and `rows`.  A leaf may be edited without decoded rows: `rows` is None and
    every cell is encoded.  `n_lookups` counts single rows decoded, until decoding the whole leaf is the better deal.
    """

    __slots__ = (
        "cells",
        "codec",
        "data",
        "epoch",
        "leased",
        "masks",
        "n_lookups",
        "number",
        "row_count_below",
        "rowids",
        "rows",
        "size",
        "used",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        self.data: bytes | None = None
        self.rowids: list[int] = []
        self.rows: list[Row] | None = []
        self.cells: list[bytes | None] | None = []
        self.codec: RecordCodec | None = None
        self.size = 8
        self.masks: ColumnMasks | None = None
        self.leased = False
        self.row_count_below = 0
        self.n_lookups = 0
        self.epoch = -1
        self.used = True

    def snapshot(self) -> tuple[object, ...]:
        """Returns the old lists and goes on with copies."""
        state = self.rowids, self.rows, self.cells, self.codec, self.size, self.data, self.masks
        self.own()
        self.data = None
        return state

    def own(self) -> None:
        """Replaces the lists by copies that no reader holds."""
        rows, cells = self.rows, self.cells
        self.rowids = self.rowids[:]
        if rows is not None:
            self.rows = rows[:]
        if cells is not None:
            self.cells = cells[:]
        self.leased = False

    def restore(self, state: tuple[object, ...]) -> None:
        """Goes back to a snapshot."""
        self.rowids, self.rows, self.cells, self.codec, self.size, self.data, self.masks = state  # type: ignore[assignment]
        self.leased = True

    def image(self, usable: int, page_size: int, header: bytes) -> bytes:
        """Encodes the page; every cell must be encoded (`fit_cells`)."""
        if self.data is None:
            assert self.cells is not None
            self.data = assemble_page(TABLE_LEAF, self.cells, 0, usable, page_size, header)  # type: ignore[arg-type]
        return self.data


class IndexLeaf:
    """A leaf of an index b-tree.

    `keys` orders `entries` (it is the same list when entries order themselves, see `index_key`); `cells` as in a table
    leaf, the payload part only.  Undecoded, `entries` is None and `data` holds the page.
    """

    __slots__ = ("cells", "codec", "data", "entries", "epoch", "keys", "leased", "masks", "n_lookups", "number",
                 "row_count_below", "size", "used")

    def __init__(self, number: int) -> None:
        self.number = number
        self.data: bytes | None = None
        self.entries: list[Row] | None = []
        self.keys: list[Row] = self.entries
        self.cells: list[bytes | None] | None = []
        self.codec: KeyOrder | None = None
        self.size = 8
        self.masks: tuple[int, ...] | None = None
        self.leased = False
        self.row_count_below = 0
        self.n_lookups = 0
        self.epoch = -1
        self.used = True

    def snapshot(self) -> tuple[object, ...]:
        """Returns the old lists and goes on with copies."""
        state = self.entries, self.keys, self.cells, self.codec, self.size, self.data, self.masks
        self.own()
        self.data = None
        return state

    def own(self) -> None:
        """Replaces the lists by copies that no reader holds."""
        entries, keys = self.entries, self.keys
        if entries is not None:
            self.entries = entries[:]
            self.keys = self.entries if keys is entries else keys[:]
        if self.cells is not None:
            self.cells = self.cells[:]
        self.leased = False

    def restore(self, state: tuple[object, ...]) -> None:
        """Goes back to a snapshot."""
        self.entries, self.keys, self.cells, self.codec, self.size, self.data, self.masks = state  # type: ignore[assignment]
        self.leased = True

    def image(self, usable: int, page_size: int, header: bytes) -> bytes:
        """Encodes the page; every cell must be encoded."""
        if self.data is None:
            cells = [cell.ljust(4, b"\0") for cell in self.cells or () if cell is not None]
            self.data = assemble_page(INDEX_LEAF, cells, 0, usable, page_size, header)
        return self.data


class IndexInterior:
    """An interior page of an index b-tree: `children[i]` holds entries before `entries[i]`, the last child those after."""

    __slots__ = ("cells", "children", "codec", "data", "entries", "epoch", "keys", "leased", "number", "used")

    def __init__(self, number: int, entries: list[Row] | None, cells: list[bytes | None], children: list[int]) -> None:
        self.number = number
        self.entries = entries
        self.keys: list[Row] = entries  # type: ignore[assignment]
        self.cells = cells
        self.children = children
        self.codec: KeyOrder | None = None
        self.data: bytes | None = None
        self.leased = False
        self.epoch = -1
        self.used = True

    def snapshot(self) -> tuple[object, ...]:
        """Returns the old lists and goes on with copies."""
        state = self.entries, self.keys, self.cells, self.children, self.codec, self.data
        self.own()
        self.data = None
        return state

    def own(self) -> None:
        """Replaces the lists by copies that no reader holds."""
        if self.entries is not None:
            entries = self.entries[:]
            self.keys = entries if self.keys is self.entries else self.keys[:]
            self.entries = entries
        self.cells, self.children = self.cells[:], self.children[:]
        self.leased = False

    def restore(self, state: tuple[object, ...]) -> None:
        """Goes back to a snapshot."""
        self.entries, self.keys, self.cells, self.children, self.codec, self.data = state  # type: ignore[assignment]

    def image(self, usable: int, page_size: int, header: bytes) -> bytes:
        """Encodes the page; every cell must be encoded."""
        if self.data is None:
            cells = [
                child.to_bytes(4, "big") + cell  # type: ignore[operator]
                for child, cell in zip(self.children, self.cells, strict=False)
            ]
            self.data = assemble_page(INDEX_INTERIOR, cells, self.children[-1], usable, page_size, header)
        return self.data


Node = RawPage | TableLeaf | TableInterior | IndexLeaf | IndexInterior
TreeNode = TableLeaf | TableInterior | IndexLeaf | IndexInterior


def assemble_page(
    kind: int, cells: list[bytes], right_child: int, usable: int, page_size: int, header: bytes
) -> bytes:
    """Lays out a b-tree page: cells from the end of the page downwards, no free blocks, no fragments.

    `header` is the database header on page 1 and empty elsewhere.
    """
    starts = list(accumulate(map(len, cells), sub, initial=usable))
    start = starts[-1]
    head = header + struct.pack(">BHHHB", kind, 0, len(cells), start & 0xFFFF, 0)
    if right_child:
        head += right_child.to_bytes(4, "big")
    head += struct.pack(f">{len(cells)}H", *starts[1:])
    gap = start - len(head)
    if gap < 0:  # cells that shared bytes of a damaged page do not fit any more once they are apart
        raise corrupt(0, "cells overlap")
    return b"".join((head, bytes(gap), *reversed(cells), bytes(page_size - usable)))


def cell_offsets(data: bytes, number: int, usable: int) -> tuple[int, ...]:
    """Reads the cell pointer array and checks that every pointer lies behind it and inside the page."""
    first = 100 if number == 1 else 0
    count = data[first + 3] << 8 | data[first + 4]
    start = first + (12 if data[first] in (TABLE_INTERIOR, INDEX_INTERIOR) else 8)
    if start + 2 * count > usable:
        raise corrupt(number, "cell pointer array does not fit the page")
    offsets: tuple[int, ...] = struct.unpack_from(f">{count}H", data, start)
    if count and (min(offsets) < start + 2 * count or max(offsets) > usable - 4):
        raise corrupt(number, "cell pointer out of range")
    return offsets


def parse_node(number: int, data: bytes, usable: int) -> Node:
    """Makes the node for a b-tree page; leaves stay undecoded, interior pages get their keys or cells cut out.

    Raises SQLITE_CORRUPT when the page is no b-tree page or its cells lie outside it.
    """
    first = 100 if number == 1 else 0
    kind = data[first]
    if kind == TABLE_LEAF:
        leaf = TableLeaf(number)
        leaf.data, leaf.rows, leaf.cells = data, None, None
        cell_offsets(data, number, usable)
        leaf.size = used_size(data, number, usable)
        return leaf
    if kind == INDEX_LEAF:
        index_leaf = IndexLeaf(number)
        index_leaf.data, index_leaf.entries, index_leaf.cells = data, None, None
        cell_offsets(data, number, usable)
        index_leaf.size = used_size(data, number, usable)
        return index_leaf
    if kind == TABLE_INTERIOR:
        return _parse_table_interior(number, data, usable)
    if kind == INDEX_INTERIOR:
        return _parse_index_interior(number, data, usable)
    raise corrupt(number, f"b-tree page type {kind}")


def is_empty_leaf(node: Node) -> bool:
    """Tells whether a node that was just parsed, not of page 1, is a leaf without cells."""
    return isinstance(node, (TableLeaf, IndexLeaf)) and node.data is not None and node.data[3:5] == b"\0\0"


def _parse_table_interior(number: int, data: bytes, usable: int) -> TableInterior:
    keys: list[int] = []
    children: list[int] = []
    for at in cell_offsets(data, number, usable):
        children.append(int.from_bytes(data[at : at + 4], "big"))
        try:
            key, _ = read_varint(data, at + 4)
        except IndexError as error:
            raise corrupt(number, "cell runs off the page") from error
        keys.append(key - (1 << 64) if key >> 63 else key)
    first = 100 if number == 1 else 0
    if not keys and number != 1:
        raise corrupt(number, "interior page without cells")
    children.append(int.from_bytes(data[first + 8 : first + 12], "big"))
    if 1 in children:
        raise corrupt(number, "page 1 is no child")
    node = TableInterior(number, keys, children)
    node.data = data
    return node


def _parse_index_interior(number: int, data: bytes, usable: int) -> IndexInterior:
    cells: list[bytes | None] = []
    children: list[int] = []
    for at in cell_offsets(data, number, usable):
        children.append(int.from_bytes(data[at : at + 4], "big"))
        cells.append(cut_payload_cell(data, at + 4, number, usable))
    first = 100 if number == 1 else 0
    if not cells:
        raise corrupt(number, "interior page without cells")
    children.append(int.from_bytes(data[first + 8 : first + 12], "big"))
    if 1 in children:
        raise corrupt(number, "page 1 is no child")
    node = IndexInterior(number, None, cells, children)
    node.data = data
    return node


def used_size(data: bytes, number: int, usable: int) -> int:
    """Returns the bytes in use on a leaf: everything but the gap, the free blocks and the fragments."""
    first = 100 if number == 1 else 0
    count = data[first + 3] << 8 | data[first + 4]
    content = (data[first + 5] << 8 | data[first + 6]) or 65536
    free = content - (first + 8 + 2 * count) + data[first + 7]
    block = data[first + 1] << 8 | data[first + 2]
    while block:
        if block > usable - 4:
            raise corrupt(number, "free block out of range")
        free += data[block + 2] << 8 | data[block + 3]
        following = data[block] << 8 | data[block + 1]
        if following and following <= block:
            raise corrupt(number, "free blocks out of order")
        block = following
    if free < 0 or free > usable:
        raise corrupt(number, "free space out of range")
    return usable - first - free


def max_local(usable: int, is_table_leaf: bool) -> int:
    """Returns the largest payload that stays on its page."""
    return usable - 35 if is_table_leaf else (usable - 12) * 64 // 255 - 23


def local_size(payload_size: int, usable: int, largest: int) -> int:
    """Returns how many payload bytes stay on the page when the payload overflows."""
    smallest = (usable - 12) * 32 // 255 - 23
    surplus = smallest + (payload_size - smallest) % (usable - 4)
    return surplus if surplus <= largest else smallest


def cut_payload_cell(data: bytes, at: int, number: int, usable: int) -> bytes:
    """Cuts an index cell's payload part (payload size, local payload, overflow page) out of a page."""
    size = data[at]
    body = at + 1
    if size >= 0x80:
        try:
            size, body = read_varint(data, at)
        except IndexError as error:
            raise corrupt(number, "cell runs off the page") from error
    largest = max_local(usable, False)
    end = body + size if size <= largest else body + local_size(size, usable, largest) + 4
    if end > usable:
        raise corrupt(number, "cell runs off the page")
    return data[at:end]


def first_overflow_page(cell: bytes, usable: int, is_table_leaf: bool) -> int:
    """Returns the first overflow page of a leaf's or an index's cell, 0 without overflow."""
    size, _ = read_varint(cell, 0)
    return int.from_bytes(cell[-4:], "big") if size > max_local(usable, is_table_leaf) else 0
