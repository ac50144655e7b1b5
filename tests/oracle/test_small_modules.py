"""The modules csv, sqlite_dbpage, sqlite_stmt and completion, next to the official extensions and shell."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql

BINARIES = Path(apsw.__file__ or "").parent / "sqlite_extra_binaries"
CSV = [
    "data='a,b\n1,2\n3,4\n', header=yes",
    "data='a,b\n1,2\n3,4'",
    "data='a,b,c\n1\n3,4,5,6\n,\n\n', header",
    "data='a,\"b\"\"x\ny\",c\r\n1,\"\",\r\n\"q\",\"w\"\r\n'",
    "data='a,\"b\"x\n1,2\n'",
    "data='a,b\n1,\"2\n'",
    "data='a,b\n1,2\n\"x\"y,2\n5,6\n'",
    "data=''",
    "data='\n'",
    "data='a'",
    "filename='/nonexistent'",
    "",
    "data='a',filename='b'",
    "data='a',data='b'",
    "data='a',header=maybe",
    "data='a',header=1,header=2",
    "data='a',columns=0",
    "data='a',columns=3,columns=3",
    "data='a',columns=3",
    "data='a',columns='2'",
    "data='a',columns=2x",
    "data='a,b,c,d\n1,2,3,4\n1,2\n',columns=3,header",
    "data='a,b\n1,2\n',schema='create table x(p,q int,r)'",
    "data='a,b\n1,2\n',schema='create table x(p,q int,r)',columns=1",
    "data='a,b\n1,2\n',schema='create tabl x(p,q int,r)'",
    "data='a,b\n1,2',schema='create table x(a hidden,b)'",
    "data='a,b\n',schema=''",
    "data='a,b\n',schema='select 1'",
    "data='a,b\n1,2\n',zork=1",
    "data='a,b\n1,2\n',testflags=1",
    "data='a,b\n1,2\n', HEADER = off",
    "data=a,header=no",
    "data='a',header=on, header",
    "data='a\"b,c\n'",
    "data='a,b\n1,2\n', header, columns=-1",
    "data='\ufeffx,y\n1,2\n',header",
    "data='\ufeff\"x\",y\n1,2'",
    "data='a,a\n1,2\n',header",
    "data='a,\n1,2\n',header",
    "data='x','y'",
    "data='a''b,c\n'",
    "data='1,2\n3,'",
    "data='1,2\n3,\"\"'",
    "data='a,\"b\"\rx,c\n1,2,3\n'",
    "data='a\r\n\r\n\nb'",
    "data=' a , \"b\" \n'",
    "data=',,,'",
    'data="a,b",header="no"',
    "data='a'x",
    "data='a\nb',header = on",
    "filename='FILE',header=true ,schema='CREATE TABLE y(a,b)' ",
    "filename='FILE'",
]


def loaded(name: str) -> apsw.Connection:
    """An apsw connection with one of the official extensions."""
    connection = apsw.Connection(":memory:")
    connection.enable_load_extension(True)
    try:
        connection.load_extension(str(BINARIES / f"{name}.so"))
    except apsw.Error:
        pytest.skip(f"the extension {name} cannot be loaded")
    return connection


def outcome(connection: Any, sql: str, values: Any = ()) -> Any:
    """Rows, or the text of the error."""
    try:
        return connection.execute(sql, values).fetchall()
    except (minisql.Error, apsw.Error) as error:
        return str(error)


@pytest.fixture(scope="module")
def csv_pair() -> Any:
    ours = minisql.connect(":memory:", isolation_level=None)
    yield ours, loaded("csv")
    ours.close()


@pytest.mark.parametrize("arguments", CSV)
def test_csv_reads_as_the_extension_does(csv_pair: Any, arguments: str, tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_bytes(b'h1,h2\n1,2\n"x\ny",\xc3\xa9\x00z\n')
    arguments = arguments.replace("FILE", str(tmp_path / "file.csv"))
    for sql in (
        f"create virtual table temp.t using csv({arguments})",
        "select rowid, * from t",
        "select name, type, hidden from pragma_table_xinfo('t')",
        "select count(*) from t x, t y",
        "drop table t",
    ):
        assert outcome(csv_pair[0], sql) == outcome(csv_pair[1], sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select * from csv",
        "insert into t values(1, 2)",
        "delete from t",
        "explain query plan select * from t where c0=3",
        "select * from t where c0>1 order by c1 desc",
        "create index i on t(c0)",
    ],
)
def test_a_csv_table_is_read_only(csv_pair: Any, sql: str) -> None:
    for connection in csv_pair:
        connection.execute("create virtual table if not exists temp.t using csv(data='1,2\n3,4')")
    assert outcome(csv_pair[0], sql) == outcome(csv_pair[1], sql)


COMPLETIONS = [
    "select name, type, hidden from pragma_table_xinfo('completion')",
    "select phase, count(*) from completion('') group by 1",
    "select candidate, rowid from completion",
    "select candidate, phase from completion('co')",
    "select candidate, phase, prefix, wholeline, rowid from completion('t', 'select t')",
    "select distinct candidate from completion(null, 'select co')",
    "select candidate, phase from completion where phase>1",
    "select candidate from completion where prefix='tab'",
    "select candidate from completion(null, 'foo.ba')",
    "select candidate from completion('SEL')",
    "select candidate from completion(12)",
    "select candidate, phase from completion('e', 'x''y')",
    "create virtual table cc using completion",
    "insert into completion values('x')",
]


def test_completion_offers_the_words_of_the_extension() -> None:
    ours, theirs = minisql.connect(":memory:", isolation_level=None), loaded("completion")
    for sql in (
        "create table tab1(col_a, colb)",
        "create index i on tab1(colb)",
        "create view vv as select 1 as zz",
        "create trigger tr after insert on tab1 begin select 1; end",
        "attach ':memory:' as other",
        "create table other.tab2(colc)",
        *COMPLETIONS,
    ):
        assert (sql, outcome(ours, sql)) == (sql, outcome(theirs, sql))
    ours.close()


def test_statements_are_listed() -> None:
    ours, theirs = minisql.connect(":memory:", isolation_level=None), loaded("stmt")
    columns = "select name, hidden from pragma_table_xinfo('sqlite_stmt')"
    assert outcome(ours, columns) == outcome(theirs, columns)
    running = [connection.execute("values(1),(2)") for connection in (ours, theirs)]
    for cursor in running:
        next(cursor)
    for connection in (ours, theirs):
        shown = connection.execute("select sql, ncol, ro, busy, mem>0 from sqlite_stmt").fetchall()
        assert shown[0] == ("select sql, ncol, ro, busy, mem>0 from sqlite_stmt", 5, 1, 1, 1)
        assert ("values(1),(2)", 1, 1, 1, 1) in shown
    assert not minisql.connect(":memory:").execute("select * from sqlite_stmt where sql like 'values%'").fetchall()
    ours.close()


PAGES = """
select name, type, hidden, pk from pragma_table_xinfo('sqlite_dbpage')
create table t(a)
insert into t values(1),(2)
select pgno, length(data), schema from sqlite_dbpage
select rowid, length(data), schema from sqlite_dbpage('main') where pgno=2
select count(*) from sqlite_dbpage('nosuch')
select count(*) from sqlite_dbpage('temp')
select count(*) from sqlite_dbpage where pgno in (0, 1, 2, 3, '2', 2.0, -1)
delete from sqlite_dbpage where pgno=1
update sqlite_dbpage set pgno=5 where pgno=2
update sqlite_dbpage set data=x'00' where pgno=2
update sqlite_dbpage set data=null where pgno=2
update sqlite_dbpage set schema='aux' where pgno=2
insert into sqlite_dbpage values(3, zeroblob(4096), 'main')
insert into sqlite_dbpage(pgno, data) values(4, zeroblob(4096))
insert into sqlite_dbpage(pgno, data) values(0, zeroblob(4096))
insert into sqlite_dbpage(pgno, data) values(3, zeroblob(40))
insert into sqlite_dbpage(pgno, data) values(3, 'text')
insert into sqlite_dbpage(pgno, data, schema) values(3, zeroblob(4096), 'x')
select pgno from sqlite_dbpage
pragma page_count
insert into sqlite_dbpage(pgno, data) values(4, null)
pragma page_count
begin
update sqlite_dbpage set data=zeroblob(4096) where pgno=2
rollback
select * from t
update sqlite_dbpage set data=unhex(replace(hex(data), '0301020201020109', '0301020201020109')) where pgno=2
update sqlite_dbpage set data=substr(data, 1, 4090)||x'030102020107' where pgno=2
select rowid, * from t
""".strip().splitlines()


def test_pages_are_read_and_replaced_as_by_the_shell(tmp_path: Path) -> None:
    shell = BINARIES / "sqlite3_shell"
    if not shell.exists():
        pytest.skip("there is no official shell")
    ours = minisql.connect(tmp_path / "ours", isolation_level=None)
    shown: list[str] = []
    for sql in PAGES:
        result = outcome(ours, sql)
        rows = [result] if isinstance(result, str) else ["|".join("" if v is None else str(v) for v in row) for row in result]
        shown += [*rows, "--"]
    ours.close()
    theirs: list[str] = []
    for sql in PAGES:
        theirs_file = tmp_path / "theirs.sql"
        with theirs_file.open("a") as file:
            file.write(f"{sql};\n.print --\n")
    run = subprocess.run(
        [shell, "-unsafe-testing", tmp_path / "theirs"], input=theirs_file.read_bytes(), capture_output=True, timeout=60, check=False
    )
    theirs = run.stdout.decode().splitlines()
    errors = [line.split(": ", 1)[1] for line in run.stderr.decode().splitlines() if "line" in line and ": " in line]
    assert [line for line in shown if line not in errors] == theirs
    assert [line for line in shown if line in errors] == errors


def test_a_database_is_copied_page_by_page(tmp_path: Path) -> None:
    source = minisql.connect(tmp_path / "source", isolation_level=None)
    source.execute("create table t(a, b)")
    source.execute("create index i on t(b)")
    source.execute("insert into t select value, hex(randomblob(50)) from generate_series(1, 500)")
    target = minisql.connect(tmp_path / "target", isolation_level=None)
    target.execute("create table u(x)")
    target.execute("insert into u select randomblob(3000) from generate_series(1, 100)")
    pages = source.execute("select pgno, data from sqlite_dbpage").fetchall()
    target.execute("begin")
    target.executemany("insert into sqlite_dbpage(pgno, data, schema) values(?, ?, 'main')", pages)
    target.execute("insert into sqlite_dbpage(pgno, data) values(?, null)", (len(pages) + 1,))
    target.execute("commit")
    assert target.execute("select * from t").fetchall() == source.execute("select * from t").fetchall()
    assert target.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert target.execute("pragma page_count").fetchall() == [(len(pages),)]
    for connection in (source, target):
        connection.close()
    assert apsw.Connection(str(tmp_path / "target")).execute("pragma integrity_check").fetchall() == [("ok",)]
