"""SQLite's limit on the depth of an expression.

The depth of a node is one more than that of its deepest operand; a chain of n AND terms counts as n - 1 nested operators.
Only expressions of more tokens than the limit are looked at, so ordinary statements never pay for it.

Source: https://www.sqlite.org/limits.html, "Maximum Depth Of An Expression Tree".
"""

from __future__ import annotations

from minisql.errors import ERROR, sqlite_error
from minisql.parser import tokens as k
from minisql.parser.ast import And, Core, Expression, Or, fields

_STACK_LIMIT = 2500


def check_depth(expression: Expression, limit: int) -> None:
    """Raises SQLite's error if the expression is deeper than `limit`; 0 means no limit."""
    if limit > 0 and is_deeper(expression, limit):
        raise sqlite_error(ERROR, f"Expression tree is too large (maximum depth {limit})")


def is_deeper(expression: Expression, limit: int) -> bool:
    """Tells whether an expression is deeper than `limit`, without recursion."""
    pending: list[tuple[object, int]] = [(expression, 1)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, (list, tuple)):
            pending.extend((item, depth) for item in node if not isinstance(item, str))
        elif isinstance(node, (And, Or)):
            n_terms = len(node.terms)
            pending.extend((term, depth + n_terms - max(i, 1)) for i, term in enumerate(node.terms))
        elif node is not None and hasattr(type(node), "__slots__"):
            if isinstance(node, Expression):
                if depth > limit:
                    return True
                depth += 1
            skipped = "sources" if isinstance(node, Core) else ""
            pending.extend((getattr(node, field), depth) for field in fields(type(node)) if field != skipped)
    return False


def check_nesting(kinds: list[int]) -> None:
    """Raises "Recursion limit" for tokens that would overflow SQLite's parser stack of 2,500 symbols.

    Counts what that stack would hold at each token: open brackets with the symbols before them, CASE, and prefix operators.
    """
    heights: list[int] = []
    height = 0
    previous = k.SEMI
    for kind in kinds:
        if kind == k.LP:
            heights.append(height)
            height += 2 if previous <= k.LAST_JOIN_KEYWORD else 1
        elif kind == k.CASE:
            heights.append(height)
            height += 2
        elif kind == k.RP or kind == k.END:
            if heights:
                height = heights.pop()
        if height > _STACK_LIMIT:
            raise sqlite_error(ERROR, "Recursion limit")
        previous = kind
