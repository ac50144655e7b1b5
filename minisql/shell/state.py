"""The state of a shell: the connections, the display, the output, and what dot commands have set.

Source: https://www.sqlite.org/cli.html.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TextIO

from minisql.dbapi.connection import Connection, connect
from minisql.engine.build_options import SQLITE_VERSION
from minisql.errors import CANTOPEN, sqlite_error
from minisql.shell.display import Display
from minisql.shell.functions import add_functions
from minisql.shell.output import Output

_ATTACH, _FUNCTION, _OK = 24, 31, 0
_UNSAFE_FUNCTIONS = frozenset({"edit", "load_extension"})
DEFAULT_PROMPTS = ("minisql> ", "   ...> ")


class UnsafeError(Exception):
    """Safe mode forbids what a statement wants to do; the text says what."""


def forbidden(state: ShellState, action: int, first: str | None, second: str | None, *rest: object) -> int:
    """The authorizer of safe mode: nothing may reach out of the database; raises UnsafeError."""
    if not state.is_unsafe_once:
        if action == _ATTACH:
            raise UnsafeError("cannot run ATTACH in safe mode")
        if action == _FUNCTION and (second or "").lower() in _UNSAFE_FUNCTIONS:
            raise UnsafeError(f"cannot use the {second}() function in safe mode")
    return _OK


class ShellState:
    """What dot commands change."""

    def __init__(self, out: TextIO) -> None:
        self.output = Output(out)
        self.display = Display()
        self.once_settings: dict[str, Any] | None = None
        self.connections: dict[int, tuple[Connection, str]] = {}
        self.active_connection = 0
        self.filename = ":memory:"
        self.is_read_only = False
        self.bails = False
        self.echoes = False
        self.explain = "auto"
        self.query_plan = "off"
        self.shows_changes = False
        self.timer = "off"
        self.stats: tuple[str, ...] = ()
        self.is_safe = False
        self.is_unsafe_once = False
        self.nonce: str | None = None
        self.prompts = DEFAULT_PROMPTS
        self.progress_limit = 0
        self.log_name = "off"
        self.input_name = "<stdin>"
        # "line" or "argv" and the number of the line or argument, for messages.
        self.place = ("line", 0)
        # The next line of the text that is read, for commands that take lines of it.
        self.next_line: Callable[[], str | None] | None = None
        self.depth = 0
        self.is_interactive = False
        self.is_continuing = False
        self.wants_exit = False
        self.exit_code = 0
        self.n_errors = 0
        self.testcase: str | None = None
        self.n_tests = 0
        self.n_failed_tests = 0

    @property
    def connection(self) -> Connection:
        """The active connection, opened when it is first wanted."""
        if self.active_connection not in self.connections:
            self.open(self.filename if self.active_connection == 0 else ":memory:")
        return self.connections[self.active_connection][0]

    def version_text(self) -> str:
        """What -version prints."""
        return f"minisql (SQLite {SQLITE_VERSION} in Python)"

    def open(self, filename: str, *, is_read_only: bool | None = None, must_exist: bool = False) -> None:
        """Opens another database in place of the active one; raises Error."""
        read_only = self.is_read_only if is_read_only is None else is_read_only
        name = filename
        if filename not in (":memory:", "") and not filename.startswith("file:"):
            if (read_only or must_exist) and not os.path.exists(filename):
                raise sqlite_error(CANTOPEN)
            mode = "?mode=ro" if read_only else ""
            name = "file:" + filename.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + mode
        connection = connect(name, isolation_level=None, uri=True, check_same_thread=False, timeout=0)
        self.close_active()
        add_functions(connection._open_session(), self.is_safe)
        self.connections[self.active_connection] = (connection, filename)
        self.guard()
        if self.active_connection == 0:
            self.filename = filename

    def guard(self) -> None:
        """Has the active connection watched as safe mode wants it, or not at all."""
        session = self.connection._open_session()
        session.set_authorizer((lambda *event: forbidden(self, *event)) if self.is_safe else None)

    def close_active(self) -> None:
        """Closes the active connection, if it is open."""
        entry = self.connections.pop(self.active_connection, None)
        if entry is not None:
            entry[0].close()

    def query(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Runs a statement of the shell's own and returns the rows, whatever factories there are."""
        return self.connection._open_session().execute(sql, parameters)

    def database_names(self) -> list[str]:
        """The names of the open databases: main, temp if it is used, attached ones."""
        return [row[1] for row in self.query("PRAGMA database_list")]

    def end_command(self) -> None:
        """Takes back what was set for one command: `.once`, `.mode --once`, `.nonce`."""
        self.output.end_once()
        self.is_unsafe_once = False
        if self.once_settings is not None:
            self.display.restore(self.once_settings)
            self.once_settings = None
