"""Strings in double quotes become strings in single quotes before ALTER TABLE renames or drops a column.

A name in double quotes that means no column is a string; after the change it might mean one, or be missed as one.  So RENAME
COLUMN and DROP COLUMN first write such strings of every table, index, view and trigger that they look at as what they are.

Source: https://www.sqlite.org/quirks.html#dblquote, https://www.sqlite.org/lang_altertable.html section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from minisql.catalog.build import strip_collation
from minisql.catalog.rename import StoredText, apply_edits
from minisql.errors import ERROR, Error, sqlite_error
from minisql.parser import ast
from minisql.planner.alter_checks import affected_objects, quoted_strings
from minisql.planner.references import walk
from minisql.planner.schema_rows import loaded_schema
from minisql.planner.scope import ROWID_NAMES
from minisql.planner.stored_texts import SchemaObject

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.planner.compiler import Compiler


def fixed_objects(compiler: Compiler, table: Table, when: str = "") -> Iterator[tuple[int, SchemaObject, bool]]:
    """All objects that may mention the table: database, object with its strings in single quotes, and whether it had others.

    `when` completes an error (" after drop column").
    """
    for database, item in affected_objects(compiler, table):
        sql = _fixed(compiler, database, item, table, when) if '"' in item.sql else None
        if sql is None:
            yield database, item, False
        else:
            yield database, SchemaObject(item.kind, item.name, item.table_name, sql), True


def _fixed(compiler: Compiler, database: int, item: SchemaObject, table: Table, when: str) -> str | None:
    """The text of an object with its strings in single quotes; None if nothing changes."""
    text = item.text()
    statement = text.parsed.statement
    if isinstance(statement, ast.CreateTable):
        strings = _strings_of(walk(statement), {definition.name.lower() for definition in statement.columns})
    elif isinstance(statement, ast.CreateIndex):
        owner = loaded_schema(compiler.context.catalog, database).tables.get(item.table_name.lower())
        strings = _strings_of(walk(statement), owner.column_positions if owner is not None else ())
        for term in statement.columns:
            column = strip_collation(term.expression)[0]
            if isinstance(column, ast.Column) and column in strings:
                # In single quotes it would be taken for the name of a column.
                raise sqlite_error(ERROR, f"error in index {item.name}{when}: no such column: {column.name}")
    else:
        try:
            ids = quoted_strings(compiler, database, item, text, table)
        except Error:
            return None
        strings = [node for node in walk(statement) if isinstance(node, ast.Column) and id(node) in ids]
    edits = [text.edit(node.position, _literal(node.name)) for node in strings]
    return apply_edits(item.sql, edits) if edits else None


def _strings_of(nodes: Iterable[object], columns: Iterable[str]) -> list[ast.Column]:
    known = {*columns, *ROWID_NAMES}
    return [
        node
        for node in nodes
        if isinstance(node, ast.Column) and node.is_double_quoted and node.table is None and node.name.lower() not in known
    ]


def _literal(name: str) -> str:
    escaped = name.replace("'", "''")
    return f"'{escaped}'"


def refuse_missing_names(text: StoredText, altered: Table, what: str) -> None:
    """Raises for a name in double quotes that meant the dropped column: no string is left in double quotes by then."""
    for node in _strings_of(walk(text.parsed.statement), altered.column_positions):
        detail = f'no such column: "{node.name}" - should this be a string literal in single-quotes?'
        raise sqlite_error(ERROR, f"error in {what} {altered.name} after drop column: {detail}")
