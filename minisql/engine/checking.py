"""Checks of a whole database: page structure, rows against their columns' constraints, indexes against tables.

The page structure is storage's work; what needs the schema is done here, with SQL of the engine's own where SQL says it
best (CHECK constraints, foreign keys) and with cursors elsewhere.

Source: https://www.sqlite.org/pragma.html#pragma_integrity_check, #pragma_foreign_key_check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from minisql.catalog.hash_order import tables_in_walk_order
from minisql.catalog.schema import Schema, Table
from minisql.engine.index_content import numbered_entries
from minisql.engine.names import quoted
from minisql.engine.virtual_tables import virtual_integrity
from minisql.planner.compiler import Compiler
from minisql.planner.foreign_keys import ForeignKeyUse, Reference, locate
from minisql.storage.check import integrity_check
from minisql.values.affinity import BLOB, NUMERIC, TEXT, apply_affinity
from minisql.values.compare import hash_key
from minisql.values.shape import RowShape

if TYPE_CHECKING:
    from minisql.engine.session import Session


def check_database(
    session: Session, database: int, n_errors: int, is_quick: bool, table_name: str | None
) -> Iterator[tuple[str, int]]:
    """The rows about one database, each with the number of errors that it names.

    What is wrong with pages is one row; `n_errors` limits the errors in it.
    """
    btree = session.btrees[database]
    schema = session.catalog.schemas[database]
    assert btree is not None and schema is not None
    unique_tables = [
        table for table in _in_order_of_sqlite(schema) if table_name is None or table.name.lower() == table_name.lower()
    ]
    roots: dict[int, None] = {}
    for table in unique_tables:
        roots[table.root_page] = None
        for index in table.indexes:
            roots.setdefault(index.root_page)
    # SQLite takes a leading root 0 for the mark of a partial check, and a view that comes first has root 0.
    is_partial = table_name is not None or not next(iter(roots), 1)
    faults = integrity_check(btree, list(roots), n_errors, is_partial, has_freelist=not is_partial or list(roots)[1:2] == [1])
    if faults:
        yield "\n".join((f"*** in database {schema.name} ***", *faults)), len(faults)
    checked = [table for table in unique_tables if table.root_page > 1]
    for table in checked:
        for text in _check_index_sizes(session, table):
            yield text, 1
    for table in checked:
        for text in _check_rows(session, table, is_quick):
            yield text, 1
    for table in tables_in_walk_order(schema):
        if table.module is not None and (table_name is None or table.name.lower() == table_name.lower()):
            found = virtual_integrity(session, table, is_quick)
            if found is not None:
                yield found, 1


def _in_order_of_sqlite(schema: Schema) -> list[Table]:
    """Tables and views in the order of SQLite's hash table."""
    return [table for table in tables_in_walk_order(schema) if not table.module]


def _check_index_sizes(session: Session, table: Table) -> Iterator[str]:
    btree = session.btrees[table.schema_index]
    assert btree is not None
    n_rows = -1
    for index in table.indexes:
        if index.is_clustered or index.where is not None:
            continue
        if n_rows < 0:
            cursor: Any
            if isinstance(table.shape, RowShape):
                cursor = btree.table_cursor(table.root_page, table.shape, False)
            else:
                assert table.shape is not None
                cursor = btree.index_cursor(table.root_page, table.shape, False)
            n_rows = cursor.count()
        assert index.shape is not None
        if btree.index_cursor(index.root_page, index.shape, False).count() != n_rows:
            yield f"wrong # of entries in index {index.name}"


def _check_rows(session: Session, table: Table, is_quick: bool) -> Iterator[str]:
    """Row by row: values against their columns, CHECK constraints, then the entries of the indexes."""
    name = f"{quoted(table.schema_name)}.{quoted(table.name)}"
    positions = [position for position, column in enumerate(table.columns) if column.hidden != 1]
    checks = [f"({check.text}) IS NOT FALSE" for check in table.checks]
    terms = ["*", *([" AND ".join(checks)] if checks and not session.flags["ignore_check_constraints"] else ["1"])]
    rows = session.execute_inside(f"SELECT {', '.join(terms)} FROM {name} NOT INDEXED")
    missing = {} if is_quick else _missing_entries(session, table)
    column_checks = [(field, _value_check(table, position)) for field, position in enumerate(positions)]
    wanted = [(field, check) for field, check in column_checks if check is not None]
    for number, row in enumerate(rows, 1):
        for field, check in wanted:
            text = check(row[field])
            if text:
                yield text
        if not row[-1]:
            yield f"CHECK constraint failed in {table.name}"
        yield from missing.get(number, ())


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
        n_keys = len(index.columns)
        cursor = btree.index_cursor(index.root_page, index.shape, False)
        present: set[tuple[Any, ...]] = set()
        counts: dict[tuple[Any, ...], int] = {}
        entry = cursor.first()
        while entry is not None:
            key = tuple([hash_key(value, collation) for value, collation in zip(entry, collations)])
            present.add(key)
            if index.is_unique and None not in entry[:n_keys]:
                counts[key[:n_keys]] = counts.get(key[:n_keys], 0) + 1
            entry = cursor.next()
        for number, wanted in numbered_entries(session, index):
            key = tuple([hash_key(value, collation) for value, collation in zip(wanted, collations)])
            if key not in present:
                errors.setdefault(number, []).append(f"row {number} missing from index {index.name}")
            elif counts.get(key[:n_keys], 0) > 1:
                counts[key[:n_keys]] = 0
                errors.setdefault(number, []).append(f"non-unique entry in index {index.name}")
    return errors


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
