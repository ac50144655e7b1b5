"""Binding: from a parsed SELECT to query blocks whose FROM items are sources, stars are expanded and columns are known.

Comes in: an `ast.Select` and the scope around it; goes out: a `BoundSelect` with one `Block` per core.  FROM-clause subqueries,
views and common tables are bound on the way (they decide what columns there are); subqueries in expressions are bound when
they are emitted.  Nothing is emitted here and no register is handed out.

Source: https://www.sqlite.org/lang_select.html, https://www.sqlite.org/lang_with.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.catalog.schema import Column
from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import AggregateFunction
from minisql.limits import COLUMN, COMPOUND_SELECT, EXPR_DEPTH, call_on_fresh_stack
from minisql.parser import ast
from minisql.parser.tokenizer import Source as SourceText
from minisql.planner.column_origins import origin_of
from minisql.planner.compound_columns import compound_affinity, type_of_column
from minisql.planner.nodes import SourceColumn
from minisql.planner.operands import affinity_of, collation_of
from minisql.planner.query_blocks import (
    FUNCTION,
    MAX_FROM,
    NESTED,
    RECURSION,
    SUBQUERY,
    TABLE,
    AnyResult,
    Block,
    BoundSelect,
    CommonTable,
    Input,
    Result,
    refuse_wide_join,
)
from minisql.planner.read_authorization import is_ignored
from minisql.planner.scope import ROWID, ROWID_NAMES, Merged, Scope, Source, find_in_scope, holders_of
from minisql.planner.star import expand_star, is_merged, name_nested, unique_names
from minisql.planner.trust import refuse_unsafe_table, refuse_unsafe_view
from minisql.planner.walking import CHILDREN, walk
from minisql.values.affinity import NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler

def bind_select(
    compiler: Compiler,
    node: ast.Select,
    parent: Scope | None,
    common_table: CommonTable | None = None,
    wants_columns: bool = True,
) -> BoundSelect:
    """Binds a SELECT read in the scope `parent` (None at the top); `columns` stay empty if nobody `wants_columns` yet."""
    compiler.select_depth += 1
    if compiler.select_depth % SELECTS_ON_A_STACK:
        bound = _bind_here(compiler, node, parent, common_table, wants_columns)
    else:
        bound = call_on_fresh_stack(_bind_here, compiler, node, parent, common_table, wants_columns)
    compiler.select_depth -= 1
    return bound


SELECTS_ON_A_STACK = 25
"""How many SELECTs may lie within each other before a fresh stack is needed, for binding as for emission."""


def _bind_here(
    compiler: Compiler,
    node: ast.Select,
    parent: Scope | None,
    common_table: CommonTable | None,
    wants_columns: bool,
) -> BoundSelect:
    if compiler.authorized is not None and is_ignored(compiler, node):
        node = ast.Select(node.cores, node.operators, node.order_by, ast.Literal(0), None, node.with_clause)
    bound = BoundSelect(node, parent)
    if node.with_clause is not None:
        parent = with_scope(compiler, node.with_clause, parent, node)
        bound.scope = parent
    if len(node.cores) > compiler.context.limits[COMPOUND_SELECT]:
        raise sqlite_error(ERROR, "too many terms in compound SELECT")
    bound.common_table = common_table
    if node.limit.__class__ is ast.Literal and node.offset is None and node.limit.value == 1 and bound.operators:
        if node.limit.value.__class__ is int:
            bound.take_one()
    if common_table is not None:
        common_table.depth = compiler.bind_depth + 1
    misfit = 0
    for number, core in enumerate(node.cores):
        uses = common_table.n_uses if common_table is not None else 0
        if common_table is not None:
            common_table.n_uses_before = uses
        block = bind_core(compiler, core, parent)
        bound.blocks.append(block)
        if not number and block.rows is not None and compiler.view_depth:
            # VALUES at the start of a view is no coroutine.
            block.is_row_list = True
        if number and len(block.results) != len(bound.blocks[number - 1].results):
            misfit = number
        if common_table is not None:
            if common_table.n_uses == uses:
                if bound.first_recursive:
                    bound.first_recursive = -1
            elif number and not bound.first_recursive:
                bound.first_recursive = number
            if not number:
                bound.columns = result_columns(compiler, bound)
                common_table.columns = named_columns(common_table.node, as_written(bound))
    if misfit:
        _raise_width(node, misfit)
    if wants_columns:
        # A subquery among the results that reads the table itself is one reference too many.
        if common_table is not None:
            common_table.is_emitting = common_table.is_recursive
        bound.columns = result_columns(compiler, bound)
        if common_table is not None:
            common_table.is_emitting = False
        if common_table is not None and len(bound.blocks) > 1:
            # The queue's columns have the affinity of the whole compound, the recursive arms included.
            for queued, column in zip(common_table.columns, bound.columns):
                queued.affinity = column.affinity
                queued.declared_type = type_of_column(queued.declared_type, column.affinity)
    return bound


def _raise_width(node: ast.Select, number: int) -> None:
    core = node.cores[number]
    if isinstance(core, ast.Values) and len(core.rows) == 1:
        raise sqlite_error(ERROR, "all VALUES must have the same number of terms")
    operator = node.operators[number - 1]
    raise sqlite_error(
        ERROR, f"SELECTs to the left and right of {operator} do not have the same number of result columns"
    )


def with_scope(
    compiler: Compiler, clause: ast.With, parent: Scope | None, statement: ast.Statement | None = None
) -> Scope:
    """A scope without sources that knows the tables of a WITH clause; each of them may use all of them.

    `statement` is what the clause belongs to: its common tables are looked for there, to find those used more than once.
    """
    scope = Scope([], parent)
    tables: dict[str, object] = {}
    for node in clause.tables:
        if node.name.lower() in tables:
            raise sqlite_error(ERROR, f"duplicate WITH table name: {node.name}", compiler.offset(node.position))
        tables[node.name.lower()] = CommonTable(node, scope)
    scope.common_tables = tables
    compiler.has_with = True
    if statement is not None and parent is None:
        _note_shared(statement, tables)
    return scope


def _note_shared(statement: ast.Statement, tables: dict[str, object]) -> None:
    """Marks the common tables that are used more than once: their rows are gathered once for all uses."""
    counts = _count_uses(statement, tables)
    for name, count in counts.items():
        common: CommonTable = tables[name]  # type: ignore[assignment]
        if count > 1 and common.node.materialized is not False:
            # What a recursive table says of itself is no use of its rows.
            common.is_shared = count - _count_uses(common.node.select, tables)[name] > 1


def _count_uses(statement: ast.Statement, tables: dict[str, object]) -> dict[str, int]:
    counts = dict.fromkeys(tables, 0)
    for node in walk(statement):
        if node.__class__ is ast.TableSource and node.schema is None:
            name = node.name.lower()
            if name in counts:
                counts[name] += 1
    return counts


def bind_core(compiler: Compiler, core: ast.Core | ast.Values, parent: Scope | None) -> Block:
    """Binds one core: its FROM clause, then its result columns."""
    scope = Scope([], parent)
    scope.capture = compiler.current_capture
    if compiler.authorized is not None:
        scope.acting_object = compiler.acting_object
    if isinstance(core, ast.Values):
        if len(core.rows[0]) > compiler.context.limits[COLUMN]:
            raise sqlite_error(ERROR, "too many columns in result set")
        if compiler.may_aggregate and (call := _aggregate_in_values(compiler, core)) is not None:
            if len(core.rows) > 1:
                raise sqlite_error(ERROR, f"misuse of aggregate: {call.name}()", compiler.offset(call.position))
            block = Block(ast.Core([], False, [], None, None, None, None), scope)
            block.results.extend(_values_results(core))
            return block
        block = Block(None, scope)
        block.rows = core.rows
        block.is_row_list = core.is_row_list
        block.results.extend(_values_results(core))
        return block
    block = Block(core, scope)
    if core.sources:
        compiler.bind_depth += 1
        bind_from(compiler, core.sources, block)
        compiler.bind_depth -= 1
    expand_results(compiler, core.columns, block)
    if len(block.results) > compiler.context.limits[COLUMN]:
        raise sqlite_error(ERROR, "too many columns in result set")
    return block


def _values_results(core: ast.Values) -> list[Result]:
    names = [f"column{number}" for number in range(1, len(core.rows[0]) + 1)]
    return [Result(expression, name, name) for expression, name in zip(core.rows[0], names)]


def _aggregate_in_values(compiler: Compiler, core: ast.Values) -> ast.FunctionCall | None:
    """An aggregate or window call in VALUES, which one row may have: it is a SELECT without FROM then.  Subqueries have their
    own."""
    pending: list[object] = [*core.rows]
    while pending:
        node = pending.pop(0)
        kind = node.__class__
        if kind in (ast.ScalarSubquery, ast.Exists, ast.Select):
            continue
        if kind is ast.InSelect:
            pending.insert(0, node.operand)  # type: ignore[attr-defined]
            continue
        if isinstance(node, ast.FunctionCall):
            function = compiler.context.functions.find(node.name, len(node.arguments))
            if node.over is not None or isinstance(function, AggregateFunction):
                return node
        pending[:0] = list(CHILDREN[kind](node))
    return None


def expand_results(
    compiler: Compiler, columns: Sequence[ast.ResultColumn | ast.Star | ast.TableStar], block: Block
) -> None:
    """Fills `block.results` and the scope's aliases: stars become the columns of their sources."""
    results = block.results
    aliases: dict[str, int] | None = None
    for column in columns:
        kind = column.__class__
        if kind is ast.ResultColumn:
            alias = column.alias  # type: ignore[union-attr]
            if alias is not None:
                if aliases is None:
                    aliases = {}
                aliases.setdefault(alias.lower(), len(results))
            results.append(column)  # type: ignore[arg-type]
        elif kind is ast.Star:
            expand_star(compiler, block, None, column.position)  # type: ignore[union-attr]
        else:
            expand_star(compiler, block, column.table, column.position)  # type: ignore[union-attr]
    if aliases is not None:
        _check_alias_use(compiler, block, aliases)
        block.scope.aliases = aliases
        # A copy: results that nobody reads are replaced, but their aliases keep their meaning.
        block.scope.results = tuple(results)


