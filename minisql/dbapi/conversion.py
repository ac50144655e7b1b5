"""Rows on their way out: converters by declared type or column name, text factories, row factories.

`row_converter` puts together one function for a statement, or None when plain tuples are wanted as they are.

Source: https://docs.python.org/3/library/sqlite3.html#how-to-convert-sqlite-values-to-custom-python-types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.dbapi.adapters import PARSE_COLNAMES, PARSE_DECLTYPES, converters
from minisql.errors import OperationalError
from minisql.values.cast import to_blob
from minisql.values.storage_class import encode_text

if TYPE_CHECKING:
    from minisql.dbapi.connection import Connection
    from minisql.dbapi.cursor import Cursor
    from minisql.engine.statement import Statement


def row_converter(cursor: Cursor, connection: Connection, statement: Statement) -> Callable[[tuple[Any, ...]], Any] | None:
    """The function that turns a statement's tuples into what the cursor hands out, or None."""
    by_column = _column_converters(connection, statement) if connection._detect_types else None
    text_factory = connection.text_factory
    row_factory = cursor.row_factory
    if by_column is None and text_factory is str:
        if row_factory is None:
            return None
        return lambda row: row_factory(cursor, row)

    def convert(row: tuple[Any, ...]) -> Any:
        values = tuple(
            [_converted(value, by_column[i] if by_column is not None else None, text_factory) for i, value in enumerate(row)]
        )
        return values if row_factory is None else row_factory(cursor, values)

    return convert


def _converted(value: Any, converter: Callable[[bytes], Any] | None, text_factory: Any) -> Any:
    if converter is not None:
        return None if value is None else converter(to_blob(value))
    if value.__class__ is str and text_factory is not str:
        data = encode_text(value)
        if text_factory is bytes:
            return data
        return text_factory(data)
    return value


def _column_converters(connection: Connection, statement: Statement) -> list[Callable[[bytes], Any] | None] | None:
    found: list[Callable[[bytes], Any] | None] = []
    detect_types = connection._detect_types
    declared = statement.declared_types
    for position, name in enumerate(statement.column_names):
        converter = None
        if detect_types & PARSE_COLNAMES:
            start = name.find("[")
            end = name.find("]", start)
            if start >= 0 and end > start:
                converter = converters.get(name[start + 1 : end].upper())
        if converter is None and detect_types & PARSE_DECLTYPES and position < len(declared):
            # "number(10)" and "integer primary key" are registered as "number" and "integer".
            type_name = (declared[position] or "").partition("(")[0].partition(" ")[0]
            converter = converters.get(type_name.upper()) if type_name else None
        found.append(converter)
    return found if any(found) else None


def undecodable(column: str, value: str) -> OperationalError:
    """The error for text that is not UTF-8 when `str` is wanted."""
    data = encode_text(value)
    return OperationalError(f"Could not decode to UTF-8 column '{column}' with text '{data.decode('utf-8', 'replace')}'")
