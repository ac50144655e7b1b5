"""`minisql recover FILE`: the rows of a damaged database as SQL; `minisql check FILE`: what is wrong with it.

The tables come from what is left of sqlite_schema, their rows from the pages that their root leads to.  Rows and entries on
other pages go into a table `lost_and_found` with the root that they seem to belong to, their page, the number of values, the
rowid and the values.  Indexes, triggers and views are made at the end.  Deleted rows may come back, and constraints may not
hold: the statements are INSERT OR IGNORE.

Source: https://www.sqlite.org/recovery.html, https://www.sqlite.org/cli.html#recover_data_from_a_corrupted_database.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from minisql.dbapi.connection import Connection, connect
from minisql.engine.names import quoted
from minisql.errors import Error
from minisql.functions.printf import sql_literal
from minisql.storage.header import ENCODING_NUMBERS
from minisql.storage.salvage import SalvagedRow, Wreck
from minisql.values.storage_class import encode_text

SchemaRow = tuple[str, str, int, str]
"""(type, name, root page, sql) of a row of sqlite_schema."""


def recover_sql(path: str, ignore_freelist: bool = False, lost_and_found: str = "lost_and_found") -> Iterator[str]:
    """Yields the statements that make a new database of what can be read; raises SQLITE_CANTOPEN only."""
    wreck = Wreck.open(path)
    scratch = connect(":memory:", isolation_level=None)
    yield "BEGIN;"
    yield "PRAGMA writable_schema = on;"
    yield f"PRAGMA encoding = '{wreck.encoding.upper()}';"
    yield f"PRAGMA page_size = {wreck.page_size};"
    objects = list(_schema_rows(wreck)) if wreck.pages else []
    used = set(wreck.tree(1)) if wreck.pages else set()
    names: set[str] = set()
    for kind, name, root, sql in objects:
        if kind == "table":
            pages = wreck.tree(root)
            layout = _layout(scratch, name, sql)
            if layout is None:
                continue
            names.add(name.lower())
            if name.lower() == "sqlite_sequence":
                yield "DELETE FROM sqlite_sequence;"
            elif not name.lower().startswith("sqlite_"):
                yield f"{sql};"
            else:
                used.update(pages)
                continue
            used.update(pages)
            for number in pages:
                for row in wreck.rows(number):
                    yield from _insert(name, layout, row, wreck.encoding)
        elif kind == "index":
            used.update(wreck.tree(root))
    for number in used:
        for _row in wreck.rows(number):
            pass  # marks the overflow pages
    if ignore_freelist:
        used |= wreck.freelist()
    yield from _lost_rows(wreck, used | wreck.overflow_pages, _free_name(lost_and_found, names))
    for kind, name, _root, sql in objects:
        if kind != "table" and sql and not name.lower().startswith("sqlite_"):
            yield f"{sql};"
    yield "PRAGMA writable_schema = off;"
    yield "COMMIT;"


def _schema_rows(wreck: Wreck) -> Iterator[SchemaRow]:
    """Rows of sqlite_schema that make sense, tables first and sqlite_sequence behind the tables that fill it."""
    rows: list[SchemaRow] = []
    for number in wreck.tree(1):
        for _rowid, values in wreck.rows(number):
            kind, name, _table, root, sql = (*values, None, None, None, None, None)[:5]
            if isinstance(kind, str) and isinstance(name, str):
                text = sql if isinstance(sql, str) else ""
                rows.append((kind, name, root if isinstance(root, int) else 0, text))
    return iter(sorted(rows, key=lambda row: (row[0] != "table", row[1].lower() == "sqlite_sequence")))


class _Layout:
    """The columns of a table in the order of its record, and where the rowid goes."""

    __slots__ = ("columns", "has_rowid", "rowid_column")

    def __init__(self, columns: list[str], has_rowid: bool, rowid_column: int) -> None:
        self.columns = columns
        self.has_rowid = has_rowid
        self.rowid_column = rowid_column


def _layout(scratch: Connection, name: str, sql: str) -> _Layout | None:
    """The layout of a table by its CREATE TABLE; None when that cannot be run."""
    if name.lower() == "sqlite_sequence":
        return _Layout(["name", "seq"], True, -1)
    if name.lower().startswith("sqlite_stat"):
        return _Layout([], True, -1)
    try:
        scratch.execute(sql)
        rows = scratch.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
        sql = "SELECT type, wr FROM pragma_table_list WHERE lower(name) = lower(?)"
        kind, is_clustered = scratch.execute(sql, (name,)).fetchone()
    except (Error, TypeError):
        return None
    if kind != "table":
        return None
    stored = [row for row in rows if row[6] in (0, 1, 3)]
    if is_clustered:
        key = sorted((row for row in stored if row[5]), key=lambda row: row[5])
        return _Layout([row[1] for row in (*key, *(row for row in stored if not row[5]))], False, -1)
    # A column of type INTEGER that is the only key is the rowid; its place in the record holds NULL.
    keys = [row for row in stored if row[5]]
    is_alias = len(keys) == 1 and keys[0][2].upper() == "INTEGER"
    columns = [row[1] if row[6] != 3 else "" for row in stored]
    return _Layout(columns, True, stored.index(keys[0]) if is_alias else -1)


def _insert(name: str, layout: _Layout, row: SalvagedRow, encoding: str) -> Iterator[str]:
    rowid, values = row
    if (rowid is not None) != layout.has_rowid:
        return
    fields: list[tuple[str, Any]] = []
    if layout.has_rowid and layout.rowid_column < 0 and name.lower() != "sqlite_sequence":
        fields.append(("_rowid_", rowid))
    for position, (column, value) in enumerate(zip(layout.columns, values)):
        if column:
            fields.append((quoted(column), rowid if position == layout.rowid_column else value))
    columns = ", ".join(column for column, _value in fields)
    values_text = _literals([value for _column, value in fields], encoding)
    yield f"INSERT OR IGNORE INTO {quoted(name)}({columns}) VALUES ({values_text});"


def _literals(values: Sequence[Any], encoding: str) -> str:
    return ", ".join([_literal(value, encoding) for value in values])


def _literal(value: Any, encoding: str) -> str:
    """A value as SQL; text that no literal can hold (a NUL, bytes that are not UTF-8) as a cast of the database's bytes."""
    if isinstance(value, str) and not value.isprintable():
        raw = encode_text(value)
        if b"\0" in raw or raw.decode("utf-8", "replace") != value:
            return f"CAST(X'{encode_text(value, ENCODING_NUMBERS[encoding]).hex()}' AS TEXT)"
    return sql_literal(value)


