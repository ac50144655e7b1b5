"""What views, triggers and tables may use, under both engines: functions and virtual tables by `PRAGMA trusted_schema`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw
import pytest

import minisql

_OBJECTS = """
create table t(a, b)
create view v as select {f}(1) x
create view vv as select x from v
create temp view tv as select {f}(1)
create view va as select ua(1)
create view vo as select 1 from t where {f}(a)
create view vl as select 'a' like 'b', 'c' regexp 'd'
pragma trusted_schema = {trusted}
select * from v
select * from vv
select 1 from v
select * from va
select * from vo
select * from vl
select (select max(x) from v)
create table cc(a check({f}(a)))
insert into cc values(1)
create table gg(a, b as ({f}(a)))
insert into gg values(1)
select * from gg
create table dd(a default ({f}(1)))
insert into dd default values
insert into dd values(1)
create index ti on t({f}(a))
create index ti2 on t(a) where {f}(a)
insert into t values(1,2)
create trigger tr after insert on t begin select {f}(new.a); end
create temp trigger tr2 after update on t begin select {f}(new.a); end
insert into t values(1,2)
create trigger tr3 after delete on t when {f}(1) begin select 1; end
delete from t
""".strip().split("\n")

_TABLES = """
create table t(a, b)
create view e1 as select * from json_each(1)
create view e2 as select * from dbstat
create virtual table f using fts5(a)
create view e3 as select * from f
create virtual table r using rtree(a,b,c)
create view e4 as select * from r
create virtual table fv using fts5vocab(f,row)
create view e5 as select * from fv
create view e6 as select * from pragma_user_version
create temp view e7 as select * from dbstat
create trigger um1 after insert on t begin insert into f values('x'); end
create temp trigger um3 after update on t begin select * from dbstat; end
create temp trigger um4 after update of b on t begin delete from f; end
pragma trusted_schema = {trusted}
select count(*) > 0 from e1
select count(*) > 0 from e2
select count(*) > 0 from e3
select count(*) > 0 from e4
select count(*) >= 0 from e5
select count(*) > 0 from e6
select count(*) > 0 from e7
insert into t values(1,2)
update t set a=2
update t set b=2
delete from t
""".strip().split("\n")

_LATER = """
create {temp}table cc(a check(uf(a)), c check(uf(c)>0))
create {temp}table gg(a, b as (uf(a)))
create {temp}table gs(a, b as (uf(a)) stored)
create {temp}table t(a,b)
create index ti on t(uf(a))
create {temp}table t2(a,b)
create index ti2 on t2(a) where uf(a)
create {temp}table dd(a default (uf(1)))
pragma trusted_schema = {trusted}
insert into cc values(1,1)
insert into gg values(1)
select a from gg
select * from gg
select b from gg where a=1
update gg set a=2
insert into gs values(1)
select * from gs
update gs set a=2
insert into t values(1,2)
update t set b=2
update t set a=2
delete from t
select * from t where uf(a)=1
insert into t2 values(1,2)
insert into dd default values
insert into dd values(1)
delete from gg
""".strip().split("\n")


class _Count:
    def step(self, *_arguments: Any) -> None:
        """Takes a row in."""

    def finalize(self) -> int:
        return 1


def _answers_of_sqlite(statements: list[str]) -> Iterator[Any]:
    connection = apsw.Connection(":memory:", statementcachesize=0)
    connection.create_scalar_function("uf", lambda *_: 1, deterministic=True)
    connection.create_scalar_function("regexp", lambda *_: 1, deterministic=True)
    connection.create_aggregate_function("ua", lambda: ([], lambda *_: None, lambda _: 1))
    for sql in statements:
        try:
            yield list(connection.execute(sql))
        except apsw.Error as error:
            yield str(error), error.extendedresult, error.error_offset


def _answers_of_minisql(statements: list[str]) -> Iterator[Any]:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.create_function("uf", -1, lambda *_: 1, deterministic=True)
    connection.create_function("regexp", -1, lambda *_: 1, deterministic=True)
    connection.create_aggregate("ua", -1, _Count)
    for sql in statements:
        try:
            yield connection.execute(sql).fetchall()
        except minisql.Error as error:
            yield str(error), error.sqlite_errorcode, error.sqlite_offset
    connection.close()


@pytest.mark.parametrize("trusted", ("on", "off"))
@pytest.mark.parametrize("lines", (_OBJECTS, _TABLES, _LATER), ids=("objects", "virtual tables", "trust withdrawn"))
@pytest.mark.parametrize("variant", (0, 1))
def test_schema_text_is_trusted_as_by_sqlite(lines: list[str], trusted: str, variant: int) -> None:
    words = {"trusted": trusted, "f": ("uf", "load_extension")[variant], "temp": ("", "temp ")[variant]}
    statements = [line.format_map(words) for line in lines]
    for sql, wanted, got in zip(statements, _answers_of_sqlite(statements), _answers_of_minisql(statements), strict=True):
        assert got == wanted, sql
