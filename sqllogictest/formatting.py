"""Values to text, as the sqllogictest format prints them: NULL, integers, reals with three decimals, printable text.

In come the rows of a query and its type string and sort mode, out goes one string: the values, one a line, sorted as
asked, without a newline at the end. Rules of the reference runner: `I` is the value as a 64-bit integer (text gives its
numeric prefix), `R` is `%.3f` of at most 16 significant digits, `T` is the text with every byte that is not printable
ASCII shown as `@`, an empty text as `(empty)`, text ending at a NUL byte; NULL is `NULL` under every type.
Row sorting joins the values of a row with newlines before it compares: a newline is below every printable character, so
that is the order of column after column. Each pair of type string and sort mode gets one formatter, made once; integers and
reals go through a bounded memo, which costs less than `str`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from hashlib import md5
from itertools import chain
from typing import Any

from sqllogictest.records import HASH_MARK

Row = Sequence[Any]
Render = Callable[[Sequence[Row]], str]

MEMO_LIMIT = 65_536
SIGNIFICANT_DIGITS = 16
_MAX_INTEGER, _MIN_INTEGER = (1 << 63) - 1, -(1 << 63)
_INTEGER_PREFIX = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_REAL_PREFIX = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_WIDE_CONTEXT = Context(prec=400)
_THOUSANDTH = Decimal("0.001")
_SEVENTEEN_DIGITS = Context(prec=17, rounding=ROUND_HALF_UP)
_UNPRINTABLE = re.compile(rb"[^ -~]")


class ColumnCountError(ValueError):
    """A row has not as many columns as the type string has letters."""


class _Memo(dict[Any, str]):
    """Bounded memo of a formatting function; equal keys of unlike type (1, 1.0) must have the same text."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Any], str]) -> None:
        self.function = function

    def __missing__(self, value: Any) -> str:
        text = self.function(value)
        if len(self) >= MEMO_LIMIT:
            self.clear()
        self[value] = text
        return text


def integer_text(value: Any) -> str:
    """Return a value as type `I` prints it."""
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        match = _INTEGER_PREFIX.match(value)
        return str(max(_MIN_INTEGER, min(_MAX_INTEGER, int(match[1])))) if match else "0"
    if value != value:
        return "NULL"
    return str(int(max(_MIN_INTEGER, min(_MAX_INTEGER, value))))


