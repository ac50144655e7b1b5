"""Table b-trees: rowid to row.

    interior   child 0 | key 0 | child 1 | key 1 | ... | last child        rowids in child i are <= key i
    leaf       (rowid, row), ...

An insert that makes a leaf too large first sizes its cells exactly (`size` is only an upper bound until then) and then
splits it: at the end of the table only the new row moves to a new leaf, so that rows appended in order fill their pages;
elsewhere the leaf is cut in halves, or in thirds when one large cell forces it.  A delete that leaves a leaf less than a
third full merges it with a neighbour if both fit one page; an empty leaf always goes, since SQLite takes none but the root
as empty.  SQLite's three-sibling balance was not taken: lists make splits cheap, and 2/3 full pages come out either way.

Every change of the tree moves `edits`; cursors compare it and seek their place again.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from itertools import accumulate

from minisql.storage.corruption import corrupt
from minisql.storage.freelist import allocate_page, free_page
from minisql.storage.leaf_decoding import decode_page
from minisql.storage.node import RawPage, TableInterior, TableLeaf, cell_offsets, local_size, max_local
from minisql.storage.overflow import build_table_cell, free_cell, join_payload
from minisql.storage.pager import Pager
from minisql.storage.record import RecordCodec, RecordError, Row, record_bounds, upper_bound
from minisql.storage.row_edit import TABLE_CELL, drop_row, put_row
from minisql.storage.varint import encode_varint, read_signed_varint, read_varint, varint_length

MAX_DEPTH = 20
MAX_PAGE = 65536

Path = list[tuple[TableInterior, int]]


def page_capacity(pager: Pager, number: int) -> int:
    """Returns the bytes that a b-tree page has for its header, pointers and cells."""
    return pager.usable - 100 if number == 1 else pager.usable


def split_point(sizes: list[int], capacity: int) -> list[int]:
    """Returns the indexes at which cells of these sizes are cut into groups that fit: one cut if possible, else two."""
    sums = list(accumulate(sizes))
    total = sums[-1]
    best, best_distance = 0, total + 1
    middle = bisect_left(sums, total // 2)
    for cut in range(max(1, middle - 1), min(len(sizes), middle + 3)):
        left = sums[cut - 1]
        if left <= capacity and total - left <= capacity and abs(total - 2 * left) < best_distance:
            best, best_distance = cut, abs(total - 2 * left)
    if best:
        return [best]
    cuts: list[int] = []
    filled = 0
    for index, size in enumerate(sizes):
        if filled + size > capacity and index:
            cuts.append(index)
            filled = 0
        filled += size
    return cuts


# -- leaves: bytes to lists and back -------------------------------------------------------------------------------


def decode_leaf(pager: Pager, leaf: TableLeaf, codec: RecordCodec) -> None:
    """Makes sure that `rowids` and `rows` are there, decoded for `codec`; raises SQLITE_CORRUPT."""
    if leaf.rows is not None and leaf.codec is codec:
        return
    try:
        if leaf.cells is None:
            decode_page(pager, leaf, codec)
        else:
            encode_leaf_cells(pager, leaf)
            leaf.rows = [
                codec.decode(*cell_payload(pager, cell), rowid)  # type: ignore[arg-type]
                for cell, rowid in zip(leaf.cells, leaf.rowids, strict=True)
            ]
    except (IndexError, RecordError, ValueError) as error:
        raise corrupt(leaf.number, f"bad cell: {error}") from error
    leaf.codec = codec
    leaf.masks = None


def cell_payload(pager: Pager, cell: bytes) -> tuple[bytes, int, int]:
    """Returns (data, start, end) of the payload of a table leaf's cell, overflow pages joined."""
    size, at = read_varint(cell, 0)
    _, at = read_varint(cell, at)
    if size > pager.usable - 35:
        return join_payload(pager, cell, at, size, True), 0, size
    return cell, at, at + size


