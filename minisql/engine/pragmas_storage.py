"""PRAGMAs about files: header fields, sizes, journal, cache, locking, vacuum.

Source: https://www.sqlite.org/pragma.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.engine.pragma_table import Rows, parse_boolean, parse_integer, parse_integer64, parse_whole_integer64, pragma
from minisql.engine.wal_hook import set_automatic_checkpoint
from minisql.errors import ERROR, sqlite_error
from minisql.storage.header import ENCODINGS

if TYPE_CHECKING:
    from minisql.engine.session import Session
    from minisql.storage.btree import BtreeFile

_JOURNAL_MODES = ("delete", "persist", "off", "truncate", "memory", "wal")
_SYNCHRONOUS = {"off": 0, "no": 0, "false": 0, "on": 1, "yes": 1, "true": 1, "full": 2, "extra": 3}
_ENCODINGS = {"utf8": 1, "utf-8": 1, "utf-16le": 2, "utf16le": 2, "utf-16be": 3, "utf16be": 3, "utf-16": 2, "utf16": 2}
_ENCODING_NAMES = {1: "UTF-8", 2: "UTF-16le", 3: "UTF-16be"}


def target(session: Session, database: int | None) -> BtreeFile:
    """The named database's file, main by default."""
    btree = session.btrees[database or 0]
    assert btree is not None
    return btree


def _enter_header_field(name: str, field: int, is_read_only: bool = False) -> None:
    @pragma(name, sets_silently=not is_read_only)
    def serve(session: Session, database: int | None, value: str | None) -> Rows:
        number = database or 0
        if value is None or is_read_only:
            session.ensure_reading(number)
            found = target(session, number).get_meta(field)
            return [(found - (1 << 32) if found >= 1 << 31 else found,)]
        session.ensure_writing(number)
        target(session, number).set_meta(field, parse_integer(value) & 0xFFFFFFFF)
        if field == 1:
            session.forget_schema(number)
        return []


_enter_header_field("user_version", 6)
_enter_header_field("application_id", 8)
_enter_header_field("schema_version", 1)
_enter_header_field("freelist_count", 0, is_read_only=True)


@pragma("data_version")
def data_version(session: Session, database: int | None, value: str | None) -> Rows:
    """A number that changes when another connection has committed."""
    session.ensure_reading(database or 0)
    return [(target(session, database).data_version,)]


@pragma("page_count")
def page_count(session: Session, database: int | None, value: str | None) -> Rows:
    """The number of pages."""
    session.ensure_reading(database or 0)
    return [(target(session, database).n_pages,)]


@pragma("page_size", sets_silently=True)
def page_size(session: Session, database: int | None, value: str | None) -> Rows:
    """The page size; a new one holds from the first write or the next VACUUM on."""
    if value is None:
        return [(target(session, database).stored_page_size(),)]
    size = parse_integer(value)
    if 512 <= size <= 65536 and size & (size - 1) == 0:
        session.settings["page_size", database or 0] = size
        pager = target(session, database).pager
        if pager.file is None or pager.loaded or not pager.file.size():
            target(session, database).set_page_size(size)
    return []


@pragma("max_page_count")
def max_page_count(session: Session, database: int | None, value: str | None) -> Rows:
    """The highest number of pages that the file may grow to."""
    btree = target(session, database)
    if value is not None:
        wanted = parse_whole_integer64(value)
        session.ensure_reading(database or 0)
        if wanted is not None and wanted > 0:
            btree.pager.max_page_count = max(min(wanted, 0xFFFFFFFE), btree.n_pages)
    return [(btree.pager.max_page_count,)]


@pragma("encoding", sets_silently=True)
def encoding(session: Session, database: int | None, value: str | None) -> Rows:
    """The text encoding, which can be chosen while the database is empty."""
    if value is None:
        session.ensure_schemas()
        return [(_ENCODING_NAMES[session.encoding],)]
    session.ensure_schemas()
    btree = target(session, 0)
    if btree.n_pages == 0:
        wanted = _ENCODINGS.get(value.lower())
        if wanted is None:
            raise sqlite_error(ERROR, f"unsupported encoding: {value}")
        btree.encoding = ENCODINGS[wanted]
        temp = session.btrees[1]
        if temp is not None and temp.n_pages == 0:
            temp.encoding = ENCODINGS[wanted]
        session.set_encoding(wanted)
        session.forget_all_schemas()
    return []


