"""Where a result column comes from: the table's column behind it, through subqueries, views and common tables.

Asked only when a program is asked for its columns.  As in SQLite, a compound in FROM and a scalar subquery are seen through
their last arm, the statement itself through its first.

Source: https://www.sqlite.org/c3ref/column_decltype.html.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minisql.parser import ast
from minisql.planner.nodes import SourceColumn
from minisql.planner.scope import ROWID

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block, BoundSelect
    from minisql.planner.scope import Scope, Source

Binder = Callable[["Compiler", ast.Select, "Scope | None"], "BoundSelect"]
Origin = tuple[str, str, str, str]
"""(schema, table, column, declared type; "" for a column without one)."""


def origin_of(compiler: Compiler, expression: ast.Expression, scope: Scope, bind: Binder | None) -> Origin | None:
    """The origin of an expression that is a table's column, else None; without `bind` scalar subqueries have none."""
    while True:
        position = 0
        if isinstance(expression, ast.ScalarSubquery):
            if bind is None:
                return None
            block: Block | None = bind(compiler, expression.select, scope).blocks[-1]
        else:
            if isinstance(expression, ast.Column):
                found = compiler.resolve(expression, scope)
                if found is None:
                    return None
                source, position = found
            elif isinstance(expression, SourceColumn):
                source, position = expression.source, expression.position
            else:
                return None
            if source.expressions is not None:
                expression = source.expressions[position]
                assert source.inner is not None, "a source of expressions has a scope"
                scope = source.inner
                continue
            block = source.select.blocks[-1] if source.select is not None else None
            if block is None:
                return _origin_in_table(source, position)
        assert block is not None, "a source without a block has been answered"
        if position < 0 or block.core is None or position >= len(block.results):
            return None
        expression, scope = block.results[position].expression, block.scope


def _origin_in_table(source: Source, position: int) -> Origin | None:
    table = source.table
    if table is None:
        declared = source.columns[position].declared_type if 0 <= position < len(source.columns) else ""
        return ("", "", "", declared) if declared else None
    if position == ROWID:
        position = table.rowid_alias
        if position < 0:
            return table.schema_name, table.name, "rowid", "INTEGER"
    column = table.columns[position]
    return table.schema_name, table.name, column.name, column.declared_type
