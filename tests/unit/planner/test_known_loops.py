"""What is kept with a recent condition never shows: programs, names and rows are those of a connection that keeps nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest

import minisql
from minisql.engine import session as engine_session
from minisql.planner import known_loops, statement

COLUMNS = "(pk INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT, d INTEGER)"
SCHEMA = f"""
CREATE TABLE t0{COLUMNS};
CREATE TABLE t1{COLUMNS};
CREATE INDEX t1_a ON t1(a);
CREATE UNIQUE INDEX t1_b ON t1(b DESC);
CREATE TABLE t2{COLUMNS};
CREATE INDEX t2_ab ON t2(a DESC, b, c);
CREATE INDEX t2_d ON t2(d);
CREATE TABLE t3(pk INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT COLLATE NOCASE, d INTEGER NOT NULL);
CREATE INDEX t3_c ON t3(c, a);
CREATE TABLE t4(pk, a INTEGER, b REAL, c TEXT, d INTEGER, PRIMARY KEY(a, pk)) WITHOUT ROWID;
CREATE TABLE t5(pk INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT, d INTEGER AS (a + 1));
CREATE INDEX t5_a ON t5(a);
"""
TABLES = ["t0", "t1", "t2", "t3", "t4", "t5"]


@pytest.fixture(autouse=True)
def _no_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes have a register for each literal, also where two are equal."""
    monkeypatch.setattr(engine_session, "find_program", lambda session, sql: None)


class Pair:
    """A connection that keeps conditions and one that does not, with the same schema."""

    def __init__(self, script: str = SCHEMA) -> None:
        self.connections = [minisql.connect(":memory:", isolation_level=None) for _ in range(2)]
        # Both switch something, so that the generations of their schemas are the same.
        self.connections[0].execute("PRAGMA recursive_triggers = on")
        self.connections[1].execute("PRAGMA minisql_shapes = off")
        self.run(script)
        for number in range(12):
            values = (number, number % 5, number * 1.5, "xYz"[number % 3] * 2, 7 - number)
            for table in TABLES[:5] if script is SCHEMA else ():
                for connection in self.connections:
                    connection.execute(f"INSERT INTO {table} VALUES(?, ?, ?, ?, ?)", values)

    def run(self, script: str) -> None:
        for connection in self.connections:
            connection.executescript(script)

    def check(self, sql: str) -> None:
        """Both compile the statement to the same program, describe it alike and get the same rows, or the same error."""
        assert self.described(0, sql) == self.described(1, sql), sql

    def described(self, number: int, sql: str) -> Any:
        session = self.connections[number]._session
        assert session is not None
        try:
            prepared, _ = session.prepare(sql)
        except minisql.Error as error:
            return str(error)
        program = prepared.program
        loops = [[getattr(loop, name) for name in loop.__slots__] for loop in program.loops]
        listing = [repr(row) for row in statement.listing_rows(program)]
        constants = [(type(value), value) for value in program.template]
        names, origins = program.column_names, program.column_origins
        shape = program.n_cursors, program.read_databases, program.is_deterministic
        return listing, constants, loops, shape, names, origins, list(prepared.start())


def random_condition(random_: random.Random, depth: int = 0) -> str:
    kind = random_.randrange(9 if depth < 3 else 6)
    column = random_.choice(["pk", "a", "b", "c", "d", "A", "t1.a" if depth > 2 else "d"])
    value = random_.choice(["3", "1", "2.5", "-1", "'xx'", "NULL", "9.0", "5"])
    if kind < 3:
        return f"{column} {random_.choice(['=', '<', '<=', '>', '>=', '<>', 'IS'])} {value}"
    if kind == 3:
        return f"{column} BETWEEN {value} AND {random_.choice(['7', '4.5', 'b'])}"
    if kind == 4:
        return f"{column} {random_.choice(['', 'NOT '])}IN (1, 3, {value})"
    if kind == 5:
        return f"{column} {random_.choice(['ISNULL', 'IS NOT NULL', '= d'])}"
    parts = [random_condition(random_, depth + 1) for _ in range(random_.randint(2, 3))]
    joined = random_.choice([" AND ", " OR "]).join(parts)
    return f"({joined})" if kind < 8 else f"NOT ({joined})"


