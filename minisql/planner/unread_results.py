"""Results of a subquery that nobody may read: whether they surely mean something, so that they need not be computed.

SQLite looks up the names in all results, also in those that it leaves out.  Here a result is left out only if everything in it
was found: columns, tables, functions, collations, in the SELECTs within it as well.  Where something is missing, or cannot be
judged without compiling it (row values), the result is computed, and the code that compiles it has the last word.

Source: https://www.sqlite.org/optoverview.html#flattening.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import Error
from minisql.parser import ast
from minisql.planner.binding import bind_select, find_table
from minisql.planner.calls import check_probability, find_function
from minisql.planner.nodes import SourceColumn
from minisql.planner.scope import Scope
from minisql.planner.walking import CHILDREN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block, BoundSelect, Input

_PLAIN = frozenset((ast.Column, ast.Literal, SourceColumn))
_NO_NAMES = Scope([])
_SUBQUERIES = (ast.ScalarSubquery, ast.Exists, ast.InSelect)


def all_mean_something(compiler: Compiler, block: Block, view: Table | None) -> bool:
    """Whether every result of a block surely compiles; of a view this is remembered until the schema changes."""
    generation = compiler.context.catalog.generation
    if view is not None and view.sound_in == generation:
        return True
    scope = block.scope
    for result in block.results:
        if result.expression.__class__ not in _PLAIN and not means_something(compiler, result.expression, scope):
            return False
    if view is not None:
        view.sound_in = generation
    return True


def means_something(compiler: Compiler, root: ast.Expression, scope: Scope) -> bool:
    """Whether an expression surely compiles in that scope."""
    try:
        _look_up(compiler if compiler.authorized is None else _silent(compiler), root, scope)
    except Error:
        return False
    return True


def _silent(compiler: Compiler) -> Compiler:
    """A compiler that looks names up without asking the authorizer."""
    names = compiler.spawn()
    names.authorized = None
    names.home = compiler.home
    names.trigger = compiler.trigger
    return names


class _Unclear(Error):
    """What cannot be judged here."""


def _look_up(compiler: Compiler, root: object, scope: Scope) -> None:
    pending: list[tuple[object, Scope]] = [(root, scope)] if not isinstance(root, ast.RowValue) else _each(root.items, scope)
    while pending:
        node, level = pending.pop()
        kind = node.__class__
        if kind is ast.Literal:
            continue
        if kind is ast.Column:
            compiler.resolve(node, level)  # type: ignore[arg-type]
            continue
        if kind is ast.RowValue:
            raise _Unclear
        if isinstance(node, ast.FunctionCall):
            is_over = node.over is not None
            find_function(compiler, node.name, len(node.arguments), node.position, is_over)
            if node.name.lower() == "likelihood":
                check_probability(node.arguments[1])
        elif isinstance(node, ast.Collate):
            if compiler.context.find_collation(node.collation) is None:
                raise _Unclear
        elif isinstance(node, ast.InTable):
            find_table(compiler, node.name, node.schema, node.position)
        elif isinstance(node, _SUBQUERIES):
            bound = bind_select(compiler.spawn(), node.select, level)
            pending.extend(_parts(bound))
            if isinstance(node, ast.InSelect):
                pending.append((node.operand, level))
            continue
        elif isinstance(node, ast.Binary) and isinstance(node.left, ast.RowValue) and isinstance(node.right, ast.RowValue):
            if len(node.left.items) != len(node.right.items):
                raise _Unclear
            pending += _each(node.left.items, level)
            pending += _each(node.right.items, level)
            continue
        pending += _each(CHILDREN[kind](node), level)


def _each(nodes: Iterable[object], scope: Scope) -> list[tuple[object, Scope]]:
    return [(node, scope) for node in nodes]


def _parts(root: BoundSelect) -> list[tuple[object, Scope]]:
    """The expressions of a SELECT and of those in its FROM clauses, each with its scope."""
    parts: list[tuple[object, Scope]] = []
    pending = [root]
    while pending:
        bound = pending.pop()
        node = bound.node
        parts += [(limit, bound.scope or _NO_NAMES) for limit in (node.limit, node.offset) if limit is not None]
        for block in bound.blocks:
            scope = block.scope
            parts += [(result.expression, scope) for result in block.results]
            core = block.core
            if core is not None:
                parts += [(term, scope) for term in (core.where, core.group_by, core.having, core.windows) if term is not None]
            if len(bound.blocks) == 1:
                parts += [(term.expression, scope) for term in node.order_by or () if not _is_result(term.expression, block)]
            for made in _each_input(block):
                parts += [(term, made.on_scope or scope) for term in made.on]
                parts += [(argument, made.argument_scope or scope) for argument in made.arguments or ()]
                if made.select is not None:
                    pending.append(made.select)
    return parts


def _is_result(node: ast.Expression, block: Block) -> bool:
    """Whether a term of ORDER BY names a result."""
    if not isinstance(node, ast.Column) or node.table is not None:
        return False
    lowered = node.name.lower()
    return any(result.alias is not None and result.alias.lower() == lowered for result in block.results)


def _each_input(block: Block) -> Iterator[Input]:
    pending = list(block.inputs)
    while pending:
        made = pending.pop()
        if made.block is not None:
            pending.extend(made.block.inputs)
        yield made
