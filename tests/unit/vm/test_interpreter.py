"""Control flow, sub-programs, errors and streaming of the interpreter, by hand-assembled programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from minisql import errors
from minisql.bytecode import opcodes as op
from minisql.bytecode.builder import ProgramBuilder
from minisql.bytecode.program import Program
from minisql.values.shape import RowShape
from minisql.vm.machine import run
from tests.fakes.vm import FakeHost, rows_of


def scan(host: FakeHost, rows: list[tuple[Any, ...]]) -> tuple[ProgramBuilder, int, int, int, int]:
    """A builder inside a loop over a table: (builder, cursor, row register, continue label, end label)."""
    host.btrees[0].table(2, rows)
    n = len(rows[0]) if rows else 1
    b = ProgramBuilder()
    cursor, row, end, following = b.cursor(), b.registers(n), b.label(), b.label()
    b.emit(op.Transaction, 0, 0, 1, 1)
    b.emit(op.OpenRead, cursor, 2, 0, RowShape(n))
    b.begin_loop(op.Rewind, cursor, end, row, n)
    return b, cursor, row, following, end


def test_scan_filters_and_yields_rows() -> None:
    host = FakeHost()
    b, _, row, following, end = scan(host, [(1, "a"), (2, "b"), (None, "c"), (5, "d")])
    b.emit(op.Le, row, following, b.constant(1), None, op.JUMP_IF_NULL)
    b.emit(op.ResultRow, row, 2)
    b.end_loop(op.Next, following, end)
    assert rows_of(b, host) == [(2, "b"), (5, "d")]


def test_closing_the_iterator_closes_what_the_host_handed_out() -> None:
    closed = []

    def rows() -> Iterator[tuple[Any, ...]]:
        try:
            yield (1,)
            yield (2,)
        finally:
            closed.append(True)

    host = FakeHost()
    host.rows = lambda service, constants, arguments: rows()  # type: ignore[method-assign]
    b = ProgramBuilder()
    cursor, row, end = b.cursor(), b.register(), b.label()
    b.emit(op.HostRows, 0, 0, cursor, ("pragma", ()))
    b.begin_loop(op.Rewind, cursor, end, row, 1)
    b.emit(op.ResultRow, row, 1)
    b.end_loop(op.Next, b.label(), end)
    iterator = run(b.finish(), host)  # type: ignore[arg-type]
    assert next(iterator) == (1,)
    assert not closed
    iterator.close()  # type: ignore[attr-defined]
    assert closed


@pytest.mark.parametrize(
    ("opcode", "a", "b", "flags", "jumps"),
    [
        (op.Eq, 1, 1.0, 0, True),
        (op.Eq, None, None, 0, False),
        (op.Eq, None, None, op.NULLS_EQUAL, True),
        (op.Ne, None, 1, op.NULLS_EQUAL, True),
        (op.Ne, None, None, op.NULLS_EQUAL, False),
        (op.Eq, None, 1, op.JUMP_IF_NULL, True),
        (op.Lt, 5, "5", 0, True),
        (op.Lt, "10", 9, 0x43, False),
        (op.Gt, "10", 9, 0x43, True),
        (op.Lt, 10, 9, 0x42, True),
        (op.Gt, 10, 9, 0x42, False),
        (op.Ge, b"a", "z", 0, True),
        (op.Le, 9007199254740993, 9007199254740992.0, 0, False),
        (op.Lt, "\udcff", "\uffff", 0, False),
    ],
)
def test_comparison_jumps(opcode: int, a: Any, b: Any, flags: int, jumps: bool) -> None:
    builder = ProgramBuilder()
    label = builder.label()
    builder.emit(opcode, builder.constant(a), label, builder.constant(b), None, flags)
    builder.emit(op.ResultRow, builder.constant("fell through"), 1)
    builder.place(label)
    builder.emit(op.Halt)
    assert rows_of(builder) == ([] if jumps else [("fell through",)])


@pytest.mark.parametrize(
    ("value", "null_jumps", "if_jumps", "if_not_jumps"),
    [(1, 0, True, False), (0, 0, False, True), (None, 0, False, False), (None, 1, True, True), ("0.5x", 0, True, False)],
)
def test_truth_jumps(value: Any, null_jumps: int, if_jumps: bool, if_not_jumps: bool) -> None:
    for opcode, expected in ((op.If, if_jumps), (op.IfNot, if_not_jumps)):
        b = ProgramBuilder()
        label = b.label()
        b.emit(opcode, b.constant(value), label, null_jumps)
        b.emit(op.ResultRow, b.constant("fell through"), 1)
        b.place(label)
        b.emit(op.Halt)
        assert (rows_of(b) == []) == expected


def test_coroutine_hands_over_rows_and_ends() -> None:
    b = ProgramBuilder()
    address, value = b.register(), b.register()
    main, done, again = b.label(), b.label(), b.label()
    start = b.here() + 1
    b.emit(op.InitCoroutine, address, main, start)
    for n in (10, 20):
        b.emit(op.Integer, n, value)
        b.emit(op.Yield, address, done)
    b.emit(op.EndCoroutine, address)
    b.place(main)
    b.place(again)
    b.emit(op.Yield, address, done)
    b.emit(op.ResultRow, value, 1)
    b.emit(op.Goto, 0, again)
    b.place(done)
    b.emit(op.ResultRow, b.constant("end"), 1)
    b.emit(op.Halt)
    assert rows_of(b) == [(10,), (20,), ("end",)]


def test_gosub_returns_behind_itself_and_once_runs_once() -> None:
    b = ProgramBuilder()
    link, n, seen = b.register(), b.constant(0), b.register()
    subroutine, skip = b.label(), b.label()
    b.emit(op.Gosub, link, subroutine)
    b.emit(op.Gosub, link, subroutine)
    b.emit(op.ResultRow, p4=(n, seen))
    b.emit(op.Halt)
    b.place(subroutine)
    b.emit(op.AddImm, n, 1)
    b.emit(op.Once, 0, skip)
    b.emit(op.SCopy, n, seen)
    b.place(skip)
    b.emit(op.Return, link)
    assert rows_of(b) == [(2, 1)]


def test_parameters_and_constants_fill_the_template() -> None:
    b = ProgramBuilder()
    first, second = b.parameter(2), b.parameter(1)
    b.emit(op.ResultRow, p4=(first, second, b.constant(-0.0)))
    assert repr(rows_of(b, parameters=("one", "two"))) == "[('two', 'one', -0.0)]"


def test_limit_counters() -> None:
    b = ProgramBuilder()
    limit, offset, both = b.constant(2), b.constant(3), b.register()
    b.emit(op.OffsetLimit, limit, both, offset)
    b.emit(op.ResultRow, both, 1)
    end = b.label()
    b.emit(op.DecrJumpZero, limit, end)
    b.emit(op.ResultRow, limit, 1)
    b.emit(op.DecrJumpZero, limit, end)
    b.emit(op.ResultRow, limit, 1)
    b.place(end)
    b.emit(op.Halt)
    assert rows_of(b) == [(5,), (1,)]


def test_halt_raises_with_the_conflict_action() -> None:
    b = ProgramBuilder()
    text = "NOT NULL constraint failed: t.a"
    b.emit(op.HaltIfNull, errors.CONSTRAINT_NOTNULL, op.ON_CONFLICT_FAIL, b.register(), text)
    with pytest.raises(errors.IntegrityError, match=r"t\.a") as caught:
        rows_of(b, kind="insert")
    assert caught.value.sqlite_errorcode == errors.CONSTRAINT_NOTNULL
    assert caught.value.conflict_action == op.ON_CONFLICT_FAIL  # type: ignore[attr-defined]


def test_interrupt_stops_a_loop() -> None:
    host = FakeHost()
    b, _, _, following, end = scan(host, [(n,) for n in range(3000)])
    b.end_loop(op.Next, following, end)
    host.is_interrupted = True
    with pytest.raises(errors.OperationalError, match="interrupted"):
        rows_of(b, host)


def test_interrupt_stops_an_endless_goto() -> None:
    b = ProgramBuilder()
    again = b.label()
    b.place(again)
    b.emit(op.Goto, 0, again)
    host = FakeHost()
    host.is_interrupted = True
    with pytest.raises(errors.OperationalError, match="interrupted"):
        rows_of(b, host)


def call_program(callee: Program, guard: int = 0, arguments: tuple[Any, ...] = (), name: Any = "trigger") -> ProgramBuilder:
    """A program that runs a sub-program once and then returns a row; RAISE(IGNORE) skips the row."""
    b = ProgramBuilder()
    ignored = b.label()
    registers = tuple(b.constant(value) for value in arguments)
    b.emit(op.Program, guard, ignored, 0, (callee, registers, name))
    b.emit(op.ResultRow, b.constant("after"), 1)
    b.place(ignored)
    b.emit(op.Halt)
    return b


def test_subprogram_gets_arguments_and_restores_the_last_rowid() -> None:
    host = FakeHost()
    host.btrees[0].table(7, {5: ("x",)})
    b = ProgramBuilder()
    argument, cursor = b.register(), b.cursor()
    b.emit(op.OpenWrite, cursor, 7, 0, RowShape(1))
    rowid = b.register()
    b.emit(op.NewRowid, cursor, rowid)
    b.emit(op.Insert, cursor, argument, rowid, (1, "log", 0), op.COUNT_CHANGE | op.SET_LAST_ROWID)
    b.emit(op.ResetCount, 1)
    callee = b.finish()
    callee.n_arguments = 1
    host.last_insert_rowid = 99
    assert rows_of(call_program(callee, arguments=("new",)), host, kind="insert") == [("after",)]
    assert host.btrees[0].trees[7].rows == [("x",), ("new",)]
    assert host.last_insert_rowid == 99
    assert (host.changes, host.total_changes) == (0, 1)


def test_raise_ignore_jumps_in_the_caller_and_raise_abort_ends_everything() -> None:
    b = ProgramBuilder()
    b.emit(op.Halt, errors.CONSTRAINT_TRIGGER, op.ON_CONFLICT_IGNORE)
    assert rows_of(call_program(b.finish())) == []
    b = ProgramBuilder()
    b.emit(op.Halt, errors.CONSTRAINT_TRIGGER, op.ON_CONFLICT_ROLLBACK, 0, "no")
    with pytest.raises(errors.IntegrityError, match="no") as caught:
        rows_of(call_program(b.finish()))
    assert caught.value.conflict_action == op.ON_CONFLICT_ROLLBACK  # type: ignore[attr-defined]


def recursive_program(guard: int) -> Program:
    callee = Program([], [None], 0)
    b = ProgramBuilder()
    end = b.label()
    b.emit(op.Program, guard, end, 0, (callee, (), "self"))
    b.place(end)
    b.emit(op.Halt)
    finished = b.finish()
    callee.code, callee.template = finished.code, finished.template
    return callee


def test_recursion_guard_stops_a_trigger_inside_itself() -> None:
    assert rows_of(call_program(recursive_program(1), 1, name="self")) == [("after",)]


def test_recursion_limit() -> None:
    with pytest.raises(errors.OperationalError, match="triggers nested too deep"):
        rows_of(call_program(recursive_program(0), 0, name="self"))


def test_changes_are_reported_when_a_data_changing_statement_ends() -> None:
    host = FakeHost()
    host.btrees[0].table(2, [])
    b = ProgramBuilder()
    cursor, rowid = b.cursor(), b.register()
    b.emit(op.OpenWrite, cursor, 2, 0, RowShape(1))
    for text in ("a", "b"):
        b.emit(op.NewRowid, cursor, rowid)
        b.emit(op.Insert, cursor, b.constant(text), rowid, (1, "t", 0), op.COUNT_CHANGE | op.SET_LAST_ROWID)
    host.has_update_hook = True
    assert rows_of(b, host, kind="insert") == []
    assert (host.changes, host.total_changes, host.last_insert_rowid) == (2, 2, 2)
    assert host.log == [("insert", 0, "t", 1), ("insert", 0, "t", 2)]


def test_immediate_foreign_key_violation_aborts_at_the_end() -> None:
    b = ProgramBuilder()
    b.emit(op.FkCounter, 0, 1)
    with pytest.raises(errors.IntegrityError, match="FOREIGN KEY constraint failed"):
        rows_of(b, kind="delete")


def test_deferred_violations_are_the_hosts() -> None:
    host = FakeHost()
    b = ProgramBuilder()
    zero = b.label()
    b.emit(op.FkCounter, 1, 2)
    b.emit(op.FkIfZero, 1, zero)
    b.emit(op.FkCounter, 1, -1)
    b.place(zero)
    b.emit(op.Halt)
    rows_of(b, host, kind="delete")
    assert host.deferred_violations == 1


def test_host_services() -> None:
    host = FakeHost()
    b = ProgramBuilder()
    argument, result, cursor, row = b.constant("arg"), b.register(), b.cursor(), b.registers(2)
    b.emit(op.HostCall, argument, 1, result, ("vacuum", (1,)))
    b.emit(op.HostRows, argument, 1, cursor, ("pragma", ("x",)))
    end, following = b.label(), b.label()
    b.begin_loop(op.Rewind, cursor, end, row, 2)
    b.emit(op.ResultRow, p4=(row, result))
    b.end_loop(op.Next, following, end)
    assert rows_of(b, host) == [("pragma", 42), ("arg", 42)]
    assert host.log == [("vacuum", (1,), ("arg",))]
