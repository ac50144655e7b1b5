"""Auto-vacuum: moving pages, so that free ones end up at the end of the file and root pages at its start.

    FULL           every commit moves pages from the end into free ones and cuts the file
    INCREMENTAL    the same when asked for

A page is moved by writing it under its new number and changing the one pointer to it, which the pointer map finds: a
child pointer of its parent page, the overflow pointer of a cell, or the link of the overflow page before it.  Root pages
fill the lowest numbers, so that moving others never changes the schema; dropping a tree moves the last root into the gap.

Source: https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages; https://www.sqlite.org/pragma.html#pragma_auto_vacuum.
"""

from __future__ import annotations

from minisql.storage.corruption import corrupt
from minisql.storage.freelist import allocate_page, free_page, free_pages, take_page
from minisql.storage.header import FREELIST_COUNT, FREELIST_TRUNK, META, META_LARGEST_ROOT, read_u32
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
from minisql.storage.pager import Pager
from minisql.storage.pointer_map import (
    FIRST_OVERFLOW,
    FREE,
    NEXT_OVERFLOW,
    ROOT,
    TREE,
    is_pointer_map_page,
    put_entry,
    put_node_entries,
    read_entry,
    update_maps,
)

_LARGEST_ROOT = META + 4 * META_LARGEST_ROOT


def _is_special(pager: Pager, number: int) -> bool:
    """Tells whether a page is a pointer map or the lock-byte page, which never move."""
    return number == PENDING_BYTE // pager.page_size + 1 or is_pointer_map_page(pager.page_size, pager.usable, number)


def allocate_root(pager: Pager) -> int:
    """Makes the page behind the last root page free and returns it as the next root page."""
    update_maps(pager)
    root = read_u32(pager.header, _LARGEST_ROOT) + 1
    while _is_special(pager, root):
        root += 1
    if root > pager.n_pages:
        number = pager.new_page_number()
        if number != root:
            raise corrupt(root, "largest root page is out of range")
    else:
        kind, parent = read_entry(pager, root)
        if kind == FREE:
            take_page(pager, root)
        elif kind == ROOT:
            raise corrupt(root, "largest root page is wrong")
        else:
            target = allocate_page(pager)
            relocate(pager, root, target, kind, parent)
    pager.set_header_u32(_LARGEST_ROOT, root)
    return root


def free_root(pager: Pager, root: int) -> int:
    """Frees a root page; the last root page moves into its place.  Returns the page that moved, or 0."""
    update_maps(pager)
    largest = read_u32(pager.header, _LARGEST_ROOT)
    moved = 0
    if root != largest:
        kind, _ = read_entry(pager, largest)
        if kind != ROOT:
            raise corrupt(largest, "largest root page is no root page")
        relocate(pager, largest, root, ROOT, 0)
        moved = largest
    free_page(pager, largest)
    smaller = largest - 1
    while _is_special(pager, smaller):
        smaller -= 1
    pager.set_header_u32(_LARGEST_ROOT, smaller)
    return moved


def relocate(pager: Pager, source: int, target: int, kind: int, parent: int) -> None:
    """Moves the content of page `source` to page `target` and the pointer to it along."""
    if not 1 < source <= pager.n_pages:
        raise corrupt(source, "page to move is out of range")
    is_raw = kind in (FIRST_OVERFLOW, NEXT_OVERFLOW)
    if kind == ROOT:
        pager.roots.update((source, target))
    node: Node = pager.raw_page(source) if is_raw else pager.tree_page(source)
    pager.open_cells(node)
    if node.epoch != pager.epoch:
        pager.prepare(node)
    copy = _copy_as(node, target)
    pager.install(copy)
    if isinstance(copy, RawPage):
        following = int.from_bytes(copy.data[:4], "big")
        if following:
            put_entry(pager, following, NEXT_OVERFLOW, target)
    else:
        put_node_entries(pager, copy)
    if kind == NEXT_OVERFLOW:
        before = pager.raw_page(parent)
        if int.from_bytes(before.data[:4], "big") != source:
            raise corrupt(parent, "pointer map is wrong")
        if before.epoch != pager.epoch:
            pager.prepare(before)
        before.data = target.to_bytes(4, "big") + before.data[4:]
    elif kind != ROOT:
        _redirect(pager, pager.tree_page(parent), source, target, kind)
    put_entry(pager, target, kind, parent)
    pager.forget(source)
    pager.on_reset()


