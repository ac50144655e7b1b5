"""ORDER BY with every direction, place of NULLs, collation and kind of term; LIMIT and OFFSET of every kind of value.

Source: https://www.sqlite.org/lang_select.html sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator

DIRECTIONS = ("", "ASC", "DESC", "NULLS FIRST", "NULLS LAST", "ASC NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST")
TERMS = ("a", "b", "1", "2", "a+0", "b COLLATE NOCASE", "c COLLATE RTRIM", "-a", "q", "length(b), a", "a IS NULL", "rowid", "CASE WHEN a>2 THEN b END")
LIMITS = (
    "0", "1", "3", "-1", "100", "1+1", "'2'", "2.0", "2.5", "'x'", "NULL", "x'32'", "(SELECT 2)", "(SELECT count(*) FROM t)", "a",
    "9223372036854775807", "-9223372036854775808", "1e2", "max(1,2)", "CAST('3' AS INT)", "2 COLLATE NOCASE", "EXISTS(SELECT 1)", "'3 '", "' 2'", "1=1",
)  # fmt: skip


def blocks() -> Iterator[str]:
    """The statements of this table."""
    yield """.each
CREATE TABLE t(a, b TEXT, c TEXT COLLATE NOCASE)
INSERT INTO t VALUES(3,'b','x '),(1,'B','X'),(NULL,'a',NULL),(2,NULL,'y'),(3.0,'A','Y  '),('1','c','z'),(x'00','C','a'),(NULL,NULL,'b'),(-1,'aa','B')
"""
    for index in ("", "CREATE INDEX ta ON t(a)", "CREATE INDEX tb ON t(b COLLATE NOCASE DESC, a)", "CREATE INDEX tc ON t(c DESC)"):
        if index:
            yield index
        for term in TERMS:
            for direction in DIRECTIONS:
                text = term.replace(",", f" {direction},", 1)
                yield f"SELECT a, b, a AS q FROM t ORDER BY {text} {direction}, rowid"
                yield f"SELECT a, b, c AS q FROM t WHERE c>'a' ORDER BY {text} {direction}, b LIMIT 3 OFFSET 1"
        for first in DIRECTIONS:
            for second in DIRECTIONS:
                yield f"SELECT a, b FROM t ORDER BY a {first}, b {second}"
                yield f"SELECT c, a FROM t ORDER BY c {first}, a {second} LIMIT 4"
    for limit in LIMITS:
        yield f"SELECT rowid FROM t LIMIT {limit}"
        yield f"SELECT rowid FROM t LIMIT 3 OFFSET {limit}"
        yield f"SELECT rowid FROM t ORDER BY b LIMIT {limit}, 2"
        yield f"SELECT a FROM t UNION SELECT b FROM t ORDER BY 1 LIMIT {limit}"
        yield f"SELECT count(*) FROM (SELECT 1 FROM t LIMIT {limit})"
        yield f"SELECT (SELECT rowid FROM t LIMIT {limit}), EXISTS(SELECT 1 FROM t LIMIT {limit})"
    yield """.each
SELECT a FROM t ORDER BY 4
SELECT a FROM t ORDER BY 0
SELECT a FROM t ORDER BY -1
SELECT a FROM t ORDER BY +1
SELECT a FROM t ORDER BY 1.5
SELECT a FROM t ORDER BY '1'
SELECT a FROM t ORDER BY nope
SELECT a FROM t ORDER BY t.a, t.nope
SELECT a FROM t ORDER BY NULL
SELECT a FROM t ORDER BY a COLLATE nope
SELECT a FROM t ORDER BY 1 COLLATE NOCASE
SELECT a AS b FROM t ORDER BY b
SELECT a AS b FROM t ORDER BY b+0, t.b
SELECT a AS x, b AS x FROM t ORDER BY x
SELECT -a AS a FROM t ORDER BY a
SELECT -a AS a FROM t ORDER BY a+0
SELECT -a AS a FROM t ORDER BY t.a
SELECT a FROM t ORDER BY (SELECT b)
SELECT a FROM t ORDER BY (SELECT max(u.a) FROM t AS u WHERE u.b<t.b), a, b
SELECT a FROM t ORDER BY random() LIMIT 0
SELECT a FROM t LIMIT 1 OFFSET 1 ORDER BY 1
SELECT a FROM t LIMIT
SELECT a FROM t OFFSET 1
SELECT a FROM t LIMIT 1, 1 OFFSET 1
SELECT a FROM t LIMIT nope
SELECT a FROM t LIMIT (SELECT a FROM t WHERE a=2)
SELECT a FROM t LIMIT count(*)
SELECT * FROM (SELECT a FROM t ORDER BY a DESC LIMIT 2) ORDER BY 1
SELECT * FROM (SELECT a FROM t ORDER BY a DESC) LIMIT 2
SELECT * FROM (SELECT a, b FROM t ORDER BY b DESC) ORDER BY a LIMIT 3
SELECT a FROM t ORDER BY a NULLS FIRST NULLS LAST
SELECT a FROM t ORDER BY a NULLS
CREATE INDEX n1 ON t(a NULLS LAST)
CREATE INDEX n2 ON t(a DESC NULLS FIRST)
CREATE INDEX n3 ON t(a ASC NULLS FIRST)
CREATE TABLE n4(a PRIMARY KEY NULLS FIRST)
CREATE TABLE n5(a, PRIMARY KEY(a NULLS FIRST))
VALUES(3),(1),(2) ORDER BY 1
VALUES(3),(1),(2) ORDER BY column1
VALUES(3),(1),(2) LIMIT 1
SELECT * FROM (VALUES(3),(1),(2)) ORDER BY 1 LIMIT 2
SELECT group_concat(a) FROM (SELECT a FROM t WHERE a>0 ORDER BY a DESC)
"""
