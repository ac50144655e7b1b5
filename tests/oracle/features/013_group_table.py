"""GROUP BY, HAVING, aggregates with DISTINCT and FILTER, bare columns, DISTINCT, ORDER BY and LIMIT in every combination.

Source: https://www.sqlite.org/lang_select.html sections 2.3 to 5, https://www.sqlite.org/lang_aggfunc.html.
"""

from __future__ import annotations

from collections.abc import Iterator

KEYS = ("g", "h", "g, h", "h, g", "g+0", "lower(h)", "h COLLATE BINARY", "1", "2, 1", "typeof(v)", "v IS NULL", "g % 2", "(SELECT g)", "x.g")
RESULTS = (
    "g, h, count(*)",
    "g, h, count(v), sum(v), total(v), avg(v)",
    "g, h, min(v), max(v)",
    "g, min(v), id, w",
    "g, max(v), id, w",
    "g, h, count(DISTINCT v), sum(DISTINCT v), group_concat(DISTINCT v)",
    "g, h, group_concat(v), group_concat(v, '-'), string_agg(w, '+' ORDER BY w DESC)",
    "g, h, count(*) FILTER (WHERE v>2), sum(v) FILTER (WHERE w<>'b'), max(w) FILTER (WHERE 0)",
    "g+1, h||'!', count(*)+sum(v)*2",
    "g, h, (SELECT count(*) FROM t AS y WHERE y.g=x.g), (SELECT max(v) FROM t AS y WHERE y.v<max(x.v))",
    "g, CASE WHEN count(*)>2 THEN 'many' ELSE 'few' END, coalesce(sum(v), -1)",
    "g, h, min(v)+max(v), count(*)||h",
)
HAVINGS = ("", "HAVING count(*)>1", "HAVING g>1", "HAVING sum(v)>5 OR h='B'", "HAVING max(v) IS NULL", "HAVING 0")


