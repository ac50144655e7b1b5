"""Many rows or entries at once: edits of b-trees that visit every leaf once.

Rows come sorted, so those that belong to one leaf lie together: a run.  The way down is searched once for a run, whose end the
dividers on that way tell; then the leaf's lists are filtered or merged as a whole.  What a run leaves behind, a leaf too large
or too thin, is settled as after a single edit (`table_tree`, `index_tree`).  A run that is inserted is kept so short that one
split is enough, and appending fills the last leaf before the next one is begun, as appending row by row does.

The caller promises that keys are sorted and distinct, and that none of those to be inserted is there.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, compress
from operator import is_, not_
from typing import Any

from minisql.storage.cells_encoder import encode_cells
from minisql.storage.corruption import corrupt
from minisql.storage.freelist import allocate_page
from minisql.storage.index_key import KeyOrder
from minisql.storage.index_tree import IndexTree, Path, decode_index_node
from minisql.storage.node import IndexLeaf, TableInterior, TableLeaf, max_local
from minisql.storage.overflow import free_cell
from minisql.storage.record import RecordCodec, Row, record_bounds, text_bound
from minisql.storage.row_edit import TABLE_CELL
from minisql.storage.table_tree import MAX_PAGE, TableTree, cut_leaf_cells, decode_leaf, encode_cell, page_capacity

_INDEX_CELL = 8
"""Bytes that an index cell takes besides its record, at most."""
_ALONE = 16 * MAX_PAGE
"""The size of a row that is not to be put together with others: more than any budget."""


# -- tables --------------------------------------------------------------------------------------------------------


def insert_rows(
    tree: TableTree, rowids: list[int], rows: list[Row], codec: RecordCodec, columns: list[Any] | None = None
) -> None:
    """Inserts rows by ascending rowids that are not there; `columns` are the values by column, if they are at hand."""
    if not rows:
        return
    pager = tree.pager
    cells: list[bytes | None]
    if not pager.makes_pages:
        cells, sizes = [None] * len(rows), _row_bounds(tree, rows)
    else:
        # They are encoded in the end, so now: with bounds a full leaf would be measured several times (benchmark bulk_load).
        cells, sizes = _encode_rows(codec, rowids, rows, columns, pager.usable - 35)
    sums = [0, *accumulate(sizes)]
    at, n_rows = 0, len(rows)
    while at < n_rows:
        leaf = tree.append_leaf
        if (
            leaf is not None
            and leaf.codec is codec
            and leaf.rows is not None
            and leaf.rowids
            and rowids[at] > leaf.rowids[-1]
            and pager.pages.get(leaf.number) is leaf
        ):
            at = _append_run(tree, leaf, at, rowids, rows, cells, sums, codec)
            if at < n_rows:
                at = _append_leaves(tree, at, rowids, rows, cells, sums, codec)
            if at < n_rows:
                tree.insert(rowids[at], rows[at], codec)
                at += 1
            continue
        path, leaf = tree.path_to(rowids[at])
        bound = _last_rowid_below(path)
        decode_leaf(pager, leaf, codec)
        if bound is None and leaf.rowids and rowids[at] > leaf.rowids[-1] and leaf is not tree.append_leaf:
            tree.note_append_leaf(leaf)
            continue
        end = min(n_rows if bound is None else bisect_right(rowids, bound, at), _end_of_few(sums, at, 8 * pager.usable))
        if end - at < 2:
            tree.insert(rowids[at], rows[at], codec)
            end = at + 1
        else:
            _merge_run(tree, leaf, rowids[at:end], rows[at:end], cells[at:end], sums[end] - sums[at], codec)
        at = end


def _last_rowid_below(path: list[tuple[TableInterior, int]]) -> int | None:
    """The largest rowid that belongs to the leaf at the end of a path; None for the last leaf."""
    for node, index in reversed(path):
        if index < len(node.keys):
            return node.keys[index]
    return None


def _encode_rows(
    codec: RecordCodec, rowids: list[int], rows: list[Row], columns: list[Any] | None, largest: int
) -> tuple[list[bytes | None], list[int]]:
    """Returns the cells of rows, and what they take with their pointers.

    Those that overflow have none yet and count more than any leaf has room for, so that they are inserted alone.
    """
    encoded = encode_cells(codec, rowids, rows, columns)
    if encoded is not None:
        sizes = [len(cell) + 2 for cell in encoded]
        if max(sizes) <= largest + 2:
            return encoded, sizes  # type: ignore[return-value]
    cells: list[bytes | None] = []
    for rowid, record in zip(rowids, map(codec.encode, rows)):
        cells.append(encode_cell(rowid, record) if len(record) <= largest else None)
    return cells, [len(cell) + 2 if cell is not None else _ALONE for cell in cells]


def _row_bounds(tree: TableTree, rows: list[Row]) -> list[int]:
    """Returns what rows take at most, with cell and pointer; those that may overflow count so much that they are put alone."""
    bounds = record_bounds(rows, tree.size_factor, TABLE_CELL)
    largest = tree.pager.usable - 35
    if max(bounds) > largest:
        bounds = [bound if bound <= largest else _ALONE for bound in bounds]
    return bounds


def _end_of_few(sums: list[int], at: int, budget: int) -> int:
    """Returns where the cells from `at` on end that fit the budget, one of them at least; `sums` begin with 0."""
    return max(bisect_right(sums, sums[at] + budget) - 1, at + 1)


def _append_run(
    tree: TableTree,
    leaf: TableLeaf,
    at: int,
    rowids: list[int],
    rows: list[Row],
    cells: list[bytes | None],
    sums: list[int],
    codec: RecordCodec,
) -> int:
    """Appends the rows from `at` on that fit the last leaf; returns where the rest begins."""
    pager = tree.pager
    if pager.is_editing:
        pager.check_health()
    room = tree.append_limit - leaf.size
    end = bisect_right(sums, sums[at] + room) - 1
    if end <= at:
        return at
    pager.is_editing = True
    tree.open_leaf(leaf, codec)
    leaf.rowids += rowids[at:end]
    leaf.rows += rows[at:end]  # type: ignore[operator]
    leaf.cells += cells[at:end]  # type: ignore[operator]
    leaf.size += sums[end] - sums[at]
    tree.edits += 1
    pager.is_editing = False
    return end


def _append_leaves(
    tree: TableTree, at: int, rowids: list[int], rows: list[Row], cells: list[bytes | None], sums: list[int], codec: RecordCodec
) -> int:
    """Puts new leaves with the rows from `at` on behind the full last one; returns where rows that do not fit one begin."""
    pager = tree.pager
    room, n_rows = pager.usable - 8, len(rows)
    while at < n_rows:
        end = bisect_right(sums, sums[at] + room) - 1
        path, last = tree.path_to(rowids[at])
        if end <= at or not path:
            break
        pager.is_editing = True
        part = TableLeaf(allocate_page(pager))
        pager.install(part)
        part.rowids, part.rows, part.cells = rowids[at:end], rows[at:end], cells[at:end]
        part.codec, part.size = codec, 8 + sums[end] - sums[at]
        part.row_count_below = (end - at) // 2
        tree.add_children(path, last, [part])
        tree.edits += 1
        tree.note_append_leaf(part)
        _end_edit(tree)
        at = end
    return at


def _merge_run(
    tree: TableTree,
    leaf: TableLeaf,
    rowids: list[int],
    rows: list[Row],
    new_cells: list[bytes | None],
    size: int,
    codec: RecordCodec,
) -> None:
    pager = tree.pager
    if pager.is_editing:
        pager.check_health()
    pager.is_editing = True
    tree.edits += 1
    tree.open_leaf(leaf, codec)
    assert leaf.cells is not None and leaf.rows is not None
    place = bisect_left(leaf.rowids, rowids[0])
    if place == len(leaf.rowids) or leaf.rowids[place] > rowids[-1]:
        leaf.rowids[place:place] = rowids
        leaf.rows[place:place] = rows
        leaf.cells[place:place] = new_cells
    else:
        merged = sorted(zip(leaf.rowids + rowids, leaf.rows + rows, leaf.cells + new_cells), key=_first)
        leaf.rowids, leaf.rows, leaf.cells = map(list, zip(*merged))
    leaf.size += size
    if leaf.size > page_capacity(pager, leaf.number):
        tree.relieve(leaf, rowids[0])
    _end_edit(tree)


def _first(item: tuple[Any, ...]) -> Any:
    return item[0]


def _end_edit(tree: TableTree | IndexTree) -> None:
    pager = tree.pager
    pager.is_editing = False
    if pager.file is not None and len(pager.dirty) > pager.max_dirty_pages():
        pager.spill()


def replace_rows(tree: TableTree, rowids: list[int], rows: list[Row], codec: RecordCodec, may_grow: bool = True) -> None:
    """Replaces the rows with these ascending rowids, all of which are there; see `TableCursor.replace_many`."""
    if not rows:
        return
    pager = tree.pager
    at, n_rows = 0 if may_grow else _replace_unencoded(tree, rowids, rows, codec), len(rows)
    if at == n_rows:
        return
    sums = [0, *accumulate(_row_bounds(tree, rows))]
    while at < n_rows:
        if pager.is_editing:
            pager.check_health()
        path, leaf = tree.path_to(rowids[at])
        bound = _last_rowid_below(path)
        end = min(n_rows if bound is None else bisect_right(rowids, bound, at), _end_of_few(sums, at, 8 * pager.usable))
        if end - at < 2:
            tree.insert(rowids[at], rows[at], codec)
            at += 1
            continue
        decode_leaf(pager, leaf, codec)
        places = _places_of(leaf, rowids[at:end])
        pager.is_editing = True
        tree.edits += 1
        tree.open_leaf(leaf, codec)
        _set_rows(tree, leaf, places, rows[at:end], sums[end] - sums[at])
        if leaf.size > page_capacity(pager, leaf.number):
            tree.relieve(leaf, rowids[at])
        _end_edit(tree)
        at = end


def _replace_unencoded(tree: TableTree, rowids: list[int], rows: list[Row], codec: RecordCodec) -> int:
    """Replaces rows by ones with no larger bounds as long as none of them has a cell; returns how many.

    What was counted for the old rows does for the new ones, and those that would overflow have cells (benchmark update_all).
    """
    pager = tree.pager
    at, n_rows = 0, len(rows)
    while at < n_rows:
        if pager.is_editing:
            pager.check_health()
        path, leaf = tree.path_to(rowids[at])
        if leaf.cells is None:
            break
        decode_leaf(pager, leaf, codec)
        bound = _last_rowid_below(path)
        end = n_rows if bound is None else bisect_right(rowids, bound, at)
        places = _places_of(leaf, rowids[at:end])
        first, behind = places[0], places[-1] + 1
        if leaf.cells[first:behind].count(None) < behind - first:
            break
        pager.is_editing = True
        tree.edits += 1
        tree.open_leaf(leaf, codec)
        assert leaf.rows is not None
        if behind - first == end - at:
            leaf.rows[first:behind] = rows[at:end]
        else:
            for place, row in zip(places, rows[at:end]):
                leaf.rows[place] = row
        _end_edit(tree)
        at = end
    return at


def _places_of(leaf: TableLeaf, rowids: list[int]) -> Sequence[int]:
    """Where rows are in a decoded leaf; raises SQLITE_CORRUPT when one is not, though the tree has led there."""
    own = leaf.rowids
    first = bisect_left(own, rowids[0])
    if own[first : first + len(rowids)] == rowids:
        return range(first, first + len(rowids))
    places = [bisect_left(own, rowid) for rowid in rowids]
    if places[-1] == len(own) or [own[place] for place in places] != rowids:
        raise corrupt(leaf.number, "rows are not where the tree leads")
    return places


def _set_rows(tree: TableTree, leaf: TableLeaf, places: Sequence[int], rows: list[Row], size: int) -> None:
    """Replaces rows of an open leaf; `size` is what the new ones take at most."""
    cells, old = leaf.cells, leaf.rows
    assert cells is not None and old is not None
    first, end = places[0], places[-1] + 1
    if places.__class__ is range and cells[first:end].count(None) == len(places):
        leaf.size += _growth(old[first:end], rows) * tree.size_factor
        old[first:end] = rows
        return
    unencoded = [old[place] for place in places if cells[place] is None]
    for place in places:
        cell = cells[place]
        if cell is not None:
            free_cell(tree.pager, cell, True)
            size -= len(cell) + 2
    if unencoded:
        size -= sum(record_bounds(unencoded, tree.size_factor, TABLE_CELL))
    for place, row in zip(places, rows):
        old[place] = row
        cells[place] = None
    leaf.size += size


def _growth(old: list[Row], new: list[Row]) -> int:
    """Returns by how much the bounds of new rows exceed those of as many old ones; most columns have the very same values."""
    growth = 0
    for before, after in zip(zip(*old), zip(*new)):
        if not all(map(is_, before, after)):
            growth += text_bound(after) - text_bound(before)
    return growth


def find_rows(tree: TableTree, rowids: list[int], codec: RecordCodec) -> tuple[list[int], list[Row]]:
    """Returns those of the ascending rowids that are there, and their rows."""
    pager = tree.pager
    found: list[int] = []
    rows: list[Row] = []
    at, n_rowids = 0, len(rowids)
    while at < n_rowids:
        path, leaf = tree.path_to(rowids[at])
        bound = _last_rowid_below(path)
        end = n_rowids if bound is None else bisect_right(rowids, bound, at)
        decode_leaf(pager, leaf, codec)
        assert leaf.rows is not None
        own = leaf.rowids
        if end - at >= len(own) and set(rowids[at:end]).issuperset(own):
            found += own
            rows += leaf.rows
            at = end
            continue
        if (end - at) * 8 > len(own):
            is_wanted = list(map(set(rowids[at:end]).__contains__, own))
            found += compress(own, is_wanted)
            rows += compress(leaf.rows, is_wanted)
            at = end
            continue
        for rowid in rowids[at:end]:
            place = bisect_left(own, rowid)
            if place < len(own) and own[place] == rowid:
                found.append(rowid)
                rows.append(leaf.rows[place])
        at = end
    return found, rows


def remove_rows(tree: TableTree, rowids: list[int], codec: RecordCodec) -> int:
    """Deletes the rows with these ascending rowids; returns how many there were."""
    pager = tree.pager
    n_removed = 0
    at, n_rowids = 0, len(rowids)
    while at < n_rowids:
        if pager.is_editing:
            pager.check_health()
        path, leaf = tree.path_to(rowids[at])
        bound = _last_rowid_below(path)
        end = n_rowids if bound is None else bisect_right(rowids, bound, at)
        run = rowids[at:end]
        if leaf.cells is None:
            cut_leaf_cells(pager, leaf)
        stays = _rows_that_stay(leaf.rowids, run)
        n_kept = sum(stays)
        n_gone = len(stays) - n_kept
        if n_gone:
            pager.is_editing = True
            tree.edits += 1
            tree.open_leaf(leaf, codec)
            _keep_rows(tree, leaf, stays)
            n_removed += n_gone
            if (not n_kept or n_kept < leaf.row_count_below) and leaf.number != tree.root:
                tree.refill(leaf, run[0])
            _end_edit(tree)
        at = end
    return n_removed


def _rows_that_stay(own: list[int], run: list[int]) -> Sequence[int]:
    """For each rowid of a leaf 1, or 0 when it is in the run, which ascends."""
    if own and own[-1] - own[0] == len(own) - 1 and own[0] <= run[0] and run[-1] <= own[-1]:
        # No gaps, so that a rowid tells its place.
        stays = bytearray(b"\1" * len(own))
        first = own[0]
        for rowid in run:
            stays[rowid - first] = 0
        return stays
    return list(map(not_, map(set(run).__contains__, own)))


def _keep_rows(tree: TableTree, leaf: TableLeaf, stays: Sequence[int]) -> None:
    """Drops the rows of a leaf that do not stay."""
    pager = tree.pager
    cells, rowids = leaf.cells, leaf.rowids
    assert cells is not None
    if cells.count(None) < len(cells):
        for is_kept, cell in zip(stays, cells):
            if cell is not None and not is_kept:
                free_cell(pager, cell, True)
                leaf.size -= len(cell) + 2
    leaf.rowids = list(compress(rowids, stays))
    leaf.cells = list(compress(cells, stays))
    if leaf.rows is not None:
        leaf.rows = list(compress(leaf.rows, stays))
    if not leaf.rowids and leaf is tree.append_leaf:
        tree.append_leaf = None


# -- indexes -------------------------------------------------------------------------------------------------------


def insert_entries(tree: IndexTree, entries: list[Row], keys: list[Row], order: KeyOrder) -> None:
    """Inserts entries in the order of their keys (see `KeyOrder.sort`), none of which is there."""
    if not entries:
        return
    pager = tree.pager
    sizes = record_bounds(entries, tree.size_factor, _INDEX_CELL)
    sums = [0, *accumulate(sizes)]
    largest = max_local(pager.usable, False)
    large = [number for number, size in enumerate(sizes) if size > largest] if max(sizes) > largest else []
    at, n_entries = 0, len(entries)
    while at < n_entries:
        leaf = tree.append_leaf
        if sizes[at] <= largest:
            limit = large[bisect_left(large, at)] if large and large[-1] > at else n_entries
            if leaf is not None and tree.goes_last(leaf, entries[at], order):
                end = _append_entries(tree, leaf, at, limit, entries, keys, sums, order)
                if end > at:
                    at = end
                    continue
            else:
                path, leaf, index = tree.path_to(entries[at], False, order)
                end = _end_of_run(path, at, entries, keys, order)
                if end == n_entries and index == len(leaf.entries) and leaf.entries:  # type: ignore[arg-type]
                    if all(step == len(node.children) - 1 for node, step in path) and leaf is not tree.append_leaf:
                        tree.append_leaf = leaf
                        continue
                end = min(end, limit, _end_of_few(sums, at, pager.usable // 2))
                if end - at > 1:
                    size = sums[end] - sums[at]
                    _merge_entries(tree, leaf, entries[at:end], keys[at:end], size, keys is entries, order)
                    at = end
                    continue
        tree.insert(entries[at], order)
        at += 1


def _append_entries(
    tree: IndexTree,
    leaf: IndexLeaf,
    at: int,
    limit: int,
    entries: list[Row],
    keys: list[Row],
    sums: list[int],
    order: KeyOrder,
) -> int:
    """Appends the entries from `at` on, up to `limit`, that fit the last leaf; returns where the rest begins."""
    pager = tree.pager
    if pager.is_editing:
        pager.check_health()
    end = min(bisect_right(sums, sums[at] + pager.usable - leaf.size) - 1, limit)
    if end <= at:
        return at
    pager.is_editing = True
    tree.edits += 1
    tree.open_node(leaf, order)
    _extend(leaf, entries[at:end], keys[at:end], keys is entries, order)
    leaf.cells += [None] * (end - at)  # type: ignore[operator]
    leaf.size += sums[end] - sums[at]
    leaf.masks = None
    _end_edit(tree)
    return end


def _extend(leaf: IndexLeaf, entries: list[Row], keys: list[Row], is_same: bool, order: KeyOrder) -> None:
    """Adds entries behind those of a leaf, with sort keys if either side needs them."""
    assert leaf.entries is not None
    if leaf.keys is leaf.entries:
        if not is_same:
            leaf.keys = [*map(order.key, leaf.entries), *keys]
    else:
        leaf.keys += map(order.key, entries) if is_same else keys
    leaf.entries += entries


def _end_of_run(path: Path, at: int, entries: list[Row], keys: list[Row], order: KeyOrder) -> int:
    """Returns where the entries end that belong to the leaf at the end of the path, which the next divider tells."""
    for node, index in reversed(path):
        if index < len(node.cells):
            divider: Row = node.entries[index]  # type: ignore[index]
            if keys is not entries:
                return bisect_left(keys, order.key(divider), at)
            if order.orders_itself(divider):
                try:
                    return bisect_left(entries, divider, at)
                except TypeError:
                    pass
            return bisect_left(entries, order.key(divider), at, key=order.key)
    return len(entries)


def _merge_entries(
    tree: IndexTree, leaf: IndexLeaf, entries: list[Row], keys: list[Row], size: int, is_same: bool, order: KeyOrder
) -> None:
    pager = tree.pager
    if pager.is_editing:
        pager.check_health()
    pager.is_editing = True
    tree.edits += 1
    tree.open_node(leaf, order)
    assert leaf.entries is not None and leaf.cells is not None
    _extend(leaf, entries, keys, is_same, order)
    cells = leaf.cells + [None] * len(entries)
    try:
        places = sorted(range(len(cells)), key=leaf.keys.__getitem__)
    except TypeError:  # classes of values that the leaf did not have so far
        leaf.keys = list(map(order.key, leaf.entries))
        places = sorted(range(len(cells)), key=leaf.keys.__getitem__)
    _take(leaf, places, cells)
    leaf.size += size
    if leaf.size > pager.usable:
        tree.relieve(leaf, entries[0], order)
    _end_edit(tree)


def _take(leaf: IndexLeaf, places: list[int], cells: list[bytes | None]) -> None:
    """Gives a leaf the entries that are now at `places`."""
    old = leaf.entries
    assert old is not None
    is_same = leaf.keys is old
    leaf.entries = [old[place] for place in places]
    keys = leaf.keys
    leaf.keys = leaf.entries if is_same else [keys[place] for place in places]
    leaf.cells = [cells[place] for place in places]
    leaf.masks = None


def remove_entries(tree: IndexTree, entries: list[Row], keys: list[Row], order: KeyOrder) -> int:
    """Deletes entries that come in the order of their keys; returns how many there were."""
    pager = tree.pager
    n_removed = 0
    at, n_entries = 0, len(entries)
    while at < n_entries:
        if pager.is_editing:
            pager.check_health()
        path, leaf, index = tree.path_to(entries[at], False, order)
        end = _end_of_run(path, at, entries, keys, order)
        if index == len(leaf.entries) or end - at < 2:  # type: ignore[arg-type]
            n_removed += tree.delete(entries[at], order)
            at += 1
            continue
        decode_index_node(pager, leaf, order)
        run = keys[at:end]
        if leaf.keys is not leaf.entries and keys is entries:
            run = list(map(order.key, run))
        elif leaf.keys is leaf.entries and keys is not entries:
            leaf.keys = list(map(order.key, leaf.entries))
        stays = list(map(not_, map(set(run).__contains__, leaf.keys)))
        n_kept = sum(stays)
        n_gone = len(stays) - n_kept
        if n_gone:
            pager.is_editing = True
            tree.edits += 1
            _drop_entries(tree, leaf, stays, order)
            n_removed += n_gone
            if path and n_kept < max(leaf.row_count_below, 1):
                tree.after_delete(path, leaf, order)
            _end_edit(tree)
        at = end
    return n_removed


def _drop_entries(tree: IndexTree, leaf: IndexLeaf, stays: list[bool], order: KeyOrder) -> None:
    """Drops the entries of a leaf that do not stay."""
    tree.open_node(leaf, order)
    cells, old, keys = leaf.cells, leaf.entries, leaf.keys
    assert cells is not None and old is not None
    if cells.count(None) < len(cells):
        for is_kept, cell in zip(stays, cells):
            if cell is not None and not is_kept:
                free_cell(tree.pager, cell, False)
                leaf.size -= (len(cell) if len(cell) > 4 else 4) + 2
    leaf.entries = list(compress(old, stays))
    leaf.keys = leaf.entries if keys is old else list(compress(keys, stays))
    leaf.cells = list(compress(cells, stays))
    leaf.masks = None
