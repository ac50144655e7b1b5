"""Reading sqlite_schema into the catalog, whole or object by object.

A schema is read at the first statement that looks a name up, read again when its cookie has moved under another
connection's hands, and brought up to date object by object after this connection's own DDL.

Source: https://www.sqlite.org/schematab.html, https://www.sqlite.org/fileformat2.html section 2.6.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from minisql.catalog.build import (
    build_index,
    build_table,
    build_trigger,
    build_view,
    build_virtual_table,
    builtin_schema_table,
    insert_index,
    malformed_schema,
)
from minisql.catalog.schema import Catalog, Index, Schema, Table, Trigger
from minisql.catalog.statistics import apply_statistics
from minisql.engine.virtual_transactions import disconnect
from minisql.errors import CORRUPT, ERROR, NOMEM, Error, sqlite_error
from minisql.limits import DEFAULTS
from minisql.parser import Parsed, ast, parse_one
from minisql.values.collation import fold_ascii
from minisql.values.shape import RowShape
from minisql.values.storage_class import UTF8

if TYPE_CHECKING:
    from minisql.engine.session import Session
    from minisql.storage.btree import BtreeFile

SCHEMA_SHAPE = RowShape(5)
_CREATE_STATEMENTS = (ast.CreateTable, ast.CreateIndex, ast.CreateView, ast.CreateVirtualTable, ast.CreateTrigger)
_COOKIE, _FILE_FORMAT, _ENCODING = 1, 2, 5
_NEWEST_FILE_FORMAT = 4
_ENCODING_NAMES = {1: "utf-8", 2: "utf-16le", 3: "utf-16be"}


def load_schema(session: Session, database: int) -> None:
    """Reads the whole schema of a database; it is loaded or unchanged afterwards.

    Raises `malformed database schema (x) - ...`, `file is not a database`, or the errors of reading.
    """
    btree = session.btrees[database]
    schema = session.catalog.schemas[database]
    assert btree is not None and schema is not None
    was_idle = session.transaction_states[database] == 0
    if was_idle:
        btree.begin_read()
    connected = [table for table in schema.tables.values() if table.module_instance is not None]
    try:
        _read_schema(session, database, schema)
        for old in connected:
            _keep_connected(schema, old)
    except BaseException:
        forget_objects(session, schema)
        raise
    finally:
        if was_idle:
            btree.end_read()


def _keep_connected(schema: Schema, old: Table) -> None:
    """A virtual table that is still there stays connected; one that is gone hears of it."""
    new = schema.tables.get(old.name.lower())
    if new is None or new.sql != old.sql:
        disconnect(old)
        return
    new.module_instance, old.module_instance = old.module_instance, None
    new.columns, new.column_positions = old.columns, old.column_positions
    new.is_without_rowid, new.primary_key = old.is_without_rowid, old.primary_key


def write_formats(btree: BtreeFile, schema: Schema, encoding: int) -> None:
    """Writes schema format and text encoding into the header of a database that gets its first schema object.

    A reader takes format 0 for 1, in which DESC in an index means nothing: such an index would be corrupt for it.
    """
    if not btree.get_meta(_FILE_FORMAT):
        btree.set_meta(_FILE_FORMAT, _NEWEST_FILE_FORMAT)
        btree.set_meta(_ENCODING, encoding)
        schema.file_format = _NEWEST_FILE_FORMAT


def forget_objects(session: Session, schema: Schema) -> None:
    """Empties a schema; triggers of other databases on its tables go with them."""
    schema.tables = {}
    schema.indexes = {}
    schema.triggers = {}
    schema.is_loaded = False


def _read_schema(session: Session, database: int, schema: Schema) -> None:
    btree = session.btrees[database]
    assert btree is not None
    schema.cookie = btree.get_meta(_COOKIE)
    encoding = btree.get_meta(_ENCODING) & 3 or UTF8
    if database == 0:
        session.set_encoding(encoding)
    elif not btree.n_pages:
        # A database in which nothing was created yet takes the main database's encoding.
        encoding = session.encoding
        if btree.encoding != _ENCODING_NAMES[encoding]:
            btree.encoding = _ENCODING_NAMES[encoding]
    elif encoding != session.encoding:
        raise sqlite_error(ERROR, "attached databases must use the same text encoding as main database")
    schema.encoding = _ENCODING_NAMES.get(encoding, "utf-8")
    schema.file_format = btree.get_meta(_FILE_FORMAT) or 1
    if schema.file_format > _NEWEST_FILE_FORMAT:
        raise sqlite_error(ERROR, "unsupported file format")
    schema.tables = {}
    schema.indexes = {}
    schema.triggers = {}
    add_builtin_table(session, database, schema)
    rows = read_rows(session, database) if btree.n_pages else []
    for kind, name, table_name, root_page, sql in rows:
        if not session.flags.get("writable_schema"):
            _refuse_second(schema, kind, name, sql)
        add_object(session, schema, database, kind, name, table_name, root_page, sql)
    schema.is_loaded = True
    attach_triggers(session)
    if rows:
        apply_statistics(schema, statistics_rows(session, database, schema))


def _refuse_second(schema: Schema, kind: Any, name: Any, sql: Any) -> None:
    """Raises an error for the second object of a name in a damaged sqlite_schema."""
    if not isinstance(name, str) or not isinstance(sql, str) or sql[:2].lower() != "cr":
        return
    lowered = name.lower()
    table = schema.tables.get(lowered)
    if kind in ("table", "view") and table is not None:
        raise malformed_schema(name, f"{'view' if table.view is not None else 'table'} {name} already exists", CORRUPT)
    if (kind == "index" and lowered in schema.indexes) or (kind == "trigger" and lowered in schema.triggers):
        raise malformed_schema(name, f"{kind} {name} already exists", CORRUPT)


def add_builtin_table(session: Session, database: int, schema: Schema) -> None:
    """Enters sqlite_schema itself, under its names of old as well."""
    table = builtin_schema_table(database, schema.name)
    names = ("sqlite_master", "sqlite_schema") if database != 1 else ("sqlite_temp_master", "sqlite_temp_schema")
    for name in names:
        schema.tables[name] = table


def read_rows(session: Session, database: int, root_page: int = 1, shape: Any = SCHEMA_SHAPE) -> list[tuple[Any, ...]]:
    """All rows of a table by its root page."""
    btree = session.btrees[database]
    assert btree is not None
    cursor = btree.table_cursor(root_page, shape, False)
    rows = []
    row = cursor.first()
    while row is not None:
        rows.append(row)
        row = cursor.next()
    return rows


def add_object(
    session: Session, schema: Schema, database: int, kind: Any, name: Any, table_name: Any, root_page: Any, sql: Any
) -> None:
    """Enters one row of sqlite_schema into a schema."""
    text_name = name if isinstance(name, str) else "?"
    is_trusting = session.flags.get("writable_schema")
    if root_page is None and not is_trusting:
        raise malformed_schema(text_name, None, CORRUPT)
    btree = session.btrees[database]
    root_page = _unsigned(root_page)
    if (root_page is None or (btree is not None and root_page > btree.n_pages > 0)) and not is_trusting:
        raise malformed_schema(text_name, "invalid rootpage", CORRUPT)
    if isinstance(sql, str) and sql[:2].lower() == "cr":
        try:
            _add_parsed(session, schema, database, root_page or 0, sql, None if is_trusting else (kind, name, table_name))
        except Error as error:
            if error.sqlite_errorcode == NOMEM or session.flags.get("writable_schema"):
                if error.sqlite_errorcode == NOMEM:
                    raise
                return
            raise malformed_schema(text_name, error, ERROR if error.sqlite_errorcode & 0xFF == ERROR else CORRUPT) from error
    elif not isinstance(name, str) or (isinstance(sql, str) and sql):
        if not session.flags.get("writable_schema"):
            raise malformed_schema(text_name, None, CORRUPT)
    else:
        index = schema.indexes.get(name.lower())
        if index is None:
            if not session.flags.get("writable_schema"):
                raise malformed_schema(text_name, "orphan index", CORRUPT)
            return
        others = [one.root_page for one in index.table.indexes if one is not index]
        if (not root_page or root_page < 2 or root_page in others) and not session.flags.get("writable_schema"):
            raise malformed_schema(text_name, "invalid rootpage", CORRUPT)
        index.root_page = root_page or 0


def _unsigned(value: Any) -> int | None:
    """A number as SQLite reads it out of its text: digits only, None for everything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and value >= 0 else None


