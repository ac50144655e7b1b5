"""minisql and SQLite 3.54.1 (apsw) behind one face: run a statement, get everything of it that can be compared.

A statement that costs SQLite too many steps is not asked of minisql (`Costly`), so a round's time is bounded.  minisql gets a
generous limit of its own; passing it is a difference like any other.
"""

from __future__ import annotations

import math
import re
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import apsw

from minisql.engine.session import Session
from minisql.errors import Error
from tests.fuzz.corners import PARAMETERS as BOUND

STEPS = 1_000
BUDGET = 150
"""SQLite's steps before a statement is called costly: BUDGET callbacks of STEPS each."""
SECONDS = 30.0
PARAMETERS = {name[1:]: value for name, value in BOUND.items()}
_STATE = "SELECT changes(), total_changes(), last_insert_rowid()"


class Costly(Exception):
    """A statement takes too many steps to be worth it."""


class Answer(NamedTuple):
    """What a statement gave: rows, or an error's text with its extended code; column names, declared types, the state after."""

    rows: list[tuple[Any, ...]] | None
    error: str
    names: tuple[str, ...] = ()
    types: tuple[str | None, ...] = ()
    state: tuple[Any, ...] = ()

    def shown(self) -> str:
        """For a report."""
        return (self.error if self.rows is None else f"{self.rows!r}"[:1_500]) + (f" {self.state}" if self.state else "")


class Engine(Protocol):
    """A connection."""

    def run(self, sql: str) -> Answer:
        """Runs one statement."""

    def close(self) -> None:
        """Ends it."""


def is_reading(sql: str) -> bool:
    """Whether a statement leaves changes() alone."""
    return sql.startswith(("pragma", "analyze")) or is_query(sql)


def is_query(sql: str) -> bool:
    """Whether a statement only reads: nothing that comes later depends on it."""
    head = sql.lstrip()[:8].lower()
    return head.startswith(("select", "values", "explain")) or (head.startswith("with") and not _CHANGING.search(sql))


_CHANGING = re.compile(r"\b(insert (or \w+ )?into|replace into|update|delete from)\b", re.I)


class Sqlite:
    """SQLite through apsw."""

    def __init__(self, path: str = ":memory:") -> None:
        # No cache: a cached statement would describe the columns of an earlier schema.
        self.connection = apsw.Connection(path, statementcachesize=0)
        self.n_calls = 0
        self.base = 0
        self.described: tuple[tuple[str, str | None], ...] = ()
        self.connection.set_progress_handler(self._count, STEPS)
        self.connection.exec_trace = self._note

    def _count(self) -> bool:
        self.n_calls += 1
        return self.n_calls > BUDGET

    def _note(self, cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        self.described = cursor.get_description()  # type: ignore[assignment]
        return True

    def run(self, sql: str) -> Answer:
        """Runs a statement.  Raises Costly."""
        self.n_calls = 0
        self.described = ()
        try:
            rows = list(self.connection.execute(sql, PARAMETERS if ":p" in sql else None))
        except (apsw.InterruptError, apsw.BindingsError, UnicodeDecodeError):
            # Text that is no UTF-8 cannot be fetched through apsw, which wants all parameters to be bound, too.
            raise Costly from None
        except apsw.Error as error:
            return Answer(None, f"{error} ({error.extendedresult})", state=self._state(sql))
        if sql.startswith("explain"):
            return Answer([], "")
        names = tuple(name for name, _ in self.described)
        return Answer(rows, "", names, tuple(declared for _, declared in self.described), self._state(sql))

    def _state(self, sql: str) -> tuple[Any, ...]:
        if is_reading(sql):
            return ()
        self.n_calls = 0
        return (*next(self.connection.execute(_STATE)), self.connection.getautocommit())

    def close(self) -> None:
        """Ends the connection."""
        self.connection.close()


LISTENERS: dict[str, Callable[[Session], None]] = {
    "-- a progress handler that lets everything go on": lambda session: session.set_progress_handler(lambda: False, 100),
    "-- an authorizer that allows everything": lambda session: session.set_authorizer(lambda *asked: 0),
    "-- a preupdate hook": lambda session: session.set_preupdate_hook(lambda change: None),
}
"""Settings that are no statements, as comments."""


class Minisql:
    """minisql, with its settings."""

    def __init__(self, path: str = ":memory:", settings: Sequence[str] = ()) -> None:
        self.session = Session(path)
        for setting in settings:
            if setting in LISTENERS:
                LISTENERS[setting](self.session)
            else:
                self.session.execute(setting)

    def run(self, sql: str) -> Answer:
        """Runs a statement; an exception that is none of SQL's is an answer too, of its own."""
        _watch(self.session)
        try:
            statement, _ = self.session.prepare(sql)
            values = [BOUND.get(name or "") for name in statement.parameter_names] if ":p" in sql else ()
            rows = list(statement.start(values))
            if sql.startswith("explain"):
                return Answer([], "")
            names, types = tuple(statement.column_names), tuple(statement.declared_types)
        except Error as error:
            return Answer(None, f"{error} ({error.sqlite_errorcode})", state=self._state(sql))
        except Exception as error:  # whatever the engine lets out is a finding
            return Answer(None, f"INTERNAL {type(error).__name__}: {error}")
        finally:
            _watch(None)
        return Answer(rows, "", names, types, self._state(sql))

    def _state(self, sql: str) -> tuple[Any, ...]:
        if is_reading(sql):
            return ()
        return (*self.session.execute(_STATE)[0], self.session.autocommit)

    def close(self) -> None:
        """Ends the connection."""
        self.session.close()


class Stuck(Exception):
    """A statement that not even an interrupt could end."""


def _watch(session: Session | None) -> None:
    """Interrupts the session's statement after SECONDS, and raises Stuck after as many more; None: ends the watch.

    No progress handler does it: with one, minisql leaves its fast ways.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    if session is None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return
    calls = iter((session.interrupt,))

    def act(number: int, frame: object) -> None:
        interrupt = next(calls, None)
        if interrupt is None:
            raise Stuck
        interrupt()

    signal.signal(signal.SIGALRM, act)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)


def multiset(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    """Rows without their order."""
    return sorted(map(repr, rows))


def near(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    """Rows without their order, reals to 12 digits: sums depend on the order of their terms."""
    return sorted(repr([rounded(value) for value in row]) for row in rows)


def rounded(value: Any) -> Any:
    """A real with 12 digits; anything else as it is."""
    return f"{value:.12g}" if isinstance(value, float) and math.isfinite(value) else value


def same(ours: Answer, theirs: Answer, in_order: bool = False) -> bool:
    """Whether two answers agree in everything that a user sees."""
    if ours.error != theirs.error or ours.state != theirs.state:
        return False
    if ours.rows is None or theirs.rows is None:
        return ours.rows is theirs.rows
    if ours.names != theirs.names or ours.types != theirs.types:
        return False
    if repr(ours.rows) == repr(theirs.rows):
        return True
    return not in_order and multiset(ours.rows) == multiset(theirs.rows)
