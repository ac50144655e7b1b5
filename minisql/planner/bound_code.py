"""Emission of bound SELECTs: one block, or a compound.

Source: https://www.sqlite.org/lang_select.html.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from minisql.limits import call_on_fresh_stack
from minisql.planner.binding import SELECTS_ON_A_STACK, bind_select
from minisql.planner.compound_code import emit_compound, emit_recursion
from minisql.planner.query_blocks import BoundSelect, Input
from minisql.planner.select_code import Sink, emit_block

if TYPE_CHECKING:
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope


def emit_bound_select(
    compiler: Compiler, bound: BoundSelect, sink: Sink, made: Input | None = None, may_repeat: bool = False
) -> None:
    """Emits a bound SELECT; its rows go to `sink` (registers, label that ends the SELECT), which is called exactly once
    unless it `may_repeat`."""
    compiler.select_depth += 1
    if compiler.select_depth % SELECTS_ON_A_STACK:
        _emit_here(compiler, bound, sink, made, may_repeat)
    else:
        # What is done with the rows is emitted from within as well.
        far_sink = partial(call_on_fresh_stack, sink)
        call_on_fresh_stack(_emit_here, compiler, bound, far_sink, made, may_repeat)
    compiler.select_depth -= 1


def _emit_here(
    compiler: Compiler, bound: BoundSelect, sink: Sink, made: Input | None, may_repeat: bool
) -> None:
    common = bound.common_table
    if common is not None and common.is_recursive:
        emit_recursion(compiler, bound, sink)
    elif len(bound.blocks) == 1:
        emit_block(compiler, bound, bound.blocks[0], sink, bound.node)
    else:
        emit_compound(compiler, bound, sink, may_repeat)


def emit_subselect(compiler: Compiler, node: ast.Select, scope: Scope | None, sink: Sink) -> None:
    """Binds and emits a SELECT in one go."""
    emit_bound_select(compiler, bind_select(compiler, node, scope), sink)
