"""What modules that keep their data in shadow tables share: names and texts in their SQL, rowids in records, the error for
records that make no sense.

Source: https://www.sqlite.org/vtab.html section 2.1.4.
"""

from __future__ import annotations

from typing import Any

from minisql.errors import CORRUPT_VTAB, MISMATCH, Error, sqlite_error
from minisql.values.affinity import apply_numeric

_ROWIDS = 1 << 63


def corrupt() -> Error:
    """The error for shadow tables that do not make sense."""
    return sqlite_error(CORRUPT_VTAB, "database disk image is malformed")


def quoted(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def new_rowid(value: Any) -> int | None:
    """A rowid that an UPDATE sets, None for NULL; raises MISMATCH for what is no integer."""
    value = apply_numeric(value)
    if value is None or (isinstance(value, int) and -_ROWIDS <= value < _ROWIDS):
        return value
    raise sqlite_error(MISMATCH)


def stored_rowid(value: Any) -> int | None:
    """A rowid for an INTEGER PRIMARY KEY, None for NULL; raises MISMATCH for what equals no integer."""
    rowid = rowid_of(value)
    if rowid is None and value is not None:
        raise sqlite_error(MISMATCH)
    return rowid


def rowid_of(value: Any) -> int | None:
    """The rowid that a value equals, None if there is none."""
    value = apply_numeric(value)
    if isinstance(value, float) and -_ROWIDS <= value < _ROWIDS and value == int(value):
        value = int(value)
    return value if isinstance(value, int) and -_ROWIDS <= value < _ROWIDS else None


def signed(number: int) -> int:
    """The low 64 bits of a number with their sign, as a rowid."""
    number &= 0xFFFFFFFFFFFFFFFF
    return number - (1 << 64) if number >> 63 else number
