"""The services that programs call by name (opcodes HostCall and HostRows): the names, and who serves them.

`call` services return one value, `rows` services an iterable of row tuples.  Constants stand in the program, arguments are
register values.

    call                      constants                                   arguments
    attach                    ()                                          [file, name, key]
    detach                    ()                                          [name]
    vacuum                    (database or -1, )                          [] or [file] for INTO
    analyze                   (schema name or None, name or None)         []
    reindex                   (schema name or None, name or None)         []
    read_cookie               (database, header field)                    []
    create_virtual_table      (database, name, module, arguments)         []
    destroy_virtual_table     (database, name)                            []

    rows                      constants                                   arguments
    pragma                    (schema name or None, name, value or None)  []      PRAGMA as a statement
    pragma_table              (pragma name,)                              [value or None, schema or None]   pragma_x(...)

`pragma_columns` tells the planner nothing at run time: result column names of a PRAGMA come from `engine.pragma_table`,
which the planner reaches through `PlanContext.pragma_columns(name, has_value)`.

Source: https://www.sqlite.org/pragma.html, lang_attach.html, lang_vacuum.html, lang_analyze.html, lang_reindex.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from minisql.engine import pragmas_check, pragmas_schema, pragmas_settings, pragmas_storage
from minisql.engine.analyze import analyze
from minisql.engine.attach import attach, detach
from minisql.engine.pragma_table import PRAGMAS
from minisql.engine.reindex import reindex
from minisql.engine.vacuum import vacuum
from minisql.errors import ERROR, sqlite_error

if TYPE_CHECKING:
    from minisql.engine.session import Session

Rows = Iterable[tuple[Any, ...]]

# Importing these modules fills PRAGMAS.
PRAGMA_MODULES = (pragmas_check, pragmas_schema, pragmas_settings, pragmas_storage)


def serve_pragma(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> Rows:
    """A PRAGMA statement."""
    schema, name, value = constants
    database = None if schema is None else session.catalog.schema_position(schema)
    return PRAGMAS[name].serve(session, database, value)


def serve_pragma_table(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> Rows:
    """A table-valued function pragma_x(value, schema)."""
    value, schema = (*arguments, None, None)[:2]
    database = None
    if schema is not None:
        database = session.catalog.schema_position(str(schema))
        if database < 0:
            raise sqlite_error(ERROR, f"unknown database {schema}")
    return PRAGMAS[constants[0]].serve(session, database, None if value is None else str(value))


def _read_cookie(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> int:
    database, field = constants
    btree = session.btrees[database]
    assert btree is not None
    return int(btree.get_meta(field))


CALLS: dict[str, Callable[[Session, tuple[Any, ...], list[Any]], Any]] = {
    "attach": attach,
    "detach": detach,
    "vacuum": vacuum,
    "analyze": analyze,
    "reindex": reindex,
    "read_cookie": _read_cookie,
}

ROWS: dict[str, Callable[[Session, tuple[Any, ...], list[Any]], Rows]] = {
    "pragma": serve_pragma,
    "pragma_table": serve_pragma_table,
}