def cut_leaf_cells(pager: Pager, leaf: TableLeaf) -> None:
    """Cuts the encoded cells out of the page image, before the first edit; needs no codec."""
    if leaf.cells is not None:
        return
    data = leaf.data
    assert data is not None
    usable = pager.usable
    largest = max_local(usable, True)
    cells: list[bytes | None] = []
    rowids: list[int] = []
    try:
        for start in cell_offsets(data, leaf.number, usable):
            size, at = read_varint(data, start)
            rowid, at = read_varint(data, at)
            end = at + (size if size <= largest else local_size(size, usable, largest) + 4)
            if end > usable:
                raise corrupt(leaf.number, "cell runs off the page")
            cells.append(data[start : max(end, start + 4)])
            rowids.append(rowid - (1 << 64) if rowid >> 63 else rowid)
    except IndexError as error:
        raise corrupt(leaf.number, "cell runs off the page") from error
    size = 8 + 2 * len(cells) + sum(map(len, cells))  # type: ignore[arg-type]
    if size > page_capacity(pager, leaf.number):
        raise corrupt(leaf.number, "cells overlap")
    if leaf.rows is None:
        leaf.rowids = rowids
    leaf.size = size
    leaf.row_count_below = len(cells) // 2
    leaf.cells = cells


def encode_cell(rowid: int, record: bytes) -> bytes:
    """Returns the cell of a record that does not overflow."""
    size = len(record)
    if size < 0x80 and 0x4000 <= rowid < 0x200000:  # the common case without calls (benchmark append_file)
        return bytes((size, rowid >> 14 | 0x80, rowid >> 7 & 0x7F | 0x80, rowid & 0x7F)) + record
    cell = encode_varint(size) + encode_varint(rowid) + record
    return cell if len(cell) >= 4 else cell.ljust(4, b"\0")


def encode_leaf_cells(pager: Pager, leaf: TableLeaf) -> list[bytes]:
    """Encodes the rows that have no cell yet and makes `size` exact; returns the cells."""
    cells = leaf.cells
    assert cells is not None
    if None in cells:
        codec, rows, rowids = leaf.codec, leaf.rows, leaf.rowids
        assert codec is not None and rows is not None
        encode = codec.encode
        largest = pager.usable - 35
        for index, cell in enumerate(cells):
            if cell is None:
                record = encode(rows[index])
                make_cell = encode_cell if len(record) <= largest else partial(build_table_cell, pager)
                cells[index] = make_cell(rowids[index], record)
    leaf.size = 8 + 2 * len(cells) + sum(map(len, cells))  # type: ignore[arg-type]
    return cells  # type: ignore[return-value]


def measure_leaf(pager: Pager, leaf: TableLeaf, factor: int) -> list[int]:
    """Returns the sizes of the cells with their pointers and sets `size`.

    Exact in a file; in memory, where no page has to be made soon, rows that were never encoded count with their upper bound.
    """
    cells = leaf.cells
    assert cells is not None
    if pager.makes_pages:
        sizes = [len(cell) + 2 for cell in encode_leaf_cells(pager, leaf)]
    elif cells and cells.count(None) == len(cells):
        sizes = record_bounds(leaf.rows, factor, TABLE_CELL)  # type: ignore[arg-type]
    elif None in cells:
        sizes = [
            len(cell) + 2 if cell is not None else upper_bound(row) * factor + 14
            for cell, row in zip(cells, leaf.rows, strict=True)  # type: ignore[arg-type]
        ]
    else:
        sizes = [len(cell) + 2 for cell in cells]  # type: ignore[arg-type]
    leaf.size = 8 + sum(sizes)
    return sizes


def find_row(pager: Pager, leaf: TableLeaf, rowid: int, codec: RecordCodec) -> Row | None:
    """Decodes one row of a leaf whose rows are not decoded; None when the rowid is not there."""
    try:
        if leaf.cells is not None:
            index = bisect_left(leaf.rowids, rowid)
            if index == len(leaf.rowids) or leaf.rowids[index] != rowid:
                return None
            return codec.decode(*cell_payload(pager, leaf.cells[index]), rowid)  # type: ignore[arg-type]
        return _find_in_page(pager, leaf, rowid, codec)
    except (IndexError, RecordError, ValueError) as error:
        raise corrupt(leaf.number, f"bad cell: {error}") from error


