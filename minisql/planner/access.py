"""Access paths: all reasonable ways to reach the rows of one FROM item, with their costs.

Comes in: an input, the terms of its block, and which of its columns the statement uses; goes out: a list of `Access`, each
with the inputs that it needs first (`needs`), its setup and running cost and its rows.  The shapes are SQLite's: a scan of
the table or of a covering index; the rowid or leading index columns equal to values (also IN), then a range; a union over the
terms of an OR; a hash table made for the occasion where no index serves (SQLite: an automatic index).

Source: https://www.sqlite.org/optoverview.html, https://www.sqlite.org/queryplanner.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.limits import call_on_fresh_stack
from minisql.parser import ast
from minisql.planner import cost
from minisql.planner.index_terms import Usage, covers, find_term, partial_index_is_usable
from minisql.planner.optimizations import INDEX_UNIONS, is_left_out
from minisql.planner.query_blocks import NESTED, SUBQUERY, TABLE
from minisql.planner.scope import ROWID
from minisql.planner.terms import make_term, split
from minisql.planner.walking import walk
from minisql.values.affinity import NUMERIC, TEXT

if TYPE_CHECKING:
    from minisql.catalog.schema import Index
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import BoundSelect, Input
    from minisql.planner.terms import Candidate, Term

SCAN, BY_ROWID, BY_INDEX, BY_HASH, BY_OR, BY_ROWS = range(6)


class Access:
    """One way to reach an input's rows.

    `equal` has a Candidate per leading key column (or rowid), `lower` and `upper` bound the next one.  `terms` are the terms
    that the access itself makes true.  `is_covering`: the table's own tree is not read.  `is_single`: at most one row.
    `branches` are the accesses of a BY_OR.
    """

    __slots__ = (
        "branches",
        "cost",
        "equal",
        "hash_terms",
        "index",
        "input",
        "is_covering",
        "is_extreme",
        "is_reversed",
        "is_single",
        "keeps_order",
        "kind",
        "lower",
        "needs",
        "or_term",
        "rows",
        "setup",
        "terms",
        "upper",
    )

    def __init__(self, kind: int, made: Input, index: Index | None = None) -> None:
        self.kind = kind
        self.input = made
        self.index = index
        self.equal: list[Candidate] = []
        self.lower: Candidate | None = None
        self.upper: Candidate | None = None
        self.terms: list[Term] = []
        self.needs = 0
        self.setup = 0
        self.cost = 0
        self.rows = 0
        self.is_covering = False
        self.is_single = False
        # A hash table whose rows stay in the order of the table.
        self.keeps_order = False
        self.is_reversed = False
        self.is_extreme = False
        self.branches: list[Access] = []
        self.or_term: Term | None = None
        self.hash_terms: list[Candidate] = []

    @property
    def n_in(self) -> int:
        """How many of the equalities are IN."""
        return sum(1 for candidate in self.equal if candidate.operator == "IN")


def find_accesses(
    compiler: Compiler, made: Input, terms: list[Term], usage: Usage | None, wants_order: bool, may_hash: bool
) -> list[Access]:
    """All access paths worth a thought for an input; `terms` are those that may be used to find its rows."""
    if made.kind != TABLE or made.table is None:
        accesses = [scan_rows(made)]
        for access in accesses:
            adjust_rows(access, terms)
        if may_hash and made.kind in (SUBQUERY, NESTED):
            accesses.extend(_hash_accesses(compiler, made, terms))
        return accesses
    table = made.table
    candidates = [
        candidate for term in terms for candidate in term.candidates if candidate.source is made.source
    ]
    accesses = []
    scan = Access(SCAN, made)
    scan.rows = cost.table_rows(table)
    scan.cost = scan.rows + 16
    if made.indexed_by is None:
        if not table.is_without_rowid:
            accesses.append(scan)
            _add_rowid(compiler, made, candidates, accesses)
        adjust_rows(scan, terms)
    for index in table.indexes:
        if made.is_not_indexed and not index.is_clustered:
            continue
        if made.indexed_by is not None and index.name.lower() != made.indexed_by.lower():
            continue
        _add_index(compiler, made, index, candidates, terms, usage, accesses, wants_order)
    for access in accesses:
        if access is not scan:
            adjust_rows(access, terms)
    if made.indexed_by is None and not made.is_not_indexed:
        if len(accesses) > 1 or table.indexes or candidates:
            if not is_left_out(compiler, INDEX_UNIONS):
                _add_unions(compiler, made, terms, usage, accesses)
        if may_hash and not table.is_without_rowid:
            accesses.extend(_hash_accesses(compiler, made, terms))
    return accesses


def scan_rows(made: Input) -> Access:
    """A scan of rows that are gathered or computed."""
    access = Access(BY_ROWS, made)
    access.rows = cost.DEFAULT_TABLE_ROWS if made.select is None else subquery_rows(made.select)
    access.cost = access.rows + 16
    return access


_SUBQUERIES_ON_A_STACK = 200


def subquery_rows(select: BoundSelect, depth: int = 1) -> int:
    """The estimated rows of a subquery: grouping makes at most a hundred, as SQLite guesses, LIMIT what it says."""
    if depth % _SUBQUERIES_ON_A_STACK == 0:
        return call_on_fresh_stack(subquery_rows, select, depth + 1)
    rows = 0
    for number, block in enumerate(select.blocks):
        if block.rows is not None:
            own = cost.log_estimate(len(block.rows))
        else:
            own = 0
            for part in block.inputs:
                inner = part.select
                own += subquery_rows(inner, depth + 1) if inner is not None else cost.table_rows(part.table)
            own -= len(split(block.where))
            core = block.core
            if core is not None and core.group_by:
                own = min(own, 66)
        rows = cost.add(rows, own) if number else own
    limit = select.node.limit
    if limit is not None and limit.__class__ is ast.Literal and limit.value.__class__ is int and limit.value >= 0:
        rows = min(rows, cost.log_estimate(limit.value))
    return max(rows, 0)


def adjust_rows(access: Access, terms: list[Term]) -> None:
    """Takes the terms that are checked but not used for searching into account in the number of rows."""
    mask = access.input.mask
    reduction = 0
    made = access.input
    full = cost.table_rows(made.table) if made.select is None else subquery_rows(made.select)
    for term in terms:
        if term in access.terms or term.is_virtual or not term.mask & mask:
            continue
        if term.mask & ~(access.needs | mask):
            continue
        access.rows -= 1
        for candidate in term.candidates:
            if candidate.source.mask == mask and candidate.operator in ("=", "IS"):
                value = candidate.value
                small = value.__class__ is ast.Literal and value.value in (-1, 0, 1)
                reduction = max(reduction, 10 if small else 20)
                break
    access.rows = min(access.rows, full - reduction) if reduction else access.rows


# Rowid


def _add_rowid(compiler: Compiler, made: Input, candidates: list[Candidate], accesses: list[Access]) -> None:
    """Rowid equal, IN, or in a range."""
    alias = made.table.rowid_alias if made.table is not None else -1
    mine = [
        candidate
        for candidate in candidates
        if candidate.position is not None
        and (candidate.position == ROWID or (alias >= 0 and candidate.position == alias))
        and candidate.operator != "NOTNULL"
        and candidate.affinity != TEXT
    ]
    if not mine:
        return
    full = cost.table_rows(made.table)
    search = cost.log_of(full)
    for candidate in mine:
        if candidate.operator in ("=", "IS"):
            access = Access(BY_ROWID, made)
            access.equal = [candidate]
            access.is_single = True
            access.cost = cost.add(search, 16)
            finish(access)
            accesses.append(access)
        elif candidate.operator == "IN":
            access = Access(BY_ROWID, made)
            access.equal = [candidate]
            n_in = in_rows(candidate)
            access.rows = n_in
            access.cost = cost.add(search, 16) + n_in
            finish(access)
            accesses.append(access)
    for lower, upper in ranges_of(mine):
        access = Access(BY_ROWID, made)
        access.lower, access.upper = lower, upper
        access.rows = range_rows(full, lower, upper)
        access.cost = cost.add(search, access.rows + 16)
        finish(access)
        accesses.append(access)


def ranges_of(candidates: list[Candidate]) -> list[tuple[Candidate | None, Candidate | None]]:
    """The bounds to try: per set of needed inputs the first lower and the first upper bound."""
    lower = upper = not_null = None
    for candidate in candidates:
        operator = candidate.operator
        if operator == ">" or operator == ">=":
            lower = lower or candidate
        elif operator == "<" or operator == "<=":
            upper = upper or candidate
        elif operator == "NOTNULL":
            not_null = not_null or candidate
    lower = lower or not_null
    if lower is None:
        return [] if upper is None else [(None, upper)]
    if upper is None:
        return [(lower, None)]
    return [(lower, upper), (lower, None), (None, upper)]


def range_rows(rows: int, lower: Candidate | None, upper: Candidate | None) -> int:
    """The estimated rows between two bounds, of `rows`."""
    reduced = rows
    if lower is not None and lower.operator != "NOTNULL":
        reduced -= 20
    if upper is not None:
        reduced -= 20
    if lower is not None and upper is not None:
        reduced -= 20
    reduced = max(reduced, 10)
    limited = rows - (lower is not None) - (upper is not None)
    return min(limited, reduced)


def in_rows(candidate: Candidate) -> int:
    """The LogEst of the number of values of an IN."""
    value = candidate.value
    if value.__class__ is list:
        return cost.log_estimate(len(value))
    return 46


def finish(access: Access) -> None:
    """Notes which terms an access uses and which inputs their values need."""
    for candidate in (*access.equal, access.lower, access.upper):
        if candidate is not None:
            access.needs |= candidate.value_mask
            if candidate.term not in access.terms:
                access.terms.append(candidate.term)


# Indexes


def _add_index(
    compiler: Compiler,
    made: Input,
    index: Index,
    candidates: list[Candidate],
    terms: list[Term],
    usage: Usage | None,
    accesses: list[Access],
    wants_order: bool,
) -> None:
    if index.where is not None and not partial_index_is_usable(compiler, made, index, terms):
        return
    estimates = cost.index_estimates(index)
    is_clustered = index.is_clustered
    covering = is_clustered or (usage is not None and covers(made, estimates.missing, usage))
    # A scan of the whole index: when it covers and is narrower than the table, or may give the order.
    if (
        wants_order
        or is_clustered
        or (covering and estimates.is_narrower and (usage is None or usage.allows_covering_scan))
        or index.where is not None
        or made.indexed_by is not None
    ):
        rows = estimates.rows[0]
        access = Access(SCAN if is_clustered else BY_INDEX, made, index)
        access.is_covering = covering
        access.rows = rows
        access.cost = rows + 16 if is_clustered else rows + estimates.entry_cost
        if not covering:
            access.cost = cost.add(access.cost, rows + 16)
        accesses.append(access)
    if not candidates:
        return
    prefixes: list[list[Candidate]] = [[]]
    for column in index.columns:
        position = column.position
        mine = [
            candidate
            for candidate in candidates
            if (candidate.position == position or position == -2) and find_term(compiler, made, index, column, candidate)
        ]
        if not mine:
            break
        for prefix in prefixes:
            for lower, upper in ranges_of(mine):
                accesses.append(_index_access(made, index, estimates, prefix, lower, upper, covering))
        extended: list[list[Candidate]] = []
        equalities = [candidate for candidate in mine if candidate.operator in ("=", "IS", "IN", "ISNULL")]
        if not equalities:
            break
        equalities = distinct_needs(equalities)[:4]
        for prefix in prefixes[:4]:
            for candidate in equalities:
                longer = [*prefix, candidate]
                extended.append(longer)
                accesses.append(_index_access(made, index, estimates, longer, None, None, covering))
        prefixes = extended


def distinct_needs(candidates: list[Candidate]) -> list[Candidate]:
    """One candidate per operator and set of needed inputs."""
    seen: set[tuple[bool, int]] = set()
    result = []
    for candidate in candidates:
        key = (candidate.operator == "IN", candidate.value_mask)
        if key not in seen:
            seen.add(key)
            result.append(candidate)
    return result


def _index_access(
    made: Input,
    index: Index,
    estimates: cost.IndexEstimates,
    equal: list[Candidate],
    lower: Candidate | None,
    upper: Candidate | None,
    covering: bool,
) -> Access:
    access = Access(BY_INDEX, made, index)
    access.equal = equal
    access.lower, access.upper = lower, upper
    access.is_covering = covering
    n_equal = len(equal)
    estimate = estimates.rows[n_equal]
    multiplier = 0
    for candidate in equal:
        if candidate.operator == "IN":
            multiplier += in_rows(candidate)
        elif candidate.operator == "ISNULL":
            estimate += 10
    if index.is_unique and n_equal == len(index.columns) and all(candidate.operator == "=" for candidate in equal):
        access.is_single = True
    if lower is not None or upper is not None:
        estimate = range_rows(estimate, lower, upper)
    running = cost.add(estimates.search, estimate + estimates.entry_cost)
    if not covering:
        running = cost.add(running, estimate + 16)
    access.cost = running + multiplier
    access.rows = estimate + multiplier
    finish(access)
    return access


# OR


def _add_unions(
    compiler: Compiler, made: Input, terms: list[Term], usage: Usage | None, accesses: list[Access]
) -> None:
    """A union over the branches of an OR each of which has a search of its own."""
    from_or = [term for term in terms if term.expression.__class__ is ast.Or and term.mask & made.mask]
    for term in from_or:
        branches: list[Access] = []
        total_cost = 0
        total_rows = 0
        needs = 0
        for expression in term.expression.terms:  # type: ignore[attr-defined]
            branch = best_branch(compiler, made, expression, term)
            if branch is None:
                branches = []
                break
            branches.append(branch)
            total_cost = cost.add(total_cost, branch.cost) if len(branches) > 1 else branch.cost
            total_rows = cost.add(total_rows, branch.rows) if len(branches) > 1 else branch.rows
            needs |= branch.needs
        if not branches:
            continue
        access = Access(BY_OR, made)
        access.branches = branches
        access.or_term = term
        access.terms = [term]
        access.cost = total_cost + 1
        access.rows = total_rows
        access.needs = needs
        accesses.append(access)


def best_branch(compiler: Compiler, made: Input, expression: ast.Expression, term: Term) -> Access | None:
    """The cheapest search for one branch of an OR, None if there is none."""
    known = made.mask if term.mask == made.mask else 0
    parts = [make_term(compiler, part, term.scope, None, known) for part in split(expression)]
    found: list[Access] = []
    candidates = [candidate for part in parts for candidate in part.candidates if candidate.source is made.source]
    assert made.table is not None, "unions are over tables"
    if not made.table.is_without_rowid:
        _add_rowid(compiler, made, candidates, found)
    for index in made.table.indexes:
        if not index.is_clustered:
            _add_index(compiler, made, index, candidates, parts, None, found, False)
    found = [access for access in found if access.terms]
    for part in parts:
        part.candidates = []  # nothing else looks at them, and they refer to the part
    if not found or made.table.is_without_rowid:
        return None
    return min(found, key=lambda access: access.cost)


# Hash tables


def _hash_accesses(compiler: Compiler, made: Input, terms: list[Term]) -> list[Access]:
    """A hash table for each equality with another input; `extend_hash_keys` adds what else is known by then."""
    full = cost.table_rows(made.table) if made.select is None else subquery_rows(made.select)
    search = cost.log_of(full)
    found = []
    for term in terms:
        for candidate in term.candidates:
            if not candidate.value_mask or not _is_hash_key(compiler, made, candidate):
                continue
            access = Access(BY_HASH, made)
            access.hash_terms = [candidate]
            access.terms = [term]
            access.needs = candidate.value_mask
            access.setup = search + full + (28 if made.kind == TABLE else -25)
            access.rows = 43
            access.cost = cost.add(search, 43)
            found.append(access)
    return found


def correlated_hash(compiler: Compiler, made: Input, terms: list[Term]) -> Access | None:
    """For the lone table of a correlated subquery that would be scanned for every outer row: a hash table, made once, on the
    columns that equal outer values."""
    if made.kind != TABLE or made.table is None or made.table.is_without_rowid:
        return None
    access = Access(BY_HASH, made)
    keys = set()
    for term in terms:
        for candidate in term.candidates:
            value = candidate.value
            if (
                isinstance(value, ast.Column)
                and candidate.position not in keys
                and _is_hash_key(compiler, made, candidate)
                and reads_outside(compiler, term)
            ):
                keys.add(candidate.position)
                access.hash_terms.append(candidate)
                access.terms.append(term)
                break
    access.keeps_order = True
    return access if access.hash_terms else None


def reads_outside(compiler: Compiler, term: Term) -> bool:
    """Whether a term reads something of an enclosing SELECT (or may: subqueries are not looked into)."""
    for node in walk(term.expression):
        if node.__class__ is ast.Select:
            return True
        if node.__class__ is ast.Column:
            found = compiler.resolve(node, term.scope)
            if compiler.crossed is not None:
                return True
            if found is not None and found[0].expressions is not None:
                return True
    return False


def _is_hash_key(compiler: Compiler, made: Input, candidate: Candidate) -> bool:
    return (
        candidate.operator == "="
        and candidate.position is not None
        and candidate.source in made.sources
        and _hashable(compiler, candidate)
    )


def extend_hash_keys(compiler: Compiler, access: Access, terms: list[Term], available: int) -> None:
    """Makes all equalities whose other side is there keys of the hash table."""
    keys = {(id(candidate.source), candidate.position) for candidate in access.hash_terms}
    for term in terms:
        if term in access.terms:
            continue
        for candidate in term.candidates:
            key = (id(candidate.source), candidate.position)
            if (
                candidate.value_mask
                and not candidate.value_mask & ~available
                and key not in keys
                and _is_hash_key(compiler, access.input, candidate)
            ):
                keys.add(key)
                access.hash_terms.append(candidate)
                access.terms.append(term)
                break


def _hashable(compiler: Compiler, candidate: Candidate) -> bool:
    """Whether equal values have equal hashes after the affinity has been applied to the other side only."""
    collation = compiler.collation(candidate.collation)
    if collation is not None and collation.hash_key is None:
        return False
    if not candidate.affinity:
        return True
    position = candidate.position
    assert position is not None, "hash keys are columns"
    affinity = candidate.source.columns[position].affinity if position != ROWID else NUMERIC
    return affinity >= NUMERIC if candidate.affinity >= NUMERIC else affinity == TEXT
