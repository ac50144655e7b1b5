"""Join order: which access path for each FROM item, nested in which order.

The search is a beam over partial nestings: every round extends the best few (1 for one table, 5 for two, 12 beyond, fewer for
very wide joins) by every access path whose needed inputs are there already, adding LogEst costs; an extension replaces a
kept one of the same set of inputs only if it is cheaper.  Whether a nesting delivers the rows in the wanted order is part
of its state, since a nesting that needs no sort may win although its loops cost more.

Kept from reordering: the right side of an outer join (everything left of it goes outside) and CROSS JOIN.

Rejected: exhaustive dynamic programming (64-way joins have to be planned in milliseconds) and pure greed (it ruins joins of
three tables).  Source: https://www.sqlite.org/queryplanner-ng.html section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner import cost
from minisql.planner.access import (
    BY_HASH,
    BY_INDEX,
    BY_ROWID,
    BY_ROWS,
    SCAN,
    Access,
    correlated_hash,
    extend_hash_keys,
    find_accesses,
)
from minisql.planner.lone_access import choose_path
from minisql.planner.optimizations import CORRELATED_HASHES, HASH_JOINS, is_left_out
from minisql.planner.query_blocks import FUNCTION, NO_PLAN, TABLE
from minisql.planner.scope import ROWID
from minisql.planner.virtual_tables import VirtualAccess, virtual_accesses, virtual_unions
from minisql.planner.wanted_order import OrderTerm, WantedOrder

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.index_terms import Usage
    from minisql.planner.query_blocks import Input
    from minisql.planner.terms import Term


class Nesting:
    """A partial nesting: accesses from outer to inner, its mask, rows, costs, and how many order terms it satisfies
    (-1: not decided yet)."""

    __slots__ = ("accesses", "cost", "mask", "ordered", "rows", "unsorted")

    def __init__(self, accesses: tuple[Access, ...], mask: int, rows: int, total: int, unsorted: int, ordered: int) -> None:
        self.accesses = accesses
        self.mask = mask
        self.rows = rows
        self.cost = total
        self.unsorted = unsorted
        self.ordered = ordered


def order_joins(
    compiler: Compiler,
    inputs: list[Input],
    terms: list[Term],
    usage: Usage | None,
    wanted: WantedOrder | None,
) -> tuple[list[Access], int]:
    """The accesses from the outermost loop to the innermost, and the number of satisfied order terms."""
    if len(inputs) == 1:
        usable = [term for term in terms if _may_use(term, inputs[0])] if terms else terms
        path = choose_path(compiler, inputs[0], usable, usage, wanted)
        if path is not None:
            return _nest_one(compiler, path, terms, wanted)
    needed_first = prerequisites(inputs)
    may_hash = len(inputs) > 1 and compiler.context.flags.get("automatic_index", True) and not is_left_out(compiler, HASH_JOINS)
    accesses: list[Access] = []
    for made, needs in zip(inputs, needed_first):
        usable = [term for term in terms if term.mask & made.mask and _may_use(term, made)]
        order_helps = wanted is not None and any(
            term.source is made.source or term.position is None for term in wanted.terms
        )
        if made.kind == FUNCTION:
            ways: list[Access] = [*virtual_accesses(compiler, made, usable, usage, wanted, needs)]
            ways += virtual_unions(compiler, made, usable, usage, needs)
        else:
            ways = find_accesses(compiler, made, usable, usage, order_helps, may_hash)
            if len(ways) > 1 and may_hash:
                ways = _worthwhile(ways, order_helps)
        for access in ways:
            access.needs |= needs
            accesses.append(access)
    if len(inputs) == 1 and accesses:
        best_access = accesses[0] if len(accesses) == 1 else _best_single(accesses, wanted)
        return _nest_one(compiler, best_access, terms, wanted)
    width = beam_width(len(inputs))
    start_rows = 0
    nestings = [Nesting((), 0, start_rows, 0, 0, -1 if wanted is not None else 0)]
    for _ in inputs:
        nestings = _extend(nestings, accesses, width, wanted) if width > 1 or wanted else _extend_one(nestings[0], accesses)
        if not nestings:
            raise sqlite_error(ERROR, NO_PLAN)
    best = min(nestings, key=lambda nesting: nesting.cost)
    chosen = list(best.accesses)
    available = 0
    for access in chosen:
        if access.kind == BY_HASH:
            own = access.input.mask
            usable = [term for term in terms if term.mask & own and _may_use(term, access.input)]
            extend_hash_keys(compiler, access, usable, available)
        available |= access.input.mask
    satisfied = 0
    if wanted is None and compiler.reverses_scans:
        for access in chosen:
            access.is_reversed = True
    if wanted is not None:
        satisfied = max(satisfied_terms(chosen, wanted, decide_reversal=True), 0)
    return chosen, satisfied


def _nest_one(
    compiler: Compiler, access: Access, terms: list[Term], wanted: WantedOrder | None
) -> tuple[list[Access], int]:
    """The answer of `order_joins` for one input."""
    if wanted is not None:
        return [access], max(satisfied_terms([access], wanted, decide_reversal=True), 0)
    if access.kind == SCAN and compiler.gathering_capture is not None and not compiler.wants_explain:
        if is_left_out(compiler, CORRELATED_HASHES):
            return [access], 0
        hashed = correlated_hash(compiler, access.input, terms)
        if hashed is not None:
            return [hashed], 0
    access.is_reversed = compiler.reverses_scans
    return [access], 0


def _best_single(accesses: list[Access], wanted: WantedOrder | None) -> Access:
    """The cheapest access of a table that stands alone, sorting included; the first of equals."""
    best = accesses[0]
    best_key = (1 << 30, 0, 0)
    for access in accesses:
        total = access.cost
        if access.needs or total > best_key[0]:
            continue
        if wanted is not None:
            ordered = satisfied_terms([access], wanted)
            if 0 <= ordered < len(wanted.terms):
                price = cost.sorting_cost(access.rows, wanted.n_columns, len(wanted.terms), ordered, wanted.limit, False)
                total = cost.add(total, price) + 3
        key = (total, access.rows, access.cost)
        if key < best_key:
            best, best_key = access, key
    return best


def _worthwhile(ways: list[Access], order_helps: bool) -> list[Access]:
    """The ways to an input without those that are in nothing better than one that finds a single row.

    A scan may come in an order that helps; a hash table has none.
    """
    for single in ways:
        if single.is_single and not single.n_in:
            ways = [
                way
                for way in ways
                if way is single
                or single.needs & ~way.needs
                or single.cost > way.cost
                or single.setup > way.setup
                or single.rows >= way.rows
                or (order_helps and way.kind != BY_HASH)
            ]
    return ways


def beam_width(n_inputs: int) -> int:
    """How many partial nestings are kept."""
    if n_inputs == 1:
        return 1
    if n_inputs == 2:
        return 5
    return 12 if n_inputs <= 9 else 5 if n_inputs <= 16 else 1


def prerequisites(inputs: list[Input]) -> list[int]:
    """For each input the inputs that must stand outside it: everything before an outer or CROSS join's right side."""
    needs = []
    before = 0
    for made in inputs:
        if made.join_flags & (ast.JOIN_LEFT | ast.JOIN_RIGHT | ast.JOIN_CROSS):
            needs.append(before)
        else:
            needs.append(0)
        before |= made.mask
    return needs


