"""Statement: one prepared statement of a session, with its program and its way through a run.

`start` is a generator: it hands out rows, and when it ends, fails or is closed, the statement is finished, which commits in
autocommit mode.  A program that no longer fits the schema is compiled again and started afresh, which can happen before the
first row only.

Source: https://www.sqlite.org/c3ref/prepare.html, https://www.sqlite.org/c3ref/step.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.engine.transactions import (
    IDLE,
    READING,
    commit_all,
    commit_at_once,
    end_reading,
    finish_statement,
    is_alone_in_memory,
    recover,
)
from minisql.errors import ABORT_ROLLBACK, INTERRUPT, SCHEMA, Error, sqlite_error
from minisql.functions.size_limits import check_lengths
from minisql.limits import DEFAULTS
from minisql.vm.handlers_bulk import insert_many
from minisql.vm.host import SchemaChanged
from minisql.vm.machine import run

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.engine.session import Session

_CHANGING = frozenset({"insert", "update", "delete", "replace"})
_BLANKS = " \t\f\n\r"
_MAX_RECOMPILES = 50
Part = tuple[Iterable[Sequence[Any]], "list[list[Any]] | None", "Exception | None"]
"""Sequences of values, the same by column if at hand, and what was raised when the next sequence was asked for."""


class Statement:
    """A prepared statement.  `generation` is the schema generation that the program was compiled for; `counts_changes` tells
    that it inserts, updates or deletes rows, `is_changing` that the DB-API counts it so: not behind WITH; `n_runs` and
    `n_recompiled` count; the rest is the state of the current run."""

    __slots__ = (
        "counts_changes",
        "deferred_violations",
        "generation",
        "is_cacheable",
        "is_changing",
        "is_empty",
        "is_running",
        "is_writing",
        "n_parameters",
        "n_recompiled",
        "n_runs",
        "parameter_names",
        "program",
        "savepoints",
        "session",
        "sql",
    )

    def __init__(self, session: Session, sql: str, program: Program) -> None:
        self.session = session
        self.sql = sql
        self.is_empty = False
        self.is_running = False
        self.is_writing = False
        self.savepoints: list[tuple[int, int]] = []
        self.deferred_violations = self.n_recompiled = self.n_runs = 0
        # As `adopt`, without the call.
        self.program = program
        self.generation = session.schema_generation
        self.n_parameters = program.n_parameters
        self.parameter_names = program.parameter_names
        self.counts_changes = program.statement_kind in _CHANGING
        self.is_changing = self.counts_changes and _begins_with_change(sql)
        self.is_cacheable = not program.is_ddl

    def adopt(self, program: Program) -> None:
        """Takes a newly compiled program."""
        self.program = program
        self.generation = self.session.schema_generation
        self.n_parameters = program.n_parameters
        self.parameter_names = program.parameter_names
        self.counts_changes = program.statement_kind in _CHANGING
        self.is_changing = self.counts_changes and _begins_with_change(self.sql)
        self.is_cacheable = not program.is_ddl

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the result columns."""
        return self.program.column_names

    @property
    def declared_types(self) -> list[str | None]:
        """The declared type of the table column behind each result column, None for expressions and columns without a type."""
        return [(origin[3] or None) if origin is not None else None for origin in self.program.column_origins]

    def start(self, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Runs the statement with a value for every parameter; yields its rows.

        All of the `try` begin before anything is noted: an exception that strikes at the word itself is caught by none.
        """
        session = self.session
        running = session.running
        if not running:
            session.is_interrupted = False
        error: BaseException | None = None
        try:
            try:
                try:
                    running.add(self)
                    self.is_running = True
                    self.n_runs += 1
                    session.starting, session.time_ms = self, None
                    if session.trace is not None:
                        session.report_trace(self, values)
                    if session.progress is not None and session.progress():
                        raise sqlite_error(INTERRUPT)
                    if session.limits is not DEFAULTS:
                        check_lengths(values, session.limits)
                    if self.generation != session.schema_generation:
                        self.recompile()
                    linked = self.program.linked
                    query = None if linked is None else getattr(linked, "query", None)
                    if query is not None and session.tier == "auto" and session.progress is None:
                        yield from query(session, *values)
                    else:
                        yield from run(self.program, session, values)
                except SchemaChanged:
                    yield from self._run_again(values)
            except GeneratorExit:
                raise
            except BaseException as raised:
                error = raised
                if self.is_writing and self not in session.writers and isinstance(raised, Error):
                    error = sqlite_error(ABORT_ROLLBACK)
                    raise error from raised
                raise
            finally:
                self._finish(error)
        except GeneratorExit:
            raise
        except BaseException as raised:
            if not isinstance(error or raised, Error):
                recover(session, self)
            raise

    def run_at_once(self, values: Sequence[Any]) -> bool:
        """Runs the statement to its end if that is a single call: it changes data, is translated and has no rows to hand out.

        False, with nothing done, for every other statement and whenever somebody listens; then `start` is the way.
        """
        session = self.session
        call = getattr(self.program.linked, "call", None)
        if (
            call is None
            or self.generation != session.schema_generation
            or session.tier == "1"
            or session.trace is not None
            or session.progress is not None
            or session.limits is not DEFAULTS
        ):
            return False
        running = session.running
        if not running:
            session.is_interrupted = False
        error: BaseException | None = None
        try:
            try:
                try:
                    running.add(self)
                    self.is_running = True
                    self.n_runs += 1
                    session.starting, session.time_ms = self, None
                    call(session, *values)
                except SchemaChanged:
                    for _row in self._run_again(values):
                        pass
            except BaseException as raised:
                error = raised
                if self.is_writing and self not in session.writers and isinstance(raised, Error):
                    error = sqlite_error(ABORT_ROLLBACK)
                    raise error from raised
                raise
            finally:
                self._finish(error)
        except BaseException as raised:
            if not isinstance(error or raised, Error):
                recover(session, self)
            raise
        return True

    def _finish(self, error: BaseException | None) -> None:
        """Ends a run; the plain cases, within a transaction and a single reader of the main database, cost no further call."""
        session = self.session
        running = session.running
        self.is_running, session.starting = False, None
        running.discard(self)
        if not session.autocommit:
            if error is None and not self.savepoints:
                if self.is_writing:
                    self.is_writing = False
                    session.writers.discard(self)
            else:
                finish_statement(session, self, error)
        elif running or self.is_writing:
            if running or error is not None or not commit_at_once(session, self):
                finish_statement(session, self, error)
        else:
            states = session.transaction_states
            if states[0] == READING:
                states[0] = IDLE
                session.btrees[0].end_read()  # type: ignore[union-attr]
                if session.flags["defer_foreign_keys"]:
                    commit_all(session)
            if READING in states:
                end_reading(session)

    def run_many(self, sequences: Iterable[Sequence[Any]], parts: Iterable[Part] | None = None) -> int:
        """Runs the statement once for every sequence of values, drops its rows, and returns how many rows were changed.

        `parts` are the same by the thousand, where asking for the next ones has nothing to do with the database: the sequences
        of a list may be inserted together.

        Within a transaction nothing has to be committed or undone between two runs of a statement that cannot fail half-way,
        so they share one beginning and one end.  In memory it is the same in autocommit mode when nobody listens.
        """
        session = self.session
        needs_each = session.trace is not None or session.limits is not DEFAULTS or self.program.needs_statement_journal
        if needs_each or (session.autocommit and not is_alone_in_memory(session)):
            return self._run_singly(sequences)
        if parts is not None and self.program.rows_spec is not None and session.progress is None:
            return self._run_gathered(parts)
        return self._run_singly(sequences) if session.autocommit else self._run_each(sequences)

    def _run_singly(self, sequences: Iterable[Sequence[Any]]) -> int:
        """Runs the statement for each sequence of values, each run with a beginning and an end of its own."""
        session = self.session
        n_changes = 0
        for values in sequences:
            if not self.run_at_once(values):
                for _row in self.start(values):
                    pass
            n_changes += session.changes
        return n_changes

    def _run_gathered(self, parts: Iterable[Part]) -> int:
        """Inserts sequences of values by the thousand, as far as they have no conflicts, and one by one where they have.

        In autocommit mode, where nobody can see the difference, a thousand share a transaction; when it fails, they are tried
        one by one.
        """
        n_changes = 0
        run_each = self._run_singly if self.session.autocommit else self._run_each
        for values, columns, failure in parts:
            is_done = False
            if isinstance(values, list):
                was_autocommit = self.session.autocommit
                try:
                    is_done = self._insert_many(values, columns)
                except Error:
                    if not was_autocommit:
                        raise
            n_changes += len(values) if is_done else run_each(values)  # type: ignore[arg-type]
            if failure is not None:
                raise failure
        return n_changes

    def _insert_many(self, rows: list[Any], columns: list[list[Any]] | None) -> bool:
        session = self.session
        if self.generation != session.schema_generation:
            return False
        error: BaseException | None = None
        try:
            try:
                session.running.add(self)
                self.is_running = True
                session.starting = self
                session.time_ms = None
                is_done = insert_many(self.program, session, rows, columns)
                self.n_runs += len(rows) if is_done else 0
                return is_done
            except SchemaChanged:
                return False
            except BaseException as raised:
                error = raised
                raise
            finally:
                self.is_running = False
                session.starting = None
                finish_statement(session, self, error)
        except BaseException as raised:
            if not isinstance(error or raised, Error):
                recover(session, self)
            raise

    def _run_each(self, sequences: Iterable[Sequence[Any]]) -> int:
        """Runs the statement for each sequence of values between one beginning and one end; returns how many rows were changed.

        What the user's iterator raises ends it: what was done until then stays.
        """
        session = self.session
        error: BaseException | None = None
        failure: Exception | None = None
        n_changes = 0
        is_direct = session.tier != "1" and session.progress is None
        try:
            try:
                session.running.add(self)
                self.is_running = True
                given = iter(sequences)
                while True:
                    try:
                        values = next(given)
                    except StopIteration:
                        break
                    except Exception as raised:
                        failure = raised
                        break
                    self.n_runs += 1
                    session.starting, session.time_ms = self, None
                    if self.generation != session.schema_generation:
                        self.recompile()
                    call = getattr(self.program.linked, "call", None)
                    try:
                        if call is not None and is_direct:
                            call(session, *values)
                        else:
                            for _row in run(self.program, session, values):
                                pass
                    except SchemaChanged:
                        for _row in self._run_again(values):
                            pass
                    n_changes += session.changes
            except BaseException as raised:
                error = raised
                raise
            finally:
                self.is_running = False
                session.starting = None
                finish_statement(session, self, error)
        except BaseException as raised:
            if not isinstance(error or raised, Error):
                recover(session, self)
            raise
        if failure is not None:
            raise failure
        return n_changes

    def _run_again(self, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        for _attempt in range(_MAX_RECOMPILES):
            self.recompile()
            try:
                yield from run(self.program, self.session, values)
                return
            except SchemaChanged:
                continue
        raise sqlite_error(SCHEMA)

    def recompile(self) -> None:
        """Compiles the statement for the current schema."""
        self.n_recompiled += 1
        self.adopt(self.session.compile(self.sql))


def _begins_with_change(sql: str) -> bool:
    """Tells whether the first word, behind blanks and comments, is INSERT, UPDATE, DELETE or REPLACE: not WITH, nor ";"."""
    at, length = 0, len(sql)
    while at < length:
        if sql[at] in _BLANKS:
            at += 1
        elif sql.startswith("--", at):
            at = sql.find("\n", at) + 1 or length
        elif sql.startswith("/*", at):
            end = sql.find("*/", at + 2)
            at = end + 2 if end >= 0 else length
        else:
            break
    return sql[at : at + 6].lower() in _CHANGING or sql[at : at + 7].lower() == "replace"


class EmptyStatement(Statement):
    """A text without a statement in it: blanks and comments."""

    __slots__ = ()

    def __init__(self, session: Session, sql: str) -> None:
        self.session = session
        self.sql = sql
        self.is_empty = True
        self.is_running = False
        self.is_writing = False
        self.savepoints = []
        self.n_parameters = 0
        self.parameter_names = ()
        self.generation = session.schema_generation
        self.counts_changes = self.is_changing = False
        self.is_cacheable = False

    @property
    def column_names(self) -> tuple[str, ...]:
        """No columns."""
        return ()

    @property
    def declared_types(self) -> list[str | None]:
        """No columns."""
        return []

    def start(self, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Does nothing."""
        return iter(())