@pragma("auto_vacuum", sets_silently=True)
def auto_vacuum(session: Session, database: int | None, value: str | None) -> Rows:
    """0 none, 1 full, 2 incremental."""
    btree = target(session, database)
    if value is None:
        session.ensure_reading(database or 0)
        return [(btree.auto_vacuum,)]
    words = {"none": 0, "full": 1, "incremental": 2}
    mode = words.get(value.lower(), parse_integer(value))
    if 0 <= mode <= 2:
        if btree.n_pages == 0:
            btree.set_auto_vacuum(mode)
            if mode:
                # SQLite writes the mode at once, and with it the header page.
                session.ensure_writing(database or 0)
            return []
        session.settings["auto_vacuum", database or 0] = mode
        session.ensure_reading(database or 0)
        if mode and btree.auto_vacuum:
            session.ensure_writing(database or 0)
            btree.set_auto_vacuum(mode)
    return []


@pragma("incremental_vacuum", "-")
def incremental_vacuum(session: Session, database: int | None, value: str | None) -> Rows:
    """Gives free pages back to the file system, as many as the value says or all; a row without columns for each."""
    limit = parse_integer(value) if value is not None else 0
    btree = target(session, database)
    # SQLite opens a write transaction whatever the mode is: a new file gets its header page.
    session.ensure_writing(database or 0)
    if btree.auto_vacuum == 2 and btree.get_meta(0):
        return [()] * btree.incremental_vacuum(max(limit, 0))
    return []


@pragma("journal_mode")
def journal_mode(session: Session, database: int | None, value: str | None) -> Rows:
    """How transactions are made atomic; returns the mode in force afterwards."""
    wanted = value.lower() if value is not None else None
    if wanted not in _JOURNAL_MODES:
        wanted = None
    if database == 1:
        # Temporary tables are in memory here; what SQLite would use for them is kept.
        if wanted is not None and wanted != "wal":
            session.settings["temp_journal_mode"] = wanted
        return [(session.settings.get("temp_journal_mode", "delete"),)]
    numbers = [database] if database is not None else _open_databases(session)
    result = ""
    for number in numbers if wanted is not None else numbers[:1]:
        btree = target(session, number)
        mode = set_journal_mode(session, number, btree, wanted)
        result = result or mode
    return [(result,)]


def _open_databases(session: Session) -> list[int]:
    return [number for number, btree in enumerate(session.btrees) if btree is not None and number != 1]


def set_journal_mode(session: Session, database: int, btree: BtreeFile, wanted: str | None) -> str:
    """Changes the journal mode of a file if it may be changed; returns the mode that holds then."""
    session.ensure_reading(database)
    current = btree.journal_mode
    if wanted is None or wanted == current or btree.pager.dirty:
        return current
    if "wal" in (wanted, current):
        if btree.pager.file is None:
            return current
        if not session.autocommit or len(session.running) > 1:
            direction = "into" if wanted == "wal" else "out of"
            raise sqlite_error(ERROR, f"cannot change {direction} wal mode from within a transaction")
        # The mode is changed outside any transaction of this connection.
        session.release_reading(database)
    return btree.set_journal_mode(wanted)


@pragma("journal_size_limit")
def journal_size_limit(session: Session, database: int | None, value: str | None) -> Rows:
    """Bytes that a journal may keep after a commit, -1 for no limit."""
    pager = target(session, database).pager
    if value is not None:
        pager.journal_size_limit = max(parse_integer64(value), -1)
    return [(pager.journal_size_limit,)]


@pragma("synchronous", sets_silently=True)
def synchronous(session: Session, database: int | None, value: str | None) -> Rows:
    """How often data are forced to the disk: 0 off, 1 normal, 2 full, 3 extra."""
    pager = target(session, database).pager
    key = ("synchronous", database or 0)
    if value is None:
        return [(0 if database == 1 else session.settings.get(key, pager.synchronous),)]
    if not session.autocommit:
        raise sqlite_error(ERROR, "Safety level may not be changed inside a transaction")
    if database != 1:
        # SQLite keeps three bits of the level plus one, and takes none of them for off.
        level = parse_integer(value) & 0xFF if value[:1].isdigit() else _SYNCHRONOUS.get(value.lower(), 1)
        level = max((level + 1) & 7, 1) - 1
        session.settings[key] = level
        pager.synchronous = min(level, 3)
    return []


