"""FTS3 and FTS4 under both engines: a script, queries over tables of every kind, random changes; files that the other one reads,
changes and checks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql
from tests.oracle.full_text import TOPICS

FOLDER = Path(__file__).parent / "fts3"
WORDS = ["one", "two", "three", "four", "five", "six", "onto", "twin", "thread", "running", "runs", "ran"]
QUERIES = FOLDER.joinpath("queries.txt").read_text(encoding="utf-8").split("\n")[:-1]
KINDS = {
    "plain": "fts4(a, b, c)",
    "old": "fts3(a, b, c)",
    "down": "fts4(a, b, c, order=desc, prefix='1')",
    "stem": "fts4(a, b, c, tokenize=porter, matchinfo=fts3)",
    "some": "fts4(a, b, c, tokenize=unicode61 \"tokenchars=-\", notindexed=b)",
}


def outcome(connection: Any, sql: str, values: tuple[Any, ...] = ()) -> Any:
    """Rows, or the text of the error."""
    try:
        return connection.execute(sql, values).fetchall()
    except (minisql.Error, apsw.Error) as error:
        return str(error)


def pair() -> tuple[Any, Any]:
    """A connection of each engine to an empty database."""
    return minisql.connect(":memory:", isolation_level=None), apsw.Connection(":memory:")


def same(ours: Any, theirs: Any, sql: str, values: tuple[Any, ...] = ()) -> Any:
    """Runs a statement on both, which must agree."""
    expected = outcome(theirs, sql, values)
    assert (sql, values, outcome(ours, sql, values)) == (sql, values, expected)
    return expected


def files(ours: Any, theirs: Any, folder: Path) -> Iterator[Any]:
    """A connection of each engine to the other one's file."""
    folder.joinpath("ours.db").write_bytes(ours.serialize())
    folder.joinpath("theirs.db").write_bytes(theirs.serialize("main"))
    yield apsw.Connection(str(folder / "ours.db"))
    yield minisql.connect(str(folder / "theirs.db"), isolation_level=None)


def test_tables_of_every_kind() -> None:
    ours, theirs = pair()
    for sql in FOLDER.joinpath("tables.sql").read_text(encoding="utf-8").splitlines():
        same(ours, theirs, sql)
    ours.close()


@pytest.fixture(scope="module")
def small() -> Any:
    """Rows with every combination of four words."""
    ours, theirs = pair()
    for connection in (ours, theirs):
        for name, arguments in KINDS.items():
            connection.execute(f"create virtual table {name} using {arguments}")
            for number in range(32):
                words = [word for place, word in enumerate("abcd") if number >> place & 1]
                values = (number + 1, " ".join(words), None if number % 5 else " ".join(reversed(words)), "b a" * (number > 15))
                connection.execute(f"insert into {name}(docid, a, b, c) values(?, ?, ?, ?)", values)
    yield ours, theirs
    ours.close()


@pytest.mark.parametrize("query", QUERIES)
def test_queries_find_the_same_rows(small: Any, query: str) -> None:
    ours, theirs = small
    for table in KINDS:
        for column, more in ((table, ""), ("b", " order by docid desc"), (table, " and docid between 5 and 20")):
            same(ours, theirs, f"select docid, a from {table} where {column} match ?{more}", (query,))
        if " OR " not in query and "NOT" not in query:
            for call in ("offsets(T)", "snippet(T), snippet(T,'[',']','..',-1,2)", "matchinfo(T), matchinfo(T,'pcsyb')"):
                same(ours, theirs, f"select docid, {call.replace('T', table)} from {table} where {table} match ?", (query,))
    same(ours, theirs, "select docid, matchinfo(plain, 'nalxy') from plain where plain match ?", (query,))


def text(source: random.Random, n: int) -> str:
    """Up to n words."""
    words = [source.choice(WORDS) for _ in range(source.randrange(0, n))]
    return source.choice(["", "  ", "(", "x-"]) + source.choice([" ", ",", "-"]).join(words) + source.choice(["", " ", "!"])


