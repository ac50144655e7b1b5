"""The full-text index of one table: terms that wait in memory, segments and levels, the rows of a term.

Changes gather in `pending`, word -> [(rowid, is deleted, poslist)] in the order in which they came, and become a new segment
of level 0 when the transaction commits, before anything is read, or when they grow large.  Levels with enough segments are
merged into one segment of the next level.  A newer segment's entry of a (key, row) hides the older ones.

Source: https://www.sqlite.org/fts5.html section 9.2.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from minisql.storage.varint import encode_varint, read_varint
from minisql.vtab.fts5.formats import (
    AVERAGES_ID,
    COLUMN,
    FULL,
    STRUCTURE_ID,
    Entry,
    Segment,
    Structure,
    decode_columns,
    decode_structure,
    encode_columns,
    encode_offsets,
    encode_positions,
    encode_structure,
    page_id,
    tombstone_id,
    varints,
)
from minisql.vtab.fts5.fresh import FreshRows
from minisql.vtab.fts5.known import Memory
from minisql.vtab.fts5.secure import without_deleted
from minisql.vtab.fts5.segment_reader import SegmentReader
from minisql.vtab.fts5.segment_writer import SegmentWriter
from minisql.vtab.shadow_tables import corrupt, signed

if TYPE_CHECKING:
    from minisql.vtab.fts5.configuration import Configuration
    from minisql.vtab.host import VtabHost

_BYTES_A_POSITION = 8

DocumentColumn = tuple[int, Sequence[str], "Sequence[int] | None"]
"""A column of a row: its number, its tokens, and their offsets (None: 0, 1, 2..)."""


class FullTextIndex:
    """Reads and writes %_data and %_idx."""

    def __init__(self, host: VtabHost, configuration: Configuration) -> None:
        self.host = host
        self.configuration = configuration
        name = configuration.table_sql
        self._read_sql = f"SELECT block FROM {name('data')} WHERE id=?"
        self._write_sql = f"REPLACE INTO {name('data')}(id, block) VALUES(?,?)"
        self._write_index_sql = f"REPLACE INTO {name('idx')}(segid, term, pgno) VALUES(?,?,?)"
        self._find_page_sql = f"SELECT pgno FROM {name('idx')} WHERE segid=? AND term<=? ORDER BY term DESC LIMIT 1"
        self._drop_pages_sql = f"DELETE FROM {name('data')} WHERE id>=? AND id<=?"
        self._drop_index_sql = f"DELETE FROM {name('idx')} WHERE segid=?"
        self.pending: defaultdict[str, list[Entry]] = defaultdict(list)
        self.pending_prefixes: defaultdict[tuple[int, str], list[Entry]] = defaultdict(list)
        self.pending_size = 0
        self.fresh = FreshRows()
        self._takes_fresh = configuration.detail == FULL and not configuration.prefixes
        self._structure: Structure | None = None
        self._structure_bytes = b""
        self._tombstones: dict[int, frozenset[int]] = {}
        self.memory = Memory(host)

    # Adding and removing rows

    def add_document(self, rowid: int, columns: Sequence[DocumentColumn]) -> None:
        """Enters the tokens of a new row."""
        if self._takes_fresh and not self.pending and self.fresh.add(rowid, columns):
            self.pending_size = self.fresh.n_tokens * _BYTES_A_POSITION
            if self.pending_size > self.configuration.hash_size:
                self.flush()
            return
        self._change(rowid, columns, False)

    def remove_document(self, rowid: int, columns: Sequence[DocumentColumn]) -> None:
        """Enters that the tokens of a row are gone."""
        self._change(rowid, columns, True)

    def _change(self, rowid: int, columns: Sequence[DocumentColumn], is_deleted: bool) -> None:
        prefixes = self.configuration.prefixes
        self._settle()
        n_tokens = 0
        found: dict[str, bytes] = {}
        prefix_places: list[dict[str, list[tuple[int, list[int]]]]] = [{} for _ in prefixes]
        for column, words, offsets in columns:
            n_tokens += len(words)
            places: dict[str, list[int]] = {}
            for offset, word in zip(offsets, words) if offsets is not None else enumerate(words):
                known = places.get(word)
                if known is None:
                    places[word] = [offset]
                else:
                    known.append(offset)
            self._add_column(found, column, places)
            for length, by_prefix in zip(prefixes, prefix_places):
                _gather_prefixes(by_prefix, column, places, length)
        pending = self.pending
        for word, poslist in found.items():
            pending[word].append((rowid, is_deleted, b"" if is_deleted else poslist))
        for number, by_prefix in enumerate(prefix_places):
            for prefix, positions in by_prefix.items():
                poslist = b"" if is_deleted else self._poslist(positions)
                self.pending_prefixes[number, prefix].append((rowid, is_deleted, poslist))
        self.pending_size += n_tokens * (1 + len(prefixes)) * _BYTES_A_POSITION
        if self.pending_size > self.configuration.hash_size:
            self.flush()

    @property
    def has_pending(self) -> bool:
        """Whether anything waits in memory."""
        return bool(self.pending or self.fresh.rowids)

    def _settle(self) -> None:
        """What came in plain order joins the rest."""
        if self.fresh.rowids:
            for word, rowids, bodies in self.fresh.words():
                self.pending[word.decode("utf-8", "surrogateescape")] += [
                    (rowid, False, body[read_varint(body, 0)[1] :]) for rowid, body in zip(rowids, bodies)
                ]
            self.fresh.clear()

    def _add_column(self, found: dict[str, bytes], column: int, places: dict[str, list[int]]) -> None:
        """Adds the words of one column to the poslists of a row."""
        detail = self.configuration.detail
        if detail == FULL and column == 0:
            for word, offsets in places.items():
                found[word] = _ONE[offsets[0]] if len(offsets) == 1 and offsets[0] < 126 else encode_offsets(offsets)
        elif detail == FULL:
            mark = b"\x01" + encode_varint(column)
            for word, offsets in places.items():
                found[word] = found.get(word, b"") + mark + encode_offsets(offsets)
        elif detail == COLUMN:
            for word in places:
                before = found.get(word, b"")
                columns = decode_columns(before)
                found[word] = encode_columns([*columns, column])
        else:
            found.update(dict.fromkeys(places, b"\x00"))

    def _poslist(self, positions: list[tuple[int, list[int]]]) -> bytes:
        detail = self.configuration.detail
        if detail == FULL:
            return encode_positions([(column, sorted(offsets)) for column, offsets in positions])
        return encode_columns([column for column, _offsets in positions]) if detail == COLUMN else b"\x00"

    def keys_of(self, text: bytes) -> list[bytes]:
        """The keys of a token in the main index and in the prefix indexes."""
        return [b"0" + text, *_prefix_keys(text, self.configuration.prefixes)]

    def forget_pending(self) -> None:
        """Drops what was not written, and what was known of the file."""
        self._empty_pending()
        self.forget_known()

    def _empty_pending(self) -> None:
        self.pending = defaultdict(list)
        self.pending_prefixes = defaultdict(list)
        self.pending_size = 0
        self.fresh.clear()

    def forget_known(self) -> None:
        """Reads the structure again at the next need."""
        self.memory.forget()
        self._structure = None
        self._structure_bytes = b""
        self._tombstones.clear()

    # Structure

    def structure(self) -> Structure:
        """The current structure; another connection may have changed it."""
        known = self.memory.known()
        if known is not None and known.structure is not None:
            return known.structure  # type: ignore[no-any-return]
        structure = self._read_structure()
        if known is not None:
            known.structure = structure
        return structure

    def _read_structure(self) -> Structure:
        data = self._block(STRUCTURE_ID)
        if data is None:
            raise corrupt()
        if self._structure is None or data != self._structure_bytes:
            self._structure = decode_structure(data)
            self._structure_bytes = data
            self._tombstones.clear()
        return self._structure

    def _save(self, structure: Structure) -> None:
        data = encode_structure(structure)
        self._write(STRUCTURE_ID, data)
        self._structure = structure
        self._structure_bytes = data

    def _block(self, identifier: int) -> bytes | None:
        data = self.host.read_blob(self._read_sql, identifier)
        return data if isinstance(data, bytes) else None

    def _write(self, identifier: int, data: bytes) -> None:
        self.host.change(self._write_sql, (identifier, data))

    # Averages

    def averages(self) -> list[int]:
        """The number of rows, then the tokens in each column."""
        known = self.memory.known()
        if known is not None and known.averages is not None:
            return list(known.averages)
        values = varints(self._block(AVERAGES_ID) or b"")
        n = self.configuration.n_columns + 1
        averages = (values + [0] * n)[:n]
        if known is not None:
            known.averages = list(averages)
        return averages

    def save_averages(self, values: Sequence[int]) -> None:
        """Stores the averages record."""
        self._write(AVERAGES_ID, b"".join(map(encode_varint, values)))

    # Writing segments

    def flush(self) -> None:
        """Writes what is pending as a segment of level 0, and merges where there are enough segments."""
        if not self.has_pending:
            return
        structure = self.structure()
        if self.fresh.rowids:
            segment = self._write_segment(structure, self._fresh_filler())
        else:
            keys = self._pending_keys()
            if self.configuration.is_secure_delete:
                keys = without_deleted(self, structure, keys)
            segment = self.write_keys(structure, keys)
        if segment is None:
            self._save(structure)
            return
        if structure.has_origins:
            structure.origin += 1
            segment.origin_first = segment.origin_last = structure.origin
        if not structure.levels:
            structure.levels.append([])
        structure.levels[0].append(segment)
        structure.n_written += segment.last
        self._merge_levels(structure)
        self._save(structure)

    def _fresh_filler(self) -> Callable[[SegmentWriter], None]:
        words = self.fresh.words()
        self.fresh = FreshRows()
        self._empty_pending()

        def fill(writer: SegmentWriter) -> None:
            for word, rowids, bodies in words:
                writer.add_rows(b"0" + word, rowids, bodies)

        return fill

    def _pending_keys(self) -> list[tuple[bytes, list[Entry]]]:
        keys = [(b"0" + word.encode("utf-8", "surrogateescape"), rows) for word, rows in self.pending.items()]
        for (number, prefix), rows in self.pending_prefixes.items():
            keys.append((bytes((0x31 + number,)) + prefix.encode("utf-8", "surrogateescape"), rows))
        self._empty_pending()
        keys.sort()
        return [(key, _in_order(rows)) for key, rows in keys]

    def write_keys(self, structure: Structure, keys: Iterable[tuple[bytes, Sequence[Entry]]]) -> Segment | None:
        """Writes a segment of the keys that have rows; None if there are none."""

        def fill(writer: SegmentWriter) -> None:
            for key, entries in keys:
                if entries:
                    writer.add(key, entries)

        return self._write_segment(structure, fill)

    def _write_segment(self, structure: Structure, fill: Callable[[SegmentWriter], None]) -> Segment | None:
        """Writes a segment of the keys that `fill` adds; None if there are none."""
        identifier = structure.unused_identifier()

        def write_page(number: int, data: bytes) -> None:
            self._write(page_id(identifier, number), data)

        def write_index(prefix: bytes, number: int) -> None:
            self.host.execute(self._write_index_sql, (identifier, prefix, number * 2))

        writer = SegmentWriter(self.configuration.page_size, self.configuration.detail, write_page, write_index)
        fill(writer)
        writer.finish()
        if not writer.last_page:
            return None
        segment = Segment(identifier, 1, writer.last_page)
        segment.n_entries = writer.n_entries if structure.has_origins else 0
        return segment

    def _merge_levels(self, structure: Structure) -> None:
        """Merges levels that have as many segments as `automerge` (or, without it, `crisismerge`) allows."""
        configuration = self.configuration
        limit = configuration.automerge if configuration.automerge > 1 else configuration.crisismerge
        level = 0
        while level < len(structure.levels):
            if len(structure.levels[level]) >= limit:
                self._merge(structure, [level], level + 1)
            level += 1

    def _merge(self, structure: Structure, levels: Sequence[int], target: int) -> None:
        """Merges all segments of the levels into one newest segment of level `target`."""
        sources = [segment for level in levels for segment in reversed(structure.levels[level])]
        while len(structure.levels) <= target:
            structure.levels.append([])
        is_oldest = not any(structure.levels[level] for level in range(max(levels) + 1, len(structure.levels)))
        merged = self.write_keys(structure, self._merged_keys(sources, is_oldest))
        if merged is not None:
            merged.origin_first = min(segment.origin_first for segment in sources)
            merged.origin_last = max(segment.origin_last for segment in sources)
        for level in levels:
            structure.levels[level] = []
        if merged is not None:
            structure.levels[target].append(merged)
            structure.n_written += merged.last
        for segment in sources:
            self.drop_segment(segment)

    def drop_segment(self, segment: Segment) -> None:
        """Deletes the leaves and tombstones of a segment."""
        first = page_id(segment.identifier, 0)
        self.host.execute(self._drop_pages_sql, (first, page_id(segment.identifier + 1, 0) - 1))
        self.host.execute(self._drop_index_sql, (segment.identifier,))
        if segment.n_tombstone_pages:
            tombstones = tombstone_id(segment.identifier, 0)
            self.host.execute(self._drop_pages_sql, (tombstones, tombstones + segment.n_tombstone_pages - 1))
            self._tombstones.pop(segment.identifier, None)

    def merge_everything(self) -> bool:
        """`optimize`: one segment in all; False if there was nothing to do."""
        self.flush()
        structure = self.structure()
        segments = [segment for level in structure.levels for segment in level]
        if len(segments) < 2 and not any(segment.n_tombstones for segment in segments):
            return False
        levels = [level for level in range(len(structure.levels)) if structure.levels[level]]
        self._merge(structure, levels, max(*levels, 1) if len(levels) > 1 else levels[0] + 1)
        self._save(structure)
        return True

    def merge_some(self, minimum: int, from_all_levels: bool) -> bool:
        """`merge`: merges the first level with at least `minimum` segments; False if there is none."""
        self.flush()
        if from_all_levels:
            return self.merge_everything()
        structure = self.structure()
        for level in range(len(structure.levels)):
            if len(structure.levels[level]) >= minimum:
                self._merge(structure, [level], level + 1)
                self._save(structure)
                return True
        return False

    def clear(self) -> None:
        """Empties the index."""
        self._empty_pending()
        name = self.configuration.table_sql
        self.host.execute(f"DELETE FROM {name('data')}")
        self.host.execute(f"DELETE FROM {name('idx')}")
        structure = Structure()
        structure.has_origins = self.configuration.is_deletable
        self._tombstones.clear()
        self._save(structure)
        self.save_averages([0] * (self.configuration.n_columns + 1))

    # Tombstones of contentless_delete=1

    def bury(self, rowid: int, origin: int) -> None:
        """Notes that a row of a contentless table is gone: in every segment that may hold it."""
        self.flush()
        structure = self.structure()
        for segment in structure.newest_first():
            if segment.origin_first <= origin <= segment.origin_last:
                buried = set(self._buried(segment)) | {rowid}
                self._write_tombstones(segment, buried)
        self._save(structure)

    def _buried(self, segment: Segment) -> frozenset[int]:
        """The rowids in the segment's tombstone hash."""
        known = self._tombstones.get(segment.identifier)
        if known is not None:
            return known
        found: set[int] = set()
        for number in range(segment.n_tombstone_pages):
            page = self._block(tombstone_id(segment.identifier, number))
            if page is None or len(page) < 8:
                raise corrupt()
            width = page[0]
            if page[1]:
                found.add(0)
            if width not in (4, 8):
                raise corrupt()
            for place in range(8, len(page) - width + 1, width):
                value = int.from_bytes(page[place : place + width], "big")
                if value:
                    found.add(signed(value))
        result = self._tombstones[segment.identifier] = frozenset(found)
        return result

    def _write_tombstones(self, segment: Segment, buried: set[int]) -> None:
        """Writes the hash anew: pages of slots, the page chosen by the rowid modulo their number, then by probing."""
        width = 4 if all(0 <= rowid < 1 << 32 for rowid in buried) else 8
        slots_a_page = max((self.configuration.page_size - 8) // width, 32)
        n_pages = max(segment.n_tombstone_pages, 1)
        while len(buried) * 2 > slots_a_page * n_pages:
            n_pages *= 2
        n_slots = min(slots_a_page, max(32, _power_of_two(len(buried) * 4 // n_pages)))
        if n_pages > 1:
            n_slots = slots_a_page
        while True:
            pages = _hashed(buried, n_pages, n_slots)
            if pages is not None:
                break
            n_pages, n_slots = n_pages * 2, slots_a_page
        for number, slots in enumerate(pages):
            n_here = sum(1 for value in slots if value)
            has_zero = 0 in buried and number == 0
            body = b"".join((value & ((1 << width * 8) - 1)).to_bytes(width, "big") for value in slots)
            header = bytes((width, has_zero)) + b"\x00\x00" + n_here.to_bytes(4, "big")
            self._write(tombstone_id(segment.identifier, number), header + body)
        segment.n_tombstone_pages = n_pages
        segment.n_tombstones = len(buried)
        self._tombstones[segment.identifier] = frozenset(buried)

    # Reading

    def _reader(self, segment: Segment) -> SegmentReader:
        def page(number: int) -> bytes | None:
            return self._block(page_id(segment.identifier, number))

        return SegmentReader(segment, self.configuration.detail, page)

    def _start_page(self, segment: Segment, key: bytes) -> int:
        rows = self.host.execute(self._find_page_sql, (segment.identifier, key))
        if not rows:
            return segment.first
        number = rows[0][0]
        if not isinstance(number, int):
            raise corrupt()
        return max(number >> 1, segment.first)

    def segment_keys(self, segment: Segment, lower: bytes, upper: bytes | None) -> Iterator[tuple[bytes, list[Entry]]]:
        """The keys in [lower, upper) of one segment with their rows, buried ones left out."""
        buried = self._buried(segment) if segment.n_tombstone_pages else frozenset()
        start = self._start_page(segment, lower) if lower else segment.first
        for key, entries in self._reader(segment).keys(start, lower):
            if upper is not None and key >= upper:
                return
            if buried:
                entries = [entry for entry in entries if entry[0] not in buried]
            yield key, entries

    def rows_of(self, key: bytes) -> list[Entry]:
        """The live rows of a key (with its index prefix), in order of rowid."""
        found: list[list[Entry]] = []
        upper = key + b"\x00"
        for segment in self.structure().newest_first():
            for _key, entries in self.segment_keys(segment, key, upper):
                found.append(entries)
        return _newest_rows(found)

    def keys_in(self, lower: bytes, upper: bytes | None) -> Iterator[tuple[bytes, list[Entry]]]:
        """All keys in [lower, upper) with their live rows, in order."""
        sources = self.structure().newest_first()
        for key, entries in self._merged_ranges(sources, lower, upper):
            live = [entry for entry in entries if entry[2] or not entry[1]]
            if live:
                yield key, live

    def _merged_keys(self, segments: Sequence[Segment], is_oldest: bool) -> Iterator[tuple[bytes, list[Entry]]]:
        """The keys of several segments, newest first, as one; in the oldest level deletions are not needed any more."""
        for key, entries in self._merged_ranges(segments, b"", None):
            if is_oldest:
                entries = [(rowid, False, poslist) for rowid, is_deleted, poslist in entries if poslist or not is_deleted]
            if entries:
                yield key, entries

    def _merged_ranges(
        self, segments: Sequence[Segment], lower: bytes, upper: bytes | None
    ) -> Iterator[tuple[bytes, list[Entry]]]:
        streams = [
            ((key, age, entries) for key, entries in self.segment_keys(segment, lower, upper))
            for age, segment in enumerate(segments)
        ]
        current: bytes | None = None
        found: list[list[Entry]] = []
        for key, _age, entries in heapq.merge(*streams, key=_key_and_age):
            if key != current:
                if current is not None:
                    yield current, _combined(found)
                current, found = key, []
            found.append(entries)
        if current is not None:
            yield current, _combined(found)


_ONE = [bytes((offset + 2,)) for offset in range(126)]


def _gather_prefixes(
    by_prefix: dict[str, list[tuple[int, list[int]]]], column: int, places: dict[str, list[int]], length: int
) -> None:
    """Adds the words of one column to the positions of their prefixes of a length."""
    for word, offsets in places.items():
        if len(word) >= length:
            positions = by_prefix.setdefault(word[:length], [])
            if positions and positions[-1][0] == column:
                positions[-1][1].extend(offsets)
            else:
                positions.append((column, list(offsets)))


def _in_order(rows: list[Entry]) -> list[Entry]:
    """The changes of one key by rowid, one for each row: what was removed and entered again is both."""
    last = None
    for entry in rows:
        if last is not None and entry[0] <= last:
            break
        last = entry[0]
    else:
        return rows
    merged: dict[int, Entry] = {}
    for rowid, is_deleted, poslist in rows:
        known = merged.get(rowid)
        merged[rowid] = (rowid, is_deleted or (known is not None and known[1]), poslist)
    return [merged[rowid] for rowid in sorted(merged)]


def _prefix_keys(text: bytes, prefixes: Sequence[int]) -> list[bytes]:
    """The keys of the prefix indexes whose length, in characters, the token reaches."""
    keys = []
    characters = text.decode("utf-8", "surrogateescape")
    for number, length in enumerate(prefixes, 1):
        if len(characters) >= length:
            keys.append(bytes((0x30 + number,)) + characters[:length].encode("utf-8", "surrogateescape"))
    return keys


def _key_and_age(item: tuple[bytes, int, list[Entry]]) -> tuple[bytes, int]:
    return item[0], item[1]


def _combined(found: list[list[Entry]]) -> list[Entry]:
    """The rows of one key from several segments, newest first: of each row the newest entry, deletions kept."""
    if len(found) == 1:
        return found[0]
    merged: dict[int, Entry] = {}
    for entries in reversed(found):
        for entry in entries:
            old = merged.get(entry[0])
            if old is not None and old[1] and not entry[1]:
                # What was deleted before stays deleted in segments that are older still.
                entry = (entry[0], True, entry[2])
            merged[entry[0]] = entry
    return [merged[rowid] for rowid in sorted(merged)]


def _newest_rows(found: list[list[Entry]]) -> list[Entry]:
    """As `_combined`, without the rows that are deleted."""
    if not found:
        return []
    return [entry for entry in _combined(found) if entry[2] or not entry[1]]


def _power_of_two(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def _hashed(rowids: set[int], n_pages: int, n_slots: int) -> list[list[int]] | None:
    """The rowids in their slots; None when a page would be full."""
    pages = [[0] * n_slots for _ in range(n_pages)]
    counts = [0] * n_pages
    for rowid in sorted(rowids):
        if not rowid:
            continue
        number = rowid & 0xFFFFFFFFFFFFFFFF
        page = pages[number % n_pages]
        counts[number % n_pages] += 1
        if counts[number % n_pages] >= n_slots:
            return None
        slot = (number // n_pages) % n_slots
        while page[slot]:
            slot = (slot + 1) % n_slots
        page[slot] = rowid
    return pages
