"""Nodes of SELECT, INSERT, UPDATE and DELETE and of their clauses.

Source: https://www.sqlite.org/lang_select.html, lang_insert.html, lang_update.html, lang_delete.html, lang_upsert.html.
"""

from __future__ import annotations

from minisql.parser.ast.expressions import Expression, OrderingTerm, Part, Window

JOIN_INNER = 1
JOIN_CROSS = 2
JOIN_NATURAL = 4
JOIN_LEFT = 8
JOIN_RIGHT = 16
JOIN_OUTER = 32
"""Bits of `Join.flags`: LEFT [OUTER] is LEFT|OUTER, FULL is LEFT|RIGHT|OUTER, CROSS is INNER|CROSS, as in SQLite."""


class Statement:
    """Base of all statement nodes; for annotations only."""

    __slots__ = ()


class FromItem:
    """Base of what may stand in a FROM clause; every one has a `join`."""

    __slots__ = ("join",)

    join: Join | None


class ResultColumn(Part):
    """A result expression; its tokens are [first, end): `Source.text(first, end)` is the column name that SQLite
    gives an unnamed expression; `name` is the name it has whoever asks, None if there is no alias.
    """

    __slots__ = ("alias", "end", "expression", "first")

    def __init__(self, expression: Expression, alias: str | None, first: int, end: int) -> None:
        self.expression = expression
        self.alias = alias
        self.first = first
        self.end = end

    @property
    def name(self) -> str | None:
        """The alias: a result column is a result of its block as it stands."""
        return self.alias


class Star(Part):
    """`*` as a result column."""

    __slots__ = ("position",)

    def __init__(self, position: int) -> None:
        self.position = position


class TableStar(Part):
    """`table.*` as a result column."""

    __slots__ = ("position", "table")

    def __init__(self, table: str, position: int) -> None:
        self.table = table
        self.position = position


class CommonTable(Part):
    """One table of a WITH clause; `materialized` is True, False (NOT MATERIALIZED) or None."""

    __slots__ = ("columns", "materialized", "name", "position", "select")

    def __init__(
        self,
        name: str,
        columns: list[str] | None,
        select: Select,
        materialized: bool | None,
        position: int,
    ) -> None:
        self.name = name
        self.columns = columns
        self.select = select
        self.materialized = materialized
        self.position = position


class With(Part):
    """A WITH clause."""

    __slots__ = ("is_recursive", "tables")

    def __init__(self, is_recursive: bool, tables: list[CommonTable]) -> None:
        self.is_recursive = is_recursive
        self.tables = tables


class Join(Part):
    """How a FROM item is joined to all that stands left of it; `flags` are JOIN_* bits, 0 for a comma or plain
    JOIN.
    """

    __slots__ = ("flags", "on", "using")

    def __init__(self, flags: int, on: Expression | None, using: list[str] | None) -> None:
        self.flags = flags
        self.on = on
        self.using = using


class Core(Part):
    """One SELECT without ORDER BY and LIMIT; `sources` is the flat, left-associative FROM clause, empty without
    one.
    """

    __slots__ = ("columns", "group_by", "having", "is_distinct", "sources", "where", "windows")

    def __init__(
        self,
        columns: list[ResultColumn | Star | TableStar],
        is_distinct: bool,
        sources: list[FromItem],
        where: Expression | None,
        group_by: list[Expression] | None,
        having: Expression | None,
        windows: list[Window] | None,
    ) -> None:
        self.columns = columns
        self.is_distinct = is_distinct
        self.sources = sources
        self.where = where
        self.group_by = group_by
        self.having = having
        self.windows = windows


class Values(Part):
    """VALUES (...), (...): all rows have the same length; `is_row_list` for the right side of `(a, b) IN ((...), ...)`."""

    __slots__ = ("is_row_list", "rows")

    def __init__(self, rows: list[list[Expression]], is_row_list: bool = False) -> None:
        self.rows = rows
        self.is_row_list = is_row_list


class TableSource(FromItem):
    """A table, view or common table by name; also the target of INSERT, UPDATE and DELETE.  `join` is None for the
    first item and after a comma without ON or USING.
    """

    __slots__ = ("alias", "indexed_by", "is_not_indexed", "name", "position", "schema")

    def __init__(
        self,
        name: str,
        schema: str | None,
        alias: str | None,
        indexed_by: str | None,
        is_not_indexed: bool,
        position: int,
        join: Join | None,
    ) -> None:
        self.name = name
        self.schema = schema
        self.alias = alias
        self.indexed_by = indexed_by
        self.is_not_indexed = is_not_indexed
        self.position = position
        self.join = join


