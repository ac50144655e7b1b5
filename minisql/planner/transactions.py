"""Code for BEGIN, COMMIT, ROLLBACK, SAVEPOINT and RELEASE: one instruction each; the engine knows the rules of nesting.

Source: https://www.sqlite.org/lang_transaction.html, https://www.sqlite.org/lang_savepoint.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.planner.authorization import SAVEPOINT, TRANSACTION, allows

if TYPE_CHECKING:
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler

_KINDS = {"DEFERRED": 0, "IMMEDIATE": 1, "EXCLUSIVE": 2}
_BEGIN, _RELEASE, _ROLLBACK_TO = 0, 1, 2


def emit_begin(compiler: Compiler, node: ast.Begin) -> None:
    """BEGIN [DEFERRED | IMMEDIATE | EXCLUSIVE]."""
    if allows(compiler, TRANSACTION, "BEGIN", None, None):
        compiler.builder.emit(op.AutoCommit, 0, 0, _KINDS[node.mode])


def emit_commit(compiler: Compiler, node: ast.Commit) -> None:
    """COMMIT or END."""
    if allows(compiler, TRANSACTION, "COMMIT", None, None):
        compiler.builder.emit(op.AutoCommit, 1, 0)


def emit_rollback(compiler: Compiler, node: ast.Rollback) -> None:
    """ROLLBACK [TO savepoint]."""
    if node.savepoint is None:
        if allows(compiler, TRANSACTION, "ROLLBACK", None, None):
            compiler.builder.emit(op.AutoCommit, 1, 1)
    elif allows(compiler, SAVEPOINT, "ROLLBACK", node.savepoint, None):
        compiler.builder.emit(op.Savepoint, _ROLLBACK_TO, p4=node.savepoint)


def emit_savepoint(compiler: Compiler, node: ast.Savepoint) -> None:
    """SAVEPOINT name."""
    if allows(compiler, SAVEPOINT, "BEGIN", node.name, None):
        compiler.builder.emit(op.Savepoint, _BEGIN, p4=node.name)


def emit_release(compiler: Compiler, node: ast.Release) -> None:
    """RELEASE name."""
    if allows(compiler, SAVEPOINT, "RELEASE", node.name, None):
        compiler.builder.emit(op.Savepoint, _RELEASE, p4=node.name)
