"""Key values: what a search compares with, after the affinity of the comparison; the values of an IN as sorted rows.

Source: https://www.sqlite.org/datatype3.html section 4.2, https://www.sqlite.org/lang_expr.html#in_op.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.parser import ast
from minisql.planner.operands import converted_constant
from minisql.planner.subquery_code import once_or_memo, take_subquery
from minisql.values.affinity import NUMERIC, TEXT, apply_numeric, apply_text
from minisql.values.collation import BINARY
from minisql.values.compare import ascending_key

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.terms import Candidate


def emit_key(compiler: Compiler, candidate: Candidate, available: int) -> int:
    """The register of a search value."""
    value = candidate.value
    register = compiler.emit_expression(value, candidate.scope)  # type: ignore[arg-type]
    return with_affinity(compiler, register, candidate.affinity)


def with_affinity(compiler: Compiler, register: int, affinity: int) -> int:
    """A value after a comparison affinity."""
    if not affinity:
        return register
    if register in compiler.constants:
        return converted_constant(compiler, register, affinity)
    result = compiler.register()
    compiler.emit(op.ApplyAffinity, register, affinity, result)
    return result


def constant_rows(compiler: Compiler, values: list[object], candidate: Candidate) -> tuple[tuple[object], ...]:
    """Constants of an IN list: affinity applied, NULLs left out, each once, in ascending order."""
    if candidate.affinity >= NUMERIC:
        values = [apply_numeric(value) for value in values]  # type: ignore[arg-type]
    elif candidate.affinity == TEXT:
        values = [apply_text(value) for value in values]  # type: ignore[arg-type]
    collation = compiler.collation(candidate.collation) or BINARY
    keyed: dict[Any, object] = {}
    for value in values:
        if value is not None:
            keyed.setdefault(ascending_key(value, collation), value)
    return tuple((keyed[key],) for key in sorted(keyed))


def emit_key_values(compiler: Compiler, candidate: Candidate) -> int:
    """A cursor over the values of an IN, distinct and ascending."""
    value = candidate.value
    cursor = compiler.builder.cursor()
    if isinstance(value, list):
        registers = [compiler.emit_expression(item, candidate.scope) for item in value]
        if all(register in compiler.constants for register in registers):
            values = [compiler.constants[register] for register in registers]
            is_binary = (compiler.collation(candidate.collation) or BINARY) is BINARY
            compiler.emit(op.ConstantRows, cursor, 0, 0, constant_rows(compiler, values, candidate), int(is_binary))
            return cursor
        compiler.emit(op.SetOpen, cursor, 0, 0, (compiler.key_collation(candidate.collation or "BINARY"),))
        for register in registers:
            key = with_affinity(compiler, register, candidate.affinity)
            skip = compiler.label()
            compiler.emit(op.IsNull, key, skip)
            compiler.emit(op.SetInsert, cursor, 0, 0, (key,))
            compiler.place(skip)
        compiler.emit(op.SetSort, cursor)
        return cursor
    assert isinstance(value, ast.InSelect), "IN has a list or a SELECT"
    subquery = take_subquery(compiler, value.select, candidate.scope)

    def sink(registers: tuple[int, ...], done: int) -> None:
        key = with_affinity(compiler, registers[0], candidate.affinity)
        skip = compiler.label()
        compiler.emit(op.IsNull, key, skip)
        compiler.emit(op.SetInsert, cursor, 0, 0, (key,))
        compiler.place(skip)

    def body() -> None:
        compiler.emit(op.SetOpen, cursor, 0, 0, (compiler.key_collation(candidate.collation or "BINARY"),))
        compiler.emit_bound_select(subquery.bound, sink)
        compiler.emit(op.SetSort, cursor)

    once_or_memo(compiler, subquery, 0, body, "LIST SUBQUERY")
    return cursor
