"""The options of the command line.

`parse_options` gives what is to be done: settings are functions of the state, made in the order in which they were written;
`-cmd` commands and the words behind the file name come with their place among the arguments, for messages.

Source: https://www.sqlite.org/cli.html, `sqlite3 -help`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minisql.shell.commands import boolean, number
from minisql.shell.display import MODES
from minisql.shell.dot_line import unescape
from minisql.shell.state import ShellState

USAGE = """Usage: minisql [OPTIONS] [FILENAME [SQL...]]
       minisql check [--quick] FILENAME
       minisql profile [--opcodes] FILENAME SQL
       minisql recover [--ignore-freelist] [--lost-and-found TABLE] FILENAME
FILENAME is the name of an SQLite database. A new database is created
if the file does not previously exist. Defaults to :memory:.
OPTIONS include:
   --                   treat no subsequent arguments as options
   -ascii, -box, -column, -csv, -html, -json, -line, -list, -markdown,
   -quote, -table, -tabs, -insert   set the output mode
   -bail                stop after hitting an error
   -batch               force batch I/O
   -cmd COMMAND         run "COMMAND" before reading stdin
   -cmdline-edit BOOL   enable or disable command-line editing
   -echo                print inputs before execution
   -escape T            ctrl-char escape; T is one of: symbol, ascii, off
   -init FILENAME       read/process named file
   -[no]header          turn headers on or off
   -help                show this message
   -ifexists            only open if database already exists
   -interactive         force interactive I/O
   -newline SEP         set output row separator. Default: '\\n'
   -noinit              do not read the ~/.sqliterc file at startup
   -nonce STRING        set the safe-mode escape nonce
   -nullvalue TEXT      set text string for NULL values. Default ''
   -readonly            open the database read-only
   -safe                enable safe-mode
   -screenwidth N       use N as the default screenwidth
   -separator SEP       set output column separator. Default: '|'
   -stats               print statistics after each statement
   -version             show the version
"""

Setting = Callable[[ShellState], None]


class Options:
    """A parsed command line.  `commands` and `before` (from -cmd) are (place among the arguments, text)."""

    def __init__(self) -> None:
        self.filename: str | None = None
        self.settings: list[Setting] = []
        self.before: list[tuple[int, str]] = []
        self.commands: list[tuple[int, str]] = []
        self.init_file: str | None = None
        self.reads_init = True
        self.must_exist = False
        self.is_batch: bool | None = None
        self.edits_lines = True
        self.wants_help = False
        self.wants_version = False


class OptionError(Exception):
    """The command line is wrong; the text is for the user."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Reads the arguments behind the program's name; raises OptionError."""
    options = Options()
    at = 0
    is_literal = False
    while at < len(arguments):
        word = arguments[at]
        at += 1
        if is_literal or not word.startswith("-") or word == "-":
            if options.filename is None:
                options.filename = word
            else:
                options.commands.append((at, word))
            continue
        if word == "--":
            is_literal = True
            continue
        name = word[2:] if word.startswith("--") else word[1:]
        n_values = _N_VALUES.get(name, 0)
        if at + n_values > len(arguments):
            raise OptionError(f"Error: missing argument to {word}")
        values = arguments[at : at + n_values]
        at += n_values
        if not _obey(options, name, list(values), at - n_values + 1):
            raise OptionError(f"Error: unknown option: {word}\nUse -help for a list of options.")
    return options


_N_VALUES = {
    "cmd": 1, "cmdline-edit": 1, "escape": 1, "init": 1, "newline": 1, "nonce": 1, "nullvalue": 1, "screenwidth": 1,
    "separator": 1, "lookaside": 2, "maxsize": 1, "mmap": 1, "pagecache": 2, "vfs": 1,
}  # fmt: skip
_IGNORED = frozenset({"lookaside", "maxsize", "mmap", "pagecache", "nofollow", "no-rowid-in-view", "memtrace"})
_FOREIGN = {
    "append": "the appendvfs is an extension written in C",
    "deserialize": "use Connection.deserialize() from Python",
    "vfs": "register a VFS from Python with minisql.register_vfs()",
    "vfstrace": "register a VFS from Python with minisql.register_vfs()",
    "pcachetrace": "the page cache has no trace",
    "unsafe-testing": "there is no testing interface",
}


def _titles(titles: str) -> Setting:
    return lambda state: state.display.set_titles(titles)


def _display(name: str, value: object) -> Setting:
    return lambda state: setattr(state.display, name, value)


def _state(name: str, value: object = True) -> Setting:
    return lambda state: setattr(state, name, value)


def _obey(options: Options, name: str, values: list[str], place: int) -> bool:
    """Enters one option; False if it is unknown."""
    if name in _FOREIGN:
        raise OptionError(f"Error: option -{name} is not there: {_FOREIGN[name]}")
    if name in _IGNORED:
        return True
    if name in MODES and name not in ("count", "off", "psql", "split", "tcl", "c", "jatom", "jobject"):
        # Of two settings that meet, like -separator and -list, the later one holds.
        options.settings.append(lambda state: state.display.set_mode(name, is_fresh=True))
        return True
    if name in _SETTINGS:
        options.settings.append(_SETTINGS[name](values))
        return True
    if name == "cmd":
        options.before.append((place, values[0]))
    elif name == "init":
        options.init_file = values[0]
    elif name in ("batch", "interactive"):
        options.is_batch = name == "batch"
    elif name == "cmdline-edit":
        options.edits_lines = boolean(values[0])
    elif name in ("noinit", "ifexists", "help", "h", "?", "version"):
        options.reads_init = options.reads_init and name != "noinit"
        options.must_exist = options.must_exist or name == "ifexists"
        options.wants_help = options.wants_help or name in ("help", "h", "?")
        options.wants_version = options.wants_version or name == "version"
    else:
        return False
    return True


_SETTINGS: dict[str, Callable[[list[str]], Setting]] = {
    "bail": lambda values: _state("bails"),
    "echo": lambda values: _state("echoes"),
    "escape": lambda values: _display("escape", values[0]),
    "header": lambda values: _titles("always"),
    "headers": lambda values: _titles("always"),
    "newline": lambda values: _display("row_separator", unescape(values[0])),
    "noheader": lambda values: _titles("off"),
    "noheaders": lambda values: _titles("off"),
    "nonce": lambda values: _state("nonce", values[0]),
    "nullvalue": lambda values: _display("null_text", values[0]),
    "readonly": lambda values: _state("is_read_only"),
    "safe": lambda values: _state("is_safe"),
    "screenwidth": lambda values: _display("screen_width", number(values[0])),
    "separator": lambda values: _display("column_separator", unescape(values[0])),
    "stats": lambda values: _state("stats", ("on",)),
}
