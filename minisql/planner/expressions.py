"""The expression emitter: from a parsed expression to the register that holds its value.

`emit_expression(compiler, node, scope, target)` returns a register: a row register for a column, a template register for a
constant or parameter, else a new one (or `target`, in which the value then ends in every case).  Operands that are constant
fold at once through the functions of `values`; what would raise at run time is left to run time.

`EMITTERS` maps node types to emitters, which take the same four arguments; other modules of the room add theirs
(calls, subquery_code, the trigger compiler's RAISE).  Chains of operators are walked in loops, other nesting continues on a
fresh stack when it gets deep.

Source: https://www.sqlite.org/lang_expr.html.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.functions.size_limits import length_check
from minisql.limits import DEFAULTS, call_on_fresh_stack
from minisql.parser import ast
from minisql.parser.dropping import is_truth_value
from minisql.planner.nodes import Held, SourceColumn
from minisql.planner.operands import affinity_of, collation_of, comparison, note_captures, settle_plain, typed_operand
from minisql.planner.references import has_subquery
from minisql.planner.scope import ROWID
from minisql.planner.wide_operands import is_number, text_of_blob
from minisql.values import arithmetic, compare
from minisql.values.affinity import NONE, NUMERIC, affinity_of_cast
from minisql.values.cast import cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope
    from minisql.values.collation import Collation

Emitter = Callable[["Compiler", Any, "Scope", int], int]

FRESH_STACK_EVERY = 60
"""Levels of nesting after which emission goes on in a new thread: about three Python frames each."""

ARITHMETIC: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "+": (op.Add, arithmetic.add),
    "-": (op.Subtract, arithmetic.subtract),
    "*": (op.Multiply, arithmetic.multiply),
    "/": (op.Divide, arithmetic.divide),
    "%": (op.Remainder, arithmetic.remainder),
    "||": (op.Concat, arithmetic.concat),
    "&": (op.BitAnd, arithmetic.bit_and),
    "|": (op.BitOr, arithmetic.bit_or),
    "<<": (op.ShiftLeft, arithmetic.shift_left),
    ">>": (op.ShiftRight, arithmetic.shift_right),
}

COMPARISONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "=": (op.EqResult, compare.eq),
    "<>": (op.NeResult, compare.ne),
    "<": (op.LtResult, compare.lt),
    "<=": (op.LeResult, compare.le),
    ">": (op.GtResult, compare.gt),
    ">=": (op.GeResult, compare.ge),
    "IS": (op.IsResult, compare.is_),
    "IS NOT": (op.IsNotResult, compare.is_not),
}

UNARY: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "-": (op.Negative, arithmetic.negate),
    "~": (op.BitNot, arithmetic.bit_not),
    "NOT": (op.Not, arithmetic.logical_not),
}

_AT_HAND = (ast.Literal, ast.Column, ast.Variable, SourceColumn, Held)
"""Operands whose value is there without a computation that could fail."""


def emit_expression(compiler: Compiler, node: ast.Expression, scope: Scope, target: int = 0) -> int:
    """Emits an expression; returns the register of its value, `target` if that is given."""
    kind = node.__class__
    if kind is ast.Literal:
        if target:
            compiler.emit(op.Constant, 0, target, 0, node.value)  # type: ignore[attr-defined]
            return target
        return compiler.constant(node.value)  # type: ignore[attr-defined]
    if kind is ast.Column:
        return emit_column(compiler, node, scope, target)  # type: ignore[arg-type]
    if scope.group_keys is not None:
        for key, register in scope.group_keys:
            if key.__class__ is kind and compiler.same_tree(key, node):
                return placed(compiler, register, target)
    compiler.depth += 1
    if compiler.depth % FRESH_STACK_EVERY:
        register = EMITTERS[kind](compiler, node, scope, target)
    else:
        register = call_on_fresh_stack(EMITTERS[kind], compiler, node, scope, target)
    compiler.depth -= 1
    return register


def placed(compiler: Compiler, register: int, target: int) -> int:
    """Copies a value into `target` if that is given and is not the register already."""
    if not target or target == register:
        return register
    constants = compiler.constants
    if register in constants:
        compiler.emit(op.Constant, 0, target, 0, constants[register])
    else:
        compiler.emit(op.SCopy, register, target)
    return target


def emit_literal(compiler: Compiler, node: ast.Literal, scope: Scope, target: int) -> int:
    """A constant of the template."""
    return placed(compiler, compiler.constant(node.value), target)


def emit_column(compiler: Compiler, node: ast.Column, scope: Scope, target: int) -> int:
    """A name: a row register, a string in double quotes, TRUE or FALSE."""
    found = compiler.resolve(node, scope)
    if found is None:
        return placed(compiler, compiler.constant(compiler.name_constant(node)), target)
    crossed = compiler.crossed
    source, position = found
    if not source.columns and source.expressions is not None:
        compiler.alias_name = node.name
        register = compiler.emit_resolved(source, position)
        compiler.alias_name = None
    elif source.expressions is None and position != ROWID and source.group_map is None:
        register = source.registers[position] or compiler.emit_source_column(source, position)
    else:
        register = compiler.emit_resolved(source, position)
    if crossed is not None:
        note_captures(compiler, crossed, source, register)
    return placed(compiler, register, target) if target else register


def emit_bound_column(compiler: Compiler, node: SourceColumn, scope: Scope, target: int) -> int:
    """A column that is bound already."""
    return placed(compiler, compiler.emit_resolved(node.source, node.position), target)


def emit_held(compiler: Compiler, node: Held, scope: Scope, target: int) -> int:
    """A value already computed."""
    return placed(compiler, node.as_operand[0], target)


def emit_variable(compiler: Compiler, node: ast.Variable, scope: Scope, target: int) -> int:
    """A parameter's register."""
    return placed(compiler, compiler.parameter(node.number, node.name), target)


