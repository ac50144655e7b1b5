"""The coarse instructions: sorter, hash join, grouping, sets, memo, queue, ephemeral trees, index cursors."""

from __future__ import annotations

import random
from typing import Any

import pytest

from minisql.bytecode import opcodes as op
from minisql.bytecode.builder import ProgramBuilder
from minisql.bytecode.program import AggregateCall, GroupSpec, HashSpec, SortSpec
from minisql.functions.registry import FunctionRegistry
from minisql.values.collation import BINARY, NOCASE, Collation
from minisql.values.compare import record_sort_key
from minisql.values.shape import KeyShape, RowShape
from minisql.vm.ephemeral import QueueCursor, SetCursor, TreeCursor
from minisql.vm.grouping import GroupCursor
from minisql.vm.sorter import Sorter
from minisql.vm.sorting import sort_rows
from tests.fakes.vm import FakeHost, rows_of

BACKWARDS = Collation("BACKWARDS", lambda a, b: (a[::-1] > b[::-1]) - (a[::-1] < b[::-1]))
REGISTRY = FunctionRegistry()


def spec(*terms: tuple[int, Collation, bool, bool]) -> SortSpec:
    keys, collations, descending, nulls_first = zip(*terms)
    return SortSpec(keys, collations, descending, nulls_first, len(keys))


MIXED = [None, 3, 1.5, "b", "A", "a", b"x", None, -7, "é", "\udcff", 2, b"", 10**18, "\uffff"]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("collation", [BINARY, NOCASE, BACKWARDS])
def test_sort_agrees_with_sort_keys_and_is_stable(descending: bool, collation: Collation) -> None:
    source = random.Random(7)
    for _ in range(50):
        rows = [(source.choice(MIXED), source.choice(MIXED), n) for n in range(source.randrange(30))]
        expected = sorted(
            rows, key=lambda row: record_sort_key(row[:2], (collation, BINARY), (descending, not descending))
        )
        order = spec((0, collation, descending, not descending), (1, BINARY, not descending, descending))
        sort_rows(rows, order)
        assert rows == expected


def test_sort_places_nulls_as_told() -> None:
    rows = [(2,), (None,), (1,)]
    sort_rows(rows, spec((0, BINARY, False, False)))
    assert rows == [(1,), (2,), (None,)]
    sort_rows(rows, spec((0, BINARY, True, True)))
    assert rows == [(None,), (2,), (1,)]


@pytest.mark.parametrize("limit", [1, 3, 100])
@pytest.mark.parametrize("descending", [False, True])
def test_limited_sorter_gives_the_first_rows(limit: int, descending: bool) -> None:
    source = random.Random(limit)
    rows = [(source.choice([None, "x", *range(50)]), n) for n in range(5000)]
    order = spec((0, BINARY, descending, not descending))
    sorter = Sorter(order, limit)
    for row in rows:
        sorter.insert(row)
    sorter.sort()
    sort_rows(rows, order)
    assert sorter.rows[:limit] == rows[:limit]
    assert len(sorter.rows) < 1000


def test_sorter_opcodes() -> None:
    b = ProgramBuilder()
    cursor, row, end = b.cursor(), b.registers(2), b.label()
    b.emit(op.SorterOpen, cursor, 0, 0, spec((0, BINARY, True, False)))
    for value in (1, 3, 2):
        b.emit(op.SorterInsert, cursor, 0, 0, (b.constant(value), b.constant("x")))
    b.begin_loop(op.SorterSort, cursor, end, row, 2)
    b.emit(op.ResultRow, row, 2)
    b.end_loop(op.Next, b.label(), end)
    assert rows_of(b) == [(3, "x"), (2, "x"), (1, "x")]


