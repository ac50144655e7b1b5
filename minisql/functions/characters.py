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


def before_nul(text: str) -> str:
    """Returns the text up to its first NUL.  Source: https://www.sqlite.org/nulinstr.html"""
    nul = text.find("\0")
    return text if nul < 0 else text[:nul]