def emit_unary(compiler: Compiler, node: ast.Unary, scope: Scope, target: int) -> int:
    """`-x`, `+x`, `~x`, NOT x."""
    if node.operator == "+":
        return emit_expression(compiler, node.operand, scope, target)
    if node.operator == "NOT" and node.operand.__class__ is ast.Exists:
        return EMITTERS[ast.Exists](compiler, node, scope, target)
    operand = emit_expression(compiler, node.operand, scope)
    if compiler.binary is not None and not is_number(node.operand):
        operand = text_of_blob(compiler, operand)
    opcode, function = UNARY[node.operator]
    if operand in compiler.constants:
        return placed(compiler, compiler.constant(function(compiler.constants[operand])), target)
    result = target or compiler.register()
    compiler.code.append((opcode, operand, 0, result, None, 0))
    return result


def emit_binary(compiler: Compiler, node: ast.Binary, scope: Scope, target: int) -> int:
    """Arithmetic (a left-deep chain in one loop), comparisons, and the JSON arrows."""
    operator = node.operator
    if operator in COMPARISONS:
        return emit_comparison(compiler, node, scope, target)
    if operator not in ARITHMETIC:
        return compiler.emit_call(operator, [node.left, node.right], scope, target)
    if compiler.binary is not None:
        return _emit_wide_binary(compiler, node, scope, target)
    chain = [node]
    left: ast.Expression = node.left
    while left.__class__ is ast.Binary and left.operator in ARITHMETIC:
        chain.append(left)
        left = left.left
    constants = compiler.constants
    # As long as everything was constant there is a value, and no register that it needs.
    is_known = True
    value: Any = None
    register = 0
    if left.__class__ is ast.Literal:
        value = left.value
    else:
        register = emit_expression(compiler, left, scope)
        is_known = register in constants
        if is_known:
            value = constants[register]
    for link in reversed(chain):
        right = link.right
        opcode, function = ARITHMETIC[link.operator]
        if is_known and right.__class__ is ast.Literal:
            value = function(value, right.value)
            continue
        if is_known:
            register = compiler.constant(value)
        operand = emit_expression(compiler, right, scope)
        if is_known and operand in constants:
            value = function(value, constants[operand])
            continue
        is_known = False
        result = target if target and link is node else compiler.register()
        compiler.code.append((opcode, register, operand, result, None, 0))
        register = result
        if opcode == op.Concat and compiler.context.limits is not DEFAULTS:
            compiler.emit(op.Function, 0, 0, result, (length_check(compiler.context.limits), (result,), None))
    if is_known:
        register = compiler.constant(value)
    return placed(compiler, register, target) if target else register


