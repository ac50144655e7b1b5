"""One Python module under both engines: what best_index is asked, what filter gets, the rows, and the changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw
import pytest

import minisql
from minisql.vtab import EQ, LIMIT, OFFSET, UNKNOWN, Cursor, IndexInfo, Module, VirtualTable
from tests.fakes.virtual import register

ROWS = [(i, i * 10, f"x{i % 3}") for i in range(6)]


class Logged(VirtualTable):
    """Six rows; uses every equality but leaves the checking to the engine."""

    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def best_index(self, info: IndexInfo) -> bool | None:
        asked = []
        for constraint in info.constraints:
            asked.append((constraint.column, constraint.operator, constraint.is_usable))
            if constraint.is_usable and constraint.operator == EQ:
                info.index_number += 1
                constraint.argument = info.index_number
        self.log.append((asked, list(info.order_by)))
        info.index_string = "abc" if info.index_number else None
        info.estimated_cost = 1000 / (info.index_number + 1)
        return None

    def open(self) -> Cursor:
        return LoggedCursor(self.log)


class LoggedCursor(Cursor):
    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def scan(self, number: int, string: str | None, arguments: Sequence[Any], columns: Sequence[int]) -> Iterator[Any]:
        if ("filter", number, string, tuple(arguments)) not in self.log[-1:]:
            self.log.append(("filter", number, string, tuple(arguments)))
        for place, row in enumerate(ROWS):
            yield tuple([place + 100 if column < 0 else row[column] for column in columns])


class LoggedModule(Module):
    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def connect(self, owner: Any, *names: Any) -> tuple[str, VirtualTable]:
        return "CREATE TABLE x(a INT, b, c TEXT)", Logged(self.log)


SELECTS = """
select * from t
select a from t where a=3
select * from t where b>20 and c='x1'
select * from t where a in (1,2,5)
select * from t where a in (select 2 union select 4)
select rowid, a from t where rowid=103
select * from t order by a desc, c
select * from t order by a+1
select u.k, t.b from u join t on t.a=u.k
select u.k, t.b from t, u where t.a=u.k and t.c=u.v
select * from u left join t on t.b=u.v
select count(*), max(a) from t where b>10
select * from t where a between 2 and 4
select * from t where b<>10 and a is not 3
select distinct c from t
select c, count(*) from t group by c
select * from t t1, t t2 where t1.a=t2.a and t2.b=10
select * from t where (a,b)=(1,10)
select * from t where a=(select 3)
select * from t where c match 'x'
select * from t where a is 3
select * from t where 3=a
select * from t where a=b
select * from t where +a=3
select * from t where a='3'
select * from t where c=1
select * from t natural join u
select * from u where exists (select 1 from t where t.a=u.k)
select rowid from t where rowid in (101, 102, 999)
""".strip().splitlines()


@pytest.fixture(scope="module")
def pair() -> Any:
    ours_log: list[Any] = []
    theirs_log: list[Any] = []
    ours = minisql.connect(":memory:")
    theirs = apsw.Connection(":memory:")
    ours.create_module("m", LoggedModule(ours_log))
    register(theirs, "m", LoggedModule(theirs_log))
    for sql in ("create virtual table t using m", "create table u(k, v)", "insert into u values(1,'x1'),(2,'x2'),(3,30)"):
        ours.execute(sql)
        theirs.execute(sql)
    yield ours, ours_log, theirs, theirs_log
    ours.close()
    theirs.close()


def outcome(connection: Any, sql: str) -> Any:
    """Rows, or the text of the error."""
    try:
        return connection.execute(sql).fetchall()
    except (minisql.Error, apsw.Error) as error:
        return str(error)


@pytest.mark.parametrize("sql", SELECTS)
def test_a_module_is_asked_and_filtered_as_by_sqlite(pair: Any, sql: str) -> None:
    ours, ours_log, theirs, theirs_log = pair
    ours_log.clear()
    theirs_log.clear()
    assert outcome(ours, sql) == outcome(theirs, sql)
    assert [entry for entry in ours_log if entry[0] != "filter"] == [entry for entry in theirs_log if entry[0] != "filter"]
    assert set(entry for entry in ours_log if entry[0] == "filter") == set(
        entry for entry in theirs_log if entry[0] == "filter"
    )


class Greedy(VirtualTable):
    """Six rows; takes all that it is offered, as far as `takes` says: e equalities, l whole lists, c LIMIT and OFFSET, o order,
    x omits."""

    def __init__(self, log: list[Any], takes: str) -> None:
        self.log = log
        self.takes = takes

    def best_index(self, info: IndexInfo) -> bool | None:
        asked = []
        takes = self.takes
        place = 0
        plan = []
        for constraint in info.constraints:
            is_count = constraint.operator in (LIMIT, OFFSET)
            column = 0 if is_count else constraint.column
            value = None if constraint.value is UNKNOWN else constraint.value
            asked.append((column, constraint.operator, constraint.is_usable, value, constraint.is_in))
            is_sorted = not info.order_by or "o" in takes
            if constraint.is_usable and (is_sorted or not is_count) and ("c" if is_count else "e") in takes and (is_count or constraint.operator == EQ):
                place += 1
                constraint.argument = place
                constraint.omit = "x" in takes
                constraint.wants_all = constraint.is_in and "l" in takes
                plan.append(f"{column}:{constraint.operator}:{int(constraint.wants_all)}")
        self.log.append((asked, list(info.order_by), info.distinct))
        info.is_ordered = "o" in takes
        order = [f"{column}:{int(is_descending)}" for column, is_descending in info.order_by if info.is_ordered]
        info.index_string = " ".join(plan) + "|" + " ".join(order)
        info.estimated_cost = 1000 / (place + 1)
        return None

    def open(self) -> Cursor:
        return GreedyCursor(self.log)


class GreedyCursor(Cursor):
    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def scan(self, number: int, string: str | None, arguments: Sequence[Any], columns: Sequence[int]) -> Iterator[Any]:
        shown = tuple(sorted(value, key=str) if isinstance(value, (tuple, set)) else value for value in arguments)
        if ("filter", string, repr(shown)) not in self.log[-1:]:
            self.log.append(("filter", string, repr(shown)))
        rows = [(place, *row) for place, row in enumerate(ROWS)]
        offset, limit = 0, len(rows)
        constraints, _bar, order = (string or "").partition("|")
        for part in reversed(order.split()):
            rows.sort(key=lambda row: row[int(part.split(":")[0]) + 1], reverse=part.endswith("1"))
        for part, value in zip(constraints.split(), arguments):
            column, operator, is_list = map(int, part.split(":"))
            if operator == OFFSET:
                offset = value
            elif operator == LIMIT:
                limit = value
            else:
                wanted = tuple(value) if is_list else (value,)
                rows = [row for row in rows if row[column + 1] in wanted]
        for row in rows[offset:][: None if limit < 0 else limit + offset]:
            yield tuple([row[column + 1] for column in columns])


class GreedyModule(Module):
    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def connect(self, owner: Any, name: str, schema: str, table: str, arguments: Any) -> tuple[str, VirtualTable]:
        return "CREATE TABLE x(a INT, b, c TEXT)", Greedy(self.log, arguments[0])


COUNTED = """
select a from t limit 2
select a from t limit 2 offset 1
select a from t limit 2 offset 0
select a from t limit -1 offset 2
select a from t limit 1+1 offset 1
select a from t where a=3 limit 1
select a from t where c='x1' limit 1 offset 1
select a from t where c='x1' and b>0 limit 1
select a from t where c='x1' and b+0>0 limit 1
select a from t where a in (1,2,5) limit 2
select a from t where a in (1,2,5) limit 1 offset 1
select a from t where a in (1,2,5) and c='x1' limit 1
select a from t where a in (select 1 union select 4) limit 1
select a from t where a not in (1,2) limit 1
select a from t order by a limit 2
select a from t order by a desc limit 2 offset 1
select a from t order by a desc, b limit 2
select a from t order by a+0 limit 2
select a from t order by a collate nocase limit 2
select a from t order by a nulls last limit 2
select a from t order by b nulls first limit 2
select distinct c from t limit 2
select distinct c from t order by c limit 2
select c, count(*) from t group by c limit 1
select count(*) from t limit 1
select max(a) from t limit 1
select a from t, u where a=k limit 1
select a from t left join u on a=k limit 1
select a from (select a from t limit 3) limit 2
select a from (select a, b from t where c='x1') limit 1
select a from t where a=1 or b=20 limit 1
select a from t where a between 1 and 4 limit 2
select a from t where c like 'x1' limit 1
select a from t where c match 'x1' limit 1
select a from t where a is 3 limit 1
select a from t where a is not null limit 1
select a from t where a is null limit 1
select a from t where a=b limit 1
select a from t where 3=a limit 1
select a from t where (a,b)=(1,10) limit 1
select a from t where a=(select 3) limit 1
select a from t where rowid=2 limit 1
select a from t where a<>1 limit 2
select k, (select a from t where t.a=u.k limit 1) from u
select k from u where k in (select a from t limit 2)
select a from t where true limit 1
select a from t where a=1 and true limit 1
select a, row_number() over () from t limit 2
select c, a from t order by c, a
select a from t group by a order by a desc
select distinct a, b from t
select distinct a from t order by b
""".strip().splitlines()
TAKES = ["c", "ec", "exc", "elc", "elcx", "eco", "elcxo", "el", "eo"]


@pytest.fixture(scope="module")
def greedy() -> Any:
    ours_log: list[Any] = []
    theirs_log: list[Any] = []
    ours = minisql.connect(":memory:")
    theirs = apsw.Connection(":memory:")
    ours.create_module("m", GreedyModule(ours_log))
    register(theirs, "m", GreedyModule(theirs_log))
    statements = ["create table u(k, v)", "insert into u values(1,'x1'),(2,'x2'),(3,30)"]
    statements += [f"create virtual table t{takes} using m({takes})" for takes in TAKES]
    for sql in statements:
        ours.execute(sql)
        theirs.execute(sql)
    yield ours, ours_log, theirs, theirs_log
    ours.close()
    theirs.close()


@pytest.mark.parametrize("takes", TAKES)
@pytest.mark.parametrize("sql", COUNTED)
def test_limits_lists_and_orders_are_handed_over_as_by_sqlite(greedy: Any, sql: str, takes: str) -> None:
    ours, ours_log, theirs, theirs_log = greedy
    ours_log.clear()
    theirs_log.clear()
    sql = sql.replace(" t ", f" t{takes} t ").replace(" t)", f" t{takes} t)").replace(" t,", f" t{takes} t,")
    sql = f"{sql[:-2]} t{takes} t" if sql.endswith(" t") else sql
    assert outcome(ours, sql) == outcome(theirs, sql)
    assert ours_log == theirs_log


class Stored(VirtualTable):
    """A dict of rows that takes part in transactions."""

    def __init__(self, log: list[Any]) -> None:
        self.log = log
        self.rows: dict[int, Any] = {}
        self.saved: dict[int, Any] = {}
        self.points: dict[int, Any] = {}

    def open(self) -> Cursor:
        return StoredCursor(self)

    def update_insert_row(self, rowid: Any, values: Any) -> int:
        rowid = rowid or max(self.rows, default=0) + 1
        self.log.append(("insert", rowid, values))
        self.rows[rowid] = values
        return rowid

    def update_delete_row(self, rowid: int) -> None:
        self.log.append(("delete", rowid))
        del self.rows[rowid]

    def update_change_row(self, rowid: int, new_rowid: int, values: Any) -> None:
        self.log.append(("change", rowid, new_rowid, values))
        del self.rows[rowid]
        self.rows[new_rowid] = values

    def begin(self) -> None:
        self.log.append("begin")
        self.saved = dict(self.rows)

    def sync(self) -> None:
        self.log.append("sync")

    def commit(self) -> None:
        self.log.append("commit")

    def rollback(self) -> None:
        self.log.append("rollback")
        self.rows = self.saved

    def rename(self, name: str) -> bool:
        self.log.append(("rename", name))
        return True

    def destroy(self) -> None:
        self.log.append("destroy")


class StoredCursor(Cursor):
    def __init__(self, table: Stored) -> None:
        self.table = table

    def scan(self, number: int, string: str | None, arguments: Sequence[Any], columns: Sequence[int]) -> Iterator[Any]:
        for rowid, row in sorted(self.table.rows.items()):
            yield tuple([rowid if column < 0 else row[column] for column in columns])


class StoredModule(Module):
    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def connect(self, owner: Any, *names: Any) -> tuple[str, VirtualTable]:
        self.log.append(("connect", *names))
        return "CREATE TABLE x(a, b, c HIDDEN)", Stored(self.log)


CHANGES = """
create virtual table t using m(1, 'two words', three)
insert into t values(1,2)
insert into t(a,c) values(1,2)
insert into t(rowid,a) values(5,2)
select changes()
insert into t values(1,2),(3,4) returning *, rowid
select rowid, *, c from t
delete from t where a=1
select changes()
update t set a=a+5, b=rowid
select rowid, * from t
update t set rowid=9 where a=7
begin
insert into t values(8,8)
rollback
select * from t
insert into t values(1,2) on conflict do nothing
delete from t returning a
update t set a=1 returning a
create trigger g after insert on t begin select 1; end
create index i on t(a)
alter table t add column x
alter table t rename column a to z
insert into t default values
insert into t values(1)
update t set zz=1
insert into t select a, b from t
update t set a=u.x from (select 1 as x) u
select rowid, * from t
select type, name, tbl_name, rootpage, sql from sqlite_schema
select name, hidden from pragma_table_xinfo('t')
create virtual table t using m
create virtual table if not exists t using m
drop table t
select * from t
create virtual table q using nomodule(1)
""".strip().splitlines()


def test_changes_and_transactions_reach_the_module_as_from_sqlite() -> None:
    ours_log: list[Any] = []
    theirs_log: list[Any] = []
    ours = minisql.connect(":memory:", isolation_level=None)
    theirs = apsw.Connection(":memory:")
    ours.create_module("m", StoredModule(ours_log))
    register(theirs, "m", StoredModule(theirs_log))
    for sql in CHANGES:
        assert (sql, outcome(ours, sql)) == (sql, outcome(theirs, sql))
        assert (sql, ours_log) == (sql, theirs_log)
    ours.close()


class Broken(VirtualTable):
    def __init__(self, what: str) -> None:
        self.what = what

    def best_index(self, info: IndexInfo) -> bool | None:
        if self.what == "plan":
            raise ValueError("no plan today")
        if self.what == "malfunction":
            for constraint in info.constraints:
                constraint.argument = 7
        return False if self.what == "constraint" else None

    def open(self) -> Cursor:
        if self.what == "open":
            raise ValueError("no cursor today")
        return BrokenCursor(self.what)


class BrokenCursor(Cursor):
    def __init__(self, what: str) -> None:
        self.what = what

    def scan(self, number: int, string: str | None, arguments: Sequence[Any], columns: Sequence[int]) -> Any:
        if self.what == "value":
            return [([],) * len(columns)]
        if self.what == "width":
            return [(1,) * (len(columns) + 1)]
        if self.what == "integer":
            return [(1 << 63,) * len(columns)]
        if self.what == "rows":
            raise ValueError("no rows today")
        return [(1,) * len(columns)]


class BrokenModule(Module):
    def connect(self, owner: Any, module: str, schema: str, table: str, arguments: Sequence[str]) -> Any:
        if arguments == ("connect",):
            raise ValueError("no table today")
        if arguments == ("declaration",):
            return "CREATE TABLEX", VirtualTable()
        if arguments == ("nothing",):
            return None, VirtualTable()
        return "CREATE TABLE x(a, b)", Broken(arguments[0] if arguments else "")


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("plan", "no plan today"),
        ("open", "no cursor today"),
        ("rows", "no rows today"),
        ("value", "a virtual table returned a value of type list"),
        ("width", "a row of a virtual table has 4 values instead of 3"),
        ("integer", "integer overflow"),
        ("malfunction", "t.xBestIndex malfunction"),
        ("constraint", "no query solution"),
    ],
)
def test_nonsense_from_a_module_is_an_error(what: str, text: str) -> None:
    connection = minisql.connect(":memory:")
    connection.create_module("m", BrokenModule())
    connection.execute(f"create virtual table t using m({what})")
    connection.execute("create table kept(x)")
    with pytest.raises(minisql.OperationalError, match=f"^{text}$"):
        connection.execute("select rowid, * from t where a=1").fetchall()
    assert connection.execute("select name from sqlite_schema").fetchall() == [("t",), ("kept",)]
    connection.close()


@pytest.mark.parametrize(
    ("what", "text"),
    [("connect", "no table today"), ("nothing", "vtable constructor did not declare schema: t")],
)
def test_a_module_that_cannot_make_a_table_leaves_none(what: str, text: str) -> None:
    connection = minisql.connect(":memory:")
    connection.create_module("m", BrokenModule())
    with pytest.raises(minisql.OperationalError, match=f"^{text}$"):
        connection.execute(f"create virtual table t using m({what})")
    assert connection.execute("select * from sqlite_schema").fetchall() == []
    connection.close()
