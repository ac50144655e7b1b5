"""Access paths of virtual tables (table-valued functions among them): what a module may be asked, asking it, the scan's code.

For each way that the other tables of the join may stand around it, the module is asked once which constraints it would use
(`PlanContext.best_index`): first with everything, then without IN, then for each set of tables that a constraint needs, then
with constants alone.  LIMIT and OFFSET are offered the first time, where every condition is a constraint of the table and the
order is one of its columns; they count only if all the others are used.  The module's answer is a `VirtualAccess`.

The scan is one HostRows, whose rows hold just the used columns.

The arguments of a table-valued function are terms `hidden column = argument`.

Source: https://www.sqlite.org/vtab.html#xbestindex, https://www.sqlite.org/vtab.html#tabfunc2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import JSON_TABLE_FUNCTIONS, JSON_TYPE, JSON_VALUE
from minisql.parser import ast
from minisql.planner import cost
from minisql.planner import index_info as constraints
from minisql.planner.access import BY_OR, BY_ROWS, Access
from minisql.planner.index_info import UNKNOWN, Constraint, IndexInfo
from minisql.planner.key_values import emit_key_values
from minisql.planner.nodes import Held, SourceColumn
from minisql.planner.query_blocks import RowCount
from minisql.planner.scope import ROWID
from minisql.planner.terms import Candidate, Term, make_term, read_mask, split
from minisql.values.affinity import NONE

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.index_terms import Usage
    from minisql.planner.loops import Nest
    from minisql.planner.query_blocks import Block, Input
    from minisql.planner.wanted_order import WantedOrder

_OPERATORS = {
    "=": constraints.EQ, "IN": constraints.EQ, "IS": constraints.IS, "<": constraints.LT, "<=": constraints.LE,
    ">": constraints.GT, ">=": constraints.GE, "ISNULL": constraints.IS_NULL, "NOTNULL": constraints.IS_NOT_NULL,
    "<>": constraints.NE, "IS NOT": constraints.IS_NOT, "MATCH": constraints.MATCH, "LIKE": constraints.LIKE,
    "GLOB": constraints.GLOB, "REGEXP": constraints.REGEXP, "LIMIT": constraints.LIMIT, "OFFSET": constraints.OFFSET,
}  # fmt: skip
_ROWID_NAMES = ("rowid", "_rowid_", "oid")
_NEGATIVE = {"<>", "IS NOT"}
_FUNCTION_OPERATORS = {"match", "like", "glob", "regexp"}


class VirtualAccess(Access):
    """A scan that a module has planned: its answer `info`, and what it uses in the order of its arguments."""

    __slots__ = ("info", "used", "whole_lists")

    def __init__(self, made: Input, info: IndexInfo) -> None:
        super().__init__(BY_ROWS, made)
        self.info = info
        self.used: list[Candidate | RowCount] = []
        self.whole_lists: set[int] = set()


class VirtualUnion(Access):
    """Scans for the branches of an OR, each row once; `parts` are the terms of each branch."""

    __slots__ = ("columns_used", "parts")

    def __init__(self, made: Input, term: Term) -> None:
        super().__init__(BY_OR, made)
        self.or_term = term
        self.terms = [term]
        self.parts: list[list[Term]] = []
        self.columns_used: frozenset[int] | None = None

    def add(self, branch: VirtualAccess, parts: list[Term]) -> None:
        """Adds the scan for one branch."""
        self.cost = cost.add(self.cost, branch.cost) if self.branches else branch.cost + 1
        self.rows = cost.add(self.rows, branch.rows) if self.branches else branch.rows
        self.needs |= branch.needs
        self.branches.append(branch)
        self.parts.append(parts)
        self.columns_used = branch.info.columns_used


def eponymous_table(compiler: Compiler, name: str) -> Table | None:
    """A table that exists without having been created, None if there is none of that name.

    It is found under the name of any schema, even of one that does not exist.
    """
    return compiler.context.eponymous_table(name)


def argument_terms(compiler: Compiler, block: Block) -> list[Term]:
    """The terms that the arguments of table-valued functions stand for."""
    terms = []
    for made in block.inputs:
        if not made.arguments:
            continue
        owner = made if made.join_flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT) else None
        hidden = [number for number, column in enumerate(made.source.columns) if column.hidden == 1]
        for number, argument in zip(hidden, made.arguments):
            column = SourceColumn(made.source, number)
            scope = made.argument_scope or block.scope
            terms.append(make_term(compiler, ast.Binary("=", column, argument), scope, owner))
    return terms


# Asking the module


def virtual_accesses(
    compiler: Compiler,
    made: Input,
    terms: list[Term],
    usage: Usage | None,
    wanted: WantedOrder | None,
    needs: int,
    offers_counts: bool = True,
) -> list[VirtualAccess]:
    """The ways to scan a virtual table; `needs` are the inputs that stand outside it in any case."""
    candidates = _candidates(compiler, made, terms)
    question = _Question(compiler, made, candidates, usage, wanted)
    if made.row_counts and offers_counts and _are_all_offered(terms, candidates):
        # A module that does not hear of the order must not cut rows off.
        if wanted is None or _own_order(made, wanted):
            question.counts = made.row_counts
    found: list[VirtualAccess] = []
    best = _ask(question, found, -1, may_count=True)
    if best is not None and not _may_count(best):
        found.clear()
        best = _ask(question, found, -1)
    uses_in = best is not None and _uses_in(best)
    if best is not None and not best.needs & ~needs and not uses_in:
        return found
    tried = {best.needs & ~needs} if best is not None else set()
    if uses_in:
        without = _ask(question, found, -1, excludes_in=True)
        if without is not None:
            tried.add(without.needs & ~needs)
    for mask in sorted({candidate.value_mask & ~needs for candidate in candidates} - tried - {0}):
        access = _ask(question, found, mask | needs)
        if access is not None:
            tried.add(access.needs & ~needs)
    if 0 not in tried:
        _ask(question, found, needs)
    if uses_in and all(access.needs & ~needs or _uses_in(access) for access in found):
        _ask(question, found, needs, excludes_in=True)
    return found


def _are_all_offered(terms: list[Term], candidates: list[Candidate]) -> bool:
    """Whether every term is a constraint against a constant."""
    offered = {id(candidate.term) for candidate in candidates}
    return all(id(term) in offered for term in terms) and not any(candidate.value_mask for candidate in candidates)


def _may_count(access: VirtualAccess) -> bool:
    """Whether a module that uses LIMIT or OFFSET uses everything else too, and no IN value by value."""
    unused = False
    for offer in access.info.constraints:
        if offer.operator in (constraints.LIMIT, constraints.OFFSET) and offer.argument > 0:
            return not unused and not _uses_in(access)
        unused |= offer.argument <= 0
    return True


def _uses_in(access: VirtualAccess) -> bool:
    """Whether an IN is asked value by value."""
    return any(
        candidate.operator == "IN" and place not in access.whole_lists for place, candidate in enumerate(access.used)
    )


class _Question:
    """What every call of best_index for one table has in common."""

    __slots__ = ("candidates", "compiler", "counts", "made", "usage", "wanted")

    def __init__(
        self, compiler: Compiler, made: Input, candidates: list[Candidate], usage: Usage | None, wanted: WantedOrder | None
    ) -> None:
        self.compiler = compiler
        self.made = made
        self.candidates = candidates
        self.counts: list[RowCount] = []
        self.usage = usage
        self.wanted = wanted


def _candidates(compiler: Compiler, made: Input, terms: list[Term]) -> list[Candidate]:
    """Everything that a module may be offered: what stands in WHERE as it is, then what was made of it, the last term first."""
    plain: list[Candidate] = []
    derived: list[list[Candidate]] = []
    source = made.source
    for term in terms:
        if not term.mask & made.mask:
            continue
        node = term.expression
        made_of_it: list[Candidate] = []
        for candidate in term.candidates:
            if candidate.source is source and candidate.position is not None:
                (plain if _is_as_written(candidate, node) else made_of_it).append(candidate)
        made_of_it += _further_candidates(compiler, made, term)
        derived.append(made_of_it)
    return plain + [candidate for group in reversed(derived) for candidate in group]


def _is_as_written(candidate: Candidate, node: ast.Expression) -> bool:
    """Whether a constraint is a term of WHERE and not the other way round of one, a part of a BETWEEN or an OR."""
    if node.__class__ is ast.Binary:
        return node.right is candidate.value
    return node.__class__ not in (ast.Between, ast.Or, ast.Like, ast.NotNull)


def _further_candidates(compiler: Compiler, made: Input, term: Term) -> list[Candidate]:
    """Constraints that no index could serve: MATCH, LIKE, GLOB, REGEXP, <>, IS NOT, and functions that the module knows."""
    node = term.expression
    pairs: list[tuple[str, ast.Expression, ast.Expression]] = []
    if isinstance(node, ast.Like):
        if not node.is_negated and node.escape is None:
            pairs.append((node.operator, node.operand, node.pattern))
    elif isinstance(node, ast.Binary) and node.operator in _NEGATIVE:
        pairs += [(node.operator, node.left, node.right), (node.operator, node.right, node.left)]
    elif isinstance(node, ast.FunctionCall) and len(node.arguments) == 2:
        name = node.name.lower()
        if name in _FUNCTION_OPERATORS:
            pairs.append((name.upper(), node.arguments[1], node.arguments[0]))
        else:
            pairs.append((name, node.arguments[0], node.arguments[1]))
    result = []
    for operator, column, value in pairs:
        position = _position_in(compiler, made, column, term)
        if position is None or (operator not in _OPERATORS and _function_operator(compiler, made, operator) is None):
            continue
        value_mask = read_mask(compiler, value, term.scope)
        if not value_mask & made.mask:
            result.append(Candidate(term, made.source, position, operator, value, value_mask, term.scope))
    return result


def _position_in(compiler: Compiler, made: Input, node: ast.Expression, term: Term) -> int | None:
    if node.__class__ is SourceColumn:
        return node.position if node.source is made.source else None
    if node.__class__ is not ast.Column:
        return None
    found = compiler.resolve(node, term.scope)
    if found is None or compiler.crossed is not None or found[0] is not made.source:
        return None
    return found[1]


def _function_operator(compiler: Compiler, made: Input, name: str) -> int | None:
    """The operator that the module has given to a function of two arguments."""
    assert made.table is not None, "a virtual table is a table"
    overload = compiler.context.overload(made.table, name, 2)
    return overload[0] if overload is not None and overload[0] else None


def _ask(
    question: _Question,
    found: list[VirtualAccess],
    available: int,
    excludes_in: bool = False,
    may_count: bool = False,
) -> VirtualAccess | None:
    """One call of best_index; `available` are the inputs whose values may be used (-1: all).  A plan goes into `found`."""
    compiler, made = question.compiler, question.made
    offers = []
    for candidate in question.candidates:
        is_in = candidate.operator == "IN"
        is_usable = not candidate.value_mask & ~available and not (is_in and excludes_in)
        operator = _OPERATORS.get(candidate.operator) or _function_operator(compiler, made, candidate.operator) or 0
        value: object = UNKNOWN
        if isinstance(candidate.value, ast.Literal):
            value = candidate.value.value
        position = -1 if candidate.position == ROWID else candidate.position
        assert position is not None, "candidates of virtual tables are columns"
        offers.append(Constraint(position, operator, is_usable, value, candidate.collation or "BINARY", is_in))
    for count in question.counts:
        shown: object = UNKNOWN if count.constant is None else count.constant
        offers.append(Constraint(0, _OPERATORS[count.operator], may_count, shown))
    table = made.table
    assert table is not None, "a virtual table is a table"
    wanted = question.wanted
    order = _own_order(made, wanted)
    distinct = _distinct_kind(question) if order else 0
    info = IndexInfo(offers, order, distinct, _used_columns(made, question.usage))
    if not compiler.context.best_index(table, info):
        return None
    access = _access(made, [*question.candidates, *question.counts], info, table)
    found.append(access)
    return access


def _access(made: Input, candidates: list[Candidate | RowCount], info: IndexInfo, table: Table) -> VirtualAccess:
    """The access path that an answer describes; raises SQLite's error for an answer that makes no sense."""
    access = VirtualAccess(made, info)
    chosen = sorted(
        (offer.argument, place) for place, offer in enumerate(info.constraints) if offer.argument > 0
    )
    for number, (argument, place) in enumerate(chosen, 1):
        candidate = candidates[place]
        if argument != number or not info.constraints[place].is_usable:
            raise sqlite_error(ERROR, f"{table.name}.xBestIndex malfunction")
        if info.constraints[place].wants_all and candidate.operator == "IN":
            access.whole_lists.add(len(access.used))
        elif candidate.operator == "IN":
            # The loop over the values decides the order of the rows.
            info.is_ordered = info.is_unique = False
        access.used.append(candidate)
        if isinstance(candidate, RowCount):
            continue
        access.needs |= candidate.value_mask
        access.terms.append(candidate.term)
    access.rows = cost.log_estimate(max(info.estimated_rows, 0))
    access.cost = cost.log_estimate(max(info.estimated_cost, 0.0))
    access.is_single = info.is_unique
    return access


