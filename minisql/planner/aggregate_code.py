"""Aggregates: finding the calls, feeding a grouping table, and reading its rows.

Inside the loops every row is fed to one GroupStep (keys, arguments, bare columns); behind them a loop over the groups has
keys, results and bare columns in registers.  The scope is switched between the two: calls become registers
(`scope.aggregates`), columns become bare columns (`Source.group_map`), expressions equal to a key become the key.

Which bare columns exist is only known when the code behind the grouping has been emitted, so the GroupSpec is made last and
patched into the GroupOpen.

Source: https://www.sqlite.org/lang_select.html#resultset, https://www.sqlite.org/lang_aggfunc.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import AggregateCall, GroupSpec, SortSpec
from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import (
    AggregateFunction,
    ScalarFunction,
    WindowFunction,
    aggregate_with_json_arguments,
)
from minisql.functions.size_limits import aggregate_within_limits
from minisql.limits import DEFAULTS
from minisql.parser import ast
from minisql.planner.calls import find_function
from minisql.planner.cost import index_estimates
from minisql.planner.json_arguments import aggregate_argument_registers
from minisql.planner.loops import emit_plan
from minisql.planner.nodes import SourceColumn
from minisql.planner.ordering import (
    OrderItem,
    alias_position,
    check_term_count,
    effective_nulls_first,
    matching_result,
    ordinal_of,
    out_of_range,
    same_tree,
    strip_collate,
)
from minisql.planner.query_blocks import TABLE, Block
from minisql.planner.read_authorization import authorize_function, is_ignored
from minisql.planner.scope import ROWID, ROWID_NAMES, GroupMap, find_in_scope
from minisql.planner.terms import inner_names, names_in
from minisql.planner.walking import CHILDREN, walk
from minisql.planner.wide_operands import texts_of_blobs
from minisql.values.affinity import NUMERIC, TEXT
from minisql.values.collation import Collation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from minisql.catalog.schema import Index, Table
    from minisql.planner.block_plan import BlockPlan
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope, Source
    from minisql.planner.select_code import Finisher, Limits, Sink


class Calls:
    """The aggregate and window calls of a block and its GROUP BY keys."""

    __slots__ = ("aggregates", "descending", "has_keys", "is_grouped", "is_ordered", "keys", "windows")

    def __init__(self) -> None:
        self.aggregates: list[tuple[ast.FunctionCall, AggregateFunction]] = []
        self.windows: list[ast.FunctionCall] = []
        self.keys: list[ast.Expression] = []
        # The directions in which groups are sorted, if not all ascend.
        self.descending: tuple[bool, ...] | None = None
        self.has_keys = False
        self.is_grouped = False
        # ORDER BY names the keys, so sorted groups need no more sorting.
        self.is_ordered = False


def find_calls(compiler: Compiler, block: Block, order: list[OrderItem] | None) -> Calls:
    """Finds the aggregate and window calls in result columns, HAVING and ORDER BY, and settles the GROUP BY keys."""
    calls = Calls()
    core = block.core
    assert core is not None, "VALUES has no calls"
    if not compiler.may_aggregate and core.group_by is None and core.having is None:
        return calls
    if compiler.may_aggregate:
        for result in block.results:
            _collect(compiler, result.expression, calls, block.scope)
    if compiler.has_subqueries:
        _refuse_outer_calls(compiler, block, core.where)
    if core.having is not None:
        _collect(compiler, core.having, calls, block.scope)
    if order is not None:
        is_aggregate = bool(calls.aggregates) or core.group_by is not None
        for item in order:
            if item.position is None:
                _collect(compiler, item.expression, calls, block.scope)
        if calls.aggregates and not is_aggregate:
            node = calls.aggregates[0][0]
            raise sqlite_error(ERROR, f"misuse of aggregate: {node.name}()", compiler.offset(node.position))
    if core.windows and calls.windows:
        _collect_named_windows(compiler, core.windows, calls, block.scope)
    if core.group_by is not None:
        calls.keys = group_keys(compiler, core.group_by, block)
        calls.has_keys = True
    elif core.having is not None and not calls.aggregates:
        raise sqlite_error(ERROR, "HAVING clause on a non-aggregate query")
    calls.is_grouped = calls.has_keys or bool(calls.aggregates)
    block.scope.is_grouped = calls.is_grouped
    return calls


def find_plain_calls(compiler: Compiler, block: Block) -> Calls | None:
    """`find_calls` for a statement that is one SELECT without GROUP BY, HAVING, ORDER BY and WITH: the parser has kept its
    calls, so no tree is walked.  None if it has to be walked."""
    found = compiler.calls
    core = block.core
    assert core is not None, "VALUES has no calls"
    if found is None or (not core.sources and core.where is not None):
        return None
    calls = Calls()
    first_source = core.sources[0] if core.sources else None
    if first_source is None:
        end = 1 << 60
    elif first_source.__class__ is ast.TableSource:
        end = first_source.position
    else:
        return None
    if len(found) > 1:
        found = sorted(found, key=_position)
    for node in found:
        if node.position > end:
            break
        if node.over is not None:
            return None
        function = find_function(compiler, node.name, len(node.arguments), node.position)
        if function.__class__ is AggregateFunction:
            if len(found) > 1:
                parts = node.arguments if node.filter is None else [*node.arguments, node.filter]
                for part in parts:
                    if part.__class__ not in _LEAVES:
                        _refuse_nested_calls(compiler, parts, block.scope)
                        break
            calls.aggregates.append((node, function))
        elif function.__class__ is not ScalarFunction:
            return None
    if calls.aggregates:
        calls.is_grouped = block.scope.is_grouped = True
    return calls


def _position(node: ast.FunctionCall) -> int:
    return node.position


_LEAVES = frozenset((ast.Literal, ast.Column, SourceColumn, ast.Variable))
_SUBQUERIES = frozenset((ast.ScalarSubquery, ast.Exists))


def _collect(compiler: Compiler, root: ast.Expression, calls: Calls, scope: Scope) -> None:
    if root.__class__ in _LEAVES:
        return
    pending: list[object] = [root]
    children = CHILDREN
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is ast.FunctionCall:
            _collect_call(compiler, node, calls, pending, scope)  # type: ignore[arg-type]
        elif kind is ast.InSelect:
            pending.append(node.operand)  # type: ignore[attr-defined]
            collect_from_inside(compiler, node.select, calls, scope)  # type: ignore[attr-defined]
        elif kind in _SUBQUERIES:
            collect_from_inside(compiler, node.select, calls, scope)  # type: ignore[attr-defined]
        else:
            # From right to left on the stack, so that calls are met in the order in which they are written.
            pending.extend(children[kind](node)[::-1])


def _collect_named_windows(compiler: Compiler, windows: list[ast.Window], calls: Calls, scope: Scope) -> None:
    """What the definitions hold that calls use by name, or extend."""
    over = (call.over for call in calls.windows)
    wanted = {(each if isinstance(each, str) else each.base or "").lower() for each in over if each is not None}
    for window in reversed(windows):
        if (window.name or "").lower() in wanted:
            wanted.add((window.base or "").lower())
            parts = [*(window.partition_by or ()), *(term.expression for term in window.order_by or ())]
            _refuse_nested_windows(compiler, parts, scope)
            for part in parts:
                _collect(compiler, part, calls, scope)


def _collect_call(
    compiler: Compiler, node: ast.FunctionCall, calls: Calls, pending: list[object], scope: Scope
) -> None:
    if compiler.authorized is not None and is_ignored(compiler, node):
        return
    name = node.name
    function = find_function(compiler, name, len(node.arguments), node.position, node.over is not None)
    if node.over is not None:
        calls.windows.append(node)
        pending.extend(reversed(node.arguments))
        if node.filter is not None:
            pending.append(node.filter)
        if isinstance(node.over, ast.Window):
            parts = [*(node.over.partition_by or ()), *[term.expression for term in node.over.order_by or ()]]
            _refuse_nested_windows(compiler, parts, scope)
            pending.extend(reversed(parts))
        return
    if isinstance(function, AggregateFunction):
        if scope.parent is not None and _is_outer_call(node, scope):
            return
        parts = node.arguments if node.filter is None else [*node.arguments, node.filter]
        for part in parts:
            if part.__class__ not in _LEAVES:
                _refuse_nested_calls(compiler, parts, scope)
                break
        calls.aggregates.append((node, function))
        return
    if isinstance(function, ScalarFunction):
        pending.extend(reversed(node.arguments))
        return
    if isinstance(function, WindowFunction) and not compiler.is_renaming:
        raise sqlite_error(ERROR, f"misuse of window function {name}()", compiler.offset(node.position))


def _refuse_nested_calls(compiler: Compiler, parts: list[ast.Expression], scope: Scope) -> None:
    """The arguments and the FILTER of an aggregate hold no aggregate of the same SELECT."""
    inner = Calls()
    for part in parts:
        _collect(compiler, part, inner, scope)
    if inner.aggregates or inner.windows:
        kind = "aggregate function" if inner.aggregates else "window function"
        bad = inner.aggregates[0][0] if inner.aggregates else inner.windows[0]
        raise sqlite_error(ERROR, f"misuse of {kind} {bad.name}()", compiler.offset(bad.position))


def _refuse_nested_windows(compiler: Compiler, parts: list[ast.Expression], scope: Scope) -> None:
    """PARTITION BY and ORDER BY of a window hold no window function."""
    inner = Calls()
    for part in parts:
        _collect(compiler, part, inner, scope)
    if inner.windows:
        bad = inner.windows[0]
        raise sqlite_error(ERROR, f"misuse of window function {bad.name}()", compiler.offset(bad.position))


def _is_outer_call(node: ast.FunctionCall, scope: Scope) -> bool:
    """Whether an enclosing SELECT has taken the aggregate as its own."""
    level = scope.parent
    while level is not None:
        if level.aggregates is not None and id(node) in level.aggregates:
            return True
        level = level.parent
    return False


def collect_from_inside(compiler: Compiler, select: ast.Select, calls: Calls, scope: Scope) -> None:
    """An aggregate in a subquery that reads columns of this SELECT, and none from further inside, is computed by this SELECT.

    Source: https://www.sqlite.org/lang_aggfunc.html; the rule is that of the SQL standard.
    """
    for node in walk(select):
        if node.__class__ is not ast.FunctionCall or node.over is not None or not (node.arguments or node.filter):
            continue
        parts = (node.arguments, node.filter, node.order_by)
        columns = [column for part in parts for column in walk(part) if column.__class__ is ast.Column]
        if not columns:
            continue
        function = compiler.context.functions.find(node.name, len(node.arguments))
        if not isinstance(function, AggregateFunction):
            continue
        names, known_columns = inner_names(compiler, select)
        depths = [_depth(column, scope, names, known_columns) for column in columns]
        if 0 in depths and -1 not in depths and not _is_in_condition(compiler, select, node):
            calls.aggregates.append((node, function))


def _refuse_outer_calls(compiler: Compiler, block: Block, where: ast.Expression | None) -> None:
    """Subqueries of WHERE and ON hold no aggregate of this SELECT, whose rows are still being chosen."""
    calls = Calls()
    for root in (where, *(made.on for made in block.inputs)):
        pending: list[object] = [root]
        while pending:
            node = pending.pop()
            kind = node.__class__
            if kind is ast.InSelect or kind is ast.ScalarSubquery:
                collect_from_inside(compiler, node.select, calls, block.scope)  # type: ignore[attr-defined]
                if kind is ast.InSelect:
                    pending.append(node.operand)  # type: ignore[attr-defined]
            elif kind is not ast.Exists:  # whose results nobody computes
                pending.extend(CHILDREN[kind](node))
    if calls.aggregates:
        node = calls.aggregates[0][0]
        raise sqlite_error(ERROR, f"misuse of aggregate: {node.name}()", compiler.offset(node.position))


def _is_in_condition(compiler: Compiler, select: ast.Select, call: ast.FunctionCall) -> bool:
    """Whether a call stands in WHERE or ON of the SELECT that it is written in, which has no aggregates: there SQLite refuses
    even those of a SELECT around it."""
    for core in walk(select):
        if core.__class__ is ast.Core and core.group_by is None:
            conditions = [core.where, *(item.join and item.join.on for item in core.sources)]
            if any(node is call for node in _own_nodes(conditions)):
                find = compiler.context.functions.find
                calls = (node for node in _own_nodes(core.columns) if node.__class__ is ast.FunctionCall)
                return not any(isinstance(find(node.name, len(node.arguments)), AggregateFunction) for node in calls)
    return False


def _own_nodes(root: object) -> Iterator[Any]:
    """The nodes below `root` without those of subqueries."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        if node.__class__ is not ast.Select:
            pending.extend(CHILDREN[node.__class__](node))


