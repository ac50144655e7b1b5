"""Expression nodes, and the parts that stand inside expressions: ordering terms, windows, frames.

Source: https://www.sqlite.org/lang_expr.html, https://www.sqlite.org/windowfunctions.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from minisql.parser.ast.queries import Select

SqlValue: TypeAlias = int | float | str | bytes | None


class Expression:
    """Base of all expression nodes; for annotations only."""

    __slots__ = ()


class Part:
    """Base of nodes that are neither expressions, statements nor FROM items."""

    __slots__ = ()


class Literal(Expression):
    """A constant: number, string, blob or NULL, already as a value.  Instances are shared between statements:
    never keep data by `id()`.
    """

    __slots__ = ("value",)

    def __init__(self, value: SqlValue) -> None:
        self.value = value


class Column(Expression):
    """A name used as an expression: `name`, `table.name` or `schema.table.name`.  TRUE and FALSE arrive here too,
    as in SQLite, where a column of that name wins.  `is_double_quoted` says that an unqualified name was
    written "so": a string if no column matches.  `binding` belongs to whoever looks names up.
    """

    __slots__ = ("binding", "is_double_quoted", "name", "position", "schema", "table")

    def __init__(self, name: str, table: str | None, schema: str | None, is_double_quoted: bool, position: int) -> None:
        self.name = name
        self.table = table
        self.schema = schema
        self.is_double_quoted = is_double_quoted
        self.position = position
        self.binding: Any = None


class CurrentTime(Expression):
    """CURRENT_DATE, CURRENT_TIME or CURRENT_TIMESTAMP; `keyword` is upper case."""

    __slots__ = ("keyword", "position")

    def __init__(self, keyword: str, position: int) -> None:
        self.keyword = keyword
        self.position = position


class Variable(Expression):
    """A parameter; `number` counts from 1; `name` has its prefix (`:a`, `@a`, `$a`, `?5`) and is None for a plain
    `?`.
    """

    __slots__ = ("name", "number", "position")

    def __init__(self, number: int, name: str | None, position: int) -> None:
        self.number = number
        self.name = name
        self.position = position


class Unary(Expression):
    """`-`, `+`, `~` or `NOT`.  A minus before a numeric literal is folded into the Literal."""

    __slots__ = ("operand", "operator")

    def __init__(self, operator: str, operand: Expression) -> None:
        self.operator = operator
        self.operand = operand


class Binary(Expression):
    """An operator with two operands: one of `+ - * / % || & | << >> -> ->> = <> < <= > >= IS`, `IS NOT`.  `==`,
    `!=` and IS [NOT] DISTINCT FROM become these. Chains are left-deep and may be 1,000 long: walk down `left`
    in a loop.
    """

    __slots__ = ("left", "operator", "right")

    def __init__(self, operator: str, left: Expression, right: Expression) -> None:
        self.operator = operator
        self.left = left
        self.right = right


class And(Expression):
    """A whole AND chain, flat, in source order; at least two terms, none of which is an And that stood on its
    left.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: list[Expression]) -> None:
        self.terms = terms


class Or(Expression):
    """A whole OR chain, flat, in source order, like `And`."""

    __slots__ = ("terms",)

    def __init__(self, terms: list[Expression]) -> None:
        self.terms = terms


class IsNull(Expression):
    """`x ISNULL` (`x IS NULL` is this node as well)."""

    __slots__ = ("operand",)

    def __init__(self, operand: Expression) -> None:
        self.operand = operand


class NotNull(Expression):
    """`x NOTNULL`, `x NOT NULL`, `x IS NOT NULL`."""

    __slots__ = ("operand",)

    def __init__(self, operand: Expression) -> None:
        self.operand = operand


class Between(Expression):
    """`operand [NOT] BETWEEN low AND high`."""

    __slots__ = ("high", "is_negated", "low", "operand")

    def __init__(self, operand: Expression, low: Expression, high: Expression, is_negated: bool) -> None:
        self.operand = operand
        self.low = low
        self.high = high
        self.is_negated = is_negated


class InList(Expression):
    """`operand [NOT] IN (item, ...)`; the list may be empty."""

    __slots__ = ("is_negated", "items", "operand")

    def __init__(self, operand: Expression, items: list[Expression], is_negated: bool) -> None:
        self.operand = operand
        self.items = items
        self.is_negated = is_negated


class InSelect(Expression):
    """`operand [NOT] IN (SELECT ...)`."""

    __slots__ = ("is_negated", "operand", "select")

    def __init__(self, operand: Expression, select: Select, is_negated: bool) -> None:
        self.operand = operand
        self.select = select
        self.is_negated = is_negated


class InTable(Expression):
    """`operand [NOT] IN table`, or `IN function(arguments)`; `arguments` is None without parentheses."""

    __slots__ = ("arguments", "is_negated", "name", "operand", "position", "schema")

    def __init__(
        self,
        operand: Expression,
        name: str,
        schema: str | None,
        arguments: list[Expression] | None,
        is_negated: bool,
        position: int,
    ) -> None:
        self.operand = operand
        self.name = name
        self.schema = schema
        self.arguments = arguments
        self.is_negated = is_negated
        self.position = position


