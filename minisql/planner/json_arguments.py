"""Arguments of JSON functions that are JSON only sometimes: which is known when the value is there.

SQLite's subtype travels with a value; here `JsonMarked(expression)` asks for a value whose class tells it (JsonText).  A
choice (CASE, iif, coalesce) marks its results, a function that returns one of its arguments keeps their mark, and the `value`
column of json_each and its kin is marked where the element is an array or an object.  A mark ends where SQLite's does: in a
subquery (except on a column of those tables), a sorter, a table.  Only a JSON function may be handed the register.

Source: https://www.sqlite.org/json1.html section 3.4; https://www.sqlite.org/c3ref/value_subtype.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.functions.registry import JSON_TABLE_FUNCTIONS, JSON_TYPE, JSON_VALUE, JsonText, ScalarFunction
from minisql.parser import ast
from minisql.planner.calls import (
    CONTROL,
    TRANSPARENT,
    emit_scalar_call,
    emit_transparent,
    is_json,
    json_positions,
    may_be_json,
)
from minisql.planner.expressions import EMITTERS, emit_case, emit_expression, placed
from minisql.planner.nodes import JsonMarked, SourceColumn
from minisql.planner.scope import ROWID
from minisql.values.affinity import BLOB, TEXT, affinity_of_cast

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope, Source


def aggregate_argument_registers(
    compiler: Compiler, node: ast.FunctionCall, scope: Scope, keeps_marks: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The registers of a JSON aggregate's arguments, and which of them are JSON at any rate.

    `keeps_marks`: no sorter stands between the rows and the aggregate, or the argument is computed behind it.
    """
    registers = []
    for argument in node.arguments:
        is_column = argument.__class__ is ast.Column or argument.__class__ is SourceColumn
        if may_be_json(compiler, argument) and (keeps_marks or not is_column):
            argument = JsonMarked(argument)
        registers.append(emit_expression(compiler, argument, scope))
    return tuple(registers), json_positions(compiler, node.arguments)


def columns_with_json(
    compiler: Compiler, table: Table, values: Iterable[tuple[int, ast.Expression]], scope: Scope
) -> frozenset[int]:
    """The columns of a new row that are JSON at any rate, given the values of some; generated ones among them."""
    found = {position for position, value in values if _gives_json(compiler, value, scope)}
    if table.has_generated:
        for position, column in enumerate(table.columns):
            node = column.generated
            if node is None:
                continue
            is_copy = node.__class__ is ast.Column and table.column_positions.get(node.name.lower()) in found
            if is_copy or is_json(compiler, node):
                found.add(position)
    return frozenset(found)


def _gives_json(compiler: Compiler, value: ast.Expression, scope: Scope) -> bool:
    kind = value.__class__
    if kind is ast.Column:
        if not any(source.json_columns for source in scope.sources):
            return False
        found = compiler.resolve(value, scope)  # type: ignore[arg-type]
        return found is not None and found[1] in found[0].json_columns
    return kind in _CHOICES and is_json(compiler, value)


_CHOICES = frozenset((ast.FunctionCall, ast.Case, ast.Binary))


def emit_marked(compiler: Compiler, node: JsonMarked, scope: Scope, target: int) -> int:
    """The value of the expression, of class JsonText where it is JSON."""
    expression = node.expression
    emitter = _MARKED.get(expression.__class__)
    register = emitter(compiler, expression, scope) if emitter is not None else 0
    if not register:
        return emit_expression(compiler, expression, scope, target)
    return placed(compiler, register, target)


def _mark(value: Any) -> Any:
    return JsonText(value) if value.__class__ is str else value


def _mark_container(value: Any, kind: Any) -> Any:
    return JsonText(value) if kind in ("array", "object") and value.__class__ is str else value


_MARK = ScalarFunction("json", 1, 1, _mark, foldable=False)
_MARK_CONTAINER = ScalarFunction("json", 2, 2, _mark_container, foldable=False)


def _mark_as(value: Any, marked: Any) -> Any:
    return JsonText(value) if marked.__class__ is JsonText and value.__class__ is str else value


_MARK_AS = ScalarFunction("json", 2, 2, _mark_as, foldable=False)


def _apply(compiler: Compiler, function: ScalarFunction, *registers: int) -> int:
    result = compiler.register()
    compiler.emit(op.Function, 0, 0, result, (function, registers, None))
    return result


def _marked_call(compiler: Compiler, node: ast.FunctionCall, scope: Scope) -> int:
    name, arguments = node.name.lower(), node.arguments
    function = compiler.context.functions.find(name, len(arguments))
    if function is None or not function.is_built_in or node.over is not None:
        return 0
    if name in CONTROL and len(arguments) > 1:
        return CONTROL[name](compiler, _marked_results(name, arguments), scope, 0)
    if name in TRANSPARENT:
        return emit_transparent(compiler, name, [JsonMarked(arguments[0]), *arguments[1:]], scope, 0)
    if is_json(compiler, node):
        return _apply(compiler, _MARK, emit_expression(compiler, node, scope))
    if not isinstance(function, ScalarFunction):
        return 0
    if function.call_subtyped is not None and not function.returns_subtype:
        call = ScalarFunction(function.name, 0, -1, function.call_subtyped, foldable=False)
        return emit_scalar_call(compiler, call, function.name, arguments, scope, 0)
    if name in _CHOOSING:
        marked: list[ast.Expression] = [JsonMarked(argument) for argument in arguments]
        return emit_scalar_call(compiler, _keeping_marks(function), name, marked, scope, 0)
    return 0


