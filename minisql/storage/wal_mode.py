"""Going into WAL mode and out of it: opening, closing and checkpointing the log of a pager.

The header's version bytes (2) say that a database is in WAL mode; a `-wal` file beside it is used whatever they say.  In
WAL mode the connection keeps its SHARED lock on the database file, so that no one else can take the log away; whoever gets
EXCLUSIVE is alone.

Source: https://www.sqlite.org/wal.html.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from minisql.errors import BUSY, CANTOPEN, LOCKED, SCHEMA, Error, sqlite_error
from minisql.storage import header as db_header
from minisql.storage.vfs import EXCLUSIVE, SHARED, UNLOCKED
from minisql.storage.wal import Wal
from minisql.storage.wal_index import HeapIndex

if TYPE_CHECKING:
    from minisql.storage.pager import Pager


def open_log(pager: Pager) -> None:
    """Opens or makes the log; a database whose directory cannot be written is read without one if it has none."""
    path = pager.path + "-wal"
    has_file = pager.vfs.exists(path)
    try:
        index = pager.vfs.open_wal_index(pager.path) if pager.has_locks else HeapIndex()
        if index is None:
            raise sqlite_error(CANTOPEN)
        pager.wal = Wal(pager.vfs, path, index, pager.page_size, False)
    except Error as error:
        if error.sqlite_errorcode & 0xFF != CANTOPEN or has_file or not pager.read_only:
            raise
        return
    pager.wal.made_file = not has_file


def begin_write(pager: Pager, wal: Wal) -> None:
    """Takes the log's WRITE lock; a snapshot that has become old is renewed while nothing was read from it yet.

    Raises SQLITE_BUSY, SQLITE_BUSY_SNAPSHOT within a longer transaction, SQLITE_SCHEMA when renewing met another schema.
    """
    n_calls = 0
    while True:
        try:
            if wal.begin_write():
                return
        except Error:
            cookie = pager.header[40:44]
            if pager.n_readers > 1:
                raise
            wal.end_read()
            pager.begin_wal_read()
            if pager.header[40:44] != cookie:
                raise sqlite_error(SCHEMA) from None
            continue
        if pager.n_readers > 1 or pager.busy_handler is None or not pager.busy_handler(n_calls):
            raise sqlite_error(BUSY)
        n_calls += 1


def checkpoint(pager: Pager, mode: str) -> tuple[int, int, int]:
    """Runs a checkpoint ('passive', 'full', 'restart', 'truncate'); returns (busy, frames in the log, frames copied).

    Without a log the answer is (0, -1, -1).  Raises SQLITE_LOCKED within a write transaction.
    """
    if pager.savepoints:
        raise sqlite_error(LOCKED)
    if pager.wal is None:  # only the file knows whether it has a log
        pager.begin_read()
        pager.end_read()
    wal = pager.wal
    if wal is None or pager.file is None:
        return 0, -1, -1
    n_calls = 0

    def busy() -> bool:
        nonlocal n_calls
        n_calls += 1
        return pager.busy_handler is not None and pager.busy_handler(n_calls - 1)

    was_busy, n_frames, n_copied = wal.checkpoint(mode, pager.file, busy, pager.synchronous)
    pager.read_ahead = b""
    return int(was_busy), n_frames, n_copied


def checkpoint_quietly(pager: Pager, wal: Wal) -> None:
    """Copies what can be copied after a commit; that has happened, so failures here are not its failures."""
    assert pager.file is not None
    with contextlib.suppress(Error):
        wal.checkpoint("passive", pager.file, lambda: False, pager.synchronous)
    pager.read_ahead = b""


def enter(pager: Pager) -> bool:
    """Turns a database in rollback mode into WAL mode; False where the VFS has no shared memory."""
    if pager.file is None or pager.savepoints or (pager.has_locks and not pager.vfs.has_wal):
        return False
    pager.begin_read()
    try:
        if pager.wal is None:
            _set_file_version(pager, 2)
    finally:
        pager.end_read()
    pager.begin_read()
    pager.end_read()
    return pager.wal is not None


def leave(pager: Pager) -> None:
    """Moves the whole log into the database, deletes it and goes back to a rollback journal; raises SQLITE_BUSY."""
    file, wal = pager.file, pager.wal
    assert file is not None and wal is not None
    if not file.lock(SHARED) or not file.lock(EXCLUSIVE):
        file.unlock(SHARED)
        raise sqlite_error(BUSY)
    try:
        pager.begin_read()
        try:
            _set_file_version(pager, 1)
        finally:
            pager.end_read()
        _, n_frames, n_copied = wal.checkpoint("passive", file, lambda: False, pager.synchronous)
        if n_frames != n_copied:
            raise sqlite_error(BUSY)
    except BaseException:
        file.unlock(SHARED)
        raise
    wal.close(True, True)
    pager.wal = None
    pager.reset()
    file.unlock(UNLOCKED)


def _set_file_version(pager: Pager, version: int) -> None:
    pager.begin_write()
    try:
        pager.header[db_header.WRITE_VERSION] = pager.header[db_header.READ_VERSION] = version
        pager.commit()
    except BaseException:
        pager.rollback()
        raise


def close(pager: Pager, wal: Wal) -> None:
    """Closes the log; the last connection checkpoints and deletes it if it has written, as SQLite does.

    A connection that only read leaves everything as it found it, less the files that it made.
    """
    file = pager.file
    assert file is not None
    pager.wal = None
    is_alone = not pager.read_only and file.lock(SHARED) and file.lock(EXCLUSIVE)
    delete_log = False
    if is_alone and wal.has_written:
        with contextlib.suppress(Error):
            _, n_frames, n_copied = wal.checkpoint("passive", file, lambda: False, pager.synchronous)
            delete_log = n_frames == n_copied
    elif is_alone:
        delete_log = wal.made_file and wal.header.max_frame == 0
    wal.close(delete_log, delete_log or (is_alone and wal.index.made_file))
