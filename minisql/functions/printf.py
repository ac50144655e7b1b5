"""format() / printf(), and SQL literals as quote() writes them.

A format is `%[flags][width][.precision][l|ll]type`.  Flags: `-` left, `+` and space sign, `#` alternate form, `0` zero padding,
`,` thousands separators, `!` more digits (reals) or characters instead of bytes (text).  An unknown conversion ends the
output, as in SQLite.  Widths and precisions of text count bytes of UTF-8 unless `!` is given.

Source: https://www.sqlite.org/printf.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from minisql.errors import TOOBIG, sqlite_error
from minisql.functions.characters import before_nul, pieces
from minisql.limits import DEFAULTS, LENGTH
from minisql.values.cast import to_integer, to_real, to_text
from minisql.values.number_text import leading_digits, real_to_text, round_digits, shown_digits
from minisql.values.storage_class import decode_text, encode_text

_DIRECTIVE = re.compile(r"%([-+ #!0,]*)(\*|[1-9][0-9]*)?(?:\.(\*|[0-9]*))?(ll?)?(.)?", re.DOTALL)

_POWERS_OF_TEN = [10**n for n in range(10)]

# Without `!` SQLite shows at most this many significant digits of a real.
_MAX_DIGITS = 16
_ALL_DIGITS = 26


class _Directive:
    """One conversion with its flags read and its `*` arguments taken."""

    __slots__ = ("alternate", "left", "more", "positive_sign", "precision", "thousands", "width", "zero_pad")

    def __init__(self, flags: str, width: int, precision: int) -> None:
        self.left = "-" in flags or width < 0
        self.positive_sign = max(("+", " "), key=flags.rfind) if "+" in flags or " " in flags else ""
        self.alternate = "#" in flags
        self.more = "!" in flags
        self.zero_pad = "0" in flags
        self.thousands = "," in flags
        self.width = abs(width)
        self.precision = precision

    def sign_of(self, is_negative: bool) -> str:
        return "-" if is_negative else self.positive_sign

    def pad(self, text: str, length: int) -> str:
        """The text with spaces up to the width, given the length it counts for."""
        spaces = " " * (self.width - length)
        return text + spaces if self.left else spaces + text


def sql_format(*arguments: Any) -> str | None:
    """format(FORMAT, ...): NULL without a format.  Source: https://www.sqlite.org/lang_corefunc.html#format"""
    if not arguments or arguments[0] is None:
        return None
    rest = iter(arguments[1:])
    output: list[str] = []
    template = arguments[0]
    for literal, kind, convert, directive, flags, width, precision in _parse_template(
        template if template.__class__ is str else to_text(template)
    ):
        output.append(literal)
        if convert is None:
            break
        if directive is None:
            directive = _read_directive(flags, width, precision, rest)
        output.append(convert(directive, kind, rest))
    text = "".join(output)
    if not text.isascii():
        # A text cut in the middle of a character may have been completed by what follows it.
        text = decode_text(encode_text(text))
    return text


# Literal text, conversion letter, its function (None: the output ends), the directive or None where `*` makes it depend on
# arguments, and then flags, width and precision as written.
_Segment = tuple[str, str, "Callable[[_Directive, str, Any], str] | None", "_Directive | None", str, "str | None", "str | None"]

_CACHE_SIZE = 200
_cache: dict[str, list[_Segment]] = {}


def _parse_template(template: str) -> list[_Segment]:
    """The segments of a format, remembered."""
    segments = _cache.get(template)
    if segments is None:
        if len(_cache) >= _CACHE_SIZE:
            _cache.clear()
        segments = _cache[template] = list(_segments(before_nul(template)))
    return segments


def _segments(template: str) -> Iterator[_Segment]:
    position = 0
    while True:
        percent = template.find("%", position)
        if percent < 0 or percent == len(template) - 1:
            yield template[position:], "", None, None, "", None, None
            return
        match = _DIRECTIVE.match(template, percent)
        assert match is not None
        flags, width, precision, _, kind = match.groups()
        directive = None if "*" in (width, precision) else _read_directive(flags, width, precision, iter(()))
        yield template[position:percent], kind, _CONVERSIONS.get(kind), directive, flags, width, precision
        position = match.end()


