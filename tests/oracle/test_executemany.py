"""executemany over lists, which may be inserted at once, against SQLite's sqlite3 and against iterators, which may not."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

import pytest

import minisql

SCHEMA = """
CREATE TABLE t(n INTEGER PRIMARY KEY, a UNIQUE, b TEXT COLLATE NOCASE, c REAL NOT NULL DEFAULT 1, d DEFAULT 'given');
CREATE INDEX i ON t(b DESC, c);
CREATE TABLE plain(x, y INTEGER);
"""
STATEMENTS = [
    "INSERT INTO t(n, a, b, c) VALUES (?, ?, ?, ?)",
    "INSERT INTO t(c, b, a, n) VALUES (?4, ?3, ?2, ?1)",
    "INSERT OR IGNORE INTO t(n, a, b, c) VALUES (?, ?, ?, ?)",
    "INSERT OR REPLACE INTO t(n, a, b, c) VALUES (?, ?, ?, ?)",
    "INSERT INTO plain(y, x) VALUES (?2, ?1 || ?3 || ?4)",
]


def _rows(r: random.Random, fault: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for number in range(r.randrange(1, 60)):
        n: Any = number * 7 % 61 + r.choice([0, 100])
        a: Any = r.choice([None, number + 0.5, f"a{number}", number])
        b: Any = r.choice([None, number, f"Text {number % 5}", 2.5])
        c: Any = number / 2
        if fault == "rowid" and r.random() < 0.1:
            n = r.choice([None, f"{number + 500}", "no number"])
        if fault == "null" and r.random() < 0.1:
            c = None
        if fault == "unique" and r.random() < 0.2:
            a = r.randrange(5)
        if fault == "class" and r.random() < 0.05:
            a = object()
        rows.append((n, a, b, c))
    return rows


def _run(module: Any, sql: str, parts: list[list[tuple[Any, ...]]], lazily: bool) -> list[Any]:
    connection = module.connect(":memory:")
    connection.executescript(SCHEMA)
    cursor = connection.cursor()
    seen: list[Any] = []
    for rows in parts:
        try:
            cursor.executemany(sql, iter(rows) if lazily else rows)
            seen.append(cursor.rowcount)
        except Exception as error:  # The class and the text are compared.
            seen.append(f"{type(error).__name__}: {error}")
        seen.append(connection.execute("SELECT changes(), total_changes(), last_insert_rowid()").fetchall())
        seen.append(connection.execute("SELECT n, a, b, c, d, typeof(b), typeof(c) FROM t ORDER BY n").fetchall())
        seen.append(connection.execute("SELECT n FROM t ORDER BY b DESC, c, n").fetchall())
        seen.append(connection.execute("SELECT x, y, typeof(y) FROM plain ORDER BY rowid").fetchall())
    seen.append(connection.execute("PRAGMA integrity_check").fetchall())
    connection.close()
    return seen


@pytest.mark.parametrize("fault", ["", "rowid", "null", "unique", "class"])
@pytest.mark.parametrize("number", range(len(STATEMENTS)))
def test_lists_go_in_as_rows_do(number: int, fault: str) -> None:
    r = random.Random(f"{number} {fault}")
    for _ in range(6):
        parts = [_rows(r, fault) for _ in range(3)]
        expected = _run(sqlite3, STATEMENTS[number], parts, False)
        found = _run(minisql, STATEMENTS[number], parts, False)
        assert found == _run(minisql, STATEMENTS[number], parts, True)
        assert [str(item).replace("sqlite3.", "minisql.") for item in found] == [str(item) for item in expected]


def test_adapters_run_between_the_rows() -> None:
    """An object that changes the database while it is bound does so before its own row and behind the one before."""
    answers = []
    for module in (sqlite3, minisql):
        connection = module.connect(":memory:", isolation_level=None)
        connection.execute("create table t(a, b)")

        class Writes:
            def __init__(self, target: Any) -> None:
                self.target = target

            def __conform__(self, protocol: Any) -> int:
                self.target.execute("insert into t values('conformed', 0)")
                return 5

        connection.execute("begin")
        connection.executemany("insert into t values(?, ?)", [(Writes(connection), 1)] * 5)
        answers.append(connection.execute("select a from t").fetchall())
        connection.close()
    assert answers[0] == answers[1]