def _require_names(statement: Any, told: tuple[Any, Any, Any], root_page: int) -> None:
    """The first three columns of a row of sqlite_schema must say what its SQL says, and the root page be a possible one."""
    if isinstance(statement, ast.CreateTrigger):
        names = "trigger", statement.name, statement.table.name
    elif isinstance(statement, ast.CreateIndex):
        names = "index", statement.name, statement.table
    else:
        kind = "view" if isinstance(statement, ast.CreateView) else "table"
        names = kind, statement.name, statement.name
    for wanted, found in zip(names, told):
        if not isinstance(found, str) or fold_ascii(found) != fold_ascii(wanted):
            raise sqlite_error(ERROR, "")
    is_wrong = root_page != 0 if isinstance(statement, ast.CreateView) else root_page == 1
    if is_wrong and not isinstance(statement, ast.CreateIndex | ast.CreateTrigger):
        raise sqlite_error(ERROR, "")


@lru_cache(maxsize=256)
def _parsed(sql: str) -> Parsed | None:
    """Parses a definition once for all connections of the process (benchmark open_and_query); nothing changes its tree."""
    return parse_one(sql)[0]


_HAS_EXPRESSION = re.compile(
    r"check|default|generated|\bas\b|where|trigger|view|virtual|\([^)]*\(\D|[^\w\s(),.\"`\[\]]", re.IGNORECASE
)
"""What a definition has when it may hold an expression: those are parsed anew for each connection."""


@lru_cache(maxsize=256)
def _may_hold_expression(sql: str) -> bool:
    """Looks for an expression once for all connections: the search takes longer than building a small table."""
    return _HAS_EXPRESSION.search(sql) is not None


