"""Conditions that are kept: a statement that takes one is the statement that would have been parsed."""

import random

import pytest

import minisql
from minisql.errors import Error
from minisql.parser import Parsed, RecentConditions, parse_one
from minisql.parser.unparse import unparse

_CONDITIONS = (
    "a > 5 AND b < 'x''y'",
    "a IN (1, 2, 3) OR (b IS NULL AND NOT c BETWEEN 2 AND 7)",
    "abs(a) + length(b) > 3 AND t.c <> 4.5",
    "b LIKE 'a%' AND lower(b) = 'ab' COLLATE nocase",
    "a = 1 OR a = 2 OR a = -3 AND b = ' ORDER BY '",
    "c >= 10 AND a IN (SELECT a FROM u WHERE a > 2)",
    "a > :low AND a < 9",
    '"a" = 5 AND [b] <> `b`',
    "CASE WHEN a > 3 THEN b ELSE c END = 'q' AND 1",
    "a > 5 AND nothing = 3",
    "(a > 5",
)
_HEADS = (
    "SELECT * FROM t",
    "SELECT a, b FROM t",
    "SELECT count(*) FROM t",
    "SELECT x.a FROM t AS x, u",
    "DELETE FROM t",
    "UPDATE t SET c = 1",
)
_TAILS = ("", "", " ORDER BY 1", " ORDER BY a DESC LIMIT 2", " GROUP BY 1", " LIMIT 1")


def _parsed(sql: str, recent: RecentConditions | None) -> object:
    """What is parsed, with the positions that errors show; or the error."""
    try:
        parsed, end = parse_one(sql, recent=recent)
    except Error as error:
        return repr(error)
    assert parsed is not None
    found = _shown(parsed, end)
    if recent is not None and parsed.condition is not None and parsed.condition.node is not None:
        for column in parsed.columns or ():
            column.binding = "bound"
        recent.give_back(parsed.condition)
    return found


def _shown(parsed: Parsed, end: int) -> object:
    columns = [(column.name, column.binding, parsed.source.offset(column.position)) for column in parsed.columns or ()]
    calls = [(call.name, parsed.source.offset(call.position)) for call in parsed.calls or ()]
    return unparse(parsed.statement), columns, calls, parsed.n_selects, parsed.parameter_names, parsed.source.spans(), end


def test_what_is_taken_is_what_would_be_parsed() -> None:
    dice = random.Random(1)
    recent = RecentConditions()
    for _ in range(1500):
        sql = f"{dice.choice(_HEADS)} WHERE {dice.choice(_CONDITIONS)}{dice.choice(_TAILS)}"
        assert _parsed(sql, recent) == _parsed(sql, None), sql
    assert len(recent.kept) > 20


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ' WHERE a > 1 AND b > 2' FROM t WHERE a > 1 AND b > 2",
        "SELECT a -- WHERE a > 1 AND b > 2\n FROM t WHERE a > 1 AND b > 2",
        "SELECT a FROM t WHERE a > 1 AND b > 2; SELECT 1",
        "SELECT (SELECT a FROM u WHERE a > 1 AND b > 2) FROM t WHERE a > 1 AND b > 2",
        "CREATE VIEW v AS SELECT a FROM t WHERE a > 1 AND b > 2",
        "SELECT a FROM t WHERE a > 1 AND b = ' ORDER BY a",
        "SELECT a FROM t WHERE b = ' ORDER BY ' ORDER BY ' ORDER BY '",
    ],
)
def test_words_that_stand_elsewhere(sql: str) -> None:
    recent = RecentConditions()
    for text in ("SELECT a FROM t WHERE a > 1 AND b > 2", sql, sql, "SELECT a FROM t WHERE a > 1 AND b > 2"):
        assert _parsed(text, recent) == _parsed(text, None)


def test_programs_are_the_same() -> None:
    dice = random.Random(2)
    keeping, fresh = (minisql.connect(":memory:", isolation_level=None, cached_statements=0) for _ in range(2))
    for connection, switch in ((keeping, "on"), (fresh, "off")):
        connection.execute(f"PRAGMA minisql_shapes = {switch}")
        connection.executescript("""
            CREATE TABLE t(a INTEGER, b TEXT, c REAL); CREATE TABLE u(a, d); CREATE TABLE s(b, c, a INTEGER PRIMARY KEY);
            CREATE INDEX t_a ON t(a); CREATE INDEX s_b ON s(b, c);
        """)
    for _ in range(400):
        table = dice.choice(("t", "s", "t AS t"))
        head = dice.choice(("SELECT * FROM {}", "SELECT a, c FROM {}", "SELECT max(a) FROM {}")).format(table)
        sql = f"{head} WHERE {dice.choice(_CONDITIONS)}{dice.choice(_TAILS)}"
        assert _program(keeping, sql) == _program(fresh, sql), sql
        assert _program(keeping, "EXPLAIN " + sql) == _program(fresh, "EXPLAIN " + sql), sql


def _program(connection: minisql.Connection, sql: str) -> object:
    try:
        rows = connection.execute(sql, {"low": 1} if ":low" in sql else ()).fetchall()
        # The generation of the schema is a matter of the connection.
        return [row for row in rows if row[1:2] != ("Transaction",)]
    except minisql.Error as error:
        return str(error)


def test_another_limit_is_another_parse() -> None:
    connection = minisql.connect(":memory:")
    connection.execute("CREATE TABLE t(a)")
    sql = "SELECT a FROM t WHERE ((a + 1) * 2 + 3) * 4 > 7"
    connection.execute(sql)
    connection.setlimit(minisql.SQLITE_LIMIT_EXPR_DEPTH, 3)
    with pytest.raises(minisql.OperationalError, match="Expression tree is too large"):
        connection.execute(sql + " LIMIT 1")
        connection.execute(sql + " ")
