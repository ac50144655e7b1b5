"""compile_statement: the entry of the planner, from a parsed statement to a Program.

Source: https://www.sqlite.org/lang.html.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.listing import EXPLAIN_COLUMNS, explain_rows
from minisql.bytecode.program import Instruction, Program
from minisql.parser import ast
from minisql.planner.announcing import announce_select
from minisql.planner.binding import bind_select, column_name, expand_results, styled_name
from minisql.planner.column_origins import origin_of
from minisql.planner.compiler import Compiler
from minisql.planner.explain_plan import number_selects, tree_order
from minisql.planner.plain_insert import compile_plain_insert
from minisql.planner.plain_select import emit_plain_select
from minisql.planner.query_blocks import AnyResult, Block, BoundSelect
from minisql.planner.statement_emitters import EMITTERS
from minisql.planner.triggers import STEP_EMITTERS

if TYPE_CHECKING:
    from minisql.parser.parse import Parsed
    from minisql.planner.context import PlanContext


def compile_statement(parsed: Parsed, context: PlanContext, explains: bool = False) -> Program:
    """Compiles any statement but PRAGMA (the engine's) into a program; raises SQLite's errors.

    With `explains` the program's `explain_rows` are filled.
    """
    statement = parsed.statement
    if statement.__class__ is ast.Select:
        return _compile_select(parsed, statement, context, explains)
    if statement.__class__ is ast.Insert and not explains and not context.flags["count_changes"]:
        program = compile_plain_insert(statement, context, lambda: _compile_general(parsed, context, False))
        if program is not None:
            program.sql = parsed.source.sql
            return program
    return _compile_general(parsed, context, explains)


_NOOP: Instruction = (op.Noop, 0, 0, 0, None, 0)
_HALT: Instruction = (op.Halt, 0, 0, 0, None, 0)


def _compile_select(parsed: Parsed, statement: ast.Select, context: PlanContext, explains: bool) -> Program:
    compiler = Compiler(context, parsed.source, parsed.parameter_names, parsed.calls, parsed.columns)
    # The first instruction becomes a Transaction when it is known which databases are used.
    compiler.code.append(_NOOP)
    bound = None
    compiler.allows_memo = True
    compiler.has_subqueries = parsed.calls is None or parsed.n_selects > 1
    if explains:
        # EXPLAIN QUERY PLAN words a plan that was made.
        compiler.wants_explain = True
        compiler.select_numbers = number_selects(statement)
    elif compiler.uses_fast_path:
        bound = emit_plain_select(compiler, statement, parsed.n_selects)
    if compiler.authorized is not None and not announce_select(compiler, statement, None):
        return finish_program(compiler, (), "select")
    if bound is None:
        bound = emit_top_select(compiler, statement)
    if compiler.authorized is None:
        program = finish_program(compiler, (), "select")
        program.describe_later((column_names, column_origins, compiler, bound))
    else:
        names = column_names(compiler, bound)
        origins = column_origins(compiler, bound)
        program = finish_program(compiler, names, "select")
        program.column_origins = origins
    program.sql = parsed.source.sql
    return program


def _compile_general(parsed: Parsed, context: PlanContext, explains: bool) -> Program:
    statement = parsed.statement
    compiler = Compiler(context, parsed.source, parsed.parameter_names, parsed.calls, parsed.columns)
    compiler.wants_explain = explains
    if explains:
        compiler.select_numbers = number_selects(statement)
    compiler.code.append(_NOOP)
    compiler.has_subqueries = parsed.calls is None or parsed.n_selects > 0
    if isinstance(statement, ast.Explain):
        return compile_explain(parsed, statement, context)
    else:
        emitter, kind = EMITTERS[statement.__class__]
        if kind in _COUNTED and context.flags["count_changes"] and statement.returning is None:  # type: ignore[attr-defined]
            compiler.counted = _COUNTED[kind]
            statement = _with_counter(statement)
        names = emitter(compiler, statement) or ()
    program = finish_program(compiler, names, kind)
    program.column_origins = compiler.returned_origins or (None,) * len(names)
    program.sql = parsed.source.sql
    return program


# PRAGMA count_changes: a statement that changes rows returns their number under this name.
_COUNTED = {"insert": "rows inserted", "update": "rows updated", "delete": "rows deleted"}


def _with_counter(statement: ast.Statement) -> ast.Statement:
    """The statement with a RETURNING clause that stands for the counter: it holds where RETURNING does."""
    counting = copy(statement)
    counting.returning = [ast.ResultColumn(ast.Literal(1), None, 0, 0)]  # type: ignore[attr-defined]
    return counting


def emit_top_select(compiler: Compiler, node: ast.Select) -> BoundSelect:
    """A SELECT whose rows are the statement's, in the general way."""
    bound = bind_select(compiler, node, None, None, len(node.cores) > 1)
    emit = compiler.emit
    compiler.emit_bound_select(bound, lambda registers, done: emit(op.ResultRow, 0, 0, 0, registers), None, True)
    return bound


def column_names(compiler: Compiler, bound: BoundSelect) -> tuple[str, ...]:
    """The names of the result columns."""
    block = bound.blocks[0]
    scope = block.scope
    flags = compiler.context.flags
    is_plain = flags["short_column_names"] and not flags["full_column_names"]
    is_alone = len(scope.sources) == 1 and bool(scope.sources[0].columns)
    if not block.results and is_plain and is_alone:
        # The whole row of a stored table, see `emit_plain_select`.
        return tuple([column.name for column in scope.sources[0].columns])
    names = []
    for number, result in enumerate(_described(compiler, block)):
        name = result.name
        if not is_plain and result.alias is None:
            name = styled_name(compiler, result, scope, name)
        elif name is None and is_alone and result.expression.__class__ is ast.Column:
            # As `column_name` finds it, without the call.
            known = result.expression.binding
            if known is not None and known[0] is scope.sources[0] and known[0].shown is None and known[1] >= 0:
                name = known[0].columns[known[1]].name
        names.append(name if name is not None else column_name(compiler, result.expression, result, scope, number, bound))
    return tuple(names)


def column_origins(compiler: Compiler, bound: BoundSelect) -> tuple[tuple[str, str, str, str] | None, ...]:
    """The origins of the result columns: (schema, table, column, declared type) for a table's column, else None."""
    block = bound.blocks[0]
    return tuple([origin_of(compiler, result.expression, block.scope, bind_select) for result in _described(compiler, block)])


def _described(compiler: Compiler, block: Block) -> list[AnyResult]:
    if not block.results and block.core is not None:
        expand_results(compiler, block.core.columns, block)
    return block.results


def finish_program(compiler: Compiler, names: tuple[str, ...], kind: str) -> Program:
    """Adds Halt and the transactions, resolves labels, and fills the program's description."""
    code = compiler.code
    code.append(_HALT)
    builder = compiler.builder
    written = compiler.databases_written
    used = compiler.databases_read | written
    prologue = compiler.prologue
    if used == 1:
        context = compiler.context
        code[0] = (op.Transaction, 0, written, context.schema_cookie(0), context.catalog.generation, 0)
    elif used:
        transactions = _transactions(compiler, used)
        code[0] = transactions[0]
        prologue = transactions[1:] + prologue
    if prologue:
        builder.insert_prologue(prologue, 1)
    program = builder.finish(names, kind, True)
    if compiler.parameter_names:
        program.n_parameters = len(compiler.parameter_names)
        program.parameter_names = compiler.parameter_names
    if written:
        program.readonly = False
        program.write_databases = written
    program.is_ddl = compiler.is_ddl
    program.is_deterministic = compiler.is_deterministic
    program.needs_statement_journal = compiler.needs_statement_journal
    program.rows_spec = compiler.rows_spec
    program.read_databases = compiler.databases_read
    if compiler.wants_explain:
        program.explain_rows = tree_order(compiler.explain_rows)
    return program


def _transactions(compiler: Compiler, used: int) -> list[Instruction]:
    """A Transaction instruction for each database of a bit mask."""
    context = compiler.context
    transactions: list[Instruction] = []
    database = 0
    while used >> database:
        if used >> database & 1:
            is_write = compiler.databases_written >> database & 1
            cookie = context.schema_cookie(database)
            transactions.append((op.Transaction, database, is_write, cookie, context.catalog.generation, 0))
        database += 1
    return transactions


def compile_explain(parsed: Parsed, node: ast.Explain, context: PlanContext) -> Program:
    """EXPLAIN and EXPLAIN QUERY PLAN: compiles the statement and hands out a description of the result."""
    inner = type(parsed)(node.statement, parsed.parameter_names, parsed.source)
    described = compile_statement(inner, context, explains=True)
    compiler = Compiler(context, parsed.source, parsed.parameter_names)
    if node.is_query_plan:
        names: tuple[str, ...] = ("id", "parent", "notused", "detail")
        rows: list[tuple[object, ...]] = list(described.explain_rows)
    else:
        names = EXPLAIN_COLUMNS
        rows = list(listing_rows(described))
    if rows:
        cursor = compiler.builder.cursor()
        compiler.emit(op.ConstantRows, cursor, 0, 0, tuple(rows))
        base = compiler.registers(len(names))
        end = compiler.label()
        compiler.builder.begin_loop(op.Rewind, cursor, end, base, len(names))
        compiler.emit(op.ResultRow, base, len(names))
        compiler.builder.end_loop(op.Next, 0, end)
    if isinstance(node.statement, (ast.Insert, ast.Update, ast.Delete)):
        # As the statement would, it leaves the number of rows that it has changed: none.
        compiler.emit(op.ResetCount, 1)
    program = finish_program(compiler, names, "explain")
    program.column_origins = (None,) * len(names)
    program.sql = parsed.source.sql
    return program


def listing_rows(program: Program) -> list[tuple[object, ...]]:
    """The instructions of a program as the rows of EXPLAIN."""
    return list(explain_rows(program))


def emit_select_step(compiler: Compiler, node: ast.Select) -> None:
    """A SELECT as a step of a trigger program: its rows go nowhere."""
    scope = compiler.trigger.scope if compiler.trigger is not None else None
    if compiler.authorized is not None:
        announce_select(compiler, node, scope)
    bound = bind_select(compiler, node, scope)
    compiler.emit_bound_select(bound, lambda registers, done: None, None, True)


STEP_EMITTERS[ast.Select] = emit_select_step
