"""What SQLite takes for the characters of a text.

It reads text as UTF-8 up to the first NUL.  Valid text has the characters that Python sees; in text with escaped bytes a
character is a byte from C0 up with the continuation bytes behind it, or any other single byte.

Source: https://www.sqlite.org/lang_corefunc.html#length.
"""

from __future__ import annotations

import re

from minisql.values.storage_class import decode_text, encode_text

PIECE = re.compile(rb"[\xc0-\xff][\x80-\xbf]*|[\x00-\xbf]")


def pieces(text: str) -> list[str] | None:
    """Returns None for valid text (its characters are Python's); else the list of what SQLite takes for characters.

    Source: https://www.sqlite.org/lang_corefunc.html#length
    """
    if text.isascii():
        return None
    try:
        text.encode()
        return None
    except UnicodeEncodeError:
        return [decode_text(piece) for piece in PIECE.findall(encode_text(text))]


def as_read(text: str) -> str:
    """Returns the text with each character that is not valid replaced by the one that SQLite's reader makes of its bytes.

    Source: https://www.sqlite.org/lang_corefunc.html#unicode
    """
    parts = pieces(text)
    return text if parts is None else "".join([_read(encode_text(part)) for part in parts])


_LEAD_BITS = ((0xE0, 0x1F), (0xF0, 0x0F), (0xF8, 0x07), (0xFC, 0x03), (0xFE, 0x01))


def _read(piece: bytes) -> str:
    code = piece[0]
    if code < 0xC0:
        return chr(code)
    code &= next((mask for limit, mask in _LEAD_BITS if code < limit), 0)
    for byte in piece[1:]:
        code = (code << 6 | byte & 0x3F) & 0xFFFFFFFF
    is_none = code < 0x80 or code & 0xFFFFF800 == 0xD800 or code & 0xFFFFFFFE == 0xFFFE or code > 0x10FFFF
    return "\ufffd" if is_none else chr(code)


def before_nul(text: str) -> str:
    """Returns the text up to its first NUL.  Source: https://www.sqlite.org/nulinstr.html"""
    nul = text.find("\0")
    return text if nul < 0 else text[:nul]