def _read_directive(flags: str, width_text: str | None, precision_text: str | None, rest: Iterator[Any]) -> _Directive:
    width = _number(width_text, rest, 0)
    precision = abs(_number(precision_text, rest, 0)) if precision_text is not None else -1
    if width > DEFAULTS[LENGTH] or precision > DEFAULTS[LENGTH]:
        raise sqlite_error(TOOBIG)
    return _Directive(flags, width, precision)


def _number(text: str | None, rest: Any, default: int) -> int:
    if text == "*":
        value = to_integer(next(rest, None)) & 0xFFFFFFFF
        return value - (1 << 32) if value >= 1 << 31 else value
    if not text:
        return default
    return int(text) & 0x7FFFFFFF if len(text) < 20 else 0x7FFFFFFF


def _percent(directive: _Directive, kind: str, rest: Any) -> str:
    return directive.pad("%", 1)


def _nothing(directive: _Directive, kind: str, rest: Any) -> str:
    next(rest, None)
    return ""


def _integer(directive: _Directive, kind: str, rest: Any) -> str:
    value = to_integer(next(rest, None))
    suffix = ""
    if kind in "dir":
        sign = directive.sign_of(value < 0)
        digits = str(abs(value))
        if kind == "r":
            last = abs(value) % 10
            is_teen = abs(value) // 10 % 10 == 1
            suffix = "th" if last > 3 or last == 0 or is_teen else ("", "st", "nd", "rd")[last]
    else:
        sign = ""
        value &= 0xFFFF_FFFF_FFFF_FFFF
        digits = format(value, {"u": "d", "p": "X"}.get(kind, kind))
    n_digits = directive.precision
    if directive.zero_pad and n_digits < directive.width - len(sign):
        n_digits = directive.width - len(sign)
    digits = digits.rjust(n_digits - len(suffix), "0") + suffix
    if directive.thousands and kind in "diu":
        digits = _with_thousands(digits)
    if directive.alternate and value:
        digits = {"x": "0x", "X": "0X", "o": "0", "p": "0x"}.get(kind, "") + digits
    text = sign + digits
    return directive.pad(text, len(text))


def _with_thousands(digits: str) -> str:
    first = len(digits) % 3 or 3
    return ",".join([digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))])


def _real(directive: _Directive, kind: str, rest: Any) -> str:
    value = to_real(next(rest, None))
    form = kind.lower()
    precision = 6 if directive.precision < 0 else directive.precision
    if form == "g" and precision == 0:
        precision = 1
    if value - value != 0.0:
        if not directive.zero_pad:
            text = directive.sign_of(value < 0) + "Inf"
            return directive.pad(text, len(text))
        digits, point = "9", 1000
    else:
        n_round = -precision if form == "f" else precision if form == "g" else precision + 1
        digits, point = _decoded(abs(value), n_round, _ALL_DIGITS if directive.more else _MAX_DIGITS)
    sign = directive.sign_of(value < 0)
    strip_zeros = directive.more
    if form == "g":
        precision -= 1
        strip_zeros = not directive.alternate
        if point - 1 < -4 or point - 1 > precision:
            form = "e"
        else:
            precision -= point - 1
            form = "f"
    body = _positional(directive, digits, 1 if form == "e" else point, precision, strip_zeros)
    if form == "e":
        exponent = point - 1
        body += f"{'E' if kind in 'EG' else 'e'}{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if directive.zero_pad and not directive.left:
        body = body.rjust(directive.width - len(sign), "0")
    text = sign + body
    return directive.pad(text, len(text))


def _decoded(value: float, n_round: int, max_digits: int) -> tuple[str, int]:
    """Digits and point of a value, rounded to n digits, or with n <= 0 to -n places behind the point."""
    if value == 0.0:
        return "0", 1
    if -10 < n_round <= 0:
        scaled = value * _POWERS_OF_TEN[-n_round]
        if scaled < 1e9:
            nearest = int(scaled + 0.5)
            # Far enough from a tie that an error of the product cannot matter.
            if nearest and abs(scaled - nearest) < 0.499999:
                digits = str(nearest)
                return digits, len(digits) + n_round
    digits, point = leading_digits(value, n_round + 1 if 0 < n_round < 17 else 18)
    if n_round <= 0:
        n_round = point - n_round
    if n_round < 0:
        return digits, point
    n_round = min(n_round, max_digits)
    if n_round == 17 and len(digits) > 17:
        return shown_digits(value)
    return round_digits(digits, point, n_round)