class FunctionSource(FromItem):
    """A table-valued function."""

    __slots__ = ("alias", "arguments", "name", "position", "schema")

    def __init__(
        self,
        name: str,
        schema: str | None,
        arguments: list[Expression],
        alias: str | None,
        position: int,
        join: Join | None,
    ) -> None:
        self.name = name
        self.schema = schema
        self.arguments = arguments
        self.alias = alias
        self.position = position
        self.join = join


class SubquerySource(FromItem):
    """`(SELECT ...) AS alias`."""

    __slots__ = ("alias", "select")

    def __init__(self, select: Select, alias: str | None, join: Join | None) -> None:
        self.select = select
        self.alias = alias
        self.join = join


class JoinSource(FromItem):
    """A parenthesised join `(a JOIN b ...)`."""

    __slots__ = ("alias", "sources")

    def __init__(self, sources: list[FromItem], alias: str | None, join: Join | None) -> None:
        self.sources = sources
        self.alias = alias
        self.join = join


class Select(Statement):
    """A whole SELECT: n cores with n-1 operators between them ("UNION", "UNION ALL", "INTERSECT", "EXCEPT"),
    left-associative.
    """

    __slots__ = ("cores", "limit", "offset", "operators", "order_by", "with_clause")

    def __init__(
        self,
        cores: list[Core | Values],
        operators: list[str],
        order_by: list[OrderingTerm] | None,
        limit: Expression | None,
        offset: Expression | None,
        with_clause: With | None,
    ) -> None:
        self.cores = cores
        self.operators = operators
        self.order_by = order_by
        self.limit = limit
        self.offset = offset
        self.with_clause = with_clause


class Upsert(Part):
    """ON CONFLICT [(target) [WHERE target_where]] DO NOTHING (`assignments` is None) or DO UPDATE SET assignments
    [WHERE where].
    """

    __slots__ = ("assignments", "target", "target_where", "where")

    def __init__(
        self,
        target: list[OrderingTerm] | None,
        target_where: Expression | None,
        assignments: list[Assignment] | None,
        where: Expression | None,
    ) -> None:
        self.target = target
        self.target_where = target_where
        self.assignments = assignments
        self.where = where


class Assignment(Part):
    """`column = expression`, or `(column, ...) = expression` with `is_row`."""

    __slots__ = ("columns", "expression", "is_row", "position")

    def __init__(self, columns: list[str], is_row: bool, expression: Expression, position: int) -> None:
        self.columns = columns
        self.is_row = is_row
        self.expression = expression
        self.position = position


class Insert(Statement):
    """INSERT or REPLACE; `select` is None for DEFAULT VALUES; `conflict` is "ROLLBACK", "ABORT", "FAIL", "IGNORE",
    "REPLACE" or None.
    """

    __slots__ = ("columns", "conflict", "returning", "select", "target", "upserts", "with_clause")

    def __init__(
        self,
        target: TableSource,
        columns: list[str] | None,
        select: Select | None,
        conflict: str | None,
        upserts: list[Upsert],
        returning: list[ResultColumn | Star | TableStar] | None,
        with_clause: With | None,
    ) -> None:
        self.target = target
        self.columns = columns
        self.select = select
        self.conflict = conflict
        self.upserts = upserts
        self.returning = returning
        self.with_clause = with_clause


class Update(Statement):
    """UPDATE, with FROM (`sources`), ORDER BY and LIMIT."""

    __slots__ = (
        "assignments",
        "conflict",
        "limit",
        "offset",
        "order_by",
        "returning",
        "sources",
        "target",
        "where",
        "with_clause",
    )

    def __init__(
        self,
        target: TableSource,
        assignments: list[Assignment],
        sources: list[FromItem],
        where: Expression | None,
        order_by: list[OrderingTerm] | None,
        limit: Expression | None,
        offset: Expression | None,
        conflict: str | None,
        returning: list[ResultColumn | Star | TableStar] | None,
        with_clause: With | None,
    ) -> None:
        self.target = target
        self.assignments = assignments
        self.sources = sources
        self.where = where
        self.order_by = order_by
        self.limit = limit
        self.offset = offset
        self.conflict = conflict
        self.returning = returning
        self.with_clause = with_clause


class Delete(Statement):
    """DELETE, with ORDER BY and LIMIT."""

    __slots__ = ("limit", "offset", "order_by", "returning", "target", "where", "with_clause")

    def __init__(
        self,
        target: TableSource,
        where: Expression | None,
        order_by: list[OrderingTerm] | None,
        limit: Expression | None,
        offset: Expression | None,
        returning: list[ResultColumn | Star | TableStar] | None,
        with_clause: With | None,
    ) -> None:
        self.target = target
        self.where = where
        self.order_by = order_by
        self.limit = limit
        self.offset = offset
        self.returning = returning
        self.with_clause = with_clause
