"""CAST and the conversions between storage classes that operators and functions use.

Text and blobs are read by their longest numeric prefix; blobs are first read as text in the database encoding.

Source: https://www.sqlite.org/lang_expr.html#castexpr.
"""

from __future__ import annotations

from typing import Any

from minisql.values.affinity import BLOB, FLEXNUM, INTEGER, NUMERIC, REAL, TEXT, integer_if_exact
from minisql.values.number_text import cast_prefix, integer_prefix, numeric_prefix, real_prefix, real_to_text
from minisql.values.storage_class import INT64_MAX, INT64_MIN, UTF8, Value, decode_text, encode_text

REAL_OF_BLOB = 0x3F
TEXT_OF_BLOB = 0x40
"""Casts to what is no type: a blob becomes the text that its bytes are, or the number that it begins with; others stay."""


def cast(value: Value, affinity: int, encoding: int = UTF8) -> Value:
    """Returns CAST(value AS type) for the affinity of the type; NULL stays NULL.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    if value is None:
        return None
    if affinity == INTEGER:
        return to_integer(value, encoding)
    if affinity == TEXT:
        return to_text(value, encoding)
    if affinity == REAL:
        return to_real(value, encoding)
    if affinity in (NUMERIC, FLEXNUM):
        return to_numeric(value, encoding)
    if affinity == BLOB:
        return to_blob(value, encoding)
    if value.__class__ is bytes and affinity in (TEXT_OF_BLOB, REAL_OF_BLOB):
        return to_text(value, encoding) if affinity == TEXT_OF_BLOB else to_real(value, encoding)
    return value


def to_integer(value: Any, encoding: int = UTF8) -> int:
    """Returns the value as a 64-bit integer: reals truncate and clamp, text gives its integer prefix, NULL gives 0.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    kind = value.__class__
    if kind is int:
        return value  # type: ignore[no-any-return]
    if kind is float:
        return real_to_integer(value)
    if value is None:
        return 0
    return integer_prefix(value if kind is str else decode_text(value, encoding))


def real_to_integer(value: float) -> int:
    """Returns the real truncated toward zero and clamped to 64 bits.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    if value <= INT64_MIN:
        return INT64_MIN
    if value >= INT64_MAX:
        return INT64_MAX
    return int(value)


def to_real(value: Any, encoding: int = UTF8) -> float:
    """Returns the value as a real: text gives its numeric prefix, NULL gives 0.0.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    kind = value.__class__
    if kind is float:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return float(value)
    if value is None:
        return 0.0
    return real_prefix(value if kind is str else decode_text(value, encoding))


def to_numeric(value: Any, encoding: int = UTF8) -> int | float:
    """Returns CAST AS NUMERIC of a value that is not NULL: numbers unchanged, text that is integral as int below 2**51.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    kind = value.__class__
    if kind is int or kind is float:
        return value  # type: ignore[no-any-return]
    number = cast_prefix(value if kind is str else decode_text(value, encoding))
    if number.__class__ is float and -_CAST_INTEGER_LIMIT <= number < _CAST_INTEGER_LIMIT:
        return integer_if_exact(number)
    return number


# CAST AS NUMERIC makes an integer of '1e15' but not of '3e15': a narrower range than a NUMERIC column's.
_CAST_INTEGER_LIMIT = 1 << 51


def to_number(value: Any, encoding: int = UTF8) -> int | float:
    """Returns the value as an operand of arithmetic (`'1.0'` stays real): numbers unchanged, else the numeric prefix.

    Source: https://www.sqlite.org/lang_expr.html section 2
    """
    kind = value.__class__
    if kind is int or kind is float:
        return value  # type: ignore[no-any-return]
    return numeric_prefix(value if kind is str else decode_text(value, encoding))


def to_text(value: Any, encoding: int = UTF8) -> str:
    """Returns the text of a value that is not NULL; a blob's bytes are read in the database encoding.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    kind = value.__class__
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return str(value)
    if kind is float:
        return real_to_text(value)
    return decode_text(value, encoding)


def to_blob(value: Any, encoding: int = UTF8) -> bytes:
    """Returns the bytes of a value that is not NULL: numbers go through text, text is encoded in the database encoding.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    if value.__class__ is bytes:
        return value
    return encode_text(to_text(value), encoding)
