"""RETURNING: the expressions are computed when a row has changed, the rows handed out when all changes are done.

Source: https://www.sqlite.org/lang_returning.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import CONSTRAINT_FOREIGNKEY, ERROR, sqlite_error
from minisql.limits import COLUMN
from minisql.parser import ast
from minisql.planner.announcing import announce_results
from minisql.planner.binding import bind_select, column_name, expand_results
from minisql.planner.column_origins import origin_of
from minisql.planner.query_blocks import Block, BoundSelect
from minisql.planner.rows import row_source
from minisql.planner.scope import Scope

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters

_COUNTS_VIOLATIONS = frozenset((op.FkCounter, op.Program))


class Returning:
    """A RETURNING clause under compilation: the list cursor that gathers the rows, and their width.

    `counter`, where it is not 0, is the register that counts the rows instead (PRAGMA count_changes).
    """

    __slots__ = ("columns", "counter", "cursor", "names", "scope", "width")

    def __init__(
        self, columns: list[ast.ResultColumn | ast.Star | ast.TableStar], cursor: int, scope: Scope | None
    ) -> None:
        self.columns = columns
        self.cursor = cursor
        # What is around the clause: the common tables of the statement.
        self.scope = scope
        self.counter = 0
        self.width = 0
        self.names: tuple[str, ...] = ()


def begin_returning(
    compiler: Compiler,
    columns: list[ast.ResultColumn | ast.Star | ast.TableStar] | None,
    scope: Scope | None,
    table: Table,
) -> Returning | None:
    """Opens the list of rows; None without a clause."""
    if columns is None:
        return None
    if compiler.trigger is not None:
        raise sqlite_error(ERROR, "cannot use RETURNING in a trigger")
    if any(column.__class__ is ast.TableStar for column in columns):
        raise sqlite_error(ERROR, 'RETURNING may not use "TABLE.*" wildcards')
    if compiler.counted is not None:
        counting = Returning(columns, 0, None)
        counting.counter = compiler.register()
        counting.names = (compiler.counted,)
        compiler.emit(op.Integer, 0, counting.counter)
        return counting
    if len(columns) > compiler.context.limits[COLUMN]:
        raise sqlite_error(ERROR, "too many columns in result set")
    # The clause is computed behind the change and may fail, unless it only shows what is stored.
    if table.has_generated or any(
        column.__class__ is ast.ResultColumn and column.expression.__class__ is not ast.Column for column in columns
    ):
        compiler.needs_statement_journal = True
    cursor = compiler.builder.cursor()
    compiler.emit(op.OpenList, cursor, len(columns))
    return Returning(columns, cursor, scope)


def emit_returning_row(
    compiler: Compiler, returning: Returning | None, table: Table, row: RowRegisters
) -> None:
    """Computes the clause for a row that has just been written or deleted."""
    if returning is None:
        return
    if returning.counter:
        compiler.emit(op.AddImm, returning.counter, 1)
        return
    source = row_source(table, row)
    # The clause knows the table by its own name only, alias or not.
    source.schema_name = None
    scope = Scope([source], returning.scope)
    block = Block(None, scope)
    if compiler.authorized is not None:
        announce_results(compiler, returning.columns, scope)
    expand_results(compiler, returning.columns, block)
    returning.width = len(block.results)
    if not returning.names:
        bound = BoundSelect(ast.Select([], [], None, None, None, None), scope)
        returning.names = tuple(
            result.name or column_name(compiler, result.expression, result, scope, number, bound)
            for number, result in enumerate(block.results)
        )
        compiler.returned_origins = tuple(
            origin_of(compiler, result.expression, scope, bind_select) for result in block.results
        )
    start = len(compiler.code)
    registers = tuple(compiler.emit_expression(result.expression, scope) for result in block.results)
    _forget_once(compiler, start)
    compiler.emit(op.ListAppend, returning.cursor, p4=registers)


def _forget_once(compiler: Compiler, start: int) -> None:
    """Subqueries of the clause see every change: they run for each row even when they refer to nothing outside."""
    code = compiler.code
    for address in range(start, len(code)):
        if code[address][0] == op.Once:
            code[address] = (op.Noop, 0, 0, 0, None, 0)


def emit_returned_rows(compiler: Compiler, returning: Returning | None) -> tuple[str, ...]:
    """Hands out the rows; returns the names of their columns."""
    if returning is None:
        return ()
    if any(instruction[0] in _COUNTS_VIOLATIONS for instruction in compiler.code):
        # Before the first row: a statement that is left behind there has made its changes.
        passed = compiler.label()
        compiler.emit(op.FkIfZero, 0, passed)
        compiler.emit(op.Halt, CONSTRAINT_FOREIGNKEY, op.ON_CONFLICT_ABORT, p4="FOREIGN KEY constraint failed")
        compiler.place(passed)
    if returning.counter:
        compiler.emit(op.ResultRow, returning.counter, 1)
        return returning.names
    row = compiler.registers(returning.width)
    end = compiler.label()
    builder = compiler.builder
    builder.begin_loop(op.Rewind, returning.cursor, end, row, returning.width)
    compiler.emit(op.ResultRow, row, returning.width)
    builder.end_loop(op.Next, 0, end)
    return returning.names