def _emit_wide_binary(compiler: Compiler, node: ast.Binary, scope: Scope, target: int) -> int:
    """Arithmetic in a UTF-16 database, where blobs are read in that encoding."""
    chain = [node]
    left: ast.Expression = node.left
    while left.__class__ is ast.Binary and left.operator in ARITHMETIC:
        chain.append(left)
        left = left.left
    constants = compiler.constants
    register = emit_expression(compiler, left, scope)
    if not is_number(left):
        register = text_of_blob(compiler, register)
    for link in reversed(chain):
        opcode, function = ARITHMETIC[link.operator]
        operand = emit_expression(compiler, link.right, scope)
        if not is_number(link.right):
            operand = text_of_blob(compiler, operand)
        if register in constants and operand in constants:
            register = compiler.constant(function(constants[register], constants[operand]))
            continue
        result = compiler.register()
        compiler.emit(opcode, register, operand, result)
        register = result
        if opcode == op.Concat and compiler.context.limits is not DEFAULTS:
            compiler.emit(op.Function, 0, 0, result, (length_check(compiler.context.limits), (result,), None))
    return placed(compiler, register, target) if target else register


def emit_comparison(compiler: Compiler, node: ast.Binary, scope: Scope, target: int) -> int:
    """A comparison as a value: 1, 0 or NULL."""
    settled = settle_plain(compiler, node.left, node.right, scope)
    if settled is not None:
        result = target or compiler.register()
        compiler.emit(COMPARISONS[node.operator][0], settled[0], settled[1], result, settled[2])
        return result
    truth = truth_test(compiler, node, scope)
    if truth is not None:
        operand = emit_expression(compiler, node.left, scope)
        if compiler.binary is not None:
            operand = text_of_blob(compiler, operand)
        result = target or compiler.register()
        compiler.emit(op.IsTrue, operand, truth, result, 0, 1 if node.operator == "IS NOT" else 0)
        return result
    if is_row(compiler, node.left, scope) or is_row(compiler, node.right, scope):
        return emit_row_comparison(compiler, node, scope, target)
    left = typed_operand(compiler, node.left, scope)
    right = typed_operand(compiler, node.right, scope)
    left_register, right_register, collation, affinity = comparison(compiler, left, right)
    opcode, function = COMPARISONS[node.operator]
    constants = compiler.constants
    if left_register in constants and right_register in constants and not affinity:
        arguments = () if collation is None else (collation,)
        value = function(constants[left_register], constants[right_register], *arguments)
        return placed(compiler, compiler.constant(value), target)
    result = target or compiler.register()
    compiler.emit(opcode, left_register, right_register, result, collation, affinity)
    return result


def truth_test(compiler: Compiler, node: ast.Binary, scope: Scope) -> int | None:
    """1 or 0 when the node is `x IS [NOT] TRUE` or `FALSE`, else None."""
    right = node.right
    if node.operator not in ("IS", "IS NOT"):
        return None
    while right.__class__ is ast.Collate:
        right = right.operand
    if right.__class__ is ast.InList and is_truth_value(right):
        return int(right.is_negated)
    if right.__class__ is not ast.Column:
        return None
    if right.table is not None or right.is_double_quoted:
        return None
    lowered = right.name.lower()
    if lowered not in ("true", "false") or compiler.resolve(right, scope) is not None:
        return None
    return 1 if lowered == "true" else 0


def is_row(compiler: Compiler, node: ast.Expression, scope: Scope) -> bool:
    """Whether an expression is a row value of more than one column."""
    if node.__class__ is ast.RowValue:
        return True
    return node.__class__ is ast.ScalarSubquery and len(compiler.subquery_columns(node.select, scope)) > 1


def row_size(compiler: Compiler, node: ast.Expression, scope: Scope) -> int:
    """How many columns an operand has."""
    if node.__class__ is ast.RowValue:
        return len(node.items)
    if node.__class__ is ast.ScalarSubquery:
        return len(compiler.subquery_columns(node.select, scope))
    return 1


