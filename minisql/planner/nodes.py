"""Expression nodes that only the planner makes: a column already bound, a value already in a register, a JSON argument.

They stand wherever a parsed expression may stand; the emitters know them like the parser's own nodes.  `SourceColumn` comes
out of `*`, USING and covering rewrites; `Held` lets one evaluation serve several comparisons (BETWEEN, CASE x WHEN);
`JsonMarked` is an argument of a JSON function (see json_arguments).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.parser import ast

if TYPE_CHECKING:
    from minisql.planner.scope import Source


class SourceColumn(ast.Expression):
    """Column `position` (or ROWID) of a source."""

    __slots__ = ("position", "source")

    def __init__(self, source: Source, position: int) -> None:
        self.source = source
        self.position = position


class JsonMarked(ast.Expression):
    """An argument of a JSON function, whose value is to be of class JsonText where it is JSON and not a string."""

    __slots__ = ("expression",)

    def __init__(self, expression: ast.Expression) -> None:
        self.expression = expression


class Held(ast.Expression):
    """The value of `operand`, already computed; `as_operand` is its operands.Operand."""

    __slots__ = ("as_operand", "operand")

    def __init__(self, operand: ast.Expression, as_operand: tuple[int, int, str | None, bool, bool]) -> None:
        self.operand = operand
        self.as_operand = as_operand
