"""Index b-trees: entries in the order of their key fields, in leaves and in interior pages.

    interior   child 0 | entry 0 | child 1 | entry 1 | ... | last child     entries in child i < entry i < those in child i+1
    leaf       entry, entry, ...

An entry lives in exactly one page, so a split moves one entry up and a merge brings one down.  Deleting an entry of an
interior page puts its predecessor, the last entry of a leaf, in its place.  Cells keep their encoded bytes on all these
ways.  Splits, merges and `edits` as in `table_tree`.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from minisql.storage.corruption import corrupt
from minisql.storage.freelist import allocate_page, free_page
from minisql.storage.index_key import TOP, KeyOrder
from minisql.storage.node import IndexInterior, IndexLeaf, cell_offsets, cut_payload_cell, max_local
from minisql.storage.overflow import build_index_cell, free_cell, join_payload
from minisql.storage.pager import Pager
from minisql.storage.record import RecordError, Row, record_bounds, upper_bound
from minisql.storage.table_tree import MAX_DEPTH, page_capacity
from minisql.storage.varint import encode_varint, read_varint

Path = list[tuple[IndexInterior, int]]
LOOKUPS_BEFORE_DECODING = 6
"""Single entries that are looked up in a leaf before the whole leaf is decoded (benchmark index_point_cold)."""


def decode_index_node(pager: Pager, node: IndexLeaf | IndexInterior, order: KeyOrder) -> None:
    """Makes sure that `entries` and `keys` are there, decoded for `order`; raises SQLITE_CORRUPT."""
    if node.entries is not None and node.codec is order:
        return
    decode = order.codec.decode
    entries: list[Row] = []
    try:
        if node.cells is None:
            assert isinstance(node, IndexLeaf)
            entries = _entries_from_page(pager, node, order)
        else:
            encode_index_cells(pager, node)
            for cell in node.cells:
                size, at = read_varint(cell, 0)  # type: ignore[arg-type]
                if size > max_local(pager.usable, False):
                    payload = join_payload(pager, cell, at, size, False)  # type: ignore[arg-type]
                    entries.append(decode(payload, 0, size, 0))
                else:
                    entries.append(decode(cell, at, at + size, 0))  # type: ignore[arg-type]
    except (IndexError, RecordError, ValueError) as error:
        raise corrupt(node.number, f"bad cell: {error}") from error
    node.entries = entries
    node.keys = order.keys_for(entries)
    node.codec = order
    if isinstance(node, IndexLeaf):
        node.masks = None


def _entries_from_page(pager: Pager, leaf: IndexLeaf, order: KeyOrder) -> list[Row]:
    data = leaf.data
    assert data is not None
    usable = pager.usable
    largest = max_local(usable, False)
    entries: list[Row] = []
    decode = order.codec.decode
    decoders = order.codec.decoders
    for at in cell_offsets(data, leaf.number, usable):
        size = data[at]
        at += 1
        if size >= 0x80:
            size, at = read_varint(data, at - 1)
        if size > largest:
            entries.append(decode(join_payload(pager, data, at, size, False), 0, size, 0))
            continue
        end = at + size
        if end > usable:
            raise corrupt(leaf.number, "cell runs off the page")
        body = at + data[at]
        known = decoders.get(data[at:body])
        if known is not None and body + known[0] == end:
            entries.append(known[1](data, body, 0))
        else:
            entries.append(decode(data, at, end, 0))
    return entries


def entry_at(pager: Pager, leaf: IndexLeaf, offset: int, order: KeyOrder) -> Row:
    """Decodes the one entry at an offset of a leaf that is not decoded; raises SQLITE_CORRUPT."""
    data = leaf.data
    assert data is not None
    try:
        size, at = read_varint(data, offset)
        if size > max_local(pager.usable, False):
            return order.codec.decode(join_payload(pager, data, at, size, False), 0, size, 0)
        if at + size > pager.usable:
            raise corrupt(leaf.number, "cell runs off the page")
        return order.codec.decode(data, at, at + size, 0)
    except (IndexError, RecordError, ValueError) as error:
        raise corrupt(leaf.number, f"bad cell: {error}") from error


def search_page(pager: Pager, leaf: IndexLeaf, key: Row, order: KeyOrder) -> int:
    """Returns how many entries of a leaf that is not decoded sort before the key, decoding only those it compares."""
    assert leaf.data is not None
    offsets = cell_offsets(leaf.data, leaf.number, pager.usable)
    low, high = 0, len(offsets)
    while low < high:
        middle = (low + high) // 2
        if order.key(entry_at(pager, leaf, offsets[middle], order)) < key:
            low = middle + 1
        else:
            high = middle
    return low


def cut_index_cells(pager: Pager, leaf: IndexLeaf) -> None:
    """Cuts the encoded cells out of the page image, before the first edit."""
    if leaf.cells is None:
        data = leaf.data
        assert data is not None
        usable = pager.usable
        cells = [cut_payload_cell(data, at, leaf.number, usable) for at in cell_offsets(data, leaf.number, usable)]
        leaf.size = 8 + sum(map(_leaf_cell_size, cells))
        if leaf.size > usable:
            raise corrupt(leaf.number, "cells overlap")
        leaf.cells = cells  # type: ignore[assignment]
        leaf.row_count_below = len(cells) // 2


def encode_index_cells(pager: Pager, node: IndexLeaf | IndexInterior) -> list[bytes]:
    """Encodes the entries that have no cell yet and makes a leaf's `size` exact; returns the cells."""
    cells = node.cells
    assert cells is not None
    if None in cells:
        assert node.codec is not None and node.entries is not None
        encode = node.codec.codec.encode
        for index, cell in enumerate(cells):
            if cell is None:
                record = encode(node.entries[index])
                cells[index] = encode_varint(len(record)) + record
    if isinstance(node, IndexLeaf):
        node.size = 8 + sum(_leaf_sizes(cells))  # type: ignore[arg-type]
    return cells  # type: ignore[return-value]


