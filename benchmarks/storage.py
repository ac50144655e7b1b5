"""Storage micro-benchmarks: microseconds a row or a call, beside the standard library's sqlite3 where it can do the same.

Run: python benchmarks/storage.py [name ...].  Each figure is the best of three rounds.  `targets` names those that have a
target: whole statements through both modules, five rounds in turns.
"""

from __future__ import annotations

import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import minisql
from minisql.storage.btree import BtreeFile
from minisql.values.collation import BINARY
from minisql.values.shape import KeyShape, RowShape

N = 50_000
SHAPE = RowShape(5, 0, (), (2,))
ROWS = [(i, f"name{i}", i * 0.5, i * 7919 % 1000, f"city {i % 100}") for i in range(N)]
KEY = KeyShape(2, 2, (BINARY, BINARY), (False, False))


def timed(action: Callable[[], object], n: int) -> float:
    """Microseconds for each of `n` items, CPU time."""
    start = time.process_time()
    action()
    return (time.process_time() - start) * 1e6 / n


def new_file(path: str | None) -> tuple[BtreeFile, int]:
    """A database with one empty table, in a write transaction."""
    file = BtreeFile.open(path)
    file.begin_read()
    file.begin_write()
    file.set_meta(2, 4)
    file.set_meta(5, 1)
    return file, file.create_tree(True)


def insert_all(file: BtreeFile, root: int, rows: list[tuple[object, ...]]) -> None:
    """Inserts rows one by one."""
    insert = file.table_cursor(root, SHAPE).insert
    for row in rows:
        insert(row[0], row)  # type: ignore[arg-type]


def append_memory() -> float:
    """Appends rows in memory."""
    file, root = new_file(None)
    return timed(lambda: insert_all(file, root, ROWS), N)


def append_memory_c() -> float:
    """The same through sqlite3.executemany."""
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t(a integer primary key, b text, c real, d int, e text)")
    return timed(lambda: connection.executemany("insert into t values(?,?,?,?,?)", ROWS), N)


def random_memory() -> float:
    """Inserts rows in random order in memory."""
    file, root = new_file(None)
    rows = ROWS[:]
    random.Random(1).shuffle(rows)
    return timed(lambda: insert_all(file, root, rows), N)


def append_file() -> float:
    """Appends rows to a file and commits."""
    with tempfile.TemporaryDirectory() as directory:
        file, root = new_file(f"{directory}/t.db")

        def run() -> None:
            insert_all(file, root, ROWS)
            file.commit()

        return timed(run, N)


def index_random_memory() -> float:
    """Inserts index entries in random order in memory."""
    file, _ = new_file(None)
    root = file.create_tree(False)
    entries = [(row[4], row[0]) for row in ROWS]
    random.Random(1).shuffle(entries)
    insert = file.index_cursor(root, KEY).insert

    def run() -> None:
        for entry in entries:
            insert(entry)

    return timed(run, N)


def _sample_file(directory: str) -> str:
    path = f"{directory}/t.db"
    connection = sqlite3.connect(path)
    connection.execute("create table t(a integer primary key, b text, c real, d int, e text)")
    connection.executemany("insert into t values(?,?,?,?,?)", ROWS)
    connection.commit()
    connection.close()
    return path


def scan_cold() -> float:
    """Reads all rows of a file that was just opened."""
    with tempfile.TemporaryDirectory() as directory:
        file = BtreeFile.open(_sample_file(directory))

        def run() -> None:
            file.begin_read()
            cursor = file.table_cursor(2, SHAPE)
            row = cursor.first()
            while row is not None:
                row = cursor.next()
            file.end_read()

        return timed(run, N)


def scan_cold_c() -> float:
    """The same in C."""
    with tempfile.TemporaryDirectory() as directory:
        connection = sqlite3.connect(_sample_file(directory))
        return timed(lambda: connection.execute("select * from t").fetchall(), N)