def random_statement(random_: random.Random, table: str, condition: str) -> str:
    results = random_.choice(
        ["pk", "pk, a", "b, a", "*", "c AS a, pk", "a + 1, pk", "DISTINCT a", "d", "count(*)", "max(a), pk"]
    )
    order = random_.choice(
        ["", " ORDER BY 1", " ORDER BY 1 DESC", " ORDER BY a", " ORDER BY a DESC, b", " ORDER BY pk DESC", " ORDER BY c"]
    )
    alias = random_.choice(["", "", "", " AS x"])
    return f"SELECT {results} FROM {table}{alias} WHERE {condition}{order}"


@pytest.mark.parametrize("seed", range(4))
def test_programs_are_those_without_memory(seed: int) -> None:
    random_ = random.Random(seed)
    pair = Pair()
    for _ in range(14):
        condition = random_condition(random_)
        for table in TABLES:
            for _ in range(random_.randint(1, 6)):
                pair.check(random_statement(random_, table, condition))


def test_loops_are_known_indeed(monkeypatch: pytest.MonkeyPatch) -> None:
    emitted = []
    emit = known_loops.emit_checks
    monkeypatch.setattr(known_loops, "emit_checks", lambda nest: (emitted.append(1), emit(nest)))
    pair = Pair()
    for order in ("1", "2", "1, 2", "1 DESC", "2 DESC", "1, 2 DESC"):
        for table in ("t1", "t2"):
            pair.check(f"SELECT pk, a FROM {table} WHERE b > 3 AND (a < 4 OR d >= 0 OR d < -100) ORDER BY {order}")
    assert 1 <= len(emitted) <= 3


CONDITION = "WHERE b > 3 AND (a < 4 OR c = 'XX' OR d < -100)"
QUERIES = [
    f"SELECT pk, a FROM t1 {CONDITION}",
    f"SELECT pk, a FROM t1 {CONDITION} ORDER BY a",
    f"SELECT c, a AS Z FROM t1 {CONDITION} ORDER BY 1 DESC",
]


@pytest.mark.parametrize(
    "change",
    [
        "DROP INDEX t1_a",
        "CREATE INDEX t1_c ON t1(c COLLATE NOCASE)",
        "CREATE INDEX t1_all ON t1(a, b, c, d)",
        "ANALYZE",
        "ANALYZE; UPDATE sqlite_stat1 SET stat = '100000 90000'; ANALYZE sqlite_schema",
        "ALTER TABLE t1 ADD COLUMN e",
        "ALTER TABLE t1 RENAME COLUMN a TO q; ALTER TABLE t1 RENAME COLUMN d TO a; ALTER TABLE t1 ADD COLUMN d",
        "ALTER TABLE t1 DROP COLUMN d",
        "DROP TABLE t1",
        "DROP TABLE t1; CREATE TABLE t1(d TEXT, c, b, a, pk TEXT PRIMARY KEY)",
        "DROP TABLE t1; CREATE TABLE t1(C TEXT COLLATE NOCASE, B, A, PK, D); INSERT INTO t1 VALUES('xx', 5, 1, 2, 3)",
        "DROP TABLE t1; CREATE VIEW t1 AS SELECT * FROM t2",
        "CREATE TEMP TABLE t1(a, b, c, d, pk); INSERT INTO t1 VALUES(1, 9, 'q', 3, 4)",
        "ATTACH ':memory:' AS other; CREATE TABLE other.t1(a, b, c, d, pk)",
        "BEGIN; CREATE INDEX t1_d ON t1(d); ROLLBACK",
        "PRAGMA full_column_names = on; PRAGMA short_column_names = off",
        "PRAGMA reverse_unordered_selects = on",
        "PRAGMA case_sensitive_like = on",
        "PRAGMA minisql_optimizations = 0",
        "PRAGMA minisql_fast_path = off",
        "VACUUM",
    ],
)
def test_what_changes_is_heard_of(change: str) -> None:
    pair = Pair()
    for _ in range(3):
        for query in QUERIES:
            pair.check(query)
    pair.run(change)
    for _ in range(3):
        for query in QUERIES:
            pair.check(query)


