"""Writing one segment b-tree: leaves of about a page, and the interior nodes above them.

Terms come in order.  A leaf that is full goes to %_segments at once; the term that parts it from the next one, cut to the
length that is needed, goes into the interior node above, which lies in memory until the segment ends.  A segment of one leaf
is its own root and has no blocks.

Source: https://www.sqlite.org/fts3.html section 9.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from minisql.vtab.fts3.formats import encode_varint, shared_length, varint_size

_HEADER = 11
"""What SQLite sets aside in an interior node for its height and its first child."""


class SegmentRow:
    """What %_segdir says of a segment; `n_bytes` are those of its leaves."""

    __slots__ = ("end_block", "first_block", "last_leaf", "n_bytes", "root")

    def __init__(self, first_block: int, last_leaf: int, end_block: int, n_bytes: int, root: bytes) -> None:
        self.first_block = first_block
        self.last_leaf = last_leaf
        self.end_block = end_block
        self.n_bytes = n_bytes
        self.root = root


class _Interior:
    """An interior node that is being filled."""

    __slots__ = ("data", "last", "n_terms")

    def __init__(self) -> None:
        self.data = bytearray()
        self.last: bytes | None = None
        self.n_terms = 0

    def add(self, term: bytes, node_size: int) -> bool:
        """Adds a term if there is room."""
        if self.last is None:
            self.data += encode_varint(len(term)) + term
        else:
            shared = shared_length(self.last, term)
            rest = len(term) - shared
            if _HEADER + len(self.data) + varint_size(shared) + varint_size(rest) + rest > node_size:
                return False
            self.data += encode_varint(shared) + encode_varint(rest) + term[shared:]
        self.last = term
        self.n_terms += 1
        return True


def write_segment(
    entries: Iterable[tuple[bytes, bytes]],
    node_size: int,
    next_block: Callable[[], int],
    put: Callable[[int, bytes], None],
) -> SegmentRow | None:
    """Writes terms with their doclists; None if there are none.  `next_block` is asked once, before the first term."""
    levels: list[list[_Interior]] = []
    leaf = bytearray()
    before = b""
    first = free = -1
    n_bytes = 0
    for term, doclist in entries:
        if free < 0:
            first = free = next_block()
        shared = shared_length(before, term) if leaf else 0
        rest = len(term) - shared
        size = varint_size(shared) + varint_size(rest) + rest + varint_size(len(doclist)) + len(doclist)
        if leaf and len(leaf) + size > node_size:
            put(free, bytes(leaf))
            free += 1
            _add_term(levels, 0, term[: shared + 1], node_size)
            leaf.clear()
            shared, rest = 0, len(term)
            size = 1 + varint_size(rest) + rest + varint_size(len(doclist)) + len(doclist)
        n_bytes += size
        leaf += encode_varint(shared) + encode_varint(rest) + term[shared:] + encode_varint(len(doclist)) + doclist
        before = term
    if free < 0:
        return None
    if not levels:
        return SegmentRow(0, 0, 0, n_bytes, bytes(leaf))
    put(free, bytes(leaf))
    end, root = _write_interior(levels, first, free + 1, put)
    return SegmentRow(first, free, end, n_bytes, root)


def _add_term(levels: list[list[_Interior]], level: int, term: bytes, node_size: int) -> None:
    """Adds a term to the last node of a level; if that is full, to the level above, and a new node begins."""
    while True:
        if level == len(levels):
            levels.append([_Interior()])
        nodes = levels[level]
        if nodes[-1].add(term, node_size):
            return
        nodes.append(_Interior())
        level += 1


def _write_interior(
    levels: list[list[_Interior]], child: int, free: int, put: Callable[[int, bytes], None]
) -> tuple[int, bytes]:
    """Writes all levels but the root; returns the last block and the root."""
    for height, nodes in enumerate(levels, 1):
        start = free
        for node in nodes:
            data = encode_varint(height) + encode_varint(child) + bytes(node.data)
            child += node.n_terms + 1
            if height == len(levels):
                return free - 1, data
            put(free, data)
            free += 1
        child = start
    raise AssertionError("the last level is the root")