def _check_alias_use(compiler: Compiler, block: Block, aliases: dict[str, int]) -> None:
    """Result columns do not see each other's aliases: a name that only an alias could explain is an error there."""
    scope = block.scope
    if len(scope.sources) == 1 and scope.merged is None:
        positions = scope.sources[0].positions
        unknown = [alias for alias in aliases if alias not in positions]
    else:
        unknown = [alias for alias in aliases if find_in_scope(scope, alias, None, None)[0] == 0]
    if unknown and compiler.text is not None:
        # An alias that stands in the text only once is used nowhere.
        lowered = compiler.text.sql.lower()
        unknown = [alias for alias in unknown if lowered.count(alias) > 1 or not alias.isidentifier()]
    if not unknown:
        return
    for result in block.results:
        kind = result.expression.__class__
        if kind is ast.Literal or (kind is ast.Column and result.expression.name.lower() not in unknown):  # type: ignore[attr-defined]
            continue
        for node in walk(result.expression):
            if node.__class__ is ast.Column and node.table is None and node.name.lower() in unknown:
                # Not found among the sources: raises, unless the name is one of an enclosing SELECT or a string.
                compiler.resolve(node, scope)
            elif node.__class__ is ast.Select:
                break


# FROM


def bind_from(compiler: Compiler, items: Sequence[ast.FromItem], block: Block) -> None:
    """Binds the items of a FROM clause into `block.inputs` and `block.scope`."""
    scope = block.scope
    has_right = False
    for item in items:
        if item.join is not None and item.join.flags & ast.JOIN_RIGHT:
            has_right = True
    for item in items:
        first_new = len(scope.sources)
        new_inputs = bind_item(compiler, item, scope)
        for made in new_inputs:
            scope.sources.extend(made.visible if made.visible is not None else made.sources)
        block.inputs.extend(new_inputs)
        if len(block.inputs) > MAX_FROM:
            refuse_wide_join(len(block.inputs))
        join = item.join
        made = new_inputs[0]
        inside = _merged_inside(made, first_new)
        if join is None:
            _lift_merged(scope, inside)
            continue
        if len(new_inputs) > 1 and (join.flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT)):
            raise AssertionError("a parenthesised join under an outer join is one nested input")
        made.join_flags = join.flags
        on_terms = new_inputs[-1].on
        names = join.using
        if join.flags & ast.JOIN_NATURAL:
            if join.on is not None or names:
                raise sqlite_error(ERROR, "a NATURAL join may not have an ON or USING clause")
            names = _natural_names(scope, first_new)
        if names:
            for name in names:
                on_terms.append(_bind_using(scope, first_new, name, join.flags, inside, has_right))
        if join.on is not None:
            on_terms.append(join.on)
        _lift_merged(scope, inside)


