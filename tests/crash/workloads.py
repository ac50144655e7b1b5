"""What the crash matrix runs: sound databases, and transactions on them that reach every part of the storage code.

A workload is a list of steps.  A step is a list of statements that take effect together: after it the database is in the next
state, and a fault within it leaves the state before or after.  Statements that change no row (a checkpoint) are steps too.
"""

from __future__ import annotations

from typing import NamedTuple

Step = tuple[str, ...]

SCHEMA = (
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c)",
    "CREATE INDEX tb ON t(b)",
    "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID",
    "INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 40)"
    " SELECT n, 'row ' || (n * 7 % 40), hex(zeroblob(n * 11 % 90 + (n = 13) * 3000)) FROM r",
    "INSERT INTO w SELECT b || a, c FROM t WHERE a % 3 = 0",
)
ATTACHED_SCHEMA = (
    "CREATE TABLE other.u(a INTEGER PRIMARY KEY, b)",
    "INSERT INTO other.u SELECT a, b FROM t",
)

_INSERTS = "INSERT INTO t(b, c) SELECT b || 'new', hex(zeroblob({size})) FROM t WHERE a {condition}"

WORKLOADS: dict[str, tuple[Step, ...]] = {
    "inserts": (
        (_INSERTS.format(size=30, condition="% 2"),),
        ("BEGIN", _INSERTS.format(size=700, condition="% 4 = 0"), "INSERT INTO w SELECT 'k' || a, b FROM t WHERE a > 35", "COMMIT"),
        ("INSERT INTO t VALUES (1000, 'one', zeroblob(5000))",),
    ),
    "updates": (
        ("UPDATE t SET c = 'short' WHERE a % 3 = 0",),
        ("BEGIN IMMEDIATE", "UPDATE t SET b = b || ' changed', c = hex(zeroblob(60)) WHERE a > 10", "UPDATE w SET v = 1", "COMMIT"),
        ("UPDATE t SET a = a + 100 WHERE a > 30",),
    ),
    "deletes": (
        ("DELETE FROM t WHERE a BETWEEN 5 AND 30",),
        ("BEGIN", "DELETE FROM w", "DELETE FROM t WHERE a = 13", "INSERT INTO t(b) VALUES ('back')", "COMMIT"),
        ("DELETE FROM t",),
        ("INSERT INTO t(b, c) VALUES ('again', zeroblob(900))",),
    ),
    "ddl": (
        ("CREATE TABLE n(x, y UNIQUE)",),
        ("BEGIN", "INSERT INTO n SELECT a, b FROM t", "CREATE INDEX nx ON n(x)", "ALTER TABLE t ADD COLUMN d DEFAULT 7", "COMMIT"),
        ("DROP TABLE w",),
        ("BEGIN", "ALTER TABLE t RENAME TO renamed", "DROP INDEX tb", "COMMIT"),
    ),
    "savepoints": (
        (
            "BEGIN",
            "INSERT INTO t(b, c) VALUES ('kept', zeroblob(2000))",
            "SAVEPOINT one",
            "DELETE FROM t WHERE a < 25",
            "SAVEPOINT two",
            _INSERTS.format(size=400, condition="> 25"),
            "ROLLBACK TO two",
            "UPDATE w SET v = 'two'",
            "ROLLBACK TO one",
            "UPDATE t SET c = NULL WHERE a > 30",
            "RELEASE one",
            "COMMIT",
        ),
        ("BEGIN", "DELETE FROM t", "CREATE TABLE gone(x)", "ROLLBACK"),
        ("INSERT OR REPLACE INTO t(a, b) VALUES (2, 'replaced')",),
    ),
    "vacuum": (
        ("DELETE FROM t WHERE a % 2",),
        ("VACUUM",),
        ("BEGIN", "INSERT INTO t(b) VALUES ('after')", "DELETE FROM w WHERE k > 'row 2'", "COMMIT"),
        ("PRAGMA incremental_vacuum",),
    ),
    "checkpoints": (
        (_INSERTS.format(size=200, condition="< 9"),),
        ("PRAGMA wal_checkpoint",),
        ("UPDATE t SET c = 'x' WHERE a > 20",),
        ("PRAGMA wal_checkpoint(RESTART)",),
        ("DELETE FROM t WHERE a < 12",),
        ("INSERT INTO w VALUES ('last', 1)",),
        ("PRAGMA wal_checkpoint(TRUNCATE)",),
        ("UPDATE w SET v = 'end'",),
    ),
    "attached": (
        ("BEGIN", "UPDATE t SET c = 'both' WHERE a < 15", "UPDATE other.u SET b = 'both' WHERE a < 15", "COMMIT"),
        ("BEGIN", "DELETE FROM other.u WHERE a > 20", "INSERT INTO t(b, c) SELECT b, zeroblob(500) FROM other.u", "COMMIT"),
        ("INSERT INTO other.u(b) VALUES ('alone')",),
    ),
}


class Setting(NamedTuple):
    """One row of the matrix."""

    journal_mode: str
    synchronous: str
    page_size: int
    auto_vacuum: str
    cache_size: int
    locking_mode: str
    workload: str
    fault: str


FACTORS: tuple[tuple[object, ...], ...] = (
    ("delete", "truncate", "persist", "memory", "off", "wal"),
    ("off", "normal", "full", "extra"),
    (512, 1024, 4096, 65536),
    ("none", "full", "incremental"),
    (10, -2000),
    ("normal", "exclusive"),
    tuple(WORKLOADS),
    ("power", "power", "kill", "once", "forever", "full once", "full forever", "read once"),
)
"""Values of the fields of a Setting, in their order; a value that stands twice is taken twice as often."""
