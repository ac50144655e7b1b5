"""Program: what the planner hands to the virtual machine, immutable and printable.

A program is a list of instruction tuples (see opcodes), a register template, and descriptions: the result columns, the
parameters, the extents of its loops (tier 2 turns them into `for` loops), the rows of EXPLAIN QUERY PLAN.  It holds no AST
and no schema object, so it can be cached for as long as the schema generation it was made for is current.

The spec classes at the end are the p4 operands of the coarse instructions.
Source: https://www.sqlite.org/opcode.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.functions.registry import AggregateFunction
    from minisql.values.collation import Collation

Instruction = tuple[int, Any, Any, Any, Any, int]
Origin = tuple[str, str, str, str]
"""(schema, table, column, declared type) of a result column."""

Description = tuple[Any, ...]
"""A function that finds the names of the result columns, one that finds their origins, and the arguments of both."""


class LoopExtent:
    """One loop: `kind` (the opcode that starts it), `cursor`, and addresses.

    `start` is the address of the starting instruction (Rewind, SeekGE, HashProbe, SorterSort, GroupRewind, ...), `body` the
    first instruction of the body (the target of the back jump), `next` the address of the Next or Prev that jumps back, and
    `end` the address where the loop is left (the start instruction's jump target).  `row` is the first row register (0 =
    none) and `n_columns` their number.
    """

    __slots__ = ("body", "cursor", "end", "kind", "n_columns", "next", "row", "start")

    def __init__(self, kind: int, cursor: int, start: int, body: int, next_: int, end: int, row: int, n_columns: int) -> None:
        self.kind = kind
        self.cursor = cursor
        self.start = start
        self.body = body
        self.next = next_
        self.end = end
        self.row = row
        self.n_columns = n_columns


class Program:
    """A compiled statement or sub-program.

    `code` instructions; `template` initial registers (constants in place, the rest None); `n_cursors` cursor slots (numbered
    from 0); `parameters` pairs (parameter number from 1, register); `n_parameters` and `parameter_names` (name or None per
    number) as sqlite3_bind_parameter_* give them; `column_names` of result rows, `column_origins` (schema, table, column,
    declared type) or None per column; `readonly`; `is_ddl`; `statement_kind` ('select', 'insert', 'update', 'delete',
    'replace', 'begin', 'commit', ..., as the DB-API layer needs it); `databases` bit masks read and written; `loops`;
    `explain_rows` as (id, parent, 0, detail); `is_deterministic` = may be restarted in another tier before its first row;
    `sql` text or ''.  `n_arguments` > 0 marks a sub-program: its caller fills the registers 1..n_arguments.
    `rows_spec` says how an INSERT of one row of parameters may take many sets of them at once (its list is the parameters), or
    is None.  `linked` is a cache slot that belongs to the vm room.
    """

    __slots__ = (
        "_column_names",
        "_column_origins",
        "code",
        "describe",
        "explain_rows",
        "is_ddl",
        "is_deterministic",
        "linked",
        "loops",
        "n_arguments",
        "n_cursors",
        "n_parameters",
        "needs_statement_journal",
        "parameter_names",
        "parameters",
        "read_databases",
        "readonly",
        "rows_spec",
        "sql",
        "statement_kind",
        "template",
        "write_databases",
    )

    def __init__(
        self,
        code: list[Instruction],
        template: list[object],
        n_cursors: int,
        column_names: tuple[str, ...] = (),
        statement_kind: str = "select",
    ) -> None:
        self.code = code
        self.template = template
        self.n_cursors = n_cursors
        self._column_names: tuple[str, ...] | None = column_names
        self._column_origins: tuple[Origin | None, ...] | None = ()
        # Names and origins on demand: most statements that run once are never asked, and names need the text scanned again.
        self.describe: Description | None = None
        self.statement_kind = statement_kind
        self.parameters: Sequence[tuple[int, int]] = ()
        self.n_parameters = 0
        self.parameter_names: Sequence[str | None] = ()
        self.readonly = True
        self.is_ddl = False
        self.is_deterministic = True
        self.needs_statement_journal = False
        self.rows_spec: RowsSpec | None = None
        self.read_databases = 0
        self.write_databases = 0
        self.loops: Sequence[LoopExtent] = ()
        self.explain_rows: Sequence[tuple[int, int, int, str]] = ()
        self.n_arguments = 0
        self.sql = ""
        self.linked: object = None

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the result columns."""
        names = self._column_names
        if names is None:
            assert self.describe is not None, "`describe_later` has set it"
            find_names, _, *state = self.describe
            names = self._column_names = find_names(*state)
        return names

    @property
    def column_origins(self) -> tuple[Origin | None, ...]:
        """The origins of the result columns."""
        origins = self._column_origins
        if origins is None:
            assert self.describe is not None, "`describe_later` has set it"
            _, find_origins, *state = self.describe
            origins = self._column_origins = find_origins(*state)
        return origins

    @column_origins.setter
    def column_origins(self, origins: tuple[Origin | None, ...]) -> None:
        self._column_origins = origins

    def with_constants(self, code: list[Instruction], template: list[object]) -> Program:
        """The same program with other constants, for a statement that has none of it run yet."""
        program = Program(code, template, self.n_cursors, (), self.statement_kind)
        program._column_names = self._column_names
        program._column_origins = self._column_origins
        program.parameters = self.parameters
        program.readonly = self.readonly
        program.is_deterministic = self.is_deterministic
        program.needs_statement_journal = self.needs_statement_journal
        program.read_databases = self.read_databases
        program.write_databases = self.write_databases
        program.loops = self.loops
        return program

    def describe_now(self) -> None:
        """Finds names and origins, so that nothing is kept to find them."""
        if self.describe is not None:
            _ = self.column_names, self.column_origins
            self.describe = None

    def describe_later(self, description: Description) -> None:
        """Names and origins are to be found when somebody asks for them."""
        self.describe = description
        self._column_names = self._column_origins = None


