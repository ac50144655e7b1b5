"""Dot commands that read and write files and run programs.

Source: https://www.sqlite.org/cli.html#reading_sql_from_a_file, #writing_results_to_a_file, #backup.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

from minisql.dbapi.connection import Connection, connect
from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.shell.commands import command, number
from minisql.shell.display import DEFAULTS
from minisql.shell.dot_line import DotError
from minisql.shell.import_text import ImportOptions, import_rows
from minisql.shell.output import complain
from minisql.shell.progress import Progress
from minisql.shell.reading import read_text
from minisql.shell.state import ShellState

_N_PAGES_A_STEP = 256


@command("cd", is_unsafe=True)
def _cd(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .cd DIRECTORY")
    try:
        os.chdir(words[0])
    except OSError as error:
        raise DotError(f'Cannot change to directory "{words[0]}"') from error


@command("shell", "system", is_unsafe=True)
def _shell(state: ShellState, words: list[str]) -> None:
    if not words:
        raise DotError("Usage: .system COMMAND")
    state.output.flush()
    line = " ".join(f'"{word}"' if " " in word else word for word in words)
    done = subprocess.run(line, shell=True, check=False)
    if done.returncode:
        complain(f"System command returns {done.returncode << 8 if done.returncode > 0 else -done.returncode}")


def _redirect(state: ShellState, words: list[str], is_once: bool) -> None:
    name = None
    mark = b""
    keeps = False
    viewer = ""
    for at, word in enumerate(words, 1):
        if not word.startswith("-"):
            if name is not None and not name.startswith("|"):
                raise DotError("surplus argument", word=at)
            name = word if name is None else f"{name} {word}"
        elif word.lstrip("-") == "bom":
            mark = b"\xef\xbb\xbf"
        elif word.lstrip("-") == "keep":
            keeps = True
        elif word.lstrip("-") == "show":
            state.output.terminal.write("".join(state.output.memory or []))
        elif word.lstrip("-") == "plain":
            continue
        elif word.lstrip("-") in ("e", "w", "x"):
            if viewer:
                raise DotError("incompatible with prior options", word=at)
            viewer = word
        else:
            raise DotError("unknown option", word=at)
    if viewer:
        raise DotError("this shell opens no editor, browser or spreadsheet; write to a FILE", has_place=True)
    if keeps:
        return
    if name is None:
        state.output.restore()
        return
    try:
        state.output.redirect(name, is_once, mark)
    except OSError as error:
        raise DotError(f'Error: cannot open "{name}"', f'Error: cannot write to "{name}"') from error


@command("output", is_unsafe=True)
def _output(state: ShellState, words: list[str]) -> None:
    _redirect(state, words, False)


@command("once", is_unsafe=True)
def _once(state: ShellState, words: list[str]) -> None:
    _redirect(state, words, True)


def _input_text(state: ShellState, name: str) -> str:
    """The text of a file, of a program (`|command`), or of the script up to a label (`<<LABEL`); raises OSError."""
    if name.startswith("|"):
        state.output.flush()
        done = subprocess.run(name[1:], shell=True, stdout=subprocess.PIPE, check=False)
        return done.stdout.decode("utf-8", "surrogateescape")
    if name.startswith("<<"):
        return _lines_up_to(state, name[2:])
    with open(name, "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def _lines_up_to(state: ShellState, label: str) -> str:
    lines: list[str] = []
    while state.next_line is not None:
        line = state.next_line()
        if line is None or line.rstrip("\r\n") == label:
            break
        lines.append(line)
    return "".join(lines)


@command("read", is_unsafe=True)
def _read(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .read FILE")
    try:
        text = _input_text(state, words[0])
    except OSError as error:
        raise DotError(f'Error: cannot open "{words[0]}"') from error
    read_text(state, text, words[0])


@command("import", is_unsafe=True)
def _import(state: ShellState, words: list[str]) -> None:
    display = state.display
    options = ImportOptions()
    columns: str | None = None
    rows: str | None = None
    positional: list[str] = []
    at = 0
    takers: dict[str, Callable[[str], None]] = {
        "schema": lambda value: setattr(options, "schema", value),
        "skip": lambda value: setattr(options, "n_skipped", number(value)),
        "esc": lambda value: setattr(options, "escape", value),
        "qesc": lambda value: setattr(options, "quoted_escape", value),
    }
    while at < len(words):
        word = words[at]
        at += 1
        option = word.lstrip("-") if word.startswith("-") else ""
        if not option:
            if len(positional) == 2:
                raise DotError("unknown argument", word=at)
            positional.append(word)
        elif option == "v":
            options.is_verbose = True
        elif option == "csv":
            columns, rows = ",", "\n"
        elif option == "ascii":
            options.is_plain = True
            columns, rows = columns or "\x1f", rows or "\x1e"
        elif option in ("colsep", "rowsep") or option in takers:
            if at == len(words):
                raise DotError("missing argument", word=at)
            if option == "colsep":
                columns = words[at]
            elif option == "rowsep":
                rows = words[at]
            else:
                takers[option](words[at])
            at += 1
        else:
            raise DotError("unknown option", word=at)
    if len(positional) < 2:
        missing = "TABLE" if positional else "FILE"
        raise DotError(f"Missing {missing} argument\n", has_place=True)
    options.file, options.table = positional
    options.is_plain = options.is_plain or display.mode == "ascii"
    options.column_separator = columns if columns is not None else display.column_separator
    options.row_separator = rows if rows is not None else display.row_separator or str(DEFAULTS["row_separator"])
    if not options.column_separator:
        raise DotError("Error: non-null column separator required for import")
    try:
        text = _input_text(state, options.file)
    except OSError as error:
        raise DotError(f'cannot open "{options.file}"', has_place=True) from error
    if options.file.startswith("|"):
        options.file = "<pipe>"
    elif options.file.startswith("<<"):
        options.file, options.first_line = state.input_name, state.place[1] + 1
    import_rows(state, options, text)


def _two_names(words: list[str], usage: str) -> tuple[str, str]:
    names = [word for word in words if not word.startswith("-")]
    if not names or len(names) > 2:
        raise DotError(usage)
    return ("main", names[0]) if len(names) == 1 else (names[0], names[1])


@command("backup", "save", is_unsafe=True)
def _backup(state: ShellState, words: list[str]) -> None:
    usage = "Usage: .backup ?DB? ?OPTIONS? FILENAME" if words else "missing FILENAME argument on .backup"
    schema, file = _two_names(words, usage)
    target = connect(file, isolation_level=None)
    try:
        _check_schema(state, schema)
        _copy(state.connection, target, schema, "backup")
    finally:
        target.close()


@command("restore", is_unsafe=True)
def _restore(state: ShellState, words: list[str]) -> None:
    schema, file = _two_names(words, "Usage: .restore ?DB? FILE")
    if schema != "main":
        raise DotError(f"Error: only main can be restored, not {schema}")
    if not os.path.exists(file):
        raise DotError(f'Error: cannot open "{file}"')
    source = connect(file, isolation_level=None)
    try:
        _copy(source, state.connection, "main", "restore")
    finally:
        source.close()


def _check_schema(state: ShellState, schema: str) -> None:
    if schema.lower() not in [name.lower() for name in state.database_names()]:
        raise DotError(f"Error: unknown database {schema}")


def _copy(source: Connection, target: Connection, schema: str, title: str) -> None:
    n_pages = int(source.execute(f"PRAGMA {quoted(schema)}.page_count").fetchone()[0])
    progress = Progress(title, n_pages)
    try:
        source.backup(
            target, pages=_N_PAGES_A_STEP, name=schema, progress=lambda status, left, total: progress.advance(total - left)
        )
    finally:
        progress.end()


@command("open")
def _open(state: ShellState, words: list[str]) -> None:
    is_read_only: bool | None = None
    must_exist = is_new = False
    name = None
    for word in words:
        option = word.lstrip("-")
        if not word.startswith("-"):
            if name is not None:
                raise DotError(f'extra argument: "{word}"')
            name = word
        elif option in ("append", "deserialize", "hexdb", "zip", "maxsize"):
            raise DotError(f"Error: .open --{option} needs an extension written in C, which this shell does not have")
        elif option == "readonly":
            is_read_only = True
        elif option in ("ifexist", "ifexists"):
            must_exist = True
        elif option == "new":
            is_new = True
        elif option not in ("normal", "nofollow"):
            raise DotError(f"unknown option: {word}")
    filename = name or ""
    if state.is_safe and filename not in (":memory:", ""):
        state.wants_exit, state.exit_code = True, 1
        raise DotError("cannot open disk-based database files in safe mode", has_place=True)
    if is_new and name and os.path.exists(name):
        state.close_active()
        os.remove(name)
    try:
        state.open(filename, is_read_only=is_read_only, must_exist=must_exist)
    except Error as error:
        state.open(":memory:", is_read_only=False)
        message = f'Error: unable to open database "{filename}": {error}'
        raise DotError(message, f'Notice: using substitute in-memory database instead of "{filename}"') from error


@command("clone", is_unsafe=True)
def _clone(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .clone FILENAME")
    if os.path.exists(words[0]):
        raise DotError(f'File "{words[0]}" already exists.')
    target = connect(words[0], isolation_level=None)
    try:
        objects = state.query("SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY rowid")
        target.execute("PRAGMA writable_schema=ON")
        target.execute("BEGIN")
        for is_table in (True, False):
            for kind, name, sql in objects:
                if (kind == "table") == is_table and not name.startswith("sqlite_"):
                    state.output.write(f"{name}... ")
                    target.execute(sql)
                    if is_table:
                        _clone_rows(state, target, name)
                    state.output.line("done")
        target.execute("COMMIT")
    finally:
        target.close()


def _clone_rows(state: ShellState, target: Connection, name: str) -> None:
    columns = [quoted(row[1]) for row in state.query(f"PRAGMA table_info({quoted(name)})")]
    listed = ",".join(columns)
    statement = state.connection._open_session().prepare(f"SELECT {listed} FROM {quoted(name)}")[0]
    target.executemany(f"INSERT INTO {quoted(name)}({listed}) VALUES({','.join('?' * len(columns))})", statement.start())