def _depth(column: ast.Column, scope: Scope, names: set[str], columns: set[str] | None) -> int:
    """How many SELECTs outside `scope` a column belongs to: 0 is its own; -1: further inside, or unknown."""
    name = column.name.lower()
    table = column.table.lower() if column.table is not None else None
    if table in names or (table is None and (columns is None or name in columns)):
        return -1
    depth = 0
    level: Scope | None = scope
    while level is not None:
        if find_in_scope(level, name, table, None)[0] == 1:
            return depth
        level = level.parent
        depth += 1
    return -1


def extreme_call(calls: Calls) -> ast.FunctionCall | None:
    """The call if the only aggregate is one min(x) or max(x)."""
    if len(calls.aggregates) != 1 or calls.windows:
        return None
    node, function = calls.aggregates[0]
    if function.name not in ("min", "max") or not function.is_built_in or len(node.arguments) != 1 or node.filter is not None:
        return None
    return node


def group_keys(compiler: Compiler, terms: list[ast.Expression], block: Block) -> list[ast.Expression]:
    """The GROUP BY keys: ordinals and aliases replaced by what they stand for."""
    check_term_count(compiler, terms, "GROUP BY")
    keys = []
    n_results = len(block.results)
    for term in terms:
        alias: str | None = None
        ordinal = ordinal_of(strip_collate(term)[0])
        if ordinal is not None:
            if not 1 <= ordinal <= n_results:
                raise out_of_range(compiler, terms, block, "GROUP BY")
            term = block.results[ordinal - 1].expression
        elif term.__class__ is ast.Column and term.table is None:
            found = compiler.resolve(term, block.scope)
            if found is not None and found[0] is block.scope.alias_source:
                alias = term.name
                position = alias_position(block, alias)
                assert position is not None, "the alias was just found"
                term = block.results[position].expression
        inner = Calls()
        _collect(compiler, term, inner, block.scope)
        if inner.windows and alias is not None:
            raise sqlite_error(ERROR, f"misuse of aliased window function {alias}")
        if inner.aggregates:
            raise sqlite_error(ERROR, "aggregate functions are not allowed in the GROUP BY clause")
        keys.append(term)
    return keys


