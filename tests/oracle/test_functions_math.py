"""Mathematical functions and percentiles against SQLite."""

from __future__ import annotations

import itertools
import math
import random
import sys
from pathlib import Path

import apsw
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from function_oracle import assert_same, ours_aggregate, theirs_sql

VALUES = [
    None, 0, 1, -1, 2, 3, 10, -7, 2**53 + 1, 2**63 - 1, -(2**63), 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 100.0, 1e-300, 1e300, -1e300,
    709.9, -746.0, math.inf, -math.inf, 0.1, math.pi, "1", " 2.5 ", "2x", "", "abc", b"1", b"",
]  # fmt: skip
ONE = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees", "exp", "floor", "ln", "log", "log10", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"]


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    return apsw.Connection(":memory:")


@pytest.mark.parametrize("name", ONE)
def test_one_argument(connection: apsw.Connection, name: str) -> None:
    source = random.Random(1)
    for value in VALUES + [source.uniform(-2, 2) for _ in range(200)] + [source.uniform(-800, 800) for _ in range(200)]:
        assert_same(connection, name, (value,))


@pytest.mark.parametrize("name", ["atan2", "log", "mod", "pow", "power"])
def test_two_arguments(connection: apsw.Connection, name: str) -> None:
    for arguments in itertools.product(VALUES, VALUES):
        assert_same(connection, name, arguments)


def test_pi(connection: apsw.Connection) -> None:
    assert_same(connection, "pi", ())


@pytest.mark.parametrize("name", ["median", "percentile", "percentile_cont", "percentile_disc"])
def test_percentiles_of_random_rows(connection: apsw.Connection, name: str) -> None:
    source = random.Random(13)
    n_args = 1 if name == "median" else 2
    connection.execute("DROP TABLE IF EXISTS temp.sample; CREATE TEMP TABLE sample(a, b)")
    for _ in range(1500):
        fraction = source.choice([0, 0.25, 0.5, 1, 50, 99.9, 100, 0.333, "0.5", "50", None, "x", -1, b"1"])
        rows = []
        for _ in range(source.randrange(6)):
            value = source.choice([source.uniform(-5, 5), source.randrange(9), None])
            if source.random() < 0.02:
                value = source.choice(["x", "5", b"", math.inf])
            rows.append([value, fraction + 0.01 if source.random() < 0.01 and isinstance(fraction, float) else fraction][:n_args])
        connection.execute("DELETE FROM sample")
        connection.executemany("INSERT INTO sample VALUES(?, ?)", [(*row, None)[:2] for row in rows])
        expected = theirs_sql(connection, f"(SELECT {name}({', '.join('ab'[:n_args])}) FROM sample)", ())
        assert ours_aggregate(name, rows, n_args) == expected, rows
