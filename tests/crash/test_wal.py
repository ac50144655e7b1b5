"""Power cuts and I/O errors in WAL mode: afterwards the database is the old or the new one, and sound."""

from __future__ import annotations

import contextlib

import pytest

from minisql.errors import Error
from minisql.storage.btree import BtreeFile
from minisql.storage.fault_vfs import Crash, FaultVfs

from .test_rollback_journal import change, read_rows
from .test_rollback_journal import set_up as set_up_rollback


def set_up(vfs: FaultVfs, cache_size: int) -> BtreeFile:
    """A WAL database with rows in the database file and in the log."""
    file = set_up_rollback(vfs, "delete", cache_size)
    assert file.set_journal_mode("wal") == "wal"
    file.begin_read()
    file.begin_write()
    file.set_meta(6, 42)
    file.commit()
    file.end_read()
    vfs.sync_directory("main")
    return file


def work(file: BtreeFile, with_checkpoint: bool) -> None:
    """A transaction, with or without a checkpoint and another small transaction."""
    change(file)
    if with_checkpoint:
        file.checkpoint("restart")
        file.begin_read()
        file.begin_write()
        file.set_meta(6, 43)
        file.commit()
        file.end_read()


@pytest.mark.parametrize("with_checkpoint", [False, True])
@pytest.mark.parametrize("cache_size", [-2000, 10])
def test_power_cut_at_every_call(cache_size: int, with_checkpoint: bool) -> None:
    vfs = FaultVfs()
    file = set_up(vfs, cache_size)
    before, first = read_rows(file), vfs.n_calls
    change(file)
    committed = vfs.n_calls
    after = read_rows(file)
    vfs = FaultVfs()
    file = set_up(vfs, cache_size)
    work(file, with_checkpoint)
    assert before != after
    for fail_at in range(first + 1, vfs.n_calls + 1):
        faulty = FaultVfs(seed=fail_at)
        file = set_up(faulty, cache_size)
        faulty.fail_at = fail_at
        with pytest.raises(Crash):
            work(file, with_checkpoint)
        allowed = (before, after) if fail_at <= committed else (after,)
        for seed in range(20):
            disk = faulty.after_crash(seed)
            assert read_rows(BtreeFile.open("main", disk)) in allowed, (fail_at, seed)


@pytest.mark.parametrize("cache_size", [-2000, 10])
def test_error_at_every_call_leaves_old_or_new_rows(cache_size: int) -> None:
    vfs = FaultVfs()
    file = set_up(vfs, cache_size)
    before, first = read_rows(file), vfs.n_calls
    change(file)
    after, last = read_rows(file), vfs.n_calls
    for fail_at in range(first + 1, last + 1):
        vfs = FaultVfs(is_crash=False, seed=fail_at)
        file = set_up(vfs, cache_size)
        vfs.fail_at = fail_at
        with contextlib.suppress(Error):
            change(file)
        assert read_rows(file) in (before, after), fail_at
        change(file)
        assert read_rows(file) == after
        file.close()
        assert read_rows(BtreeFile.open("main", vfs)) == after
