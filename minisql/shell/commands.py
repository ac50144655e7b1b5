"""Dot commands: one function each, found by name or by a beginning of the name that fits only one.

To add a dot command: write its function under `@command(name, help text)`.

Source: https://www.sqlite.org/cli.html#special_commands_to_sqlite3_dot_commands_.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import Any

from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.shell.state import MODES, ShellState

Action = Callable[[ShellState, list[str]], bool]

COMMANDS: dict[str, tuple[Action, str]] = {}


def command(name: str, help_text: str) -> Callable[[Action], Action]:
    """Enters a function into the table of dot commands."""

    def enter(action: Action) -> Action:
        COMMANDS[name] = (action, help_text)
        return action

    return enter


def run_command(state: ShellState, line: str) -> bool:
    """Runs a line that begins with a dot; False after an error."""
    try:
        words = shlex.split(line[1:])
    except ValueError:
        words = line[1:].split()
    if not words:
        return True
    name = words[0].lower()
    found = [known for known in COMMANDS if known.startswith(name)] if name not in COMMANDS else [name]
    if not found:
        print(f'Error: unknown command or invalid arguments:  "{name}". Enter ".help" for help', file=sys.stderr)
        return False
    try:
        return COMMANDS[found[0]][0](state, words[1:])
    except (Error, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return False


def _query(state: ShellState, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    return state.connection._open_session().execute(sql, parameters)


def _database_names(state: ShellState) -> list[str]:
    return [row[1] for row in _query(state, "PRAGMA database_list")]


@command("databases", "List names and files of attached databases")
def _databases(state: ShellState, words: list[str]) -> bool:
    for _number, name, file in _query(state, "PRAGMA database_list"):
        print(f"{name}: {file or chr(34) * 2} {'r/o' if state.is_read_only else 'r/w'}", file=state.out)
    return True


@command("dump", "Render database content as SQL")
def _dump(state: ShellState, words: list[str]) -> bool:
    print("PRAGMA foreign_keys=OFF;", file=state.out)
    for line in state.connection.iterdump(filter=words[0] if words else None):
        print(line, file=state.out)
    return True


@command("exit", "Exit this program with return-code CODE")
def _exit(state: ShellState, words: list[str]) -> bool:
    state.wants_exit = True
    state.exit_code = int(words[0]) if words and words[0].isdigit() else 0
    return True


@command("headers", "Turn display of headers on or off")
def _headers(state: ShellState, words: list[str]) -> bool:
    if len(words) != 1:
        print("Usage: .headers on|off", file=sys.stderr)
        return False
    state.shows_header = words[0].lower() in ("on", "yes", "true", "1")
    return True


@command("help", "Show help text")
def _help(state: ShellState, words: list[str]) -> bool:
    for name in sorted(COMMANDS):
        print(f".{name:<24}{COMMANDS[name][1]}", file=state.out)
    return True


@command("indexes", "Show names of indexes")
def _indexes(state: ShellState, words: list[str]) -> bool:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND (?1 IS NULL OR tbl_name LIKE ?1) ORDER BY 1"
    for row in _query(state, sql, (words[0] if words else None,)):
        print(row[0], file=state.out)
    return True


@command("mode", "Set output mode")
def _mode(state: ShellState, words: list[str]) -> bool:
    if not words:
        print(f"current output mode: {state.mode}", file=state.out)
        return True
    found = [mode for mode in MODES if mode.startswith(words[0])]
    if not found:
        print(f"Error: mode should be one of: {' '.join(MODES)}", file=sys.stderr)
        return False
    state.set_mode(found[0])
    return True


@command("nullvalue", "Use STRING in place of NULL values")
def _nullvalue(state: ShellState, words: list[str]) -> bool:
    state.null_text = words[0] if words else ""
    return True


@command("open", "Close existing database and reopen FILE")
def _open(state: ShellState, words: list[str]) -> bool:
    state.open(words[0] if words else ":memory:")
    return True


@command("print", "Print literal STRING")
def _print(state: ShellState, words: list[str]) -> bool:
    print(" ".join(words), file=state.out)
    return True


@command("quit", "Stop interpreting input stream, exit if primary")
def _quit(state: ShellState, words: list[str]) -> bool:
    state.wants_exit = True
    return True


@command("schema", "Show the CREATE statements matching PATTERN")
def _schema(state: ShellState, words: list[str]) -> bool:
    pattern = words[0] if words else None
    for name in _database_names(state):
        sql = (
            f"SELECT sql FROM {quoted(name)}.sqlite_schema WHERE sql IS NOT NULL"
            " AND (?1 IS NULL OR tbl_name LIKE ?1 OR name LIKE ?1) AND name NOT LIKE 'sqlite^_stat%' ESCAPE '^' ORDER BY rowid"
        )
        for row in _query(state, sql, (pattern,)):
            print(f"{row[0]};", file=state.out)
    return True


@command("separator", "Change the column separator")
def _separator(state: ShellState, words: list[str]) -> bool:
    if words:
        state.separator = words[0].replace("\\t", "\t").replace("\\n", "\n")
    return True


@command("show", "Show the current values for various settings")
def _show(state: ShellState, words: list[str]) -> bool:
    settings = (
        ("headers", "on" if state.shows_header else "off"),
        ("mode", state.mode),
        ("nullvalue", f'"{state.null_text}"'),
        ("colseparator", f'"{state.separator}"'),
        ("filename", state.filename),
    )
    for name, value in settings:
        print(f"{name:>12}: {value}", file=state.out)
    return True


@command("tables", "List names of tables matching LIKE pattern TABLE")
def _tables(state: ShellState, words: list[str]) -> bool:
    pattern = words[0] if words else "%"
    names: list[str] = []
    for database in _database_names(state):
        sql = (
            f"SELECT name FROM {quoted(database)}.sqlite_schema WHERE type IN ('table', 'view')"
            " AND name NOT LIKE 'sqlite^_%' ESCAPE '^' AND name LIKE ?1"
        )
        prefix = "" if database == "main" else f"{database}."
        names.extend(prefix + row[0] for row in _query(state, sql, (pattern,)))
    _print_columns(state, sorted(names))
    return True


def _print_columns(state: ShellState, names: list[str]) -> None:
    if not names:
        return
    width = max(map(len, names))
    n_columns = max(1, 80 // (width + 2))
    n_lines = (len(names) + n_columns - 1) // n_columns
    for line in range(n_lines):
        row = [names[i].ljust(width) for i in range(line, len(names), n_lines)]
        print("  ".join(row), file=state.out)


@command("version", "Show source, library and compiler versions")
def _version(state: ShellState, words: list[str]) -> bool:
    print(state.version_text(), file=state.out)
    return True