class SortSpec:
    """How to sort rows: `keys` = positions in the row tuple, with one collation, descending and nulls-first flag each.

    `n_columns` is the width of the rows.  Sorting is stable.  `nulls_first` holds the effective placement (SQLite: NULLs
    are smallest, so first when ascending, last when descending, unless NULLS FIRST/LAST says otherwise).
    """

    __slots__ = ("collations", "descending", "keys", "n_columns", "nulls_first")

    def __init__(
        self,
        keys: tuple[int, ...],
        collations: tuple[Collation, ...],
        descending: tuple[bool, ...],
        nulls_first: tuple[bool, ...],
        n_columns: int,
    ) -> None:
        self.keys = keys
        self.collations = collations
        self.descending = descending
        self.nulls_first = nulls_first
        self.n_columns = n_columns


class HashSpec:
    """A hash table for joins: one collation per key column; `tracks_matches` for RIGHT and FULL joins."""

    __slots__ = ("collations", "tracks_matches")

    def __init__(self, collations: tuple[Collation, ...], tracks_matches: bool = False) -> None:
        self.collations = collations
        self.tracks_matches = tracks_matches


class RowsSpec:
    """What InsertRows, UpdateRows and DeleteRows must know of a table.

    `indexes` are (cursor, fields, n_unique): `fields` the positions in the stored row that make an entry, -1 the rowid;
    `n_unique` leading fields must not agree with those of another row (0: the index is not unique).  `rowid_position` is that
    of the INTEGER PRIMARY KEY or -1.  The update hook hears `table_name` (None: nothing) and `schema_index`.
    For InsertRows `sources` are the positions in the list's rows that the stored columns come from, -1 for those that get
    their `defaults`; `rowid_source` is the position of the rowid there or -1; `not_null` are stored positions.
    For UpdateRows `changed` are the stored positions whose values may be others than before.
    """

    __slots__ = (
        "affinities",
        "changed",
        "defaults",
        "indexes",
        "not_null",
        "rowid_position",
        "rowid_source",
        "schema_index",
        "sources",
        "table_name",
    )

    def __init__(
        self,
        table_name: str | None,
        schema_index: int,
        rowid_position: int,
        indexes: tuple[tuple[int, tuple[int, ...], int], ...],
    ) -> None:
        self.table_name = table_name
        self.schema_index = schema_index
        self.rowid_position = rowid_position
        self.indexes = indexes
        self.sources: tuple[int, ...] = ()
        self.defaults: tuple[Any, ...] = ()
        self.affinities: tuple[int, ...] | None = None
        self.rowid_source = -1
        self.not_null: tuple[int, ...] = ()
        self.changed: tuple[int, ...] = ()


