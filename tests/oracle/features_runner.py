"""Runs the feature scripts: the same statements on minisql and on SQLite 3.54.1, everything a client can see compared.

A script `features/NNN-name.sql` belongs to row NNN of COMPAT.md.  Statements are separated by blank lines; lines that start
with `--` are comments; a block `.reset` starts over with a fresh in-memory database, `.file` with a fresh database file, `.stdlib`
with a fresh in-memory database whose oracle is the standard library's sqlite3: older, but built with options that apsw's
library lacks; in a block whose first line is `.each` every further line is a statement.  A table `features/NNN_name.py` makes such blocks with
its function `blocks()`: cross products of clauses, types and situations.  A module `tables/*.py` makes statements for several
rows: its `TABLES` maps `NNN-name` to a function that yields them, as text or as (text, parameters).
For each statement these must be equal, type-exactly: rows, column names, error text and extended result code, changes(),
total_changes() and last_insert_rowid().  Of EXPLAIN QUERY PLAN the tree of details is compared: ids are addresses of a program.
"""

from __future__ import annotations

import importlib
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw

import minisql

FEATURES = Path(__file__).parent / "features"
TABLES = Path(__file__).parent / "tables"
# A result that Python cannot show; statements that are about its bytes say hex().
NOT_UTF8 = ("text that is not UTF-8",)

Outcome = tuple[Any, ...]
Statement = str | tuple[str, Any]


class Script(NamedTuple):
    """Statements that belong to one row: `name` is NNN-what."""

    name: str
    statements: list[Statement]


def scripts() -> Iterator[Script]:
    """All feature scripts and tables, by row number."""
    paths = [*FEATURES.glob("[0-9][0-9][0-9]-*.sql"), *FEATURES.glob("[0-9][0-9][0-9]_*.py")]
    made: dict[str, Any] = {path.stem: path for path in paths}
    for path in sorted(TABLES.glob("[a-z]*.py")):
        for name, generate in importlib.import_module(f"tests.oracle.tables.{path.stem}").TABLES.items():
            assert name not in made, f"two scripts are called {name}"
            made[name] = generate
    for name, source in sorted(made.items()):
        yield Script(name, list(statements(source) if isinstance(source, Path) else source()))


def blocks(path: Path) -> Iterable[str]:
    """The blocks of a script or of a table."""
    if path.suffix == ".sql":
        return path.read_text(encoding="utf-8").split("\n\n")
    made: Iterable[str] = importlib.import_module(f"tests.oracle.features.{path.stem}").blocks()
    return made


def statements(path: Path) -> Iterator[str]:
    """The statements of a script or table, without comment lines."""
    for block in blocks(path):
        lines = [line for line in block.split("\n") if not line.startswith("--")]
        text = "\n".join(lines).strip()
        if text.startswith(".each\n"):
            yield from filter(None, map(str.strip, text.split("\n")[1:]))
        elif text:
            yield text


def typed(value: object) -> object:
    """A value with its type, so that 1, 1.0 and '1' differ; NaN-free."""
    if isinstance(value, float):
        return ("real", repr(value))
    return (type(value).__name__, value)


