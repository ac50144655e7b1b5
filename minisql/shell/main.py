"""The command line: arguments, the reading loop, errors.

`python -m minisql FILE SQL` runs the SQL and exits; without SQL statements are read from standard input, with a prompt on a
terminal.  Lines that begin with a dot are commands of the shell.

Source: https://www.sqlite.org/cli.html.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from minisql.dbapi.complete import complete_statement
from minisql.errors import ERROR, Error
from minisql.shell.commands import run_command
from minisql.shell.recover import run_check, run_recover
from minisql.shell.state import ShellState

USAGE = """Usage: minisql [OPTIONS] [FILENAME [SQL]...]
       minisql check [--quick] FILENAME
       minisql recover [--ignore-freelist] [--lost-and-found TABLE] FILENAME
FILENAME is the name of a database, created if it does not exist; without it, a database in memory is used.
OPTIONS:
   -cmd COMMAND   run COMMAND before reading standard input
   -csv           set output mode to 'csv'
   -header        turn headers on
   -help          show this message
   -line          set output mode to 'line'
   -list          set output mode to 'list'
   -noheader      turn headers off
   -nullvalue T   show NULL values as T
   -readonly      open the database for reading only
   -separator S   set the column separator; default "|"
   -version       show the version
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the shell; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] in (["check"], ["recover"]):
        return (run_check if words[0] == "check" else run_recover)(words[1:])
    state = ShellState(sys.stdout)
    commands: list[str] = []
    filename: str | None = None
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            if filename is None:
                filename = word
            else:
                commands.append(word)
            continue
        code = _set_option(state, word.lstrip("-"), words, commands)
        if code is not None:
            return code
    name = filename if filename is not None else ":memory:"
    try:
        state.open(name)
    except Error as error:
        print(f'Error: unable to open database "{name}": {error}', file=sys.stderr)
        return 1
    n_initial = state.n_initial_commands
    for number, text in enumerate(commands):
        if not run_text(state, text) and number >= n_initial:
            return 1
        if state.wants_exit:
            return state.exit_code
    if len(commands) > n_initial:
        return 0
    return read_loop(state, sys.stdin)


def _set_option(state: ShellState, option: str, words: list[str], commands: list[str]) -> int | None:
    """Obeys one option; an exit code ends the program."""
    if option == "version":
        print(state.version_text())
        return 0
    if option in ("help", "h", "?"):
        sys.stderr.write(USAGE)
        return 0
    if option in ("header", "headers"):
        state.shows_header = True
    elif option in ("noheader", "noheaders"):
        state.shows_header = False
    elif option in ("csv", "line", "list"):
        state.set_mode(option)
    elif option == "readonly":
        state.is_read_only = True
    elif option in ("batch", "interactive", "bail"):
        state.bails = state.bails or option == "bail"
    elif option in ("separator", "nullvalue", "cmd") and words:
        value = words.pop(0)
        if option == "cmd":
            commands.insert(state.n_initial_commands, value)
            state.n_initial_commands += 1
        elif option == "separator":
            state.separator = value
        else:
            state.null_text = value
    else:
        print(f"Error: unknown option: -{option}\nUse -help for a list of options.", file=sys.stderr)
        return 1
    return None


def run_text(state: ShellState, text: str, line: int = 0) -> bool:
    """Runs one dot command or some SQL; False after an error."""
    if text.startswith("."):
        return run_command(state, text)
    return run_sql(state, text, line)


def run_sql(state: ShellState, text: str, line: int = 0) -> bool:
    """Runs every statement of a text and prints the rows; reports an error and returns False."""
    session = state.connection._open_session()
    start = 0
    stage = "Parse"
    try:
        while start < len(text):
            stage = "Parse"
            statement, end = session.prepare(text, start)
            stage = "Runtime"
            state.print_rows(statement.column_names, statement.start([None] * statement.n_parameters))
            start = end
    except Error as error:
        state.out.flush()
        place = f" near line {line}" if line else ""
        code = getattr(error, "sqlite_errorcode", ERROR)
        suffix = f" ({code & 0xFF})" if stage == "Runtime" and code & 0xFF != ERROR else ""
        if place:
            print(f"{stage} error{place}: {error}{suffix}", file=sys.stderr)
        else:
            phase = "in prepare" if stage == "Parse" else "stepping"
            print(f"Error: {phase}, {error}{suffix}", file=sys.stderr)
        return False
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return False
    return True


def read_loop(state: ShellState, lines: Iterable[str] | TextIO) -> int:
    """Reads statements and dot commands up to the end of the input."""
    is_terminal = bool(getattr(lines, "isatty", lambda: False)())
    if is_terminal:
        print(f'{state.version_text()}\nEnter ".help" for usage hints.')
        if state.filename == ":memory:":
            print('Connected to a transient in-memory database.\nUse ".open FILENAME" to reopen on a persistent database.')
    source = _prompted(state) if is_terminal else iter(lines)
    pending = ""
    first_line = line_number = 0
    had_error = False
    for line in source:
        line_number += 1
        if not pending.strip():
            pending = ""
            first_line = line_number
            if line.startswith("."):
                had_error = not run_command(state, line.rstrip("\n")) or had_error
                if state.wants_exit:
                    return state.exit_code
                continue
            if not line.strip():
                continue
        pending += line
        state.is_continuing = True
        if ";" in line and complete_statement(pending):
            had_error = not run_sql(state, pending, first_line) or had_error
            pending = ""
            state.is_continuing = False
            if had_error and state.bails:
                return 1
    if pending.strip():
        had_error = not run_sql(state, pending, first_line) or had_error
    return int(had_error and not is_terminal)


def _prompted(state: ShellState) -> Iterable[str]:
    while True:
        try:
            yield input("   ...> " if state.is_continuing else "minisql> ") + "\n"
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
