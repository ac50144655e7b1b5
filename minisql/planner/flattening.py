"""Flattening: a simple subquery or view in FROM becomes part of the query around it.

No tree is rewritten: the subquery's source keeps its columns, but each is now an expression read in the subquery's own scope,
whose FROM items join the outer ones.  So the terms of both WHERE clauses can use every index and order the joins together.

Not flattened: aggregates, DISTINCT, windows, compounds, LIMIT, ORDER BY (its order has to survive), joins on the right
side of an outer join, subqueries without FROM, common tables marked MATERIALIZED, and results that name what is not there.

Source: https://www.sqlite.org/optoverview.html#flattening.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.limits import call_on_fresh_stack
from minisql.parser import ast
from minisql.planner.aggregate_code import find_calls
from minisql.planner.optimizations import FLATTENING, is_left_out
from minisql.planner.query_blocks import SUBQUERY, TABLE, Block, Input
from minisql.planner.unread_results import all_mean_something

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler


SUBQUERIES_ON_A_STACK = 100


def flatten_inputs(compiler: Compiler, block: Block) -> None:
    """Flattens what can be flattened among the inputs of a block, inner ones first."""
    if not any(made.kind == SUBQUERY for made in block.inputs) or is_left_out(compiler, FLATTENING):
        return
    has_outer = any(made.join_flags & (ast.JOIN_RIGHT) for made in block.inputs)
    inputs: list[Input] = []
    for made in block.inputs:
        if made.kind == SUBQUERY and not has_outer and _may_flatten(compiler, made, not inputs):
            inputs.extend(_flattened(compiler, made, block))
        else:
            inputs.append(made)
    block.inputs = inputs


def _may_flatten(compiler: Compiler, made: Input, is_first: bool) -> bool:
    select = made.select
    assert select is not None, "a subquery input has a SELECT"
    if made.join_flags & ast.JOIN_RIGHT or len(select.blocks) > 1 or made.source.expressions is not None:
        return False
    if made.join_flags & ast.JOIN_LEFT and not _may_turn_null(select.blocks[0]):
        return False
    node = select.node
    if node.limit is not None or node.order_by:
        return False
    common = made.common_table
    if common is not None and common.node.materialized is True:
        return False
    block = select.blocks[0]
    core = block.core
    if core is None or not block.inputs or core.is_distinct or core.group_by is not None or core.having is not None:
        return False
    if any(inner.join_flags & ast.JOIN_RIGHT for inner in block.inputs):
        return False
    if not is_first and any(inner.join_flags & ast.JOIN_LEFT for inner in block.inputs):
        return False
    calls = find_calls(compiler, block, None)
    return not calls.is_grouped and not calls.windows and all_mean_something(compiler, block, made.source.view)


def _may_turn_null(block: Block) -> bool:
    """Whether the subquery can be the right side of an outer join when flattened: one table with rowids."""
    if len(block.inputs) != 1 or block.inputs[0].kind != TABLE or block.extra_terms:
        return False
    table = block.inputs[0].table
    return table is not None and not table.is_without_rowid


def _flattened(compiler: Compiler, made: Input, outer: Block) -> list[Input]:
    """The inputs that take the place of a flattened subquery."""
    assert made.select is not None, "a subquery input has a SELECT"
    inner = made.select.blocks[0]
    compiler.select_depth += 1
    if compiler.select_depth % SUBQUERIES_ON_A_STACK:
        flatten_inputs(compiler, inner)
    else:
        call_on_fresh_stack(flatten_inputs, compiler, inner)
    compiler.select_depth -= 1
    source = made.source
    source.expressions = [result.expression for result in inner.results]
    source.inner = inner.scope
    owner = None
    if made.join_flags & ast.JOIN_LEFT:
        owner = inner.inputs[0]
        owner.join_flags |= made.join_flags
        # An expression over the null row need not be NULL, so its rowid is looked at.
        source.null_source = owner.source
        compiler.needs_rowids = True
    outer.extra_terms.extend((made.on_scope or outer.scope, expression, owner) for expression in made.on)
    if inner.where is not None:
        outer.extra_terms.append((inner.scope, inner.where, owner))
    outer.extra_terms.extend(inner.extra_terms)
    for part in inner.inputs:
        if part.on_scope is None:
            part.on_scope = inner.scope
    inner.inputs[0].join_flags |= made.join_flags & ast.JOIN_CROSS
    return inner.inputs
