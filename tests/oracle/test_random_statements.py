"""Random statements on one connection, compared with SQLite 3.54.1 after every step.

Inserts, updates and deletes with all conflict actions, transactions and savepoints, foreign keys, schema changes, in a random
order: rows or error text and code, autocommit state, changes(), total_changes() and last_insert_rowid() must agree.
"""

import random

import apsw
import pytest

import minisql

SETUP = [
    "create table t(a integer primary key, b unique, c not null check (c <> 3))",
    "create table u(x, y collate nocase unique on conflict replace)",
    "create table w(k primary key, v) without rowid",
    "create table p(id integer primary key, q unique)",
    "create table c(r references p(id) on delete cascade,"
    " s references p(q) on update set null deferrable initially deferred)",
]
COLUMNS = {"t": ("a", "b", "c"), "u": ("x", "y"), "w": ("k", "v"), "p": ("id", "q"), "c": ("r", "s")}
VALUES = ("null", "0", "1", "2", "3", "-1", "'a'", "'B'", "1.5", "x'01'", "10", "'3'")
CONFLICTS = ("", "", "", "or ignore", "or replace", "or fail", "or rollback", "or abort")
TRANSACTIONS = (
    "begin", "commit", "rollback", "savepoint s1", "savepoint s2", "release s1", "release s2", "rollback to s1",
    "rollback to s2", "begin immediate", "end",
)  # fmt: skip
DEFINITIONS = (
    "create table if not exists n1(a, b unique)",
    "drop table if exists n1",
    "create index if not exists ni on t(c)",
    "drop index if exists ni",
    "create table n1 as select * from t",
    "alter table t add column z default 5",
    "create view vv as select a from t",
    "drop view vv",
    "create trigger tg after insert on t begin insert into u values (new.a, new.b); end",
    "drop trigger tg",
    "pragma user_version = 3",
    "drop table t",
    "reindex",
)
SETTINGS = (
    "pragma foreign_keys = on",
    "pragma foreign_keys = off",
    "pragma recursive_triggers = 1",
    "pragma defer_foreign_keys = 1",
)


def statement(chance):
    """A random statement."""
    table = chance.choice(tuple(COLUMNS))
    columns = COLUMNS[table]
    conflict = chance.choice(CONFLICTS)

    def value():
        return chance.choice(VALUES)

    kind = chance.random()
    if kind < 0.16:
        return chance.choice(TRANSACTIONS if kind < 0.1 else DEFINITIONS if kind < 0.13 else SETTINGS)
    if kind < 0.5:
        rows = (", ".join(value() for _ in columns) for _ in range(chance.choice((1, 1, 2, 3))))
        return f"insert {conflict} into {table}({', '.join(columns)}) values {', '.join(f'({row})' for row in rows)}"
    where = f"{chance.choice(columns)} {chance.choice(('=', '>', '<', 'is not'))} {value()}"
    if kind < 0.7:
        changed = chance.choice((value(), f"{chance.choice(columns)} + 1"))
        return f"update {conflict} {table} set {chance.choice(columns)} = {changed} where {where}"
    if kind < 0.8:
        return f"delete from {table} where {where}"
    if kind < 0.83:
        return f"insert {conflict} into {table} select * from {table}"
    if kind < 0.87:
        return f"insert into w values ({value()}, {value()}) on conflict(k) do update set v = excluded.v returning *"
    return chance.choice(
        (
            f"select * from {table} order by 1, 2",
            f"select count(*), typeof({columns[0]}) from {table} group by 2",
            "select type, name, tbl_name, sql from sqlite_schema order by name",
            "pragma integrity_check",
            "pragma foreign_key_check",
        )
    )


def typed(rows):
    return [tuple((type(value).__name__, value) for value in row) for row in rows]


def theirs(connection, sql):
    try:
        return typed(connection.execute(sql))
    except apsw.Error as error:
        return str(error), error.extendedresult


def ours(connection, sql):
    try:
        return typed(connection.execute(sql))
    except minisql.Error as error:
        return str(error), error.sqlite_errorcode


@pytest.mark.parametrize("seed", range(24))
def test_random_statements(seed):
    chance = random.Random(seed)
    sqlite = apsw.Connection(":memory:")
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("pragma minisql_verify = on")
    log = []
    for number in range(110):
        sql = SETUP[number] if number < len(SETUP) else statement(chance)
        log.append(sql)
        assert ours(connection, sql) == theirs(sqlite, sql), log[-12:]
        state = (not connection.in_transaction, connection.total_changes)
        assert state == (sqlite.getautocommit(), sqlite.total_changes()), log[-12:]
        counters = "select changes(), last_insert_rowid()"
        assert ours(connection, counters) == theirs(sqlite, counters), log[-12:]
