"""Connection.backup: the loop around the engine's Backup.

Source: https://docs.python.org/3/library/sqlite3.html#sqlite3.Connection.backup.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql import engine
from minisql.errors import BUSY, LOCKED, OK, Error

if TYPE_CHECKING:
    from minisql.engine.session import Session

_DONE = 101


def backup_database(
    source: Session,
    target: Session,
    step: Callable[[Callable[[int], bool]], bool],
    progress: Callable[[int, int, int], Any] | None,
    name: str,
    sleep: float,
) -> None:
    """Copies until it is complete: `step` is given what copies some pages and calls it with their number, and
    `progress(status, remaining, total)` is called after every step."""
    if progress is not None and not callable(progress):
        raise TypeError("progress argument must be a callable")
    backup = engine.Backup(source, name, target, "main")
    while True:
        status = OK
        try:
            if step(backup.step):
                status = _DONE
        except Error as error:
            status = getattr(error, "sqlite_errorcode", 0)
            if status & 0xFF not in (BUSY, LOCKED):
                raise
        if progress is not None:
            progress(status, backup.remaining, backup.page_count)
        if status == _DONE:
            return
        if status != OK:
            time.sleep(sleep)
