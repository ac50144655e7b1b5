"""EXPLAIN QUERY PLAN words the steps as SQLite does, for plans that are the same."""

from __future__ import annotations

from collections.abc import Iterable

import apsw
import pytest

from minisql.engine.session import Session

_SCHEMA = (
    "create table a(k integer primary key, p int, q int, r text)",
    "create index ap on a(p)",
    "create index aqr on a(q, r desc)",
    "create unique index au on a(r)",
    "create table c(x)",
    "create table w(m int, n text, o int, primary key(m, n)) without rowid",
    "create index wo on w(o)",
    "create table l(b text)",
    "create index lb on l(b)",
    "create view v as select p, count(*) as n from a group by p",
)
_QUERIES = (
    "select 1",
    "values (1), (2)",
    "select * from c",
    "select * from a where k = 1",
    "select * from a where k > 3",
    "select k from a where k in (1, 2)",
    "select * from a where p = 5",
    "select k from a where p > 5 and p < 9",
    "select k from a where q = 1 and r > 'a'",
    "select k from a order by r",
    "select k from a order by k + 1",
    "select q, r from a order by q, r",
    "select p, count(*) from a group by p",
    "select q + 1, count(*) from a group by q + 1",
    "select distinct x from c",
    "select * from a where p = 5 or r = 'f'",
    "select * from c left join a on k = x",
    "select * from c where x = (select k from a)",
    "select * from c where x = (select k from a where p = x)",
    "select k from a union all select x from c",
    "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select * from t",
    "select count(*) from c",
    "select max(p) from a",
    "select min(x) from c",
    "select * from w where m = 1",
    "select * from w where o = 10",
    "select * from v where n > 1",
    "select x, row_number() over (order by x) from c",
    "select count(distinct x) from c",
    "select p, q from a order by p, q",
    "select k from a where p in (select 1)",
    "select b from l where b glob 'ab*'",
)


def _indented(rows: Iterable[tuple[int, int, int, str]]) -> list[str]:
    depths = {0: 0}
    lines = []
    for number, parent, _, detail in rows:
        depths[number] = depths[parent] + 1
        lines.append("  " * depths[parent] + detail)
    return lines


@pytest.mark.parametrize("sql", _QUERIES)
def test_plan_is_worded_as_in_sqlite(sql: str) -> None:
    connection = apsw.Connection(":memory:")
    session = Session(":memory:")
    for statement in _SCHEMA:
        connection.execute(statement)
        session.execute(statement)
    explain = f"explain query plan {sql}"
    assert _indented(session.execute(explain)) == _indented(connection.execute(explain))
