"""Damaged database files: whatever their bytes are, statements answer or raise a database error, and nothing else."""

import contextlib
import random

import pytest

import minisql

STATEMENTS = (
    "select count(*), sum(a), max(b) from t",
    "select * from t where b > '3' order by b",
    "select * from w",
    "select a from v where a < 10",
    "pragma integrity_check",
    "insert into t(b) values ('zz')",
    "update t set c = c + 1 where a < 50",
    "delete from t where a > 150",
    "insert or replace into w values (3, 4)",
    "create table n(x)",
    "drop table w",
    "vacuum",
    "pragma quick_check",
    "select * from dbstat",
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "sound.db"
    connection = minisql.connect(path, isolation_level=None)
    connection.executescript(
        """pragma page_size = 512; create table t(a integer primary key, b text, c real); create index i on t(b, c);
        create table w(k primary key, v) without rowid; create view v as select a, b from t;
        create trigger tr after insert on t begin select 1; end;
        insert into t with recursive r(n) as (select 1 union all select n + 1 from r where n < 200)
            select n, hex(zeroblob(n % 40 + case when n % 50 = 0 then 900 else 0 end)), n / 2.0 from r;
        insert into w select a, b from t; delete from t where a % 5 = 0;"""
    )
    connection.close()
    return path.read_bytes()


def damaged(data, chance):
    """A copy with some bytes changed, most of them where page headers are."""
    result = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        at = chance.randrange(len(data)) if chance.random() < 0.6 else chance.randrange(len(data) // 512) * 512 + chance.randrange(16)
        if at < 100 and chance.random() < 0.7:
            continue
        kind = chance.random()
        if kind < 0.7:
            result[at] = chance.randrange(256)
        elif kind < 0.85:
            result[at : at + 4] = chance.randbytes(4)
        else:
            result[at : at + 40] = bytes(40)
    return result[: chance.randrange(len(data))] if chance.random() < 0.1 else result


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_raise_database_errors_only(tmp_path, sound, seed):
    path = tmp_path / "damaged.db"
    path.write_bytes(damaged(sound, random.Random(seed)))
    connection = minisql.connect(path, isolation_level=None, timeout=0)
    for sql in STATEMENTS:
        with contextlib.suppress(minisql.Error):
            connection.execute(sql).fetchall()
    connection.close()