class Like(Expression):
    """`operand [NOT] LIKE | GLOB | REGEXP | MATCH pattern [ESCAPE escape]`; `operator` is upper case; SQLite calls
    function operator(pattern, operand).
    """

    __slots__ = ("escape", "is_negated", "operand", "operator", "pattern", "position")

    def __init__(
        self,
        operator: str,
        operand: Expression,
        pattern: Expression,
        escape: Expression | None,
        is_negated: bool,
        position: int,
    ) -> None:
        self.operator = operator
        self.operand = operand
        self.pattern = pattern
        self.escape = escape
        self.is_negated = is_negated
        self.position = position


class Case(Expression):
    """CASE; `whens` are (condition or value, result) pairs."""

    __slots__ = ("operand", "otherwise", "whens")

    def __init__(
        self,
        operand: Expression | None,
        whens: list[tuple[Expression, Expression]],
        otherwise: Expression | None,
    ) -> None:
        self.operand = operand
        self.whens = whens
        self.otherwise = otherwise


class Cast(Expression):
    """CAST(operand AS type_name); `type_name` as written, perhaps empty."""

    __slots__ = ("operand", "type_name")

    def __init__(self, operand: Expression, type_name: str) -> None:
        self.operand = operand
        self.type_name = type_name


class Collate(Expression):
    """`operand COLLATE collation`."""

    __slots__ = ("collation", "operand")

    def __init__(self, operand: Expression, collation: str) -> None:
        self.operand = operand
        self.collation = collation


class FunctionCall(Expression):
    """A call; `is_star` for `f(*)`; `over` is a window definition, or the name of one as written, with its quotes.
    `name` has none.
    """

    __slots__ = ("arguments", "filter", "is_distinct", "is_star", "name", "order_by", "over", "position")

    def __init__(
        self,
        name: str,
        arguments: list[Expression],
        position: int,
        is_star: bool,
        is_distinct: bool,
        order_by: list[OrderingTerm] | None,
        filter: Expression | None,
        over: Window | str | None,
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.position = position
        self.is_star = is_star
        self.is_distinct = is_distinct
        self.order_by = order_by
        self.filter = filter
        self.over = over


class RowValue(Expression):
    """`(a, b, ...)`, at least two items."""

    __slots__ = ("items",)

    def __init__(self, items: list[Expression]) -> None:
        self.items = items


class Exists(Expression):
    """`EXISTS (SELECT ...)`; NOT EXISTS is a Unary around it."""

    __slots__ = ("select",)

    def __init__(self, select: Select) -> None:
        self.select = select


class ScalarSubquery(Expression):
    """`(SELECT ...)` as an expression; as a row value when it has several columns."""

    __slots__ = ("select",)

    def __init__(self, select: Select) -> None:
        self.select = select


class Raise(Expression):
    """RAISE(IGNORE | ROLLBACK | ABORT | FAIL, message); `action` is upper case."""

    __slots__ = ("action", "message", "position")

    def __init__(self, action: str, message: Expression | None, position: int) -> None:
        self.action = action
        self.message = message
        self.position = position


class OrderingTerm(Part):
    """A term of ORDER BY, of an index or of a PRIMARY KEY/UNIQUE list; `nulls` is "FIRST", "LAST" or None.  A
    COLLATE is part of `expression`.
    """

    __slots__ = ("expression", "is_descending", "nulls")

    def __init__(self, expression: Expression, is_descending: bool, nulls: str | None) -> None:
        self.expression = expression
        self.is_descending = is_descending
        self.nulls = nulls


class FrameBound(Part):
    """One end of a frame: "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING";
    an expression with two of them.
    """

    __slots__ = ("expression", "kind")

    def __init__(self, kind: str, expression: Expression | None) -> None:
        self.kind = kind
        self.expression = expression


class Frame(Part):
    """ROWS, RANGE or GROUPS with both ends (a missing end is CURRENT ROW); `exclude` is "NO OTHERS", "CURRENT
    ROW", "GROUP", "TIES" or None.
    """

    __slots__ = ("end", "exclude", "start", "unit")

    def __init__(self, unit: str, start: FrameBound, end: FrameBound, exclude: str | None) -> None:
        self.unit = unit
        self.start = start
        self.end = end
        self.exclude = exclude


class Window(Part):
    """A window definition: of a WINDOW clause (with `name`) or of OVER (...); `base` is the window it extends.
    Both names are as written, with their quotes.
    """

    __slots__ = ("base", "frame", "name", "order_by", "partition_by")

    def __init__(
        self,
        name: str | None,
        base: str | None,
        partition_by: list[Expression] | None,
        order_by: list[OrderingTerm] | None,
        frame: Frame | None,
    ) -> None:
        self.name = name
        self.base = base
        self.partition_by = partition_by
        self.order_by = order_by
        self.frame = frame
