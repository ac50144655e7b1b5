"""VACUUM and VACUUM INTO: the database is built afresh in memory and then written over the old one, or into a new file.

The copy has tables first, then indexes, then what has no pages, as SQLite leaves it.  Rowids stay, except that VACUUM (not
VACUUM INTO) counts them from 1 in a table that has neither INTEGER PRIMARY KEY nor index.

Source: https://www.sqlite.org/lang_vacuum.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.engine.copying import overwrite
from minisql.engine.opening import close_database, open_database, parse_uri
from minisql.engine.schema_loader import SCHEMA_SHAPE, read_rows
from minisql.engine.transactions import READING
from minisql.engine.vacuum_events import hear_vacuum
from minisql.errors import ERROR, READONLY, sqlite_error
from minisql.storage import image
from minisql.storage.btree import BtreeFile
from minisql.values.cast import to_text
from minisql.values.shape import KeyShape, RowShape

if TYPE_CHECKING:
    from minisql.catalog.schema import Schema
    from minisql.engine.session import Session

_COPIED_META = (3, 5, 6, 8)
_COOKIE, _FILE_FORMAT = 1, 2
_SEQUENCE = "sqlite_sequence"
_LEAST_USABLE = 480
"""What of a page must be left for content: a file format rule."""


def vacuum(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """VACUUM [schema] [INTO file]."""
    database = constants[0] if constants and constants[0] is not None else 0
    if database < 0:
        database = 0
    if not session.autocommit:
        raise sqlite_error(ERROR, "cannot VACUUM from within a transaction")
    if len(session.running) > 1:
        raise sqlite_error(ERROR, "cannot VACUUM - SQL statements in progress")
    if session.is_query_only and not arguments:
        raise sqlite_error(READONLY)
    if database == 1:
        return
    session.ensure_schemas()
    session.ensure_reading(database)
    schema = session.catalog.schemas[database]
    assert schema is not None, "it has just been loaded"
    if session.authorizer is not None:
        rows = in_new_order(read_rows(session, database), schema)
        hear_vacuum(session, database, rows, to_text(arguments[0]) if arguments else "")
    copy = rebuilt_copy(session, database, not arguments, _wanted_reserve(session, arguments))
    copy.begin_read()
    if arguments:
        _write_new_file(session, copy, arguments[0])
    else:
        _replace(session, database, copy)
    copy.end_read()
    copy.close()


def _wanted_reserve(session: Session, arguments: list[Any]) -> int:
    """The number of bytes that `VACUUM INTO 'file:...?reserve=N'` asks to leave free on each page, else -1."""
    name = arguments[0] if arguments else None
    if not session.is_uri or not isinstance(name, str) or not name.startswith("file:"):
        return -1
    return parse_uri(name).reserve


def rebuilt_copy(session: Session, database: int, renumbers: bool = False, reserve: int = -1) -> BtreeFile:
    """A compact copy of a database in memory; `renumbers`: rowids that nothing refers to are counted from 1.

    `reserve` bytes stay free on each page, as many as before for -1.
    """
    source = session.btrees[database]
    assert source is not None
    size = session.settings.get(("page_size", database), source.page_size)
    if source.journal_mode == "wal" or source.pager.file is None:
        size = source.page_size
    reserve = source.reserved_bytes if reserve < 0 else reserve
    if size - reserve < _LEAST_USABLE:
        size *= 2
    copy = BtreeFile.open(None, page_size=size)
    copy.set_page_size(size, reserve)
    copy.pager.makes_pages = True
    copy.pager.auto_vacuum_mode = session.settings.get(("auto_vacuum", database), source.auto_vacuum)
    copy.encoding = source.encoding
    copy.begin_read()
    copy.begin_write()
    for field in _COPIED_META:
        copy.set_meta(field, source.get_meta(field))
    copy.set_meta(_COOKIE, (source.get_meta(_COOKIE) + 1) & 0xFFFFFFFF)
    rows = read_rows(session, database)
    if any(row[3] for row in rows):
        # The first CREATE TABLE sets it, so a database without trees has none.
        copy.set_meta(_FILE_FORMAT, 4)
    _copy_objects(session, database, rows, source, copy, renumbers)
    copy.commit()
    copy.end_read()
    return copy


def _copy_objects(
    session: Session,
    database: int,
    rows: list[tuple[Any, ...]],
    source: BtreeFile,
    copy: BtreeFile,
    renumbers: bool,
) -> None:
    schema = session.catalog.schemas[database]
    assert schema is not None
    schema_cursor = copy.table_cursor(1, SCHEMA_SHAPE, True)
    rowid = 0
    for kind, name, table_name, root, sql in in_new_order(rows, schema):
        if root:
            table = schema.tables.get(name.lower())
            index = schema.indexes.get(name.lower())
            shape = table.shape if kind == "table" and table is not None else index.shape if index else None
            if shape is None:
                continue
            is_free = renumbers and table is not None and table.rowid_alias < 0 and not table.indexes
            root = copy_tree(source, root, copy, shape, is_free)
        else:
            # SQLite inserts these with a statement, which leaves its mark.
            session.last_insert_rowid = rowid + 1
        rowid += 1
        schema_cursor.insert(rowid, (kind, name, table_name, root, sql), True)


def in_new_order(rows: list[tuple[Any, ...]], schema: Schema) -> list[tuple[Any, ...]]:
    """The schema's rows as running their SQL makes them: tables, each with the indexes of its constraints, indexes, the rest.

    sqlite_sequence comes with the first AUTOINCREMENT table, and is gone when there is none.
    """
    tables: list[tuple[Any, ...]] = []
    sequence = [row for row in rows if row[1] == _SEQUENCE]
    for row in rows:
        if row[0] != "table" or not row[3] or row[1] == _SEQUENCE:
            continue
        tables.append(row)
        tables += [other for other in rows if other[0] == "index" and other[4] is None and other[2] == row[1]]
        table = schema.tables.get(row[1].lower())
        if table is not None and table.has_autoincrement:
            tables += sequence
            sequence = []
    indexes = [row for row in rows if row[0] == "index" and row[4] is not None]
    return [*tables, *indexes, *(row for row in rows if not row[3])]


def copy_tree(source: BtreeFile, root: int, target: BtreeFile, shape: RowShape | KeyShape, renumbers: bool = False) -> int:
    """Copies a tree into a new one of another file, a table's rows numbered from 1 if wanted; returns its root page."""
    if isinstance(shape, RowShape):
        new_root = target.create_tree(True)
        reader = source.table_cursor(root, shape, False)
        writer = target.table_cursor(new_root, shape, True)
        row = reader.first()
        n_rows = 0
        while row is not None:
            n_rows += 1
            writer.insert(n_rows if renumbers else reader.rowid, row, True)
            row = reader.next()
        return new_root
    new_root = target.create_tree(False)
    entries = source.index_cursor(root, shape, False)
    index_writer = target.index_cursor(new_root, shape, True)
    entry = entries.first()
    while entry is not None:
        index_writer.insert(entry)
        entry = entries.next()
    return new_root


def _write_new_file(session: Session, copy: BtreeFile, value: Any) -> None:
    if not isinstance(value, str):
        raise sqlite_error(ERROR, "non-text filename")
    target = open_database(session, to_text(value), session.is_uri)
    try:
        target.begin_read()
        n_pages = target.n_pages
        target.end_read()
        if n_pages:
            raise sqlite_error(ERROR, "output file already exists")
        overwrite(copy, target)
    finally:
        close_database(target)


def _replace(session: Session, database: int, copy: BtreeFile) -> None:
    target = session.btrees[database]
    assert target is not None
    if target.pager.file is None:
        data = image.serialize(copy)
        if data:
            image.load_image(target, data)
            target.trees.clear()
    elif copy.n_pages:
        session.ensure_writing(database)
        data = image.serialize(copy)
        if target.journal_mode != "wal":
            image.replace_file(target, data)
            session.transaction_states[database] = READING
            session.forget_schema(database)
            return
        size = copy.page_size
        for number in range(1, copy.n_pages + 1):
            image.write_image_page(target, number, data[(number - 1) * size : number * size])
        image.set_page_count(target, copy.n_pages)
    session.changed_schemas.add(database)
    session.forget_schema(database)
