"""The authorizer's events of SELECTs and expressions, in SQLite's order and with its arguments.

SQLite looks up the names of a whole SELECT before it compiles any of it: of a compound the last arm first; of an arm LIMIT, the
subqueries of FROM, the results, HAVING, WHERE, ON, ORDER BY, GROUP BY.  Then every SELECT inside is announced when it is
compiled, and every table of which no column is wanted.  Here planning looks names up as it needs them, so all of that is
walked through before; the answers are kept, and whoever meets a column or function later finds its answer there.

Left out: which SELECTs SQLite merges into others is its planner's business; ours is near.

Source: https://www.sqlite.org/c3ref/set_authorizer.html; the order was taken from tests/oracle/test_authorizer.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from minisql.functions.registry import ScalarFunction
from minisql.parser import ast
from minisql.planner.binding import bind_select, expand_results, find_table
from minisql.planner.flattening import _may_flatten as may_flatten
from minisql.planner.nodes import SourceColumn
from minisql.planner.query_blocks import NESTED, RECURSION, SUBQUERY, TABLE, Block, BoundSelect, Input
from minisql.planner.read_authorization import ask_function, ask_read, ask_recursion, ask_select, ask_unread, column_name
from minisql.planner.scope import ROWID, Scope, Source
from minisql.planner.terms import split
from minisql.planner.walking import CHILDREN
from minisql.planner.walking import walk as walk_tree

_SEVERAL = 2
_NOT_CONSTANT = (ast.Column, ast.ScalarSubquery, ast.Exists, ast.InSelect, ast.InTable)
_CHANGING = ("random", "randomblob", "changes", "total_changes", "last_insert_rowid")

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler


class Announcer:
    """One walk: `compiler` keeps the answers, `names` looks names up without asking; `bound` are the SELECTs in expressions,
    `used` the sources of which a column is wanted."""

    __slots__ = ("bound", "compiler", "names", "used")

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.names = compiler.spawn()
        self.names.authorized = None
        self.names.home = compiler.home
        self.names.trigger = compiler.trigger
        self.bound: dict[int, BoundSelect] = {}
        self.used: set[int] = set()

    def name(self, expressions: Iterable[ast.Expression | None], scope: Scope) -> None:
        """Announces what expressions read."""
        for expression in expressions:
            _name_expression(self, expression, scope, self.compiler.acting_object)

    def finish(self) -> None:
        """Announces the SELECTs in the expressions."""
        for bound in list(self.bound.values()):
            _announce_inner(self, bound, self.compiler.acting_object)


def announce_select(compiler: Compiler, node: ast.Select, scope: Scope | None, names_first: bool = False) -> bool:
    """Announces a SELECT that is a statement, or whose rows a statement takes; `names_first`: of which columns it has.

    False if it is to be ignored.
    """
    walk = Announcer(compiler)
    actor = compiler.acting_object
    if not names_first and not ask_select(compiler, node, actor):
        return False
    bound = bind_select(walk.names, node, scope)
    _name_select(walk, bound, actor)
    if names_first:
        ask_select(compiler, node, actor)
    _announce_code(walk, bound, actor)
    return True


def announce_expressions(compiler: Compiler, expressions: Iterable[ast.Expression | None], scope: Scope) -> None:
    """Announces what expressions of a statement read, and the SELECTs in them."""
    walk = Announcer(compiler)
    walk.name(expressions, scope)
    walk.finish()


def announce_constant_rows(compiler: Compiler, node: ast.Insert) -> bool:
    """Announces VALUES of several rows of constants, which SQLite compiles before it knows what INSERT is about.

    Of the rows behind the first nothing is heard then.  False if the rows are not of that kind.
    """
    core = node.select.cores[0] if node.select is not None and compiler.trigger is None else None
    if not isinstance(core, ast.Values) or len(core.rows) < _SEVERAL or node.with_clause or node.select.with_clause:  # type: ignore[union-attr]
        return False
    if not all(_is_constant(compiler, expression) for row in core.rows for expression in row):
        return False
    ask_select(compiler, None, None)
    announce_expressions(compiler, core.rows[0], Scope([]))
    known = compiler.authorized
    assert known is not None, "the caller looked"
    known.update((id(part), (part, True)) for row in core.rows[1:] for root in row for part in walk_tree(root))
    return True


def _is_constant(compiler: Compiler, root: ast.Expression) -> bool:
    for part in walk_tree(root):
        kind = part.__class__
        if kind in _NOT_CONSTANT:
            return False
        if isinstance(part, ast.FunctionCall):
            function = compiler.context.functions.find(part.name, len(part.arguments))
            if function.__class__ is not ScalarFunction or part.over is not None:
                return False
            if not function.deterministic or part.name.lower() in _CHANGING:
                return False
    return True


def announce_rows(compiler: Compiler, rows: Sequence[Sequence[ast.Expression]], scope: Scope) -> None:
    """Announces the rows of VALUES; several ones are a compound SELECT, whose last arm comes first."""
    if len(rows) >= _SEVERAL:
        ask_select(compiler, None, compiler.acting_object)
    walk = Announcer(compiler)
    for row in reversed(rows):
        walk.name(row, scope)
    walk.finish()


def announce_results(
    compiler: Compiler, columns: Sequence[ast.ResultColumn | ast.Star | ast.TableStar], scope: Scope
) -> None:
    """Announces what RETURNING reads."""
    walk = Announcer(compiler)
    block = Block(None, scope)
    expand_results(walk.names, columns, block)
    known = compiler.authorized
    assert known is not None, "the caller looked"
    before = set(known)
    walk.name([result.expression for result in block.results], scope)
    walk.finish()
    # RETURNING shows what it names nevertheless.
    known.update({key: (node, True) for key, (node, _) in known.items() if key not in before})


def announce_joined_update(compiler: Compiler, node: ast.Update, scope: Scope | None) -> None:
    """Announces the SELECT behind UPDATE ... FROM: the new values from the join of the target with what stands in FROM."""
    target = node.target
    source = ast.TableSource(target.name, target.schema, target.alias, None, False, -1, None)
    results = [ast.ResultColumn(item.expression, None, 0, 0) for item in node.assignments]
    core = ast.Core([*results], False, [source, *node.sources], node.where, None, None, None)
    announce_select(compiler, ast.Select([core], [], None, None, None, node.with_clause), scope)


def announce_view_rows(
    compiler: Compiler, view: Table, node: ast.Update | ast.Delete, again: Scope | None = None
) -> None:
    """Announces the SELECT of the rows of a view that are to be changed, all in the view's name, and WHERE `again`."""
    outer, compiler.acting_object = compiler.acting_object, view.name
    source = ast.TableSource(view.name, view.schema_name, node.target.alias, None, False, -1, None)
    core = ast.Core([ast.Star(-1)], False, [source], node.where, None, None, None)
    announce_select(compiler, ast.Select([core], [], None, None, None, node.with_clause), None)
    if again is not None:
        announce_expressions(compiler, [node.where], again)
    compiler.acting_object = outer


