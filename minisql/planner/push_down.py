"""Push-down: terms and columns that can be settled inside a subquery before its rows are made.

A WHERE term that reads only one unflattened subquery holds for each of its rows, so every arm of the subquery may check it
(and search an index for it).  The term is not rewritten: each arm gets it with a scope in which the subquery's name stands
for the arm's result expressions, so there it compares with the arm's own affinity, as in SQLite.  It is
checked again outside.

Source: https://www.sqlite.org/optoverview.html (WHERE-clause push-down).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.parser import ast
from minisql.planner.aggregate_code import find_calls
from minisql.planner.nodes import SourceColumn
from minisql.planner.query_blocks import SUBQUERY, Block, BoundSelect, Input, Result
from minisql.planner.scope import Scope, Source
from minisql.planner.unread_results import means_something
from minisql.planner.walking import walk

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.index_terms import Usage
    from minisql.planner.terms import Term

_NOT_PUSHED = frozenset((ast.ScalarSubquery, ast.Exists, ast.InSelect, ast.InTable, ast.FunctionCall))


def push_terms(compiler: Compiler, block: Block, terms: list[Term]) -> None:
    """Gives the arms of subqueries the terms that read nothing else."""
    for made in block.inputs:
        if made.kind != SUBQUERY or made.join_flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT) or made.source.expressions is not None:
            continue
        if made.is_shared:
            # The other uses want other rows.
            continue
        own = [term for term in terms if term.mask == made.mask and term.owner is None and term.scope is block.scope]
        own = [term for term in own if _may_push(compiler, term, made.source)]
        if not own or not _takes_terms(compiler, made):
            continue
        assert made.select is not None, "a subquery input has a SELECT"
        for arm in made.select.blocks:
            source = Source(made.source.alias, made.source.columns, made.source.positions, [])
            source.expressions = _arm_expressions(compiler, arm, made.source)
            source.inner = arm.scope
            scope = Scope([source], block.scope.parent)
            is_wrapped = any(expression.__class__ is ast.Collate for expression in source.expressions)
            arm.extra_terms.extend(
                (scope, term.expression, None) for term in own if not is_wrapped or not _has_collate(term.expression)
            )


def _arm_expressions(compiler: Compiler, arm: Block, source: Source) -> list[ast.Expression]:
    """The results of an arm, with the collations of the subquery's columns if the arm has others of its own."""
    expressions = [result.expression for result in arm.results]
    own = [(compiler.collation_of(expression, arm.scope)[0] or "BINARY").upper() for expression in expressions]
    if own == [column.collation.upper() for column in source.columns]:
        return expressions
    return [ast.Collate(expression, column.collation) for expression, column in zip(expressions, source.columns)]


def _has_collate(expression: ast.Expression) -> bool:
    return any(node.__class__ is ast.Collate for node in walk(expression))


def _may_push(compiler: Compiler, term: Term, source: Source) -> bool:
    """Whether a term names columns of the subquery itself and nothing that should be computed once."""
    for node in walk(term.expression):
        kind = node.__class__
        if kind in _NOT_PUSHED:
            return False
        if kind is ast.Column:
            found = compiler.resolve(node, term.scope)
            if found is None or found[0] is not source:
                return False
        elif kind is SourceColumn:
            return False
    return True


def _takes_terms(compiler: Compiler, made: Input) -> bool:
    """Whether every arm makes its rows one by one."""
    select = made.select
    assert select is not None, "a subquery input has a SELECT"
    if select.node.limit is not None:
        return False
    if any(operator != "UNION ALL" for operator in select.operators) and not _is_all_binary(compiler, select):
        return False
    if select.common_table is not None and select.common_table.is_recursive:
        return False
    for arm in select.blocks:
        if arm.core is None:
            return False
        calls = find_calls(compiler, arm, None)
        if calls.is_grouped or calls.windows:
            return False
    return True


def _is_all_binary(compiler: Compiler, select: BoundSelect) -> bool:
    """Whether rows are only equal when they are the same, so that a term cannot tell equal ones apart."""
    return all(
        (compiler.collation_of(result.expression, arm.scope)[0] or "BINARY").upper() == "BINARY"
        for arm in select.blocks
        for result in arm.results
    )


def prune_columns(compiler: Compiler, made: Input, usage: Usage) -> None:
    """Result columns of a subquery that nobody reads are not computed, so that smaller indexes may cover the rest."""
    select = made.select
    assert select is not None, "a subquery input has a SELECT"
    node = select.node
    if any(operator != "UNION ALL" for operator in select.operators) or node.order_by or made.source.expressions is not None:
        return
    common = made.common_table
    if common is not None and (common.is_recursive or common.is_shared):
        return
    for block in select.blocks:
        core = block.core
        if core is None or core.is_distinct or core.group_by is not None or core.windows:
            return
    used = usage.of_source(made.source.name)
    if used is None:
        return
    for position, column in enumerate(made.source.columns):
        if column.name.lower() in used:
            continue
        for block in select.blocks:
            result = block.results[position]
            expression = result.expression
            may_leave_out = expression.__class__ is ast.RowValue or not _has_call(expression)
            if may_leave_out and means_something(compiler, expression, block.scope):
                block.results[position] = Result(ast.Literal(None), result.name, None)


def _has_call(expression: ast.Expression) -> bool:
    return any(node.__class__ is ast.FunctionCall for node in walk(expression))
