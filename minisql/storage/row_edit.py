"""Edits of one row in a leaf whose place is known: what a descent of the tree and a cursor that stands there have in common.

The caller has found the leaf and the position, and the tree has not changed since.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.storage.node import TableLeaf
from minisql.storage.overflow import build_table_cell, free_cell
from minisql.storage.record import RecordCodec, Row, upper_bound

if TYPE_CHECKING:
    from minisql.storage.table_tree import TableTree

TABLE_CELL = 14
"""Bytes that a cell of a table takes besides its record, at most."""


def put_row(
    tree: TableTree, leaf: TableLeaf, index: int, is_new: bool, rowid: int, row: Row, codec: RecordCodec
) -> TableLeaf | None:
    """Puts a row at a position of a leaf, in front of what is there when it is new, else in its place.

    Returns the leaf if nothing but this row has changed there.
    """
    pager = tree.pager
    if pager.is_editing:
        pager.check_health()
    pager.is_editing = True
    tree.edits += 1
    if leaf.epoch != pager.epoch or leaf.leased or leaf.cells is None or leaf.codec is not codec:
        tree.open_leaf(leaf, codec)
    leaf.data = leaf.masks = None
    rows, cells = leaf.rows, leaf.cells
    assert cells is not None
    largest = pager.usable - 35
    old_cell = None if is_new else cells[index]
    cell: bytes | None = None
    if is_new or old_cell is not None or rows is None or pager.file is not None:
        size = upper_bound(row) * tree.size_factor + TABLE_CELL
        if size > largest or rows is None or pager.file is not None:
            cell = build_table_cell(pager, rowid, codec.encode(row))
            size = len(cell) + 2
        if old_cell is not None:
            # What was counted for the old row goes: else every update of a full leaf would measure it anew.
            free_cell(pager, old_cell, True)
            size -= len(old_cell) + 2
        elif not is_new and rows is not None:
            size -= upper_bound(rows[index]) * tree.size_factor + TABLE_CELL
    else:
        size = _growth(rows[index], row) * tree.size_factor
        if size > 0 and upper_bound(row) * tree.size_factor + TABLE_CELL > largest:
            cell = build_table_cell(pager, rowid, codec.encode(row))
            size = len(cell) + 2 - upper_bound(rows[index]) * tree.size_factor - TABLE_CELL
    leaf.size += size
    if is_new:
        leaf.rowids.insert(index, rowid)
        if rows is not None:
            rows.insert(index, row)
        cells.insert(index, cell)
    else:
        if rows is not None:
            rows[index] = row
        cells[index] = cell
    unmoved: TableLeaf | None = leaf
    if leaf.size > (pager.usable if leaf.number != 1 else pager.usable - 100):
        tree.relieve(leaf, rowid)
        unmoved = None
    elif leaf.number == tree.root:
        tree.note_append_leaf(leaf)
    pager.is_editing = False
    if pager.file is not None and len(pager.dirty) > pager.max_dirty_pages():
        pager.spill()
    return unmoved


def swap_row(tree: TableTree, leaf: TableLeaf, index: int, row: Row, codec: RecordCodec) -> bool:
    """Replaces a row of a leaf that is open for edits by one that takes no more, neither of them encoded.

    False, with nothing done, where that is not so and `put_row` has to look closer (benchmark update_by_key).
    """
    pager = tree.pager
    cells, rows = leaf.cells, leaf.rows
    if (
        leaf.epoch != pager.epoch
        or leaf.leased
        or cells is None
        or cells[index] is not None
        or rows is None
        or leaf.codec is not codec
        or pager.file is not None
        or pager.is_editing
        or _growth(rows[index], row) > 0
    ):
        return False
    tree.edits += 1
    leaf.masks = None
    rows[index] = row
    return True


def _growth(old: Row, new: Row) -> int:
    """Returns upper_bound(new) - upper_bound(old) for rows of the same length: most values are the very same."""
    growth = 0
    before: Any
    after: Any
    for before, after in zip(old, new):
        if before is not after:
            kind = after.__class__
            if kind is str:
                growth += len(after) if after.isascii() else 4 * len(after)
            elif kind is bytes:
                growth += len(after)
            kind = before.__class__
            if kind is str:
                growth -= len(before) if before.isascii() else 4 * len(before)
            elif kind is bytes:
                growth -= len(before)
    return growth


def drop_row(tree: TableTree, leaf: TableLeaf, index: int, rowid: int, codec: RecordCodec) -> TableLeaf | None:
    """Takes the row at a position out of a leaf; returns the leaf if nothing else has changed there."""
    pager = tree.pager
    if pager.is_editing:
        pager.check_health()
    pager.is_editing = True
    tree.edits += 1
    if leaf.epoch != pager.epoch or leaf.leased or leaf.cells is None or leaf.codec is not codec:
        tree.open_leaf(leaf, codec)
    leaf.data = leaf.masks = None
    rowids, rows, cells = leaf.rowids, leaf.rows, leaf.cells
    assert cells is not None
    cell = cells[index]
    if cell is not None:
        free_cell(pager, cell, True)
        leaf.size -= len(cell) + 2
    del rowids[index], cells[index]
    if rows is not None:
        del rows[index]
    unmoved: TableLeaf | None = leaf
    n_rows = len(rowids)
    if not n_rows and leaf is tree.append_leaf:
        tree.append_leaf = None
    if (n_rows == 0 or n_rows < leaf.row_count_below) and leaf.number != tree.root:
        tree.refill(leaf, rowid)
        unmoved = None
    pager.is_editing = False
    if pager.file is not None and len(pager.dirty) > pager.max_dirty_pages():
        pager.spill()
    return unmoved
