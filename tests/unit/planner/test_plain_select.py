"""The plain SELECT gives the rows, names and errors of the general way, and declines where there is something to choose."""

from __future__ import annotations

import pytest

import minisql

SCHEMA = """
CREATE TABLE t(a INTEGER, b TEXT, c REAL);
CREATE TABLE u(a INTEGER, d);
CREATE TABLE k(id INTEGER PRIMARY KEY, v, w AS (v + 1));
CREATE TABLE i(a, b, c, e INTEGER PRIMARY KEY);
CREATE INDEX i_ab ON i(a, b);
CREATE INDEX i_c ON i(c DESC);
INSERT INTO i VALUES (1, 2, 3, 1), (1, 3, 1, 2), (2, 2, 5, 3), (NULL, 1, 1, 4), (3, 3, 3, 9);
CREATE VIEW s AS SELECT a, b FROM t;
INSERT INTO t VALUES (1, 'x', 1.5), (2, 'y', NULL), (2, 'X', 4.0), (NULL, NULL, NULL);
INSERT INTO u VALUES (1, 'p'), (2, 'q');
INSERT INTO k VALUES (1, 10), (2, 20), (5, NULL);
"""

QUERIES = [
    "SELECT 1",
    "SELECT 1 WHERE 0",
    "SELECT 1, 'a' AS x WHERE 1 AND 2",
    "SELECT DISTINCT 3",
    "SELECT count(*)",
    "SELECT count(*) WHERE 0",
    "SELECT max(3), abs(-2) + 1 WHERE NULL",
    "SELECT a FROM t",
    "SELECT * FROM t",
    "SELECT t.*, a AS z FROM t",
    "SELECT a + 1 AS n, n * 2 FROM t WHERE n > 1",
    "SELECT DISTINCT a FROM t",
    "SELECT DISTINCT b COLLATE NOCASE FROM t WHERE a > 0",
    "SELECT DISTINCT x.a FROM t AS x, t AS y",
    "SELECT * FROM t CROSS JOIN u",
    "SELECT * FROM t, u AS z",
    "SELECT * FROM t NATURAL JOIN u",
    "SELECT * FROM t JOIN u USING (a)",
    "SELECT * FROM t JOIN u ON t.a = u.a",
    "SELECT * FROM t LEFT JOIN u ON t.a = u.a",
    "SELECT count(*) FROM t",
    "SELECT count(*), max(a), min(b), b FROM t",
    "SELECT sum(DISTINCT a), count(a) FILTER (WHERE c > 1) FROM t WHERE a > 0",
    "SELECT DISTINCT count(*) FROM t, u",
    "SELECT (SELECT max(t.a) FROM u) FROM t",
    "SELECT (SELECT d FROM u WHERE u.a = t.a) FROM t",
    "SELECT a FROM t WHERE a IN (SELECT a FROM u)",
    "SELECT row_number() OVER (ORDER BY a) FROM t",
    "SELECT rowid, a FROM t",
    "SELECT rowid FROM t WHERE rowid = 2",
    "SELECT * FROM k",
    "SELECT id, w FROM k WHERE v > 10",
    "SELECT v FROM k WHERE id = 2",
    "SELECT id AS i FROM k WHERE i > 1",
    'SELECT v FROM k WHERE "id" > 1',
    "SELECT w FROM k WHERE v IS NULL OR v < 15",
    "SELECT * FROM s",
    "SELECT name FROM sqlite_schema",
    "SELECT a FROM missing",
    "SELECT missing FROM t",
    "SELECT missing.* FROM t",
    "SELECT *",
    "SELECT a FROM t, u",
    "SELECT a FROM t WHERE missing = 1",
    "SELECT nothing(a) FROM t",
    "SELECT max(count(*)) FROM t",
    "SELECT a FROM t WHERE max(a) > 1",
    "SELECT a FROM main.t",
    "SELECT a, b FROM t ORDER BY 2 DESC, 1",
    "SELECT DISTINCT a FROM t ORDER BY a DESC",
    "SELECT a FROM t ORDER BY c, b COLLATE NOCASE",
    "SELECT max(a) FROM t ORDER BY b",
    "SELECT a FROM t ORDER BY max(a)",
    "SELECT a FROM t, u ORDER BY d, t.b",
    "SELECT a, b FROM i WHERE a = 1 ORDER BY b DESC",
    "SELECT * FROM i WHERE a > 1 OR c = 1",
    "SELECT a, b FROM i",
    "SELECT DISTINCT a FROM i",
    "SELECT count(*) FROM i WHERE c > 1",
    "SELECT max(c), a FROM i",
    "SELECT min(a) FROM i WHERE a > 1",
    "SELECT e FROM i WHERE c BETWEEN 1 AND 3 AND b IN (2, 3) ORDER BY c, 1",
    "SELECT c FROM i ORDER BY c",
    "SELECT a FROM i NOT INDEXED WHERE a = 1",
    "SELECT a FROM i INDEXED BY i_ab WHERE a = 1",
    "SELECT x.a FROM i AS x, i AS y WHERE x.a = y.c",
    "SELECT 2 ORDER BY 1",
    "SELECT 2 ORDER BY 3",
    "SELECT id FROM k WHERE v > 0 ORDER BY id DESC",
    "SELECT id FROM k WHERE v > 0 ORDER BY 1 DESC",
    "SELECT v AS p, id FROM k WHERE v > 0 ORDER BY p DESC, 2",
    "SELECT v, id FROM k WHERE v > 0 ORDER BY v DESC, 2",
    "SELECT v, id FROM k WHERE v > 0 ORDER BY missing",
]


def outcome(connection: minisql.Connection, sql: str) -> object:
    """Rows with their types and the column names, or the error."""
    try:
        cursor = connection.execute(sql)
        rows = cursor.fetchall()
    except minisql.Error as error:
        return type(error).__name__, str(error)
    return [[(type(value), value) for value in row] for row in rows], [column[0] for column in cursor.description]


@pytest.mark.parametrize("sql", QUERIES)
def test_both_ways_agree(sql: str) -> None:
    outcomes = []
    for switch in ("on", "off"):
        connection = minisql.connect(":memory:")
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA minisql_fast_path = {switch}")
        outcomes.append(outcome(connection, sql))
        connection.close()
    assert outcomes[0] == outcomes[1]
