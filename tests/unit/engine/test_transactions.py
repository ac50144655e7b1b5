"""Transactions and savepoints: nesting rules, undo, autocommit."""

import pytest

import minisql
from minisql.errors import IntegrityError, OperationalError


@pytest.fixture
def connection():
    made = minisql.connect(":memory:", isolation_level=None)
    made.execute("create table t(a integer primary key, b unique)")
    yield made
    made.close()


def rows(connection):
    return connection.execute("select a, b from t order by a").fetchall()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (["begin", "begin"], "cannot start a transaction within a transaction"),
        (["commit"], "cannot commit - no transaction is active"),
        (["rollback"], "cannot rollback - no transaction is active"),
        (["release x"], "no such savepoint: x"),
        (["rollback to x"], "no such savepoint: x"),
        (["begin", "savepoint x", "release x", "release x"], "no such savepoint: x"),
    ],
)
def test_wrong_nesting(connection, script, message):
    with pytest.raises(OperationalError) as info:
        for sql in script:
            connection.execute(sql)
    assert str(info.value) == message


def test_rollback_undoes_and_returns_to_autocommit(connection):
    connection.execute("begin")
    connection.execute("insert into t values (1, 1)")
    assert connection.in_transaction
    connection.execute("rollback")
    assert not connection.in_transaction and rows(connection) == []


def test_savepoints_nest_and_keep_after_rollback_to(connection):
    connection.execute("savepoint one")
    connection.execute("insert into t values (1, 1)")
    connection.execute("savepoint Two")
    connection.execute("insert into t values (2, 2)")
    connection.execute("rollback to TWO")
    connection.execute("insert into t values (3, 3)")
    connection.execute("release one")
    assert not connection.in_transaction and rows(connection) == [(1, 1), (3, 3)]


def test_savepoint_opened_before_the_first_write_covers_it(connection):
    connection.execute("begin")
    connection.execute("savepoint s")
    connection.execute("insert into t values (1, 1)")
    connection.execute("rollback to s")
    connection.execute("commit")
    assert rows(connection) == []


def test_failed_statement_is_undone_alone(connection):
    connection.execute("begin")
    connection.execute("insert into t values (1, 1)")
    with pytest.raises(IntegrityError):
        connection.execute("insert into t values (2, 2), (3, 1)")
    assert rows(connection) == [(1, 1)] and connection.in_transaction
    connection.execute("commit")
    assert rows(connection) == [(1, 1)]


def test_conflict_actions_undo_what_they_should(connection):
    connection.execute("insert into t values (1, 1)")
    connection.execute("begin")
    with pytest.raises(IntegrityError):
        connection.execute("insert or fail into t values (2, 2), (3, 1)")
    assert rows(connection) == [(1, 1), (2, 2)] and connection.in_transaction
    with pytest.raises(IntegrityError):
        connection.execute("insert or rollback into t values (4, 4), (5, 1)")
    assert rows(connection) == [(1, 1)] and not connection.in_transaction
    connection.execute("insert or ignore into t values (6, 6), (7, 1)")
    connection.execute("insert or replace into t values (8, 1)")
    assert rows(connection) == [(6, 6), (8, 1)]


def test_schema_changes_are_undone_in_the_catalog_too(connection):
    connection.execute("begin")
    connection.execute("create table u(x)")
    connection.execute("drop table t")
    connection.execute("rollback")
    assert rows(connection) == []
    with pytest.raises(OperationalError, match="no such table: u"):
        connection.execute("select * from u")


def test_statement_sees_its_snapshot_while_others_write(connection):
    connection.executemany("insert into t values (?, ?)", [(i, i) for i in range(10)])
    seen = []
    for row in connection.execute("select a from t order by a"):
        seen.append(row[0])
        connection.execute("update t set b = b + 100 where a = ?", row)
    assert seen == list(range(10))
    assert rows(connection) == [(i, i + 100) for i in range(10)]


def test_commit_with_a_pending_select_keeps_the_select(connection):
    connection.executemany("insert into t values (?, ?)", [(i, i) for i in range(3)])
    connection.execute("begin")
    cursor = connection.execute("select a from t order by a")
    assert cursor.fetchone() == (0,)
    connection.execute("commit")
    assert cursor.fetchall() == [(1,), (2,)]


def test_deferred_foreign_keys_are_checked_at_commit(connection):
    connection.execute("pragma foreign_keys = on")
    connection.execute("create table c(x references t(a) deferrable initially deferred)")
    connection.execute("begin")
    connection.execute("insert into c values (1)")
    with pytest.raises(IntegrityError, match="FOREIGN KEY constraint failed"):
        connection.execute("commit")
    assert connection.in_transaction
    connection.execute("insert into t values (1, 1)")
    connection.execute("commit")
    assert not connection.in_transaction


def test_two_connections_see_committed_data_only(tmp_path):
    path = tmp_path / "two.db"
    one = minisql.connect(path, isolation_level=None, timeout=0)
    two = minisql.connect(path, isolation_level=None, timeout=0)
    one.execute("create table t(a)")
    two.execute("insert into t values (1)")
    one.execute("begin immediate")
    one.execute("insert into t values (2)")
    assert two.execute("select * from t").fetchall() == [(1,)]
    with pytest.raises(OperationalError, match="database is locked"):
        two.execute("insert into t values (3)")
    one.execute("commit")
    assert two.execute("select * from t").fetchall() == [(1,), (2,)]
    one.execute("alter table t add column b default 7")
    assert two.execute("select * from t").fetchall() == [(1, 7), (2, 7)]
    one.close()
    two.close()


def test_transaction_over_two_files(tmp_path):
    connection = minisql.connect(tmp_path / "a.db", isolation_level=None)
    connection.execute("attach ? as other", (str(tmp_path / "b.db"),))
    connection.execute("create table t(a)")
    connection.execute("create table other.u(a)")
    connection.execute("begin")
    connection.execute("insert into t values (1)")
    connection.execute("insert into u values (2)")
    connection.execute("commit")
    connection.execute("begin")
    connection.execute("insert into t values (3)")
    connection.execute("insert into u values (4)")
    connection.execute("rollback")
    connection.close()
    for name, table, value in (("a.db", "t", 1), ("b.db", "u", 2)):
        again = minisql.connect(tmp_path / name)
        assert again.execute(f"select * from {table}").fetchall() == [(value,)]
        again.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db", "b.db"]
