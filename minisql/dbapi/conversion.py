"""Rows on their way out: converters by declared type or column name, and text factories.

Source: https://docs.python.org/3/library/sqlite3.html#how-to-convert-sqlite-values-to-custom-python-types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from minisql.dbapi.adapters import PARSE_COLNAMES, PARSE_DECLTYPES, converters
from minisql.errors import OperationalError
from minisql.values.cast import to_blob
from minisql.values.storage_class import encode_text

if TYPE_CHECKING:
    from minisql.engine.statement import Statement

Converters: TypeAlias = list[Callable[[bytes], Any] | None] | None


def converted_row(row: tuple[Any, ...], by_column: Converters, text_factory: Any) -> tuple[Any, ...]:
    """A row with its converters and the text factory applied."""
    if by_column is None:
        return tuple([_converted(value, None, text_factory) for value in row])
    return tuple([_converted(value, converter, text_factory) for value, converter in zip(row, by_column)])


def _converted(value: Any, converter: Callable[[bytes], Any] | None, text_factory: Any) -> Any:
    if converter is not None:
        data = b"" if value is None else to_blob(value)
        # An empty value counts as NULL here, as in the standard library's module.
        return converter(data) if data else None
    if value.__class__ is str and text_factory is not str:
        data = encode_text(value)
        return data if text_factory is bytes else text_factory(data)
    return value


def column_converters(detect_types: int, statement: Statement) -> Converters:
    """The converter of each result column, or None where no column has one."""
    found: list[Callable[[bytes], Any] | None] = []
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


def check_decodable(row: tuple[Any, ...], names: Sequence[str]) -> None:
    """Raises OperationalError for text whose bytes are not valid UTF-8, which `str` cannot hold as they are."""
    for value, name in zip(row, names):
        if value.__class__ is str and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                data = encode_text(value)
                text = data.decode("utf-8", "replace").partition("\0")[0]
                raise OperationalError(f"Could not decode to UTF-8 column '{name}' with text '{text}'") from None
