"""Listings are stable text, EXPLAIN has SQLite's columns, and the verifier names what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from minisql.bytecode import opcodes as op
from minisql.bytecode.builder import ProgramBuilder
from minisql.bytecode.listing import EXPLAIN_COLUMNS, explain_rows, listing
from minisql.bytecode.opcode_page import opcode_page
from minisql.bytecode.program import AggregateCall, ConstantSet, GroupSpec, HashSpec, LoopExtent, Program, SortSpec
from minisql.bytecode.verifier import verify
from minisql.functions.registry import FunctionRegistry
from minisql.values.collation import BINARY, NOCASE
from minisql.values.shape import KeyShape, RowShape

GOLDEN = Path(__file__).parents[2] / "golden" / "bytecode"


def sample() -> Program:
    functions = FunctionRegistry()
    b = ProgramBuilder()
    table, index, groups, sorter = b.cursor(), b.cursor(), b.cursor(), b.cursor()
    row, result, parameter = b.registers(3), b.registers(3), b.parameter(1)
    end, following = b.label(), b.label()
    b.emit(op.Transaction, 0, 0, 7, 3)
    b.emit(op.OpenRead, table, 2, 0, RowShape(3, 0))
    b.emit(op.OpenRead, index, 3, 0, KeyShape(2, 2, (NOCASE, BINARY), (True, False)))
    calls = (
        AggregateCall(functions.find("count", 0), ()),  # type: ignore[arg-type]
        AggregateCall(functions.find("sum", 1), (row + 1,), True, None, parameter),  # type: ignore[arg-type]
    )
    b.emit(op.GroupOpen, groups, 0, 0, GroupSpec((row,), (NOCASE,), (False,), calls, (row + 2,), 1))
    b.emit(op.SorterOpen, sorter, 0, 0, SortSpec((1, 0), (BINARY, NOCASE), (True, False), (False, False), 2))
    b.begin_loop(op.Rewind, table, end, row, 3)
    b.emit(op.Eq, row, following, b.constant("it's"), NOCASE, op.JUMP_IF_NULL)
    b.emit(op.Function, 0, 0, result, (functions.find("abs", 1), (row + 1,), None))
    b.emit(op.InConstant, result, 0, result + 1, ConstantSet(frozenset((1, 2)), True, None, (1, 2)))
    b.emit(op.Ne, parameter, following, b.constant(b"\x00\xff"), None, op.NULLS_EQUAL)
    b.emit(op.GroupStep, groups)
    b.emit(op.HashOpen, sorter, 0, 0, HashSpec((BINARY,), True))
    b.emit(op.ResultRow, p4=(row, result))
    b.end_loop(op.Next, following, end)
    b.emit(op.Halt)
    return b.finish(("a", "b"))


def test_listing_is_the_golden_one() -> None:
    assert listing(sample()) == (GOLDEN / "sample.txt").read_text()


def test_explain_has_sqlites_columns_and_lists_subprograms_once() -> None:
    callee = Program([(op.Halt, 0, 0, 0, None, 0)], [None], 0)
    call = (op.Program, 0, 1, 0, (callee, (), "t"), 0)
    code = [call, call, (op.Halt, 0, 0, 0, None, 0)]
    rows = list(explain_rows(Program(code, [None], 0)))
    assert [row[:2] for row in rows] == [(0, "Program"), (1, "Program"), (2, "Halt"), (0, "Halt")]
    assert all(len(row) == len(EXPLAIN_COLUMNS) for row in rows)
    assert EXPLAIN_COLUMNS == ("addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment")


def test_sample_is_valid() -> None:
    assert verify(sample()) == []


@pytest.mark.parametrize(
    ("instruction", "fault"),
    [
        ((op.Goto, 0, 9, 0, None, 0), "jump to 9"),
        ((op.If, 1, 0, 0, None, 0), "jump back to 0"),
        ((op.SCopy, 1, 7, 0, None, 0), "p2 is not a register: 7"),
        ((op.Add, 0, 1, 2, None, 0), "p1 is not a register: 0"),
        ((op.Close, 1, 0, 0, None, 0), "p1 is not a cursor: 1"),
        ((op.ResultRow, 0, 0, 0, (1, 5), 0), "reads register 5"),
        ((op.Found, 0, 1, 0, 3, 0), "p4 is not a tuple of registers: 3"),
    ],
)
def test_verifier_finds_operands_out_of_range(instruction: tuple[int, int, int, int, object, int], fault: str) -> None:
    program = Program([instruction, (op.Halt, 0, 0, 0, None, 0)], [None, None, None], 1)
    assert any(fault in text for text in verify(program)), verify(program)


def test_verifier_checks_endings_loops_and_parameters() -> None:
    program = Program([(op.Noop, 0, 0, 0, None, 0)], [None], 1)
    program.loops = [LoopExtent(op.Rewind, 0, 0, 0, 0, 0, 0, 0)]
    program.parameters = [(1, 4)]
    program.n_arguments = 1
    assert verify(program) == [
        "program can run off its end",
        "loop at 0: addresses are out of order",
        "parameter 1 in register 4",
        "more arguments than registers",
    ]


def test_builder_adds_a_halt_where_a_label_stands_at_the_end() -> None:
    b = ProgramBuilder()
    label = b.label()
    b.emit(op.Halt)
    b.emit(op.Goto, 0, label)
    b.place(label)
    assert [instruction[0] for instruction in b.finish().code] == [op.Halt, op.Goto, op.Halt]


def test_opcode_page_has_a_section_for_every_opcode() -> None:
    page = opcode_page()
    assert all(f"\n### {contract.name}\n" in page for contract in op.CONTRACTS)
