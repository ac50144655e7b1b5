"""Columns of tables as PRAGMAs describe them: a view's come from compiling it, a virtual table's from its module.

Source: https://www.sqlite.org/pragma.html#pragma_table_info.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.catalog.schema import Column, Table
from minisql.planner.binding import bind_view, view_columns
from minisql.planner.compiler import Compiler
from minisql.values.affinity import BLOB, FLEXNUM, INTEGER, NUMERIC, REAL, TEXT, affinity_of_type

if TYPE_CHECKING:
    from minisql.engine.session import Session

# What SQLite shows for an expression's affinity.
_TYPE_BY_AFFINITY = {BLOB: "BLOB", TEXT: "TEXT", NUMERIC: "NUM", FLEXNUM: "NUM", INTEGER: "INT", REAL: "REAL"}


def described_columns(session: Session, table: Table) -> list[Column]:
    """The columns of a table or view."""
    if table.view is None:
        return table.columns
    compiler = Compiler(session, None)
    compiler.authorized = None
    columns = []
    for column in view_columns(table, bind_view(compiler, table)):
        declared_type = column.declared_type
        if not declared_type or affinity_of_type(declared_type) != column.affinity:
            declared_type = _TYPE_BY_AFFINITY.get(column.affinity, "")
        columns.append(Column(column.name, declared_type, column.affinity))
    return columns


def connect_table(session: Session, table: Table) -> None:
    """Makes a virtual table's module declare its columns, if that has not been done."""
    if table.module is not None and table.module_instance is None:
        session.connect_virtual_table(table)
