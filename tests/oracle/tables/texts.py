"""Literals, parameters, limits, text in UTF-16 databases, text that is not UTF-8 or holds NUL, collations.

Written from lang_expr.html, limits.html, datatype3.html section 7 and nulinstr.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

Statement = str | tuple[str, Any]

LITERALS = (
    "0", "00", "1_000", "1__0", "_1", "1_", "0x1F", "0X1f", "0x", "0xg", "0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "0x10000000000000000", "-0x8000000000000000", "0x1_F", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "1.", ".5", ".", "1e5", "1E-5", "1e+05", "1e", "1e+", "1.e3", "1_0.5_0e1_0", "1.5.2", "1e1000", "-1e1000", "123abc", "1e5x", "'it''s'", "'a\nb'", "'unclosed", "''", "x'00ff'", "X'AB'", "x'0'", "x'0g'", "x''", "x 'ab'", "x'ab", "TRUE", "false", "True + 1", "NULL", "null",
    "\"a\"", "[a]", "`a`", "CURRENT_TIME IS NOT NULL", "- - 5", "-(-5)", "+ + 5", "~~5", "not not 5", "-+-5", "1 -- comment", "1 /* c */ + 2", "1 /* open", "1 --", "(1)", "((1))", "()", "(1,2)", "(1,2) = (1,2)", "1;", "'a' 'b'", "1 2", "1 AS x", "1 x", "1 AS 'x y'", "1 \"x\"", "é", "'é' || 'x'", "@", "#1", "$", "\\", "1e400 - 1e400", "0.1 + 0.2", "1/0", "1%0", "1.0/0",
    "5 / 2", "-5 / 2", "5 % -3", "-5 % 3", "5.5 % 2", "9223372036854775807 + 1", "-9223372036854775808 - 1", "-9223372036854775808 / -1", "-9223372036854775808 % -1", "9223372036854775807 * 2", "1 << 63", "1 << 64", "-1 >> 63", "1 << -1", "1 >> -1", "1 | 2 & 3", "1 || 2 + 3", "1 + 2 || 3", "2 * 3 || 4", "NOT 1 = 2", "NOT (1 = 2)", "1 = 1 = 1", "1 < 2 < 3", "3 > 2 > 1",
    "1 IS 1 IS 1", "NULL IS NULL", "NULL = NULL", "1 BETWEEN 0 AND 2 AND 0", "1 NOT BETWEEN 2 AND 3", "NULL BETWEEN 1 AND 2", "1 IN ()", "NULL IN ()", "1 NOT IN ()", "1 IN (1, NULL)", "2 IN (1, NULL)", "2 NOT IN (1, NULL)", "NULL IN (1)", "'1' IN (1)", "1 IN ('1')", "CASE WHEN NULL THEN 1 END", "CASE NULL WHEN NULL THEN 1 ELSE 2 END", "CASE 1 WHEN 1 THEN 2", "CASE END", "CASE 1 END",
    "1 IS TRUE", "2 IS TRUE", "'1' IS TRUE", "'a' IS FALSE", "NULL IS NOT TRUE", "0.0 IS FALSE", "1 IS NOT DISTINCT FROM 1.0", "NULL IS DISTINCT FROM 1", "1 ISNULL", "NULL NOTNULL", "1 NOT NULL", "'a' < 'b' COLLATE NOCASE", "'a' COLLATE nope", "'a' COLLATE \"nocase\" = 'A'", "EXISTS (SELECT 1 WHERE 0)", "(SELECT 1, 2)", "(SELECT 1 WHERE 0)", "abs(-5)", "abs (-5)", "\"abs\"(-5)", "main.abs(1)", "likely(1) + 1", "RAISE(IGNORE)",
)  # fmt: skip


def literals() -> Iterator[str]:
    """Each literal and expression alone, with its type."""
    for literal in LITERALS:
        yield f"SELECT {literal}"
        yield f"SELECT typeof({literal})"
        yield f"SELECT quote({literal}) AS q"


VALUES: tuple[Any, ...] = (None, 0, -1, 2**63 - 1, -(2**63), 1.5, -0.0, float("inf"), "", "text", "é日😀", "a\0b", b"", b"\x00\xff", True)


def parameters() -> Iterator[Statement]:
    """Every form of parameter with every class of value; numbering, gaps, names, missing and spare values."""
    for value in VALUES:
        yield "SELECT ?, typeof(?1), quote(?1)", (value,)
        yield "SELECT ?2, ?1, typeof(?2)", (1, value)
        for name in (":a", "@a", "$a", ":ä1", "$a::b", "$a::b(c)", ":a_1", "@1a"):
            yield f"SELECT {name}, typeof({name})", {name[1:]: value}
        yield "SELECT ? IS ?1, ?1 = ?1, ?1 + 0, ?1 || '', hex(?1), length(?1), CAST(?1 AS TEXT), CAST(?1 AS INTEGER)", (value,)
        yield "SELECT 1 WHERE ?1 IN (1, 1.5, 'text', x'00ff')", (value,)
        yield "SELECT 'x' LIMIT ?", (value,)
        yield "SELECT CASE ? WHEN ?1 THEN 'same' ELSE 'other' END, coalesce(?1, 'null'), max(?1, 1), min(?1, 'a')", (value,)
    yield from (
        ("SELECT ?, ?, ?", (1, 2, 3)), ("SELECT ?3, ?", (1, 2, 3, 4)), ("SELECT ?, ?1, ?", (1, 2)), ("SELECT ?5", (1, 2, 3, 4, 5)), ("SELECT ?2", (1, 2)), ("SELECT :a, :b, :a", {"a": 1, "b": 2}), ("SELECT :a, @a, $a", {"a": 1}),
        ("SELECT ?1 AS x GROUP BY ?1", (1,)), ("SELECT ?1 ORDER BY ?1", (1,)), ("SELECT ? UNION SELECT ?", (1, 2)), ("SELECT ?0", ()), ("SELECT ?32767", ()), ("SELECT ?99999999999", ()), ("SELECT :", ()), ("SELECT @", ()), ("SELECT $", ()), ("SELECT $a(", ()), ("SELECT $a()", {"a()": 3}),
        ("CREATE TABLE p(a, b)", ()), ("INSERT INTO p VALUES (?, ?), (?, ?)", (1, 2, 3, 4)), ("SELECT * FROM p WHERE a = ? AND b > ?", (1, 1)), ("UPDATE p SET a = ?2 WHERE b = ?1", (2, 9)), ("DELETE FROM p WHERE a = :x", {"x": 3}), ("SELECT * FROM p LIMIT ? OFFSET ?", (5, 0)), ("SELECT a FROM p WHERE b IN (?, ?, ?)", (1, 2, 3)),
        ("CREATE TABLE q(a DEFAULT (?))", (1,)), ("CREATE VIEW qv AS SELECT ?", (1,)), ("CREATE INDEX qi ON p(a + ?)", (1,)), ("CREATE TRIGGER qt AFTER INSERT ON p BEGIN SELECT ?; END", (1,)), ("CREATE TABLE q2(a CHECK (a > ?))", (1,)), ("SELECT * FROM (SELECT ? AS x) WHERE x = ?", (1, 1)), ("WITH c AS (SELECT ? AS x) SELECT x + ? FROM c", (1, 2)), ("SELECT sum(?) OVER (ORDER BY a ROWS ? PRECEDING) FROM p", (1, 2)),
        ("SELECT json_extract(?, ?)", ('{"a":[1]}', "$.a")), ("SELECT value FROM json_each(?)", ("[1,2]",)), ("SELECT ? LIKE ? ESCAPE ?", ("a%", "a!%", "!")), ("SELECT substr(?, ?, ?)", ("hello", 2, 3)), ("VALUES (?), (?)", (1, 2)), ("EXPLAIN QUERY PLAN SELECT * FROM p WHERE a = ?", (1,)), ("PRAGMA table_info(?)", ("p",)), ("SELECT * FROM pragma_table_info(?)", ("p",)), ("ATTACH ? AS other", (":memory:",)), ("DETACH ?", ("other",)),
    )


TEXTS = ("a", "B", "é", "Z", "ß", "日", "😀", "\ufb01", "\ud7ff", "\ue000", "\uffff", "\U0010ffff", "a\u0301", "", "ab", "aé", "a😀", "~")


def encodings(encoding: str) -> Iterator[Statement]:
    """Order, functions, casts and patterns where text beyond ASCII lives in a database of one encoding."""
    yield f"PRAGMA encoding = '{encoding}'"
    yield "CREATE TABLE t(id INTEGER PRIMARY KEY, s TEXT, n TEXT COLLATE NOCASE)"
    yield "CREATE INDEX ts ON t(s)"
    yield "PRAGMA encoding"
    for text in TEXTS:
        yield "INSERT INTO t(s, n) VALUES (?1, ?1)", (text,)
    yield from (
        "SELECT s, length(s), octet_length(s), hex(s), unicode(s) FROM t ORDER BY id", "SELECT s FROM t ORDER BY s", "SELECT s FROM t ORDER BY s DESC", "SELECT s FROM t ORDER BY s || ''", "SELECT n FROM t ORDER BY n, id", "SELECT s FROM t ORDER BY s COLLATE RTRIM", "SELECT min(s), max(s) FROM t", "SELECT group_concat(s, '|') FROM t", "SELECT DISTINCT n FROM t ORDER BY 1",
        "SELECT count(*) FROM t WHERE s > 'z'", "SELECT s FROM t WHERE s > '日' ORDER BY s", "SELECT s FROM t WHERE s BETWEEN 'a' AND 'é' ORDER BY s", "SELECT a.s, b.s FROM t AS a JOIN t AS b ON a.s = b.n ORDER BY a.id, b.id", "SELECT s, count(*) FROM t GROUP BY s ORDER BY s", "SELECT s FROM t WHERE s LIKE 'a%' ORDER BY id", "SELECT s FROM t WHERE s GLOB '[é-日]' ORDER BY id", "SELECT s FROM t WHERE s LIKE '_' ORDER BY id",
        "SELECT upper(s), lower(s), instr(s, 'é'), replace(s, 'é', 'ee'), substr(s, 1, 1), trim(s, 'aé') FROM t ORDER BY id", "SELECT hex(CAST(s AS BLOB)), CAST(CAST(s AS BLOB) AS TEXT) = s FROM t ORDER BY id", "SELECT quote(s), typeof(CAST(x'6100' AS TEXT)), hex(CAST(x'6100' AS TEXT)), CAST(x'6100' AS TEXT) FROM t WHERE id = 3", "SELECT hex(CAST(x'61' AS TEXT)), length(CAST(x'61' AS TEXT)), hex(CAST(x'0061' AS TEXT))", "SELECT hex(CAST(x'3100' AS TEXT)), CAST(x'3100' AS INTEGER), CAST(x'31' AS INTEGER), CAST(x'0031' AS INTEGER)",
        "SELECT hex(char(233, 128512)), hex('é' || 'A'), length('A' || 'é')", "SELECT hex(printf('%s|%5s|%c', 'é', '😀', '日'))", "SELECT json_array(s), json_quote(s) FROM t ORDER BY id", "SELECT hex(jsonb_array(s)) FROM t ORDER BY id", "SELECT json_extract('{\"é\":\"日\"}', '$.é'), json_array_length('[\"😀\"]')", "SELECT s, row_number() OVER (ORDER BY s), rank() OVER (ORDER BY n) FROM t ORDER BY id",
        "SELECT hex(unhex('c3a9')), unistr('\\00e9'), hex(unistr('\\+01F600')), hex(concat('é', 1)), concat_ws('日', 'a', 'b')", "SELECT like('é%', 'éa'), glob('é?', 'éa'), 'é' = 'É' COLLATE NOCASE, 'a' = 'A' COLLATE NOCASE", "UPDATE t SET s = s || '!' WHERE id < 4", "SELECT s FROM t WHERE s = 'é!'", "DELETE FROM t WHERE s = '😀'", "SELECT count(*) FROM t", "SELECT typeof(s), sum(octet_length(s)) FROM t", "PRAGMA integrity_check",
        "CREATE TABLE names AS SELECT 'é' AS \"日本\"", "SELECT * FROM names", "SELECT name, hex(name) FROM pragma_table_info('names')", "SELECT strftime('é%Y', '2024-01-01'), date('2024-01-01'), typeof(date())", "ATTACH ':memory:' AS other", "CREATE TABLE other.o(a)", "SELECT sqlite_version() > '3', quote(x'00'), hex(zeroblob(2))", "PRAGMA encoding = 'UTF-8'", "PRAGMA encoding",
    )


BYTES = ("ff", "c3", "c328", "80", "e28082", "e282", "f09f9880", "f0808080", "eda080", "f4908080", "61ff62", "6100", "610062", "00", "c080", "feff", "fffe", "efbbbf61")


def odd_text() -> Iterator[str]:
    """Text made of bytes that are not UTF-8, and of NUL, kept byte for byte through tables, functions and comparisons."""
    yield "CREATE TABLE o(id INTEGER PRIMARY KEY, b BLOB, t TEXT, n TEXT COLLATE NOCASE)"
    yield "CREATE INDEX ot ON o(t)"
    for digits in BYTES:
        yield f"INSERT INTO o(b, t, n) VALUES (x'{digits}', CAST(x'{digits}' AS TEXT), CAST(x'{digits}' AS TEXT))"
        t = f"CAST(x'{digits}' AS TEXT)"
        yield f"SELECT hex({t}), typeof({t}), length({t}), octet_length({t}), unicode({t}), hex({t} || 'x'), hex('x' || {t})"
        yield f"SELECT hex(substr({t}, 1, 1)), hex(substr({t}, 2)), hex(substr({t}, -1)), hex(upper({t})), hex(lower({t})), hex(trim({t})), instr({t}, 'b'), hex(replace({t}, 'a', 'zz'))"
        yield f"SELECT hex(quote({t})), hex(printf('%s', {t})), hex(printf('%5s', {t})), hex(printf('%q', {t})), hex(printf('%.1s', {t})), hex(char(unicode({t})))"
        yield f"SELECT {t} = {t}, {t} = x'{digits}', {t} < 'b', {t} LIKE '%', {t} LIKE '_', {t} GLOB '*', {t} LIKE 'a%', {t} IN ('a', {t}), {t} COLLATE NOCASE = {t}"
        yield f"SELECT CAST({t} AS INTEGER), CAST({t} AS REAL), hex(CAST({t} AS BLOB)), {t} + 1, CAST({t} AS NUMERIC), hex(max({t}, 'a')), hex(min({t}, 'a'))"
        yield f"SELECT hex(json_quote({t})), hex(json_array({t})), json_valid({t}), hex(group_concat({t}, {t})), hex(concat({t}, {t})), hex(concat_ws({t}, 'a', 'b')), hex(unistr_quote({t}))"
    yield from (
        "SELECT id, hex(t) FROM o ORDER BY t, id", "SELECT id, hex(n) FROM o ORDER BY n, id", "SELECT hex(min(t)), hex(max(t)) FROM o", "SELECT hex(t), count(*) FROM o GROUP BY t", "SELECT a.id, b.id FROM o AS a JOIN o AS b ON a.t = b.n ORDER BY 1, 2", "SELECT count(*) FROM o WHERE CAST(t AS BLOB) = b", "SELECT id FROM o WHERE t > 'a' ORDER BY t", "SELECT id FROM o WHERE t = CAST(x'61ff62' AS TEXT)", "SELECT hex(group_concat(t)) FROM o", "SELECT count(DISTINCT t), count(DISTINCT n) FROM o", "UPDATE o SET t = t || t", "SELECT id, hex(t) FROM o ORDER BY t DESC, id", "PRAGMA integrity_check", "SELECT hex(t) FROM o WHERE t LIKE 'a%' ORDER BY id", "SELECT hex(t) FROM o WHERE t GLOB 'a*' ORDER BY id", "DELETE FROM o WHERE t = CAST(x'ffff' AS TEXT)", "SELECT count(*) FROM o",
    )


def limits() -> Iterator[Statement]:
    """Depth, width and number of everything, at the limit and one beyond."""
    for n in (10, 999, 1000, 1001):
        yield f"SELECT {'(' * n}1{')' * n}"
        yield f"SELECT {'+ ' * n}1"
        yield f"SELECT {'NOT ' * n}1"
        yield "SELECT " + " + ".join(["1"] * n)
        yield "SELECT " + " || ".join(["'a'"] * n)
        yield "SELECT " + " AND ".join(["1"] * n)
        yield f"SELECT {'abs(' * n}1{')' * n}"
        yield f"SELECT {'CASE WHEN 1 THEN ' * n}1{' END' * n}"
    for n in (499, 500, 501):
        yield "SELECT 1 UNION ALL " + " UNION ALL ".join(["SELECT 1"] * (n - 1))
        yield "VALUES " + ", ".join(["(1)"] * n)
        yield "SELECT count(*) FROM (" + " UNION ".join(["SELECT 1"] * n) + ")"
    for n in (1999, 2000, 2001):
        columns = ", ".join(f"c{i}" for i in range(n))
        yield f"CREATE TABLE wide{n}({columns})"
        yield "SELECT " + ", ".join(["1"] * n)
        yield f"CREATE VIEW v{n} AS SELECT " + ", ".join(["1"] * n)
        yield "SELECT 1 ORDER BY " + ", ".join(["1"] * n)
        yield "SELECT 1 GROUP BY " + ", ".join(["1"] * n)
        yield f"SELECT count(*) FROM wide{n}"
    yield "CREATE TABLE base(a, b)"
    for n in (1999, 2000, 2001):
        yield f"CREATE INDEX i{n} ON base(" + ", ".join(["a"] * n) + ")"
        yield "INSERT INTO base VALUES (" + ", ".join(["1"] * n) + ")"
        yield "UPDATE base SET " + ", ".join(["a = 1"] * n)
    for n in (63, 64, 65):
        yield "SELECT count(*) FROM " + ", ".join(f"base AS t{i}" for i in range(n))
        yield "SELECT 1 FROM " + " JOIN ".join(f"(SELECT 1 AS x) AS t{i}" for i in range(n))
    for n in (999, 1000, 1001):
        yield "SELECT max(" + ", ".join(["1"] * n) + ")"
        yield "SELECT length(concat(" + ", ".join(["'a'"] * n) + "))"
        yield "SELECT json_array_length(json_array(" + ", ".join(["1"] * n) + "))"
        yield "SELECT 1 IN (" + ", ".join(["2"] * n) + ")"
    for n in (9, 10, 11, 12):
        yield f"ATTACH ':memory:' AS a{n}" if n < 10 else f"SELECT {n}"
    for n in (32766, 32767):
        yield f"SELECT ?{n} IS NULL", (None,) * n
    for n in (49999, 50000, 50001):
        yield f"SELECT 'x' LIKE printf('%.*c', {n}, '%')"
        yield f"SELECT 'x' GLOB printf('%.*c', {n}, '*')"
    for n in (1000000000, 1000000001):
        yield f"SELECT zeroblob({n}) IS NULL"
        yield f"SELECT length(printf('%*s', {n // 1000000}, 'x'))"
    for n in (10, 100, 400):
        yield "SELECT " + "(SELECT " * n + "1" + ")" * n
        yield "SELECT * FROM " + "(SELECT * FROM " * min(n, 100) + "(SELECT 1 AS x)" + ")" * min(n, 100)
        yield "WITH " + ", ".join(f"c{i} AS (SELECT {f'x + 1 AS x FROM c{i - 1}' if i else '0 AS x'})" for i in range(min(n, 100))) + f" SELECT x FROM c{min(n, 100) - 1}"
        yield f"SELECT json_valid('{'[' * n}{']' * n}'), json_array_length('{'[' * n}{']' * n}')"
    for n in (999, 1000, 1001, 1002):
        yield f"SELECT json_valid('{'[' * n}{']' * n}')"
    yield "CREATE TABLE deep(n)"
    yield "PRAGMA recursive_triggers = 1"
    yield "CREATE TRIGGER dt AFTER INSERT ON deep WHEN new.n > 0 BEGIN INSERT INTO deep VALUES (new.n - 1); END"
    for n in (998, 999, 1000, 1001):
        yield f"INSERT INTO deep VALUES ({n})"
        yield "SELECT count(*) FROM deep"


def collations() -> Iterator[str]:
    """The built-in collations in every place that has one, and names that are none."""
    yield "CREATE TABLE c(b TEXT, n TEXT COLLATE NOCASE, r TEXT COLLATE RTRIM)"
    for value in ("'a'", "'A'", "'a '", "'A  '", "'b'", "''", "' '", "'é'", "'É'", "NULL", "1", "x'61'"):
        yield f"INSERT INTO c VALUES ({value}, {value}, {value})"
    names = ("BINARY", "NOCASE", "RTRIM", "nocase", "\"rtrim\"", "nope", "UTF8", "UNICODE")
    for column, name in itertools.product(("b", "n", "r"), names):
        yield f"SELECT {column} FROM c ORDER BY {column} COLLATE {name}, rowid"
        yield f"SELECT rowid FROM c WHERE {column} = 'A' COLLATE {name} ORDER BY rowid"
        yield f"SELECT {column} COLLATE {name}, count(*) FROM c GROUP BY {column} COLLATE {name} ORDER BY 1, 2"
        yield f"SELECT min({column} COLLATE {name}), max({column} COLLATE {name}) FROM c"
        yield f"SELECT count(DISTINCT {column} COLLATE {name}) FROM c"
        yield f"SELECT rowid FROM c WHERE {column} COLLATE {name} IN ('a', 'b') ORDER BY rowid"
        yield f"SELECT rowid FROM c WHERE {column} COLLATE {name} BETWEEN 'a' AND 'b' ORDER BY rowid"
        yield f"SELECT CASE {column} COLLATE {name} WHEN 'A' THEN 1 ELSE 0 END FROM c ORDER BY rowid"
        yield f"SELECT {column} COLLATE {name} FROM c UNION SELECT 'A' ORDER BY 1"
        yield f"CREATE INDEX ci ON c({column} COLLATE {name})"
        yield f"SELECT rowid FROM c WHERE {column} = 'a' COLLATE {name} ORDER BY rowid"
        yield f"DROP INDEX IF EXISTS ci -- {column} {name}"
    for a, b in itertools.product(("b", "n", "r", "b || ''", "n || ''", "CAST(n AS TEXT)", "+n", "(n)"), repeat=2):
        yield f"SELECT x.rowid, y.rowid FROM c AS x, c AS y WHERE x.{a.replace('+n', 'n').replace('(n)', 'n') if a in ('+n', '(n)') else a} = y.{b} ORDER BY 1, 2" if a in "bnr" and b in "bnr" else f"SELECT count(*) FROM c WHERE {a} = {b}"


TABLES = {
    "045-literal-table": literals,
    "061-parameters": parameters,
    **{f"060-{encoding.lower()}": (lambda encoding=encoding: encodings(encoding)) for encoding in ("UTF-8", "UTF-16le", "UTF-16be")},
    "058-odd-text": odd_text,
    "106-limits": limits,
    "049-collations": collations,
}