# Shortcuts


def emit_shortcut(
    compiler: Compiler,
    block: Block,
    calls: Calls,
    order: list[OrderItem] | None,
    limits: Limits,
    sink: Sink,
    done: int,
) -> bool:
    """`SELECT count(*) FROM table` counts entries without reading rows."""
    core = block.core
    if (
        len(block.inputs) != 1
        or len(block.results) != 1
        or block.where is not None
        or calls.has_keys
        or calls.windows
        or core is None
        or core.having is not None
        or block.inputs[0].kind != TABLE
        or len(calls.aggregates) != 1
        or block.inputs[0].on
    ):
        return False
    node = block.results[0].expression
    if compiler.authorized is not None:
        return False
    if node.__class__ is not ast.FunctionCall or node.name.lower() != "count":
        return False
    if node.arguments or node.filter is not None or node.is_distinct:
        return False
    table = block.inputs[0].table
    assert table is not None, "a table input has a table"
    name = block.inputs[0].source.alias
    index = _narrowest_index(table)
    if index is None:
        cursor = compiler.open_read(table)
        compiler.explain(f"SCAN {name}")
    else:
        cursor = compiler.builder.cursor()
        compiler.databases_read |= 1 << table.schema_index
        compiler.emit(op.OpenRead, cursor, index.root_page, index.schema_index, index.shape)
        compiler.explain(f"SCAN {name} USING COVERING INDEX {index.name}")
    result = compiler.register()
    compiler.emit(op.Count, cursor, result)
    if limits.offset:
        compiler.emit(op.IfPos, limits.offset, done, 1)
    sink((result,), done)
    return True


