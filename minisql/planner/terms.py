"""WHERE terms: a condition split at its ANDs, what each term needs, and which column comparisons it offers to an index.

A `Term` knows the mask of inputs that it reads; it can be checked once all of these have a current row.  A `Candidate` says
that a term has the form `column operator value`, where `value` reads none of the column's own input; BETWEEN offers two,
`a = b` offers one for each side, an OR of equalities on one column offers IN.

`read_mask` walks expressions without binding them; a subquery reads whatever its names may mean here (never too little).

Source: https://www.sqlite.org/optoverview.html sections 1 to 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.parser import ast
from minisql.planner.expressions import is_row, truth_test
from minisql.planner.nodes import SourceColumn
from minisql.planner.operands import affinity_of, collation_of
from minisql.planner.scope import ROWID, ROWID_NAMES, find_in_scope
from minisql.planner.walking import CHILDREN, walk
from minisql.values.affinity import NONE, NUMERIC, TEXT

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Input
    from minisql.planner.scope import Scope, Source

MIRRORED = {"=": "=", "IS": "IS", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Candidate:
    """`column operator value`: `position` is a column number, ROWID, or None with `expression` for an expression index.

    `affinity` is the comparison's (NUMERIC, TEXT or 0), `collation` its collation name ('BINARY' if none); `value` an
    expression, or for IN a list of expressions or a Select.
    """

    __slots__ = (
        "affinity", "collation", "expression", "operator", "position", "scope", "source", "term", "value", "value_mask",
    )  # fmt: skip

    def __init__(
        self,
        term: Term,
        source: Source,
        position: int | None,
        operator: str,
        value: object,
        value_mask: int,
        scope: Scope,
    ) -> None:
        self.term = term
        self.source = source
        self.position = position
        self.operator = operator
        self.value = value
        self.value_mask = value_mask
        self.scope = scope
        self.affinity = 0
        self.collation = "BINARY"
        self.expression: ast.Expression | None = None


class Term:
    """One term: its expression and the scope it is read in, the inputs that it needs, and the input whose ON it belongs to
    when that is an outer join (`owner`; else None)."""

    __slots__ = ("candidates", "expression", "has_subquery", "is_done", "is_virtual", "mask", "owner", "scope")

    def __init__(self, expression: ast.Expression, scope: Scope, mask: int, owner: Input | None) -> None:
        self.expression = expression
        self.scope = scope
        self.mask = mask
        self.owner = owner
        self.candidates: list[Candidate] = []
        self.has_subquery = False
        self.is_done = False
        # Made by a rewrite (transitive constants): may serve an index, need not be checked.
        self.is_virtual = False


def split(expression: ast.Expression | None) -> list[ast.Expression]:
    """The terms of an AND, nested ones too, in source order."""
    if expression is None:
        return []
    if expression.__class__ is not ast.And:
        return [expression]
    for item in expression.terms:
        if item.__class__ is ast.And:
            break
    else:
        return expression.terms
    terms: list[ast.Expression] = []
    pending: list[ast.Expression] = [expression]
    while pending:
        item = pending.pop()
        if isinstance(item, ast.And):
            pending.extend(item.terms[::-1])
        else:
            terms.append(item)
    return terms


def read_mask(compiler: Compiler, root: object, scope: Scope) -> int:
    """The inputs of the block of `scope` that an expression reads, straight or through flattened subqueries."""
    if root.__class__ is ast.Literal:
        return 0
    mask = 0
    children = CHILDREN
    pending: list[object] = [root]
    others: list[tuple[object, Scope]] = []
    while True:
        while pending:
            node = pending.pop()
            kind = node.__class__
            if kind is ast.Column:
                found = compiler.resolve(node, scope)  # type: ignore[arg-type]
                if found is None or compiler.crossed is not None:
                    continue
                source, position = found
            elif kind is SourceColumn:
                source, position = node.source, node.position  # type: ignore[attr-defined]
            elif kind in _SUBQUERIES:
                mask |= subquery_mask(compiler, node, scope)
                if kind is ast.InSelect:
                    pending.append(node.operand)  # type: ignore[attr-defined]
                continue
            else:
                pending.extend(children[kind](node))
                continue
            mask |= source.mask
            if source.null_source is not None:
                mask |= source.null_source.mask
            if source.expressions is not None:
                others.append((source.expressions[position], source.inner))  # type: ignore[arg-type]
        if not others:
            return mask
        root, scope = others.pop()
        pending.append(root)


def subquery_mask(compiler: Compiler, node: object, scope: Scope) -> int:
    """The inputs that a subquery in an expression may read: all that have a column of a name that occurs in it."""
    mask = 0
    for table, name in free_names(compiler, node.select):  # type: ignore[attr-defined]
        level: Scope | None = scope
        while level is not None:
            _, source, position = find_in_scope(level, name, table, None)
            if source is None and table is None and level.alias_source is not None:
                alias_position = level.alias_source.positions.get(name)
                if alias_position is not None:
                    source, position = level.alias_source, alias_position
            if source is not None:
                if source.expressions is not None and source.inner is not None:
                    mask |= source.mask | read_mask(compiler, source.expressions[position], source.inner)
                    if source.null_source is not None:
                        mask |= source.null_source.mask
                else:
                    mask |= source.mask
                break
            level = level.parent
    return mask


class _Level:
    """A SELECT core on the way down: the names that its FROM clause explains; `columns` is None where some are not known."""

    __slots__ = ("aliases", "columns", "parent")

    def __init__(self, parent: _Level | None) -> None:
        self.parent = parent
        self.aliases: set[str] = set()
        self.columns: set[str] | None = set()

    def explains(self, table: str | None, name: str) -> bool:
        """Whether a name is one of this FROM clause."""
        return table in self.aliases if table is not None else self.columns is not None and name in self.columns


def free_names(compiler: Compiler, select: ast.Select) -> set[tuple[str | None, str]]:
    """The names (table or None, name) in a SELECT that no FROM clause around them explains, up to the SELECT's own."""
    names: list[tuple[str | None, str, _Level | None]] = []
    pending: list[tuple[object, _Level | None]] = [(select, None)]
    while pending:
        node, level = pending.pop()
        kind = node.__class__
        if kind is ast.Column:
            table = node.table  # type: ignore[attr-defined]
            names.append((None if table is None else table.lower(), node.name.lower(), level))  # type: ignore[attr-defined]
        elif kind is ast.Select:
            own = [_Level(level) for _ in node.cores]  # type: ignore[attr-defined]
            pending += zip(node.cores, own)  # type: ignore[attr-defined]
            pending += ((part, own[0]) for part in (node.order_by, node.limit, node.offset))  # type: ignore[attr-defined]
            pending.append((node.with_clause, level))  # type: ignore[attr-defined]
        else:
            if kind in _FROM_ITEMS and level is not None:
                level.columns = _with_item(compiler, node, level.aliases, level.columns)
                if kind is ast.SubquerySource:
                    # It sees nothing of the FROM clause that it stands in; the ON behind it does.
                    pending.append((node.join, level))  # type: ignore[attr-defined]
                    pending.append((node.select, level.parent))  # type: ignore[attr-defined]
                    continue
            pending += ((child, level) for child in CHILDREN[kind](node))
    free = set()
    for table, name, level in names:
        while level is not None and not level.explains(table, name):
            level = level.parent
        if level is None:
            free.add((table, name))
    return free


