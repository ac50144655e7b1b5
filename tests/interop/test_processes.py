"""Processes that write the same file at the same time, some with minisql and one with SQLite: no update is lost."""

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

ROUNDS = 25
ROOT = Path(__file__).parents[2]

MINISQL = """
import sys, minisql
connection = minisql.connect(sys.argv[1], isolation_level=None, timeout=60)
for number in range(int(sys.argv[2])):
    connection.execute("begin immediate")
    value = connection.execute("select n from counter").fetchone()[0]
    connection.execute("update counter set n = ?", (value + 1,))
    connection.execute("insert into log(who, what) values (?, ?)", (sys.argv[3], "x" * (number * 40)))
    connection.execute("commit")
    connection.execute("insert into log(who, what) values (?, 'alone')", (sys.argv[3],))
connection.close()
"""

SQLITE = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(60000)
for number in range(int(sys.argv[2])):
    connection.execute("begin immediate")
    value = list(connection.execute("select n from counter"))[0][0]
    connection.execute("update counter set n = ?", (value + 1,))
    connection.execute("insert into log(who, what) values (?, ?)", (sys.argv[3], "x" * (number * 40)))
    connection.execute("commit")
    connection.execute("insert into log(who, what) values (?, 'alone')", (sys.argv[3],))
connection.close()
"""


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_no_update_is_lost(tmp_path, mode):
    path = str(tmp_path / "shared.db")
    setup = apsw.Connection(path)
    setup.execute(f"pragma journal_mode = {mode}")
    setup.execute("create table counter(n); insert into counter values (0); create table log(id integer primary key, who, what)")
    setup.execute("create index log_who on log(who, what)")
    setup.close()
    programs = {"one": MINISQL, "two": MINISQL, "three": SQLITE}
    processes = [
        subprocess.Popen([sys.executable, "-c", text, path, str(ROUNDS), name], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for name, text in programs.items()
    ]
    for process in processes:
        _out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    check = apsw.Connection(path)
    assert list(check.execute("select n from counter")) == [(3 * ROUNDS,)]
    assert list(check.execute("select who, count(*) from log group by who order by who")) == [
        (name, 2 * ROUNDS) for name in sorted(programs)
    ]
    assert list(check.execute("pragma integrity_check")) == [("ok",)]
    check.close()
