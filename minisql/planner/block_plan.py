"""Planning of one block: flattening, terms, wanted order, access paths and join order.

Comes in: a bound Block; goes out: a BlockPlan, which `loops` turns into code.

Source: https://www.sqlite.org/optoverview.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.parser import ast
from minisql.planner import cost
from minisql.planner.access import BY_INDEX, BY_OR, SCAN, Access
from minisql.planner.aggregate_code import extreme_call
from minisql.planner.cost import index_estimates
from minisql.planner.flattening import flatten_inputs
from minisql.planner.index_terms import Usage, usage_of
from minisql.planner.join_order import order_joins
from minisql.planner.nodes import SourceColumn
from minisql.planner.optimizations import (
    EARLY_STOP,
    INDEX_ORDER,
    JOIN_WEAKENING,
    PRUNING,
    PUSH_DOWN,
    SCAN_AND_SORT,
    is_left_out,
)
from minisql.planner.push_down import prune_columns, push_terms
from minisql.planner.query_blocks import FUNCTION, MAX_JOINED, NESTED, SUBQUERY, TABLE, Block, Input, RowCount, refuse_wide_join
from minisql.planner.scope import ROWID
from minisql.planner.terms import Term, make_term, names_in, read_mask, split
from minisql.planner.virtual_tables import argument_terms
from minisql.planner.wanted_order import OrderTerm, WantedOrder

if TYPE_CHECKING:
    from minisql.planner.aggregate_code import Calls
    from minisql.planner.compiler import Compiler
    from minisql.planner.ordering import OrderItem
    from minisql.planner.scope import Scope, Source


class BlockPlan:
    """Accesses from outer to inner, all terms, and whether rows come out in the order of ORDER BY (`is_ordered`) or of
    GROUP BY (`is_grouped`)."""

    __slots__ = ("accesses", "is_grouped", "is_ordered", "n_ordered", "scan", "stops_early", "terms")

    def __init__(
        self,
        accesses: list[Access],
        terms: list[Term],
        is_ordered: bool,
        is_grouped: bool,
        scan: list[Input] | None = None,
    ) -> None:
        self.accesses = accesses
        self.terms = terms
        self.is_ordered = is_ordered
        self.is_grouped = is_grouped
        self.n_ordered = 0
        # The first row with a value decides a lone min() or max().
        self.stops_early = False
        # Tables to be scanned whole in this order, with WHERE checked in the innermost loop: nothing was planned.
        self.scan = scan


def plan_block(
    compiler: Compiler,
    block: Block,
    order: list[OrderItem] | None,
    limit: int | None,
    calls: Calls,
    counts: list[RowCount] | None = None,
) -> BlockPlan:
    """Plans the FROM and WHERE of a block; `counts` are LIMIT and OFFSET where they count rows of FROM."""
    inputs = block.inputs
    if not inputs:
        compiler.explain("SCAN CONSTANT ROW")
        return BlockPlan([], block_terms(compiler, block), order is None, False)
    if len(inputs) > MAX_JOINED:
        refuse_wide_join(len(inputs))
    # EXPLAIN QUERY PLAN words a plan that was made.
    if compiler.uses_fast_path and not compiler.wants_explain and is_plain_scan(compiler, block):
        return BlockPlan([], [], order is None and not calls.windows, False, inputs)
    flatten_inputs(compiler, block)
    number_inputs(block.inputs)
    if len(block.inputs) > MAX_JOINED:
        refuse_wide_join(len(block.inputs))
    fold_right_joins(compiler, block)
    inputs = block.inputs
    terms = block_terms(compiler, block)
    if not is_left_out(compiler, JOIN_WEAKENING):
        weaken_outer_joins(compiler, block, terms)
    usage = None
    leaves = [leaf for made in inputs for leaf in leaf_inputs(made)]
    _note_null_rows(compiler, inputs)
    has_subquery = any(leaf.kind == SUBQUERY for leaf in leaves)
    if has_subquery and not is_left_out(compiler, PUSH_DOWN):
        push_terms(compiler, block, terms)
    has_index = any(leaf.table is not None and (leaf.table.indexes or leaf.table.module) for leaf in leaves)
    if len(leaves) > 1 or has_subquery or has_index:
        usage = block_usage(block, order, terms)
        for part in all_inputs(inputs):
            usage.names |= usage_of(list(part.on)).names
        for leaf in leaves:
            leaf.usage = usage
        for leaf in leaves:
            if leaf.kind == SUBQUERY and not is_left_out(compiler, PRUNING):
                prune_columns(compiler, leaf, usage)
    wanted = None if is_left_out(compiler, INDEX_ORDER) else wanted_order(compiler, block, order, limit, calls)
    if counts and len(inputs) == 1 and inputs[0].kind == FUNCTION and (wanted is not None or not order):
        if _is_own_order(compiler, block, order):
            inputs[0].row_counts = counts
    accesses, satisfied = order_joins(compiler, inputs, terms, usage, wanted)
    is_ordered = wanted is not None and not wanted.is_grouping and satisfied == len(wanted.terms)
    is_grouped = wanted is not None and wanted.is_grouping and satisfied == len(wanted.terms)
    if len(accesses) == 1 and wanted is not None and limit is None and not compiler.wants_explain:
        if not is_left_out(compiler, SCAN_AND_SORT) and scans_instead(block, accesses, calls, wanted, is_grouped):
            is_ordered = is_grouped = False
    plan = BlockPlan(accesses, terms, is_ordered, is_grouped)
    plan.n_ordered = satisfied
    if calls.is_grouped and not calls.has_keys and extreme_call(calls) is not None and not is_left_out(compiler, EARLY_STOP):
        plan.stops_early = is_ordered
        for access in accesses[:1]:
            access.is_extreme = True
    return plan


def _is_own_order(compiler: Compiler, block: Block, order: list[OrderItem] | None) -> bool:
    """Whether the rows of the only input are wanted in no order or in one of its columns, with NULLs where they are."""
    source = block.inputs[0].source
    for item in order or ():
        node = item.expression
        if item.nulls_first == item.is_descending:
            return False
        if isinstance(node, ast.Column):
            found = compiler.resolve(node, block.scope)
            if found is None or found[0] is not source:
                return False
            position = found[1]
            if position != ROWID and item.collation.name != source.columns[position].collation.upper():
                return False
        elif not isinstance(node, SourceColumn) or node.source is not source:
            return False
    return True


def is_plain_scan(compiler: Compiler, block: Block) -> bool:
    """Whether there is nothing to choose: tables without indexes, and no condition that could search by rowid or join."""
    inputs = block.inputs
    where = block.where
    if block.extra_terms:
        return False
    if where is not None and (len(inputs) > 1 or compiler.mentions_rowid):
        return False
    if where is not None and compiler.gathering_capture is not None and any(map(_is_equality, split(where))):
        # A correlated subquery may do with a hash table.
        return False
    for made in inputs:
        table = made.table
        if (
            made.kind != TABLE
            or table is None
            or table.indexes
            or made.on
            or made.join_flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT)
            or (table.rowid_alias >= 0 and (where is not None or block.core is None or block.core.is_distinct))
        ):
            return False
    return len(inputs) == 1 or not compiler.mentions_rowid


def _is_equality(term: ast.Expression) -> bool:
    return term.__class__ is ast.Binary and term.operator == "="


def scans_instead(
    block: Block, accesses: list[Access], calls: Calls, wanted: WantedOrder, is_grouped: bool
) -> bool:
    """Replaces a walk along a whole index that only saves sorting, but seeks a table row for every entry.

    A sort in C costs less here than the seeks. The rows come out the same: equal keys lie in the index in the order of rowids.
    """
    access = accesses[0]
    index = access.index
    if index is None or access.kind != BY_INDEX or access.is_covering or (calls.is_grouped and not calls.has_keys):
        return False
    if access.equal or access.lower is not None or access.upper is not None or index.where is not None:
        return False
    if index.table.is_without_rowid or block.inputs[0].indexed_by is not None:
        return False
    terms = wanted.terms
    columns = index.columns
    if len(columns) > len(terms) or any(term.position != column.position for term, column in zip(terms, columns)):
        return False
    if wanted.is_grouping and not calls.has_keys:
        return False
    if is_grouped:
        if len(columns) < len(terms):
            return False
        if not calls.is_ordered:
            calls.descending = tuple(column.descending for column in columns)
    scan = Access(SCAN, access.input)
    scan.rows, scan.cost, scan.is_reversed = access.rows, access.cost, access.is_reversed
    accesses[0] = scan
    return True


def number_inputs(inputs: list[Input]) -> None:
    """Gives every input its bit."""
    bit = 1
    for made in inputs:
        made.mask = bit
        for source in made.sources:
            source.mask = bit
        for source in made.visible or ():
            source.mask = bit
        bit <<= 1


def block_terms(compiler: Compiler, block: Block) -> list[Term]:
    """The terms of WHERE and of all ON and USING clauses; those of inner joins count as WHERE."""
    # A constant term keeps a subquery from being run; over a table it is checked with the others.
    known = block.inputs[0].mask if len(block.inputs) == 1 and block.inputs[0].kind != SUBQUERY else 0
    terms = [make_term(compiler, part, block.scope, None, known) for part in split(block.where)]
    for made in block.inputs:
        owner = made if made.join_flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT) else None
        scope = made.on_scope or block.scope
        for expression in made.on:
            for part in split(expression):
                terms.append(make_term(compiler, part, scope, owner))
    if any(made.arguments for made in block.inputs):
        terms += argument_terms(compiler, block)
    for scope, expression, owner in block.extra_terms:
        for part in split(expression):
            terms.append(make_term(compiler, part, scope, owner))
    return terms


def weaken_outer_joins(compiler: Compiler, block: Block, terms: list[Term]) -> None:
    """A LEFT JOIN whose null rows cannot pass WHERE is an inner join, whose tables may be reordered.

    Source: https://www.sqlite.org/optoverview.html#omit_outer_join (strength reduction).
    """
    for made in block.inputs:
        if made.join_flags & ast.JOIN_LEFT and any(_rejects_null_row(compiler, term, made) for term in terms):
            made.join_flags &= ~(ast.JOIN_LEFT | ast.JOIN_OUTER)
            for term in terms:
                if term.owner is made:
                    term.owner = None


def _note_null_rows(compiler: Compiler, inputs: list[Input]) -> None:
    """In the null row of an outer join a virtual generated column is NULL whatever its expression says."""
    for made in inputs:
        if made.kind == NESTED or made.join_flags & ast.JOIN_LEFT:
            for leaf in leaf_inputs(made):
                if leaf.kind == TABLE and leaf.table is not None and leaf.table.has_generated:
                    leaf.source.null_source = leaf.source
                    compiler.needs_rowids = True


def _rejects_null_row(compiler: Compiler, term: Term, made: Input) -> bool:
    """Whether a WHERE term is not true when all columns of the input are NULL."""
    if term.owner is not None or not term.mask & made.mask:
        return False
    node = term.expression
    operands: list[ast.Expression] = []
    if isinstance(node, ast.Binary) and node.operator in ("=", "<>", "<", "<=", ">", ">="):
        operands = [node.left, node.right]
    elif (isinstance(node, (ast.Between, ast.InList, ast.Like)) and not node.is_negated) or isinstance(node, ast.NotNull):
        operands = [node.operand]
    for operand in operands:
        if operand.__class__ is ast.Column:
            found = compiler.resolve(operand, term.scope)
            if found is not None and compiler.crossed is None and found[0] in made.sources and found[0].expressions is None:
                return True
    return False


def block_usage(block: Block, order: list[OrderItem] | None, terms: list[Term]) -> Usage:
    """What a covering index has to hold."""
    roots: list[object] = [result.expression for result in block.results]
    roots += [term.expression for term in terms]
    core = block.core
    if core is not None:
        roots += [core.group_by, core.having, core.windows]
    if order is not None:
        roots += [item.expression for item in order]
    # Arguments of table-valued functions in FROM read the tables to their left.
    roots += [made.arguments for made in block.inputs if made.arguments]
    inputs = block.inputs
    if len(inputs) == 1 and inputs[0].table is not None and block.scope.sources == [inputs[0].source]:
        lacking = [index_estimates(index).missing for index in inputs[0].table.indexes]
        if lacking and not block.needs_whole_rows:
            return Usage(names_in(roots, lacking, inputs[0].source.name))
    usage = usage_of(roots)
    _add_flattened(usage, block.scope)
    usage.allows_covering_scan = not block.needs_whole_rows
    return usage


def _add_flattened(usage: Usage, scope: Scope) -> None:
    """What flattened subqueries and USING columns read counts as well."""
    pending = list(scope.sources)
    if scope.merged is not None:
        pending += [source for source, _, _, _ in scope.merged.values()]
    names = usage.names
    while pending:
        source = pending.pop(0)
        if source.expressions is None or source.inner is None or not source.columns:
            continue
        used = Usage(names).of_source(source.name)
        names |= names_in(
            [
                expression
                for column, expression in zip(source.columns, source.expressions)
                if used is None or column.name.lower() in used
            ]
        )
        if source.inner is not scope:
            pending += source.inner.sources


def wanted_order(
    compiler: Compiler, block: Block, order: list[OrderItem] | None, limit: int | None, calls: Calls
) -> WantedOrder | None:
    """The order that ORDER BY (of a block without grouping) would like the loops to have."""
    core = block.core
    if core is None:
        return None
    log_limit = cost.log_estimate(limit) if limit is not None else None
    n_columns = len(block.results)
    if calls.is_grouped and not calls.has_keys:
        return _extreme_order(compiler, block, calls)
    if calls.is_grouped:
        keys = [_order_term(compiler, block, key, False) for key in calls.keys]
        if not keys:
            return None
        wanted = WantedOrder(keys, n_columns, None, True)
        if calls.is_ordered:
            wanted.directions = calls.descending
        return wanted
    if calls.windows:
        return _window_order(compiler, block, calls)
    if order is None:
        if not core.is_distinct:
            return None
        results = [_order_term(compiler, block, result.expression, False) for result in block.results]
        wanted = WantedOrder(results, n_columns, log_limit, True)
        wanted.is_distinct = True
        return wanted
    terms = []
    for item in order:
        if item.nulls_first == item.is_descending:
            return None
        terms.append(_order_term(compiler, block, item.expression, item.is_descending, item.collation.name))
    wanted = WantedOrder(terms, n_columns, log_limit, False)
    wanted.is_distinct = core.is_distinct
    return wanted


def _extreme_order(compiler: Compiler, block: Block, calls: Calls) -> WantedOrder | None:
    """A lone min(x) or max(x) would like to meet its result first."""
    found = extreme_call(calls)
    if found is None:
        return None
    term = _order_term(compiler, block, found.arguments[0], found.name.lower() == "max")
    return WantedOrder([term], len(block.results), None, False)


def _window_order(compiler: Compiler, block: Block, calls: Calls) -> WantedOrder | None:
    """The order that the first window would like: its partitions, then its ORDER BY."""
    # Names in the arguments are looked up first, as they are written first.
    read_mask(compiler, [node.arguments for node in calls.windows], block.scope)
    over = calls.windows[-1].over
    if not isinstance(over, ast.Window) or over.base is not None:
        return None
    terms = [_order_term(compiler, block, node, False) for node in over.partition_by or ()]
    for term in over.order_by or ():
        if term.nulls is not None:
            return None
        terms.append(_order_term(compiler, block, term.expression, term.is_descending))
    return WantedOrder(terms, len(block.results), None, False) if terms else None


def leaf_inputs(made: Input) -> list[Input]:
    """An input, or what a nested one is made of."""
    if made.block is None:
        return [made]
    return [leaf for part in made.block.inputs for leaf in leaf_inputs(part)]


def all_inputs(inputs: list[Input]) -> list[Input]:
    """The inputs and, behind each nested one, what it is made of."""
    found = []
    for made in inputs:
        found.append(made)
        if made.block is not None:
            found += all_inputs(made.block.inputs)
    return found


def _order_term(
    compiler: Compiler, block: Block, expression: ast.Expression, is_descending: bool, collation: str | None = None
) -> OrderTerm:
    scope = block.scope
    if collation is not None and expression.__class__ is ast.Column:
        known = expression.binding
        if known is not None and len(scope.sources) == 1 and scope.sources[0] is known[0] and known[0].expressions is None:
            return OrderTerm(known[0], known[1], collation.upper(), is_descending, known[0].mask)
    name = (collation or compiler.collation_of(expression, scope)[0] or "BINARY").upper()
    mask = read_mask(compiler, expression, scope)
    found = plain_column(compiler, expression, scope)
    if found is None:
        return OrderTerm(None, None, name, is_descending, mask)
    return OrderTerm(found[0], found[1], name, is_descending, mask)


def plain_column(compiler: Compiler, expression: ast.Expression, scope: Scope) -> tuple[Source, int] | None:
    """The source and column that an expression is, looking through flattened subqueries and COLLATE."""
    while True:
        kind = expression.__class__
        if kind is ast.Collate:
            expression = expression.operand  # type: ignore[attr-defined]
            continue
        if kind is ast.Column:
            found = compiler.resolve(expression, scope)  # type: ignore[arg-type]
            if found is None or compiler.crossed is not None:
                return None
            source, position = found
        elif kind is SourceColumn:
            source, position = expression.source, expression.position  # type: ignore[attr-defined]
        else:
            return None
        if source.expressions is None:
            return source, position
        expression = source.expressions[position]
        assert source.inner is not None, "a source of expressions has a scope"
        scope = source.inner


def fold_right_joins(compiler: Compiler, block: Block) -> None:
    """Everything up to the last RIGHT or FULL join becomes one nested input, whose rows are gathered first."""
    last = max(
        (number for number, made in enumerate(block.inputs) if made.join_flags & ast.JOIN_RIGHT), default=-1
    )
    if last < 0:
        return
    head = block.inputs[: last + 1]
    inner = Block(None, block.scope)
    inner.inputs = head
    made = Input(NESTED, head[0].source)
    made.block = inner
    made.sources = [source for part in head for source in part.sources]
    block.inputs = [made, *block.inputs[last + 1 :]]
    number_inputs(block.inputs)


__all__ = ["BY_OR"]
