"""The translator on hand-assembled programs: its text, crossing jumps, limits of CPython, shapes and addresses."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from minisql.bytecode import opcodes as op
from minisql.bytecode.builder import ProgramBuilder
from minisql.bytecode.program import AggregateCall, GroupSpec, Program
from minisql.functions.registry import FunctionRegistry
from minisql.values.collation import BINARY
from minisql.values.shape import RowShape
from minisql.vm.compiled import compile_program, gather_hints, program_address
from minisql.vm.interpreter import interpret
from minisql.vm.machine import run
from minisql.vm.program_shape import program_shape
from minisql.vm.register_plan import Untranslatable
from minisql.vm.translator import Hints, translate
from tests.fakes.vm import FakeHost

FUNCTIONS = FunctionRegistry()
SHAPE = RowShape(3)
GOLDEN = Path(__file__).parents[2] / "golden" / "translator"


def filtered_sum(limit: int, text: str) -> Program:
    """SELECT count(*), sum(a + 1) FROM t WHERE a < limit OR b = text GROUP BY c."""
    b = ProgramBuilder()
    table, groups = b.cursor(), b.cursor()
    row, total, result = b.registers(3), b.register(), b.registers(3)
    end, following, accepted, done = b.label(), b.label(), b.label(), b.label()
    calls = (
        AggregateCall(FUNCTIONS.find("count", 0), ()),  # type: ignore[arg-type]
        AggregateCall(FUNCTIONS.find("sum", 1), (total,)),  # type: ignore[arg-type]
    )
    b.emit(op.Transaction, 0, 0, 1, 1)
    b.emit(op.OpenRead, table, 2, 0, SHAPE)
    b.emit(op.GroupOpen, groups, 0, 0, GroupSpec((row + 2,), (BINARY,), (False,), calls))
    b.begin_loop(op.Rewind, table, end, row, 3)
    b.emit(op.Lt, row, accepted, b.constant(limit))
    b.emit(op.Ne, row + 1, following, b.constant(text), None, op.JUMP_IF_NULL)
    b.place(accepted)
    b.emit(op.Add, row, b.constant(1), total)
    b.emit(op.GroupStep, groups)
    b.end_loop(op.Next, following, end)
    b.begin_loop(op.GroupRewind, groups, done, result, 3)
    b.emit(op.ResultRow, result, 3)
    b.end_loop(op.Next, 0, done)
    return b.finish()


def host_with_rows() -> FakeHost:
    host = FakeHost()
    host.btrees[0].table(2, [(n, f"x{n % 4}", "even" if n % 2 == 0 else "odd") for n in range(120)])
    return host


@pytest.mark.parametrize("specialises", [False, True])
def test_source_is_the_golden_one(specialises: bool) -> None:
    program = filtered_sum(10, "x3")
    hints = gather_hints(program, host_with_rows(), specialises)  # type: ignore[arg-type]
    expected = (GOLDEN / ("specialised.txt" if specialises else "wide.txt")).read_text()
    assert translate(program, hints).source == expected


def test_translated_rows_equal_interpreted_rows() -> None:
    program = filtered_sum(10, "x3")
    expected = list(interpret(program, host_with_rows()))  # type: ignore[arg-type]
    assert expected == [("even", 5, 25), ("odd", 33, 1878)]
    for tier in ("2", "both"):
        host = host_with_rows()
        host.tier = tier
        assert list(run(program, host)) == expected  # type: ignore[arg-type]


def test_programs_that_differ_in_constants_share_their_code() -> None:
    first, second = filtered_sum(10, "x3"), filtered_sum(99, "other")
    other = filtered_sum(10, "\u00e9")
    hints = Hints()
    shapes = [program_shape(program, {}, ()) for program in (first, second, other)]
    assert shapes[0] == shapes[1] != shapes[2]
    compiled = [compile_program(program, hints) for program in (first, second)]
    assert compiled[0].function.__code__ is compiled[1].function.__code__  # type: ignore[union-attr]
    rows = list(compiled[1].start(second, host_with_rows(), ()))  # type: ignore[union-attr, arg-type]
    assert rows == list(interpret(second, host_with_rows()))  # type: ignore[arg-type]


def test_lines_lead_back_to_instructions() -> None:
    program = filtered_sum(10, "x3")
    compiled = compile_program(program, Hints())
    assert compiled is not None
    code = compiled.function.__code__  # type: ignore[attr-defined]
    addresses = {program_address(code.co_filename, line) for _, _, line in code.co_lines() if line}
    assert {op.GroupStep, op.ResultRow} <= {program.code[address][0] for address in addresses if address is not None}
    assert program_address("elsewhere.py", 1) is None


def test_a_subprogram_is_a_function_and_one_that_cannot_be_keeps_its_caller_in_tier_1() -> None:
    callee = Program([(op.Halt, 0, 0, 0, None, 0)], [None], 0)
    code = [(op.Program, 0, 1, 0, (callee, (), "t"), 0), (op.Halt, 0, 0, 0, None, 0)]
    assert "(frame, host, ())" in translate(Program(code, [None], 0), Hints()).source
    coroutine = Program([(op.Yield, 1, 1, 0, None, 0), (op.Halt, 0, 0, 0, None, 0)], [None, None], 0)
    code[0] = (op.Program, 0, 1, 0, (coroutine, (), "t"), 0)
    with pytest.raises(Untranslatable):
        compile_program(Program(code, [None], 0), Hints())
    host = FakeHost()
    host.tier = "2"
    callee.linked = None
    code[0] = (op.Program, 0, 1, 0, (callee, (), "t"), 0)
    assert list(run(Program(code, [None], 0), host)) == []  # type: ignore[arg-type]


def forward_jumps(seed: int) -> Program:
    """A loop whose body is a random tangle of forward jumps, which cross each other at will."""
    source = random.Random(seed)
    b = ProgramBuilder()
    table, row = b.cursor(), b.registers(3)
    seen = [b.register() for _ in range(4)]
    end, following, outside = b.label(), b.label(), b.label()
    b.emit(op.OpenRead, table, 2, 0, RowShape(3))
    b.begin_loop(op.Rewind, table, end, row, 3)
    labels = [b.label() for _ in range(12)]
    places = sorted(source.sample(range(30), 12))
    for step in range(30):
        for label, place in zip(labels, places):
            if place == step:
                b.place(label)
        open_labels = [label for label, place in zip(labels, places) if place > step]
        target = source.choice([*open_labels, *open_labels, following, *([end, outside] if source.random() < 0.1 else [])])
        kind = source.randrange(6)
        if kind == 0:
            b.emit(op.Lt, row, target, b.constant(source.randrange(120)), None, op.JUMP_IF_NULL)
        elif kind == 1:
            b.emit(op.If, source.choice(seen), target, source.randrange(2))
        elif kind == 2 and source.random() < 0.4:
            b.emit(op.Goto, 0, target)
        elif kind == 3:
            b.emit(op.Add, row, b.constant(step), source.choice(seen))
        elif kind == 4:
            b.emit(op.Null, 0, source.choice(seen), 1)
        else:
            b.emit(op.ResultRow, p4=(row, *seen))
    b.end_loop(op.Next, following, end)
    b.emit(op.ResultRow, b.constant("after the loop"), 1)
    b.place(outside)
    b.emit(op.ResultRow, b.constant("outside"), 1)
    b.emit(op.Halt)
    return b.finish()


@pytest.mark.parametrize("seed", range(60))
def test_any_tangle_of_forward_jumps_is_translated(seed: int) -> None:
    program = forward_jumps(seed)
    expected = list(interpret(program, host_with_rows()))  # type: ignore[arg-type]
    for hints in (Hints(), gather_hints(program, host_with_rows(), True)):  # type: ignore[arg-type]
        compiled = compile_program(program, hints)
        assert compiled is not None
        assert list(compiled.start(program, host_with_rows(), ())) == expected  # type: ignore[arg-type]


def nested_loops(n: int) -> Program:
    b = ProgramBuilder()
    ends = []
    total: Any = None
    for _ in range(n):
        cursor, row, end = b.cursor(), b.registers(1), b.label()
        b.emit(op.OpenList, cursor, 1)
        b.emit(op.ListAppend, cursor, 0, 0, (b.constant(1),))
        b.begin_loop(op.Rewind, cursor, end, row, 1)
        ends.append(end)
        total = row
    b.emit(op.ResultRow, total, 1)
    for end in reversed(ends):
        b.end_loop(op.Next, 0, end)
    return b.finish()


@pytest.mark.parametrize("n", [10, 40])
def test_loops_too_deep_for_cpython_run_in_tier_1(n: int) -> None:
    host = FakeHost()
    host.tier = "2"
    assert list(run(nested_loops(n), host)) == [(1,)]  # type: ignore[arg-type]
