"""Checks of a whole database: page structure, rows against their columns' constraints, indexes against tables.

The page structure is storage's work; what needs the schema is done here, with SQL of the engine's own where SQL says it
best (CHECK constraints, foreign keys) and with cursors elsewhere.

Source: https://www.sqlite.org/pragma.html#pragma_integrity_check, #pragma_foreign_key_check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import lt
from typing import TYPE_CHECKING, Any

from minisql.catalog.hash_order import tables_in_walk_order
from minisql.catalog.schema import Index, Schema, Table
from minisql.engine.index_content import numbered_entries
from minisql.engine.names import quoted
from minisql.engine.virtual_tables import virtual_integrity
from minisql.errors import Error
from minisql.planner.compiler import Compiler
from minisql.planner.foreign_keys import ForeignKeyUse, Reference, locate
from minisql.storage.btree import BtreeFile
from minisql.storage.check import integrity_check, probe_index
from minisql.storage.record import UnfilledRecordError
from minisql.values.affinity import BLOB, NUMERIC, TEXT, apply_affinity
from minisql.values.compare import hash_key, record_sort_key

if TYPE_CHECKING:
    from minisql.engine.session import Session

Key = tuple[Any, ...]


def check_database(
    session: Session, database: int, n_errors: int, is_quick: bool, table_name: str | None
) -> Iterator[tuple[str, int]]:
    """The rows about one database, each with the number of errors that it names.

    What is wrong with pages is one row; `n_errors` limits the errors in it.  A row whose record is longer or shorter than its
    payload ends the check, and the last text says so; anything else that cannot be read is an error, as in SQLite.
    """
    btree = session.btrees[database]
    schema = session.catalog.schemas[database]
    assert btree is not None and schema is not None
    unique_tables = [
        table for table in _in_order_of_sqlite(schema) if table_name is None or table.name.lower() == table_name.lower()
    ]
    roots = [root for table in unique_tables for root in _roots(table)]
    # SQLite takes a leading root 0 for the mark of a partial check, and a view that comes first has root 0.
    is_partial = table_name is not None or not next(iter(roots), 1)
    counts: list[int] = []
    faults = integrity_check(btree, roots, n_errors, is_partial, not is_partial or roots[1:2] == [1], counts)
    if faults:
        yield "\n".join((f"*** in database {schema.name} ***", *faults)), len(faults)
    for text in _check_index_sizes(unique_tables, counts):
        yield text, 1
    checked = [table for table in unique_tables if table.root_page > 1]
    for table in checked:
        missing = {} if is_quick else _missing_entries(session, table)
        try:
            for text in _check_rows(session, table, is_quick, missing):
                yield text, 1
        except Error as error:
            if not isinstance(error.__cause__, UnfilledRecordError):
                raise
            yield str(error), n_errors
            return
    for table in tables_in_walk_order(schema):
        if table.module is not None and (table_name is None or table.name.lower() == table_name.lower()):
            found = virtual_integrity(session, table, is_quick)
            if found is not None:
                yield found, 1


def _in_order_of_sqlite(schema: Schema) -> list[Table]:
    """Tables and views in the order of SQLite's hash table."""
    return [table for table in tables_in_walk_order(schema) if not table.module]


def _roots(table: Table) -> list[int]:
    """The roots of a table and its indexes; a WITHOUT ROWID table is one of its indexes."""
    roots = [index.root_page for index in table.indexes]
    return roots if table.is_without_rowid else [table.root_page, *roots]


def _check_index_sizes(tables: list[Table], counts: list[int]) -> Iterator[str]:
    """Compares the number of entries of each index with that of its table's rows, as the check of the pages has found them."""
    place = 0
    for table in tables:
        n_rows = counts[place : place + 1]
        if not table.is_without_rowid:
            place += 1
        else:
            clustered = next((i for i, index in enumerate(table.indexes) if index.is_clustered), 0)
            n_rows = counts[place + clustered : place + clustered + 1]
        for index in table.indexes:
            if index.where is None and n_rows and table.root_page > 1 and counts[place] != n_rows[0]:
                yield f"wrong # of entries in index {index.name}"
            place += 1


