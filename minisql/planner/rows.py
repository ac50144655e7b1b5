"""Rows in registers as sources of names, and the computing of their generated columns.

A row block (see layout) becomes a `Source`, so that CHECK constraints, generated columns, index expressions, triggers,
RETURNING and SET clauses read it by name.  Expressions that come from the schema are emitted through
`emit_schema_expression`: their positions belong to another text.

Source: https://www.sqlite.org/gencol.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.planner.scope import Scope, Source, table_source
from minisql.values import affinity

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.parser import ast
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters


def row_source(table: Table, row: RowRegisters, alias: str | None = None, is_qualified_only: bool = False) -> Source:
    """The source of a row that lies in registers, virtual columns computed.

    `is_qualified_only` makes it one of OLD, NEW and excluded: no name reaches it without them, and its columns compare
    without affinity.
    """
    source = table_source(table, alias or table.name, row.column_registers())
    source.rowid_register = row.rowid
    source.json_columns = row.json_columns
    if is_qualified_only:
        source.is_qualified_only = True
        source.columns = row.layout.bare_columns(table)
        source.is_stored = False
    return source


def names_scope(table: Table, alias: str | None, parent: Scope | None) -> Scope:
    """A scope in which the table's names can be looked up before any row of it is in registers."""
    source = table_source(table, alias or table.name, [1] * len(table.columns))
    source.rowid_register = 1
    return Scope([source], parent)


def row_scope(table: Table, row: RowRegisters) -> Scope:
    """A scope in which the table's columns mean this row."""
    return Scope([row_source(table, row)])


def is_trusted(scope: Scope) -> bool:
    """Tells whether the schema of a scope's first table is the application's own (TEMP); one without tables is not."""
    table = scope.sources[0].table if scope.sources else None
    return table is not None and table.schema_index == 1


def emit_schema_expression(
    compiler: Compiler, node: ast.Expression, scope: Scope, target: int = 0, place: str = "", is_temp: bool = False
) -> int:
    """Emits an expression that comes from the schema, not from the statement's text.

    `place` names where only deterministic functions are allowed ('an index', ...), '' where all are.  `is_temp` says that it
    is the TEMP schema where the scope, having no tables, does not.
    """
    is_foreign = not (is_temp or is_trusted(scope))
    may_collate = compiler.may_collate
    compiler.may_collate = True
    compiler.view_depth += 1
    compiler.schema_depth += is_foreign
    compiler.restricts_functions, outer = place, compiler.restricts_functions
    register = compiler.emit_expression(node, scope, target)
    compiler.restricts_functions = outer
    compiler.schema_depth -= is_foreign
    compiler.view_depth -= 1
    compiler.may_collate = may_collate
    return register


def emit_schema_condition(
    compiler: Compiler,
    node: ast.Expression,
    scope: Scope,
    label: int,
    jump_if: bool,
    null_jumps: bool,
    place: str = "",
) -> None:
    """As `emit_schema_expression` for a jump."""
    may_collate = compiler.may_collate
    compiler.may_collate = True
    compiler.view_depth += 1
    compiler.schema_depth += not is_trusted(scope)
    compiler.restricts_functions, outer = place, compiler.restricts_functions
    compiler.emit_condition(node, scope, label, jump_if, null_jumps)
    compiler.restricts_functions = outer
    compiler.schema_depth -= not is_trusted(scope)
    compiler.view_depth -= 1
    compiler.may_collate = may_collate


def emit_generated_columns(compiler: Compiler, table: Table, row: RowRegisters) -> None:
    """Computes all generated columns of a row whose other columns are there."""
    layout = row.layout
    if layout.generated:
        _emit_generated(compiler, table, row, layout.generated)


def emit_virtual_columns(compiler: Compiler, table: Table, row: RowRegisters) -> None:
    """Computes the virtual columns of a row that a cursor has loaded."""
    layout = row.layout
    if layout.has_virtual:
        columns = table.columns
        _emit_generated(compiler, table, row, tuple(i for i in layout.generated if not columns[i].is_stored))


def _emit_generated(compiler: Compiler, table: Table, row: RowRegisters, positions: tuple[int, ...]) -> None:
    scope = row_scope(table, row)
    for position in positions:
        column = table.columns[position]
        assert column.generated is not None, "only generated columns are listed"
        register = row.column(position)
        emit_schema_expression(compiler, column.generated, scope, register, "a generated column")
        if column.affinity > affinity.BLOB:
            compiler.emit(op.ApplyAffinity, register, column.affinity, register)