def test_hash_join_walks_buckets_and_unmatched_rows() -> None:
    b = ProgramBuilder()
    cursor, row = b.cursor(), b.registers(2)
    b.emit(op.HashOpen, cursor, 0, 0, HashSpec((NOCASE,), True))
    for key, value in (("a", 1), ("A", 2), ("b", 3), (None, 4)):
        first = b.registers(2)
        b.emit(op.SCopy, b.constant(key), first)
        b.emit(op.SCopy, b.constant(value), first + 1)
        b.emit(op.HashInsert, cursor, first, 2, (first,))
    for wanted in ("a", None, "zz"):
        end = b.label()
        b.begin_loop(op.HashProbe, cursor, end, row, 2, (b.constant(wanted) if wanted else b.register(),))
        b.emit(op.HashMark, cursor)
        b.emit(op.ResultRow, row, 2)
        b.end_loop(op.Next, b.label(), end)
    end = b.label()
    b.begin_loop(op.HashUnmatched, cursor, end, row, 2)
    b.emit(op.ResultRow, row, 2)
    b.end_loop(op.Next, b.label(), end)
    assert rows_of(b) == [("a", 1), ("A", 2), ("b", 3), (None, 4)]


def call(name: str, *registers: int, **options: Any) -> AggregateCall:
    function = REGISTRY.find(name, len(registers))
    return AggregateCall(function, registers, **options)  # type: ignore[arg-type]


def grouped(group_spec: GroupSpec, rows: list[tuple[Any, ...]]) -> list[Any]:
    cursor = GroupCursor(group_spec)
    for row in rows:
        cursor.step([None, *row])
    cursor.finish()
    return cursor.rows


def test_groups_come_in_key_order_with_first_rows_values() -> None:
    calls = (call("count"), call("sum", 2), call("max", 2), call("group_concat", 2))
    group_spec = GroupSpec((1,), (NOCASE,), (False,), calls, (3,))
    rows = [("b", 1, "p"), ("A", 2, "q"), ("a", 5, "r"), (None, None, "s"), ("B", 3.5, "t")]
    assert grouped(group_spec, rows) == [
        (None, 1, None, None, None, "s"),
        ("A", 2, 7, 5, "2,5", "q"),
        ("b", 2, 4.5, 3.5, "1,3.5", "p"),
    ]


def test_one_group_without_keys_over_no_rows() -> None:
    calls = (call("count"), call("sum", 1), call("total", 1), call("avg", 1), call("min", 1))
    assert grouped(GroupSpec((), (), (), calls, (1,)), []) == [(0, None, 0.0, None, None, None)]


def test_bare_columns_follow_min_and_max() -> None:
    rows = [(None, "a"), (None, "b"), (4, "c"), (2, "d"), (2, "e"), (None, "f")]
    assert grouped(GroupSpec((), (), (), (call("min", 1),), (2,), 0), rows) == [(2, "d")]
    assert grouped(GroupSpec((), (), (), (call("max", 1),), (2,), 0), rows) == [(4, "c")]
    assert grouped(GroupSpec((), (), (), (call("max", 1),), (2,), 0), rows[:2]) == [(None, "b")]


def test_distinct_filter_and_order_inside_calls() -> None:
    order = SortSpec((0,), (BINARY,), (True,), (False,), 2)
    calls = (
        call("count", 1, distinct=True, collation=NOCASE),
        call("sum", 2, distinct=True),
        call("count", filter_register=2),
        call("group_concat", 1, order=order, order_registers=(2,)),
    )
    rows = [("a", 1), ("A", 1.0), ("b", 0), (None, 3)]
    assert grouped(GroupSpec((), (), (), calls), rows) == [(2, 4, 3, "a,A,b")]


def test_groups_work_under_a_user_defined_collation() -> None:
    same_length = Collation("LENGTH", lambda a, b: len(a) - len(b))
    group_spec = GroupSpec((1,), (same_length,), (True,), (call("count"),))
    assert grouped(group_spec, [("ab",), ("c",), ("xy",), ("cde",)]) == [("cde", 1), ("ab", 2), ("c", 1)]


