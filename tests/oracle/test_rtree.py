"""R-Trees under both engines: a script, random changes, files that the other one checks, geometry callbacks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql
from minisql.vtab.rtree.nodes import CellFormat

SCRIPT = Path(__file__).parent / "rtree" / "tables.sql"
COLUMNS = {1: "id, a, b", 2: "id, a, b, c, d", 3: "id, a, b, c, d, e, f"}


def outcome(connection: Any, sql: str, values: Any = ()) -> Any:
    """Rows, or the text of the error."""
    try:
        return connection.execute(sql, values).fetchall()
    except (minisql.Error, apsw.Error) as error:
        return str(error)


def test_tables_of_every_kind() -> None:
    ours, theirs = minisql.connect(":memory:", isolation_level=None), apsw.Connection(":memory:")
    for sql in SCRIPT.read_text(encoding="utf-8").splitlines():
        assert (sql, outcome(ours, sql)) == (sql, outcome(theirs, sql))
    ours.close()


@pytest.mark.parametrize("n_dimensions", [1, 2, 3])
def test_random_changes(n_dimensions: int, tmp_path: Path) -> None:
    source = random.Random(n_dimensions)
    ours, theirs = minisql.connect(":memory:", isolation_level=None), apsw.Connection(":memory:")

    def both(sql: str, values: Any = ()) -> None:
        assert (sql, outcome(ours, sql, values)) == (sql, outcome(theirs, sql, values))

    both(f"create virtual table t using rtree({COLUMNS[n_dimensions]})")
    for number in range(800):
        row: list[Any] = [source.randrange(400)]
        for _ in range(n_dimensions):
            low = source.uniform(-100, 100)
            row += [low, low + source.uniform(0, 20)]
        if source.random() < 0.7:
            both(f"insert or replace into t values({', '.join('?' * len(row))})", row)
        elif source.random() < 0.7:
            both("delete from t where id=?", row[:1])
        else:
            both("update t set a=?, b=? where id=?", (*row[1:3], row[0]))
        if not number % 20:
            for condition in ("a>=? and b<=?", "b>? and a<?", "a>? or b<?"):
                both(f"select * from t where {condition} order by id", row[1:3])
    for name, data in (("ours", ours.serialize()), ("theirs", theirs.serialize("main"))):
        (tmp_path / name).write_bytes(data)
    swapped = [apsw.Connection(str(tmp_path / "ours")), minisql.connect(str(tmp_path / "theirs"), isolation_level=None)]
    for connection in swapped:
        assert outcome(connection, "select rtreecheck('t')") == [("ok",)]
        for identifier in range(0, 400, 2):
            connection.execute("delete from t where id=?", (identifier,))
        assert outcome(connection, "select rtreecheck('t')") == [("ok",)]
        assert outcome(connection, "pragma integrity_check") == [("ok",)]
    assert outcome(swapped[0], "select * from t order by id") == outcome(swapped[1], "select * from t order by id")
    for connection in (ours, *swapped):
        connection.close()


def test_coordinates_are_rounded_outwards() -> None:
    source = random.Random(7)
    theirs = apsw.Connection(":memory:")
    theirs.execute("create virtual table t using rtree(id, a, b)")
    cells = CellFormat(1, False)
    for _ in range(3000):
        value = source.choice([source.uniform(-100, 100), source.uniform(-1e-30, 1e-30), source.uniform(-1e38, 1e38), 0.1])
        theirs.execute("insert or replace into t values(1, ?, ?)", (value, value))
        assert cells.coordinates((value, value)) == theirs.execute("select a, b from t").fetchone()


def test_a_damaged_tree_is_reported() -> None:
    ours, theirs = minisql.connect(":memory:", isolation_level=None), apsw.Connection(":memory:")
    statements = [
        "create virtual table t using rtree(id, a, b)",
        "with recursive n(i) as (select 1 union all select i+1 from n where i<200) insert into t select i, i, i+1 from n",
        "update t_rowid set nodeno=99 where rowid=5",
        "delete from t_rowid where rowid=6",
        "insert into t_parent values(77, 1)",
    ]
    for sql in statements:
        assert (sql, outcome(ours, sql)) == (sql, outcome(theirs, sql))
    found = outcome(ours, "select rtreecheck('t')")[0][0].splitlines()
    expected = outcome(theirs, "select rtreecheck('t')")[0][0].splitlines()
    # Which node holds a row is each engine's own choice.
    assert sorted(line.split("expected")[0].split("->")[0] for line in found) == sorted(
        line.split("expected")[0].split("->")[0] for line in expected
    )
    ours.execute("update t_node set data=zeroblob(3) where nodeno=1")
    assert outcome(ours, "select * from t") == "database disk image is malformed"
    ours.close()
