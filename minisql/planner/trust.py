"""What the text of a schema may not use: whoever made a database file is not always whom the application trusts.

A function or virtual table that is only for direct use is refused in views, triggers, CHECK, DEFAULT, generated columns and
indexes; with `PRAGMA trusted_schema = OFF` so are functions of the user's and virtual tables that are not known to be
harmless.  The TEMP schema is the application's own and always trusted.

Source: https://www.sqlite.org/security.html, https://www.sqlite.org/pragma.html#pragma_trusted_schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.walking import walk

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.functions.registry import Function
    from minisql.planner.compiler import Compiler

_TEMP = 1


def refuse_unsafe_call(compiler: Compiler, function: Function, name: str) -> None:
    """Raises `unsafe use of name()` if a function that stands in the text of a schema is not for that."""
    if function.direct_only or not (function.is_built_in or compiler.context.flags.get("trusted_schema", True)):
        raise sqlite_error(ERROR, f"unsafe use of {name}()")


def refuse_unsafe_view(compiler: Compiler, table: Table) -> None:
    """Raises for the first unsafe call in a view, wanted or not.  The list of its calls is made once."""
    if table.schema_index == _TEMP:
        return
    calls = table.calls
    if calls is None:
        calls = table.calls = tuple(_calls_in(table.view))
    for name, n_arguments in calls:
        function = compiler.context.functions.find(name, n_arguments)
        if function is not None and (function.direct_only or not function.is_built_in):
            refuse_unsafe_call(compiler, function, name)


def _calls_in(root: object) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for node in walk(root):
        kind = node.__class__
        if kind is ast.FunctionCall:
            found.append((node.name, len(node.arguments)))
        elif kind is ast.Like:
            found.append((node.operator.lower(), 2 + (node.escape is not None)))
    return found[::-1]


def refuse_unsafe_table(compiler: Compiler, table: Table) -> None:
    """Raises `unsafe use of virtual table` for a virtual table that the text of a schema reads or a trigger changes."""
    if compiler.context.virtual_risk(table) > bool(compiler.context.flags.get("trusted_schema", True)):
        raise sqlite_error(ERROR, f'unsafe use of virtual table "{table.name}"')
