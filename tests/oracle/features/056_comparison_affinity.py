"""Comparison affinity: every pair of column affinities under every operator, and columns against expressions.

Source: https://www.sqlite.org/datatype3.html sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator

VALUES = ("NULL", "1", "1.0", "'1'", "'1.0'", "' 1 '", "x'31'", "'abc'", "-2.5", "'1e0'", "9007199254740993", "''")
TYPES = {"n": "", "b": "BLOB", "t": "TEXT", "u": "NUMERIC", "i": "INT", "r": "REAL"}
OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
EXPRESSIONS = (
    "'1'",
    "1",
    "1.0",
    "x'31'",
    "+y.{0}",
    "CAST(y.{0} AS TEXT)",
    "CAST(y.{0} AS NUMERIC)",
    "CAST(y.{0} AS BLOB)",
    "(SELECT {0} FROM v WHERE k=2)",
    "(SELECT +{0} FROM v WHERE k=2)",
    "y.{0} COLLATE NOCASE",
    "coalesce(y.{0},1)",
    "CASE WHEN 1 THEN y.{0} END",
    "y.{0}||''",
    "y.{0}+0",
    "(y.{0})",
)


def blocks() -> Iterator[str]:
    """The statements of this table."""
    columns = ", ".join(f"{name} {kind}".strip() for name, kind in TYPES.items())
    yield f"CREATE TABLE v(k INTEGER PRIMARY KEY, {columns})"
    for value in VALUES:
        yield f"INSERT INTO v({','.join(TYPES)}) VALUES({','.join([value] * len(TYPES))})"
    for name in TYPES:
        yield f"SELECT k, {name}, typeof({name}) FROM v ORDER BY {name}, k"
    for left in TYPES:
        for right in TYPES:
            for operator in OPERATORS:
                yield f"SELECT x.k, y.k FROM v x, v y WHERE x.{left} {operator} y.{right} ORDER BY 1, 2"
    for left in TYPES:
        for expression in EXPRESSIONS:
            for name in ("t", "i", "n"):
                text = expression.format(name)
                if name != "n" and "y" not in text and "SELECT" not in text:
                    continue
                yield f"SELECT x.k, y.k, x.{left} = {text}, {text} < x.{left} FROM v x, v y WHERE y.k<5 ORDER BY 1, 2"
                yield f"SELECT k FROM v x WHERE x.{left} BETWEEN {text.replace('y.', 'x.')} AND '2' ORDER BY 1"
                yield f"SELECT k, CASE x.{left} WHEN {text.replace('y.', 'x.')} THEN 1 WHEN '1' THEN 2 ELSE 3 END FROM v x ORDER BY k"
    for left in TYPES:
        for right in TYPES:
            yield f"SELECT k FROM v WHERE {left} IN (SELECT {right} FROM v) ORDER BY k"
            yield f"SELECT k FROM v x WHERE {left} IN (SELECT {right} FROM v y WHERE y.k=x.k) ORDER BY k"
            yield f"SELECT k FROM v WHERE {left} IN (SELECT {right} FROM v UNION ALL SELECT '1.0') ORDER BY k"
            yield f"SELECT k FROM v WHERE {left} IN (SELECT '1.0' UNION ALL SELECT {right} FROM v) ORDER BY k"
            yield f"SELECT k FROM v WHERE {left} NOT IN (SELECT {right} FROM v WHERE k>1) ORDER BY k"
            yield f"SELECT x.k, y.k FROM v x JOIN v y ON x.{left}=y.{right} AND x.k<>y.k ORDER BY 1, 2"
            yield f"SELECT x.k, y.k FROM v x LEFT JOIN v y ON x.{left}=y.{right} AND y.k>4 ORDER BY 1, 2"
        yield f"SELECT k FROM v WHERE {left} IN ('1', 1.0, x'31') ORDER BY k"
        yield f"SELECT k FROM v WHERE {left} IN (n, '1', NULL) ORDER BY k"
        yield f"SELECT k FROM v WHERE {left} NOT IN ('1', '1.0') ORDER BY k"
        yield f"SELECT k FROM v WHERE '1' IN ({left}, 7) ORDER BY k"
        yield f"SELECT k FROM v WHERE 1 IN (7, {left}) ORDER BY k"
        yield f"SELECT k FROM v WHERE {left} IN (VALUES('1'),(1)) ORDER BY k"
        yield f"SELECT k FROM v WHERE {left} IN (VALUES(1)) ORDER BY k"
        yield f"SELECT count(*), {left} FROM v GROUP BY {left} ORDER BY min(k)"
        yield f"SELECT DISTINCT {left} FROM v ORDER BY {left}"
        yield f"SELECT min({left}), max({left}), count(DISTINCT {left}), total({left}) FROM v"
        yield f"SELECT min({left}, i), max({left}, '1'), nullif({left}, '1'), nullif('1', {left}) FROM v ORDER BY k"
    yield from views_and_subqueries()


def views_and_subqueries() -> Iterator[str]:
    """Affinity of the columns of views, subqueries and common tables, by what each arm of a compound gives."""
    sources = ["SELECT {0} AS c, k FROM v", "SELECT +{0} AS c, k FROM v", "SELECT CAST({0} AS TEXT) AS c, k FROM v"]
    for name, expression in (("t", "'2'"), ("i", "2"), ("n", "x'31'"), ("r", "CAST('1' AS INT)")):
        sources.append(f"SELECT {name} AS c, k FROM v UNION ALL SELECT {{0}}, k FROM v")
        sources.append(f"SELECT {{0}} AS c, k FROM v UNION ALL SELECT {expression}, k FROM v")
        sources.append(f"SELECT {expression} AS c, 1 AS k UNION ALL SELECT {{0}}, k FROM v")
        sources.append(f"SELECT {expression} AS c, 1 AS k UNION SELECT {{0}}, k FROM v")
        sources.append(f"SELECT {{0}} AS c, k FROM v UNION SELECT {expression}, k FROM v")
        sources.append(f"SELECT {{0}} AS c, k FROM v EXCEPT SELECT {expression}, k FROM v")
        sources.append(f"SELECT {{0}} AS c, k FROM v UNION ALL SELECT {name}, k FROM v UNION ALL SELECT {expression}, k FROM v")
    count = 0
    for source in sources:
        for name in TYPES:
            count += 1
            text = source.format(name)
            for literal in ("'1'", "1", "2", "'2'", "x'31'"):
                yield f"SELECT k, c, typeof(c) FROM ({text}) WHERE c={literal} ORDER BY k, typeof(c), c"
            yield f"SELECT k, c, c='1', c=1 FROM ({text}) ORDER BY k, typeof(c), c"
            yield f"CREATE VIEW w{count} AS {text}"
            yield f"SELECT k, c, typeof(c) FROM w{count} WHERE c='1' ORDER BY k, typeof(c), c"
            yield f"SELECT s.k FROM v, w{count} s WHERE v.i=s.c AND v.k<>11 ORDER BY 1, v.k"
            yield f"SELECT s.k FROM w{count} s WHERE s.c IN ('1', 2) ORDER BY 1"
            yield f"WITH q AS MATERIALIZED ({text}) SELECT k FROM q WHERE c='1' ORDER BY 1"
            yield f"CREATE TABLE made{count} AS {text}"
            yield f"SELECT name, type FROM pragma_table_info('made{count}')"
            yield f"SELECT name, type FROM pragma_table_info('w{count}')"
