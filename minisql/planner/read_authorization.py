"""The authorizer's view of reading: SELECT, READ of columns, FUNCTION, RECURSIVE.

Only called while an authorizer is set.  Names are resolved more than once on the way to code, but each use of a column or
function is reported once.  A column that is to be ignored is read as NULL.

Source: https://www.sqlite.org/c3ref/set_authorizer.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import AUTH, sqlite_error
from minisql.parser import ast
from minisql.planner.authorization import FUNCTION, READ, SELECT
from minisql.planner.scope import ROWID
from minisql.planner.walking import CHILDREN

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block
    from minisql.planner.scope import Scope, Source

RECURSIVE = 33
_OK, _DENY = 0, 1


def authorize_select(compiler: Compiler) -> bool:
    """Reports a SELECT; False if it is to be ignored (it then has no rows)."""
    return _ask(compiler, SELECT, None, None, None, compiler.acting_object, "not authorized")


def authorize_recursion(compiler: Compiler) -> None:
    """Reports that a recursive common table is used."""
    _ask(compiler, RECURSIVE, None, None, None, compiler.acting_object, "not authorized")


def authorize_function(compiler: Compiler, node: object, name: str, scope: Scope) -> bool:
    """Reports a function call once; False if its result is to be NULL."""
    known = compiler.authorized
    assert known is not None, "the caller looked"
    if id(node) not in known:
        text = f"not authorized to use function: {name}"
        actor = scope.acting_object or compiler.acting_object
        known[id(node)] = (node, _ask(compiler, FUNCTION, None, name, None, actor, text))
    return known[id(node)][1]


def authorize_read(compiler: Compiler, node: object, source: Source, position: int, scope: Scope) -> bool:
    """Reports the reading of a column once per use; False if it is to be read as NULL."""
    known = compiler.authorized
    assert known is not None, "the caller looked"
    if id(node) in known:
        return known[id(node)][1]
    table = source.table
    if table is None:
        return True
    if position == ROWID:
        column = table.columns[table.rowid_alias].name if table.rowid_alias >= 0 else "ROWID"
    else:
        column = table.columns[position].name
    schemas = compiler.context.catalog.schemas
    prefix = f"{table.schema_name}." if table.schema_index or len(schemas) > 2 else ""
    text = f"access to {prefix}{table.name}.{column} is prohibited"
    actor = scope.acting_object or compiler.acting_object
    answer = _ask(compiler, READ, table.name, column, table.schema_name, actor, text)
    known[id(node)] = (node, answer)
    source.was_read = True
    return answer


def authorize_unread(compiler: Compiler, block: Block) -> None:
    """Reports the tables of a block of which no column is read, with an empty column name."""
    for made in block.inputs:
        for source in made.sources:
            table = source.table
            if table is not None and not source.was_read:
                text = f"access to {table.name}. is prohibited"
                _ask(compiler, READ, table.name, "", None, block.scope.acting_object, text)


def _ask(
    compiler: Compiler, action: int, first: str | None, second: str | None, database: str | None, actor: str | None, text: str
) -> bool:
    authorizer = compiler.context.authorizer
    assert authorizer is not None, "the caller looked"
    answer = authorizer(action, first, second, database, actor)
    if answer == _DENY:
        raise sqlite_error(AUTH, text)
    return answer == _OK


def authorize_block(compiler: Compiler, block: Block) -> None:
    """Reports what a block's clauses read in the order in which they are written, subqueries left out."""
    core = block.core
    if core is None:
        return
    roots: list[object] = [[result.expression for result in block.results], core.where, core.group_by, core.having]
    pending: list[object] = roots[::-1]
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is ast.Column:
            compiler.resolve(node, block.scope)  # type: ignore[arg-type]
        elif kind in _SUBQUERIES:
            continue
        else:
            if kind is ast.FunctionCall:
                authorize_function(compiler, node, node.name, block.scope)  # type: ignore[attr-defined]
            pending.extend(CHILDREN[kind](node)[::-1])


_SUBQUERIES = frozenset((ast.ScalarSubquery, ast.Exists, ast.InSelect))
