"""BtreeFile: empty databases, limits, metas, cursors beside edits, memory budget, no descriptors left."""

from __future__ import annotations

import gc
import os
import random
from pathlib import Path

import pytest

from minisql.errors import FULL, Error
from minisql.storage import pager as pager_module
from minisql.storage.btree import BtreeFile
from minisql.storage.check import integrity_check
from minisql.storage.type_mask import BLOB, INTEGER_48, INTEGER_64, NULL, REAL, TEXT, TEXT_NOT_ASCII
from minisql.values.collation import BINARY
from minisql.values.shape import KeyShape, RowShape

SHAPE = RowShape(2, 0)
KEY = KeyShape(2, 2, (BINARY, BINARY), (False, False))


@pytest.fixture(params=["memory", "file"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> BtreeFile:
    """A database with an open write transaction."""
    made = BtreeFile.open(None if request.param == "memory" else str(tmp_path / "t.db"))
    made.begin_read()
    made.begin_write()
    return made


def test_an_empty_file_is_an_empty_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.write_bytes(b"")
    file = BtreeFile.open(str(path))
    file.begin_read()
    assert file.n_pages == 0
    assert file.table_cursor(1, RowShape(5)).first() is None
    assert file.estimated_rows(1) == 0
    assert file.get_meta(1) == 0
    file.end_read()
    file.close()
    assert path.read_bytes() == b""


def test_a_missing_file_is_an_error_without_create(tmp_path: Path) -> None:
    with pytest.raises(Error, match="unable to open database file"):
        BtreeFile.open(str(tmp_path / "none.db"), create=False)
    with pytest.raises(Error, match="unable to open database file"):
        BtreeFile.open(str(tmp_path))
    with pytest.raises(Error, match="unable to open database file"):
        BtreeFile.open(str(tmp_path / "no" / "such.db"))


def test_max_page_count(file: BtreeFile) -> None:
    file.commit()
    file.begin_write()
    root = file.create_tree(True)
    file.pager.max_page_count = 10
    cursor = file.table_cursor(root, SHAPE)
    with pytest.raises(Error, match="database or disk is full") as raised:
        for i in range(1000):
            cursor.insert(i, (i, "x" * 1000))
    assert raised.value.sqlite_errorcode == FULL
    file.rollback()
    assert file.n_pages == 1
    assert integrity_check(file, [1]) == []


def test_page_size_is_fixed_by_the_first_write(tmp_path: Path) -> None:
    file = BtreeFile.open(None)
    assert file.set_page_size(1024)
    assert not file.set_page_size(1000)
    file.begin_read()
    file.begin_write()
    assert not file.set_page_size(2048)
    assert file.page_size == 1024


def test_metas_roll_back(file: BtreeFile) -> None:
    file.set_meta(6, 7)
    depth = file.open_savepoint()
    file.set_meta(6, -1)
    assert file.get_meta(6) == 0xFFFFFFFF
    file.rollback_to_savepoint(depth)
    assert file.get_meta(6) == 7


def test_a_row_list_in_a_readers_hand_does_not_change(file: BtreeFile) -> None:
    root = file.create_tree(True)
    cursor = file.table_cursor(root, SHAPE)
    for i in range(10):
        cursor.insert(i, (i, "old"))
    (_, rows, _), *_ = cursor.leaves()
    reader = file.table_cursor(root, SHAPE)
    reader.first()
    cursor.insert(3, (3, "new"))
    cursor.delete_rowid(5)
    assert rows[3] == (3, "old")
    assert len(rows) == 10
    seen = []
    row = reader.next()
    while row is not None:
        seen.append(row)
        row = reader.next()
    assert [row[0] for row in seen] == [1, 2, 3, 4, 6, 7, 8, 9]
    assert seen[2] == (3, "new")


def test_an_index_can_be_emptied_under_its_cursor(file: BtreeFile) -> None:
    root = file.create_tree(False)
    index = file.index_cursor(root, KEY)
    entries = [(f"key {i % 50}" * 3, i) for i in range(1000)]
    for entry in entries:
        index.insert(entry)
    found = []
    entry = index.first()
    while entry is not None:
        found.append(entry)
        index.delete_current()
        entry = index.next()
    assert found == sorted(entries)  # type: ignore[type-var]
    assert index.count() == 0
    assert integrity_check(file, [1, root]) == []


def test_a_wider_shape_reads_the_same_rows(file: BtreeFile) -> None:
    root = file.create_tree(True)
    file.table_cursor(root, SHAPE).insert(1, (1, "one"))
    wide = RowShape(3, 0, (None, None, "added"))
    assert file.table_cursor(root, wide).first() == (1, "one", "added")
    file.table_cursor(root, wide).insert(2, (2, "two", "given"))
    assert file.table_cursor(root, wide).last() == (2, "two", "given")
    assert file.table_cursor(root, SHAPE).last() == (2, "two")


def test_type_masks(file: BtreeFile) -> None:
    root = file.create_tree(True)
    cursor = file.table_cursor(root, RowShape(6))
    cursor.insert(1, (None, 1, 1 << 47, 1.5, "a", b"b"))
    cursor.insert(2, (2, -(1 << 47), 3, None, "é", "c"))
    ((_, _, masks),) = cursor.leaves()
    assert [masks[column] for column in range(6)] == [
        NULL | INTEGER_48, INTEGER_48, INTEGER_48 | INTEGER_64, REAL | NULL, TEXT | TEXT_NOT_ASCII, BLOB | TEXT
    ]  # fmt: skip


def test_last_rowid_and_estimates(file: BtreeFile) -> None:
    root = file.create_tree(True)
    cursor = file.table_cursor(root, SHAPE)
    assert cursor.last_rowid() is None
    for i in range(5000):
        cursor.insert(i, (i, "x" * 20))
    assert cursor.last_rowid() == 4999
    assert 1000 < file.estimated_rows(root) < 25000
    cursor.delete_rowid(4999)
    assert cursor.last_rowid() == 4998


def test_the_cache_keeps_to_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "big.db")
    file = BtreeFile.open(path)
    file.begin_read()
    file.begin_write()
    root = file.create_tree(True)
    cursor = file.table_cursor(root, SHAPE)
    for i in range(20_000):
        cursor.insert(i, (i, "x" * 100))
    file.commit()
    file.end_read()
    file.close()
    monkeypatch.setattr(pager_module.row_cache, "limit", 40 * 4096 * pager_module.DECODED_COST)
    file = BtreeFile.open(path)
    for _ in range(2):
        file.begin_read()
        reader = file.table_cursor(root, SHAPE)
        n_rows, row = 0, reader.first()
        while row is not None:
            n_rows += 1
            assert len(file.pager.pages) < 60
            row = reader.next()
        assert n_rows == 20_000
        assert sum(len(rows) for _, rows, _ in reader.leaves()) == 20_000
        assert len(file.pager.pages) < 60
        file.end_read()
    file.close()


def test_point_lookups_do_not_decode_whole_leaves_at_first(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    file = BtreeFile.open(path)
    file.begin_read()
    file.begin_write()
    root = file.create_tree(True)
    cursor = file.table_cursor(root, SHAPE)
    for i in range(0, 3000, 2):
        cursor.insert(i, (i, f"row {i}"))
    file.commit()
    file.close()
    file = BtreeFile.open(path)
    file.begin_read()
    cursor = file.table_cursor(root, SHAPE)
    for i in random.Random(1).sample(range(3000), 500):
        row = cursor.seek_rowid(i)
        assert row == ((i, f"row {i}") if i % 2 == 0 else None)
        if row is not None:
            assert cursor.rowid == i
            after, before = cursor.next(), None
            cursor.seek_rowid(i)
            before = cursor.previous()
            assert after == ((i + 2, f"row {i + 2}") if i < 2998 else None)
            assert before == ((i - 2, f"row {i - 2}") if i else None)
    file.end_read()
    file.close()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts descriptors in /proc")
def test_closing_leaves_no_descriptor(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for mode in ("delete", "wal"):
        file = BtreeFile.open(str(tmp_path / f"{mode}.db"))
        file.set_journal_mode(mode)
        file.begin_read()
        file.begin_write()
        file.create_tree(True)
        file.commit()
        file.end_read()
        file.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_index_lookups_in_leaves_that_are_not_decoded(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    file = BtreeFile.open(path, page_size=1024)
    file.begin_read()
    file.begin_write()
    root = file.create_tree(False)
    index = file.index_cursor(root, KEY)
    entries: list[tuple[object, ...]] = sorted((f"key {i % 300:03}", i) for i in range(0, 3000, 3))
    for entry in entries:
        index.insert(entry)
    file.commit()
    file.close()
    r = random.Random(3)
    for _ in range(40):
        file = BtreeFile.open(path)
        file.begin_read()
        cursor = file.index_cursor(root, KEY)
        for _ in range(20):
            key = f"key {r.randrange(310):03}"
            first = next((i for i, entry in enumerate(entries) if entry[0] >= key), len(entries))  # type: ignore[operator]
            behind = next((i for i, entry in enumerate(entries) if entry[0] > key), len(entries))  # type: ignore[operator]
            for operator, at in (("ge", first), ("gt", behind), ("le", behind - 1), ("lt", first - 1)):
                expected = entries[at] if 0 <= at < len(entries) else None
                assert cursor.seek((key,), operator) == expected
                if expected is not None:
                    assert cursor.entry == expected
                    assert cursor.next() == (entries[at + 1] if at + 1 < len(entries) else None)
                    cursor.seek((key,), operator)
                    assert cursor.previous() == (entries[at - 1] if at else None)
            found = cursor.find((key,))
            assert found == (entries[first] if first < behind else None)
        file.end_read()
        file.close()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts descriptors in /proc")
def test_a_dropped_database_gives_back_descriptor_and_budget(tmp_path: Path) -> None:
    gc.collect()
    descriptors, used = len(os.listdir("/proc/self/fd")), pager_module.row_cache.used
    file: BtreeFile | None = BtreeFile.open(str(tmp_path / "t.db"))
    assert file is not None
    file.begin_read()
    file.begin_write()
    file.create_tree(True)
    file.commit()
    assert pager_module.row_cache.used > used
    del file
    gc.collect()
    assert pager_module.row_cache.used == used
    assert len(os.listdir("/proc/self/fd")) == descriptors
