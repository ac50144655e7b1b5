"""Arithmetic of literals in a condition: `id = 17 + 2 * 5`, `price > 3 * 0.5`.

It is computed when a statement is compiled.  In a statement shape, where other literals will stand in the same places, it
becomes one literal whose value is a formula of theirs.  The planner treats a comparison with arithmetic as one with a
literal that is none of 0, 1 and -1, so the program is the same.

Source: https://www.sqlite.org/lang_expr.html section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from minisql.parser import ast
from minisql.values import arithmetic

Formula = Callable[[Sequence[Any]], Any]
"""Maps the values of a statement's literals, by their numbers, to a value."""

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": arithmetic.add,
    "-": arithmetic.subtract,
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
    "%": arithmetic.remainder,
}
_MAX_NODES = 16


def numbers_in(expression: ast.Expression) -> list[int | float] | None:
    """The values of the literals of an expression that is arithmetic of a few numbers and nothing else; None for any other."""
    found: list[int | float] = []
    pending = [expression]
    for _ in range(_MAX_NODES):
        if not pending:
            return found
        node = pending.pop()
        if isinstance(node, ast.Binary) and node.operator in _OPERATORS:
            pending += (node.left, node.right)
        elif isinstance(node, ast.Unary) and node.operator == "-":
            pending.append(node.operand)
        elif isinstance(node, ast.Literal) and (node.value.__class__ is int or node.value.__class__ is float):
            found.append(node.value)
        else:
            return None
    return None


def formula(expression: ast.Expression, numbers: Mapping[object, int]) -> Formula:
    """What computes an expression that `numbers_in` knows; `numbers` has the number of the literal that a value stands for."""
    if isinstance(expression, ast.Binary):
        apply = _OPERATORS[expression.operator]
        left, right = formula(expression.left, numbers), formula(expression.right, numbers)
        return lambda values: apply(left(values), right(values))
    if isinstance(expression, ast.Unary):
        operand = formula(expression.operand, numbers)
        return lambda values: arithmetic.negate(operand(values))
    assert isinstance(expression, ast.Literal), "nothing else stands in it"
    value: Any = expression.value
    if value in numbers:
        return itemgetter(numbers[value])
    # A minus in front of a literal has become part of its value.
    if -value in numbers:
        number = numbers[-value]
        return lambda values: arithmetic.negate(values[number])
    return lambda values: value