def inner_names(compiler: Compiler, select: ast.Select) -> tuple[set[str], set[str] | None]:
    """The aliases of all FROM items of a SELECT and below, and their columns (None if not all are known)."""
    names: set[str] = set()
    columns: set[str] | None = set()
    for node in walk(select):
        if node.__class__ in _FROM_ITEMS:
            columns = _with_item(compiler, node, names, columns)
    return names, columns


_FROM_ITEMS = frozenset((ast.TableSource, ast.SubquerySource, ast.FunctionSource))


def _with_item(compiler: Compiler, item: Any, names: set[str], columns: set[str] | None) -> set[str] | None:
    """Adds a FROM item's alias to `names`; returns the columns with its own, None if they are not known."""
    if item.__class__ is not ast.TableSource:
        if item.alias is not None:
            names.add(item.alias.lower())
        return None
    names.add((item.alias or item.name).lower())
    table = compiler.context.catalog.find_table(item.name, item.schema)
    if columns is None or table is None:
        return None
    if table.view is not None:
        return None if table.view_columns is None else columns | {name.lower() for name in table.view_columns}
    return columns | table.column_positions.keys() | (frozenset() if table.is_without_rowid else ROWID_NAMES)


def names_in(
    root: object, lacking: list[frozenset[str]] | None = None, source_name: str = ""
) -> set[tuple[str | None, str]]:
    """All names used as columns anywhere below a node: (table or None, name), lower case; ('*', '*') for a star.

    With `lacking` the walk ends early, as if it had met a star, when each of these sets holds one of the names that may be
    columns of the source `source_name`.
    """
    names: set[tuple[str | None, str]] = set()
    pending: list[object] = [root]
    children = CHILDREN
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is ast.Column:
            table = node.table  # type: ignore[attr-defined]
            name = node.name.lower()  # type: ignore[attr-defined]
            names.add((None if table is None else table.lower(), name))
            if lacking is not None and (table is None or table.lower() == source_name):
                lacking = [names_lacking for names_lacking in lacking if name not in names_lacking]
                if not lacking:
                    return {("*", "*")}
        elif kind is ast.Binary:
            pending += (node.left, node.right)  # type: ignore[attr-defined]
        elif kind is ast.Literal:
            continue
        elif kind is list:
            pending += node  # type: ignore[arg-type]
        elif kind is ast.And or kind is ast.Or:
            pending += node.terms  # type: ignore[attr-defined]
        elif kind is ast.Star:
            names.add(("*", "*"))
        elif kind is ast.TableStar:
            names.add((node.table.lower(), "*"))  # type: ignore[attr-defined]
        elif kind is SourceColumn:
            columns = node.source.columns  # type: ignore[attr-defined]
            position = node.position  # type: ignore[attr-defined]
            if node.source.expressions is not None:  # type: ignore[attr-defined]
                pending.append(node.source.expressions[position])  # type: ignore[attr-defined]
            names.add((node.source.name, "rowid" if position == ROWID else columns[position].name.lower()))  # type: ignore[attr-defined]
        else:
            pending.extend(children[kind](node))
    return names


