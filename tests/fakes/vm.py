"""A host over plain lists: what a program needs from a connection, without storage.

Tables are sorted lists of (rowid, row), indexes TreeCursor objects; cursors behave as storage's do.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from minisql.bytecode.builder import ProgramBuilder
from minisql.bytecode.verifier import verify
from minisql.limits import DEFAULTS
from minisql.storage.type_mask import ColumnMasks
from minisql.values.shape import KeyShape, RowShape
from minisql.vm.ephemeral import TreeCursor
from minisql.vm.machine import run


class FakeTable:
    """A table: rowids and rows in parallel lists."""

    def __init__(self) -> None:
        self.rowids: list[int] = []
        self.rows: list[tuple[Any, ...]] = []


class FakeTree:
    """A tree that nothing edits."""

    edits = 0

    def __init__(self) -> None:
        self.met_masks: dict[int, int] = {}


class FakeTableCursor:
    """The interface of storage's TableCursor."""

    def __init__(self, table: FakeTable) -> None:
        self.table = table
        self.tree = FakeTree()
        self.position = -1
        self.row: tuple[Any, ...] | None = None
        self.rowid: int | None = None

    def _move(self, position: int) -> tuple[Any, ...] | None:
        self.position = position
        if 0 <= position < len(self.table.rows):
            self.row = self.table.rows[position]
            self.rowid = self.table.rowids[position]
        else:
            self.row = self.rowid = None
        return self.row

    def first(self) -> Any:
        return self._move(0)

    def last(self) -> Any:
        return self._move(len(self.table.rows) - 1)

    def next(self) -> Any:
        return self._move(bisect_right(self.table.rowids, self.rowid) if self.rowid is not None else -1)

    def previous(self) -> Any:
        return self._move(self.position - 1)

    def seek_rowid(self, rowid: int) -> Any:
        position = bisect_left(self.table.rowids, rowid)
        if position < len(self.table.rowids) and self.table.rowids[position] == rowid:
            return self._move(position)
        return None

    def seek_ge(self, rowid: int) -> Any:
        return self._move(bisect_left(self.table.rowids, rowid))

    def seek_gt(self, rowid: int) -> Any:
        return self._move(bisect_right(self.table.rowids, rowid))

    def seek_le(self, rowid: int) -> Any:
        return self._move(bisect_right(self.table.rowids, rowid) - 1)

    def seek_lt(self, rowid: int) -> Any:
        return self._move(bisect_left(self.table.rowids, rowid) - 1)

    def insert(self, rowid: int, row: tuple[Any, ...], append_hint: bool = False) -> None:
        position = bisect_left(self.table.rowids, rowid)
        if position < len(self.table.rowids) and self.table.rowids[position] == rowid:
            self.table.rows[position] = row
        else:
            self.table.rowids.insert(position, rowid)
            self.table.rows.insert(position, row)

    def delete(self) -> None:
        position = bisect_left(self.table.rowids, self.rowid)
        del self.table.rowids[position], self.table.rows[position]

    def last_rowid(self) -> int:
        return self.table.rowids[-1] if self.table.rowids else 0

    def count(self) -> int:
        return len(self.table.rows)

    def leave(self) -> None:
        self._move(-1)

    def leaves(self, from_rowid: int | None = None) -> Any:
        first = 0 if from_rowid is None else bisect_left(self.table.rowids, from_rowid)
        for start in range(first, len(self.table.rows), 50):
            rows = self.table.rows[start : start + 50]
            yield self.table.rowids[start : start + 50], rows, ColumnMasks(rows)


class FakeBtree:
    """The interface of storage's BtreeFile as far as programs use it."""

    def __init__(self) -> None:
        self.trees: dict[int, Any] = {}
        self.cursors: list[FakeTableCursor] = []

    def table(self, root: int, rows: list[tuple[Any, ...]] | dict[int, tuple[Any, ...]]) -> None:
        """Makes a table with these rows, numbered from 1 (or with the dict's keys as rowids)."""
        table = self.trees[root] = FakeTable()
        items = rows.items() if isinstance(rows, dict) else enumerate(rows, 1)
        for rowid, row in items:
            table.rowids.append(rowid)
            table.rows.append(row)

    def index(self, root: int, shape: KeyShape, entries: list[tuple[Any, ...]]) -> None:
        """Makes an index with these entries."""
        tree = self.trees[root] = TreeCursor(shape)
        for entry in entries:
            tree.insert(entry)

    def table_cursor(self, root: int, shape: RowShape, write: bool = False) -> FakeTableCursor:
        cursor = FakeTableCursor(self.trees[root])
        self.cursors.append(cursor)
        return cursor

    row_changer = table_cursor

    def index_cursor(self, root: int, shape: KeyShape, write: bool = False) -> Any:
        return self.trees[root]


class FakeHost:
    """The Host protocol with everything in public lists."""

    def __init__(self) -> None:
        self.btrees: list[Any] = [FakeBtree()]
        self.schema_generation = 1
        self.is_interrupted = False
        self.fetches_all = False
        self.function_context: Any = None
        self.last_insert_rowid = 0
        self.changes = 0
        self.total_changes = 0
        self.deferred_violations = 0
        self.has_update_hook = False
        self.progress: Any = None
        self.progress_steps = 0
        self.tier = "auto"
        self.limits: Any = DEFAULTS
        self.log: list[tuple[Any, ...]] = []

    def begin_statement(self, database: int, write: bool, cookie: int, generation: int) -> None:
        self.log.append(("begin", database, write))

    def set_autocommit(self, autocommit: bool, rollback: bool, kind: int) -> None:
        self.log.append(("autocommit", autocommit, rollback, kind))

    def savepoint(self, operation: int, name: str) -> None:
        self.log.append(("savepoint", operation, name))

    def call(self, service: str, constants: tuple[Any, ...], arguments: list[Any]) -> Any:
        self.log.append((service, constants, tuple(arguments)))
        return 42

    def rows(self, service: str, constants: tuple[Any, ...], arguments: list[Any]) -> Any:
        return iter([(service, *constants), (*arguments,)])

    def reload_schema(self, database: int, objects: Any) -> None:
        self.log.append(("reload", database, objects))

    def set_cookie(self, database: int, field: int, value: int) -> None:
        self.log.append(("cookie", database, field, value))

    def row_changed(self, operation: str, schema_index: int, table_name: str, rowid: int) -> None:
        self.log.append((operation, schema_index, table_name, rowid))

    def row_changing(self, *change: Any) -> None:
        self.log.append(("changing", *change))


def rows_of(builder: ProgramBuilder, host: FakeHost | None = None, parameters: Any = (), kind: str = "select") -> list[Any]:
    """Finishes, verifies and runs a program."""
    program = builder.finish((), kind)
    assert verify(program) == []
    return list(run(program, host or FakeHost(), parameters))  # type: ignore[arg-type]
