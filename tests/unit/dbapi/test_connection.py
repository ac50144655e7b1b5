"""What the standard library of this Python cannot show: autocommit of 3.12, and behaviour that needs threads or files."""

import threading
import time

import pytest

import minisql
from minisql.errors import OperationalError, ProgrammingError


def test_autocommit_false_is_always_in_a_transaction(tmp_path):
    path = tmp_path / "a.db"
    connection = minisql.connect(path, autocommit=False)
    assert connection.in_transaction and connection.autocommit is False
    connection.execute("create table t(a)")
    connection.execute("insert into t values (1)")
    connection.commit()
    assert connection.in_transaction
    connection.execute("insert into t values (2)")
    connection.rollback()
    assert connection.execute("select * from t").fetchall() == [(1,)] and connection.in_transaction
    connection.execute("insert into t values (3)")
    connection.close()
    again = minisql.connect(path)
    assert again.execute("select * from t").fetchall() == [(1,)]
    again.close()


def test_autocommit_true_leaves_transactions_to_sql():
    connection = minisql.connect(":memory:", autocommit=True)
    connection.execute("create table t(a)")
    connection.execute("insert into t values (1)")
    assert not connection.in_transaction
    connection.commit()
    connection.rollback()
    connection.execute("begin")
    assert connection.in_transaction
    connection.commit()
    assert connection.in_transaction
    connection.execute("rollback")


def test_autocommit_can_be_changed():
    connection = minisql.connect(":memory:")
    assert connection.autocommit == minisql.LEGACY_TRANSACTION_CONTROL
    connection.autocommit = False
    assert connection.in_transaction
    connection.autocommit = True
    assert not connection.in_transaction
    with pytest.raises(ValueError, match="autocommit must be True, False, or"):
        connection.autocommit = 7


def test_context_manager_with_autocommit_false_begins_again():
    connection = minisql.connect(":memory:", autocommit=False)
    with connection:
        connection.execute("create table t(a)")
    assert connection.in_transaction
    with pytest.raises(ZeroDivisionError), connection:
        connection.execute("insert into t values (1)")
        raise ZeroDivisionError
    assert connection.execute("select * from t").fetchall() == []


def test_another_thread_is_refused():
    connection = minisql.connect(":memory:")
    seen = []

    def use():
        try:
            connection.execute("select 1")
        except ProgrammingError as error:
            seen.append(str(error))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert seen[0].startswith("SQLite objects created in a thread can only be used in that same thread.")
    free = minisql.connect(":memory:", check_same_thread=False)
    thread = threading.Thread(target=lambda: seen.append(free.execute("select 2").fetchone()))
    thread.start()
    thread.join()
    assert seen[1] == (2,)


def test_interrupt_stops_a_running_statement():
    connection = minisql.connect(":memory:", check_same_thread=False)
    timer = threading.Timer(0.1, connection.interrupt)
    timer.start()
    with pytest.raises(OperationalError, match="interrupted"):
        connection.execute(
            "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"
        ).fetchall()
    timer.join()
    assert connection.execute("select 1").fetchone() == (1,)


def test_timeout_waits_for_a_lock(tmp_path):
    path = tmp_path / "a.db"
    one = minisql.connect(path, isolation_level=None, check_same_thread=False)
    one.execute("create table t(a)")
    one.execute("begin immediate")
    two = minisql.connect(path, isolation_level=None, timeout=0.2)
    start = time.monotonic()
    with pytest.raises(OperationalError, match="database is locked"):
        two.execute("insert into t values (1)")
    assert 0.1 < time.monotonic() - start < 3
    timer = threading.Timer(0.1, lambda: one.execute("commit"))
    timer.start()
    patient = minisql.connect(path, isolation_level=None, timeout=10)
    patient.execute("insert into t values (2)")
    timer.join()
    for connection in (one, two, patient):
        connection.close()


def test_last_row_releases_the_lock(tmp_path):
    path = tmp_path / "a.db"
    one = minisql.connect(path, isolation_level=None, timeout=0)
    one.execute("create table t(a)")
    one.execute("insert into t values (1)")
    cursor = one.execute("select * from t")
    assert cursor.fetchone() == (1,)
    two = minisql.connect(path, isolation_level=None, timeout=0)
    two.execute("insert into t values (2)")
    one.close()
    two.close()


