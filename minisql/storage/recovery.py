"""Putting originals back: journals left by a crash, and transactions that have already reached the file.

A journal is hot when it exists, no one holds RESERVED, and its first byte is not zero.  Whoever finds one while it takes a
read lock needs EXCLUSIVE to play it back.  Two connections may find it at once, each with a SHARED lock in the other's way;
so the one that is refused gives up its own lock before it waits.

Source: https://www.sqlite.org/atomiccommit.html#_rollback, https://www.sqlite.org/lockingv3.html#hot_journals.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from minisql.errors import CANTOPEN, READONLY_ROLLBACK, Error, sqlite_error
from minisql.storage import journal as rollback_journal
from minisql.storage.vfs import EXCLUSIVE, RESERVED, SHARED, UNLOCKED, VfsFile

if TYPE_CHECKING:
    from minisql.storage.pager import Pager


def recover_hot_journal(pager: Pager) -> bool:
    """Rolls back a hot journal if there is one, holding SHARED; False when another connection is in the way."""
    path = pager.path + "-journal"
    if pager.journal is not None or not pager.vfs.exists(path):
        return True
    file = pager.file
    assert file is not None
    if file.is_reserved():
        return True
    if file.size() == 0:
        if not pager.read_only and file.lock(RESERVED):
            pager.vfs.delete(path, False)
            file.unlock(SHARED)
        return True
    try:
        if not rollback_journal.is_marked_hot(pager.vfs, path):
            return True
    except Error as error:
        if error.sqlite_errorcode & 0xFF == CANTOPEN and not pager.vfs.exists(path):
            return True  # its writer has just finished
        raise
    if pager.read_only:
        raise sqlite_error(READONLY_ROLLBACK)
    if not file.lock(EXCLUSIVE):
        return False
    if pager.vfs.exists(path):
        _play_back_hot_journal(pager, path)
    file.unlock(SHARED)
    return True


def _play_back_hot_journal(pager: Pager, path: str) -> None:
    """Plays a hot journal back and deletes it; one whose super-journal is gone belongs to a commit that has happened."""
    assert pager.file is not None
    journal = pager.vfs.open(path, create=False, read_only=False, lock=False)
    try:
        super_journal = rollback_journal.read_super_journal(journal)
        if not super_journal or pager.vfs.exists(super_journal):
            rollback_journal.play_back(journal, pager.file, pager.page_size, pager.synchronous > 0)
        journal.write(bytes(28), 0)
    finally:
        journal.close()
    pager.vfs.delete(path, False)
    if super_journal:
        rollback_journal.delete_super_journal(pager.vfs, super_journal, path)
    pager.loaded = False


def roll_back_file(pager: Pager) -> None:
    """Undoes the write transaction of a file that it has reached, and forgets all pages.

    One whose journal is cold has happened, though its commit has failed behind that: it stays.
    """
    journal = pager.journal
    before = pager.savepoints[0]
    has_happened = journal is not None and journal.is_cold
    if pager.wal is not None:
        pager.wal.undo()
    elif journal is not None and pager.is_spilled and not has_happened:
        assert pager.file is not None
        rollback_journal.play_back(journal.file, pager.file, pager.page_size, pager.synchronous > 0)
    elif pager.is_spilled and not has_happened:
        _write_saved_originals(pager)
    if journal is not None:
        journal.finish(pager.journal_mode, pager.synchronous, pager.journal_size_limit)
        pager.journal = None
    pager.savepoints.clear()
    pager.reset()
    if has_happened:
        pager.load_header()
    else:
        pager.n_pages = before.n_pages
        pager.header = bytearray(before.header)


def abandon_file(pager: Pager, file: VfsFile) -> None:
    """Leaves a file as a process that dies would leave it, except for locks, and rolls back as the next reader would do.

    Whether a commit that was struck has happened is then decided by the journal on the disk, or by the frames of the log.
    """
    try:
        if pager.journal is not None:
            pager.journal.file.close()
        elif pager.savepoints and pager.is_spilled and pager.wal is None:
            _write_saved_originals(pager)
    finally:
        pager.journal = None
        pager.savepoints.clear()
        pager.originals.clear()
        pager.is_spilled = pager.is_editing = False
        pager.epoch += 1
        pager.reset()
        if pager.wal is not None:
            pager.wal.abandon()
        else:
            file.unlock(UNLOCKED)
    with contextlib.suppress(Error):  # another connection may be in the way, and does it then
        pager.begin_read()
        pager.end_read()


def _write_saved_originals(pager: Pager) -> None:
    """Restores the file without a journal file: from the one in memory, or, in mode OFF, as far as savepoints keep images."""
    assert pager.file is not None
    originals = pager.originals
    if pager.journal_mode == "off":
        for savepoint in pager.savepoints:
            for number, old in savepoint.saved.items():
                if old is not None and number not in originals:
                    node, state = old
                    node.restore(state)
                    if node.data is not None:
                        originals[number] = node.data
    for number, data in originals.items():
        pager.file.write(data, (number - 1) * pager.page_size)
    pager.file.truncate(pager.savepoints[0].n_pages * pager.page_size)
