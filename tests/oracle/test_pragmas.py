"""PRAGMAs against SQLite 3.54.1: descriptions of a schema, settings, checks, in both of their forms."""

import apsw
import pytest

import minisql

SCHEMA = """
create table t(a int primary key, b text collate nocase default 'x' not null, c as (a + 1), d real default 2.5, unique(b, d));
create index i on t(b desc, c);
create unique index j on t(a || b, lower(b) collate rtrim) where b > 1;
create table f(x references t(a) on delete cascade on update set null deferrable initially deferred, y,
    foreign key(x, y) references t(a, b));
create view v as select a, b from t;
create view v2(p, q, r, s, u) as select a, b || 'x', d, count(*), sum(d) from t;
create table w(p, q integer, r text, s real, primary key(q desc, p)) without rowid;
create index wi on w(r collate nocase, p);
create table au(id integer primary key autoincrement, z default current_timestamp);
create table st(a int, b any, c text primary key) strict;
create trigger tr after insert on t begin select 1; end;
insert into au(z) values (1);
insert into t(a, b, d) values (1, 2, 3);
insert into w values (1, 2, 3, 4);
"""
TABLES = ["t", "f", "w", "au", "st", "v", "v2", "sqlite_schema", "sqlite_sequence", "nope"]
INDEXES = ["i", "j", "wi", "sqlite_autoindex_t_1", "sqlite_autoindex_t_2", "sqlite_autoindex_w_1", "sqlite_autoindex_st_1", "w", "t", "nope"]
STATEMENTS = [
    *(f"pragma {name}({table})" for name in ("table_info", "table_xinfo", "index_list", "foreign_key_list") for table in TABLES),
    *(f"pragma {name}({index})" for name in ("index_info", "index_xinfo") for index in INDEXES),
    "select name, pk from pragma_table_info('t') where pk > 0",
    "select m.name, i.name from sqlite_schema m, pragma_index_list(m.name) i order by 1, 2",
    "select arg, schema from pragma_table_info('t')",
    "select * from pragma_table_info('t', 'main')",
    "select * from pragma_table_info('t', 'nope')",
    "select * from pragma_nope",
    "pragma database_list",
    "pragma collation_list",
    "pragma main.user_version = 7",
    "pragma user_version",
    "pragma user_version = -3",
    "pragma user_version",
    "pragma application_id = 0x10",
    "pragma application_id",
    "pragma nope.user_version",
    "pragma no_such_pragma",
    "pragma no_such_pragma = 1",
    "pragma page_size",
    "pragma encoding",
    "pragma encoding = 'nope'",
    "pragma auto_vacuum",
    "pragma journal_mode",
    "pragma journal_mode = off",
    "pragma journal_mode = wal",
    "pragma locking_mode",
    "pragma locking_mode = x",
    "pragma synchronous",
    "pragma synchronous = 1",
    "pragma synchronous",
    "pragma cache_size",
    "pragma cache_size = -100",
    "pragma cache_size",
    "pragma foreign_keys",
    "pragma foreign_keys = maybe",
    "pragma foreign_keys = on",
    "pragma foreign_keys",
    "begin",
    "pragma foreign_keys = off",
    "pragma foreign_keys",
    "pragma synchronous = 2",
    "pragma temp_store = 2",
    "commit",
    "pragma defer_foreign_keys = 1",
    "pragma defer_foreign_keys",
    "pragma recursive_triggers = yes",
    "pragma recursive_triggers",
    "pragma busy_timeout = -5",
    "pragma busy_timeout = 20",
    "pragma max_page_count = 5000",
    "pragma journal_size_limit = 100",
    "pragma secure_delete = fast",
    "pragma wal_autocheckpoint = 10",
    "pragma wal_checkpoint",
    "pragma freelist_count",
    "pragma data_version",
    "pragma mmap_size",
    "pragma query_only = 1",
    "insert into au(z) values (2)",
    "pragma query_only = 0",
    "pragma integrity_check",
    "pragma integrity_check(t)",
    "pragma quick_check",
    "pragma foreign_key_check",
    "pragma foreign_key_check(nope)",
    "analyze",
    "select tbl, idx, stat from sqlite_stat1 order by 1, 2",
    "analyze nope",
    "reindex",
    "reindex t",
    "reindex nocase",
    "reindex nope",
    "vacuum",
    "pragma integrity_check",
    "create temp table tt(a)",
    "pragma database_list",
    "drop table tt",
    "pragma database_list",
    "attach ':memory:' as x",
    "create table x.z(a)",
    "pragma x.table_info(z)",
    "pragma database_list",
    "attach ':memory:' as X",
    "detach nope",
    "detach main",
    "detach x",
    "select * from z",
    "pragma case_sensitive_like = 1",
    "select 'a' like 'A'",
    "pragma case_sensitive_like = 0",
    "select 'a' like 'A'",
]