@pytest.mark.parametrize(
    ("members", "row", "expected"),
    [
        ([], (None,), 0),
        ([(1,)], (1.0,), 1),
        ([(1,)], ("1",), 0),
        ([(1,), (None,)], (2,), None),
        ([(1,)], (None,), None),
        ([(1, 2)], (1, None), None),
        ([(1, 2)], (3, None), 0),
        ([(1, None)], (1, 2), None),
        ([(1, None)], (2, 2), 0),
        ([(1, None), (2, 2)], (2, 2), 1),
    ],
)
def test_in_set_follows_null_rules(members: list[Any], row: tuple[Any, ...], expected: Any) -> None:
    cursor = SetCursor((BINARY,) * len(row))
    for member in members:
        cursor.add(member)
    assert cursor.member(row) == expected


def test_set_opcodes_keep_first_sight_and_sort_on_demand() -> None:
    b = ProgramBuilder()
    cursor, row = b.cursor(), b.registers(1)
    b.emit(op.SetOpen, cursor, 0, 0, (NOCASE,))
    for text in ("b", "a", "B", "c"):
        b.emit(op.SetInsert, cursor, 0, 0, (b.constant(text),))
    b.emit(op.SetDelete, cursor, 0, 0, (b.constant("C"),))
    for _ in range(2):
        end = b.label()
        b.begin_loop(op.Rewind, cursor, end, row, 1)
        b.emit(op.ResultRow, row, 1)
        b.end_loop(op.Next, b.label(), end)
        b.emit(op.SetSort, cursor)
    assert rows_of(b) == [("b",), ("a",), ("a",), ("b",)]


def test_memo_tells_values_of_different_classes_apart() -> None:
    b = ProgramBuilder()
    cursor, result = b.cursor(), b.constant("known")
    b.emit(op.MemoOpen, cursor)
    b.emit(op.MemoPut, cursor, 0, result, (b.constant(1),))
    for key in (1, 1.0):
        unknown, known = b.label(), b.label()
        b.emit(op.MemoGet, cursor, known, result, (b.constant(key),))
        b.emit(op.ResultRow, b.constant("unknown"), 1)
        b.emit(op.Goto, 0, unknown)
        b.place(known)
        b.emit(op.ResultRow, result, 1)
        b.place(unknown)
    b.emit(op.Halt)
    assert rows_of(b) == [("known",), ("unknown",)]


def test_queue_orders() -> None:
    rows = [(3, "a"), (1, "b"), (3, "c"), (2, "d")]
    first_in, ordered = QueueCursor(None), QueueCursor(spec((0, BINARY, True, False)))
    for row in rows:
        first_in.insert(row)
        ordered.insert(row)
    assert [first_in.take() for _ in range(5)] == [*rows, None]
    assert [ordered.take() for _ in range(5)] == [(3, "a"), (3, "c"), (2, "d"), (1, "b"), None]


def test_tree_cursor_against_a_sorted_list() -> None:
    source = random.Random(3)
    shape = KeyShape(2, 2, (NOCASE, BINARY), (False, True))
    tree = TreeCursor(shape)
    model: dict[Any, tuple[Any, ...]] = {}
    for _ in range(300):
        row = (source.choice(["a", "B", "b", None, 1]), source.randrange(20))
        key = record_sort_key(row, shape.collations, shape.descending)
        if source.random() < 0.3:
            assert tree.delete(row) == (model.pop(key, None) is not None)
        else:
            assert tree.insert(row) == (key not in model)
            model.setdefault(key, row)
    expected = [model[key] for key in sorted(model)]
    assert tree.rows == expected
    matching = [row for row in expected if row[0] in ("b", "B")]
    assert tree.find(("b",)) == matching[0]
    assert tree.seek(("b",), "le") == matching[-1]
    position = expected.index(matching[-1])
    assert tree.next() == (expected[position + 1] if position + 1 < len(expected) else None)