def _may_use(term: Term, made: Input) -> bool:
    """Whether a term may limit the rows that are read from an input: its own ON, or WHERE unless it is the right side of
    an outer join (there a WHERE term that finds no row must not make a null row)."""
    if term.owner is not None:
        return term.owner is made
    return not made.join_flags & ast.JOIN_LEFT


def _extend_one(outer: Nesting, accesses: list[Access]) -> list[Nesting]:
    """What `_extend` does for a beam of one when no order is wanted: the cheapest next access, the first of equals.

    Accesses of the tables that are in already are dropped from `accesses`.
    """
    mask, rows, before = outer.mask, outer.rows, outer.unsorted if outer.accesses else None
    accesses[:] = [access for access in accesses if not access.input.mask & mask]
    best: Access | None = None
    best_cost = best_rows = 0
    for access in accesses:
        if access.needs & ~mask or (rows < 3 and access.kind == BY_HASH):
            continue
        total = cost.add(access.setup, access.cost + rows)
        if before is not None:
            total = cost.add(total, before)
        if best is None or total < best_cost or (total == best_cost and access.rows < best_rows):
            best, best_cost, best_rows = access, total, access.rows
    if best is None:
        return []
    return [Nesting((*outer.accesses, best), mask | best.input.mask, rows + best.rows, best_cost, best_cost, 0)]


def _extend(
    nestings: list[Nesting], accesses: list[Access], width: int, wanted: WantedOrder | None
) -> list[Nesting]:
    kept: list[Nesting] = []
    places: dict[tuple[int, bool], int] = {}
    worst = -1
    for outer in nestings:
        mask = outer.mask
        rows = outer.rows
        for access in accesses:
            own = access.input.mask
            if own & mask or access.needs & ~mask or (rows < 3 and access.kind == BY_HASH):
                continue
            unsorted = cost.add(access.setup, access.cost + rows)
            if outer.accesses:
                unsorted = cost.add(unsorted, outer.unsorted)
            ordered = outer.ordered
            total = unsorted
            if wanted is not None:
                if ordered < 0:
                    ordered = satisfied_terms([*outer.accesses, access], wanted)
                if 0 <= ordered < len(wanted.terms):
                    total = cost.add(
                        unsorted,
                        cost.sorting_cost(
                            rows + access.rows, wanted.n_columns, len(wanted.terms), ordered, wanted.limit, False
                        ),
                    )
                    if access.kind != BY_ROWS:
                        total += 3
            key = (mask | own, ordered < 0)
            place = places.get(key, -1)
            if place >= 0:
                other = kept[place]
                if (total, rows + access.rows, unsorted) >= (other.cost, other.rows, other.unsorted):
                    continue
            elif len(kept) < width:
                place = len(kept)
                kept.append(outer)
            else:
                if worst < 0:
                    worst = max(range(width), key=lambda number: (kept[number].cost, kept[number].unsorted))
                other = kept[worst]
                if (total, rows + access.rows) >= (other.cost, other.rows):
                    continue
                place = worst
                del places[other.mask, other.ordered < 0]
            places[key] = place
            kept[place] = Nesting((*outer.accesses, access), mask | own, rows + access.rows, total, unsorted, ordered)
            worst = -1
    return kept


