"""Databases in UTF-16: text order, casts, temporary and attached databases, and what SQLite reads of them."""

import sqlite3

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


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize("units", [(0xDFFF, 0xFFFE), (0xD800, 0x41), (0x41, 0xD800), (0xDC00, 0xE9, 0x20AC), (0xDBFF, 0x20AC, 0)])
def test_surrogates_out_of_place_read_as_sqlite_reads_them(tmp_path, encoding, units):
    path = str(tmp_path / "t.db")
    other = apsw.Connection(path)
    list(other.execute(f"PRAGMA encoding = '{encoding}'; CREATE TABLE t(a)"))
    raw = b"".join(unit.to_bytes(2, "little" if encoding == "utf-16le" else "big") for unit in units)
    other.execute("INSERT INTO t VALUES (?)", (raw,))
    other.close()
    data = bytearray((tmp_path / "t.db").read_bytes())
    size = data[16] << 8 | data[17]
    data[size + (data[size + 8] << 8 | data[size + 9]) + 3] += 1  # the serial type: text in place of a blob
    (tmp_path / "t.db").write_bytes(data)
    mine = minisql.connect(path)
    mine.text_factory = bytes
    theirs = sqlite3.connect(path)
    theirs.text_factory = bytes
    try:
        assert mine.execute("SELECT a FROM t").fetchall() == theirs.execute("SELECT a FROM t").fetchall()
    finally:
        mine.close()
        theirs.close()
