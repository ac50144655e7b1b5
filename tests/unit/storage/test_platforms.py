"""Platforms without fcntl and mmap (Windows, WASI): memory works, files with nolock=1 or immutable=1, else a clear error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw

SCRIPT = """
import os, sys
sys.modules["fcntl"] = None
sys.modules["mmap"] = None
for name in ("pread", "pwrite"):
    delattr(os, name)
from minisql.storage.btree import BtreeFile
from minisql.values.shape import RowShape
path = sys.argv[1]
memory = BtreeFile.open(None)
memory.begin_read()
memory.begin_write()
memory.create_tree(True)
memory.commit()
for options in ({"nolock": True}, {"immutable": True}):
    file = BtreeFile.open(path, **options)
    file.begin_read()
    assert file.table_cursor(2, RowShape(2)).first() == (1, "one")
    file.end_read()
    file.close()
file = BtreeFile.open(path, nolock=True)
file.begin_read()
file.begin_write()
file.table_cursor(2, RowShape(2)).insert(2, (2, "two"))
file.commit()
file.end_read()
file.close()
try:
    BtreeFile.open(path)
except Exception as error:
    print(type(error).__name__, error)
"""


def test_without_fcntl_and_mmap(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    connection = apsw.Connection(path)
    connection.execute("create table t(a, b); insert into t values(1, 'one')")
    done = subprocess.run([sys.executable, "-c", SCRIPT, path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("OperationalError")
    assert "nolock=1" in done.stdout
    assert connection.execute("select * from t").fetchall() == [(1, "one"), (2, "two")]
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_wal_databases_open_without_locks(tmp_path: Path) -> None:
    from minisql.storage.btree import BtreeFile
    from minisql.values.shape import RowShape

    path = str(tmp_path / "w.db")
    connection = apsw.Connection(path)
    connection.execute("pragma journal_mode=wal").fetchall()
    connection.execute("create table t(a, b); insert into t values(1, 'one')")
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    connection.execute("insert into t values(2, 'two')")
    for options, n_rows in (({"nolock": True}, 2), ({"immutable": True}, 1), ({"read_only": True}, 2)):
        file = BtreeFile.open(path, **options)
        file.begin_read()
        assert file.table_cursor(2, RowShape(2)).count() == n_rows
        file.end_read()
        file.close()
    connection.close()