def satisfied_terms(accesses: list[Access], wanted: WantedOrder, decide_reversal: bool = False) -> int:
    """How many leading order terms (any terms, for a grouping) the nesting satisfies; -1 if further loops may decide.

    With `decide_reversal` the accesses that have to run backwards are marked.
    """
    terms = wanted.terms
    done = [False] * len(terms)
    unique_mask = 0
    seen = 0
    for access in accesses:
        seen |= access.input.mask
        if isinstance(access, VirtualAccess) and access.info.is_ordered:
            return len(terms)
        _satisfy_constants(access, terms, done)
        if access.is_single and not access.n_in:
            unique_mask |= access.input.mask
            _satisfy_determined(terms, done, unique_mask)
            continue
        is_unique = _satisfy_by_loop(access, wanted, done, decide_reversal)
        if not is_unique:
            if all(done):
                return len(terms)
            return _leading(done, wanted)
        unique_mask |= access.input.mask
        _satisfy_determined(terms, done, unique_mask)
    if all(done):
        return len(terms)
    return -1 if not decide_reversal else _leading(done, wanted)


def _leading(done: list[bool], wanted: WantedOrder) -> int:
    count = 0
    for flag in done:
        if not flag:
            break
        count += 1
    return count


def _satisfy_constants(access: Access, terms: list[OrderTerm], done: list[bool]) -> None:
    """A column that equals one value in the rows of a loop is in order."""
    for candidate in access.equal:
        if candidate.operator in ("=", "IS", "ISNULL"):
            for number, term in enumerate(terms):
                if term.source is candidate.source and term.position is not None and _same_column(term, candidate.position):
                    done[number] = True


def _same_column(term: OrderTerm, position: int | None) -> bool:
    if term.position == position:
        return True
    table = term.source.table if term.source is not None else None
    alias = table.rowid_alias if table is not None else -1
    return alias >= 0 and {term.position, position} == {alias, ROWID}


def _satisfy_determined(terms: list[OrderTerm], done: list[bool], unique_mask: int) -> None:
    """Terms over loops whose rows the terms before have told apart change nothing."""
    for number, term in enumerate(terms):
        if not done[number] and term.mask and not term.mask & ~unique_mask:
            done[number] = True


def _satisfy_by_loop(access: Access, wanted: WantedOrder, done: list[bool], decide_reversal: bool) -> bool:
    """Matches the order of one loop with the terms; tells whether the loop's key is unique and used up."""
    columns = loop_order(access)
    if columns is None:
        return False
    is_reversed: bool | None = None
    is_used_up = True
    for position, collation, is_descending, is_constant in columns:
        if is_constant:
            continue
        found = _next_term(access, wanted, done, position, collation)
        if found < 0:
            is_used_up = False
            break
        backwards = wanted.terms[found].is_descending != is_descending and not wanted.is_grouping
        if is_reversed is not None and is_reversed != backwards:
            is_used_up = False
            break
        is_reversed = backwards
        done[found] = True
    if decide_reversal and is_reversed:
        access.is_reversed = True
    return is_used_up


def _next_term(access: Access, wanted: WantedOrder, done: list[bool], position: int, collation: str) -> int:
    """The term that a key column satisfies next (any open term for a grouping), or -1."""
    source = access.input.source
    for number, term in enumerate(wanted.terms):
        if done[number]:
            continue
        if (
            term.source is source
            and term.position is not None
            and _same_column(term, position)
            and (term.collation == collation or position == ROWID)
        ):
            return number
        if not wanted.is_grouping:
            return -1
    return -1


def loop_order(access: Access) -> list[tuple[int, str, bool, bool]] | None:
    """The order in which a loop delivers rows: (column or ROWID, collation, descending, constant); None if none is known."""
    if access.input.kind != TABLE:
        return None
    if access.kind == BY_ROWID or (access.kind == SCAN and access.index is None):
        return [(ROWID, "BINARY", False, bool(access.equal) and not access.n_in)]
    if access.kind not in (BY_INDEX, SCAN) or access.index is None:
        return None
    equal = access.equal
    return [
        (position, collation, is_descending, number < len(equal) and equal[number].operator != "IN")
        for number, (position, collation, is_descending) in enumerate(cost.index_estimates(access.index).order)
    ]
