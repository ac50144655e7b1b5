"""Files written by SQLite are read here, files written here are read by SQLite: every page size, encoding and reserve."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from minisql.errors import BUSY, CORRUPT, NOTADB, READONLY, Error
from minisql.storage.btree import BtreeFile
from minisql.storage.check import integrity_check
from minisql.storage.image import deserialize, serialize
from minisql.storage.vfs import MemoryVfs
from minisql.values.collation import BINARY, NOCASE, built_in_collations
from minisql.values.compare import record_sort_key
from minisql.values.shape import KeyShape, RowShape

TABLE = "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d)"
SQL = [
    TABLE,
    "CREATE INDEX i1 ON t(b)",
    "CREATE INDEX i2 ON t(c DESC, b)",
    "CREATE INDEX i3 ON t(d)",
    "CREATE INDEX i4 ON t(b COLLATE NOCASE, d)",
]
ROW = RowShape(4, 0, (), (2,))
COLUMNS = [(1, 0), (2, 1, 0), (3, 0), (1, 3, 0)]
SCHEMA = RowShape(5)


def key_shapes(binary: object = BINARY) -> list[KeyShape]:
    """The shapes of the four indexes."""
    b = binary
    return [
        KeyShape(2, 2, (b, b), (False, False)),  # type: ignore[arg-type]
        KeyShape(3, 3, (b, b, b), (True, False, False), (0,)),  # type: ignore[arg-type]
        KeyShape(2, 2, (b, b), (False, False)),  # type: ignore[arg-type]
        KeyShape(3, 3, (NOCASE, b, b), (False, False, False)),  # type: ignore[arg-type]
    ]


def make_rows(n: int, seed: int) -> list[tuple[object, ...]]:
    """Rows of all classes, some larger than a page."""
    r = random.Random(seed)
    rows: list[tuple[object, ...]] = []
    for i in range(n):
        text = r.choice([None, "é" * r.randrange(5), f"Word{r.randrange(40)}", "long" * r.randrange(200)])
        if r.random() < 0.02:
            text = "huge" * 20000
        real = r.choice([None, 1.0, -2.5, float(r.randrange(1 << 50)), 1e200, 0.1])
        other = r.choice([None, i, -(1 << 63), (1 << 63) - 1, 1.5, "text", bytes(r.randrange(30)), b"b" * 5000])
        rows.append((i * 3 - 50, text, real, other))
    return rows


def write_here(path: str | None, page_size: int, rows: list[tuple[object, ...]], encoding: str = "utf-8") -> BtreeFile:
    """A database with one table and four indexes, written by this engine."""
    file = BtreeFile.open(path, page_size=page_size)
    file.encoding = encoding
    file.begin_read()
    file.begin_write()
    file.encoding = encoding
    file.set_meta(2, 4)
    binary = built_in_collations({"utf-8": 1, "utf-16le": 2, "utf-16be": 3}[encoding])["BINARY"]
    root = file.create_tree(True)
    table = file.table_cursor(root, ROW)
    schema = file.table_cursor(1, SCHEMA)
    schema.insert(1, ("table", "t", "t", root, SQL[0]))
    indexes = []
    for number, shape in enumerate(key_shapes(binary)):
        index_root = file.create_tree(False)
        schema.insert(number + 2, ("index", f"i{number + 1}", "t", index_root, SQL[number + 1]))
        indexes.append(file.index_cursor(index_root, shape))
    shuffled = rows[:]
    random.Random(5).shuffle(shuffled)
    for row in shuffled:
        table.insert(row[0], row)  # type: ignore[arg-type]
        for cursor, columns in zip(indexes, COLUMNS, strict=True):
            cursor.insert(tuple(row[column] for column in columns))
    file.set_meta(1, 1)
    file.commit()
    file.end_read()
    return file


def read_here(file: BtreeFile, binary: object = BINARY) -> list[tuple[object, ...]]:
    """All rows; checks structure and that every index has the rows in its order."""
    file.begin_read()
    schema = file.table_cursor(1, SCHEMA)
    roots = {row[1]: row[3] for _, rows, _ in schema.leaves() for row in rows}
    assert integrity_check(file, [1, *roots.values()]) == []  # type: ignore[list-item]
    rows = [row for _, rows, _ in file.table_cursor(roots["t"], ROW).leaves() for row in rows]  # type: ignore[arg-type]
    for number, shape in enumerate(key_shapes(binary)):
        found = [entry for page, _ in file.index_cursor(roots[f"i{number + 1}"], shape).leaves() for entry in page]  # type: ignore[arg-type]
        expected = [tuple(row[column] for column in COLUMNS[number]) for row in rows]
        expected.sort(key=lambda entry: record_sort_key(entry, shape.collations, shape.descending))
        assert found == expected
    file.end_read()
    return rows


def read_there(path: str) -> list[tuple[object, ...]]:
    """All rows, through SQLite, after its integrity check."""
    connection = apsw.Connection(path)
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    rows = connection.execute("select * from t order by a").fetchall()
    connection.close()
    return rows


def write_there(path: str, page_size: int, rows: list[tuple[object, ...]], encoding: str = "utf-8") -> None:
    """The same database, written by SQLite."""
    connection = apsw.Connection(path)
    connection.execute(f"pragma page_size={page_size}; pragma encoding='{encoding}'")
    connection.execute("begin")
    for sql in SQL:
        connection.execute(sql)
    connection.executemany("insert into t values(?,?,?,?)", rows)
    connection.execute("commit")
    connection.close()


PAGE_SIZES = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]


@pytest.mark.parametrize("page_size", PAGE_SIZES)
def test_sqlite_reads_what_is_written_here(tmp_path: Path, page_size: int) -> None:
    rows = make_rows(150, page_size)
    path = str(tmp_path / "here.db")
    write_here(path, page_size, rows).close()
    assert read_there(path) == rows
    header = Path(path).read_bytes()[:100]
    assert int.from_bytes(header[96:100], "big") == 3054001
    assert header[24:28] == header[92:96]
    assert os.path.getsize(path) == page_size * int.from_bytes(header[28:32], "big")


@pytest.mark.parametrize("page_size", PAGE_SIZES)
def test_files_of_sqlite_are_read_and_changed_here(tmp_path: Path, page_size: int) -> None:
    rows = make_rows(150, page_size)
    path = str(tmp_path / "there.db")
    write_there(path, page_size, rows)
    file = BtreeFile.open(path)
    assert read_here(file) == rows
    file.begin_read()
    file.begin_write()
    roots = {row[1]: row[3] for _, found, _ in file.table_cursor(1, SCHEMA).leaves() for row in found}
    table = file.table_cursor(roots["t"], ROW)  # type: ignore[arg-type]
    for row in rows[::2]:
        assert table.delete_rowid(row[0])  # type: ignore[arg-type]
        for number, shape in enumerate(key_shapes()):
            cursor = file.index_cursor(roots[f"i{number + 1}"], shape)  # type: ignore[arg-type]
            assert cursor.delete(tuple(row[column] for column in COLUMNS[number]))
    file.commit()
    file.end_read()
    assert read_there(path) == rows[1::2]
    file.close()


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be"])
def test_utf16_both_ways(tmp_path: Path, encoding: str) -> None:
    rows = [(i, text, None, text) for i, text in enumerate(["a", "\U00010000b", "\ufffdc", "é", "", "z\0y", "ｚ" * 900])]
    here, there = str(tmp_path / "here.db"), str(tmp_path / "there.db")
    write_here(here, 1024, rows, encoding).close()  # type: ignore[arg-type]
    assert read_there(here) == rows
    write_there(there, 1024, rows, encoding)  # type: ignore[arg-type]
    file = BtreeFile.open(there)
    file.begin_read()
    assert file.encoding == encoding
    file.end_read()
    assert read_here(file, built_in_collations({"utf-16le": 2, "utf-16be": 3}[encoding])["BINARY"]) == rows


def test_text_that_is_not_utf8_keeps_its_bytes(tmp_path: Path) -> None:
    path = str(tmp_path / "there.db")
    connection = apsw.Connection(path)
    for sql in SQL:
        connection.execute(sql)
    connection.execute("insert into t values(1, cast(x'ff41e9' as text), 1, cast(x'c3' as text)), (2, 'é', 2, 'ÿ')")
    connection.close()
    file = BtreeFile.open(path)
    rows = read_here(file)
    assert rows[0][1] == b"\xffA\xe9".decode("utf-8", "surrogateescape")
    file.begin_read()
    file.begin_write()
    file.table_cursor(2, ROW).insert(5, (5, None, None, None))
    for number, shape in enumerate(key_shapes()):
        file.index_cursor(3 + number, shape).insert(tuple((5, None, None, None)[column] for column in COLUMNS[number]))
    file.commit()
    file.end_read()
    connection = apsw.Connection(path)
    assert connection.execute("select hex(b), hex(d) from t order by a").fetchall() == [("FF41E9", "C3"), ("C3A9", "C3BF"), ("", "")]
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_reserved_bytes_are_left_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "reserve.db")
    file = BtreeFile.open(path)
    assert file.set_page_size(1024, 32)
    file.begin_read()
    file.begin_write()
    file.set_meta(2, 4)
    file.set_meta(5, 1)
    root = file.create_tree(True)
    file.table_cursor(1, SCHEMA).insert(1, ("table", "t", "t", root, TABLE))
    table = file.table_cursor(root, ROW)
    rows = [row for row in make_rows(80, 1)]
    for row in rows:
        table.insert(row[0], row)  # type: ignore[arg-type]
    file.commit()
    file.end_read()
    assert Path(path).read_bytes()[20] == 32
    assert read_there(path) == rows


def test_a_journal_left_by_sqlite_is_rolled_back(tmp_path: Path) -> None:
    path, copy = str(tmp_path / "live.db"), str(tmp_path / "crashed.db")
    rows = make_rows(150, 3)
    write_there(path, 1024, rows)
    connection = apsw.Connection(path)
    connection.execute("pragma cache_size=5; begin; update t set b='changed', c=c+1")
    connection.cache_flush()
    shutil.copy(path, copy)
    shutil.copy(path + "-journal", copy + "-journal")
    assert b"changed" in Path(copy).read_bytes()
    assert read_here(BtreeFile.open(copy)) == rows
    assert not os.path.exists(copy + "-journal")
    connection.execute("rollback")


def test_a_journal_left_here_is_rolled_back_by_sqlite(tmp_path: Path) -> None:
    path, copy = str(tmp_path / "live.db"), str(tmp_path / "crashed.db")
    rows = make_rows(150, 4)
    file = write_here(path, 1024, rows)
    file.cache_size = 10
    file.begin_read()
    file.begin_write()
    table = file.table_cursor(2, ROW)
    for row in rows:
        table.insert(row[0], (row[0], "changed", None, None))  # type: ignore[arg-type]
    file.pager.spill()
    shutil.copy(path, copy)
    shutil.copy(path + "-journal", copy + "-journal")
    assert b"changed" in Path(copy).read_bytes()
    assert read_there(copy) == rows
    file.rollback()
    file.end_read()
    assert read_there(path) == rows


def test_foreign_commits_are_seen(tmp_path: Path) -> None:
    path = str(tmp_path / "shared.db")
    write_there(path, 4096, make_rows(5, 1))
    file = BtreeFile.open(path)
    assert len(read_here(file)) == 5
    version = file.data_version
    connection = apsw.Connection(path)
    connection.execute("delete from t where a > -50")
    assert len(read_here(file)) == 1
    assert file.data_version != version


LOCK_CHILD = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.execute(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
connection.close()
"""