def test_index_scan_over_a_range_with_deferred_seek() -> None:
    host = FakeHost()
    host.btrees[0].table(2, [(10, "x"), (20, "y"), (20, "z"), (30, "w")])
    shape = KeyShape(2, 2, (BINARY, BINARY), (False, False))
    host.btrees[0].index(3, shape, [(10, 1), (20, 2), (20, 3), (30, 4)])
    b = ProgramBuilder()
    table, index, row, entry = b.cursor(), b.cursor(), b.registers(2), b.registers(2)
    b.emit(op.OpenRead, table, 2, 0, RowShape(2))
    b.emit(op.OpenRead, index, 3, 0, shape)
    end, wanted = b.label(), b.constant(20)
    b.begin_loop(op.SeekGE, index, end, entry, 2, (wanted,))
    b.emit(op.IdxGT, index, end, 0, (wanted,))
    b.emit(op.DeferredSeek, table, index, row)
    b.emit(op.ResultRow, p4=(row + 1, entry + 1))
    b.end_loop(op.Next, b.label(), end)
    assert rows_of(b, host) == [("y", 2), ("z", 3)]


@pytest.mark.parametrize(
    ("opcode", "key", "expected"),
    [
        (op.SeekGE, 2, 3), (op.SeekGT, 3, 5), (op.SeekLE, 4, 3), (op.SeekLT, 3, 1), (op.SeekGE, 2.5, 3), (op.SeekLE, 3.5, 3),
        (op.SeekGT, "3", 5), (op.SeekGE, "x", None), (op.SeekLE, "x", 5), (op.SeekGE, None, None), (op.SeekLT, -1e300, None),
        (op.SeekGE, -1e300, 1), (op.SeekLE, 1e300, 5), (op.SeekGT, 5, None),
    ],
)  # fmt: skip
def test_rowid_seeks_take_any_value(opcode: int, key: Any, expected: Any) -> None:
    host = FakeHost()
    host.btrees[0].table(2, {1: (1,), 3: (3,), 5: (5,)})
    b = ProgramBuilder()
    cursor, row, end = b.cursor(), b.registers(1), b.label()
    b.emit(op.OpenRead, cursor, 2, 0, RowShape(1))
    b.emit(opcode, cursor, end, row, b.constant(key))
    b.emit(op.ResultRow, row, 1)
    b.place(end)
    b.emit(op.Halt)
    assert rows_of(b, host) == ([] if expected is None else [(expected,)])


def test_null_row_gives_nulls_and_a_null_rowid() -> None:
    host = FakeHost()
    host.btrees[0].table(2, [("a",)])
    b = ProgramBuilder()
    cursor, row, rowid, end = b.cursor(), b.registers(1), b.register(), b.label()
    b.emit(op.OpenRead, cursor, 2, 0, RowShape(1))
    b.emit(op.Rewind, cursor, end, row)
    b.emit(op.Rowid, cursor, rowid)
    b.emit(op.ResultRow, p4=(row, rowid))
    b.emit(op.NullRow, cursor, 0, row, 1)
    b.emit(op.Rowid, cursor, rowid)
    b.emit(op.ResultRow, p4=(row, rowid))
    b.place(end)
    b.emit(op.Halt)
    assert rows_of(b, host) == [("a", 1), (None, None)]


def test_autoincrement_never_reuses_and_ends_at_the_largest_rowid() -> None:
    host = FakeHost()
    host.btrees[0].table(2, {3: ("a",)})
    b = ProgramBuilder()
    cursor, rowid, ever = b.cursor(), b.register(), b.register()
    b.emit(op.OpenWrite, cursor, 2, 0, RowShape(1))
    b.emit(op.Integer, 9, ever)
    b.emit(op.NewRowid, cursor, rowid, ever)
    b.emit(op.ResultRow, p4=(rowid, ever))
    assert rows_of(b, host) == [(10, 10)]