def _own_order(made: Input, wanted: WantedOrder | None) -> list[tuple[int, bool]]:
    """The wanted order as pairs of column and direction; empty unless every term is a plain column of this table."""
    order: list[tuple[int, bool]] = []
    for term in wanted.terms if wanted is not None else ():
        if term.source is not made.source or term.position is None:
            return []
        if term.position != ROWID and made.source.columns[term.position].collation.upper() != term.collation:
            return []
        order.append((-1 if term.position == ROWID else term.position, term.is_descending))
    if wanted is not None and wanted.directions is not None:
        order = [(column, is_descending) for (column, _), is_descending in zip(order, wanted.directions)]
    return order


def _distinct_kind(question: _Question) -> int:
    """What sqlite3_vtab_distinct tells: 1 equal rows together, 2 and once, 3 once and in order, 0 just in order."""
    wanted, usage = question.wanted, question.usage
    if wanted is None:
        return 0
    if wanted.is_distinct:
        uses_rowid = usage is not None and any(usage.uses(question.made, name) for name in _ROWID_NAMES)
        return 0 if uses_rowid else 3 - wanted.is_grouping
    return int(wanted.is_grouping and wanted.directions is None)


def _used_columns(made: Input, usage: Usage | None) -> frozenset[int] | None:
    if usage is None or usage.of_source(made.source.name) is None:
        return None
    columns = made.source.columns
    used = {number for number, column in enumerate(columns) if usage.uses(made, column.name.lower())}
    if made.table is not None and made.table.module in JSON_TABLE_FUNCTIONS and JSON_VALUE in used:
        # A JSON function that gets the value asks for its type.
        used.add(JSON_TYPE)
    return frozenset(used)


