"""UPSERT: conflict targets, actions and conditions over kinds of tables, with RETURNING and triggers.

Source: https://www.sqlite.org/lang_upsert.html.
"""

from __future__ import annotations

from collections.abc import Iterator

TABLES = {
    "rowid": "CREATE TABLE t(k INTEGER PRIMARY KEY, u TEXT UNIQUE, v, n DEFAULT 0)",
    "without": "CREATE TABLE t(k INTEGER PRIMARY KEY, u TEXT UNIQUE, v, n DEFAULT 0) WITHOUT ROWID",
    "plain": "CREATE TABLE t(k UNIQUE, u TEXT, v, n DEFAULT 0, UNIQUE(u))",
    "composite": "CREATE TABLE t(k, u TEXT COLLATE NOCASE, v, n DEFAULT 0, PRIMARY KEY(k,u), UNIQUE(u))",
    "partial": "CREATE TABLE t(k INTEGER PRIMARY KEY, u TEXT, v, n DEFAULT 0)",
    "generated": "CREATE TABLE t(k INTEGER PRIMARY KEY, u TEXT UNIQUE, v, n DEFAULT 0, g AS (k||u), s AS (v||'!') STORED)",
}
TARGETS = ("", "(k)", "(u)", "(k,u)", "(v)", "(u COLLATE NOCASE)", "(u) WHERE v>0", "(lower(u))", "(rowid)", "(nope)")
ACTIONS = (
    "DO NOTHING",
    "DO UPDATE SET n=n+1",
    "DO UPDATE SET v=excluded.v, n=n+10 WHERE excluded.v > t.v",
    "DO UPDATE SET (v,n)=(excluded.v, t.n-1), u=u||'*'",
    "DO UPDATE SET k=k+100",
    "DO UPDATE SET v=(SELECT max(v) FROM t)+excluded.k RETURNING k, u, v, n",
)
ROWS = ("VALUES(1,'a',5)", "VALUES(9,'b',5)", "VALUES(1,'b',5)", "VALUES(7,'g',5),(7,'h',6),(8,'A',7)", "SELECT k,u,v+1 FROM t WHERE true")


def set_up(kind: str) -> Iterator[str]:
    """A fresh table."""
    yield "DROP TABLE IF EXISTS t"
    yield TABLES[kind]
    if kind == "partial":
        yield "CREATE UNIQUE INDEX tu ON t(u) WHERE v>0"
        yield "CREATE UNIQUE INDEX tl ON t(lower(u))"
    yield "INSERT INTO t(k,u,v) VALUES(1,'a',1),(2,'b',2),(3,'c',3)"


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for kind in TABLES:
        for target in TARGETS:
            for action in ACTIONS:
                if not target and action != "DO NOTHING" and "n+1" not in action:
                    continue
                yield from set_up(kind)
                for rows in ROWS[: 5 if kind in ("rowid", "partial") else 4]:
                    yield f"INSERT INTO t(k,u,v) {rows} ON CONFLICT{target} {action}"
                yield "SELECT * FROM t ORDER BY k, u"
    for kind in TABLES:
        for first in ("(k) DO NOTHING", "(u) DO UPDATE SET n=1", "(k) WHERE 0 DO NOTHING", "(u) DO UPDATE SET n=1 WHERE 0"):
            for second in ("DO NOTHING", "(k) DO UPDATE SET n=2", "(u) DO UPDATE SET n=3", "DO UPDATE SET n=4"):
                yield from set_up(kind)
                yield f"INSERT INTO t(k,u,v) VALUES(1,'x',1),(5,'b',1),(2,'a',1),(6,'f',6) ON CONFLICT{first} ON CONFLICT {second}"
                yield "SELECT * FROM t ORDER BY k, u"
    yield from with_triggers()
    yield OTHERS


def with_triggers() -> Iterator[str]:
    """Which triggers an upsert fires, and OR clauses next to it."""
    for kind in ("rowid", "without"):
        for clause in ("", " OR IGNORE", " OR REPLACE", " OR FAIL", " OR ROLLBACK"):
            yield from set_up(kind)
            yield "DROP TABLE IF EXISTS log"
            yield "CREATE TABLE log(what, k)"
            for timing in ("BEFORE", "AFTER"):
                for event in ("INSERT", "UPDATE", "DELETE"):
                    row = "old" if event == "DELETE" else "new"
                    yield f"CREATE TRIGGER {timing}_{event} {timing} {event} ON t BEGIN INSERT INTO log VALUES('{timing} {event}', {row}.k); END"
            yield f"INSERT{clause} INTO t(k,u,v) VALUES(1,'z',1),(9,'b',1),(10,'j',1) ON CONFLICT(k) DO UPDATE SET n=n+1"
            yield "SELECT * FROM log"
            yield "SELECT * FROM t ORDER BY k"
            yield f"INSERT{clause} INTO t(k,u,v) VALUES(2,'z',1) ON CONFLICT DO NOTHING"
            yield "SELECT count(*) FROM log"
            yield f"INSERT{clause} INTO t(k,u,v) VALUES(2,'z',1) ON CONFLICT(k) DO UPDATE SET u='c'"
            yield "SELECT * FROM t ORDER BY k"


