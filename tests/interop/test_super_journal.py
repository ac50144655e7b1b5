"""A journal that names a super-journal is hot only while that file exists; SQLite judges the same files alike."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from minisql.storage.btree import BtreeFile
from minisql.values.shape import RowShape

SHAPE = RowShape(2, 0)


def crashed_commit(directory: Path, name: str, super_journal: str) -> str:
    """Database and journal as they are between the two phases of a commit over several files."""
    path = str(directory / f"{name}.db")
    connection = apsw.Connection(path)
    connection.execute("create table t(a integer primary key, b); insert into t values(1, 'old')")
    connection.close()
    file = BtreeFile.open(path)
    file.begin_read()
    file.begin_write()
    file.table_cursor(2, SHAPE).insert(1, (1, "new"))
    # The journal holds the path of the copy's super-journal: the copy is what is recovered.
    file.commit_phase_one(super_journal)
    copy = str(directory / f"{name}-copy.db")
    shutil.copy(path, copy)
    shutil.copy(path + "-journal", copy + "-journal")
    file.commit_phase_two()
    file.end_read()
    file.close()
    return copy


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("engine", ["sqlite", "here"])
def test_super_journal_decides(tmp_path: Path, engine: str, is_there: bool) -> None:
    super_journal = str(tmp_path / "other.db-mj0A1B2C9D4")
    copy = crashed_commit(tmp_path, "t", super_journal)
    if is_there:
        Path(super_journal).write_bytes((copy + "-journal").encode() + b"\0")
    expected = "old" if is_there else "new"
    if engine == "sqlite":
        connection = apsw.Connection(copy)
        assert connection.execute("select b from t").fetchall() == [(expected,)]
        connection.close()
    else:
        file = BtreeFile.open(copy)
        file.begin_read()
        assert file.table_cursor(2, SHAPE).first() == (1, expected)
        file.end_read()
        file.close()
    assert not os.path.exists(copy + "-journal")
    assert not os.path.exists(super_journal)
