"""Core functions against SQLite: every function with generated arguments of every type, compared with types and errors."""

from __future__ import annotations

import itertools
import math
import random
import sys
from pathlib import Path

import apsw
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from function_oracle import assert_same, ours, ours_aggregate, theirs, theirs_sql

ANY = [
    None, 0, 1, -1, 2, 3, 10, 2**31, 2**63 - 1, -(2**63), 0.0, -0.0, 0.5, -1.5, 2.5, 1e15, 1e20, -1e300, 5e-324, math.inf, -math.inf,
    1 / 3, 123.456, "", " ", "a", "abc", "ABC", "héllo", "日本語", "\U0001f600x", "  pad  ", "12", "-3.5", "12abc", "0x10", "1e3",
    "it's", 'q"q', "tab\tnew\nline", "a\0b", "%_", "a%b", "xxaxx", "616263", "61 62", "\\u0041\\\\", "\\0041", "\\+00004a", "\\U0000004a",
    "\\q", "\\", "\ufffe", b"", b"abc", b"\x00\x01", b"12", b"\xff\xfe", b"\xc3\xa9\x80", b"\xf8\x88\x80\x80\x80", b"a\x00b",
]  # fmt: skip

ONE = [
    "abs", "sign", "round", "typeof", "hex", "quote", "length", "octet_length", "upper", "lower", "trim", "ltrim", "rtrim", "char",
    "unicode", "unhex", "unistr", "unistr_quote", "concat", "likely", "unlikely", "format", "soundex",
]  # fmt: skip
TWO = [
    "round", "nullif", "coalesce", "ifnull", "min", "max", "substr", "substring", "instr", "trim", "ltrim", "rtrim", "unhex", "concat",
    "concat_ws", "like", "glob", "char", "iif", "match",
]  # fmt: skip
THREE = ["substr", "replace", "iif", "coalesce", "min", "max", "concat_ws", "like"]


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    return apsw.Connection(":memory:")


@pytest.mark.parametrize("name", ONE)
def test_one_argument(connection: apsw.Connection, name: str) -> None:
    if name == "soundex":
        pytest.skip("apsw is built without it; the standard library's module judges it elsewhere")
    for a in ANY:
        assert_same(connection, name, (a,))


@pytest.mark.parametrize("name", TWO)
def test_two_arguments(connection: apsw.Connection, name: str) -> None:
    for arguments in itertools.product(ANY, ANY):
        assert_same(connection, name, arguments)


@pytest.mark.parametrize("name", THREE)
def test_three_arguments(connection: apsw.Connection, name: str) -> None:
    source = random.Random(3)
    for _ in range(3000):
        assert_same(connection, name, [source.choice(ANY) for _ in range(3)])


def test_substr_of_every_small_span(connection: apsw.Connection) -> None:
    for value in ("héllo", "abc", b"\x01\x02\x03", 12345, b"a\xc3\xa9\x80z\xff".decode("utf-8", "surrogateescape")):
        if isinstance(value, str) and not value.isascii():
            value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        for start in (*range(-7, 8), 2**63 - 1, -(2**63)):
            assert_same(connection, "substr", (value, start))
            for count in (*range(-7, 8), 2**63 - 1, -(2**63)):
                assert_same(connection, "substr", (value, start, count))


def test_round_of_random_reals(connection: apsw.Connection) -> None:
    source = random.Random(5)
    for _ in range(20_000):
        value = source.choice([source.uniform(-1e3, 1e3), round(source.uniform(-100, 100), source.randrange(6)), source.uniform(-1e16, 1e16)])
        assert_same(connection, "round", (value, source.randrange(-1, 17)))


def test_like_and_glob_of_random_patterns(connection: apsw.Connection) -> None:
    source = random.Random(7)
    for _ in range(20_000):
        text = "".join(source.choices("abABé-]^", k=source.randrange(8)))
        assert_same(connection, "like", ("".join(source.choices("abA%_é", k=source.randrange(7))), text))
        assert_same(connection, "like", ("".join(source.choices("abA%_\\", k=source.randrange(7))), text, source.choice("\\%_a")))
        assert_same(connection, "glob", ("".join(source.choices("abA*?[]^-é", k=source.randrange(9))), text))


def test_like_with_many_wildcards_does_not_explode(connection: apsw.Connection) -> None:
    assert ours("like", ("%a" * 30 + "b_", "a" * 3000)) == ("int", 0)


def random_format(source: random.Random) -> str:
    flags = "".join(source.choices("-+ #!0,", k=source.randrange(4)))
    width = source.choice(["", "", "5", "12", "*"])
    precision = source.choice(["", "", "", ".0", ".1", ".3", ".10", ".15", ".17", ".20", ".*", "."])
    return "<%" + flags + width + precision + source.choice(["", "", "l", "ll"]) + source.choice("diuxXopreEfgGcszqQwn%y") + ">"


@pytest.mark.parametrize("seed", range(4))
def test_format_of_random_directives(connection: apsw.Connection, seed: int) -> None:
    source = random.Random(seed)
    numbers = [1.0, -1.0, 0.1, 2.5, 1e10, 123456789.125, 1e-5, 99999.5, 0.00012345, 1e100, 7, -42, 1234567, 12345678901]
    for _ in range(6000):
        template = random_format(source)
        arguments = [source.choice([3, 8, -9]) for _ in range(template.count("*"))]
        arguments.append(source.choice(numbers + ANY) if source.random() < 0.7 else source.uniform(-1000, 1000))
        assert_same(connection, "format", (template, *arguments))


AGGREGATES = {"count": 1, "sum": 1, "total": 1, "avg": 1, "min": 1, "max": 1, "group_concat": 1, "string_agg": 2}


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates_of_random_rows(connection: apsw.Connection, name: str) -> None:
    source = random.Random(11)
    n_args = AGGREGATES[name]
    connection.execute("DROP TABLE IF EXISTS temp.sample; CREATE TEMP TABLE sample(a, b)")
    pools: list[list[object]] = [
        ANY, [1, 2, 3, None], [2**62, 2**62, -(2**62), 5], [0.1, 0.2, 1e16, -1e16, 1.0], [2**63 - 1, 1, 0.5, -(2**63)],
        [1e308, -1e308, math.inf, 1], [2**53, 2**53 + 1, 0.5, "7", "x", b"3"],
    ]  # fmt: skip
    for _ in range(600):
        pool = source.choice(pools)
        rows = [[source.choice(pool) for _ in range(n_args)] for _ in range(source.randrange(7))]
        connection.execute("DELETE FROM sample")
        connection.executemany("INSERT INTO sample VALUES(?, ?)", [(*row, None)[:2] for row in rows])
        columns = ", ".join("ab"[:n_args])
        expected = theirs_sql(connection, f"(SELECT {name}({columns}) FROM sample)", ())
        assert ours_aggregate(name, rows, n_args) == expected, rows


def test_connection_functions_use_the_context() -> None:
    assert [ours(name, ()) for name in ("changes", "total_changes", "last_insert_rowid")] == [("int", 3), ("int", 7), ("int", 11)]
    assert ours("typeof", (1,)) == ("text", b"integer")


def test_blob_makers_check_their_length(connection: apsw.Connection) -> None:
    for argument in (0, -1, 5, "3", None, 2.9):
        assert_same(connection, "zeroblob", (argument,))
    assert ours("zeroblob", (2**40,)) == theirs(connection, "zeroblob", (2**40,))
    assert ours("randomblob", (2**40,)) == theirs(connection, "randomblob", (2**40,))
