"""Writing sqlite_schema from within the engine: tables that it creates for itself.

Source: https://www.sqlite.org/schematab.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.engine.schema_loader import SCHEMA_SHAPE

if TYPE_CHECKING:
    from minisql.engine.session import Session


def create_table_row(session: Session, database: int, name: str, sql: str) -> int:
    """Creates the tree of a table and its row in sqlite_schema, moves the cookie, and returns the root page."""
    btree = session.btrees[database]
    assert btree is not None
    root = btree.create_tree(True)
    cursor = btree.table_cursor(1, SCHEMA_SHAPE, True)
    cursor.insert((cursor.last_rowid() or 0) + 1, ("table", name, name, root, sql), True)
    session.set_cookie(database, 1, (btree.get_meta(1) + 1) & 0xFFFFFFFF)
    return root
