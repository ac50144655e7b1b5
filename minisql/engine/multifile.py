"""Commits that concern several files: all or none, by a super-journal.

With one file that can be left behind by a crash there is nothing to agree on.  With two or more, each file's journal names
one super-journal; deleting that is the moment of the commit.  Databases in memory, and files without a rollback journal of
their own, take part without a promise, as in SQLite.

Source: https://www.sqlite.org/atomiccommit.html section 5 ("Multi-file Commit").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.engine.session import Session
    from minisql.storage.btree import BtreeFile


def commit_files(session: Session, databases: Sequence[int]) -> None:
    """Commits the write transactions of these databases; on BUSY all of them stay open."""
    if len(databases) == 1:
        btree = session.btrees[databases[0]]
        assert btree is not None
        if btree.pager.file is not None and btree.pager.wal is None:
            btree.begin_write(True)
        btree.commit()
        return
    btrees: list[BtreeFile] = []
    for database in databases:
        btree = session.btrees[database]
        assert btree is not None
        btrees.append(btree)
        pager = btree.pager
        if pager.file is not None and pager.wal is None:
            # SQLite commits under an EXCLUSIVE lock even when nothing was changed.
            btree.begin_write(True)
    durable = [btree for btree in btrees if _has_durable_journal(btree)]
    if len(durable) < 2:
        for btree in btrees:
            btree.commit_phase_one()
        for btree in btrees:
            btree.commit_phase_two()
        return
    path = _create_super_journal(durable)
    try:
        for btree in btrees:
            btree.commit_phase_one(path if btree in durable else "")
    except BaseException:
        durable[0].pager.vfs.delete(path, True)
        raise
    durable[0].pager.vfs.delete(path, True)
    for btree in btrees:
        # It has happened: a journal that cannot be removed names a super-journal that is gone; the next reader removes it.
        btree.commit_phase_two(has_happened=btree in durable)


def _has_durable_journal(btree: BtreeFile) -> bool:
    pager = btree.pager
    has_journal = pager.file is not None and pager.wal is None and pager.journal_mode in ("delete", "truncate", "persist")
    return has_journal and pager.synchronous > 0


def _create_super_journal(btrees: Sequence[BtreeFile]) -> str:
    """Writes the names of all journals, each ended by a NUL, into a new file beside the first database."""
    first = btrees[0].pager
    vfs = first.vfs
    while True:
        digits = vfs.random_bytes(4).hex().upper()
        path = f"{first.path}-mj{digits[:6]}9{digits[6:]}"  # SQLite takes no other form for a super-journal
        if not vfs.exists(path):
            break
    file = vfs.open(path, create=True, read_only=False, lock=False)
    try:
        names = b"".join(f"{btree.pager.path}-journal".encode("utf-8", "surrogateescape") + b"\0" for btree in btrees)
        file.write(names, 0)
        file.sync()
    finally:
        file.close()
    vfs.sync_directory(path)
    return path
