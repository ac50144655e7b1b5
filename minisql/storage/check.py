"""The structural half of PRAGMA integrity_check: is every page used once, in the right place, in order?

Works on page images with a reader of its own, not on nodes, so that nothing in a damaged file stops it: each fault becomes
one line in SQLite's words and the check goes on.  What needs the schema (rows missing from indexes, NOT NULL, CHECK) is
the engine's half.

Source: https://www.sqlite.org/pragma.html#pragma_integrity_check; texts as SQLite prints them.
"""

from __future__ import annotations

from collections.abc import Iterable

from minisql.storage.btree import BtreeFile
from minisql.storage.header import FREELIST_COUNT, FREELIST_TRUNK, META, META_INCREMENTAL_VACUUM, META_LARGEST_ROOT, read_u32
from minisql.storage.image import page_image
from minisql.storage.locking import PENDING_BYTE
from minisql.storage.node import INDEX_INTERIOR, INDEX_LEAF, TABLE_INTERIOR, TABLE_LEAF, local_size, max_local
from minisql.storage.pointer_map import FIRST_OVERFLOW, FREE, NEXT_OVERFLOW, ROOT, TREE, is_pointer_map_page, pointer_map_place
from minisql.storage.varint import read_varint

MAX_DEPTH = 20


def integrity_check(file: BtreeFile, roots: Iterable[int], max_errors: int = 100, is_partial: bool = False) -> list[str]:
    """Checks the trees with these roots, the freelist and (unless partial) that every page is accounted for.

    Call within a read transaction.  Returns at most `max_errors` messages, none for a sound file.
    """
    check = _Check(file, max_errors)
    if not check.n_pages:
        return []
    if not is_partial:
        check.freelist()
        check.largest_root(roots := list(roots))
    for root in roots:
        if root:
            if check.auto_vacuum and root > 1 and not is_partial:
                check.pointer_map("", root, ROOT, 0)
            check.tree(root)
    if not is_partial:
        check.unused_pages()
    return check.messages[:max_errors]


