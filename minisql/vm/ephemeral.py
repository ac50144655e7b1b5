"""Ephemeral cursors: lists, trees, sets, queues and memos that live only as long as the statement.

Every cursor of the VM answers first(), last(), next() and previous() with a row tuple or None, so the opcodes that walk do
not ask what they walk over.  `row` is the current row.

Source: https://www.sqlite.org/opcode.html, "OpenEphemeral".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from minisql.values.compare import equal, record_key_function
from minisql.vm.equality import key_function
from minisql.vm.sorting import sort_key_function, sort_rows

if TYPE_CHECKING:
    from minisql.bytecode.program import SortSpec
    from minisql.values.collation import Collation
    from minisql.values.shape import KeyShape

Row = tuple[Any, ...]


class ListCursor:
    """A list of rows and a position in it; rows may be appended while it is walked."""

    __slots__ = ("position", "row", "rows")

    def __init__(self, rows: list[Row] | None = None) -> None:
        self.rows: list[Row] = [] if rows is None else rows
        self.position = -1
        self.row: Row | None = None

    def first(self) -> Row | None:
        """Moves to the first row."""
        self.position = 0
        row = self.row = self.rows[0] if self.rows else None
        return row

    def last(self) -> Row | None:
        """Moves to the last row."""
        self.position = len(self.rows) - 1
        row = self.row = self.rows[-1] if self.rows else None
        return row

    def next(self) -> Row | None:
        """Moves to the next row."""
        position = self.position = self.position + 1
        rows = self.rows
        row = self.row = rows[position] if position < len(rows) else None
        return row

    def previous(self) -> Row | None:
        """Moves to the previous row."""
        position = self.position = self.position - 1
        row = self.row = self.rows[position] if position >= 0 else None
        return row

    def walk(self) -> Iterable[Row]:
        """All rows, for a loop that looks at nothing but these."""
        return self.rows

    def leave(self) -> None:
        """Stands on no row."""
        self.row = None

    @property
    def rowid(self) -> int | None:
        """The number of the current row, from 1."""
        return None if self.row is None else self.position + 1

    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)


class IteratorCursor:
    """Walks an iterable forward, once; what the host's services hand out."""

    __slots__ = ("_iterator", "_source", "position", "row")

    def __init__(self, rows: Iterable[Row]) -> None:
        self._source = rows
        self._iterator: Iterator[Row] = iter(())
        self.row: Row | None = None
        self.position = 0

    def walk(self) -> Iterable[Row]:
        """All rows, for a loop that looks at nothing but these."""
        return self._source

    def first(self) -> Row | None:
        """Starts the iteration."""
        self._iterator = iter(self._source)
        self.position = 0
        return self.next()

    def next(self) -> Row | None:
        """Moves to the next row."""
        row = self.row = next(self._iterator, None)
        self.position += 1
        return row

    def leave(self) -> None:
        """Stands on no row."""
        self.row = None

    @property
    def rowid(self) -> int | None:
        """The number of the current row, from 1."""
        return None if self.row is None else self.position

    def close(self) -> None:
        """Ends the iteration; a generator runs its `finally` clauses."""
        close = getattr(self._source, "close", None)
        if close is not None:
            close()


class TreeCursor:
    """Entries sorted by a KeyShape with distinct keys: an ephemeral index.

    `_keys` are sort keys parallel to `rows`; `order` is the KeyShape.  Appending in order costs no search.
    """

    __slots__ = ("_keys", "_make_key", "_n_key_fields", "order", "position", "row", "rows")

    def __init__(self, shape: KeyShape) -> None:
        self.order = shape
        self._n_key_fields = shape.n_key_fields
        self._make_key = record_key_function(shape.collations, shape.descending)
        self._keys: list[Any] = []
        self.rows: list[Row] = []
        self.position = -1
        self.row: Row | None = None

    def insert(self, row: Row) -> bool:
        """Adds an entry; returns False, and changes nothing, if its key is there already."""
        key = self._make_key(row)
        keys = self._keys
        if not keys or keys[-1] < key:
            keys.append(key)
            self.rows.append(row)
            return True
        position = bisect_left(keys, key)
        if keys[position] == key:
            return False
        keys.insert(position, key)
        self.rows.insert(position, row)
        if position <= self.position:
            self.position += 1
        return True

    def delete(self, row: Row) -> bool:
        """Removes the entry with the key of a row; returns whether there was one."""
        key = self._make_key(row)
        position = bisect_left(self._keys, key)
        if position == len(self._keys) or self._keys[position] != key:
            return False
        del self._keys[position]
        del self.rows[position]
        if position <= self.position:
            self.position -= 1
        return True

    def _move(self, position: int) -> Row | None:
        self.position = position
        row = self.row = self.rows[position] if 0 <= position < len(self.rows) else None
        return row

    def first(self) -> Row | None:
        """Moves to the first entry."""
        return self._move(0)

    def last(self) -> Row | None:
        """Moves to the last entry."""
        return self._move(len(self.rows) - 1)

    def next(self) -> Row | None:
        """Moves to the next entry."""
        return self._move(self.position + 1)

    def previous(self) -> Row | None:
        """Moves to the previous entry."""
        return self._move(self.position - 1)

    def seek(self, prefix: Sequence[Any], operator: str) -> Row | None:
        """Moves to the first entry >= or > (the last <= or <) the prefix; operators 'ge', 'gt', 'le', 'lt'."""
        low, high = self._range(prefix)
        if operator == "ge":
            return self._move(low)
        if operator == "gt":
            return self._move(high)
        return self._move((high if operator == "le" else low) - 1)

    def find(self, prefix: Sequence[Any]) -> Row | None:
        """Moves to the first entry with the prefix; None, without moving, if there is none."""
        low, high = self._range(prefix)
        return self._move(low) if low < high else None

    def _range(self, prefix: Sequence[Any]) -> tuple[int, int]:
        """The positions of the first entry with the prefix and of the first one behind them."""
        n = len(prefix)
        shape = self.order
        if n >= self._n_key_fields:
            key = self._make_key(tuple(prefix[: self._n_key_fields]))
            return bisect_left(self._keys, key), bisect_right(self._keys, key)
        make_key = record_key_function(shape.collations[:n], shape.descending[:n])
        key = make_key(tuple(prefix))
        return bisect_left(self.rows, key, key=make_key), bisect_right(self.rows, key, key=make_key)

    def leave(self) -> None:
        """Stands on no row."""
        self.row = None

    @property
    def rowid(self) -> Any:
        """The last field of the current entry."""
        return None if self.row is None else self.row[-1]

    def count(self) -> int:
        """The number of entries."""
        return len(self.rows)


