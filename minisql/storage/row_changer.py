"""A cursor for statements that change single rows which they search by rowid: it edits the leaf where it stands.

It takes no lease on the leaf's lists, so that they need not be copied for the very edit that the search was for, and it
remembers the place, so that the edit needs no second descent.  When the tree has changed in between (a function of the
user's may do anything), the row is searched again by its rowid.  Nothing but what is here may be asked of it.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

from bisect import bisect_left

from minisql.storage.node import TableInterior, TableLeaf
from minisql.storage.record import RecordCodec, Row
from minisql.storage.row_edit import drop_row, put_row, swap_row
from minisql.storage.table_cursor import LOOKUPS_BEFORE_DECODING, last_rowid
from minisql.storage.table_tree import TableTree, decode_leaf, find_row
from minisql.values.storage_class import INT64_MAX


class RowChanger:
    """Finds, replaces, deletes and inserts rows of one table.  `rowid` is the one that was searched last."""

    __slots__ = ("_edits", "_is_there", "_leaf", "_position", "codec", "rowid", "tree")

    def __init__(self, tree: TableTree, codec: RecordCodec) -> None:
        self.tree = tree
        self.codec = codec
        self.rowid = 0
        self._leaf: TableLeaf | None = None

    def seek_rowid(self, rowid: int) -> Row | None:
        """Moves to the row with this rowid, or to where it would be; None when there is none."""
        self.rowid = rowid
        tree = self.tree
        pager = tree.pager
        pages = pager.pages
        node: object = tree.append_leaf
        if node is not None and node.rowids and rowid > node.rowids[-1] and pages.get(node.number) is node:  # type: ignore[attr-defined]
            self._leaf = None
            return None
        node = pages.get(tree.root)
        if node.__class__ is TableInterior:
            # As TableCursor.seek_rowid.
            node.used = True
            node = pages.get(node.children[bisect_left(node.keys, rowid)])
            if node.__class__ is TableInterior:
                node.used = True
                node = pages.get(node.children[bisect_left(node.keys, rowid)])
        if node.__class__ is not TableLeaf:
            node = tree.leaf_for(rowid)
        leaf: TableLeaf = node
        leaf.used = True
        if leaf.rows is None or leaf.codec is not self.codec:
            if leaf.rows is None and leaf.n_lookups < LOOKUPS_BEFORE_DECODING:
                leaf.n_lookups += 1
                self._leaf = None
                return find_row(pager, leaf, rowid, self.codec)
            decode_leaf(pager, leaf, self.codec)
        rowids = leaf.rowids
        position = bisect_left(rowids, rowid)
        self._leaf = leaf
        self._position = position
        self._edits = tree.edits
        if position < len(rowids) and rowids[position] == rowid:
            self._is_there = True
            return leaf.rows[position]  # type: ignore[index]
        self._is_there = False
        return None

    def update(self, row: Row) -> None:
        """Replaces the row that was found."""
        tree, leaf = self.tree, self._leaf
        if leaf is not None and self._edits == tree.edits:
            if not swap_row(tree, leaf, self._position, row, self.codec):
                put_row(tree, leaf, self._position, False, self.rowid, row, self.codec)
        else:
            tree.replace(self.rowid, row, self.codec)

    def delete(self) -> None:
        """Deletes the row that was found."""
        tree, leaf = self.tree, self._leaf
        if leaf is not None and self._edits == tree.edits:
            drop_row(tree, leaf, self._position, self.rowid, self.codec)
        else:
            tree.remove(self.rowid, self.codec)

    def insert(self, rowid: int, row: Row, append_hint: bool = False) -> None:
        """Inserts a row, or replaces the one that has the rowid."""
        tree = self.tree
        if append_hint:
            tree.insert(rowid, row, self.codec)
            return
        if self.rowid != rowid or (self._leaf is not None and self._edits != tree.edits):
            self.seek_rowid(rowid)
        leaf = self._leaf
        if leaf is None or self._edits != tree.edits or self.rowid != rowid:
            tree.insert(rowid, row, self.codec)
        elif not self._is_there:
            put_row(tree, leaf, self._position, True, rowid, row, self.codec)
        elif not swap_row(tree, leaf, self._position, row, self.codec):
            put_row(tree, leaf, self._position, False, rowid, row, self.codec)

    def append_row(self, row: Row) -> int | None:
        """As TableCursor.append_row."""
        tree = self.tree
        leaf = tree.append_leaf
        if leaf is not None and leaf.rowids and tree.pager.pages.get(leaf.number) is leaf:
            rowid = leaf.rowids[-1] + 1
        else:
            rowid = (last_rowid(tree) or 0) + 1
        if rowid > INT64_MAX:
            return None
        tree.insert(rowid, row, self.codec)
        return rowid

    def last_rowid(self) -> int | None:
        """Returns the largest rowid, for choosing a new one; None when the table is empty."""
        tree = self.tree
        leaf = tree.append_leaf
        if leaf is not None and leaf.rowids and tree.pager.pages.get(leaf.number) is leaf:
            return leaf.rowids[-1]
        return last_rowid(tree)
