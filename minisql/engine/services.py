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
    rename_virtual_table      (database, name, new name)                  []

    rows                      constants                                   arguments
    pragma                    (schema name or None, name, value or None)  []      PRAGMA as a statement
    virtual_rows              (database, name, eponymous, number, string, columns)   [constraint values]   a scan

The statement form of PRAGMA is compiled by `engine.pragma_compile`.

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
from minisql.engine.virtual_tables import (
    create_virtual_table,
    destroy_virtual_table,
    rename_virtual_table,
    virtual_rows,
)

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


def _read_cookie(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> int:
    database, field = constants
    btree = session.btrees[database]
    assert btree is not None
    return int(btree.get_meta(field))


def _trace(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    session.repeat_trace()


CALLS: dict[str, Callable[[Session, tuple[Any, ...], list[Any]], Any]] = {
    "attach": attach,
    "detach": detach,
    "vacuum": vacuum,
    "analyze": analyze,
    "reindex": reindex,
    "create_virtual_table": create_virtual_table,
    "destroy_virtual_table": destroy_virtual_table,
    "rename_virtual_table": rename_virtual_table,
    "read_cookie": _read_cookie,
    "trace": _trace,
}

ROWS: dict[str, Callable[[Session, tuple[Any, ...], list[Any]], Rows]] = {
    "pragma": serve_pragma,
    "virtual_rows": virtual_rows,
}
