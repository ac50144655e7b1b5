"""Iteration over cursors for translated code.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from minisql.values.affinity import NUMERIC, apply_affinity

Row = tuple[Any, ...]


def walk(first: Row | None, advance: Callable[[], Row | None]) -> Iterable[Row]:
    """Yields `first`, then what `advance` gives, until it gives None."""
    if first is None:
        return ()
    return chain((first,), iter(advance, None))


def seek_value(cursor: Any, key: Any) -> Row | None:
    """Moves a table cursor to the rowid that a value of any class stands for; None if there is none.

    Source: https://www.sqlite.org/opcode.html#SeekRowid
    """
    if key.__class__ is not int:
        key = apply_affinity(key, NUMERIC)
        if key.__class__ is not int:
            return None
    row: Row | None = cursor.seek_rowid(key)
    return row


def rowid_of(cursor: Any) -> int | None:
    """The rowid of a cursor's current row; NULL on the null row of an outer join."""
    try:
        rowid: int | None = cursor.rowid
    except IndexError:
        return None
    return rowid
