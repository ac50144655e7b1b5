"""Statement: what calling a connection gives, SQL that has been compiled; it has no use of its own.

Source: CPython's `sqlite3.Statement`, which is not documented.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.engine import statement


class Statement:
    """A prepared statement."""

    __slots__ = ("_statement",)

    _statement: statement.Statement

    def __new__(cls, *arguments: object, **keywords: object) -> Statement:
        """Only connections make them."""
        raise TypeError(f"cannot create '{cls.__module__}.{cls.__qualname__}' instances")


def prepared_statement(compiled: statement.Statement) -> Statement:
    """The public face of a statement of the engine."""
    prepared: Statement = object.__new__(Statement)
    prepared._statement = compiled
    return prepared
