"""A log of slow and failing statements, for a project's own test records; off unless MINISQL_TRACE names a file.

`MINISQL_TRACE=FILE[:MILLISECONDS]` appends one JSON object a line for each statement that fails or takes longer (100 ms by
default): its text, how long it took, the error, the storage classes of its parameters and the schema it ran on.  Neither
parameter values nor rows are written, so that the log of a production system can be handed on.  A log that cannot be written
is given up silently: tracing never makes a statement fail.  Without the variable a connection pays one look at the environment.
"""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minisql.engine.session import Session
from minisql.engine.statement import EmptyStatement, Part, Statement
from minisql.errors import Error

VARIABLE = "MINISQL_TRACE"
DEFAULT_MS = 100.0
_SCHEMA = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
_CLASSES = {int: "integer", float: "real", str: "text", bytes: "blob", type(None): "null"}

Report = Callable[[str, float, str, Sequence[Any]], None]


def open_session(filename: str, *, is_uri: bool, timeout_ms: int) -> Session:
    """A session, one that keeps the log if the environment asks for it."""
    setting = os.environ.get(VARIABLE)
    if not setting:
        return Session(filename, is_uri=is_uri, timeout_ms=timeout_ms)
    return _TracedSession(filename, is_uri=is_uri, timeout_ms=timeout_ms, log=setting)


def parse_setting(setting: str) -> tuple[str, float]:
    """FILE[:MILLISECONDS] as (file, milliseconds)."""
    path, _, number = setting.rpartition(":")
    try:
        return (path, float(number)) if path else (setting, DEFAULT_MS)
    except ValueError:
        return setting, DEFAULT_MS


class _TracedSession(Session):
    """A session whose statements are timed."""

    def __init__(self, filename: str, *, is_uri: bool, timeout_ms: int, log: str) -> None:
        super().__init__(filename, is_uri=is_uri, timeout_ms=timeout_ms)
        self._log_path, self._threshold_ms = parse_setting(log)

    def prepare(self, sql: str, start: int = 0) -> tuple[Statement, int]:
        """Compiles as usual; a text that does not compile is logged."""
        began = time.perf_counter()
        try:
            statement, end = super().prepare(sql, start)
        except Error as error:
            self._report(sql[start:], (time.perf_counter() - began) * 1000, str(error), ())
            raise
        if not isinstance(statement, EmptyStatement):
            statement = _TracedStatement(self, statement.sql, statement.program, self._report)
        return statement, end

    def _report(self, sql: str, spent_ms: float, error: str, values: Sequence[Any]) -> None:
        if not error and spent_ms < self._threshold_ms:
            return
        entry = {
            "sql": sql,
            "ms": round(spent_ms, 3),
            "error": error,
            "parameters": [_CLASSES.get(type(value), "text") for value in values],
            "schema": self._schema_texts(),
        }
        # Loaded with the first entry: nobody else needs it.
        line = importlib.import_module("json").dumps(entry).encode() + b"\n"
        try:
            log = os.open(self._log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(log, line)
            finally:
                os.close(log)
        except OSError:
            self._threshold_ms = float("inf")

    def _schema_texts(self) -> list[str]:
        """The definitions in the main schema; none when it cannot be read now (closed, damaged, locked)."""
        try:
            statement, _end = super().prepare(_SCHEMA)
            return [str(row[0]) for row in statement.start()]
        except Error:
            return []


class _TracedStatement(Statement):
    """A statement that measures itself: the time inside the engine, not what the caller does between two rows."""

    __slots__ = ("_report",)

    def __init__(self, session: Session, sql: str, program: Any, report: Report) -> None:
        super().__init__(session, sql, program)
        self._report = report

    def start(self, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Runs as usual; what is slow or fails is logged at the end."""
        spent, message = 0.0, ""
        rows = super().start(values)
        try:
            while True:
                began = time.perf_counter()
                try:
                    row = next(rows)
                except StopIteration:
                    return
                finally:
                    spent += time.perf_counter() - began
                yield row
        except Error as error:
            message = str(error)
            raise
        finally:
            rows.close()  # type: ignore[attr-defined]
            self._report(self.sql, spent * 1000, message, values)

    def run_at_once(self, values: Sequence[Any]) -> bool:
        """Never: only `start` measures."""
        return False

    def run_many(self, sequences: Iterable[Sequence[Any]], parts: Iterable[Part] | None = None) -> int:
        """Runs the statement once for every sequence of values, each run measured for itself."""
        n_changes = 0
        for values in sequences:
            for _row in self.start(values):
                pass
            n_changes += self.session.changes
        return n_changes
