"""The structural half of PRAGMA integrity_check: is every page used once, in the right place, in order?

Works on page images with a reader of its own, not on nodes, so that nothing in a damaged file stops it: each fault becomes
one line in SQLite's words and the check goes on.  What needs the schema (rows missing from indexes, NOT NULL, CHECK) is
the engine's half.

Source: https://www.sqlite.org/pragma.html#pragma_integrity_check; texts as SQLite prints them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from minisql.storage.btree import BtreeFile
from minisql.storage.corruption import corrupt
from minisql.storage.header import FREELIST_COUNT, FREELIST_TRUNK, META_INCREMENTAL_VACUUM, META_LARGEST_ROOT, read_u32
from minisql.storage.image import page_image, prepare_image
from minisql.storage.index_tree import decode_index_node
from minisql.storage.locking import PENDING_BYTE
from minisql.storage.node import (
    INDEX_INTERIOR,
    INDEX_LEAF,
    TABLE_INTERIOR,
    TABLE_LEAF,
    IndexInterior,
    IndexLeaf,
    local_size,
    max_local,
)
from minisql.storage.pointer_map import FIRST_OVERFLOW, FREE, NEXT_OVERFLOW, ROOT, TREE, is_pointer_map_page, pointer_map_place
from minisql.storage.record import Row
from minisql.storage.table_tree import MAX_DEPTH
from minisql.storage.varint import read_signed_varint, read_varint
from minisql.values.shape import KeyShape

_LARGEST_ROWID = (1 << 63) - 1


def integrity_check(
    file: BtreeFile,
    roots: Iterable[int],
    max_errors: int = 100,
    is_partial: bool = False,
    has_freelist: bool | None = None,
    counts: list[int] | None = None,
) -> list[str]:
    """Checks the trees with these roots, the freelist and (unless partial) that every page is accounted for.

    The freelist is part of a whole check, and of a partial one when `has_freelist` says so.  `counts` gets the number of
    rows or entries found, root by root.
    Call within a read transaction.  Returns at most `max_errors` messages, none for a sound file.
    """
    prepare_image(file)
    check = _Check(file, max_errors)
    if not check.n_pages:
        return []
    if not is_partial if has_freelist is None else has_freelist:
        check.freelist()
    if not is_partial:
        check.largest_root(roots := list(roots))
    for root in roots:
        check.n_entries = 0
        if root:
            if check.auto_vacuum and root > 1 and not is_partial:
                check.pointer_map("", root, ROOT, 0)
            check.tree(root)
        if counts is not None:
            counts.append(check.n_entries)
    if not is_partial:
        check.unused_pages()
    return check.messages[:max_errors]


def probe_index(file: BtreeFile, root: int, shape: KeyShape, entry: Row) -> bool:
    """Tells whether SQLite's search finds an entry in an index whose entries are out of order.

    In a page it halves the range of cells from the one in the middle on, and stops at the first that is equal.
    """
    tree = file.index_cursor(root, shape).tree
    order, pager = tree.codec, file.pager
    key = order.key(entry)
    number = root
    for _ in range(MAX_DEPTH):
        node = pager.tree_page(number)
        if not isinstance(node, (IndexLeaf, IndexInterior)):
            raise corrupt(number, "table page in an index b-tree")
        decode_index_node(pager, node, order)
        entries = node.entries
        assert entries is not None
        low, high = 0, len(entries) - 1
        while low <= high:
            middle = (low + high) // 2
            found = order.key(entries[middle])
            if found == key:
                return True
            if found < key:
                low = middle + 1
            else:
                high = middle - 1
        if isinstance(node, IndexLeaf):
            return False
        number = node.children[low]
    raise corrupt(root, "b-tree is too deep")


class _Check:
    __slots__ = ("auto_vacuum", "file", "max_errors", "messages", "n_entries", "n_pages", "usable", "used")

    def __init__(self, file: BtreeFile, max_errors: int) -> None:
        self.file = file
        self.max_errors = max_errors
        self.messages: list[str] = []
        self.n_entries = 0
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
        page, at = pointer_map_place(self.file.page_size, self.usable, child) if 1 < child <= self.n_pages else (0, 0)
        data = page_image(self.file, page) if page else bytes(5)
        found, found_parent = data[at], int.from_bytes(data[at + 1 : at + 5], "big")
        if not ROOT <= found <= TREE:
            self.report(f"{prefix}Failed to read ptrmap key={child}")
        elif (found, found_parent) != (kind, parent):
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
        """Walks one tree as SQLite does: last child first, then cells from the last to the first, children inline.

        Recursion is a stack of generators: each yields a child to check and is sent that child's (smallest rowid, depth).
        """
        stack = [self.page(root, root, "", 0, _LARGEST_ROWID)]
        answer: tuple[int, int] | None = None
        while stack:
            try:
                child = stack[-1].send(answer)
                stack.append(self.page(root, *child))
                answer = None
            except StopIteration as stop:
                stack.pop()
                answer = stop.value

    def page(
        self, root: int, number: int, reference: str, parent: int, largest: int
    ) -> Generator[tuple[int, str, int, int], Any, tuple[int, int]]:
        """Checks one page; `reference` is the prefix of messages about the pointer that led here."""
        if not number or self.is_full() or not self.use(reference, number):
            return largest, 0
        layout = self.layout(root, number)
        if layout is None:
            return largest, 0
        data, first, kind, count, content, array, spans = layout
        is_leaf = kind in (INDEX_LEAF, TABLE_LEAF)
        if kind != TABLE_INTERIOR:
            self.n_entries += count
        depth = -1  # a leaf answers 0, and so does a page that cannot be read
        may_be_equal = True
        is_covered = True
        if not is_leaf:
            child = int.from_bytes(data[first + 8 : first + 12], "big")
            reference = f"Tree {root} page {number} {'right child' if self.auto_vacuum else 'cell 0'}: "
            if self.auto_vacuum and child:
                self.pointer_map(reference, child, TREE, number)
            largest, depth = yield child, reference, number, largest
            may_be_equal = False
        for index in range(count - 1, -1, -1):
            if self.is_full():
                break
            if is_leaf or not self.auto_vacuum:  # else SQLite's prefix stays that of the right child
                reference = f"Tree {root} page {number} cell {index}: "
            at = data[array + 2 * index] << 8 | data[array + 2 * index + 1]
            cell = self.cell_at(reference, data, at, content, kind)
            if cell is None:
                is_covered = False
                continue
            end, rowid, child, chain, chain_size, _ = cell
            if rowid is not None:
                if rowid > largest if may_be_equal else rowid >= largest:
                    self.report(f"{reference}Rowid {rowid} out of order")
                largest = rowid
                may_be_equal = False
            if chain_size:
                self.overflow(reference, chain, chain_size, number)
            if not is_leaf:
                if self.auto_vacuum and child:
                    self.pointer_map(reference, child, TREE, number)
                largest, child_depth = yield child, reference, number, largest
                may_be_equal = False
                if child_depth != depth:
                    self.report(f"{reference}Child page depth differs")
                    depth = child_depth
            spans.append((at, max(end, at + 4)))
        if is_covered and not self.is_full():
            self.coverage(number, data[first + 7], content, spans)
        return largest, depth + 1

    def layout(self, root: int, number: int) -> tuple[bytes, int, int, int, int, int, list[tuple[int, int]]] | None:
        """Reads a page's header: (image, header offset, kind, cells, start of content, cell pointer array, free blocks).

        None, and a message, when the header or the free space makes no sense.
        """
        prefix = f"Tree {root} page {number}: "
        data = page_image(self.file, number)
        first = 100 if number == 1 else 0
        kind = data[first]
        count = data[first + 3] << 8 | data[first + 4]
        if kind not in (INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF) or count > (self.file.page_size - 8) // 6:
            self.report(f"{prefix}btreeInitPage() returns error code 11")
            return None
        content = (data[first + 5] << 8 | data[first + 6]) or 65536
        array = first + (8 if kind in (INDEX_LEAF, TABLE_LEAF) else 12)
        blocks = self.free_blocks(data, first, array + 2 * count, content)
        if blocks is None:
            self.report(f"{prefix}free space corruption")
            return None
        return data, first, kind, count, content, array, blocks

    def free_blocks(self, data: bytes, first: int, array_end: int, content: int) -> list[tuple[int, int]] | None:
        """Returns the free blocks as (start, end); None when the free space of the page makes no sense."""
        usable = self.usable
        n_free = data[first + 7] + content
        at = data[first + 1] << 8 | data[first + 2]
        blocks: list[tuple[int, int]] = []
        if at:
            if at < content:
                return None
            while True:
                if at > usable - 4:
                    return None
                following = data[at] << 8 | data[at + 1]
                size = data[at + 2] << 8 | data[at + 3]
                if size < 4:
                    return None
                blocks.append((at, at + size))
                n_free += size
                if following <= at + size + 3:
                    break
                at = following
            if following or at + size > usable:
                return None
        return None if n_free > usable or n_free < array_end else blocks

    def cell_at(
        self, reference: str, data: bytes, at: int, content: int, kind: int
    ) -> tuple[int, int | None, int, int, int, int] | None:
        """Reads the cell that a pointer leads to, as `cell` has it; None, and a message, when that makes no sense."""
        if at < content or at > self.usable - 4:
            self.report(f"{reference}Offset {at} out of range {content}..{self.usable - 4}")
            return None
        cell = self.cell(data, at, kind)
        if cell is None:
            self.report(f"{reference}Extends off end of page")
        elif cell[-1] <= 1:
            self.report(f"{reference}Bad cell header size")
            return None
        return cell

    def cell(self, data: bytes, at: int, kind: int) -> tuple[int, int | None, int, int, int, int] | None:
        """Reads one cell: end, rowid, left child, first overflow page, bytes in the chain, first byte of the record.

        None when it does not fit the page.
        """
        child = chain = chain_size = 0
        head = 2
        rowid: int | None = None
        try:
            if kind in (TABLE_INTERIOR, INDEX_INTERIOR):
                child = int.from_bytes(data[at : at + 4], "big")
                at += 4
            if kind == TABLE_INTERIOR:
                rowid, end = read_signed_varint(data, at)
            else:
                size, end = read_varint(data, at)
                size &= 0xFFFFFFFF
                if kind == TABLE_LEAF:
                    rowid, end = read_signed_varint(data, end)
                largest = max_local(self.usable, kind == TABLE_LEAF)
                head = data[end] if size else 2
                local = size if size <= largest else local_size(size, self.usable, largest)
                end += local
                if size > local:
                    chain = int.from_bytes(data[end : end + 4], "big")
                    chain_size = size - local
                    end += 4
        except IndexError:
            return None
        return None if end > self.usable else (end, rowid, child, chain, chain_size, head)

    def overflow(self, prefix: str, first: int, size: int, parent: int) -> None:
        """Follows an overflow chain."""
        n_pages = (size + self.usable - 5) // (self.usable - 4)
        n_left = n_pages
        n_errors = len(self.messages)
        number = first
        if self.auto_vacuum:
            self.pointer_map(prefix, number, FIRST_OVERFLOW, parent)
        while number and not self.is_full():
            if not self.use(prefix, number):
                break
            n_left -= 1
            following = read_u32(page_image(self.file, number), 0)
            if self.auto_vacuum and n_left:
                self.pointer_map(prefix, following, NEXT_OVERFLOW, number)
            number = following
        if n_left and n_errors == len(self.messages):
            self.report(f"{prefix}overflow list length is {n_pages - n_left} but should be {n_pages}")

    def coverage(self, number: int, n_reported: int, content: int, spans: list[tuple[int, int]]) -> None:
        """Checks that cells, free blocks and fragments fill the content area without overlap."""
        spans.sort()
        position = content
        n_fragments = 0
        for i, (start, end) in enumerate(spans):
            if start < position:
                self.report(f"Multiple uses for byte {start} of page {number}")
                if i < len(spans) - 1:
                    return
                break
            n_fragments += start - position
            position = end
        n_fragments += self.usable - position
        if n_fragments != n_reported:
            self.report(f"Fragmentation of {n_fragments} bytes reported as {n_reported} on page {number}")
