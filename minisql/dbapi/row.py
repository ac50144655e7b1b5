"""Row: a result row that is reached by position, slice or column name.

Source: https://docs.python.org/3/library/sqlite3.html#row-objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, SupportsIndex

from minisql.dbapi.arguments import cannot_pickle, check_count, type_name, without_arguments
from minisql.dbapi.cursor import Cursor
from minisql.values.collation import fold_ascii


class Row:
    """A tuple-like row; names compare without regard to ASCII case.  Use it as `row_factory`."""

    __slots__ = ("_description", "_values")

    _values: tuple[Any, ...]
    _description: Any

    def __new__(cls, *arguments: Any, **keywords: Any) -> Row:
        """Makes a row of a cursor's current description and a tuple of values: `Row(cursor, data)`."""
        if keywords:
            raise TypeError("Row() takes no keyword arguments")
        if len(arguments) != 2:
            check_count("Row", len(arguments), 2, 2)
        cursor, data = arguments
        if not issubclass(type(cursor), Cursor):
            raise TypeError(f"Row() argument 1 must be sqlite3.Cursor, not {type_name(cursor)}")
        if not isinstance(data, tuple):
            raise TypeError(f"Row() argument 2 must be tuple, not {type_name(data)}")
        self = super().__new__(cls)
        self._values = data
        self._description = cursor.description or ()
        return self

    @without_arguments
    def keys(self) -> list[str]:
        """The column names."""
        return [column[0] for column in self._description]

    def __getitem__(self, key: int | str | slice, /) -> Any:
        if isinstance(key, str):
            lowered = fold_ascii(key)
            for position, column in enumerate(self._description):
                name = column[0]
                if name == key or fold_ascii(name) == lowered:
                    return self._values[position]
            raise IndexError("No item with that key")
        if isinstance(key, (int, slice)):
            return self._values[key]
        raise IndexError("Index must be int or string")

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __hash__(self) -> int:
        return hash(self._description) ^ hash(self._values)

    def __eq__(self, other: object, /) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        return bool(self._description == other._description) and self._values == other._values

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise cannot_pickle(self)


Sequence.register(Row)