# Names


def _name_select(walk: Announcer, bound: BoundSelect, actor: str | None) -> None:
    node = bound.node
    limit_scope = bound.scope or Scope([])
    for number, block in enumerate(reversed(bound.blocks)):
        if not number:
            _name_expression(walk, node.limit, limit_scope, actor)
            _name_expression(walk, node.offset, limit_scope, actor)
        if block.rows is not None:
            for row in reversed(block.rows):
                _name_all(walk, row, block.scope, actor)
            continue
        _name_block(walk, block, actor)
        if len(bound.blocks) == 1:
            _name_terms(walk, node.order_by, block, actor)
        core = block.core
        if core is not None:
            _name_all(walk, core.group_by or (), block.scope, actor)


def _name_block(walk: Announcer, block: Block, actor: str | None) -> None:
    scope = block.scope
    inputs = list(_each_input(block))
    for made in inputs:
        if made.select is not None:
            _name_select(walk, made.select, _name_of(made) or actor)
    for result in block.results:
        _name_expression(walk, result.expression, scope, actor)
    core = block.core
    if core is None:
        return
    _name_expression(walk, core.having, scope, actor)
    _name_expression(walk, core.where, scope, actor)
    for made in inputs:
        if made.on:
            _name_all(walk, [term for term in made.on if not _is_using(term)], made.on_scope or scope, actor)
    for made in inputs:
        if made.arguments:
            _name_all(walk, made.arguments, made.argument_scope or scope, actor)
    for merged in (scope.merged or {}).values():
        walk.used.update(id(scope.sources[number]) for number in merged[2])


def _is_using(term: ast.Expression) -> bool:
    """Whether a term comes from USING: SQLite makes it of columns that need no looking up."""
    return isinstance(term, ast.Binary) and term.left.__class__ is SourceColumn and term.right.__class__ is SourceColumn


def _each_input(block: Block) -> Iterable[Input]:
    for made in block.inputs:
        if made.kind == NESTED and made.block is not None:
            yield from _each_input(made.block)
        yield made


