"""Bad input to full-text tables: what is no search, no option or no setting has SQLite's rows or SQLite's error, letter for letter.

Searches are strings of pieces of the grammar, put together without regard for it; `python -m tests.oracle.test_malformed_searches N`
tries N of each kind.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

import apsw
import pytest

import minisql

SEARCH_PIECES = (
    "one", "two", "three", "o*", "*", '"one two"', '"', '""', "(", ")", "AND", "OR", "NOT", "NEAR", "NEAR(one two)",
    "NEAR(one two, 3)", "NEAR(", "NEAR/2", "NEAR/", "a:", "b :", "{a b}:", "{a", "}", "-a:", "- {a b} :", "^", "^one", "+", " + ",
    ",", "nosuch:", "a", "ü", "1", "one.two", "-", "-one", "not", "and", ":", "t:", "\x00", "'", "3", "99999999999", '"a""b"', '"x*"',
    '"on"*', '"on" *', "rowid:", "; ", "[", "NEAR(one, 3)", "NEAR(one two, x)", 'NEAR("one two" three,)', "{}:", "{a:}",
)  # fmt: skip
KINDS = {
    "fts5": "fts5(a, b)",
    "fts5 by column": "fts5(a, b, detail=column)",
    "fts5 by row": "fts5(a, b, detail=none)",
    "trigram": "fts5(a, b, tokenize=trigram)",
    "fts4": "fts4(a, b)",
    "fts3": "fts3(a, b, tokenize=porter)",
}
ROWS = [("one two three", "a b"), ("two one", "one"), ("o on one", "x ü 1"), ("one.two", "a"), ("three three two", "nosuch not and near")]
FTS5_ARGUMENTS = (
    "a", "b", '"a b"', "a UNINDEXED", "b unindexed", "rank", "rowid", "t", "prefix=2", 'prefix="2 3"', "prefix='0'", "prefix=1000",
    "prefix=x", "tokenize=porter", "tokenize='unicode61 remove_diacritics 2'", "tokenize='unicode61 x'", "tokenize=nosuch", "tokenize",
    "content=", 'content=""', "content='c'", "content=c", "content_rowid=id", "columnsize=0", "columnsize=2", "columnsize=x",
    "detail=full", "detail=none", "detail=col", "detail=x", "contentless_delete=1", "contentless_delete=2", "contentless_unindexed=1",
    "nosuch=1", "a b c", "", '"', "a=", "=1", "locale=1", "locale=2", "tokendata=1", "tokenize = 'ascii'", 'a"b', "'a'", "[a b]",
    "`x`", "a UNINDEXED x", "1", "-", "prefix='2,3'", "insttoken=1",
)  # fmt: skip
FTS4_ARGUMENTS = (
    "a", "b", '"a b"', "a text", "rank", "docid", "t", "prefix=2", 'prefix="2,3"', "prefix='0'", 'prefix="x"', "tokenize=porter",
    "tokenize=simple x", 'tokenize=unicode61 "remove_diacritics=2"', 'tokenize=unicode61 "x"', "tokenize=nosuch", "tokenize",
    "content=", 'content=""', "content='c'", 'content="c"', "matchinfo=fts3", "matchinfo=fts4", "matchinfo=x", "order=asc",
    "order=DESC", "order=x", "compress=hex", "uncompress=hex", "languageid=lid", "notindexed=a", "notindexed=nosuch", "nosuch=1",
    "", '"', "a=", "=1", "langid", 'a"b', "'a'", "[a b]",
)  # fmt: skip
COMMANDS = (
    "rebuild", "optimize", "merge", "merge=1,2", "merge=4", "merge=x", "automerge", "automerge=4", "automerge=x", "crisismerge",
    "pgsz", "hashsize", "rank", "usermerge", "secure-delete", "delete", "delete-all", "integrity-check", "flush", "nosuch", "",
    "deletemerge", "delete automerge", "OPTIMIZE", "insttoken", "integrity-check=1", None, "nodesize=500", "maxpending=10",
)  # fmt: skip
VALUES = (
    None, 0, 1, -1, 4, 16, 17, 65, 100, "x", "5", " 64 ", "4.0", 4.0, "bm25()", "bm25(1,2)", "nosuch()", "bm25(", "", 1.5, b"x", 10**12,
    64 * 1024, 1 << 40, -16,
)  # fmt: skip
Asked = tuple[str, tuple[Any, ...]]


def answer(connection: Any, sql: str, values: tuple[Any, ...]) -> list[str] | str:
    """The rows in any order, or the text of the error."""
    try:
        return sorted(repr(tuple(row)) for row in connection.execute(sql, values).fetchall())
    except (apsw.Error, minisql.Error) as error:
        return str(error).removeprefix("SQLError: ")


def pair() -> tuple[Any, Any]:
    """A connection to each engine."""
    return apsw.Connection(":memory:"), minisql.connect(":memory:", isolation_level=None)


def searches(source: random.Random, n: int) -> Iterator[Asked]:
    """Random searches, some of another type than text."""
    for _ in range(n):
        text: Any = "".join(source.choice(SEARCH_PIECES) + source.choice((" ", " ", "", "")) for _ in range(source.randrange(1, 7)))
        if source.random() < 0.05:
            text = source.choice((text.encode(), None, 5, 1.5))
        yield f"SELECT rowid FROM t WHERE {source.choice('tb')} MATCH ?", (text,)


def tables(source: random.Random) -> Iterator[Asked]:
    """A table of random arguments, a row, commands and settings."""
    module = source.choice(("fts5", "fts4", "fts3"))
    pool = FTS5_ARGUMENTS if module == "fts5" else FTS4_ARGUMENTS
    picked = [source.choice(pool) if source.random() < 0.6 else source.choice("abcdefg") for _ in range(source.randrange(5))]
    yield "CREATE TABLE c(id INTEGER PRIMARY KEY, a, b)", ()
    yield f"CREATE VIRTUAL TABLE t USING {module}({', '.join(picked)})", ()
    yield "SELECT name FROM sqlite_master", ()
    yield "INSERT INTO t(rowid, a) VALUES(1, 'one two')", ()
    for _ in range(4):
        command = source.choice(COMMANDS)
        if module == "fts5":
            yield "INSERT INTO t(t, rank) VALUES(?, ?)", (command, source.choice(VALUES))
        else:
            yield "INSERT INTO t(t) VALUES(?)", (command,)
    if module == "fts5":
        yield "SELECT * FROM t_config", ()
    yield "SELECT * FROM t WHERE t MATCH 'one'", ()


def compare(asked: Iterator[Asked], both: tuple[Any, Any]) -> int:
    """Asks both engines and returns how many answers were rows."""
    n_rows = 0
    for sql, values in asked:
        expected, found = (answer(connection, sql, values) for connection in both)
        assert found == expected, (sql, values)
        n_rows += isinstance(expected, list)
        if sql.startswith("CREATE VIRTUAL") and isinstance(expected, str):
            break
    return n_rows


@pytest.mark.parametrize("kind", KINDS)
def test_searches_of_random_pieces(kind: str, n: int = 250, seed: int = 5) -> None:
    both = pair()
    for connection in both:
        connection.execute(f"CREATE VIRTUAL TABLE t USING {KINDS[kind]}")
        connection.executemany("INSERT INTO t(a, b) VALUES(?, ?)", ROWS)
    n_rows = compare(searches(random.Random(seed), n), both)
    assert 0 < n_rows < n, "both searches and what is none"


def test_tables_of_random_arguments_and_commands(n: int = 120, seed: int = 5) -> None:
    source = random.Random(seed)
    for _ in range(n):
        compare(tables(source), pair())


COLUMN_AND_SIGN = [f"a:{sign}{behind}" for sign in '"()' for behind in ("", " ", " x", ";", "1", '"', '""', "(", "))", "; ;", ";x;")]


@pytest.mark.parametrize("text", COLUMN_AND_SIGN)
def test_fts4_goes_on_behind_a_column_without_a_word_if_no_word_follows(text: str) -> None:
    both = pair()
    for connection in both:
        connection.execute("CREATE VIRTUAL TABLE t USING fts4(a, b)")
        connection.executemany("INSERT INTO t(a, b) VALUES(?, ?)", ROWS)
    compare(iter([("SELECT rowid FROM t WHERE t MATCH ?", (f"{before}{text}",)) for before in ("", "one ", "(one ")]), both)


if __name__ == "__main__":
    for name in KINDS:
        test_searches_of_random_pieces(name, int(sys.argv[1]), random.randrange(1 << 30))
        print(name, "ok", flush=True)
    test_tables_of_random_arguments_and_commands(int(sys.argv[1]), random.randrange(1 << 30))
    print("arguments and commands ok")
