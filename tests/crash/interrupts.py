"""`make interrupts`: an exception at every line that a split, a commit or a checkpoint executes, in both kinds of journal.

A trace function raises at the n-th executed line of the storage room and of the engine's transaction code; n goes from 1 to
the last line.  Afterwards the connection must answer with the rows from before or after the work, hold no lock and no read
mark (SQLite, as another process would, gets EXCLUSIVE, or restarts the log), the file must be whole, and the work must go
through when it is done again.  The last line printed gives the counts.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

import apsw

import minisql

TRACED = ("minisql/storage/", "minisql/engine/transactions", "minisql/engine/multifile", "minisql/engine/statement")
MODES = ("delete", "wal")
SETUP = (
    "PRAGMA page_size = 512",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b)",
    "CREATE INDEX tb ON t(b)",
    "INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 40) SELECT n * 10, 'row ' || n FROM r",
)
WORK: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "split": (
        ("BEGIN", "DELETE FROM t WHERE a = 10"),
        ("INSERT INTO t SELECT a + 1, b || hex(zeroblob(40)) FROM t WHERE a BETWEEN 100 AND 220",),
        ("COMMIT",),
    ),
    "commit": (("BEGIN", "UPDATE t SET b = b || 'x' WHERE a < 200"), ("COMMIT",), ()),
    "checkpoint": (("UPDATE t SET b = b || 'y' WHERE a < 100",), ("PRAGMA wal_checkpoint(RESTART)", "UPDATE t SET b = 1 WHERE a = 20"), ()),
    "savepoint": (
        ("BEGIN", "SAVEPOINT one", "DELETE FROM t WHERE a > 150"),
        ("ROLLBACK TO one", "INSERT INTO t VALUES (7, zeroblob(2000))"),
        ("COMMIT",),
    ),
}
"""Statements before the traced part, the traced part, statements after it."""


class SignalError(Exception):
    """What a handler of a signal raises."""


EXCEPTIONS: tuple[type[BaseException], ...] = (KeyboardInterrupt, MemoryError, SignalError)


class HangError(Exception):
    """What ends a strike after `SECONDS`."""


SECONDS = 10


def _give_up(number: int, frame: FrameType | None) -> None:
    raise HangError


def _show_other_than_planted(failure: Any) -> None:
    """An exception that strikes in a destructor is dropped by Python, which would print it."""
    if failure.exc_type not in EXCEPTIONS:
        sys.__unraisablehook__(failure)


class Interrupter:
    """Raises an exception at the n-th line that is executed in the traced files."""

    def __init__(self, at_line: int, exception: type[BaseException]) -> None:
        self.left = at_line
        self.exception = exception
        self.place = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename.replace("\\", "/")
        if not any(part in name for part in TRACED):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                self.place = f"{os.path.basename(name)}:{frame.f_lineno}"
                sys.settrace(None)
                raise self.exception
        return self


class Ground:
    """A work in a journal mode: the file it starts from, the rows before and after."""

    def __init__(self, folder: str, work: str, mode: str) -> None:
        self.path = os.path.join(folder, "f.db")
        self.before_work, self.traced, self.after_work = WORK[work]
        self.mode = mode
        self.base = b""
        connection = self.open()
        for sql in (*SETUP, f"PRAGMA journal_mode = {mode}"):
            connection.execute(sql).fetchall()
        connection.close()
        with open(self.path, "rb") as file:
            self.base = file.read()
        connection = self.open()
        states = [_rows(connection)]
        for part in (self.before_work, self.traced, self.after_work):
            _run(connection, part)
            states.append(_rows(connection))
        self.allowed = [state for i, state in enumerate(states) if i != 1 or self.before_work[0] != "BEGIN"]
        self.final = states[-1]
        connection.close()

    def open(self) -> minisql.Connection:
        """A connection to a fresh copy of the file."""
        for ending in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(self.path + ending):
                os.unlink(self.path + ending)
        with open(self.path, "wb") as file:
            file.write(self.base)
        return minisql.connect(self.path, isolation_level=None, timeout=0)

    def strike(self, at_line: int, exception: type[BaseException]) -> tuple[bool, str]:
        """Runs the work with an exception at a line; returns (whether it struck, what is wrong)."""
        connection = self.open()
        _run(connection, self.before_work)
        interrupter = Interrupter(at_line, exception)
        signal.alarm(SECONDS)
        previous = sys.gettrace()
        sys.settrace(interrupter)
        try:
            _run(connection, self.traced)
        except BaseException as error:
            sys.settrace(previous)
            if not interrupter.place:
                return True, f"raised by itself: {traceback.format_exc(limit=-4)}"
            if not isinstance(error, (exception, minisql.Error)):
                return True, f"{interrupter.place}: {type(error).__name__} in place of {exception.__name__}"
        finally:
            sys.settrace(previous)
        try:
            wrong = self._examine(connection)
        except Exception:
            wrong = traceback.format_exc(limit=-5)
        finally:
            connection.close()
            signal.alarm(0)
        return bool(interrupter.place), f"{interrupter.place}: {wrong}" if wrong else ""

    def _examine(self, connection: minisql.Connection) -> str:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        rows = _rows(connection)
        if rows not in self.allowed:
            return "the rows are neither those from before nor those from after"
        wrong = self._examine_by_sqlite(rows)
        if wrong:
            return wrong
        if rows == self.allowed[0]:
            for part in (self.before_work, self.traced, self.after_work):
                _run(connection, part)
            if _rows(connection) != self.final:
                return "the work gives other rows when it is done again"
            wrong = self._examine_by_sqlite(self.final)
        return wrong

    def _examine_by_sqlite(self, rows: list[Any]) -> str:
        """Locks, read marks and the file as another process finds them."""
        other = apsw.Connection(self.path)
        try:
            if self.mode == "wal":
                if next(iter(other.execute("PRAGMA wal_checkpoint(RESTART)")))[0]:
                    return "a read mark or a lock of the log is left"
                other.execute("BEGIN IMMEDIATE; ROLLBACK")
            else:
                other.execute("BEGIN EXCLUSIVE; ROLLBACK")
            if list(other.execute("SELECT a, b FROM t")) != rows:
                return "SQLite reads other rows"
            answer = list(other.execute("PRAGMA integrity_check"))
            return "" if answer == [("ok",)] else str(answer[:2])
        except apsw.BusyError:
            return "a lock is left"
        finally:
            other.close()


def _run(connection: minisql.Connection, statements: tuple[str, ...]) -> None:
    for sql in statements:
        connection.execute(sql).fetchall()


def _rows(connection: minisql.Connection) -> list[Any]:
    return connection.execute("SELECT a, b FROM t").fetchall()


def strike_all(folder: str, work: str, mode: str, step: int, first: int = 1, n_exceptions: int = 1) -> Iterator[tuple[int, str]]:
    """Strikes at lines `first`, `first + step`, ... until the end of the work; yields (line, what is wrong or '').

    The exceptions take turns; with `n_exceptions` 3 each is raised at each line.
    """
    ground = Ground(folder, work, mode)
    at_line = first
    while True:
        has_struck = False
        for i in range(n_exceptions):
            has_struck, wrong = ground.strike(at_line, EXCEPTIONS[(at_line + i) % len(EXCEPTIONS)])
            if has_struck:
                yield at_line, wrong
        if not has_struck:
            return
        at_line += step


def main() -> int:
    """Strikes everywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--exceptions", type=int, default=1, choices=(1, 2, 3))
    parser.add_argument("modes", nargs="*", default=MODES)
    options = parser.parse_args()
    sys.unraisablehook = _show_other_than_planted
    signal.signal(signal.SIGALRM, _give_up)
    n_lines = n_wrong = 0
    for mode in options.modes:
        for work in WORK:
            found: dict[str, int] = {}
            n_here = 0
            with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
                for _line, wrong in strike_all(folder, work, mode, options.step, 1, options.exceptions):
                    n_here += 1
                    if wrong:
                        found[wrong] = found.get(wrong, 0) + 1
            n_lines += n_here
            n_wrong += sum(found.values())
            print(f"{mode} {work}: {n_here} exceptions, {sum(found.values())} violations", flush=True)
            for text, count in sorted(found.items(), key=lambda item: -item[1])[:15]:
                print(f"    {count} x {text}", flush=True)
    print(f"{n_lines} exceptions; {n_wrong} violations")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
