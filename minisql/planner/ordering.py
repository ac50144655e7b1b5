"""ORDER BY and GROUP BY terms: ordinals, result aliases, expressions equal to a result column, everything else.

Source: https://www.sqlite.org/lang_select.html#orderby.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minisql.errors import ERROR, Error, sqlite_error
from minisql.limits import COLUMN
from minisql.parser import ast
from minisql.planner.operands import collation_of
from minisql.planner.required_names import require_names

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block, BoundSelect
    from minisql.values.collation import Collation


class OrderItem:
    """One term of an order: a result column (`position`) or another expression; collation, direction, place of NULLs."""

    __slots__ = ("collation", "expression", "is_descending", "nulls_first", "position")

    def __init__(
        self,
        position: int | None,
        expression: ast.Expression,
        collation: Collation,
        is_descending: bool,
        nulls_first: bool,
    ) -> None:
        self.position = position
        self.expression = expression
        self.collation = collation
        self.is_descending = is_descending
        self.nulls_first = nulls_first


def ordinal_suffix(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


_LARGEST = 0x7FFFFFFF
_LARGEST_ORDINAL = 0xFFFF


def ordinal_of(node: ast.Expression) -> int | None:
    """The integer if a term is an integer constant of at most 32 bits; a larger one is an expression."""
    if node.__class__ is ast.Literal and node.value.__class__ is int:
        return node.value if -_LARGEST <= node.value <= _LARGEST else None
    # The parser of SQLite has made integers of these.
    if node.__class__ in (ast.IsNull, ast.NotNull) and node.operand.__class__ is ast.Literal:
        if node.operand.value is not None:
            return 1 if node.__class__ is ast.NotNull else 0
    if node.__class__ is ast.Unary and node.operator in ("-", "+"):
        inner = ordinal_of(node.operand)
        if inner is not None:
            return -inner if node.operator == "-" else inner
    return None


def strip_collate(node: ast.Expression) -> tuple[ast.Expression, str | None]:
    """A term without its COLLATE, and the collation."""
    name = None
    while node.__class__ is ast.Collate:
        if name is None:
            name = node.collation
        node = node.operand
    return node, name


def effective_nulls_first(term: ast.OrderingTerm) -> bool:
    """NULLs are smallest unless NULLS FIRST or LAST says otherwise."""
    if term.nulls is None:
        return not term.is_descending
    return term.nulls == "FIRST"


def check_term_count(compiler: Compiler, terms: Sequence[object], clause: str) -> None:
    """Raises when a clause has more terms than a table may have columns.

    Source: https://www.sqlite.org/limits.html section 2
    """
    if len(terms) > compiler.context.limits[COLUMN]:
        raise sqlite_error(ERROR, f"too many terms in {clause} clause")


def out_of_range(compiler: Compiler, terms: Sequence[ast.Expression], block: Block, clause: str) -> Error:
    """The error of a clause with an ordinal that means no result.

    Names come before it: those of the results, then those of the terms up to an ordinal that no SELECT could have.  Only then
    are ordinals looked at that are too large for this one.
    """
    for result in block.results:
        require_names(compiler, result.expression, block.scope)
    too_large = 0
    for number, term in enumerate(terms, 1):
        expression = strip_collate(term)[0]
        ordinal = ordinal_of(expression)
        if ordinal is None:
            is_plain = expression.__class__ is ast.Column and expression.table is None
            if not is_plain or alias_position(block, expression.name) is None:  # type: ignore[attr-defined]
                require_names(compiler, expression, block.scope)
        elif not 1 <= ordinal <= _LARGEST_ORDINAL:
            too_large = number
            break
        elif ordinal > len(block.results):
            too_large = too_large or number
    return sqlite_error(
        ERROR, f"{ordinal_suffix(too_large)} {clause} term out of range - should be between 1 and {len(block.results)}"
    )


def bind_order_by(
    compiler: Compiler, terms: list[ast.OrderingTerm], block: Block, bound: BoundSelect
) -> list[OrderItem]:
    """The ORDER BY of a simple SELECT."""
    check_term_count(compiler, terms, "ORDER BY")
    items = []
    n_results = len(block.results)
    for term in terms:
        expression, name = strip_collate(term.expression)
        position = None
        ordinal = ordinal_of(expression)
        if ordinal is not None:
            if not 1 <= ordinal <= n_results:
                raise out_of_range(compiler, [term.expression for term in terms], block, "ORDER BY")
            position = ordinal - 1
        elif expression.__class__ is ast.Column and expression.table is None:
            position = alias_position(block, expression.name)
        if position is None:
            position = matching_result(block, expression)
        if position is not None:
            expression = block.results[position].expression
        if name is None:
            name = collation_of(compiler, expression, block.scope)[0]
        items.append(
            OrderItem(
                position, expression, compiler.key_collation(name), term.is_descending, effective_nulls_first(term)
            )
        )
    return items


def alias_position(block: Block, name: str) -> int | None:
    """The result column whose alias a bare name is."""
    source = block.scope.alias_source
    if source is None:
        return None
    return source.positions.get(name.lower())


def matching_result(block: Block, expression: ast.Expression) -> int | None:
    """The result column that is written the same."""
    for position, result in enumerate(block.results):
        if same_tree(result.expression, expression):
            return position
    return None


def same_tree(left: ast.Expression, right: ast.Expression) -> bool:
    """Whether two expressions are the same tree; the case of names does not count."""
    if left is right:
        return True
    if left.__class__ is not right.__class__:
        return False
    if left.__class__ is ast.Column:
        return (
            left.name.lower() == right.name.lower()  # type: ignore[attr-defined]
            and (left.table or "").lower() == (right.table or "").lower()  # type: ignore[attr-defined]
        )
    return ast.equal(left, right)
