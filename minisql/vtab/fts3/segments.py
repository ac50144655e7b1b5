"""The full-text index of a table: segments in %_segments and %_segdir, and the terms that wait in memory.

There is a main index and one for each prefix length; for every language each has its own range of levels.  New rows go to
memory, from there to a segment of level 0; sixteen segments of one level are merged into one of the next.  Of several entries
for a row the one of the youngest segment counts: lower levels are younger, and in a level higher numbers.

Source: https://www.sqlite.org/fts3.html section 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.vtab.fts3.formats import (
    Entry,
    decode_doclist,
    decode_interior,
    decode_positions,
    encode_doclist,
    encode_varint,
    leaf_entries,
)  # fmt: skip
from minisql.vtab.fts3.segment_writer import write_segment
from minisql.vtab.shadow_tables import corrupt

if TYPE_CHECKING:
    from minisql.vtab.fts3.configuration import Configuration
    from minisql.vtab.host import VtabHost

MERGE_COUNT = 16
LEVELS = 1024
_MAX_PENDING = 1 << 20
_NODE_MARGIN = 35
_MAX_HEIGHT = 100

Segment = tuple[int, int, int, int, Any, bytes]
"""A row of %_segdir: level, idx, first block, last leaf, end block, root."""


class TermIndex:
    """Reads and writes the index of one table."""

    def __init__(self, host: VtabHost, configuration: Configuration) -> None:
        self.host = host
        self.configuration = configuration
        # For each index its terms, for each term the rows in the order in which they came.
        self.pending: list[dict[bytes, list[Entry]]] = [{} for _ in configuration.prefixes]
        self.n_pending_bytes = 0
        self.docid = 0
        self.language = 0
        self.was_delete = False
        self.n_new_leaves = 0
        name = configuration.table_sql
        self._segdir, self._segments = name("segdir"), name("segments")
        self._select = f"SELECT level, idx, start_block, leaves_end_block, end_block, root FROM {self._segdir} WHERE level"
        self._block_sql = f"SELECT block FROM {self._segments} WHERE blockid=?"
        self._put_sql = f"REPLACE INTO {self._segments}(blockid, block) VALUES(?, ?)"

    # Rows that come and go

    def begin_row(self, docid: int, language: int, is_delete: bool) -> None:
        """What is in memory must be in the order of docids and of one language."""
        out_of_order = docid < self.docid or (docid == self.docid and not self.was_delete)
        if out_of_order or language != self.language or self.n_pending_bytes > _MAX_PENDING:
            self.flush()
        self.docid, self.language, self.was_delete = docid, language, is_delete

    def add(self, poslists: dict[bytes, bytearray]) -> None:
        """The position lists of the current row's terms; empty ones where the row goes."""
        docid = self.docid
        for number, length in enumerate(self.configuration.prefixes):
            pending = self.pending[number]
            for term, poslist in (poslists if not length else _shortened(poslists, length)).items():
                entry = (docid, bytes(poslist))
                entries = pending.get(term)
                if entries is None:
                    pending[term] = [entry]
                elif entries[-1][0] == docid:
                    entries[-1] = entry
                else:
                    entries.append(entry)
                self.n_pending_bytes += len(term) + len(poslist)

    def forget_pending(self) -> None:
        """Drops what waits in memory."""
        for terms in self.pending:
            terms.clear()
        self.n_pending_bytes = 0

    def flush(self) -> None:
        """Writes what waits in memory as segments of level 0."""
        for number in range(len(self.pending)):
            self._write_pending(number)
        self.forget_pending()

    def _write_pending(self, number: int) -> None:
        terms = self.pending[number]
        if not terms:
            return
        level = self.first_level(self.language, number)
        place = self._free_place(self.language, number, 0)
        self.store(self._encoded(self._pending_entries(number)), level, place, (), True)

    def _pending_entries(self, number: int) -> Iterator[tuple[bytes, list[Entry]]]:
        order = -1 if self.configuration.is_descending else 1
        for term in sorted(self.pending[number]):
            yield term, self.pending[number][term][::order]

    def _encoded(self, terms: Iterable[tuple[bytes, list[Entry]]]) -> Iterator[tuple[bytes, bytes]]:
        is_descending = self.configuration.is_descending
        for term, entries in terms:
            yield term, encode_doclist(entries, is_descending)

    # Levels

    def first_level(self, language: int, number: int) -> int:
        """The number in %_segdir of level 0 of an index."""
        return (language * len(self.pending) + number) * LEVELS

    def languages(self) -> list[int]:
        """The languages that have segments or rows in memory."""
        rows = self.host.execute(f"SELECT DISTINCT level/{LEVELS * len(self.pending)} FROM {self._segdir}")
        return sorted({self.language, *(row[0] for row in rows if isinstance(row[0], int))})

    def max_level(self, language: int, number: int) -> int:
        """The greatest level of an index that has a segment, as %_segdir has it."""
        first = self.first_level(language, number)
        sql = f"SELECT max(level) FROM {self._segdir} WHERE level BETWEEN ? AND ?"
        rows = self.host.execute(sql, (first, first + LEVELS - 1))
        return int(rows[0][0] or 0)

    def _free_place(self, language: int, number: int, level: int) -> int:
        """A free number for a segment in a level, which is merged into the next one if it is full."""
        absolute = self.first_level(language, number) + level
        rows = self.host.execute(f"SELECT max(idx) FROM {self._segdir} WHERE level=?", (absolute,))
        last = rows[0][0]
        if last is None:
            return 0
        if last + 1 < MERGE_COUNT:
            return int(last) + 1
        self.merge_level(language, number, level)
        return 0

    # Writing and merging

    def store(
        self, entries: Iterable[tuple[bytes, bytes]], level: int, place: int, merged: Sequence[Segment], promotes: bool
    ) -> None:
        """Writes a segment; those that were merged into it go."""
        blocks: list[tuple[int, bytes]] = []

        def put(number: int, data: bytes) -> None:
            blocks.append((number, data))

        row = write_segment(entries, self.node_size(), self._next_block, put)
        for segment in merged:
            self.remove(segment)
        for block in blocks:
            self.host.execute(self._put_sql, block)
        if row is None:
            return
        self.n_new_leaves += sum(1 for number, _data in blocks if number <= row.last_leaf) or 1
        self.host.execute(
            f"REPLACE INTO {self._segdir} VALUES(?, ?, ?, ?, ?, ?)",
            (level, place, row.first_block, row.last_leaf, f"{row.end_block} {row.n_bytes}", row.root),
        )
        if promotes:
            self._promote(level, row.n_bytes)

    def node_size(self) -> int:
        """The bytes of a full node."""
        return self.host.page_size(self.configuration.schema_name) - _NODE_MARGIN

    def _next_block(self) -> int:
        rows = self.host.execute(f"SELECT coalesce((SELECT max(blockid) FROM {self._segments}) + 1, 1)")
        return int(rows[0][0])

    def remove(self, segment: Segment) -> None:
        """Deletes a segment with its blocks."""
        if segment[2]:
            end = _numbers(segment[4])[0]
            self.host.execute(f"DELETE FROM {self._segments} WHERE blockid BETWEEN ? AND ?", (segment[2], end))
        self.host.execute(f"DELETE FROM {self._segdir} WHERE level=? AND idx=?", segment[:2])

    def merge_level(self, language: int, number: int, level: int) -> None:
        """Merges the segments of one level into one of the next."""
        absolute = self.first_level(language, number) + level
        segments = self.segments(absolute, absolute)
        greatest = self.max_level(language, number)
        place = self._free_place(language, number, level + 1)
        is_last = absolute + 1 > greatest
        entries = self._encoded(self.merged(segments, is_last))
        self.store(entries, absolute + 1, place, segments, absolute + 1 < greatest)

    def merge_all(self, language: int, number: int) -> bool:
        """Merges all segments of an index, and its rows in memory, into one; False if there was just one already."""
        first = self.first_level(language, number)
        segments = self.segments(first, first + LEVELS - 1)
        pending = self._pending_entries(number) if language == self.language and self.pending[number] else None
        if pending is None and len(segments) == 1:
            return False
        if pending is None and not segments:
            return True
        entries = self._encoded(self.merged(segments, True, pending))
        self.store(entries, self.max_level(language, number) or first, 0, segments, False)
        return True

    def _promote(self, level: int, n_bytes: int) -> None:
        """Segments of higher levels that are not much bigger than a new one come down to its level."""
        last = (level // LEVELS + 1) * LEVELS - 1
        rows = self.host.execute(
            f"SELECT level, idx, end_block FROM {self._segdir} WHERE level BETWEEN ? AND ? ORDER BY level DESC, idx",
            (level + 1, last),
        )
        sizes = [_numbers(row[2])[1] for row in rows]
        if not rows or any(size <= 0 or size > n_bytes * 3 // 2 for size in sizes):
            return
        own = self.host.execute(f"SELECT level, idx FROM {self._segdir} WHERE level=? ORDER BY idx", (level,))
        for place, (old_level, old_place) in enumerate([(row[0], row[1]) for row in rows] + own):
            self.host.execute(
                f"UPDATE {self._segdir} SET level=-1, idx=? WHERE level=? AND idx=?", (place, old_level, old_place)
            )
        self.host.execute(f"UPDATE {self._segdir} SET level=? WHERE level=-1", (level,))

    # Reading

    def segments(self, first: int, last: int) -> list[Segment]:
        """The segments of a range of levels, the youngest first."""
        rows: list[Segment] = self.host.execute(f"{self._select} BETWEEN ? AND ? ORDER BY level, idx DESC", (first, last))
        for row in rows:
            if not isinstance(row[5], bytes) or not row[5]:
                raise corrupt()
        return rows

    def _all_segments(self, language: int, number: int) -> list[Segment]:
        first = self.first_level(language, number)
        return self.segments(first, first + LEVELS - 1)

    def merged(
        self,
        segments: Sequence[Segment],
        drops_empty: bool,
        pending: Iterator[tuple[bytes, list[Entry]]] | None = None,
    ) -> Iterator[tuple[bytes, list[Entry]]]:
        """The terms of segments in order; `drops_empty` leaves out what is gone."""
        terms: dict[bytes, list[list[Entry]]] = {}
        if pending is not None:
            for term, entries in pending:
                terms[term] = [entries]
        is_descending = self.configuration.is_descending
        for segment in segments:
            for term, doclist in self.entries(segment):
                terms.setdefault(term, []).append(decode_doclist(doclist, is_descending))
        for term in sorted(terms):
            united = _united(terms[term], is_descending)
            if drops_empty:
                united = [entry for entry in united if entry[1]]
            if united:
                yield term, united

    def entries(self, segment: Segment, lower: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """The terms of a segment with their doclists, from the leaf on that a term belongs to."""
        root = segment[5]
        if root[0] == 0:
            yield from leaf_entries(root)
            return
        number = self._leaf_of(root, lower)
        last = segment[3]
        if not isinstance(last, int) or not isinstance(segment[2], int) or not segment[2] <= number <= last:
            raise corrupt()
        while number <= last:
            yield from leaf_entries(self._block(number))
            number += 1

    def _leaf_of(self, node: bytes, term: bytes) -> int:
        """The block of the leaf that a term belongs to."""
        for _ in range(_MAX_HEIGHT):
            height, child, terms = decode_interior(node)
            child += sum(1 for separator in terms if separator <= term)
            if height == 1:
                return child
            node = self._block(child)
            if not node or node[0] >= height:
                break
        raise corrupt()

    def _block(self, number: int) -> bytes:
        rows = self.host.execute(self._block_sql, (number,))
        if not rows or not isinstance(rows[0][0], bytes):
            raise corrupt()
        return bytes(rows[0][0])

    def rows_of(self, language: int, term: bytes, is_prefix: bool) -> dict[int, bytes | list[bytes]]:
        """The rows of a term, or of all terms with a prefix: by docid a position list, or several."""
        if not is_prefix:
            return dict(self._term_rows(language, 0, term))
        prefixes = self.configuration.prefixes
        if len(term) and len(term) in prefixes:
            return dict(self._term_rows(language, prefixes.index(len(term)), term))
        found: dict[int, bytes | list[bytes]] = {}
        for _term, entries in self._prefix_entries(language, term):
            for docid, poslist in entries:
                known = found.get(docid)
                if known is None:
                    found[docid] = poslist
                elif isinstance(known, bytes):
                    found[docid] = [known, poslist]
                else:
                    known.append(poslist)
        return found

    def _term_rows(self, language: int, number: int, term: bytes) -> list[Entry]:
        is_descending = self.configuration.is_descending
        lists = []
        for segment in self._all_segments(language, number):
            for found, doclist in self.entries(segment, term):
                if found >= term:
                    if found == term:
                        lists.append(decode_doclist(doclist, is_descending))
                    break
        return [entry for entry in _united(lists, is_descending) if entry[1]]

    def _prefix_entries(self, language: int, prefix: bytes) -> Iterator[tuple[bytes, list[Entry]]]:
        """The terms with a prefix and their rows."""
        terms: dict[bytes, list[list[Entry]]] = {}
        is_descending = self.configuration.is_descending
        for segment in self._all_segments(language, 0):
            for term, doclist in self.entries(segment, prefix):
                if term.startswith(prefix):
                    terms.setdefault(term, []).append(decode_doclist(doclist, is_descending))
                elif term > prefix:
                    break
        for term, lists in terms.items():
            yield term, [entry for entry in _united(lists, is_descending) if entry[1]]

    def all_terms(self, language: int, number: int = 0) -> Iterator[tuple[bytes, list[Entry]]]:
        """All terms of an index and their rows."""
        return self.merged(self._all_segments(language, number), True)


def _shortened(poslists: dict[bytes, bytearray], length: int) -> dict[bytes, bytearray]:
    """The position lists of the prefixes of a length, each position in its place."""
    groups: dict[bytes, list[bytearray]] = {}
    for term, poslist in poslists.items():
        if len(term) >= length:
            groups.setdefault(term[:length], []).append(poslist)
    return {prefix: bytearray(unite_poslists(lists)) for prefix, lists in groups.items()}


def unite_poslists(lists: Sequence[bytes | bytearray]) -> bytes | bytearray:
    """Several position lists as one."""
    if len(lists) == 1:
        return lists[0]
    return encode_positions(sorted({position for poslist in lists for position in decode_positions(bytes(poslist))}))


def encode_positions(positions: Iterable[int]) -> bytes:
    """The position list of positions in order."""
    result = bytearray()
    column = before = 0
    for position in positions:
        if position >> 32 != column:
            column = position >> 32
            result += b"\x01" + encode_varint(column)
            before = 0
        offset = position & 0xFFFFFFFF
        result += encode_varint(offset - before + 2)
        before = offset
    return bytes(result)


def _united(lists: Sequence[list[Entry]], is_descending: bool) -> list[Entry]:
    """Rows of several doclists, the youngest first; of one docid the first counts."""
    if len(lists) == 1:
        return lists[0]
    found: dict[int, bytes] = {}
    for entries in reversed(lists):
        found.update(entries)
    return sorted(found.items(), reverse=is_descending)


def _numbers(end_block: Any) -> tuple[int, int]:
    """The last block and the bytes of the leaves (0: not known)."""
    if isinstance(end_block, int):
        return end_block, 0
    if isinstance(end_block, (str, bytes)):
        text = end_block if isinstance(end_block, str) else end_block.decode("utf-8", "replace")
        words = text.split()
        try:
            return int(words[0]), int(words[1]) if len(words) > 1 else 0
        except (ValueError, IndexError):
            pass
    raise corrupt()