def row_operands(
    compiler: Compiler, node: ast.Expression, scope: Scope
) -> list[tuple[int, int, str | None, bool, bool]]:
    """The typed operands of a row value's (or row subquery's) columns."""
    if node.__class__ is ast.RowValue:
        return [typed_operand(compiler, item, scope) for item in node.items]
    if node.__class__ is ast.ScalarSubquery:
        columns = compiler.subquery_columns(node.select, scope)
        first = compiler.emit_row_subquery(node.select, scope)
        return [
            # A subquery's columns have affinity but no collation.
            (first + number, column.affinity, None, False, False)
            for number, column in enumerate(columns)
        ]
    return [typed_operand(compiler, node, scope)]


def emit_row_comparison(compiler: Compiler, node: ast.Binary, scope: Scope, target: int) -> int:
    """`(a, b) < (c, d)` and its like; what comes behind the columns that decide it is not computed if it could fail."""
    if row_size(compiler, node.left, scope) != row_size(compiler, node.right, scope):
        raise sqlite_error(ERROR, "row value misused")
    if _has_computed_columns(node.left) or _has_computed_columns(node.right):
        return placed(compiler, _emit_stepwise_comparison(compiler, node, scope), target)
    left = row_operands(compiler, node.left, scope)
    right = row_operands(compiler, node.right, scope)
    pairs = [comparison(compiler, left_item, right_item) for left_item, right_item in zip(left, right)]
    result = target or compiler.register()
    _emit_row_compare(compiler, node.operator, pairs, result)
    return result


def _has_computed_columns(node: ast.Expression) -> bool:
    """Whether a column of a row value behind the first takes a computation."""
    return node.__class__ is ast.RowValue and any(item.__class__ not in _AT_HAND for item in node.items[1:])


def _emit_stepwise_comparison(compiler: Compiler, node: ast.Binary, scope: Scope) -> int:
    """Compares what is there before each column that has to be computed; returns the register of the result."""
    operator = node.operator
    sides = [
        side.items if side.__class__ is ast.RowValue else row_operands(compiler, side, scope)
        for side in (node.left, node.right)
    ]
    result = compiler.register()
    end = compiler.label()
    pairs: list[tuple[int, int, Collation | None, int]] = []
    for columns in zip(*sides):
        if pairs and any(item.__class__ is not tuple and item.__class__ not in _AT_HAND for item in columns):
            _emit_row_compare(compiler, operator, pairs, result)
            if operator in ("=", "IS"):
                compiler.emit(op.IfNot, result, end, 0)
            elif operator in ("<>", "IS NOT"):
                compiler.emit(op.If, result, end, 0)
            else:
                # An order is settled by columns that differ, and by NULL.
                same = compiler.register()
                _emit_row_compare(compiler, "=", pairs, same)
                compiler.emit(op.IfNot, same, end, 1)
        left, right = (item if item.__class__ is tuple else typed_operand(compiler, item, scope) for item in columns)
        pairs.append(comparison(compiler, left, right))
    _emit_row_compare(compiler, operator, pairs, result)
    compiler.place(end)
    return result


def _emit_row_compare(
    compiler: Compiler, operator: str, pairs: list[tuple[int, int, Collation | None, int]], result: int
) -> None:
    compiler.emit(op.RowCompare, 0, 0, result, (operator, *(tuple(column) for column in zip(*pairs))))


def emit_connective(compiler: Compiler, node: ast.And | ast.Or, scope: Scope, target: int) -> int:
    """AND and OR as values: all operands from left to right; only a subquery is not run when the result is known without it."""
    is_and = node.__class__ is ast.And
    result = target or compiler.register()
    constants = compiler.constants
    label = 0
    # `known` is the result so far while everything was constant.
    known: int | None = 1 if is_and else 0
    started = False
    for number, term in enumerate(node.terms):
        if started and compiler.has_subqueries and has_subquery(term):
            label = label or compiler.label()
            compiler.emit(op.IfNot if is_and else op.If, result, label, 0)
        register = emit_expression(compiler, term, scope)
        if compiler.binary is not None and not is_number(term):
            register = text_of_blob(compiler, register)
        if register in constants and not started:
            function = arithmetic.logical_and if is_and else arithmetic.logical_or
            known = function(known, constants[register])
            if known is not None and known != (1 if is_and else 0):
                emit_unused(compiler, node.terms[number + 1 :], scope)
                return placed(compiler, compiler.constant(known), target)
            continue
        previous = result if started else compiler.constant(known)
        compiler.emit(op.And if is_and else op.Or, previous, register, result)
        started = True
    if label:
        compiler.place(label)
    return result if started else placed(compiler, compiler.constant(known), target)


