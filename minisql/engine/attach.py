"""ATTACH and DETACH.

Source: https://www.sqlite.org/lang_attach.html, lang_detach.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.catalog.schema import Schema
from minisql.engine.opening import close_database, open_database, shown_name
from minisql.engine.schema_loader import load_schema
from minisql.errors import CANTOPEN, ERROR, Error, sqlite_error
from minisql.limits import ATTACHED
from minisql.values.cast import to_text

if TYPE_CHECKING:
    from minisql.engine.session import Session


def attach(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """ATTACH file AS name: opens the file and reads its schema."""
    filename = "" if arguments[0] is None else to_text(arguments[0])
    name = "" if arguments[1] is None else to_text(arguments[1])
    n_attached = sum(1 for btree in session.btrees[2:] if btree is not None)
    limit = session.limits[ATTACHED]
    if n_attached >= limit:
        raise sqlite_error(ERROR, f"too many attached databases - max {limit}")
    if session.catalog.schema_position(name) >= 0:
        raise sqlite_error(ERROR, f"database {name} is already in use")
    try:
        btree = open_database(session, filename, session.is_uri)
    except Error as error:
        if error.sqlite_errorcode & 0xFF == CANTOPEN:
            raise sqlite_error(error.sqlite_errorcode, f"unable to open database: {filename}") from error
        raise
    position = _add(session, name, shown_name(btree))
    main = session.btrees[0]
    assert main is not None
    btree.pager.secure_delete = main.pager.secure_delete
    btree.pager.auto_checkpoint = session.settings.get("wal_autocheckpoint", btree.pager.auto_checkpoint)
    session.btrees[position] = btree
    try:
        if session.catalog.load is not None:
            session.load_schemas()
        else:
            load_schema(session, position)
    except BaseException:
        _remove(session, position)
        raise
    session.bump_generation()


def _add(session: Session, name: str, filename: str) -> int:
    catalog = session.catalog
    catalog.schemas.append(Schema(name))
    session.btrees.append(None)
    session.transaction_states.append(0)
    session.filenames.append(filename)
    return len(catalog.schemas) - 1


def _remove(session: Session, position: int) -> None:
    btree = session.btrees[position]
    if btree is not None:
        if session.transaction_states[position]:
            btree.end_read()
        close_database(btree)
    del session.catalog.schemas[position]
    del session.btrees[position]
    del session.transaction_states[position]
    del session.filenames[position]
    session.renumber_schemas(position)


def detach(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """DETACH name: the databases behind it move down by one number."""
    name = "" if arguments[0] is None else to_text(arguments[0])
    position = session.catalog.schema_position(name)
    # TEMP is there once something is in it.
    if position < 0 or (position == 1 and not session.is_temp_used() and not session.shows_temp):
        raise sqlite_error(ERROR, f"no such database: {name}")
    if position < 2:
        raise sqlite_error(ERROR, f"cannot detach database {name}")
    # Those behind it get other numbers, which must not happen to statements that are running on them.
    if session.transaction_states[position] or session.databases_in_use() >> position:
        raise sqlite_error(ERROR, f"database {name} is locked")
    _remove(session, position)
    session.bump_generation()
