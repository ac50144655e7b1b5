"""Function calls: lookup, the functions that are control flow, folding of deterministic calls.

coalesce, ifnull, iif and if evaluate only the arguments they need, likely and its kin are their argument; all other scalar
functions become one Function instruction.  Behind a grouping, aggregate and window calls are registers that the grouping
has filled (`scope.aggregates`, `scope.windows`).

Source: https://www.sqlite.org/lang_corefunc.html, https://www.sqlite.org/lang_aggfunc.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, Error, sqlite_error
from minisql.functions.registry import (
    Function,
    ScalarFunction,
    WindowFunction,
    scalar_in_pure_place,
    scalar_with_json_arguments,
)
from minisql.functions.size_limits import scalar_within_limits
from minisql.limits import DEFAULTS, FUNCTION_ARG
from minisql.parser import ast
from minisql.planner.conditions import emit_condition
from minisql.planner.expressions import EMITTERS, emit_expression, emit_unused, is_row, placed, refuse_row
from minisql.planner.nodes import JsonMarked, SourceColumn
from minisql.planner.operands import collation_of
from minisql.planner.read_authorization import authorize_function
from minisql.planner.trust import refuse_unsafe_call
from minisql.planner.wide_operands import texts_of_blobs
from minisql.values.collation import BINARY, Collation

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Capture, Scope

TRANSPARENT = frozenset(("likely", "unlikely", "likelihood"))


# What stands for functions that nobody knows while ALTER TABLE only looks at names.
_UNKNOWN = ScalarFunction("unknown", 0, -1, lambda *arguments: None, foldable=False)


def find_function(
    compiler: Compiler, name: str, n_arguments: int, position: int = -1, is_over: bool = False
) -> Function:
    """The function of that name for that many arguments; raises SQLite's errors."""
    registry = compiler.context.functions
    found = registry.find(name, n_arguments)
    if found is None and compiler.context.register_late_function(name.lower()):
        found = registry.find(name, n_arguments)
    if found is None and compiler.is_renaming:
        return _UNKNOWN
    if found is None:
        offset = compiler.offset(position) if position >= 0 else -1
        if registry.exists(name):
            if is_over and registry.is_scalar_name(name):
                raise sqlite_error(ERROR, f"{name}() may not be used as a window function", offset)
            raise sqlite_error(ERROR, f"wrong number of arguments to function {name}()", offset)
        raise sqlite_error(ERROR, f"no such function: {name}", offset)
    if (found.direct_only or not found.is_built_in) and (compiler.schema_depth or compiler.home is not None):
        refuse_unsafe_call(compiler, found, name)
    return found


def emit_function_call(compiler: Compiler, node: ast.FunctionCall, scope: Scope, target: int) -> int:
    """A call where a value is wanted."""
    if scope.aggregates is not None:
        known = scope.aggregates.get(id(node))
        if known is not None:
            return placed(compiler, known, target)
    level: Scope | None = scope
    crossed: list[Capture] = []
    while level is not None:
        if level.aggregates is not None and id(node) in level.aggregates:
            register = level.aggregates[id(node)]
            for capture in crossed:
                capture.registers[register] = None
            return placed(compiler, register, target)
        if level.windows is not None and id(node) in level.windows:
            return placed(compiler, level.windows[id(node)], target)
        if level.capture is not None:
            crossed.append(level.capture)
        level = level.parent
    arguments = node.arguments
    if compiler.has_virtual_tables and arguments and node.over is None:
        overloaded = _overload(compiler, node.name, arguments[0], len(arguments), scope)
        if overloaded is not None:
            return emit_scalar_call(compiler, overloaded, node.name.lower(), arguments, scope, target)
    function = find_function(compiler, node.name, len(arguments), node.position)
    is_plain = node.over is None and node.filter is None and isinstance(function, ScalarFunction)
    if compiler.is_renaming and not is_plain:
        return _emit_misplaced(compiler, node, scope)
    if compiler.authorized is not None and not authorize_function(compiler, node, node.name, scope):
        return placed(compiler, compiler.constant(None), target)
    if compiler.alias_name is not None and (node.over is not None or not isinstance(function, ScalarFunction)):
        kind = "window function" if node.over is not None else "aggregate"
        if kind == "aggregate" and scope.is_grouped and not compiler.is_in_aggregate:
            raise sqlite_error(ERROR, f"misuse of aggregate: {node.name}()", compiler.offset(node.position))
        raise sqlite_error(ERROR, f"misuse of aliased {kind} {compiler.alias_name}")
    if node.over is not None or not isinstance(function, ScalarFunction):
        for argument in arguments:
            emit_expression(compiler, argument, scope)  # SQLite goes on with the arguments: the last error stands
        kind = "window function" if node.over is not None or isinstance(function, WindowFunction) else "aggregate function"
        if scope.is_grouped and kind == "aggregate function":
            kind = "aggregate:"
        raise sqlite_error(ERROR, f"misuse of {kind} {node.name}()", compiler.offset(node.position))
    if node.filter is not None:
        raise sqlite_error(
            ERROR, f"FILTER may not be used with non-aggregate {node.name}()", compiler.offset(node.position)
        )
    if node.order_by is not None:
        raise sqlite_error(
            ERROR, f"ORDER BY may not be used with non-aggregate {node.name}()", compiler.offset(node.position)
        )
    return emit_scalar_call(compiler, function, node.name.lower(), arguments, scope, target)