def _check_rows(session: Session, table: Table, is_quick: bool, missing: dict[int, list[str]]) -> Iterator[str]:
    """Row by row: values against their columns, CHECK constraints, then the entries of the indexes."""
    name = f"{quoted(table.schema_name)}.{quoted(table.name)}"
    positions = [position for position, column in enumerate(table.columns) if column.hidden != 1]
    checks = [f"({check.text}) IS NOT FALSE" for check in table.checks]
    terms = ["*", *([" AND ".join(checks)] if checks and not session.flags["ignore_check_constraints"] else ["1"])]
    rows = session.rows_inside(f"SELECT {', '.join(terms)} FROM {name} NOT INDEXED")
    is_out_of_order = _order_check(table) if table.is_without_rowid and not is_quick else None
    column_checks = [(field, _value_check(table, position)) for field, position in enumerate(positions)]
    wanted = [(field, check) for field, check in column_checks if check is not None]
    for number, row in enumerate(rows, 1):
        if is_out_of_order is not None and is_out_of_order(row):
            yield f"row not in PRIMARY KEY order for {table.name}"
        for field, check in wanted:
            text = check(row[field])
            if text:
                yield text
        if not row[-1]:
            yield f"CHECK constraint failed in {table.name}"
        yield from missing.get(number, ())


def _order_check(table: Table) -> Callable[[tuple[Any, ...]], bool]:
    """A function that tells of each row of a WITHOUT ROWID table whether its key is not behind that of the row before."""
    clustered = next(index for index in table.indexes if index.is_clustered)
    visible = [position for position, column in enumerate(table.columns) if column.hidden != 1]
    fields = [visible.index(column.position) for column in clustered.columns]
    collations = tuple(column.collation for column in clustered.columns)
    descending = tuple(column.descending for column in clustered.columns)
    last: list[Any] = []

    def is_out_of_order(row: tuple[Any, ...]) -> bool:
        key = record_sort_key([row[field] for field in fields], collations, descending)
        is_wrong = bool(last) and not last[0] < key
        last[:] = [key]
        return is_wrong

    return is_out_of_order


def _value_check(table: Table, position: int) -> Callable[[Any], str | None] | None:
    """What is wrong with a value of a column: a function that returns the error's text or None; None if anything may stand
    there."""
    column = table.columns[position]
    name = f"{table.name}.{column.name}"
    is_not_null = column.is_not_null and position != table.rowid_alias
    if table.is_strict:
        allowed = _STRICT_TYPES.get(column.declared_type)
        wrong = f"non-{column.declared_type} value in {name}"
    else:
        allowed = None
        wrong = f"NUMERIC value in {name}"
    affinity = column.affinity

    def check(value: Any) -> str | None:
        if value is None:
            return f"NULL value in {name}" if is_not_null else None
        kind = value.__class__
        if allowed is not None:
            return None if kind is allowed else wrong
        if affinity == TEXT:
            return wrong if kind is int or kind is float else None
        if affinity >= NUMERIC and kind is str and apply_affinity(value, NUMERIC).__class__ is not str:
            return f"TEXT value in {name}"
        return None

    if is_not_null or allowed is not None or (not table.is_strict and affinity != BLOB):
        return check
    return None


