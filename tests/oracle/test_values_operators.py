"""Operators, CAST, affinity and order against SQLite: every pair of a list of awkward values, compared with types."""

from __future__ import annotations

import itertools
import math
import struct

import apsw
import pytest

from minisql.values import affinity, arithmetic, cast, compare
from minisql.values.collation import BUILT_IN
from minisql.values.storage_class import encode_text

VALUES = [
    None, 0, 1, -1, 2, 7, -7, 63, 64, 65, -64, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1, 3037000500,
    0.0, -0.0, 0.5, -0.5, 1.0, 7.9, -7.9, 1e15, 3e15, 9007199254740993.0, 9.223372036854775807e18, -9.223372036854775808e18,
    1e19, -1e19, 1e308, -1e308, 5e-324, math.inf, -math.inf, 0.1, 1e16, 1e17, 1e-5,
    "", " ", "0", "1", "-1", "7", " 7 ", "7x", "+7", "7.0", "7.5", ".5", "5.", ".", "-", "1e2", "1e", "1e400", "-1e400", "0x10",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9223372036854775807x",
    "9223372036854775807.0", "99999999999999999999999", "4e15", "1e15", "abc", "ABC", "abd", "abc  ", "ABC ", "é", "É", "z",
    "\U0001f600", "\uffff", "a\0b", "A\0cd", "12\x003", "12\0", "12 \0x", "12x\0", "927166001452675362\0", "927166001452675362\x001", "1.5\0", "1e3 \0", "inf", "nan", "1_0", "\u0661", "\xa05",
    b"", b"0", b"7", b"7.5x", b"abc", b"\xff", b"\xc3\xa9", b"1e2", b"12\x003",
]  # fmt: skip

BINARY_OPERATORS = {
    "+": arithmetic.add, "-": arithmetic.subtract, "*": arithmetic.multiply, "/": arithmetic.divide, "%": arithmetic.remainder,
    "&": arithmetic.bit_and, "|": arithmetic.bit_or, "<<": arithmetic.shift_left, ">>": arithmetic.shift_right,
    "||": arithmetic.concat, "AND": arithmetic.logical_and, "OR": arithmetic.logical_or,
    "=": compare.eq, "<>": compare.ne, "<": compare.lt, "<=": compare.le, ">": compare.gt, ">=": compare.ge,
    "IS": compare.is_, "IS NOT": compare.is_not,
}  # fmt: skip
UNARY_OPERATORS = {
    "-?": arithmetic.negate, "~?": arithmetic.bit_not, "NOT ?": arithmetic.logical_not, "+?": arithmetic.unary_plus,
    "? IS TRUE": arithmetic.is_true, "? IS FALSE": arithmetic.is_false,
    "? IS NOT TRUE": arithmetic.is_not_true, "? IS NOT FALSE": arithmetic.is_not_false,
}  # fmt: skip
CASTS = {"INTEGER": affinity.INTEGER, "REAL": affinity.REAL, "NUMERIC": affinity.NUMERIC, "TEXT": affinity.TEXT, "BLOB": affinity.BLOB}


def typed(value: object) -> object:
    """The value with its type and, for reals, its bits."""
    return ("real", struct.pack("<d", value)) if isinstance(value, float) else (type(value).__name__, value)


def ask(connection: apsw.Connection, sql: str, arguments: tuple[object, ...]) -> object:
    return connection.execute(sql, arguments).fetchone()[0]


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    return apsw.Connection(":memory:")


@pytest.mark.parametrize("operator", BINARY_OPERATORS)
def test_binary_operator_agrees_for_every_pair(connection: apsw.Connection, operator: str) -> None:
    sql = f"SELECT ?1 {operator} ?2" if operator != "||" else "SELECT CAST(?1 || ?2 AS BLOB)"
    for a, b in itertools.product(VALUES, VALUES):
        ours = BINARY_OPERATORS[operator](a, b)
        if operator == "||" and ours is not None:
            ours = encode_text(ours)  # the text may be invalid UTF-8, which apsw refuses to hand out
        assert typed(ours) == typed(ask(connection, sql, (a, b))), (a, b)


@pytest.mark.parametrize("sql", UNARY_OPERATORS)
def test_unary_operator_agrees(connection: apsw.Connection, sql: str) -> None:
    for a in VALUES:
        assert typed(UNARY_OPERATORS[sql](a)) == typed(ask(connection, "SELECT " + sql, (a,))), a


@pytest.mark.parametrize("name", CASTS)
def test_cast_agrees(connection: apsw.Connection, name: str) -> None:
    for a in VALUES:
        if isinstance(a, bytes) and name == "TEXT" and a == b"\xff":
            continue  # apsw refuses to hand out invalid UTF-8
        assert typed(cast.cast(a, CASTS[name])) == typed(ask(connection, f"SELECT cast(? AS {name})", (a,))), a


