"""The table of PRAGMAs: name, result columns, and the function that serves it.

A serving function gets the session, the number of the named database or None, and the value as text or None, and returns
rows.  It is the same for `PRAGMA name(value)` and for the table-valued function `pragma_name(value, schema)`.

To add a PRAGMA: write its function in the pragmas_* module it belongs to, under `@pragma(...)`.

Source: https://www.sqlite.org/pragma.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minisql.engine.session import Session

class QuotedValue(str):
    """A value written in quotes, without them, or the argument of a function: never a number where a name could stand."""

    __slots__ = ()


Rows = Iterable[tuple[Any, ...]]
Serve = Callable[["Session", "int | None", "str | None"], Rows]


class PragmaEntry:
    """One PRAGMA.  `columns` of its result; `sets_silently`: with a value it returns nothing; `is_function`: it exists as a
    table-valued function; `is_public`: PRAGMA pragma_list names it."""

    __slots__ = ("columns", "is_function", "is_public", "name", "serve", "sets_silently")

    def __init__(
        self, name: str, columns: tuple[str, ...], serve: Serve, sets_silently: bool, is_function: bool, is_public: bool
    ) -> None:
        self.name = name
        self.columns = columns
        self.serve = serve
        self.sets_silently = sets_silently
        self.is_function = is_function
        self.is_public = is_public

    def columns_for(self, value: str | None) -> tuple[str, ...]:
        """The result columns of the statement form."""
        return () if value is not None and self.sets_silently else self.columns


PRAGMAS: dict[str, PragmaEntry] = {}


def pragma(
    name: str,
    columns: str = "",
    *,
    sets_silently: bool = False,
    is_function: bool = True,
    is_public: bool = True,
) -> Callable[[Serve], Serve]:
    """Enters a serving function into the table; `columns` are names separated by blanks, by default the PRAGMA's own."""

    def enter(serve: Serve) -> Serve:
        names = tuple((columns or name).split()) if columns != "-" else ()
        PRAGMAS[name] = PragmaEntry(name, names, serve, sets_silently, is_function and bool(names), is_public)
        return serve

    return enter


_WORDS = {"on": 1, "yes": 1, "true": 1, "off": 0, "no": 0, "false": 0}


def parse_boolean(value: str, default: bool = False) -> bool:
    """A value as SQLite reads a boolean: a number, on/yes/true, off/no/false; anything else is the default."""
    if value[:1].isdigit():
        return parse_integer(value) & 0xFF != 0
    word = _WORDS.get(value.lower())
    return default if word is None else word == 1


def parse_integer(value: str) -> int:
    """A value as SQLite's atoi reads it: 32 bits, 0 if it is no number."""
    text = value.strip()
    sign = 1
    if text[:1] in ("-", "+"):
        sign = -1 if text[0] == "-" else 1
        text = text[1:]
    if text[:2].lower() == "0x":
        digits = text[2:]
        try:
            number = int(digits, 16)
        except ValueError:
            return 0
        return number - (1 << 32) if number >= 1 << 31 else number
    n_digits = 0
    while n_digits < len(text) and text[n_digits] in "0123456789":
        n_digits += 1
    number = sign * int(text[:n_digits]) if n_digits else 0
    return number if -(1 << 31) <= number < 1 << 31 else 0


_LEADING_INTEGER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|[0-9]*)")


def parse_integer64(value: str) -> int:
    """A value as a 64-bit integer, clamped: what it begins with counts."""
    match = _LEADING_INTEGER.match(value)
    if match is None or not match[2]:
        return 0
    number = int(match[2], 0 if match[2][:2] in ("0x", "0X") else 10)
    return max(-(1 << 63), min((1 << 63) - 1, -number if match[1] == "-" else number))


def parse_whole_integer64(value: str) -> int | None:
    """A value as a 64-bit integer, None when it is not one from beginning to end."""
    match = _LEADING_INTEGER.fullmatch(value.rstrip())
    return None if match is None or not match[2] else parse_integer64(value)
