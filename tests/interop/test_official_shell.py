"""Files of the official shell: 100,000 rows, four indexes and overflow at every page size, read, changed and checked.

The shell, `sqlite3_dbhash` and the judge of the end (`PRAGMA integrity_check`) are SQLite 3.54.1's own programs from the
apsw wheel.  CI takes two page sizes with 6,000 rows; all page sizes with 100,000 rows are `-m slow`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import minisql

apsw = pytest.importorskip("apsw")
PROGRAMS = Path(apsw.__file__).parent / "sqlite_extra_binaries"

FILL = """
PRAGMA page_size={page_size};
CREATE TABLE t(id INTEGER PRIMARY KEY, k INT, name TEXT, price REAL, note TEXT);
INSERT INTO t
  WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<{n_rows})
  SELECT n, (n*7919)%1000, 'name '||(n*31%5003), n/8.0,
         CASE WHEN n%{overflow_every}=0 THEN printf('%.*c', 3*{page_size}, 'x')||n WHEN n%7=0 THEN NULL ELSE 'note '||n END FROM c;
CREATE INDEX t_k ON t(k);
CREATE UNIQUE INDEX t_price ON t(price DESC, id);
CREATE INDEX t_name ON t(name COLLATE NOCASE, k);
CREATE INDEX t_part ON t(note) WHERE note IS NOT NULL;
"""
CHANGES = """
UPDATE t SET k=k+1, price=price*2 WHERE id%5=0;
DELETE FROM t WHERE id%11=3;
INSERT INTO t(k,name,price,note) SELECT k, 'new '||name, price+0.0625, note FROM t WHERE id%13=1;
UPDATE t SET note=note||note WHERE id%{overflow_every}=0 AND id%3=0;
REPLACE INTO t SELECT id, k, upper(name), price, 'again' FROM t WHERE id%97=5;
DELETE FROM t WHERE k BETWEEN 100 AND 130;
"""


def run(program: str, *arguments: str, text: str | None = None) -> str:
    done = subprocess.run([PROGRAMS / program, *arguments], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(tmp_path: Path, page_size: int, n_rows: int) -> None:
    """Makes the file twice with the shell; minisql changes one, the shell the other; both must be sound and alike."""
    if not (PROGRAMS / "sqlite3_shell").exists():
        pytest.skip("this apsw wheel ships no sqlite3_shell")
    settings = {"page_size": page_size, "n_rows": n_rows, "overflow_every": max(50, n_rows * page_size // 20_000_000)}
    mine, theirs = tmp_path / "mine.db", tmp_path / "theirs.db"
    for path in (mine, theirs):
        run("sqlite3_shell", str(path), text=FILL.format(**settings))
    query = "SELECT count(*), sum(id), sum(k), sum(price), sum(length(note)), min(name), max(name) FROM t"
    connection = minisql.connect(mine, isolation_level=None)
    shown = "|".join(str(value) for value in connection.execute(query).fetchone())
    assert shown == run("sqlite3_shell", str(theirs), query).strip()
    connection.execute("BEGIN")
    for statement in CHANGES.format(**settings).split(";"):
        connection.execute(statement)
    connection.execute("COMMIT")
    connection.close()
    run("sqlite3_shell", str(theirs), text="BEGIN;" + CHANGES.format(**settings) + "COMMIT;")
    assert run("sqlite3_shell", str(mine), "PRAGMA integrity_check").strip() == "ok"
    hashes = [run("sqlite3_dbhash", str(path)).split()[0] for path in (mine, theirs)]
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("page_size", [1024, 4096])
def test_file_of_the_shell_is_read_and_changed(tmp_path: Path, page_size: int) -> None:
    check(tmp_path, page_size, 6_000)


@pytest.mark.slow
@pytest.mark.parametrize("page_size", [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
def test_large_file_of_the_shell_is_read_and_changed(tmp_path: Path, page_size: int) -> None:
    check(tmp_path, page_size, 100_000)


def test_same_content_made_by_both_has_one_hash(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine.db", tmp_path / "theirs.db"
    script = FILL.format(page_size=4096, n_rows=3000, overflow_every=200)
    connection = minisql.connect(mine, isolation_level=None)
    connection.executescript(script)
    connection.close()
    run("sqlite3_shell", str(theirs), text=script)
    assert run("sqlite3_dbhash", str(mine)).split()[0] == run("sqlite3_dbhash", str(theirs)).split()[0]
    assert run("sqlite3_shell", str(mine), "PRAGMA integrity_check").strip() == "ok"
