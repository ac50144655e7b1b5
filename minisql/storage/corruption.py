"""The one way for storage to say that a file is wrong.

Hostile files reach every parser in this room; each of them raises what this module makes, so that a user only ever sees
SQLITE_CORRUPT or SQLITE_NOTADB, never an IndexError from a slice.

Source: https://www.sqlite.org/rescode.html#corrupt.
"""

from __future__ import annotations

from minisql.errors import CORRUPT, CORRUPT_INDEX, NOTADB, Error, sqlite_error


def corrupt(page_number: int, reason: str) -> Error:
    """Returns SQLITE_CORRUPT; page and reason go into a note, because SQLite's text has no place for them."""
    error = sqlite_error(CORRUPT)
    error.add_note(f"page {page_number}: {reason}")
    return error


def corrupt_index(page_number: int, reason: str) -> Error:
    """Returns SQLITE_CORRUPT_INDEX: an index does not hold the entry that its table row asks for."""
    error = sqlite_error(CORRUPT_INDEX)
    error.add_note(f"page {page_number}: {reason}")
    return error


def not_a_database(reason: str) -> Error:
    """Returns SQLITE_NOTADB; the reason goes into a note."""
    error = sqlite_error(NOTADB)
    error.add_note(reason)
    return error
