"""The table-valued functions that need the engine itself: every PRAGMA with a result (`pragma_table_info('t')`), and dbstat.

Source: https://www.sqlite.org/pragma.html#pragfunc, https://www.sqlite.org/dbstat.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from minisql.engine import dbstat
from minisql.engine.pragma_table import PRAGMAS, PragmaEntry, QuotedValue
from minisql.errors import ERROR, sqlite_error
from minisql.values.cast import to_text
from minisql.vtab.protocol import DIRECT_ONLY, EQ, Cursor, IndexInfo, Module, VirtualTable
from minisql.vtab.table_function import TableFunction

if TYPE_CHECKING:
    from minisql.engine.virtual_host import SessionHost

_PREFIX = "pragma_"
ENGINE_MODULES = ("dbstat",)


_PRAGMA_ARGUMENTS = {
    **dict.fromkeys(
        (
            "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
            "quick_check", "table_info", "table_xinfo",
        ),
        ("arg", "schema"),
    ),
    **dict.fromkeys(("optimize", "table_list"), ("arg",)),
    **dict.fromkeys(
        (
            "auto_vacuum", "cache_size", "cache_spill", "journal_mode", "journal_size_limit", "locking_mode", "max_page_count",
            "page_count", "page_size", "synchronous",
        ),
        ("schema",),
    ),
}  # fmt: skip
"""The hidden columns of those that have any."""


_ACTION_PRAGMA = 19


def engine_module(name: str) -> Module | None:
    """The module of a lower-case name, or None."""
    if name.startswith(_PREFIX):
        entry = PRAGMAS.get(name[len(_PREFIX) :])
        if entry is not None and entry.is_function:
            arguments = _PRAGMA_ARGUMENTS.get(entry.name, ())
            return TableFunction(entry.columns, arguments, partial(_pragma_rows, entry, arguments))
    return DbstatModule() if name == "dbstat" else None


def _pragma_rows(
    entry: PragmaEntry, names: tuple[str, ...], host: SessionHost, arguments: list[Any], n_given: int
) -> Iterable[tuple[Any, ...]]:
    session = host.session
    given = dict(zip(names, arguments))
    value, schema = given.get("arg"), given.get("schema")
    # What the table does is to run the PRAGMA.
    shown = [None if item is None else to_text(item) for item in (value, schema)]
    if not session.allows(_ACTION_PRAGMA, entry.name, *shown):
        return ()
    database = None
    if schema is not None:
        database = session.catalog.schema_position(to_text(schema))
        if database < 0:
            raise sqlite_error(ERROR, f"unknown database '{to_text(schema)}'")
    return entry.serve(session, database, None if value is None else QuotedValue(to_text(value)))


class DbstatModule(Module):
    """The table of all pages."""

    is_eponymous = True
    risk = DIRECT_ONLY

    def connect(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Declares the columns; a created table is about its own schema unless told otherwise."""
        visible = ", ".join(dbstat.COLUMNS)
        schema = arguments[0].strip("'\"[]`") if arguments else schema_name
        return f"CREATE TABLE x({visible}, schema TEXT HIDDEN, aggregate BOOLEAN HIDDEN)", DbstatTable(owner, schema)


class DbstatTable(VirtualTable):
    """dbstat of one schema, unless a query names another."""

    def __init__(self, host: SessionHost, schema: str) -> None:
        self.host = host
        self.schema = schema

    def best_index(self, info: IndexInfo) -> bool | None:
        """Uses equalities with name (bit 2) and with the hidden columns schema (1) and aggregate (4)."""
        info.shows_hex = True
        bits = {len(dbstat.COLUMNS): 1, 0: 2, len(dbstat.COLUMNS) + 1: 4}
        used = {}
        for constraint in info.constraints:
            bit = bits.get(constraint.column)
            if constraint.operator != EQ or bit is None or bit in used:
                continue
            if not constraint.is_usable:
                return False
            used[bit] = constraint
        for number, bit in enumerate(sorted(used), 1):
            used[bit].argument = number
            used[bit].omit = bit != 2
            info.index_number |= bit
        info.estimated_cost, info.estimated_rows = (10.0, 10) if 2 in used else (1.0, 100)
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return DbstatCursor(self)


class DbstatCursor(Cursor):
    """One walk over the pages."""

    def __init__(self, table: DbstatTable) -> None:
        self.table = table

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Any, ...]]:
        """The rows; the engine checks the name."""
        values = iter(arguments)
        schema = next(values) if index_number & 1 else None
        if index_number & 2:
            next(values)
        aggregate = next(values) if index_number & 4 else None
        session = self.table.host.session
        rows = dbstat.dbstat_rows(session, self.table.schema if schema is None else schema, aggregate)
        for rowid, row in enumerate(rows, 1):
            whole = (*row, self.table.schema if schema is None else schema, aggregate, rowid)
            yield tuple([whole[number] for number in columns])
