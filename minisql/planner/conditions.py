"""The condition emitter: jumps on the truth of an expression without making a value of it.

`emit_condition(compiler, node, scope, label, jump_if, null_jumps)` jumps to `label` when the expression is true (`jump_if`)
or false (not `jump_if`), and when it is NULL only with `null_jumps`; else it falls through.  WHERE is
`jump_if=False, null_jumps=True` to the loop's next row.

AND and OR chains are flat in the tree, comparisons become one jump each, NOT swaps the sense.

Source: https://www.sqlite.org/lang_expr.html section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.parser import ast
from minisql.planner.expressions import (
    between_terms,
    emit_expression,
    is_row,
    truth_test,
)
from minisql.planner.operands import comparison, settle_plain, typed_operand
from minisql.planner.wide_operands import is_number, text_of_blob
from minisql.values import compare
from minisql.values.arithmetic import truth

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope

# operator: (jump when true, jump when false, extra flags, folding)
_JUMPS: dict[str, tuple[int, int, int, Callable[..., Any]]] = {
    "=": (op.Eq, op.Ne, 0, compare.eq),
    "<>": (op.Ne, op.Eq, 0, compare.ne),
    "<": (op.Lt, op.Ge, 0, compare.lt),
    "<=": (op.Le, op.Gt, 0, compare.le),
    ">": (op.Gt, op.Le, 0, compare.gt),
    ">=": (op.Ge, op.Lt, 0, compare.ge),
    "IS": (op.Eq, op.Ne, op.NULLS_EQUAL, compare.is_),
    "IS NOT": (op.Ne, op.Eq, op.NULLS_EQUAL, compare.is_not),
}


def emit_condition(
    compiler: Compiler, node: ast.Expression, scope: Scope, label: int, jump_if: bool, null_jumps: bool
) -> None:
    """Emits the jump; see the module's docstring."""
    kind = node.__class__
    if kind is ast.Binary:
        _binary(compiler, node, scope, label, jump_if, null_jumps)  # type: ignore[arg-type]
        return
    handler = _CONDITIONS.get(kind)
    if handler is not None:
        compiler.depth += 1
        handler(compiler, node, scope, label, jump_if, null_jumps)
        compiler.depth -= 1
        return
    register = emit_expression(compiler, node, scope)
    if compiler.binary is not None and not is_number(node):
        register = text_of_blob(compiler, register)
    jump_on_register(compiler, register, label, jump_if, null_jumps)


def jump_on_register(compiler: Compiler, register: int, label: int, jump_if: bool, null_jumps: bool) -> None:
    """The jump on the truth of a value; decided now for a constant."""
    constants = compiler.constants
    if register in constants:
        jump_on_value(compiler, constants[register], label, jump_if, null_jumps)
        return
    compiler.emit(op.If if jump_if else op.IfNot, register, label, 1 if null_jumps else 0)


def jump_on_value(compiler: Compiler, value: object, label: int, jump_if: bool, null_jumps: bool) -> None:
    """The jump for a value known at compile time."""
    known = truth(value)
    if null_jumps if known is None else known == jump_if:
        compiler.emit(op.Goto, 0, label)


def _and(compiler: Compiler, node: ast.And, scope: Scope, label: int, jump_if: bool, null_jumps: bool) -> None:
    _chain(compiler, node.terms, scope, label, jump_if, null_jumps, decides=False)


def _or(compiler: Compiler, node: ast.Or, scope: Scope, label: int, jump_if: bool, null_jumps: bool) -> None:
    _chain(compiler, node.terms, scope, label, jump_if, null_jumps, decides=True)


def _chain(
    compiler: Compiler,
    terms: list[ast.Expression],
    scope: Scope,
    label: int,
    jump_if: bool,
    null_jumps: bool,
    decides: bool,
) -> None:
    """A chain where one term equal to `decides` decides the whole (true for OR, false for AND)."""
    if jump_if == decides:
        for term in terms:
            if term.__class__ is ast.Binary:
                _binary(compiler, term, scope, label, jump_if, null_jumps)
            else:
                emit_condition(compiler, term, scope, label, jump_if, null_jumps)
        return
    end = compiler.label()
    for term in terms[:-1]:
        if term.__class__ is ast.Binary:
            _binary(compiler, term, scope, end, decides, not null_jumps)
        else:
            emit_condition(compiler, term, scope, end, decides, not null_jumps)
    emit_condition(compiler, terms[-1], scope, label, jump_if, null_jumps)
    compiler.place(end)


