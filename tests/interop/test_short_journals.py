"""Hot journals that end anywhere, as a process that was killed leaves them: both engines roll back the same."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql

LENGTHS = (1, 27, 28, 100, 330, 511, 512, 513, 700, 1031, 1032, 1033, 1551, 1552, 1553, 2000, 4095, 4096, 4097, 5000, 100_000)


def _killed(folder: Path, synchronous: str) -> None:
    """Leaves a database and its journal in the middle of a transaction that has overwritten pages."""
    writer = apsw.Connection(str(folder / "writer"))
    for statement in ("PRAGMA page_size = 512", "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"):
        writer.execute(statement)
    writer.execute("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) INSERT INTO t SELECT i, hex(zeroblob(30)) FROM n")
    writer.execute(f"PRAGMA synchronous = {synchronous}; PRAGMA cache_size = 3; PRAGMA cache_spill = 1")
    writer.execute("BEGIN; UPDATE t SET b = 'changed ' || a")
    shutil.copy(folder / "writer", folder / "base")
    shutil.copy(folder / "writer-journal", folder / "base-journal")
    writer.execute("ROLLBACK")
    writer.close()


def _after_reading(folder: Path, name: str, connect: Any) -> tuple[Any, bytes]:
    path = folder / name
    connection = connect(str(path))
    try:
        rows: Any = [tuple(row) for row in connection.execute("SELECT count(*), sum(b LIKE 'changed%'), max(a) FROM t")]
    except (apsw.Error, minisql.Error) as error:
        rows = str(error).split(": ")[-1]
    connection.close()
    return rows, path.read_bytes()


@pytest.mark.parametrize("sector", [0, 32, 4096, 65536])
@pytest.mark.parametrize("synchronous", ["off", "normal"])
def test_both_engines_play_back_the_same(tmp_path: Path, synchronous: str, sector: int) -> None:
    _killed(tmp_path, synchronous)
    journal = bytearray((tmp_path / "base-journal").read_bytes())
    if sector:
        journal[20:24] = sector.to_bytes(4, "big")
    for length in LENGTHS:
        found = []
        for name, connect in (("ours", minisql.connect), ("theirs", apsw.Connection)):
            shutil.copy(tmp_path / "base", tmp_path / name)
            (tmp_path / f"{name}-journal").write_bytes(journal[:length])
            found.append(_after_reading(tmp_path, name, connect))
        assert found[0] == found[1], length
