"""PRAGMAs that describe the schema: tables, columns, indexes, foreign keys, databases, collations, functions.

Source: https://www.sqlite.org/pragma.html.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from minisql.catalog.hash_order import tables_in_walk_order
from minisql.catalog.schema import Index, Table
from minisql.engine.pragma_table import PRAGMAS, Rows, pragma
from minisql.engine.view_columns import connect_table, described_columns
from minisql.functions.registry import AggregateFunction, ScalarFunction, WindowFunction
from minisql.functions.scalar import COMPILE_OPTIONS

if TYPE_CHECKING:
    from minisql.engine.session import Session

_MAX_ROW_WIDTH = 1000


def find_table(session: Session, database: int | None, name: str | None) -> Table | None:
    """The table or view a PRAGMA names, in the named database or in the usual search order."""
    if name is None:
        return None
    table = session.catalog.find_table(name, None if database is None else schema_name(session, database))
    if table is not None:
        connect_table(session, table)
        return table
    return session.eponymous_table(name)


def schema_name(session: Session, database: int) -> str:
    """The name of a database."""
    schema = session.catalog.schemas[database]
    assert schema is not None
    return schema.name


@pragma("table_info", "cid name type notnull dflt_value pk")
def table_info(session: Session, database: int | None, value: str | None) -> Rows:
    """The columns of a table or view, without hidden and generated ones."""
    table = find_table(session, database, value)
    if table is None:
        return []
    return [row[:6] for row in _column_rows(session, table, skips_hidden=True)]


@pragma("table_xinfo", "cid name type notnull dflt_value pk hidden")
def table_xinfo(session: Session, database: int | None, value: str | None) -> Rows:
    """All columns of a table or view."""
    table = find_table(session, database, value)
    return [] if table is None else _column_rows(session, table, skips_hidden=False)


def _column_rows(session: Session, table: Table, skips_hidden: bool) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    keys = _primary_key_positions(table)
    n_hidden = 0
    for position, column in enumerate(described_columns(session, table)):
        if column.hidden and skips_hidden:
            n_hidden += 1
            continue
        default = column.default_text if column.generated is None else None
        key = keys.get(position, 0)
        number = position - n_hidden
        rows.append((number, column.name, column.declared_type, int(column.is_not_null), default, key, column.hidden))
    return rows


def _primary_key_positions(table: Table) -> dict[int, int]:
    index = next((other for other in table.indexes if other.origin == "pk"), None)
    if index is None:
        return {position: number for number, position in enumerate(table.primary_key, 1)}
    positions: dict[int, int] = {}
    for number, column in enumerate(index.columns, 1):
        positions.setdefault(column.position, number)
    return positions


@pragma("table_list", "schema name type ncol wr strict")
def table_list(session: Session, database: int | None, value: str | None) -> Rows:
    """All tables and views, or those of a name."""
    session.ensure_schemas()
    rows: list[tuple[Any, ...]] = []
    schemas = session.catalog.schemas
    for position, schema in enumerate(schemas):
        if schema is None or (database is not None and database != position):
            continue
        for table in tables_in_walk_order(schema):
            name = table.name
            if table.root_page == 1:
                name = "sqlite_temp_schema" if position == 1 else "sqlite_schema"
            if value is not None and table.name.lower() != value.lower():
                continue
            connect_table(session, table)
            kind = "view" if table.view is not None else "virtual" if table.module is not None else "table"
            n_columns = len(described_columns(session, table))
            rows.append((schema.name, name, kind, n_columns, int(table.is_without_rowid), int(table.is_strict)))
    return rows


@pragma("index_list", "seq name unique origin partial")
def index_list(session: Session, database: int | None, value: str | None) -> Rows:
    """The indexes of a table, in the order in which SQLite walks them."""
    table = find_table(session, database, value)
    if table is None:
        return []
    return [
        (number, index.name, int(index.is_unique), index.origin, int(index.where is not None))
        for number, index in enumerate(table.indexes)
    ]


def _find_index(session: Session, database: int | None, name: str | None) -> Index | None:
    if name is None:
        return None
    schema = None if database is None else schema_name(session, database)
    index = session.catalog.find_index(name, schema)
    if index is None:
        # A WITHOUT ROWID table's own tree answers to the table's name.
        table = session.catalog.find_table(name, schema)
        if table is not None and table.is_without_rowid:
            return next(other for other in table.indexes if other.is_clustered)
    return index


@pragma("index_info", "seqno cid name")
def index_info(session: Session, database: int | None, value: str | None) -> Rows:
    """The indexed columns."""
    index = _find_index(session, database, value)
    if index is None:
        return []
    return [row[:3] for row in _index_rows(index, len(index.columns))]


@pragma("index_xinfo", "seqno cid name desc coll key")
def index_xinfo(session: Session, database: int | None, value: str | None) -> Rows:
    """All columns of an index's entries."""
    index = _find_index(session, database, value)
    return [] if index is None else _index_rows(index, len(index.entry_columns))


