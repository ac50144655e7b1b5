"""Line editing on a terminal: history, completion and colours with prompt_toolkit if it is installed, else with readline.

`make_reader` returns a function that asks for one line with a prompt; it raises EOFError at the end of the input and
KeyboardInterrupt for Ctrl-C.  History lives in `~/.minisql_history` (or `MINISQL_HISTORY`; empty for none).

Source: https://docs.python.org/3/library/readline.html, https://python-prompt-toolkit.readthedocs.io.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.parser.tokens import KEYWORDS
from minisql.shell.commands import COMMANDS
from minisql.shell.state import ShellState

ReadLine = Callable[[str], str]

_MAX_HISTORY = 2000
_WORD = re.compile(r"[\w$.]*\Z")
_PIECES = re.compile(
    r"(?P<string>'(?:[^']|'')*'?)|(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<number>\b\d[\w.]*)|(?P<word>\b[A-Za-z_]\w*)",
    re.DOTALL,
)


def history_file() -> str:
    """Where the history is kept; empty for nowhere."""
    return os.environ.get("MINISQL_HISTORY", os.path.join(os.path.expanduser("~"), ".minisql_history"))


def completions(state: ShellState, before: str) -> list[str]:
    """What may follow the text before the cursor: dot commands, keywords, names of tables and columns."""
    found = _WORD.search(before)
    word = found.group() if found else ""
    if before.startswith(".") and " " not in before:
        return sorted("." + name for name in COMMANDS if name.startswith(before[1:].lower()))
    if not word:
        return []
    lowered = word.lower()
    names = [name for name in _names(state) if name.lower().startswith(lowered)]
    keywords = [name if word.isupper() else name.lower() for name in sorted(KEYWORDS) if name.lower().startswith(lowered)]
    return sorted(set(names)) + [keyword for keyword in keywords if keyword not in names]


def _names(state: ShellState) -> list[str]:
    names: list[str] = []
    with contextlib.suppress(Error):
        for database in state.database_names():
            for (table,) in state.query(f"SELECT name FROM {quoted(database)}.sqlite_schema WHERE type IN ('table', 'view')"):
                names.append(table)
                names.extend(row[1] for row in state.query(f"PRAGMA {quoted(database)}.table_info({quoted(table)})"))
    return names


def highlighted(line: str) -> list[tuple[str, str]]:
    """The line in pieces with prompt_toolkit's style names."""
    styles = {"string": "class:string", "comment": "class:comment", "number": "class:number"}
    pieces: list[tuple[str, str]] = []
    at = 0
    for found in _PIECES.finditer(line):
        kind = found.lastgroup or ""
        style = styles.get(kind, "class:keyword" if found.group().upper() in KEYWORDS else "")
        pieces += [("", line[at : found.start()]), (style, found.group())]
        at = found.end()
    return [*pieces, ("", line[at:])]


def make_reader(state: ShellState) -> ReadLine:
    """The best reader of lines that this Python has."""
    return _toolkit_reader(state) or _readline_reader(state) or input


def _readline_reader(state: ShellState) -> ReadLine | None:
    try:
        import readline  # noqa: PLC0415
    except ImportError:
        return None
    path = history_file()
    with contextlib.suppress(OSError):
        if path:
            readline.read_history_file(path)
    readline.set_history_length(_MAX_HISTORY)
    readline.set_completer_delims(" \t\n,()=<>;'\"")
    found: list[str] = []

    def complete(word: str, number: int) -> str | None:
        nonlocal found
        if number == 0:
            found = completions(state, readline.get_line_buffer()[: readline.get_endidx()])
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")

    def read(prompt: str) -> str:
        line = input(prompt)
        with contextlib.suppress(OSError):
            if path:
                readline.write_history_file(path)
        return line

    return read


def _toolkit_reader(state: ShellState) -> ReadLine | None:
    if not sys.stdin.isatty():
        return None
    try:
        toolkit: Any = importlib.import_module("prompt_toolkit")
        completion: Any = importlib.import_module("prompt_toolkit.completion")
        history: Any = importlib.import_module("prompt_toolkit.history")
        lexers: Any = importlib.import_module("prompt_toolkit.lexers")
        styles: Any = importlib.import_module("prompt_toolkit.styles")
    except ImportError:
        return None

    def get_completions(self: Any, document: Any, event: Any) -> Iterator[Any]:
        before = document.text_before_cursor
        found = _WORD.search(before)
        length = len(before) if before.startswith(".") and " " not in before else len(found.group()) if found else 0
        for text in completions(state, before):
            yield completion.Completion(text, start_position=-length)

    def lex_document(self: Any, document: Any) -> Callable[[int], list[tuple[str, str]]]:
        return lambda number: highlighted(document.lines[number])

    completer = type("Completer", (completion.Completer,), {"get_completions": get_completions})()
    lexer = type("Lexer", (lexers.Lexer,), {"lex_document": lex_document})()

    path = history_file()
    style = styles.Style.from_dict(
        {"keyword": "ansiblue bold", "string": "ansigreen", "number": "ansicyan", "comment": "ansigray"}
    )
    session: Any = toolkit.PromptSession(
        history=history.FileHistory(path) if path else history.InMemoryHistory(),
        completer=completer,
        complete_while_typing=False,
        lexer=lexer,
        style=style,
    )

    def read(prompt: str) -> str:
        return str(session.prompt(prompt))

    return read
