"""Nothing in a SELECT nests too deep for Python's stack."""

from __future__ import annotations

import pytest

from minisql.engine.session import Session


@pytest.fixture
def session() -> Session:
    session = Session(":memory:")
    session.execute("CREATE TABLE t(a, b)")
    session.execute("INSERT INTO t VALUES (1, 2)")
    return session


_CASES = {
    "chain of plus": ("SELECT " + " + ".join(["a"] * 900) + " FROM t", 900),
    "parentheses": ("SELECT " + "(" * 900 + "a" + ")" * 900 + " FROM t", 1),
    "calls": ("SELECT " + "abs(" * 300 + "a" + ")" * 300 + " FROM t", 1),
    "and": ("SELECT a FROM t WHERE " + " AND ".join(["a = 1"] * 900), 1),
    "or": ("SELECT a FROM t WHERE " + " OR ".join(f"b = {i}" for i in range(900)), 1),
    "case": ("SELECT " + "CASE WHEN a THEN " * 200 + "7" + " END" * 200 + " FROM t", 7),
    "subqueries in FROM": ("SELECT a FROM " + "(SELECT * FROM " * 60 + "t" + ")" * 60, 1),
    "joins": ("SELECT count(*) FROM t t0 " + " ".join(f"JOIN t t{i} ON t{i}.a = t{i - 1}.a" for i in range(1, 60)), 1),
    "common tables": (
        "WITH c0 AS (SELECT a FROM t), "
        + ", ".join(f"c{i} AS (SELECT * FROM c{i - 1})" for i in range(1, 60))
        + " SELECT a FROM c59",
        1,
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_deep_statement_runs(session: Session, name: str) -> None:
    sql, value = _CASES[name]
    assert session.execute(sql) == [(value,)]


def test_five_hundred_arms_of_a_compound_run(session: Session) -> None:
    assert len(session.execute(" UNION ALL ".join(["SELECT a FROM t"] * 500))) == 500