def _emit_misplaced(compiler: Compiler, node: ast.FunctionCall, scope: Scope) -> int:
    """A call that may not stand here, whose names ALTER TABLE wants to see all the same."""
    for part in [*node.arguments, *([node.filter] if node.filter is not None else [])]:
        emit_expression(compiler, part, scope)
    return compiler.constant(None)


def _overload(
    compiler: Compiler, name: str, column: ast.Expression, n_arguments: int, scope: Scope
) -> ScalarFunction | None:
    """The function that a virtual table puts in the place of one that is called with one of its columns.

    Source: https://www.sqlite.org/vtab.html#xfindfunction
    """
    if column.__class__ is not ast.Column:
        return None
    found = compiler.resolve(column, scope)
    table = found[0].table if found is not None else None
    if table is None or table.module is None:
        return None
    overloaded = compiler.context.overload(table, name, n_arguments)
    return overloaded[1] if overloaded is not None else None


def emit_named_call(
    compiler: Compiler, name: str, arguments: list[ast.Expression], scope: Scope, target: int, position: int = -1
) -> int:
    """A call that SQL writes as an operator or keyword (LIKE, ->, CURRENT_TIME)."""
    function = find_function(compiler, name, len(arguments), position)
    assert isinstance(function, ScalarFunction), "operators are scalar functions"
    return emit_scalar_call(compiler, function, name.lower(), arguments, scope, target)


def emit_scalar_call(
    compiler: Compiler,
    function: ScalarFunction,
    name: str,
    arguments: list[ast.Expression],
    scope: Scope,
    target: int,
) -> int:
    """Emits a call of a scalar function that has been found."""
    if len(arguments) > compiler.context.limits[FUNCTION_ARG]:
        raise sqlite_error(ERROR, f"too many arguments on function {name}")
    for argument in arguments:
        if argument.__class__ is ast.RowValue:
            refuse_row(compiler)
    if function.is_built_in:
        control = CONTROL.get(name)
        if control is not None and len(arguments) > 1:
            return control(compiler, arguments, scope, target)
        if name in TRANSPARENT:
            return emit_transparent(compiler, name, arguments, scope, target)
    if function.takes_subtype:
        registers = tuple([_emit_json_argument(compiler, argument, scope) for argument in arguments])
        positions = json_positions(compiler, arguments)
        if positions:
            function = scalar_with_json_arguments(function, positions)
    else:
        registers = tuple([emit_expression(compiler, argument, scope) for argument in arguments])
        if compiler.binary is not None and function.is_built_in:
            registers = texts_of_blobs(compiler, name, arguments, registers)
    for argument in arguments:
        if is_row(compiler, argument, scope):
            refuse_row(compiler)
    constants = compiler.constants
    if compiler.context.limits is not DEFAULTS:
        function = scalar_within_limits(function, compiler.context.limits)
    if function.foldable and function.is_built_in:
        is_known = all(register in constants for register in registers)
        if is_known and (folded := _fold(compiler, function, registers, arguments, scope)):
            return placed(compiler, folded, target)
    elif not function.deterministic:
        compiler.is_deterministic = False
    collation = call_collation(compiler, arguments, scope) if function.needs_collation else None
    if function.bind_pattern is not None and registers[0] in constants:
        # LIKE with a constant pattern: the pattern is compiled now and no longer an argument.
        bound = function.bind_pattern(constants[registers[0]])
        if bound is not None:
            function, registers = bound, registers[1:]
    if compiler.restricts_functions and function.needs_context:
        function = scalar_in_pure_place(function, compiler.restricts_functions)
    waits = not function.is_built_in or not function.foldable
    if function.deterministic and waits and all(register in constants for register in registers):
        return placed(compiler, _emit_once(compiler, (function, registers, collation)), target)
    result = target or compiler.register()
    compiler.emit(op.Function, 0, 0, result, (function, registers, collation))
    return result