def _index_rows(index: Index, n_columns: int) -> list[tuple[Any, ...]]:
    columns = index.table.columns
    n_keys = len(index.columns)
    return [
        (
            number,
            column.position,
            columns[column.position].name if column.position >= 0 else None,
            int(column.descending),
            column.collation_name,
            int(number < n_keys),
        )
        for number, column in enumerate(index.entry_columns[:n_columns])
    ]


@pragma("foreign_key_list", "id seq table from to on_update on_delete match")
def foreign_key_list(session: Session, database: int | None, value: str | None) -> Rows:
    """The foreign keys of a table, newest first."""
    table = find_table(session, database, value)
    if table is None:
        return []
    rows: list[tuple[Any, ...]] = []
    for number, key in enumerate(table.foreign_keys):
        for position, child in enumerate(key.columns):
            parent_column = key.parent_columns[position] if key.parent_columns else None
            name = table.columns[child].name
            rows.append((number, position, key.parent_table, name, parent_column, key.on_update, key.on_delete, key.match))
    return rows


@pragma("database_list", "seq name file")
def database_list(session: Session, database: int | None, value: str | None) -> Rows:
    """The open databases; temp only once something is in it."""
    rows: list[tuple[Any, ...]] = []
    for position, (schema, btree) in enumerate(zip(session.catalog.schemas, session.btrees)):
        if schema is None or btree is None:
            continue
        if position == 1 and not session.is_temp_used() and not session.shows_temp:
            continue
        rows.append((position, schema.name, session.filenames[position]))
    return rows


@pragma("collation_list", "seq name")
def collation_list(session: Session, database: int | None, value: str | None) -> Rows:
    """The collations, newest first."""
    return [(number, name) for number, name in enumerate(reversed(session.collation_names))]


@pragma("function_list", "name builtin type enc narg flags")
def function_list(session: Session, database: int | None, value: str | None) -> Rows:
    """All functions, one row per number of arguments."""
    rows: list[tuple[Any, ...]] = []
    for function in session.functions:
        if isinstance(function, ScalarFunction):
            kind = "s"
        elif isinstance(function, WindowFunction) or function.is_window:
            kind = "w"
        else:
            kind = "a"
        counts: Iterable[int] = (
            range(function.min_args, function.max_args + 1) if 0 <= function.min_args <= function.max_args else (-1,)
        )
        flags = 0x200000 if function.is_built_in else 0
        if function.deterministic and not isinstance(function, (AggregateFunction, WindowFunction)):
            flags |= 0x800
        for n_arguments in counts:
            rows.append((function.name, int(function.is_built_in), kind, "utf8", n_arguments, flags))
    return rows


@pragma("module_list", "name")
def module_list(session: Session, database: int | None, value: str | None) -> Rows:
    """The virtual-table modules."""
    names = [f"pragma_{entry.name}" for entry in PRAGMAS.values() if entry.is_function and entry.is_public]
    return [(name,) for name in (*session.module_names(), *names)]


@pragma("pragma_list", "name")
def pragma_list(session: Session, database: int | None, value: str | None) -> Rows:
    """The names of all PRAGMAs."""
    return [(name,) for name in sorted(entry.name for entry in PRAGMAS.values() if entry.is_public)]


@pragma("compile_options", "compile_options")
def compile_options(session: Session, database: int | None, value: str | None) -> Rows:
    """What this build has."""
    return [(option,) for option in COMPILE_OPTIONS]
