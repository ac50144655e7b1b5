"""The state of a shell: the connection, the output mode, and how rows are printed.

Source: https://www.sqlite.org/cli.html#changing_output_formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from minisql.dbapi.connection import Connection, connect
from minisql.engine.build_options import SQLITE_VERSION
from minisql.values.cast import to_text
from minisql.values.storage_class import encode_text

MODES = ("list", "csv", "line", "tabs", "quote")


class ShellState:
    """What dot commands change."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.connection: Connection
        self.filename = ":memory:"
        self.mode = "list"
        self.separator = "|"
        self.null_text = ""
        self.shows_header = False
        self.is_read_only = False
        self.bails = False
        self.is_continuing = False
        self.wants_exit = False
        self.exit_code = 0
        self.n_initial_commands = 0

    def version_text(self) -> str:
        """What -version prints."""
        return f"minisql (SQLite {SQLITE_VERSION} in Python)"

    def open(self, filename: str) -> None:
        """Opens another database in place of the current one."""
        name = filename
        if self.is_read_only and filename != ":memory:":
            name = "file:" + filename.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro"
        connection = connect(name, isolation_level=None, uri=True, check_same_thread=False)
        if hasattr(self, "connection"):
            self.connection.close()
        self.connection = connection
        self.filename = filename

    def set_mode(self, mode: str) -> None:
        """Changes the output mode and with it the separator."""
        self.mode = mode
        self.separator = {"csv": ",", "tabs": "\t", "quote": ","}.get(mode, "|")

    def print_rows(self, names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Prints the rows of a statement in the current mode."""
        is_first = True
        for row in rows:
            if is_first:
                is_first = False
                if self.shows_header and self.mode != "line":
                    self._write(self.separator.join(self._csv(name) if self.mode == "csv" else name for name in names))
            elif self.mode == "line":
                self._write("")
            if self.mode == "line":
                width = max(max(map(len, names)), 5)
                for name, value in zip(names, row):
                    self._write(f"{name:>{width}} = {self._text(value)}")
            else:
                self._write(self.separator.join([self._cell(value) for value in row]))

    def _write(self, line: str) -> None:
        data = encode_text(line + ("\r\n" if self.mode == "csv" else "\n"))
        buffer = getattr(self.out, "buffer", None)
        if buffer is None:
            self.out.write(data.decode("utf-8", "replace"))
        else:
            self.out.flush()
            buffer.write(data)
            buffer.flush()

    def _cell(self, value: Any) -> str:
        if self.mode == "quote":
            return "NULL" if value is None else _quoted(value)
        text = self._text(value)
        return self._csv(text) if self.mode == "csv" and value is not None else text

    def _text(self, value: Any) -> str:
        if value is None:
            return self.null_text
        if isinstance(value, str):
            return value
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        return to_text(value)

    def _csv(self, text: str) -> str:
        if text and not any(character in text for character in " \"'\n\r\t" + self.separator):
            return text
        return '"' + text.replace('"', '""') + '"'


def _quoted(value: Any) -> str:
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return to_text(value)