def _find_in_page(pager: Pager, leaf: TableLeaf, rowid: int, codec: RecordCodec) -> Row | None:
    data = leaf.data
    assert data is not None
    usable = pager.usable
    offsets = cell_offsets(data, leaf.number, usable)
    low, high = 0, len(offsets)
    while low < high:
        middle = (low + high) // 2
        at = offsets[middle] + 1
        size = data[at - 1]
        if size >= 0x80:
            size, at = read_varint(data, at - 1)
        found = data[at]
        at += 1
        if found >= 0x80:
            found, at = read_signed_varint(data, at - 1)
        if found < rowid:
            low = middle + 1
        elif found > rowid:
            high = middle
        else:
            if size > usable - 35:
                return codec.decode(join_payload(pager, data, at, size, True), 0, size, rowid)
            if at + size > usable:
                raise corrupt(leaf.number, "cell runs off the page")
            return codec.decode(data, at, at + size, rowid)
    return None


def count_rows(leaf: TableLeaf) -> int:
    """Returns the number of rows without decoding them."""
    if leaf.cells is None and leaf.data is not None:
        first = 100 if leaf.number == 1 else 0
        return leaf.data[first + 3] << 8 | leaf.data[first + 4]
    return len(leaf.rowids)


class TableTree:
    """One table b-tree of one connection.  `append_leaf` is the last leaf while that is known; `met_masks` are the type masks
    of columns that took the readers of leaves by surprise."""

    __slots__ = ("append_leaf", "append_limit", "codec", "edits", "met_masks", "pager", "root", "shape", "size_factor")

    def __init__(self, pager: Pager, root: int) -> None:
        self.pager = pager
        self.root = root
        self.edits = 0
        self.append_leaf: TableLeaf | None = None
        self.append_limit = 0
        self.shape: object = None
        self.codec: RecordCodec = None  # type: ignore[assignment]
        self.size_factor = 1
        self.met_masks: dict[int, int] = {}

    def forget_position(self) -> None:
        """Forgets nodes: the pager has replaced them."""
        self.edits += 1
        self.append_leaf = None

    # -- search ----------------------------------------------------------------------------------------------------

    def leaf_for(self, rowid: int) -> TableLeaf:
        """Returns the leaf that holds the rowid or would hold it."""
        tree_page = self.pager.tree_page
        node = tree_page(self.root)
        depth = 0
        while node.__class__ is TableInterior:
            node = tree_page(node.children[bisect_left(node.keys, rowid)])
            depth += 1
            if depth > MAX_DEPTH:
                raise corrupt(self.root, "b-tree is too deep")
        if node.__class__ is not TableLeaf:
            raise corrupt(node.number, "index page in a table b-tree")
        return node

    def path_to(self, rowid: int) -> tuple[Path, TableLeaf]:
        """Returns the way from the root to the rowid's leaf as (interior node, child index) pairs, and the leaf."""
        tree_page = self.pager.tree_page
        path: Path = []
        node = tree_page(self.root)
        while isinstance(node, TableInterior):
            index = bisect_left(node.keys, rowid)
            path.append((node, index))
            if len(path) > MAX_DEPTH:
                raise corrupt(self.root, "b-tree is too deep")
            node = tree_page(node.children[index])
        if not isinstance(node, TableLeaf):
            raise corrupt(node.number, "index page in a table b-tree")
        return path, node

    def leaves(self, from_rowid: int | None = None) -> Iterator[TableLeaf]:
        """Yields the leaves in order, undecoded, from the one for `from_rowid` on; the tree must not change meanwhile."""
        pager = self.pager
        tree_page = pager.tree_page
        stack: list[tuple[TableInterior, int]] = []
        node = tree_page(self.root)
        while True:
            while isinstance(node, TableInterior):
                index = 0 if from_rowid is None else bisect_left(node.keys, from_rowid)
                stack.append((node, index + 1))
                if len(stack) > MAX_DEPTH:
                    raise corrupt(self.root, "b-tree is too deep")
                node = tree_page(node.children[index])
            from_rowid = None
            if not isinstance(node, TableLeaf):
                raise corrupt(node.number, "index page in a table b-tree")
            yield node
            if stack:
                # The leaf's siblings as far as they are in the cache, without a call each.
                interior, index = stack.pop()
                children = interior.children
                while index < len(children):
                    sibling = pager.pages.get(children[index])
                    if sibling.__class__ is not TableLeaf:
                        break
                    sibling.used = True
                    index += 1
                    yield sibling
                stack.append((interior, index))
            while stack and stack[-1][1] >= len(stack[-1][0].children):
                stack.pop()
            if not stack:
                return
            interior, index = stack.pop()
            stack.append((interior, index + 1))
            node = tree_page(interior.children[index])

    def leaves_down(self, below_rowid: int | None = None) -> Iterator[TableLeaf]:
        """Yields the leaves from the last to the first, undecoded, or from that of the last rowid below the given one on."""
        tree_page = self.pager.tree_page
        stack: list[tuple[TableInterior, int]] = []
        node = tree_page(self.root)
        while True:
            while isinstance(node, TableInterior):
                index = len(node.children) - 1 if below_rowid is None else bisect_left(node.keys, below_rowid - 1)
                stack.append((node, index))
                if len(stack) > MAX_DEPTH:
                    raise corrupt(self.root, "b-tree is too deep")
                node = tree_page(node.children[index])
            below_rowid = None
            if not isinstance(node, TableLeaf):
                raise corrupt(node.number, "index page in a table b-tree")
            yield node
            while stack and not stack[-1][1]:
                stack.pop()
            if not stack:
                return
            interior, index = stack.pop()
            stack.append((interior, index - 1))
            node = tree_page(interior.children[index - 1])

    def count(self) -> int:
        """Counts the rows, decoding none."""
        return sum(map(count_rows, self.leaves()))

    def estimated_rows(self) -> int:
        """Estimates the number of rows: exact for a single leaf, else the fan-out along one way down."""
        pages = 1
        node = self.pager.tree_page(self.root)
        depth = 0
        while isinstance(node, TableInterior):
            pages *= len(node.children)
            node = self.pager.tree_page(node.children[len(node.children) // 2])
            depth += 1
            if depth > MAX_DEPTH:
                raise corrupt(self.root, "b-tree is too deep")
        return pages * count_rows(node) if isinstance(node, TableLeaf) else pages

    # -- edits -----------------------------------------------------------------------------------------------------

    def open_leaf(self, leaf: TableLeaf, codec: RecordCodec) -> None:
        """Makes a leaf ready for an edit of its lists: `rowids` and `cells`, and `rows` if they are decoded for the codec."""
        pager = self.pager
        if leaf.cells is None:
            cut_leaf_cells(pager, leaf)
        if leaf.codec is not codec:
            if leaf.rows:
                encode_leaf_cells(pager, leaf)
                leaf.rows = None
            leaf.codec = codec
        if leaf.epoch != pager.epoch:
            pager.prepare(leaf)
        elif leaf.leased:
            leaf.own()
        leaf.data = None
        leaf.masks = None

    def insert(self, rowid: int, row: Row, codec: RecordCodec) -> None:
        """Inserts a row, or replaces the one that has the rowid."""
        pager = self.pager
        leaf = self.append_leaf
        if (
            leaf is not None
            and leaf.codec is codec
            and leaf.rows is not None
            and rowid > leaf.rowids[-1]
            and not pager.is_editing
            and (leaf.epoch == pager.epoch or pager.pages.get(leaf.number) is leaf)
        ):
            # Appending to the last leaf needs no descent: the benchmarks append_memory and small_write are this path.
            # In a file the row is encoded in the end, so now: with a bound a full leaf would be measured several times.
            cell: bytes | None = None
            if not pager.makes_pages:
                size = leaf.size + upper_bound(row) * self.size_factor + 14
            else:
                record = codec.encode(row)
                cell = encode_cell(rowid, record)
                size = leaf.size + len(cell) + 2 if len(record) <= pager.usable - 35 else MAX_PAGE
            if size <= self.append_limit:
                pager.is_editing = True
                if leaf.epoch != pager.epoch or leaf.leased:
                    self.open_leaf(leaf, codec)
                leaf.rowids.append(rowid)
                leaf.rows.append(row)
                leaf.cells.append(cell)  # type: ignore[union-attr]
                leaf.size = size
                leaf.masks = None
                self.edits += 1
                pager.is_editing = False
                return
        self._insert(rowid, row, codec)

    def replace(self, rowid: int, row: Row, codec: RecordCodec) -> TableLeaf | None:
        """Replaces the row that has the rowid; returns its leaf if nothing but this row has changed there."""
        return self._insert(rowid, row, codec)

    def _insert(self, rowid: int, row: Row, codec: RecordCodec) -> TableLeaf | None:
        if self.pager.is_editing:
            self.pager.check_health()
        leaf = self.leaf_for(rowid)
        if leaf.cells is None and leaf.rows is None:
            cut_leaf_cells(self.pager, leaf)
        rowids = leaf.rowids
        index = len(rowids) if not rowids or rowid > rowids[-1] else bisect_left(rowids, rowid)
        is_new = index == len(rowids) or rowids[index] != rowid
        return put_row(self, leaf, index, is_new, rowid, row, codec)

    def note_append_leaf(self, leaf: TableLeaf) -> None:
        """Notes the last leaf and how full rows that are appended may make it without a closer look."""
        self.append_leaf = leaf
        self.append_limit = min(page_capacity(self.pager, leaf.number), leaf.size + self.pager.usable - 35)

    def delete(self, rowid: int, codec: RecordCodec) -> bool:
        """Deletes the row with this rowid; False when there is none."""
        return self.remove(rowid, codec)[0]

    def remove(self, rowid: int, codec: RecordCodec) -> tuple[bool, TableLeaf | None]:
        """Deletes the row with this rowid: (whether there was one, its leaf if nothing else has changed there)."""
        if self.pager.is_editing:
            self.pager.check_health()
        leaf = self.leaf_for(rowid)
        if leaf.cells is None:
            cut_leaf_cells(self.pager, leaf)
        index = bisect_left(leaf.rowids, rowid)
        if index == len(leaf.rowids) or leaf.rowids[index] != rowid:
            return False, None
        return True, drop_row(self, leaf, index, rowid, codec)

    def relieve(self, leaf: TableLeaf, rowid: int) -> None:
        """Splits a leaf whose cells, measured closely, do not fit its page."""
        pager = self.pager
        sizes = measure_leaf(pager, leaf, self.size_factor)
        if leaf.size <= page_capacity(pager, leaf.number):
            return
        path, found = self.path_to(rowid)
        assert found is leaf
        if not path:
            leaf = self._push_down_leaf(leaf)
            path = [(self.pager.tree_page(self.root), 0)]  # type: ignore[list-item]
        is_last = all(index == len(node.children) - 1 for node, index in path)
        if leaf.size <= pager.usable:
            return
        cuts = [len(sizes) - 1]
        if not (is_last and leaf.rowids[-1] == rowid and leaf.size - sizes[-1] <= pager.usable):
            cuts = split_point(sizes, pager.usable - 8)
        parts: list[TableLeaf] = []
        for cut in reversed(cuts):
            parts.insert(0, self._split_off(leaf, cut, sizes))
            del sizes[cut:]
        leaf.size = 8 + sum(sizes)
        leaf.row_count_below = len(sizes) // 2
        self.add_children(path, leaf, parts)
        if is_last:
            self.note_append_leaf(parts[-1])

    def _push_down_leaf(self, leaf: TableLeaf) -> TableLeaf:
        """Moves the root leaf's content into a new child; the root becomes interior."""
        pager = self.pager
        child = TableLeaf(allocate_page(pager))
        pager.install(child)
        child.rowids, child.rows, child.cells = leaf.rowids, leaf.rows, leaf.cells
        child.codec, child.size = leaf.codec, leaf.size
        pager.install(TableInterior(self.root, [], [child.number]))
        return child

    def _split_off(self, leaf: TableLeaf, cut: int, sizes: list[int]) -> TableLeaf:
        """Moves the cells from `cut` on to a new leaf."""
        part = TableLeaf(allocate_page(self.pager))
        self.pager.install(part)
        assert leaf.cells is not None
        part.rowids, part.cells = leaf.rowids[cut:], leaf.cells[cut:]
        del leaf.rowids[cut:], leaf.cells[cut:]
        part.rows = None
        if leaf.rows is not None:
            part.rows = leaf.rows[cut:]
            del leaf.rows[cut:]
        part.codec = leaf.codec
        part.size = 8 + sum(sizes[cut:])
        part.row_count_below = len(part.rowids) // 2
        return part

    def add_children(self, path: Path, leaf: TableLeaf, parts: list[TableLeaf]) -> None:
        """Links new leaves behind `leaf` into the parent and splits interior pages up to the root as needed."""
        parent, index = path[-1]
        self._open(parent)
        group = [leaf, *parts]
        parent.keys[index:index] = [member.rowids[-1] for member in group[:-1]]
        parent.children[index + 1 : index + 1] = [member.number for member in parts]
        self._split_interiors(path)

    def _open(self, node: TableInterior) -> None:
        if node.epoch != self.pager.epoch:
            self.pager.prepare(node)
        node.data = None

    def _split_interiors(self, path: Path) -> None:
        pager = self.pager
        while path:
            node, _ = path.pop()
            capacity = page_capacity(pager, node.number)
            keys = node.keys
            if keys[0] >= 0 and 12 + (6 + varint_length(keys[-1])) * len(keys) <= capacity:
                return
            if 12 + _keys_size(keys) <= capacity:
                return
            if not path:
                child = TableInterior(allocate_page(pager), node.keys, node.children)
                pager.install(child)
                node = TableInterior(self.root, [], [child.number])
                pager.install(node)
                path.append((node, 0))
                node = child
                if 12 + _keys_size(node.keys) <= pager.usable:
                    return
            parent, index = path[-1]
            self._open(parent)
            middle = len(node.keys) // 2
            if index == len(parent.children) - 1:
                middle = len(node.keys) * 9 // 10
            right = TableInterior(allocate_page(pager), node.keys[middle + 1 :], node.children[middle + 1 :])
            pager.install(right)
            parent.keys.insert(index, node.keys[middle])
            parent.children.insert(index + 1, right.number)
            del node.keys[middle:], node.children[middle + 1 :]
            node.data = None

    def refill(self, leaf: TableLeaf, rowid: int) -> None:
        """Removes an empty leaf or merges a thin one with a neighbour when both fit one page."""
        pager = self.pager
        measure_leaf(pager, leaf, self.size_factor)
        leaf.row_count_below = len(leaf.rowids) // 2
        if leaf.rowids and leaf.size * 3 > pager.usable:
            return
        path, found = self.path_to(rowid)
        assert found is leaf
        if not path:
            return
        parent, index = path[-1]
        if len(parent.children) < 2:
            if not leaf.rowids:
                self._collapse(path)
            return
        left_index = index if index + 1 < len(parent.children) else index - 1
        left, right = (pager.tree_page(parent.children[i]) for i in (left_index, left_index + 1))
        if not isinstance(left, TableLeaf) or not isinstance(right, TableLeaf):
            raise corrupt(parent.number, "children at different depths")
        if left.size + right.size - 8 > pager.usable and leaf.rowids:
            return
        self._merge(left, right, leaf.codec)
        self._open(parent)
        del parent.keys[left_index], parent.children[left_index + 1]
        free_page(pager, right.number)
        self._collapse(path)

    def _merge(self, left: TableLeaf, right: TableLeaf, codec: RecordCodec | None) -> None:
        """Moves all rows of the right leaf to the left one."""
        assert codec is not None
        self.append_leaf = None
        for node in (left, right):
            self.open_leaf(node, codec)
        if left.rows is None or right.rows is None:
            for node in (left, right):
                encode_leaf_cells(self.pager, node)
            left.rows = None
        else:
            left.rows += right.rows
        left.codec = codec
        left.rowids += right.rowids
        left.cells += right.cells  # type: ignore[operator]
        measure_leaf(self.pager, left, self.size_factor)
        left.row_count_below = len(left.rowids) // 2

    def _collapse(self, path: Path) -> None:
        """Repairs interior pages that have become thin, upwards; a root with one child takes the child's content."""
        pager = self.pager
        while len(path) > 1:
            node, _ = path.pop()
            if 12 + 15 * len(node.keys) > pager.usable // 3 and node.keys:
                return
            parent, index = path[-1]
            if len(parent.children) < 2:
                continue
            left_index = index if index + 1 < len(parent.children) else index - 1
            left, right = (pager.tree_page(parent.children[i]) for i in (left_index, left_index + 1))
            if not isinstance(left, TableInterior) or not isinstance(right, TableInterior):
                raise corrupt(parent.number, "children at different depths")
            keys = [*left.keys, parent.keys[left_index], *right.keys]
            children = left.children + right.children
            fits = 12 + _keys_size(keys) <= pager.usable
            if not fits and node.keys:
                return
            self._open(left)
            self._open(parent)
            if fits:
                left.keys, left.children = keys, children
                del parent.keys[left_index], parent.children[left_index + 1]
                free_page(pager, right.number)
            else:
                self._open(right)
                middle = len(keys) // 2
                left.keys, left.children = keys[:middle], children[: middle + 1]
                right.keys, right.children = keys[middle + 1 :], children[middle + 1 :]
                parent.keys[left_index] = keys[middle]
                return
        self._lower_root()

    def _lower_root(self) -> None:
        """Pulls an only child up into the root while it fits (page 1 has 100 bytes less)."""
        pager = self.pager
        while True:
            root = pager.tree_page(self.root)
            if not isinstance(root, TableInterior) or root.keys:
                return
            child = pager.tree_page(root.children[0])
            capacity = page_capacity(pager, self.root)
            if isinstance(child, TableLeaf):
                cut_leaf_cells(pager, child)
                encode_leaf_cells(pager, child)
                if child.size > capacity:
                    return
                leaf = TableLeaf(self.root)
                leaf.rowids, leaf.cells = child.rowids[:], child.cells[:]  # type: ignore[index]
                leaf.rows = child.rows[:] if child.rows is not None else None
                leaf.codec, leaf.size = child.codec, child.size
                pager.install(leaf)
            elif isinstance(child, TableInterior):
                if 12 + _keys_size(child.keys) > capacity:
                    return
                pager.install(TableInterior(self.root, child.keys[:], child.children[:]))
            else:
                raise corrupt(child.number, "index page in a table b-tree")
            free_page(pager, child.number)
            self.append_leaf = None
            if isinstance(child, TableLeaf):
                return

    def clear(self) -> int:
        """Removes every row, frees all pages but the root; returns the number of rows removed."""
        pager = self.pager
        if pager.is_editing:
            pager.check_health()
        pager.is_editing = True
        self.forget_position()
        n_rows = 0
        for number in self._free_all():
            n_rows += number
        pager.install(TableLeaf(self.root))
        pager.is_editing = False
        if pager.file is not None and len(pager.dirty) > pager.max_dirty_pages():
            pager.spill()
        return n_rows

    def _free_all(self) -> Iterator[int]:
        pager = self.pager
        stack = [(self.root, 0)]
        seen: set[int] = set()
        while stack:
            number, depth = stack.pop()
            if number in seen or depth > MAX_DEPTH:
                raise corrupt(number, "page is used twice")
            seen.add(number)
            node = pager.tree_page(number)
            if isinstance(node, TableInterior):
                stack += [(child, depth + 1) for child in node.children]
            elif isinstance(node, TableLeaf):
                cut_leaf_cells(pager, node)
                yield len(node.rowids)
                for cell in node.cells:  # type: ignore[union-attr]
                    free_cell(pager, cell, True)
            else:
                raise corrupt(number, "index page in a table b-tree")
            if number != self.root:
                free_page(pager, number)


def _keys_size(keys: list[int]) -> int:
    return 6 * len(keys) + sum(map(varint_length, keys))


__all__ = ["RawPage", "TableTree", "count_rows", "cut_leaf_cells", "decode_leaf", "encode_leaf_cells", "page_capacity"]
