"""Number literals, and numbers at the edges of the two conversions."""

from __future__ import annotations

import math
import random

import apsw
import pytest

from minisql.values import number_text


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("0", 0), ("9223372036854775807", 2**63 - 1), ("9223372036854775808", 2.0**63), ("1_000", 1000), ("1_0.5_0e1_0", 10.5e10),
        ("0x10", 16), ("0XfFfF", 65535), ("0xffffffffffffffff", -1), ("0x0000000000000000001", 1), ("0x10000000000000000", None),
        (".5", 0.5), ("5.", 5.0), ("1e400", math.inf), ("00000000000000000000000000012", 12), ("9" * 5000, math.inf),
    ],
)  # fmt: skip
def test_numeric_literal(token: str, value: float | None) -> None:
    result = number_text.numeric_literal(token)
    assert (type(result), result) == (type(value), value)


def test_infinite_and_zero_reals_have_sqlites_texts() -> None:
    assert [number_text.real_to_text(value) for value in (math.inf, -math.inf, 0.0, -0.0)] == ["Inf", "-Inf", "0.0", "0.0"]


@pytest.mark.parametrize("text", ["1_0", "\u0661", "inf", "nan", "0x10", "", " ", "1 2", "1e", "+-1"])
def test_texts_that_only_python_or_nobody_takes_for_numbers(text: str) -> None:
    assert number_text.text_to_number(text) is None
    assert not number_text.looks_like_number(text)


def test_a_huge_digit_string_is_read_without_pythons_limit() -> None:
    assert number_text.text_to_number("1" * 10_000) == math.inf
    assert number_text.integer_prefix("-" + "1" * 10_000) == -(2**63)
    assert number_text.real_prefix("1e" + "9" * 10_000) == math.inf
    assert number_text.real_prefix("1e-" + "9" * 10_000) == 0.0


def test_the_twentieth_digit_counts_only_while_it_fits_64_bits() -> None:
    connection = apsw.Connection(":memory:")
    source = random.Random(4)
    for _ in range(3000):
        head = 1844674407370955160 + source.randrange(-3, 4)
        text = f"{head}{source.randrange(10**6):06}e{source.randrange(-300, 280)}"
        assert number_text.real_prefix(text) == connection.execute("SELECT cast(? AS REAL)", (text,)).fetchone()[0]


def test_fast_path_of_real_to_text_agrees_with_the_slow_one() -> None:
    source = random.Random(2)
    for _ in range(20_000):
        value = round(source.uniform(-1e4, 1e4), source.randrange(9)) * 10.0 ** source.randrange(-6, 12)
        if value:
            digits, point = number_text.shown_digits(abs(value))
            slow = ("-" if value < 0 else "") + number_text._layout(digits, point)
            assert number_text.real_to_text(value) == slow