def point_cold() -> float:
    """Looks up 1,000 random rowids in a file that was just opened."""
    with tempfile.TemporaryDirectory() as directory:
        file = BtreeFile.open(_sample_file(directory))
        rowids = random.Random(2).sample(range(N), 1000)

        def run() -> None:
            for rowid in rowids:
                file.begin_read()
                file.table_cursor(2, SHAPE).seek_rowid(rowid)
                file.end_read()

        return timed(run, 1000)


def index_point_cold() -> float:
    """Looks up 1,000 random texts in an index of a file that was just opened."""
    with tempfile.TemporaryDirectory() as directory:
        path = _sample_file(directory)
        connection = sqlite3.connect(path)
        connection.execute("create index i on t(b)")
        root = connection.execute("select rootpage from sqlite_schema where name = 'i'").fetchone()[0]
        connection.close()
        file = BtreeFile.open(path)
        rowids = random.Random(2).sample(range(N), 1000)

        def run() -> None:
            for rowid in rowids:
                file.begin_read()
                assert file.index_cursor(root, KEY).find((f"name{rowid}",)) == (f"name{rowid}", rowid)
                file.end_read()

        return timed(run, 1000)


def point_warm() -> float:
    """Looks up random rowids in memory, as statements do."""
    file, root = new_file(None)
    insert_all(file, root, ROWS)
    file.commit()
    file.end_read()
    rowids = random.Random(2).sample(range(N), 10_000)

    def run() -> None:
        for rowid in rowids:
            file.begin_read()
            file.table_cursor(root, SHAPE).seek_rowid(rowid)
            file.end_read()

    return timed(run, 10_000)


def small_table() -> float:
    """Opens a statement on a table of ten rows in memory, reads them all and closes; per statement."""
    file, root = new_file(None)
    insert_all(file, root, ROWS[:10])
    file.commit()
    file.end_read()

    def run() -> None:
        for _ in range(10_000):
            file.begin_read()
            cursor = file.table_cursor(root, SHAPE)
            row = cursor.first()
            while row is not None:
                row = cursor.next()
            file.end_read()

    return timed(run, 10_000)


def small_write() -> float:
    """One insert a transaction into a small table in memory."""
    file, root = new_file(None)
    file.commit()
    file.end_read()

    def run() -> None:
        for row in ROWS[:20_000]:
            file.begin_read()
            file.begin_write()
            file.table_cursor(root, SHAPE).insert(row[0], row)  # type: ignore[arg-type]
            file.commit()
            file.end_read()

    return timed(run, 20_000)


def update_by_key_file() -> float:
    """One update a transaction in a file without syncs."""
    with tempfile.TemporaryDirectory() as directory:
        file = BtreeFile.open(_sample_file(directory))
        file.pager.synchronous = 0
        rowids = random.Random(2).sample(range(N), 300) * 3

        def run() -> None:
            for rowid in rowids:
                file.begin_read()
                file.begin_write()
                cursor = file.table_cursor(2, SHAPE)
                row = cursor.seek_rowid(rowid)
                assert row is not None
                cursor.update((*row[:3], 5, row[4]))
                file.commit()
                file.end_read()

        return timed(run, len(rowids))


def update_by_key_file_c() -> float:
    """The same in C."""
    with tempfile.TemporaryDirectory() as directory:
        connection = sqlite3.connect(_sample_file(directory), isolation_level=None)
        connection.execute("pragma synchronous=0")
        rowids = random.Random(2).sample(range(N), 300) * 3

        def run() -> None:
            for rowid in rowids:
                connection.execute("update t set d=5 where a=?", (rowid,))

        return timed(run, len(rowids))


Connect = Callable[[str], Any]
CREATE = "create table t(a integer primary key, b text, c real, d int, e text)"
INSERT = "insert into t values(?,?,?,?,?)"
MANY = [(i, f"name{i}", i * 0.5, i * 7919 % 1000, f"city {i % 100}") for i in range(100_000)]


