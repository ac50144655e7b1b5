"""Reading: lines become statements and dot commands.

A statement ends with a line on which it is complete; a dot command is a line of its own that
begins with a dot where no statement is open.  The loop stops at the end, at `.exit` and, with `.bail on`, at the first error.

Source: https://www.sqlite.org/cli.html#rules_for_dot_commands_sql_and_more.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from minisql.dbapi.complete import complete_statement
from minisql.shell.commands import run_command
from minisql.shell.state import ShellState
from minisql.shell.statements import run_sql

_MAX_DEPTH = 25
_IDLE = re.compile(r"(?:\s|;|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*\Z", re.DOTALL)

NextLine = Callable[[], str | None]


def read_text(state: ShellState, text: str, name: str) -> bool:
    """Reads the text of a file, as `.read` does; False after an error."""
    lines = iter(text.splitlines(keepends=True) if "\r" not in text else text.replace("\r\n", "\n").split("\n"))
    saved = state.input_name, state.place, state.next_line
    if state.depth >= _MAX_DEPTH:
        from_line = f"Input nesting limit ({_MAX_DEPTH}) reached at line {state.place[1]}. Check recursion."
        state.output.line(from_line)
        return False
    state.depth += 1
    state.input_name = name
    n_errors = state.n_errors
    try:
        read_lines(state, lambda: next(lines, None))
    finally:
        state.depth -= 1
        state.input_name, state.place, state.next_line = saved
    return state.n_errors == n_errors


def read_lines(state: ShellState, next_line: NextLine) -> None:
    """Reads statements and dot commands up to the end of the input; `next_line` gives a line at a time, None at the end."""
    number = first = 0
    pending = ""

    def counted() -> str | None:
        nonlocal number
        line = next_line()
        number += line is not None
        return line

    state.next_line = counted
    n_errors = state.n_errors
    may_bail = state.depth > 0 or not state.is_interactive
    while not state.wants_exit and not (state.bails and may_bail and state.n_errors > n_errors):
        state.is_continuing = bool(pending)
        line = counted()
        if line is None:
            break
        if not line:
            pending = ""  # the terminal's Ctrl-C
            continue
        if not pending and _is_blank(line):
            if state.echoes:
                state.output.write(line)
            continue
        if not pending and line.startswith("."):
            state.place = ("line", number)
            if state.echoes:
                state.output.write(line)
            run_command(state, line.rstrip("\r\n"))
            continue
        first = first if pending else number
        pending += line
        if not (";" in line and complete_statement(pending)):
            continue
        _run(state, pending, first)
        pending = ""
    is_stopped = state.wants_exit or (state.bails and may_bail and state.n_errors > n_errors)
    if pending and not is_stopped and not _IDLE.match(pending):
        _run(state, pending, first)


def _is_blank(line: str) -> bool:
    return _IDLE.match(line) is not None


def _run(state: ShellState, text: str, first: int) -> None:
    state.place = ("line", first)
    state.is_continuing = False
    if state.echoes:
        state.output.write(text if text.endswith("\n") else text + "\n")
    run_sql(state, text.rstrip("\n"))
    state.end_command()