def test_detached_table() -> None:
    pair = Pair("ATTACH ':memory:' AS x; CREATE TABLE x.t1(pk INTEGER PRIMARY KEY, a, b, c, d); CREATE INDEX x.t1_b ON t1(b)")
    for _ in range(3):
        for query in QUERIES:
            pair.check(query)
    pair.run("CREATE TABLE t1(d, c, b, a, pk); CREATE INDEX t1_b ON t1(b); DETACH x")
    for query in QUERIES:
        pair.check(query)


def test_collation_is_redefined() -> None:
    pair = Pair("")
    for connection in pair.connections:
        connection.create_collation("mine", lambda x, y: (x > y) - (x < y))
    pair.run("CREATE TABLE t1(pk INTEGER PRIMARY KEY, a, b, c COLLATE mine, d); INSERT INTO t1 VALUES(1, 9, 4, 'xx', 1)")
    for compare in (lambda x, y: (x > y) - (x < y), lambda x, y: (x.lower() > y.lower()) - (x.lower() < y.lower()), None):
        for connection in pair.connections:
            connection.create_collation("mine", compare)
        for _ in range(3):
            for query in QUERIES:
                pair.check(query)


def test_authorizer_is_asked_each_time() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    for order in ("1", "2", "1 DESC"):
        connection.execute(f"SELECT pk, a FROM t1 {CONDITION} ORDER BY {order}").fetchall()
    heard: list[Any] = []

    def hear(*what: Any) -> int:
        heard.append(what)
        return 0

    connection.set_authorizer(hear)
    for order in ("2 DESC", "1, 2", "2, 1"):
        heard.clear()
        connection.execute(f"SELECT pk, a FROM t1 {CONDITION} ORDER BY {order}").fetchall()
        assert len(heard) > 5
    connection.set_authorizer(lambda *what: 1)
    with pytest.raises(minisql.DatabaseError, match="not authorized"):
        connection.execute(f"SELECT pk, a FROM t1 {CONDITION} ORDER BY 1, 2 DESC")


def test_one_alias_for_two_tables_and_names_as_they_are_written() -> None:
    pair = Pair(
        "CREATE TABLE p(Pk INTEGER PRIMARY KEY, A, b); CREATE INDEX pa ON p(a); CREATE TABLE q(pK INTEGER PRIMARY KEY, a, B); CREATE INDEX qa ON q(a);"
    )
    for _ in range(3):
        for order in ("", " ORDER BY 1", " ORDER BY 2 DESC", " ORDER BY b"):
            for table in ("p", "q", "p", "p"):
                pair.check(f"SELECT pk, a FROM {table} AS x WHERE x.a > 3 AND b < 4 AND 1 = 1{order}")
                pair.check(f"SELECT * FROM {table} AS x WHERE x.a > 3 AND b < 4 AND 1 = 1{order}")


def test_descriptions_are_asked_for_later() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    session = connection._session
    assert session is not None
    prepared = [
        session.prepare(f"SELECT {names} FROM t1 {CONDITION} ORDER BY {order}")[0]
        for names in ("pk, a", "d, c, *")
        for order in ("1", "2", "2 DESC", "1 DESC")
    ]
    assert [statement_.column_names for statement_ in prepared] == [("pk", "a")] * 4 + [
        ("d", "c", "pk", "a", "b", "c", "d")
    ] * 4


@pytest.mark.parametrize(
    "text",
    [
        "Z > 3 AND a > 0",
        "\"no such\" = 'x' AND a > 0",
        "nosuch > 3 AND a > 0",
        "(a, b) = (1, 2)",
        "(a, b) > 1 AND d = 3",
        "b COLLATE nosuch > 3",
        "true AND a > 1",
    ],
)
def test_names_that_are_no_columns(text: str) -> None:
    pair = Pair()
    for _ in range(2):
        for order in ("", " ORDER BY 1", " ORDER BY 2 DESC"):
            for results in ("pk, a", "a AS z, pk", "d AS z, c AS nosuch"):
                pair.check(f"SELECT {results} FROM t1 WHERE {text}{order}")
