"""The Compiler: the state of one compilation, shared by all emitters of the planner.

It owns the ProgramBuilder, knows the PlanContext and the text, resolves names, and hands out registers for columns,
constants and parameters.  Emitters are plain functions over it; the ones used everywhere are attached here as methods:
`emit_expression`, `emit_condition`, `emit_select`.

Source: https://www.sqlite.org/lang_expr.html#column_names (resolution), DESIGN "Front end".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.builder import ProgramBuilder
from minisql.bytecode.program import ConstantSet
from minisql.errors import ERROR, ERROR_MISSING_COLLSEQ, Error, sqlite_error
from minisql.limits import call_on_fresh_stack
from minisql.parser import ast
from minisql.planner.bound_code import emit_bound_select, emit_subselect
from minisql.planner.calls import emit_named_call
from minisql.planner.conditions import emit_condition, jump_on_register
from minisql.planner.explain_plan import describe_access
from minisql.planner.expressions import FRESH_STACK_EVERY, emit_expression, placed
from minisql.planner.nested_code import emit_nested
from minisql.planner.nodes import SourceColumn
from minisql.planner.operands import affinity_of, collation_of, typed_operand
from minisql.planner.ordering import same_tree
from minisql.planner.read_authorization import authorize_read
from minisql.planner.scope import ROWID, Capture, Scope, Source, find_in_scope, matches_schema
from minisql.planner.subquery_code import emit_row_subquery, subquery_columns
from minisql.planner.virtual_tables import eponymous_table
from minisql.values.affinity import NUMERIC, TEXT, apply_numeric, apply_text
from minisql.values.collation import BINARY, Collation
from minisql.values.compare import hash_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minisql.bytecode.program import Origin, Program, RowsSpec
    from minisql.catalog.schema import Column, Table
    from minisql.parser.tokenizer import Source as SourceText
    from minisql.planner.context import PlanContext
    from minisql.planner.triggers import TriggerContext


_AGGREGATES = frozenset(
    (
        "avg", "count", "group_concat", "json_group_array", "json_group_object", "jsonb_group_array", "jsonb_group_object",
        "max", "median", "min", "percentile", "percentile_cont", "percentile_disc", "string_agg", "sum", "total",
    )
)  # fmt: skip
"""The built-in functions that are aggregates, or are with some number of arguments."""


_ON_DEMAND: dict[str, Callable[[], object]] = {
    "bound_selects": dict,
    "explain_rows": list,
    "pinned": frozenset,
    "programs": dict,
    "select_numbers": dict,
    "subquery_shapes": dict,
    "views_active": set,
}

_NO_REGISTERS: frozenset[int] = frozenset()


class Compiler:
    """One compilation.  `constants` maps template registers to values; `crossed` holds, after `resolve`, the captures that
    the name crossed (None mostly); `text` is the parse's Source or None when the tree did not come from the statement."""

    __slots__ = (
        "acting_object",
        "alias_name",
        "allows_memo",
        "authorized",
        "binary",
        "bind_depth",
        "bound_selects",
        "builder",
        "calls",
        "code",
        "columns",
        "constant_registers",
        "constants",
        "context",
        "counted",
        "crossed",
        "current_capture",
        "databases_read",
        "databases_written",
        "depth",
        "emit",
        "explain_parent",
        "explain_rows",
        "gathering_capture",
        "has_subqueries",
        "has_virtual_tables",
        "has_with",
        "home",
        "ignores_triggers",
        "in_recursion",
        "is_ddl",
        "is_deterministic",
        "is_in_aggregate",
        "label",
        "may_aggregate",
        "may_collate",
        "mentions_rowid",
        "n_common_uses",
        "needs_rowids",
        "needs_statement_journal",
        "once_results",
        "parameter_names",
        "pinned",
        "place",
        "programs",
        "prologue",
        "register",
        "registers",
        "restricts_functions",
        "returned_origins",
        "reverses_scans",
        "rows_spec",
        "schema_depth",
        "select_depth",
        "select_numbers",
        "subquery_shapes",
        "template",
        "text",
        "tolerates_rows",
        "trigger",
        "uses_fast_path",
        "view_depth",
        "views_active",
        "wants_explain",
    )

    # Whether ALTER TABLE renames something: then it is names that count, not functions.
    is_renaming = False

    # What most statements never need is made when it is first asked for, by `__getattr__`.
    bound_selects: dict[tuple[int, int], object]
    # The (schema index, root page) of tables that sub-programs compiled now must not write: see `emit_refuse_pinned`.
    pinned: frozenset[tuple[int, int]]
    # Sub-programs of the statement by (kind, ...) key, shared with the compilers of sub-programs.
    programs: dict[tuple[object, ...], Program]
    views_active: set[tuple[int, str]]
    subquery_shapes: dict[tuple[int, int], tuple[list[Column], Scope, ast.Select]]
    explain_rows: list[tuple[int, int, int, str]]
    select_numbers: dict[int, int]

    def __init__(
        self,
        context: PlanContext,
        text: SourceText | None,
        parameter_names: Sequence[str | None] = (),
        calls: list[ast.FunctionCall] | None = None,
        columns: list[ast.Column] | None = None,
    ) -> None:
        builder = ProgramBuilder()
        self.builder = builder
        self.context = context
        self.text = text
        self.calls = calls
        self.columns = columns
        self.code = builder.code
        # The builder's methods as attributes: one lookup less in every emitter.
        self.emit: Callable[..., int] = builder.emit
        self.register = builder.register
        self.registers = builder.registers
        self.label = builder.label
        self.place = builder.place
        self.constant_registers = builder.constant_registers
        self.template = builder.template
        self.constants: dict[int, object] = {}
        # BINARY as instructions have it: None, or in a UTF-16 database the order of its bytes.
        binary = context.find_collation("BINARY")
        self.binary = None if binary is None or binary.is_binary else binary
        self.crossed: list[Capture] | None = None
        # Registers of calls that run once, as their arguments are constants.
        self.once_results = _NO_REGISTERS
        # The result alias whose expression is being emitted, for messages.
        self.alias_name: str | None = None
        # The column name of the number of changed rows, which PRAGMA count_changes makes the statement return.
        self.counted: str | None = None
        # While the arguments of an aggregate are emitted, for messages.
        self.is_in_aggregate = False
        # False if the whole statement surely has none.
        self.has_subqueries = True
        self.depth = 0
        # Cheap looks at the text spare walks over the tree: what does not stand there need not be looked for.
        if text is None:
            self.may_collate = self.mentions_rowid = self.may_aggregate = True
        else:
            lowered = text.sql.lower()
            self.may_collate = "collate" in lowered
            self.mentions_rowid = "rowid" in lowered or "oid" in lowered
            self.may_aggregate = calls is None or (len(calls) > 0 and self._may_aggregate(calls))
        # PRAGMA minisql_fast_path = off: plan everything, for tests that compare both ways.
        self.reverses_scans = context.flags.get("reverse_unordered_selects", False)
        self.uses_fast_path: bool = (
            context.flags.get("minisql_fast_path", True) and context.authorizer is None and not self.reverses_scans
        )
        self.parameter_names: list[str | None] = list(parameter_names)
        self.databases_read = 0
        self.databases_written = 0
        self.prologue: list[tuple[int, object, object, object, object, int]] = []
        self.is_deterministic = True
        self.is_ddl = False
        self.needs_statement_journal = False
        self.rows_spec: RowsSpec | None = None
        # Rowids are wanted behind a grouping although no name says so.
        self.needs_rowids = False
        # Set while a trigger program or foreign-key action is compiled.
        self.trigger: TriggerContext | None = None
        # The schema that unqualified table names mean inside a view or a trigger that is not TEMP; None: the usual search.
        self.home: str | None = None
        # ALTER TABLE compiles single objects only to see what their names mean.
        self.ignores_triggers = False
        self._begin_reports()
        self.view_depth = 0
        # Above 0 while what is compiled will not run, so that misused row values do no harm.
        self.tolerates_rows = 0
        # Above 0 while an expression from a schema other than TEMP is compiled: see trust.
        self.schema_depth = 0
        # Whether a WITH clause was met, which changes how the rows of VALUES are made.
        self.has_with = False
        # How many SELECTs around this place are being bound, or emitted.
        self.select_depth = 0
        # Uses of common tables, each of which is bound for itself: nested, they double from one to the next.
        self.n_common_uses = 0
        # How many SELECTs and parenthesised joins are being bound around this place.
        self.bind_depth = 0
        # The capture of the expression subquery that is being bound, None outside of any.
        self.current_capture: Capture | None = None
        # While rows are gathered inside of what may run many times: the capture of the subquery around, and whether the step
        # of a recursive table is around.
        self.gathering_capture: Capture | None = None
        # The origins of the columns of RETURNING.
        self.returned_origins: tuple[Origin | None, ...] = ()
        self.in_recursion = False
        # Results of correlated subqueries may be kept by outer values: only while nothing is written.
        self.allows_memo = False
        # 'generated column', 'CHECK constraint', 'index', ... while such an expression is compiled, else ''.
        self.restricts_functions = ""

    def __getattr__(self, name: str) -> Any:
        make = _ON_DEMAND.get(name)
        if make is None:
            raise AttributeError(name)
        made = make()
        setattr(self, name, made)
        return made

    def _may_aggregate(self, calls: list[ast.FunctionCall]) -> bool:
        if self.context.functions.generation > 0:
            return True
        return any([call.over is not None or call.name.lower() in _AGGREGATES for call in calls])

    def _begin_reports(self) -> None:
        """The state of what is told to the authorizer and to EXPLAIN QUERY PLAN."""
        # A table in FROM may have functions of its own.
        self.has_virtual_tables = False
        # What the authorizer answered, by id() of the (kept) nodes and by action and names.
        self.authorized: dict[Any, tuple[object, bool]] | None = None if self.context.authorizer is None else {}
        # The innermost trigger or view in whose name things happen, for the authorizer.
        self.acting_object: str | None = None
        self.wants_explain = False
        self.explain_parent = 0

    emit_expression = emit_expression
    emit_condition = emit_condition
    jump_on_register = jump_on_register
    typed_operand = typed_operand
    affinity_of = affinity_of
    collation_of = collation_of
    emit_row_subquery = emit_row_subquery
    subquery_columns = subquery_columns
    emit_nested = emit_nested
    same_tree = staticmethod(same_tree)
    emit_bound_select = emit_bound_select
    emit_subselect = emit_subselect
    describe_access = describe_access
    eponymous_table = eponymous_table

    def emit_call(self, name: str, arguments: list[ast.Expression], scope: Scope, target: int = 0) -> int:
        """A call that SQL writes as an operator or keyword."""
        return emit_named_call(self, name, arguments, scope, target)

    def spawn(self) -> Compiler:
        """A compiler for a sub-program of the statement."""
        inner = Compiler(self.context, None)
        if self.authorized is None:
            inner.authorized = None
        return inner

    # Registers

    def constant(self, value: object) -> int:
        """The template register of a constant."""
        # As `builder.constant`, without the call.
        kind = value.__class__
        is_zero = kind is float and not value
        key: object = value if kind is int or kind is str else (float, repr(value)) if is_zero else (kind, value)
        registers = self.constant_registers
        register = registers.get(key)
        if register is None:
            template = self.template
            register = registers[key] = len(template)
            template.append(value)
            self.constants[register] = value
        return register

    def parameter(self, number: int, name: str | None) -> int:
        """The template register of a parameter."""
        names = self.parameter_names
        while len(names) < number:
            names.append(None)
        # The first name of a number is its name: ":a" stays where "?1" comes later.
        if name is not None and names[number - 1] is None:
            names[number - 1] = name
        return self.builder.parameter(number)

    # Names

    def resolve(self, node: ast.Column, scope: Scope) -> tuple[Source, int] | None:
        """The source and column number (or ROWID) a name means; None for a string in double quotes, TRUE and FALSE.

        Raises `no such column` and `ambiguous column name`.
        """
        self.crossed = None
        known = node.binding
        if known is not None:
            sources = scope.sources
            if len(sources) == 1 and sources[0] is known[0]:
                return known  # type: ignore[no-any-return]
        table = node.table
        name = node.name.lower()
        if table is None:
            sources = scope.sources
            if len(sources) == 1:
                source = sources[0]
                position = source.positions.get(name)
                if position is not None and not source.is_qualified_only:
                    if self.authorized is None:
                        return source, position
                    return (source, position) if authorize_read(self, node, source, position, scope) else None
            schema = None
        else:
            table = table.lower()
            schema = node.schema.lower() if node.schema is not None else None
            sources = scope.sources
            if schema is None and self.authorized is None and len(sources) == 1 and sources[0].name == table:
                position = sources[0].positions.get(name)
                if position is not None:
                    return sources[0], position
        return self._search(node, scope, name, table, schema)

    def _search(
        self, node: ast.Column, scope: Scope, name: str, table: str | None, schema: str | None
    ) -> tuple[Source, int] | None:
        crossed: list[Capture] = []
        level: Scope | None = scope
        while level is not None:
            count, source, position = find_in_scope(level, name, table, schema)
            if not count and table is None and level.alias_source is not None:
                alias_position = level.alias_source.positions.get(name)
                if alias_position is not None:
                    count, source, position = 1, level.alias_source, alias_position
            if count > 1:
                raise sqlite_error(ERROR, f"ambiguous column name: {_written(node)}", self.offset(node.position))
            if source is not None and count:
                self.crossed = crossed or None
                if self.authorized is None:
                    return source, position
                return (source, position) if authorize_read(self, node, source, position, level) else None
            if level.capture is not None:
                crossed.append(level.capture)
            level = level.parent
        if table is None and self._is_name_constant(node):
            return None
        raise sqlite_error(ERROR, f"no such column: {_written(node)}", self.offset(node.position))

    def _is_name_constant(self, node: ast.Column) -> bool:
        if node.is_double_quoted:
            return bool(self.context.flags.get("dqs_dml", True))
        return node.name.lower() in ("true", "false")

    def name_constant(self, node: ast.Column) -> object:
        """The value of a name that `resolve` found no column for."""
        if self.authorized is not None and id(node) in self.authorized:
            return None
        if node.is_double_quoted:
            return node.name
        return 1 if node.name.lower() == "true" else 0

    def offset(self, position: int) -> int:
        """The byte offset of a token for an error, -1 when the text is not the statement's."""
        if self.text is None or self.view_depth:
            return -1
        return self.text.offset(position)

    # Columns

    def emit_resolved(self, source: Source, position: int) -> int:
        """The register of a resolved column, computed if need be."""
        if source.expressions is not None:
            assert source.inner is not None, "a source of expressions has a scope"
            self.depth += 1
            if self.depth % FRESH_STACK_EVERY:
                register = emit_expression(self, source.expressions[position], source.inner)
            else:
                register = call_on_fresh_stack(emit_expression, self, source.expressions[position], source.inner)
            self.depth -= 1
            return self.guard_null(source, position, register) if source.null_source is not None else register
        if position == ROWID:
            return self.emit_rowid(source)
        return self.emit_source_column(source, position)

    def emit_source_column(self, source: Source, position: int) -> int:
        """The register of column `position` of a source that holds values."""
        if source.expressions is not None:
            return self.emit_resolved(source, position)
        register = source.registers[position]
        if not register:
            return self._emit_generated(source, position)
        if source.group_map is not None:
            return source.group_map.register_of(register)
        return register

    def _emit_generated(self, source: Source, position: int) -> int:
        """A virtual generated column: its expression over the other columns, with the column's affinity."""
        column = source.columns[position]
        assert column.generated is not None, "a column without register is generated"
        self.may_collate = True
        self.view_depth += 1
        is_foreign = source.table is not None and source.table.schema_index != 1
        self.schema_depth += is_foreign
        value = emit_expression(self, column.generated, self.own_scope(source))
        self.schema_depth -= is_foreign
        self.view_depth -= 1
        result = self.register()
        group_map = source.group_map
        if source.null_source is None and (group_map is None or group_map.has_keys):
            self.emit(op.ApplyAffinity, value, column.affinity, result)
            return result
        label = self.label()
        self.emit(op.Null, 0, result, 1)
        self.emit(op.IsNull, self._row_mark(source), label)
        self.emit(op.ApplyAffinity, value, column.affinity, result)
        self.place(label)
        return result

    def _row_mark(self, source: Source) -> int:
        """A register that is NULL only in the null row of an outer join (the rowid, else a primary key column), or when an
        aggregate has seen no row."""
        if source.group_map is not None and source.null_source is None:
            return source.group_map.register_of(self.constant(1))
        table = source.table
        assert table is not None, "only tables have generated columns"
        if not table.is_without_rowid:
            return self.emit_rowid(source)
        key = next(index for index in table.indexes if index.is_clustered).columns[0].position
        return self.emit_source_column(source, key)

    def own_scope(self, source: Source) -> Scope:
        """A scope that sees one source alone: for generated columns, index expressions, partial index conditions."""
        if source.inner is None:
            source.inner = Scope([source])
        return source.inner

    def emit_rowid(self, source: Source) -> int:
        """The register of a source's rowid."""
        register = source.rowid_register
        if not register and source.table is not None and source.table.rowid_alias >= 0:
            register = source.registers[source.table.rowid_alias]
        if register:
            return source.group_map.register_of(register) if source.group_map is not None else register
        assert source.group_map is None, "rowids behind a grouping were loaded before it"
        register = self.register()
        self.emit(op.Rowid, source.cursor, register)
        return register

    def is_row_register(self, source: Source, register: int) -> bool:
        """Whether a register belongs to the row of a source and so keeps its value within one row."""
        if source.group_map is not None:
            return register in source.group_map.registers.values()
        return register == source.rowid_register or register in source.registers

    def guard_null(self, source: Source, position: int, register: int) -> int:
        """The value of a flattened column, NULL while its source is the null row of an outer join."""
        assert source.expressions is not None, "only flattened sources have null rows of their own"
        if source.null_source is None or source.expressions[position].__class__ in (ast.Column, SourceColumn):
            return register
        result = self.register()
        label = self.label()
        self.emit(op.Null, 0, result, 1)
        self.emit(op.IsNull, self.emit_rowid(source.null_source), label)
        placed(self, register, result)
        self.place(label)
        return result

    # Databases

    def use_database(self, database: int, is_write: bool) -> None:
        """Notes that the program reads (or writes) a database: `finish` makes a Transaction of it."""
        self.databases_read |= 1 << database
        if is_write:
            self.databases_written |= 1 << database

    def open_read(self, table: Table) -> int:
        """Opens a cursor on a table; returns its number."""
        database = table.schema_index
        self.databases_read |= 1 << database
        cursor = self.builder.cursor()
        self.emit(op.OpenRead, cursor, table.root_page, database, table.shape)
        return cursor

    def source_text(self, first: int, end: int) -> str:
        """The statement's (or view's) own text of some tokens; '' if the tree has no text."""
        return self.text.text(first, end) if self.text is not None else ""

    # Collations

    def collation(self, name: str | None) -> Collation | None:
        """The collation of that name, None for BINARY; raises `no such collation sequence`."""
        if name is None or name == "BINARY":
            return self.binary
        found = self.context.find_collation(name)
        if found is None:
            raise sqlite_error(ERROR_MISSING_COLLSEQ, f"no such collation sequence: {name}")
        return None if found.is_binary else found

    def key_collation(self, name: str | None) -> Collation:
        """As `collation`, but BINARY itself is returned: for keys of sorts, groups and sets."""
        return self.collation(name) or BINARY

    def collation_for(self, node: ast.Expression, scope: Scope) -> Collation:
        """The collation by which an expression is sorted, grouped or made distinct."""
        return self.key_collation(collation_of(self, node, scope)[0])

    def constant_set(self, values: list[object], affinity: int, collation: Collation | None) -> ConstantSet:
        """The right side of IN with constants only, after the affinity of the left side."""
        if affinity >= NUMERIC:
            values = [apply_numeric(value) for value in values]  # type: ignore[arg-type]
        elif affinity == TEXT:
            values = [apply_text(value) for value in values]  # type: ignore[arg-type]
        order = collation or BINARY
        present = tuple(value for value in values if value is not None)
        try:
            keys = frozenset(hash_key(value, order) for value in present)
        except TypeError:
            keys = frozenset()
        return ConstantSet(keys, len(present) != len(values), collation, present)

    # Explain

    def explain(self, detail: str, cost: int = 0) -> int:
        """Notes a row of EXPLAIN QUERY PLAN below the current parent; returns its id."""
        if not self.wants_explain:
            return 0
        number = len(self.code) + 1 + len(self.explain_rows)
        self.explain_rows.append((number, self.explain_parent, cost, detail))
        return number

    def explain_below(self, detail: str) -> int:
        """As `explain`, and makes the new row the parent of the next ones; returns the parent until then."""
        parent = self.explain_parent
        if self.wants_explain:
            self.explain_parent = self.explain(detail)
        return parent

    def select_number(self, node: object) -> int:
        """The number by which EXPLAIN QUERY PLAN names a SELECT: they are counted as the parser finishes them."""
        return self.select_numbers.get(id(node), 0)


def _written(node: ast.Column) -> str:
    """A name as SQLite repeats it in errors."""
    if node.schema is not None:
        return f"{node.schema}.{node.table}.{node.name}"
    return f"{node.table}.{node.name}" if node.table is not None else node.name


__all__ = ["Compiler", "Error", "SourceColumn", "matches_schema"]
