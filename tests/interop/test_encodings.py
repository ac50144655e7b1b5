"""Databases in UTF-16: text order, casts, temporary and attached databases, and what SQLite reads of them."""

import apsw
import pytest

import minisql
from minisql.errors import OperationalError

TEXTS = ["a", "é€\U0001f600", "\uffffx", "", "z\u0000y"]


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_utf16_database(tmp_path, encoding):
    path = str(tmp_path / "main.db")
    ours = minisql.connect(path, isolation_level=None)
    ours.execute(f"pragma encoding = '{encoding}'")
    ours.execute("create table t(a unique, b)")
    ours.executemany("insert into t values (?, ?)", [(text, number) for number, text in enumerate(TEXTS)])
    ours.execute("create temp table copy as select a from t")
    ours.execute("attach ? as other", (str(tmp_path / "other.db"),))
    ours.execute("create table other.z as select a from copy")
    theirs = apsw.Connection(path)
    theirs.execute("attach ? as other", (str(tmp_path / "other.db"),))
    for sql in (
        "pragma encoding",
        "select a from t order by a",
        "select a, hex(cast(a as blob)), hex(a), length(a) from t order by b",
        "select cast(x'6100e900' as text), b from t where a > 'a' order by a desc",
        "select a from other.z order by a",
        "pragma other.encoding",
        "pragma integrity_check",
    ):
        assert ours.execute(sql).fetchall() == list(theirs.execute(sql)), sql
    ours.close()
    theirs.close()


def test_encodings_must_agree(tmp_path):
    path = str(tmp_path / "utf8.db")
    other = minisql.connect(path)
    other.execute("create table t(a)")
    other.close()
    connection = minisql.connect(":memory:")
    connection.execute("pragma encoding = 'UTF-16'")
    connection.execute("create table t(a)")
    with pytest.raises(OperationalError, match="attached databases must use the same text encoding as main database"):
        connection.execute("attach ? as other", (path,))
    assert [row[1] for row in connection.execute("pragma database_list")] == ["main"]
