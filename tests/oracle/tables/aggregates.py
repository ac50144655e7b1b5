"""Aggregates and window functions: every one over every kind of group, every frame with every bound and EXCLUDE.

Written from lang_aggfunc.html, percentile.html and windowfunctions.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

GROUPS = {
    "none": "SELECT NULL AS v WHERE 0",
    "nulls": "VALUES (NULL), (NULL)",
    "integers": "VALUES (3), (1), (2), (NULL), (2)",
    "reals": "VALUES (0.1), (0.2), (0.3), (1e16), (-1e16)",
    "mixed": "VALUES (1), (2.5), ('3'), ('x'), (x'34'), (NULL)",
    "texts": "VALUES ('b'), ('A'), ('a'), ('B'), ('é'), ('')",
    "blobs": "VALUES (x'02'), (x''), (x'ff')",
    "large": "VALUES (9223372036854775807), (1), (-5)",
    "huge": "VALUES (9223372036854775807), (9223372036854775807), (1.0)",
    "infinite": "VALUES (9e999), (1), (-9e999)",
    "one": "VALUES (7)",
    "low": "VALUES (-9223372036854775808), (-1)",
}
CALLS = (
    "count(*)", "count(v)", "count(DISTINCT v)", "count()", "sum(v)", "sum(DISTINCT v)", "total(v)", "avg(v)", "avg(DISTINCT v)", "min(v)", "max(v)", "min(DISTINCT v)",
    "group_concat(v)", "group_concat(v, '-')", "group_concat(v, NULL)", "group_concat(v, '')", "group_concat(DISTINCT v)", "string_agg(v, '; ')", "group_concat(v, v)",
    "group_concat(v ORDER BY v)", "group_concat(v ORDER BY v DESC)", "group_concat(v, '|' ORDER BY v COLLATE NOCASE, v)", "string_agg(v, ',' ORDER BY typeof(v), v DESC NULLS LAST)",
    "group_concat(DISTINCT v ORDER BY v)", "sum(v) FILTER (WHERE v > 1)", "count(*) FILTER (WHERE v IS NULL)", "group_concat(v) FILTER (WHERE v <> 'b')", "group_concat(v ORDER BY v DESC) FILTER (WHERE v IS NOT NULL)",
    "json_group_array(v)", "json_group_array(v ORDER BY v DESC)", "json_group_array(DISTINCT v)", "json_group_object(v, v)", "median(v)", "percentile(v, 50)", "percentile_cont(v, 0.25)", "percentile_disc(v, 0.75)",
    "max(v) FILTER (WHERE v < 3)", "min(v COLLATE NOCASE)", "max(v COLLATE NOCASE)", "count(DISTINCT v COLLATE NOCASE)", "sum(v * v)", "sum(v) + count(v)", "typeof(sum(v))", "median(DISTINCT v)", "hex(jsonb_group_array(v))",
    "group_concat(DISTINCT v, '-')", "sum(v ORDER BY v)", "count(* ORDER BY v)", "sum(*)", "count(v, v)", "max(DISTINCT v, 1)", "sum(DISTINCT v, v)",
)  # fmt: skip


def aggregates() -> Iterator[str]:
    """Each call over each group, as a group of all and per group."""
    for query in GROUPS.values():
        for call in CALLS:
            yield f"WITH g(v) AS ({query}) SELECT {call}, typeof({call}) FROM g"
    for call in CALLS[:42]:
        yield f"WITH g(k, v) AS (VALUES (1, 3), (1, 1), (2, NULL), (2, 'x'), (3, 2.5), (1, 3)) SELECT k, {call} FROM g GROUP BY k"
        yield f"WITH g(k, v) AS (VALUES (1, 3), (1, 1), (2, NULL), (2, 'x'), (3, 2.5), (1, 3)) SELECT k % 2, {call} FROM g GROUP BY 1 HAVING {call} IS NOT NULL ORDER BY 2 DESC, 1"


def percentiles() -> Iterator[str]:
    """median and percentile*: every fraction, wrong fractions, changing fractions, values that are no numbers."""
    for values in ("(1), (2), (3), (4)", "(10)", "(5), (NULL), (1.5)", "(1), (1), (2), (8), (9)", "('1'), (2)", "(9e999), (1)", "(NULL)", "(x'31'), (1)", "(-9e999), (9e999)", "(9223372036854775807), (9223372036854775806)"):
        for fraction in ("0", "0.0", "0.1", "0.25", "0.5", "0.75", "0.9", "1", "1.0", "-0.1", "1.1", "50", "100", "101", "NULL", "'0.5'", "'x'", "x'30'"):
            yield f"SELECT percentile_cont(column1, {fraction}) FROM (VALUES {values})"
            yield f"SELECT percentile_disc(column1, {fraction}) FROM (VALUES {values})"
            yield f"SELECT percentile(column1, {fraction}) FROM (VALUES {values})"
        yield f"SELECT median(column1), typeof(median(column1)) FROM (VALUES {values})"
    yield "SELECT percentile(column1, column1) FROM (VALUES (1), (2))"
    yield "SELECT percentile_cont(column1, column2) FROM (VALUES (1, 0.5), (2, 0.5), (3, 0.50000001))"
    yield "SELECT column2, median(column1) FROM (VALUES (1, 1), (3, 1), (5, 2)) GROUP BY column2"
    yield "SELECT median(column1) OVER (ORDER BY column1 ROWS 1 PRECEDING) FROM (VALUES (1), (3), (5), (9))"
    yield "SELECT percentile(column1, 50) OVER (ORDER BY column1) FROM (VALUES (1), (3), (5), (9))"
    yield "SELECT percentile_cont(column1, 0.5) FILTER (WHERE column1 > 1) FROM (VALUES (1), (3), (5), (9))"
    yield "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY column1) FROM (VALUES (1), (3), (5))"
    yield "SELECT percentile_disc(0.25) WITHIN GROUP (ORDER BY column1) FROM (VALUES (1), (3), (5))"
    yield "SELECT median() WITHIN GROUP (ORDER BY column1) FROM (VALUES (1), (3), (5))"


def misuse() -> Iterator[str]:
    """Aggregates and window functions where they may not be."""
    yield "CREATE TABLE t(a, b, c)"
    yield "INSERT INTO t VALUES (1, 'x', 1.5), (2, 'y', 2.5), (3, 'x', NULL), (4, NULL, 3.5)"
    for call in ("sum(a)", "max(a)", "count(*)", "row_number() OVER ()", "sum(a) OVER (ORDER BY b)", "group_concat(a ORDER BY b)", "median(a)"):
        for template in (
            "SELECT a FROM t WHERE {c}", "SELECT a FROM t GROUP BY {c}", "SELECT a FROM t LIMIT {c}", "SELECT sum({c}) FROM t", "SELECT max({c}, 1) FROM t", "SELECT {c} FROM t HAVING {c}", "SELECT a FROM t ORDER BY {c}", "SELECT 1 FROM t JOIN (SELECT 1) ON {c}",
            "UPDATE t SET a = {c} WHERE 0", "DELETE FROM t WHERE {c}", "INSERT INTO t(a) VALUES ({c})", "CREATE INDEX ix ON t({c})", "CREATE TABLE n(x CHECK ({c}))", "CREATE TABLE n2(a, x AS ({c}))", "CREATE TABLE n3(x DEFAULT ({c}))", "SELECT (SELECT {c}) FROM t", "SELECT a IN (SELECT {c} FROM t) FROM t",
            "SELECT count(*) FILTER (WHERE {c}) FROM t", "SELECT sum(a) OVER (PARTITION BY {c}) FROM t", "SELECT sum(a) OVER (ORDER BY {c}) FROM t", "SELECT a FROM t WHERE a IN (SELECT {c} FROM t GROUP BY b)", "VALUES ({c})", "SELECT {c} AS k FROM t WHERE k > 0", "SELECT {c} AS k FROM t GROUP BY k", "SELECT {c} AS k FROM t ORDER BY k", "SELECT DISTINCT {c} FROM t",
        ):  # fmt: skip
            yield template.replace("{c}", call)
    for call in ("abs(a) FILTER (WHERE 1)", "row_number()", "row_number() FILTER (WHERE 1) OVER ()", "abs(a) OVER ()", "lag(a) FILTER (WHERE 1) OVER (ORDER BY a)", "sum(DISTINCT a) OVER ()", "count(DISTINCT a) OVER (ORDER BY b)", "group_concat(a ORDER BY b) OVER ()", "abs(DISTINCT a)", "abs(a ORDER BY a)", "rank() OVER nope", "rank(1) OVER ()", "ntile() OVER ()", "ntile(0) OVER ()", "ntile(-1) OVER ()", "ntile('x') OVER ()", "ntile(NULL) OVER ()", "nth_value(a, 0) OVER ()", "nth_value(a, -1) OVER ()", "nth_value(a, 1.5) OVER ()", "nth_value(a, 'x') OVER ()", "nth_value(a, NULL) OVER ()", "lag(a, -1) OVER (ORDER BY a)", "lead(a, NULL) OVER (ORDER BY a)", "lag(a, 'x') OVER (ORDER BY a)", "lag(a, 1.5) OVER (ORDER BY a)", "lag(*) OVER ()", "first_value(*) OVER ()", "row_number(*) OVER ()", "sum(*) OVER ()", "min(a, b) OVER ()", "nope(a) OVER ()", "sum(a) OVER (ORDER BY nope)", "sum(a) OVER (PARTITION BY sum(a))"):
        yield f"SELECT {call} FROM t"


WINDOW_ROWS = "(1,1,10,'a'),(2,1,20,'b'),(3,1,20,NULL),(4,2,10,'c'),(5,2,NULL,'d'),(6,2,30,'e'),(7,2,30,'a'),(8,3,5,'f'),(9,1,15.5,'g'),(10,3,NULL,'h')"
BUILT_IN = ("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)", "ntile(100)", "lag(s)", "lag(v, 2)", "lag(s, 1, 'none')", "lead(s)", "lead(v, 0)", "lead(s, 2, id)", "lag(v, id)", "first_value(s)", "last_value(s)", "nth_value(s, 2)", "nth_value(v, id)")
OVER = ("count(*)", "sum(v)", "group_concat(s, '')", "min(s)", "max(v)", "avg(v)", "first_value(s)", "last_value(s)", "nth_value(s, 2)", "json_group_array(v)")
BOUNDS = ("UNBOUNDED PRECEDING", "2 PRECEDING", "1 PRECEDING", "0 PRECEDING", "CURRENT ROW", "0 FOLLOWING", "1 FOLLOWING", "3 FOLLOWING", "UNBOUNDED FOLLOWING")
EXCLUDES = ("", " EXCLUDE NO OTHERS", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES")


def window_table() -> Iterator[str]:
    """The table that window statements read."""
    yield "CREATE TABLE w(id INTEGER PRIMARY KEY, p, v, s)"
    yield f"INSERT INTO w VALUES {WINDOW_ROWS}"


def built_in_windows() -> Iterator[str]:
    """The functions that exist only as window functions, over every kind of window."""
    yield from window_table()
    for call in BUILT_IN:
        for window in ("", "ORDER BY id", "ORDER BY v", "ORDER BY v DESC", "PARTITION BY p", "PARTITION BY p ORDER BY v", "PARTITION BY p ORDER BY v DESC NULLS LAST, id", "ORDER BY s COLLATE NOCASE DESC", "PARTITION BY p, v ORDER BY id", "PARTITION BY p % 2 ORDER BY v + 0", "ORDER BY v ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING"):
            yield f"SELECT id, {call} OVER ({window}) AS r FROM w ORDER BY id"
        yield f"SELECT {call} OVER (ORDER BY id) FROM w WHERE p = 1 ORDER BY 1 DESC LIMIT 3"
        yield f"SELECT {call} OVER (ORDER BY id) FROM w WHERE 0"


def frames() -> Iterator[str]:
    """Every frame type with every pair of bounds and every EXCLUDE."""
    yield from window_table()
    for n, (kind, start, end) in enumerate(itertools.product(("ROWS", "RANGE", "GROUPS"), BOUNDS, BOUNDS)):
        order = ("ORDER BY v", "ORDER BY v DESC", "PARTITION BY p ORDER BY v", "ORDER BY id", "PARTITION BY p ORDER BY v DESC NULLS LAST")[n % 5]
        for m, exclude in enumerate(EXCLUDES):
            calls = ", ".join(f"{OVER[(n + m + i) % len(OVER)]} OVER win" for i in range(3))
            yield f"SELECT id, {calls} FROM w WINDOW win AS ({order} {kind} BETWEEN {start} AND {end}{exclude}) ORDER BY id"
    for kind, start, exclude in itertools.product(("ROWS", "RANGE", "GROUPS"), BOUNDS, EXCLUDES):
        yield f"SELECT id, sum(v) OVER (ORDER BY v {kind} {start}{exclude}) FROM w ORDER BY id"
    for kind, size in itertools.product(("ROWS", "RANGE", "GROUPS"), ("-1", "NULL", "'x'", "1.5", "'2'", "1+1", "x'31'", "id", "9223372036854775807", "(SELECT 1)", "1e30")):
        for side in ("{n} PRECEDING", "BETWEEN {n} PRECEDING AND {n} FOLLOWING", "BETWEEN CURRENT ROW AND {n} FOLLOWING"):
            yield f"SELECT id, sum(v) OVER (ORDER BY v {kind} {side.replace('{n}', size)}) FROM w ORDER BY id"
    for order in ("", "ORDER BY s", "ORDER BY v, id", "ORDER BY v DESC"):
        for frame in ("RANGE 1 PRECEDING", "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "GROUPS CURRENT ROW", "ROWS 1 PRECEDING", "RANGE BETWEEN 0.5 PRECEDING AND 10 FOLLOWING", "GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING"):
            for exclude in EXCLUDES:
                yield f"SELECT id, count(*) OVER ({order} {frame}{exclude}), group_concat(s) OVER ({order} {frame}{exclude}) FROM w ORDER BY id"


def named_windows() -> Iterator[str]:
    """Named and chained windows, FILTER, windows over aggregates, in subqueries, views, CTEs, compounds and DML."""
    yield from window_table()
    yield from (
        "SELECT id, sum(v) OVER win, count(*) OVER win FROM w WINDOW win AS (PARTITION BY p ORDER BY id)",
        "SELECT id, sum(v) OVER (win ORDER BY id) FROM w WINDOW win AS (PARTITION BY p)",
        "SELECT id, sum(v) OVER (win ROWS 1 PRECEDING) FROM w WINDOW win AS (PARTITION BY p ORDER BY id)",
        "SELECT id, sum(v) OVER (win PARTITION BY p) FROM w WINDOW win AS (ORDER BY id)",
        "SELECT id, sum(v) OVER (win ORDER BY v) FROM w WINDOW win AS (ORDER BY id)",
        "SELECT id, sum(v) OVER (win) FROM w WINDOW win AS (ORDER BY id ROWS 1 PRECEDING)",
        "SELECT id, sum(v) OVER win FROM w WINDOW win AS (ORDER BY id ROWS 1 PRECEDING)",
        "SELECT id, sum(v) OVER c FROM w WINDOW a AS (PARTITION BY p), b AS (a ORDER BY id), c AS (b ROWS UNBOUNDED PRECEDING)",
        "SELECT id, sum(v) OVER b FROM w WINDOW b AS (a ORDER BY id), a AS (PARTITION BY p)",
        "SELECT id, sum(v) OVER a FROM w WINDOW a AS (PARTITION BY p), A AS (ORDER BY id)",
        "SELECT id, sum(v) OVER nope FROM w WINDOW a AS (PARTITION BY p)",
        "SELECT id FROM w WINDOW a AS (PARTITION BY nope)",
        "SELECT id FROM w WINDOW a AS (ORDER BY id RANGE 1 PRECEDING)",
        "SELECT sum(v) OVER \"win\" FROM w WINDOW Win AS (ORDER BY id) ORDER BY 1",
        "SELECT id, sum(v) FILTER (WHERE p = 1) OVER (ORDER BY id) FROM w",
        "SELECT id, count(*) FILTER (WHERE v IS NULL) OVER (PARTITION BY p) FROM w ORDER BY id",
        "SELECT id, group_concat(s) FILTER (WHERE id % 2) OVER (ORDER BY id ROWS 2 PRECEDING) FROM w",
        "SELECT id, min(v) FILTER (WHERE p <> 2) OVER (ORDER BY id ROWS 1 PRECEDING), max(v) FILTER (WHERE 0) OVER () FROM w",
        "SELECT p, sum(v), sum(sum(v)) OVER (ORDER BY p), rank() OVER (ORDER BY sum(v) DESC) FROM w GROUP BY p",
        "SELECT p, count(*), lag(count(*)) OVER (ORDER BY p), sum(count(*)) OVER () FROM w GROUP BY p HAVING count(*) > 2",
        "SELECT sum(v), row_number() OVER (ORDER BY sum(v)) FROM w",
        "SELECT p + row_number() OVER (ORDER BY p) FROM w GROUP BY p",
        "SELECT DISTINCT p, count(*) OVER (PARTITION BY p) FROM w ORDER BY p",
        "SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY p ORDER BY v DESC) AS r FROM w) WHERE r = 1 ORDER BY id",
        "SELECT * FROM (SELECT id, p, sum(v) OVER (PARTITION BY p) AS r FROM w) WHERE p = 2",
        "WITH c AS (SELECT id, ntile(2) OVER (ORDER BY id) AS n FROM w) SELECT n, group_concat(id) FROM c GROUP BY n",
        "SELECT id, (SELECT count(*) OVER () FROM w AS x WHERE x.p = w.p LIMIT 1) FROM w",
        "SELECT id, (SELECT sum(w.v) OVER ()) FROM w",
        "SELECT id FROM w ORDER BY row_number() OVER (ORDER BY s DESC)",
        "SELECT id, row_number() OVER (ORDER BY s) AS r FROM w ORDER BY r DESC LIMIT 2 OFFSET 1",
        "SELECT row_number() OVER (ORDER BY id), 'x' FROM w UNION ALL SELECT 0, 'y'",
        "SELECT sum(v) OVER (ORDER BY id) FROM w EXCEPT SELECT 10",
        "SELECT id, CASE WHEN row_number() OVER (ORDER BY id) > 5 THEN 'hi' ELSE 'lo' END FROM w",
        "SELECT id, v - lag(v) OVER (ORDER BY id), v > avg(v) OVER () FROM w",
        "SELECT a.id, b.id, row_number() OVER (PARTITION BY a.p ORDER BY b.id) FROM w AS a JOIN w AS b ON a.id = b.id + 1 ORDER BY 1",
        "SELECT a.id, count(b.id) OVER (ORDER BY a.id) FROM w AS a LEFT JOIN w AS b ON a.id = b.v ORDER BY 1",
        "SELECT id, sum(v) OVER (ORDER BY id), sum(v) OVER (ORDER BY id DESC), sum(v) OVER (PARTITION BY p), sum(v) OVER () FROM w ORDER BY id",
        "SELECT id, first_value(id) OVER (ORDER BY v, id), last_value(id) OVER (ORDER BY v, id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM w ORDER BY id",
        "CREATE VIEW wv AS SELECT id, p, rank() OVER (PARTITION BY p ORDER BY v) AS r FROM w",
        "SELECT * FROM wv ORDER BY id",
        "SELECT * FROM wv WHERE r = 2 ORDER BY id",
        "SELECT count(*), max(r) FROM wv",
        "CREATE TABLE copy AS SELECT id, sum(v) OVER (ORDER BY id) AS running FROM w",
        "SELECT * FROM copy WHERE running > 60",
        "UPDATE w SET s = (SELECT r FROM wv WHERE wv.id = w.id) WHERE p = 1",
        "SELECT id, s FROM w WHERE p = 1",
        "DELETE FROM w WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY p ORDER BY id) AS n FROM w) WHERE n > 1)",
        "SELECT id, count(*) OVER () FROM w",
        "INSERT INTO w SELECT 100 + row_number() OVER (ORDER BY id), p, v, s FROM w",
        "SELECT id, lead(id, 1, -1) OVER (ORDER BY id) FROM w",
        "SELECT group_concat(id) OVER (ORDER BY id DESC), string_agg(s, '-') OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM w",
        "SELECT total(v) OVER (ORDER BY id ROWS 1 PRECEDING), avg(v) OVER (ORDER BY id ROWS 1 PRECEDING), sum(v) OVER (ORDER BY id ROWS 1 PRECEDING) FROM w",
        "SELECT sum(x) OVER (ORDER BY i ROWS 1 PRECEDING) FROM (VALUES (1, 9223372036854775807), (2, -1), (3, 9223372036854775807), (4, -9223372036854775807)) AS q(i, x)".replace(" AS q(i, x)", "").replace("x)", "column2)").replace("BY i", "BY column1"),
        "SELECT sum(column1) OVER (ORDER BY column1 ROWS 1 PRECEDING) FROM (VALUES (1e308), (1e308), (1), (2.5))",
        "SELECT sum(column1) OVER (ROWS 1 PRECEDING), avg(column1) OVER (ROWS 1 PRECEDING), total(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (0.1), (0.2), (0.3), (1e100), (-1e100), (5))",
        "SELECT min(column1) OVER (ROWS 1 PRECEDING), max(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES ('b'), (2), (NULL), (x'01'), (1.5))",
        "SELECT min(column1 COLLATE NOCASE) OVER (ROWS 1 PRECEDING), max(column1 COLLATE NOCASE) OVER (ROWS 1 PRECEDING) FROM (VALUES ('b'), ('A'), ('B'), ('a'))",
        "SELECT rank() OVER (ORDER BY column1 COLLATE NOCASE), dense_rank() OVER (PARTITION BY column1 COLLATE NOCASE ORDER BY 1) FROM (VALUES ('b'), ('A'), ('B'), ('a'))",
        "SELECT json_group_object(column1, column1) OVER (ORDER BY column1 ROWS 1 PRECEDING), hex(jsonb_group_array(column1) OVER (ORDER BY column1 ROWS 1 PRECEDING)) FROM (VALUES (1), (2), (3))",
        "SELECT row_number() OVER w1, rank() OVER w2 FROM w WINDOW w1 AS (ORDER BY id), w2 AS (w1)",
        "SELECT sum(v) OVER (ROWS BETWEEN UNBOUNDED FOLLOWING AND 1 FOLLOWING) FROM w",
        "SELECT sum(v) OVER (ORDER BY id, ROWS 1 PRECEDING) FROM w",
        "SELECT sum(v) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING) FROM w",
        "SELECT window, over, filter FROM (SELECT 1 AS window, 2 AS over, 3 AS filter)",
        "SELECT count(*) AS over, sum(id) AS filter FROM w",
    )


TABLES = {
    "071-aggregate-table": aggregates,
    "072-percentiles": percentiles,
    "054-misuse": misuse,
    "075-built-in-windows": built_in_windows,
    "076-frames": frames,
    "076-named-windows": named_windows,
}
