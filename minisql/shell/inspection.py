"""Dot commands that show what is in the database: tables, indexes, schemas, dumps, databases.

Source: https://www.sqlite.org/cli.html#querying_the_database_schema.
"""

from __future__ import annotations

import re

from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.functions.like import like_matcher
from minisql.shell.column_modes import spread
from minisql.shell.commands import command
from minisql.shell.dot_line import DotError
from minisql.shell.dumping import DumpOptions, dump_lines
from minisql.shell.row_modes import identifier
from minisql.shell.state import ShellState

_LIST_WIDTH = 80
_LIST_GAP = 5
_SCHEMA_TABLES = {
    "sqlite_schema": "sqlite_schema",
    "sqlite_master": "sqlite_schema",
    "sqlite_temp_schema": "temp.sqlite_schema",
    "sqlite_temp_master": "temp.sqlite_schema",
}


@command("databases")
def _databases(state: ShellState, words: list[str]) -> None:
    is_read_only = bool(state.query("PRAGMA query_only")[0][0]) or state.is_read_only
    for _number, name, file in state.query("PRAGMA database_list"):
        state.output.line(f"{name}: {file or chr(34) * 2} {'r/o' if is_read_only else 'r/w'}")


@command("tables")
def _tables(state: ShellState, words: list[str]) -> None:
    pattern = words[0] if words else "%"
    names: list[str] = []
    for database in state.database_names():
        sql = (
            f"SELECT name FROM {quoted(database)}.sqlite_schema WHERE type IN ('table', 'view')"
            " AND name NOT LIKE 'sqlite^_%' ESCAPE '^' AND name LIKE ?1"
        )
        prefix = "" if database == "main" else f"{database}."
        names.extend(prefix + row[0] for row in state.query(sql, (pattern,)))
    _list(state, names)


def _list(state: ShellState, names: list[str]) -> None:
    for line in spread(sorted(names, key=str.lower), _LIST_WIDTH, _LIST_GAP):
        state.output.write(line)


@command("indexes", "indices")
def _indexes(state: ShellState, words: list[str]) -> None:
    pattern = None
    options = set()
    for at, word in enumerate(words, 1):
        option = word.lstrip("-") if word.startswith("-") else ""
        if option in ("a", "all", "expr", "sys"):
            options.add(option)
        elif option:
            raise DotError("unknown option", word=at)
        elif pattern is None:
            pattern = word
        else:
            raise DotError("unknown argument", word=at)
    names: list[str] = []
    for database in state.database_names():
        prefix = "" if database == "main" else f"{database}."
        for name, is_own in _index_names(state, database, pattern):
            if is_own if "sys" in options else not (is_own or options & {"a", "all"}):
                continue
            if "expr" not in options or _has_expression(state, database, name):
                names.append(prefix + name)
    _list(state, names)


def _index_names(state: ShellState, database: str, pattern: str | None) -> list[tuple[str, bool]]:
    """(name, whether CREATE INDEX made it) of every index that itself or whose table matches the pattern."""
    tables = state.query(f"SELECT name FROM {quoted(database)}.sqlite_schema WHERE type='table'")
    rows = [
        (index[1], index[3] == "c", table)
        for (table,) in tables
        for index in state.query(f"PRAGMA {quoted(database)}.index_list({quoted(table)})")
    ]
    if pattern is None:
        return [(name, is_own) for name, is_own, _table in rows]
    matches = like_matcher(pattern)
    return [(name, is_own) for name, is_own, table in rows if matches(name) or matches(table)]


def _has_expression(state: ShellState, database: str, index: str) -> bool:
    return any(row[1] == -2 for row in state.query(f"PRAGMA {quoted(database)}.index_info({quoted(index)})"))


@command("schema")
def _schema(state: ShellState, words: list[str]) -> None:
    is_indented = has_no_system = False
    pattern = None
    for word in words:
        if word in ("--indent", "-indent"):
            is_indented = True
        elif word in ("--nosys", "-nosys"):
            has_no_system = True
        elif word.startswith("-"):
            raise DotError(f'Unknown option: "{word}"')
        elif pattern is None:
            pattern = word
        else:
            raise DotError("Usage: .schema ?--indent? ?--nosys? ?LIKE-PATTERN?")
    if pattern is not None and pattern.lower() in _SCHEMA_TABLES:
        columns = "  type text,\n  name text,\n  tbl_name text,\n  rootpage integer,\n  sql text"
        state.output.line(f"CREATE TABLE {_SCHEMA_TABLES[pattern.lower()]} (\n{columns}\n);")
        return
    for database in state.database_names():
        for name, kind, sql in _schema_rows(state, database, pattern, has_no_system):
            text = _qualified(sql, database) + ";"
            state.output.line(indented(text) if is_indented else text)
            _show_columns(state, database, name, kind, sql)


