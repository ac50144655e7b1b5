"""`PRAGMA minisql_source`: what tier 2 makes of a statement can be read, and no text of it is in there."""

from __future__ import annotations

import minisql


def _source(connection: minisql.Connection, sql: str) -> str:
    quoted = sql.replace("'", "''")
    return "\n".join(line for (line,) in connection.execute(f"PRAGMA minisql_source('{quoted}')"))


def test_a_query_its_index_and_a_trigger_can_be_read():
    connection = minisql.connect(":memory:")
    connection.executescript(
        "CREATE TABLE t(a INT, b REAL, c TEXT); INSERT INTO t VALUES(1, 2.5, 'x'); CREATE INDEX ti ON t(a);"
        "CREATE TRIGGER tt AFTER INSERT ON t BEGIN UPDATE t SET b = b + 1 WHERE a = new.a; END"
    )
    query = _source(connection, "SELECT b FROM t WHERE c <> 'some text' AND b > 3")
    assert query.startswith("def program(") and "Scan(c0" in query
    assert "some text" not in query
    change = _source(connection, "INSERT INTO t VALUES(5, 6, 'z')")
    assert "c0.insert(" in change and "# sub-program 1" in change
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(1,)]
    assert connection.in_transaction is False


def test_nothing_and_errors():
    connection = minisql.connect(":memory:")
    assert connection.execute("PRAGMA minisql_source").fetchall() == []
    assert _source(connection, "  -- only a comment") == ""
    try:
        _source(connection, "SELECT nosuch")
    except minisql.OperationalError as error:
        assert str(error) == "no such column: nosuch"
    else:
        raise AssertionError("an error was expected")
