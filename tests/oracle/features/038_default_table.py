"""Types by name, defaults of every kind, CAST of every kind of value to every type.

Source: https://www.sqlite.org/datatype3.html section 3.1, https://www.sqlite.org/lang_createtable.html#the_default_clause.
"""

from __future__ import annotations

from collections.abc import Iterator

NAMES = (
    "", "INT", "INTEGER", "TINYINT", "BIGINT UNSIGNED", "INT8", "POINT", "FLOATING POINT", "CHARINT", "CHARACTER(20)", "VARCHAR(255)", "NCHAR(55)", "CLOB", "TEXT", "BLOB", "BLOBTEXT",
    "REAL", "DOUBLE", "DOUBLE PRECISION", "FLOAT", "NUMERIC", "DECIMAL(10,5)", "BOOLEAN", "DATE", "DATETIME", "STRING", "xyz", "int", "Any", "NULL_TYPE", '"quoted INT"', "[b r]", "A B C (1)", "A(-1,+2.5)",
)  # fmt: skip
VALUES = ("1", "1.0", "1.5", "'1'", "'1.50'", "'abc'", "'12abc'", "x'3132'", "NULL", "1e20", "'1e3'", "9223372036854775808", "' 7'", "'-0'", "x''", "-9223372036854775808", "'0x1F'", "1e-5", "'9223372036854775807'", "TRUE")
DEFAULTS = (
    "5", "-5", "+5", "- 5", "5.5", "'text'", '"dq"', "NULL", "x'ab'", "TRUE", "FALSE", "(1+2)", "(abs(-3))", "(NULL)", "(random() IS NULL)", "ident", "CURRENT_DATE IS NULL", "(CURRENT_DATE IS NULL)", "1+1", "(SELECT 1)",
    "(a)", "(?)", "-'5'", "+x'01'", "(1,2)", "(length('abc')) NOT NULL", "1e5", "0x10", "-0x10", "('a'||'b')", "-9223372036854775808", "9223372036854775808", "- - 5", "(changes())", "(upper('q') COLLATE NOCASE)",
)  # fmt: skip


def blocks() -> Iterator[str]:
    """The statements of this table."""
    for number, name in enumerate(NAMES):
        yield f"CREATE TABLE t{number}(a {name}, b {name} DEFAULT 1, c)"
        for value in VALUES:
            yield f"INSERT INTO t{number}(a, c) VALUES({value}, {value})"
        yield f"SELECT a, typeof(a), b, typeof(b), a=c, c<a FROM t{number} ORDER BY rowid"
        yield f"SELECT a FROM t{number} ORDER BY a, rowid"
        yield f"SELECT name, type FROM pragma_table_info('t{number}')"
        if name and '"' not in name and "[" not in name:
            for value in VALUES:
                yield f"SELECT CAST({value} AS {name}), typeof(CAST({value} AS {name})), CAST({value} AS {name}) = {value}"
    for number, default in enumerate(DEFAULTS):
        for kind in ("", "TEXT", "INT"):
            yield f"CREATE TABLE d{number}{kind}(k INTEGER PRIMARY KEY, a, v {kind} DEFAULT {default})"
            yield f"INSERT INTO d{number}{kind} DEFAULT VALUES"
            yield f"INSERT INTO d{number}{kind}(a) VALUES(1),(2)"
            yield f"SELECT *, typeof(v) FROM d{number}{kind}"
            yield f"SELECT dflt_value FROM pragma_table_info('d{number}{kind}')"
