"""The demo runs, says what it did, and leaves a file that SQLite reads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def run_demo(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "minisql.shell.demo", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ.copy())


def test_demo_makes_a_file_that_sqlite_reads(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    done = run_demo(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Jane Austen       3      8.85" in done.stdout
    apsw = pytest.importorskip("apsw")
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT count(*), sum(price) FROM shelf").fetchall()[0][0] == 6
    assert connection.execute("SELECT old, round(new, 6) FROM price_change ORDER BY 1").fetchall() == [(8.0, 8.8), (10.0, 11.0)]


def test_demo_does_not_touch_a_file_that_exists(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    path.write_bytes(b"mine")
    done = run_demo(path)
    assert done.returncode == 1
    assert path.read_bytes() == b"mine"