def _narrowest_index(table: Table) -> Index | None:
    """The index with the smallest entries, if they are smaller than the table's rows."""
    best = None
    best_cost = 16
    for index in table.indexes:
        estimates = index_estimates(index)
        if index.where is None and not index.is_clustered and estimates.is_narrower and estimates.entry_cost < best_cost:
            best, best_cost = index, estimates.entry_cost
    return best


# Grouping


def emit_grouped(
    compiler: Compiler, block: Block, plan: BlockPlan, calls: Calls, finisher: Finisher, done: int
) -> None:
    """A block with aggregates or GROUP BY."""
    grouping = emit_grouping(compiler, block, plan, calls, finisher)
    compiler.builder.begin_loop(op.GroupRewind, grouping.cursor, grouping.end, grouping.base, grouping.width)
    following = compiler.label()
    _emit_having(compiler, block, following)
    finisher.row(following, done)
    compiler.builder.end_loop(op.Next, following, grouping.end)
    grouping.finish(compiler)
    finisher.finish()


def _emit_having(compiler: Compiler, block: Block, following: int) -> None:
    core = block.core
    if core is not None and core.having is not None:
        compiler.emit_condition(core.having, block.scope, following, False, True)


class Grouping:
    """A grouping whose bare columns are still open."""

    __slots__ = ("base", "calls", "collations", "cursor", "descending", "end", "keys", "map", "open_address", "width")

    def __init__(self, cursor: int, open_address: int, keys: tuple[int, ...], collations: tuple[Collation, ...]) -> None:
        self.cursor = cursor
        self.open_address = open_address
        self.keys = keys
        self.collations = collations
        self.descending: tuple[bool, ...] = (False,) * len(keys)
        self.calls: list[AggregateCall] = []
        self.base = 0
        self.width = 0
        self.end = 0
        self.map = GroupMap(0, 0)

    def finish(self, compiler: Compiler) -> None:
        """Makes the GroupSpec, now that the bare columns are known."""
        spec = group_spec(self.keys, self.collations, self.descending, self.calls, self.map)
        opcode, p1, p2, p3, _, p5 = compiler.code[self.open_address]
        compiler.code[self.open_address] = (opcode, p1, p2, p3, spec, p5)


