"""REINDEX: indexes are emptied and built again.

Source: https://www.sqlite.org/lang_reindex.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.catalog.hash_order import tables_in_walk_order
from minisql.catalog.schema import Index
from minisql.engine.index_content import rebuild_index
from minisql.errors import ERROR, sqlite_error

if TYPE_CHECKING:
    from minisql.engine.session import Session

_ACTION_REINDEX = 27


def reindex(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """REINDEX, REINDEX collation, REINDEX table or index, REINDEX EXPRESSIONS."""
    schema_name, name = constants
    indexes = _chosen(session, schema_name, name)
    for index in indexes:
        if not session.allows(_ACTION_REINDEX, index.name, None, index.table.schema_name):
            continue
        session.ensure_writing(index.schema_index)
        if not index.is_clustered:
            rebuild_index(session, index)


def _chosen(session: Session, schema_name: str | None, name: str | None) -> list[Index]:
    if schema_name is not None and session.catalog.schema_position(schema_name) < 0:
        raise sqlite_error(ERROR, f"unknown database {schema_name}")
    everything = [
        index
        for schema in session.catalog.schemas
        if schema is not None
        for table in tables_in_walk_order(schema)
        for index in table.indexes
    ]
    if name is None:
        return everything
    if schema_name is None:
        if name.lower() == "expressions":
            return [index for index in everything if any(column.position == -2 for column in index.columns)]
        if session.find_collation(name) is not None:
            upper = name.upper()
            return [index for index in everything if any(column.collation.name.upper() == upper for column in index.columns)]
    table = session.catalog.find_table(name, schema_name)
    if table is not None:
        return table.indexes
    index = session.catalog.find_index(name, schema_name)
    if index is None:
        raise sqlite_error(ERROR, "unable to identify the object to be reindexed")
    return [index]
