"""Emission of bound SELECTs: one block, or a compound.

Source: https://www.sqlite.org/lang_select.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.planner.binding import bind_select
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