@pragma("locking_mode")
def locking_mode(session: Session, database: int | None, value: str | None) -> Rows:
    """Whether locks are kept between transactions."""
    mode = value.lower() if value is not None and value.lower() in ("normal", "exclusive") else None
    if mode is None:
        pager = target(session, database).pager
        # Nobody else can lock a database in memory.
        return [("exclusive" if database is not None and pager.file is None else pager.locking_mode,)]
    for number in [database] if database is not None else _open_databases(session):
        target(session, number).pager.locking_mode = mode
    return [(mode,)]


@pragma("cache_size", sets_silently=True)
def cache_size(session: Session, database: int | None, value: str | None) -> Rows:
    """Pages in the cache, or KiB when negative."""
    pager = target(session, database).pager
    if value is None:
        return [(0 if database == 1 and not session.is_temp_used() else pager.cache_size,)]
    pager.cache_size = parse_integer(value)
    return []


@pragma("cache_spill", sets_silently=True)
def cache_spill(session: Session, database: int | None, value: str | None) -> Rows:
    """Pages in the cache before a transaction may write early; 0 never."""
    key = "cache_spill"
    if value is None:
        btree = target(session, database)
        size = btree.pager.cache_size
        pages = size if size >= 0 else (-1024 * size) // (btree.page_size + 136)
        return [(max(session.settings.get(key, 1), pages) if session.settings.get(key, 1) else 0,)]
    number = parse_integer(value)
    session.settings[key] = number if number else int(parse_boolean(value, True))
    return []


@pragma("mmap_size", is_function=False)
def mmap_size(session: Session, database: int | None, value: str | None) -> Rows:
    """How much of a file may be mapped: kept and told, not used; nothing for a database in memory."""
    if value is not None:
        size = max(parse_integer64(value), 0)
        if database is None:
            for key in [key for key in session.settings if isinstance(key, tuple) and key[0] == "mmap_size"]:
                del session.settings[key]
        session.settings["mmap_size", database] = size
    btree = target(session, database)
    if btree.pager.file is None:
        return []
    size_of_all = session.settings.get(("mmap_size", None), 0)
    return [(session.settings.get(("mmap_size", database or 0), size_of_all),)]


@pragma("secure_delete")
def secure_delete(session: Session, database: int | None, value: str | None) -> Rows:
    """Whether deleted content is overwritten: 0, 1 (freed pages too), 2 (fast: where the page is written anyway)."""
    if value is not None:
        mode = 2 if value.lower() == "fast" else int(parse_boolean(value))
        for number in [database] if database is not None else _open_databases(session):
            target(session, number).pager.secure_delete = mode
    return [(0 if database == 1 else target(session, database).pager.secure_delete,)]


@pragma("wal_autocheckpoint", is_function=False)
def wal_autocheckpoint(session: Session, database: int | None, value: str | None) -> Rows:
    """Frames in the WAL after which a commit checkpoints."""
    if value is not None:
        set_automatic_checkpoint(session, parse_integer(value))
    return [(session.settings.get("wal_autocheckpoint", 1000),)]


@pragma("wal_checkpoint", "busy log checkpointed", is_function=False)
def wal_checkpoint(session: Session, database: int | None, value: str | None) -> Rows:
    """Moves frames of the WAL into the database."""
    words = {"full": "full", "restart": "restart", "truncate": "truncate"}
    mode = words.get(value.lower(), "passive") if value is not None else "passive"
    if session.transaction_states[database or 0]:
        raise sqlite_error(6, "database table is locked")
    result: tuple[int, int, int] = (0, -1, -1)
    for number in [database] if database is not None else _open_databases(session):
        outcome = target(session, number).checkpoint(mode)
        if number == (database or 0):
            result = outcome
    return [result]