def virtual_unions(
    compiler: Compiler, made: Input, terms: list[Term], usage: Usage | None, needs: int
) -> list[VirtualUnion]:
    """A union over the branches of each OR whose branches all have a scan that uses them."""
    found = []
    for term in terms:
        if term.expression.__class__ is not ast.Or or not term.mask & made.mask:
            continue
        union = VirtualUnion(made, term)
        for expression in term.expression.terms:
            parts = [make_term(compiler, part, term.scope, term.owner) for part in split(expression)]
            ways = [way for way in virtual_accesses(compiler, made, parts, usage, None, needs, False) if way.terms]
            if not ways:
                break
            union.add(min(ways, key=lambda way: way.cost), parts)
        else:
            found.append(union)
    return found


# Code


def prepare_virtual(compiler: Compiler, access: VirtualAccess | VirtualUnion) -> None:
    """Gives the used columns, and the rowid, their registers."""
    made = access.input
    source = made.source
    used = access.columns_used if isinstance(access, VirtualUnion) else access.info.columns_used
    numbers = [number for number in range(len(source.columns)) if used is None or number in used]
    made.row_width = len(numbers) + source.has_rowid
    made.row_base = compiler.registers(made.row_width)
    source.registers = [0] * len(source.columns)
    for place, number in enumerate(numbers):
        source.registers[number] = made.row_base + place
    if source.has_rowid:
        source.rowid_register = made.row_base + len(numbers)
        numbers.append(-1)
    made.scan_columns = tuple(numbers)
    source.cursor = compiler.builder.cursor()


