"""Auto-vacuum keeps pointer maps right: random work on files and in memory, judged by SQLite's integrity_check."""

from __future__ import annotations

import copy
import random
from pathlib import Path

import apsw
import pytest

import minisql
from minisql.storage.btree import BtreeFile
from minisql.storage.check import integrity_check
from minisql.storage.image import serialize
from minisql.values.shape import RowShape

SHAPE = RowShape(2, 0)
SCHEMA = RowShape(5)
Tables = dict[int, list]  # number -> [root page, rows by rowid]


def put_schema(file: BtreeFile, number: int, root: int) -> None:
    """Writes the schema row of table t<number>."""
    sql = f"CREATE TABLE t{number}(a integer primary key, b)"
    file.table_cursor(1, SCHEMA).insert(number, ("table", f"t{number}", f"t{number}", root, sql))


def drop(file: BtreeFile, tables: Tables, number: int) -> None:
    """Drops a table and follows the root page that moves."""
    root = tables.pop(number)[0]
    moved = file.drop_tree(root)
    file.table_cursor(1, SCHEMA).delete_rowid(number)
    for other, table in tables.items():
        if moved and table[0] == moved:
            table[0] = root
            put_schema(file, other, root)


def step(file: BtreeFile, r: random.Random, tables: Tables, serial: int) -> None:
    """One random change."""
    action = r.randrange(10)
    if action < 2 and len(tables) < 8:
        root = file.create_tree(True)
        tables[serial] = [root, {}]
        put_schema(file, serial, root)
    elif action == 2 and tables:
        drop(file, tables, r.choice(list(tables)))
    elif tables:
        root, rows = tables[r.choice(list(tables))]
        cursor = file.table_cursor(root, SHAPE)
        if action < 7:
            for _ in range(r.randrange(40)):
                rowid = r.randrange(200)
                rows[rowid] = (rowid, bytes(r.randrange(r.choice([10, 100, 3000]))))
                cursor.insert(rowid, rows[rowid])
        else:
            for rowid in r.sample(range(200), 80):
                cursor.delete_rowid(rowid)
                rows.pop(rowid, None)


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_pointer_maps_stay_right(tmp_path: Path, seed: int, mode: int, in_memory: bool) -> None:
    r = random.Random(seed)
    path = str(tmp_path / "t.db")
    file = BtreeFile.open(None if in_memory else path, page_size=512, cache_size=r.choice([10, -2000]))
    assert file.set_auto_vacuum(mode)
    file.begin_read()
    file.begin_write()
    file.set_meta(2, 4)
    file.set_meta(5, 1)
    file.commit()
    tables: Tables = {}
    committed: Tables = {}
    for serial in range(1, 50):
        file.begin_write()
        step(file, r, tables, serial)
        if mode == 2 and r.random() < 0.3:
            file.incremental_vacuum(r.choice([0, 1, 3, 10]))
        if r.random() < 0.15:
            file.rollback()
            tables = copy.deepcopy(committed)
        elif r.random() < 0.6:
            file.commit()
            committed = copy.deepcopy(tables)
            assert mode == 2 or file.freelist_count == 0
        assert integrity_check(file, [1, *(table[0] for table in tables.values())]) == []
    file.begin_write()
    file.set_meta(1, 5)
    file.commit()
    if in_memory:
        Path(path).write_bytes(serialize(file))
    file.end_read()
    connection = apsw.Connection(path)
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert connection.execute("pragma auto_vacuum").fetchall() == [(mode,)]
    for number, (_, rows) in tables.items():
        assert connection.execute(f"select * from t{number} order by a").fetchall() == [rows[i] for i in sorted(rows)]
    connection.close()
    file.close()


@pytest.mark.parametrize("mode", ["full", "incremental"])
def test_files_of_sqlite_with_auto_vacuum_are_not_damaged(tmp_path: Path, mode: str) -> None:
    path = str(tmp_path / "t.db")
    connection = apsw.Connection(path)
    connection.execute(f"pragma page_size=512; pragma auto_vacuum={mode}; create table t1(a integer primary key, b)")
    connection.execute("with recursive n(i) as (select 1 union all select i+1 from n where i<200) "
                       "insert into t1 select i, zeroblob(i * 7) from n")
    file = BtreeFile.open(path)
    file.begin_read()
    file.begin_write()
    root = file.table_cursor(1, SCHEMA).first()[3]  # type: ignore[index]
    cursor = file.table_cursor(root, SHAPE)
    for rowid in range(1, 200, 2):
        assert cursor.delete_rowid(rowid)
    file.commit()
    file.end_read()
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert connection.execute("select count(*), sum(length(b)) from t1").fetchall() == [(100, sum(i * 7 for i in range(2, 201, 2)))]
    connection.close()


def test_what_a_spill_put_into_the_maps_survives_a_rollback_to_a_savepoint(tmp_path: Path) -> None:
    for seed in range(12):
        r = random.Random(seed)
        path = tmp_path / f"{seed}.db"
        connection = minisql.connect(str(path), isolation_level=None)
        for pragma in ("page_size = 512", "auto_vacuum = 2", "cache_size = 5"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("CREATE TABLE t(n INTEGER PRIMARY KEY, a, b)")
        connection.execute("CREATE INDEX i ON t(a)")
        connection.execute("BEGIN")
        for _ in range(6):
            _insert_many(connection, r)
            connection.execute("SAVEPOINT inner")
            _insert_many(connection, r)
            connection.execute("DELETE FROM t WHERE n % 5 = 1")
            if r.random() < 0.7:
                connection.execute("ROLLBACK TO inner")
            if r.random() < 0.5:
                connection.execute("RELEASE inner")
        connection.execute("COMMIT")
        connection.close()
        assert list(apsw.Connection(str(path)).execute("PRAGMA integrity_check")) == [("ok",)], seed


def _insert_many(connection: minisql.Connection, r: random.Random) -> None:
    for _ in range(r.randrange(1, 40)):
        values = (r.randrange(10_000), r.randrange(1000), bytes(r.choice([3, 90, 700])))
        connection.execute("INSERT OR REPLACE INTO t VALUES (?, ?, ?)", values)
