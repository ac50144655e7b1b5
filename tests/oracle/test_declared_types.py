"""The declared types of result columns, as sqlite3_column_decltype gives them."""

import apsw
import pytest

from minisql.engine.session import Session

SCHEMA = [
    "create table t(a integer primary key, b text, c, d real)",
    "create table u(a int, e blob)",
    "insert into t values (1, 2, 3, 4)",
    "create view v as select a, b, c from t union select a, e, 1 from u",
    "create view w as select a + 1 as x, c as y, (select d from t) as z from t",
]
QUERIES = [
    "select * from t",
    "select rowid, _rowid_, a, +b from t",
    "select (select b from t), (select rowid from u), (select (select b from u) from t)",
    "select c from t union select b from t",
    "select b from t union select c from t",
    "select * from v",
    "select * from w",
    "select * from (select a, b from t union all select e, 1 from u)",
    "select * from (values (1, 2))",
    "with recursive r(x, y) as (select a, b from t union all select x + 1, y from r where x < 2) select * from r",
    "select * from t full join u using (a)",
    "select (select b from t union select a from u)",
    "select x from (select (select b from t) as x)",
    "insert into t(b) values (1) returning a, b, b + 1, rowid, (select d from t)",
    "update t set b = 1 returning *, rowid",
    "delete from u returning *",
]


def sqlite_types(connection: apsw.Connection, sql: str) -> list[str | None]:
    found: list[str | None] = []

    def note(cursor: apsw.Cursor, text: str, bindings: object) -> bool:
        found.extend(declared for _, declared in cursor.get_description())
        return True

    connection.exec_trace = note
    list(connection.execute(sql))
    connection.exec_trace = None
    return found


@pytest.mark.parametrize("sql", QUERIES)
def test_declared_types(sql: str) -> None:
    connection, session = apsw.Connection(":memory:"), Session(":memory:")
    for statement in SCHEMA:
        connection.execute(statement)
        session.execute(statement)
    assert session.prepare(sql)[0].declared_types == sqlite_types(connection, sql)