_SUBQUERIES = frozenset((ast.ScalarSubquery, ast.Exists, ast.InSelect))


def make_term(
    compiler: Compiler, expression: ast.Expression, scope: Scope, owner: Input | None, known_mask: int = 0
) -> Term:
    """Analyses one term; `known_mask` spares the walk where there is only one input."""
    term = Term(expression, scope, known_mask or read_mask(compiler, expression, scope), owner)
    find_candidates(compiler, term)
    return term


def find_candidates(compiler: Compiler, term: Term) -> None:
    """Fills `term.candidates`."""
    node = term.expression
    scope = term.scope
    kind = node.__class__
    if kind is ast.Binary:
        operator = node.operator  # type: ignore[attr-defined]
        left = node.left  # type: ignore[attr-defined]
        right = node.right  # type: ignore[attr-defined]
        if right.__class__ is ast.Literal:
            if left.__class__ is ast.Column:
                if operator in MIRRORED and not _offer_plain(term, left, operator, right, scope):
                    _offer(compiler, term, left, operator, right, scope)
                return
        elif left.__class__ is ast.Literal and right.__class__ is ast.Column and operator != "IS":
            if operator in MIRRORED and not _offer_plain(term, right, MIRRORED[operator], left, scope):
                _offer(compiler, term, right, MIRRORED[operator], left, scope)
            return
        if operator in MIRRORED and not (operator == "IS" and truth_test(compiler, node, scope) is not None):  # type: ignore[arg-type]
            _offer(compiler, term, node.left, operator, node.right, scope)  # type: ignore[attr-defined]
            _offer(compiler, term, node.right, MIRRORED[operator], node.left, scope)  # type: ignore[attr-defined]
            if node.left.__class__ is ast.RowValue:  # type: ignore[attr-defined]
                _offer_row(compiler, term, node, scope)  # type: ignore[arg-type]
    elif kind is ast.Between:
        if not node.is_negated:  # type: ignore[attr-defined]
            operand, low, high = (_first_of_row(part) for part in (node.operand, node.low, node.high))  # type: ignore[attr-defined]
            _offer(compiler, term, operand, ">=", low, scope)
            _offer(compiler, term, operand, "<=", high, scope)
    elif kind is ast.InList:
        if not node.is_negated and node.items:  # type: ignore[attr-defined]
            items = node.items  # type: ignore[attr-defined]
            operand = node.operand  # type: ignore[attr-defined]
            if operand.__class__ is ast.RowValue and len(items) > 1:
                operand, items = operand.items[0], [_first_of_row(item) for item in items]
            _offer(compiler, term, operand, "IN", items, scope)
    elif kind is ast.InSelect:
        if not node.is_negated:  # type: ignore[attr-defined]
            _offer(compiler, term, node.operand, "IN", node, scope)  # type: ignore[attr-defined]
    elif kind is ast.IsNull:
        _offer(compiler, term, node.operand, "ISNULL", ast.Literal(None), scope)  # type: ignore[attr-defined]
    elif kind is ast.NotNull:
        # Behind all NULLs of an index: `x > NULL`, if SQL let that be true.
        _offer(compiler, term, node.operand, "NOTNULL", ast.Literal(None), scope)  # type: ignore[attr-defined]
    elif kind is ast.Like:
        _offer_prefix(compiler, term, node, scope)  # type: ignore[arg-type]
    elif kind is ast.Or:
        _offer_or(compiler, term, node.terms, scope)  # type: ignore[attr-defined]


