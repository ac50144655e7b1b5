"""Power cuts and I/O errors at every call of a transaction: afterwards the database is the old or the new one, and sound."""

from __future__ import annotations

import contextlib

import pytest

from minisql.errors import Error
from minisql.storage.btree import BtreeFile
from minisql.storage.check import integrity_check
from minisql.storage.fault_vfs import Crash, FaultVfs
from minisql.values.shape import RowShape

SHAPE = RowShape(2, 0)
Rows = dict[int, str]


def read_rows(file: BtreeFile) -> Rows:
    """All rows of the only table, after checking the file."""
    file.begin_read()
    try:
        if file.n_pages < 2:
            return {}
        assert integrity_check(file, [1, 2]) == []
        cursor = file.table_cursor(2, SHAPE)
        return {row[0]: row[1] for _, rows, _ in cursor.leaves() for row in rows}  # type: ignore[misc]
    finally:
        file.end_read()


def set_up(vfs: FaultVfs, journal_mode: str, cache_size: int) -> BtreeFile:
    """A database with 60 rows on several pages."""
    file = BtreeFile.open("main", vfs, page_size=512, cache_size=cache_size)
    file.set_journal_mode(journal_mode)
    file.begin_read()
    file.begin_write()
    file.create_tree(True)
    cursor = file.table_cursor(2, SHAPE)
    for i in range(60):
        cursor.insert(i, (i, "x" * (i % 40)))
    file.commit()
    file.end_read()
    vfs.sync_directory("main")  # else the deletion of the first journal may be lost, which SQLite allows below EXTRA
    return file


def change(file: BtreeFile) -> None:
    """One transaction that edits, grows, frees pages, uses overflow pages and a savepoint."""
    file.begin_read()
    try:
        file.begin_write()
        cursor = file.table_cursor(2, SHAPE)
        for i in range(0, 60, 3):
            cursor.insert(i, (i, "y" * 30))
        depth = file.open_savepoint()
        for i in range(100, 140):
            cursor.insert(i, (i, "z" * 50))
        file.rollback_to_savepoint(depth)
        file.release_savepoint(depth)
        for i in range(30, 55):
            cursor.delete_rowid(i)
        cursor.insert(1000, (1000, "w" * 3000))
        file.commit()
    finally:
        if file.in_transaction:
            file.rollback()
        file.end_read()


def states(journal_mode: str, cache_size: int) -> tuple[Rows, Rows, int, int]:
    """Rows before and after the change, and the range of call numbers it takes."""
    vfs = FaultVfs()
    file = set_up(vfs, journal_mode, cache_size)
    before, first = read_rows(file), vfs.n_calls
    change(file)
    return before, read_rows(file), first, vfs.n_calls


@pytest.mark.parametrize("cache_size", [-2000, 10])
@pytest.mark.parametrize("journal_mode", ["delete", "truncate", "persist"])
def test_power_cut_at_every_call(journal_mode: str, cache_size: int) -> None:
    before, after, first, last = states(journal_mode, cache_size)
    assert before != after
    for fail_at in range(first + 1, last + 1):
        vfs = FaultVfs(seed=fail_at)
        file = set_up(vfs, journal_mode, cache_size)
        vfs.fail_at = fail_at
        with pytest.raises(Crash):
            change(file)
        for seed in range(25):
            disk = vfs.after_crash(seed)
            assert read_rows(BtreeFile.open("main", disk)) in (before, after), (fail_at, seed)


@pytest.mark.parametrize("cache_size", [-2000, 10])
@pytest.mark.parametrize("journal_mode", ["delete", "truncate", "persist"])
def test_committed_transaction_survives_a_power_cut(journal_mode: str, cache_size: int) -> None:
    vfs = FaultVfs()
    file = set_up(vfs, journal_mode, cache_size)
    file.pager.synchronous = 3
    change(file)
    after = read_rows(file)
    for seed in range(20):
        assert read_rows(BtreeFile.open("main", vfs.after_crash(seed))) == after


