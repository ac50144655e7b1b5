"""Random aggregates over columns of all kinds, translated, give SQLite's rows: CASE, texts, mixed numbers, UNION ALL, joins.

The tables have leaves whose columns hold one class, and later ones with others, so that specialised loops are left and
translated again.
"""

from __future__ import annotations

import random
from typing import Any

import apsw
import pytest

import minisql

Both = tuple[Any, Any]
VALUES: list[Any] = [None, 0, 1, 2, 3, -4, 1.5, -2.5, "a", "b", "3", "", "a\0b", "\u00e9", b"x", 2**62, 1e308]

CALLS = ["length({})", "substr({}, 2, 2)", "upper({})", "replace({}, 'a', 'bb')", "coalesce({}, 0)", "instr({}, 'b')"]


def filled(choose: random.Random) -> Both:
    both = minisql.connect(":memory:"), apsw.Connection(":memory:")
    rows = [
        (
            number,
            choose.choice(VALUES) if number > 900 else choose.randrange(5),
            choose.choice([None, 1, 2, 3, 4]) if number > 600 else choose.randrange(9),
            choose.uniform(-2, 2) if number % 9 else None,
            "".join(choose.choices("abAB 1", k=choose.randrange(6))) if number % 7 or number < 500 else None,
            f"19{number % 97:02d}-{number % 12 + 1:02d}-01",
        )
        for number in range(1600)
    ]
    for connection in both:
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b INT, c REAL, d TEXT, e DATE)")
        connection.execute("CREATE TABLE u(x INTEGER PRIMARY KEY, y, z DECIMAL)")
        connection.execute("CREATE INDEX uy ON u(y)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO u VALUES (?, ?, ?)", [(n, n % 7, n / 4) for n in range(600)])
    return both


def rows_of(connection: Any, sql: str) -> str:
    try:
        return repr(list(connection.execute(sql)))
    except (minisql.Error, apsw.Error) as error:
        return f"error: {error}"


def agree(both: Both, sql: str) -> None:
    ours, theirs = rows_of(both[0], sql), rows_of(both[1], sql)
    assert ours == theirs, sql


def value(choose: random.Random, depth: int = 0) -> str:
    kind = choose.randrange(9)
    if depth > 2 or kind < 3:
        return choose.choice(["a", "b", "c", "d", "id", "1", "2.5", "'x'", "NULL"])
    if kind < 6:
        return f"({value(choose, depth + 1)} {choose.choice('+-*/%')} {value(choose, depth + 1)})"
    if kind == 6:
        call = choose.choice(CALLS)
        return call.format(value(choose, depth + 1))
    return case(choose, depth + 1)


def condition(choose: random.Random, depth: int) -> str:
    kind = choose.randrange(8)
    if kind < 4 or depth > 2:
        return f"{value(choose, depth + 1)} {choose.choice(['<', '>', '=', '<=', '<>', 'IS'])} {value(choose, depth + 1)}"
    if kind < 6:
        return f"({condition(choose, depth + 1)} {'AND' if kind == 4 else 'OR'} {condition(choose, depth + 1)})"
    if kind == 6:
        return f"NOT ({condition(choose, depth + 1)})"
    return choose.choice(
        ["d LIKE 'a%'", "d LIKE '%b%a%'", "d GLOB '*B'", "b IN (1, 3)", "a IS NULL", "e < date('1950-01-01', '+1 year')"]
    )


def case(choose: random.Random, depth: int) -> str:
    ways = " ".join(f"WHEN {condition(choose, depth)} THEN {value(choose, depth)}" for _ in range(choose.randrange(1, 4)))
    return f"CASE {ways} ELSE {value(choose, depth)} END" if choose.random() < 0.8 else f"CASE {ways} END"


QUERIES = [
    "SELECT sum({0}), count({1}) FROM t WHERE b < 3",
    "SELECT max({0}), min({1}), count(DISTINCT {0}) FROM t",
    "SELECT b, count({0}), total({1}) FROM t GROUP BY b ORDER BY 1",
    "SELECT b, count(DISTINCT {0}), avg(c * (1 - b)) FROM t GROUP BY b ORDER BY 1",
    "SELECT id, {0}, {1} FROM t WHERE {2} ORDER BY id LIMIT 300",
    "SELECT count(*) FROM t WHERE {0} > {1}",
    "SELECT sum({0}) FROM t JOIN u ON x = b WHERE z < 5",
    "SELECT id, sum(b) OVER (ORDER BY id), count({0}) OVER (PARTITION BY b ORDER BY id) FROM t ORDER BY id LIMIT 200",
    "SELECT sum(EXISTS (SELECT 1 FROM u WHERE y = b AND z > c)) FROM t WHERE {2}",
    "SELECT sum(p), count(*) FROM (SELECT {0} AS p FROM t UNION ALL SELECT z FROM u)",
    "SELECT p, count(*), max(q) FROM (SELECT b AS p, {0} AS q FROM t UNION ALL SELECT y, z FROM u) GROUP BY p ORDER BY 1",
    "SELECT min(p + 1), q FROM (SELECT b AS p, a AS q FROM t WHERE {2} UNION ALL SELECT y, z FROM u UNION ALL VALUES (-9, 1))",
]


@pytest.mark.parametrize("seed", [1, 2])
def test_translated_aggregates(seed: int) -> None:
    choose = random.Random(seed)
    both = filled(choose)
    for number in range(90):
        query = QUERIES[number % len(QUERIES)]
        agree(both, query.format(value(choose), case(choose, 0), condition(choose, 0)))


def test_a_statement_is_translated_again_when_leaves_surprise_it() -> None:
    both = filled(random.Random(3))
    sql = "SELECT sum(a), max(b), count(c), min(d) FROM t WHERE e >= date('1901-02-03')"
    for _ in range(3):
        agree(both, sql)
    for connection in both:
        connection.execute("UPDATE t SET a = 'text', b = NULL, d = x'00' WHERE id % 3 = 0")
    for _ in range(3):
        agree(both, sql)


def test_ranges_of_an_index_are_forgotten_when_it_changes() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE o(k)")
    connection.execute("CREATE TABLE i(k, v)")
    connection.execute("CREATE INDEX ik ON i(k)")
    connection.executemany("INSERT INTO o VALUES (?)", [(n % 4,) for n in range(2000)])
    connection.executemany("INSERT INTO i VALUES (?, ?)", [(n % 4, 1) for n in range(40)])
    sql = "SELECT (SELECT sum(v) FROM i WHERE i.k = o.k AND i.v < o.rowid + 100) FROM o"
    expected = 10
    for turn in range(4):
        rows = connection.execute(sql)
        assert next(rows) == (expected,)
        connection.execute("INSERT INTO i VALUES (1, 1), (2, 1), (3, 1), (0, 1)")
        expected += 1
        assert {row[0] for row in rows} <= {expected - 1, expected}
        assert set(connection.execute(sql).fetchall()) == {(expected,)}, turn
