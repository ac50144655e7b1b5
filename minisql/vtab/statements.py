"""sqlite_stmt: the prepared statements of the connection, the newest first.

The counters of full scans, sorts, automatic indexes, steps, recompilations and runs are not kept here and are NULL; `mem` is
what the program's instructions and registers take.

Source: https://www.sqlite.org/stmt.html.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minisql.vtab.protocol import Module, Value
from minisql.vtab.table_function import TableFunction

_COLUMNS = ("sql", "ncol", "ro", "busy", "nscan", "nsort", "naidx", "nstep", "reprep", "run", "mem")


def make_module(name: str) -> Module:
    """The module sqlite_stmt."""
    return TableFunction(_COLUMNS, (), _rows)


def _rows(host: Any, arguments: list[Any], n_given: int) -> Iterable[tuple[Value, ...]]:
    for sql, n_columns, is_readonly, is_running, n_bytes in host.statements():
        yield (sql, n_columns, int(is_readonly), int(is_running), *(None,) * 6, n_bytes)
