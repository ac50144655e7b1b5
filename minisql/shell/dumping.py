"""Dumping: a database as SQL text, in the words of the official shell's `.dump`.

Tables come in the order of the schema with their rows, sqlite_sequence last of them, then views, triggers and indexes.  A
virtual table is an INSERT into the schema table, because its shadow tables come on their own.  The text of a row is that of
mode insert.

Source: https://www.sqlite.org/cli.html#converting_an_entire_database_to_a_text_file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.shell.rendering import program_real, sql_text
from minisql.shell.row_modes import identifier
from minisql.shell.state import ShellState

_TABLES = (
    "SELECT name, type, sql FROM sqlite_schema AS o WHERE ({filter}) AND type=='table' AND sql NOT NULL"
    " ORDER BY tbl_name='sqlite_sequence', rowid"
)
_OTHERS = (
    "SELECT sql FROM sqlite_schema AS o WHERE ({filter}) AND sql NOT NULL AND type IN ('index','trigger','view')"
    " ORDER BY type COLLATE NOCASE DESC"
)


class DumpOptions:
    """What `.dump` was asked for; `patterns` are LIKE patterns of names, all objects if there are none."""

    def __init__(self) -> None:
        self.has_schema = True
        self.has_system = True
        self.has_rowids = False
        self.patterns: list[str] = []


def dump_lines(state: ShellState, options: DumpOptions) -> Iterator[str]:
    """The lines of a dump, each with its line feed."""
    condition, values = _condition(options)
    if options.has_schema:
        yield "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n"
    state.query("SAVEPOINT dump")
    ending = "COMMIT;\n"
    is_writable = False
    try:
        for name, _kind, sql in state.query(_TABLES.format(filter=condition), values):
            if options.has_schema and not is_writable and _needs_writable_schema(name, sql):
                is_writable = True
                yield "PRAGMA writable_schema=ON;\n"
            yield from _table_lines(state, options, name, sql)
        if options.has_schema:
            for (sql,) in state.query(_OTHERS.format(filter=condition), values):
                yield f"{sql};\n"
    except Error as error:
        yield f"/****** ERROR: {error} ******/\n"
        ending = "ROLLBACK; -- due to errors\n"
    finally:
        state.query("RELEASE dump")
    if options.has_schema:
        yield ("PRAGMA writable_schema=OFF;\n" if is_writable else "") + ending


def _condition(options: DumpOptions) -> tuple[str, tuple[str, ...]]:
    pieces = []
    if options.patterns:
        likes = [
            f"name LIKE ?{number} ESCAPE '\\' OR EXISTS (SELECT 1 FROM sqlite_schema WHERE name LIKE ?{number} ESCAPE '\\' AND"
            " sql LIKE 'CREATE VIRTUAL TABLE%' AND substr(o.name,1,length(name)+1) == (name||'_'))"
            for number in range(1, len(options.patterns) + 1)
        ]
        pieces.append(f"({' OR '.join(likes)})")
    if not options.has_system:
        pieces.append("name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    return " AND ".join(pieces) or "1", tuple(options.patterns)


def _needs_writable_schema(name: str, sql: str) -> bool:
    return name == "sqlite_sequence" or sql.upper().startswith("CREATE VIRTUAL TABLE")


def _table_lines(state: ShellState, options: DumpOptions, name: str, sql: str) -> Iterator[str]:
    if options.has_schema:
        if name.startswith("sqlite_stat") and name[11:].isdigit():
            yield "ANALYZE sqlite_schema;\n"
        elif name == "sqlite_sequence":
            yield "CREATE TABLE IF NOT EXISTS sqlite_sequence(name,seq);\nDELETE FROM sqlite_sequence;\n"
        elif sql.upper().startswith("CREATE VIRTUAL TABLE"):
            texts = ",".join(sql_text(text) for text in (name, name))
            yield f"INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table',{texts},0,{sql_text(sql)});\n"
            return
        elif name.startswith("sqlite_"):
            return
        elif re.match(r"CREATE TABLE ['\"]", sql):
            yield f"CREATE TABLE IF NOT EXISTS {sql[13:]};\n"
        else:
            yield f"{sql};\n"
    elif sql.upper().startswith("CREATE VIRTUAL TABLE"):
        return
    yield from _row_lines(state, options, name)


def _row_lines(state: ShellState, options: DumpOptions, name: str) -> Iterator[str]:
    names = [row[1] for row in state.query(f"PRAGMA table_info({quoted(name)})")]
    if not names:
        return
    shown = names
    rowid = _rowid_name(state, name, names) if options.has_rowids else None
    if rowid is not None:
        shown = [rowid, *names]
    columns = f"({','.join(map(identifier, shown))})" if options.has_rowids or not options.has_schema else ""
    head = f"INSERT INTO {identifier(name)}{columns} VALUES("
    selected = ",".join(([rowid] if rowid is not None else []) + [quoted(column) for column in names])
    statement, _end = state.connection._open_session().prepare(f"SELECT {selected} FROM {quoted(name)}")
    for row in statement.start():
        yield head + ",".join([_literal(value) for value in row]) + ");\n"


def _rowid_name(state: ShellState, name: str, names: list[str]) -> str | None:
    """A name for the rowid that no column has; None if the rowid is a column, or there is none."""
    info = state.query(f"PRAGMA table_info({quoted(name)})")
    keys = [row for row in info if row[5]]
    if len(keys) == 1 and str(keys[0][2]).upper() == "INTEGER":
        return None
    taken = {column.lower() for column in names}
    found = next((candidate for candidate in ("rowid", "_rowid_", "oid") if candidate not in taken), None)
    if found is None:
        return None
    try:
        state.connection._open_session().prepare(f"SELECT {found} FROM {quoted(name)}")
    except Error:
        return None  # WITHOUT ROWID
    return found


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return sql_text(value.partition("\0")[0])
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return program_real(value) if isinstance(value, float) else str(value)
