"""Storage micro-benchmarks: microseconds a row or a call, beside the standard library's sqlite3 where it can do the same.

Run: python benchmarks/storage.py [name ...].  Each figure is the best of three rounds.
"""

from __future__ import annotations

import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable

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


BENCHMARKS = [
    small_table, small_write, append_memory, append_memory_c, random_memory, index_random_memory, append_file, scan_cold,
    scan_cold_c, point_cold, index_point_cold, point_warm, update_by_key_file, update_by_key_file_c,
]  # fmt: skip


def main() -> None:
    """Prints one line a benchmark."""
    wanted = sys.argv[1:]
    for benchmark in BENCHMARKS:
        if not wanted or benchmark.__name__ in wanted:
            best = min(benchmark() for _ in range(3))
            print(f"{benchmark.__name__:24} {best:8.2f} us  {(benchmark.__doc__ or '').strip()}")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
