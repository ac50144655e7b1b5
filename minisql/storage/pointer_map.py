"""Pointer maps: in auto-vacuum files every page's kind and parent, five bytes each.

Page 2 is the first map page; it describes the usable / 5 pages behind it, the page after those is the next map page, and
so on.  Entries of free pages, root pages and the inner pages of overflow chains are set at once.  What b-tree pages refer
to is set by `update_maps` before pages are written: a child that changes its parent passes between two changed pages, so
the changed pages know it all, and splits and merges stay free of map keeping.

Source: https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.storage.locking import PENDING_BYTE
from minisql.storage.node import (
    IndexInterior,
    IndexLeaf,
    Node,
    RawPage,
    TableInterior,
    TableLeaf,
    first_overflow_page,
)

if TYPE_CHECKING:
    from minisql.storage.pager import Pager

ROOT = 1
FREE = 2
FIRST_OVERFLOW = 3
NEXT_OVERFLOW = 4
TREE = 5


def map_page_of(page_size: int, usable: int, number: int) -> int:
    """Returns the map page that describes page `number` (2 or more); a map page is returned as itself."""
    n_described = usable // 5 + 1
    page = (number - 2) // n_described * n_described + 2
    if page == PENDING_BYTE // page_size + 1:
        page += 1
    return page


def is_pointer_map_page(page_size: int, usable: int, number: int) -> bool:
    """Tells whether a page of an auto-vacuum file is a map page."""
    return number >= 2 and map_page_of(page_size, usable, number) == number


def pointer_map_place(page_size: int, usable: int, number: int) -> tuple[int, int]:
    """Returns the map page and the offset in it of page `number`'s entry."""
    page = map_page_of(page_size, usable, number)
    return page, 5 * (number - page - 1)


def read_entry(pager: Pager, number: int) -> tuple[int, int]:
    """Returns the kind and the parent that the maps hold for a page."""
    page, at = pointer_map_place(pager.page_size, pager.usable, number)
    data = pager.raw_page(page).data
    return data[at], int.from_bytes(data[at + 1 : at + 5], "big")


def put_entry(pager: Pager, number: int, kind: int, parent: int) -> None:
    """Sets the entry of a page."""
    page, at = pointer_map_place(pager.page_size, pager.usable, number)
    entry = bytes((kind,)) + parent.to_bytes(4, "big")
    node = pager.raw_page(page)
    data = node.data
    if data[at : at + 5] != entry:
        if node.epoch != pager.epoch:
            pager.prepare(node)
        node.data = data[:at] + entry + data[at + 5 :]


def put_node_entries(pager: Pager, node: Node) -> None:
    """Sets the entries of everything that a b-tree page refers to: children and first overflow pages."""
    number = node.number
    if isinstance(node, (TableInterior, IndexInterior)):
        for child in node.children:
            put_entry(pager, child, TREE, number)
    if isinstance(node, (TableLeaf, IndexLeaf, IndexInterior)):
        pager.open_cells(node)
        is_table_leaf = isinstance(node, TableLeaf)
        for cell in node.cells or ():
            first = first_overflow_page(cell, pager.usable, is_table_leaf) if cell is not None else 0
            if first:
                put_entry(pager, first, FIRST_OVERFLOW, number)


def update_maps(pager: Pager) -> None:
    """Brings the maps up to date with the changed pages; in memory, where no one knows which those are, with all."""
    nodes = list((pager.dirty if pager.file is not None else pager.pages).values())
    for node in nodes:
        if not isinstance(node, RawPage):
            put_node_entries(pager, node)