def _copy_as(node: Node, number: int) -> Node:
    """Makes a node with the same content under another number."""
    copy: Node
    if isinstance(node, RawPage):
        return RawPage(number, node.data)
    if isinstance(node, TableInterior):
        return TableInterior(number, node.keys[:], node.children[:])
    if isinstance(node, TableLeaf):
        copy = TableLeaf(number)
        copy.rowids, copy.rows = node.rowids[:], None if node.rows is None else node.rows[:]
        copy.cells = None if node.cells is None else node.cells[:]
        copy.codec, copy.size = node.codec, node.size
        return copy
    if isinstance(node, IndexLeaf):
        copy = IndexLeaf(number)
        copy.size = node.size
        copy.cells = None if node.cells is None else node.cells[:]
    else:
        copy = IndexInterior(number, None, node.cells[:], node.children[:])
    copy.entries = None if node.entries is None else node.entries[:]
    copy.keys = copy.entries if node.keys is node.entries else node.keys[:]  # type: ignore[assignment]
    copy.codec = node.codec
    return copy


def _redirect(pager: Pager, parent: Node, source: int, target: int, kind: int) -> None:
    """Changes the pointer to a moved page in its parent page."""
    pager.open_cells(parent)
    if parent.epoch != pager.epoch:
        pager.prepare(parent)
    if kind == TREE and isinstance(parent, (TableInterior, IndexInterior)) and source in parent.children:
        parent.data = None
        parent.children[parent.children.index(source)] = target
        return
    if kind == FIRST_OVERFLOW and isinstance(parent, (TableLeaf, IndexLeaf, IndexInterior)) and parent.cells is not None:
        parent.data = None
        is_table_leaf = isinstance(parent, TableLeaf)
        for index, cell in enumerate(parent.cells):
            if cell is not None and first_overflow_page(cell, pager.usable, is_table_leaf) == source:
                parent.cells[index] = cell[:-4] + target.to_bytes(4, "big")
                return
    raise corrupt(parent.number, "pointer map is wrong")


def final_size(pager: Pager, n_free: int) -> int:
    """Returns the number of pages left when `n_free` pages and the map pages that described them are cut off."""
    n_before = pager.n_pages
    lock_page = PENDING_BYTE // pager.page_size + 1
    n_left = n_before
    for number in range(n_before, 0, -1):
        if n_free == 0:
            break
        n_left = number - 1
        if not (number == lock_page or is_pointer_map_page(pager.page_size, pager.usable, number)):
            n_free -= 1
    while n_left == lock_page or is_pointer_map_page(pager.page_size, pager.usable, n_left):
        n_left -= 1
    return n_left


def shrink(pager: Pager, n_wanted: int) -> int:
    """Cuts up to `n_wanted` free pages (0: all) off the file, moving used pages down; returns how many pages went."""
    n_free = read_u32(pager.header, FREELIST_COUNT)
    n_cut = min(n_wanted, n_free) if n_wanted > 0 else n_free
    if not n_cut:
        return 0
    if n_free >= pager.n_pages:
        raise corrupt(1, "freelist is larger than the file")
    pager.is_editing = True
    update_maps(pager)
    n_before = pager.n_pages
    n_left = final_size(pager, n_cut)
    is_all = n_cut == n_free
    targets: list[int] = []
    if is_all:
        targets = [number for number in free_pages(pager) if number <= n_left]
        pager.set_header_u32(FREELIST_TRUNK, 0)
        pager.set_header_u32(FREELIST_COUNT, 0)
    for number in range(n_before, n_left, -1):
        if not _is_special(pager, number):
            kind, parent = read_entry(pager, number)
            if kind == ROOT:
                raise corrupt(number, "root page behind the pages in use")
            if kind != FREE:
                if is_all and not targets:
                    raise corrupt(number, "freelist is too short")
                target = targets.pop() if is_all else _free_page_below(pager, n_left)
                relocate(pager, number, target, kind, parent)
            elif not is_all:
                take_page(pager, number)
        _drop_last(pager, number)
    pager.is_editing = False
    return n_before - n_left


def _free_page_below(pager: Pager, n_left: int) -> int:
    """Takes a free page at or below `n_left` out of the freelist."""
    for number in free_pages(pager):
        if number <= n_left:
            take_page(pager, number)
            return number
    raise corrupt(n_left, "no free page where one must be")


def _drop_last(pager: Pager, number: int) -> None:
    """Cuts the last page off."""
    node = pager.pages.get(number)
    if node is not None:
        pager.open_cells(node)
        if node.epoch != pager.epoch:
            pager.prepare(node)
        pager.forget(number)
    pager.n_pages = number - 1
