"""SQLITE_LIMIT_LENGTH and SQLITE_LIMIT_LIKE_PATTERN_LENGTH, set lower than their defaults, as SQLite enforces them."""

from __future__ import annotations

from typing import Any

import apsw
import pytest

import minisql

_LENGTH = 0
_LIKE_PATTERN_LENGTH = 8

_LONG_VALUES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("SELECT a || a FROM t", ()),
    ("SELECT a || a || 'x' FROM t", ()),
    ("SELECT 1 FROM t WHERE a || a || a IS NULL", ()),
    ("SELECT zeroblob(100)", ()),
    ("SELECT length(zeroblob(101))", ()),
    ("SELECT length(randomblob(101))", ()),
    ("SELECT replace('aaaaaaaaaaaaaaaaaaaaaaaa', 'a', 'bbbbbbbb')", ()),
    ("SELECT concat(a, a, a) FROM t", ()),
    ("SELECT group_concat(a) FROM t", ()),
    ("SELECT group_concat(a) FROM (SELECT a FROM t UNION ALL SELECT a FROM t)", ()),
    ("SELECT string_agg(a, '') FROM (SELECT a FROM t UNION ALL SELECT a FROM t)", ()),
    ("SELECT string_agg(a, '') FROM (SELECT a FROM t UNION ALL SELECT substr(a, 2) FROM t)", ()),
    ("SELECT json_group_array(a) FROM (SELECT a FROM t UNION ALL SELECT a FROM t)", ()),
    ("SELECT group_concat(a) OVER () FROM (SELECT a FROM t UNION ALL SELECT a FROM t)", ()),
    ("SELECT sum(length(a)), max(a), count(*), group_concat(DISTINCT a) FROM t", ()),
    ("SELECT ?", ("x" * 100,)),
    ("SELECT ?", ("x" * 101,)),
    ("SELECT ?", (b"x" * 101,)),
    ("SELECT length(?)", ("é" * 51,)),
    ("SELECT count(*) FROM t WHERE a = ?", ("é" * 51,)),
    ("INSERT INTO t VALUES(?)", ("x" * 101,)),
    ("UPDATE t SET a = a || a || a", ()),
)

_LONG_PATTERNS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("SELECT 'abcdefgh' LIKE 'abcd%'", ()),
    ("SELECT 'abcdefgh' LIKE 'abcdef%'", ()),
    ("SELECT 'a' NOT LIKE 'abcdefg'", ()),
    ("SELECT 'a' GLOB 'abcdef'", ()),
    ("SELECT 1 LIKE 1234567", ()),
    ("SELECT NULL LIKE 'abcdefg'", ()),
    ("SELECT 'a' LIKE NULL", ()),
    ("SELECT x'41' LIKE 'abcdefg'", ()),
    ("SELECT 'a' LIKE 'éé1'", ()),
    ("SELECT 'a' LIKE 'ééé'", ()),
    ("SELECT 'a' LIKE ?", ("abcdefg",)),
    ("SELECT like('abcdefg', 'a')", ()),
    ("SELECT glob('abcdefg', 'a')", ()),
    ("SELECT 1 FROM t WHERE a LIKE 'abcdefg'", ()),
)


def _outcome(connection: Any, statement: str, values: tuple[Any, ...]) -> Any:
    try:
        return connection.execute(statement, values).fetchall()
    except (apsw.Error, minisql.Error) as error:
        return str(error)


def _compare(limit: int, value: int, statement: str, values: tuple[Any, ...]) -> None:
    theirs = apsw.Connection(":memory:")
    ours = minisql.connect(":memory:", isolation_level=None)
    for connection in (theirs, ours):
        connection.execute("CREATE TABLE t(a)")
        connection.execute("INSERT INTO t VALUES(?)", ("x" * 50,))
        _outcome(connection, statement, values)
    theirs.limit(limit, value)
    ours.setlimit(limit, value)
    assert _outcome(ours, statement, values) == _outcome(theirs, statement, values)


@pytest.mark.parametrize(("statement", "values"), _LONG_VALUES)
def test_long_values(statement: str, values: tuple[Any, ...]) -> None:
    """Values of 100 bytes are allowed, longer ones are not; a statement that ran before the limit was set is compiled again."""
    _compare(_LENGTH, 100, statement, values)


@pytest.mark.parametrize(("statement", "values"), _LONG_PATTERNS)
def test_long_patterns(statement: str, values: tuple[Any, ...]) -> None:
    """Patterns of five bytes are allowed."""
    _compare(_LIKE_PATTERN_LENGTH, 5, statement, values)


def test_many_rows() -> None:
    """executemany stops at the value that is too long, within a transaction, too."""
    ours = minisql.connect(":memory:")
    ours.execute("CREATE TABLE t(a)")
    ours.setlimit(_LENGTH, 100)
    with pytest.raises(minisql.DataError, match=r"^string or blob too big$"):
        ours.executemany("INSERT INTO t VALUES(?)", [("x",), ("x" * 101,), ("y",)])
    assert ours.execute("SELECT a FROM t").fetchall() == [("x",)]