def _schema_rows(state: ShellState, database: str, pattern: str | None, has_no_system: bool) -> list[tuple[str, str, str]]:
    column = "tbl_name"
    if pattern is not None and "." in pattern:
        column = f"'{database}.' || tbl_name"
    sql = f"SELECT name, type, sql FROM {quoted(database)}.sqlite_schema WHERE sql IS NOT NULL"
    if pattern is not None:
        has_wildcard = any(character in pattern for character in "*?[")
        sql += f" AND lower({column}) {'GLOB lower(?1)' if has_wildcard else 'LIKE ?1'}"
    if has_no_system:
        sql += " AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
    return [(row[0], row[1], row[2]) for row in state.query(sql + " ORDER BY rowid", (pattern,) if pattern is not None else ())]


def _qualified(sql: str, database: str) -> str:
    """The CREATE statement with the name of its database, unless that is main."""
    if database == "main":
        return sql
    found = re.match(r"CREATE (?:TEMP )?(?:TABLE|VIRTUAL TABLE|(?:UNIQUE )?INDEX|VIEW|TRIGGER) ", sql)
    return sql if found is None else f"{sql[: found.end()]}{_schema_name(database)}.{sql[found.end() :]}"


def _schema_name(database: str) -> str:
    return database if re.fullmatch(r"[A-Za-z_]\w*", database, re.ASCII) else quoted(database)


def _show_columns(state: ShellState, database: str, name: str, kind: str, sql: str) -> None:
    if kind != "view" and not sql.upper().startswith("CREATE VIRTUAL TABLE"):
        return
    try:
        columns = [row[1] for row in state.query(f"PRAGMA {quoted(database)}.table_info({quoted(name)})")]
    except Error:
        return  # a view on what is not there any more
    if columns:
        prefix = "" if database == "main" else _schema_name(database) + "."
        state.output.line(f"/* {prefix}{identifier(name)}({','.join(map(identifier, columns))}) */")


def indented(sql: str) -> str:
    """A CREATE TABLE with each part of its list on a line of its own; other statements with single blanks."""
    if re.match(r"CREATE (VIEW|TRIGGER)", sql, re.IGNORECASE):
        return sql
    pieces: list[str] = []
    depth = 0
    at = 0
    is_list = sql.count(",") > 0 and len(sql) > 78 and re.match(r"CREATE TABLE", sql, re.IGNORECASE) is not None
    while at < len(sql):
        character = sql[at]
        if character in "'\"`[":
            end = sql.find("]" if character == "[" else character, at + 1)
            end = len(sql) if end < 0 else end + 1
            pieces.append(sql[at:end])
            at = end
            continue
        at += 1
        if character.isspace():
            if pieces and pieces[-1][-1:] not in (" ", "(", "\n"):
                pieces.append(" ")
            continue
        if character == "(":
            depth += 1
            if pieces and pieces[-1] == " ":
                pieces.pop()
        elif character == ")":
            depth -= 1
            if pieces and pieces[-1] == " ":
                pieces.pop()
            if is_list and depth == 0:
                pieces.append("\n")
        pieces.append(character)
        if is_list and ((character == "(" and depth == 1) or (character == "," and depth == 1)):
            pieces.append("\n  ")
            while at < len(sql) and sql[at].isspace():
                at += 1
    return "".join(pieces)


@command("fullschema")
def _fullschema(state: ShellState, words: list[str]) -> None:
    sql = (
        "SELECT sql FROM (SELECT sql sql, type type, tbl_name tbl_name, name name, rowid x FROM sqlite_schema UNION ALL"
        " SELECT sql, type, tbl_name, name, rowid FROM sqlite_temp_schema)"
        " WHERE type!='meta' AND sql NOTNULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY x"
    )
    is_indented = bool(words) and words[0].startswith("-") and words[0].lstrip("-") == "indent"
    if words and (not is_indented or len(words) > 1):
        raise DotError("Usage: .fullschema ?--indent?")
    for (text,) in state.query(sql):
        state.output.line(indented(text + ";") if is_indented else text + ";")
    tables = [row[0] for row in state.query("SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[134]' ORDER BY name")]
    if not tables:
        state.output.line("/* No STAT tables available */")
        return
    state.output.line("ANALYZE sqlite_schema;")
    for table in tables:
        options = DumpOptions()
        options.has_schema = False
        options.patterns = [table.replace("_", "\\_")]
        for line in dump_lines(state, options):
            state.output.write(re.sub(r"^(INSERT INTO sqlite_stat\d)\([^)]*\)", r"\1", line))
    state.output.line("ANALYZE sqlite_schema;")


@command("dump")
def _dump(state: ShellState, words: list[str]) -> None:
    options = DumpOptions()
    for at, word in enumerate(words, 1):
        name = word.lstrip("-")
        if not word.startswith("-"):
            options.patterns.append(word)
        elif name == "data-only":
            options.has_schema = False
        elif name == "nosys":
            options.has_system = False
        elif name == "preserve-rowids":
            options.has_rowids = True
        elif name == "newlines":
            pass  # SQLite 3.54 takes the option, and escapes line feeds all the same
        else:
            raise DotError("unknown option", word=at)
    for line in dump_lines(state, options):
        state.output.write(line)