class _Check:
    __slots__ = ("auto_vacuum", "file", "max_errors", "messages", "n_pages", "usable", "used")

    def __init__(self, file: BtreeFile, max_errors: int) -> None:
        self.file = file
        self.max_errors = max_errors
        self.messages: list[str] = []
        self.n_pages = file.n_pages
        self.usable = file.pager.usable
        self.auto_vacuum = bool(file.get_meta(META_LARGEST_ROOT))
        self.used = bytearray(self.n_pages + 1)
        lock_page = PENDING_BYTE // file.page_size + 1
        if lock_page <= self.n_pages:
            self.used[lock_page] = 1

    def report(self, message: str) -> None:
        """Notes a fault."""
        if len(self.messages) < self.max_errors:
            self.messages.append(message)

    def is_full(self) -> bool:
        """Tells whether enough faults are known."""
        return len(self.messages) >= self.max_errors

    def use(self, prefix: str, number: int) -> bool:
        """Marks a page as used; False (and a message) when it cannot be or already is."""
        if not 0 < number <= self.n_pages:
            self.report(f"{prefix}invalid page number {number}")
            return False
        if self.used[number]:
            self.report(f"{prefix}2nd reference to page {number}")
            return False
        self.used[number] = 1
        return True

    def pointer_map(self, prefix: str, child: int, kind: int, parent: int) -> None:
        """Compares a page's pointer-map entry with what was found."""
        page, at = pointer_map_place(self.file.page_size, self.usable, child)
        data = page_image(self.file, page)
        found, found_parent = data[at], int.from_bytes(data[at + 1 : at + 5], "big")
        if (found, found_parent) != (kind, parent):
            self.report(
                f"{prefix}Bad ptr map entry key={child} expected=({kind},{parent}) got=({found},{found_parent})"
            )

    def freelist(self) -> None:
        """Follows the trunks."""
        header = self.file.pager.header
        expected = read_u32(header, FREELIST_COUNT)
        trunk = read_u32(header, FREELIST_TRUNK)
        n_left = expected
        prefix = "Freelist: "
        n_errors = len(self.messages)
        while trunk and not self.is_full():
            if not self.use(prefix, trunk):
                break
            n_left -= 1
            data = page_image(self.file, trunk)
            n_leaves = read_u32(data, 4)
            if self.auto_vacuum:
                self.pointer_map(prefix, trunk, FREE, 0)
            if n_leaves > self.usable // 4 - 2:
                self.report(f"{prefix}freelist leaf count too big on page {trunk}")
                n_left -= 1
            else:
                for i in range(n_leaves):
                    leaf = read_u32(data, 8 + 4 * i)
                    if self.auto_vacuum:
                        if 0 < leaf <= self.n_pages:
                            self.pointer_map(prefix, leaf, FREE, 0)
                    self.use(prefix, leaf)
                n_left -= n_leaves
            trunk = read_u32(data, 0)
        if n_left and n_errors == len(self.messages):
            self.report(f"{prefix}size is {(expected - n_left) & 0xFFFFFFFF} but should be {expected}")

    def largest_root(self, roots: list[int]) -> None:
        """Checks the largest root page of an auto-vacuum file."""
        in_header = self.file.get_meta(META_LARGEST_ROOT)
        if in_header:
            largest = max(roots, default=0)
            if largest != in_header:
                self.report(f"max rootpage ({largest}) disagrees with header ({in_header})")
        elif self.file.get_meta(META_INCREMENTAL_VACUUM):
            self.report("incremental_vacuum enabled with a max rootpage of zero")

    def unused_pages(self) -> None:
        """Reports pages that nothing refers to."""
        page_size, usable = self.file.page_size, self.usable
        for number in range(1, self.n_pages + 1):
            if self.is_full():
                return
            is_map = self.auto_vacuum and is_pointer_map_page(page_size, usable, number)
            if not self.used[number] and not is_map:
                self.report(f"Page {number}: never used")
            elif self.used[number] and is_map:
                self.report(f"Page {number}: pointer map referenced")

    def tree(self, root: int) -> None:
        """Walks one tree with an explicit stack, checking depth and, for rowid tables, the order of rowids.

        A stack item is (page, parent, prefix, depth, largest rowid allowed or None); results come back in `depths`.
        """
        depths: dict[int, int] = {}  # depth of leaves below each interior page, by page number
        smallest = [None]
        stack: list[tuple[int, int, str, int, int | None]] = [(root, 0, f"Tree {root} page {root}: ", 0, None)]
        while stack and not self.is_full():
            number, parent, prefix, depth, largest = stack.pop()
            if not self.use(prefix, number):
                continue
            if parent and self.auto_vacuum:
                self.pointer_map(prefix, number, TREE, parent)
            if depth > MAX_DEPTH:
                self.report(f"{prefix}depth of the tree exceeds {MAX_DEPTH}")
                continue
            self.page(root, number, parent, depth, largest, stack, depths, smallest)  # type: ignore[arg-type]

    def page(
        self,
        root: int,
        number: int,
        parent: int,
        depth: int,
        largest: int | None,
        stack: list[tuple[int, int, str, int, int | None]],
        depths: dict[int, int],
        smallest: list[int | None],
    ) -> None:
        """Checks one page and pushes its children, the first one on top."""
        prefix = f"Tree {root} page {number}: "
        data = page_image(self.file, number)
        first = 100 if number == 1 else 0
        kind = data[first]
        if kind not in (INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF):
            self.report(f"{prefix}btreeInitPage() returns error code 11")
            return
        is_leaf = kind in (INDEX_LEAF, TABLE_LEAF)
        usable = self.usable
        count = data[first + 3] << 8 | data[first + 4]
        content = (data[first + 5] << 8 | data[first + 6]) or 65536
        array = first + (8 if is_leaf else 12)
        if count > (self.file.page_size - 8) // 6 or (count == 0 and not is_leaf and number != 1):
            self.report(f"{prefix}btreeInitPage() returns error code 11")
            return
        spans: list[tuple[int, int]] = []
        children: list[tuple[int, int, str, int, int | None]] = []
        for index in range(count):
            cell_prefix = f"Tree {root} page {number} cell {index}: "
            at = data[array + 2 * index] << 8 | data[array + 2 * index + 1]
            if at < content or at > usable - 4:
                self.report(f"{cell_prefix}Offset {at} out of range {content}..{usable - 4}")
                continue
            cell = self.cell(cell_prefix, data, at, kind, number)
            if cell is None:
                continue
            end, rowid, child = cell
            spans.append((at, max(end, at + 4)))
            if kind == TABLE_INTERIOR:
                children.append((child, number, f"Tree {root} page {number} cell {index}: ", depth + 1, rowid))
            elif kind == INDEX_INTERIOR:
                children.append((child, number, f"Tree {root} page {number} cell {index}: ", depth + 1, None))
            else:
                if rowid is not None:
                    if (smallest[0] is not None and rowid <= smallest[0]) or (largest is not None and rowid > largest):
                        self.report(f"{cell_prefix}Rowid {rowid} out of order")
                    smallest[0] = rowid
        if is_leaf:
            leaf_depth = depths.setdefault(0, depth)
            if depth != leaf_depth:
                self.report(f"Tree {root} page {parent}: Child page depth differs")
                depths[0] = depth
        else:
            right = int.from_bytes(data[first + 8 : first + 12], "big")
            children.append((right, number, f"Tree {root} page {number} right child: ", depth + 1, largest))
            stack.extend(reversed(children))
        self.space(prefix, number, data, first, array + 2 * count, content, spans)

    def cell(self, prefix: str, data: bytes, at: int, kind: int, number: int) -> tuple[int, int | None, int] | None:
        """Checks one cell and its overflow chain; returns its end, rowid and left child."""
        child = 0
        rowid: int | None = None
        try:
            if kind in (TABLE_INTERIOR, INDEX_INTERIOR):
                child = int.from_bytes(data[at : at + 4], "big")
                at += 4
            if kind == TABLE_INTERIOR:
                rowid, end = read_varint(data, at)
                rowid = rowid - (1 << 64) if rowid >> 63 else rowid
            else:
                size, end = read_varint(data, at)
                if kind == TABLE_LEAF:
                    rowid, end = read_varint(data, end)
                    rowid = rowid - (1 << 64) if rowid >> 63 else rowid
                largest = max_local(self.usable, kind == TABLE_LEAF)
                if size <= largest:
                    end += size
                else:
                    local = local_size(size, self.usable, largest)
                    end += local + 4
                    if end <= self.usable:
                        self.overflow(prefix, int.from_bytes(data[end - 4 : end], "big"), size - local, number)
        except IndexError:
            end = self.usable + 1
        if end > self.usable:
            self.report(f"{prefix}Extends off end of page")
            return None
        return end, rowid, child

    def overflow(self, prefix: str, first: int, size: int, parent: int) -> None:
        """Follows an overflow chain."""
        n_pages = (size + self.usable - 5) // (self.usable - 4)
        n_left = n_pages
        n_errors = len(self.messages)
        number = first
        kind = FIRST_OVERFLOW
        while number and not self.is_full():
            if not self.use(prefix, number):
                break
            if self.auto_vacuum:
                self.pointer_map(prefix, number, kind, parent)
            kind, parent = NEXT_OVERFLOW, number
            n_left -= 1
            number = read_u32(page_image(self.file, number), 0)
        if n_left and n_errors == len(self.messages):
            self.report(f"{prefix}overflow list length is {n_pages - n_left} but should be {n_pages}")

    def space(
        self, prefix: str, number: int, data: bytes, first: int, array_end: int, content: int, spans: list[tuple[int, int]]
    ) -> None:
        """Checks that cells, free blocks and fragments fill the content area without overlap."""
        if array_end > content or content > self.usable:
            self.report(f"{prefix}free space corruption")
            return
        block = data[first + 1] << 8 | data[first + 2]
        n_blocks = 0
        while block:
            if block > self.usable - 4 or n_blocks > self.usable // 4:
                self.report(f"{prefix}free space corruption")
                return
            size = data[block + 2] << 8 | data[block + 3]
            spans.append((block, block + size))
            following = data[block] << 8 | data[block + 1]
            if following and following <= block:
                self.report(f"{prefix}free space corruption")
                return
            block = following
            n_blocks += 1
        spans.sort()
        position = content
        n_fragments = 0
        for start, end in spans:
            if start < position:
                self.report(f"{prefix}Multiple uses for byte {start} of page {number}")
                return
            n_fragments += start - position
            position = end
        n_fragments += self.usable - position
        if n_fragments != data[first + 7]:
            self.report(f"{prefix}Fragmentation of {n_fragments} bytes reported as {data[first + 7]} on page {number}")