def real_text(value: Any) -> str:
    """Return a value as type `R` prints it: three decimals, but no more than 16 significant digits.

    SQLite's printf takes the first 18 digits of the number and rounds them once, ties away from zero.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        match = _REAL_PREFIX.match(value)
        value = float(match[1]) if match else 0.0
    number = float(value)
    if number != number:
        return "NULL"
    if number in (float("inf"), float("-inf")):
        return "Inf" if number > 0 else "-Inf"
    if number == 0:
        return "0.000"
    decimal = Decimal(f"{number:.17e}")
    n_integer_digits = decimal.adjusted() + 1
    unit = max(n_integer_digits - SIGNIFICANT_DIGITS, -3)
    rounded = decimal.quantize(Decimal(1).scaleb(unit), ROUND_HALF_UP, _WIDE_CONTEXT)
    return f"{rounded.quantize(_THOUSANDTH, context=_WIDE_CONTEXT):f}"


def text_text(value: Any) -> str:
    """Return a value as type `T` prints it."""
    if isinstance(value, str):
        if value.isascii() and value.isprintable():
            return value or "(empty)"
        data = value.encode("utf-8", "surrogateescape")
    elif value is None:
        return "NULL"
    elif isinstance(value, bytes):
        data = value
    elif isinstance(value, float):
        return float_text(value)
    else:
        return str(int(value)) if isinstance(value, int) else text_text(str(value))
    return _UNPRINTABLE.sub(b"@", data.partition(b"\0")[0]).decode("ascii") or "(empty)"


def float_text(value: float) -> str:
    """Return a real as text the way SQLite 3.54 converts it: up to 17 digits, fewer when they read back the same."""
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    if value == 0:
        return "0.0"
    digits = f"{Decimal(f'{value:.17e}').normalize(_SEVENTEEN_DIGITS):.16e}"
    fraction = digits.lstrip("-")[2:18]
    if fraction[12:15] == "000" or fraction[13:15] == "99":
        short = f"{value:.14e}"
        digits = short if float(short) == value else digits
    mantissa, _, exponent_text = digits.partition("e")
    exponent = int(exponent_text)
    if -4 <= exponent < 17:
        text = f"{Decimal(digits):f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return text if "." in text else text + ".0"
    mantissa = mantissa.rstrip("0")
    return f"{mantissa}0e{exponent:+03d}" if mantissa.endswith(".") else f"{mantissa}e{exponent:+03d}"


def _real_text_fast(value: Any) -> str:
    """As `real_text`; away from a tie in the fourth decimal and below 10^11, printf's rounding and ours cannot differ."""
    if type(value) is float and -1e11 < value < 1e11:
        scaled = value * 1000.0
        distance = scaled - (scaled // 1.0)
        if (distance < 0.499 or distance > 0.501) and (value > 0.001 or value < -0.001):
            return f"{value:.3f}"
    return real_text(value)


_INTEGERS = _Memo(integer_text)
_REALS = _Memo(_real_text_fast)


def _integer_texts(values: Iterable[Any]) -> Iterable[str]:
    return map(_INTEGERS.__getitem__, values)


def _real_texts(values: Iterable[Any]) -> Iterable[str]:
    return map(_REALS.__getitem__, values)


def _text_texts(values: Iterable[Any]) -> Iterable[str]:
    """Pass a whole column of plain texts through unchanged; anything else goes value by value."""
    column = list(values)
    try:
        joined = "".join(column)
    except TypeError:
        return map(text_text, column)
    if joined.isascii() and joined.isprintable() and "" not in column:
        return column
    return map(text_text, column)


_COLUMN: dict[str, Callable[[Iterable[Any]], Iterable[str]]] = {
    "I": _integer_texts,
    "R": _real_texts,
    "T": _text_texts,
}


class _Renderers(dict[tuple[str, str], Render]):
    def __missing__(self, key: tuple[str, str]) -> Render:
        render = self[key] = _make_render(*key)
        return render


RENDERERS = _Renderers()
"""Formatters by `(types, sort)`; each maps rows to the text that the file shows, raising ColumnCountError on a bad width."""


def _make_render(types: str, sort: str) -> Render:
    if not types:
        raise ColumnCountError("the query has no type string yet: complete the file first")
    if types.strip(types[0]) == "" and (len(types) == 1 or sort != "rowsort"):
        return _render_values(types, sort != "nosort")
    return _render_rows(types, sort)


def _check_width(rows: Sequence[Row], width: int) -> None:
    if len(rows[0]) != width:
        raise ColumnCountError(f"expected {width} column{'s' * (width > 1)}, got {len(rows[0])}")


def _render_values(types: str, is_sorted: bool) -> Render:
    """Return the formatter of a type string of one letter, repeated, whose rows need not be kept together."""
    texts_of, width, is_integer = _COLUMN[types[0]], len(types), types == "I"
    one_integer = _INTEGERS.__getitem__

    def render(rows: Sequence[Row]) -> str:
        if not rows:
            return ""
        if len(rows[0]) != width:
            _check_width(rows, width)
        if is_integer and len(rows) == 1:
            return one_integer(rows[0][0])
        texts = texts_of(chain.from_iterable(rows))
        return "\n".join(sorted(texts) if is_sorted else texts)

    return render


def _render_rows(types: str, sort: str) -> Render:
    columns, width = [_COLUMN[letter] for letter in types], len(types)
    is_all_integer, one_integer = types.strip("I") == "", _INTEGERS.__getitem__

    def render(rows: Sequence[Row]) -> str:
        if not rows:
            return ""
        if len(rows[0]) != width:
            _check_width(rows, width)
        if is_all_integer:
            texts = ["\n".join(map(one_integer, row)) for row in rows]
        else:
            texts_by_column = [column(values) for column, values in zip(columns, zip(*rows))]
            texts = list(map("\n".join, zip(*texts_by_column)))
        if sort == "rowsort":
            texts.sort()
        elif sort == "valuesort":
            texts = sorted("\n".join(texts).split("\n"))
        return "\n".join(texts)

    return render


def hash_text(text: str, n_values: int) -> str:
    """Return the line that stands for long results: `N values hashing to MD5`; every value is hashed with its newline."""
    digest = md5((text + "\n" if n_values else "").encode("utf-8", "surrogateescape"), usedforsecurity=False)
    return f"{n_values}{HASH_MARK}{digest.hexdigest()}"