_CHOOSING = frozenset(("max", "min", "nullif"))


def _marked_results(name: str, arguments: list[ast.Expression]) -> list[ast.Expression]:
    """The arguments of coalesce() or iif(), those that may be its result marked."""
    if name in ("coalesce", "ifnull"):
        return [JsonMarked(argument) for argument in arguments]
    n = len(arguments)
    return [
        JsonMarked(argument) if number % 2 or (number == n - 1 and n % 2) else argument
        for number, argument in enumerate(arguments)
    ]


def _keeping_marks(function: ScalarFunction) -> ScalarFunction:
    """A function that returns one of its arguments, which gets plain values and gives the marked one back."""
    call = function.call
    n_before = 1 if function.needs_collation else 0

    def choose(*arguments: Any) -> Any:
        plain = [str(argument) if argument.__class__ is JsonText else argument for argument in arguments[n_before:]]
        result = call(*arguments[:n_before], *plain)
        return next((given for given, value in zip(arguments[n_before:], plain) if value is result), result)

    return ScalarFunction(function.name, 0, -1, choose, foldable=False, needs_collation=function.needs_collation)


def _marked_case(compiler: Compiler, node: ast.Case, scope: Scope) -> int:
    whens: list[tuple[ast.Expression, ast.Expression]] = [(test, JsonMarked(result)) for test, result in node.whens]
    otherwise = None if node.otherwise is None else JsonMarked(node.otherwise)
    return emit_case(compiler, ast.Case(node.operand, whens, otherwise), scope, 0)


def _marked_operand(compiler: Compiler, node: Any, scope: Scope) -> int:
    """Unary plus, COLLATE and CAST to text leave JSON as it is."""
    if node.__class__ is ast.Unary and node.operator != "+":
        return 0
    if node.__class__ is ast.Cast and not (affinity_of_cast(node.type_name) == TEXT and is_json(compiler, node.operand)):
        return 0
    return emit_expression(compiler, JsonMarked(node.operand), scope)


def _marked_arrow(compiler: Compiler, node: ast.Binary, scope: Scope) -> int:
    return _apply(compiler, _MARK, emit_expression(compiler, node, scope)) if node.operator == "->" else 0


def _marked_column(compiler: Compiler, node: ast.Column, scope: Scope) -> int:
    found = compiler.resolve(node, scope)
    if found is None:
        return 0
    if compiler.crossed is not None:
        is_known = found[1] in found[0].json_columns
        return _apply(compiler, _MARK, emit_expression(compiler, node, scope)) if is_known else 0
    return _marked_field(compiler, *found)


def _marked_source_column(compiler: Compiler, node: SourceColumn, scope: Scope) -> int:
    return _marked_field(compiler, node.source, node.position)


def _marked_field(compiler: Compiler, source: Source, position: int) -> int:
    """A column of a source: of a row just computed, of json_each and its kin, generated, of a flattened subquery or alias."""
    if position == ROWID:
        return 0
    if position in source.json_columns:
        return _apply(compiler, _MARK, source.registers[position])
    if source.expressions is not None:
        expression = source.expressions[position]
        if source.inner is None or (source.columns and expression.__class__ not in (ast.Column, SourceColumn)):
            return 0
        return emit_expression(compiler, JsonMarked(expression), source.inner)
    if source.group_map is not None or source.table is None:
        return 0
    if position == JSON_VALUE and source.table.module in JSON_TABLE_FUNCTIONS:
        value, kind = compiler.emit_source_column(source, JSON_VALUE), compiler.emit_source_column(source, JSON_TYPE)
        return _apply(compiler, _MARK_CONTAINER, value, kind)
    column = source.columns[position]
    if source.registers[position] or column.generated is None or column.is_stored:
        return 0
    compiler.view_depth += 1
    register = emit_expression(compiler, JsonMarked(column.generated), compiler.own_scope(source))
    compiler.view_depth -= 1
    if column.affinity == BLOB:
        return register
    return _apply(compiler, _MARK_AS, compiler.emit_source_column(source, position), register)


def _marked_subquery(compiler: Compiler, node: ast.ScalarSubquery, scope: Scope) -> int:
    """(SELECT value FROM json_each(...)): the column keeps its mark where nothing sorts."""
    select = node.select
    core = select.cores[0]
    if len(select.cores) > 1 or select.order_by or not isinstance(core, ast.Core) or len(core.columns) != 1:
        return 0
    column = core.columns[0]
    if core.is_distinct or core.group_by or core.having or not isinstance(column, ast.ResultColumn):
        return 0
    if column.expression.__class__ is not ast.Column:
        return 0
    marked = ast.ResultColumn(JsonMarked(column.expression), column.alias, column.first, column.end)
    marked_core = ast.Core([marked], False, core.sources, core.where, None, None, core.windows)
    again = ast.Select([marked_core], [], None, select.limit, select.offset, select.with_clause)
    return emit_expression(compiler, ast.ScalarSubquery(again), scope)


_MARKED: dict[type, Callable[[Compiler, Any, Scope], int]] = {
    ast.FunctionCall: _marked_call,
    ast.Case: _marked_case,
    ast.Unary: _marked_operand,
    ast.Collate: _marked_operand,
    ast.Cast: _marked_operand,
    ast.Binary: _marked_arrow,
    ast.Column: _marked_column,
    SourceColumn: _marked_source_column,
    ast.ScalarSubquery: _marked_subquery,
}

EMITTERS[JsonMarked] = emit_marked
