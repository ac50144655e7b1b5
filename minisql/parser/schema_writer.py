"""CREATE, DROP, ALTER and the other commands back to SQL text.

Source: https://www.sqlite.org/lang.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from minisql.parser import ast
from minisql.parser import tokens as k
from minisql.parser.writer import name_list, qualified, quote_name, where, write, write_list

_PLAIN_TYPE = re.compile(r"([A-Za-z_][A-Za-z0-9_$]*( [A-Za-z_][A-Za-z0-9_$]*)*) ?(\([-+0-9., ]+\))?")


def _type(type_name: str) -> str:
    """Returns a column type, quoted if its words would not be read as a type again."""
    if not type_name:
        return ""
    match = _PLAIN_TYPE.fullmatch(type_name)
    words = match[1].upper().split() if match else []
    if words and all(k.KEYWORDS.get(word, k.ID) <= k.LAST_FALLBACK for word in words):
        return " " + type_name
    return " " + '"' + type_name.replace('"', '""') + '"'


def _on_conflict(conflict: str | None) -> str:
    return "" if conflict is None else f" ON CONFLICT {conflict}"


def _named(node: ast.Constraint, text: str) -> str:
    return text if node.name is None else f"CONSTRAINT {quote_name(node.name)} {text}"


def _primary_key(node: ast.PrimaryKey, depth: int) -> str:
    autoincrement = " AUTOINCREMENT" if node.is_autoincrement else ""
    if node.columns is not None:
        columns = write_list(node.columns, depth)
        return _named(node, f"PRIMARY KEY ({columns}{autoincrement}){_on_conflict(node.conflict)}")
    descending = " DESC" if node.is_descending else ""
    return _named(node, f"PRIMARY KEY{descending}{_on_conflict(node.conflict)}{autoincrement}")


def _unique(node: ast.Unique, depth: int) -> str:
    columns = "" if node.columns is None else f" ({write_list(node.columns, depth)})"
    return _named(node, f"UNIQUE{columns}{_on_conflict(node.conflict)}")


def _not_null(node: ast.NotNullConstraint, depth: int) -> str:
    return _named(node, f"NOT NULL{_on_conflict(node.conflict)}")


def _check(node: ast.Check, depth: int) -> str:
    return _named(node, f"CHECK ({write(node.expression, depth)}){_on_conflict(node.conflict)}")


def _default(node: ast.Default, depth: int) -> str:
    return _named(node, f"DEFAULT ({write(node.expression, depth)})")


def _collate(node: ast.CollateConstraint, depth: int) -> str:
    return _named(node, f"COLLATE {quote_name(node.collation)}")


def _generated(node: ast.Generated, depth: int) -> str:
    return _named(node, f"AS ({write(node.expression, depth)}) {'STORED' if node.is_stored else 'VIRTUAL'}")


def _foreign_key(node: ast.ForeignKey, depth: int) -> str:
    text = f"REFERENCES {quote_name(node.parent)}"
    if node.columns is not None:
        text = f"FOREIGN KEY ({name_list(node.columns)}) {text}"
    if node.parent_columns is not None:
        text += f" ({name_list(node.parent_columns)})"
    for event, action in (("DELETE", node.on_delete), ("UPDATE", node.on_update)):
        if action != "NO ACTION":
            text += f" ON {event} {action}"
    return _named(node, text + (" DEFERRABLE INITIALLY DEFERRED" if node.is_deferred else ""))


def _column_definition(node: ast.ColumnDefinition, depth: int) -> str:
    constraints = "".join([" " + write(constraint, depth) for constraint in node.constraints])
    return quote_name(node.name) + (_type(node.type_name) if node.type_name or not node.is_typed else ' ""') + constraints


def _create(node: Any, what: str) -> str:
    is_temporary = getattr(node, "is_temporary", False)
    exists = " IF NOT EXISTS" if node.if_not_exists else ""
    return f"CREATE {'TEMP ' if is_temporary else ''}{what}{exists} {qualified(node.schema, node.name)}"


def _create_table(node: ast.CreateTable, depth: int) -> str:
    start = _create(node, "TABLE")
    if node.select is not None:
        return f"{start} AS {write(node.select, depth)}"
    options = ["STRICT"] * node.is_strict + ["WITHOUT ROWID"] * node.is_without_rowid
    tail = " " + ", ".join(options) if options else ""
    return f"{start} ({write_list([*node.columns, *node.constraints], depth)}){tail}"


def _create_index(node: ast.CreateIndex, depth: int) -> str:
    start = _create(node, "UNIQUE INDEX" if node.is_unique else "INDEX")
    return f"{start} ON {quote_name(node.table)} ({write_list(node.columns, depth)}){where(node.where, depth)}"


def _create_view(node: ast.CreateView, depth: int) -> str:
    columns = "" if node.columns is None else f" ({name_list(node.columns)})"
    return f"{_create(node, 'VIEW')}{columns} AS {write(node.select, depth)}"


def _create_trigger(node: ast.CreateTrigger, depth: int) -> str:
    columns = "" if node.update_columns is None else f" OF {name_list(node.update_columns)}"
    text = f"{_create(node, 'TRIGGER')} {node.time} {node.event}{columns} ON {write(node.table, depth)}"
    if node.when is not None:
        text += f" WHEN {write(node.when, depth)}"
    return text + " BEGIN " + "".join([write(step, depth) + "; " for step in node.steps]) + "END"


def _create_virtual_table(node: ast.CreateVirtualTable, depth: int) -> str:
    arguments = f"({', '.join(node.arguments)})" if node.arguments else ""
    return f"{_create(node, 'VIRTUAL TABLE')} USING {quote_name(node.module)}{arguments}"


def _drop(node: ast.Drop, depth: int) -> str:
    return f"DROP {node.object_type} {'IF EXISTS ' if node.if_exists else ''}{qualified(node.schema, node.name)}"


def _alter(action: Callable[[Any, int], str]) -> Callable[[Any, int], str]:
    def write_alter(node: Any, depth: int) -> str:
        return f"ALTER TABLE {qualified(node.schema, node.table)} {action(node, depth)}"

    return write_alter


def _rename_column(node: ast.RenameColumn, depth: int) -> str:
    """Keeps whether the new name was quoted, because the texts that SQLite rewrites then quote it as well."""
    return f"RENAME COLUMN {quote_name(node.column)} TO {_word(node.new_name, node.is_new_name_quoted)}"


def _word(word: str, is_quoted: bool) -> str:
    """Returns a name whose quotes are part of its tree: in double quotes, or bare even where it is a keyword."""
    return '"' + word.replace('"', '""') + '"' if is_quoted else word


def _set_not_null(node: ast.SetNotNull, depth: int) -> str:
    return f"ALTER COLUMN {quote_name(node.column)} SET NOT NULL{_on_conflict(node.conflict)}"


def _optional(words: Sequence[str | None]) -> str:
    return " ".join([word for word in words if word])


def _target(word: str, node: Any) -> str:
    return word if node.name is None else f"{word} {qualified(node.schema, node.name)}"


def _vacuum(node: ast.Vacuum, depth: int) -> str:
    schema = None if node.schema is None else quote_name(node.schema)
    into = None if node.into is None else "INTO " + write(node.into, depth)
    return _optional(["VACUUM", schema, into])


def _attach(node: ast.Attach, depth: int) -> str:
    key = "" if node.key is None else f" KEY {write(node.key, depth)}"
    return f"ATTACH {write(node.file, depth)} AS {write(node.name, depth)}{key}"


def _pragma(node: ast.Pragma, depth: int) -> str:
    text = f"PRAGMA {qualified(node.schema, node.name)}"
    return text if node.value is None else f"{text} = {_word(node.value, node.is_quoted)}"


def _rollback(node: ast.Rollback, depth: int) -> str:
    return "ROLLBACK" if node.savepoint is None else f"ROLLBACK TO {quote_name(node.savepoint)}"


def _explain(node: ast.Explain, depth: int) -> str:
    return f"EXPLAIN {'QUERY PLAN ' if node.is_query_plan else ''}{write(node.statement, depth)}"


WRITERS: dict[type, Callable[[Any, int], str]] = {
    ast.PrimaryKey: _primary_key,
    ast.Unique: _unique,
    ast.NotNullConstraint: _not_null,
    ast.Check: _check,
    ast.Default: _default,
    ast.CollateConstraint: _collate,
    ast.Generated: _generated,
    ast.ForeignKey: _foreign_key,
    ast.ColumnDefinition: _column_definition,
    ast.CreateTable: _create_table,
    ast.CreateIndex: _create_index,
    ast.CreateView: _create_view,
    ast.CreateTrigger: _create_trigger,
    ast.CreateVirtualTable: _create_virtual_table,
    ast.Drop: _drop,
    ast.RenameTable: _alter(lambda node, depth: f"RENAME TO {quote_name(node.new_name)}"),
    ast.RenameColumn: _alter(_rename_column),
    ast.AddColumn: _alter(lambda node, depth: f"ADD COLUMN {write(node.column, depth)}"),
    ast.DropColumn: _alter(lambda node, depth: f"DROP COLUMN {quote_name(node.column)}"),
    ast.SetNotNull: _alter(_set_not_null),
    ast.DropNotNull: _alter(lambda node, depth: f"ALTER COLUMN {quote_name(node.column)} DROP NOT NULL"),
    ast.AddConstraint: _alter(lambda node, depth: f"ADD {write(node.constraint, depth)}"),
    ast.DropConstraint: _alter(lambda node, depth: f"DROP CONSTRAINT {quote_name(node.name)}"),
    ast.Analyze: lambda node, depth: _target("ANALYZE", node),
    ast.Reindex: lambda node, depth: _target("REINDEX", node),
    ast.Vacuum: _vacuum,
    ast.Attach: _attach,
    ast.Detach: lambda node, depth: f"DETACH {write(node.name, depth)}",
    ast.Pragma: _pragma,
    ast.Begin: lambda node, depth: f"BEGIN {node.mode}",
    ast.Commit: lambda node, depth: "COMMIT",
    ast.Rollback: _rollback,
    ast.Savepoint: lambda node, depth: f"SAVEPOINT {quote_name(node.name)}",
    ast.Release: lambda node, depth: f"RELEASE {quote_name(node.name)}",
    ast.Explain: _explain,
}
"""The function that writes a node, by its class."""