def _merged_inside(made: Input, first: int) -> dict[str, Merged]:
    """The USING columns of a parenthesised join, with its sources numbered as in the scope around it."""
    if made.kind != NESTED or made.block is None or made.block.scope.merged is None:
        return {}
    return {
        name: (source, position, frozenset(first + n for n in taken), frozenset(first + n for n in silent))
        for name, (source, position, taken, silent) in made.block.scope.merged.items()
    }


def _lift_merged(scope: Scope, inside: dict[str, Merged]) -> None:
    """What USING merged within parentheses stays merged around them."""
    if inside:
        merged = {} if scope.merged is None else scope.merged
        for name, entry in inside.items():
            merged.setdefault(name, entry)
        scope.merged = merged


def bind_item(compiler: Compiler, item: ast.FromItem, scope: Scope) -> list[Input]:
    """Binds one FROM item; more than one input only for a parenthesised inner join, which is as good as its items."""
    if isinstance(item, ast.TableSource):
        return [bind_table(compiler, item, scope)]
    if isinstance(item, ast.SubquerySource):
        bound = bind_select(compiler, item.select, scope.parent)
        return [subquery_input(bound, item.alias or "", unique_columns(as_written(bound)))]
    if isinstance(item, ast.FunctionSource):
        return [bind_function(compiler, item, scope)]
    assert isinstance(item, ast.JoinSource), "there are four kinds of FROM items"
    return _bind_nested(compiler, item, scope)


