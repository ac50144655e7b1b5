"""SQLite's limit on the depth of an expression.

The depth of a node is one more than that of its deepest operand; a chain of n AND terms counts as n - 1 nested operators.
Only expressions of more tokens than the limit are looked at, so ordinary statements never pay for it.

Source: https://www.sqlite.org/limits.html, "Maximum Depth Of An Expression Tree".
"""

from __future__ import annotations

from minisql.errors import ERROR, Error, sqlite_error
from minisql.parser import tokens as k
from minisql.parser.ast import And, Core, Expression, IsNull, Literal, NotNull, Or, fields

_STACK_LIMIT = 2500


def check_depth(expression: Expression, limit: int) -> None:
    """Raises SQLite's error if the expression is deeper than `limit`; 0 means no limit."""
    if limit > 0 and is_deeper(expression, limit):
        raise too_deep(limit)


def too_deep(limit: int) -> Error:
    """The error for an expression that is deeper than `limit`."""
    return sqlite_error(ERROR, f"Expression tree is too large (maximum depth {limit})")


def is_deeper(expression: Expression, limit: int) -> bool:
    """Tells whether an expression is deeper than `limit`, without recursion."""
    pending: list[tuple[object, int]] = [(expression, 1)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, (IsNull, NotNull)) and _is_literal_below(node):
            # SQLite's parser makes a number of it.
            continue
        if isinstance(node, (list, tuple)):
            pending.extend((item, depth) for item in node if not isinstance(item, str))
        elif isinstance(node, (And, Or)):
            n_terms = len(node.terms)
            pending.extend((term, depth + n_terms - max(i, 1)) for i, term in enumerate(node.terms))
        elif node is not None and hasattr(type(node), "__slots__"):
            if isinstance(node, Expression):
                if depth + (node.__class__ is Literal and _is_negative(node.value)) > limit:
                    return True
                depth += 1
            skipped = "sources" if isinstance(node, Core) else ""
            pending.extend((getattr(node, field), depth) for field in fields(type(node)) if field != skipped)
    return False


def _is_literal_below(node: object) -> bool:
    while isinstance(node, (IsNull, NotNull)):
        node = node.operand
    return isinstance(node, Literal) and node.value is not None


def _is_negative(value: object) -> bool:
    """A negative number is a minus sign with an operand."""
    return isinstance(value, (int, float)) and str(value).startswith("-")


def check_nesting(kinds: list[int]) -> None:
    """Raises "Recursion limit" for tokens that would overflow SQLite's parser stack.

    Estimates what that stack holds at each token without parsing: per open bracket or CASE the symbols before it that are
    not reduced yet, that is clauses already begun, a list before a comma, an operand and its operator, prefix operators.
    """
    frames: list[tuple[int, int]] = []
    below, clauses, operator, n_prefixes = _STACK_BASE, 0, 0, 0
    previous = k.SEMI
    for kind in kinds:
        is_operand_start = previous not in _OPERAND_ENDS
        height = below + clauses + operator + n_prefixes + 1
        if height > _STACK_LIMIT:
            raise sqlite_error(ERROR, "Recursion limit")
        if kind in _OPENERS:
            frames.append((below, clauses))
            below = height + (2 if kind == k.LP and previous <= k.LAST_JOIN_KEYWORD and previous != k.CAST else 0)
            clauses = operator = n_prefixes = 0
        elif kind in _CLOSERS:
            if frames and (kind == k.RP or previous in _OPERAND_ENDS):
                below, clauses = frames.pop()
            operator = n_prefixes = 0
        elif kind in _CLAUSE_HEIGHTS:
            clauses = max(clauses, _CLAUSE_HEIGHTS[kind]) if kind in _SEPARATORS else _CLAUSE_HEIGHTS[kind]
            operator = n_prefixes = 0
        elif is_operand_start and kind in _PREFIXES:
            n_prefixes += 1
        elif k.PRECEDENCE[kind]:
            operator, n_prefixes = 2, 0
        elif kind == k.AS:
            operator, n_prefixes = 3, 0
        previous = kind


_STACK_BASE = 3
_OPENERS = frozenset((k.LP, k.CASE))
_CLOSERS = frozenset((k.RP, k.END))
_PREFIXES = frozenset((k.MINUS, k.PLUS, k.TILDE, k.NOT))
_OPERAND_ENDS = frozenset((*range(k.STRING + 1), k.NUMBER, k.BLOB, k.VARIABLE, k.RP, k.NULL)) - {k.CASE}
_SEPARATORS = frozenset((k.COMMA, k.JOIN))
_CLAUSE_HEIGHTS = {k.WITH: 1, k.SELECT: 3, k.FROM: 5, k.JOIN: 1, k.WHERE: 5, k.COMMA: 2, k.WHEN: 2, k.THEN: 4, k.ELSE: 3}
"""Symbols on the stack within a bracket once a token has been read."""
