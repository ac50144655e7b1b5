"""Records: what SQLite writes, byte for byte, and what hostile headers do."""

from __future__ import annotations

import contextlib

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minisql.storage.record import RecordCodec, RecordError, upper_bound
from minisql.storage.record_encoder import make_encoder
from minisql.storage.varint import encode_varint, read_signed_varint, read_varint, varint_length

TEXTS = st.text(max_size=80) | st.binary(max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
VALUES = st.none() | st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False) | TEXTS | st.binary(max_size=80)
BOUNDARIES = [0, 1, 2, -1, 127, 128, -128, -129, 1 << 15, -(1 << 15), 1 << 23, (1 << 23) - 1, 1 << 31, 1 << 47, (1 << 47) - 1]


def codec(n: int, **options: object) -> RecordCodec:
    """A codec of n plain columns."""
    return RecordCodec(n, -1, (None,) * n, (), str(options.get("encoding", "utf-8")), bool(options.get("legacy", False)))


@given(st.lists(VALUES, min_size=1, max_size=12))
def test_round_trip_by_the_loop_and_by_a_learnt_decoder(row: list[object]) -> None:
    made = codec(len(row))
    record = made.encode(row)
    assert len(record) <= upper_bound(row)
    for _ in range(3):
        assert made.decode(b"xx" + record + b"yy", 2, 2 + len(record), 0) == tuple(row)
    assert made.decoders or len(record) > 200


@given(st.lists(VALUES, min_size=1, max_size=8), st.booleans(), st.sampled_from([-1, 0, 1]), st.sets(st.integers(0, 7)))
def test_generated_encoder_agrees_with_the_loop(row: list[object], legacy: bool, rowid_column: int, real: set[int]) -> None:
    n = len(row)
    columns = [i for i in real if i < n and i != rowid_column and isinstance(row[i], (int, float))]
    row = [float(value) if i in columns else value for i, value in enumerate(row)]  # type: ignore[arg-type]
    made = RecordCodec(n, rowid_column if rowid_column < n else -1, (None,) * n, columns, "utf-8", legacy)
    if made.rowid_column >= 0:
        row[made.rowid_column] = 7
    expected = made.encode_any(row)
    encoder = make_encoder(tuple(map(type, row)), made.rowid_column, made.real, legacy)
    assert encoder is not None
    with contextlib.suppress(UnicodeEncodeError):
        assert encoder(row) in (expected, b"")
    assert [made.encode(row) for _ in range(25)] == [expected] * 25


@given(st.lists(VALUES, min_size=1, max_size=12), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_is_at_most_twice_the_bound(row: list[object], encoding: str) -> None:
    record = codec(len(row), encoding=encoding).encode(row)
    assert len(record) <= 2 * upper_bound(row)


@pytest.mark.parametrize("n_columns", [1, 3, 63, 64, 126, 127, 128, 300])
def test_many_columns(n_columns: int) -> None:
    row = tuple(BOUNDARIES[i % len(BOUNDARIES)] for i in range(n_columns))
    made = codec(n_columns)
    record = made.encode(row)
    assert [made.decode(record, 0, len(record), 0) for _ in range(3)] == [row] * 3


def sqlite_record(row: tuple[object, ...], declaration: str) -> bytes:
    """The record that SQLite stores for a row."""
    connection = apsw.Connection(":memory:")
    connection.execute(f"create table t({declaration})")
    connection.execute(f"insert into t values({','.join('?' * len(row))})", row)
    page = connection.serialize("main")[4096:8192]
    at = page[8] << 8 | page[9]
    size, at = read_varint(page, at)
    _, at = read_varint(page, at)
    return page[at : at + size]


@pytest.mark.parametrize("value", [*BOUNDARIES, 1.5, None, "", "text", "é" * 30, b"", b"blob" * 40, -(1 << 63), "x" * 57, "x" * 58])
def test_bytes_equal_those_of_sqlite(value: object) -> None:
    assert codec(2).encode((value, "end")) == sqlite_record((value, "end"), "a, b")


@pytest.mark.parametrize("value", [5, 5.0, -0.0, 5.5, 140737488355327.0, 140737488355328.0, -140737488355328.0, 1e300, 1 << 60, None])
def test_real_columns_hold_integers_where_sqlite_does(value: object) -> None:
    stored = float(value) if isinstance(value, int) else value
    made = RecordCodec(1, -1, (None,), (0,), "utf-8")
    record = made.encode((stored,))
    assert record == sqlite_record((value,), "a REAL")
    for _ in range(3):
        found = made.decode(record, 0, len(record), 0)[0]
        assert found == stored
        assert found is None or isinstance(found, float)


def test_short_record_reads_the_column_default() -> None:
    record = codec(1).encode((7,))
    wide = RecordCodec(3, -1, (None, "default", 5), (2,), "utf-8")
    assert [wide.decode(record, 0, len(record), 0) for _ in range(3)] == [(7, "default", 5.0)] * 3


@pytest.mark.parametrize("rowid_column", [0, 1, 2])
def test_rowid_column_is_null_in_the_record(rowid_column: int) -> None:
    made = RecordCodec(3, rowid_column, (None,) * 3, (), "utf-8")
    row = tuple(99 if i == rowid_column else f"c{i}" for i in range(3))
    record = made.encode(row)
    assert codec(3).decode(record, 0, len(record), 0)[rowid_column] is None
    assert [made.decode(record, 0, len(record), 99) for _ in range(3)] == [row] * 3


def test_legacy_format_has_no_constants() -> None:
    assert codec(2, legacy=True).encode((0, 1)) == bytes((3, 1, 1, 0, 1))


def test_nan_reads_as_null() -> None:
    record = bytes((2, 7)) + bytes.fromhex("7ff8000000000000")
    assert [codec(1).decode(record, 0, len(record), 0) for _ in range(3)] == [(None,)] * 3


def test_reserved_serial_types_read_as_null() -> None:
    assert codec(3).decode(bytes((4, 10, 11, 8)), 0, 4, 0) == (None, None, 0)


@given(st.binary(min_size=1, max_size=40))
def test_garbage_is_an_error_or_a_row(data: bytes) -> None:
    made = codec(4)
    for _ in range(3):
        try:
            row = made.decode(data, 0, len(data), 0)
        except (RecordError, IndexError):
            continue
        assert len(row) == 4


@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_varint_round_trip(value: int) -> None:
    data = encode_varint(value)
    assert len(data) == varint_length(value)
    assert read_varint(data + b"\xff", 0) == (value & (1 << 64) - 1, len(data))
    if value < 1 << 63:
        assert read_signed_varint(data, 0) == (value, len(data))


def test_the_table_of_decoders_stays_small() -> None:
    made = codec(3)
    for i in range(6000):
        record = made.encode(("a" * (i % 50), "b" * (i // 50 % 50), "c" * (i // 2500)))
        for _ in range(2):
            made.decode(record, 0, len(record), 0)
    assert len(made.decoders) <= 2000
    assert len(made.seen_once) <= 2000