def _bind_nested(compiler: Compiler, item: ast.JoinSource, scope: Scope) -> list[Input]:
    inner = Block(None, Scope([], scope.parent))
    inner.scope.capture = compiler.current_capture
    is_first = not scope.sources and item.alias is None and item.join is None
    is_table = len(item.sources) > 1 and not is_first
    compiler.bind_depth += is_table
    bind_from(compiler, item.sources, inner)
    compiler.bind_depth -= is_table
    flags = item.join.flags if item.join is not None else 0
    has_outer = any(made.join_flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT) for made in inner.inputs)
    if item.alias is None and len(inner.inputs) == 1:
        return inner.inputs
    if not is_first:
        name_nested(scope, len(scope.sources), inner.scope)
    if not (has_outer or flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT) or item.alias or inner.scope.merged):
        return inner.inputs
    return [_nested_input(inner, item.alias)]


def _nested_input(inner: Block, alias: str | None) -> Input:
    """An input that gathers the rows of a join; names still see its sources, and all of them under an alias."""
    made = Input(NESTED, inner.scope.sources[0])
    made.block = inner
    made.sources = [source for part in inner.inputs for source in part.sources]
    made.visible = list(inner.scope.sources)
    if alias is not None:
        made.visible.append(_alias_of(inner.scope, alias))
    made.label = alias or ""
    return made


