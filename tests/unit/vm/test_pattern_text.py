"""LIKE and GLOB in translated loops give what their functions give, and what SQLite gives."""

from __future__ import annotations

import random

import apsw
import pytest

import minisql

PIECES = ("a", "b", "A", "ab", "%", "*", "%%", "**", "\0")


@pytest.mark.parametrize("alphabet", ["abAB", "abAB\0"])
@pytest.mark.parametrize("with_null", [False, True])
def test_patterns_over_a_column(alphabet: str, with_null: bool) -> None:
    choose = random.Random(3)
    texts = ["".join(choose.choices(alphabet, k=choose.randrange(9))) for _ in range(2500)]
    rows = [(None if with_null and n % 7 == 0 else text,) for n, text in enumerate(texts)]
    ours, oracle = minisql.connect(":memory:"), apsw.Connection(":memory:")
    for connection in (ours, oracle):
        connection.execute("CREATE TABLE t(x TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", rows)
    patterns = ["", "%", "*", "a%", "%b", "%ab%", "*ab*", "a%b", "a*b", "%a%b%", "*a*b*", "a%b%a", "a*b*a", "%a%b%a", "b*b*"]
    patterns += ["".join(choose.choices(PIECES, k=choose.randrange(1, 7))) for _ in range(25)]
    for pattern in patterns:
        for operator in ("LIKE", "GLOB"):
            test = f"x {operator} CAST(x'{pattern.encode().hex()}' AS TEXT)"
            if "\0" not in pattern:
                test = f"x {operator} '{pattern}'"
            for condition in (test, f"NOT {test}", f"{test} IS NOT FALSE", f"{test} OR x = 'ab'"):
                sql = f"SELECT count(*), sum(length(x)) FROM t WHERE {condition}"
                assert ours.execute(sql).fetchall() == oracle.execute(sql).fetchall(), sql
            sql = f"SELECT sum({test}) FROM t"
            assert ours.execute(sql).fetchall() == oracle.execute(sql).fetchall(), sql
