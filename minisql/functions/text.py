"""Text functions: length and parts of text and blobs, case, trimming, replacing, code points, hex.

SQLite reads text as UTF-8 up to the first NUL wherever it counts characters.  Text of valid UTF-8 is counted as Python counts
it; text with escaped bytes is cut into the pieces that SQLite's scanner takes for characters: a byte from C0 up with the
continuation bytes behind it, or any single byte.

Source: https://www.sqlite.org/lang_corefunc.html.
"""

from __future__ import annotations

import re
from typing import Any

from minisql.errors import ERROR, TOOBIG, sqlite_error
from minisql.functions.characters import PIECE, before_nul, pieces
from minisql.functions.context import FunctionContext
from minisql.functions.printf import quote_with_escapes, sql_format, sql_literal
from minisql.functions.registry import ANY, ScalarFunction
from minisql.limits import DEFAULTS, LENGTH
from minisql.values.cast import to_integer, to_text
from minisql.values.collation import fold_ascii
from minisql.values.storage_class import INT64_MAX, decode_text, encode_text


def length(value: Any) -> int | None:
    """length(X): characters of text up to a NUL, bytes of a blob.  Source: lang_corefunc.html#length"""
    if value.__class__ is str:
        if value.isascii() and "\0" not in value:
            return len(value)
        value = before_nul(value)
        parts = pieces(value)
        return len(value if parts is None else parts)
    if value is None:
        return None
    return len(value if value.__class__ is bytes else to_text(value))


def octet_length(context: FunctionContext, value: Any) -> int | None:
    """octet_length(X): bytes in the database encoding.  Source: lang_corefunc.html#octet_length"""
    if value is None:
        return None
    return len(value if value.__class__ is bytes else encode_text(to_text(value), context.encoding))


_MAX_LENGTH = DEFAULTS[LENGTH]


def substr(value: Any, start: Any, *length_argument: Any) -> Any:
    """substr(X, Y [, Z]): characters of text, bytes of a blob; negative Y counts from the end, negative Z goes left.

    Source: https://www.sqlite.org/lang_corefunc.html#substr
    """
    if value.__class__ is str and start.__class__ is int and start > 0 and value.isascii() and "\0" not in value:
        # The common call: no need to look at signs, classes and characters.
        if not length_argument:
            return value[start - 1 :]
        count = length_argument[0]
        if count.__class__ is int and count >= 0:
            return value[start - 1 : start - 1 + count]
    if value.__class__ is str and not length_argument and start.__class__ is int and -_MAX_LENGTH < start < 0:
        if value.isascii() and "\0" not in value:
            return value[start:]
    if value is None or start is None:
        return None
    count = INT64_MAX
    if length_argument:
        if length_argument[0] is None:
            return None
        count = to_integer(length_argument[0])
    first = to_integer(start)
    sequence: Any = value
    if value == b"":
        return None
    if value.__class__ is not bytes:
        text = before_nul(value if value.__class__ is str else to_text(value))
        parts = pieces(text)
        sequence = text if parts is None else parts
    begin, end = _span(len(sequence), first, count)
    part = sequence[begin:end]
    return "".join(part) if part.__class__ is list else part


def _span(size: int, first: int, count: int) -> tuple[int, int]:
    """Where substr begins and ends, from SQL's 1-based start and signed count."""
    goes_left = count < 0
    count = abs(count)
    if first < 0:
        begin = first + size
        if begin < 0:
            count = max(count + begin, 0)
            begin = 0
    elif first > 0:
        begin = first - 1
    else:
        begin = 0
        if count > 0:
            count -= 1
    if goes_left:
        begin -= count
        if begin < 0:
            count += begin
            begin = 0
    return begin, begin + max(count, 0)


def instr(value: Any, wanted: Any) -> int | None:
    """instr(X, Y): the 1-based place of Y in X, 0 if it is not there; bytes if both are blobs.

    Source: https://www.sqlite.org/lang_corefunc.html#instr
    """
    if value is None or wanted is None:
        return None
    if value.__class__ is bytes and wanted.__class__ is bytes:
        return value.find(wanted) + 1
    text, part = to_text(value), to_text(wanted)
    if text.isascii():
        return text.find(part) + 1
    data, piece = encode_text(text), encode_text(part)
    place = data.find(piece)
    while 0 <= place < len(data) and data[place] & 0xC0 == 0x80:
        place = data.find(piece, place + 1)
    return 0 if place < 0 else sum(1 for _ in PIECE.finditer(data, 0, place)) + 1