_STRICT_TYPES: dict[str, type] = {"INT": int, "INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}


def _missing_entries(session: Session, table: Table) -> dict[int, list[str]]:
    """Errors about index entries by row number."""
    errors: dict[int, list[str]] = {}
    btree = session.btrees[table.schema_index]
    assert btree is not None
    for index in table.indexes:
        if index.is_clustered:
            continue
        assert index.shape is not None
        collations = [column.collation for column in index.entry_columns]
        entries = list(_entries(btree.index_cursor(index.root_page, index.shape, False)))
        keys = [tuple([hash_key(value, collation) for value, collation in zip(entry, collations)]) for entry in entries]
        followed = _not_followed_by_greater(entries, keys, index) if index.is_unique else frozenset()
        is_present = _membership(btree, index, entries, keys)
        for number, wanted in _as_far_as_readable(numbered_entries(session, index)):
            key = tuple([hash_key(value, collation) for value, collation in zip(wanted, collations)])
            if not is_present(wanted, key):
                errors.setdefault(number, []).append(f"row {number} missing from index {index.name}")
            elif key in followed:
                errors.setdefault(number, []).append(f"non-unique entry in index {index.name}")
    return errors


def _as_far_as_readable(entries: Iterator[tuple[int, Key]]) -> Iterator[tuple[int, Key]]:
    """Ends before the first row whose record cannot be read: the check of the rows comes to it, too."""
    try:
        yield from entries
    except Error as error:
        if not isinstance(error.__cause__, UnfilledRecordError):
            raise


def _membership(btree: BtreeFile, index: Index, entries: list[Key], keys: list[Key]) -> Callable[[Key, Key], bool]:
    """A function that tells of an entry and its hash key whether a search of the index finds it."""
    shape, root = index.shape, index.root_page
    assert shape is not None
    present = set(keys)
    if _are_in_order(entries, index):
        return lambda entry, key: key in present
    # Out of order, what a search finds depends on its way.
    return lambda entry, key: probe_index(btree, root, shape, entry)


def _not_followed_by_greater(entries: list[Key], keys: list[Key], index: Index) -> frozenset[Key]:
    """The hash keys of entries whose next one has not greater key columns; NULL is equal to nothing."""
    n_keys = len(index.columns)
    collations = tuple(column.collation for column in index.columns)
    descending = tuple(column.descending for column in index.columns)
    order = [record_sort_key(entry[:n_keys], collations, descending) for entry in entries]
    return frozenset(
        [
            key
            for entry, key, own, following in zip(entries, keys, order, order[1:])
            if not own < following and None not in entry[:n_keys]
        ]
    )


def _entries(cursor: Any) -> Iterator[tuple[Any, ...]]:
    entry = cursor.first()
    while entry is not None:
        yield entry
        entry = cursor.next()


def _are_in_order(entries: list[tuple[Any, ...]], index: Index) -> bool:
    collations = tuple(column.collation for column in index.entry_columns)
    descending = tuple(column.descending for column in index.entry_columns)
    keys = [record_sort_key(entry, collations, descending) for entry in entries]
    return all(map(lt, keys, keys[1:]))


def check_foreign_keys(session: Session, table: Table) -> Iterator[tuple[Any, ...]]:
    """(table, rowid or NULL, parent, number of the key) for each row and each of its keys that has no parent row."""
    if not table.foreign_keys:
        return
    violations = []
    for number, key in enumerate(table.foreign_keys):
        children = [f"c.{quoted(table.columns[position].name)}" for position in key.columns]
        violation = " AND ".join(f"{child} IS NOT NULL" for child in children)
        condition = _parent_condition(session, table, number, children)
        violations.append(violation if condition is None else f"{violation} AND NOT EXISTS ({condition})")
    rowid = "NULL" if table.is_without_rowid else "c.rowid"
    sql = f"SELECT {rowid}, {', '.join(violations)} FROM {quoted(table.schema_name)}.{quoted(table.name)} AS c"
    for row in session.execute_inside(sql):
        for number, key in enumerate(table.foreign_keys):
            if row[number + 1]:
                yield table.name, row[0], key.parent_table, number


def _parent_condition(session: Session, table: Table, number: int, children: list[str]) -> str | None:
    """A SELECT that finds the parent row, None without a parent table; raises `foreign key mismatch`."""
    key = table.foreign_keys[number]
    parent = session.catalog.find_table(key.parent_table, table.schema_name)
    if parent is None:
        return None
    reference = Reference(key, number, table, parent)
    locate(Compiler(session, None), ForeignKeyUse([], [], False), reference)
    # The parent column's affinity and collation decide, so the child's own affinity is taken off.
    terms = [
        f"p.{quoted(parent.columns[position].name)} = +{child}" for child, position in zip(children, reference.parent_positions)
    ]
    return f"SELECT 1 FROM {quoted(parent.schema_name)}.{quoted(parent.name)} AS p WHERE {' AND '.join(terms)}"
