"""iterdump: SQL text that makes a database again.

Source: https://docs.python.org/3/library/sqlite3.html#sqlite3.Connection.iterdump; the official shell's .dump.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.dbapi.connection import Connection

# Since Python 3.13 a dump with violations of foreign keys can be read back.
_SHOWS_VIOLATIONS = sys.version_info >= (3, 13)


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def iterate_dump(connection: Connection, pattern: str | None) -> Iterator[str]:
    """The statements, from BEGIN TRANSACTION to COMMIT; `pattern` is a LIKE pattern for object names."""
    cursor = connection.cursor()
    cursor.row_factory = None
    only = f"AND name LIKE {_literal(pattern)}" if pattern else ""
    if _SHOWS_VIOLATIONS and cursor.execute("PRAGMA foreign_key_check").fetchall():
        yield "PRAGMA foreign_keys=OFF;"
    yield "BEGIN TRANSACTION;"
    tables = cursor.execute(
        f"""SELECT name, type, sql FROM sqlite_master WHERE sql NOT NULL AND type == 'table' {only} ORDER BY name"""
    ).fetchall()
    sequence: list[str] = []
    is_writable_schema = False
    for name, _kind, sql in tables:
        if name == "sqlite_sequence":
            sequence.append('DELETE FROM "sqlite_sequence";')
            rows = cursor.execute(f"""SELECT 'INSERT INTO "sqlite_sequence" VALUES('||{_quoted_columns(cursor, name)}
                ||');' FROM "sqlite_sequence" """).fetchall()
            sequence.extend(row[0] for row in rows)
            continue
        if name == "sqlite_stat1":
            yield 'ANALYZE "sqlite_master";'
        elif name.startswith("sqlite_"):
            continue
        elif sql.upper().startswith("CREATE VIRTUAL TABLE"):
            if not is_writable_schema:
                is_writable_schema = True
                yield "PRAGMA writable_schema=ON;"
            quoted = name.replace("'", "''")
            text = sql.replace("'", "''")
            yield (
                f"INSERT INTO sqlite_master(type,name,tbl_name,rootpage,sql)VALUES('table','{quoted}','{quoted}',0,'{text}');"
            )
            continue
        else:
            yield f"{sql};"
        values = _quoted_columns(cursor, name)
        prefix = f"INSERT INTO {_identifier(name)} VALUES(".replace("'", "''")
        for row in cursor.execute(f"SELECT '{prefix}' || {values} || ')' FROM {_identifier(name)}").fetchall():
            yield f"{row[0]};"
    others = cursor.execute(
        f"""SELECT name, type, sql FROM sqlite_master
            WHERE sql NOT NULL AND type IN ('index', 'trigger', 'view') {only}"""
    ).fetchall()
    for _name, _kind, sql in others:
        yield f"{sql};"
    if is_writable_schema:
        yield "PRAGMA writable_schema=OFF;"
    yield from sequence
    yield "COMMIT;"


def _quoted_columns(cursor: object, table: str) -> str:
    rows = cursor.execute(f"PRAGMA table_info({_identifier(table)})").fetchall()  # type: ignore[attr-defined]
    return "||','||".join(f"quote({_identifier(row[1])})" for row in rows)