def _leaf_cell_size(cell: bytes) -> int:
    return (len(cell) if len(cell) > 4 else 4) + 2


def _leaf_sizes(cells: Sequence[bytes]) -> list[int]:
    """Returns the sizes of leaf cells with their pointers; a cell takes at least four bytes."""
    if cells and min(map(len, cells)) >= 4:
        return [len(cell) + 2 for cell in cells]
    return list(map(_leaf_cell_size, cells))


def measure_index_leaf(pager: Pager, leaf: IndexLeaf, factor: int) -> list[int]:
    """Returns the sizes of the cells and sets `size`; as `table_tree.measure_leaf`, exact in a file, bounds in memory."""
    cells = leaf.cells
    assert cells is not None
    if pager.makes_pages or None not in cells:
        sizes = _leaf_sizes(encode_index_cells(pager, leaf))
    elif cells.count(None) == len(cells):
        sizes = record_bounds(leaf.entries, factor, 8)  # type: ignore[arg-type]
    else:
        sizes = [
            len(cell) + 4 if cell is not None else upper_bound(entry) * factor + 8
            for cell, entry in zip(cells, leaf.entries, strict=True)  # type: ignore[arg-type]
        ]
    leaf.size = 8 + sum(sizes)
    return sizes


def _interior_size(cells: Sequence[bytes | None]) -> int:
    return 12 + 6 * len(cells) + sum(map(len, cells))  # type: ignore[arg-type]


def count_entries(node: IndexLeaf | IndexInterior) -> int:
    """Returns the number of entries on a page without decoding them."""
    if node.cells is None:
        data = node.data
        assert data is not None
        first = 100 if node.number == 1 else 0
        return data[first + 3] << 8 | data[first + 4]
    return len(node.cells)


def may_look_up(leaf: IndexLeaf) -> bool:
    """Counts a lookup in a leaf that is not decoded; False when decoding all of it has become the better deal."""
    if leaf.entries is not None or leaf.cells is not None or leaf.n_lookups >= LOOKUPS_BEFORE_DECODING:
        return False
    leaf.n_lookups += 1
    return True


