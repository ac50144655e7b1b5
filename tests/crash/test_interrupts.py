"""KeyboardInterrupt at any line of storage code: the transaction is undone, and the connection goes on.

A trace function raises at the n-th executed line of the storage room; n walks through the whole transaction in steps.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from minisql.errors import Error
from minisql.storage.btree import BtreeFile
from minisql.storage.fault_vfs import FaultVfs
from minisql.values.collation import BINARY
from minisql.values.shape import KeyShape

from .test_rollback_journal import SHAPE, read_rows, set_up

KEY = KeyShape(2, 2, (BINARY, BINARY), (False, False))


class Interrupter:
    """Raises KeyboardInterrupt at the n-th line that runs in minisql/storage."""

    def __init__(self, at_line: int) -> None:
        self.left = at_line
        self.has_struck = False

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if "minisql/storage" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                self.has_struck = True
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


def work(file: BtreeFile) -> None:
    """One transaction with splits, merges, overflow, an index and a savepoint."""
    file.begin_write()
    cursor = file.table_cursor(2, SHAPE)
    index_root = file.create_tree(False)
    index = file.index_cursor(index_root, KEY)
    for i in range(0, 60, 2):
        cursor.insert(i, (i, "y" * 40))
        index.insert((f"key {i % 7}" * 5, i))
    depth = file.open_savepoint()
    for i in range(60, 75):
        cursor.insert(i, (i, "z" * 200))
    file.rollback_to_savepoint(depth)
    file.release_savepoint(depth)
    for i in range(20, 55):
        cursor.delete_rowid(i)
        index.delete((f"key {i % 7}" * 5, i))
    cursor.insert(1000, (1000, "w" * 3000))
    file.drop_tree(index_root)
    file.commit()


def run_interrupted(file: BtreeFile, at_line: int) -> bool:
    """Runs the work with an interrupt; True when it struck.  Whatever happens, the caller's cleanup is what an engine does."""
    interrupter = Interrupter(at_line)
    file.begin_read()
    previous = sys.gettrace()
    sys.settrace(interrupter)
    try:
        work(file)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(previous)
    if file.in_transaction:
        file.rollback()
    file.end_read()
    return interrupter.has_struck


@pytest.mark.parametrize("cache_size", [-2000, 10])
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_interrupt_at_any_line(mode: str, cache_size: int) -> None:
    file = set_up(FaultVfs(), "delete", cache_size)
    file.set_journal_mode(mode)
    before = read_rows(file)
    file.begin_read()
    work(file)
    file.end_read()
    after = read_rows(file)
    at_line = 1
    while True:
        file = set_up(FaultVfs(), "delete", cache_size)
        file.set_journal_mode(mode)
        if not run_interrupted(file, at_line):
            break
        rows = read_rows(file)
        assert rows in (before, after), at_line
        if rows == before:
            file.begin_read()
            try:
                work(file)
            except Error as error:
                raise AssertionError(at_line) from error
            file.end_read()
            assert read_rows(file) == after, at_line
        at_line += 397