def _positional(directive: _Directive, digits: str, point: int, precision: int, strip_zeros: bool) -> str:
    if point <= 0:
        whole = "0"
        fraction = "0" * -point + digits
    else:
        whole = digits[:point].ljust(point, "0")
        fraction = digits[point:]
    if directive.thousands:
        whole = _with_thousands(whole)
    has_point = precision > 0 or directive.alternate or directive.more
    if not has_point:
        return whole
    fraction = fraction[: max(precision, 0)].ljust(precision, "0")
    if strip_zeros:
        fraction = fraction.rstrip("0")
        if not fraction:
            return whole + ".0" if directive.more else whole
    return f"{whole}.{fraction}"


def _character(directive: _Directive, kind: str, rest: Any) -> str:
    value = next(rest, None)
    text = ("" if value is None else to_text(value)) or "\0"
    first = text[0]
    if not first.isascii() and not text[:2].isalpha():
        piece = _CHARACTER.match(encode_text(text))
        assert piece is not None
        first = decode_text(piece[0])
    count = max(directive.precision, 1)
    return directive.pad(first * count, count)


# What %c takes for one character: a lead byte with at most three continuation bytes, or any byte.
_CHARACTER = re.compile(rb"[\xc0-\xff][\x80-\xbf]{0,3}|.", re.DOTALL)


def _text(directive: _Directive, kind: str, rest: Any) -> str:
    value = next(rest, None)
    text = "" if value is None else before_nul(to_text(value))
    return _fit(directive, _cut(directive, text))


def _cut(directive: _Directive, text: str) -> str:
    """The text cut to the precision, in characters with `!`, else in bytes."""
    limit = directive.precision
    if limit < 0:
        return text
    if directive.more:
        parts = pieces(text)
        return text[:limit] if parts is None else "".join(parts[:limit])
    if text.isascii():
        return text[:limit]
    return decode_text(encode_text(text)[:limit])


def _fit(directive: _Directive, text: str) -> str:
    if text.isascii():
        length = len(text)
    elif directive.more:
        length = len(pieces(text) or text)
    else:
        length = len(encode_text(text))
    return directive.pad(text, length)


def _quoted(directive: _Directive, kind: str, rest: Any) -> str:
    value = next(rest, None)
    if value is None:
        return _fit(directive, _cut(directive, "NULL" if kind == "Q" else "(NULL)"))
    text = _cut(directive, before_nul(to_text(value)))
    if kind == "w":
        return _fit(directive, text.replace('"', '""'))
    doubled = text.replace("'", "''")
    if directive.alternate:
        if kind == "q":
            return _fit(directive, _escape_controls(doubled))
        return _fit(directive, quote_with_escapes(text))
    return _fit(directive, f"'{doubled}'" if kind == "Q" else doubled)


_CONTROL = re.compile(r"[\x01-\x1f]")


def _escape_controls(text: str) -> str:
    """The text with control characters as \\uXXXX and backslashes doubled, as unistr() reads it."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\\", "\\\\"))


def quote_with_escapes(text: str) -> str:
    """Returns a text literal; with control characters in it, a call of unistr().

    Source: https://www.sqlite.org/lang_corefunc.html#unistr_quote
    """
    doubled = text.replace("'", "''")
    if _CONTROL.search(text):
        return f"unistr('{_escape_controls(doubled)}')"
    return f"'{doubled}'"


def sql_literal(value: Any) -> str:
    """quote(X): the SQL literal of a value; text ends at a NUL, infinities are 9.0e+999.

    Source: https://www.sqlite.org/lang_corefunc.html#quote
    """
    if value is None:
        return "NULL"
    if value.__class__ is float:
        if value - value != 0.0:
            return "9.0e+999" if value > 0 else "-9.0e+999"
        return real_to_text(value)
    if value.__class__ is str:
        return "'" + before_nul(value).replace("'", "''") + "'"
    if value.__class__ is bytes:
        return f"X'{value.hex().upper()}'"
    return str(value)


_CONVERSIONS: dict[str | None, Callable[[_Directive, str, Any], str]] = {
    "%": _percent,
    "n": _nothing,
    "c": _character,
    **dict.fromkeys("diuxXopr", _integer),
    **dict.fromkeys("eEfgG", _real),
    **dict.fromkeys("sz", _text),
    **dict.fromkeys("qQw", _quoted),
}
