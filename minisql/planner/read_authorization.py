"""The authorizer's view of reading: SELECT, READ of columns, FUNCTION, RECURSIVE.

Only called while an authorizer is set.  `announcing` asks about all of a statement in SQLite's order; planning, which meets
columns and functions when it needs them, finds the answers here, and asks only about what was not announced.  A column that
is to be ignored is read as NULL.

Source: https://www.sqlite.org/c3ref/set_authorizer.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import AUTH, ERROR, sqlite_error
from minisql.planner.authorization import FUNCTION, READ, SELECT, refused_read
from minisql.planner.scope import ROWID

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope, Source

RECURSIVE = 33
_OK, _DENY = 0, 1


def ask_select(compiler: Compiler, node: ast.Select | None, actor: str | None) -> bool:
    """Announces a SELECT; False if it is to be ignored: it has no rows then."""
    return _keep(compiler, node, None, _ask(compiler, SELECT, None, None, None, actor, "not authorized"))


def ask_recursion(compiler: Compiler, node: ast.Select, actor: str | None) -> None:
    """Announces that a recursive common table is computed; one that is to be ignored has no rows."""
    _keep(compiler, node, None, _ask(compiler, RECURSIVE, None, None, None, actor, "not authorized"))


def ask_function(compiler: Compiler, node: object, name: str, actor: str | None) -> bool:
    """Announces a function call; False if its result is to be NULL."""
    text = f"not authorized to use function: {name}"
    answer = _ask(compiler, FUNCTION, None, name.lower(), None, actor, text, ERROR)
    return _keep(compiler, node, (FUNCTION, name.lower(), None), answer)


def ask_read(compiler: Compiler, node: object, table: Table, column: str, actor: str | None) -> bool:
    """Announces the reading of a column; False if it is to be read as NULL."""
    text = refused_read(compiler, table.name, column, table.schema_name)
    answer = _ask(compiler, READ, table.name, column, table.schema_name, actor, text)
    return _keep(compiler, node, (READ, table.name, column), answer)


def ask_unread(compiler: Compiler, name: str, schema: str | None, actor: str | None) -> None:
    """Announces a table of which no column is read, with an empty column name."""
    _ask(compiler, READ, name, "", schema, actor, "not authorized")


def authorize_function(compiler: Compiler, node: object, name: str, scope: Scope) -> bool:
    """The answer about a function call; False if its result is to be NULL."""
    known = compiler.authorized
    if known is None or compiler.schema_depth:
        # What the schema computes, SQLite does not ask about.
        return True
    answer = known.get(id(node)) or known.get((FUNCTION, name.lower(), None))
    if answer is not None:
        return answer[1]
    return ask_function(compiler, node, name, scope.acting_object or compiler.acting_object)


def authorize_read(compiler: Compiler, node: object, source: Source, position: int, scope: Scope) -> bool:
    """The answer about a column; False if it is to be read as NULL."""
    table = source.table or source.view
    known = compiler.authorized
    if table is None or known is None or compiler.schema_depth or source.name == "excluded":
        return True
    answer = known.get(id(node)) or known.get((READ, table.name, column_name(source, position)))
    if answer is not None:
        known.setdefault(id(node), (node, answer[1]))
        return answer[1]
    return ask_read(compiler, node, table, column_name(source, position), scope.acting_object or compiler.acting_object)


def is_ignored(compiler: Compiler, node: object) -> bool:
    """Whether the authorizer wants a SELECT, a call or a column to be ignored."""
    known = compiler.authorized
    assert known is not None, "the caller looked"
    answer = known.get(id(node))
    return answer is not None and not answer[1]


def column_name(source: Source, position: int) -> str:
    """What a column is called in events."""
    table = source.table
    if position == ROWID:
        return table.columns[table.rowid_alias].name if table is not None and table.rowid_alias >= 0 else "ROWID"
    return source.columns[position].name


def _keep(compiler: Compiler, node: object, key: object, answer: bool) -> bool:
    """Keeps an answer under the node (which it keeps alive) and under what it is about."""
    known = compiler.authorized
    assert known is not None, "only called while an authorizer is set"
    if node is not None:
        known[id(node)] = (node, answer)
    if key is not None:
        # What is to be ignored in one place is so in all.
        known[key] = (node, answer and known.get(key, (node, True))[1])
    return answer


def _ask(
    compiler: Compiler,
    action: int,
    first: str | None,
    second: str | None,
    database: str | None,
    actor: str | None,
    text: str,
    code: int = AUTH,
) -> bool:
    authorizer = compiler.context.authorizer
    assert authorizer is not None, "the caller looked"
    answer = authorizer(action, first, second, database, actor)
    if answer == _DENY:
        raise sqlite_error(code, text)
    return answer == _OK
