"""Table-valued functions: tables that exist by name alone, with hidden columns for their arguments.

Every PRAGMA with a result is one (`pragma_table_info('t')`), and the functions room may bring others.

Source: https://www.sqlite.org/pragma.html#pragfunc, https://www.sqlite.org/vtab.html#tabfunc2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from minisql.catalog.schema import Column, Table
from minisql.engine import dbstat
from minisql.engine.pragma_table import PRAGMAS
from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import TABLE_FUNCTIONS, table_function_rows
from minisql.values.affinity import BLOB
from minisql.values.cast import to_text

if TYPE_CHECKING:
    from minisql.engine.session import Session

_PREFIX = "pragma_"
_HIDDEN = 1


def eponymous_table(session: Session, name: str) -> Table | None:
    """The table of a table-valued function, or None."""
    lowered = name.lower()
    table = session.eponymous_tables.get(lowered)
    if table is None and lowered.startswith(_PREFIX):
        entry = PRAGMAS.get(lowered[len(_PREFIX) :])
        if entry is not None and entry.is_function:
            table = session.eponymous_tables[lowered] = make_table(lowered, entry.columns, ("arg", "schema"))
    elif table is None and lowered == "dbstat":
        table = session.eponymous_tables[lowered] = make_table(lowered, dbstat.COLUMNS, dbstat.ARGUMENTS)
    elif table is None and lowered in TABLE_FUNCTIONS:
        table = session.eponymous_tables[lowered] = make_table(lowered, *TABLE_FUNCTIONS[lowered])
    return table


def make_table(name: str, columns: Sequence[str], arguments: Sequence[str]) -> Table:
    """A table of module `name` with visible columns and hidden ones for the arguments."""
    table = Table(name, 0, "main")
    table.module = name
    for column_name in (*columns, *arguments):
        column = Column(column_name, "", BLOB)
        table.column_positions.setdefault(column_name.lower(), len(table.columns))
        table.columns.append(column)
    for column in table.columns[len(columns) :]:
        column.hidden = _HIDDEN
    return table


def serve_table_function(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> Iterable[tuple[Any, ...]]:
    """The rows of a table-valued function for the values of its hidden columns; `constants`: its name, how many were given."""
    name, n_given = constants
    if name in TABLE_FUNCTIONS:
        return [(*row, *arguments) for row in table_function_rows(name, arguments, n_given)]
    if name == "dbstat":
        return [(*row, *arguments) for row in dbstat.dbstat_rows(session, *arguments)]
    entry = PRAGMAS[name[len(_PREFIX) :]]
    value, schema = arguments
    database = None
    if schema is not None:
        database = session.catalog.schema_position(to_text(schema))
        if database < 0:
            raise sqlite_error(ERROR, f"unknown database '{to_text(schema)}'")
    rows = entry.serve(session, database, None if value is None else to_text(value))
    return [(*row, value, schema) for row in rows]
