"""Asking the authorizer: action codes, the refusal, and the events of the statements that write.

The authorizer is asked while a statement is compiled, with the action, two arguments, the database and the trigger or view in
whose name it happens.  DENY fails the statement, IGNORE lets the one action go without effect.

Source: https://www.sqlite.org/c3ref/set_authorizer.html, https://www.sqlite.org/c3ref/c_alter_table.html.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from minisql.errors import AUTH, sqlite_error

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler

CREATE_INDEX = 1
CREATE_TABLE = 2
CREATE_TEMP_INDEX = 3
CREATE_TEMP_TABLE = 4
CREATE_TEMP_TRIGGER = 5
CREATE_TEMP_VIEW = 6
CREATE_TRIGGER = 7
CREATE_VIEW = 8
DELETE = 9
DROP_INDEX = 10
DROP_TABLE = 11
DROP_TEMP_INDEX = 12
DROP_TEMP_TABLE = 13
DROP_TEMP_TRIGGER = 14
DROP_TEMP_VIEW = 15
DROP_TRIGGER = 16
DROP_VIEW = 17
INSERT = 18
PRAGMA = 19
READ = 20
SELECT = 21
TRANSACTION = 22
UPDATE = 23
ATTACH = 24
DETACH = 25
ALTER_TABLE = 26
REINDEX = 27
ANALYZE = 28
CREATE_VTABLE = 29
DROP_VTABLE = 30
FUNCTION = 31
SAVEPOINT = 32

_DENY = 1
# Messages of quick_check that the query behind ADD COLUMN looks for.
_N_PATTERNS = 5
_CREATES = {
    "table": (CREATE_TABLE, CREATE_TEMP_TABLE),
    "index": (CREATE_INDEX, CREATE_TEMP_INDEX),
    "view": (CREATE_VIEW, CREATE_TEMP_VIEW),
    "trigger": (CREATE_TRIGGER, CREATE_TEMP_TRIGGER),
}
_DROPS = {
    "table": (DROP_TABLE, DROP_TEMP_TABLE),
    "index": (DROP_INDEX, DROP_TEMP_INDEX),
    "view": (DROP_VIEW, DROP_TEMP_VIEW),
    "trigger": (DROP_TRIGGER, DROP_TEMP_TRIGGER),
}
_TEMP = 1


def allows(compiler: Compiler, action: int, first: str | None, second: str | None, database: str | None) -> bool:
    """Asks; raises `not authorized` for DENY; False for IGNORE."""
    authorizer = compiler.context.authorizer
    if authorizer is None:
        return True
    answer = authorizer(action, first, second, database, compiler.acting_object)
    if answer == _DENY:
        raise sqlite_error(AUTH, "not authorized")
    return answer == 0


def _schema_table(database: int) -> str:
    return "sqlite_temp_master" if database == _TEMP else "sqlite_master"


def allows_create(
    compiler: Compiler, kind: str, name: str, table: str | None, database: int, schema: str, table_schema: str | None = None
) -> bool:
    """The events of CREATE TABLE, INDEX, VIEW and TRIGGER; `table_schema` is where a trigger's table lives."""
    if compiler.context.authorizer is None:
        return True
    action = _CREATES[kind][database == _TEMP]
    if kind == "trigger":
        home = table_schema or schema
        return allows(compiler, action, name, table, schema) and allows(
            compiler, INSERT, _schema_table(_TEMP if home == "temp" else 0), None, home
        )
    return allows(compiler, INSERT, _schema_table(database), None, schema) and allows(compiler, action, name, table, schema)


# SQLite changes sqlite_schema with statements of its own, of which the authorizer hears as well.


def allows_schema_row(compiler: Compiler, kind: str, name: str, database: int, schema: str) -> None:
    """The events of writing the row of a table, view, index or trigger."""
    if compiler.context.authorizer is None:
        return
    table = _schema_table(database)
    if kind in ("index", "trigger"):
        allows(compiler, INSERT, table, None, schema)
        if kind == "index":
            allows(compiler, REINDEX, name, None, schema)
        return
    for column in ("type", "name", "tbl_name", "rootpage", "sql"):
        allows(compiler, UPDATE, table, column, schema)
    allows(compiler, READ, table, "ROWID", schema)


