"""Scopes: what a name means at one place of a statement, and in which register its value lives.

A `Source` is one thing in FROM (or a trigger's OLD and NEW, an upsert's `excluded`, the row that a CHECK looks at): an alias,
columns, and a register for each of them.  Sources whose columns are expressions instead (a flattened subquery, a view, the
coalesced columns of USING, result aliases) carry the expressions and the scope these are read in, so flattening needs no
rewriting of trees.  A `Scope` is the list of sources that one SELECT sees plus its aliases, and a parent for correlation.

`resolve` follows SQLite's order: columns of the sources, the rowid, result aliases, then the enclosing scope; a name in
double quotes that means nothing is a string.  Crossing into a parent tells every `Capture` between (see subquery_code).

Source: https://www.sqlite.org/lang_select.html, https://www.sqlite.org/lang_expr.html#column_names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from minisql.catalog.schema import Column
from minisql.values import affinity as affinities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.catalog.schema import Table
    from minisql.parser import ast
    from minisql.planner.query_blocks import BoundSelect


class _HasExpression(Protocol):
    """A result column."""

    expression: ast.Expression


ROWID_NAMES = frozenset(("rowid", "oid", "_rowid_"))
ROWID = -1
WIDE_JOIN = 6
ROWID_COLUMN = Column("rowid", "INTEGER", affinities.INTEGER)


_NONE: frozenset[int] = frozenset()


class Source:
    """One named row of values.

    `columns` describe it (name, affinity, collation, declared type); `positions` maps lower-case names to column numbers;
    `registers` has one register per column, 0 for a column that has to be computed (`expressions[n]` in `inner`, or the
    table's generated expression).  `rowid_register` is a register or 0: then the Rowid of `cursor` is read on demand
    (`has_rowid` says whether there is one).  `is_stored` promises that values already have their column's affinity.
    `is_qualified_only` sources are found only with their alias before the name (OLD, NEW, excluded).  `mask` is the source's
    bit among the sources of its query block, 0 for outer rows that are constant there.
    """

    __slots__ = (
        "alias",
        "columns",
        "cursor",
        "expressions",
        "group_map",
        "has_rowid",
        "inner",
        "is_coalesced",
        "is_qualified_only",
        "is_stored",
        "json_columns",
        "mask",
        "name",
        "null_source",
        "positions",
        "registers",
        "rowid_register",
        "schema_name",
        "select",
        "shown",
        "table",
        "view",
    )

    def __init__(
        self,
        alias: str,
        columns: Sequence[Column],
        positions: dict[str, int],
        registers: list[int],
        table: Table | None = None,
    ) -> None:
        self.alias = alias
        self.name = alias.lower()
        self.columns = columns
        self.positions = positions
        self.registers = registers
        self.table = table
        self.schema_name: str | None = None
        self.cursor = -1
        self.json_columns: frozenset[int] = _NONE
        self.rowid_register = 0
        self.has_rowid = False
        # The view whose rows these are.
        self.view: Table | None = None
        self.is_stored = False
        self.is_qualified_only = False
        # The column of USING in a FULL JOIN: an expression with the affinity and collation of a column.
        self.is_coalesced = False
        self.expressions: Sequence[ast.Expression] | None = None
        self.inner: Scope | None = None
        # What the rows of a subquery come from.
        self.select: BoundSelect | None = None
        self.mask = 0
        # Set while code behind a grouping is emitted: column number -> register of the group row.
        self.group_map: GroupMap | None = None
        # For a flattened right side of an outer join: the table whose rowid is NULL in the null row.
        self.null_source: Source | None = None
        # Within a parenthesised join: the names that results show, by position.
        self.shown: dict[int, str] | None = None


class GroupMap:
    """Where bare columns live behind a grouping: registers of the group row, handed out on first use.

    `row_registers` are the registers that the row has inside the loop; the grouping copies `wanted` in order.  Without keys
    (`has_keys`) there is a group even without rows; then all of them are NULL.
    """

    __slots__ = ("has_keys", "limit", "next_register", "registers", "wanted")

    def __init__(self, first_register: int, limit: int, has_keys: bool = False) -> None:
        self.has_keys = has_keys
        self.next_register = first_register
        self.limit = limit
        self.registers: dict[int, int] = {}
        self.wanted: list[int] = []

    def register_of(self, row_register: int) -> int:
        """The register behind the grouping that holds what `row_register` held inside the loop."""
        register = self.registers.get(row_register)
        if register is None:
            register = self.registers[row_register] = self.next_register
            assert register < self.limit, "more bare columns than were reserved"
            self.next_register += 1
            self.wanted.append(row_register)
        return register


class Capture:
    """Notes which values of enclosing scopes a subquery reads: `registers`; `is_opaque` if one is not a plain register."""

    __slots__ = ("is_opaque", "registers")

    def __init__(self) -> None:
        self.registers: dict[int, None] = {}
        self.is_opaque = False

    @property
    def is_correlated(self) -> bool:
        """Whether anything outside was read."""
        return self.is_opaque or bool(self.registers)


Merged = tuple[Source, int, frozenset[int], frozenset[int]]
"""What the bare name of a USING column means: a column, the numbers of the sources that it stands for, and those of further
sources that have the name and do not make it ambiguous."""


class NestedNames:
    """A parenthesised join seen from around it: a run of `n_sources` sources, and the columns of its USING as (the number of
    the source before which they stand, name, name shown)."""

    __slots__ = ("merged", "n_sources")

    def __init__(self, n_sources: int) -> None:
        self.n_sources = n_sources
        self.merged: list[tuple[int, str, str]] = []


class Scope:
    """What names mean in one SELECT (or trigger program, or constraint).

    `sources` in FROM order; `merged` maps the lower-case names of USING and NATURAL columns to (source, position) pairs that
    stand for all their tables (with the set of sources taken in); `aliases` maps result aliases to numbers of `results`;
    `common_tables` those of WITH; `capture` is not None when this scope is the top of a subquery.
    """

    __slots__ = (
        "_alias_source",
        "acting_object",
        "aggregates",
        "aliases",
        "capture",
        "common_tables",
        "group_keys",
        "is_grouped",
        "merged",
        "nested",
        "parent",
        "places",
        "results",
        "sources",
        "windows",
    )

    def __init__(self, sources: list[Source], parent: Scope | None = None) -> None:
        self.sources = sources
        self.parent = parent
        self.merged: dict[str, Merged] | None = None
        # Parenthesised joins by the number of their first source.
        self.nested: dict[int, NestedNames] | None = None
        self.aliases: dict[str, int] | None = None
        self.results: Sequence[_HasExpression] = ()
        self._alias_source: Source | None = None
        self.common_tables: dict[str, object] | None = None
        self.capture: Capture | None = None
        # Registers of aggregate and window calls by id() of their (unshared) nodes, set behind a grouping.
        self.aggregates: dict[int, int] | None = None
        self.group_keys: list[tuple[ast.Expression, int]] | None = None
        self.windows: dict[int, int] | None = None
        # Whether the SELECT has aggregates or GROUP BY, for messages.
        self.is_grouped = False
        # The view or trigger in whose name this scope reads.
        self.acting_object: str | None = None
        # Of a wide join: (number of sources, what unqualified names mean).
        self.places: tuple[int, dict[str, tuple[int, Source | None, int]]] | None = None

    @property
    def alias_source(self) -> Source | None:
        """The result aliases as a source of expressions; made when a name is first looked for there."""
        source = self._alias_source
        if source is None and self.aliases is not None:
            source = self._alias_source = Source("", (), self.aliases, [])
            source.expressions = [result.expression for result in self.results]
            source.inner = self
        return source


def table_source(table: Table, alias: str, registers: list[int]) -> Source:
    """A source over a catalog table whose columns live in the given registers (0: generated on demand).

    The factory that OLD, NEW, excluded and target rows use.
    """
    source = Source(alias, table.columns, table.column_positions, registers, table)
    source.schema_name = table.schema_name
    source.has_rowid = not table.is_without_rowid and table.view is None
    source.is_stored = True
    return source


def row_registers(table: Table, first: int) -> list[int]:
    """Registers of a table's columns when a cursor loads its stored row into registers from `first`; 0 for virtual ones."""
    columns = table.columns
    if not table.has_generated and not table.is_without_rowid:
        return list(range(first, first + len(columns)))
    if table.is_without_rowid and table.storage_columns:
        registers = [0] * len(columns)
        for field, position in enumerate(table.storage_columns):
            registers[position] = first + field
        return registers
    return [0 if column.storage_position < 0 else first + column.storage_position for column in columns]


def stored_width(table: Table) -> int:
    """How many registers a stored row of the table fills."""
    if table.is_without_rowid and table.storage_columns:
        return len(table.storage_columns)
    if not table.has_generated:
        return len(table.columns)
    return sum(1 for column in table.columns if column.storage_position >= 0)


def holders_of(scope: Scope, first_new: int, name: str) -> list[int]:
    """The numbers of the sources before `first_new` that have a column; those in parentheses only if it is called so there."""
    return [
        number
        for number, source in enumerate(scope.sources[:first_new])
        if name in source.positions
        and not source.is_qualified_only
        and (source.shown is None or source.shown[source.positions[name]].lower() == name)
    ]


def find_in_scope(scope: Scope, name: str, table: str | None, schema: str | None) -> tuple[int, Source | None, int]:
    """Looks for a column among one scope's sources: (number of matches, first source, position).

    `name`, `table` and `schema` are lower case.  Position ROWID means the rowid.
    """
    if table is None and scope.merged is not None and name in scope.merged:
        source, position, taken, silent = scope.merged[name]
        others = sum(
            1
            for number, other in enumerate(scope.sources)
            if number not in taken and number not in silent and name in other.positions and not other.is_qualified_only
        )
        return 1 + others, source, position
    count = 0
    found: Source | None = None
    found_position = 0
    sources = scope.sources
    if table is None and len(sources) > WIDE_JOIN and name not in ROWID_NAMES:
        return _places(scope).get(name, (0, None, 0))
    for source in sources:
        if table is not None:
            if source.name != table or (schema is not None and not matches_schema(source, schema)):
                continue
        elif source.is_qualified_only:
            continue
        place = source.positions.get(name)
        if place is not None:
            count += 1
            if found is None:
                found = source
                found_position = place
    if count or name not in ROWID_NAMES:
        return count, found, found_position
    return _find_rowid(scope, table, schema)


def _places(scope: Scope) -> dict[str, tuple[int, Source | None, int]]:
    """What every unqualified name means in a join so wide that looking through its sources for each name is slow."""
    sources = scope.sources
    if scope.places is not None and scope.places[0] == len(sources):
        return scope.places[1]
    places: dict[str, tuple[int, Source | None, int]] = {}
    for source in sources:
        if not source.is_qualified_only:
            for name, position in source.positions.items():
                count, found, place = places.get(name, (0, source, position))
                places[name] = (count + 1, found, place)
    scope.places = (len(sources), places)
    return places


def _find_rowid(scope: Scope, table: str | None, schema: str | None) -> tuple[int, Source | None, int]:
    candidates = [
        source
        for source in scope.sources
        if (not source.is_qualified_only if table is None else source.name == table)
        and (schema is None or matches_schema(source, schema))
    ]
    if len(candidates) == 1 and candidates[0].has_rowid:
        return 1, candidates[0], ROWID
    with_rowid = [source for source in candidates if source.has_rowid]
    if len(with_rowid) > 1:
        return len(with_rowid), with_rowid[0], ROWID
    return 0, None, 0


def matches_schema(source: Source, schema: str) -> bool:
    """Whether `schema.` may stand before the source's name."""
    own = source.schema_name
    return own is not None and (own.lower() == schema or (schema == "main" and own == "main"))
