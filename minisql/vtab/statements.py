"""sqlite_stmt: the prepared statements of the connection, the newest first.

`run` and `reprep` count the runs and recompilations.  The steps, and how many of them were steps of full scans, sorts or
automatic indexes, stay 0: programs run as loops of Python that count nothing, and counting would slow every row.  `mem` is
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
    for sql, n_columns, is_readonly, is_running, n_recompiled, n_runs, n_bytes in host.statements():
        yield (sql, n_columns, int(is_readonly), int(is_running), 0, 0, 0, 0, n_recompiled, n_runs, n_bytes)