def allows_constraint_indexes(compiler: Compiler, table: Table) -> None:
    """The events of the indexes that UNIQUE and PRIMARY KEY make."""
    if compiler.context.authorizer is None:
        return
    database, schema = table.schema_index, table.schema_name
    own = [index for index in table.indexes if index.origin != "c"]
    for number, index in enumerate(sorted(own, key=lambda index: (not index.is_clustered, _number(index.name))), 1):
        name = f"sqlite_autoindex_{table.name}_{number}"
        if allows_create(compiler, "index", name, table.name, database, schema):
            for column in index.columns:
                if column.position >= 0:
                    allows(compiler, READ, table.name, table.columns[column.position].name, schema)
        allows(compiler, INSERT, _schema_table(database), None, schema)


def allows_forgetting(compiler: Compiler, table: str, column: str, schema: str) -> None:
    """The events of deleting what sqlite_sequence or a table of statistics says of something that is dropped."""
    if compiler.context.authorizer is not None:
        allows(compiler, DELETE, table, None, schema)
        allows(compiler, READ, table, column, schema)


def allows_refusing_rows(compiler: Compiler, table: Table) -> None:
    """The events of the query that fails if a table has a row."""
    allows(compiler, SELECT, None, None, None)
    allows(compiler, READ, table.name, "", table.schema_name)


def allows_adding_column(compiler: Compiler, table: Table) -> None:
    """The events of the UPDATE that puts a column into the text of a table."""
    if compiler.context.authorizer is None:
        return
    stored, schema = _schema_table(table.schema_index), table.schema_name
    for function, columns in (("printf", ("sql",)), ("substr", ("sql",)), ("length", ()), ("printf", ("sql",))):
        allows(compiler, FUNCTION, None, function, None)
        for column in columns:
            allows(compiler, READ, stored, column, schema)
    allows(compiler, UPDATE, stored, "sql", schema)
    for column in ("type", "name"):
        allows(compiler, READ, stored, column, schema)


def allows_verifying_rows(compiler: Compiler, table: Table) -> None:
    """The events of the query that looks for rows which fail a constraint of a new column."""
    if compiler.context.authorizer is None:
        return
    allows(compiler, SELECT, None, None, None)
    for _pattern in range(_N_PATTERNS):
        allows(compiler, FUNCTION, None, "glob", None)
        allows(compiler, READ, "pragma_quick_check", "quick_check", "main")
    allows(compiler, PRAGMA, "quick_check", table.name, table.schema_name)


def allows_reading(compiler: Compiler, table: Table, names: Iterable[str]) -> None:
    """The events of looking a foreign key up in its parent or child."""
    if compiler.context.authorizer is None:
        return
    for name in names:
        allows(compiler, READ, table.name, name, table.schema_name)


def _number(name: str) -> int:
    last = name.rpartition("_")[2]
    return int(last) if last.isdigit() else 0


def allows_removal(compiler: Compiler, kind: str, n_trees: int, database: int, schema: str) -> None:
    """The events of deleting the rows of what is dropped, and of noting root pages that move."""
    if compiler.context.authorizer is None:
        return
    table = _schema_table(database)
    allows(compiler, DELETE, table, None, schema)
    allows(compiler, READ, table, "name" if kind in ("index", "trigger") else "tbl_name", schema)
    allows(compiler, READ, table, "type", schema)
    for _ in range(n_trees):
        allows(compiler, UPDATE, table, "rootpage", schema)
        allows(compiler, READ, table, "rootpage", schema)


def allows_create_virtual(compiler: Compiler, name: str, module: str, database: int, schema: str) -> bool:
    """The events of CREATE VIRTUAL TABLE."""
    return allows(compiler, INSERT, _schema_table(database), None, schema) and allows(
        compiler, CREATE_VTABLE, name, module, schema
    )


def allows_drop(compiler: Compiler, kind: str, name: str, table: Table | None, database: int, schema: str) -> bool:
    """The events of DROP TABLE, INDEX, VIEW and TRIGGER; `table`: that of an index or trigger, or a virtual one."""
    if compiler.context.authorizer is None:
        return True
    action = _DROPS[kind][database == _TEMP]
    second = table.name if table is not None else None
    if kind == "trigger":
        return allows(compiler, action, name, second, schema) and allows(
            compiler, DELETE, _schema_table(database), None, schema
        )
    if not allows(compiler, DELETE, _schema_table(database), None, schema):
        return False
    if kind == "table" and table is not None and table.module is not None:
        action, second = DROP_VTABLE, table.module
    if not allows(compiler, action, name, second, schema):
        return False
    return kind == "index" or allows(compiler, DELETE, name, None, schema)