def run(connection, errors, sql):
    try:
        return list(connection.execute(sql))
    except errors as error:
        return str(error)


@pytest.fixture(scope="module")
def connections():
    theirs = apsw.Connection(":memory:")
    ours = minisql.connect(":memory:", isolation_level=None, timeout=0)
    theirs.execute(SCHEMA)
    ours.executescript(SCHEMA)
    yield theirs, ours
    ours.close()


@pytest.mark.parametrize(("number", "sql"), list(enumerate(STATEMENTS)), ids=lambda value: str(value)[:40])
def test_pragma(connections, number, sql):
    theirs, ours = connections
    assert run(ours, minisql.Error, sql) == run(theirs, apsw.Error, sql)


def test_schema_of_a_file_that_sqlite_wrote(tmp_path):
    path = str(tmp_path / "theirs.db")
    theirs = apsw.Connection(path)
    theirs.execute(SCHEMA)
    ours = minisql.connect(path)
    for sql in STATEMENTS[: 4 * len(TABLES) + 2 * len(INDEXES)]:
        assert run(ours, minisql.Error, sql) == run(theirs, apsw.Error, sql)
    ours.close()
    theirs.close()


def test_files_that_minisql_wrote_are_sound(tmp_path):
    path = str(tmp_path / "ours.db")
    ours = minisql.connect(path, isolation_level=None)
    ours.executescript(SCHEMA)
    ours.execute("insert into au(z) with recursive r(n) as (select 1 union all select n + 1 from r where n < 500) select n from r")
    for change in ("pragma page_size = 1024", "vacuum", "pragma journal_mode = wal", "delete from au where id % 2", "vacuum"):
        ours.execute(change).fetchall()
    theirs = apsw.Connection(path)
    assert list(theirs.execute("pragma integrity_check")) == [("ok",)]
    assert list(theirs.execute("pragma page_size")) == [(1024,)]
    assert list(theirs.execute("select count(*) from au")) == ours.execute("select count(*) from au").fetchall()
    theirs.close()
    ours.execute("pragma journal_mode = delete").fetchall()
    ours.execute("vacuum into ?", (str(tmp_path / "copy.db"),))
    ours.close()
    copy = apsw.Connection(str(tmp_path / "copy.db"))
    assert list(copy.execute("pragma integrity_check")) == [("ok",)]
    copy.close()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copy.db", "ours.db"]


def test_description_without_rows():
    connection = minisql.connect(":memory:")
    cursor = connection.execute("pragma table_info(nope)")
    assert [column[0] for column in cursor.description] == ["cid", "name", "type", "notnull", "dflt_value", "pk"]
    assert connection.execute("pragma foreign_keys = 1").description is None