def _add_parsed(
    session: Session, schema: Schema, database: int, root_page: int, sql: str, told: tuple[Any, Any, Any] | None
) -> None:
    is_plain = session.limits is DEFAULTS and not _may_hold_expression(sql)
    parsed = _parsed(sql) if is_plain else parse_one(sql, 0, session.limits)[0]
    statement = parsed.statement if parsed is not None else None
    if told is not None and isinstance(statement, _CREATE_STATEMENTS):
        _require_names(statement, told, root_page)
    collation = session.find_collation
    if isinstance(statement, ast.CreateTable):
        table = build_table(statement, database, schema.name, collation, root_page, sql, True, session.limits[2])
        enter_table(schema, table)
    elif isinstance(statement, ast.CreateIndex):
        owner = schema.tables.get(statement.table.lower())
        if owner is None:
            raise sqlite_error(ERROR, f"no such table: {schema.name}.{statement.table}")
        index = build_index(statement, owner, collation, root_page, sql, True)
        insert_index(owner, index)
        schema.indexes[index.name.lower()] = index
    elif isinstance(statement, ast.CreateView):
        enter_table(schema, build_view(statement, database, schema.name, sql))
    elif isinstance(statement, ast.CreateVirtualTable):
        enter_table(schema, build_virtual_table(statement, database, schema.name, sql))
    elif isinstance(statement, ast.CreateTrigger):
        trigger = build_trigger(statement, database, sql)
        schema.triggers[trigger.name.lower()] = trigger


def enter_table(schema: Schema, table: Table) -> None:
    """Enters a table and its automatic indexes."""
    schema.tables[table.name.lower()] = table
    for index in table.indexes:
        schema.indexes[index.name.lower()] = index


def attach_triggers(session: Session) -> None:
    """Gives every table the list of its triggers, in SQLite's order: TEMP ones first, else newest first."""
    catalog = session.catalog
    for schema in catalog.schemas:
        if schema is not None:
            for table in schema.tables.values():
                if table.triggers:
                    table.triggers = []
    for position in (*range(len(catalog.schemas) - 1, 1, -1), 0, 1):
        schema = catalog.schemas[position] if position < len(catalog.schemas) else None
        if schema is None:
            continue
        for trigger in schema.triggers.values():
            owner_schema = trigger.statement.table.schema
            if position == 1:
                watched = _watched_by_temp(catalog, trigger, owner_schema)
            else:
                watched = schema.tables.get(trigger.table_name.lower())
            if watched is not None:
                watched.triggers.insert(0, trigger)


def _watched_by_temp(catalog: Catalog, trigger: Trigger, owner_schema: str | None) -> Table | None:
    """The table that a TEMP trigger watches: found once by the usual search, it stays the same while it exists."""
    lowered = trigger.table_name.lower()
    known = trigger.watched_database
    schema = catalog.schemas[known] if 0 <= known < len(catalog.schemas) else None
    watched = schema.tables.get(lowered) if schema is not None else None
    if watched is None:
        watched = catalog.find_table(trigger.table_name, owner_schema)
        trigger.watched_database = watched.schema_index if watched is not None else -1
    return watched


def statistics_rows(session: Session, database: int, schema: Schema) -> list[tuple[Any, ...]]:
    """The rows (table, index, statistics) of sqlite_stat1, or none."""
    table = schema.tables.get("sqlite_stat1")
    if table is None or table.shape is None or len(table.columns) < 3:
        return []
    return [row[:3] for row in read_rows(session, database, table.root_page, table.shape)]


_DROPS_WITH_ROOT = frozenset(("drop table", "drop index"))


def apply_objects(session: Session, database: int, objects: Sequence[tuple[Any, ...]]) -> None:
    """Brings a schema up to date after DDL: objects are rows of sqlite_schema just written, or ("drop table", name, ...)."""
    schema = session.catalog.schemas[database]
    btree = session.btrees[database]
    assert schema is not None and btree is not None
    if btree.auto_vacuum and any(kind in _DROPS_WITH_ROOT for kind, *_rest in objects):
        # The last root page has moved into the gap, whosever it is.
        load_schema(session, database)
        return
    for kind, name, table_name, root_page, sql in objects:
        if kind.startswith("drop "):
            _drop_object(schema, kind[5:], name)
        else:
            add_object(session, schema, database, kind, name, table_name, root_page, sql)
    has_triggers = any(other.triggers for other in session.catalog.schemas if other is not None)
    # Most databases have no triggers, and then there is no need to walk all tables.
    if has_triggers or any(kind.endswith("trigger") for kind, *_rest in objects):
        attach_triggers(session)


def _drop_object(schema: Schema, kind: str, name: str) -> None:
    lowered = name.lower()
    if kind in ("table", "view"):
        table = schema.tables.pop(lowered, None)
        if table is not None:
            for index in table.indexes:
                schema.indexes.pop(index.name.lower(), None)
    elif kind == "index":
        dropped: Index | None = schema.indexes.pop(lowered, None)
        if dropped is not None:
            dropped.table.indexes.remove(dropped)
    elif kind == "trigger":
        schema.triggers.pop(lowered, None)
