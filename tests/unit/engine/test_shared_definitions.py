"""Definitions are parsed once for all connections of the process; what one of them does to its schema stays its own."""

import minisql

DDL = ("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL)", "CREATE INDEX tb ON t(b, c DESC)")


def _columns(connection):
    return [row[1] for row in connection.execute("PRAGMA table_info(t)")]


def test_a_changed_schema_does_not_reach_other_connections(tmp_path):
    paths = [str(tmp_path / f"{number}.db") for number in range(3)]
    for path in paths:
        connection = minisql.connect(path, isolation_level=None)
        for sql in DDL:
            connection.execute(sql)
        connection.execute("INSERT INTO t VALUES (1, 'x', 2)")
        connection.close()
    first, second = (minisql.connect(path, isolation_level=None) for path in paths[:2])
    assert _columns(first) == _columns(second) == ["a", "b", "c"]
    first.execute("ALTER TABLE t RENAME COLUMN b TO renamed")
    first.execute("ALTER TABLE t ADD COLUMN d DEFAULT 5")
    first.execute("CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET d = 7 WHERE a = new.a; END")
    first.execute("INSERT INTO t(a) VALUES (2)")
    third = minisql.connect(paths[2], isolation_level=None)
    third.execute("DROP INDEX tb")
    assert _columns(first) == ["a", "renamed", "c", "d"]
    assert first.execute("SELECT * FROM t").fetchall() == [(1, "x", 2.0, 5), (2, None, None, 7)]
    for connection in (second, minisql.connect(paths[1], isolation_level=None)):
        connection.execute("INSERT OR REPLACE INTO t VALUES (2, 'y', 3)")
        assert connection.execute("SELECT * FROM t INDEXED BY tb WHERE b > ''").fetchall() == [(1, "x", 2.0), (2, "y", 3.0)]
        connection.close()
    assert _columns(third) == ["a", "b", "c"]
    first.close()
    third.close()
