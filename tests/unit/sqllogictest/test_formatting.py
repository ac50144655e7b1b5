"""Values as the format prints them, sorting, and hashes."""

import math
import struct
from hashlib import md5
from random import Random

import pytest

from sqllogictest.formatting import RENDERERS, ColumnCountError, float_text, hash_text, integer_text, real_text, text_text

apsw = pytest.importorskip("apsw", reason="apsw is the judge of SQLite's number formats")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (5, "5"),
        (-1, "-1"),
        (2.9, "2"),
        (-2.9, "-2"),
        ("12abc", "12"),
        ("  -5", "-5"),
        ("abc", "0"),
        ("", "0"),
        (b"7", "7"),
        (1e30, "9223372036854775807"),
        ("99999999999999999999", "9223372036854775807"),
        ("1e3", "1"),
    ],
)
def test_integer_column_takes_the_numeric_prefix(value: object, text: str) -> None:
    assert integer_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (1, "1.000"),
        (0.0005, "0.001"),
        (-0.0, "0.000"),
        (-0.0001, "-0.000"),
        ("1e3", "1000.000"),
        ("x", "0.000"),
        (123456789012345678.0, "123456789012345700.000"),
        (1e20, "100000000000000000000.000"),
        (math.inf, "Inf"),
        (-math.inf, "-Inf"),
        (-9223372036854775808.0, "-9223372036854776000.000"),
        (0.0625, "0.063"),
    ],
)
def test_real_column_has_three_decimals_of_sixteen_digits(value: object, text: str) -> None:
    assert real_text(value) == text
    assert RENDERERS["R", "nosort"]([(value,)]) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        ("", "(empty)"),
        ("abc", "abc"),
        ("a\tb\n", "a@b@"),
        ("é", "@@"),
        ("a\x7f", "a@"),
        ("ab\0cd", "ab"),
        ("\0", "(empty)"),
        (b"\x01A", "@A"),
        (7, "7"),
        (1.5, "1.5"),
        ("\udcff", "@"),
    ],
)
def test_text_column_shows_every_odd_byte_as_at_sign(value: object, text: str) -> None:
    assert text_text(value) == text
    assert RENDERERS["T", "nosort"]([(value,)]) == text


def test_real_text_agrees_with_printf() -> None:
    random = Random(11)
    connection = apsw.Connection(":memory:")
    values = [random.randint(-(10**9), 10**9) / 1000 for _ in range(1500)] + [random.uniform(-1e15, 1e15) for _ in range(1500)]
    for value in values:
        assert real_text(value) == connection.execute("SELECT printf('%.3f', ?)", (value,)).fetchall()[0][0]
        assert RENDERERS["R", "nosort"]([(value,)]) == real_text(value)


def test_float_text_agrees_with_sqlite_on_nearly_all_doubles() -> None:
    random = Random(12)
    connection = apsw.Connection(":memory:")
    values = [struct.unpack("<d", random.randbytes(8))[0] for _ in range(3000)]
    values = [value for value in values if math.isfinite(value)] + [0.0, 0.1, 1e15, 1e17, 1e-5, 100.0, 1 / 3]
    differing = [
        value
        for value in values
        if float_text(value) != connection.execute("SELECT CAST(? AS TEXT)", (value,)).fetchall()[0][0]
    ]
    assert len(differing) < len(values) * 0.02


@pytest.mark.parametrize("rows", [[(1,), (None,), (True,), (2.7,), ("x",)], [(1,)], []])
def test_fast_integer_path_equals_value_by_value(rows: list[tuple[object]]) -> None:
    assert RENDERERS["I", "nosort"](rows) == "\n".join(integer_text(row[0]) for row in rows)


def test_rowsort_compares_column_after_column_as_text() -> None:
    rows = [(10, "b"), (9, "z"), (10, "a"), (1, " ")]
    assert RENDERERS["IT", "rowsort"](rows).split("\n") == ["1", " ", "10", "a", "10", "b", "9", "z"]


def test_rowsort_puts_a_prefix_first() -> None:
    assert RENDERERS["TT", "rowsort"]([("ab", "x"), ("a", "y"), ("a b", "z")]).split("\n") == ["a", "y", "a b", "z", "ab", "x"]


def test_valuesort_ignores_rows() -> None:
    assert RENDERERS["II", "valuesort"]([(3, 1), (2, 10)]).split("\n") == ["1", "10", "2", "3"]
    assert RENDERERS["IT", "valuesort"]([(3, "b"), (2, "a")]).split("\n") == ["2", "3", "a", "b"]


def test_nosort_keeps_the_order() -> None:
    assert RENDERERS["IRT", "nosort"]([(2, 2, "x"), (1, None, "")]).split("\n") == ["2", "2.000", "x", "1", "NULL", "(empty)"]


@pytest.mark.parametrize(
    ("types", "sort"), [("I", "nosort"), ("II", "rowsort"), ("TTT", "valuesort"), ("IT", "nosort"), ("R", "rowsort")]
)
def test_wrong_number_of_columns_is_an_error(types: str, sort: str) -> None:
    with pytest.raises(ColumnCountError):
        RENDERERS[types, sort]([(1,) * (len(types) + 1)])


def test_hash_counts_every_value_with_its_newline() -> None:
    assert hash_text("1\n2", 2) == f"2 values hashing to {md5(b'1' + bytes([10]) + b'2' + bytes([10])).hexdigest()}"
