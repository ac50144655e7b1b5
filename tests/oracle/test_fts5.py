"""FTS5 under both engines: a script, a table of queries, random changes; files that the other one reads and checks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql

FOLDER = Path(__file__).parent / "fts5"
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
QUERIES = FOLDER.joinpath("queries.txt").read_text(encoding="utf-8").split("\n")[:-1]


def outcome(connection: Any, sql: str, values: tuple[Any, ...] = ()) -> Any:
    """Rows, or the text of the error."""
    try:
        return connection.execute(sql, values).fetchall()
    except (minisql.Error, apsw.Error) as error:
        return str(error)


def pair() -> tuple[Any, Any]:
    """A connection of each engine to an empty database."""
    return minisql.connect(":memory:", isolation_level=None), apsw.Connection(":memory:")


def check_each_other(ours: Any, theirs: Any, folder: Path) -> None:
    """Each engine's integrity checks pass on the other's file."""
    folder.joinpath("ours.db").write_bytes(ours.serialize())
    folder.joinpath("theirs.db").write_bytes(theirs.serialize("main"))
    for connection in (apsw.Connection(str(folder / "ours.db")), minisql.connect(str(folder / "theirs.db"))):
        tables = connection.execute("select name from sqlite_schema where sql like 'create virtual table%fts5(%'").fetchall()
        assert tables
        for (name,) in tables:
            assert (name, outcome(connection, f"insert into {name}({name}) values('integrity-check')")) == (name, [])
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        connection.close()


def test_tables_of_every_kind(tmp_path: Path) -> None:
    ours, theirs = pair()
    for sql in FOLDER.joinpath("tables.sql").read_text(encoding="utf-8").splitlines():
        assert (sql, outcome(ours, sql)) == (sql, outcome(theirs, sql))
    check_each_other(ours, theirs, tmp_path)
    ours.close()


@pytest.fixture(scope="module")
def filled() -> Any:
    ours, theirs = pair()
    source = random.Random(5)
    rows = [
        tuple(" ".join(source.choice(WORDS) for _ in range(source.randrange(1, 9))) for _ in range(3)) for _ in range(120)
    ]
    for connection in (ours, theirs):
        for name, options in (
            ("full", ""), ("columns", ", detail=column"), ("bare", ", detail=none"), ("short", ", prefix='1 2'"),
        ):  # fmt: skip
            connection.execute(f"create virtual table {name} using fts5(a, b, c{options})")
            connection.executemany(f"insert into {name} values(?, ?, ?)", rows)
    yield ours, theirs
    ours.close()


@pytest.mark.parametrize("query", QUERIES)
def test_queries_find_the_same_rows(filled: Any, query: str) -> None:
    ours, theirs = filled
    for table in ("full", "columns", "bare", "short"):
        for columns in (
            f"rowid, bm25({table}), bm25({table}, 2, 0.5)",
            f"highlight({table}, 0, '[', ']'), highlight({table}, 2, '<', '>')",
            f"snippet({table}, -1, '[', ']', '...', 3), snippet({table}, 1, '[', ']', '...', 5)",
            "rowid, rank",
        ):
            order = " order by rank" if "rank" in columns else ""
            sql = f"select {columns} from {table} where {table} match ?{order}"
            assert (sql, outcome(ours, sql, (query,))) == (sql, outcome(theirs, sql, (query,)))
        sql = f"select rowid from {table} where b match ?"
        assert outcome(ours, sql, (query,)) == outcome(theirs, sql, (query,))


@pytest.mark.parametrize("seed", range(6))
def test_random_changes(seed: int, tmp_path: Path) -> None:
    """Inserts, updates, deletes, savepoints, merges on small pages, so that doclists span many of them."""
    source = random.Random(seed)
    ours, theirs = pair()
    options = source.choice(["", ", detail=column", ", detail=none", ", prefix='2'", ", columnsize=0", ", tokenize=porter"])
    words = WORDS + [f"w{number}" for number in range(60)]

    def both(sql: str, values: tuple[Any, ...] = ()) -> Any:
        expected = outcome(theirs, sql, values)
        assert (sql, outcome(ours, sql, values)) == (sql, expected)
        return expected

    both(f"create virtual table t using fts5(a, b{options})")
    both("insert into t(t, rank) values('pgsz', ?)", (source.choice([40, 100, 4050]),))
    for _ in range(150):
        text = " ".join(source.choice(words) for _ in range(source.randrange(0, 40)))
        other = source.choice([None, 5, 2.5, "x y", text[:20]])
        rowid = source.randrange(1, 60)
        action = source.randrange(12)
        if action < 5:
            both("insert into t(rowid, a, b) values(?, ?, ?)", (source.choice([None, rowid]), text, other))
        elif action == 5:
            both("insert or replace into t(rowid, a) values(?, ?)", (rowid, text))
        elif action == 6:
            both("update t set a=? where rowid=?", (text, rowid))
        elif action == 7:
            both("delete from t where rowid=?", (rowid,))
        elif action == 8:
            both(source.choice(["begin", "commit", "rollback", "savepoint s", "release s", "rollback to s"]))
        elif action == 9:
            both(f"insert into t(t) values('{source.choice(['optimize', 'integrity-check', 'flush'])}')")
        elif action == 10:
            both("update t set rowid=? where rowid=?", (source.randrange(1, 60), rowid))
        query = " ".join(source.sample(words, 2)) if source.random() < 0.5 else source.choice(words)[:2] + "*"
        both("select rowid, rank from t where t match ? order by rank", (query,))
    both("commit")
    both("select rowid, * from t")
    both("insert into t(t) values('integrity-check')")
    check_each_other(ours, theirs, tmp_path)
    ours.close()


def test_a_file_is_changed_by_both_in_turn(tmp_path: Path) -> None:
    path = str(tmp_path / "shared.db")
    source = random.Random(3)
    ours, theirs = minisql.connect(path, isolation_level=None), apsw.Connection(path)
    ours.execute("create virtual table t using fts5(a, prefix=2)")
    for number in range(60):
        connection = source.choice([ours, theirs])
        text = " ".join(source.choice(WORDS) for _ in range(source.randrange(1, 200)))
        if source.random() < 0.7:
            connection.execute("insert into t values(?)", (text,))
        elif source.random() < 0.5:
            connection.execute("delete from t where rowid=?", (source.randrange(1, number + 2),))
        else:
            connection.execute("update t set a=? where rowid=?", (text, source.randrange(1, number + 2)))
        if not number % 10:
            connection.execute("insert into t(t) values('merge')" if number % 20 else "insert into t(t) values('optimize')")
        query = source.choice(WORDS)[:2] + "*"
        sql = "select rowid, rank from t where t match ?"
        assert outcome(ours, sql, (query,)) == outcome(theirs, sql, (query,))
    for connection in (ours, theirs):
        connection.execute("insert into t(t) values('integrity-check')")
        connection.close()


@pytest.mark.parametrize("options", ["", "prefix='2'", "detail=none", "detail=column"])
def test_secure_delete_leaves_nothing_of_a_row(options: str, tmp_path: Path) -> None:
    path = tmp_path / "main.db"
    ours = minisql.connect(path, isolation_level=None)
    ours.execute(f"CREATE VIRTUAL TABLE t USING fts5(a, {options})" if options else "CREATE VIRTUAL TABLE t USING fts5(a)")
    ours.execute("INSERT INTO t(t, rank) VALUES('pgsz', 64)")
    for rowid in range(60):
        ours.execute("INSERT INTO t(rowid, a) VALUES(?, ?)", (rowid, f"common word{rowid} zebra{rowid % 2}"))
    ours.execute("INSERT INTO t(t, rank) VALUES('secure-delete', 1)")
    ours.execute("DELETE FROM t WHERE rowid=17")
    ours.execute("UPDATE t SET a='common new' WHERE rowid=23")
    ours.execute("INSERT OR REPLACE INTO t(rowid, a) VALUES(29, 'common newer')")
    ours.close()
    theirs = apsw.Connection(str(path))
    theirs.execute("INSERT INTO t(t) VALUES('integrity-check')")
    theirs.execute("CREATE VIRTUAL TABLE words USING fts5vocab(t, instance)")
    if not options.startswith("detail"):
        assert theirs.execute("SELECT count(*) FROM words WHERE doc IN (17, 23, 29)").get == 4
    words = {row[0] for row in theirs.execute("SELECT term FROM words")}
    assert words == {f"word{rowid}" for rowid in range(60) if rowid not in (17, 23, 29)} | {
        "common", "zebra0", "zebra1", "new", "newer",
    }  # fmt: skip
    assert theirs.execute("SELECT v FROM t_config WHERE k='version'").get == 5
    theirs.execute("DELETE FROM t")
    assert theirs.execute("SELECT count(*) FROM words").get == 0


@pytest.mark.parametrize("options", ["", ", content='', contentless_delete=1"])
def test_last_insert_rowid_behind_each_change(options: str) -> None:
    ours, theirs = minisql.connect(":memory:", isolation_level=None), apsw.Connection(":memory:")
    for connection in (ours, theirs):
        connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(a{options})")
    for sql in (
        "INSERT INTO t(rowid, a) VALUES(5, 1)",
        "INSERT INTO t(a) VALUES(2)",
        "UPDATE t SET a=3 WHERE rowid=5",
        "UPDATE t SET rowid=9, a=4 WHERE rowid=5",
        "INSERT OR REPLACE INTO t(rowid, a) VALUES(9, 1)",
    ):
        found = []
        for connection in (ours, theirs):
            connection.execute(sql)
            found.append(connection.execute("SELECT last_insert_rowid(), changes()").fetchall())
        assert found[0] == found[1], sql
