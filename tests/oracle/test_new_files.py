"""New, empty database files: which statements write the header page at once, and what is in it.

Each list of statements runs on a file that does not exist, with minisql and with SQLite; the files must be the same byte for byte,
and a journal mode that is kept in the file must be there for the next connection.
"""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import minisql

_SCRIPTS = (
    "VACUUM",
    "PRAGMA journal_mode=wal",
    "PRAGMA journal_mode=wal; VACUUM",
    "PRAGMA journal_mode=truncate",
    "PRAGMA page_size=512; VACUUM",
    "PRAGMA page_size=8192; VACUUM; PRAGMA page_size=1024; VACUUM",
    "PRAGMA auto_vacuum=0",
    "PRAGMA auto_vacuum=1",
    "PRAGMA auto_vacuum=2",
    "PRAGMA auto_vacuum=2; VACUUM",
    "PRAGMA auto_vacuum=2; PRAGMA journal_mode=wal",
    "PRAGMA incremental_vacuum",
    "PRAGMA user_version=0",
    "PRAGMA application_id=7",
    "PRAGMA schema_version=3",
    "BEGIN IMMEDIATE; COMMIT",
    "BEGIN IMMEDIATE; ROLLBACK",
    "REINDEX",
    "CREATE TABLE t(a); DROP TABLE t; VACUUM",
    "CREATE TABLE t(a); PRAGMA journal_mode=wal; VACUUM",
)


@pytest.mark.parametrize("script", _SCRIPTS)
def test_the_file_is_sqlites(script: str, tmp_path: Path) -> None:
    """The bytes of the file after the connection closed, and the journal mode of the next one."""
    seen = []
    for name, connect in (("minisql", _minisql_connection), ("sqlite", apsw.Connection)):
        path = tmp_path / name
        connection = connect(str(path))
        for statement in script.split(";"):
            connection.execute(statement).fetchall()
        connection.close()
        data = path.read_bytes()
        connection = connect(str(path))
        seen.append((data, connection.execute("PRAGMA journal_mode").fetchall()))
        connection.close()
    ours, theirs = seen
    assert ours == theirs


def _minisql_connection(path: str) -> minisql.Connection:
    return minisql.connect(path, isolation_level=None)
