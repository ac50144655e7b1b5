"""Table-valued functions and virtual tables in FROM.

The engine names the tables that exist without CREATE (`PlanContext.eponymous_table`): pragma_* functions, json_each and
other modules.  A table whose `module_instance` is a service name is read by one HostRows with the values of its hidden
columns as arguments.

Source: https://www.sqlite.org/vtab.html#tabfunc2, https://www.sqlite.org/pragma.html#pragfunc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.access import Access
    from minisql.planner.binding import Input
    from minisql.planner.compiler import Compiler
    from minisql.planner.loops import Nest


def eponymous_table(compiler: Compiler, name: str, schema: str | None) -> Table | None:
    """A table that exists without having been created, None if there is none of that name."""
    finder = getattr(compiler.context, "eponymous_table", None)
    return finder(name) if finder is not None and schema is None else None


def prepare_function(compiler: Compiler, access: Access) -> None:
    """Gives the columns of a table-valued function their registers."""
    made = access.input
    source = made.source
    width = len(source.columns)
    made.row_base = compiler.registers(width)
    source.registers = list(range(made.row_base, made.row_base + width))
    source.cursor = compiler.builder.cursor()
    source.has_rowid = False


def open_function(nest: Nest, made: Input) -> None:
    """Starts the scan with the arguments' current values."""
    compiler = nest.compiler
    table = made.table
    assert table is not None, "a function input has a table"
    arguments = [compiler.emit_expression(argument, nest_scope(made)) for argument in made.arguments]
    first = compiler.registers(len(arguments)) if arguments else 0
    for number, register in enumerate(arguments):
        compiler.emit(op.SCopy, register, first + number)
    compiler.emit(op.HostRows, first, len(arguments), made.source.cursor, table.module_instance)
    nest.begin(op.Rewind, made.source.cursor, made.row_base, len(made.source.columns))


def nest_scope(made: Input) -> object:
    """The scope in which the arguments of a table-valued function are read."""
    return made.on_scope
