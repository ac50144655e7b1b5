"""Window computation against the oracle: frames, exclusion and the built-in functions over random data."""

from __future__ import annotations

import itertools
import random
from typing import Any

import apsw
import pytest

from minisql.bytecode.program import SortSpec, WindowCall, WindowSpec
from minisql.functions.registry import FunctionRegistry
from minisql.values.collation import BINARY
from minisql.vm.windows import WindowCursor

REGISTRY = FunctionRegistry()
ROWS = [
    (source.choice(["p", "q"]), source.choice([None, 1, 2, 2.5, 3, 7, "t"]), n, source.choice([None, 1, 2, 3]))
    for source in [random.Random(11)]
    for n in range(30)
]
BOUNDS = ["unbounded preceding", "2 preceding", "current row", "1 following", "unbounded following"]
ORDER = {bound: n for n, bound in enumerate(BOUNDS)}


def oracle(call: str, over: str) -> list[Any]:
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE t(g, k, n, x)")
    db.executemany("INSERT INTO t VALUES(?,?,?,?)", ROWS)
    return list(db.execute(f"SELECT n, {call} OVER ({over}) FROM t ORDER BY 1"))


def ours(name: str, arguments: tuple[int, ...], frame: Any, descending: bool, partitioned: bool, filter_: int = 0) -> list[Any]:
    # Registers: 1 g, 2 k, 3 n, 4 x, 5 = the number 2, 6 = the number 1
    keys, flags = ((0, 1), (False, descending)) if partitioned else ((1,), (descending,))
    sort = SortSpec(keys, (BINARY,) * len(keys), flags, tuple(not flag for flag in flags), 4)
    found = REGISTRY.find(name, len(arguments))
    function = found if hasattr(found, "make") else None
    call = WindowCall(name, function, arguments, frame, filter_)  # type: ignore[arg-type]
    cursor = WindowCursor(WindowSpec((1, 2, 3, 4), sort, len(keys) - 1, (call,)))
    registers: list[Any] = [None] * 5 + [2, 1]
    for row in ROWS:
        registers[1:5] = row
        cursor.step(registers)
    cursor.finish(registers)
    return sorted((row[2], row[4]) for row in cursor.rows)


def bound(text: str) -> tuple[str, int]:
    number, _, kind = text.partition(" ")
    return (kind, 5 if number == "2" else 6) if number in "12" else (text, 0)


FRAMES = [
    (unit, start, end, exclude)
    for unit in ("rows", "range", "groups")
    for start, end in itertools.combinations_with_replacement(BOUNDS, 2)
    if start != "unbounded following" and end != "unbounded preceding"
    for exclude in ("no others", "current row", "group", "ties")
]


@pytest.mark.parametrize("descending", [False, True])
def test_frames_agree_with_sqlite(descending: bool) -> None:
    for unit, start, end, exclude in FRAMES:
        frame = (unit, *bound(start), *bound(end), exclude)
        over = f"PARTITION BY g ORDER BY k {'DESC' if descending else ''} {unit} BETWEEN {start} AND {end} EXCLUDE {exclude}"
        for name, text, arguments in (
            ("group_concat", "group_concat(n)", (3,)),
            ("sum", "sum(x)", (4,)),
            ("max", "max(n)", (3,)),
            ("last_value", "last_value(n)", (3,)),
            ("nth_value", "nth_value(n, 2)", (3, 5)),
        ):
            expected = oracle(text, over)
            assert ours(name, arguments, frame, descending, True) == expected, (text, over)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("row_number()", "row_number", ()), ("rank()", "rank", ()), ("dense_rank()", "dense_rank", ()),
        ("percent_rank()", "percent_rank", ()), ("cume_dist()", "cume_dist", ()), ("ntile(2)", "ntile", (5,)),
        ("lag(n)", "lag", (3,)), ("lead(n, 2)", "lead", (3, 5)), ("lag(n, x, 'd')", "lag", (3, 4, 1)),
        ("first_value(n)", "first_value", (3,)), ("count()", "count", ()), ("avg(x)", "avg", (4,)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("partitioned", [False, True])
def test_functions_agree_with_sqlite(text: str, name: str, arguments: tuple[int, ...], partitioned: bool) -> None:
    frame = ("range", "unbounded preceding", 0, "current row", 0, "no others")
    expected = oracle(text.replace("'d'", "g"), ("PARTITION BY g " if partitioned else "") + "ORDER BY k")
    assert ours(name, arguments, frame, False, partitioned) == expected


def test_filter_admits_rows_to_frames() -> None:
    frame = ("rows", "preceding", 5, "current row", 0, "no others")
    expected = oracle("count(*) FILTER (WHERE x)", "ORDER BY k ROWS 2 PRECEDING")
    assert ours("count", (), frame, False, False, 4) == expected
