"""Code for ATTACH, DETACH, VACUUM, ANALYZE and REINDEX: one call of the engine's services each.

Source: https://www.sqlite.org/lang_attach.html, lang_detach.html, lang_vacuum.html, lang_analyze.html, lang_reindex.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.authorization import ATTACH, DETACH, allows
from minisql.planner.references import walk
from minisql.planner.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.planner.compiler import Compiler

_NO_NAMES = Scope([])


def emit_attach(compiler: Compiler, node: ast.Attach) -> None:
    """ATTACH file AS name [KEY key]."""
    allows(compiler, ATTACH, node.file.value if isinstance(node.file, ast.Literal) else None, None, None)  # type: ignore[arg-type]
    key = node.key if node.key is not None else ast.Literal(None)
    _emit_call(compiler, "attach", (), [node.file, node.name, key])


def emit_detach(compiler: Compiler, node: ast.Detach) -> None:
    """DETACH name."""
    name = _as_value(node.name)
    allows(compiler, DETACH, str(name.value) if isinstance(name, ast.Literal) else None, None, None)
    _emit_call(compiler, "detach", (), [node.name])


def emit_vacuum(compiler: Compiler, node: ast.Vacuum) -> None:
    """VACUUM [schema] [INTO file]."""
    database = 0
    if node.schema is not None:
        database = compiler.context.catalog.schema_position(node.schema)
        if database < 0:
            raise sqlite_error(ERROR, f"unknown database {node.schema}")
    _emit_call(compiler, "vacuum", (database,), [node.into] if node.into is not None else [])


def emit_analyze(compiler: Compiler, node: ast.Analyze) -> None:
    """ANALYZE [schema | table | index]."""
    compiler.emit(op.HostCall, 0, 0, 0, ("analyze", (node.schema, node.name)))


def emit_reindex(compiler: Compiler, node: ast.Reindex) -> None:
    """REINDEX [collation | table | index | EXPRESSIONS]."""
    compiler.emit(op.HostCall, 0, 0, 0, ("reindex", (node.schema, node.name)))


def _emit_call(compiler: Compiler, service: str, constants: tuple[object, ...], arguments: Sequence[ast.Expression]) -> None:
    first = compiler.registers(len(arguments)) if arguments else 0
    for number, argument in enumerate(arguments):
        compiler.emit_expression(_as_value(argument), _NO_NAMES, first + number)
    compiler.emit(op.HostCall, first, len(arguments), 0, (service, constants))


def _as_value(expression: ast.Expression) -> ast.Expression:
    """A bare name counts as a string; names elsewhere mean nothing."""
    if isinstance(expression, ast.Column) and expression.table is None:
        return ast.Literal(expression.name)
    for part in walk(expression):
        if isinstance(part, ast.Column):
            raise sqlite_error(ERROR, f"no such column: {part.name}")
    return expression
