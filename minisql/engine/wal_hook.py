"""The WAL hook: hears of every commit that wrote frames to a write-ahead log, once the statement that commits is over.

What SQLite calls its automatic checkpoint is such a hook itself, so either of the two takes the other's place.  A code that the
hook gives is the error of the statement, which has committed nonetheless.

Source: https://www.sqlite.org/c3ref/wal_hook.html, wal_autocheckpoint.html.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from minisql.errors import sqlite_error

if TYPE_CHECKING:
    from minisql.engine.session import Session

WalHook = Callable[[str, int], int]
"""Gets the database's name and how many frames its log has; answers with a result code, 0 being good."""


def set_wal_hook(session: Session, hook: WalHook | None) -> None:
    """Registers or removes the hook; nothing is checkpointed by itself any more."""
    set_automatic_checkpoint(session, 0)
    session.wal_hook = hook


def set_automatic_checkpoint(session: Session, n_frames: int) -> None:
    """Checkpoints after each commit that leaves so many frames, never if that is 0 or less; removes the hook."""
    session.wal_hook = None
    session.settings["wal_autocheckpoint"] = max(n_frames, 0)
    for btree in session.btrees:
        if btree is not None:
            btree.pager.auto_checkpoint = session.settings["wal_autocheckpoint"]


def note_wal_commits(session: Session, databases: Sequence[int], commit: Callable[[], None]) -> None:
    """Commits, and keeps which of the databases have written frames until `report_wal_commits`."""
    before = [_end_of_log(session, database) for database in databases]
    commit()
    for database, end in zip(databases, before):
        now = _end_of_log(session, database)
        if now is not None and now != end:
            session.wal_commits[database] = now[0]


def _end_of_log(session: Session, database: int) -> tuple[int, tuple[int, int]] | None:
    btree = session.btrees[database]
    wal = btree.pager.wal if btree is not None else None
    return (wal.header.max_frame, wal.header.checksum) if wal is not None else None


def hear_at_end(session: Session) -> None:
    """COMMIT or RELEASE is half-way: sees to it that its end, when its locks are gone, tells the hook."""
    if session.wal_commits and session.starting is not None:
        session.starting.is_writing = True


def report_wal_commits(session: Session) -> None:
    """Calls the hook for each database that has committed; raises the first error that it gives."""
    commits = sorted(session.wal_commits.items())
    session.wal_commits.clear()
    code = 0
    for database, n_frames in commits:
        schema = session.catalog.schemas[database]
        if session.wal_hook is not None and not code:
            code = session.wal_hook(schema.name if schema is not None else "", n_frames)
    if code:
        raise sqlite_error(code)