def _alias_of(inner: Scope, alias: str) -> Source:
    """The columns of a parenthesised join under its alias, which `*` does not know."""
    columns: list[Column] = []
    expressions: list[ast.Expression] = []
    for source in inner.sources:
        if source.is_qualified_only:
            continue
        for number, column in enumerate(source.columns):
            if column.hidden != 1:
                columns.append(Column(column.name, "", NONE))
                expressions.append(SourceColumn(source, number))
    whole = Source(alias, columns, positions_of(columns), [])
    whole.expressions = expressions
    whole.inner = inner
    whole.is_qualified_only = True
    return whole


def _natural_names(scope: Scope, first_new: int) -> list[str]:
    names: list[str] = []
    for source in scope.sources[first_new:]:
        for column in source.columns:
            if column.hidden == 1 or source.is_qualified_only:
                continue
            lowered = column.name.lower()
            if any(lowered in other.positions for other in scope.sources[:first_new]) and lowered not in map(
                str.lower, names
            ):
                names.append(column.name)
    return names


def _bind_using(
    scope: Scope, first_new: int, name: str, flags: int, inside: dict[str, Merged], has_right: bool
) -> ast.Expression:
    """The equality of a USING column, and what its bare name means from now on; `inside`: what its right side merged.

    Where two tables on the left have the column the first is meant, but not beside a RIGHT or FULL JOIN (`has_right`).
    """
    lowered = name.lower()
    right = None
    right_numbers: frozenset[int] = frozenset()
    silent: frozenset[int] = frozenset()
    if lowered in inside:
        source, position, right_numbers, silent = inside[lowered]
        right = SourceColumn(source, position)
    else:
        for number, source in enumerate(scope.sources[first_new:], first_new):
            if lowered in source.positions and not source.is_qualified_only:
                right = SourceColumn(source, source.positions[lowered])
                right_numbers = frozenset((number,))
                break
    left: SourceColumn | None = None
    taken: frozenset[int] = frozenset()
    if scope.merged is not None and lowered in scope.merged:
        source, position, taken, also_silent = scope.merged[lowered]
        silent |= also_silent
        left = SourceColumn(source, position)
        if has_right and any(number not in taken for number in holders_of(scope, first_new, lowered)):
            raise sqlite_error(ERROR, f"ambiguous reference to {name} in USING()")
    else:
        holders = holders_of(scope, first_new, lowered)
        if has_right and len(holders) > 1:
            raise sqlite_error(ERROR, f"ambiguous reference to {name} in USING()")
        if holders:
            source = scope.sources[holders[0]]
            left = SourceColumn(source, source.positions[lowered])
            taken = frozenset(holders[:1])
    if left is None or right is None:
        raise sqlite_error(ERROR, f"cannot join using column {name} - column not present in both tables")
    if scope.merged is None:
        scope.merged = {}
    taken = taken | right_numbers
    if flags & ast.JOIN_RIGHT and not flags & ast.JOIN_LEFT:
        scope.merged[lowered] = (right.source, right.position, taken, silent)
    elif flags & ast.JOIN_RIGHT:
        column = left.source.columns[left.position]
        both = Source("", [column], {lowered: 0}, [])
        both.expressions = [ast.FunctionCall("coalesce", [left, right], -1, False, False, None, None, None)]
        both.inner = scope
        both.is_coalesced = True
        scope.merged[lowered] = (both, 0, taken, silent)
    else:
        # The leftmost table is meant, however often the right side has the name.
        silent |= frozenset(range(first_new, len(scope.sources)))
        scope.merged[lowered] = (left.source, left.position, taken, silent)
    return ast.Binary("=", left, right)


