"""Cursors on table b-trees: the only door from the VM to rows.

A cursor keeps the `rowids` and `rows` lists of its leaf and a `position` in them; the VM may index them itself as long as
`cursor.edits == cursor.tree.edits`.  The lists never change under a cursor: a leaf with readers is `leased`, and an edit
gives it new lists.  When the tree's edit counter has moved, the cursor seeks the place behind its last rowid again, so a
loop that updates or deletes the rows it reads sees each row once.

Source: https://www.sqlite.org/arch.html, "B-Tree".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from minisql.storage.bulk import find_rows, insert_rows, remove_rows, replace_rows
from minisql.storage.corruption import corrupt
from minisql.storage.node import TableInterior, TableLeaf
from minisql.storage.record import RecordCodec, Row
from minisql.storage.row_cache import row_cache
from minisql.storage.table_tree import MAX_DEPTH, TableTree, cut_leaf_cells, decode_leaf, find_row
from minisql.storage.type_mask import ColumnMasks
from minisql.values.storage_class import INT64_MAX

NO_ROWS: list[Row] = []
NO_ROWIDS: list[int] = []

LOOKUPS_BEFORE_DECODING = 6
"""Single rows that are decoded out of a leaf before the whole leaf is (benchmarks point_cold, point_warm)."""

LeafRows = tuple[list[int], list[Row], ColumnMasks]


class TableCursor:
    """Reads and writes one table; rows are tuples of the codec's `n_columns` values."""

    __slots__ = ("codec", "edits", "is_single", "path", "position", "rowids", "rows", "tree")

    def __init__(self, tree: TableTree, codec: RecordCodec) -> None:
        self.tree = tree
        self.codec = codec
        self.rowids = NO_ROWIDS
        self.rows = NO_ROWS
        self.position = 0
        self.edits = tree.edits
        self.path: list[tuple[TableInterior, int]] | None = None
        self.is_single = False

    @property
    def row(self) -> Row:
        """The row under the cursor."""
        return self.rows[self.position]

    @property
    def rowid(self) -> int:
        """The rowid under the cursor."""
        return self.rowids[self.position]

    # -- moving ----------------------------------------------------------------------------------------------------

    def first(self) -> Row | None:
        """Moves to the first row; None when the table is empty."""
        tree = self.tree
        node = tree.pager.tree_page(tree.root)
        if node.__class__ is TableLeaf:
            self.path = []
            return self._enter(node, 0)
        return self._descend([], node, False)

    def last(self) -> Row | None:
        """Moves to the last row; None when the table is empty."""
        tree = self.tree
        return self._descend([], tree.pager.tree_page(tree.root), True)

    def next(self) -> Row | None:
        """Moves to the next row; None behind the last one."""
        if self.tree.edits != self.edits:
            return self._move_after_edit(True)
        self.position = position = self.position + 1
        try:
            return self.rows[position]
        except IndexError:
            return self._next_leaf()

    def previous(self) -> Row | None:
        """Moves to the row before; None before the first one."""
        if self.tree.edits != self.edits:
            return self._move_after_edit(False)
        position = self.position - 1
        if position < 0:
            return self._previous_leaf()
        self.position = position
        return self.rows[position]

    def seek_rowid(self, rowid: int) -> Row | None:
        """Moves to the row with this rowid; None (and an undefined place) when there is none."""
        tree = self.tree
        pages = tree.pager.pages
        node: Any = pages.get(tree.root)
        if node.__class__ is TableInterior:
            # The upper levels of a tree in the cache without a call each; leaf_for does the rest and all that is unusual.
            node.used = True
            node = pages.get(node.children[bisect_left(node.keys, rowid)])
            if node.__class__ is TableInterior:
                node.used = True
                node = pages.get(node.children[bisect_left(node.keys, rowid)])
        if node.__class__ is not TableLeaf:
            node = tree.leaf_for(rowid)
        node.used = True
        leaf: TableLeaf = node
        if leaf.rows is None or leaf.codec is not self.codec:
            if leaf.rows is None and leaf.n_lookups < LOOKUPS_BEFORE_DECODING:
                return self._enter_single(leaf, rowid)
            decode_leaf(tree.pager, leaf, self.codec)
        rowids = leaf.rowids
        position = bisect_left(rowids, rowid)
        if position < len(rowids) and rowids[position] == rowid:
            leaf.leased = True
            self.rowids = rowids
            rows: list[Row] = leaf.rows  # type: ignore[assignment]
            self.rows = rows
            self.position = position
            self.edits = tree.edits
            self.path = None
            self.is_single = False
            return rows[position]
        self._leave()
        return None

    def _enter_single(self, leaf: TableLeaf, rowid: int) -> Row | None:
        """Takes one row of a leaf that is not decoded; `next` decodes the leaf."""
        leaf.n_lookups += 1
        row = find_row(self.tree.pager, leaf, rowid, self.codec)
        if row is None:
            self._leave()
            return None
        self.rowids, self.rows, self.position = [rowid], [row], 0
        self.edits = self.tree.edits
        self.path = None
        self.is_single = True
        return row

    def seek_ge(self, rowid: int) -> Row | None:
        """Moves to the first row at or behind the rowid."""
        return self._seek_up(rowid, bisect_left)

    def seek_gt(self, rowid: int) -> Row | None:
        """Moves to the first row behind the rowid."""
        return self._seek_up(rowid, bisect_right)

    def seek_le(self, rowid: int) -> Row | None:
        """Moves to the last row at or before the rowid."""
        return self._seek_down(rowid, bisect_right)

    def seek_lt(self, rowid: int) -> Row | None:
        """Moves to the last row before the rowid."""
        return self._seek_down(rowid, bisect_left)

    def _seek_up(self, rowid: int, bisect: object) -> Row | None:
        self.path, leaf = self.tree.path_to(rowid)
        decode_leaf(self.tree.pager, leaf, self.codec)
        row = self._enter(leaf, bisect(leaf.rowids, rowid))  # type: ignore[operator]
        return row if row is not None else self._next_leaf()

    def _seek_down(self, rowid: int, bisect: object) -> Row | None:
        self.path, leaf = self.tree.path_to(rowid)
        decode_leaf(self.tree.pager, leaf, self.codec)
        position = bisect(leaf.rowids, rowid) - 1  # type: ignore[operator]
        if position < 0:
            return self._previous_leaf()
        return self._enter(leaf, position)

    def _enter(self, leaf: TableLeaf, position: int) -> Row | None:
        """Takes the lists of a leaf; None when the position is behind its end."""
        tree = self.tree
        if leaf.rows is None or leaf.codec is not self.codec:
            decode_leaf(tree.pager, leaf, self.codec)
        leaf.leased = True
        self.rowids = leaf.rowids
        rows: list[Row] = leaf.rows  # type: ignore[assignment]
        self.rows = rows
        self.position = position
        self.edits = tree.edits
        self.is_single = False
        return rows[position] if position < len(rows) else None

    def leave(self) -> None:
        """Stands on no row: reading one raises IndexError (the null row of an outer join)."""
        self._leave()

    def enter_leaf(self, rowids: list[int], rows: list[Row]) -> None:
        """Stands on the first row of lists that `leaves` has handed out."""
        self.rowids, self.rows, self.position = rowids, rows, 0
        self.edits = self.tree.edits
        self.path = None
        self.is_single = False

    def _leave(self) -> None:
        self.rowids, self.rows, self.position = NO_ROWIDS, NO_ROWS, 0
        self.edits = self.tree.edits
        self.path = []
        self.is_single = False

    def _descend(self, path: list[tuple[TableInterior, int]], node: object, rightmost: bool) -> Row | None:
        tree = self.tree
        while isinstance(node, TableInterior):
            index = len(node.children) - 1 if rightmost else 0
            path.append((node, index))
            if len(path) > MAX_DEPTH:
                raise corrupt(tree.root, "b-tree is too deep")
            node = tree.pager.tree_page(node.children[index])
        if not isinstance(node, TableLeaf):
            raise corrupt(tree.root, "index page in a table b-tree")
        self.path = path
        row = self._enter(node, 0)
        if row is not None and rightmost:
            self.position = len(self.rows) - 1
            return self.rows[-1]
        return row

    def _path(self) -> list[tuple[TableInterior, int]]:
        path = self.path
        if path is None:
            path = self.tree.path_to(self.rowids[0])[0] if self.rowids else []
        return path

    def _next_leaf(self) -> Row | None:
        if self.is_single:
            return self.seek_gt(self.rowids[0])
        path = self._path()
        pager = self.tree.pager
        while path:
            node, index = path.pop()
            if index + 1 < len(node.children):
                path.append((node, index + 1))
                if row_cache.used > row_cache.limit:
                    pager.trim()
                row = self._descend(path, pager.tree_page(node.children[index + 1]), False)
                if row is not None:
                    return row
                path = self._path()
        self._leave()
        return None

    def _previous_leaf(self) -> Row | None:
        if self.is_single:
            return self.seek_lt(self.rowids[0])
        path = self._path()
        pager = self.tree.pager
        while path:
            node, index = path.pop()
            if index > 0:
                path.append((node, index - 1))
                if row_cache.used > row_cache.limit:
                    pager.trim()
                row = self._descend(path, pager.tree_page(node.children[index - 1]), True)
                if row is not None:
                    return row
                path = self._path()
        self._leave()
        return None

    def _move_after_edit(self, forward: bool) -> Row | None:
        if self.position >= len(self.rowids):
            self._leave()
            return None
        if self.position < 0:
            # The first row of a leaf has just been deleted.
            return self.seek_ge(self.rowids[0]) if forward else self.seek_lt(self.rowids[0])
        rowid = self.rowids[self.position]
        return self.seek_gt(rowid) if forward else self.seek_lt(rowid)

    def last_rowid(self) -> int | None:
        """Returns the largest rowid, for choosing a new one; the cursor does not move.  None when the table is empty."""
        return last_rowid(self.tree)

    # -- whole leaves ----------------------------------------------------------------------------------------------

    def leaves(self, from_rowid: int | None = None) -> Iterator[LeafRows]:
        """Yields (rowids, rows, type masks) leaf by leaf; with `from_rowid` the first leaf starts at or behind it.

        The lists are leased: read only.  Rows that are inserted, changed or deleted meanwhile count from the next leaf on.
        """
        tree, codec = self.tree, self.codec
        pager = tree.pager
        while True:
            edits = tree.edits
            for leaf in tree.leaves(from_rowid):
                if leaf.rows is None or leaf.codec is not codec:
                    decode_leaf(pager, leaf, codec)
                rowids, rows = leaf.rowids, leaf.rows
                masks = leaf.masks
                if masks is None:
                    masks = leaf.masks = ColumnMasks(rows)  # type: ignore[arg-type]
                leaf.leased = True
                if from_rowid is not None:
                    start = bisect_left(rowids, from_rowid)
                    from_rowid = None
                    if start:
                        rowids, rows = rowids[start:], rows[start:]  # type: ignore[index]
                if not rowids:
                    continue
                yield rowids, rows, masks  # type: ignore[misc]
                if row_cache.used > row_cache.limit:
                    pager.trim()
                if tree.edits != edits:
                    from_rowid = rowids[-1] + 1
                    break
            else:
                return

    def leaves_down(self, below_rowid: int | None = None) -> Iterator[LeafRows]:
        """Yields (rowids, rows, type masks) from the last leaf to the first, their rows from the last to the first; with
        `below_rowid` from there on.  Otherwise as `leaves`."""
        tree, codec = self.tree, self.codec
        pager = tree.pager
        while True:
            edits = tree.edits
            for leaf in tree.leaves_down(below_rowid):
                if leaf.rows is None or leaf.codec is not codec:
                    decode_leaf(pager, leaf, codec)
                rows: list[Row] = leaf.rows  # type: ignore[assignment]
                masks = leaf.masks
                if masks is None:
                    masks = leaf.masks = ColumnMasks(rows)
                leaf.leased = True
                end = len(rows) if below_rowid is None else bisect_left(leaf.rowids, below_rowid)
                below_rowid = None
                if not end:
                    continue
                rowids = leaf.rowids[:end][::-1]
                yield rowids, rows[:end][::-1], masks
                if row_cache.used > row_cache.limit:
                    pager.trim()
                if tree.edits != edits:
                    below_rowid = rowids[-1]
                    break
            else:
                return

    def count(self) -> int:
        """Counts the rows without decoding them."""
        return self.tree.count()

    # -- writing ---------------------------------------------------------------------------------------------------

    def insert(self, rowid: int, row: Row, append_hint: bool = False) -> None:
        """Inserts a row, or replaces the row that has the rowid.  The cursor keeps its place for `next`."""
        self.tree.insert(rowid, row, self.codec)

    def append_row(self, row: Row) -> int | None:
        """Inserts a row behind the last one and returns its rowid; None, and no row, when the largest rowid is in use."""
        rowid = (last_rowid(self.tree) or 0) + 1
        if rowid > INT64_MAX:
            return None
        self.tree.insert(rowid, row, self.codec)
        return rowid

    def delete(self) -> None:
        """Deletes the row under the cursor; `next` then moves to the row behind it.  Works without a lease, as `update`."""
        tree = self.tree
        is_in_place = tree.edits == self.edits and not self.is_single
        rowid, row = self.rowids[self.position], self.rows[self.position]
        _, leaf = tree.remove(rowid, self.codec)
        if is_in_place and leaf is not None and leaf.rows is not None:
            self.rowids = leaf.rowids
            self.rows = leaf.rows
            self.position -= 1
            self.edits = tree.edits
        elif self.edits != tree.edits:
            # The lists may be the leaf's own, which no longer hold the row: `next` seeks its place by this rowid.
            self.rowids, self.rows, self.position = [rowid], [row], 0

    def insert_many(self, rowids: list[int], rows: list[Row], columns: list[Any] | None = None) -> None:
        """Inserts rows by ascending rowids none of which is there; `columns` are their values by column, if at hand."""
        insert_rows(self.tree, rowids, rows, self.codec, columns)

    def delete_many(self, rowids: list[int]) -> int:
        """Deletes the rows with these ascending rowids; returns how many there were."""
        return remove_rows(self.tree, rowids, self.codec)

    def replace_many(self, rowids: list[int], rows: list[Row], may_grow: bool = True) -> None:
        """Replaces the rows with these ascending rowids, all of which are there.

        Without `may_grow` no new row holds a text or blob that its old one does not.
        """
        replace_rows(self.tree, rowids, rows, self.codec, may_grow)

    def rows_at(self, rowids: list[int]) -> tuple[list[int], list[Row]]:
        """Returns those of the ascending rowids that are there, and their rows."""
        return find_rows(self.tree, rowids, self.codec)

    def delete_rowid(self, rowid: int) -> bool:
        """Deletes the row with this rowid; False when there is none."""
        return self.tree.delete(rowid, self.codec)

    def update(self, row: Row) -> None:
        """Replaces the row under the cursor, keeping its rowid.

        A cursor that updates row after row works on the leaf's own lists, without a lease: so they are not copied for each
        row, and `next` need not seek its place again.
        """
        tree = self.tree
        is_in_place = tree.edits == self.edits and not self.is_single
        rowid = self.rowids[self.position]
        leaf = tree.replace(rowid, row, self.codec)
        if is_in_place and leaf is not None and leaf.rows is not None:
            self.rowids = leaf.rowids
            self.rows = leaf.rows
            self.edits = tree.edits
        elif self.edits != tree.edits:
            # A split has cut the lists, which may be the leaf's own: `next` seeks its place by this rowid.
            self.rowids, self.rows, self.position = [rowid], [row], 0


def last_rowid(tree: TableTree) -> int | None:
    """Returns the largest rowid of a table; None when it is empty."""
    leaf = tree.append_leaf
    if leaf is not None and leaf.rowids and tree.pager.pages.get(leaf.number) is leaf:
        return leaf.rowids[-1]
    node = tree.pager.tree_page(tree.root)
    depth = 0
    while isinstance(node, TableInterior):
        node = tree.pager.tree_page(node.children[-1])
        depth += 1
        if depth > MAX_DEPTH:
            raise corrupt(tree.root, "b-tree is too deep")
    if not isinstance(node, TableLeaf):
        raise corrupt(node.number, "index page in a table b-tree")
    if node.rows is None:
        cut_leaf_cells(tree.pager, node)
    return node.rowids[-1] if node.rowids else None
