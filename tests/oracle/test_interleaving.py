"""Statements that run at the same time on one connection: what a half-read SELECT sees, compared with SQLite step by step."""

import itertools
import random

import apsw
import pytest

import minisql

SETUP = [
    "create table t(a integer primary key, b, c)",
    "create index tb on t(b)",
    "create table u(k primary key, v) without rowid",
]
QUERIES = [
    "select a, b from t",
    "select a, b from t order by a desc",
    "select a, b from t where b > 3 order by b",
    "select b from t order by b, a",
    "select k, v from u",
    "select t.a, u.k from t join u on u.k = t.b",
    "select a, (select count(*) from u) from t where a > 2",
    "select a from t union all select k from u",
]
# No change of rows that a SELECT stands on: SQLite leaves open what it sees of those.
CHANGES = [
    "insert into t(b, c) values ({n}, {m})",
    "insert into t(a, b) values ({m} * 1000 + {n}, {m})",
    "insert or ignore into u values ({n}, {m})",
    "insert into u select k + 100, v from u where k < {n}",
    "begin",
    "commit",
    "rollback",
    "savepoint s",
    "rollback to s",
    "release s",
]


class Side:
    """SQLite with its open cursors: apsw takes the first step when it executes, each further one when a row is asked for."""

    errors = apsw.Error

    def __init__(self, path):
        self.connection = apsw.Connection(path)
        self.cursors = []

    def run(self, sql):
        try:
            return list(self.connection.execute(sql))
        except self.errors as error:
            return str(error)

    def open(self, sql):
        cursor = self.connection.cursor()
        cursor.execute(sql)
        self.cursors.append(cursor)

    def step(self, number):
        try:
            return next(self.cursors[number])
        except StopIteration:
            return "end"
        except self.errors as error:
            return str(error)


class MinisqlSide(Side):
    """The same steps on the engine's own statements, below the DB-API, whose cursors are always a row ahead."""

    errors = minisql.Error

    def __init__(self, path):
        self.connection = minisql.connect(path, isolation_level=None)
        self.cursors = []

    def open(self, sql):
        rows = self.connection(sql)._statement.start()
        first = next(rows, None)
        self.cursors.append(iter(()) if first is None else itertools.chain((first,), rows))


@pytest.mark.parametrize("place", ["memory", "delete", "wal"])
@pytest.mark.parametrize("seed", range(12))
def test_half_read_selects(tmp_path, seed, place):
    chance = random.Random(f"{seed} {place}")
    is_file = place != "memory"
    sides = (
        Side(str(tmp_path / "theirs.db") if is_file else ":memory:"),
        MinisqlSide(str(tmp_path / "ours.db") if is_file else ":memory:"),
    )
    log = []

    def both(action, *arguments):
        outcomes = [getattr(side, action)(*arguments) for side in sides]
        log.append((action, arguments, outcomes[0]))
        assert outcomes[1] == outcomes[0], log[24:]

    if is_file:
        both("run", f"pragma journal_mode = {place}")
    for sql in SETUP:
        both("run", sql)
    for number in range(12):
        both("run", f"insert into t(b, c) values ({number % 5}, {number})")
        both("run", f"insert into u values ({number}, {number * 2})")
    n_cursors = 0
    for _ in range(40):
        choice = chance.random()
        if choice < 0.15 and n_cursors < 4:
            both("open", chance.choice(QUERIES))
            n_cursors += 1
        elif choice < 0.65 and n_cursors:
            both("step", chance.randrange(n_cursors))
        else:
            both("run", chance.choice(CHANGES).format(n=chance.randrange(15), m=chance.randrange(8)))
    both("run", "select * from t order by a")
    both("run", "select * from u")
