"""Views as targets of INSTEAD OF triggers: a stand-in table with the view's columns, which nothing is ever written to.

Source: https://www.sqlite.org/lang_createtrigger.html section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.catalog.schema import Table
from minisql.planner.binding import bind_view, positions_of, view_columns
from minisql.planner.compound_columns import type_of_column

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler


def view_as_table(compiler: Compiler, view: Table) -> Table:
    """A table object with the columns that the view has."""
    # The authorizer does not hear of it.
    known, compiler.authorized = compiler.authorized, None
    columns = view_columns(view, bind_view(compiler, view))
    compiler.authorized = known
    for column in columns:
        column.declared_type = type_of_column(column.declared_type, column.affinity)
    stand_in = Table(view.name, view.schema_index, view.schema_name)
    stand_in.columns = columns
    stand_in.column_positions = positions_of(columns)
    stand_in.storage_columns = list(range(len(columns)))
    stand_in.view = view.view
    stand_in.triggers = view.triggers
    return stand_in
