"""Joins: every join operator with ON, USING and NATURAL, two and three tables, affinities and collations, NULLs, indexes.

Source: https://www.sqlite.org/lang_select.html section 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator

OPERATORS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", ",", "LEFT OUTER JOIN", "INNER JOIN")
CONDITIONS = (
    "ON a.x=b.x",
    "ON a.x=b.x AND a.y>1",
    "ON a.x=b.x AND b.z IS NOT NULL",
    "ON a.x<b.x",
    "ON a.x IS b.x",
    "ON 1",
    "ON 0",
    "ON NULL",
    "ON a.x=1",
    "ON b.x IN (1,2)",
    "ON a.x=b.x OR a.y=b.z",
    "ON (a.x,a.y)=(b.x,b.z)",
    "ON EXISTS(SELECT 1 FROM c WHERE c.x=a.x AND c.z=b.z)",
    "ON a.x=(SELECT max(x) FROM c WHERE c.z=b.z)",
    "USING(x)",
)
WHERES = ("", "WHERE b.x IS NULL", "WHERE a.x IS NOT NULL", "WHERE a.y=1 OR b.z=3", "WHERE coalesce(a.x,b.x)=2")
SCHEMA = """.each
DROP TABLE IF EXISTS a
DROP TABLE IF EXISTS b
DROP TABLE IF EXISTS c
CREATE TABLE a({0}, y)
CREATE TABLE b({1}, z)
CREATE TABLE c(x, z, w)
INSERT INTO a VALUES(1,1),(2,1),(2,2),(3,3),(NULL,4)
INSERT INTO b VALUES(2,2),(2,3),(3,NULL),(NULL,3),(5,1)
INSERT INTO c VALUES(2,3,'p'),(3,NULL,'q'),(1,1,'r'),(NULL,NULL,'s'),(2,9,'t')
"""
SHAPES = {"plain": ("x", "x"), "text": ("x INT", "x TEXT"), "nocase": ("x TEXT COLLATE NOCASE", "x TEXT")}


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for left, right in SHAPES.values():
        yield SCHEMA.format(left, right)
        for operator in OPERATORS:
            for condition in CONDITIONS:
                for where in WHERES:
                    yield f"SELECT *, a.x, b.x FROM a {operator} b {condition} {where} ORDER BY 1, 2, 3, 4, 5"
            yield f"SELECT * FROM a NATURAL {operator} b ORDER BY 1, 2, 3"
            yield f"SELECT x, count(*), count(y), count(z) FROM a {operator} b USING(x) GROUP BY x ORDER BY 1"
            yield f"SELECT x, a.x, b.x, typeof(x) FROM a {operator} b USING(x) ORDER BY 1, 2, 3"
            yield f"SELECT * FROM a {operator} b ON a.x=b.x LEFT JOIN c ON c.x=b.x ORDER BY 1, 2, 3, 4, 5, 6, 7"
    for index in ("", "CREATE INDEX bx ON b(x)", "CREATE INDEX cz ON c(x, z)", "CREATE INDEX ax ON a(x, y)"):
        if index:
            yield index
        for first in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
            for second in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"):
                yield f"SELECT * FROM a {first} b USING(x) {second} c USING(x) ORDER BY 1, 2, 3, 4, 5"
                yield f"SELECT * FROM a {first} b USING(x) {second} c USING(x,z) ORDER BY 1, 2, 3, 4"
                yield f"SELECT x, z FROM a {first} b USING(x) {second} c USING(x,z) WHERE x>1 ORDER BY 1, 2"
                yield f"SELECT * FROM a NATURAL {first} b NATURAL {second} c ORDER BY 1, 2, 3, 4"
                yield f"SELECT * FROM a {first} b ON a.x=b.x {second} c ON b.z=c.z WHERE c.w IS NOT 'p' ORDER BY 1,2,3,4,5,6,7"
                yield f"SELECT a.y, c.w FROM a {first} (b {second} c ON b.z=c.z) ON a.x=b.x ORDER BY 1, 2"
                yield f"SELECT count(*) FROM a {first} b ON a.x=b.x {second} c ON c.x=a.x AND c.z=b.z WHERE a.y+0 IS b.z OR c.w>'p'"
                yield f"SELECT * FROM (SELECT x AS q, y FROM a) s {first} (SELECT DISTINCT x, z FROM b) t ON q=t.x {second} c ON c.x=q ORDER BY 1,2,3,4,5,6,7"
    yield """.each