def group_spec(
    keys: tuple[int, ...],
    collations: tuple[Collation, ...],
    descending: tuple[bool, ...],
    calls: list[AggregateCall],
    group_map: GroupMap,
) -> GroupSpec:
    """The GroupSpec of a grouping whose bare columns are known."""
    bare_call = deciding_call(calls) if group_map.wanted else -1
    return GroupSpec(keys, collations, descending, tuple(calls), tuple(group_map.wanted), bare_call)


def deciding_call(calls: list[AggregateCall]) -> int:
    """The number of the last min() or max(), whose row gives the bare columns; -1 if there is none."""
    for number in range(len(calls) - 1, -1, -1):
        call = calls[number]
        if call.function.name in ("min", "max") and call.function.is_built_in and call.registers:
            return number
    return -1


def emit_grouping(
    compiler: Compiler, block: Block, plan: BlockPlan, calls: Calls, finisher: Finisher | None
) -> Grouping:
    """Emits the loops that feed the grouping and switches the scope to what stands behind it."""
    scope = block.scope
    cursor = compiler.builder.cursor()
    address = compiler.emit(op.GroupOpen, cursor)
    end = compiler.label()
    unique_calls = unique_calls_of(calls)
    made: list[AggregateCall] = []
    if compiler.wants_explain:
        for node, _ in unique_calls:
            if node.is_distinct:
                compiler.explain(f"USE TEMP B-TREE FOR {node.name.lower()}(DISTINCT)")
    keys: list[int] = []
    wants_rowids = compiler.needs_rowids or (compiler.mentions_rowid and _mentions_rowid(block, finisher))

    def body(next_label: int) -> None:
        is_first = not made and not keys
        if wants_rowids:
            _load_rowids(compiler, block)
        key_registers = [compiler.emit_expression(key, scope) for key in calls.keys]
        stepped = [
            aggregate_call(compiler, node, function, scope, calls.has_keys and not plan.is_grouped)
            for node, function in unique_calls
        ]
        if is_first:
            keys.extend(key_registers)
            made.extend(stepped)
        else:
            _copy_into(compiler, key_registers, keys)
            for call, first in zip(stepped, made):
                _copy_into(compiler, call.registers, first.registers)
        compiler.emit(op.GroupStep, cursor)
        if plan.stops_early:
            compiler.emit(op.NotNull, made[0].registers[0], end)

    may_repeat = not (wants_rowids or plan.stops_early or plan.is_grouped) and _are_repeatable(calls)
    emit_plan(compiler, block, plan, end, body, may_repeat)
    compiler.place(end)
    if calls.has_keys and not plan.is_grouped:
        compiler.explain("USE TEMP B-TREE FOR GROUP BY")
    collations = tuple([compiler.collation_for(key, scope) for key in calls.keys])
    grouping = Grouping(cursor, address, tuple(keys), collations)
    grouping.calls = made
    if calls.descending is not None:
        grouping.descending = calls.descending
    if plan.is_grouped:
        grouping.descending = ()
    _switch_scope(compiler, block, calls, unique_calls, grouping)
    return grouping


