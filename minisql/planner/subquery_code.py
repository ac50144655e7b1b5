"""Subqueries in expressions: scalar, row value, EXISTS, IN.

Each is emitted in place behind a Once that is settled afterwards: when the subquery turned out to read nothing from around
it, the Once stays and it runs once; when it reads plain registers of outer rows, the Once becomes a MemoGet on those values
(and a MemoPut is added), so that equal outer values cost one run; otherwise it runs every time.

Source: https://www.sqlite.org/lang_expr.html sections 11 to 15.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.binding import bind_select
from minisql.planner.compound_columns import operand_columns
from minisql.planner.expressions import EMITTERS, placed, row_operands, row_size
from minisql.planner.operands import choose_collation
from minisql.planner.optimizations import MEMOS, is_left_out
from minisql.planner.query_blocks import BoundSelect
from minisql.planner.scope import Capture
from minisql.values.affinity import NONE, NUMERIC, TEXT
from minisql.values.collation import BINARY

if TYPE_CHECKING:
    from minisql.catalog.schema import Column
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Scope


class BoundSubquery:
    """A bound SELECT of an expression and what it reads from around it."""

    __slots__ = ("bound", "capture", "node", "scope")

    def __init__(self, bound: BoundSelect, capture: Capture, node: ast.Select, scope: Scope) -> None:
        self.bound = bound
        self.capture = capture
        # Kept alive, since bound subqueries are found by the id() of both.
        self.node = node
        self.scope = scope


def bind_subquery(compiler: Compiler, node: ast.Select, scope: Scope) -> BoundSubquery:
    """Binds the SELECT of an expression; a second call gives the same."""
    key = (id(node), id(scope))
    found = compiler.bound_selects.get(key)
    if found is None:
        _check_depth(scope)
        saved = compiler.current_capture
        capture = Capture()
        compiler.current_capture = capture
        bound = bind_select(compiler, node, scope)
        compiler.current_capture = saved
        found = compiler.bound_selects[key] = BoundSubquery(bound, capture, node, scope)
    return found  # type: ignore[return-value]


def _check_depth(scope: Scope) -> None:
    """SQLite adds up the heights of expressions along nested subqueries: 44 of the simplest ones are too many."""
    depth = 1
    level: Scope | None = scope
    while level is not None:
        if level.capture is not None:
            depth += 1
        level = level.parent
    if depth * (depth + 1) // 2 >= 990:
        raise sqlite_error(ERROR, "Expression tree is too large (maximum depth 1000)")


def take_subquery(compiler: Compiler, node: ast.Select, scope: Scope) -> BoundSubquery:
    """The bound SELECT for emission; it is bound again if the same expression is emitted a second time."""
    found = bind_subquery(compiler, node, scope)
    del compiler.bound_selects[(id(node), id(scope))]
    return found


def subquery_columns(compiler: Compiler, node: ast.Select, scope: Scope) -> list[Column]:
    """The columns of an expression's SELECT, as its operator sees them."""
    known = compiler.subquery_shapes.get((id(node), id(scope)))
    if known is None:
        columns = operand_columns(compiler, bind_subquery(compiler, node, scope).bound)
        # Node and scope are kept with the columns so that their id()s stay their own.
        known = compiler.subquery_shapes[(id(node), id(scope))] = (columns, scope, node)
    return known[0]


def once_or_memo(
    compiler: Compiler, subquery: BoundSubquery, result: int, emit_body: Callable[[], None], name: str
) -> None:
    """Emits a subquery's code so that it runs as rarely as its outer values allow; `result` is its one register or 0."""
    end = compiler.label()
    start = compiler.emit(op.Once, 0, end)
    was_deterministic = compiler.is_deterministic
    compiler.is_deterministic = True
    explain_parent = compiler.explain_parent
    explain_row = len(compiler.explain_rows)
    if compiler.wants_explain:
        compiler.explain_parent = compiler.explain(f"{name} {compiler.select_number(subquery.node)}")
    outer_gathering, compiler.gathering_capture = compiler.gathering_capture, subquery.capture
    emit_body()
    compiler.gathering_capture = outer_gathering
    is_deterministic = compiler.is_deterministic
    compiler.is_deterministic = was_deterministic and is_deterministic
    capture = subquery.capture
    if compiler.wants_explain:
        compiler.explain_parent = explain_parent
        if capture.is_correlated:
            row = compiler.explain_rows[explain_row]
            compiler.explain_rows[explain_row] = (row[0], row[1], 0, "CORRELATED " + row[3])
    if capture.is_correlated or not is_deterministic:
        code = compiler.code
        registers = tuple(capture.registers)
        if result and compiler.allows_memo and not is_left_out(compiler, MEMOS) and is_deterministic and not capture.is_opaque:
            memo = compiler.builder.cursor()
            compiler.prologue.append((op.MemoOpen, memo, 0, 0, None, 0))
            code[start] = (op.MemoGet, memo, end, result, registers, 0)
            compiler.builder.jumps.append(start)
            compiler.emit(op.MemoPut, memo, 0, result, registers)
        elif capture.is_correlated:
            code[start] = (op.Noop, 0, 0, 0, None, 0)
    compiler.place(end)


def emit_scalar_subquery(compiler: Compiler, node: ast.ScalarSubquery, scope: Scope, target: int) -> int:
    """`(SELECT ...)` as a value: the first column of the first row, or NULL."""
    n_columns = len(subquery_columns(compiler, node.select, scope))
    if n_columns != 1 and not compiler.tolerates_rows:
        raise sqlite_error(ERROR, f"sub-select returns {n_columns} columns - expected 1")
    return placed(compiler, emit_row_subquery(compiler, node.select, scope), target)