class SetCursor(ListCursor):
    """A set of rows: DISTINCT, UNION, INTERSECT, EXCEPT and IN.  Rows keep the order and the form in which they came first.

    `members` maps equality keys to rows; `rows` is made from it when a walk starts.
    """

    __slots__ = ("_key", "_nulls", "collations", "members", "sort_spec")

    def __init__(self, collations: Sequence[Collation | None]) -> None:
        super().__init__()
        self.collations = collations
        self._key = key_function(collations)
        self._nulls: list[Row] = []
        self.members: dict[Row, Row] = {}
        self.sort_spec: SortSpec | None = None

    def replace(self, row: Row) -> None:
        """Adds a row in the place of an equal one."""
        if not self.add(row):
            self.members[row if self._key is None else self._key(row)] = row

    def add(self, row: Row) -> bool:
        """Adds a row; returns False if an equal one was there."""
        key = row if self._key is None else self._key(row)
        if key in self.members:
            return False
        self.members[key] = row
        if None in row:
            self._nulls.append(row)
        return True

    def discard(self, row: Row) -> None:
        """Removes the row equal to this one, if any."""
        self.members.pop(row if self._key is None else self._key(row), None)

    def contains(self, row: Row) -> bool:
        """Tells whether an equal row is there (NULL equals NULL)."""
        return (row if self._key is None else self._key(row)) in self.members

    def member(self, row: Row) -> int | None:
        """Returns row IN set as SQL has it: 1, 0, or None when NULLs leave it open.

        Source: https://www.sqlite.org/lang_expr.html#in_op
        """
        members = self.members
        if not members:
            return 0
        if None not in row:
            if (row if self._key is None else self._key(row)) in members:
                return 1
            candidates: Iterable[Row] = self._nulls
        else:
            candidates = members.values()
        if len(row) == 1:
            return None if None in row or self._nulls else 0
        for other in candidates:
            if all(
                a is None or b is None or (equal(a, b) if collation is None else equal(a, b, collation))
                for a, b, collation in zip(row, other, self.collations)
            ):
                return None
        return 0

    def first(self) -> Row | None:
        """Moves to the first row; takes over what was added since the last walk began."""
        self.rows = list(self.members.values())
        if self.sort_spec is not None:
            sort_rows(self.rows, self.sort_spec)
        return super().first()

    def last(self) -> Row | None:
        """Moves to the last row, likewise."""
        self.first()
        return super().last()

    def count(self) -> int:
        """The number of rows."""
        return len(self.members)


class QueueCursor:
    """The queue of a recursive common table expression: first in, first out, or smallest first by a SortSpec.

    `waiting` are the rows of the former kind, None for the latter.
    Source: https://www.sqlite.org/lang_with.html section 3
    """

    __slots__ = ("_heap", "_make_key", "_n_inserted", "_queue", "row", "waiting")

    def __init__(self, spec: SortSpec | None) -> None:
        self._queue: deque[Row] = deque()
        self._heap: list[tuple[Any, int, Row]] = []
        self._n_inserted = 0
        self._make_key: Callable[[Row], Any] | None = None if spec is None else sort_key_function(spec)
        self.waiting = self._queue if spec is None else None
        self.row: Row | None = None

    def adder(self) -> Callable[[Row], None]:
        """What adds a row, for code that does so often."""
        return self.insert if self.waiting is None else self.waiting.append

    def insert(self, row: Row) -> None:
        """Adds a row."""
        if self._make_key is None:
            self._queue.append(row)
        else:
            self._n_inserted += 1
            heappush(self._heap, (self._make_key(row), self._n_inserted, row))

    def take(self) -> Row | None:
        """Removes and returns the next row."""
        if self._make_key is None:
            row = self._queue.popleft() if self._queue else None
        else:
            row = heappop(self._heap)[2] if self._heap else None
        self.row = row
        return row

    first = next = take


class MemoCursor:
    """Results by key: what a correlated subquery gave for outer values seen before.

    The key tells 1 from 1.0, which may lead to different results.
    """

    __slots__ = ("results",)

    def __init__(self) -> None:
        self.results: dict[Any, Any] = {}