def _free_name(wanted: str, names: set[str]) -> str:
    """The name of the table of lost rows; with a number when there is a table of that name."""
    name, number = wanted, 0
    while name.lower() in names:
        name, number = f"{wanted}{number}", number + 1
    return name


def _lost_rows(wreck: Wreck, used: set[int], name: str) -> Iterator[str]:
    """Rows and entries of all pages that no table leads to."""
    lost: list[tuple[int, int, SalvagedRow]] = []
    for number in range(1, len(wreck.pages) + 1):
        if number not in used and wreck.kind(number):
            lost += [(wreck.root_of(number), number, row) for row in wreck.rows(number)]
    lost = [one for one in lost if one[1] not in wreck.overflow_pages]
    if not lost:
        return
    n_columns = max(len(values) for _root, _number, (_rowid, values) in lost)
    columns = ", ".join(f"c{i}" for i in range(n_columns))
    yield f"CREATE TABLE {quoted(name)}(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER, {columns});"
    for root, number, (rowid, values) in lost:
        padded = (*values, *(None for _ in range(n_columns - len(values))))
        yield f"INSERT INTO {quoted(name)} VALUES ({_literals((root, number, len(values), rowid, *padded), wreck.encoding)});"


def run_recover(words: Sequence[str]) -> int:
    """The command `recover [--ignore-freelist] [--lost-and-found TABLE] FILE`; returns the exit code."""
    words = list(words)
    ignore_freelist = "--ignore-freelist" in words
    name = "lost_and_found"
    if "--lost-and-found" in words[:-1]:
        at = words.index("--lost-and-found")
        name = words[at + 1]
        del words[at : at + 2]
    files = [word for word in words if word != "--ignore-freelist"]
    if len(files) != 1 or files[0].startswith("-"):
        print("Usage: minisql recover [--ignore-freelist] [--lost-and-found TABLE] FILE", file=sys.stderr)
        return 2
    try:
        for line in recover_sql(files[0], ignore_freelist, name):
            sys.stdout.write(line + "\n")
    except Error as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def run_check(words: Sequence[str]) -> int:
    """The command `check [--quick] FILE`: facts about the file and the answer of integrity_check; 1 when that is not ok."""
    files = [word for word in words if word != "--quick"]
    if len(files) != 1 or files[0].startswith("-"):
        print("Usage: minisql check [--quick] FILE", file=sys.stderr)
        return 2
    pragma = "quick_check" if "--quick" in words else "integrity_check"
    try:
        connection = connect(f"file:{_escaped(files[0])}?mode=ro", uri=True, isolation_level=None)
        for fact in ("page_size", "page_count", "freelist_count", "encoding", "auto_vacuum", "journal_mode", "schema_version"):
            print(f"{fact}: {connection.execute(f'PRAGMA {fact}').fetchone()[0]}")
        answers = [row[0] for row in connection.execute(f"PRAGMA {pragma}").fetchall()]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall() if answers == ["ok"] else []
        answers += [f"row {rowid} of {table} has no parent in {parent}" for table, rowid, parent, _key in orphans]
    except Error as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print("\n".join(answers))
    return int(answers != ["ok"])


def _escaped(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