def _unary(compiler: Compiler, node: ast.Unary, scope: Scope, label: int, jump_if: bool, null_jumps: bool) -> None:
    while node.__class__ is ast.Unary and node.operator == "NOT" and node.operand.__class__ is not ast.Exists:
        jump_if = not jump_if
        node = node.operand  # type: ignore[assignment]
    if node.__class__ is ast.Unary:
        jump_on_register(compiler, emit_expression(compiler, node, scope), label, jump_if, null_jumps)
    else:
        emit_condition(compiler, node, scope, label, jump_if, null_jumps)


def _binary(compiler: Compiler, node: ast.Binary, scope: Scope, label: int, jump_if: bool, null_jumps: bool) -> None:
    jumps = _JUMPS.get(node.operator)
    if jumps is not None:
        settled = settle_plain(compiler, node.left, node.right, scope)
        if settled is not None:
            left_register, right_register, collation = settled
            flags = jumps[2] | op.JUMP_IF_NULL if null_jumps else jumps[2]
            opcode = jumps[0] if jump_if else jumps[1]
            code = compiler.code
            compiler.builder.jumps.append(len(code))
            code.append((opcode, left_register, label, right_register, collation, flags))
            return
    if (
        jumps is None
        or is_row(compiler, node.left, scope)
        or is_row(compiler, node.right, scope)
        or truth_test(compiler, node, scope) is not None
    ):
        jump_on_register(compiler, emit_expression(compiler, node, scope), label, jump_if, null_jumps)
        return
    on_true, on_false, flags, function = jumps
    left = typed_operand(compiler, node.left, scope)
    right = typed_operand(compiler, node.right, scope)
    left_register, right_register, collation, affinity = comparison(compiler, left, right)
    constants = compiler.constants
    if left_register in constants and right_register in constants and not affinity:
        arguments = () if collation is None else (collation,)
        value = function(constants[left_register], constants[right_register], *arguments)
        jump_on_value(compiler, value, label, jump_if, null_jumps)
        return
    if null_jumps:
        flags |= op.JUMP_IF_NULL
    compiler.emit(on_true if jump_if else on_false, left_register, label, right_register, collation, affinity | flags)


def _null_test(
    compiler: Compiler,
    node: ast.IsNull | ast.NotNull,
    scope: Scope,
    label: int,
    jump_if: bool,
    null_jumps: bool,
) -> None:
    if is_row(compiler, node.operand, scope):
        emit_expression(compiler, node, scope)
    operand = emit_expression(compiler, node.operand, scope)
    wants_null = (node.__class__ is ast.IsNull) == jump_if
    if operand in compiler.constants:
        if (compiler.constants[operand] is None) == wants_null:
            compiler.emit(op.Goto, 0, label)
        return
    compiler.emit(op.IsNull if wants_null else op.NotNull, operand, label)


def _between(compiler: Compiler, node: ast.Between, scope: Scope, label: int, jump_if: bool, null_jumps: bool) -> None:
    if node.is_negated:
        jump_if = not jump_if
    _chain(compiler, list(between_terms(compiler, node, scope)), scope, label, jump_if, null_jumps, decides=False)


def _collate(compiler: Compiler, node: ast.Collate, scope: Scope, label: int, jump_if: bool, null_jumps: bool) -> None:
    emit_condition(compiler, node.operand, scope, label, jump_if, null_jumps)


_CONDITIONS: dict[type, Callable[[Compiler, Any, Scope, int, bool, bool], None]] = {
    ast.And: _and,
    ast.Or: _or,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.IsNull: _null_test,
    ast.NotNull: _null_test,
    ast.Between: _between,
    ast.Collate: _collate,
}