def test_executemany_undoes_nothing_but_the_failing_row():
    connection = minisql.connect(":memory:")
    connection.execute("create table t(a unique)")
    with pytest.raises(minisql.IntegrityError):
        connection.executemany("insert into t values (?)", [(1,), (2,), (1,), (3,)])
    assert connection.in_transaction
    assert connection.execute("select a from t").fetchall() == [(1,), (2,)]
    connection.rollback()
    assert connection.execute("select a from t").fetchall() == []


def test_executemany_takes_generators_that_use_the_connection():
    connection = minisql.connect(":memory:")
    connection.executescript("create table s(a); create table t(a); insert into s values (1), (2), (3);")
    cursor = connection.executemany("insert into t values (?)", (row for row in connection.execute("select a from s")))
    assert cursor.rowcount == 3
    assert connection.execute("select * from t").fetchall() == [(1,), (2,), (3,)]


def test_statements_are_compiled_again_when_the_schema_changes():
    connection = minisql.connect(":memory:")
    connection.execute("create table t(a)")
    connection.execute("insert into t values (1)")
    assert connection.execute("select * from t").fetchall() == [(1,)]
    connection.execute("alter table t add column b default 5")
    cursor = connection.execute("select * from t")
    assert cursor.fetchall() == [(1, 5)] and len(cursor.description) == 2


def test_user_function_may_query_its_own_connection():
    connection = minisql.connect(":memory:")
    connection.executescript("create table t(a); insert into t values (1), (2);")
    connection.create_function("total_of", 0, lambda: connection.execute("select sum(a) from t").fetchone()[0])
    assert connection.execute("select a, total_of() from t").fetchall() == [(1, 3), (2, 3)]


def test_config_and_limits():
    connection = minisql.connect(":memory:")
    assert connection.getconfig(minisql.SQLITE_DBCONFIG_ENABLE_FKEY) is False
    connection.setconfig(minisql.SQLITE_DBCONFIG_ENABLE_FKEY, True)
    assert connection.execute("pragma foreign_keys").fetchone() == (1,)
    assert connection.setlimit(minisql.SQLITE_LIMIT_SQL_LENGTH, 20) == 1_000_000_000
    with pytest.raises(minisql.DataError, match="query string is too large"):
        connection.execute("select 'this is longer than twenty'")
    with pytest.raises(ProgrammingError, match="'category' is out of bounds"):
        connection.getlimit(99)


def test_undecodable_text_is_refused_and_reachable_as_bytes():
    connection = minisql.connect(":memory:")
    connection.execute("create table t(a)")
    connection.execute("insert into t values (cast(x'61ff' as text))")
    with pytest.raises(OperationalError, match="Could not decode to UTF-8 column 'a' with text 'a"):
        connection.execute("select a from t").fetchall()
    connection.text_factory = bytes
    assert connection.execute("select a from t").fetchall() == [(b"a\xff",)]


def test_closing_ends_everything(tmp_path):
    connection = minisql.connect(tmp_path / "a.db")
    connection.execute("create table t(a)")
    connection.executemany("insert into t values (?)", [(n,) for n in range(5)])
    cursor = connection.execute("select * from t")
    cursor.fetchone()
    connection.close()
    connection.close()
    with pytest.raises(ProgrammingError, match=r"Cannot operate on a closed database."):
        cursor.fetchone()
    again = minisql.connect(tmp_path / "a.db")
    assert again.execute("select * from t").fetchall() == []
    again.close()


@pytest.mark.parametrize("call", ["execute", "executemany", "executescript"])
def test_what_a_collation_raises_ends_the_statement_and_is_forgotten(call):
    connection = minisql.connect(":memory:", isolation_level=None)

    def compare(first, second):
        raise ZeroDivisionError("in a collation")

    connection.create_collation("bad", compare)
    connection.execute("create table t(a collate bad primary key)")
    connection.execute("insert into t values ('x')")
    arguments = {"execute": (), "executemany": ([()],), "executescript": ()}[call]
    for sql in ("insert into t values ('y')", "insert into t values ('y') on conflict do nothing; select 1" if call == "executescript" else "update t set a = 'z'"):
        with pytest.raises((ZeroDivisionError, minisql.IntegrityError)):
            getattr(connection, call)(sql, *arguments)
    assert connection.execute("select 1").fetchall() == [(1,)]
    cursor = connection.execute("select column1 from (values ('a'), ('b')) union all select 'c'")
    assert cursor.fetchall() == [("a",), ("b",), ("c",)]
    with pytest.raises(ZeroDivisionError):
        connection.execute("select column1 from (values ('a'), ('b')) order by 1 collate bad").fetchall()
    connection.execute("begin").execute("commit")
    connection.close()