def plan_tree(sql: str, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of EXPLAIN QUERY PLAN with ids and parents numbered from one; other rows as they are."""
    if not sql.upper().startswith("EXPLAIN QUERY PLAN"):
        return rows
    numbers = {row[0]: number for number, row in enumerate(rows, 1)}
    return [(numbers[row[0]], numbers.get(row[1], 0), row[3]) for row in rows]


class Oracle:
    """SQLite 3.54.1 through apsw."""

    def __init__(self, path: str) -> None:
        self.connection = apsw.Connection(path, statementcachesize=0)
        self.names: tuple[str, ...] = ()
        self.connection.exec_trace = self.keep_names

    def keep_names(self, cursor: Any, _sql: str, _bindings: object) -> bool:
        """Takes the column names before the first row, since apsw has none after the last one."""
        self.names = tuple(column[0] for column in cursor.get_description())
        return True

    def run(self, sql: str, parameters: Any = ()) -> Outcome:
        connection = self.connection
        try:
            rows = [tuple(map(typed, row)) for row in connection.cursor().execute(sql, parameters)]
            # some ALTER TABLE forms let the names of a query of their own show through, without ever giving a row
            names = () if sql.upper().startswith("ALTER") else self.names
            outcome: Outcome = ("rows", names, plan_tree(sql, rows))
        except apsw.BindingsError:
            raise AssertionError(f"a script cannot give values for parameters: {sql}") from None
        except apsw.Error as error:
            outcome = ("error", str(error), error.extendedresult)
        except UnicodeDecodeError:
            outcome = NOT_UTF8
        return (
            *outcome,
            connection.changes(),
            connection.total_changes(),
            connection.last_insert_rowid(),
        )

    def close(self) -> None:
        self.connection.close()


class StandardOracle:
    """The SQLite library of the standard library's module, for features that are build options."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)

    def run(self, sql: str, parameters: Any = ()) -> Outcome:
        return _dbapi_outcome(self.connection, sqlite3.Error, sql, parameters)

    def close(self) -> None:
        self.connection.close()


class Subject:
    """minisql through its DB-API module."""

    def __init__(self, path: str) -> None:
        self.connection = minisql.connect(path, isolation_level=None)

    def run(self, sql: str, parameters: Any = ()) -> Outcome:
        return _dbapi_outcome(self.connection, minisql.Error, sql, parameters)

    def close(self) -> None:
        self.connection.close()


def _dbapi_outcome(connection: Any, error_class: type[Exception], sql: str, parameters: Any) -> Outcome:
    """What a DB-API connection makes of a statement."""
    try:
        cursor = connection.execute(sql, parameters)
        rows = [tuple(map(typed, row)) for row in cursor.fetchall()]
        names = tuple(column[0] for column in cursor.description or ())
        outcome: Outcome = ("rows", names, plan_tree(sql, rows))
    except error_class as error:
        outcome = ("error", str(error), getattr(error, "sqlite_errorcode", None))
        if str(error).startswith("Could not decode to UTF-8"):
            outcome = NOT_UTF8
    state = connection.execute("SELECT changes(), total_changes(), last_insert_rowid()").fetchone()
    return (*outcome, *state)


_results: dict[str, tuple[int, list[str]]] = {}


def differences(script: Script) -> tuple[int, list[str]]:
    """Runs one script, once a process; returns the number of statements and a description of each difference."""
    if script.name not in _results:
        _results[script.name] = _run(script)
    return _results[script.name]


def _run(script: Script) -> tuple[int, list[str]]:
    count = 0
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        n_files = 0
        oracle: Oracle | StandardOracle = Oracle(":memory:")
        subject = Subject(":memory:")
        totals = (0, 0)
        try:
            for statement in script.statements:
                sql, parameters = (statement, ()) if isinstance(statement, str) else statement
                if sql in (".reset", ".file", ".stdlib"):
                    oracle.close()
                    subject.close()
                    n_files += 1
                    names = [os.path.join(folder, f"{n_files}-{who}.db") for who in ("c", "m")]
                    if sql != ".file":
                        names = [":memory:", ":memory:"]
                    oracle = StandardOracle(names[0]) if sql == ".stdlib" else Oracle(names[0])
                    subject = Subject(names[1])
                    totals = (0, 0)
                    continue
                count += 1
                wanted = oracle.run(sql, parameters)
                try:
                    got = subject.run(sql, parameters)
                    # Totals count from the first statement: only what this one adds is its own.
                    before, totals = totals, (wanted[-2], got[-2])
                    wanted = (*wanted[:-2], wanted[-2] - before[0], wanted[-1])
                    got = (*got[:-2], got[-2] - before[1], got[-1])
                except Exception as error:  # any other exception is a difference to be shown, not the end of the run
                    got = ("exception", repr(error))
                if wanted != got:
                    found.append(f"{script.name}: {sql}\n    wanted {wanted}\n    got    {got}")
        finally:
            oracle.close()
            subject.close()
    return count, found
