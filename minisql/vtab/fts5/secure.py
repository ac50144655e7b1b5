"""secure-delete: what is deleted leaves the index at once, instead of being hidden by a newer entry.

A segment that has entries of deleted rows is written anew without them, under another id at its place in its level.  SQLite
edits the leaf instead; what can be read afterwards is the same.

Source: https://www.sqlite.org/fts5.html section 6.13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from minisql.vtab.fts5.configuration import VERSION_SECURE_DELETE
from minisql.vtab.fts5.formats import Entry, Segment, Structure

if TYPE_CHECKING:
    from minisql.vtab.fts5.index import FullTextIndex

Keys = list[tuple[bytes, list[Entry]]]


def without_deleted(index: FullTextIndex, structure: Structure, keys: Keys) -> Keys:
    """Takes the rows that pending entries delete out of all segments; returns the entries that are left to write."""
    gone = {}
    for key, entries in keys:
        rowids = {rowid for rowid, is_deleted, _poslist in entries if is_deleted}
        if rowids:
            gone[key] = rowids
    if not gone:
        return keys
    configuration = index.configuration
    if configuration.version != VERSION_SECURE_DELETE:
        configuration.version = VERSION_SECURE_DELETE
        index.host.execute(f"REPLACE INTO {configuration.table_sql('config')} VALUES('version', {VERSION_SECURE_DELETE})")
    for level in structure.levels:
        for place, segment in enumerate(list(level)):
            if _has_any(index, segment, gone):
                _rewrite(index, structure, level, place, gone)
        level[:] = [segment for segment in level if segment.last]
    return [
        (key, [(rowid, False, poslist) for rowid, is_deleted, poslist in entries if poslist or not is_deleted])
        for key, entries in keys
    ]


def _has_any(index: FullTextIndex, segment: Segment, gone: dict[bytes, set[int]]) -> bool:
    return any(
        entry[0] in rowids
        for key, rowids in gone.items()
        for _key, entries in index.segment_keys(segment, key, key + b"\x00")
        for entry in entries
    )


def _rewrite(
    index: FullTextIndex, structure: Structure, level: list[Segment], place: int, gone: dict[bytes, set[int]]
) -> None:
    """Writes a segment without the rows; one with `last` 0 takes its place if nothing is left."""
    old = level[place]
    new = index.write_keys(structure, _kept(index.segment_keys(old, b"", None), gone))
    if new is not None:
        structure.n_written += new.last
    level[place] = new if new is not None else Segment(old.identifier, 0, 0)
    index.drop_segment(old)


def _kept(
    keys: Iterable[tuple[bytes, list[Entry]]], gone: dict[bytes, set[int]]
) -> Iterator[tuple[bytes, list[Entry]]]:
    for key, entries in keys:
        rowids = gone.get(key)
        yield key, entries if rowids is None else [entry for entry in entries if entry[0] not in rowids]
