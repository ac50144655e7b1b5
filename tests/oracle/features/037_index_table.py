"""Indexes of every kind under queries that may use them: partial, expression, descending, collated, covering; the rows and the plans' access words.

Source: https://www.sqlite.org/partialindex.html, https://www.sqlite.org/expridx.html, https://www.sqlite.org/lang_createindex.html.
"""

from __future__ import annotations

from collections.abc import Iterator

INDEXES = (
    "t(a)", "t(a DESC)", "t(b)", "t(b COLLATE NOCASE)", "t(b COLLATE RTRIM DESC, a)", "t(a, b)", "t(b DESC, a DESC)", "t(c, b, a)", "t(a+c)", "t(lower(b))",
    "t(a) WHERE c>1", "t(b) WHERE b IS NOT NULL", "t(c) WHERE a IN (1,2)", "t(a, c) WHERE b='x'", "t(b) WHERE a>1 AND c<3", "t(a*2, b) WHERE c IS NULL", "t(a COLLATE NOCASE)",
    "t(-a DESC)", "t(coalesce(c, a))", "t(b || a)", "t(c DESC, a)", "t(a) WHERE 0", "t(a) WHERE 1", "t(c IS NULL, a)",
)  # fmt: skip
WHERES = (
    "a=1", "a='1'", "a>1", "a BETWEEN 1 AND 2", "a IN (1,3)", "a IS NULL", "a IS NOT NULL", "b='x'", "b='X' COLLATE NOCASE", "b>'x'", "b LIKE 'x%'", "b GLOB 'x*'",
    "b IS 'x' AND c=1", "c=1 OR a=3", "c>1 AND a=2", "c>2 AND a>0", "a IN (1,2) AND c=1", "b='x' AND a=1", "a>1 AND c<3 AND b>='x'", "a+c=3", "lower(b)='x'",
    "a*2=4 AND c IS NULL", "-a<-1", "coalesce(c,a)=2", "b||a='x1'", "(a,b)=(1,'x')", "(a,b)>(1,'x')", "a=1 AND b IN ('x','y')", "b IS NOT NULL AND b<'z'", "c IS NULL", "c IS NULL AND a>1",
    "a=c", "a NOT IN (1,2)", "NOT a=1", "a=1 AND 0", "rowid=3", "rowid>2 AND a=2", "a<>1", "b=a", "x.a=(SELECT max(a) FROM t)", "a IN (SELECT c FROM t)", "EXISTS(SELECT 1 FROM t y WHERE y.a=x.c)",
)  # fmt: skip
ORDERS = ("a, rowid", "a DESC, rowid", "b, a, rowid", "b COLLATE NOCASE, rowid", "c DESC, a, rowid", "a+c, rowid", "lower(b), rowid")


def blocks() -> Iterator[str]:
    """The statements of this table."""
    yield "CREATE TABLE t(a INT, b TEXT, c)"
    yield "INSERT INTO t VALUES(1,'x',1),(1,'X',2),(2,'y',NULL),(2,'x ',1),(3,'Z',3),(NULL,NULL,NULL),('q','xx',2.0),(3,'x',1),(2,'y',x'01'),(1,NULL,4)"
    for number, index in enumerate(INDEXES):
        yield f"CREATE INDEX i{number} ON {index}"
        for position, where in enumerate(WHERES):
            order = ORDERS[(number + position) % len(ORDERS)]
            yield f"SELECT rowid, a, b, c FROM t AS x WHERE {where} ORDER BY {order}"
            yield f"SELECT count(*), min(a), max(b) FROM t AS x WHERE {where}"
        yield f"SELECT a FROM t INDEXED BY i{number} WHERE a=1 ORDER BY rowid"
        yield "SELECT a FROM t NOT INDEXED WHERE a=1 ORDER BY rowid"
        yield "UPDATE t SET c=c+1, b=b WHERE a=3"
        yield "UPDATE t SET c=c-1 WHERE a=3"
        yield "DELETE FROM t WHERE a=99 OR b='none'"
        yield "INSERT INTO t VALUES(99,'none',NULL)"
        yield f"PRAGMA index_xinfo(i{number})"
        yield "PRAGMA integrity_check"
        yield "DELETE FROM t WHERE a=99"
        yield f"REINDEX i{number}"
        yield f"DROP INDEX i{number}"
    for number, index in enumerate(INDEXES):
        yield f"CREATE UNIQUE INDEX u{number} ON {index}"
        yield "INSERT INTO t VALUES(1,'x',1)"
        yield "INSERT OR IGNORE INTO t VALUES(1,'x',1),(77,'seven',7)"
        yield "INSERT OR REPLACE INTO t VALUES(77,'SEVEN',8)"
        yield "SELECT * FROM t WHERE a=77"
        yield "DELETE FROM t WHERE a=77"
        yield f"DROP INDEX IF EXISTS u{number}"
    yield """.each
CREATE INDEX i ON t(nope)
CREATE INDEX i ON nope(a)
CREATE INDEX i ON t(a COLLATE nope)
CREATE INDEX i ON t(random())
CREATE INDEX i ON t(a) WHERE random()>0
CREATE INDEX i ON t((SELECT 1))
CREATE INDEX i ON t(a) WHERE a IN (SELECT 1)
CREATE INDEX i ON t(?)
CREATE INDEX i ON t(sum(a))
CREATE INDEX i ON t(t.a)
CREATE INDEX i ON t(a) WHERE t.a>1
CREATE INDEX i ON t(a)
CREATE INDEX IF NOT EXISTS i ON t(b)
DROP INDEX i
DROP INDEX i
DROP INDEX IF EXISTS i
CREATE INDEX t ON t(a)
CREATE INDEX sqlite_i ON t(a)
CREATE INDEX temp.i ON t(a)
CREATE INDEX main.i ON t(a)
CREATE INDEX i2 ON main.t(a)
CREATE VIEW v AS SELECT a FROM t
CREATE INDEX i3 ON v(a)
CREATE INDEX i4 ON sqlite_schema(name)
CREATE INDEX i5 ON t(a, a, b)
CREATE INDEX i6 ON t('a')
CREATE INDEX i7 ON t("a")
CREATE INDEX i8 ON t("nope")
CREATE INDEX i9 ON t(1)
CREATE INDEX i10 ON t(NULL)
CREATE INDEX i11 ON t(a) WHERE "nope"='x'
CREATE INDEX i12 ON t(rowid)
CREATE INDEX i13 ON t(a, rowid DESC)
SELECT name, sql FROM sqlite_schema WHERE type='index' ORDER BY name
PRAGMA index_list(t)
SELECT a FROM t INDEXED BY nope
SELECT a FROM t INDEXED BY i11
UPDATE t INDEXED BY i5 SET c=c WHERE a=1
DELETE FROM t INDEXED BY nope WHERE a=1
DELETE FROM t NOT INDEXED WHERE a=12345
DROP INDEX sqlite_autoindex_t_1
"""