def _name_of(made: Input) -> str | None:
    """What a subquery is called in events: its view or common table; None for a SELECT in FROM."""
    if made.source.view is not None:
        return made.source.view.name
    return made.common_table.node.name if made.common_table is not None else None


def _name_terms(walk: Announcer, terms: Sequence[ast.OrderingTerm] | None, block: Block, actor: str | None) -> None:
    """ORDER BY; a term that names a result by number or alias is that result, which was announced."""
    for term in terms or ():
        node = term.expression
        if node.__class__ is ast.Literal:
            continue
        if isinstance(node, ast.Column) and node.table is None:
            lowered = node.name.lower()
            if any(result.alias is not None and result.alias.lower() == lowered for result in block.results):
                continue
        _name_expression(walk, node, block.scope, actor)


def _name_all(walk: Announcer, expressions: Iterable[ast.Expression], scope: Scope, actor: str | None) -> None:
    for expression in expressions:
        _name_expression(walk, expression, scope, actor)


def _name_expression(walk: Announcer, root: ast.Expression | None, scope: Scope, actor: str | None) -> None:
    """What one expression reads, from left to right; a call before its arguments, a subquery before what is compared."""
    pending: list[object] = [root]
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is ast.Column or kind is SourceColumn:
            _name_column(walk, node, scope, actor)  # type: ignore[arg-type]
            continue
        if isinstance(node, ast.FunctionCall):
            if ask_function(walk.compiler, node, node.name, actor):
                pending.extend(_parts_of_call(node)[::-1])
            continue
        if isinstance(node, ast.Like):
            if ask_function(walk.compiler, node, node.operator.lower(), actor):
                pending.extend((node.escape, node.operand, node.pattern))
            continue
        if isinstance(node, ast.CurrentTime):
            ask_function(walk.compiler, node, node.keyword.lower(), actor)
            continue
        if isinstance(node, ast.InTable):
            table = find_table(walk.names, node.name, node.schema, node.position)
            if node.arguments is None:
                for number, column in enumerate(table.columns):
                    if column.hidden != 1:
                        ask_read(walk.compiler, None, table, table.columns[number].name, actor)
            pending.append(node.operand)
            continue
        if isinstance(node, (ast.ScalarSubquery, ast.Exists, ast.InSelect)):
            bound = walk.bound[id(node.select)] = bind_select(walk.names, node.select, scope)
            _name_select(walk, bound, actor)
            if isinstance(node, ast.InSelect):
                pending.append(node.operand)
            continue
        if isinstance(node, ast.Binary) and node.operator in ("->", "->>"):
            if not ask_function(walk.compiler, node, node.operator, actor):
                continue
        pending.extend(CHILDREN[kind](node)[::-1])


def _parts_of_call(node: ast.FunctionCall) -> list[object]:
    parts: list[object] = [*node.arguments]
    parts += [term.expression for term in node.order_by or ()]
    if isinstance(node.over, ast.Window):
        parts += node.over.partition_by or ()
        parts += [term.expression for term in node.over.order_by or ()]
    parts.append(node.filter)
    return parts


def _name_column(walk: Announcer, node: ast.Column | SourceColumn, scope: Scope, actor: str | None) -> None:
    if isinstance(node, SourceColumn):
        source, position = node.source, node.position
    else:
        found = walk.names.resolve(node, scope)
        if found is None:
            return
        source, position = found
    if source.expressions is not None or source.name == "excluded":
        return
    table = source.table or source.view
    if position != ROWID and (table is None or position != table.rowid_alias):
        walk.used.add(id(source))
    if table is not None:
        ask_read(walk.compiler, node, table, column_name(source, position), actor)


# SELECTs that are compiled


def _announce_inner(walk: Announcer, bound: BoundSelect, actor: str | None) -> None:
    ask_select(walk.compiler, bound.node, actor)
    _announce_code(walk, bound, actor)


def _announce_code(walk: Announcer, bound: BoundSelect, actor: str | None) -> None:
    common = bound.common_table
    if common is not None and common.is_recursive:
        ask_recursion(walk.compiler, bound.node, actor)
    for number, block in enumerate(bound.blocks):
        if len(bound.blocks) > 1:
            for _ in range(2 if 0 < number < len(bound.blocks) - 1 else 1):
                ask_select(walk.compiler, None, actor)
        elif block.rows is not None and len(block.rows) > 1:
            ask_select(walk.compiler, None, actor)
        _announce_block(walk, block, actor, bound.node)