def start_child(path: str, sql: str) -> subprocess.Popen[str]:
    """Another process that runs SQL through SQLite and keeps its locks until it gets a line."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    child = subprocess.Popen(
        [sys.executable, "-c", LOCK_CHILD, path, sql],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def stop_child(child: subprocess.Popen[str]) -> None:
    """Lets the process end."""
    child.communicate("\n", timeout=20)


@pytest.mark.parametrize("is_process", [False, True])
def test_locks_of_sqlite_are_respected(tmp_path: Path, is_process: bool) -> None:
    path = str(tmp_path / "locked.db")
    write_there(path, 4096, make_rows(5, 1))
    file = BtreeFile.open(path)

    class Holder:
        def __init__(self, sql: str) -> None:
            if is_process:
                self.child = start_child(path, sql)
            else:
                self.connection = apsw.Connection(path)
                self.cursor = self.connection.cursor().execute(sql)

        def stop(self) -> None:
            if is_process:
                stop_child(self.child)
            else:
                self.connection.close(True)

    holder = Holder("begin immediate")
    assert len(read_here(file)) == 5
    file.begin_read()
    with pytest.raises(Error) as raised:
        file.begin_write()
    assert raised.value.sqlite_errorcode == BUSY
    assert str(raised.value) == "database is locked"
    file.end_read()
    holder.stop()
    holder = Holder("begin exclusive")
    calls: list[int] = []
    file.set_busy_handler(lambda n: calls.append(n) or n < 3)  # type: ignore[func-returns-value]
    with pytest.raises(Error) as raised:
        file.begin_read()
    assert calls == [0, 1, 2, 3]
    file.set_busy_handler(None)
    holder.stop()
    holder = Holder("begin; select count(*) from t")
    file.begin_read()
    file.begin_write()
    file.table_cursor(2, ROW).insert(1, (1, None, None, None))
    with pytest.raises(Error) as raised:
        file.commit()
    assert raised.value.sqlite_errorcode == BUSY
    holder.stop()
    file.commit()
    file.end_read()
    file.close()


def test_locks_taken_here_are_seen_by_sqlite(tmp_path: Path) -> None:
    path = str(tmp_path / "locked.db")
    write_there(path, 4096, make_rows(5, 1))
    file = BtreeFile.open(path)
    connection = apsw.Connection(path)
    file.begin_read()
    connection.execute("begin immediate; rollback")
    file.begin_write()
    assert connection.execute("select count(*) from t").fetchall() == [(5,)]
    with pytest.raises(apsw.BusyError):
        connection.execute("begin immediate")
    file.begin_write(exclusive=True)
    with pytest.raises(apsw.BusyError):
        connection.execute("select count(*) from t").fetchall()
    file.rollback()
    with pytest.raises(apsw.BusyError):
        connection.execute("begin exclusive")
    file.end_read()
    connection.execute("begin exclusive; commit")
    file.close()


def test_read_only_and_immutable(tmp_path: Path) -> None:
    path = str(tmp_path / "ro.db")
    rows = make_rows(5, 1)
    write_there(path, 4096, rows)
    for options in ({"read_only": True}, {"immutable": True}):
        file = BtreeFile.open(path, **options)  # type: ignore[arg-type]
        assert read_here(file) == rows
        file.begin_read()
        with pytest.raises(Error) as raised:
            file.begin_write()
        assert raised.value.sqlite_errorcode == READONLY
        file.end_read()
        file.close()


def test_reading_leaves_the_file_untouched(tmp_path: Path) -> None:
    path = str(tmp_path / "still.db")
    write_there(path, 4096, make_rows(50, 1))
    before = (Path(path).read_bytes(), os.stat(path).st_mtime_ns, sorted(os.listdir(tmp_path)))
    file = BtreeFile.open(path)
    read_here(file)
    file.close()
    assert (Path(path).read_bytes(), os.stat(path).st_mtime_ns, sorted(os.listdir(tmp_path))) == before


def test_files_that_are_no_database(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    for content, code in ((b"this is a text file, long enough to have a header" * 40, NOTADB), (b"short", NOTADB)):
        path.write_bytes(content)
        file = BtreeFile.open(str(path))
        with pytest.raises(Error) as raised:
            file.begin_read()
        assert raised.value.sqlite_errorcode == code
        file.close()
        with pytest.raises(apsw.NotADBError):
            apsw.Connection(str(path)).execute("select * from sqlite_schema")
    good = tmp_path / "good.db"
    write_there(str(good), 512, make_rows(50, 1))
    path.write_bytes(good.read_bytes()[: 512 * 9])
    file = BtreeFile.open(str(path))
    with pytest.raises(Error) as raised:
        file.begin_read()
    assert raised.value.sqlite_errorcode == CORRUPT


def test_images(tmp_path: Path) -> None:
    rows = make_rows(80, 2)
    file = write_here(None, 1024, rows)
    image = serialize(file)
    path = tmp_path / "image.db"
    path.write_bytes(image)
    assert read_there(str(path)) == rows
    assert read_here(deserialize(image)) == rows
    vfs = MemoryVfs()
    vfs.open("x", create=True, read_only=False).write(image, 0)
    assert read_here(BtreeFile.open("x", vfs)) == rows
