"""Settings of the storage beside SQLite, on real files: what is on the disk afterwards, and what the other engine makes of it."""

from __future__ import annotations

import os
import sqlite3
from types import ModuleType
from typing import Any

import apsw
import pytest

import minisql

ENGINES = (minisql, sqlite3)


def _connect(module: ModuleType, path: str) -> Any:
    return module.connect(f"file:{path}", uri=True, isolation_level=None, timeout=0)


def _sound(path: str) -> bool:
    connection = sqlite3.connect(path)
    try:
        return bool(connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)])
    finally:
        connection.close()


def _both(tmp_path: Any, action: Any) -> list[Any]:
    answers = []
    for module in ENGINES:
        path = str(tmp_path / f"{module.__name__}.db")
        connection = _connect(module, path)
        try:
            answers.append(action(module, connection, path))
        finally:
            connection.close()
        assert _sound(path)
    return answers


def _asked(connection: Any, *statements: str) -> list[Any]:
    answers: list[Any] = []
    for sql in statements:
        try:
            answers.append(connection.execute(sql).fetchall())
        except (minisql.Error, sqlite3.Error) as error:
            answers.append((type(error).__name__, str(error)))
    return answers


def _fill(n_rows: int) -> str:
    return (
        f"INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {n_rows}) "
        "SELECT n, hex(zeroblob(200)) FROM r"
    )