def blocks() -> Iterator[str]:
    """The statements of this table."""
    yield """.each
CREATE TABLE t(id INTEGER PRIMARY KEY, g, h TEXT COLLATE NOCASE, v, w)
INSERT INTO t VALUES(1,1,'a',5,'a'),(2,1,'A',3,'b'),(3,2,'b',NULL,'c'),(4,2,'B',7,'d'),(5,NULL,'b',2,'e'),(6,3,'c',2,'f')
INSERT INTO t VALUES(7,1,'b',5,'g'),(8,2.0,'b',1.5,'h'),(9,'1','a','7','i'),(10,3,NULL,NULL,'j'),(11,NULL,NULL,x'01','k'),(12,2,'a',-4,'l')
"""
    for index in ("", "CREATE INDEX tg ON t(g, v)", "CREATE INDEX th ON t(h, g)"):
        if index:
            yield index
        for key in KEYS:
            for results in RESULTS:
                yield f"SELECT {results} FROM t AS x GROUP BY {key} ORDER BY 1, 2, 3" if "count(*) FILTER" not in results or key not in ("1", "2, 1") else f"SELECT {results} FROM t AS x GROUP BY g, h ORDER BY 1, 2"
            for having in HAVINGS[1:]:
                yield f"SELECT g, h, count(*), sum(v) FROM t AS x GROUP BY {key} {having} ORDER BY 1, 2, 3"
            yield f"SELECT DISTINCT count(*) FROM t AS x GROUP BY {key} ORDER BY 1 DESC LIMIT 2" if not key[0].isdigit() else "SELECT DISTINCT count(*) FROM t"
            yield f"SELECT g, h, count(*) AS n FROM t AS x WHERE v IS NOT NULL GROUP BY {key} ORDER BY n DESC, 1, 2 LIMIT 3"
        for result in RESULTS:
            for having in HAVINGS[:2]:
                yield f"SELECT {result} FROM t AS x {having}"
            yield f"SELECT {result} FROM t AS x WHERE 0"
            yield f"SELECT {result} FROM t AS x WHERE 0 GROUP BY g"
            yield f"SELECT {result} FROM t AS x WHERE g=2 GROUP BY g"
        for columns in ("g", "h", "g, h", "v", "typeof(v), g", "h, v IS NULL", "1", "*", "count(*)"):
            for ending in ("ORDER BY 1", "ORDER BY 1 DESC LIMIT 2", "ORDER BY 1 LIMIT 2 OFFSET 1"):
                yield f"SELECT DISTINCT {columns} FROM t {ending}"
    yield """.each
SELECT min(v), g FROM t
SELECT max(v), g, id FROM t
SELECT max(v), min(v), id FROM t
SELECT max(id), w FROM t WHERE id>100
SELECT count(*), id FROM t
SELECT count(*), id FROM t WHERE 0
SELECT min(w), max(w) FROM t
SELECT max(w) FILTER (WHERE g=1), id FROM t
SELECT count() FROM t
SELECT count(*, 1) FROM t
SELECT count(v, w) FROM t
SELECT count(DISTINCT v, w) FROM t
SELECT count(DISTINCT *) FROM t
SELECT sum() FROM t
SELECT sum(DISTINCT) FROM t
SELECT sum(v ORDER BY w) FROM t
SELECT sum(DISTINCT v ORDER BY w) FROM t
SELECT group_concat(w ORDER BY v DESC, w) FROM t
SELECT group_concat(w, '' ORDER BY g NULLS LAST, w COLLATE NOCASE) FROM t
SELECT group_concat(DISTINCT h ORDER BY h) FROM t
SELECT group_concat(DISTINCT h, ',' ) FROM t
SELECT abs(v ORDER BY w) FROM t
SELECT abs(DISTINCT v) FROM t
SELECT abs(v) FILTER (WHERE 1) FROM t
SELECT sum(v) FILTER (WHERE sum(v)) FROM t
SELECT sum(sum(v)) FROM t
SELECT sum(max(v)) FROM t GROUP BY g
SELECT max(sum(v), 1) FROM t
SELECT g FROM t GROUP BY sum(v)
SELECT g FROM t GROUP BY 2
SELECT g FROM t GROUP BY 0
SELECT g FROM t GROUP BY -1
SELECT g FROM t GROUP BY 1.0 ORDER BY 1
SELECT g FROM t GROUP BY '1' ORDER BY 1
SELECT g FROM t GROUP BY NULL
SELECT g AS k FROM t GROUP BY k ORDER BY k
SELECT v AS g, count(*) FROM t GROUP BY g ORDER BY 1, 2
SELECT sum(v) AS s FROM t GROUP BY s
SELECT g FROM t WHERE sum(v)>1
SELECT g FROM t WHERE count(*)
SELECT g FROM t HAVING g
SELECT g FROM t GROUP BY g HAVING nope
SELECT count(*) FROM t HAVING count(*)>5
SELECT count(*) FROM t HAVING count(*)>50
SELECT 1 HAVING 1
SELECT 1 FROM t HAVING 1
SELECT count(*) HAVING count(*)=1
SELECT count(*)
SELECT count(*), sum(1), max(2) WHERE 0
SELECT count(*) FROM t GROUP BY ()
SELECT g, count(*) FROM t GROUP BY g ORDER BY count(*) DESC, g
SELECT g FROM t GROUP BY g ORDER BY sum(v), g
SELECT g FROM t GROUP BY g ORDER BY max(w) DESC
SELECT g FROM t ORDER BY count(*)
SELECT g, h FROM t GROUP BY g ORDER BY h
SELECT DISTINCT g FROM t ORDER BY h
SELECT DISTINCT g FROM t ORDER BY count(*)
SELECT DISTINCT g AS a, g AS b FROM t ORDER BY b, a
SELECT ALL g FROM t ORDER BY 1 LIMIT 1
SELECT DISTINCT ALL g FROM t
SELECT (SELECT sum(x.v) FROM t AS y WHERE y.id=1) FROM t AS x
SELECT (SELECT sum(y.v+x.g) FROM t AS y) FROM t AS x ORDER BY 1
SELECT (SELECT count(*) FROM t AS y GROUP BY x.g) FROM t AS x ORDER BY 1
SELECT id FROM t AS x WHERE (SELECT count(*) FROM t AS y WHERE y.g=x.g)>2 ORDER BY 1
SELECT id FROM t AS x GROUP BY g HAVING (SELECT count(*) FROM t AS y WHERE y.g=x.g)>2 ORDER BY 1
SELECT total(v), avg(v), sum(v), typeof(sum(v)), typeof(total(v)) FROM t WHERE id IN (1,2)
SELECT sum(v), avg(v), total(v) FROM t WHERE v IS NULL
SELECT sum(9223372036854775807) FROM t WHERE id=1
SELECT sum(9223372036854775807) FROM t WHERE id<3
SELECT sum(9223372036854775807), sum(1.0) FROM t WHERE id<3
SELECT total(9223372036854775807) FROM t WHERE id<3
SELECT sum(w) FROM t
SELECT avg(w||'1') FROM t
SELECT max(h), min(h) FROM t
SELECT max(h COLLATE BINARY), min(h COLLATE BINARY) FROM t
SELECT max(g, h, v) FROM t ORDER BY id
SELECT count(*) FROM t, t AS u WHERE t.g=u.g GROUP BY t.h ORDER BY 1
SELECT group_concat(x) FROM (SELECT h AS x FROM t ORDER BY id DESC)
SELECT group_concat(id) FROM (SELECT id FROM t ORDER BY w DESC LIMIT 3)
SELECT g, sum(v) OVER (PARTITION BY g ORDER BY id) FROM t ORDER BY id
SELECT g, sum(count(*)) OVER (ORDER BY g) FROM t GROUP BY g ORDER BY g
"""
