"""Rows encoded together give the cells that rows encoded one by one give, and appending them gives a sound file."""

from __future__ import annotations

import random
from typing import Any

import apsw
import pytest

import minisql
from minisql.storage.cells_encoder import MAX_HEADS, encode_cells
from minisql.storage.record import RecordCodec
from minisql.storage.table_tree import encode_cell

INTEGERS = [0, 1, 2, -1, 127, 128, -128, -129, 32767, 32768, -32769, 2**23, -(2**31), 2**31, 2**47, -(2**47) - 1, 2**63 - 1, -(2**63)]
REALS = [0.0, -0.0, 1.5, 1e300, -3.0, 128.0, 32768.0, 140737488355328.0, -140737488355329.0, float("inf"), float("-inf"), 5e-324]
TEXTS = ["", "a", "é", "x" * 57, "x" * 58, "y" * 300, "z" * 9000]
BLOBS = [b"", b"\0", b"x" * 58, b"x" * 200]


def _columns(chance: random.Random, n_rows: int) -> list[list[Any]]:
    sources: list[Any] = [INTEGERS, REALS, TEXTS, BLOBS, [None]]
    return [[chance.choice(source) for _ in range(n_rows)] for source in chance.choices(sources, k=chance.randrange(1, 8))]


@pytest.mark.parametrize("seed", range(30))
def test_cells_are_those_of_rows_encoded_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    columns = _columns(chance, 40)
    rows = list(zip(*columns))
    real = [place for place, column in enumerate(columns) if isinstance(column[0], float) and chance.random() < 0.5]
    codec = RecordCodec(len(columns), -1, (), real, "utf-8", seed % 3 == 0)
    first = chance.choice((1, 100, 16380, 2**21 - 5, -20, 2**56 - 10))
    rowids = list(range(first, first + 40)) if seed % 2 else sorted(chance.sample(range(first, first + 400), 40))
    cells = encode_cells(codec, rowids, rows, None)
    if cells is None:
        assert all(column[0] is None or (place not in real and isinstance(column[0], float)) for place, column in enumerate(columns))
    else:
        assert cells == [encode_cell(rowid, codec.encode_any(row)) for rowid, row in zip(rowids, rows)]


def test_the_table_of_headers_does_not_grow_for_ever() -> None:
    codec = RecordCodec(2, -1, (), (), "utf-8")
    rows = [("x" * (i % 97), b"y" * (i % 89)) for i in range(97 * 89)]
    assert len(rows) > MAX_HEADS
    assert encode_cells(codec, list(range(len(rows))), rows, None) == [
        encode_cell(rowid, codec.encode_any(row)) for rowid, row in enumerate(rows)
    ]


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_rows_appended_by_the_thousand_make_a_sound_file(tmp_path, page_size: int) -> None:
    chance = random.Random(page_size)
    path = str(tmp_path / "t.db")
    connection = minisql.connect(path)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute("CREATE TABLE t(a, b TEXT, c REAL)")
    rows = [(i, "x" * chance.choice((3, 5, 40, 400, 9000 if i % 50 == 0 else 7)), i / 2) for i in range(3000)]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    connection.execute("SAVEPOINT one")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    connection.execute("ROLLBACK TO one")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(None, "é", 1.0), (2**40, "ascii", 2.5)] * 40)
    connection.commit()
    wanted = rows + [(None, "é", 1.0), (2**40, "ascii", 2.5)] * 40
    assert connection.execute("SELECT * FROM t").fetchall() == wanted
    connection.close()
    other = apsw.Connection(path)
    assert list(other.execute("PRAGMA integrity_check")) == [("ok",)]
    assert list(other.execute("SELECT * FROM t")) == wanted
    other.close()