SELECT * FROM a JOIN b USING(nope)
SELECT * FROM a JOIN b USING(y)
SELECT x FROM a JOIN b ON 1
SELECT * FROM a JOIN b ON a.nope=1
SELECT * FROM a JOIN a
SELECT * FROM a AS p JOIN a AS p
SELECT p.x FROM a AS p JOIN b AS p ON 1
SELECT * FROM a NATURAL JOIN b ON 1
SELECT * FROM a NATURAL JOIN b USING(x)
SELECT * FROM a LEFT RIGHT JOIN b
SELECT * FROM a INNER OUTER JOIN b
SELECT * FROM a FULL LEFT JOIN b
SELECT * FROM a NATURAL CROSS JOIN b
SELECT * FROM a OUTER JOIN b
SELECT * FROM a OUTER LEFT JOIN b ON 1 LIMIT 1
SELECT * FROM a LEFT OUTER NATURAL JOIN b ORDER BY 1,2,3
SELECT * FROM a CROSS LEFT JOIN b ON a.x=b.x ORDER BY 1,2,3,4
SELECT * FROM a ON 1
SELECT * FROM a, b ON a.x=b.x ORDER BY 1,2,3,4
SELECT * FROM a, b USING(x) ORDER BY 1,2,3
SELECT a.*, b.* FROM a JOIN b USING(x) ORDER BY 1,2,3,4
SELECT b.*, a.x AS q FROM a LEFT JOIN b USING(x) ORDER BY 1,2,3
SELECT c.* FROM a JOIN b USING(x)
SELECT main.a.x, main.b.z FROM a JOIN b USING(x) ORDER BY 1,2
SELECT main.a.* FROM a JOIN b USING(x) ORDER BY 1,2
SELECT temp.a.x FROM a
SELECT rowid FROM a JOIN b USING(x)
SELECT a.rowid, b.oid, c._rowid_ FROM a JOIN b USING(x) JOIN c USING(x) ORDER BY 1,2,3
SELECT a.rowid, b.rowid FROM a FULL JOIN b ON a.x=b.x ORDER BY 1,2
SELECT x FROM a JOIN b USING(x) JOIN c ON 1 ORDER BY 1
SELECT max(x), min(y), z FROM a JOIN b USING(x)
SELECT * FROM a JOIN (SELECT 1 AS x) USING(x)
SELECT * FROM a JOIN (VALUES(1),(2)) ON x=column1 ORDER BY 1,2
SELECT * FROM a p, a q, a r WHERE p.x=q.y AND q.x=r.y ORDER BY 1,2,3,4,5,6
SELECT * FROM a LEFT JOIN b ON a.x=b.x AND b.x=a.y LEFT JOIN c ON c.x=a.y ORDER BY 1,2,3,4,5,6,7
SELECT a.x, (SELECT count(*) FROM b WHERE b.x=a.x) FROM a ORDER BY 1, 2
SELECT * FROM a LEFT JOIN b ON b.x=a.x WHERE b.rowid IS NULL ORDER BY 1,2
SELECT * FROM a LEFT JOIN (SELECT x, z+1 AS zz, 5 AS five FROM b) s ON s.x=a.x ORDER BY 1,2,3,4,5
SELECT * FROM a LEFT JOIN (SELECT x, count(*) AS n FROM b GROUP BY x) s ON s.x=a.x ORDER BY 1,2,3,4
SELECT * FROM a RIGHT JOIN (SELECT x, count(*) AS n FROM b GROUP BY x) s ON s.x=a.x ORDER BY 3,4,1,2
SELECT DISTINCT a.x FROM a LEFT JOIN b ON a.x=b.x ORDER BY 1
SELECT a.x FROM a LEFT JOIN b ON a.x=b.x AND a.x=99 WHERE b.z IS NULL ORDER BY 1, a.y
SELECT count(*) FROM a CROSS JOIN b CROSS JOIN c
"""
