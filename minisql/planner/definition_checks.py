"""What the expressions of a definition may contain: CHECK, generated columns, index expressions, partial indexes.

Each kind of place forbids some things, with a phrase of its own in the message.  Names are checked by emitting the expression
into a program that nobody runs.

Source: https://www.sqlite.org/lang_createtable.html section 3.7, https://www.sqlite.org/gencol.html section 2.3,
https://www.sqlite.org/expridx.html section 1.1, https://www.sqlite.org/partialindex.html section 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.compiler import Compiler
from minisql.planner.references import referenced_names, walk
from minisql.planner.scope import ROWID_NAMES, Scope, table_source

if TYPE_CHECKING:
    from minisql.catalog.schema import Index, Table
    from minisql.parser import Source

CHECKS = "CHECK constraints"
GENERATED = "generated columns"
INDEX_EXPRESSIONS = "index expressions"
PARTIAL_INDEX = "partial index WHERE clauses"
_SUBQUERIES = frozenset((ast.Select, ast.InTable))
# Functions that answer differently each time although nothing changed; the date functions only with some arguments.
_ALWAYS_NEW = frozenset(
    ("random", "randomblob", "changes", "total_changes", "last_insert_rowid", "sqlite_version", "sqlite_source_id")
    + ("current_date", "current_time", "current_timestamp")
)


def check_table_expressions(compiler: Compiler, table: Table, text: Source | None = None) -> None:
    """Checks the generated columns and CHECK constraints of a table that is being created; `text` is where they stand."""
    _refuse_generated_loops(table)
    for column in table.columns:
        if column.generated is not None:
            check_definition_expression(compiler, table, column.generated, GENERATED, text)
    for check in table.checks:
        check_definition_expression(compiler, table, check.expression, CHECKS, text)


def check_index_expressions(compiler: Compiler, index: Index, text: Source | None = None) -> None:
    """Checks the expressions and the WHERE of an index that is being created."""
    for column in index.columns:
        if column.expression is not None:
            check_definition_expression(compiler, index.table, column.expression, INDEX_EXPRESSIONS, text)
    if index.where is not None:
        check_definition_expression(compiler, index.table, index.where, PARTIAL_INDEX, text)


def check_definition_expression(
    compiler: Compiler, table: Table, expression: ast.Expression, place: str, text: Source | None = None
) -> None:
    """Raises SQLite's error if the expression may not stand in that place or does not mean anything there."""
    for node in walk(expression):
        kind = node.__class__
        if kind in _SUBQUERIES or (isinstance(node, ast.InList) and node.operand.__class__ is ast.RowValue):
            raise sqlite_error(ERROR, f"subqueries prohibited in {place}")
        if kind is ast.Variable:
            raise sqlite_error(ERROR, f"parameters prohibited in {place}")
        if place is CHECKS:
            continue
        if isinstance(node, ast.Column):
            if node.table is not None and place is not PARTIAL_INDEX:
                if node.table.lower() != table.name.lower() or node.name.lower() not in table.column_positions:
                    raise sqlite_error(ERROR, f"no such column: {node.table}.{node.name}")
                raise sqlite_error(ERROR, f'the "." operator prohibited in {place}')
            if place is GENERATED and node.name.lower() in ROWID_NAMES - table.column_positions.keys():
                raise sqlite_error(ERROR, f"no such column: {node.name}")
        elif kind is ast.CurrentTime or (isinstance(node, ast.FunctionCall) and _is_always_new(compiler, node)):
            raise sqlite_error(ERROR, f"non-deterministic functions prohibited in {place}")
    scratch = Compiler(compiler.context, text)
    if compiler.authorized is None:
        scratch.authorized = None
    if place is CHECKS:
        scratch.tolerates_rows = 1
    scratch.schema_depth = int(table.schema_index != 1)
    source = table_source(table, table.name, [scratch.builder.register() for _ in table.columns])
    source.rowid_register = scratch.builder.register()
    scratch.emit_expression(expression, Scope([source]))


def _is_always_new(compiler: Compiler, node: ast.FunctionCall) -> bool:
    """Tells whether a call may answer differently each time; a user's function may unless it was declared deterministic."""
    if node.name.lower() in _ALWAYS_NEW:
        return True
    function = compiler.context.functions.find(node.name, len(node.arguments))
    return function is not None and not function.is_built_in and not function.deterministic


def _refuse_generated_loops(table: Table) -> None:
    pending = {
        column.name.lower(): referenced_names(column.generated) for column in table.columns if column.generated is not None
    }
    while pending:
        ready = [name for name, names in pending.items() if not names & pending.keys()]
        if not ready:
            name = next(column.name for column in reversed(table.columns) if column.name.lower() in pending)
            raise sqlite_error(ERROR, f'generated column loop on "{name}"')
        for name in ready:
            del pending[name]
