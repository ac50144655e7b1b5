"""Asking the authorizer: action codes, the refusal, and the events of the statements that write.

The authorizer is asked while a statement is compiled, with the action, two arguments, the database and the trigger or view in
whose name it happens.  DENY fails the statement, IGNORE lets the one action go without effect.

Source: https://www.sqlite.org/c3ref/set_authorizer.html, https://www.sqlite.org/c3ref/c_alter_table.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from minisql.errors import AUTH, sqlite_error
from minisql.planner.schema_rows import loaded_schema

if TYPE_CHECKING:
    from minisql.catalog.schema import Index, Table
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

Event = tuple[int, str | None, str | None, str | None]
"""What the authorizer hears: action, two arguments, database."""

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
N_STATISTICS = 4
"""The tables of statistics are sqlite_stat1 and so on."""
_TEMP = 1


def allows(compiler: Compiler, action: int, first: str | None, second: str | None, database: str | None) -> bool:
    """Asks; raises `not authorized` for DENY; False for IGNORE."""
    authorizer = compiler.context.authorizer
    if authorizer is None or compiler.is_renaming:
        return True
    answer = authorizer(action, first, second, database, compiler.acting_object)
    if answer == _DENY:
        text = "not authorized" if action != READ else refused_read(compiler, first, second, database)
        raise sqlite_error(AUTH, text)
    return answer == 0


def refused_read(compiler: Compiler, table: str | None, column: str | None, schema: str | None) -> str:
    """The message for a column that must not be read; it names the database unless that is the only one."""
    has_others = len(compiler.context.catalog.schemas) > _TEMP + 1
    prefix = f"{schema}." if schema != "main" or has_others else ""
    return f"access to {prefix}{table}.{column} is prohibited"


def schema_table(database: int) -> str:
    """What the authorizer calls the schema table of a database."""
    return "sqlite_temp_master" if database == _TEMP else "sqlite_master"


def allows_create(compiler: Compiler, kind: str, name: str, table: str | None, is_temporary: bool, schema: str) -> bool:
    """The events of CREATE TABLE, INDEX and VIEW; `is_temporary`: TEMP is written there, or an index is of a TEMP table."""
    if compiler.context.authorizer is None:
        return True
    stored = schema_table(_TEMP if is_temporary else 0)
    action = _CREATES[kind][is_temporary]
    return allows(compiler, INSERT, stored, None, schema) and allows(compiler, action, name, table, schema)


def allows_create_trigger(compiler: Compiler, name: str, table: Table, says_temporary: bool) -> bool:
    """The events of CREATE TRIGGER; `says_temporary`: TEMP is written there."""
    if compiler.context.authorizer is None:
        return True
    home = table.schema_name
    is_home_temporary = table.schema_index == _TEMP
    action = _CREATES["trigger"][is_home_temporary or says_temporary]
    return allows(compiler, action, name, table.name, "temp" if says_temporary else home) and allows(
        compiler, INSERT, schema_table(table.schema_index), None, home
    )


# SQLite changes sqlite_schema with statements of its own, of which the authorizer hears as well.


def allows_schema_row(compiler: Compiler, kind: str, name: str, database: int, schema: str) -> None:
    """The events of writing the row of a table, view, index or trigger."""
    if compiler.context.authorizer is None:
        return
    table = schema_table(database)
    if kind in ("index", "trigger"):
        allows(compiler, INSERT, table, None, schema)
        if kind == "index":
            allows(compiler, REINDEX, name, None, schema)
        return
    for event in _row_events(table, schema):
        allows(compiler, *event)


def _row_events(table: str, schema: str) -> Iterator[Event]:
    for column in ("type", "name", "tbl_name", "rootpage", "sql"):
        yield UPDATE, table, column, schema
    yield READ, table, "ROWID", schema


def allows_inner_table(compiler: Compiler, name: str, database: int, schema: str) -> None:
    """The events of a table that SQLite makes with a statement of its own, such as sqlite_sequence."""
    if compiler.context.authorizer is not None:
        for event in inner_table_events(name, database, schema):
            allows(compiler, *event)


def inner_table_events(name: str, database: int, schema: str) -> Iterator[Event]:
    """What `allows_inner_table` asks about."""
    yield INSERT, schema_table(0), None, schema
    yield CREATE_TABLE, name, None, schema
    yield from _row_events(schema_table(database), schema)


def allows_constraint_indexes(compiler: Compiler, table: Table) -> None:
    """The events of the indexes that UNIQUE and PRIMARY KEY make."""
    if compiler.context.authorizer is None:
        return
    database, schema = table.schema_index, table.schema_name
    own = [index for index in table.indexes if index.origin != "c"]
    for number, index in enumerate(sorted(own, key=lambda index: (not index.is_clustered, _number(index.name))), 1):
        name = f"sqlite_autoindex_{table.name}_{number}"
        if allows_create(compiler, "index", name, table.name, database == _TEMP, schema):
            for column in index.columns:
                if column.position >= 0:
                    allows(compiler, READ, table.name, table.columns[column.position].name, schema)
        allows(compiler, INSERT, schema_table(database), None, schema)


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
    stored, schema = schema_table(table.schema_index), table.schema_name
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
    table = schema_table(database)
    allows(compiler, DELETE, table, None, schema)
    allows(compiler, READ, table, "name" if kind in ("index", "trigger") else "tbl_name", schema)
    allows(compiler, READ, table, "type", schema)
    for _ in range(n_trees):
        _allows_moved_root(compiler, table, schema)


def allows_index_removal(compiler: Compiler, index: Index) -> None:
    """The events of deleting the row of an index and what the statistics say of it, and of noting a root page that moves."""
    if compiler.context.authorizer is None:
        return
    database, schema = index.schema_index, index.table.schema_name
    allows_removal(compiler, "index", 0, database, schema)
    tables = loaded_schema(compiler.context.catalog, database).tables
    for number in range(1, N_STATISTICS + 1):
        if f"sqlite_stat{number}" in tables:
            allows_forgetting(compiler, f"sqlite_stat{number}", "idx", schema)
    _allows_moved_root(compiler, schema_table(database), schema)


def _allows_moved_root(compiler: Compiler, table: str, schema: str) -> None:
    allows(compiler, UPDATE, table, "rootpage", schema)
    allows(compiler, READ, table, "rootpage", schema)


def allows_create_virtual(compiler: Compiler, name: str, module: str, database: int, schema: str) -> bool:
    """The events of CREATE VIRTUAL TABLE."""
    return allows(compiler, INSERT, schema_table(0), None, schema) and allows(
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
            compiler, DELETE, schema_table(database), None, schema
        )
    if not allows(compiler, DELETE, schema_table(database), None, schema):
        return False
    if kind == "table" and table is not None and table.module is not None:
        action, second = DROP_VTABLE, table.module
    if not allows(compiler, action, name, second, schema):
        return False
    return kind == "index" or allows(compiler, DELETE, name, None, schema)
