"""The entries that an index should have, computed from its table; and an index built again from them.

The engine's own SQL computes expressions and the WHERE of partial indexes, so both mean what the planner makes of them.

Source: https://www.sqlite.org/fileformat2.html section 2.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minisql.catalog.schema import Index
from minisql.engine.names import quoted
from minisql.errors import CONSTRAINT_UNIQUE, sqlite_error
from minisql.parser.unparse import unparse
from minisql.values.compare import hash_key

if TYPE_CHECKING:
    from minisql.engine.session import Session


def index_entries(session: Session, index: Index) -> list[tuple[Any, ...]]:
    """All entries in table order."""
    where = f" WHERE {unparse(index.where)}" if index.where is not None else ""
    return session.execute_inside(f"SELECT {_terms(index)} FROM {_table(index)} NOT INDEXED{where}")


def numbered_entries(session: Session, index: Index) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The entries with the number of their row, from 1 in table order; rows outside a partial index are left out."""
    condition = f"({unparse(index.where)}) IS TRUE" if index.where is not None else "1"
    rows = session.rows_inside(f"SELECT {condition}, {_terms(index)} FROM {_table(index)} NOT INDEXED")
    return ((number, row[1:]) for number, row in enumerate(rows, 1) if row[0])


def _table(index: Index) -> str:
    return f"{quoted(index.table.schema_name)}.{quoted(index.table.name)}"


def _terms(index: Index) -> str:
    terms = []
    for column in index.entry_columns:
        if column.position >= 0:
            terms.append(quoted(index.table.columns[column.position].name))
        elif column.position == -1:
            terms.append("_rowid_")
        else:
            assert column.expression is not None
            terms.append(unparse(column.expression))
    return ", ".join(terms)


def rebuild_index(session: Session, index: Index) -> None:
    """Empties the index and enters every row again.  Raises UNIQUE constraint failed."""
    btree = session.btrees[index.schema_index]
    assert btree is not None and index.shape is not None
    entries = index_entries(session, index)
    if index.is_unique:
        _check_unique(index, entries)
    btree.clear_tree(index.root_page)
    cursor = btree.index_cursor(index.root_page, index.shape, True)
    for entry in entries:
        cursor.insert(entry)


def _check_unique(index: Index, entries: list[tuple[Any, ...]]) -> None:
    seen: set[tuple[Any, ...]] = set()
    n_keys = len(index.columns)
    collations = [column.collation for column in index.columns]
    for entry in entries:
        key = entry[:n_keys]
        if None in key:
            continue
        hashed = tuple([hash_key(value, collation) for value, collation in zip(key, collations)])
        if hashed in seen:
            columns = index.table.columns
            if any(column.position == -2 for column in index.columns):
                raise sqlite_error(CONSTRAINT_UNIQUE, f"UNIQUE constraint failed: index '{index.name}'")
            names = ", ".join(f"{index.table.name}.{columns[column.position].name}" for column in index.columns)
            raise sqlite_error(CONSTRAINT_UNIQUE, f"UNIQUE constraint failed: {names}")
        seen.add(hashed)