def _are_repeatable(calls: Calls) -> bool:
    """Tells whether the keys and the arguments of all calls are so simple that their code may stand in several places."""
    return all(map(_is_repeatable, calls.keys)) and all(
        node.filter is None and not node.order_by and all(map(_is_repeatable, node.arguments)) for node, _ in calls.aggregates
    )


def _is_repeatable(node: ast.Expression) -> bool:
    pending: list[Any] = [node]
    while pending:
        node = pending.pop()
        if node.__class__ is ast.Binary:
            pending += (node.left, node.right)
        elif node.__class__ is not ast.Column and node.__class__ is not ast.Literal:
            return False
    return True


def _copy_into(compiler: Compiler, registers: Sequence[int], first: Sequence[int]) -> None:
    """Copies what was made for a further arm to where the first arm's stands."""
    for register, target in zip(registers, first):
        if register != target:
            compiler.emit(op.SCopy, register, target)


def _mentions_rowid(block: Block, finisher: Finisher | None) -> bool:
    """Whether something behind the grouping may read a rowid; a column of a flattened subquery may be one."""
    if any(source.expressions is not None for source in block.scope.sources):
        return True
    having = block.core.having if block.core is not None else None
    names = names_in([[result.expression for result in block.results], having, _order_nodes(finisher)])
    return any(name in ROWID_NAMES for _, name in names)


def _order_nodes(finisher: Finisher | None) -> list[object]:
    if finisher is None or finisher.order is None:
        return []
    return [item.expression for item in finisher.order]


def unique_calls_of(calls: Calls) -> list[tuple[ast.FunctionCall, AggregateFunction]]:
    """Calls that are written the same are computed once."""
    if len(calls.aggregates) == 1:
        return calls.aggregates
    unique: list[tuple[ast.FunctionCall, AggregateFunction]] = []
    for node, function in calls.aggregates:
        if _position_of(node, unique) < 0:
            unique.append((node, function))
    return unique


def _position_of(node: ast.FunctionCall, unique: list[tuple[ast.FunctionCall, AggregateFunction]]) -> int:
    """Where the call that is written like `node` stands, -1 if it stands nowhere."""
    name = node.name.lower()
    n_arguments = len(node.arguments)
    for position, (other, _) in enumerate(unique):
        if other is node or (
            len(other.arguments) == n_arguments and other.name.lower() == name and same_tree(node, other)
        ):
            return position
    return -1


def _load_rowids(compiler: Compiler, block: Block) -> None:
    for made in block.inputs:
        for source in made.sources:
            table = source.table
            if source.has_rowid and not source.rowid_register and (table is None or table.rowid_alias < 0):
                source.rowid_register = compiler.emit_rowid(source)


def _switch_scope(
    compiler: Compiler,
    block: Block,
    calls: Calls,
    unique_calls: list[tuple[ast.FunctionCall, AggregateFunction]],
    grouping: Grouping,
) -> None:
    """From now on names, calls and keys of the block mean the row of the group."""
    scope = block.scope
    n_keys = len(calls.keys)
    capacity = 0
    for made in block.inputs:
        for source in made.sources:
            capacity += len(source.registers) + 1
    n_calls = len(grouping.calls)
    grouping.width = n_keys + n_calls + capacity
    grouping.base = base = compiler.registers(grouping.width or 1)
    grouping.end = compiler.label()
    group_map = GroupMap(base + n_keys + n_calls, base + grouping.width, n_keys > 0)
    grouping.map = group_map
    scope.aggregates = registers_of_calls(calls, unique_calls, base + n_keys)
    for made in block.inputs:
        for source in made.sources:
            source.group_map = group_map
    scope.group_keys = None
    if n_keys:
        sources = [source for made in block.inputs for source in made.sources]
        map_keys(compiler, scope, sources, calls.keys, grouping.keys, grouping.calls, group_map, base)