_WILDCARDS = {"LIKE": "%_", "GLOB": "*?["}


def _offer_prefix(compiler: Compiler, term: Term, node: ast.Like, scope: Scope) -> None:
    """LIKE or GLOB with a constant beginning lies in a range of the column's texts; the term is checked all the same.

    Source: https://www.sqlite.org/optoverview.html#the_like_optimization
    """
    pattern = node.pattern.value if node.pattern.__class__ is ast.Literal else None
    operand = node.operand
    if node.is_negated or node.escape is not None or not isinstance(pattern, str) or operand.__class__ is not ast.Column:
        return
    wildcards = _WILDCARDS.get(node.operator)
    if wildcards is None:
        return
    prefix = pattern[: min((place for place in map(pattern.find, wildcards) if place >= 0), default=len(pattern))]
    function = compiler.context.functions.find(node.operator, 2)
    if not prefix or not prefix.isascii() or function is None or not function.is_built_in:
        return
    found = compiler.resolve(operand, scope)
    if found is None or compiler.crossed is not None:
        return
    source, position = found
    if not source.mask or source.expressions is not None or position == ROWID or source.columns[position].affinity != TEXT:
        return
    folds = node.operator == "LIKE" and not compiler.context.flags.get("case_sensitive_like", False)
    if folds:
        prefix = prefix.lower()
    behind = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    for operator, bound in ((">=", prefix.upper() if folds else prefix), ("<", behind)):
        candidate = Candidate(term, source, position, operator, ast.Literal(bound), 0, scope)
        candidate.affinity = TEXT
        candidate.collation = "NOCASE" if folds else "BINARY"
        term.candidates.append(candidate)


