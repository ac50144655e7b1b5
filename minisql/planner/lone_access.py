"""The access path of a table that stands alone: the choice of `find_accesses` and `join_order`, made without the objects.

Most statements read one table, and most of the paths that they could take are worse than another at first sight.  So a path
is a tuple here until it has won, and what depends on an index alone comes from its `IndexEstimates`.  Tables with partial or
expression indexes, WITHOUT ROWID and INDEXED BY go the general way.

Source: https://www.sqlite.org/optoverview.html, https://www.sqlite.org/queryplanner.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.parser import ast
from minisql.planner import cost
from minisql.planner.access import (
    BY_INDEX,
    BY_OR,
    BY_ROWID,
    SCAN,
    Access,
    distinct_needs,
    finish,
    in_rows,
    range_rows,
    ranges_of,
)
from minisql.planner.cost import index_estimates
from minisql.planner.optimizations import INDEX_UNIONS, is_left_out
from minisql.planner.query_blocks import TABLE
from minisql.planner.scope import ROWID
from minisql.planner.terms import make_term, split
from minisql.values.affinity import NUMERIC, TEXT

if TYPE_CHECKING:
    from minisql.catalog.schema import Index, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.cost import IndexEstimates
    from minisql.planner.index_terms import Usage
    from minisql.planner.query_blocks import Input
    from minisql.planner.terms import Candidate, Term
    from minisql.planner.wanted_order import OrderTerm, WantedOrder


Equal = tuple["Candidate", ...]
Path = tuple[
    int, int, int, "Index | None", Equal, "Candidate | None", "Candidate | None", bool, "tuple[Term, list[Path]] | None"
]
"""(cost, rows, kind, index, equal, lower, upper, is covering, the OR and the paths of its branches); as in an Access."""


class PathFacts:
    """What the choice needs to know of a table, for one generation of the schema: `is_plain` says whether it can be made here,
    `full` is the LogEst of its rows, `indexes` have an `IndexFacts` each."""

    __slots__ = ("full", "generation", "indexes", "is_plain", "scan")

    def __init__(self, table: Table, generation: int) -> None:
        self.generation = generation
        self.full = cost.table_rows(table)
        self.scan: Path = (self.full + 16, self.full, SCAN, None, (), None, None, False, None)
        self.is_plain = table.module is None and not table.is_without_rowid
        self.indexes: list[IndexFacts] = []
        for index in table.indexes:
            estimates = index_estimates(index)
            self.is_plain = self.is_plain and estimates.is_plain
            total = estimates.rows[0] + estimates.entry_cost
            scans: list[Path] = [
                (entry_total, estimates.rows[0], BY_INDEX, index, (), None, None, is_covering, None)
                for entry_total, is_covering in ((total, True), (cost.add(total, estimates.rows[0] + 16), False))
            ]
            # Without an order that it gives, a scan that seeks every row loses against the scan of the table.
            may_win = scans[1][0] < self.scan[0] or scans[1][1] < self.full
            self.indexes.append((index.columns[0].position, estimates, index, estimates.missing, scans[0], scans[1], may_win))


IndexFacts = tuple[int, "IndexEstimates", "Index", "frozenset[str]", Path, Path, bool]
"""(position of the first column, estimates, index, names that it lacks, its whole scan if it covers, if it does not, whether
the latter may be worth it whatever its order)."""


def facts_of(table: Table, generation: int) -> PathFacts:
    """The facts of a table, from its cache slot as long as the schema is the same."""
    facts = table.paths
    if facts.__class__ is not PathFacts or facts.generation != generation:
        facts = table.paths = PathFacts(table, generation)
    return facts


def choose_path(
    compiler: Compiler, made: Input, terms: list[Term], usage: Usage | None, wanted: WantedOrder | None
) -> Access | None:
    """The cheapest access, sorting included, the first of equals; None if the general way has to find it."""
    table = made.table
    if made.kind != TABLE or table is None or made.indexed_by is not None or made.is_not_indexed:
        return None
    facts = facts_of(table, compiler.context.catalog.generation)
    if not facts.is_plain:
        return None
    source = made.source
    full = facts.full
    paths: list[Path] = [facts.scan]
    candidates = [candidate for term in terms for candidate in term.candidates if candidate.source is source]
    if candidates or facts.indexes:
        order_helps = wanted is not None and any(
            [term.source is source or term.position is None for term in wanted.terms]
        )
        leading = None
        if wanted is not None and not wanted.is_grouping and wanted.terms[0].source is source:
            leading = wanted.terms[0].position
        _add_paths(made, table, facts, candidates, usage, order_helps, paths, leading)
        for term in terms:
            if term.expression.__class__ is ast.Or and term.mask & made.mask and not is_left_out(compiler, INDEX_UNIONS):
                _add_union(compiler, made, table, facts, term, paths)
    if len(paths) == 1:
        best = paths[0]
    elif wanted is None:
        best = _cheapest(paths, terms, full, made.mask)
    else:
        best = _cheapest_sorted(paths, terms, full, made, wanted)
    access = _made(made, best)
    access.rows = _adjusted_rows(best, terms, full, made.mask)
    return access


def _cheapest(paths: list[Path], terms: list[Term], full: int, mask: int) -> Path:
    """The path of the least cost, then of the fewest rows."""
    best = paths[0]
    best_cost = best[0]
    best_rows: int | None = None
    for path in paths[1:]:
        if path[0] > best_cost:
            continue
        if path[0] == best_cost:
            if best_rows is None:
                best_rows = _adjusted_rows(best, terms, full, mask)
            rows = _adjusted_rows(path, terms, full, mask)
            if rows >= best_rows:
                continue
            best_rows = rows
        else:
            best_rows = None
        best = path
        best_cost = path[0]
    return best


def _cheapest_sorted(paths: list[Path], terms: list[Term], full: int, made: Input, wanted: WantedOrder) -> Path:
    """The same when what is not in order has to be sorted."""
    best = paths[0]
    best_key = (1 << 30, 0, 0)
    n_terms = len(wanted.terms)
    for path in paths:
        total = path[0]
        if total > best_key[0]:
            continue
        rows = _adjusted_rows(path, terms, full, made.mask)
        ordered = _satisfied(path, made, wanted)
        if 0 <= ordered < n_terms:
            price = cost.sorting_cost(rows, wanted.n_columns, n_terms, ordered, wanted.limit, False)
            total = cost.add(total, price) + 3
        key = (total, rows, path[0])
        if key < best_key:
            best, best_key = path, key
    return best


def _adjusted_rows(path: Path, terms: list[Term], full: int, mask: int) -> int:
    """The rows of a path after the terms that are checked but not used for searching; see `adjust_rows`."""
    _, rows, kind, _, equal, lower, upper, _, _ = path
    if kind == BY_OR:
        return rows
    is_search = lower is not None or upper is not None or equal
    if is_search and len(terms) == 1:
        return rows
    reduction = 0
    for term in terms:
        if term.is_virtual or term.mask != mask:
            continue
        if is_search and _uses(path, term):
            continue
        rows -= 1
        for candidate in term.candidates:
            if (candidate.operator == "=" or candidate.operator == "IS") and candidate.source.mask == mask:
                value = candidate.value
                small = value.__class__ is ast.Literal and value.value in (-1, 0, 1)
                reduction = max(reduction, 10 if small else 20)
                break
    return min(rows, full - reduction) if reduction else rows


def _uses(path: Path, term: Term) -> bool:
    """Whether a path searches with a term."""
    _, _, _, _, equal, lower, upper, _, _ = path
    if (lower is not None and lower.term is term) or (upper is not None and upper.term is term):
        return True
    return bool(equal) and any([candidate.term is term for candidate in equal])


def _made(made: Input, path: Path) -> Access:
    """The Access of a path."""
    total, rows, kind, index, equal, lower, upper, is_covering, union = path
    access = Access(kind, made, index)
    access.cost = total
    access.rows = rows
    access.is_covering = is_covering
    if union is not None:
        access.or_term = union[0]
        access.terms = [union[0]]
        access.branches = [_made(made, branch) for branch in union[1]]
        for branch in access.branches:
            access.needs |= branch.needs
        return access
    access.equal = list(equal)
    access.lower, access.upper = lower, upper
    access.is_single = _is_single(kind, index, equal)
    finish(access)
    return access


def _is_single(kind: int, index: Index | None, equal: Equal) -> bool:
    """Whether a path finds at most one row (or one for each value of an IN before)."""
    if kind == BY_ROWID:
        return bool(equal) and equal[0].operator != "IN"
    if kind != BY_INDEX or index is None or not index.is_unique or len(equal) != len(index.columns):
        return False
    return all([candidate.operator == "=" for candidate in equal])


# Paths


def _add_paths(
    made: Input,
    table: Table,
    facts: PathFacts,
    candidates: list[Candidate],
    usage: Usage | None,
    wants_order: bool,
    paths: list[Path],
    leading: int | None = None,
) -> None:
    """By rowid, and by every index; `leading` is the column that the wanted order begins with, if that is one."""
    by_position: dict[int | None, list[Candidate]] = {}
    for candidate in candidates:
        position = candidate.position
        if position in by_position:
            by_position[position].append(candidate)
        else:
            by_position[position] = [candidate]
    alias = table.rowid_alias
    if ROWID in by_position or (alias >= 0 and alias in by_position):
        _add_rowid(facts.full, alias, candidates, paths)
    used = None
    allows_scan = False
    if usage is not None:
        used = usage.of_source(made.source.name)
        allows_scan = usage.allows_covering_scan
    for position, estimates, index, missing, covering_scan, whole_scan, may_win in facts.indexes:
        covering = usage is not None and (not missing or (used is not None and missing.isdisjoint(used)))
        if covering:
            if wants_order or (allows_scan and estimates.is_narrower):
                paths.append(covering_scan)
        elif wants_order and (leading is None or position == leading or may_win):
            paths.append(whole_scan)
        if position in by_position:
            _add_searches(index, estimates, by_position, covering, paths)


def _add_rowid(full: int, alias: int, candidates: list[Candidate], paths: list[Path]) -> None:
    """Rowid equal, IN, or in a range."""
    mine = [
        candidate
        for candidate in candidates
        if (candidate.position == ROWID or (alias >= 0 and candidate.position == alias))
        and candidate.operator != "NOTNULL"
        and candidate.affinity != TEXT
    ]
    search = cost.log_of(full)
    for candidate in mine:
        if candidate.operator in ("=", "IS"):
            paths.append((cost.add(search, 16), 0, BY_ROWID, None, (candidate,), None, None, False, None))
        elif candidate.operator == "IN":
            n_in = in_rows(candidate)
            paths.append((cost.add(search, 16) + n_in, n_in, BY_ROWID, None, (candidate,), None, None, False, None))
    for lower, upper in ranges_of(mine):
        rows = range_rows(full, lower, upper)
        paths.append((cost.add(search, rows + 16), rows, BY_ROWID, None, (), lower, upper, False, None))


def _add_searches(
    index: Index,
    estimates: IndexEstimates,
    by_position: dict[int | None, list[Candidate]],
    covering: bool,
    paths: list[Path],
) -> None:
    """Leading columns equal to values, then a range."""
    prefixes: list[Equal] = [()]
    columns = index.table.columns
    for number, column in enumerate(index.columns):
        found = by_position.get(column.position)
        if found is None:
            break
        affinity = columns[column.position].affinity
        collation = estimates.order[number][1]
        mine = [candidate for candidate in found if _serves(candidate, affinity, collation)]
        if not mine:
            break
        operator = mine[0].operator
        if len(mine) == 1 and operator in _BOUNDS:
            lower = mine[0] if _BOUNDS[operator] else None
            upper = None if _BOUNDS[operator] else mine[0]
            for prefix in prefixes:
                paths.append(_search(index, estimates, prefix, lower, upper, covering))
            break
        ranges = ranges_of(mine)
        if ranges:
            for prefix in prefixes:
                for lower, upper in ranges:
                    paths.append(_search(index, estimates, prefix, lower, upper, covering))
        equalities = [candidate for candidate in mine if candidate.operator in _EQUALITIES]
        if not equalities:
            break
        if len(equalities) > 1:
            equalities = distinct_needs(equalities)[:4]
        extended = [(*prefix, candidate) for prefix in prefixes[:4] for candidate in equalities]
        for longer in extended:
            paths.append(_search(index, estimates, longer, None, None, covering))
        prefixes = extended


_EQUALITIES = frozenset(("=", "IS", "IN", "ISNULL"))
_BOUNDS = {">": True, ">=": True, "NOTNULL": True, "<": False, "<=": False}
"""Whether an operator gives the lower bound of a range."""


def _serves(candidate: Candidate, affinity: int, collation: str) -> bool:
    """Whether an index column of that affinity and collation can serve a candidate for it; see `find_term`."""
    if candidate.operator == "ISNULL" or candidate.operator == "NOTNULL":
        return True
    wanted = candidate.affinity
    if wanted == TEXT and affinity != TEXT:
        return False
    if wanted >= NUMERIC and affinity < NUMERIC:
        return False
    return candidate.collation == collation


def _search(
    index: Index,
    estimates: IndexEstimates,
    equal: Equal,
    lower: Candidate | None,
    upper: Candidate | None,
    covering: bool,
) -> Path:
    rows = estimates.rows[len(equal)]
    multiplier = 0
    for candidate in equal:
        if candidate.operator == "IN":
            multiplier += in_rows(candidate)
        elif candidate.operator == "ISNULL":
            rows += 10
    if lower is not None or upper is not None:
        rows = range_rows(rows, lower, upper)
    total = cost.add(estimates.search, rows + estimates.entry_cost)
    if not covering:
        total = cost.add(total, rows + 16)
    return total + multiplier, rows + multiplier, BY_INDEX, index, equal, lower, upper, covering, None


# OR


def _add_union(
    compiler: Compiler, made: Input, table: Table, facts: PathFacts, term: Term, paths: list[Path]
) -> None:
    """A union over the branches of an OR each of which has a search of its own."""
    known = made.mask if term.mask == made.mask else 0
    branches: list[Path] = []
    total = rows = 0
    for expression in term.expression.terms:  # type: ignore[attr-defined]
        parts = [make_term(compiler, part, term.scope, None, known) for part in split(expression)]
        candidates = [candidate for part in parts for candidate in part.candidates if candidate.source is made.source]
        found: list[Path] = []
        if candidates:
            _add_paths(made, table, facts, candidates, None, False, found)
        for part in parts:
            part.candidates = []  # nothing else looks at them, and they refer to the part
        if not found:
            return
        best = min(found, key=_cost) if len(found) > 1 else found[0]
        if branches:
            total = cost.add(total, best[0])
            rows = cost.add(rows, best[1])
        else:
            total, rows = best[0], best[1]
        branches.append(best)
    paths.append((total + 1, rows, BY_OR, None, (), None, None, False, (term, branches)))


def _cost(path: Path) -> int:
    return path[0]


# Order


def _satisfied(path: Path, made: Input, wanted: WantedOrder) -> int:
    """How many leading terms of the wanted order a path satisfies, -1 if all its rows are told apart; see `satisfied_terms`."""
    _, _, kind, index, equal, _, _, _, _ = path
    terms = wanted.terms
    if kind == BY_OR:
        return 0
    source = made.source
    order = index_estimates(index).order if index is not None else _ROWID_ORDER
    if not equal and not wanted.is_grouping:
        # Most paths do not even begin with the first term.
        first = terms[0]
        position, collation, _ = order[0]
        if first.source is not source or not (
            _is_column(first, position, made.table) and (first.collation == collation or position == ROWID)
        ):
            return 0
    done = [False] * len(terms)
    for candidate in equal:
        if candidate.operator != "IN":
            for number, term in enumerate(terms):
                if term.source is source and _is_column(term, candidate.position, made.table):
                    done[number] = True
    n_constant = len(equal)
    has_in = any([candidate.operator == "IN" for candidate in equal]) if equal else False
    if not has_in and _is_single(kind, index, equal):
        return _with_determined(terms, done, made.mask)
    is_reversed: bool | None = None
    for number, (position, collation, is_descending) in enumerate(order):
        if number < n_constant and equal[number].operator != "IN":
            continue
        found = _next_term(terms, done, position, collation, made, wanted.is_grouping)
        if found < 0:
            break
        backwards = terms[found].is_descending != is_descending and not wanted.is_grouping
        if is_reversed is not None and is_reversed != backwards:
            break
        is_reversed = backwards
        done[found] = True
    else:
        return _with_determined(terms, done, made.mask)
    return done.index(False) if False in done else len(terms)


_ROWID_ORDER = ((ROWID, "BINARY", False),)


def _with_determined(terms: list[OrderTerm], done: list[bool], mask: int) -> int:
    """Rows that are told apart by the key need no further order."""
    for number, term in enumerate(terms):
        if not done[number] and not (term.mask and not term.mask & ~mask):
            return -1
    return len(terms)


def _is_column(term: OrderTerm, position: int | None, table: Table | None) -> bool:
    own = term.position
    if own is None:
        return False
    if own == position:
        return True
    alias = table.rowid_alias if table is not None else -1
    return alias >= 0 and position is not None and {own, position} == {alias, ROWID}


def _next_term(
    terms: list[OrderTerm], done: list[bool], position: int, collation: str, made: Input, is_grouping: bool
) -> int:
    """The term that a key column satisfies next (any open term for a grouping), or -1."""
    source = made.source
    for number, term in enumerate(terms):
        if done[number]:
            continue
        if (
            term.source is source
            and (term.collation == collation or position == ROWID)
            and _is_column(term, position, made.table)
        ):
            return number
        if not is_grouping:
            return -1
    return -1