OTHERS = """.each
DROP TABLE IF EXISTS t
CREATE TABLE t(k INTEGER PRIMARY KEY, u UNIQUE, v)
INSERT INTO t VALUES(1,'a',1)
INSERT INTO t VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET v=excluded.rowid+5
INSERT INTO t AS q VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET v=q.v+1
INSERT INTO t AS q VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET v=t.v+1
INSERT INTO t AS excluded VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET v=excluded.v+1
INSERT INTO t VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET excluded.v=1
INSERT INTO t VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET nope=1
INSERT INTO t VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET v=nope
INSERT INTO t VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET v=excluded.nope
INSERT INTO t SELECT * FROM t ON CONFLICT(k) DO UPDATE SET v=2
INSERT INTO t SELECT * FROM t WHERE 1 ON CONFLICT(k) DO UPDATE SET v=v+2
INSERT INTO t DEFAULT VALUES ON CONFLICT DO NOTHING
INSERT INTO t DEFAULT VALUES
REPLACE INTO t VALUES(1,'a',1) ON CONFLICT(k) DO UPDATE SET v=2
INSERT INTO t VALUES(5,'a',NULL),(6,'q',NULL) ON CONFLICT(u) DO UPDATE SET k=excluded.k RETURNING *, rowid
SELECT * FROM t
INSERT INTO t VALUES(5,'new',NULL) ON CONFLICT(k) DO UPDATE SET u=(SELECT 'from '||u FROM t AS x WHERE x.k=t.k)
SELECT * FROM t
WITH s(a,b,c) AS (VALUES(5,'cte',3),(50,'more',4)) INSERT INTO t SELECT * FROM s WHERE true ON CONFLICT(k) DO UPDATE SET u=excluded.u
SELECT * FROM t
INSERT INTO t VALUES(5,'x',1) ON CONFLICT(k) DO UPDATE SET v=1 WHERE (SELECT count(*) FROM t)>100
SELECT * FROM t
INSERT INTO t VALUES(5,'x',1) ON CONFLICT(k) DO UPDATE SET u='more'
SELECT * FROM t
INSERT INTO t VALUES(5,'x',1) ON CONFLICT(k) DO UPDATE SET u=(1,2)
INSERT INTO t VALUES(5,'x',1) ON CONFLICT(k) DO UPDATE SET (u,v)=(SELECT 'row',excluded.v+t.v)
SELECT * FROM t
INSERT INTO t VALUES(5,'x',1) ON CONFLICT(k) DO UPDATE SET v=sum(v)
INSERT INTO t VALUES(5,'x',1) ON CONFLICT(k) DO UPDATE SET v=row_number() OVER ()
INSERT INTO t VALUES(5,'x',1) ON CONFLICT(k) DO UPDATE SET v=changes()
CREATE VIEW vt AS SELECT * FROM t
CREATE TRIGGER vti INSTEAD OF INSERT ON vt BEGIN INSERT INTO t VALUES(new.k,new.u,new.v) ON CONFLICT(k) DO UPDATE SET v='via view'; END
INSERT INTO vt VALUES(5,'x',1)
INSERT INTO vt VALUES(5,'x',1) ON CONFLICT(k) DO NOTHING
INSERT INTO vt VALUES(5,'x',1) ON CONFLICT DO NOTHING
SELECT * FROM t
CREATE TABLE c(a, b, CHECK(b<10), UNIQUE(a))
INSERT INTO c VALUES(1,1)
INSERT INTO c VALUES(1,20) ON CONFLICT(a) DO UPDATE SET b=b+1
INSERT INTO c VALUES(1,2) ON CONFLICT(a) DO UPDATE SET b=b+100
INSERT INTO c VALUES(2,NULL) ON CONFLICT(b) DO NOTHING
SELECT * FROM c
CREATE TABLE nn(a UNIQUE NOT NULL, b NOT NULL)
INSERT INTO nn VALUES(1,1)
INSERT INTO nn VALUES(1,NULL) ON CONFLICT(a) DO UPDATE SET b=b+1
INSERT INTO nn VALUES(NULL,1) ON CONFLICT(a) DO NOTHING
INSERT INTO nn VALUES(NULL,1) ON CONFLICT DO NOTHING
SELECT * FROM nn
CREATE TABLE many(a UNIQUE, b UNIQUE, c UNIQUE, n DEFAULT 0)
INSERT INTO many(a,b,c) VALUES(1,1,1),(2,2,2),(3,3,3)
INSERT INTO many(a,b,c) VALUES(1,2,3) ON CONFLICT(c) DO UPDATE SET n=100 ON CONFLICT(b) DO UPDATE SET n=200 ON CONFLICT(a) DO UPDATE SET n=300
SELECT * FROM many
INSERT INTO many(a,b,c) VALUES(1,2,3) ON CONFLICT(b) DO UPDATE SET n=2000 ON CONFLICT DO UPDATE SET n=1000
SELECT * FROM many
INSERT INTO many(a,b,c) VALUES(4,2,3) ON CONFLICT(b) DO NOTHING ON CONFLICT(c) DO UPDATE SET n=5
INSERT INTO many(a,b,c) VALUES(4,5,3) ON CONFLICT(b) DO NOTHING ON CONFLICT(c) DO UPDATE SET b=1
INSERT OR REPLACE INTO many(a,b,c) VALUES(4,5,3) ON CONFLICT(c) DO UPDATE SET b=1
SELECT * FROM many
"""
