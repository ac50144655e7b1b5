"""executemany in autocommit mode: rows in memory share transactions, and whatever fails leaves what single runs would leave."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import minisql

ROWS = [(n, n * 3, f"Text {n % 7}") for n in range(3000)]
CONFLICT = [*ROWS[:2500], (2500, 3, "again"), *ROWS[2501:]]


def _raising() -> Iterator[tuple[int, int, str]]:
    yield 1, 1, "a"
    yield 2, 2, "b"
    raise ValueError("x")


def _outcome(module: Any, sql: str, make_rows: Callable[[], Iterable[Any]]) -> list[Any]:
    connection = module.connect(":memory:", isolation_level=None)
    connection.executescript("CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c TEXT); CREATE INDEX t_c ON t(c)")
    connection.execute("INSERT INTO t VALUES (7777, 7777, 'first')")
    seen: list[Any] = []
    try:
        seen.append(connection.executemany(sql, make_rows()).rowcount)
    except (module.Error, ValueError, OverflowError) as error:
        seen.append(str(error))
    seen.append((connection.total_changes, connection.in_transaction))
    seen += connection.execute("SELECT changes(), count(*), sum(b), last_insert_rowid() FROM t").fetchall()
    return seen + connection.execute("PRAGMA integrity_check").fetchall()


@pytest.mark.parametrize(
    ("sql", "make_rows"),
    [
        ("INSERT INTO t VALUES (?, ?, ?)", lambda: ROWS),
        ("INSERT INTO t VALUES (?, ?, ?)", lambda: CONFLICT),
        ("INSERT INTO t VALUES (?, ?, ?)", lambda: iter(CONFLICT)),
        ("INSERT INTO t VALUES (?, ?, ?)", _raising),
        ("INSERT INTO t VALUES (?, ?, ?)", lambda: [*ROWS[:1200], (5000, 2**70, "large")]),
        ("INSERT OR IGNORE INTO t VALUES (?, ?, ?)", lambda: CONFLICT),
        ("INSERT OR REPLACE INTO t VALUES (?, ?, ?)", lambda: CONFLICT),
        ("UPDATE t SET b = ? WHERE a = ? OR c = ?", lambda: [(n, 7777, "none") for n in range(200)]),
    ],
)
def test_outcome_is_that_of_single_runs(sql: str, make_rows: Callable[[], Iterable[Any]]) -> None:
    assert _outcome(minisql, sql, make_rows) == _outcome(sqlite3, sql, make_rows)
