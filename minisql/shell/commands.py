"""Dot commands: the table of them, and how a line finds its command.

A command is a function of the state and its words; it raises DotError for wrong use.  Its name may be shortened to any
beginning, and the first command in the order of the table that begins so is meant.  To add one: write its function under
`@command(name)` in the module of its concept (`settings`, `inspection`, `files`, `database_commands`, `testing`) and its help
in `help_text`.

Source: https://www.sqlite.org/cli.html#special_commands_to_sqlite3_dot_commands_.
"""

from __future__ import annotations

from collections.abc import Callable

from minisql.errors import Error
from minisql.shell.dot_line import DotError, marked_lines, split_line
from minisql.shell.error_context import error_text
from minisql.shell.output import complain
from minisql.shell.state import ShellState

Action = Callable[[ShellState, list[str]], None]

COMMANDS: dict[str, Action] = {}
# Commands that reach out of the database, refused in safe mode.
UNSAFE: set[str] = set()
_MEANT = {"h": "headers", "s": "scanstats", "i": "indexes", "t": "tables", "e": "echo", "d": "dump", "q": "quit"}
# What SQLite's shell does not have is not shortened, so that a short name means what it means there.
_OWN = frozenset({"profile"})
_SETTINGS_FOR_ONE_COMMAND = frozenset({"once", "mode", "nonce", "www", "excel", "headers", "separator", "nullvalue", "width"})


def command(*names: str, is_unsafe: bool = False) -> Callable[[Action], Action]:
    """Enters a function into the table of dot commands."""

    def enter(action: Action) -> Action:
        for name in names:
            COMMANDS[name] = action
            if is_unsafe:
                UNSAFE.add(name)
        return action

    return enter


def find_command(name: str) -> str | None:
    """The full name of the command that a word means."""
    if name in COMMANDS:
        return name
    if name in _MEANT:
        return _MEANT[name]
    return next((known for known in sorted(COMMANDS) if name and known.startswith(name) and known not in _OWN), None)


def run_command(state: ShellState, line: str) -> bool:
    """Runs a line that begins with a dot; False after an error, which has been reported."""
    words = split_line(line)
    if not words:
        return True
    name = find_command(words[0][0].lower())
    texts = [text for text, _start in words]
    try:
        if name is None:
            raise DotError(f'Error: unknown command or invalid arguments:  "{texts[0]}". Enter ".help" for help')
        if name in UNSAFE and state.is_safe and not state.is_unsafe_once:
            raise DotError(f"cannot run .{name} in safe mode", has_place=True)
        COMMANDS[name](state, texts[1:])
    except DotError as error:
        _report(state, line, words, error)
    except Error as error:
        _report(state, line, words, DotError(error_text(error, False, "", "", 0)))
    except OSError as error:
        _report(state, line, words, DotError(f"Error: {error.strerror or error}"))
    else:
        if name not in _SETTINGS_FOR_ONE_COMMAND:
            state.end_command()
        return True
    state.n_errors += 1
    if state.is_safe and name in UNSAFE and not state.is_unsafe_once:
        state.wants_exit = True
        state.exit_code = 1
    return False


def _report(state: ShellState, line: str, words: list[tuple[str, int]], error: DotError) -> None:
    texts = list(error.texts)
    place = place_prefix(state)
    if error.word is not None:
        column = words[min(error.word, len(words) - 1)][1] if error.word else 0
        texts = [*marked_lines(line, column, texts[0]), *texts[1:]]
    if error.word is not None or error.has_place:
        texts = [place + text for text in texts]
    state.output.flush()
    complain("\n".join(texts))


def place_prefix(state: ShellState) -> str:
    """How a dot command's message begins: `line 3: `, `argv[2]: `, `file.sql:3: `."""
    kind, number = state.place
    if kind == "argv":
        return f"argv[{number}]: "
    if state.input_name != "<stdin>":
        return f"{state.input_name}:{number}: "
    return f"line {number}: "


def boolean(text: str) -> bool:
    """on, off, yes, no, true, false or a number; anything else is reported and means no."""
    lowered = text.lower()
    if lowered in ("on", "yes", "true"):
        return True
    if lowered in ("off", "no", "false"):
        return False
    if lowered.isdigit():
        return int(lowered) != 0
    complain(f'ERROR: Not a boolean value: "{text}". Assuming "no".')
    return False


def number(text: str) -> int:
    """A number with an optional sign and one of the suffixes K, M, G (KB, MiB, ...); 0 if there is none."""
    digits = text.strip()
    factor = 1
    for suffix, size in (("k", 1000), ("m", 1000**2), ("g", 1000**3)):
        lowered = digits.lower()
        for ending, base in ((suffix + "ib", 1024 ** (1 + "kmg".index(suffix))), (suffix + "b", size), (suffix, size)):
            if lowered.endswith(ending):
                digits, factor = digits[: -len(ending)], base
                break
    try:
        return int(digits, 0) * factor
    except ValueError:
        return 0
