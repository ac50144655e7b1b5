"""Commands: INSERT INTO ft(ft, ...) VALUES('optimize', ...).

Source: https://www.sqlite.org/fts5.html section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.affinity import apply_numeric
from minisql.values.cast import to_integer
from minisql.vtab.fts5.configuration import VERSION
from minisql.vtab.fts5.integrity import check_index
from minisql.vtab.shadow_tables import corrupt

if TYPE_CHECKING:
    from minisql.vtab.fts5.table import FtsTable


def run_command(table: FtsTable, command: str, rank: Any, rowid: Any, row: Sequence[Any]) -> None:
    """Runs a command; `rank` is its argument.  Raises SQL logic error for one that does not exist."""
    name = command.lower()
    handler = _COMMANDS.get(name)
    if handler is not None:
        handler(table, rank)
    elif name == "delete":
        _delete(table, rowid, row)
    elif not table.configuration.change(name, rank):
        raise sqlite_error(ERROR, "SQL logic error")
    else:
        _keep_setting(table, name, rank if name == "rank" else apply_numeric(rank))


def _keep_setting(table: FtsTable, name: str, value: Any) -> None:
    settings = table.configuration.table_sql("config")
    table.host.execute(f"REPLACE INTO {settings} VALUES(?, ?)", (name, value))


def _delete(table: FtsTable, rowid: Any, row: Sequence[Any]) -> None:
    """Takes a row out of the index of a table that does not hold the text."""
    configuration = table.configuration
    if configuration.is_deletable:
        raise sqlite_error(ERROR, "'delete' may not be used with a contentless_delete=1 table")
    if configuration.has_own_content and not configuration.is_contentless:
        raise sqlite_error(ERROR, "SQL logic error")
    if isinstance(rowid, int):
        table.forget_document(rowid, row)
        table.content.delete(rowid)


def _delete_all(table: FtsTable, rank: Any) -> None:
    configuration = table.configuration
    if configuration.has_own_content and not configuration.is_contentless:
        raise sqlite_error(ERROR, "'delete-all' may only be used with a contentless or external content fts5 table")
    _empty(table)


def _empty(table: FtsTable) -> None:
    table.index.clear()
    if table.configuration.has_sizes:
        table.host.execute(f"DELETE FROM {table.configuration.table_sql('docsize')}")
    if table.configuration.is_contentless and table.configuration.has_own_content:
        table.host.execute(f"DELETE FROM {table.configuration.table_sql('content')}")
    table.reset_totals()


def _rebuild(table: FtsTable, rank: Any) -> None:
    if table.configuration.is_contentless:
        raise sqlite_error(ERROR, "'rebuild' may not be used with a contentless fts5 table")
    _empty(table)
    table.host.execute(f"REPLACE INTO {table.configuration.table_sql('config')} VALUES('version', {VERSION})")
    table.configuration.version = VERSION
    for rowid, row in table.content.scan(None, None, False):
        columns, sizes = table.document(row)
        table.index.add_document(rowid, columns)
        if table.configuration.has_sizes:
            table.content.put_sizes(rowid, sizes, 0)
        table.change_totals(sizes, 1)
    table.write_out()


def _integrity_check(table: FtsTable, rank: Any) -> None:
    table.write_out()
    with_external = isinstance(rank, int) and rank != 0
    if check_index(table, with_external) is not None:
        raise corrupt()


def _optimize(table: FtsTable, rank: Any) -> None:
    table.write_out()
    table.index.merge_everything()


def _merge(table: FtsTable, rank: Any) -> None:
    number = to_integer(rank) if rank is not None else 0
    table.write_out()
    table.index.merge_some(table.configuration.usermerge, number < 0)


def _flush(table: FtsTable, rank: Any) -> None:
    table.write_out()


_COMMANDS = {
    "delete-all": _delete_all,
    "rebuild": _rebuild,
    "integrity-check": _integrity_check,
    "optimize": _optimize,
    "merge": _merge,
    "flush": _flush,
}
