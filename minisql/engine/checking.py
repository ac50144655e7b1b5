"""Checks of a whole database: page structure, rows against their columns' constraints, indexes against tables.

The page structure is storage's work; what needs the schema is done here, with SQL of the engine's own where SQL says it
best (CHECK constraints, foreign keys) and with cursors elsewhere.

Source: https://www.sqlite.org/pragma.html#pragma_integrity_check, #pragma_foreign_key_check.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minisql.catalog.schema import Index, Table
from minisql.errors import Error
from minisql.planner.compiler import Compiler
from minisql.planner.foreign_keys import ForeignKeyUse, Reference, locate
from minisql.storage.check import integrity_check
from minisql.values.compare import hash_key

if TYPE_CHECKING:
    from minisql.engine.session import Session


def quoted(name: str) -> str:
    """A name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def check_database(session: Session, database: int, n_errors: int, is_quick: bool, table_name: str | None) -> Iterator[str]:
    """The errors found in one database, at most about `n_errors`."""
    btree = session.btrees[database]
    schema = session.catalog.schemas[database]
    assert btree is not None and schema is not None
    tables = [
        table for name, table in schema.tables.items() if table.root_page and (table_name is None or name == table_name.lower())
    ]
    unique_tables = list({id(table): table for table in tables}.values())
    roots: dict[int, str] = {}
    for table in unique_tables:
        roots[table.root_page] = table.name
        for index in table.indexes:
            roots.setdefault(index.root_page, index.name)
    yield from integrity_check(btree, list(roots), n_errors, table_name is not None)
    for table in unique_tables:
        if table.root_page != 1:
            yield from _check_table(session, database, table, is_quick)


def _check_table(session: Session, database: int, table: Table, is_quick: bool) -> Iterator[str]:
    rows = session.execute_inside(f"SELECT * FROM {quoted(table.schema_name)}.{quoted(table.name)} NOT INDEXED")
    not_null = [
        (position, column.name)
        for position, column in enumerate(table.columns)
        if column.is_not_null and position != table.rowid_alias and not column.hidden
    ]
    visible = [position for position, column in enumerate(table.columns) if column.hidden in (0, 2, 3)]
    fields = {position: field for field, position in enumerate(visible)}
    for row in rows:
        for position, name in not_null:
            if row[fields[position]] is None:
                yield f"NULL value in {table.name}.{name}"
    for _check in table.checks:
        yield from _check_constraints(session, table)
        break
    if not is_quick:
        for index in table.indexes:
            if not index.is_clustered:
                yield from _check_index(session, database, table, index, len(rows))


def _check_constraints(session: Session, table: Table) -> Iterator[str]:
    conditions = " AND ".join(f"(({check.text}) IS NOT FALSE)" for check in table.checks)
    try:
        found = session.execute_inside(
            f"SELECT count(*) FROM {quoted(table.schema_name)}.{quoted(table.name)} NOT INDEXED WHERE NOT ({conditions})"
        )
    except Error:
        return
    for _ in range(found[0][0]):
        yield f"CHECK constraint failed in {table.name}"


def _check_index(session: Session, database: int, table: Table, index: Index, n_rows: int) -> Iterator[str]:
    btree = session.btrees[database]
    assert btree is not None and index.shape is not None
    cursor = btree.index_cursor(index.root_page, index.shape, False)
    n_entries = 0
    previous: tuple[Any, ...] | None = None
    n_keys = len(index.columns)
    entry = cursor.first()
    while entry is not None:
        n_entries += 1
        if index.is_unique and previous is not None and None not in entry[:n_keys]:
            if _same_key(index, previous, entry):
                yield f"non-unique entry in index {index.name}"
        previous = entry
        entry = cursor.next()
    if index.where is None and n_entries != n_rows:
        yield f"wrong # of entries in index {index.name}"


def _same_key(index: Index, first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    return (
        all(
            hash_key(one, column.collation) == hash_key(two, column.collation)
            for one, two, column in zip(first, second, index.columns)
            if one is not None
        )
        and None not in first[: len(index.columns)]
    )


def check_foreign_keys(session: Session, table: Table) -> Iterator[tuple[Any, ...]]:
    """(table, rowid or NULL, parent, number of the key) for each row whose key has no parent row."""
    for number, key in enumerate(table.foreign_keys):
        rowid = "NULL" if table.is_without_rowid else "c.rowid"
        children = [f"c.{quoted(table.columns[position].name)}" for position in key.columns]
        present = " AND ".join(f"{child} IS NOT NULL" for child in children)
        sql = f"SELECT {rowid} FROM {quoted(table.schema_name)}.{quoted(table.name)} AS c WHERE {present}"
        condition = _parent_condition(session, table, number, children)
        if condition is not None:
            sql += f" AND NOT EXISTS ({condition})"
        for row in session.execute_inside(sql):
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
        f"p.{quoted(parent.columns[position].name)} = +{child}"
        for child, position in zip(children, reference.parent_positions)
    ]
    return f"SELECT 1 FROM {quoted(parent.schema_name)}.{quoted(parent.name)} AS p WHERE {' AND '.join(terms)}"
