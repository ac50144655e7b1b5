"""Asking the authorizer: action codes, the refusal, and the events of the statements that write.

The authorizer is asked while a statement is compiled, with the action, two arguments, the database and the trigger or view in
whose name it happens.  DENY fails the statement, IGNORE lets the one action go without effect.

Source: https://www.sqlite.org/c3ref/set_authorizer.html, https://www.sqlite.org/c3ref/c_alter_table.html.
"""

from __future__ import annotations

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


def allows_create(compiler: Compiler, kind: str, name: str, table: str | None, database: int, schema: str) -> bool:
    """The events of CREATE TABLE, INDEX, VIEW and TRIGGER."""
    if compiler.context.authorizer is None:
        return True
    action = _CREATES[kind][database == _TEMP]
    if kind == "trigger":
        return allows(compiler, action, name, table, schema) and allows(
            compiler, INSERT, _schema_table(database), None, schema
        )
    return allows(compiler, INSERT, _schema_table(database), None, schema) and allows(compiler, action, name, table, schema)


def allows_drop(compiler: Compiler, kind: str, name: str, table: Table | None, database: int, schema: str) -> bool:
    """The events of DROP TABLE, INDEX, VIEW and TRIGGER; `table` is the one an index or trigger belongs to."""
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
    if not allows(compiler, action, name, second, schema):
        return False
    return kind == "index" or allows(compiler, DELETE, name, None, schema)