def emit_row_subquery(compiler: Compiler, node: ast.Select, scope: Scope) -> int:
    """The first row of a SELECT in consecutive registers, NULLs if there is none; returns the first of them."""
    subquery = take_subquery(compiler, node, scope)
    _limit_to_one(subquery.bound)
    width = len(subquery.bound.columns)
    result = compiler.registers(width)

    def sink(registers: tuple[int, ...], done: int) -> None:
        for number, register in enumerate(registers):
            placed(compiler, register, result + number)
        compiler.emit(op.Goto, 0, done)

    def body() -> None:
        compiler.emit(op.Null, 0, result, width)
        compiler.emit_bound_select(subquery.bound, sink, None, True)

    once_or_memo(compiler, subquery, result if width == 1 else 0, body, "SCALAR SUBQUERY")
    return result


def _limit_to_one(bound: BoundSelect) -> None:
    """One row is enough; of a LIMIT that the SELECT has itself only counts whether it is zero, so it may be any value."""
    node = bound.node
    if node.limit is None:
        bound.take_one()
    elif node.limit.__class__ is not ast.Literal or node.limit.value.__class__ is not int:
        limit = ast.Binary("<>", node.limit, ast.Cast(ast.Literal(0), "NUMERIC"))
        bound.node = ast.Select(node.cores, node.operators, node.order_by, limit, node.offset, node.with_clause)


def emit_exists(compiler: Compiler, node: ast.Exists | ast.Unary, scope: Scope, target: int) -> int:
    """EXISTS (SELECT ...) or NOT EXISTS as 1 or 0."""
    is_negated = node.__class__ is ast.Unary
    select = node.operand.select if is_negated else node.select  # type: ignore[union-attr]
    subquery = take_subquery(compiler, select, scope)
    bound = subquery.bound
    _limit_to_one(bound)
    if len(bound.blocks) == 1 and bound.blocks[0].rows is None and bound.node.offset is None and bound.common_table is None:
        bound.blocks[0].is_existence = True
    result = compiler.register()

    def sink(registers: tuple[int, ...], done: int) -> None:
        compiler.emit(op.Integer, 0 if is_negated else 1, result)
        compiler.emit(op.Goto, 0, done)

    def body() -> None:
        compiler.emit(op.Integer, 1 if is_negated else 0, result)
        compiler.emit_bound_select(subquery.bound, sink, None, True)

    once_or_memo(compiler, subquery, result, body, "SCALAR SUBQUERY")
    return placed(compiler, result, target)


def emit_in_select(compiler: Compiler, node: ast.InSelect, scope: Scope, target: int) -> int:
    """`x IN (SELECT ...)`: the rows of the SELECT as a set."""
    columns = subquery_columns(compiler, node.select, scope)
    size = row_size(compiler, node.operand, scope)
    if size != len(columns):
        if size == 1:
            raise sqlite_error(ERROR, f"sub-select returns {len(columns)} columns - expected 1")
        raise sqlite_error(ERROR, f"sub-select returns {len(columns)} columns - expected {size}")
    operands = row_operands(compiler, node.operand, scope)
    affinities = []
    collations = []
    for operand, column in zip(operands, columns):
        affinities.append(_in_affinity(operand[1], column.affinity))
        collations.append(choose_collation(compiler, operand, (0, column.affinity, column.collation, False, False)) or BINARY)
    subquery = take_subquery(compiler, node.select, scope)
    cursor = compiler.builder.cursor()

    def sink(registers: tuple[int, ...], done: int) -> None:
        keys = []
        for register, affinity in zip(registers, affinities):
            if affinity:
                converted = compiler.register()
                compiler.emit(op.ApplyAffinity, register, affinity, converted)
                register = converted
            keys.append(register)
        compiler.emit(op.SetInsert, cursor, 0, 0, tuple(keys))

    def body() -> None:
        compiler.emit(op.SetOpen, cursor, 0, 0, tuple(collations))
        compiler.emit_bound_select(subquery.bound, sink, None, True)

    once_or_memo(compiler, subquery, 0, body, "LIST SUBQUERY")
    result = target or compiler.register()
    compiler.emit(
        op.InSet,
        cursor,
        tuple(affinities) if any(affinities) else None,
        result,
        tuple(operand[0] for operand in operands),
        1 if node.is_negated else 0,
    )
    return result


def _in_affinity(left: int, right: int) -> int:
    """The comparison affinity of `x = y`, 0 for none; of one side alone it is that side's own: REAL makes reals of both."""
    if left > NONE and right > NONE:
        return NUMERIC if left >= NUMERIC or right >= NUMERIC else 0
    affinity = right if left <= NONE else left
    return affinity if affinity >= TEXT else 0


def emit_in_table(compiler: Compiler, node: ast.InTable, scope: Scope, target: int) -> int:
    """`x IN table` is `x IN (SELECT * FROM table)`."""
    return emit_in_select(compiler, ast.InSelect(node.operand, table_select(node), node.is_negated), scope, target)


def table_select(node: ast.InTable) -> ast.Select:
    """The SELECT that `IN table` or `IN function(...)` stands for."""
    source: ast.FromItem
    if node.arguments is None:
        source = ast.TableSource(node.name, node.schema, None, None, False, node.position, None)
    else:
        source = ast.FunctionSource(node.name, node.schema, node.arguments, None, node.position, None)
    core = ast.Core([ast.Star(node.position)], False, [source], None, None, None, None)
    return ast.Select([core], [], None, None, None, None)


EMITTERS[ast.ScalarSubquery] = emit_scalar_subquery
EMITTERS[ast.Exists] = emit_exists
EMITTERS[ast.InSelect] = emit_in_select
EMITTERS[ast.InTable] = emit_in_table
