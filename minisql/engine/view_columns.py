"""Columns of tables as PRAGMAs describe them: a view's come from compiling it, a virtual table's from its module.

Source: https://www.sqlite.org/pragma.html#pragma_table_info.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.catalog.schema import Column, Table
from minisql.engine.checking import quoted
from minisql.values.affinity import affinity_of_type

if TYPE_CHECKING:
    from minisql.engine.session import Session


def described_columns(session: Session, table: Table) -> list[Column]:
    """The columns of a table or view."""
    if table.view is None:
        return table.columns
    program = session.compile(f"SELECT * FROM {quoted(table.schema_name)}.{quoted(table.name)}")
    columns = []
    for position, name in enumerate(program.column_names):
        origin = program.column_origins[position] if position < len(program.column_origins) else None
        declared_type = origin[3] if origin is not None else ""
        columns.append(Column(name, declared_type or "", affinity_of_type(declared_type or "")))
    return columns


def connect_table(session: Session, table: Table) -> None:
    """Makes a virtual table's module declare its columns, if that has not been done."""
    if table.module is not None and table.module_instance is None:
        session.connect_virtual_table(table)