@pytest.mark.parametrize("cache_size", [-2000, 10])
@pytest.mark.parametrize("journal_mode", ["delete", "truncate", "persist", "memory"])
def test_error_at_every_call_leaves_old_or_new_rows(journal_mode: str, cache_size: int) -> None:
    before, after, first, last = states(journal_mode, cache_size)
    for fail_at in range(first + 1, last + 1):
        vfs = FaultVfs(is_crash=False, seed=fail_at)
        file = set_up(vfs, journal_mode, cache_size)
        vfs.fail_at = fail_at
        with contextlib.suppress(Error):
            change(file)
        assert read_rows(file) in (before, after), fail_at
        other = BtreeFile.open("main", vfs)
        assert read_rows(other) in (before, after), fail_at
        change(file)
        assert read_rows(file) == after


def test_exception_in_the_middle_of_an_edit_undoes_the_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    file = set_up(FaultVfs(), "delete", -2000)
    before = read_rows(file)
    file.begin_read()
    file.begin_write()
    cursor = file.table_cursor(2, SHAPE)
    cursor.insert(500, (500, "new"))
    with monkeypatch.context() as patch:
        patch.setattr("minisql.storage.table_tree.allocate_page", lambda pager: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            for i in range(600, 700):
                cursor.insert(i, (i, "v" * 90))
    with pytest.raises(Error, match="abort due to ROLLBACK"):
        file.commit()
    file.end_read()
    assert read_rows(file) == before


def small_change(file: BtreeFile) -> None:
    """A transaction whose journal is much shorter than that of `change`."""
    file.begin_read()
    try:
        file.begin_write()
        file.table_cursor(2, SHAPE).insert(2, (2, "small"))
        file.pager.spill()
        file.table_cursor(2, SHAPE).insert(59, (59, "small"))
        file.commit()
    finally:
        if file.in_transaction:
            file.rollback()
        file.end_read()


def test_old_sections_of_a_persisted_journal_are_not_played() -> None:
    file = set_up(FaultVfs(), "persist", 10)
    small_change(file)  # leaves two sections behind; the next transaction's only section ends where the second starts
    before = read_rows(file)
    file.begin_read()
    file.begin_write()
    file.table_cursor(2, SHAPE).insert(2, (2, "other"))
    file.pager.spill()
    file.rollback()
    file.end_read()
    assert read_rows(file) == before


def test_power_cut_with_a_longer_journal_left_over() -> None:
    vfs = FaultVfs()
    file = set_up(vfs, "persist", 10)
    change(file)
    before, first = read_rows(file), vfs.n_calls
    small_change(file)
    after, last = read_rows(file), vfs.n_calls
    assert before != after
    for is_crash in (True, False):
        for fail_at in range(first + 1, last + 1):
            vfs = FaultVfs(seed=fail_at, is_crash=is_crash)
            file = set_up(vfs, "persist", 10)
            change(file)
            vfs.fail_at = fail_at
            if is_crash:
                with pytest.raises(Crash):
                    small_change(file)
                for seed in range(20):
                    assert read_rows(BtreeFile.open("main", vfs.after_crash(seed))) in (before, after), (fail_at, seed)
            else:
                with contextlib.suppress(Error):
                    small_change(file)
                assert read_rows(file) in (before, after), fail_at


@pytest.mark.parametrize(
    ("mode", "seed"), [("truncate", 0), ("delete", 0), *(("persist", seed) for seed in range(0, 12, 2))]
)
def test_a_commit_that_fails_behind_its_journal_has_happened(mode, seed):
    for fail_at in range(1, 200):
        vfs = FaultVfs(is_crash=False, seed=seed)
        file = BtreeFile.open("main", vfs, page_size=512)
        file.pager.synchronous = 3
        file.set_journal_mode(mode)
        file.begin_read()
        file.begin_write()
        root = file.create_tree(True)
        file.commit()
        file.end_read()
        vfs.fail_at = vfs.n_calls + fail_at
        file.begin_read()
        try:
            file.begin_write()
            for number in range(40):
                file.table_cursor(root, SHAPE).insert(number, (number, "x" * 40))
            file.commit()
        except Error:
            file.rollback()
        failed = vfs.n_calls >= vfs.fail_at
        vfs.fail_at = 0
        # Within the same read transaction: nothing has made the connection look at the file anew.
        assert file.table_cursor(root, SHAPE).count() in (0, 40)
        assert integrity_check(file, [1, root]) == []
        assert file.n_pages * 512 == file.pager.file.size()
        file.end_read()
        file.close()
        if not failed:
            return
