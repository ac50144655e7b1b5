"""fetchall takes whole lists of rows from a translated statement; what comes out is what comes one by one."""

from __future__ import annotations

import pytest

import minisql

QUERIES = (
    "SELECT * FROM t",
    "SELECT b, a + 1 FROM t WHERE c > 3 AND b <> 'n7'",
    "SELECT rowid, b FROM t WHERE c IS NULL OR c < 400",
    "SELECT a FROM t WHERE b BETWEEN 'n1' AND 'n5'",
    "SELECT a, b FROM t ORDER BY c DESC, a",
    "SELECT d, count(*) FROM t GROUP BY d",
    "SELECT t.a, u.d FROM t JOIN t AS u ON u.a = t.c WHERE t.a < 500",
    "SELECT a FROM t UNION ALL SELECT c FROM t",
    "SELECT a FROM (SELECT * FROM t LIMIT 900 OFFSET 30) WHERE a % 3",
)


@pytest.fixture
def connection() -> minisql.Connection:
    made = minisql.connect(":memory:")
    made.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d INT)")
    made.execute("CREATE INDEX tb ON t(b)")
    made.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(i, f"n{i}", None if i % 10 == 0 else i / 2, i % 7) for i in range(3000)])
    return made


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("tier", ["1", "2", "auto"])
def test_all_rows_are_those_that_come_one_by_one(connection, query, tier):
    connection.execute(f"PRAGMA minisql_tier = {tier}")
    singly = list(connection.execute(query))
    assert connection.execute(query).fetchall() == singly
    for n_before in (1, 2, 60, 400):
        cursor = connection.execute(query)
        taken = [cursor.fetchone() for _ in range(min(n_before, len(singly)))]
        assert taken + cursor.fetchall() == singly
        assert cursor.fetchall() == []


def test_changes_between_two_fetches_are_seen(connection):
    connection.execute("PRAGMA minisql_tier = 2")
    cursor = connection.execute("SELECT a, d FROM t")
    for _ in range(5):
        cursor.fetchone()
    connection.execute("DELETE FROM t WHERE a % 2 = 0")
    connection.execute("UPDATE t SET d = 'new' WHERE a = 7")
    rest = cursor.fetchall()
    assert rest[:2] == [(5, 5), (7, "new")] and len(rest) == 1498


def test_a_function_of_the_user_may_fetch_and_change(connection):
    connection.execute("PRAGMA minisql_tier = 2")
    other = connection.cursor()

    def inner(a):
        other.execute("SELECT a FROM t WHERE a > 10")
        first = other.fetchone()[0]
        other.execute("UPDATE t SET d = -1 WHERE a = ?", (a + 1,))
        return first

    connection.create_function("inner", 1, inner)
    rows = connection.execute("SELECT inner(a), d FROM t WHERE a BETWEEN 20 AND 25").fetchall()
    assert rows == [(11, 20 % 7)] + [(11, -1)] * 5


def test_an_error_leaves_nothing_behind(connection):
    connection.execute("PRAGMA minisql_tier = 2")
    with pytest.raises(minisql.Error, match="integer overflow"):
        connection.execute("SELECT abs(CASE WHEN a = 2000 THEN -9223372036854775808 ELSE a END) FROM t").fetchall()
    cursor = connection.execute("SELECT a, c FROM t")
    cursor.fetchone()
    connection.execute("DELETE FROM t WHERE a = 2")
    assert [cursor.fetchone()[0] for _ in range(2)] == [1, 3]