class AggregateCall:
    """One aggregate call of a GroupSpec.

    `registers` hold the arguments (empty for count(*)); `distinct` with `distinct_collation`; `filter_register` 0 or a
    register whose truth admits the row; `order` None or a SortSpec over `order_registers` + arguments for ORDER BY inside the
    call; `collation` for min() and max().
    """

    __slots__ = (
        "collation",
        "distinct",
        "filter_register",
        "function",
        "order",
        "order_registers",
        "registers",
    )

    def __init__(
        self,
        function: AggregateFunction,
        registers: tuple[int, ...],
        distinct: bool = False,
        collation: Collation | None = None,
        filter_register: int = 0,
        order: SortSpec | None = None,
        order_registers: tuple[int, ...] = (),
    ) -> None:
        self.function = function
        self.registers = registers
        self.distinct = distinct
        self.collation = collation
        self.filter_register = filter_register
        self.order = order
        self.order_registers = order_registers


class GroupSpec:
    """A grouping: result rows are (keys..., one result per call..., bare values...).

    `key_registers` with `key_collations` (no keys: exactly one group, also over no rows); `key_descending` gives the order in
    which groups come out (empty: as they came in, which an index has ordered); `bare_registers` are copied from the
    group's first row, or, when `bare_call` is not -1, from the row that gave that min() or max() call its value.
    `plan` is what the machine makes of all this, once for all groupings.
    """

    __slots__ = ("bare_call", "bare_registers", "calls", "key_collations", "key_descending", "key_registers", "plan")

    def __init__(
        self,
        key_registers: tuple[int, ...],
        key_collations: tuple[Collation, ...],
        key_descending: tuple[bool, ...],
        calls: tuple[AggregateCall, ...],
        bare_registers: tuple[int, ...] = (),
        bare_call: int = -1,
    ) -> None:
        self.key_registers = key_registers
        self.key_collations = key_collations
        self.key_descending = key_descending
        self.calls = calls
        self.bare_registers = bare_registers
        self.bare_call = bare_call
        self.plan: Any = None


class ConstantSet:
    """The right side of `x IN (constants)`: the values made comparable (see values.compare.equality_key) and `has_null`.

    `collation` None means BINARY.
    """

    __slots__ = ("collation", "has_null", "keys", "values")

    def __init__(
        self, keys: frozenset[object], has_null: bool, collation: Collation | None, values: tuple[object, ...]
    ) -> None:
        self.keys = keys
        self.has_null = has_null
        self.collation = collation
        self.values = values


class WindowCall:
    """One window function call: argument registers, FILTER register, and the frame.

    `frame` = (unit, start kind, start register or 0, end kind, end register or 0, exclude); kinds are 'unbounded preceding',
    'preceding', 'current row', 'following', 'unbounded following'; units 'rows', 'range', 'groups'; exclude '',
    'no others' (as '', but every frame is computed afresh), 'current row', 'group', 'ties'.  `function` is None for a built-in
    window function (row_number, lag, ...), which `name` (lower case) tells; `collation` is for min() and max().  Frame offsets
    are read from their registers when the rows are computed.
    """

    __slots__ = ("collation", "filter_register", "frame", "function", "name", "registers")

    def __init__(
        self,
        name: str,
        function: AggregateFunction | None,
        registers: tuple[int, ...],
        frame: tuple[str, str, int, str, int, str],
        filter_register: int = 0,
        collation: Collation | None = None,
    ) -> None:
        self.name = name
        self.collation = collation
        self.function = function
        self.registers = registers
        self.frame = frame
        self.filter_register = filter_register


class WindowSpec:
    """One window: rows are made of `row_registers`; they are partitioned by the first `n_partition` sort keys of `sort`,
    ordered by the rest; each call adds one result column behind the row's own columns."""

    __slots__ = ("calls", "n_partition", "row_registers", "sort")

    def __init__(
        self, row_registers: tuple[int, ...], sort: SortSpec | None, n_partition: int, calls: tuple[WindowCall, ...]
    ) -> None:
        self.row_registers = row_registers
        self.sort = sort
        self.n_partition = n_partition
        self.calls = calls
