"""Dot commands that ask or change the connection: limits, parameters, tracing, statistics, checks, hashes.

Source: https://www.sqlite.org/cli.html.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from minisql.dbapi import constants
from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.shell.commands import boolean, command, number
from minisql.shell.dot_line import DotError
from minisql.shell.hashing import hash_rows
from minisql.shell.output import complain
from minisql.shell.progress import Progress
from minisql.shell.state import ShellState, forbidden
from minisql.shell.statements import show_stats

_LIMITS = (
    ("length", 0), ("sql_length", 1), ("column", 2), ("expr_depth", 3), ("parser_depth", 12), ("compound_select", 4),
    ("vdbe_op", 5), ("function_arg", 6), ("attached", 7), ("like_pattern_length", 8), ("variable_number", 9),
    ("trigger_depth", 10), ("worker_threads", 11),
)  # fmt: skip
_ACTION_NAMES = """
CREATE_INDEX CREATE_TABLE CREATE_TEMP_INDEX CREATE_TEMP_TABLE CREATE_TEMP_TRIGGER CREATE_TEMP_VIEW CREATE_TRIGGER CREATE_VIEW
DELETE DROP_INDEX DROP_TABLE DROP_TEMP_INDEX DROP_TEMP_TABLE DROP_TEMP_TRIGGER DROP_TEMP_VIEW DROP_TRIGGER DROP_VIEW INSERT
PRAGMA READ SELECT TRANSACTION UPDATE ATTACH DETACH ALTER_TABLE REINDEX ANALYZE CREATE_VTABLE DROP_VTABLE FUNCTION
SAVEPOINT RECURSIVE
"""
_ACTIONS = {
    getattr(constants, "SQLITE_" + name): name for name in _ACTION_NAMES.split() if hasattr(constants, "SQLITE_" + name)
}


@command("limit")
def _limit(state: ShellState, words: list[str]) -> None:
    known = [(name, category) for name, category in _LIMITS if _limit_value(state, category) is not None]
    if not words:
        for name, category in known:
            state.output.line(f"{name:>20} {_limit_value(state, category)}")
        return
    found = [entry for entry in known if entry[0].startswith(words[0].lower())]
    if len(found) > 1 and found[0][0] != words[0].lower():
        raise DotError(f'ambiguous limit: "{words[0]}"')
    if not found:
        raise DotError(f'unknown limit: "{words[0]}"', 'enter ".limits" with no arguments for a list.')
    name, category = found[0]
    if len(words) > 1:
        state.connection.setlimit(category, number(words[1]))
    state.output.line(f"{name:>20} {_limit_value(state, category)}")


def _limit_value(state: ShellState, category: int) -> int | None:
    try:
        return state.connection.getlimit(category)
    except Error:
        return None


@command("dbconfig")
def _dbconfig(state: ShellState, words: list[str]) -> None:
    prefix = "SQLITE_DBCONFIG_"
    options = {name[len(prefix) :].lower(): getattr(constants, name) for name in dir(constants) if name.startswith(prefix)}
    for name in sorted(options):
        if words and words[0] != name:
            continue
        if len(words) > 1:
            state.connection.setconfig(options[name], boolean(words[1]))
        state.output.line(f"{name:>19} {'on' if state.connection.getconfig(options[name]) else 'off'}")
        if words:
            return
    if words:
        raise DotError(f'Error: unknown dbconfig "{words[0]}"', 'Enter ".dbconfig" with no arguments for a list')


_PARAMETER_HELP = """.parameter CMD ...       Manage SQL parameter bindings
   clear                   Erase all bindings
   init                    Initialize the TEMP table that holds bindings
   list                    List the current parameter bindings
   set PARAMETER VALUE     Given SQL parameter PARAMETER a value of VALUE
                           PARAMETER should start with one of: $ : @ ?
   unset PARAMETER         Remove PARAMETER from the binding table"""


@command("parameter")
def _parameter(state: ShellState, words: list[str]) -> None:
    action = words[0] if words else ""
    if action == "clear" and len(words) == 1:
        with _writable_schema(state):
            state.query("DROP TABLE IF EXISTS temp.sqlite_parameters")
    elif action == "list" and len(words) == 1:
        _list_parameters(state)
    elif action == "init" and len(words) == 1:
        _make_parameters(state)
    elif action == "set" and len(words) == 3:
        _make_parameters(state)
        _set_parameter(state, words[1], words[2])
    elif action == "unset" and len(words) == 2:
        if _has_parameters(state):
            with _writable_schema(state):
                state.query("DELETE FROM temp.sqlite_parameters WHERE key=?1", (words[1],))
    else:
        state.output.line(_PARAMETER_HELP)


def _has_parameters(state: ShellState) -> bool:
    return bool(state.query("SELECT 1 FROM sqlite_temp_schema WHERE name='sqlite_parameters'"))


def _make_parameters(state: ShellState) -> None:
    if _has_parameters(state):
        return
    with _writable_schema(state):
        state.query("CREATE TABLE IF NOT EXISTS temp.sqlite_parameters(key TEXT PRIMARY KEY, value) WITHOUT ROWID")


@contextlib.contextmanager
def _writable_schema(state: ShellState) -> Iterator[None]:
    """The table of parameters has a name that is not open to users."""
    was_writable = state.query("PRAGMA writable_schema")[0][0]
    state.query("PRAGMA writable_schema=ON")
    try:
        yield
    finally:
        state.query(f"PRAGMA writable_schema={was_writable}")


def _set_parameter(state: ShellState, key: str, value: str) -> None:
    session = state.connection._open_session()
    try:
        chosen = session.execute(f"SELECT {value}")[0][0]
    except Error:
        chosen = value
    with _writable_schema(state):
        state.query("REPLACE INTO temp.sqlite_parameters(key,value)VALUES(?1,?2)", (key, chosen))


def _list_parameters(state: ShellState) -> None:
    if not _has_parameters(state):
        return
    rows = state.query("SELECT key, quote(value) FROM temp.sqlite_parameters ORDER BY key")
    width = max((len(row[0]) for row in rows), default=0)
    for key, value in rows:
        state.output.line(f"{key:<{width}} {value}")


@command("auth")
def _auth(state: ShellState, words: list[str]) -> None:
    if not words:
        raise DotError("Usage: .auth ON|OFF [--deny GLOB] [--ignore]")
    if not boolean(words[0]):
        state.guard()
        return

    def show(action: int, *names: str | None) -> int:
        if state.is_safe:
            forbidden(state, action, *names)
        texts = ["NULL" if name is None else f"'{name}'" for name in names]
        state.output.line(f"authorizer: {_ACTIONS.get(action, action)} {' '.join(texts)} -> OK")
        return 0

    state.connection._open_session().set_authorizer(show)


@command("trace")
def _trace(state: ShellState, words: list[str]) -> None:
    name = next((word for word in words if not word.startswith("-")), "off")
    if name == "off":
        state.connection.set_trace_callback(None)
    elif name == "stdout":
        state.connection.set_trace_callback(lambda sql: state.output.line(sql.rstrip(";") + ";"))
    elif name == "stderr":
        state.connection.set_trace_callback(lambda sql: complain(sql.rstrip(";") + ";"))
    else:
        path = name
        if state.is_safe:
            raise DotError("cannot run .trace in safe mode", has_place=True)

        def append(sql: str) -> None:
            with open(path, "a", encoding="utf-8") as file:
                file.write(sql.rstrip(";") + ";\n")

        state.connection.set_trace_callback(append)


@command("log", is_unsafe=True)
def _log(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .log FILENAME")
    raise DotError("Error: this engine keeps no error log; use .trace, or PRAGMA minisql_slow_log")


@command("progress")
def _progress(state: ShellState, words: list[str]) -> None:
    limit = n_instructions = 0
    is_quiet = False
    at = 0
    while at < len(words):
        word = words[at]
        option = word.lstrip("-")
        at += 1
        if not word.startswith("-"):
            n_instructions = number(word)
        elif option in ("q", "quiet"):
            is_quiet = True
        elif option in ("limit", "timeout") and at < len(words):
            limit = number(words[at]) if option == "limit" else 0
            at += 1
        elif option not in ("once", "reset"):
            raise DotError(f'Error: unknown option: "{word}"')
    count = 0

    def on_progress() -> int:
        nonlocal count
        count += 1
        if limit and count >= limit:
            state.output.line(f"Progress limit reached ({limit})")
            return 1
        if not is_quiet:
            state.output.line(f"Progress {count}")
        return 0

    state.connection.set_progress_handler(on_progress if n_instructions > 0 else None, n_instructions)


@command("timeout")
def _timeout(state: ShellState, words: list[str]) -> None:
    state.query(f"PRAGMA busy_timeout={number(words[0]) if words else 0}")


@command("stats")
def _stats(state: ShellState, words: list[str]) -> None:
    known = ("all", "io", "mem", "off", "on", "--once", "reset", "stmt", "vmstep", "xmem", "xstmt")
    for at, word in enumerate(words, 1):
        if word not in known:
            raise DotError("unknown argument", word=at)
    if not words or "--once" in words:
        show_stats(state)
    elif "off" in words:
        state.stats = ()
    else:
        state.stats = tuple(words)


@command("connection")
def _connection(state: ShellState, words: list[str]) -> None:
    if not words:
        for place in sorted({*state.connections, state.active_connection}):
            file = state.connections[place][1] if place in state.connections else "(not open)"
            head = f"ACTIVE {place}:" if place == state.active_connection else f"       {place}:"
            state.output.line(f"{head} {file or '(memory)'}")
        return
    if len(words) == 1 and words[0].isdigit() and len(words[0]) == 1:
        state.active_connection = int(words[0])
        if state.active_connection not in state.connections:
            state.open(":memory:")
        return
    if len(words) == 2 and words[0] == "close" and words[1].isdigit():
        if int(words[1]) == state.active_connection:
            raise DotError("cannot close the active database connection")
        entry = state.connections.pop(int(words[1]), None)
        if entry is not None:
            entry[0].close()
        return
    raise DotError("Usage: .connection [close] [CONNECTION-NUMBER]")


@command("sha3sum")
def _sha3sum(state: ShellState, words: list[str]) -> None:
    bits = 224
    has_schema = False
    pattern: str | None = None
    for word in words:
        option = word.lstrip("-")
        if not word.startswith("-"):
            pattern = word
        elif option == "schema":
            has_schema = True
        elif option in ("sha3-224", "sha3-256", "sha3-384", "sha3-512"):
            bits = int(option[5:])
        else:
            raise DotError(f'Unknown option "{word}" on "sha3sum"')
    digest = hash_rows(state.connection._open_session(), bits, pattern, has_schema)
    state.output.line(digest if pattern is None else f"{digest}|{pattern}")


@command("intck")
def _intck(state: ShellState, words: list[str]) -> None:
    rows = [row[0] for row in state.query("PRAGMA integrity_check")]
    errors = [] if rows == ["ok"] else rows
    for error in errors:
        state.output.line(error)
    state.output.line(f"{len(rows)} steps, {len(errors)} errors")


@command("diskused")
def _diskused(state: ShellState, words: list[str]) -> None:
    schema = words[0] if words else "main"
    rows = state.query(
        "SELECT name, count(*), sum(pgsize), sum(payload), sum(unused) FROM dbstat WHERE schema=?1"
        " GROUP BY name ORDER BY 3 DESC",
        (schema,),
    )
    for name, n_pages, size, payload, unused in rows:
        state.output.line(f"{name}: {n_pages} pages, {size} bytes, {payload} of payload, {unused} unused")


@command("dbtotxt")
def _dbtotxt(state: ShellState, words: list[str]) -> None:
    for line in hex_dump(state.connection.serialize(), state.filename):
        state.output.line(line)


def hex_dump(data: bytes, filename: str) -> Iterator[str]:
    """The pages of a database file as `.open --hexdb` reads them; lines of nothing but zeros are left out."""
    page_size = int.from_bytes(data[16:18], "big") or 4096
    page_size = 65536 if page_size == 1 else page_size
    name = "unk.db" if filename in ("", ":memory:") else filename.rsplit("/", 1)[-1]
    yield f"| size {len(data)} pagesize {page_size} filename {name}"
    for start in range(0, len(data), page_size):
        page = data[start : start + page_size]
        if not any(page):
            continue
        yield f"| page {start // page_size + 1} offset {start}"
        for at in range(0, len(page), 16):
            piece = page[at : at + 16]
            if any(piece):
                shown = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'{}"\\' else "." for byte in piece)
                yield f"|  {at:5d}: {piece.hex(' ')}   {shown}"
    yield f"| end {name}"


@command("lint")
def _lint(state: ShellState, words: list[str]) -> None:
    if not words or not "fkey-indexes".startswith(words[0]):
        raise DotError("Usage lint sub-commands:", "    fkey-indexes")
    progress = Progress("lint", 1)
    for (table,) in state.query(
        "SELECT name FROM sqlite_schema WHERE type='table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    ):
        keys: dict[int, tuple[str, list[str], list[str]]] = {}
        for row in state.query(f"PRAGMA foreign_key_list({quoted(table)})"):
            entry = keys.setdefault(row[0], (row[2], [], []))
            entry[1].append(row[3])
            entry[2].append(row[4] or "")
        for parent, columns, parent_columns in keys.values():
            if not _has_index(state, table, columns):
                _suggest(state, table, columns, parent, parent_columns)
    progress.end()


def _has_index(state: ShellState, table: str, columns: list[str]) -> bool:
    wanted = {column.lower() for column in columns}
    info = state.query(f"PRAGMA table_info({quoted(table)})")
    if len(wanted) == 1 and [row[1].lower() for row in info if row[5] and row[2].upper() == "INTEGER"] == list(wanted):
        return True
    for index in state.query(f"PRAGMA index_list({quoted(table)})"):
        indexed = [row[2] for row in state.query(f"PRAGMA index_info({quoted(index[1])})")]
        if {str(name).lower() for name in indexed[: len(wanted)]} == wanted:
            return True
    return False


def _suggest(state: ShellState, table: str, columns: list[str], parent: str, parent_columns: list[str]) -> None:
    if not all(parent_columns):
        info = sorted(
            (row for row in state.query(f"PRAGMA table_info({quoted(parent)})") if row[5]), key=lambda row: int(row[5])
        )
        parent_columns = [row[1] for row in info]
    index = "_".join([table, *columns])
    listed = ", ".join(f"'{column}'" for column in columns)
    state.output.line(f"CREATE INDEX '{index}' ON '{table}'({listed}); --> {parent}({','.join(parent_columns)})")


@command("vfslist")
def _vfslist(state: ShellState, words: list[str]) -> None:
    for name in ("python", "memdb"):
        state.output.line(f'vfs.zName      = "{name}"' + ("  <--- CURRENT" if name == "python" else ""))


@command("vfsinfo", "vfsname")
def _vfsinfo(state: ShellState, words: list[str]) -> None:
    state.output.line('vfs.zName      = "python"')


@command("source")
def _source(state: ShellState, words: list[str]) -> None:
    if not words:
        raise DotError("Usage: .source SQL", "The Python source that tier 2 makes of a statement")
    for row in state.query(f"PRAGMA minisql_source('{' '.join(words).replace(chr(39), chr(39) * 2)}')"):
        state.output.line(str(row[0]))


def _refuse(name: str, reason: str) -> None:
    """Enters a command that this shell cannot have."""

    def action(state: ShellState, words: list[str]) -> None:
        raise DotError(f"Error: .{name}: {reason}")

    command(name)(action)


_refuse(
    "load", "extensions written in C cannot be loaded into an engine written in Python; register Python functions and modules"
)
_refuse("expert", "the index advisor is an extension written in C, which this shell does not have")
_refuse("imposter", "imposter tables need sqlite3_test_control(), which this engine does not have")
_refuse("filectrl", "this engine has no sqlite3_file_control(); most of its settings are PRAGMAs")


@command("scanstats")
def _scanstats(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .scanstats on|off|est")
    complain("Warning: .scanstats not available in this build.")


_refuse("excel", "this shell opens no spreadsheet; use .once FILE.csv and .mode csv")
_refuse("www", "this shell opens no browser; use .once FILE.html and .mode html")
