"""Sound files to damage: every kind of page and layout, made by SQLite and by minisql.

A sample is a dictionary of bytes by the ending of the file's name: "" for the database, "-wal" and "-journal" beside it.  The
content is the same for a given name, up to the salts and nonces of logs and journals.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable
from typing import Any

import apsw

import minisql

Sample = dict[str, bytes]

QUERIES = (
    "SELECT * FROM sqlite_schema",
    "SELECT count(*) FROM t",
    "SELECT * FROM t",
    "SELECT rowid, a, c FROM t WHERE a BETWEEN 20 AND 60",
    "SELECT a, b FROM t INDEXED BY tb WHERE b >= 'k' ORDER BY b, a",
    "SELECT b, count(*), sum(c) FROM t GROUP BY b",
    "SELECT max(a), min(b), total(c) FROM t",
    "SELECT a FROM t WHERE b = 'row 7' OR c > 40",
    "SELECT count(*) FROM w",
    "SELECT * FROM w",
    "SELECT v FROM w WHERE k > 'key 3' ORDER BY k DESC",
    "SELECT t.a, w.v FROM t JOIN w ON w.k = t.b",
    "SELECT a FROM t ORDER BY rowid DESC LIMIT 5",
    "PRAGMA quick_check",
    "PRAGMA integrity_check",
    "PRAGMA freelist_count",
    "PRAGMA user_version",
)

WRITES = (
    "INSERT INTO t(b, c) VALUES ('zz', 1)",
    "UPDATE t SET c = c + 1, b = b || 'x' WHERE a < 50",
    "DELETE FROM t WHERE a % 3 = 0",
    "REPLACE INTO w VALUES ('key 3', 4)",
    "CREATE TABLE n(x)",
    "DROP TABLE w",
    "PRAGMA incremental_vacuum",
    "VACUUM",
    "DELETE FROM t",
)

SCHEMA = """CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL, c REAL, d);
CREATE INDEX tb ON t(b, c);
CREATE TABLE w(k TEXT PRIMARY KEY, v, u UNIQUE) WITHOUT ROWID;
CREATE VIEW view_of_t AS SELECT a, b FROM t;
CREATE TRIGGER trigger_of_t AFTER INSERT ON t BEGIN UPDATE w SET v = new.a WHERE k = new.b; END;
"""

FILL = """INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {rows})
  SELECT n, 'row ' || (n % 17), n / 2.0,
    CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN n * 100000 WHEN 2 THEN zeroblob(n % 90) WHEN 3 THEN 'text ' || n
      ELSE CASE WHEN n % 20 = 4 THEN hex(zeroblob({long} + n)) ELSE -n END END FROM r;
INSERT INTO w SELECT 'key ' || a, CASE WHEN a % 9 = 0 THEN hex(zeroblob({long})) ELSE d END, a FROM t WHERE a % 2;
"""


class _Maker:
    """Runs SQL by one of the engines."""

    def __init__(self, engine: str, path: str) -> None:
        self.connection: Any
        if engine == "apsw":
            self.connection = apsw.Connection(path)
            # A pragma that answers with a row stops a script that nobody reads on.
            self.run: Callable[[str], Any] = lambda sql: list(self.connection.execute(sql))
        else:
            self.connection = minisql.connect(path, isolation_level=None)
            self.run = self.connection._open_session().run_script  # `executescript` would commit first


def _collect(path: str) -> Sample:
    sample: Sample = {}
    for ending in ("", "-wal", "-journal"):
        if os.path.exists(path + ending):
            with open(path + ending, "rb") as file:
                sample[ending] = file.read()
    return sample


def _layout(engine: str, pragmas: str, rows: int = 70, long: int = 700, deletes: str = "") -> Sample:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        maker = _Maker(engine, path)
        maker.run(pragmas + SCHEMA + FILL.format(rows=rows, long=long) + deletes)
        maker.connection.close()
        return _collect(path)


def _with_log(engine: str) -> Sample:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        maker = _Maker(engine, path)
        maker.run("PRAGMA page_size = 512; PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; " + SCHEMA)
        maker.run(FILL.format(rows=30, long=300) + "PRAGMA wal_checkpoint;")
        maker.run("INSERT INTO t(b, c) SELECT b || 'y', c FROM t; DELETE FROM w WHERE u > 20; UPDATE t SET c = 9 WHERE a < 9;")
        sample = _collect(path)
        maker.connection.close()
        return sample


def _with_journal(engine: str) -> Sample:
    """A hot journal: taken from the middle of a transaction whose cache has spilled."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        maker = _Maker(engine, path)
        maker.run("PRAGMA page_size = 512; " + SCHEMA + FILL.format(rows=40, long=300))
        maker.run("PRAGMA cache_size = 10; BEGIN; UPDATE t SET c = c + 1, b = b || 'changed'; INSERT INTO t(b, c) SELECT b, c FROM t;")
        maker.run("DELETE FROM w WHERE u > 5; INSERT INTO t(b, c) SELECT b, c FROM t;")
        sample = _collect(path)
        maker.run("ROLLBACK;")
        maker.connection.close()
        return sample


_HOLES = "DELETE FROM t WHERE a BETWEEN 10 AND 50; DELETE FROM w WHERE u < 30;"

_LAYOUTS: dict[str, tuple[str, int, int, str]] = {
    "512": ("PRAGMA page_size = 512;", 70, 700, ""),
    "1024 freelist": ("PRAGMA page_size = 1024;", 90, 900, _HOLES),
    "4096": ("PRAGMA page_size = 4096;", 160, 5000, ""),
    "auto_vacuum": ("PRAGMA page_size = 512; PRAGMA auto_vacuum = full;", 70, 700, ""),
    "incremental freelist": ("PRAGMA page_size = 512; PRAGMA auto_vacuum = incremental;", 80, 600, _HOLES),
    "utf16le": ("PRAGMA page_size = 512; PRAGMA encoding = 'utf-16le';", 50, 300, ""),
    "utf16be": ("PRAGMA page_size = 1024; PRAGMA encoding = 'utf-16be';", 50, 300, _HOLES),
}
"""Pragmas, rows, bytes of a long value, deletions."""

MAKERS: dict[str, Callable[[], Sample]] = {}
for _engine in ("apsw", "minisql"):
    for _name, _shape in _LAYOUTS.items():
        MAKERS[f"{_engine} {_name}"] = functools.partial(_layout, _engine, *_shape)
    MAKERS[f"{_engine} wal"] = functools.partial(_with_log, _engine)
    MAKERS[f"{_engine} journal"] = functools.partial(_with_journal, _engine)


def make_sample(name: str) -> Sample:
    """Makes a sample by its name in `MAKERS`."""
    return MAKERS[name]()