def emit_unused(compiler: Compiler, expressions: Sequence[ast.Expression], scope: Scope) -> None:
    """Code for expressions whose values nobody needs, jumped over: what is wrong in them has to be said."""
    expressions = [expression for expression in expressions if expression.__class__ is not ast.Literal]
    if expressions:
        end = compiler.label()
        compiler.emit(op.Goto, 0, end)
        for expression in expressions:
            # SQLite finds names and calls wrong before it makes code, a row in the wrong place only then.
            if expression.__class__ is not ast.RowValue:
                emit_expression(compiler, expression, scope)
        compiler.place(end)


def emit_null_test(compiler: Compiler, node: ast.IsNull | ast.NotNull, scope: Scope, target: int) -> int:
    """`x IS NULL` and `x NOT NULL`."""
    if is_row(compiler, node.operand, scope):
        refuse_row(compiler)
    operand = emit_expression(compiler, node.operand, scope)
    is_null = node.__class__ is ast.IsNull
    if operand in compiler.constants:
        value = int((compiler.constants[operand] is None) == is_null)
        return placed(compiler, compiler.constant(value), target)
    result = target or compiler.register()
    compiler.emit(op.IsNullValue if is_null else op.NotNullValue, operand, 0, result)
    return result


def between_terms(
    compiler: Compiler, node: ast.Between, scope: Scope
) -> tuple[ast.Binary, ast.Binary]:
    """BETWEEN as two comparisons of one evaluation of its operand."""
    operand = _hold_all(compiler, node.operand, scope)
    return ast.Binary(">=", operand, node.low), ast.Binary("<=", operand, node.high)


def hold(compiler: Compiler, node: ast.Expression, scope: Scope) -> Held:
    """Evaluates an expression once for several uses."""
    return Held(node, typed_operand(compiler, node, scope))


def _hold_all(compiler: Compiler, node: ast.Expression, scope: Scope) -> ast.Expression:
    """Evaluates an expression, or the columns of a row that have to be computed, once and whether needed or not."""
    items: list[ast.Expression]
    if node.__class__ is ast.RowValue:
        items = [item if item.__class__ in _AT_HAND else hold(compiler, item, scope) for item in node.items]
        return ast.RowValue(items)
    if is_row(compiler, node, scope):
        items = [Held(node, operand) for operand in row_operands(compiler, node, scope)]
        return ast.RowValue(items)
    return hold(compiler, node, scope)


def emit_between(compiler: Compiler, node: ast.Between, scope: Scope, target: int) -> int:
    """BETWEEN as a value."""
    low, high = between_terms(compiler, node, scope)
    left = emit_expression(compiler, low, scope)
    right = emit_expression(compiler, high, scope)
    constants = compiler.constants
    if left in constants and right in constants:
        value = arithmetic.logical_and(constants[left], constants[right])
        if node.is_negated:
            value = arithmetic.logical_not(value)
        return placed(compiler, compiler.constant(value), target)
    result = target or compiler.register()
    compiler.emit(op.And, left, right, result)
    if node.is_negated:
        compiler.emit(op.Not, result, 0, result)
    return result


def emit_case(compiler: Compiler, node: ast.Case, scope: Scope, target: int) -> int:
    """CASE, with and without an operand."""
    result = target or compiler.register()
    end = compiler.label()
    operand = None
    if node.operand is not None:
        operand = _hold_all(compiler, node.operand, scope)
    for condition, value in node.whens:
        following = compiler.label()
        test = condition if operand is None else ast.Binary("=", operand, condition)
        compiler.emit_condition(test, scope, following, False, True)
        emit_expression(compiler, value, scope, result)
        compiler.emit(op.Goto, 0, end)
        compiler.place(following)
    if node.otherwise is not None:
        emit_expression(compiler, node.otherwise, scope, result)
    else:
        compiler.emit(op.Null, 0, result, 1)
    compiler.place(end)
    return result


