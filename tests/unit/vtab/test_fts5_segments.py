"""Segments of rows that come in plain order are made in bulk: byte for byte as those that are made row by row."""

import random
from collections.abc import Callable

import pytest

from minisql.storage.varint import read_varint
from minisql.vtab.fts5.formats import encode_positions
from minisql.vtab.fts5.fresh import FreshRows
from minisql.vtab.fts5.segment_writer import SegmentWriter

Document = list[tuple[int, list[str], None]]


def _documents(source: random.Random, n_columns: int, step: int) -> list[tuple[int, Document]]:
    """Rows by rowid: some columns are missing, some texts are long and full of one word."""
    words = [*"abcdefgh", "ab", "é", "\udcff", *(f"w{number}" for number in range(200))]
    documents = []
    rowid = source.choice((-50, 1, (1 << 40)))
    for _ in range(60 // (n_columns + 2)):
        rowid += source.randint(1, step)
        columns: Document = []
        for column in range(n_columns):
            if source.random() < 0.8:
                n = source.choice((0, 1, 3, 30, 30, 400, 1500))
                pool = words[: source.choice((2, 9, 40, len(words)))]
                columns.append((column, source.choices(pool, k=n), None))
        documents.append((rowid, columns))
    return documents


def _row_by_row(documents: list[tuple[int, Document]]) -> dict[bytes, list[tuple[int, bool, bytes]]]:
    found: dict[bytes, list[tuple[int, bool, bytes]]] = {}
    for rowid, columns in documents:
        places: dict[str, dict[int, list[int]]] = {}
        for column, words, _offsets in columns:
            for offset, word in enumerate(words):
                places.setdefault(word, {}).setdefault(column, []).append(offset)
        for word, positions in places.items():
            key = word.encode("utf-8", "surrogateescape")
            found.setdefault(key, []).append((rowid, False, encode_positions(list(positions.items()))))
    return found


@pytest.mark.parametrize("n_columns", [1, 3, 20])
@pytest.mark.parametrize("step", [1, 100_000])
@pytest.mark.parametrize("page_size", [50, 4050])
def test_rows_in_plain_order_make_the_segment_of_rows_one_by_one(n_columns: int, step: int, page_size: int) -> None:
    documents = _documents(random.Random(f"{n_columns} {step}"), n_columns, step)
    fresh = FreshRows()
    assert all(fresh.add(rowid, columns) for rowid, columns in documents)
    expected = _row_by_row(documents)
    pages, index, n_entries = _written(page_size, lambda writer: [writer.add_rows(*item) for item in fresh.words()])
    for key, rowids, bodies in fresh.words():
        poslists = [body[read_varint(body, 0)[1] :] for body in bodies]
        assert list(zip(rowids, poslists)) == [(rowid, poslist) for rowid, _, poslist in expected[key]]
    assert _written(page_size, lambda writer: [writer.add(key, expected[key]) for key in sorted(expected)]) == (
        pages, index, n_entries,
    )  # fmt: skip


def _written(page_size: int, fill: Callable[[SegmentWriter], object]) -> tuple[dict[int, bytes], dict[bytes, int], int]:
    pages: dict[int, bytes] = {}
    index: dict[bytes, int] = {}
    writer = SegmentWriter(page_size, "full", pages.__setitem__, index.__setitem__)
    fill(writer)
    writer.finish()
    return pages, index, writer.n_entries


def test_a_row_out_of_order_or_with_synonyms_is_refused() -> None:
    fresh = FreshRows()
    assert fresh.add(5, [(0, ["a"], None)])
    assert not fresh.add(5, [(0, ["a"], None)])
    assert not fresh.add(4, [(0, ["a"], None)])
    assert not fresh.add(6, [(0, ["a", "b"], [0, 0])])
    assert fresh.n_tokens == 1
