"""Two connections to one file: minisql beside SQLite, and minisql beside itself, against SQLite beside itself.

The same random statements run on each pair; rows, errors and lock conflicts must be the same in every journal mode.
"""

import random

import apsw
import pytest

import minisql

STATEMENTS = (
    "begin",
    "begin immediate",
    "begin exclusive",
    "commit",
    "commit",
    "rollback",
    "savepoint s",
    "release s",
    "rollback to s",
    "insert into t(b) values ({n})",
    "insert into t(b) select b + {n} from t where a < 20",
    "insert or replace into t values ({n}, {m})",
    "update t set b = b + 1 where a > {n}",
    "delete from t where a % 7 = {m}",
    "insert into u values ({n}, {m})",
    "delete from u where k < {m}",
    "select count(*), sum(a), sum(b) from t",
    "select * from t where b = {n} order by a",
    "select * from u order by k",
    "insert into n values ({n})",
    "select count(*) from n",
    "pragma user_version = {n}",
    "pragma user_version",
    "pragma integrity_check",
)
SETUP = (
    "create table t(a integer primary key, b)",
    "create table n(x)",
    "create index tb on t(b)",
    "create table u(k primary key, v) without rowid",
    "insert into t(b) values (1), (2), (3)",
)


class Sqlite:
    def __init__(self, path):
        self.connection = apsw.Connection(path)

    def run(self, sql):
        try:
            return list(self.connection.execute(sql))
        except apsw.Error as error:
            return str(error), error.result

    def close(self):
        self.connection.close()


class Minisql:
    def __init__(self, path):
        self.connection = minisql.connect(path, isolation_level=None, timeout=0)

    def run(self, sql):
        try:
            return self.connection.execute(sql).fetchall()
        except minisql.Error as error:
            return str(error), error.sqlite_errorcode & 0xFF

    def close(self):
        self.connection.close()


PAIRS = {"beside-sqlite": (Minisql, Sqlite), "beside-itself": (Minisql, Minisql)}


@pytest.mark.parametrize("mode", ["delete", "truncate", "persist", "wal"])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("seed", range(4))
def test_two_connections(tmp_path, seed, pair, mode):
    chance = random.Random(f"{seed} {mode}")
    expected = [Sqlite(str(tmp_path / "expected.db")) for _ in range(2)]
    found = [kind(str(tmp_path / "found.db")) for kind in PAIRS[pair]]
    log = []

    def step(number, sql):
        outcomes = found[number].run(sql), expected[number].run(sql)
        log.append((number, sql, *outcomes))
        assert outcomes[0] == outcomes[1], log[-15:]

    step(0, f"pragma journal_mode = {mode}")
    for sql in SETUP:
        step(0, sql)
    for _ in range(90):
        sql = chance.choice(STATEMENTS).format(n=chance.randrange(30), m=chance.randrange(7))
        step(chance.randrange(2), sql)
    for connection in (*expected, *found):
        connection.run("rollback")
        connection.close()
    final = [Sqlite(str(tmp_path / name)) for name in ("expected.db", "found.db")]
    for sql in ("select * from t", "select * from u", "pragma integrity_check"):
        assert final[1].run(sql) == final[0].run(sql)
    for connection in final:
        connection.close()