def damaged_file(path):
    """A file whose indexes and constraints do not fit its rows: rows were changed while the schema did not know of them."""
    connection = apsw.Connection(path)
    connection.execute(
        """create table t(a integer primary key, b text not null, c int, d unique, check (c < 10));
        create index i on t(b); create index ip on t(c) where c > 2; create index ie on t(b || c);
        create table w(x text primary key, y) without rowid; create index wy on w(y); create table s(a int, b text) strict;
        insert into t values (1, 'x', 1, 1), (2, 'y', 5, 2); insert into w values ('a', 1), ('b', 2); insert into s values (1, 'x');
        pragma writable_schema = 1;
        create temp table saved as select * from sqlite_schema where type = 'index' and sql is not null;
        delete from sqlite_schema where type = 'index' and sql is not null;
        update sqlite_schema set sql = 'create table t(a integer primary key, b text, c int, d unique)' where name = 't';
        update sqlite_schema set sql = 'create table s(a, b)' where name = 's';
        pragma writable_schema = reset;
        insert into t values (3, null, 50, 3), (4, 'z', 7, 4); delete from t where a = 1;
        insert into w values ('c', 3); insert into s values ('q', 5);
        pragma writable_schema = 1;
        insert into sqlite_schema select * from saved;
        update sqlite_schema set sql = 'create table t(a integer primary key, b text not null, c int, d unique, check (c < 10))'
            where name = 't';
        update sqlite_schema set sql = 'create table s(a int, b text) strict' where name = 's';"""
    )
    connection.close()


def test_integrity_check_finds_what_sqlite_finds(tmp_path):
    path = str(tmp_path / "damaged.db")
    damaged_file(path)
    theirs = apsw.Connection(path)
    ours = minisql.connect(path)
    for sql in ("pragma integrity_check", "pragma quick_check"):
        # SQLite goes through the tables in the order of a hash table.
        assert sorted(ours.execute(sql)) == sorted(theirs.execute(sql))
    for sql in ("pragma integrity_check(t)", "pragma quick_check(s)", "pragma integrity_check(w)"):
        assert ours.execute(sql).fetchall() == list(theirs.execute(sql))
    assert len(ours.execute("pragma integrity_check(3)").fetchall()) == 3
    ours.execute("reindex")
    ours.commit()
    assert ours.execute("pragma integrity_check(w)").fetchall() == list(theirs.execute("pragma integrity_check(w)"))
    ours.close()
    theirs.close()


@pytest.mark.parametrize("argument", ["", "(-1)", "(0x10002)", "(0x10000)", "(0xfffe)", "(2)"])
def test_optimize_analyzes_what_has_no_statistics(argument):
    outcomes = []
    for connection in (apsw.Connection(":memory:"), minisql.connect(":memory:", isolation_level=None)):
        for sql in (
            "create table t(a, b)",
            "create index i on t(a)",
            "create table n(x)",
            "create table e(y)",
            "create index ei on e(y)",
            "create table w(k primary key, v) without rowid",
            "insert into t with recursive r(n) as (select 1 union all select n + 1 from r where n < 100) select n % 7, n from r",
            "insert into n values (1)",
            "insert into w values (1, 2)",
        ):
            connection.execute(sql)
        rows = sorted(connection.execute(f"pragma optimize{argument}"))
        has_statistics = list(connection.execute("select 1 from sqlite_schema where name = 'sqlite_stat1'"))
        statistics = sorted(connection.execute("select tbl, stat from sqlite_stat1")) if has_statistics else None
        outcomes.append((rows, statistics))
    assert outcomes[1] == outcomes[0]


def test_mmap_size_is_kept_for_each_file(tmp_path):
    statements = (
        "pragma mmap_size", "pragma mmap_size = 65536", "pragma mmap_size", "pragma mmap_size = -1", "pragma mmap_size",
        "pragma mmap_size = 99999999999", "pragma main.mmap_size = 7", "pragma mmap_size", "pragma temp.mmap_size",
        "attach '{folder}/x.db' as x", "pragma x.mmap_size", "pragma x.mmap_size = 4096", "pragma mmap_size",
        "pragma mmap_size = 'abc'", "pragma x.mmap_size",
    )  # fmt: skip
    for name in ("a.db", ":memory:"):
        answers = []
        for folder, connect in ((tmp_path / "theirs", apsw.Connection), (tmp_path / "ours", minisql.connect)):
            folder.mkdir(exist_ok=True)
            connection = connect(name if name == ":memory:" else str(folder / name))
            answers.append([connection.execute(sql.format(folder=folder)).fetchall() for sql in statements])
            connection.close()
        assert answers[0] == answers[1]
