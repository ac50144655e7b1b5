"""bytecode and tables_used: SQLite's documented rules, as no build of the oracle has them; and the counters of sqlite_stmt.

Source: https://www.sqlite.org/bytecodevtab.html, https://www.sqlite.org/stmt.html.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import minisql
from minisql.engine.session import Session

SCHEMA = """
create table t(a primary key, b);
create table log(x);
create table w(p primary key, q) without rowid;
create index wi on w(q);
create table parent(i integer primary key);
create table child(r references parent on delete cascade);
create index child_r on child(r);
create trigger "Noted" after insert on t begin insert into log values(new.a); end;
create temp table tt(x);
attach ':memory:' as other;
create table other.far(x unique);
pragma foreign_keys=on;
"""
USED = [
    ("select 1", []),
    ("select b from t", [("table", "main", "t", 0, None)]),
    ("select * from t x, t y", [("table", "main", "t", 0, None)]),
    ("select p from w where q=1", [("index", "main", "wi", 0, None)]),
    ("select * from w where p=1", [("table", "main", "w", 0, None)]),
    ("select x from tt", [("table", "temp", "tt", 0, None)]),
    ("select x from far where x=1", [("index", "other", "sqlite_autoindex_far_1", 0, None)]),
    ("select name from sqlite_schema", [("table", "main", "sqlite_master", 0, None)]),
    ("select name from sqlite_temp_schema", [("table", "temp", "sqlite_temp_master", 0, None)]),
    ("delete from log", [("table", "main", "log", 1, None)]),
    (
        "insert into t select x, x from tt",
        [
            ("index", "main", "sqlite_autoindex_t_1", 1, None),
            ("table", "main", "log", 1, "Noted"),
            ("table", "main", "t", 1, None),
            ("table", "temp", "tt", 0, None),
        ],
    ),
    ("update t set b=1", [("table", "main", "t", 1, None)]),
    ("select 1; not looked at", []),
]


@pytest.fixture
def ours() -> Iterator[minisql.Connection]:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    yield connection
    connection.close()


@pytest.mark.parametrize(("sql", "used"), USED, ids=[sql for sql, _ in USED])
def test_trees_of_a_statement(ours: minisql.Connection, sql: str, used: list[tuple[object, ...]]) -> None:
    rows = ours.execute("select * from tables_used(?) order by type, schema, name", (sql,)).fetchall()
    assert rows == used


def test_actions_of_foreign_keys_are_sub_programs(ours: minisql.Connection) -> None:
    rows = set(ours.execute("select type, name, wr, subprog from tables_used('delete from parent')"))
    assert ("table", "parent", 1, None) in rows
    assert {("table", "child", 1, "(FK)"), ("index", "child_r", 1, "(FK)")} <= rows
    assert ours.execute("select count(*) from parent").fetchone() == (0,)


def test_bytecode_is_what_explain_shows(ours: minisql.Connection) -> None:
    for sql in ("select b from t where a=1", "insert into t values(1,2)", "delete from parent", "select * from bytecode(?1)"):
        explained = ours.execute(f"explain {sql}", (None,) if "?" in sql else ()).fetchall()
        shown = ours.execute("select addr, opcode, p1, p2, p3, p4, p5, comment from bytecode(?)", (sql,)).fetchall()
        assert [row[:2] for row in shown] == [row[:2] for row in explained]
        assert "delete" in sql or shown == explained  # EXPLAIN asks for the actions' registers in another order
    rows = ours.execute("select distinct subprog, nexec, ncycle from bytecode('insert into t values(1,2)')").fetchall()
    assert rows == [(None, 0, 0), ("Noted", 0, 0)]
    assert ours.execute("select count(*) from t").fetchone() == (0,)


def test_columns(ours: minisql.Connection) -> None:
    names = "select group_concat(name || ' ' || type || iif(hidden, ' hidden', ''), ', ') from pragma_table_xinfo(?)"
    assert ours.execute(names, ("bytecode",)).fetchone() == (
        "addr INT, opcode TEXT, p1 INT, p2 INT, p3 INT, p4 TEXT, p5 INT, comment TEXT, subprog TEXT, nexec INT, ncycle INT, "
        "stmt  hidden",
    )
    assert ours.execute(names, ("tables_used",)).fetchone() == (
        "type TEXT, schema TEXT, name TEXT, wr INT, subprog TEXT, stmt  hidden",
    )


def test_statements_of_a_table(ours: minisql.Connection) -> None:
    """The argument may come from a row of another table, so the tables a schema's views read can be asked for."""
    ours.executescript("create view v1 as select b from t; create view v2 as select 1; create view v3 as select x from log")
    rows = ours.execute(
        "select s.name, u.name from sqlite_schema s, tables_used('select * from ' || s.name) u where s.type='view' order by 1, 2"
    ).fetchall()
    assert rows == [("v1", "t"), ("v3", "log")]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select * from bytecode", "no query solution"),
        ("select * from tables_used", "no query solution"),
        ("select * from bytecode('nonsense')", "argument to bytecode() is not a valid SQL statement"),
        ("select * from tables_used('select * from missing')", "argument to tables_used() is not a valid SQL statement"),
        ("select * from bytecode(' -- nothing')", "argument to bytecode() is not a valid SQL statement"),
        ("select * from bytecode(1)", "argument to bytecode() is not a valid SQL statement"),
        ("select * from tables_used(null)", "argument to tables_used() is not a valid SQL statement"),
        ("delete from bytecode where stmt='select 1'", "table bytecode may not be modified"),
        ("create virtual table x using tables_used", "no such module: tables_used"),
    ],
)
def test_errors(ours: minisql.Connection, sql: str, message: str) -> None:
    with pytest.raises(minisql.OperationalError, match=f"^{message.replace('(', '[(]').replace(')', '[)]')}$"):
        ours.execute(sql).fetchall()


def test_runs_and_recompilations_are_counted_as_the_extension_does() -> None:
    theirs = apsw.Connection(":memory:")
    theirs.enable_load_extension(True)
    theirs.load_extension(str(Path(apsw.__file__ or "").parent / "sqlite_extra_binaries" / "stmt.so"))
    session = Session(":memory:")
    session.execute("create table t(a, b)")
    theirs.execute("create table t(a, b)")
    select, insert, gathered = "select a from t", "insert into t values(?, ?)", "insert into t values(?, ?+1)"
    rows = [(1, 2), (3, 4), (5, 6)]
    kept = {sql: session.prepare(sql)[0] for sql in (select, insert, gathered)}
    for turn in range(2):
        for _ in range(3):
            assert list(kept[select].start()) == theirs.execute(select).fetchall()
        kept[insert].run_many(rows)
        theirs.executemany(insert, rows)
        session.execute("begin")
        theirs.execute("begin")
        kept[gathered].run_many(rows, [(rows, None, None)])
        theirs.executemany(gathered, rows)
        session.execute("commit")
        theirs.execute("commit")
        counters = (
            "select sql, busy, naidx, reprep, run from sqlite_stmt where sql like 'select a%' or sql like 'ins%' order by 1"
        )
        found = session.execute(counters)
        assert found == theirs.execute(counters).fetchall()
        session.execute(f"create table other{turn}(x)")
        theirs.execute(f"create table other{turn}(x)")
    assert found == [(insert, 0, 0, 1, 7), (gathered, 0, 0, 1, 7), (select, 0, 0, 1, 7)]
    session.close()
