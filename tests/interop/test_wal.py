"""WAL mode shared with SQLite: snapshots, locks, recovery, checkpoints, side files; and two writers at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from minisql.errors import BUSY, BUSY_SNAPSHOT, Error
from minisql.storage.btree import BtreeFile
from minisql.storage.wal_checksum import wal_checksum
from minisql.values.shape import RowShape

SHAPE = RowShape(2, 0)


def wal_database(path: str, n_rows: int = 3) -> apsw.Connection:
    """A WAL database with a small log, held open by SQLite."""
    connection = apsw.Connection(path)
    connection.execute("pragma journal_mode=wal").fetchall()
    connection.execute("create table t(a integer primary key, b)")
    for i in range(n_rows):
        connection.execute("insert into t values(?, ?)", (i, f"row {i}"))
    return connection


def rows_here(file: BtreeFile) -> list[int]:
    """The rowids, read in a transaction of its own."""
    file.begin_read()
    try:
        return [rowid for rowids, _, _ in file.table_cursor(2, SHAPE).leaves() for rowid in rowids]
    finally:
        file.end_read()


def insert_here(file: BtreeFile, rowids: range) -> None:
    """Inserts rows in one transaction."""
    file.begin_read()
    file.begin_write()
    cursor = file.table_cursor(2, SHAPE)
    for rowid in rowids:
        cursor.insert(rowid, (rowid, "x" * 100))
    file.commit()
    file.end_read()


def rows_there(connection: apsw.Connection) -> list[int]:
    """The rowids, through SQLite, after its integrity check."""
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    return [row[0] for row in connection.execute("select a from t order by a")]


def side_files(path: str) -> list[str]:
    """The endings of the files beside the database."""
    return sorted(name[len(Path(path).name) :] for name in os.listdir(Path(path).parent) if name != Path(path).name)


def test_commits_are_seen_both_ways(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    connection = wal_database(path)
    file = BtreeFile.open(path)
    assert rows_here(file) == [0, 1, 2]
    assert file.journal_mode == "wal"
    version = file.data_version
    connection.execute("insert into t values(3, 'three')")
    assert rows_here(file) == [0, 1, 2, 3]
    assert file.data_version != version
    insert_here(file, range(4, 300))
    assert rows_there(connection) == list(range(300))
    connection.execute("delete from t where a >= 10")
    assert rows_here(file) == list(range(10))


def test_a_reader_keeps_its_snapshot(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    connection = wal_database(path)
    file = BtreeFile.open(path, cache_size=10)
    file.begin_read()
    connection.execute("insert into t values(3, 'three')")
    assert connection.execute("pragma wal_checkpoint(restart)").fetchall()[0][0] == 1
    assert [rowid for rowids, _, _ in file.table_cursor(2, SHAPE).leaves() for rowid in rowids] == [0, 1, 2]
    with pytest.raises(Error) as raised:
        file.begin_read()
        file.begin_write()
    assert raised.value.sqlite_errorcode == BUSY_SNAPSHOT
    file.end_read()
    file.end_read()
    assert connection.execute("pragma wal_checkpoint(restart)").fetchall()[0][0] == 0
    assert rows_here(file) == [0, 1, 2, 3]


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    connection = wal_database(path)
    file = BtreeFile.open(path)
    file.begin_read()
    file.begin_write()
    with pytest.raises(apsw.BusyError):
        connection.execute("insert into t values(9, 9)")
    assert rows_there(connection) == [0, 1, 2]
    file.rollback()
    file.end_read()
    connection.execute("begin immediate; insert into t values(9, 9)")
    file.begin_read()
    with pytest.raises(Error) as raised:
        file.begin_write()
    assert raised.value.sqlite_errorcode == BUSY
    file.end_read()
    connection.execute("commit")
    insert_here(file, range(20, 22))
    assert rows_there(connection) == [0, 1, 2, 9, 20, 21]


def test_checkpoints_both_ways(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    connection = wal_database(path)
    file = BtreeFile.open(path)
    insert_here(file, range(10, 2000))
    busy, n_frames, n_copied = file.checkpoint("full")
    assert (busy, n_frames) == (0, n_copied)
    assert connection.execute("pragma wal_checkpoint").fetchall() == [(0, n_frames, n_frames)]
    assert file.checkpoint("truncate") == (0, 0, 0)
    assert os.path.getsize(path + "-wal") == 0
    insert_here(file, range(3000, 3010))
    assert rows_there(connection) == [0, 1, 2, *range(10, 2000), *range(3000, 3010)]
    assert connection.execute("pragma wal_checkpoint(truncate)").fetchall() == [(0, 0, 0)]
    assert rows_here(file) == rows_there(connection)


@pytest.mark.parametrize("cache_size", [10, -2000])
def test_rollback_after_spilling_to_the_log(tmp_path: Path, cache_size: int) -> None:
    path = str(tmp_path / "w.db")
    connection = wal_database(path)
    file = BtreeFile.open(path, cache_size=cache_size)
    for _ in range(2):
        file.begin_read()
        file.begin_write()
        cursor = file.table_cursor(2, SHAPE)
        for rowid in range(10, 900):
            cursor.insert(rowid, (rowid, "y" * 200))
        depth = file.open_savepoint()
        for rowid in range(900, 1500):
            cursor.insert(rowid, (rowid, "z" * 200))
        file.rollback_to_savepoint(depth)
        assert cursor.count() == 893
        file.rollback()
        file.end_read()
        assert rows_there(connection) == [0, 1, 2] == rows_here(file)
    insert_here(file, range(10, 900))
    assert rows_there(connection) == [0, 1, 2, *range(10, 900)]


def copy_crashed(path: str, copy: str) -> None:
    """Copies database and log, as if the machine had stopped: the index is lost."""
    for ending in ("", "-wal"):
        shutil.copy(path + ending, copy + ending)


def test_recovery_both_ways(tmp_path: Path) -> None:
    path, copy = str(tmp_path / "w.db"), str(tmp_path / "copy.db")
    connection = wal_database(path)
    copy_crashed(path, copy)
    file = BtreeFile.open(copy)
    assert rows_here(file) == [0, 1, 2]
    insert_here(file, range(10, 20))
    other = str(tmp_path / "other.db")
    copy_crashed(copy, other)
    recovered = apsw.Connection(other)
    assert rows_there(recovered) == [0, 1, 2, *range(10, 20)]
    recovered.close()
    with open(copy + "-wal", "r+b") as log:  # a torn last frame: the last transaction never happened
        log.truncate(os.path.getsize(copy + "-wal") - 100)
    torn = str(tmp_path / "torn.db")
    copy_crashed(copy, torn)
    assert rows_here(BtreeFile.open(torn)) == [0, 1, 2]
    connection.close()


def test_side_files(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    wal_database(path).close()
    assert side_files(path) == []
    file = BtreeFile.open(path)
    assert rows_here(file) == [0, 1, 2]
    file.close()
    assert side_files(path) == []
    file = BtreeFile.open(path)
    insert_here(file, range(5, 6))
    assert side_files(path) == ["-shm", "-wal"]
    file.close()
    assert side_files(path) == []
    connection = apsw.Connection(path)
    assert rows_there(connection) == [0, 1, 2, 5]
    file = BtreeFile.open(path)
    insert_here(file, range(6, 7))
    file.close()
    assert side_files(path) == ["-shm", "-wal"]
    assert rows_there(connection) == [0, 1, 2, 5, 6]


def test_reading_a_log_changes_nothing(tmp_path: Path) -> None:
    path, copy = str(tmp_path / "w.db"), str(tmp_path / "sub" / "copy.db")
    connection = wal_database(path)
    (tmp_path / "sub").mkdir()
    copy_crashed(path, copy)
    before = [Path(copy + ending).read_bytes() for ending in ("", "-wal")]
    file = BtreeFile.open(copy)
    assert rows_here(file) == [0, 1, 2]
    file.close()
    assert [Path(copy + ending).read_bytes() for ending in ("", "-wal")] == before
    assert side_files(copy) == ["-wal"]
    connection.close()


def test_changing_the_journal_mode(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    connection = wal_database(path)
    file = BtreeFile.open(path)
    with pytest.raises(Error, match="database is locked"):
        file.set_journal_mode("delete")
    assert rows_here(file) == [0, 1, 2]
    connection.close()
    assert file.set_journal_mode("delete") == "delete"
    assert side_files(path) == []
    assert Path(path).read_bytes()[18:20] == b"\x01\x01"
    insert_here(file, range(5, 8))
    assert file.set_journal_mode("wal") == "wal"
    insert_here(file, range(8, 10))
    connection = apsw.Connection(path)
    assert connection.execute("pragma journal_mode").fetchall() == [("wal",)]
    assert rows_there(connection) == [0, 1, 2, 5, 6, 7, 8, 9]


def test_checksum_equals_the_plain_loop() -> None:
    data = os.urandom(4096 + 24)
    for size in (8, 24, 4096, 4120, 1032):
        for is_big in (False, True):
            s0, s1 = 7, 11
            order = "big" if is_big else "little"
            words = [int.from_bytes(data[i : i + 4], order) for i in range(0, size, 4)]  # type: ignore[arg-type]
            for a, b in zip(words[::2], words[1::2], strict=True):
                s0 = (s0 + a + s1) & 0xFFFFFFFF
                s1 = (s1 + b + s0) & 0xFFFFFFFF
            assert wal_checksum(data[:size], 7, 11, is_big) == (s0, s1)


WRITER = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(20000)
for i in range(int(sys.argv[2])):
    connection.execute("begin immediate; update t set b = b + 1 where a = 1; insert into t values(null, zeroblob(300)); commit")
    if i % 17 == 0:
        connection.execute("pragma wal_checkpoint(passive)").fetchall()
connection.close()
"""


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_two_writers_lose_nothing(tmp_path: Path, mode: str) -> None:
    path = str(tmp_path / "w.db")
    connection = apsw.Connection(path)
    connection.execute(f"pragma journal_mode={mode}").fetchall()
    connection.execute("create table t(a integer primary key, b); insert into t values(1, 0)")
    connection.close()
    n = 60
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    child = subprocess.Popen([sys.executable, "-c", WRITER, path, str(n)], env=environment)
    file = BtreeFile.open(path)
    file.pager.auto_checkpoint = 20
    deadline = time.monotonic() + 30
    file.set_busy_handler(lambda n_calls: (time.sleep(0.002), time.monotonic() < deadline)[1])
    done = 0
    while done < n and time.monotonic() < deadline:
        try:
            file.begin_read()
        except Error:
            continue
        try:
            file.begin_write()
            cursor = file.table_cursor(2, SHAPE)
            row = cursor.seek_rowid(1)
            assert row is not None
            cursor.update((1, row[1] + 1))  # type: ignore[operator]
            last = cursor.last_rowid()
            assert last is not None
            cursor.insert(last + 1, (last + 1, b"here" * 50))
            file.commit()
            done += 1
        except Error:
            file.rollback()
        finally:
            file.end_read()
    assert child.wait(30) == 0
    assert done == n
    connection = apsw.Connection(path)
    assert connection.execute("select b from t where a = 1").fetchall() == [(2 * n,)]
    assert connection.execute("select count(*) from t").fetchall() == [(2 * n + 1,)]
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    file.close()