def _first_of_row(node: ast.Expression) -> ast.Expression:
    """What decides first of a row value; another expression itself."""
    return node.items[0] if isinstance(node, ast.RowValue) else node


_BOUNDS = {"<": "<=", "<=": "<=", ">": ">=", ">=": ">="}


def _offer_row(compiler: Compiler, term: Term, node: ast.Binary, scope: Scope) -> None:
    """A row value equality is as good as one for each column; a comparison puts a bound to the first one."""
    right = node.right
    if right.__class__ is ast.RowValue and node.operator in _BOUNDS:
        first, other = node.left.items[0], right.items[0]  # type: ignore[attr-defined]
        operator = _BOUNDS[node.operator]
        _offer(compiler, term, first, operator, other, scope)
        _offer(compiler, term, other, MIRRORED[operator], first, scope)
    elif node.operator in ("=", "IS") and right.__class__ is ast.RowValue:
        for left_item, right_item in zip(node.left.items, right.items):  # type: ignore[attr-defined]
            _offer(compiler, term, left_item, node.operator, right_item, scope)
            _offer(compiler, term, right_item, node.operator, left_item, scope)


def _offer_or(compiler: Compiler, term: Term, terms: list[ast.Expression], scope: Scope) -> None:
    """`a = 1 OR a = 2` is `a IN (1, 2)` for an index."""
    found = None
    values = []
    for item in terms:
        if item.__class__ is not ast.Binary or item.operator != "=":
            return
        left, right = item.left, item.right
        if left.__class__ is not ast.Column:
            left, right = right, left
        if left.__class__ is not ast.Column:
            return
        resolved = compiler.resolve(left, scope)
        if resolved is None or (found is not None and resolved != found[0]):
            return
        if found is None:
            found = (resolved, left)
        values.append(right)
    assert found is not None, "an OR has terms"
    if affinity_of(compiler, found[1], scope) > NONE and any(
        affinity_of(compiler, value, scope) > NONE for value in values
    ):
        return
    _offer(compiler, term, found[1], "IN", values, scope)


def _offer_plain(term: Term, column: ast.Column, operator: str, value: ast.Literal, scope: Scope) -> bool:
    """`_offer` for the commonest case, a column that is bound to the only table already; False if it is another."""
    known = column.binding
    if known is None or len(scope.sources) != 1 or scope.sources[0] is not known[0]:
        return False
    source, position = known
    if position < 0 or not source.mask or source.expressions is not None:
        return False
    candidate = Candidate(term, source, position, operator, value, 0, scope)
    described = source.columns[position]
    if described.collation != "BINARY":
        candidate.collation = described.collation.upper()
    affinity = described.affinity
    candidate.affinity = NUMERIC if affinity >= NUMERIC else TEXT if affinity == TEXT else 0
    term.candidates.append(candidate)
    return True


