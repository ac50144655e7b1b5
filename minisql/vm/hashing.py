"""The hash join's table: rows by equality key, in the order in which they were built.

A probe walks one bucket.  A key with NULL never matches, but its row is kept, since RIGHT and FULL joins hand out the rows
that found no partner.

Source: https://www.sqlite.org/queryplanner-ng.html ("automatic index", whose place it takes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.vm.equality import key_function

if TYPE_CHECKING:
    from minisql.bytecode.program import HashSpec

Row = tuple[Any, ...]

_NOTHING: list[int] = []


class HashCursor:
    """A hash table and a walk over one bucket, or over the rows without a partner.

    `buckets` maps keys to positions in `rows` when matches are tracked, else to rows; `_bucket` is what is walked now.
    """

    __slots__ = ("_bucket", "_current", "_key", "_matched", "_position", "_tracks", "buckets", "row", "rows")

    def __init__(self, spec: HashSpec) -> None:
        self._key = key_function(spec.collations)
        self._tracks = spec.tracks_matches
        self.buckets: dict[Row, list[Any]] = {}
        self.rows: list[Row] = []
        self._matched: set[int] = set()
        self._bucket: list[Any] = _NOTHING
        self._position = 0
        self._current = -1
        self.row: Row | None = None

    def insert(self, key: Row, row: Row) -> None:
        """Adds a row under a key."""
        if self._tracks:
            self.rows.append(row)
            item: Any = len(self.rows) - 1
        else:
            item = row
        if None in key:
            return
        if self._key is not None:
            key = self._key(key)
        bucket = self.buckets.get(key)
        if bucket is None:
            self.buckets[key] = [item]
        else:
            bucket.append(item)

    def probe(self, key: Row) -> Row | None:
        """Moves to the first row with an equal key."""
        if self._key is not None:
            key = self._key(key)
        bucket = self.buckets.get(key)
        if bucket is None:
            self.row = None
            self._bucket = _NOTHING
            return None
        self._bucket = bucket
        self._position = 0
        return self._take()

    def _take(self) -> Row | None:
        if self._position >= len(self._bucket):
            self.row = None
            return None
        item = self._bucket[self._position]
        if self._tracks:
            self._current = item
            item = self.rows[item]
        self.row = item
        return item  # type: ignore[no-any-return]

    def next(self) -> Row | None:
        """Moves to the next row of the bucket, or the next row without a partner."""
        self._position += 1
        return self._take()

    def mark(self) -> None:
        """Notes that the current row has found a partner."""
        self._matched.add(self._current)

    def first_unmatched(self) -> Row | None:
        """Moves to the first row that no `mark` has named."""
        matched = self._matched
        self._bucket = [position for position in range(len(self.rows)) if position not in matched]
        self._position = 0
        return self._take()

    def first(self) -> Row | None:
        """Moves to the first row of all, in the order of insertion (only where matches are tracked)."""
        self._bucket = list(range(len(self.rows)))
        self._position = 0
        return self._take()

    def leave(self) -> None:
        """Stands on no row."""
        self.row = None
