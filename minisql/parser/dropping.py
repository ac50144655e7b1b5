"""What SQLite's parser drops: the terms beside a false one of AND, and the operand of IN with an empty list.

Nothing in a dropped part is looked up, so it may be wrong; and what is left is a plain 0, TRUE or FALSE, so that
`ORDER BY a AND 0` is a column number out of range and `x IS (y NOT IN ())` asks whether x is true.  False is an integer
literal 0 without a sign, `IN ()` or a literal that IS NULL, not the name FALSE.  A part that calls a function stays, as it may
be an aggregate; what a subquery or COLLATE holds does not count as called.  Stored texts in which ALTER renames something keep
all (`State.drops_terms`).

Source: asked of SQLite 3.54.1; https://www.sqlite.org/lang_expr.html#the_in_and_not_in_operators.
"""

from __future__ import annotations

from minisql.parser import ast
from minisql.parser.ast.equality import fields
from minisql.parser.tokenizer import SIGNED_ZERO

_NULL = ast.Literal(None)
_ZERO = ast.Literal(0)
_CALLS = (ast.FunctionCall, ast.CurrentTime, ast.Like)
_OPAQUE = (ast.Select, ast.Collate, ast.Literal, ast.Column)


def empty_list(operand: ast.Expression, is_negated: bool) -> ast.InList:
    """`operand [NOT] IN ()`; without its operand (NULL in its place) unless that calls a function."""
    return ast.InList(operand if _calls(operand) else _NULL, [], is_negated)


def is_truth_value(node: ast.Expression) -> bool:
    """Whether a node is an `IN ()` without operand, which is as good as the keyword TRUE or FALSE."""
    return node.__class__ is ast.InList and not node.items and node.operand is _NULL


def dropped(left: ast.Expression, right: ast.Expression) -> ast.Literal | None:
    """The 0 that stands for `left AND right` if one of them is false and none calls a function."""
    if (_is_false(left) or _is_false(right)) and not _calls(left) and not _calls(right):
        return _ZERO
    return None


def is_call(node: object) -> bool:
    """Whether SQLite takes a node for the call of a function: LIKE and its like, `->`, `->>` and CURRENT_TIME are some."""
    return isinstance(node, _CALLS) or (isinstance(node, ast.Binary) and node.operator in ("->", "->>"))


def _is_false(node: ast.Expression) -> bool:
    if isinstance(node, ast.Literal):
        return node.value.__class__ is int and node.value == 0 and node is not SIGNED_ZERO
    if isinstance(node, ast.IsNull):
        return _is_value(node.operand)
    return isinstance(node, ast.InList) and not node.is_negated and is_truth_value(node)


def _is_value(node: ast.Expression) -> bool:
    """Whether a node is a literal other than NULL, signs before it or not, or such a literal's test for NULL."""
    while isinstance(node, (ast.IsNull, ast.NotNull)) or (isinstance(node, ast.Unary) and node.operator in ("+", "-")):
        node = node.operand
    return isinstance(node, ast.Literal) and node.value is not None


def _calls(node: ast.Expression) -> bool:
    """Whether an expression calls a function outside of its subqueries."""
    pending: list[object] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, (list, tuple)):
            pending += item
        elif is_call(item):
            return True
        elif isinstance(item, ast.InTable):
            pending.append(item.operand)
        elif isinstance(item, ast.Expression) and not isinstance(item, _OPAQUE):
            pending += [getattr(item, name) for name in fields(item.__class__)]
    return False
