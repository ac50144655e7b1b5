"""Record shapes of tables and indexes: which column is stored in which field, and how entries are ordered.

A rowid table stores its non-virtual columns in order.  A WITHOUT ROWID table stores the primary-key columns first, without
repetitions, then the others.  An index entry is the indexed columns followed by the rowid, or, in a WITHOUT ROWID table,
by the primary-key columns that are not among them already with the same collation.

Source: https://www.sqlite.org/fileformat2.html sections 2.3 to 2.5.
"""

from __future__ import annotations

from minisql.catalog.schema import Index, IndexColumn, Table
from minisql.values import affinity as affinities
from minisql.values.collation import BINARY
from minisql.values.shape import KeyShape, RowShape


def finish_table(table: Table) -> None:
    """Fills `storage_columns`, the columns' storage positions, `shape`, and the shapes of the automatic indexes."""
    stored = [i for i, column in enumerate(table.columns) if column.generated is None or column.is_stored]
    if table.is_without_rowid:
        _finish_clustered_table(table, stored)
    else:
        table.storage_columns = stored
        for field, position in enumerate(stored):
            table.columns[position].storage_position = field
        rowid_field = table.columns[table.rowid_alias].storage_position if table.rowid_alias >= 0 else -1
        table.shape = RowShape(len(stored), rowid_field, _defaults(table), _real_fields(table))
    for index in table.indexes:
        if not index.is_clustered:
            finish_index(index)


def _finish_clustered_table(table: Table, stored: list[int]) -> None:
    clustered = next(index for index in table.indexes if index.is_clustered)
    key: list[IndexColumn] = []
    for column in clustered.columns:
        if not _contains(key, column):
            key.append(column)
    clustered.columns = key
    key_positions = {column.position for column in key}
    rest = [IndexColumn(position, BINARY) for position in stored if position not in key_positions]
    clustered.entry_columns = key + rest
    table.storage_columns = [column.position for column in clustered.entry_columns]
    for field, position in reversed(list(enumerate(table.storage_columns))):
        table.columns[position].storage_position = field
    shape = KeyShape(
        len(table.storage_columns),
        len(key),
        tuple(column.collation for column in key),
        tuple(column.descending for column in key),
        _real_fields(table),
        _defaults(table),
    )
    table.shape = clustered.shape = shape
    clustered.root_page = table.root_page


def _defaults(table: Table) -> tuple[object, ...]:
    return tuple(table.columns[position].default_value for position in table.storage_columns)


def _real_fields(table: Table) -> tuple[int, ...]:
    columns = table.columns
    return tuple(field for field, position in enumerate(table.storage_columns) if columns[position].affinity == affinities.REAL)


def finish_index(index: Index) -> None:
    """Fills `entry_columns` and `shape` of an index whose table has its own shape."""
    table = index.table
    entry = list(index.columns)
    if table.is_without_rowid:
        clustered = next(other for other in table.indexes if other.is_clustered)
        # SQLite compares with the indexed columns only, so a key column that repeats itself with another collation stays.
        entry += [column for column in clustered.columns if not _contains(index.columns, column)]
    else:
        entry.append(IndexColumn(-1, BINARY))
    index.entry_columns = entry
    columns = table.columns
    index.shape = KeyShape(
        len(entry),
        len(entry),
        tuple(column.collation for column in entry),
        tuple(column.descending for column in entry),
        tuple(
            field
            for field, column in enumerate(entry)
            if column.position >= 0 and columns[column.position].affinity == affinities.REAL
        ),
        ends_with_rowid=not table.is_without_rowid,
    )


def _contains(columns: list[IndexColumn], wanted: IndexColumn) -> bool:
    return any(
        column.position == wanted.position and column.collation.name.upper() == wanted.collation.name.upper()
        for column in columns
    )
