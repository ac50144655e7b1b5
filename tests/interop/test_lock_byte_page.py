"""The page at 1 GiB that holds the lock bytes is never used; files reach beyond it (sparse, so the test stays small)."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from minisql.storage.btree import BtreeFile
from minisql.storage.check import integrity_check
from minisql.storage.freelist import free_page
from minisql.storage.locking import PENDING_BYTE
from minisql.values.shape import RowShape

PAGE_SIZE = 65536
LOCK_PAGE = PENDING_BYTE // PAGE_SIZE + 1


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_allocation_skips_the_lock_byte_page(tmp_path: Path, mode: str) -> None:
    path = str(tmp_path / "big.db")
    file = BtreeFile.open(path, page_size=PAGE_SIZE)
    file.pager.synchronous = 0
    file.set_journal_mode(mode)
    file.begin_read()
    file.begin_write()
    file.set_meta(2, 4)
    file.set_meta(5, 1)
    root = file.create_tree(True)
    sql = "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"
    file.table_cursor(1, RowShape(5)).insert(1, ("table", "t", "t", root, sql))
    first_unused = file.n_pages + 1
    file.pager.n_pages = LOCK_PAGE - 3
    cursor = file.table_cursor(root, RowShape(2, 0))
    for i in range(12):
        cursor.insert(i, (i, "x" * 60_000))
    assert file.n_pages > LOCK_PAGE
    for number in range(first_unused, LOCK_PAGE - 2):
        free_page(file.pager, number)
    assert integrity_check(file, [1, root]) == []
    file.commit()
    file.end_read()
    file.close()
    connection = apsw.Connection(path)
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert connection.execute("select count(*), sum(length(b)) from t").fetchall() == [(12, 12 * 60_000)]
    connection.execute("delete from t where a < 6")
    connection.close()
    file = BtreeFile.open(path)
    file.begin_read()
    assert file.table_cursor(root, RowShape(2, 0)).count() == 6
    assert integrity_check(file, [1, root]) == []
    file.end_read()
    file.close()
