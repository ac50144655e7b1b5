"""Runs a script of SQL statements on minisql and on SQLite (apsw) and compares everything a user can see of each statement.

A script is text with one statement a line; blank lines end a script and begin the next, lines with `--` comment.  Compared
are rows, or error text and extended code, then changes(), total_changes() and last_insert_rowid(); at the end both engines'
sqlite_schema, and SQLite's integrity check of the file that minisql wrote.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from minisql.engine.session import Session
from minisql.errors import Error

_STATE = "SELECT changes(), total_changes(), last_insert_rowid()"


def scripts(text: str) -> list[list[str]]:
    """The scripts of a text."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped:
            if found[-1]:
                found.append([])
        elif not stripped.startswith("--"):
            found[-1].append(stripped)
    return [script for script in found if script]


def _run_minisql(session: Session, sql: str) -> object:
    try:
        return session.execute(sql)
    except Error as error:
        return f"{error} ({error.sqlite_errorcode})"


def _run_sqlite(connection: apsw.Connection, sql: str) -> object:
    try:
        return list(connection.execute(sql))
    except apsw.Error as error:
        return f"{error} ({error.extendedresult})"


def _state(rows: list[tuple[int, int, int]], totals: list[int], engine: int) -> tuple[int, int, int]:
    """changes(), the growth of total_changes(), last_insert_rowid()."""
    changes, total, rowid = rows[0]
    growth = total - totals[engine]
    totals[engine] = total
    return changes, growth, rowid


def compare_script(script: list[str], path: Path) -> list[str]:
    """The differences, one text each; an empty list when both engines agree."""
    session = Session(str(path))
    connection = apsw.Connection(":memory:")
    differences = []
    totals = [0, 0]
    for sql in script:
        ours = _run_minisql(session, sql)
        theirs = _run_sqlite(connection, sql)
        if repr(ours) != repr(theirs):
            differences.append(f"{sql}\n    minisql {ours!r}\n    sqlite  {theirs!r}")
            continue
        if not sql.lower().startswith(("select", "pragma", "explain")):
            state, expected = _state(session.execute(_STATE), totals, 0), _state(list(connection.execute(_STATE)), totals, 1)
            if state != expected:
                differences.append(f"{sql}\n    minisql {state} after it\n    sqlite  {expected}")
    listing = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    if session.execute(listing) != list(connection.execute(listing)):
        differences.append(f"schema\n    minisql {session.execute(listing)}\n    sqlite  {list(connection.execute(listing))}")
    session.close()
    connection.close()
    written = apsw.Connection(str(path))
    check = list(written.execute("PRAGMA integrity_check"))
    written.close()
    if check != [("ok",)]:
        differences.append(f"integrity check of the file: {check}")
    return differences