def _emit_once(compiler: Compiler, call: tuple[ScalarFunction, tuple[int, ...], Collation | None]) -> int:
    """A call that is enough for the whole statement, as a date's 'now' is the same for all of it."""
    result = compiler.register()
    known = compiler.label()
    compiler.emit(op.Once, 0, known)
    compiler.emit(op.Function, 0, 0, result, call)
    compiler.place(known)
    compiler.once_results |= {result}
    return result


def json_positions(compiler: Compiler, arguments: list[ast.Expression]) -> tuple[int, ...]:
    """Which arguments of a JSON function are JSON and not strings: those that another JSON function made.

    Source: https://www.sqlite.org/json1.html section 3.4
    """
    return tuple([i for i, argument in enumerate(arguments) if is_json(compiler, argument)])


def is_json(compiler: Compiler, node: ast.Expression | None, depth: int = 0) -> bool:
    """Tells whether an expression always gives JSON or NULL: a call that always does, or a choice between such."""
    if depth > 20:
        return False
    if isinstance(node, ast.FunctionCall):
        name = node.name.lower()
        arguments = node.arguments
        function = compiler.context.functions.find(name, len(arguments))
        if function is None or not function.is_built_in:
            return False
        if name in CONTROL and len(arguments) > 1:
            results = arguments
            if CONTROL[name] is _emit_iif:
                results = arguments[1::2] + (arguments[-1:] if len(arguments) % 2 else [])
            return all([is_json(compiler, result, depth + 1) for result in results])
        if name in ("max", "min") and len(arguments) == 1:
            return is_json(compiler, arguments[0], depth + 1)
        return not isinstance(function, WindowFunction) and function.returns_subtype
    if isinstance(node, ast.Case):
        results = [result for _, result in node.whens] + ([node.otherwise] if node.otherwise is not None else [])
        return all([is_json(compiler, result, depth + 1) for result in results])
    if isinstance(node, ast.Literal):
        return node.value is None and depth > 0
    return isinstance(node, ast.Binary) and node.operator == "->"


_MAY_BE_JSON = frozenset(
    (ast.FunctionCall, ast.Case, ast.Unary, ast.Collate, ast.Cast, ast.Column, ast.ScalarSubquery, SourceColumn)
)


def may_be_json(compiler: Compiler, node: ast.Expression) -> bool:
    """Tells whether only the value will show if an argument is JSON or a string; see json_arguments."""
    return node.__class__ in _MAY_BE_JSON and not is_json(compiler, node)


def _emit_json_argument(compiler: Compiler, node: ast.Expression, scope: Scope) -> int:
    """An argument of a JSON function."""
    return emit_expression(compiler, JsonMarked(node) if may_be_json(compiler, node) else node, scope)


def call_collation(compiler: Compiler, arguments: list[ast.Expression], scope: Scope) -> Collation | None:
    """The collation for min(), max(), nullif(): that of the first argument which has one."""
    for argument in arguments:
        name, _ = collation_of(compiler, argument, scope)
        if name is not None:
            return compiler.collation(name)
    return None


