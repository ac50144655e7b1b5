"""Hooks of a session, statements of the engine's own, and what happens to a transaction when Python raises in its middle."""

import pytest

import minisql
from minisql.engine.hooks import expanded_sql
from minisql.errors import IntegrityError, OperationalError


@pytest.fixture
def connection():
    made = minisql.connect(":memory:", isolation_level=None)
    made.execute("create table t(a integer primary key, b)")
    yield made
    made.close()


def test_update_hook_hears_of_every_row(connection):
    heard = []
    connection._session.set_hooks(update=lambda *event: heard.append(event))
    connection.execute("insert into t values (1, 1), (2, 2)")
    connection.execute("update t set b = 5 where a = 2")
    connection.execute("delete from t where a = 1")
    assert heard == [(18, "main", "t", 1), (18, "main", "t", 2), (23, "main", "t", 2), (9, "main", "t", 1)]


def test_commit_hook_may_turn_a_commit_into_a_rollback(connection):
    undone = []
    connection._session.set_hooks(commit=lambda: True, rollback=lambda: undone.append(1))
    with pytest.raises(IntegrityError, match="constraint failed"):
        connection.execute("insert into t values (1, 1)")
    connection._session.set_hooks()
    assert undone and connection.execute("select * from t").fetchall() == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_exception_in_the_middle_undoes_the_transaction(connection, error):
    def fail(value):
        if value == 3:
            raise error
        return value

    connection.execute("create table s(a)")
    connection.executemany("insert into s values (?)", [(n,) for n in range(5)])
    # The module's functions turn exceptions into errors; here one strikes the engine itself.
    connection._session.create_function("f", 1, fail, False)
    connection.execute("begin")
    connection.execute("insert into t values (100, 100)")
    with pytest.raises(error):
        connection.execute("insert into t select f(a), a from s")
    assert not connection.in_transaction
    assert connection.execute("select * from t").fetchall() == []
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize(
    ("sql", "names", "values", "expanded"),
    [
        ("select ?, ?2, ?", [None, "?2", None], (1, "a'b", None), "select 1, 'a''b', NULL"),
        ("select :x, '?', :x -- ?", [":x"], (1.5,), "select 1.5, '?', 1.5 -- ?"),
        (" select @a", ["@a"], (b"\x01\xff",), " select x'01ff'"),
    ],
)
def test_expanded_sql(sql, names, values, expanded):
    assert expanded_sql(sql, names, values) == expanded


def test_schema_that_makes_no_sense_is_reported(tmp_path):
    path = tmp_path / "bad.db"
    first = minisql.connect(path, isolation_level=None)
    first.execute("create table t(a)")
    first.execute("pragma writable_schema = on")
    first.execute("update sqlite_schema set sql = 'create table t(a, a)'")
    first.close()
    second = minisql.connect(path)
    with pytest.raises(OperationalError) as info:
        second.execute("select * from t")
    assert str(info.value) == "malformed database schema (t) - duplicate column name: a"
    second.close()


def test_programs_are_verified_on_request(connection):
    connection.execute("pragma minisql_verify = on")
    assert connection.execute("pragma minisql_verify").fetchone() == (1,)
    assert connection.execute("select count(*) from t group by b").fetchall() == []


def test_authorizer_is_asked_about_what_the_engine_does_itself(connection):
    connection.execute("create index i on t(b)")
    connection.execute("insert into t values (1, 1)")
    asked = []
    connection.set_authorizer(lambda *arguments: asked.append(arguments[:2]) or minisql.SQLITE_OK)
    connection.execute("analyze")
    connection.execute("reindex")
    connection.execute("pragma user_version")
    assert {(28, "t"), (27, "i"), (19, "user_version")} <= set(asked)
    connection.set_authorizer(lambda action, *rest: minisql.SQLITE_DENY if action in (19, 27, 28) else minisql.SQLITE_OK)
    for sql in ("analyze", "reindex", "pragma user_version"):
        with pytest.raises(minisql.DatabaseError, match="not authorized"):
            connection.execute(sql)
