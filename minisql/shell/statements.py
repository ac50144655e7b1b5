"""Statements: runs a text of SQL statements and prints what they return, with everything that the user wants around them.

In order, for each statement: the parameters are bound from temp.sqlite_parameters, `.eqp` shows the plan, the rows are printed
(EXPLAIN in its own form), `.changes`, `.stats` and `.timer` report.  The first error ends the whole text, as in the official
shell.  Ctrl-C interrupts the statement that runs, through the session, so that it ends as any failed statement does.

Source: https://www.sqlite.org/cli.html.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

from minisql.engine.session import Session
from minisql.engine.statement import Statement
from minisql.errors import INTERRUPT, Error
from minisql.shell.error_context import error_text, place_text
from minisql.shell.explain import explain_lines, plan_lines
from minisql.shell.output import complain
from minisql.shell.row_modes import print_rows
from minisql.shell.state import ShellState, UnsafeError

_EXPLAIN = re.compile(r"(?is)(?:\s|--[^\n]*\n|/\*.*?\*/)*explain(\s+query\s+plan)?\b")
_READS_PARAMETERS = "SELECT value FROM temp.sqlite_parameters WHERE key=?1"


def run_sql(state: ShellState, text: str) -> bool:
    """Runs every statement of a text; reports an error and returns False."""
    session = state.connection._open_session()
    start = 0
    is_parse = True
    try:
        with _interruptible(session):
            while start < len(text):
                is_parse = True
                statement, end = session.prepare(text, start)
                is_parse = False
                if not statement.is_empty:
                    _run_statement(state, session, statement)
                start = end
    except Error as error:
        state.output.flush()
        state.n_errors += 1
        if getattr(error, "sqlite_errorcode", 0) == INTERRUPT:
            is_parse = False
        place = "" if state.is_interactive else place_text(state.place, state.input_name)
        complain(error_text(error, is_parse, place, text, start))
        return False
    except UnsafeError as error:
        state.output.flush()
        state.wants_exit, state.exit_code = True, 1
        kind, number = state.place
        complain(f"line {number if kind == 'line' else 0}: {error}")
        return False
    except KeyboardInterrupt:
        state.n_errors += 1
        complain("interrupted")
        return False
    return True


@contextlib.contextmanager
def _interruptible(session: Session) -> Iterator[None]:
    """SIGINT interrupts the running statement; a second one while nothing runs is the usual KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_interrupt(number: int, frame: Any) -> None:
        if session.running:
            session.interrupt()
        else:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run_statement(state: ShellState, session: Session, statement: Statement) -> None:
    explained = _EXPLAIN.match(statement.sql)
    values = _bound_values(state, session, statement)
    if state.query_plan != "off" and explained is None:
        _show_plan(state, session, statement)
    times = os.times()
    started = time.perf_counter()
    rows = statement.start(values)
    write = state.output.write
    if explained is not None and state.explain != "off":
        for line in plan_lines(rows) if explained.group(1) else explain_lines(rows):
            write(line)
    elif state.explain == "on":
        for line in explain_lines(rows):
            write(line)
    else:
        print_rows(state.display, statement.column_names, rows, write)
    if state.shows_changes:
        state.output.line(f"changes: {session.changes}   total_changes: {session.total_changes}")
    if state.stats:
        show_stats(state)
    if state.timer != "off":
        _report_time(state, started, times)


def show_stats(state: ShellState) -> None:
    """Prints what this engine can tell about itself: memory of the process, changes, pages."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    session = state.connection._open_session()
    pages, size, free = (state.query(f"PRAGMA {name}")[0][0] for name in ("page_count", "page_size", "freelist_count"))
    for name, value in (
        ("Memory Used by the process (max):", f"{usage.ru_maxrss * 1024} bytes"),
        ("Rows changed by the connection:", session.total_changes),
        ("Pages of main:", f"{pages} of {size} bytes, {free} free"),
        ("Read() system calls (blocks):", usage.ru_inblock),
        ("Write() system calls (blocks):", usage.ru_oublock),
    ):
        state.output.line(f"{name:<36} {value}")


def _report_time(state: ShellState, started: float, before: os.times_result) -> None:
    real = time.perf_counter() - started
    now = os.times()
    state.output.line(f"Run Time: real {real:.6f} user {now.user - before.user:.6f} sys {now.system - before.system:.6f}")
    if state.timer == "once":
        state.timer = "off"


def _show_plan(state: ShellState, session: Session, statement: Statement) -> None:
    sql = statement.sql
    plan, _end = session.prepare("EXPLAIN QUERY PLAN " + sql)
    for line in plan_lines(plan.start([None] * plan.n_parameters)):
        state.output.write(line)
    if state.query_plan in ("full", "trigger"):
        program, _end = session.prepare("EXPLAIN " + sql)
        for line in explain_lines(program.start([None] * program.n_parameters)):
            state.output.write(line)


def _bound_values(state: ShellState, session: Session, statement: Statement) -> list[Any]:
    if not statement.n_parameters:
        return []
    values: list[Any] = [None] * statement.n_parameters
    names = list(statement.parameter_names)
    for number in range(statement.n_parameters):
        name = names[number] if number < len(names) else None
        key = name if name else f"?{number + 1}"
        try:
            found = session.execute(_READS_PARAMETERS, (key,))
        except Error:
            return values  # the table of parameters has not been made
        if found:
            values[number] = found[0][0]
    return values
