"""Query blocks: what binding makes of a SELECT, and what planning and code generation work on.

A `BoundSelect` has one `Block` per core; a block has `Input`s (its FROM items on their way to loops) and `Result`s; common
tables are known by their `CommonTable`.  Plain holders of state: binding fills them, planning reorders, loops give registers.

Source: https://www.sqlite.org/lang_select.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from minisql.errors import ERROR, sqlite_error

if TYPE_CHECKING:
    from minisql.catalog.schema import Column, Table
    from minisql.parser import ast
    from minisql.planner.index_terms import Usage
    from minisql.planner.scope import Scope, Source

TABLE, SUBQUERY, RECURSION, FUNCTION, NESTED = range(5)
NO_PLAN = "no query solution"
MAX_JOINED, MAX_FROM = 64, 200
"""SQLite keeps sets of joined tables in 64 bits; a FROM clause it does not plan at once may be longer."""


def refuse_wide_join(n_inputs: int) -> None:
    """Raises for more tables than one join may have."""
    if n_inputs > MAX_FROM:
        raise sqlite_error(ERROR, f"too many FROM clause terms, max: {MAX_FROM}")
    if n_inputs > MAX_JOINED:
        raise sqlite_error(ERROR, f"at most {MAX_JOINED} tables in a join")


class RowCount:
    """LIMIT or OFFSET (`operator`) of a SELECT: the register that counts it down, and its value if that is a constant."""

    __slots__ = ("constant", "operator", "register")

    def __init__(self, operator: str, register: int, constant: int | None) -> None:
        self.operator = operator
        self.register = register
        self.constant = constant


class Input:
    """One item of a FROM clause on its way to a loop.

    `kind`: TABLE (`table`), SUBQUERY (`select`: also views and common tables), RECURSION (the queue row of a recursive common
    table), FUNCTION (`arguments`), NESTED (`block`: a parenthesised or right join whose rows are gathered first).  `sources`
    are what names see (one, except for NESTED).  `join_flags` are JOIN_* bits, `on` the terms of ON and USING.
    """

    __slots__ = (
        "argument_scope",
        "arguments",
        "block",
        "common_table",
        "indexed_by",
        "is_not_indexed",
        "join_flags",
        "kind",
        "label",
        "mask",
        "named_schema",
        "on",
        "on_scope",
        "row_base",
        "row_counts",
        "row_width",
        "scan_columns",
        "search_base",
        "search_cursor",
        "search_width",
        "select",
        "source",
        "sources",
        "table",
        "usage",
        "visible",
    )

    def __init__(self, kind: int, source: Source) -> None:
        self.kind = kind
        self.source = source
        self.sources = [source]
        # What names see, if that is not `sources`.
        self.visible: list[Source] | None = None
        self.on_scope: Scope | None = None
        # The names used by the statement.
        self.usage: Usage | None = None
        self.row_width = 0
        # LIMIT and OFFSET, where a virtual table stands alone and may hear of them.
        self.row_counts: list[RowCount] = []
        # Which columns (-1: the rowid) a scan of a virtual table delivers.
        self.scan_columns: tuple[int, ...] = ()
        self.table: Table | None = None
        self.select: BoundSelect | None = None
        self.block: Block | None = None
        self.common_table: CommonTable | None = None
        self.arguments: list[ast.Expression] = []
        self.argument_scope: Scope | None = None
        # The index or hash cursor of the chosen access and where its rows are loaded.
        self.search_cursor = -1
        self.search_base = 0
        self.search_width = 0
        self.join_flags = 0
        self.on: list[ast.Expression] = []
        self.indexed_by: str | None = None
        self.is_not_indexed = False
        self.mask = 0
        self.row_base = 0
        self.label = ""
        # The schema that the statement names.
        self.named_schema: str | None = None

    @property
    def is_shared(self) -> bool:
        """Whether its rows are gathered once for several uses, none of which may have them changed for its own sake."""
        return self.common_table is not None and self.common_table.is_shared


class CommonTable:
    """A table of a WITH clause: its node, the scope it is read in, how often it is used, and while it is being bound
    recursively, the columns known so far."""

    __slots__ = (
        "columns", "cursor", "depth", "flag", "is_binding", "is_emitting", "is_recursive", "is_shared", "n_uses",
        "n_uses_before", "node", "row_registers", "scope",
    )  # fmt: skip

    def __init__(self, node: ast.CommonTable, scope: Scope | None) -> None:
        self.node = node
        self.scope = scope
        self.is_binding = False
        # Whether the code of its own arms is being emitted, and how deep among SELECTs these arms were bound.
        self.is_emitting = False
        self.depth = 0
        self.is_recursive = False
        self.columns: list[Column] = []
        self.n_uses = 0
        # Of these those of the arms before the one that is being bound.
        self.n_uses_before = 0
        # Used more than once: the list cursor that holds its rows, and the register that tells that it does.
        self.is_shared = False
        self.cursor = -1
        self.flag = 0
        self.row_registers: list[int] = []


class Result:
    """A result column: expression, name, and whether the name is an alias."""

    __slots__ = ("alias", "end", "expression", "first", "name")

    def __init__(self, expression: ast.Expression, name: str | None, alias: str | None, first: int = 0, end: int = 0) -> None:
        self.expression = expression
        self.name = name
        self.alias = alias
        self.first = first
        self.end = end


AnyResult: TypeAlias = "Result | ast.ResultColumn"
"""A result column as it was written, or one that binding has made."""


class Block:
    """A bound SELECT core (or VALUES: then `rows` is not None and there are no inputs).

    `needs_whole_rows` tells that the rows will be changed where they are found: no covering index is scanned instead.
    `is_existence`: only whether there is a row is wanted, so its results are not computed and need no order.
    """

    __slots__ = (
        "core", "extra_terms", "inputs", "is_existence", "is_row_list", "needs_whole_rows", "results", "rows", "scope", "where",
    )  # fmt: skip

    def __init__(self, core: ast.Core | None, scope: Scope) -> None:
        self.core = core
        self.scope = scope
        self.inputs: list[Input] = []
        self.results: list[AnyResult] = []
        self.rows: list[list[ast.Expression]] | None = None
        self.is_row_list = False
        self.where: ast.Expression | None = core.where if core is not None else None
        # WHERE and ON of flattened subqueries with the scopes they are read in and the right side they belong to.
        self.extra_terms: list[tuple[Scope, ast.Expression, Input | None]] = []
        self.needs_whole_rows = False
        self.is_existence = False


class BoundSelect:
    """A bound SELECT statement: blocks joined by `operators`; `columns` describe its rows.

    `recursion` is set for the body of a recursive common table: the index of its first recursive block.
    """

    __slots__ = ("blocks", "columns", "common_table", "first_recursive", "node", "operators", "scope")

    def __init__(self, node: ast.Select, scope: Scope | None) -> None:
        self.node = node
        self.scope = scope
        self.blocks: list[Block] = []
        self.columns: list[Column] = []
        self.operators = node.operators
        self.common_table: CommonTable | None = None
        self.first_recursive = 0

    def take_one(self) -> None:
        """Only the first row is wanted: the last UNIONs need not look for equal rows, which changes what comes first."""
        if self.node.order_by or self.common_table is not None:
            return
        operators = list(self.operators)
        for number in range(len(operators) - 1, -1, -1):
            if not operators[number].startswith("UNION"):
                break
            operators[number] = "UNION ALL"
        self.operators = operators
