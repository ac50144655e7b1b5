"""Columns of a compound SELECT: the affinity that its arms have together, and what an operator sees of it.

Two questions with two answers.  As a table (FROM, view, common table) a column has the affinity of the first arm that has
one, unless another arm may give a value of the other class: then none is applied.  As an operand (`x IN (SELECT ...)`, a
scalar subquery) it has the affinity and the collation of the LAST arm.  Rows of VALUES count as arms, but constant rows
are produced by a coroutine whose columns are those of its first row, when that row has no affinity itself.

Source: https://www.sqlite.org/datatype3.html section 3.3, and SQLite 3.54.1's answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.schema import Column
from minisql.functions.registry import ScalarFunction
from minisql.parser import ast
from minisql.parser.dropping import is_call
from minisql.planner.nodes import SourceColumn
from minisql.planner.operands import affinity_of, collation_of
from minisql.planner.walking import walk
from minisql.values.affinity import BLOB, FLEXNUM, INTEGER, NONE, NUMERIC, REAL, TEXT, affinity_of_type

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block, BoundSelect, Input
    from minisql.planner.scope import Scope
    from minisql.planner.select_code import Sink

_MAY_BE_NUMBER, _MAY_BE_TEXT, _MAY_BE_BLOB = 1, 2, 4
_ANYTHING = 7
_VARYING = (SourceColumn, ast.ScalarSubquery, ast.Exists, ast.InSelect, ast.InTable, ast.Raise)

Arm = tuple["ast.Expression | None", "Scope"]
"""An expression and its scope; None for a coroutine of constant rows, whose first expression has no affinity."""


_TYPES = {BLOB: "BLOB", FLEXNUM: "NUM", INTEGER: "INT", NUMERIC: "NUM", REAL: "REAL", TEXT: "TEXT"}


def type_of_column(declared_type: str, affinity: int) -> str:
    """The declared type of a column of a recursive table: that of the column behind it if its affinity fits."""
    if declared_type and affinity_of_type(declared_type) == affinity:
        return declared_type
    return _TYPES.get(affinity, "")


def compound_affinity(compiler: Compiler, bound: BoundSelect, number: int) -> int:
    """The affinity of column `number` as a column of a table."""
    arms = [arm for block in bound.blocks for arm in _arms(compiler, block, number)]
    affinities = [_affinity(compiler, arm) for arm in arms]
    chosen = next((n for n, affinity in enumerate(affinities) if affinity > NONE), None)
    if chosen is None:
        return NONE
    affinity = affinities[chosen]
    others = 0
    for n, (expression, scope) in enumerate(arms):
        if n != chosen:
            others |= _ANYTHING if expression is None else classes_of(compiler, expression, scope)
    if len(arms) == 1:
        return affinity
    if (affinity == TEXT and others & _MAY_BE_NUMBER) or (affinity >= NUMERIC and others & _MAY_BE_TEXT):
        return BLOB
    # A CAST in the first arm makes its column numeric without making integers real.
    return FLEXNUM if affinity >= NUMERIC and arms[0][0].__class__ is ast.Cast else affinity


def emit_column_rows(
    compiler: Compiler, bound: BoundSelect, sink: Sink, made: Input, may_repeat: bool = False
) -> None:
    """Emits a SELECT in FROM, its rows to `sink`, which is called for each arm if it `may_repeat`.

    Integers of a compound become real in a column whose affinity is REAL.
    """
    reals = [number for number, column in enumerate(bound.columns) if column.affinity == REAL]
    if len(bound.blocks) == 1 or not reals:
        compiler.emit_bound_select(bound, sink, made, may_repeat)
        return

    def convert(registers: tuple[int, ...], done: int) -> None:
        row = list(registers)
        for number in reals:
            row[number] = compiler.register()
            compiler.emit(op.ApplyAffinity, registers[number], REAL, row[number])
        sink(tuple(row), done)

    compiler.emit_bound_select(bound, convert, made, may_repeat)


def operand_columns(compiler: Compiler, bound: BoundSelect) -> list[Column]:
    """The columns of a SELECT as an operator sees them: affinity and collation of the last arm."""
    last = bound.blocks[-1]
    if len(bound.blocks) == 1 and (last.rows is None or len(last.rows) == 1):
        return bound.columns
    columns = []
    for number, known in enumerate(bound.columns):
        expression, scope = _arms(compiler, last, number)[-1]
        column = Column(known.name, known.declared_type, NONE)
        if expression is None:
            # A coroutine keeps the collation of its first row.
            assert last.rows is not None, "only VALUES has coroutines"
            expression = last.rows[_coroutine_start(compiler, last)][number]
        else:
            column.affinity = affinity_of(compiler, expression, scope)
        column.collation = collation_of(compiler, expression, scope)[0] or "BINARY"
        columns.append(column)
    return columns


def arm_collation(compiler: Compiler, block: Block, number: int) -> str | None:
    """The collation that column `number` of a core has, None for none; a coroutine of VALUES rows always has one."""
    for expression, scope in _arms(compiler, block, number):
        if expression is None:
            assert block.rows is not None, "only VALUES has coroutines"
            first = block.rows[_coroutine_start(compiler, block)][number]
            return collation_of(compiler, first, scope)[0] or "BINARY"
        name, _ = collation_of(compiler, expression, scope)
        if name is not None:
            return name
    return None


def _affinity(compiler: Compiler, arm: Arm) -> int:
    expression, scope = arm
    return NONE if expression is None else affinity_of(compiler, expression, scope)


def _arms(compiler: Compiler, block: Block, number: int) -> list[Arm]:
    """What counts as arms in one core: itself, or the rows of VALUES."""
    rows = block.rows
    scope = block.scope
    if rows is None or len(rows) == 1:
        return [(block.results[number].expression, scope)]
    if block.is_row_list or compiler.has_with:
        return [(row[number], scope) for row in rows]
    start = _coroutine_start(compiler, block)
    arms: list[Arm] = [(row[number], scope) for row in rows[:start]]
    if start < len(rows):
        arms.append((None, scope))
        arms.extend((row[number], scope) for row in rows[start + 1 :] if not _is_constant(compiler, row))
    return arms


def _coroutine_start(compiler: Compiler, block: Block) -> int:
    """The first row that has no affinity and is followed by another constant row; the number of rows if there is none."""
    rows = block.rows
    assert rows is not None, "VALUES has rows"
    for number, row in enumerate(rows[:-1]):
        if (
            all(affinity_of(compiler, item, block.scope) <= NONE for item in row)
            and _is_constant(compiler, row)
            and all(affinity_of(compiler, item, block.scope) <= NONE for item in rows[number + 1])
            and _is_constant(compiler, rows[number + 1])
        ):
            return number
    return len(rows)


def _is_constant(compiler: Compiler, row: list[ast.Expression]) -> bool:
    return all(
        item.__class__ is ast.Literal or not any(_varies(compiler, node) for node in walk(item)) for item in row
    )


def _varies(compiler: Compiler, node: object) -> bool:
    """Whether a node keeps an expression from being constant; calls of functions that always answer the same do not."""
    if isinstance(node, ast.FunctionCall):
        function = compiler.context.functions.find(node.name, len(node.arguments))
        return node.over is not None or function.__class__ is not ScalarFunction or not function.deterministic
    if isinstance(node, ast.Column):
        return node.table is not None or node.is_double_quoted or node.name.lower() not in ("true", "false")
    return isinstance(node, _VARYING)


def classes_of(compiler: Compiler, node: ast.Expression, scope: Scope) -> int:
    """Which storage classes besides NULL an expression may give, as a set of bits."""
    while node.__class__ is ast.Collate or (node.__class__ is ast.Unary and node.operator == "+"):
        node = node.operand
    if node.__class__ is ast.Literal:
        value = node.value
        if value is None:
            return 0
        return _MAY_BE_TEXT if value.__class__ is str else _MAY_BE_BLOB if value.__class__ is bytes else _MAY_BE_NUMBER
    if node.__class__ is ast.Binary and node.operator == "||":
        return _MAY_BE_TEXT | _MAY_BE_BLOB
    if node.__class__ is ast.Case:
        results = [result for _, result in node.whens]
        if node.otherwise is not None:
            results.append(node.otherwise)
        together = 0
        for result in results:
            together |= classes_of(compiler, result, scope)
        return together
    if node.__class__ in (ast.Column, SourceColumn, ast.ScalarSubquery, ast.Cast, ast.RowValue):
        affinity = affinity_of(compiler, node, scope)
        if affinity >= NUMERIC:
            return _MAY_BE_NUMBER | _MAY_BE_BLOB
        return _MAY_BE_TEXT | _MAY_BE_BLOB if affinity == TEXT else _ANYTHING
    if node.__class__ is ast.Variable or (is_call(node) and not _is_negated(node)):
        return _ANYTHING
    return _MAY_BE_NUMBER


def _is_negated(node: ast.Expression) -> bool:
    """Whether a node is NOT LIKE or its like: NOT is the operator, and a number what it gives."""
    return node.__class__ is ast.Like and node.is_negated