def bind_table(compiler: Compiler, item: ast.TableSource, scope: Scope) -> Input:
    """Binds a name in FROM: a common table, a view or a table."""
    if item.schema is None:
        common = find_common_table(scope, item.name)
        if common is not None:
            return bind_common_table(compiler, common, item)
    table = find_table(compiler, item.name, item.schema, item.position)
    alias = item.alias or item.name
    if table.view is not None:
        bound = bind_view(compiler, table)
        made = subquery_input(bound, alias, view_columns(table, bound))
        if item.indexed_by is not None:
            check_index_name(table, item.indexed_by)
        made.source.schema_name = table.schema_name
        made.source.table = None
        made.source.view = table
        made.label = table.name
        return made
    made = table_input(compiler, table, alias, item.indexed_by, item.is_not_indexed)
    made.named_schema = item.schema
    return made


def find_table(compiler: Compiler, name: str, schema: str | None, position: int) -> Table:
    """A table or view of the catalog; raises `no such table`."""
    home = compiler.home if schema is None else schema
    found = compiler.context.catalog.find_table(name, home)
    if found is None:
        found = compiler.eponymous_table(name)
    if found is None:
        written = name if home is None else f"{home}.{name}"
        raise sqlite_error(ERROR, f"no such table: {written}")
    return found


def check_index_name(table: Table, name: str) -> None:
    """Raises SQLite's error if a table has no index of the name in INDEXED BY."""
    if not any(index.name.lower() == name.lower() for index in table.indexes):
        raise sqlite_error(ERROR, f"no such index: {name}")


def table_input(
    compiler: Compiler, table: Table, alias: str, indexed_by: str | None = None, is_not_indexed: bool = False
) -> Input:
    """An input over a stored (or virtual) table."""
    is_virtual = table.module is not None
    if is_virtual:
        compiler.has_virtual_tables = True
        if table.module_instance is None:
            compiler.context.connect_virtual_table(table)
        if compiler.home is not None:
            refuse_unsafe_table(compiler, table)
    source = Source(alias, table.columns, table.column_positions, [], table)
    source.schema_name = table.schema_name
    source.has_rowid = not table.is_without_rowid
    # Modules give whatever they like.
    source.is_stored = not is_virtual
    made = Input(FUNCTION if is_virtual else TABLE, source)
    made.table = table
    made.indexed_by = indexed_by
    if indexed_by is not None:
        check_index_name(table, indexed_by)
    made.is_not_indexed = is_not_indexed
    compiler.databases_read |= 1 << table.schema_index
    return made


def bind_function(compiler: Compiler, item: ast.FunctionSource, scope: Scope) -> Input:
    """A table-valued function."""
    table = compiler.context.catalog.find_table(item.name, item.schema) or compiler.eponymous_table(item.name)
    if table is None:
        raise sqlite_error(ERROR, f"no such table: {item.name}")
    if table.module is None:
        raise sqlite_error(ERROR, f"'{item.name}' is not a function")
    made = table_input(compiler, table, item.alias or item.name)
    hidden = sum(1 for column in table.columns if column.hidden == 1)
    if len(item.arguments) > hidden:
        raise sqlite_error(ERROR, f"too many arguments on {item.name}() - max {hidden}")
    made.arguments = item.arguments
    made.argument_scope = scope
    return made


def subquery_input(bound: BoundSelect, alias: str, columns: list[Column]) -> Input:
    """An input over the rows of a bound SELECT."""
    source = Source(alias, columns, positions_of(columns), [])
    made = Input(SUBQUERY, source)
    made.select = source.select = bound
    made.label = alias
    return made


def positions_of(columns: Sequence[Column]) -> dict[str, int]:
    """Lower-case names to numbers; the first of two equal names wins."""
    positions: dict[str, int] = {}
    for number, column in enumerate(columns):
        positions.setdefault(column.name.lower(), number)
    return positions


