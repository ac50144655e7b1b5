"""Whole databases: serialize, deserialize, backup, VACUUM's rebuilt copy.

Source: https://www.sqlite.org/c3ref/serialize.html, https://www.sqlite.org/backup.html, lang_vacuum.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.engine.opening import close_database
from minisql.engine.transactions import WRITING
from minisql.errors import BUSY, ERROR, READONLY, Error, sqlite_error
from minisql.storage import image
from minisql.storage.btree import BtreeFile

if TYPE_CHECKING:
    from minisql.engine.session import Session


def find_database(session: Session, name: str) -> int:
    """The number of a database by name; raises `unknown database x`."""
    database = session.catalog.schema_position(name)
    if database < 0:
        raise sqlite_error(ERROR, f"unknown database {name}")
    return database


def serialize(session: Session, name: str) -> bytes:
    """The bytes of a database's file."""
    database = find_database(session, name)
    btree = session.btrees[database]
    assert btree is not None
    btree.begin_read()
    try:
        return image.serialize(btree)
    finally:
        btree.end_read()


def deserialize(session: Session, name: str, data: bytes) -> None:
    """Replaces a database by one in memory with these bytes; they are looked at when they are used."""
    database = session.catalog.schema_position(name)
    if database < 0:
        raise sqlite_error(ERROR, f"unknown database {name}")
    if session.transaction_states[database]:
        raise sqlite_error(BUSY, "database is locked")
    old = session.btrees[database]
    assert old is not None
    replacement = image.deserialize(data) if data else BtreeFile.open(None)
    close_database(old)
    replacement.set_busy_handler(session.wait_while_busy)
    session.btrees[database] = replacement
    session.filenames[database] = ""
    session.forget_schema(database)


class Backup:
    """Copies one database over another, some pages at a time.

    A change of the source by somebody else between two steps starts the copy afresh, as in SQLite.
    """

    __slots__ = ("next_page", "page_count", "source", "source_database", "stamp", "target", "target_database")

    def __init__(self, source: Session, source_name: str, target: Session, target_name: str) -> None:
        self.source = source
        self.target = target
        self.source_database = find_database(source, source_name)
        self.target_database = find_database(target, target_name)
        if target.transaction_states[self.target_database]:
            raise sqlite_error(ERROR, "destination database is in use")
        self.next_page = 1
        self.page_count = 0
        self.stamp = (-1, -1)

    @property
    def remaining(self) -> int:
        """Pages still to be copied."""
        return max(0, self.page_count - self.next_page + 1)

    def step(self, n_pages: int) -> bool:
        """Copies up to `n_pages` pages (all of them if negative); True when the copy is complete.

        Raises BUSY when either database is locked by others, and while the source's own connection is changing it.
        """
        if self.source.transaction_states[self.source_database] == WRITING:
            raise sqlite_error(BUSY)
        source = self.source.btrees[self.source_database]
        target = self.target.btrees[self.target_database]
        assert source is not None and target is not None
        source.begin_read()
        try:
            self.page_count = source.n_pages
            stamp = (source.data_version, self.source.total_changes)
            if self.stamp != stamp:
                self.next_page = 1
                self.stamp = stamp
            last = self.page_count if n_pages < 0 else min(self.page_count, self.next_page + n_pages - 1)
            if last < self.page_count:
                self.next_page = last + 1
                return False
            self._copy(source, target)
            self.next_page = self.page_count + 1
        except Error:
            # Where the target is locked, SQLite does not come to count pages.
            self.page_count = 0
            raise
        finally:
            source.end_read()
        return True

    def _copy(self, source: BtreeFile, target: BtreeFile) -> None:
        # Nothing may be seen of a half-copied database, so all pages are written in the last step.
        overwrite(source, target)
        self.target.forget_schema(self.target_database)


def overwrite(source: BtreeFile, target: BtreeFile) -> None:
    """Makes `target` a copy of `source`, in one transaction.  `source` is being read."""
    data = image.serialize(source)
    page_size = source.page_size
    if target.pager.file is None:
        image.load_image(target, data)
        target.trees.clear()
        return
    target.begin_read()
    try:
        if target.n_pages == 0:
            target.set_page_size(page_size, source.reserved_bytes)
        elif target.page_size != page_size and target.journal_mode == "wal":
            raise sqlite_error(READONLY, "attempt to write a readonly database")
        target.begin_write()
        try:
            if target.journal_mode != "wal" and data:
                image.replace_file(target, data)
                return
            n_pages = len(data) // page_size
            for number in range(1, n_pages + 1):
                image.write_image_page(target, number, data[(number - 1) * page_size : number * page_size])
            image.set_page_count(target, n_pages)
            target.commit()
        except BaseException:
            target.rollback()
            raise
    finally:
        target.end_read()
