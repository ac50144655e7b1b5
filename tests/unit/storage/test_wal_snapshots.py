"""Snapshots of the write-ahead log when one connection checkpoints, recovers or spills between the transactions of another."""

from __future__ import annotations

from pathlib import Path

from minisql.storage.btree import BtreeFile
from minisql.storage.fault_vfs import FaultVfs
from minisql.values.shape import RowShape

SHAPE = RowShape(2, 0)


def write(file: BtreeFile, value: int) -> None:
    file.begin_read()
    file.begin_write()
    if file.n_pages < 2:
        file.create_tree(True)
    file.table_cursor(2, SHAPE).insert(1, (1, value))
    file.commit()
    file.end_read()


def read(file: BtreeFile) -> object:
    file.begin_read()
    row = file.table_cursor(2, SHAPE).seek_rowid(1)
    file.end_read()
    return row[1] if row is not None else None


def test_checkpoint_of_other_commits_does_not_leave_old_pages_in_the_cache(tmp_path: Path) -> None:
    path = str(tmp_path / "main")
    one, two = BtreeFile.open(path), BtreeFile.open(path)
    one.set_journal_mode("wal")
    write(one, 1)
    write(one, 2)
    assert (read(one), read(two)) == (2, 2)
    for mode in ("passive", "full", "restart", "truncate"):
        for value in (3, 4):
            write(two, value)
            one.checkpoint(mode)
            assert read(one) == value
    one.close()
    two.close()


def test_header_of_a_restarted_log_is_durable_before_spilled_frames_are_written() -> None:
    vfs = FaultVfs()
    file = BtreeFile.open("main", vfs)
    write(file, 1)
    file.set_journal_mode("wal")
    write(file, 2)
    file.checkpoint("passive")
    file.begin_read()
    file.begin_write()
    file.table_cursor(2, SHAPE).insert(1, (1, 3))
    file.pager.spill()
    assert vfs.files["main-wal"].durable[:32] == vfs.files["main-wal"].content[:32]
    file.rollback()
    file.end_read()
