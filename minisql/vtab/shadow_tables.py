"""What modules that keep their data in shadow tables share: names and texts in their SQL, rowids in records, the error for
records that make no sense.

Source: https://www.sqlite.org/vtab.html section 2.1.4.
"""

from __future__ import annotations

from minisql.errors import CORRUPT_VTAB, Error, sqlite_error


def corrupt() -> Error:
    """The error for shadow tables that do not make sense."""
    return sqlite_error(CORRUPT_VTAB, "database disk image is malformed")


def quoted(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def signed(number: int) -> int:
    """The low 64 bits of a number with their sign, as a rowid."""
    number &= 0xFFFFFFFFFFFFFFFF
    return number - (1 << 64) if number >> 63 else number
