"""The table dbstat: how each page of a database is used.

One row a page: the tree's name, the path from its root (child numbers in hexadecimal, `+` and a number for overflow pages),
page number and type, cells, payload and unused bytes, the largest payload, offset and size in the file.  With `aggregate` one
row a tree.  The pages are read as bytes, below the b-tree, as they would stand in the file.

Source: https://www.sqlite.org/dbstat.html, https://www.sqlite.org/fileformat2.html section 1.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minisql.engine.schema_loader import read_rows
from minisql.errors import CORRUPT, sqlite_error
from minisql.storage.image import page_image
from minisql.storage.varint import read_varint
from minisql.values.cast import to_integer, to_text

if TYPE_CHECKING:
    from minisql.engine.session import Session
    from minisql.storage.btree import BtreeFile

COLUMNS = ("name", "path", "pageno", "pagetype", "ncell", "payload", "unused", "mx_payload", "pgoffset", "pgsize")
ARGUMENTS = ("schema", "aggregate")

_INDEX_INTERIOR, _TABLE_INTERIOR, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
_TYPE_NAMES = {_INDEX_INTERIOR: "internal", _TABLE_INTERIOR: "internal", _INDEX_LEAF: "leaf", _TABLE_LEAF: "leaf"}

_MAX_DEPTH = 32

Row = tuple[Any, ...]


def dbstat_rows(session: Session, schema: Any, aggregate: Any) -> Iterator[Row]:
    """The rows for a schema (main by default)."""
    database = 0 if schema is None else session.catalog.schema_position(to_text(schema))
    if database < 0:
        return
    session.ensure_reading(database)
    btree = session.btrees[database]
    assert btree is not None
    if not btree.n_pages:
        return
    trees = [("sqlite_schema", 1), *((row[1], row[3]) for row in read_rows(session, database) if row[3])]
    for name, root in trees:
        rows = _tree_rows(btree, name, root)
        if aggregate is not None and to_integer(aggregate):
            yield _summed(name, list(rows))
        else:
            yield from rows


def _summed(name: str, rows: list[Row]) -> Row:
    n_cells, payload, unused, size = (sum(row[field] for row in rows) for field in (4, 5, 6, 9))
    return name, None, len(rows), None, n_cells, payload, unused, max(row[7] for row in rows), None, size


def _tree_rows(btree: BtreeFile, name: str, root: int) -> Iterator[Row]:
    """All pages of a tree: a page, then cell by cell its overflow pages and the child in front of it."""
    page = _Page(btree, root)
    yield (name, "/", root, *page.row)
    open_pages = [("/", enumerate(page.cells))]
    while open_pages:
        path, cells = open_pages[-1]
        for position, (child, overflow, n_overflow_bytes) in cells:
            for count, row in enumerate(_overflow_rows(btree, overflow, n_overflow_bytes)):
                yield (name, f"{path}{position:03x}+{count:06x}", *row)
            if child:
                if len(open_pages) >= _MAX_DEPTH:
                    raise sqlite_error(CORRUPT)
                below = f"{path}{position:03x}/"
                page = _Page(btree, child)
                yield (name, below, child, *page.row)
                open_pages.append((below, enumerate(page.cells)))
                break
        else:
            open_pages.pop()


def _overflow_rows(btree: BtreeFile, number: int, n_bytes: int) -> Iterator[Row]:
    capacity = btree.pager.usable - 4
    size = btree.page_size
    while number and n_bytes > 0:
        used = min(n_bytes, capacity)
        yield number, "overflow", 0, used, capacity - used, 0, (number - 1) * size, size
        n_bytes -= used
        number = int.from_bytes(page_image(btree, number)[:4], "big")


class _Page:
    """A b-tree page cut up: `row` without name, path and number; `cells` as (child, first overflow page, bytes there)."""

    __slots__ = ("cells", "row")

    def __init__(self, btree: BtreeFile, number: int) -> None:
        self.cells: list[tuple[int, int, int]] = []
        try:
            self._cut_up(btree, number)
        except IndexError:
            self.cells = []
            self.row = ("corrupted", 0, 0, 0, 0, (number - 1) * btree.page_size, btree.page_size)

    def _cut_up(self, btree: BtreeFile, number: int) -> None:
        data = page_image(btree, number)
        start = 100 if number == 1 else 0
        kind = data[start]
        is_interior = kind in (_INDEX_INTERIOR, _TABLE_INTERIOR)
        n_cells = int.from_bytes(data[start + 3 : start + 5], "big")
        pointers = start + (12 if is_interior else 8)
        usable = btree.pager.usable
        payload = largest = 0
        content = int.from_bytes(data[start + 5 : start + 7], "big") or 65536
        for i in range(n_cells):
            at = int.from_bytes(data[pointers + 2 * i : pointers + 2 * i + 2], "big")
            child = 0
            if is_interior:
                child = int.from_bytes(data[at : at + 4], "big")
                at += 4
            if kind == _TABLE_INTERIOR:
                self.cells.append((child, 0, 0))
                continue
            size, at = read_varint(data, at)
            if kind == _TABLE_LEAF:
                _rowid, at = read_varint(data, at)
            local = local_size(size, usable, kind == _TABLE_LEAF)
            payload += local
            largest = max(largest, size)
            overflow = int.from_bytes(data[at + local : at + local + 4], "big") if local < size else 0
            self.cells.append((child, overflow, size - local))
        if is_interior:
            self.cells.append((int.from_bytes(data[start + 8 : start + 12], "big"), 0, 0))
        unused = content - pointers - 2 * n_cells + data[start + 7] + _free_block_bytes(data, start)
        page_size = btree.page_size
        self.row = (_TYPE_NAMES.get(kind, "corrupted"), n_cells, payload, unused, largest, (number - 1) * page_size, page_size)


def _free_block_bytes(data: bytes, start: int) -> int:
    total = 0
    at = int.from_bytes(data[start + 1 : start + 3], "big")
    for _ in range(len(data)):
        if not at:
            break
        total += int.from_bytes(data[at + 2 : at + 4], "big")
        at = int.from_bytes(data[at : at + 2], "big")
    return total


def local_size(size: int, usable: int, is_table_leaf: bool) -> int:
    """How many bytes of a payload stay on the b-tree page.

    Source: https://www.sqlite.org/fileformat2.html section 1.6 ("cell payload overflow").
    """
    largest = usable - 35 if is_table_leaf else (usable - 12) * 64 // 255 - 23
    if size <= largest:
        return size
    smallest = (usable - 12) * 32 // 255 - 23
    candidate = smallest + (size - smallest) % (usable - 4)
    return candidate if candidate <= largest else smallest
