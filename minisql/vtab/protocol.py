"""The virtual-table protocol: what a module written in Python offers, and what it is told when a query is planned.

A `Module` makes tables, a `VirtualTable` plans and changes, a `Cursor` reads.  The methods follow those of SQLite's
sqlite3_module, under the names that APSW made usual, in lower case with underscores.  Every method but `connect` and `open`
has a default, and what a table cannot do it leaves out: a table without `update_insert_row` is read-only.

A cursor is read in one of two ways.  `scan`, where there is one, returns an iterator over tuples of just the wanted
columns: a generator runs at Python's full speed.  Otherwise the engine calls `filter`, `eof`, `column`, `rowid` and `next`.

Source: https://www.sqlite.org/vtab.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minisql.planner.index_info import (
    EQ,
    FIRST_FUNCTION,
    GE,
    GLOB,
    GT,
    IS,
    IS_NOT,
    IS_NOT_NULL,
    IS_NULL,
    LE,
    LIKE,
    LIMIT,
    LT,
    MATCH,
    NE,
    OFFSET,
    REGEXP,
    ROWID,
    UNKNOWN,
    Constraint,
    IndexInfo,
)  # fmt: skip

__all__ = [
    "DIRECT_ONLY", "EQ", "FIRST_FUNCTION", "GE", "GLOB", "GT", "INNOCUOUS", "IS", "IS_NOT", "IS_NOT_NULL", "IS_NULL", "LE",
    "LIKE", "LIMIT", "LT", "MATCH", "NE", "NORMAL_RISK", "NO_CHANGE", "OFFSET", "REGEXP", "ROWID", "UNKNOWN", "Constraint",
    "Cursor", "IndexInfo", "Module", "Value", "VirtualTable", "step_by_step",
]  # fmt: skip

Value = None | int | float | str | bytes


class _NoChange:
    """The type of NO_CHANGE."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_CHANGE"


NO_CHANGE = _NoChange()
"""Stands in `update_change_row` for a column that the UPDATE does not assign, where the module asks for it."""


INNOCUOUS, NORMAL_RISK, DIRECT_ONLY = 0, 1, 2


class Cursor:
    """A position in a virtual table.  A subclass has either

    - `scan(index_number, index_string, arguments, columns)`, which returns an iterable of tuples with the values of `columns`
      (column numbers, or ROWID) in that order, or
    - all of `filter`, `next`, `eof`, `column` and `rowid`.
    """

    def filter(self, index_number: int, index_string: str | None, arguments: Sequence[Any]) -> None:
        """Moves to the first row that `best_index` has promised for these arguments."""
        raise NotImplementedError

    def next(self) -> None:
        """Moves to the next row."""
        raise NotImplementedError

    def eof(self) -> bool:
        """Tells whether there is no row left."""
        raise NotImplementedError

    def column(self, number: int) -> Value:
        """Returns a column of the current row."""
        raise NotImplementedError

    def rowid(self) -> int:
        """Returns the rowid of the current row."""
        raise NotImplementedError

    def close(self) -> None:
        """Frees what the cursor holds; called once."""


class VirtualTable:
    """A table of a module, as one connection sees it.

    Optional methods, found by their names:

    - `update_insert_row(rowid, values) -> rowid`, `update_delete_row(rowid)`, `update_change_row(rowid, new_rowid, values)`
    - `begin()`, `sync()`, `commit()`, `rollback()`, `savepoint(level)`, `release(level)`, `rollback_to(level)`
    - `rename(new_name)`; `destroy()` when the table is dropped (else `disconnect()`)
    - `find_function(name, n_arguments)`: None, a callable that replaces the function where its first argument is a column of
      this table, or a pair of an operator (from FIRST_FUNCTION) and a callable
    - `integrity(schema, name, is_quick)`: None or a text for PRAGMA integrity_check

    `wants_no_change`: `update_change_row` gets NO_CHANGE for columns that the UPDATE does not assign.
    """

    wants_no_change: bool = False

    def best_index(self, info: IndexInfo) -> bool | None:
        """Plans one scan; False means that there is none with these usable constraints (SQLITE_CONSTRAINT)."""
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        raise NotImplementedError

    def disconnect(self) -> None:
        """The connection closes or forgets the table."""


class Module:
    """Makes virtual tables.  `connect` returns the CREATE TABLE text that declares the columns, and the table.

    `is_eponymous`: the module's name can be used as a table without CREATE VIRTUAL TABLE; with `is_eponymous_only` it cannot
    be created at all.  `risk` says who may use the tables: NORMAL_RISK forbids them to views and triggers of a schema that is
    not trusted, DIRECT_ONLY to all views and triggers, INNOCUOUS to none.  `owner` is the connection that the module was
    registered with; built-in modules get a `VtabHost`.
    """

    is_eponymous: bool = False
    is_eponymous_only: bool = False
    risk: int = NORMAL_RISK

    def connect(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Connects to a table that exists (or to the eponymous one)."""
        raise NotImplementedError

    def create(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Creates a table with whatever it stores; by default there is nothing to store."""
        return self.connect(owner, module_name, schema_name, table_name, arguments)

    def is_shadow_name(self, suffix: str) -> bool:
        """Tells whether TABLE_suffix is a table that the module stores its data in."""
        return False


def step_by_step(
    cursor: Any, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
) -> Iterator[tuple[Value, ...]]:
    """`scan` for a cursor that has only filter, eof, column, rowid and next."""
    cursor.filter(index_number, index_string, arguments)
    eof, column, rowid, advance = cursor.eof, cursor.column, cursor.rowid, cursor.next
    while not eof():
        yield tuple([rowid() if number == ROWID else column(number) for number in columns])
        advance()
