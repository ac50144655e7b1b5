"""Index b-trees made as a whole from sorted entries: leaves first, then the levels above them.

A new index is made so, and one in memory of which a good part changes at once is made anew: gathering its entries, filtering
and sorting them are single passes over lists, where every entry would cost a search otherwise.

Entries order themselves here (see `index_key`) and fit their pages; for all others the ways of `bulk` remain.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from minisql.storage.freelist import allocate_page, free_page
from minisql.storage.index_key import KeyOrder, are_plain
from minisql.storage.index_tree import IndexTree, decode_index_node
from minisql.storage.node import IndexInterior, IndexLeaf, max_local
from minisql.storage.pager import Pager
from minisql.storage.record import Row, record_bounds
from minisql.storage.table_tree import page_capacity
from minisql.storage.varint import encode_varint

_CELL, _INTERIOR_CELL = 8, 6
_WORK = 3
"""An index in memory is made anew when it has fewer entries than so many times the changes (benchmark update_indexed)."""

MANY_ENTRIES = 64
"""From so many changes on it is worth to ask."""

Cells = list[bytes | None]


def build_index(tree: IndexTree, entries: list[Row], order: KeyOrder) -> bool:
    """Fills an empty tree with sorted entries that order themselves; False, with nothing done, when one is too large."""
    pager = tree.pager
    cells, sizes = _cells_of(tree, entries, order)
    # Overflowing entries have pages of their own; those are made one by one.
    if not entries or max(sizes) > max_local(pager.usable, False):
        return False
    if pager.is_editing:
        pager.check_health()
    _build(tree, entries, cells, sizes, order, [])
    return True


def _build(
    tree: IndexTree, entries: list[Row], cells: Cells, sizes: list[int], order: KeyOrder, spare: list[int]
) -> None:
    """Builds on the root, the `spare` pages (the last first) and new ones; spare pages that are left over are freed."""
    pager = tree.pager
    pager.is_editing = True
    tree.edits += 1
    sums = [0, *accumulate(sizes)]
    leaves, dividers = _cut(sums, pager.usable - 8)
    numbers = []
    for start, end in leaves:
        numbers.append(_take_page(pager, spare) if dividers else tree.root)
        leaf = IndexLeaf(numbers[-1])
        leaf.entries = leaf.keys = entries[start:end]
        leaf.cells, leaf.codec, leaf.size = cells[start:end], order, 8 + sums[end] - sums[start]
        leaf.row_count_below = (end - start) // 2
        pager.install(leaf)
    tree.append_leaf = leaf
    if dividers:
        between = [entries[place] for place in dividers], [cells[place] for place in dividers]
        _build_levels(tree, numbers, *between, order, spare)
    for number in spare:
        free_page(pager, number)
    pager.is_editing = False
    if pager.file is not None and len(pager.dirty) > pager.max_dirty_pages():
        pager.spill()


def _take_page(pager: Pager, spare: list[int]) -> int:
    return spare.pop() if spare else allocate_page(pager)


def _cells_of(tree: IndexTree, entries: list[Row], order: KeyOrder) -> tuple[Cells, list[int]]:
    """Returns the cells and what they take with their pointers; in memory, where no page is made soon, bounds without cells."""
    if not tree.pager.makes_pages:
        return [None] * len(entries), record_bounds(entries, tree.size_factor, _CELL) if entries else []
    cells: Cells = []
    for record in map(order.codec.encode, entries):
        cells.append(encode_varint(len(record)) + record)
    return cells, [max(len(cell), 4) + 2 for cell in cells]  # type: ignore[arg-type]


def _cut(sums: list[int], room: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Cuts items, whose sizes add up to `sums`, into groups that fill pages, one item between two: (groups, dividers)."""
    groups: list[tuple[int, int]] = []
    dividers: list[int] = []
    at, n_items = 0, len(sums) - 1
    while True:
        end = bisect_right(sums, sums[at] + room) - 1
        if end >= n_items:
            groups.append((at, n_items))
            return groups, dividers
        # What is behind the divider is not nothing.
        end = min(end, n_items - 2)
        groups.append((at, end))
        dividers.append(end)
        at = end + 1


def _build_levels(
    tree: IndexTree, children: list[int], entries: list[Row], cells: Cells, order: KeyOrder, spare: list[int]
) -> None:
    """Puts interior pages above pages with these numbers and the entries between them, up to the root."""
    pager = tree.pager
    encoded: Cells = [cell if cell is not None else _encode(entry, order) for cell, entry in zip(cells, entries)]
    while True:
        sizes = [len(cell) + _INTERIOR_CELL for cell in encoded]  # type: ignore[arg-type]
        is_root = 12 + sum(sizes) <= page_capacity(pager, tree.root)
        groups, dividers = ([(0, len(sizes))], []) if is_root else _cut([0, *accumulate(sizes)], pager.usable - 12)
        numbers = []
        for start, end in groups:
            numbers.append(tree.root if is_root else _take_page(pager, spare))
            node = IndexInterior(numbers[-1], entries[start:end], encoded[start:end], children[start : end + 1])
            node.codec = order
            pager.install(node)
        if is_root:
            return
        children = numbers
        entries, encoded = [entries[place] for place in dividers], [encoded[place] for place in dividers]


def _encode(entry: Row, order: KeyOrder) -> bytes:
    record = order.codec.encode(entry)
    return encode_varint(len(record)) + record


def rebuild_index(tree: IndexTree, removed: list[Row], added: list[Row], order: KeyOrder) -> bool:
    """Takes entries out and puts others in by making the index anew; False, with nothing done, where that is no gain.

    All that are removed must be there, and none that is added.
    """
    pager = tree.pager
    # What is deleted costs twice as much the other way.
    n_changes = 2 * len(removed) + len(added)
    if pager.file is not None or not order.is_plain or n_changes * _WORK < tree.estimated_rows():
        return False
    if pager.is_editing:
        pager.check_health()
    entries: list[Row] = []
    for node, index in tree.nodes():
        decode_index_node(pager, node, order)
        if node.keys is not node.entries:
            return False
        entries += node.entries if index < 0 else node.entries[index : index + 1]
    if entries and len(entries[0]) != order.n_key_fields:
        return False
    doomed = set(removed)
    kept = [entry for entry in entries if entry not in doomed] if doomed else entries
    if len(entries) - len(kept) != len(removed) or not are_plain(added):
        return False
    if added:
        kept += added
        try:
            kept.sort()
        except TypeError:
            return False
    sizes = record_bounds(kept, tree.size_factor, _CELL) if kept else []
    if kept and max(sizes) > max_local(pager.usable, False):
        return False
    spare: list[int] = []
    tree.clear(spare if kept else None)
    if kept:
        spare.sort(reverse=True)
        _build(tree, kept, [None] * len(kept), sizes, order, spare)
    return True