def _offer(
    compiler: Compiler, term: Term, column: ast.Expression, operator: str, value: object, scope: Scope
) -> None:
    """Adds `column operator value` as a candidate if the left side is a column (or an expression that an index may have)."""
    kind = column.__class__
    if kind is ast.Literal:
        return
    inner_scope = scope
    node = column
    while True:
        if kind is ast.Column:
            found = compiler.resolve(node, inner_scope)  # type: ignore[arg-type]
            if found is None or compiler.crossed is not None:
                return
            source, position = found
        elif kind is SourceColumn:
            source, position = node.source, node.position  # type: ignore[attr-defined]
        elif kind is ast.Collate:
            node = node.operand  # type: ignore[attr-defined]
            kind = node.__class__
            continue
        else:
            _offer_expression(compiler, term, node, inner_scope, operator, value, scope)
            return
        if source.expressions is None:
            break
        assert source.inner is not None, "a source of expressions has a scope"
        node = source.expressions[position]
        inner_scope = source.inner
        kind = node.__class__
    if not source.mask:
        return
    if node is column and position >= 0 and _is_constant(value):
        # The commonest case needs no look at the value.
        candidate = Candidate(term, source, position, operator, value, 0, scope)
        if operator == "ISNULL" or operator == "NOTNULL":
            candidate.collation = ""
        else:
            described = source.columns[position]
            candidate.collation = described.collation.upper()
            affinity = described.affinity
            candidate.affinity = NUMERIC if affinity >= NUMERIC else TEXT if affinity == TEXT else 0
        term.candidates.append(candidate)
        return
    if is_row(compiler, value, scope):  # type: ignore[arg-type]
        return
    if value.__class__ is ast.InSelect:
        if len(compiler.subquery_columns(value.select, scope)) != 1:
            return
        value_mask = subquery_mask(compiler, value, scope)
    else:
        value_mask = read_mask(compiler, value, scope)
    if value_mask & source.mask:
        return
    candidate = Candidate(term, source, position, operator, value, value_mask, scope)
    _settle_comparison(compiler, candidate, column, scope)
    term.candidates.append(candidate)


def _is_constant(value: object) -> bool:
    if value.__class__ is list:
        return all(item.__class__ is ast.Literal for item in value)
    return value.__class__ is ast.Literal


def _has_expression_index(source: Source) -> bool:
    table = source.table
    return table is not None and any(column.position == -2 for index in table.indexes for column in index.columns)


def _offer_expression(
    compiler: Compiler,
    term: Term,
    node: ast.Expression,
    inner_scope: Scope,
    operator: str,
    value: object,
    scope: Scope,
) -> None:
    """An expression on the left can be served by an index on that expression."""
    if not any(_has_expression_index(source) for source in inner_scope.sources):
        return
    mask = read_mask(compiler, node, inner_scope)
    if not mask or mask & (mask - 1):
        return
    source = next((source for source in inner_scope.sources if source.mask == mask), None)
    if source is None or source.table is None:
        return
    value_mask = read_mask(compiler, value, scope)
    if value_mask & mask:
        return
    candidate = Candidate(term, source, None, operator, value, value_mask, scope)
    candidate.expression = node
    _settle_comparison(compiler, candidate, node, inner_scope)
    term.candidates.append(candidate)


def _settle_comparison(compiler: Compiler, candidate: Candidate, column: ast.Expression, column_scope: Scope) -> None:
    """Decides affinity and collation of the comparison as `operands.comparison` would."""
    scope = candidate.scope
    left = affinity_of(compiler, column, column_scope)
    value = candidate.value
    name, explicit = collation_of(compiler, column, column_scope)
    if candidate.operator in ("ISNULL", "NOTNULL"):
        candidate.collation = ""
        return
    if value.__class__ is list:
        right = NONE
    elif value.__class__ is ast.InSelect:
        right = compiler.subquery_columns(value.select, scope)[0].affinity
    else:
        right = affinity_of(compiler, value, scope)  # type: ignore[arg-type]
        other, other_explicit = collation_of(compiler, value, scope)  # type: ignore[arg-type]
        mirrored = _is_mirrored(candidate, column)
        if mirrored:
            if other_explicit or (other is not None and not explicit):
                name = other
        elif not explicit and (name is None or other_explicit) and other is not None:
            name = other
    candidate.collation = (name or "BINARY").upper()
    if left > NONE and right > NONE:
        candidate.affinity = NUMERIC if left >= NUMERIC or right >= NUMERIC else 0
    else:
        affinity = right if left <= NONE else left
        candidate.affinity = NUMERIC if affinity >= NUMERIC else affinity if affinity == TEXT else 0


def _is_mirrored(candidate: Candidate, column: ast.Expression) -> bool:
    node = candidate.term.expression
    if node.__class__ is not ast.Binary:
        return False
    right = node.right
    return right is column or (right.__class__ is ast.RowValue and any(item is column for item in right.items))