@pytest.mark.parametrize("seed", range(6))
def test_random_changes(seed: int, tmp_path: Path) -> None:
    """The same bytes in every shadow table; savepoints and conflicts included."""
    source = random.Random(seed)
    ours, theirs = pair()
    kind = KINDS[list(KINDS)[seed % len(KINDS)]]
    same(ours, theirs, f"create virtual table t using {kind}")
    for _ in range(150):
        docid = source.randrange(1, 70)
        action = source.randrange(12)
        if action < 5:
            values = (source.choice([None, docid]), text(source, 9), source.choice([None, 5, 2.5]), text(source, 60))
            same(ours, theirs, "insert into t(docid, a, b, c) values(?, ?, ?, ?)", values)
        elif action == 5:
            same(ours, theirs, "insert or replace into t(docid, b) values(?, ?)", (docid, text(source, 9)))
        elif action == 6:
            same(ours, theirs, "update t set a=? where docid=?", (text(source, 9), docid))
        elif action == 7:
            same(ours, theirs, "delete from t where docid=?", (docid,))
        elif action == 8:
            same(ours, theirs, "update or replace t set docid=? where docid=?", (source.randrange(1, 70), docid))
        elif action == 9:
            same(ours, theirs, "insert into t(t) values(?)", (source.choice(["optimize", "integrity-check", "rebuild"]),))
        same(ours, theirs, "select * from t_segdir")
    if kind.startswith("fts4"):
        same(ours, theirs, "select * from t_stat")
    for connection in files(ours, theirs, tmp_path):
        assert outcome(connection, "insert into t(t) values('integrity-check')") == []
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        connection.close()
    ours.close()


@pytest.mark.parametrize("seed", range(3))
def test_each_changes_the_others_file(seed: int, tmp_path: Path) -> None:
    """Small pages, so that segments have inner nodes; C merges step by step, we go on from there, and the other way round."""
    source = random.Random(seed)
    path = str(tmp_path / "shared.db")
    kind = ["fts4(a, b, prefix='2,4')", "fts4(a, b, order=desc, tokenize=porter)", "fts3(a, b)"][seed]
    shared = apsw.Connection(path)
    for sql in ("pragma page_size=512", f"create virtual table t using {kind}", "insert into t(t) values('automerge=2')"):
        shared.execute(sql)
    shared.close()
    rows: dict[int, tuple[str, str]] = {}
    for turn in range(8):
        connection: Any = minisql.connect(path, isolation_level=None) if turn % 2 else apsw.Connection(path)
        for _ in range(12):
            action = source.randrange(6)
            docid = source.choice(sorted(rows)) if rows and action < 3 else source.randrange(500)
            if action == 0 and docid in rows:
                connection.execute("delete from t where docid=?", (docid,))
                del rows[docid]
                continue
            rows[docid] = (source.choice(TOPICS), text(source, 5))
            connection.execute("insert or replace into t(docid, a, b) values(?, ?, ?)", (docid, *rows[docid]))
        if turn in (2, 3):
            connection.execute("insert into t(t) values('merge=6,2')")
        connection.execute("insert into t(t) values('integrity-check')")
        connection.close()
    ours, theirs = minisql.connect(path), apsw.Connection(path)
    assert {row[0]: row[1:] for row in same(ours, theirs, "select docid, a, b from t")} == rows
    for word in ("the", "of the", "obj*", '"of the"', "statement NEAR/3 the", "class NOT the", "run*"):
        same(ours, theirs, "select docid, snippet(t), offsets(t), matchinfo(t) from t where t match ?", (word,))
    assert theirs.execute("pragma integrity_check").fetchall() == ours.execute("pragma integrity_check").fetchall() == [("ok",)]
    ours.close()
    theirs.close()


def test_terms_and_tokens() -> None:
    ours, theirs = pair()
    for connection in (ours, theirs):
        connection.execute("create virtual table t using fts4(a, b, languageid=l)")
        connection.execute("create virtual table terms using fts4aux(t)")
        for number, topic in enumerate(TOPICS[:20]):
            connection.execute("insert into t(a, b, l) values(?, ?, ?)", (topic, topic[::-1], number % 2))
    for condition in ("", "where term='the'", "where term>'p'", "where term between 'a' and 'b'", "where languageid=1"):
        same(ours, theirs, f"select *, languageid from terms {condition}")
    for name, arguments in (
        ("simple", ""), ("porter", ""), ("unicode61", ""), ("unicode61", ", 'remove_diacritics=0', 'tokenchars=.x', 'separators=e'"),
        ("unicode61", ", 'remove_diacritics=2'"), ("simple", ", ' abc'"), ("simple", ", x, ' abc'"),
    ):  # fmt: skip
        table = f"tokens{len(arguments)}{name}"
        same(ours, theirs, f"create virtual table {table} using fts3tokenize({name}{arguments})")
        for topic in (*TOPICS[:40], "Über Ærøskøbing naïve ß ﬁ ǅ 中文字 x2b a_b " + "y" * 70 + " ab12345678cd, Ελλάδα", "", "1\u0301e\u0301"):
            same(ours, theirs, f"select token, start, end, position from {table} where input=?", (topic,))
    ours.close()