def bind_view(compiler: Compiler, table: Table) -> BoundSelect:
    """Binds the SELECT of a view, which sees nothing around it."""
    compiler.view_depth += 1
    compiler.may_collate = True
    assert table.view is not None, "the caller looked"
    refuse_unsafe_view(compiler, table)
    # The text of the view is not the statement's.
    compiler.mentions_rowid = compiler.may_aggregate = compiler.has_subqueries = True
    saved = compiler.text
    compiler.text = SourceText(table.sql, 0, len(table.sql)) if table.sql else None
    active = compiler.views_active
    key = (table.schema_index, table.name.lower())
    if key in active:
        raise sqlite_error(ERROR, f"view {table.name} is circularly defined")
    active.add(key)
    home = compiler.home
    compiler.home = table.schema_name if table.schema_index != 1 else None
    actor, compiler.acting_object = compiler.acting_object, table.name
    bound = bind_select(compiler, table.view, None)
    compiler.acting_object = actor
    compiler.home = home
    active.discard(key)
    compiler.text = saved
    compiler.view_depth -= 1
    return bound


def view_columns(table: Table, bound: BoundSelect) -> list[Column]:
    """The columns of a view: its own names if it lists them, else those of its SELECT."""
    names = table.view_columns
    if names is None:
        names = [column.name for column in table.columns] if table.columns else None
        if names is None or len(names) != len(bound.columns):
            return unique_columns(bound.columns)
    elif len(names) != len(bound.columns):
        raise sqlite_error(ERROR, f"expected {len(names)} columns for '{table.name}' but got {len(bound.columns)}")
    return renamed(bound.columns, unique_names(names))


def renamed(columns: Sequence[Column], names: Sequence[str]) -> list[Column]:
    """Columns under other names."""
    result = []
    for column, name in zip(columns, names):
        copy = Column(name, column.declared_type, column.affinity)
        copy.collation = column.collation
        result.append(copy)
    return result


def unique_columns(columns: Sequence[Column]) -> list[Column]:
    """Columns whose names are made different as SQLite does: a second `b` becomes `b:1`."""
    given = [column.name for column in columns]
    names = unique_names(given)
    return renamed(columns, names) if names != given else list(columns)


def as_written(bound: BoundSelect) -> list[Column]:
    """The columns of a SELECT in FROM or WITH: a bare name is called as it is written, `rowid` too."""
    names = [column.name for column in bound.columns]
    is_other = False
    for number, result in enumerate(bound.blocks[0].results):
        node = result.expression
        if node.__class__ is ast.Column and result.name is None and node.name != names[number]:
            lowered = node.name.lower()
            if node.is_double_quoted or lowered == names[number].lower() or lowered in ROWID_NAMES:
                names[number] = node.name
                is_other = True
    return renamed(bound.columns, names) if is_other else bound.columns


# WITH


def find_common_table(scope: Scope | None, name: str) -> CommonTable | None:
    """A common table that is visible from a scope."""
    level = scope
    lowered = name.lower()
    while level is not None:
        if level.common_tables is not None:
            found = level.common_tables.get(lowered)
            if found is not None:
                return found  # type: ignore[return-value]
        level = level.parent
    return None


def bind_common_table(compiler: Compiler, common: CommonTable, item: ast.TableSource) -> Input:
    """A use of a common table: its recursion's queue row inside itself, else its SELECT."""
    node = common.node
    compiler.n_common_uses += 1
    if compiler.n_common_uses >= compiler.context.limits[EXPR_DEPTH]:
        raise sqlite_error(ERROR, "VIEWs and/or subqueries nested too deep")
    alias = item.alias or item.name
    if item.indexed_by is not None:
        raise sqlite_error(ERROR, f'no such index: "{item.indexed_by}"')
    if common.is_emitting:
        what = "multiple recursive references" if common.row_registers or common.is_binding else "circular reference"
        raise sqlite_error(ERROR, f"{what}: {node.name}")
    if common.is_binding:
        common.n_uses += 1
        common.is_recursive = True
        if not common.columns or compiler.bind_depth != common.depth:
            raise sqlite_error(ERROR, f"circular reference: {node.name}")
        if common.n_uses > common.n_uses_before + 1:
            raise sqlite_error(ERROR, f"multiple references to recursive table: {node.name}")
        source = Source(alias, common.columns, positions_of(common.columns), [])
        made = Input(RECURSION, source)
        made.common_table = common
        made.label = node.name
        return made
    common.is_binding = True
    common.n_uses = 0
    common.columns = []
    bound = bind_select(compiler, node.select, common.scope, common)
    common.is_binding = False
    columns = named_columns(node, as_written(bound))
    made = subquery_input(bound, alias, columns)
    made.common_table = common
    made.label = node.name
    return made


