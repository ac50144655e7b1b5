"""Joins whose rows are gathered before the query goes on: parenthesised outer joins, RIGHT and FULL joins.

Source: https://www.sqlite.org/lang_select.html section 2.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.parser import ast
from minisql.planner.block_plan import block_terms, number_inputs
from minisql.planner.join_order import order_joins
from minisql.planner.loops import apply_row, emit_loops, emit_right_join, row_values
from minisql.planner.query_blocks import NESTED, Block, Input
from minisql.planner.terms import read_mask

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler


def emit_nested(compiler: Compiler, made: Input) -> None:
    """Gathers the rows of a nested input in a list and lets its sources read from there."""
    block = made.block
    assert block is not None, "a nested input has a block"
    masks = [(source, source.mask) for source in made.sources]
    rows = compiler.builder.cursor()
    compiler.emit(op.OpenList, rows, 0)
    if block.inputs[-1].join_flags & ast.JOIN_RIGHT:
        order = _emit_right(compiler, block, rows)
    else:
        order = _emit_inner(compiler, block, rows)
    width = sum(len(_layout(part)) for part in order)
    base = compiler.registers(width)
    place = base
    for part in order:
        n_registers = len(_layout(part))
        apply_row(part, list(range(place, place + n_registers)))
        place += n_registers
    for source, mask in masks:
        source.mask = mask
        source.cursor = rows
    made.source.cursor = rows
    made.row_base = base
    made.row_width = width


def _layout(part: Input) -> list[int]:
    """One item per register that `row_values` gives for an input."""
    width = 0
    for source in part.sources:
        width += sum(1 for register in source.registers if register) + (1 if source.has_rowid else 0)
    return [0] * max(width, 1)


def _is_called_with(compiler: Compiler, right: Input, block: Block) -> bool:
    """Tells whether a table-valued function gets arguments from the inputs on its left."""
    scope = right.argument_scope or block.scope
    return any(read_mask(compiler, argument, scope) for argument in right.arguments or ())


def _emit_inner(compiler: Compiler, block: Block, rows: int) -> list[Input]:
    number_inputs(block.inputs)
    terms = block_terms(compiler, block)
    accesses, _ = order_joins(compiler, block.inputs, terms, block.inputs[0].usage, None)
    end = compiler.label()

    def body(next_label: int) -> None:
        values = [register for part in block.inputs for register in row_values(compiler, part)]
        compiler.emit(op.ListAppend, rows, 0, 0, tuple(values))

    emit_loops(compiler, accesses, terms, end, body)
    compiler.place(end)
    return block.inputs


def _emit_right(compiler: Compiler, block: Block, rows: int) -> list[Input]:
    right = block.inputs[-1]
    left = block.inputs[:-1]
    if any(part.join_flags & ast.JOIN_RIGHT for part in left):
        inner = Block(None, block.scope)
        inner.inputs = left
        folded = Input(NESTED, left[0].source)
        folded.block = inner
        folded.sources = [source for part in left for source in part.sources]
        left = [folded]
    number_inputs([*left, right])
    whole = Block(None, block.scope)
    whole.inputs = [*left, right]
    if _is_called_with(compiler, right, block):
        # Without a row of the left its arguments are NULL, for which no table-valued function has rows.
        right.join_flags &= ~ast.JOIN_RIGHT
        return _emit_inner(compiler, whole, rows)
    terms = block_terms(compiler, whole)
    accesses, _ = order_joins(compiler, left, terms, right.usage, None)
    is_full = bool(right.join_flags & ast.JOIN_LEFT)
    emit_right_join(compiler, accesses, terms, left, right, rows, is_full)
    return [*left, right]