@pytest.mark.parametrize("mode", ["truncate", "persist"])
@pytest.mark.parametrize("limit", [-1, 0, 2000])
def test_journal_size_limit_cuts_what_stays_of_a_journal(tmp_path, mode: str, limit: int) -> None:
    def action(module: ModuleType, connection: Any, path: str) -> Any:
        _asked(connection, "PRAGMA page_size = 512", f"PRAGMA journal_mode = {mode}", f"PRAGMA journal_size_limit = {limit}")
        _asked(connection, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", _fill(50), "UPDATE t SET b = 1")
        size = os.path.getsize(path + "-journal")
        return min(size, 2000), size == 0 or limit >= 0

    ours, theirs = _both(tmp_path, action)
    assert ours == theirs


@pytest.mark.parametrize("limit", [-1, 0, 3000])
def test_journal_size_limit_cuts_a_log_that_is_begun_anew(tmp_path, limit: int) -> None:
    def action(module: ModuleType, connection: Any, path: str) -> Any:
        _asked(connection, "PRAGMA page_size = 512", "PRAGMA journal_mode = wal", f"PRAGMA journal_size_limit = {limit}")
        _asked(connection, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", _fill(50), "PRAGMA wal_checkpoint")
        before = os.path.getsize(path + "-wal")
        _asked(connection, "UPDATE t SET b = 1 WHERE a = 1")
        after = os.path.getsize(path + "-wal")
        return after == before, min(after, 3000)

    ours, theirs = _both(tmp_path, action)
    assert ours == theirs


def test_exclusive_locking_keeps_the_lock_until_it_is_given_up(tmp_path) -> None:
    def action(module: ModuleType, connection: Any, path: str) -> Any:
        answers = _asked(connection, "CREATE TABLE t(a)", "PRAGMA locking_mode = exclusive", "INSERT INTO t VALUES (1)")
        for other_module in ENGINES:
            other = _connect(other_module, path)
            answers.append(_asked(other, "SELECT a FROM t"))
            other.close()
        answers += _asked(connection, "PRAGMA locking_mode = normal", "SELECT a FROM t")
        other = _connect(sqlite3, path)
        answers.append(_asked(other, "INSERT INTO t VALUES (2)", "SELECT a FROM t"))
        other.close()
        return answers

    ours, theirs = _both(tmp_path, action)
    assert ours == theirs


def test_max_page_count_is_a_full_disk(tmp_path) -> None:
    def action(module: ModuleType, connection: Any, path: str) -> Any:
        answers = _asked(connection, "PRAGMA page_size = 512", "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", "PRAGMA max_page_count = 12")
        answers += _asked(connection, _fill(100), "SELECT count(*) FROM t", "PRAGMA page_count", "PRAGMA max_page_count = 1")
        return answers

    ours, theirs = _both(tmp_path, action)
    assert ours == theirs


def test_secure_delete_leaves_no_trace(tmp_path) -> None:
    def action(module: ModuleType, connection: Any, path: str) -> Any:
        _asked(connection, "PRAGMA page_size = 512", "PRAGMA secure_delete = on", "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
        _asked(connection, "INSERT INTO t VALUES (1, 'secret'), (2, 'kept')", "INSERT INTO t VALUES (3, replace(hex(zeroblob(900)), '00', 'secret'))")
        _asked(connection, "DELETE FROM t WHERE a <> 2")
        with open(path, "rb") as file:
            content = file.read()
        return b"secret" in content, b"kept" in content

    ours, theirs = _both(tmp_path, action)
    assert ours == theirs == (False, True)


@pytest.mark.parametrize("mode", ["full", "incremental"])
def test_auto_vacuum_gives_pages_back(tmp_path, mode: str) -> None:
    def action(module: ModuleType, connection: Any, path: str) -> Any:
        _asked(connection, "PRAGMA page_size = 512", f"PRAGMA auto_vacuum = {mode}", "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", _fill(100))
        answers = _asked(connection, "DELETE FROM t WHERE a > 5")
        if mode == "incremental":
            before = connection.execute("PRAGMA freelist_count").fetchone()[0]
            # The standard library's module steps this pragma once only; apsw steps it to its end.
            stepper = apsw.Connection(path) if module is sqlite3 else connection
            list(stepper.execute("PRAGMA incremental_vacuum(3)"))
            answers.append(before - connection.execute("PRAGMA freelist_count").fetchone()[0])
            list(stepper.execute("PRAGMA incremental_vacuum"))
        answers += _asked(connection, "PRAGMA freelist_count", "SELECT count(*), sum(length(b)) FROM t")
        return answers, os.path.getsize(path) == 512 * connection.execute("PRAGMA page_count").fetchone()[0] < 6000

    ours, theirs = _both(tmp_path, action)
    assert ours == theirs
    assert ours[1]


@pytest.mark.parametrize(("page_size", "reserve"), [(1024, "8"), (1024, "255"), (1024, "256"), (1024, "x"), (512, "32"), (512, "33")])
def test_vacuum_into_reserves_bytes(tmp_path, page_size: int, reserve: str) -> None:
    def action(module: ModuleType, connection: Any, path: str) -> Any:
        copy = path + ".copy"
        _asked(connection, f"PRAGMA page_size = {page_size}", "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", _fill(30))
        answers = _asked(connection, f"VACUUM INTO 'file:{copy}?reserve={reserve}'")
        assert _sound(copy)
        other = _connect(module, copy)
        other.execute("VACUUM")
        answers += _asked(other, "SELECT count(*), sum(length(b)) FROM t", "PRAGMA page_size")
        other.close()
        assert _sound(copy)
        with open(copy, "rb") as file:
            head = file.read(100)
        return answers, head[16:18], head[20]

    ours, theirs = _both(tmp_path, action)
    if theirs[2] or reserve in ("256", "x"):  # an older SQLite does not know the parameter
        assert ours == theirs
    assert ours[2] == (int(reserve) if reserve.isdigit() and int(reserve) <= 255 else 0)


def test_a_log_on_a_read_only_database_is_read(tmp_path) -> None:
    path = str(tmp_path / "t.db")
    writer = sqlite3.connect(path, isolation_level=None)
    _asked(writer, "PRAGMA journal_mode = wal", "CREATE TABLE t(a)", "INSERT INTO t VALUES (1)")
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if not name.endswith("-shm")}
    for module in ENGINES:
        reader = module.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        assert _asked(reader, "SELECT a FROM t")[0] == [(1,)]
        assert _asked(reader, "INSERT INTO t VALUES (2)")[0] == ("OperationalError", "attempt to write a readonly database")
        reader.close()
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    writer.close()


def test_a_log_that_another_recovers_is_busy(tmp_path) -> None:
    path = str(tmp_path / "t.db")
    writer = minisql.connect(path, isolation_level=None)
    _asked(writer, "PRAGMA journal_mode = wal", "CREATE TABLE t(a)", "INSERT INTO t VALUES (1)")
    for ending in ("", "-wal"):
        (tmp_path / f"copy.db{ending}").write_bytes((tmp_path / f"t.db{ending}").read_bytes())
    writer.close()
    reader = minisql.connect(str(tmp_path / "copy.db"), isolation_level=None, timeout=0)
    reader.execute("SELECT 1 FROM t")
    index = reader._open_session().btrees[0].pager.wal.index
    words = index.region(0)
    other = minisql.connect(str(tmp_path / "copy.db"), isolation_level=None, timeout=0)
    # The first connection stands for one that is in the middle of a recovery.
    assert index.lock(0, 3, True)
    words[0:12] = memoryview(bytes(48)).cast("I")
    with pytest.raises(minisql.OperationalError) as caught:
        other.execute("SELECT a FROM t").fetchall()
    assert caught.value.sqlite_errorname in ("SQLITE_BUSY_RECOVERY", "SQLITE_BUSY")
    index.unlock(0, 3)
    assert other.execute("SELECT a FROM t").fetchall() == [(1,)]
    other.close()
    reader.close()


def test_vacuum_fills_pages_as_sqlite_does(tmp_path) -> None:
    def make(module: ModuleType, connection: Any, path: str) -> list[Any]:
        _asked(
            connection,
            "CREATE TABLE narrow(id INTEGER PRIMARY KEY, b BLOB)",
            "CREATE TABLE wide(a, b, c)",
            "CREATE TABLE long(id INTEGER PRIMARY KEY, b BLOB)",
            "CREATE TABLE keyed(a TEXT PRIMARY KEY, b) WITHOUT ROWID",
            "CREATE INDEX narrow_b ON narrow(b, id)",
        )
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO narrow VALUES(?, x'0102')", [(number,) for number in range(3000)])
        rows = [(f"verb{number % 50} noun{number}", f"noun{number}", number / 7) for number in range(2000)]
        connection.executemany("INSERT INTO wide VALUES(?, ?, ?)", rows)
        connection.executemany("INSERT INTO long VALUES(?, ?)", [(number, bytes(4000)) for number in range(40)])
        connection.executemany("INSERT INTO keyed VALUES(?, ?)", [(f"k{number * 7919 % 3000}", number) for number in range(3000)])
        connection.execute("COMMIT")
        connection.execute("DELETE FROM wide WHERE rowid % 3 = 0")
        connection.execute("VACUUM")
        return [os.path.getsize(path), _asked(connection, "PRAGMA page_count", "PRAGMA freelist_count")]

    ours, theirs = _both(tmp_path, make)
    assert ours == theirs
