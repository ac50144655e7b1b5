"""An open blob handle is a statement in progress: what COMMIT, SAVEPOINT, VACUUM and other connections say then."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import minisql

SCRIPTS = (
    ("BEGIN", "INSERT INTO t VALUES (NULL, 1)", "reopen", "COMMIT", "SAVEPOINT s", "ROLLBACK", "read", "close", "COMMIT", "reopen", "read"),
    ("reopen", "INSERT INTO t VALUES (NULL, 1)", "other reads", "BEGIN", "COMMIT", "VACUUM", "close", "COMMIT", "other reads"),
    ("reopen", "BEGIN IMMEDIATE", "COMMIT", "write", "COMMIT", "close", "COMMIT", "other reads"),
    ("reopen", "write", "other reads", "other writes", "close", "other reads", "other writes"),
    ("reopen", "VACUUM", "close", "VACUUM", "reopen", "connection"),
)


def _run(module: ModuleType, path: str, script: tuple[str, ...], is_readonly: bool) -> list[Any]:
    connection = module.connect(path, isolation_level=None, timeout=0)
    connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
    connection.execute("INSERT INTO t VALUES (1, zeroblob(10))")
    other = module.connect(path, isolation_level=None, timeout=0)
    blob: Any = None
    answers: list[Any] = []

    def act(step: str) -> Any:
        nonlocal blob
        if step == "reopen":
            blob = connection.blobopen("t", "b", 1, readonly=is_readonly)
            return None
        actions: dict[str, Callable[[], Any]] = {
            "read": lambda: blob.read(3),
            "write": lambda: blob.write(b"x"),
            "close": lambda: blob.close(),
            "connection": lambda: connection.close(),
            "other reads": lambda: other.execute("SELECT count(*), max(hex(b)) FROM t").fetchall(),
            "other writes": lambda: other.execute("INSERT INTO t VALUES (NULL, 2)").fetchall(),
        }
        return actions[step]() if step in actions else connection.execute(step).fetchall()

    for step in script:
        try:
            answers.append((step, act(step)))
        except (module.Error, sqlite3.Error) as error:
            answers.append((step, type(error).__name__, str(error)))
    if script[-1] != "connection":
        answers.append(connection.in_transaction)
        connection.close()
    other.close()
    return answers


@pytest.mark.parametrize("is_readonly", [False, True])
@pytest.mark.parametrize("script", SCRIPTS)
def test_handles_block_what_they_block_in_sqlite(tmp_path, script: tuple[str, ...], is_readonly: bool) -> None:
    theirs = _run(sqlite3, str(tmp_path / "theirs"), script, is_readonly)
    assert _run(minisql, str(tmp_path / "ours"), script, is_readonly) == theirs


def test_a_handle_that_is_dropped_ends_its_statement(tmp_path) -> None:
    path = str(tmp_path / "t.db")
    connection = minisql.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
    connection.execute("INSERT INTO t VALUES (1, zeroblob(10))")
    blob = connection.blobopen("t", "b", 1)
    blob.write(b"abc")
    del blob
    other = sqlite3.connect(path, isolation_level=None, timeout=0)
    assert other.execute("SELECT substr(b, 1, 3) FROM t").fetchone() == (b"abc",)
    other.execute("INSERT INTO t VALUES (2, 0)")
    other.close()
    connection.close()