def bulk_load(connect: Connect, path: str) -> float:
    """CPU seconds for 100,000 rows into a new file, one transaction."""
    start = time.process_time()
    connection = connect(path)
    connection.execute(CREATE)
    connection.executemany(INSERT, MANY)
    connection.commit()
    connection.close()
    return time.process_time() - start


def cold_fetch(connect: Connect, path: str) -> float:
    """CPU seconds to open a file of 100,000 rows and fetch them all."""
    bulk_load(sqlite3.connect, path)
    start = time.process_time()
    connection = connect(path)
    rows = connection.execute("select * from t").fetchall()
    connection.close()
    seconds = time.process_time() - start
    assert len(rows) == len(MANY) and rows[-1] == MANY[-1]
    return seconds


def _commit_rows(connect: Connect, path: str, pragmas: str, n_rows: int) -> float:
    connection = connect(path)
    for pragma in pragmas.split(";"):
        connection.execute(pragma).fetchall()
    connection.execute(CREATE)
    connection.commit()
    start = time.perf_counter()
    for row in MANY[:n_rows]:
        connection.execute(INSERT, row)
        connection.commit()
    seconds = time.perf_counter() - start
    connection.close()
    return seconds


def commit_delete_full(connect: Connect, path: str) -> float:
    """Wall seconds for 200 rows with a commit each, journal_mode DELETE, synchronous FULL."""
    return _commit_rows(connect, path, "pragma journal_mode=delete; pragma synchronous=full", 200)


def commit_wal_normal(connect: Connect, path: str) -> float:
    """Wall seconds for 3,000 rows with a commit each, WAL, synchronous NORMAL."""
    return _commit_rows(connect, path, "pragma journal_mode=wal; pragma synchronous=normal", 3000)


def open_and_query(connect: Connect, path: str) -> float:
    """CPU seconds to open a file with a table of ten rows and an index 100 times, and ask it once."""
    connection = sqlite3.connect(path)
    connection.execute(CREATE)
    connection.executemany(INSERT, MANY[:10])
    connection.execute("create index i on t(b)")
    connection.commit()
    connection.close()
    start = time.process_time()
    for _ in range(100):
        connection = connect(path)
        assert connection.execute("select b, d from t where a = 5").fetchone() == ("name5", 595)
        connection.close()
    return time.process_time() - start


TARGETS = [(bulk_load, 2.0), (cold_fetch, 1.3), (commit_delete_full, 1.2), (commit_wal_normal, 8.0), (open_and_query, 4.0)]


def report_target(measure: Callable[[Connect, str], float], target: float) -> None:
    """Prints a figure beside sqlite3's, measured in turns: the best of five of each."""
    best = {minisql.connect: 1e9, sqlite3.connect: 1e9}
    for _ in range(5):
        for connect in best:
            with tempfile.TemporaryDirectory(dir=os.environ.get("STORAGE_BENCHMARK_FOLDER")) as directory:
                best[connect] = min(best[connect], measure(connect, f"{directory}/t.db"))
    ours, theirs = best.values()
    print(
        f"{measure.__name__:24} {ours * 1e3:8.1f} ms, sqlite3 {theirs * 1e3:8.1f} ms: {ours / theirs:5.2f} x (target {target})"
        f"  {(measure.__doc__ or '').strip()}",
        flush=True,
    )


BENCHMARKS = [
    small_table, small_write, append_memory, append_memory_c, random_memory, index_random_memory, append_file, scan_cold,
    scan_cold_c, point_cold, index_point_cold, point_warm, update_by_key_file, update_by_key_file_c,
]  # fmt: skip


def main() -> None:
    """Prints one line a benchmark."""
    wanted = sys.argv[1:]
    for measure, target in TARGETS:
        if not wanted or measure.__name__ in wanted or "targets" in wanted:
            report_target(measure, target)
    for benchmark in BENCHMARKS:
        if not wanted or benchmark.__name__ in wanted:
            best = min(benchmark() for _ in range(3))
            print(f"{benchmark.__name__:24} {best:8.2f} us  {(benchmark.__doc__ or '').strip()}")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