def _announce_block(walk: Announcer, block: Block, actor: str | None, node: ast.Select) -> None:
    compiler = walk.compiler
    if any(_has_window(result.expression) for result in block.results):
        ask_select(compiler, None, actor)
    lasting: list[tuple[Input, bool]] = []
    _announce_flattened(walk, block, actor, lasting, False)
    merged = _merged_terms(walk, block)
    for term in merged:
        lasting += [(made, False) for made in walk.bound[id(term.select)].blocks[0].inputs]
    for made, is_fixed in lasting:
        if made.kind == RECURSION or made.kind == NESTED:
            continue
        if made.kind == SUBQUERY:
            assert made.select is not None, "a subquery input has a SELECT"
            name = _name_of(made)
            if name is not None and not _is_used(walk, made.source):
                ask_unread(compiler, made.label, None, actor)
            _announce_inner(walk, made.select, name or actor)
            continue
        table = made.table
        if table is not None and not _is_used(walk, made.source):
            ask_unread(compiler, table.name, table.schema_name if is_fixed else made.named_schema, actor)
    core = block.core
    _announce_subqueries(walk, [node.limit, node.offset], actor)
    if core is not None:
        where = [term for term in split(core.where) if term not in merged]
        _announce_subqueries(walk, [*where, *(term for made in block.inputs for term in made.on)], actor)
    _announce_subqueries(walk, [result.expression for result in block.results], actor)


def _has_window(root: ast.Expression) -> bool:
    return any(node.__class__ is ast.FunctionCall and node.over is not None for node in walk_tree(root))


def _merged_terms(walk: Announcer, block: Block) -> list[ast.Exists]:
    """EXISTS terms of WHERE that SQLite makes joins of: over one table, with conditions and nothing else."""
    terms = split(block.core.where) if block.core is not None else []
    return [term for term in terms if isinstance(term, ast.Exists) and _is_plain(walk.bound.get(id(term.select)), True)]


def _is_plain(bound: BoundSelect | None, has_where: bool) -> bool:
    if bound is None or len(bound.blocks) != 1 or bound.node.limit is not None:
        return False
    block = bound.blocks[0]
    core = block.core
    if core is None or core.is_distinct or core.group_by or core.having or (core.where is not None) != has_where:
        return False
    if any(node.__class__ is ast.FunctionCall for result in block.results for node in walk_tree(result.expression)):
        return False
    return len(block.inputs) == 1 and block.inputs[0].kind == TABLE


def _is_searched(walk: Announcer, node: ast.InSelect) -> bool:
    """Whether SQLite looks the value up in an index of the table, so that the SELECT is never compiled."""
    bound = walk.bound.get(id(node.select))
    if bound is None or not _is_plain(bound, False) or len(bound.blocks[0].results) != 1:
        return False
    expression = bound.blocks[0].results[0].expression
    table = bound.blocks[0].inputs[0].table
    if table is None or not isinstance(expression, (ast.Column, SourceColumn)):
        return False
    found = walk.names.resolve(expression, bound.blocks[0].scope) if isinstance(expression, ast.Column) else None
    position = found[1] if found is not None else expression.position
    if position == ROWID or position == table.rowid_alias:
        return True
    return any(index.columns[0].position == position and index.where is None for index in table.indexes)


def _is_used(walk: Announcer, source: Source) -> bool:
    return id(source) in walk.used


def _announce_flattened(
    walk: Announcer, block: Block, actor: str | None, lasting: list[tuple[Input, bool]], is_fixed: bool
) -> None:
    """SELECTs that are merged into the one around come first; `lasting` gets what is left to be scanned."""
    for number, made in enumerate(block.inputs):
        if made.kind == SUBQUERY and made.select is not None and may_flatten(walk.names, made, not number):
            name = _name_of(made)
            # To ignore a SELECT that is merged into the one around has no effect.
            ask_select(walk.compiler, None, name or actor)
            if not _is_used(walk, made.source):
                # Nothing of it is wanted, so nothing that its results read is either.
                walk.used.difference_update(id(inner.source) for inner in made.select.blocks[0].inputs)
            _announce_flattened(walk, made.select.blocks[0], actor, lasting, is_fixed or made.source.view is not None)
        else:
            lasting.append((made, is_fixed))


def _announce_subqueries(walk: Announcer, expressions: Iterable[ast.Expression | None], actor: str | None) -> None:
    pending: list[object] = []
    pending.extend([*expressions][::-1])
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.ScalarSubquery, ast.Exists, ast.InSelect)):
            bound = walk.bound.get(id(node.select))
            if bound is not None and not (isinstance(node, ast.InSelect) and _is_searched(walk, node)):
                _announce_inner(walk, bound, actor)
            if isinstance(node, ast.InSelect):
                pending.append(node.operand)
            continue
        pending.extend(CHILDREN[node.__class__](node)[::-1])