def open_virtual(nest: Nest, access: VirtualAccess) -> None:
    """Starts the scan with the current values of the constraints that the module uses."""
    compiler = nest.compiler
    made = access.input
    table = made.table
    assert table is not None, "a virtual table is a table"
    n_arguments = len(access.used)
    first = compiler.registers(max(n_arguments, 1))
    looped: list[tuple[Candidate, int]] = []
    for place, candidate in enumerate(access.used):
        if isinstance(candidate, RowCount):
            compiler.emit(op.SCopy, candidate.register, first + place)
            continue
        if candidate.operator != "IN":
            compiler.emit_expression(candidate.value, candidate.scope, first + place)  # type: ignore[arg-type]
            continue
        values = emit_key_values(compiler, candidate)
        if place in access.whole_lists:
            compiler.emit(op.ListValues, values, 0, first + place)
        else:
            nest.begin(op.Rewind, values, first + place, 1)
            looped.append((candidate, first + place))
    compiler.is_deterministic = False
    info = access.info
    _skip_offset(compiler, access)
    constants = (table.schema_index, table.name, table.is_eponymous, info.index_number, info.index_string, made.scan_columns)
    compiler.emit(op.HostRows, first, n_arguments, made.source.cursor, ("virtual_rows", constants))
    nest.begin(op.Rewind, made.source.cursor, made.row_base, made.row_width)
    _mark_omitted(access)
    for candidate, register in looped:
        if not candidate.term.is_done:
            # The row must belong to this round's value, not just to any of the list.
            candidate.term.is_done = True
            column = SourceColumn(made.source, candidate.position)  # type: ignore[arg-type]
            value = Held(ast.Literal(None), (register, NONE, None, False, False))
            compiler.emit_condition(ast.Binary("=", column, value), candidate.scope, nest.next_label, False, True)