@pytest.mark.parametrize("declared", ["INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB", ""])
def test_column_affinity_agrees(connection: apsw.Connection, declared: str) -> None:
    connection.execute("DROP TABLE IF EXISTS stored")
    connection.execute(f"CREATE TEMP TABLE stored(a {declared})")
    ours = affinity.affinity_of_type(declared)
    for a in VALUES:
        connection.execute("DELETE FROM stored")
        connection.execute("INSERT INTO stored VALUES(?)", (a,))
        assert typed(affinity.apply_affinity(a, ours)) == typed(ask(connection, "SELECT a FROM stored", ())), a
    connection.execute("DROP TABLE stored")


@pytest.mark.parametrize(
    "declared",
    ["INT", "tinyint", "CHARINT", "VARCHAR(10)", "clob", "text", "BLOB", "REAL", "DOUBLE PRECISION", "FLOAT", "FLOATING POINT",
     "NUMERIC", "DECIMAL(10,5)", "BOOLEAN", "DATE", "STRING", "ANY", "BLOBTEXT", "REALBLOB", "XINTX"],
)  # fmt: skip
def test_affinity_of_declared_type_agrees(connection: apsw.Connection, declared: str) -> None:
    connection.execute("DROP TABLE IF EXISTS stored")
    connection.execute(f"CREATE TEMP TABLE stored(a {declared})")
    connection.execute("INSERT INTO stored VALUES('1.50'), (2)")
    theirs = [typed(row[0]) for row in connection.execute("SELECT a FROM stored")]
    connection.execute("DROP TABLE stored")
    ours = affinity.affinity_of_type(declared)
    assert [typed(affinity.apply_affinity(value, ours)) for value in ("1.50", 2)] == theirs


@pytest.mark.parametrize("left", ["INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB", "expression"])
@pytest.mark.parametrize("right", ["INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB", "expression"])
def test_comparison_affinity_agrees(connection: apsw.Connection, left: str, right: str) -> None:
    def sql_of(name: str, parameter: str) -> str:
        return f"+{parameter}" if name == "expression" else f"cast({parameter} AS {name})"

    def affinity_of(name: str) -> int:
        return affinity.NONE if name == "expression" else CASTS[name]

    def operand(name: str, value: object) -> object:
        return value if name == "expression" else cast.cast(value, CASTS[name])

    sample = [None, 1, 1.5, "1", "1.0", "01", "abc", b"1", 10**15, "1e15"]
    chosen = affinity.comparison_affinity(affinity_of(left), affinity_of(right))
    for a, b in itertools.product(sample, sample):
        x, y = affinity.apply_comparison_affinity(operand(left, a), operand(right, b), chosen)
        for operator in ("=", "<"):
            theirs = ask(connection, f"SELECT {sql_of(left, '?1')} {operator} {sql_of(right, '?2')}", (a, b))
            assert BINARY_OPERATORS[operator](x, y) == theirs, (a, operator, b)


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_keys_order_as_order_by(connection: apsw.Connection, name: str, descending: bool) -> None:
    collation = BUILT_IN[name]
    connection.execute("DROP TABLE IF EXISTS stored")
    connection.execute("CREATE TEMP TABLE stored(i INTEGER PRIMARY KEY, a)")
    connection.executemany("INSERT INTO stored VALUES(?, ?)", enumerate(VALUES))
    direction = "DESC" if descending else "ASC"
    theirs = [i for (i,) in connection.execute(f"SELECT i FROM stored ORDER BY a COLLATE {name} {direction}, i")]
    connection.execute("DROP TABLE stored")
    keys = [compare.sort_key(value, collation, descending) for value in VALUES]
    assert sorted(range(len(VALUES)), key=lambda i: (keys[i], i)) == theirs
    for a, b in itertools.combinations(range(len(VALUES)), 2):
        order = compare.compare(VALUES[a], VALUES[b], collation)
        by_key = (keys[a] > keys[b]) - (keys[a] < keys[b])
        assert order == (-by_key if descending else by_key), (VALUES[a], VALUES[b])
        same_hash = compare.hash_key(VALUES[a], collation) == compare.hash_key(VALUES[b], collation)
        assert same_hash == (order == 0), (VALUES[a], VALUES[b])


@pytest.mark.parametrize("name", ["NOCASE", "RTRIM"])
def test_collations_compare_as_sqlite(connection: apsw.Connection, name: str) -> None:
    texts = [value for value in VALUES if isinstance(value, str)]
    for a, b in itertools.product(texts, texts):
        for operator in ("=", "<", "<=", "<>"):
            theirs = ask(connection, f"SELECT ?1 {operator} ?2 COLLATE {name}", (a, b))
            assert BINARY_OPERATORS[operator](a, b, BUILT_IN[name]) == theirs, (a, operator, b)
