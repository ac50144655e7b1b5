"""The command line: `minisql [OPTIONS] [FILE [SQL...]]`.

SQL and dot commands behind the file name are run one after the other; without any, standard input is read: a terminal with
prompts and line editing, anything else as a script.  The exit status is 1 after an error in a script or an argument, or what
`.exit` says.

Source: https://www.sqlite.org/cli.html.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from minisql.errors import Error

# The modules that enter dot commands in the table.
from minisql.shell import connection_commands, files, inspection, profiling, settings, testing  # noqa: F401
from minisql.shell.commands import run_command
from minisql.shell.line_editing import make_reader
from minisql.shell.options import USAGE, OptionError, Options, parse_options
from minisql.shell.output import complain
from minisql.shell.profiling import run_profile
from minisql.shell.reading import read_lines, read_text
from minisql.shell.recover import run_check, run_recover
from minisql.shell.state import ShellState
from minisql.shell.statements import run_sql


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the shell; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] in (["check"], ["recover"], ["profile"]):
        return {"check": run_check, "recover": run_recover, "profile": run_profile}[words[0]](words[1:])
    try:
        options = parse_options(words)
    except OptionError as error:
        complain(f"minisql: {error}")
        return 1
    state = ShellState(sys.stdout)
    if options.wants_help:
        sys.stderr.write(USAGE)
        return 0
    if options.wants_version:
        print(state.version_text())
        return 0
    try:
        return _run(state, options)
    except BrokenPipeError:
        # The reader of our output has gone: there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    finally:
        state.output.restore()
        for connection, _name in state.connections.values():
            connection.close()


def _run(state: ShellState, options: Options) -> int:
    for setting in options.settings:
        setting(state)
    filename = options.filename if options.filename is not None else ":memory:"
    try:
        state.open(filename, must_exist=options.must_exist)
    except Error as error:
        complain(f'Error: unable to open database "{filename}": {error}')
        return 1
    state.is_interactive = not options.commands and (sys.stdin.isatty() if options.is_batch is None else not options.is_batch)
    if not _read_init_file(state, options) and state.bails:
        return 1
    if state.is_interactive and not options.settings:
        state.display.set_mode("tty")
    for place, text in options.before:
        if not _run_argument(state, place, text, is_early=True) and state.bails:
            return 1
        if state.wants_exit:
            return state.exit_code
    if options.commands:
        return _run_arguments(state, options)
    if state.is_interactive:
        _read_terminal(state, options)
    else:
        state.n_errors = 0
        read_lines(state, _script_lines().__next__)
    return _exit_code(state)


def _exit_code(state: ShellState) -> int:
    if state.n_tests:
        state.output.line(
            f"{state.n_tests} tests run with {state.n_failed_tests} error{'' if state.n_failed_tests == 1 else 's'}"
        )
    state.output.flush()
    if state.exit_code:
        return state.exit_code
    return int(not state.is_interactive and bool(state.n_errors or state.n_failed_tests))


def _read_init_file(state: ShellState, options: Options) -> bool:
    """Runs the file of settings, if there is one; False after an error."""
    path = options.init_file
    if path is None:
        path = os.path.join(os.path.expanduser("~"), ".sqliterc")
        if not options.reads_init or not os.path.exists(path):
            return True
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "surrogateescape")
    except OSError:
        complain(f'cannot open: "{path}"')
        return True
    return read_text(state, text, path)


def _run_argument(state: ShellState, place: int, text: str, *, is_early: bool) -> bool:
    if state.echoes:
        state.output.line(text)
    if text.startswith("."):
        state.place = ("line", 0) if is_early else ("argv", place)
        return run_command(state, text)
    state.place = ("argv", place)
    is_done = run_sql(state, text)
    state.end_command()
    return is_done


def _run_arguments(state: ShellState, options: Options) -> int:
    for place, text in options.commands:
        is_done = _run_argument(state, place, text, is_early=False)
        if state.wants_exit:
            return state.exit_code
        if not is_done:
            return 1
    return _exit_code(state) if state.n_tests else 0


def _script_lines() -> Iterator[str | None]:
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        yield from sys.stdin
    else:
        for line in buffer:
            yield line.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    while True:
        yield None


def _read_terminal(state: ShellState, options: Options) -> None:
    state.output.line(f'{state.version_text()}\nEnter ".help" for usage hints.')
    if state.filename == ":memory:":
        state.output.line(
            'Connected to a transient in-memory database.\nUse ".open FILENAME" to reopen on a persistent database.'
        )
    state.output.flush()
    ask = make_reader(state) if options.edits_lines else input

    def next_line() -> str | None:
        while True:
            state.output.flush()
            try:
                return ask(state.prompts[1 if state.is_continuing else 0]) + "\n"
            except EOFError:
                state.output.line("")
                return None
            except KeyboardInterrupt:
                # A statement half typed is dropped, the shell stays.
                state.output.line("")
                return ""

    read_lines(state, next_line)
