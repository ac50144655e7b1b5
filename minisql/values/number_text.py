"""REAL to text and text to number, digit for digit as SQLite 3.54.1 does both.

REAL to text.  SQLite does not print the shortest text that reads back, nor does it print %.17g.  It scales the 64-bit
significand by a truncated 96-bit power of ten to an 18-digit integer, then decides how many of the 18 digits to show:

- digits 15 and 16 are both 9: take the first 14 digits plus one if that reads back as the same double;
- digits 14 to 16 are all 0, or the number is 1e16 or larger: take the first 13 digits if they read back as the same double;
- else round half up to 17 digits.

Trailing zeros go, one digit stays behind the point, and exponent form serves below 1e-4 and from 1e17.

Text to number.  SQLite collects the significand in 64 unsigned bits: digits that would not fit (19 or 20 of them do) are
dropped, not rounded.  What remains is rounded correctly, so `float()` of the shortened text is the answer.  Python's own `int`
and `float` must not see SQL text unchecked: they accept `1_0` and digits beyond ASCII.

The rules were found by experiment; `python benchmarks/number_text.py` compares both directions with SQLite on any number
of values.
Both directions have a fast path where a proof says that it agrees: see `real_to_text` and `_real`.

Source: https://www.sqlite.org/floatingpoint.html; https://www.sqlite.org/lang_expr.html#castexpr.
"""

from __future__ import annotations

import re
import struct

from minisql.values.storage_class import INT64_MAX, INT64_MIN

# One number at the start of a text: white space, sign, digits with an optional point, exponent.
_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*([+-]?(?:([0-9]+)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)([ \t\n\v\f\r]*)"
)
_INTEGER_PREFIX = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")

# A 20th significand digit is taken while the first nineteen stay at or below this: then twenty fit 64 unsigned bits.
_LAST_SIGNIFICAND_WITH_ROOM = (2**64 - 1 - 9) // 10


def text_to_number(text: str) -> int | float | None:
    """Returns the number that the whole text spells (white space around it allowed), or None if it is not a number.

    An integer that fits 64 bits is `int`, every other number `float`: this is the test of NUMERIC affinity.  A NUL ends the
    text for SQLite's float scanner but not for its integer scanner, so what stands before a NUL is always a `float`.
    Source: https://www.sqlite.org/datatype3.html section 3.
    """
    match = _NUMBER.match(text)
    if match is None:
        return None
    end = match.end()
    if end == len(text):
        return _number_of_match(match)
    return _real(match[1]) if text[end] == "\0" else None


def cast_prefix(text: str) -> int | float:
    """Returns the longest prefix that is a number, 0 if there is none: CAST AS NUMERIC before it looks for integral reals.

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    match = _NUMBER.match(text)
    return 0 if match is None else _number_of_match(match)


def numeric_prefix(text: str) -> int | float:
    """Returns the longest prefix that is a number, 0 if there is none: how arithmetic reads text.

    It is real if a NUL follows it, as in `text_to_number`.
    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    match = _NUMBER.match(text)
    if match is None:
        return 0
    end = match.end()
    return _real(match[1]) if end < len(text) and text[end] == "\0" else _number_of_match(match)