def map_keys(
    compiler: Compiler,
    scope: Scope,
    sources: Sequence[Source],
    keys: list[ast.Expression],
    registers: Sequence[int],
    made: list[AggregateCall],
    group_map: GroupMap,
    base: int,
) -> None:
    """Behind a grouping the keys, which `registers` hold in front of it, stand in the registers from `base` on."""
    row_registers = {
        register for source in sources for register in (*source.registers, source.rowid_register) if register
    }
    other_keys = []
    decides = deciding_call(made) >= 0
    for number, (key, register) in enumerate(zip(keys, registers)):
        if decides and not _is_exact_key(compiler, key, scope):
            # Equal keys may look different: what is shown comes from the row of the min() or max() like a bare column.
            continue
        if register in row_registers:
            group_map.registers.setdefault(register, base + number)
        elif key.__class__ is not ast.Literal:
            other_keys.append((key, base + number))
    scope.group_keys = other_keys or None


def registers_of_calls(
    calls: Calls, unique_calls: list[tuple[ast.FunctionCall, AggregateFunction]], first: int
) -> dict[int, int]:
    """The register behind the grouping of each call, by id() of its node; that of the first unique call is `first`."""
    if len(unique_calls) == len(calls.aggregates):
        return {id(node): register for register, (node, _) in enumerate(unique_calls, first)}
    return {id(node): first + _position_of(node, unique_calls) for node, _ in calls.aggregates}


def _is_exact_key(compiler: Compiler, key: ast.Expression, scope: Scope) -> bool:
    """Whether equal values of a key are surely the same value: numbers and texts as their column stores them."""
    if key.__class__ is not ast.Column:
        return key.__class__ is ast.Literal
    found = compiler.resolve(key, scope)
    if found is None or found[0].expressions is not None or not found[0].is_stored:
        return False
    source, position = found
    if position == ROWID:
        return True
    column = source.columns[position]
    return column.affinity >= NUMERIC or (column.affinity == TEXT and column.collation == "BINARY")


def aggregate_call(
    compiler: Compiler, node: ast.FunctionCall, function: AggregateFunction, scope: Scope, is_sorted: bool
) -> AggregateCall:
    """Emits the arguments of an aggregate call and describes it; `is_sorted`: in SQLite a sorter brings the rows."""
    if compiler.authorized is not None:
        authorize_function(compiler, node, node.name, scope)
    if node.is_distinct and len(node.arguments) != 1:
        raise sqlite_error(ERROR, "DISTINCT aggregates must have exactly one argument")
    compiler.is_in_aggregate = True
    order_registers: tuple[int, ...] = ()
    if node.order_by:
        check_term_count(compiler, node.order_by, "ORDER BY")
        # ORDER BY first: of several errors SQLite reports the one there.
        order_registers = tuple([compiler.emit_expression(term.expression, scope) for term in node.order_by])
    filter_register = compiler.emit_expression(node.filter, scope) if node.filter is not None else 0
    filtered_out = 0
    if filter_register and any(argument.__class__ not in _LEAVES for argument in node.arguments):
        # What is not taken in is not computed: it may fail.
        filtered_out = compiler.label()
        compiler.emit(op.IfNot, filter_register, filtered_out, 1)
    if function.takes_subtype:
        registers, positions = aggregate_argument_registers(compiler, node, scope, not is_sorted)
    else:
        registers = tuple([compiler.emit_expression(argument, scope) for argument in node.arguments])
        if compiler.binary is not None and not node.is_distinct:
            registers = texts_of_blobs(compiler, node.name, node.arguments, registers)
        positions = ()
    compiler.is_in_aggregate = False
    if positions:
        function = aggregate_with_json_arguments(function, positions)
    if compiler.context.limits is not DEFAULTS:
        function = aggregate_within_limits(function, compiler.context.limits)
    collation = None
    if node.arguments and (function.needs_collation or node.is_distinct or function.name in ("min", "max")):
        name, _ = compiler.collation_of(node.arguments[0], scope)
        collation = compiler.collation(name)
    order = None
    if node.order_by:
        order = SortSpec(
            tuple(range(len(order_registers))),
            tuple(compiler.collation_for(term.expression, scope) for term in node.order_by),
            tuple(term.is_descending for term in node.order_by),
            tuple(effective_nulls_first(term) for term in node.order_by),
            len(order_registers) + len(registers),
        )
    if filtered_out:
        compiler.place(filtered_out)
    return AggregateCall(function, registers, node.is_distinct, collation, filter_register, order, order_registers)


__all__ = ["ROWID", "matching_result"]
