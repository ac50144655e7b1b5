"""What the authorizer hears of VACUUM: SQLite copies the database with SQL, into one attached under a name made up for it.

minisql copies trees instead.  The events are those of the statements that make the copy: CREATE TABLE and CREATE INDEX in the
new database, and one INSERT ... SELECT per table; DENY fails VACUUM, IGNORE changes nothing.

Source: https://www.sqlite.org/lang_vacuum.html, https://www.sqlite.org/c3ref/set_authorizer.html.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from minisql.catalog.build import build_index, build_table
from minisql.parser import ast, parse_one
from minisql.planner.authorization import ATTACH, FUNCTION, INSERT, READ, SELECT, TRANSACTION, allows_create, inner_table_events
from minisql.planner.compiler import Compiler
from minisql.planner.ddl_index import announce_index
from minisql.planner.ddl_table import announce_table

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.engine.session import Session

_SEQUENCE = "sqlite_sequence"
_N_NAME_BYTES = 8


def hear_vacuum(session: Session, database: int, rows: list[tuple[Any, ...]], file_name: str) -> None:
    """Asks about all that VACUUM does; `rows` are those of sqlite_schema, tables first."""
    session.allows(ATTACH, file_name, None, None)
    session.allows(TRANSACTION, "BEGIN", None, None)
    schema = session.catalog.schemas[database]
    assert schema is not None, "the database was found by its name"
    _Copying(session, schema.name, f"vacuum_{os.urandom(_N_NAME_BYTES).hex()}").hear(rows)


class _Copying:
    """The events of copying the schema `old` to the database `new`."""

    def __init__(self, session: Session, old: str, new: str) -> None:
        self.session = session
        self.old = old
        self.new = new
        self.tables: dict[str, Table] = {}

    def hear(self, rows: list[tuple[Any, ...]]) -> None:
        """All of them."""
        allows = self.session.allows
        stored = [row for row in rows if row[3]]
        self._hear_query(self.old, "sql", "type", "name", "coalesce()", "rootpage")
        for row in stored:
            if row[0] == "table":
                self._hear_table(row[1], row[4])
        self._hear_query(self.old, "sql", "type")
        for row in stored:
            if row[0] == "index" and row[4] is not None:
                self._hear_index(row[4])
        self._hear_query(self.new, "quote()", "name", "quote()", "name", "type", "coalesce()", "rootpage")
        for table in self.tables.values():
            allows(INSERT, table.name, None, self.new)
            allows(SELECT, None, None, None)
            for column in table.columns:
                if column.generated is None:
                    allows(READ, table.name, column.name, self.old)
        allows(INSERT, "sqlite_master", None, self.new)
        self._hear_query(self.old, "type", "name", "tbl_name", "rootpage", "sql", "type", "type", "rootpage")

    def _hear_query(self, schema: str, *words: str) -> None:
        """A SELECT from sqlite_schema: the columns that it reads, and functions."""
        self.session.allows(SELECT, None, None, None)
        for word in words:
            if word.endswith("()"):
                self.session.allows(FUNCTION, None, word[:-2], None)
            else:
                self.session.allows(READ, "sqlite_master", word, schema)

    def _hear_table(self, name: str, sql: str) -> None:
        parsed, _ = parse_one(sql, 0, self.session.limits)
        assert parsed is not None and isinstance(parsed.statement, ast.CreateTable), "a stored table has been parsed before"
        table = build_table(parsed.statement, 0, self.new, self.session.find_collation, sql=sql)
        self.tables[name.lower()] = table
        if name == _SEQUENCE:
            # Made with the first table that needs it.
            for event in inner_table_events(name, 0, self.new):
                self.session.allows(*event)
            return
        compiler = Compiler(self.session, None)
        if allows_create(compiler, "table", table.name, None, False, self.new):
            announce_table(compiler, table)

    def _hear_index(self, sql: str) -> None:
        parsed, _ = parse_one(sql, 0, self.session.limits)
        assert parsed is not None and isinstance(parsed.statement, ast.CreateIndex), "a stored index has been parsed before"
        node = parsed.statement
        table = self.tables[node.table.lower()]
        compiler = Compiler(self.session, None)
        if allows_create(compiler, "index", node.name, table.name, False, self.new):
            announce_index(compiler, build_index(node, table, self.session.find_collation, sql=sql))