def replace(value: Any, wanted: Any, replacement: Any) -> str | None:
    """replace(X, Y, Z): X with each Y replaced by Z.  Source: https://www.sqlite.org/lang_corefunc.html#replace"""
    text, part, new = value, wanted, replacement
    if text.__class__ is not str or part.__class__ is not str or new.__class__ is not str:
        if value is None or wanted is None:
            return None
        text, part = to_text(value), to_text(wanted)
        new = None if replacement is None else to_text(replacement)
    if not part or part[0] == "\0":
        return text
    if new is None:
        return None
    if len(new) > len(part) and len(text) + text.count(part) * (len(new) - len(part)) > _MAX_LENGTH:
        raise sqlite_error(TOOBIG)
    return text.replace(part, new)


def _trim_function(sides: int) -> Any:
    def trim(value: Any, *characters: Any) -> str | None:
        """trim(X [, Y]) on one side or both.  Source: https://www.sqlite.org/lang_corefunc.html#trim"""
        if value is None:
            return None
        text = value if value.__class__ is str else to_text(value)
        if not characters:
            removed = " "
        elif characters[0] is None:
            return None
        else:
            removed = before_nul(to_text(characters[0]))
            if not removed:
                return text
            if pieces(removed) is not None or pieces(text) is not None:
                return _trim_pieces(text, removed, sides)
        if sides == 1:
            return text.lstrip(removed)
        return text.rstrip(removed) if sides == 2 else text.strip(removed)

    return trim


def _trim_pieces(text: str, removed: str, sides: int) -> str:
    unwanted = PIECE.findall(encode_text(removed))
    data = encode_text(text)
    if sides & 1:
        while piece := next((piece for piece in unwanted if data.startswith(piece)), None):
            data = data[len(piece) :]
    if sides & 2:
        while piece := next((piece for piece in unwanted if data.endswith(piece)), None):
            data = data[: -len(piece)]
    return decode_text(data)


_UPPER = {lower: lower - 32 for lower in range(ord("a"), ord("z") + 1)}


def upper(value: Any) -> str | None:
    """upper(X): ASCII letters only.  Source: https://www.sqlite.org/lang_corefunc.html#upper"""
    if value is None:
        return None
    text = to_text(value)
    return text.upper() if text.isascii() else text.translate(_UPPER)


def lower(value: Any) -> str | None:
    """lower(X): ASCII letters only.  Source: https://www.sqlite.org/lang_corefunc.html#lower"""
    return None if value is None else fold_ascii(to_text(value))


def char(*code_points: Any) -> str:
    """char(X1, ...): the text of the code points; what is none becomes U+FFFD.  Source: lang_corefunc.html#char"""
    characters = []
    for argument in code_points:
        code = to_integer(argument)
        if not 0 <= code <= 0x10FFFF:
            code = 0xFFFD
        if 0xD800 <= code <= 0xDFFF:
            characters.append(decode_text(chr(code).encode("utf-8", "surrogatepass")))
        else:
            characters.append(chr(code))
    return "".join(characters)


def unicode_(value: Any) -> int | None:
    """unicode(X): the code point of the first character.  Source: https://www.sqlite.org/lang_corefunc.html#unicode"""
    if value is None:
        return None
    text = to_text(value)
    if not text or text[0] == "\0":
        return None
    code = ord(text[0])
    if code < 0x80:
        return code
    if 0xD800 <= code <= 0xDFFF or "\udc80" <= text[1:2] <= "\udcbf":
        return _decode_leniently(encode_text(text))
    return code


def _decode_leniently(data: bytes) -> int:
    """The first code point by SQLite's decoder, which accepts overlong and stray bytes."""
    lead = data[0]
    if lead < 0xC0:
        return lead
    code = lead & (0x1F if lead < 0xE0 else 0x0F if lead < 0xF0 else 0x07 if lead < 0xF8 else 0x03 if lead < 0xFC else 0x01)
    if lead >= 0xFE:
        code = 0
    for byte in data[1:]:
        if byte & 0xC0 != 0x80:
            break
        code = (code << 6 | byte & 0x3F) & 0xFFFFFFFF
    return 0xFFFD if code < 0x80 or code & 0xFFFFF800 == 0xD800 or code & 0xFFFFFFFE == 0xFFFE else code


