"""Cursors on index b-trees: indexes and WITHOUT ROWID tables.

Works as a `TableCursor` does, with entries for rows.  An entry on an interior page is presented as a list of one, so
`rows` and `position` always lead to the current entry.

Source: https://www.sqlite.org/fileformat2.html#representation_of_sql_indices.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from minisql.storage.bulk import insert_entries, remove_entries
from minisql.storage.corruption import corrupt
from minisql.storage.index_build import MANY_ENTRIES, build_index, rebuild_index
from minisql.storage.index_key import TOP, KeyOrder
from minisql.storage.index_tree import IndexTree, Path, count_entries, decode_index_node, entry_at
from minisql.storage.node import IndexInterior, IndexLeaf, cell_offsets
from minisql.storage.record import Row
from minisql.storage.row_cache import row_cache
from minisql.storage.table_tree import MAX_DEPTH
from minisql.storage.type_mask import column_masks

NO_ENTRIES: list[Row] = []


class IndexCursor:
    """Reads and writes one index b-tree; entries are tuples of `n_fields` values."""

    __slots__ = (
        *("at_divider", "edits", "is_self_ordered", "is_single", "order", "path", "position"),
        *("ranges", "ranges_edits", "rows", "tree"),
    )

    def __init__(self, tree: IndexTree, order: KeyOrder) -> None:
        self.tree = tree
        self.order = order
        self.rows = NO_ENTRIES
        self.position = 0
        self.edits = tree.edits
        self.path: Path = []
        self.at_divider = False
        self.is_single = False
        self.is_self_ordered = False
        # Ranges that a loop has walked, by key, at `ranges_edits` of the tree.
        self.ranges: dict[Row, list[Row]] | None = None
        self.ranges_edits = 0

    @property
    def entry(self) -> Row:
        """The entry under the cursor."""
        return self.rows[self.position]

    row = entry

    # -- moving ----------------------------------------------------------------------------------------------------

    def first(self) -> Row | None:
        """Moves to the first entry; None when the index is empty."""
        return self._descend([], self.tree.pager.tree_page(self.tree.root), False)

    def last(self) -> Row | None:
        """Moves to the last entry; None when the index is empty."""
        return self._descend([], self.tree.pager.tree_page(self.tree.root), True)

    def next(self) -> Row | None:
        """Moves to the next entry; None behind the last one."""
        if self.tree.edits != self.edits:
            return self._move_after_edit(True)
        self.position = position = self.position + 1
        try:
            return self.rows[position]
        except IndexError:
            return self._next_page()

    def previous(self) -> Row | None:
        """Moves to the entry before; None before the first one."""
        if self.tree.edits != self.edits:
            return self._move_after_edit(False)
        position = self.position - 1
        if position < 0:
            return self._previous_page()
        self.position = position
        return self.rows[position]

    def seek_ge(self, prefix: Row) -> Row | None:
        """Moves to the first entry at or behind the prefix."""
        return self._seek_up(prefix, False)

    def seek_gt(self, prefix: Row) -> Row | None:
        """Moves to the first entry behind every entry that starts with the prefix."""
        return self._seek_up(prefix, True)

    def seek_le(self, prefix: Row) -> Row | None:
        """Moves to the last entry that starts with the prefix or lies before it."""
        return self._seek_down(prefix, True)

    def seek_lt(self, prefix: Row) -> Row | None:
        """Moves to the last entry before the prefix."""
        return self._seek_down(prefix, False)

    def seek(self, prefix: Row, operator: str) -> Row | None:
        """Moves by 'ge', 'gt', 'le' or 'lt', in the order of the tree (DESC fields turned round)."""
        if operator in ("ge", "gt"):
            return self._seek_up(prefix, operator == "gt")
        return self._seek_down(prefix, operator == "le")

    def find(self, prefix: Row) -> Row | None:
        """Moves to the first entry that starts with the prefix; None when there is none."""
        entry = self._seek_up(prefix, False)
        return entry if entry is not None and self.tree.starts_with(entry, prefix, self.order) else None

    def starts_with(self, entry: Row, prefix: Row) -> bool:
        """Tells whether an entry starts with the prefix under the index's collations."""
        return self.tree.starts_with(entry, prefix, self.order)

    def place_of(self, prefix: Row, above: bool, low: int, high: int) -> int:
        """The position among those of `rows` from `low` to `high` of the first entry not before the prefix, or, with `above`,
        behind all that start with it."""
        order = self.order
        if self.is_self_ordered and order.orders_itself(prefix):
            try:
                return bisect_left(self.rows, (*prefix, TOP) if above else prefix, low, high)
            except TypeError:
                pass
        key = order.key_above(prefix) if above else order.key(prefix)
        return bisect_left(self.rows, key, low, high, key=order.key)

    def _seek_up(self, prefix: Row, above: bool, is_lookup: bool = True) -> Row | None:
        self.path, leaf, position = self.tree.path_to(prefix, above, self.order, is_lookup)
        if leaf.entries is None:
            entry = self._enter_single(leaf, position)
        else:
            entry = self._enter(leaf, position)
        return entry if entry is not None else self._next_page()

    def _seek_down(self, prefix: Row, above: bool, is_lookup: bool = True) -> Row | None:
        self.path, leaf, position = self.tree.path_to(prefix, above, self.order, is_lookup)
        if position == 0:
            self.is_single = False
            self.at_divider = False
            return self._previous_page()
        if leaf.entries is None:
            return self._enter_single(leaf, position - 1)
        self._enter(leaf, position)
        self.position = position - 1
        return self.rows[position - 1]

    def _enter_single(self, leaf: IndexLeaf, position: int) -> Row | None:
        """Takes one entry of a leaf that is not decoded; moving on from it seeks again and decodes the leaf."""
        self.at_divider = False
        self.is_single = False
        self.edits = self.tree.edits
        pager = self.tree.pager
        offsets = cell_offsets(leaf.data, leaf.number, pager.usable)  # type: ignore[arg-type]
        if position >= len(offsets):
            self.rows, self.position = NO_ENTRIES, 0
            return None
        self.is_self_ordered = False
        entry = entry_at(pager, leaf, offsets[position], self.order)
        self.rows, self.position, self.is_single = [entry], 0, True
        return entry

    def _enter(self, leaf: IndexLeaf, position: int) -> Row | None:
        if leaf.entries is None or leaf.codec is not self.order:
            decode_index_node(self.tree.pager, leaf, self.order)
        leaf.leased = True
        self.at_divider = False
        self.is_single = False
        rows: list[Row] = leaf.entries  # type: ignore[assignment]
        self.rows = rows
        self.is_self_ordered = leaf.keys is rows
        self.position = position
        self.edits = self.tree.edits
        return rows[position] if position < len(rows) else None

    def _enter_divider(self, node: IndexInterior, index: int) -> Row:
        decode_index_node(self.tree.pager, node, self.order)
        entry: Row = node.entries[index]  # type: ignore[index]
        self.path.append((node, index))
        self.rows = [entry]
        self.is_self_ordered = False
        self.position = 0
        self.at_divider = True
        self.is_single = False
        self.edits = self.tree.edits
        return entry

    def leave(self) -> None:
        """Stands on no row: reading one raises IndexError (the null row of an outer join)."""
        self._leave()

    def _leave(self) -> None:
        self.rows, self.position, self.path, self.at_divider, self.is_single = NO_ENTRIES, 0, [], False, False
        self.edits = self.tree.edits

    def _descend(self, path: Path, node: object, rightmost: bool) -> Row | None:
        tree = self.tree
        while isinstance(node, IndexInterior):
            index = len(node.children) - 1 if rightmost else 0
            path.append((node, index))
            if len(path) > MAX_DEPTH:
                raise corrupt(tree.root, "b-tree is too deep")
            node = tree.pager.tree_page(node.children[index])
        if not isinstance(node, IndexLeaf):
            raise corrupt(tree.root, "table page in an index b-tree")
        self.path = path
        entry = self._enter(node, 0)
        if entry is not None and rightmost:
            self.position = len(self.rows) - 1
            return self.rows[-1]
        return entry

    def _next_page(self) -> Row | None:
        if self.is_single:
            return self._seek_up(self.rows[0], True, False)
        path = self.path
        pager = self.tree.pager
        if self.at_divider and path:
            node, index = path.pop()
            path.append((node, index + 1))
            if row_cache.used > row_cache.limit:
                pager.trim()
            entry = self._descend(path, pager.tree_page(node.children[index + 1]), False)
            if entry is not None:
                return entry
            path = self.path
        while path:
            node, index = path.pop()
            if index + 1 < len(node.children):
                return self._enter_divider(node, index)
        self._leave()
        return None

    def _previous_page(self) -> Row | None:
        if self.is_single:
            return self._seek_down(self.rows[0], False, False)
        path = self.path
        pager = self.tree.pager
        if self.at_divider and path:
            node, index = path[-1]
            if row_cache.used > row_cache.limit:
                pager.trim()
            entry = self._descend(path, pager.tree_page(node.children[index]), True)
            if entry is not None:
                return entry
            path = self.path
        while path:
            node, index = path.pop()
            if index > 0:
                return self._enter_divider(node, index - 1)
        self._leave()
        return None

    def _move_after_edit(self, forward: bool) -> Row | None:
        if self.position >= len(self.rows):
            self._leave()
            return None
        entry = self.rows[self.position]
        return self._seek_up(entry, True, False) if forward else self._seek_down(entry, False, False)

    # -- whole pages -----------------------------------------------------------------------------------------------

    def leaves(self) -> Iterator[tuple[list[Row], tuple[int, ...]]]:
        """Yields (entries, type masks) page by page in order; entries of interior pages come as lists of one."""
        tree, order = self.tree, self.order
        pager = tree.pager
        n_fields = order.codec.n_columns
        edits = tree.edits
        for node, index in tree.nodes():
            decode_index_node(pager, node, order)
            if isinstance(node, IndexInterior):
                entries = [node.entries[index]]  # type: ignore[index]
                masks = column_masks(entries, n_fields)
            else:
                entries = node.entries  # type: ignore[assignment]
                node.leased = True
                if node.masks is None:
                    node.masks = column_masks(entries, n_fields)
                masks = node.masks
                if not entries:
                    continue
            yield entries, masks
            if row_cache.used > row_cache.limit:
                pager.trim()
            if tree.edits != edits:
                yield from self._rest_after(entries[-1])
                return

    def _rest_after(self, entry: Row) -> Iterator[tuple[list[Row], tuple[int, ...]]]:
        n_fields = self.order.codec.n_columns
        following = self.seek_gt(entry)
        while following is not None:
            yield [following], column_masks([following], n_fields)
            following = self.next()

    def count(self) -> int:
        """Counts the entries without decoding them."""
        return self.tree.count()

    # -- writing ---------------------------------------------------------------------------------------------------

    def insert(self, entry: Row) -> None:
        """Inserts an entry, or replaces the one with the same key.  The cursor keeps its place for `next`."""
        self.tree.insert(entry, self.order)

    def delete(self, entry: Row) -> bool:
        """Deletes the entry with this key; False when there is none.  The cursor keeps its place for `next`."""
        return self.tree.delete(entry, self.order)

    def insert_many(self, entries: list[Row]) -> None:
        """Inserts entries none of which is there, in any order."""
        self.insert_sorted(*self.order.sort(entries))

    def insert_sorted(self, entries: list[Row], keys: list[Row]) -> None:
        """Inserts what `KeyOrder.sort` has returned; none of the entries is there."""
        tree = self.tree
        if len(entries) >= MANY_ENTRIES and keys is entries:
            root = tree.pager.tree_page(tree.root)
            is_empty = root.__class__ is IndexLeaf and not count_entries(root)
            if build_index(tree, entries, self.order) if is_empty else rebuild_index(tree, [], entries, self.order):
                return
        insert_entries(tree, entries, keys, self.order)

    def delete_many(self, entries: list[Row]) -> int:
        """Deletes entries with distinct keys, given in any order; returns how many of them were there."""
        return self.change_many(entries, [])

    def change_many(self, removed: list[Row], added: list[Row]) -> int:
        """Deletes entries and then inserts others, both with distinct keys in any order; returns how many were deleted."""
        n_changes = len(removed) + len(added)
        if n_changes >= MANY_ENTRIES and rebuild_index(self.tree, removed, added, self.order):
            return len(removed)
        n_removed = remove_entries(self.tree, *self.order.sort(removed), self.order)
        if added and n_removed == len(removed):
            self.insert_many(added)
        return n_removed

    def delete_current(self) -> None:
        """Deletes the entry under the cursor; `next` then moves to the one behind it."""
        self.tree.delete(self.rows[self.position], self.order)
