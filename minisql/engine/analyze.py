"""ANALYZE: statistics about tables and indexes into sqlite_stat1.

For an index the text has the number of entries and, for its first column, first two, ..., the mean number of entries that
agree in them; a table without a whole index gets a row of its own with the number of rows.

Source: https://www.sqlite.org/lang_analyze.html, https://www.sqlite.org/fileformat2.html section 2.6.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.catalog.hash_order import tables_in_walk_order
from minisql.catalog.schema import Index, Schema, Table
from minisql.catalog.statistics import apply_statistics
from minisql.engine.hooks import UPDATE_OPERATIONS
from minisql.engine.schema_loader import add_object, statistics_rows
from minisql.engine.schema_rows import create_table_row
from minisql.errors import ERROR, sqlite_error
from minisql.planner.authorization import ANALYZE, DELETE, READ, SELECT, inner_table_events
from minisql.values.compare import hash_key

if TYPE_CHECKING:
    from minisql.engine.session import Session

_TEMP = 1
_STATISTICS_SQL = "CREATE TABLE sqlite_stat1(tbl,idx,stat)"


def analyze(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """ANALYZE, ANALYZE schema, ANALYZE table or index."""
    schema_name, name = constants
    if schema_name is None and name is not None and session.catalog.schema_position(name) >= 0:
        schema_name, name = name, None
    if schema_name is not None and session.catalog.schema_position(schema_name) < 0:
        raise sqlite_error(ERROR, f"unknown database {schema_name}")
    if name is None:
        databases = _databases(session, schema_name)
        for database, schema in databases:
            _analyze_tables(session, database, tables_in_walk_order(schema), None, True)
        for _database, schema in databases:
            _hear_statistics(session, schema.name)
        return
    index = session.catalog.find_index(name, schema_name)
    table = session.catalog.find_table(name, schema_name)
    if index is not None:
        _analyze_tables(session, index.schema_index, [index.table], index)
        _hear_statistics(session, index.table.schema_name)
    elif table is not None:
        _analyze_tables(session, table.schema_index, [table], None)
        _hear_statistics(session, table.schema_name)
    else:
        raise sqlite_error(ERROR, f"no such table: {schema_name}.{name}" if schema_name else f"no such table: {name}")


def _databases(session: Session, name: str | None) -> list[tuple[int, Schema]]:
    """The database with that name, or all but TEMP."""
    wanted = -1 if name is None else session.catalog.schema_position(name)
    return [
        (database, schema)
        for database, schema in enumerate(session.catalog.schemas)
        if schema is not None and (database == wanted if name is not None else database != _TEMP)
    ]


def _hear_statistics(session: Session, schema: str) -> None:
    """The authorizer's events of reading the new statistics."""
    for event in ((SELECT, None, None, None), *((READ, "sqlite_stat1", name, schema) for name in ("tbl", "idx", "stat"))):
        session.allows(*event)


def _analyze_tables(
    session: Session, database: int, tables: list[Table], only: Index | None, is_whole: bool = False
) -> None:
    session.ensure_reading(database)
    schema = session.catalog.schemas[database]
    assert schema is not None
    session.ensure_writing(database)
    statistics = schema.tables.get("sqlite_stat1")
    if statistics is None:
        for event in inner_table_events("sqlite_stat1", database, schema.name):
            session.allows(*event)
        root = create_table_row(session, database, "sqlite_stat1", _STATISTICS_SQL)
        add_object(session, schema, database, "table", "sqlite_stat1", "sqlite_stat1", root, _STATISTICS_SQL)
        statistics = schema.tables["sqlite_stat1"]
    elif not is_whole:
        session.allows(DELETE, statistics.name, None, schema.name)
        session.allows(READ, statistics.name, "tbl" if only is None else "idx", schema.name)
    analyzed = [
        table
        for table in tables
        if table.root_page
        and not table.name.lower().startswith("sqlite_")
        and session.allows(ANALYZE, table.name, None, schema.name)
    ]
    _forget_old(session, statistics, analyzed, only)
    rows = [row for table in analyzed for row in table_statistics(session, table, only)]
    _append_rows(session, statistics, rows)
    apply_statistics(schema, statistics_rows(session, database, schema))
    session.bump_generation()


def _forget_old(session: Session, statistics: Table, tables: list[Table], only: Index | None) -> None:
    btree = session.btrees[statistics.schema_index]
    assert btree is not None
    names = {table.name for table in tables}
    cursor = btree.table_cursor(statistics.root_page, statistics.shape, True)  # type: ignore[arg-type]
    doomed = []
    row = cursor.first()
    while row is not None:
        if (only is not None and row[1] == only.name) or (only is None and row[0] in names):
            doomed.append((cursor.rowid, row))
        row = cursor.next()
    for rowid, old in doomed:
        if session.preupdate_hook is not None:
            session.row_changing(
                UPDATE_OPERATIONS["delete"], statistics.schema_index, statistics.name, old, None, (rowid, rowid), 0
            )
        cursor.delete_rowid(rowid)


def _append_rows(session: Session, table: Table, rows: list[tuple[Any, ...]]) -> None:
    btree = session.btrees[table.schema_index]
    assert btree is not None
    cursor = btree.table_cursor(table.root_page, table.shape, True)  # type: ignore[arg-type]
    rowid = cursor.last_rowid() or 0
    for row in rows:
        rowid += 1
        if session.preupdate_hook is not None:
            operation = UPDATE_OPERATIONS["insert"]
            session.row_changing(operation, table.schema_index, table.name, None, row, (rowid, rowid), 0)
        cursor.insert(rowid, row, True)


def table_statistics(session: Session, table: Table, only: Index | None = None) -> list[tuple[Any, ...]]:
    """The sqlite_stat1 rows of a table: (table, index or None, text)."""
    btree = session.btrees[table.schema_index]
    assert btree is not None
    rows: list[tuple[Any, ...]] = []
    needs_own_row = True
    for index in table.indexes:
        if index.where is None:
            needs_own_row = False
        if only is not None and index is not only:
            continue
        text = index_statistics(session, index)
        if text:
            rows.append((table.name, table.name if index.is_clustered else index.name, text))
    if needs_own_row and only is None:
        n_rows = btree.table_cursor(table.root_page, table.shape, False).count()  # type: ignore[arg-type]
        if n_rows:
            rows.append((table.name, None, str(n_rows)))
    return rows


def index_statistics(session: Session, index: Index) -> str:
    """The statistics text of one index; empty for an index without entries."""
    btree = session.btrees[index.schema_index]
    assert btree is not None and index.shape is not None
    cursor = btree.index_cursor(index.root_page, index.shape, False)
    collations = [column.collation for column in index.columns]
    n_keys = len(collations)
    n_distinct = [0] * n_keys
    previous: list[Any] | None = None
    n_entries = 0
    entry = cursor.first()
    while entry is not None:
        n_entries += 1
        key = [hash_key(value, collation) for value, collation in zip(entry, collations)]
        changed = 0
        if previous is not None:
            while changed < n_keys and key[changed] == previous[changed]:
                changed += 1
        for position in range(changed, n_keys):
            n_distinct[position] += 1
        previous = key
        entry = cursor.next()
    if not n_entries:
        return ""
    numbers = [n_entries]
    for distinct in n_distinct:
        mean = (n_entries + distinct - 1) // distinct
        # SQLite takes a column for unique when hardly any value repeats.
        if mean == 2 and n_entries * 10 <= distinct * 11:
            mean = 1
        numbers.append(mean)
    return " ".join(map(str, numbers))