_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


def unhex(value: Any, *ignored: Any) -> bytes | None:
    """unhex(X [, Y]): the bytes that hexadecimal digits stand for; characters of Y may stand between pairs.

    Source: https://www.sqlite.org/lang_corefunc.html#unhex
    """
    if value is None or (ignored and ignored[0] is None):
        return None
    text = before_nul(to_text(value))
    skipped = frozenset(before_nul(to_text(ignored[0]))) if ignored else frozenset()
    digits: list[str] = []
    for character in text:
        if character in _HEX_DIGITS:
            digits.append(character)
        elif character not in skipped or len(digits) & 1:
            return None
    return None if len(digits) & 1 else bytes.fromhex("".join(digits))


def concat(*values: Any) -> str:
    """concat(X, ...): all values as text, NULLs left out.  Source: https://www.sqlite.org/lang_corefunc.html#concat"""
    return "".join([to_text(value) for value in values if value is not None])


def concat_ws(separator: Any, *values: Any) -> str | None:
    """concat_ws(SEP, X, ...): the values that are not NULL, separated.  Source: lang_corefunc.html#concat_ws"""
    if separator is None:
        return None
    return to_text(separator).join([to_text(value) for value in values if value is not None])


_UNICODE_ESCAPE = re.compile(
    r"\\(?:(\\)|\+([0-9a-fA-F]{6})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-9a-fA-F]{4})|)", re.DOTALL
)


def unistr(value: Any) -> str | None:
    r"""unistr(X): text with \XXXX, \uXXXX, \+XXXXXX, \UXXXXXXXX and \\ escapes.  Source: lang_corefunc.html#unistr"""
    if value is None:
        return None
    text = to_text(value)
    return _UNICODE_ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return "\\"
    digits = match[2] or match[3] or match[4] or match[5]
    if digits is None:
        raise sqlite_error(ERROR, "invalid Unicode escape")
    code = int(digits, 16)
    if code <= 0x10FFFF:
        return char(code)
    # No character: SQLite writes the low 21 bits in the form of four bytes.
    code &= 0x1FFFFF
    encoded = bytes((0xF0 | code >> 18, 0x80 | code >> 12 & 0x3F, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F))
    return encoded.decode("utf-8", "surrogateescape")


def unistr_quote(value: Any) -> str:
    """unistr_quote(X): as quote(X), but text with control characters becomes a call of unistr().

    Source: https://www.sqlite.org/lang_corefunc.html#unistr_quote
    """
    return quote_with_escapes(before_nul(value)) if value.__class__ is str else sql_literal(value)


FUNCTIONS = (
    ScalarFunction("length", 1, 1, length),
    ScalarFunction("octet_length", 1, 1, octet_length, needs_context=True),
    ScalarFunction("substr", 2, 2, substr),
    ScalarFunction("substr", 3, 3, substr),
    ScalarFunction("substring", 2, 2, substr),
    ScalarFunction("substring", 3, 3, substr),
    ScalarFunction("instr", 2, 2, instr),
    ScalarFunction("replace", 3, 3, replace),
    ScalarFunction("ltrim", 1, 2, _trim_function(1)),
    ScalarFunction("rtrim", 1, 2, _trim_function(2)),
    ScalarFunction("trim", 1, 2, _trim_function(3)),
    ScalarFunction("upper", 1, 1, upper),
    ScalarFunction("lower", 1, 1, lower),
    ScalarFunction("char", 0, ANY, char),
    ScalarFunction("unicode", 1, 1, unicode_),
    ScalarFunction("unhex", 1, 2, unhex),
    ScalarFunction("concat", 1, ANY, concat),
    ScalarFunction("concat_ws", 2, ANY, concat_ws),
    ScalarFunction("format", 0, ANY, sql_format),
    ScalarFunction("printf", 0, ANY, sql_format),
    ScalarFunction("unistr", 1, 1, unistr),
    ScalarFunction("unistr_quote", 1, 1, unistr_quote),
)