def _skip_offset(compiler: Compiler, access: VirtualAccess) -> None:
    """An OFFSET that the module has taken over is 0 for everybody else."""
    offers = sorted((offer for offer in access.info.constraints if offer.argument), key=_argument)
    for candidate, offer in zip(access.used, offers):
        if isinstance(candidate, RowCount) and candidate.operator == "OFFSET" and offer.omit:
            compiler.emit(op.SCopy, compiler.constant(0), candidate.register)


def _argument(offer: Constraint) -> int:
    return offer.argument


def _mark_omitted(access: VirtualAccess) -> None:
    """Terms that the module checks itself need no check; one that offered several constraints, only if all are checked."""
    offers = sorted((offer for offer in access.info.constraints if offer.argument), key=_argument)
    omitted: dict[int, int] = {}
    for candidate, offer in zip(access.used, offers):
        if offer.omit and not isinstance(candidate, RowCount):
            omitted[id(candidate.term)] = omitted.get(id(candidate.term), 0) + 1
    for candidate in access.used:
        if isinstance(candidate, RowCount):
            continue
        term = candidate.term
        whole = 2 if term.expression.__class__ is ast.Between else 1
        is_row = term.expression.__class__ is ast.Binary and term.expression.left.__class__ is ast.RowValue
        if omitted.get(id(term), 0) >= whole and not is_row:
            term.is_done = True
