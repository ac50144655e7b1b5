"""STRICT tables: every type against every kind of value, by every statement; ANY; keys; what is refused in CREATE TABLE.

Source: https://www.sqlite.org/stricttables.html.
"""

from __future__ import annotations

from collections.abc import Iterator

TYPES = ("INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY")
VALUES = ("NULL", "1", "1.0", "1.5", "'1'", "'1.0'", "'1.5'", "'x'", "''", "x'31'", "9223372036854775807", "9223372036854775808", "1e300", "' 2 '", "'1e2'", "TRUE", "-0.0", "'0x10'")


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for kind in TYPES:
        for options in ("STRICT", "STRICT, WITHOUT ROWID"):
            key = "k INTEGER PRIMARY KEY" if options == "STRICT" else f"k {kind} PRIMARY KEY"
            yield "DROP TABLE IF EXISTS s"
            yield f"CREATE TABLE s({key}, v {kind}, d {kind} DEFAULT 1) {options}"
            for number, value in enumerate(VALUES):
                yield f"INSERT INTO s(k, v) VALUES({number if options == 'STRICT' else value}, {value})"
                yield f"UPDATE s SET v={value} WHERE k=1"
            yield "SELECT k, v, d, typeof(k), typeof(v), typeof(d) FROM s ORDER BY k"
            yield "INSERT OR IGNORE INTO s(k, v) VALUES('x', x'00'), (100, 'x'), (101, 5)"
            yield "INSERT OR REPLACE INTO s(k, v) VALUES(1, 'x'), (2, 2)"
            yield "REPLACE INTO s(k, v) SELECT k, v FROM s"
            yield "INSERT INTO s(k, v) VALUES(1, 2) ON CONFLICT(k) DO UPDATE SET v='x'"
            yield "SELECT count(*) FROM s"
            yield "CREATE INDEX sv ON s(v)"
            yield "SELECT k FROM s WHERE v='1' ORDER BY k"
            yield "SELECT k FROM s WHERE v=1 ORDER BY k"
            yield "SELECT k FROM s WHERE v>='1' ORDER BY k"
            yield "PRAGMA integrity_check"
    for name in ("", "NUMERIC", "VARCHAR(10)", "int", "Text", "INT(5)", "INTEGER (1,2)", "DOUBLE", "BOOLEAN", "DATE", "any", '"INT"', "LONG INT"):
        yield f"CREATE TABLE bad(a {name}, b INT) STRICT"
        yield "SELECT sql FROM sqlite_schema WHERE name='bad'"
        yield "DROP TABLE IF EXISTS bad"
    for column in VALUES:
        yield "DROP TABLE IF EXISTS d"
        yield f"CREATE TABLE d(k INTEGER PRIMARY KEY, a INT DEFAULT ({column}), b TEXT DEFAULT ({column})) STRICT"
        yield "INSERT INTO d(k) VALUES(1)"
        yield "SELECT *, typeof(a), typeof(b) FROM d"
    yield """.each
CREATE TABLE o1(a INT) STRICT, STRICT
CREATE TABLE o2(a INT) strict
CREATE TABLE o3(a INT) WITHOUT ROWID
CREATE TABLE o4(a INT PRIMARY KEY) STRICT WITHOUT ROWID
CREATE TABLE o5(a INT) NOPE
CREATE TABLE o6(a INT) WITHOUT NOPE
CREATE TABLE o7 STRICT AS SELECT 1
CREATE TABLE o8(a INT NOT NULL, b TEXT CHECK(length(b)<3)) STRICT
INSERT INTO o8 VALUES(NULL,'abcd')
INSERT INTO o8 VALUES('x','abcd')
INSERT INTO o8 VALUES(1,'abcd')
INSERT INTO o8 VALUES(1,22)
ALTER TABLE o8 ADD COLUMN c
ALTER TABLE o8 ADD COLUMN c NUMERIC
ALTER TABLE o8 ADD COLUMN c INT DEFAULT 'x'
ALTER TABLE o8 ADD COLUMN d INT DEFAULT 5
SELECT * FROM o8
PRAGMA table_list('o8')
CREATE TABLE o9(a INTEGER, PRIMARY KEY(a)) STRICT
INSERT INTO o9 VALUES('7')
SELECT a, rowid, typeof(a) FROM o9
CREATE TABLE o10(a INT PRIMARY KEY) STRICT
INSERT INTO o10 VALUES('7'),(NULL)
SELECT a, rowid, typeof(a) FROM o10
"""
