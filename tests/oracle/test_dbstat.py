"""dbstat over the same file as SQLite reads it."""

import apsw

import minisql


def test_dbstat_reads_a_file_as_sqlite_does(tmp_path):
    path = str(tmp_path / "stat.db")
    theirs = apsw.Connection(path)
    theirs.execute(
        """pragma page_size = 512; create table t(a, b); create index ti on t(a, b); create table e(x);
        create table w(k primary key, v) without rowid;
        insert into t with recursive r(n) as (select 1 union all select n + 1 from r where n < 80)
            select n, hex(zeroblob(case when n % 10 = 0 then 700 + n else 20 end)) from r;
        insert into w select a, b from t; delete from t where a % 3 = 0;"""
    )
    ours = minisql.connect(path)
    for sql in (
        "select * from dbstat",
        "select * from dbstat('main', 1)",
        "select name, count(*), sum(payload), sum(unused) from dbstat group by name order by name",
        "select name, pgsize from dbstat where aggregate = 1 order by name",
        "select path from dbstat where name = 't' and pagetype = 'overflow'",
    ):
        assert ours.execute(sql).fetchall() == list(theirs.execute(sql)), sql
    ours.close()
    theirs.close()


def test_dbstat_of_a_database_in_memory_adds_up():
    connection = minisql.connect(":memory:")
    connection.executescript("create table t(a); create index i on t(a);")
    connection.executemany("insert into t values (?)", [(f"value {n}" * 20,) for n in range(500)])
    pages = connection.execute("pragma page_count").fetchone()[0]
    assert connection.execute("select count(*) from dbstat").fetchone()[0] == pages