def emit_cast(compiler: Compiler, node: ast.Cast, scope: Scope, target: int) -> int:
    """CAST."""
    operand = emit_expression(compiler, node.operand, scope)
    affinity = affinity_of_cast(node.type_name)
    if operand in compiler.constants:
        value = compiler.constants[operand]
        # Between text and blob the encoding of the database counts, which only the run time knows.
        if value is None or isinstance(value, (int, float)):
            folded = cast(value, affinity)
            if folded.__class__ is not bytes:
                return placed(compiler, compiler.constant(folded), target)
    result = target or compiler.register()
    compiler.emit(op.Cast, operand, affinity, result)
    return result


def emit_collate(compiler: Compiler, node: ast.Collate, scope: Scope, target: int) -> int:
    """COLLATE changes nothing but how others compare."""
    return emit_expression(compiler, node.operand, scope, target)


def emit_in_list(compiler: Compiler, node: ast.InList, scope: Scope, target: int) -> int:
    """`x IN (a, b)` as a value."""
    if not node.items:
        _check_unused(compiler, node.operand, scope)
        return placed(compiler, compiler.constant(1 if node.is_negated else 0), target)
    constant_set = in_constants(compiler, node, scope)
    if constant_set is not None:
        values, affinity = constant_set
        operand = emit_expression(compiler, node.operand, scope)
        result = target or compiler.register()
        compiler.emit(op.InConstant, operand, affinity, result, values, 1 if node.is_negated else 0)
        return result
    if is_row(compiler, node.operand, scope):
        return _emit_in_rows(compiler, node, scope, target)
    held = hold(compiler, node.operand, scope)
    result = target or compiler.register()
    outcome = compiler.constant(0)
    is_only = len(node.items) == 1
    end = compiler.label() if not is_only else 0
    for number, item in enumerate(node.items):
        equal = emit_expression(compiler, ast.Binary("=", held, plain_item(compiler, item, scope, is_only)), scope)
        compiler.emit(op.Or, outcome, equal, result)
        outcome = result
        if end and number < len(node.items) - 1:
            compiler.emit(op.If, result, end, 0)
    if end:
        compiler.place(end)
    if node.is_negated:
        compiler.emit(op.Not, result, 0, result)
    return result


def _emit_in_rows(compiler: Compiler, node: ast.InList, scope: Scope, target: int) -> int:
    """`(x, y) IN ((a, b), ...)`: one row is a comparison; several are the arms of a compound, of which the last one counts."""
    size = row_size(compiler, node.operand, scope)
    if node.operand.__class__ is ast.ScalarSubquery and not (
        len(node.items) == 1 and node.items[0].__class__ is ast.ScalarSubquery
    ):
        # SQLite makes a comparison of a lone constant, and takes the operand for a single value otherwise.
        if len(node.items) == 1 and _is_constant_row(node.items[0]):
            raise sqlite_error(ERROR, "row value misused")
        raise sqlite_error(ERROR, f"sub-select returns {size} columns - expected 1")
    for item in node.items:
        found = row_size(compiler, item, scope)
        if found != size:
            raise sqlite_error(ERROR, f"IN(...) element has {found} term{'s' if found > 1 else ''} - expected {size}")
    if len(node.items) == 1:
        # SQLite puts the row into a table, so it computes all of both sides.
        left, right = (
            _hold_all(compiler, side, scope) if side.__class__ is ast.RowValue else side
            for side in (node.operand, node.items[0])
        )
        comparison_node: ast.Expression = ast.Binary("=", left, right)
        if node.is_negated:
            comparison_node = ast.Unary("NOT", comparison_node)
        return emit_expression(compiler, comparison_node, scope, target)
    rows = [item.items for item in node.items if isinstance(item, ast.RowValue)]
    select = ast.Select([ast.Values(rows, is_row_list=True)], [], None, None, None, None)
    return emit_expression(compiler, ast.InSelect(node.operand, select, node.is_negated), scope, target)


def _check_unused(compiler: Compiler, node: ast.Expression, scope: Scope) -> None:
    """An operand that is never computed may be wrong nonetheless; the parser leaves those that call functions."""
    if node.__class__ is ast.Literal:
        return
    end = compiler.label()
    compiler.emit(op.Goto, 0, end)
    row_operands(compiler, node, scope)
    compiler.place(end)