def named_columns(node: ast.CommonTable, columns: list[Column]) -> list[Column]:
    """The columns of a common table."""
    if node.columns is None:
        return unique_columns(columns)
    if len(node.columns) != len(columns):
        raise sqlite_error(ERROR, f"table {node.name} has {len(columns)} values for {len(node.columns)} columns")
    return unique_columns(renamed(columns, node.columns))


# Result columns


def result_columns(compiler: Compiler, bound: BoundSelect) -> list[Column]:
    """What is known of each result column: name, affinity, collation, declared type."""
    first = bound.blocks[0]
    columns = []
    for number, result in enumerate(first.results):
        columns.append(_result_column(compiler, bound, first, result, number))
    return columns


def _result_column(compiler: Compiler, bound: BoundSelect, block: Block, result: AnyResult, number: int) -> Column:
    name = result.name
    expression = result.expression
    if name is None:
        named = expression
        while named.__class__ is ast.Collate:
            named = named.operand
        # A table made of rows takes a column's name through COLLATE.
        if named.__class__ is not ast.Column:
            named = expression
        name = column_name(compiler, named, result, block.scope, number, bound)
    affinity = affinity_of(compiler, expression, block.scope)
    column = Column(name, "", affinity)
    collation, _ = collation_of(compiler, expression, block.scope)
    column.collation = collation or "BINARY"
    if affinity > NONE:
        origin = origin_of(compiler, expression, block.scope, None)
        if origin is not None:
            column.declared_type = origin[3]
    if len(bound.blocks) > 1 or (block.rows is not None and len(block.rows) > 1):
        column.affinity = compound_affinity(compiler, bound, number)
    return column


def column_name(
    compiler: Compiler, expression: ast.Expression, result: AnyResult, scope: Scope, number: int, bound: BoundSelect
) -> str:
    """The name of an unnamed result: a column's own name, else the text as written."""
    if expression.__class__ is ast.Column:
        found = compiler.resolve(expression, scope)
        if found is not None:
            source, position = found
            if source.shown is not None and (expression.table is not None or not is_merged(scope, expression.name)):
                return source.shown[position]
            if position == ROWID:
                table = source.table
                return table.columns[table.rowid_alias].name if table is not None and table.rowid_alias >= 0 else "rowid"
            if source.columns:
                return source.columns[position].name
        if found is None and expression.is_double_quoted:
            return compiler.source_text(result.first, result.end) or expression.name
        return expression.name
    return compiler.source_text(result.first, result.end) or f"column{number + 1}"


def styled_name(compiler: Compiler, result: Result | ast.ResultColumn, scope: Scope, name: str | None) -> str | None:
    """The name of an unnamed result column under PRAGMA full_column_names and short_column_names; `name`: as it would be.

    Source: https://www.sqlite.org/pragma.html#pragma_full_column_names
    """
    expression = result.expression
    flags = compiler.context.flags
    is_full = flags["full_column_names"]
    if expression.__class__ is SourceColumn:
        source, position = expression.source, expression.position
        if flags["short_column_names"]:
            return name
        owner = source.alias
    elif expression.__class__ is ast.Column:
        if not is_full:
            return compiler.source_text(result.first, result.end) or name
        found = compiler.resolve(expression, scope)
        if found is None or not found[0].columns:
            return name
        source, position = found
        owner = source.alias if source.table is None else source.table.name
    else:
        return name
    if not is_full:
        return name
    if position == ROWID:
        position = source.table.rowid_alias if source.table is not None else -1
    shown = source.columns[position].name if position >= 0 else "rowid"
    return f"{owner}.{shown}"