class IndexTree:
    """One index b-tree of one connection."""

    __slots__ = ("append_leaf", "codec", "edits", "is_appending", "pager", "root", "shape", "size_factor")

    def __init__(self, pager: Pager, root: int) -> None:
        self.pager = pager
        self.root = root
        self.edits = 0
        self.append_leaf: IndexLeaf | None = None
        self.is_appending = False
        self.shape: object = None
        self.codec: KeyOrder = None  # type: ignore[assignment]
        self.size_factor = 1

    def forget_position(self) -> None:
        """Forgets nodes: the pager has replaced them."""
        self.edits += 1
        self.append_leaf = None

    # -- search ----------------------------------------------------------------------------------------------------

    def path_to(
        self, prefix: Row, above: bool, order: KeyOrder, is_lookup: bool = False
    ) -> tuple[Path, IndexLeaf, int]:
        """Returns the way to the first entry not before the prefix (or behind it when `above`).

        That entry is at the position in the leaf, or, when the position is the leaf's end, at the innermost interior page
        of the path whose index is not its last child.  For a lookup the leaf may be left undecoded.
        """
        pager = self.pager
        tree_page = pager.tree_page
        if len(prefix) > order.n_key_fields:
            prefix = prefix[: order.n_key_fields]
        is_plain = order.is_plain and order.orders_itself(prefix)
        probe = (*prefix, TOP) if above else prefix
        key: Row | None = None
        path: Path = []
        node = tree_page(self.root)
        while True:
            kind = node.__class__
            if kind is not IndexLeaf and kind is not IndexInterior:
                raise corrupt(node.number, "table page in an index b-tree")
            if node.entries is None or node.codec is not order:  # type: ignore[union-attr]
                if is_lookup and isinstance(node, IndexLeaf) and may_look_up(node):
                    if key is None:
                        key = order.key_above(prefix) if above else order.key(prefix)
                    return path, node, search_page(pager, node, key, order)
                decode_index_node(pager, node, order)  # type: ignore[arg-type]
            index = -1
            if is_plain and node.keys is node.entries:  # type: ignore[union-attr]
                try:
                    index = bisect_left(node.keys, probe)  # type: ignore[union-attr,arg-type]
                except TypeError:
                    if None in prefix:
                        # The place of NULLs, where a range without a lower end begins: no reason to give all entries keys.
                        key = order.key_above(prefix) if above else order.key(prefix)
                        index = bisect_left(node.entries, key, key=order.key)  # type: ignore[union-attr]
            if index < 0:
                if node.keys is node.entries and node.entries:  # type: ignore[union-attr]
                    node.keys = list(map(order.key, node.entries))  # type: ignore[union-attr]
                if key is None:
                    key = order.key_above(prefix) if above else order.key(prefix)
                index = bisect_left(node.keys, key)  # type: ignore[union-attr]
            if kind is IndexLeaf:
                return path, node, index  # type: ignore[return-value]
            path.append((node, index))  # type: ignore[arg-type]
            if len(path) > MAX_DEPTH:
                raise corrupt(self.root, "b-tree is too deep")
            node = tree_page(node.children[index])  # type: ignore[union-attr]

    def nodes(self) -> Iterator[tuple[IndexLeaf | IndexInterior, int]]:
        """Yields the tree in order: (leaf, -1) for a whole leaf, (interior, i) for its entry i; nothing is decoded."""
        tree_page = self.pager.tree_page
        stack: list[tuple[IndexInterior, int]] = []
        node = tree_page(self.root)
        while True:
            while isinstance(node, IndexInterior):
                stack.append((node, 0))
                if len(stack) > MAX_DEPTH:
                    raise corrupt(self.root, "b-tree is too deep")
                node = tree_page(node.children[0])
            if not isinstance(node, IndexLeaf):
                raise corrupt(node.number, "table page in an index b-tree")
            yield node, -1
            while stack and stack[-1][1] + 1 >= len(stack[-1][0].children):
                stack.pop()
            if not stack:
                return
            interior, index = stack.pop()
            yield interior, index
            stack.append((interior, index + 1))
            node = tree_page(interior.children[index + 1])

    def count(self) -> int:
        """Counts the entries, decoding none."""
        return sum(count_entries(node) if index < 0 else 1 for node, index in self.nodes())

    def estimated_rows(self) -> int:
        """Estimates the number of entries: exact for a single leaf, else the fan-out along one way down."""
        pages = 1
        node = self.pager.tree_page(self.root)
        depth = 0
        while isinstance(node, IndexInterior):
            pages *= len(node.children)
            node = self.pager.tree_page(node.children[len(node.children) // 2])
            depth += 1
            if depth > MAX_DEPTH:
                raise corrupt(self.root, "b-tree is too deep")
        return pages * count_entries(node) if isinstance(node, IndexLeaf) else pages

    # -- edits -----------------------------------------------------------------------------------------------------

    def open_node(self, node: IndexLeaf | IndexInterior, order: KeyOrder) -> None:
        """Makes a node ready for an edit of its lists."""
        pager = self.pager
        if node.entries is None or node.codec is not order:
            decode_index_node(pager, node, order)
        if node.cells is None:
            assert isinstance(node, IndexLeaf)
            cut_index_cells(pager, node)
        if node.epoch != pager.epoch:
            pager.prepare(node)
        elif node.leased:
            node.own()
        node.data = None

    def insert(self, entry: Row, order: KeyOrder) -> None:
        """Inserts an entry, or replaces the one with the same key."""
        pager = self.pager
        if pager.is_editing:
            pager.check_health()
        leaf = self.append_leaf
        if leaf is not None and self.is_appending and self.goes_last(leaf, entry, order):
            index = len(leaf.entries)  # type: ignore[arg-type]
            equal = None
        else:
            path, leaf, index = self.path_to(entry, False, order)
            self.is_appending = index == len(leaf.entries)  # type: ignore[arg-type]
            equal = self._equal_at(path, leaf, index, entry, order)
        pager.is_editing = True
        self.edits += 1
        cell: bytes | None = None
        size = upper_bound(entry) * self.size_factor + 8
        if size > max_local(pager.usable, False):
            cell = build_index_cell(pager, order.codec.encode(entry))
            size = len(cell) + 4
        if equal is not None:
            self._replace(path, *equal, entry, cell, order)
        else:
            if leaf.epoch != pager.epoch or leaf.leased or leaf.cells is None:
                self.open_node(leaf, order)
            if leaf.keys is not leaf.entries or not order.is_plain or not order.orders_itself(entry):
                self._insert_entry(leaf, index, entry, cell, order)
            else:
                leaf.entries.insert(index, entry)
                leaf.cells.insert(index, cell)  # type: ignore[union-attr]
            leaf.size += size
            leaf.masks = None
            if leaf.size > pager.usable:
                self.relieve(leaf, entry, order)
        pager.is_editing = False
        if pager.file is not None and len(pager.dirty) > pager.max_dirty_pages():
            pager.spill()

    def goes_last(self, leaf: IndexLeaf, entry: Row, order: KeyOrder) -> bool:
        """Tells, without a descent, that an entry belongs behind the last entry of the last leaf."""
        if self.pager.pages.get(leaf.number) is not leaf or not leaf.entries or leaf.codec is not order:
            return False
        if leaf.keys is not leaf.entries:
            return bool(order.key(entry) > leaf.keys[-1])
        if not order.orders_itself(entry):
            return False
        n = order.n_key_fields
        try:
            return bool(entry[:n] > leaf.entries[-1][:n])
        except TypeError:
            return False

    def _finish_edit(self) -> None:
        pager = self.pager
        pager.is_editing = False
        if pager.file is not None and len(pager.dirty) > pager.max_dirty_pages():
            pager.spill()

    def _has_key(self, node: IndexLeaf | IndexInterior, index: int, entry: Row, order: KeyOrder) -> bool:
        """Tells whether the entry at `index` has the key of `entry`."""
        if node.keys is node.entries:
            n = order.n_key_fields
            found = node.keys[index]
            return found == entry if n == len(entry) == len(found) else found[:n] == entry[:n]
        return bool(node.keys[index] == order.key(entry))

    def _equal_at(
        self, path: Path, leaf: IndexLeaf, index: int, entry: Row, order: KeyOrder
    ) -> tuple[IndexLeaf | IndexInterior, int] | None:
        """Returns the page and position of the entry with the same key, where `path_to` has led, or None.

        It can be on an interior page only when the search went past the end of the leaf: then it is the next entry.
        """
        if index < len(leaf.entries):  # type: ignore[arg-type]
            return (leaf, index) if self._has_key(leaf, index, entry, order) else None
        for interior, at in reversed(path):
            if at < len(interior.cells):
                return (interior, at) if self._has_key(interior, at, entry, order) else None
        return None

    def _replace(
        self, path: Path, node: IndexLeaf | IndexInterior, index: int, entry: Row, cell: bytes | None, order: KeyOrder
    ) -> None:
        """Replaces the entry at `index` by one with the same key."""
        pager = self.pager
        self.open_node(node, order)
        assert node.cells is not None
        free_cell(pager, node.cells[index], False)
        if isinstance(node, IndexLeaf):
            self._set_entry(node, index, entry, cell, order)
            node.size += upper_bound(entry) * self.size_factor + 8 if cell is None else len(cell) + 4
            node.masks = None
            if node.size > pager.usable:
                self.relieve(node, entry, order)
            return
        self._set_entry(node, index, entry, cell or build_index_cell(pager, order.codec.encode(entry)), order)
        depth = next(i for i, (member, _) in enumerate(path) if member is node)
        self._split_interiors(path[: depth + 1], order)

    def _set_entry(
        self, node: IndexLeaf | IndexInterior, index: int, entry: Row, cell: bytes | None, order: KeyOrder
    ) -> None:
        assert node.entries is not None and node.cells is not None
        if node.keys is node.entries and not (order.is_plain and order.orders_itself(entry)):
            node.keys = list(map(order.key, node.entries))
        if node.keys is not node.entries:
            node.keys[index] = order.key(entry)
        node.entries[index] = entry
        node.cells[index] = cell

    def relieve(self, leaf: IndexLeaf, entry: Row, order: KeyOrder) -> None:
        """Splits a leaf whose cells, measured closely, do not fit its page."""
        pager = self.pager
        sizes = measure_index_leaf(pager, leaf, self.size_factor)
        if leaf.size <= page_capacity(pager, leaf.number):
            return
        path, found, _ = self.path_to(entry, False, order)
        assert found is leaf
        if not path:
            leaf = self._push_down(leaf)  # type: ignore[assignment]
            path = [(pager.tree_page(self.root), 0)]  # type: ignore[list-item]
            if leaf.size <= pager.usable:
                return
        is_last = all(index == len(node.children) - 1 for node, index in path)
        assert leaf.entries is not None and leaf.cells is not None
        cut = len(sizes) - 2
        if not (is_last and self._has_key(leaf, len(leaf.entries) - 1, entry, order)):
            sums = list(accumulate(sizes))
            cut = min(max(bisect_left(sums, sums[-1] // 2), 1), cut)
        part = IndexLeaf(allocate_page(pager))
        pager.install(part)
        part.codec = order
        self._move_tail(leaf, part, cut)
        parent, index = path[-1]
        self.open_node(parent, order)
        self._insert_divider(parent, index, leaf, part.number, cut, order)
        leaf.size, part.size = 8 + sum(sizes[:cut]), 8 + sum(sizes[cut + 1 :])
        leaf.row_count_below, part.row_count_below = cut // 2, (len(sizes) - cut) // 2
        self.append_leaf = part if is_last else self.append_leaf
        self._split_interiors(path, order)

    def _move_tail(self, node: IndexLeaf | IndexInterior, part: IndexLeaf | IndexInterior, cut: int) -> None:
        """Moves the entries behind `cut` to `part`; entry `cut` itself stays at the end of `node` for the caller."""
        assert node.entries is not None and node.cells is not None
        part.entries = node.entries[cut + 1 :]
        part.keys = part.entries if node.keys is node.entries else node.keys[cut + 1 :]
        part.cells = node.cells[cut + 1 :]
        if node.keys is not node.entries:
            del node.keys[cut + 1 :]
        del node.entries[cut + 1 :], node.cells[cut + 1 :]

    def _insert_divider(
        self, parent: IndexInterior, index: int, node: IndexLeaf | IndexInterior, right: int, cut: int, order: KeyOrder
    ) -> None:
        """Takes the last entry of `node` up into the parent, between `node` and the page `right`."""
        assert node.entries is not None and node.cells is not None and parent.entries is not None
        entry, cell = node.entries[cut], node.cells[cut]
        if node.keys is not node.entries:
            del node.keys[cut:]
        del node.entries[cut:], node.cells[cut:]
        self._insert_entry(parent, index, entry, cell, order)
        parent.children.insert(index + 1, right)

    def _insert_entry(
        self, node: IndexLeaf | IndexInterior, index: int, entry: Row, cell: bytes | None, order: KeyOrder
    ) -> None:
        assert node.entries is not None and node.cells is not None
        if node.keys is node.entries and not (order.is_plain and order.orders_itself(entry)):
            node.keys = list(map(order.key, node.entries))
        if node.keys is not node.entries:
            node.keys.insert(index, order.key(entry))
        node.entries.insert(index, entry)
        node.cells.insert(index, cell)

    def _delete_entry(self, node: IndexLeaf | IndexInterior, index: int) -> bytes | None:
        assert node.entries is not None and node.cells is not None
        cell = node.cells[index]
        if node.keys is not node.entries:
            del node.keys[index]
        del node.entries[index], node.cells[index]
        return cell

    def _push_down(self, node: IndexLeaf | IndexInterior) -> IndexLeaf | IndexInterior:
        """Moves the root's content into a new child; the root becomes an interior page without entries."""
        pager = self.pager
        child: IndexLeaf | IndexInterior
        if isinstance(node, IndexLeaf):
            child = IndexLeaf(allocate_page(pager))
            child.size = node.size
        else:
            child = IndexInterior(allocate_page(pager), None, [], node.children)
        child.entries, child.keys, child.cells, child.codec = node.entries, node.keys, node.cells, node.codec
        pager.install(child)
        root = IndexInterior(self.root, [], [], [child.number])
        root.codec = node.codec
        pager.install(root)
        return child

    def _split_interiors(self, path: Path, order: KeyOrder) -> None:
        pager = self.pager
        while path:
            node, _ = path.pop()
            encode_index_cells(pager, node)
            if _interior_size(node.cells) <= page_capacity(pager, node.number):
                return
            if not path:
                node = self._push_down(node)  # type: ignore[assignment]
                path.append((pager.tree_page(self.root), 0))  # type: ignore[arg-type]
                if _interior_size(node.cells) <= pager.usable:
                    return
            parent, index = path[-1]
            self.open_node(parent, order)
            sums = list(accumulate(map(len, node.cells)))  # type: ignore[arg-type]
            cut = min(max(bisect_left(sums, sums[-1] // 2), 1), len(node.cells) - 2)
            right = IndexInterior(allocate_page(pager), [], [], node.children[cut + 1 :])
            right.codec = order
            self._move_tail(node, right, cut)
            pager.install(right)
            del node.children[cut + 1 :]
            self._insert_divider(parent, index, node, right.number, cut, order)
            node.data = None

    def find(self, prefix: Row, order: KeyOrder) -> Row | None:
        """Returns the first entry that starts with the prefix (compared by its key), or None."""
        path, leaf, index = self.path_to(prefix, False, order)
        node: IndexLeaf | IndexInterior = leaf
        assert leaf.entries is not None
        if index == len(leaf.entries):
            for node, index in reversed(path):
                if index < len(node.cells):
                    break
            else:
                return None
        assert node.entries is not None
        entry = node.entries[index]
        return entry if self.starts_with(entry, prefix, order) else None

    def starts_with(self, entry: Row, prefix: Row, order: KeyOrder) -> bool:
        """Tells whether an entry's key starts with the prefix, under the collations."""
        n = min(len(prefix), order.n_key_fields)
        if order.is_plain:
            return entry[:n] == prefix[:n]
        return order.key(entry[:n]) == order.key(prefix[:n])

    def delete(self, entry: Row, order: KeyOrder) -> bool:
        """Deletes the entry with this key; False when there is none."""
        pager = self.pager
        if pager.is_editing:
            pager.check_health()
        path, leaf, index = self.path_to(entry, False, order)
        equal = self._equal_at(path, leaf, index, entry, order)
        if equal is None:
            return False
        node, at = equal
        pager.is_editing = True
        self.edits += 1
        if isinstance(node, IndexInterior):
            depth = next(i for i, (member, _) in enumerate(path) if member is node)
            self._delete_from_interior(path[:depth], node, at, order)
        else:
            self.open_node(leaf, order)
            cell = self._delete_entry(leaf, index)
            free_cell(pager, cell, False)
            if cell is not None:
                leaf.size -= _leaf_cell_size(cell)
            leaf.masks = None
            if path and len(leaf.entries) < max(leaf.row_count_below, 1):  # type: ignore[arg-type]
                self.after_delete(path, leaf, order)
        self._finish_edit()
        return True

    def _delete_from_interior(self, path: Path, interior: IndexInterior, at: int, order: KeyOrder) -> None:
        """Replaces an interior entry by its predecessor, the last entry of the rightmost leaf to its left."""
        pager = self.pager
        path.append((interior, at))
        node = pager.tree_page(interior.children[at])
        while isinstance(node, IndexInterior):
            decode_index_node(pager, node, order)
            path.append((node, len(node.children) - 1))
            if len(path) > MAX_DEPTH:
                raise corrupt(self.root, "b-tree is too deep")
            node = pager.tree_page(node.children[-1])
        if not isinstance(node, IndexLeaf):
            raise corrupt(node.number, "table page in an index b-tree")
        self.open_node(node, order)
        if not node.entries:
            raise corrupt(node.number, "empty leaf in an index b-tree")
        self.open_node(interior, order)
        encode_index_cells(pager, node)
        entry = node.entries[-1]
        cell = self._delete_entry(node, len(node.entries) - 1)
        assert cell is not None
        node.size -= _leaf_cell_size(cell)
        node.masks = None
        free_cell(pager, interior.cells[at], False)
        self._set_entry(interior, at, entry, cell, order)
        # A longer entry can overfill the interior page: split it first, then find the leaf again.
        depth = next(i for i, (member, _) in enumerate(path) if member is interior)
        encode_index_cells(pager, interior)
        if _interior_size(interior.cells) > page_capacity(pager, interior.number):
            self._split_interiors(path[: depth + 1], order)
            path = self._path_before(entry, order)
        self.after_delete(path, node, order)

    def _path_before(self, entry: Row, order: KeyOrder) -> Path:
        """Returns the way to the leaf that ends just before an interior entry."""
        path, _, _ = self.path_to(entry, False, order)
        return path

    def after_delete(self, path: Path, leaf: IndexLeaf, order: KeyOrder) -> None:
        """Merges or refills a leaf that has become empty or thin."""
        pager = self.pager
        n_entries = len(leaf.entries)  # type: ignore[arg-type]
        if not path or (n_entries and n_entries >= leaf.row_count_below):
            return
        measure_index_leaf(pager, leaf, self.size_factor)
        leaf.row_count_below = n_entries // 2
        if n_entries and leaf.size * 3 > pager.usable:
            return
        self._balance(path, order, is_forced=not n_entries)

    def _balance(self, path: Path, order: KeyOrder, is_forced: bool) -> None:
        """Joins the child at the end of the path with a neighbour, or evens both out when they do not fit one page."""
        pager = self.pager
        while path:
            parent, index = path.pop()
            if len(parent.children) < 2:
                if path:
                    is_forced = True
                    continue
                break
            left_index = index if index + 1 < len(parent.children) else index - 1
            left, right = (pager.tree_page(parent.children[i]) for i in (left_index, left_index + 1))
            if left.__class__ is not right.__class__ or not isinstance(left, (IndexLeaf, IndexInterior)):
                raise corrupt(parent.number, "children at different depths")
            assert isinstance(right, (IndexLeaf, IndexInterior))
            for node in (left, right, parent):
                decode_index_node(pager, node, order)
                if node.cells is None:
                    cut_index_cells(pager, node)
                encode_index_cells(pager, node)
            if not self._join(parent, left_index, left, right, order, is_forced):
                return
            self._split_interiors([*path, (parent, index)], order)
            if not path:
                break
            if parent.cells and _interior_size(parent.cells) * 3 > pager.usable:
                return
            is_forced = not parent.cells
        self._lower_root(order)

    def _join(
        self,
        parent: IndexInterior,
        left_index: int,
        left: IndexLeaf | IndexInterior,
        right: IndexLeaf | IndexInterior,
        order: KeyOrder,
        is_forced: bool,
    ) -> bool:
        """Merges two children and their divider, or shares them out anew; False when nothing was done."""
        pager = self.pager
        is_leaf = isinstance(left, IndexLeaf)
        cells = [*left.cells, parent.cells[left_index], *right.cells]  # type: ignore[misc]
        size = 8 + sum(map(_leaf_cell_size, cells)) if is_leaf else _interior_size(cells)
        fits = size <= pager.usable
        if not fits and not is_forced:
            return False
        assert left.entries is not None and right.entries is not None and parent.entries is not None
        for node in (left, right, parent):
            self.open_node(node, order)
        self.append_leaf = None
        entries = [*left.entries, parent.entries[left_index], *right.entries]
        keys = order.keys_for(entries)
        children: list[int] = []
        if isinstance(left, IndexInterior) and isinstance(right, IndexInterior):
            children = left.children + right.children
        if fits:
            self._delete_entry(parent, left_index)
            del parent.children[left_index + 1]
            self._fill(left, entries, keys, cells, children)
            free_page(pager, right.number)
        else:
            sums = list(accumulate(map(len, cells)))
            cut = min(max(bisect_left(sums, sums[-1] // 2), 1), len(cells) - 2)
            is_same = keys is entries
            head, tail = entries[:cut], entries[cut + 1 :]
            self._fill(left, head, head if is_same else keys[:cut], cells[:cut], children[: cut + 1])
            self._fill(right, tail, tail if is_same else keys[cut + 1 :], cells[cut + 1 :], children[cut + 1 :])
            self._set_entry(parent, left_index, entries[cut], cells[cut], order)
        return True

    def _fill(
        self,
        node: IndexLeaf | IndexInterior,
        entries: list[Row],
        keys: list[Row],
        cells: list[bytes | None],
        children: list[int],
    ) -> None:
        node.entries, node.keys, node.cells = entries, keys, cells
        if isinstance(node, IndexLeaf):
            node.masks = None
            encode_index_cells(self.pager, node)
            node.row_count_below = len(cells) // 2
        else:
            node.children = children

    def _lower_root(self, order: KeyOrder) -> None:
        """Pulls an only child up into the root."""
        pager = self.pager
        while True:
            root = pager.tree_page(self.root)
            if not isinstance(root, IndexInterior) or root.cells:
                return
            child = pager.tree_page(root.children[0])
            if not isinstance(child, (IndexLeaf, IndexInterior)):
                raise corrupt(child.number, "table page in an index b-tree")
            self.open_node(child, order)
            copy: IndexLeaf | IndexInterior
            if isinstance(child, IndexLeaf):
                copy = IndexLeaf(self.root)
                copy.size = child.size
            else:
                copy = IndexInterior(self.root, None, [], child.children[:])
            entries = child.entries[:]  # type: ignore[index]
            copy.entries = entries
            copy.keys = entries if child.keys is child.entries else child.keys[:]
            copy.cells, copy.codec = child.cells[:], order  # type: ignore[index]
            pager.install(copy)
            free_page(pager, child.number)
            self.append_leaf = None

    def clear(self, spare: list[int] | None = None) -> int:
        """Removes every entry, frees all pages but the root, or adds them to `spare`; returns the number of entries removed."""
        pager = self.pager
        if pager.is_editing:
            pager.check_health()
        pager.is_editing = True
        self.forget_position()
        n_entries = self._free_all(spare)
        pager.install(IndexLeaf(self.root))
        self._finish_edit()
        return n_entries

    def _free_all(self, spare: list[int] | None) -> int:
        pager = self.pager
        n_entries = 0
        stack = [(self.root, 0)]
        seen: set[int] = set()
        while stack:
            number, depth = stack.pop()
            if number in seen or depth > MAX_DEPTH:
                raise corrupt(number, "page is used twice")
            seen.add(number)
            node = pager.tree_page(number)
            if isinstance(node, IndexInterior):
                stack += [(child, depth + 1) for child in node.children]
            elif isinstance(node, IndexLeaf):
                cut_index_cells(pager, node)
            else:
                raise corrupt(number, "table page in an index b-tree")
            n_entries += len(node.cells)  # type: ignore[arg-type]
            if node.cells.count(None) < len(node.cells):  # type: ignore[union-attr,arg-type]
                for cell in node.cells:  # type: ignore[union-attr]
                    free_cell(pager, cell, False)
            if number != self.root and spare is None:
                free_page(pager, number)
        if spare is not None:
            spare += seen - {self.root}
        return n_entries
