"""Bad input to R-Trees and geopoly tables, and odd rowids of virtual tables: SQLite's rows or SQLite's error, letter for letter.

`python -m tests.oracle.test_malformed_boxes N` tries N tables.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.oracle.test_malformed_searches import Asked, compare, pair

NAMES = ("id", "x0", "x1", "y0", "y1", "z0", "z1", "a", "b", "c", "d", "e", "f")
NUMBERS = (
    None, 0, 1, -1, 2.5, "x", "3", "4.7", b"x", 1e300, -1e300, float("inf"), 1 << 40, -(1 << 40), 9e18, 2147483648, -2147483649,
    0.1, 16777217, "  7 ",
)  # fmt: skip
SHAPES = (
    "[[0,0],[1,0],[1,1],[0,0]]", "[[0,0],[1,0],[1,1]]", "[[0,0],[1,0],[0,0]]", "x", "", None, 5, b"\x01\x00\x00\x03",
    "[[0,0],[9,0],[9,9],[0,9],[0,0]]", '[[0,0],["a",0],[9,9],[0,0]]', "[ [0,0] , [4,0],[4,4],[0,4],[0,0] ]",
    "[[0,0],[1,0],[1,1],[0,0]] x", "[[0,0,0],[1,0],[1,1],[0,0]]", '{"a":1}', "[]", "[[0,0],[1,0],[1,1],[0,0.0]]",
)  # fmt: skip
CALLS = (
    "geopoly_area(?)", "geopoly_json(?)", "geopoly_blob(?)", "geopoly_svg(?, 'a')", "geopoly_bbox(?)", "geopoly_ccw(?)",
    "geopoly_json(geopoly_xform(?, 1, 0, 0, 1, 2, 3))", "geopoly_contains_point(?, 0.5, 0.25)",
    "geopoly_overlap(?, '[[0,0],[2,0],[2,2],[0,0]]')", "geopoly_within(?, '[[0,0],[2,0],[2,2],[0,0]]')",
    "geopoly_json(geopoly_regular(?, 1, 2, 5))", "geopoly_json(geopoly_regular(0, 0, 1, ?))",
)  # fmt: skip
ROWIDS = ("x", 2.5, 2.0, "3", " 4 ", "5.0", b"6", None, 1e300, 1 << 62, "9223372036854775808", float("inf"), "3x")


def boxes(source: random.Random) -> Iterator[Asked]:
    """An R-Tree of random columns, changes and questions."""
    names = list(NAMES[: source.choice((3, 3, 5, 5, 5, 7, 11, 2, 4, 1, 0, 6, 12, 13, 8))])
    if names and source.random() < 0.15:
        names[source.randrange(len(names))] = source.choice(("x0", '"q q"', "rowid", "", "x0 REAL", "id"))
    names += [source.choice(("+note", "+n2 TEXT", "+rowid", "note", "+x0")) for _ in range(source.choice((0, 0, 0, 1, 2)))]
    n = len(names)
    yield f"CREATE VIRTUAL TABLE t USING {source.choice(('rtree', 'rtree_i32'))}({', '.join(names)})", ()
    for _ in range(6):
        if source.random() < 0.7:
            values: list[Any] = [source.choice(NUMBERS) if source.random() < 0.4 else float(source.randrange(10)) for _ in names]
            if source.random() < 0.6:
                values[1:] = sorted(value for value in values[1:] if isinstance(value, (int, float)))
                values += [values[-1]] * (n - len(values))
            verb = source.choice(("INSERT", "REPLACE", "INSERT OR IGNORE"))
            yield f"{verb} INTO t VALUES({','.join('?' * n)})", tuple(values)
        else:
            column, value = source.choice(("x0", "x1", "id", "note", "y0")), source.choice(NUMBERS)
            operator = source.choice((">?", "<=?", "=?", " BETWEEN 0 AND ?", " IN (1, ?)"))
            start = source.choice((f"UPDATE t SET {column}=", f"DELETE FROM t WHERE {column}=", ""))
            yield f"{start}?" if start else f"SELECT * FROM t WHERE {column}{operator}", (value,)
    yield "SELECT * FROM t", ()
    yield "SELECT typeof(x0), typeof(id) FROM t", ()
    yield "SELECT rtreecheck('t')", ()
    yield "SELECT count(*) FROM t_rowid", ()
    yield "PRAGMA table_info(t)", ()


def polygons(source: random.Random) -> Iterator[Asked]:
    """A geopoly table of random columns, changes and questions."""
    names = [source.choice(("a", "b", "c d", "_shape", "rowid", '"q"', "")) for _ in range(source.randrange(3))]
    yield f"CREATE VIRTUAL TABLE t USING geopoly({', '.join(names)})", ()
    for _ in range(6):
        kind = source.random()
        if kind < 0.5:
            verb = source.choice(("INSERT", "REPLACE", "INSERT OR IGNORE"))
            rowid = source.choice((None, 1, 2, 3, "x", 2.5))
            yield f"{verb} INTO t(rowid, _shape) VALUES(?, ?)", (rowid, source.choice(SHAPES))
        elif kind < 0.7:
            yield "UPDATE t SET _shape=? WHERE rowid=?", (source.choice(SHAPES), source.randrange(4))
        elif kind < 0.8:
            function = source.choice(("geopoly_overlap", "geopoly_within"))
            yield f"SELECT rowid FROM t WHERE {function}(_shape, ?)", (source.choice(SHAPES),)
        else:
            yield f"SELECT {source.choice(CALLS)}", (source.choice(SHAPES),)
    yield "SELECT rowid, _shape, geopoly_json(_shape) FROM t", ()
    yield "SELECT count(*) FROM t_rowid", ()


@pytest.mark.parametrize("asked", [boxes, polygons])
def test_tables_of_random_columns_and_values(asked: Any, n: int = 120, seed: int = 3) -> None:
    source = random.Random(seed)
    for _ in range(n):
        compare(stopped(asked(source)), pair())


def stopped(asked: Iterator[Asked]) -> Iterator[Asked]:
    """Random rowids are not to be compared: no row is added behind the largest one."""
    for sql, values in asked:
        if not (sql.startswith("UPDATE t SET id") and isinstance(values[0], float) and values[0] > 1e18):
            yield sql, values


@pytest.mark.parametrize("module", ["fts5(a)", "fts4(a)", "fts3(a)", "fts4(a, content='')", "rtree(i, a, b)", "geopoly(a)"])
@pytest.mark.parametrize("column", ["rowid", "docid", "i"])
def test_odd_rowids(module: str, column: str) -> None:
    if (column == "docid") != module.startswith(("fts4", "fts3")) and column != "rowid":
        return
    for value in ROWIDS:
        statements: list[Asked] = [
            (f"CREATE VIRTUAL TABLE t USING {module}", ()),
            (f"INSERT INTO t({column}, a) VALUES(?, 1)", (value,)),
            ("SELECT rowid FROM t", ()),
            (f"UPDATE t SET {column}=?", (value,)),
            ("SELECT rowid FROM t", ()),
        ]
        for operator in ("=", ">=", "<", "!=", " IS "):
            statements.append((f"SELECT count(*) FROM t WHERE {column}{operator}?", (value,)))
        statements.append((f"DELETE FROM t WHERE {column}=?", (value,)))
        compare(iter(statements), pair())


if __name__ == "__main__":
    for kind in (boxes, polygons):
        test_tables_of_random_columns_and_values(kind, int(sys.argv[1]), random.randrange(1 << 30))
        print(kind.__name__, "ok", flush=True)
