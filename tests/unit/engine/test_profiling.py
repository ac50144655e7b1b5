"""Profiles: loops and rows of each line of a plan, where the time goes, the tier, and nothing changed."""

import pytest

from minisql.engine.profiling import Profile, profile_statement
from minisql.engine.session import Session
from minisql.errors import Error

Line = tuple[str, int | None, int | None]


@pytest.fixture
def session() -> Session:
    made = Session(":memory:")
    made.run_script("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE INDEX tb ON t(b); CREATE TABLE u(x, y)")
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
    made.execute("INSERT INTO t " + numbers.format(1000) + "SELECT i, i % 100, i % 7 FROM n")
    made.execute("INSERT INTO u " + numbers.format(50) + "SELECT i, i % 5 FROM n")
    return made


def lines(profile: Profile) -> list[Line]:
    return [(line.detail, line.n_loops, line.n_rows) for line in profile.lines]


CASES: dict[str, list[Line]] = {
    "SELECT * FROM t": [("SCAN t", 1, 1000)],
    "SELECT * FROM t WHERE c = 3": [("SCAN t", 1, 1000)],
    "SELECT * FROM t WHERE b = 7": [("SEARCH t USING INDEX tb (b=?)", 1, 10)],
    "SELECT * FROM t WHERE b > 97": [("SEARCH t USING INDEX tb (b>?)", 1, 20)],
    "SELECT * FROM t WHERE a = 5": [("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", 1, 1)],
    "SELECT * FROM t WHERE a = 5000": [("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", 1, 0)],
    "SELECT count(*) FROM u, t WHERE t.a = u.y * 3": [
        ("SCAN u", 1, 50),
        ("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", 50, 40),
    ],
    "SELECT * FROM u, t WHERE b = x ORDER BY c": [
        ("SCAN u", 1, 50),
        ("SEARCH t USING INDEX tb (b=?)", 50, 500),
        ("USE TEMP B-TREE FOR ORDER BY", None, None),
    ],
    "SELECT t.a FROM t LEFT JOIN u ON y = t.c": [
        ("SCAN t", 1, 1000),
        ("SEARCH u USING AUTOMATIC COVERING INDEX (y=?) LEFT-JOIN", 1000, 7140),
    ],
    "SELECT c, count(*) FROM t WHERE b IN (SELECT y FROM u) GROUP BY c": [
        ("SEARCH t USING INDEX tb (b=?)", 5, 50),
        ("LIST SUBQUERY 1", None, None),
        ("SCAN u", 1, 50),
        ("USE TEMP B-TREE FOR GROUP BY", None, None),
    ],
    "DELETE FROM t WHERE b < 3": [("SEARCH t USING INDEX tb (b<?)", 1, 30)],
    "SELECT 1": [("SCAN CONSTANT ROW", None, None)],
}


@pytest.mark.parametrize("sql", CASES)
def test_loops_and_rows_of_each_line(session: Session, sql: str) -> None:
    assert lines(profile_statement(session, sql)) == CASES[sql]


def test_recursive_query_counts_its_rows_once(session: Session) -> None:
    sql = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 50) SELECT * FROM r, t WHERE a = n"
    assert [line for line in lines(profile_statement(session, sql)) if line[1] is not None] == [
        ("SCAN r", 1, 50),
        ("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", 50, 50),
    ]


def test_time_adds_up_and_belongs_to_the_line_that_takes_it(session: Session) -> None:
    profile = profile_statement(session, "SELECT * FROM t WHERE c + b * 2 > 1e9")
    assert profile.seconds == pytest.approx(sum(line.seconds for line in profile.lines) + profile.other_seconds)
    assert profile.lines[0].seconds > profile.other_seconds
    counts = {row[1]: count for row, count, _ in profile.instructions}
    assert (counts["Rewind"], counts["Next"], counts["Multiply"], counts["Halt"]) == (1, 1000, 1000, 1)
    assert "ResultRow" in counts and counts["ResultRow"] == 0


def test_tier_is_that_of_the_plain_run(session: Session) -> None:
    assert profile_statement(session, "SELECT * FROM t WHERE a = 5").tier == "1"
    session.execute("INSERT INTO t SELECT a + 1000, b, c FROM t")
    session.execute("INSERT INTO t SELECT a + 2000, b, c FROM t")
    assert profile_statement(session, "SELECT sum(b * c) FROM t WHERE c <> 3").tier == "2"
    assert session.tier == "auto"


@pytest.mark.parametrize("is_inside", [False, True])
@pytest.mark.parametrize(
    "sql", ["DELETE FROM t", "UPDATE t SET c = 99", "INSERT INTO u SELECT a, b FROM t", "REPLACE INTO u VALUES(1, 2)"]
)
def test_changes_are_taken_back(session: Session, sql: str, is_inside: bool) -> None:
    state = "SELECT (SELECT count(*) || sum(c) FROM t), (SELECT count(*) || sum(y) FROM u)"
    if is_inside:
        session.execute("BEGIN")
        session.execute("DELETE FROM t WHERE a = 1")
    before = session.execute(state)
    profile_statement(session, sql)
    assert session.execute(state) == before
    assert session.autocommit is not is_inside


def test_failing_statement_raises_and_leaves_no_trace(session: Session) -> None:
    session.run_script("CREATE TABLE k(a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO k VALUES(1)")
    with pytest.raises(Error, match=r"UNIQUE constraint failed: k\.a"):
        profile_statement(session, "INSERT INTO k VALUES(2), (1)")
    assert session.execute("SELECT * FROM k") == [(1,)]
    assert session.autocommit and session.tier == "auto"


@pytest.mark.parametrize(
    "sql", ["PRAGMA user_version", "VACUUM", "BEGIN", "CREATE TABLE n(a)", "EXPLAIN SELECT 1", "", "-- nothing"]
)
def test_only_statements_with_a_plan_have_a_profile(session: Session, sql: str) -> None:
    with pytest.raises(Error, match="only SELECT, INSERT, UPDATE and DELETE have a profile"):
        profile_statement(session, sql)