def _fold(
    compiler: Compiler,
    function: ScalarFunction,
    registers: tuple[int, ...],
    arguments: list[ast.Expression],
    scope: Scope,
) -> int:
    """The constant register of a call over constants; 0 if it has to wait for run time (because it raises, for one)."""
    values = [compiler.constants[register] for register in registers]
    try:
        if function.needs_collation:
            value = function.call(call_collation(compiler, arguments, scope) or BINARY, *values)
        else:
            value = function.call(*values)
    except (Error, ArithmeticError, ValueError):
        return 0
    if value.__class__ is str or value.__class__ is bytes:
        if len(value) > 10_000:
            return 0
    return compiler.constant(value)


def _emit_coalesce(compiler: Compiler, arguments: list[ast.Expression], scope: Scope, target: int) -> int:
    result = target or compiler.register()
    end = compiler.label()
    for number, argument in enumerate(arguments[:-1], 1):
        register = emit_expression(compiler, argument, scope)
        if register in compiler.constants:
            if compiler.constants[register] is None:
                continue
            placed(compiler, register, result)
            emit_unused(compiler, arguments[number:], scope)
            compiler.place(end)
            return result
        placed(compiler, register, result)
        compiler.emit(op.NotNull, result, end)
    emit_expression(compiler, arguments[-1], scope, result)
    compiler.place(end)
    return result


def _emit_iif(compiler: Compiler, arguments: list[ast.Expression], scope: Scope, target: int) -> int:
    result = target or compiler.register()
    end = compiler.label()
    for number in range(0, len(arguments) - 1, 2):
        following = compiler.label()
        emit_condition(compiler, arguments[number], scope, following, False, True)
        emit_expression(compiler, arguments[number + 1], scope, result)
        compiler.emit(op.Goto, 0, end)
        compiler.place(following)
    if len(arguments) % 2:
        emit_expression(compiler, arguments[-1], scope, result)
    else:
        compiler.emit(op.Null, 0, result, 1)
    compiler.place(end)
    return result


def emit_transparent(
    compiler: Compiler, name: str, arguments: list[ast.Expression], scope: Scope, target: int
) -> int:
    """likely(), unlikely() and likelihood() are their first argument."""
    if name == "likelihood":
        check_probability(arguments[1])
    return emit_expression(compiler, arguments[0], scope, target)


def check_probability(node: ast.Expression) -> None:
    """Refuses a second argument of likelihood() that is no literal between 0.0 and 1.0."""
    probability = node.value if node.__class__ is ast.Literal else None
    if probability.__class__ is not float or not 0.0 <= probability <= 1.0:
        raise sqlite_error(ERROR, "second argument to likelihood() must be a constant between 0.0 and 1.0")


def emit_like(compiler: Compiler, node: ast.Like, scope: Scope, target: int) -> int:
    """LIKE, GLOB, REGEXP and MATCH call the function of that name with pattern and operand swapped."""
    arguments = [node.pattern, node.operand]
    if node.escape is not None:
        arguments.append(node.escape)
    if is_row(compiler, node.operand, scope):
        refuse_row(compiler)
    function: Function | None = None
    if compiler.has_virtual_tables:
        function = _overload(compiler, node.operator, node.operand, len(arguments), scope)
    if function is None:
        name = node.operator
        if compiler.context.functions.find(name, len(arguments)) is None:
            # The error shows the word as it is written.
            offset = compiler.offset(node.position)
            name = compiler.text.sql[offset : offset + len(name)] if compiler.text is not None and offset >= 0 else name
        function = find_function(compiler, name, len(arguments), node.position)
    if compiler.authorized is not None and not authorize_function(compiler, node, node.operator.lower(), scope):
        return placed(compiler, compiler.constant(None), target)
    assert isinstance(function, ScalarFunction), "LIKE and its kin are scalar functions"
    register = emit_scalar_call(
        compiler, function, node.operator.lower(), arguments, scope, 0 if node.is_negated else target
    )
    if not node.is_negated:
        return register
    result = target or compiler.register()
    compiler.emit(op.Not, register, 0, result)
    return result


CONTROL = {
    "coalesce": _emit_coalesce,
    "ifnull": _emit_coalesce,
    "iif": _emit_iif,
    "if": _emit_iif,
}

EMITTERS[ast.FunctionCall] = emit_function_call
EMITTERS[ast.Like] = emit_like
