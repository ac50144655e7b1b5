"""The preupdate hook as users see it: what is about to happen to a row, with the attributes that APSW gives it.

Several hooks can be there at once, each with an id.  What one of them raises stops nothing: the row changes all the same.

Source: https://www.sqlite.org/c3ref/preupdate_blobwrite.html; https://rogerbinns.github.io/apsw/connection.html.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from minisql.dbapi.callbacks import report_exception

if TYPE_CHECKING:
    from minisql.dbapi.connection import Connection

_NAMES = {18: "INSERT", 23: "UPDATE", 9: "DELETE"}


class _NoChange:
    """The class of `no_change`."""

    def __repr__(self) -> str:
        return "<minisql.no_change>"


no_change: Final = _NoChange()
"""Stands in `PreUpdate.update` for a column whose value stays."""


class PreUpdate:
    """A row that is about to change: INSERT has no `old` row, DELETE no `new` one, both have None as `update`.

    `rowid` and `rowid_new` are 0 for tables WITHOUT ROWID; `depth` is 0 for the statement itself, 1 for its triggers and
    foreign-key actions, and so on; `blob_write` is the column that an open blob writes to (a DELETE, then), else -1.
    """

    __slots__ = (
        "blob_write", "connection", "database_name", "depth", "new", "old", "opcode", "rowid", "rowid_new", "table_name",
    )  # fmt: skip

    def __init__(self, connection: Connection, change: tuple[Any, ...]) -> None:
        self.connection = connection
        self.opcode, self.database_name, self.table_name, self.rowid, self.rowid_new = change[:5]
        self.old, self.new, self.depth, self.blob_write = change[5:]

    @property
    def op(self) -> str:
        """The operation's name."""
        return _NAMES[self.opcode]

    @property
    def update(self) -> tuple[Any, ...] | None:
        """For an UPDATE the new values, `no_change` where a value stays."""
        if self.opcode != 23 or self.old is None or self.new is None:
            return None
        return tuple([no_change if _is_same(old, new) else new for old, new in zip(self.old, self.new)])


def _is_same(old: object, new: object) -> bool:
    return old.__class__ is new.__class__ and old == new


def preupdate_callback(
    connection: Connection, hooks: dict[Any, Callable[[PreUpdate], Any]]
) -> Callable[[tuple[Any, ...]], None]:
    """What the engine calls for each row: all `hooks`, which may change, in the order in which they were registered."""
    owner = weakref.ref(connection)

    def hear(change: tuple[Any, ...]) -> None:
        known = owner()
        if known is None:
            return
        for hook in list(hooks.values()):
            try:
                hook(PreUpdate(known, change))
            except Exception as error:
                report_exception(error, hook)

    return hear
