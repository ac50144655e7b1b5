"""The names of an expression that is not compiled because another error waits: SQLite looks names up before it.

Source: SQLite 3.54.1's answers (`SELECT 1 ORDER BY 5, nosuch` says `no such column: nosuch`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.parser import ast
from minisql.planner.calls import find_function
from minisql.planner.walking import CHILDREN

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope


def require_names(compiler: Compiler, expression: ast.Expression, scope: Scope) -> None:
    """Raises `no such column`, `no such function` and the like for names outside of an expression's subqueries.

    Nothing when an authorizer is asked: it hears of each name, and raises the errors on the way.
    """
    if compiler.authorized is not None:
        return
    pending: list[Any] = [expression]
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is ast.Column:
            compiler.resolve(node, scope)
        elif kind is ast.FunctionCall:
            if node.over is not None or node.filter is not None or node.order_by is not None:
                continue
            find_function(compiler, node.name, len(node.arguments), node.position)
        if kind is not ast.Select:
            pending.extend(reversed(CHILDREN[kind](node)))