def _is_constant_row(node: ast.Expression) -> bool:
    items = node.items if isinstance(node, ast.RowValue) else [node]
    return all(isinstance(item, (ast.Literal, ast.Variable)) or is_foldable(item) for item in items)


def plain_item(compiler: Compiler, item: ast.Expression, scope: Scope, is_only: bool) -> ast.Expression:
    """An item of an IN list as the comparison sees it: without affinity and collation of its own.

    `x IN (constant)` is `x = +constant` for SQLite: a COLLATE on top of the constant does not count, one within it does.
    """
    if item.__class__ is ast.Literal or item.__class__ is ast.RowValue:
        return item
    register = emit_expression(compiler, item, scope)
    if is_only and register in compiler.constants:
        while item.__class__ is ast.Collate:
            item = item.operand
        return item if item.__class__ is ast.Literal else ast.Unary("+", item)
    return Held(item, (register, NONE, None, False, False))


def in_constants(compiler: Compiler, node: ast.InList, scope: Scope) -> tuple[object, int] | None:
    """The ConstantSet of an IN list and the affinity for its left side; None unless all items are constants."""
    values: list[object] = []
    for item in node.items:
        if item.__class__ is ast.Literal:
            values.append(item.value)
            continue
        if not is_foldable(item):
            return None
        register = emit_expression(compiler, item, scope)
        if register not in compiler.constants:
            return None
        values.append(compiler.constants[register])
    if is_row(compiler, node.operand, scope):
        return None
    name, _ = collation_of(compiler, node.operand, scope)
    affinity = affinity_of(compiler, node.operand, scope)
    affinity = 0 if affinity <= NONE else NUMERIC if affinity >= NUMERIC else affinity
    return compiler.constant_set(values, affinity, compiler.collation(name)), affinity


def is_foldable(node: ast.Expression) -> bool:
    """Whether emission of an expression surely gives a constant and emits nothing: signs, casts and arithmetic of literals."""
    while True:
        kind = node.__class__
        if kind is ast.Literal:
            return True
        if kind is ast.Unary:
            node = node.operand  # type: ignore[attr-defined]
        elif kind is ast.Binary and node.operator in ARITHMETIC:  # type: ignore[attr-defined]
            if not is_foldable(node.right):  # type: ignore[attr-defined]
                return False
            node = node.left  # type: ignore[attr-defined]
        else:
            return False


def emit_row_value(compiler: Compiler, node: ast.RowValue, scope: Scope, target: int) -> int:
    """A row value where one value is wanted."""
    for item in node.items:
        compiler.emit_expression(item, scope)
    refuse_row(compiler)
    return placed(compiler, compiler.constant(None), target)


def refuse_row(compiler: Compiler) -> None:
    """Raises for a row value where one value is wanted, unless what is compiled will not run."""
    if not compiler.tolerates_rows:
        raise sqlite_error(ERROR, "row value misused")


def emit_raise(compiler: Compiler, node: ast.Raise, scope: Scope, target: int) -> int:
    """RAISE outside of a trigger."""
    raise sqlite_error(ERROR, "RAISE() may only be used within a trigger-program")


def emit_current_time(compiler: Compiler, node: ast.CurrentTime, scope: Scope, target: int) -> int:
    """CURRENT_DATE and its like are functions without arguments."""
    if compiler.authorized is not None and not compiler.authorized.get(id(node), (node, True))[1]:
        return placed(compiler, compiler.constant(None), target)
    return compiler.emit_call(node.keyword.lower(), [], scope, target)


EMITTERS: dict[type, Emitter] = {
    ast.Literal: emit_literal,
    ast.Column: emit_column,
    SourceColumn: emit_bound_column,
    Held: emit_held,
    ast.Variable: emit_variable,
    ast.Unary: emit_unary,
    ast.Binary: emit_binary,
    ast.And: emit_connective,
    ast.Or: emit_connective,
    ast.IsNull: emit_null_test,
    ast.NotNull: emit_null_test,
    ast.Between: emit_between,
    ast.Case: emit_case,
    ast.Cast: emit_cast,
    ast.Collate: emit_collate,
    ast.InList: emit_in_list,
    ast.RowValue: emit_row_value,
    ast.Raise: emit_raise,
    ast.CurrentTime: emit_current_time,
}
