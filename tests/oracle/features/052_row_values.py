"""Row values: every comparison, IN against lists, VALUES and queries, with affinities, collations and NULLs.

Source: https://www.sqlite.org/rowvalue.html, https://www.sqlite.org/datatype3.html.
"""

from __future__ import annotations

from collections.abc import Iterator

SCHEMA = """.each
CREATE TABLE t(k INTEGER PRIMARY KEY, a INT, b TEXT COLLATE NOCASE, c, d REAL)
INSERT INTO t VALUES(1,1,'x',1,1.5),(2,1,'X','1',2),(3,2,'y',NULL,NULL),(4,NULL,'y','z',0),(5,2,NULL,x'31',3),(6,3,'Z',2,3)
CREATE INDEX tab ON t(a,b)
CREATE INDEX tcd ON t(c, d DESC)
CREATE TABLE w(p TEXT, q TEXT COLLATE RTRIM, PRIMARY KEY(p,q)) WITHOUT ROWID
INSERT INTO w VALUES('1','x'),('1','X '),('2','y'),('3','z  ')
"""
ROWS = ("(a,b)", "(b,a)", "(a,c)", "(c,d)", "(+a,b)", "(a,b COLLATE BINARY)", "(k,a)")
OTHERS = ("(1,'x')", "('1','X')", "(2,NULL)", "(NULL,'y')", "(1.0,x'58')", "(SELECT p,q FROM w WHERE p='1' AND q='x')")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT")
SETS = (
    "((1,'X'))",
    "((1,'x'),(2,'Y'))",
    "(('1','x'),(2,'y '))",
    "((1,'X'),(NULL,'y'))",
    "((b,a),(a,b))",
    "((a,b),(1,'q'))",
    "((1,'Q' COLLATE NOCASE),(1,'X'))",
    "(VALUES(1,'X'))",
    "(VALUES(1,'X'),(2,'Y'))",
    "(VALUES('1','X'),('2','Y'),(NULL,NULL))",
    "(SELECT p,q FROM w)",
    "(SELECT 1,'X')",
    "(SELECT a,b FROM t)",
    "(SELECT c,d FROM t WHERE k<4)",
    "(SELECT p,q FROM w UNION ALL SELECT a,b FROM t)",
    "(SELECT a,b FROM t UNION ALL SELECT p,q FROM w)",
    "(SELECT a,b FROM t UNION SELECT p,q FROM w)",
    "(SELECT a,b FROM t INTERSECT SELECT p,q FROM w)",
    "(SELECT a,b FROM t EXCEPT SELECT 1,'x')",
    "(SELECT 1,'X' WHERE 0)",
    "w",
)


