"""Import: rows of separated text into a table.

Two readers give one row at a time as (line where it begins, fields): RFC 4180 with the shell's tolerance for wrong quotes, and
plain text between separators.  The rows are inserted in one transaction; a row with too few fields is filled with NULL, what
is too much is ignored, a row that cannot be inserted is reported and skipped.

Source: https://www.sqlite.org/cli.html#importing_files_as_csv_or_other_formats and `.help .import`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.shell.dot_line import DotError
from minisql.shell.output import complain
from minisql.shell.progress import Progress
from minisql.shell.state import ShellState

Row = tuple[int, list[str]]


class ImportOptions:
    """What `.import` was asked for."""

    def __init__(self) -> None:
        self.file = ""
        self.table = ""
        self.schema: str | None = None
        self.column_separator = ""
        self.row_separator = ""
        self.is_plain = False
        self.is_verbose = False
        self.n_skipped = 0
        self.quoted_escape = ""
        self.first_line = 1
        self.escape = ""


class Reader:
    """Cuts a text into rows.  `at` is the next character, `line` its line; warnings name `file`."""

    def __init__(self, text: str, file: str, options: ImportOptions) -> None:
        self.text = text
        self.file = file
        self.at = 0
        self.line = options.first_line
        self.column_separator = options.column_separator[:1]
        self.row_separator = options.row_separator[:1]
        self.options = options

    def rows(self) -> Iterator[Row]:
        """Every row, with the line in which it begins."""
        if self.text.startswith("\ufeff"):
            self.at = 1
        read_field = self._plain_field if self.options.is_plain else self._field
        while self.at < len(self.text):
            line = self.line
            fields: list[str] = []
            while True:
                field, is_last = read_field()
                fields.append(field)
                if is_last:
                    break
            yield line, fields

    def _end(self, end: int) -> bool:
        """Steps over the separator at `end`; True if the row is over."""
        self.at = end + 1
        if end >= len(self.text):
            return True
        if self.text[end] == self.row_separator:
            self.line += 1
            return True
        return False

    def _next_separator(self, start: int) -> int:
        ends = [self.text.find(separator, start) for separator in (self.column_separator, self.row_separator) if separator]
        return min((end for end in ends if end >= 0), default=len(self.text))

    def _plain_field(self) -> tuple[str, bool]:
        start = self.at
        end = self._next_separator(start)
        return self.text[start:end], self._end(end)

    def _field(self) -> tuple[str, bool]:
        start = self.at
        if self.text.startswith('"', start):
            return self._quoted_field(start + 1)
        end = self._next_separator(start)
        field = self.text[start:end]
        escape = self.options.escape
        while escape and field.endswith(escape) and end < len(self.text):
            end = self._next_separator(end + 1)
            field = self.text[start:end]
        if escape:
            field = _without_escapes(field, escape)
        if self.row_separator == "\n" and field.endswith("\r") and self.text[end : end + 1] in ("\n", ""):
            field = field[:-1]
        return field, self._end(end)

    def _quoted_field(self, start: int) -> tuple[str, bool]:
        text = self.text
        first_line = self.line
        pieces: list[str] = []
        at = start
        while True:
            end = text.find('"', at)
            if end < 0:
                complain(f'{self.file}:{first_line}: unterminated "-quoted field')
                pieces.append(text[at:])
                self.line += text.count("\n", start)
                self.at = len(text) + 1
                return "".join(pieces), True
            pieces.append(text[at:end])
            following = text[end + 1 : end + 2]
            if following == '"':
                pieces.append('"')
                at = end + 2
                continue
            if following == "\r" and text[end + 2 : end + 3] == "\n" and self.row_separator == "\n":
                end += 1
                following = "\n"
            if following in ("", self.column_separator, self.row_separator):
                self.line += text.count("\n", start, end)
                return "".join(pieces), self._end(end + 1)
            complain(f'{self.file}:{first_line + text.count(chr(10), start, end)}: unescaped " character')
            pieces.append('"')
            at = end + 1


def _without_escapes(field: str, escape: str) -> str:
    pieces = field.split(escape)
    return "".join(pieces)


def import_rows(state: ShellState, options: ImportOptions, text: str) -> None:
    """Reads a text into the table, which is made with the first row as its names if it is missing."""
    shown_file = options.file
    reader = Reader(text, shown_file, options)
    rows = reader.rows()
    for _number in range(options.n_skipped):
        next(rows, None)
    if options.is_verbose:
        separators = _shown(options.column_separator), _shown(options.row_separator[:1])
        state.output.line(f'Column separator "{separators[0]}", row separator "{separators[1]}"')
    columns = _columns(state, options)
    if not columns:
        first = next(rows, None)
        if first is None:
            complain(f"{shown_file}: empty file")
            return
        _create_table(state, options, first[1])
        columns = _columns(state, options)
    counts = _insert_all(state, options, reader, rows, len(columns))
    if options.is_verbose:
        lines = reader.line - options.first_line + (not text.endswith(reader.row_separator))
        state.output.line(f"Added {counts[0]} rows with {counts[1]} errors using {lines} lines of input")


def _shown(separator: str) -> str:
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1e": "\\036", "\x1f": "\\037"}.get(separator, separator)


def _table(options: ImportOptions) -> str:
    return (f"{quoted(options.schema)}." if options.schema else "") + quoted(options.table)


def _columns(state: ShellState, options: ImportOptions) -> list[str]:
    if options.schema and options.schema.lower() not in map(str.lower, state.database_names()):
        return []
    schema = f"{quoted(options.schema)}." if options.schema else ""
    return [row[1] for row in state.query(f"PRAGMA {schema}table_info({quoted(options.table)})")]


def _create_table(state: ShellState, options: ImportOptions, names: list[str]) -> None:
    chosen, renamed = distinct_names(names)
    if renamed:
        pairs = ",\n".join(f'"{old}" to "{new}"' for old, new in renamed)
        complain(f"Columns renamed during .import {options.file} due to duplicates:\n{pairs}")
    table = f'"{options.schema or "main"}".{quoted(options.table)}'
    sql = f"CREATE TABLE {table}(\n{', '.join(quoted(name) for name in chosen)})"
    if options.is_verbose:
        state.output.line(sql + "\n")
    try:
        state.query(sql)
    except Error as error:
        raise DotError(f"{sql}\n failed:\n{error}") from error


def distinct_names(names: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Names without duplicates or empty ones: each of a group of equal names gets its number; and what was renamed."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name.lower()] = counts.get(name.lower(), 0) + 1
    width = len(str(len(names)))
    chosen = []
    renamed = []
    for number, name in enumerate(names, 1):
        new = name or "?"
        if counts[name.lower()] > 1:
            new = f"{new}_{number:0{width}d}"
            renamed.append((name or "?", new))
        chosen.append(new)
    return chosen, renamed


def _insert_all(state: ShellState, options: ImportOptions, reader: Reader, rows: Iterator[Row], n: int) -> tuple[int, int]:
    session = state.connection._open_session()
    owns_transaction = session.autocommit
    if owns_transaction:
        state.query("BEGIN")
    insert = session.prepare(f"INSERT INTO {_table(options)} VALUES({','.join('?' * n)})")[0]
    progress = Progress("import", len(reader.text))
    n_added = n_failed = 0
    try:
        for line, fields in rows:
            values = _fitted(options.file, line, fields, n)
            error = _try_insert(insert.start, values)
            if error is None:
                n_added += 1
            else:
                n_failed += 1
                complain(f"{options.file}:{line}: INSERT failed: {error}")
            progress.advance(reader.at)
    finally:
        progress.end()
        if owns_transaction and not session.autocommit:
            state.query("COMMIT")
    return n_added, n_failed


def _fitted(file: str, line: int, fields: list[str], n: int) -> list[Any]:
    values: list[Any] = list(fields[:n])
    if len(fields) < n:
        complain(f"{file}:{line}: expected {n} columns but found {len(fields)} - filling the rest with NULL")
        values += [None] * (n - len(fields))
    elif len(fields) > n:
        complain(f"{file}:{line}: expected {n} columns but found {len(fields)} - extras ignored")
    return values


def _try_insert(start: Callable[[list[Any]], Iterator[tuple[Any, ...]]], values: list[Any]) -> Error | None:
    try:
        for _row in start(values):
            pass
    except Error as error:
        return error
    return None
