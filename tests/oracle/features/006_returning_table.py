"""RETURNING for every statement and kind of table: what names mean, when values are taken, what it may not contain.

Source: https://www.sqlite.org/lang_returning.html.
"""

from __future__ import annotations

from collections.abc import Iterator

TABLES = {
    "rowid": "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'd', c UNIQUE)",
    "without": "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'd', c UNIQUE) WITHOUT ROWID",
    "generated": "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'd', c UNIQUE, g AS (a||b), s AS (a*10) STORED)",
    "trigger": "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'd', c UNIQUE)",
}
STATEMENTS = (
    "INSERT INTO t(a,b,c) VALUES(10,'x',10),(11,'y',11)",
    "INSERT INTO t(b) VALUES(5)",
    "INSERT INTO t DEFAULT VALUES",
    "INSERT OR IGNORE INTO t(a,b,c) VALUES(1,'i',1),(20,'i',20)",
    "INSERT OR REPLACE INTO t(a,b,c) VALUES(1,'r',2)",
    "INSERT INTO t(a,b,c) SELECT a+100, b, c+100 FROM t WHERE a<3 ORDER BY a DESC",
    "INSERT INTO t(a,b,c) VALUES(1,'u',1) ON CONFLICT(a) DO UPDATE SET b=excluded.b||t.b",
    "INSERT INTO t(a,b,c) VALUES(1,'u',1) ON CONFLICT DO NOTHING",
    "UPDATE t SET b=b||'!', c=NULL WHERE a<3",
    "UPDATE t SET a=a+500 WHERE a IN (1,2)",
    "UPDATE t SET b=q.v FROM (SELECT 1 AS k, 'from' AS v) AS q WHERE q.k=t.a OR t.a>500",
    "UPDATE OR REPLACE t SET c=3 WHERE a=2 OR c=2",
    "DELETE FROM t WHERE a%2=1",
    "DELETE FROM t",
)
LISTS = (
    "*", "a, b", "t.*", "rowid", "a AS x, b y", "upper(b) AS u, a+1", "typeof(a), typeof(b), typeof(c)", "(SELECT count(*) FROM t)", "*, *", "t.a, main.t.b", "changes(), last_insert_rowid()", "CASE WHEN a>2 THEN b END", "NULL, 1",
    "count(*)", "sum(a)", "row_number() OVER ()", "nope", "excluded.a", "new.a", "old.a", "q.v", "(SELECT max(a) FROM t AS z WHERE z.a<t.a)", "a IN (SELECT a FROM t)", "EXISTS(SELECT 1 FROM t AS z WHERE z.b=t.b AND z.a<>t.a)",
)  # fmt: skip


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for kind, table in TABLES.items():
        for returned in LISTS:
            yield "DROP TABLE IF EXISTS t"
            yield table
            if kind == "trigger":
                yield "CREATE TRIGGER ta AFTER INSERT ON t BEGIN UPDATE t SET b='by trigger' WHERE a=new.a; END"
                yield "CREATE TRIGGER tb BEFORE UPDATE ON t BEGIN DELETE FROM t WHERE a=3; END"
                yield "CREATE TRIGGER td AFTER DELETE ON t WHEN old.a>5 BEGIN INSERT INTO t(a,b) VALUES(old.a+1000,'kept'); END"
            yield "INSERT INTO t(a,b,c) VALUES(1,'p',1),(2,'q',2),(3,'r',3)"
            for statement in STATEMENTS:
                yield f"{statement} RETURNING {returned}"
            yield "SELECT * FROM t ORDER BY a"
    yield """.each
CREATE VIEW v AS SELECT a, b FROM t
SELECT a FROM t RETURNING a
INSERT INTO t VALUES(1,2,3,4) RETURNING a
INSERT INTO t(a) VALUES(9000) RETURNING
INSERT INTO t(a) VALUES(9001) RETURNING a ORDER BY a
INSERT INTO t(a) VALUES(9002) RETURNING DISTINCT a
WITH q AS (SELECT 9003 AS k) INSERT INTO t(a) SELECT k FROM q RETURNING (SELECT k FROM q)
SELECT * FROM (INSERT INTO t(a) VALUES(9004) RETURNING a)
CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t(a) VALUES(1) RETURNING a; END
INSERT INTO v VALUES(1,2) RETURNING *
DELETE FROM t RETURNING a AS a, a AS b, b
"""