def blocks() -> Iterator[str]:
    """The statements of this table."""
    yield SCHEMA
    for row in ROWS:
        for other in OTHERS:
            for operator in COMPARISONS:
                yield f"SELECT k, {row} {operator} {other} FROM t ORDER BY k"
                yield f"SELECT k FROM t WHERE {row} {operator} {other} ORDER BY k"
            yield f"SELECT k FROM t WHERE {row} BETWEEN {other} AND (2,'z') ORDER BY k"
            yield f"SELECT k, CASE {row} WHEN {other} THEN 'one' WHEN (2,'y') THEN 'two' END FROM t ORDER BY k"
        for items in SETS:
            yield f"SELECT k, {row} IN {items}, {row} NOT IN {items} FROM t ORDER BY k"
            yield f"SELECT k FROM t WHERE {row} IN {items} ORDER BY k"
            yield f"SELECT k FROM t WHERE {row} NOT IN {items} ORDER BY k"
    for operator in COMPARISONS:
        yield f"SELECT (1,2,3) {operator} (1,2,4), (1,NULL,3) {operator} (1,NULL,3), (1,NULL,3) {operator} (2,NULL,3)"
        yield f"SELECT x.k, y.k FROM t x, t y WHERE (x.a,x.b) {operator} (y.a,y.b) ORDER BY 1, 2"
        yield f"SELECT x.k, y.p FROM t x, w y WHERE (x.a,x.b) {operator} (y.p,y.q) ORDER BY 1, 2, y.q"
        yield f"SELECT x.k, y.p FROM t x, w y WHERE (y.p,y.q) {operator} (x.a,x.b) ORDER BY 1, 2, y.q"
    yield """.each
SELECT (1,2)
SELECT (1,2) = 1
SELECT 1 = (1,2)
SELECT (1,2) = (1,2,3)
SELECT (1,2,3) IN ((1,2))
SELECT (1,2) IN (1,2)
SELECT 1 IN ((1,2))
SELECT (1,2) IN (SELECT 1)
SELECT (1,2) IN (SELECT 1,2,3)
SELECT 1 IN (SELECT 1,2)
SELECT (1,2) IN (VALUES(1,2),(3,4,5))
SELECT (1,2) IN ()
SELECT (1,2) NOT IN ()
SELECT (1,2) + 1
SELECT -(1,2)
SELECT (1,2) IS NULL
SELECT (1,2) ISNULL
SELECT NOT (1,2)
SELECT (1,2) AND 1
SELECT (1,2) || 'x'
SELECT (1,2) LIKE 'x'
SELECT abs((1,2))
SELECT max((1,2))
SELECT count((1,2))
SELECT CAST((1,2) AS TEXT)
SELECT CASE WHEN (1,2) THEN 1 END
SELECT CASE 1 WHEN (1,2) THEN 1 END
SELECT (1,2) COLLATE NOCASE
SELECT ((1,2)) = (1,2)
SELECT (((1,2))) = ((1,2))
SELECT (1) = 1
SELECT ((1)) IN (1)
SELECT (1,(2,3)) = (1,(2,3))
SELECT (1,(SELECT 2)) = (1,2)
SELECT (SELECT 1,2)
SELECT (SELECT 1,2) = (1,2)
SELECT (SELECT 1,2) = (SELECT 1,2)
SELECT (SELECT 1,2) < (SELECT 1,3)
SELECT (SELECT 1,2 WHERE 0) IS (NULL,NULL)
SELECT (SELECT 1,2 UNION ALL SELECT 3,4) = (1,2)
SELECT (VALUES(1,2)) = (1,2)
SELECT (VALUES(1,2),(3,4)) = (1,2)
SELECT 1 WHERE (1,2)
SELECT 1 LIMIT (1,2)
SELECT 1 ORDER BY (1,2)
SELECT 1 GROUP BY (1,2)
SELECT 1 FROM t HAVING (1,2)
SELECT a FROM t ORDER BY (a,b)
SELECT a FROM t GROUP BY (a,b)
SELECT (a,b) AS x FROM t
SELECT EXISTS(SELECT (1,2))
SELECT (1,2) BETWEEN (1,1) AND (1,3), (1,2) NOT BETWEEN (1,1) AND (1,3)
SELECT (1,2) BETWEEN 1 AND (1,3)
SELECT (1,2) IS DISTINCT FROM (1,2), (1,NULL) IS NOT DISTINCT FROM (1,NULL)
SELECT (1,2) == (1,2), (1,2) != (1,2)
INSERT INTO t(k,a) VALUES((10,11))
INSERT INTO t(a,b) VALUES((1,2),3)
UPDATE t SET a=(1,2)
UPDATE t SET (a,b)=(1,2,3)
UPDATE t SET (a,b)=1
UPDATE t SET (a,b)=(SELECT 1)
UPDATE t SET (a,b)=(SELECT 1,2,3)
UPDATE t SET (a,nope)=(1,2)
UPDATE t SET (a)=(1,2)
UPDATE t SET (a)=5 WHERE k=1
SELECT * FROM t WHERE k=1
UPDATE t SET (a,b)=(b,a) WHERE k=1
SELECT * FROM t WHERE k=1
UPDATE t SET (a,b,c)=(SELECT p,q,9 FROM w WHERE p=t.k) WHERE k IN (1,2)
SELECT * FROM t ORDER BY k
UPDATE t SET (a,b)=(SELECT p,q FROM w WHERE p='none'), c='set' WHERE k=3
SELECT * FROM t ORDER BY k
UPDATE t SET (a,b)=(7,'s'), (c,d)=(a,b) WHERE k=4
SELECT * FROM t ORDER BY k
UPDATE t SET (a,a)=(7,8) WHERE k=5
SELECT * FROM t ORDER BY k
UPDATE t SET (a,b)=(VALUES(3,4)) WHERE k=6
UPDATE t SET (a,b)=(VALUES(5,6),(7,8)) WHERE k=6
SELECT * FROM t ORDER BY k
UPDATE t SET (a,b)=(SELECT p,q FROM w UNION ALL SELECT 8,9 LIMIT 1 OFFSET 1) WHERE k=6
SELECT * FROM t ORDER BY k
DELETE FROM t WHERE (k,a) IN (SELECT k,a FROM t WHERE k<3)
SELECT k FROM t
CREATE TABLE ck(a, b, CHECK ((a,b) < (5,5)))
INSERT INTO ck VALUES(4,9)
INSERT INTO ck VALUES(5,4)
INSERT INTO ck VALUES(5,5)
INSERT INTO ck VALUES(NULL,5)
CREATE TABLE ck2(a, b, CHECK ((a,b)))
CREATE INDEX ix ON ck((a,b))
CREATE INDEX px ON ck(a) WHERE (a,b) > (1,2)
CREATE VIEW rv AS SELECT (1,2)
SELECT * FROM rv
CREATE TRIGGER rt AFTER INSERT ON ck WHEN (new.a,new.b)=(1,1) BEGIN UPDATE ck SET (a,b)=(SELECT 2,2) WHERE (a,b)=(new.a,new.b); END
INSERT INTO ck VALUES(1,1)
SELECT * FROM ck
"""