def real_prefix(text: str) -> float:
    """Returns the longest prefix that is a number as a float, 0.0 if there is none: CAST(text AS REAL).

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    match = _NUMBER.match(text)
    return 0.0 if match is None else _real(match[1])


def integer_prefix(text: str) -> int:
    """Returns the longest prefix that is an integer, clamped to 64 bits, 0 if there is none: CAST(text AS INTEGER).

    Source: https://www.sqlite.org/lang_expr.html#castexpr
    """
    match = _INTEGER_PREFIX.match(text)
    if match is None:
        return 0
    digits = match[1]
    if len(digits) <= 18:
        return int(digits)
    value = _clamped_integer(digits)
    return INT64_MIN if value < INT64_MIN else INT64_MAX if value > INT64_MAX else value


def looks_like_number(text: str) -> bool:
    """Tells whether the whole text is an integer or a real, white space around it allowed.

    Source: https://www.sqlite.org/datatype3.html section 3
    """
    return text_to_number(text) is not None


def numeric_literal(token: str) -> int | float | None:
    """Returns the value of a number token of SQL: decimal, with `_` between digits, or 0x hexadecimal.

    A decimal integer beyond 64 bits is a float; hexadecimal beyond 64 bits is None ("hex literal too big").  The token is as
    the tokenizer matched it and has no sign.  Source: https://www.sqlite.org/lang_expr.html#literal_values_constants_
    """
    if "_" in token:
        token = token.replace("_", "")
    if token.isdigit():
        if len(token) <= 18:
            return int(token)
        value = _clamped_integer(token)
        return value if value <= INT64_MAX else _real(token)
    if token[:2] in ("0x", "0X"):
        return hex_literal(token)
    return _real(token)


def hex_literal(token: str) -> int | None:
    """Returns the two's-complement value of `0x...`, or None where it has more than 16 significant digits.

    Source: https://www.sqlite.org/lang_expr.html#hexint
    """
    digits = token[2:].lstrip("0")
    if len(digits) > 16:
        return None
    value = int(digits, 16) if digits else 0
    return value - (1 << 64) if value > INT64_MAX else value


def _number_of_match(match: re.Match[str]) -> int | float:
    digits = match[2]
    if digits is None or match[3] is not None or match[4] is not None:
        return _real(match[1])
    if len(digits) <= 18:
        return int(match[1])
    value = _clamped_integer(match[1])
    return value if INT64_MIN <= value <= INT64_MAX else _real(match[1])


def _clamped_integer(signed_digits: str) -> int:
    """The integer, or one of the same sign that is also beyond 64 bits (Python refuses to read thousands of digits)."""
    negative = signed_digits[0] == "-"
    digits = signed_digits.lstrip("+-").lstrip("0") or "0"
    value = int(digits) if len(digits) < 21 else 1 << 70
    return -value if negative else value


def _real(number: str) -> float:
    """The double for a number of the shape that `_NUMBER` matches.

    Up to 19 characters hold at most 19 significand digits, nothing is dropped, and SQLite rounds correctly, as Python does.
    """
    if len(number) <= 19:
        return float(number)
    mantissa, _, exponent = number.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    digits = (whole + fraction).lstrip("0")
    power = (_bounded_exponent(exponent) if exponent else 0) - len(fraction)
    if len(digits) > 19:
        kept = 20 if int(digits[:19]) <= _LAST_SIGNIFICAND_WITH_ROOM else 19
        power += max(len(digits) - kept, 0)
        digits = digits[:kept]
    value = float(f"{digits or '0'}e{power}")
    return -value if number[0] == "-" else value


def _bounded_exponent(exponent: str) -> int:
    """SQLite stops collecting exponent digits at 10,000: more digits mean zero or infinity in any case."""
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    value = int(digits) if len(digits) < 10 else 1_000_000_000
    return -value if exponent[0] == "-" else value


def real_to_text(value: float) -> str:
    """Returns the text of a REAL as CAST AS TEXT gives it: '1.0', '0.1', '1.0e+20', 'Inf'.

    Fast path: `repr` gives the shortest digits.  If those are at most 13, the 18-digit integer differs from them by at most
    half a unit of the last place, which is below 100 as long as the first digit is below 8; then the rules in the module's
    text always end at the same 13 digits.  Source: https://www.sqlite.org/floatingpoint.html section 2.
    """
    shortest = repr(value)
    if len(shortest) < 15 and "e" not in shortest and shortest.lstrip("-0.")[:1] < "8" and value - value == 0.0:
        return shortest if value else "0.0"
    if value - value != 0.0:
        return "Inf" if value > 0 else "-Inf"
    digits, point = shown_digits(-value if value < 0 else value)
    return ("-" if value < 0 else "") + _layout(digits, point)


def _layout(digits: str, point: int) -> str:
    if point < -3 or point > 17:
        return f"{digits[0]}.{digits[1:] or '0'}e{point - 1:+03d}"
    if point <= 0:
        return "0." + "0" * -point + digits
    if len(digits) <= point:
        return digits + "0" * (point - len(digits)) + ".0"
    return digits[:point] + "." + digits[point:]


def shown_digits(value: float) -> tuple[str, int]:
    """Returns the digits, without trailing zeros, that SQLite shows for a finite value above 0, and the decimal point's place.

    The number is 0.DIGITS times ten to the point.  Source: https://www.sqlite.org/floatingpoint.html section 2
    """
    digits, point = leading_digits(value)
    if digits[14:16] == "99":
        candidate = str(int(digits[:14]) + 1)
        moved = point + len(candidate) - 14
        if float(f"{candidate}e{point - 14}") == value:
            return candidate.rstrip("0"), moved
    elif point >= 17 or digits[13:16] == "000":
        candidate = digits[:13]
        if float(f"{candidate}e{point - 13}") == value:
            return candidate.rstrip("0"), point
    return round_digits(digits, point, 17)


def round_digits(digits: str, point: int, n_digits: int) -> tuple[str, int]:
    """Returns the digits rounded half up to n digits, trailing zeros dropped, with the moved decimal point.

    `n_digits` 0 rounds the leading digit itself; a result of no digits is zero: ('0', point).
    Source: https://www.sqlite.org/printf.html section 3.
    """
    if n_digits < 0:
        return "0", point
    if n_digits < len(digits):
        round_up = digits[n_digits] >= "5"
        digits = digits[:n_digits]
        if round_up:
            grown = str(int(digits or "0") + 1)
            if len(grown) > n_digits:
                return "1", point + 1
            digits = grown
    return digits.rstrip("0") or "0", point


def leading_digits(value: float, n_digits: int = 18) -> tuple[str, int]:
    """Returns the first n (or n + 1) digits of a finite value above 0, as SQLite's scaling makes them, and the point's place.

    The value is about 0.DIGITS times ten to the point.  Eighteen digits are rounded, fewer are cut off; the last digit may be
    off by one from the exact decimal expansion.  Source: https://www.sqlite.org/floatingpoint.html section 2.
    """
    bits = _DOUBLE_BITS.unpack(_DOUBLE.pack(value))[0]
    exponent = bits >> 52
    significand = bits & 0xF_FFFF_FFFF_FFFF
    if exponent:
        significand = significand << 11 | 1 << 63
        exponent -= 1086
    else:
        shift = 64 - significand.bit_length()
        significand <<= shift
        exponent = -1074 - shift
    power = n_digits - 1 - ((exponent + 63) * 78913 >> 18)
    scaled = significand * _power_of_ten(power) >> 64
    scaled >>= -(exponent + (power * 108853 >> 15) + 2)
    digits = str((scaled + (scaled << 1 & 2) if n_digits == 18 else scaled) >> 1)
    return digits, len(digits) - power


_DOUBLE = struct.Struct("<d")
_DOUBLE_BITS = struct.Struct("<Q")
_POWERS: dict[int, int] = {}


def _power_of_ten(power: int) -> int:
    """The top 64 bits of ten to the power, truncated."""
    top = _POWERS.get(power)
    if top is None:
        if power >= 0:
            exact = 10**power << 64
        else:
            divisor = 10**-power
            exact = (1 << divisor.bit_length() + 128) // divisor
        top = _POWERS[power] = exact >> exact.bit_length() - 64
    return top
