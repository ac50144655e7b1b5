"""Table-valued functions and virtual tables in FROM.

The engine names the tables that exist without CREATE (`PlanContext.eponymous_table`): pragma_* functions, json_each and
other modules.  Such a table is read by one HostRows with the values of its hidden columns as arguments.

Source: https://www.sqlite.org/vtab.html#tabfunc2, https://www.sqlite.org/pragma.html#pragfunc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.access import Access
    from minisql.planner.compiler import Compiler
    from minisql.planner.loops import Nest


def eponymous_table(compiler: Compiler, name: str, schema: str | None) -> Table | None:
    """A table that exists without having been created, None if there is none of that name."""
    return compiler.context.eponymous_table(name) if schema is None or schema.lower() == "main" else None


def prepare_function(compiler: Compiler, access: Access) -> None:
    """Gives the columns of a table-valued function their registers."""
    made = access.input
    source = made.source
    width = len(source.columns)
    made.row_base = compiler.registers(width)
    source.registers = list(range(made.row_base, made.row_base + width))
    source.cursor = compiler.builder.cursor()
    source.has_rowid = False


def open_function(nest: Nest, access: Access) -> None:
    """Starts the scan with the arguments' current values, one for each hidden column (NULL where there is none)."""
    compiler = nest.compiler
    made = access.input
    table = made.table
    assert table is not None, "a function input has a table"
    hidden = [number for number, column in enumerate(made.source.columns) if column.hidden == 1]
    first = compiler.registers(max(len(hidden), 1))
    for place, number in enumerate(hidden):
        if place < len(made.arguments):
            assert made.argument_scope is not None, "arguments come with a scope"
            compiler.emit_expression(made.arguments[place], made.argument_scope, first + place)
            continue
        candidate = next((item for item in access.equal if item.position == number), None)
        if candidate is not None:
            compiler.emit_expression(candidate.value, candidate.scope, first + place)  # type: ignore[arg-type]
        else:
            compiler.emit(op.Null, 0, first + place, 1)
    compiler.is_deterministic = False
    compiler.emit(op.HostRows, first, len(hidden), made.source.cursor, ("table_function", (table.module, len(made.arguments))))
    nest.begin(op.Rewind, made.source.cursor, made.row_base, len(made.source.columns))
