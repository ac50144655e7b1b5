"""Storage classes and text encodings.

Text lives in memory as `str`.  Bytes that are not valid UTF-8 are kept as lone surrogates (`surrogateescape`), so every text
goes back to the bytes that it came from.  UTF-16 text keeps lone surrogates as themselves (`surrogatepass`).

Source: https://www.sqlite.org/datatype3.html section 2; https://www.sqlite.org/fileformat2.html section 1.3.13 (encodings).
"""

from __future__ import annotations

from typing import TypeAlias

Value: TypeAlias = int | float | str | bytes | None

UTF8 = 1
UTF16LE = 2
UTF16BE = 3

ENCODING_NAMES: dict[int, str] = {UTF8: "UTF-8", UTF16LE: "UTF-16le", UTF16BE: "UTF-16be"}

INT64_MIN = -0x8000_0000_0000_0000
INT64_MAX = 0x7FFF_FFFF_FFFF_FFFF

_TYPE_NAMES: dict[type, str] = {
    type(None): "null",
    int: "integer",
    float: "real",
    str: "text",
    bytes: "blob",
}


class EscapedText:
    """Whether any text with bytes that are not valid UTF-8 has been met in this process: until then nobody has to look."""

    __slots__ = ("was_seen",)

    def __init__(self) -> None:
        self.was_seen = False


escaped_text = EscapedText()


def decode_escaped(data: bytes) -> str:
    """Returns bytes as text, those that are not valid UTF-8 as lone surrogates, and notes that there were any."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        escaped_text.was_seen = True
        return data.decode("utf-8", "surrogateescape")


def type_name(value: Value) -> str:
    """Returns the storage class as typeof() spells it: null, integer, real, text or blob.

    Source: https://www.sqlite.org/lang_corefunc.html#typeof
    """
    return _TYPE_NAMES[value.__class__]


def encode_text(text: str, encoding: int = UTF8) -> bytes:
    """Returns the bytes of a text in a database encoding (UTF8, UTF16LE or UTF16BE); total, never raises.

    Source: https://www.sqlite.org/fileformat2.html section 1.3.13
    """
    if encoding == UTF8:
        try:
            return text.encode()
        except UnicodeEncodeError:
            return _encode_escaped(text)
    return text.encode("utf-16-le" if encoding == UTF16LE else "utf-16-be", "surrogatepass")


def _encode_escaped(text: str) -> bytes:
    """UTF-8 with escaped bytes restored; surrogates that escape nothing (from UTF-16 text) become three bytes each."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return b"".join(
            character.encode("utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")
            for character in text
        )


def decode_text(data: bytes, encoding: int = UTF8) -> str:
    """Returns the text that bytes in a database encoding stand for; an odd last byte of UTF-16 is dropped.

    Source: https://www.sqlite.org/fileformat2.html section 1.3.13
    """
    if encoding == UTF8:
        return decode_escaped(data)
    if len(data) & 1:
        data = data[:-1]
    return data.decode("utf-16-le" if encoding == UTF16LE else "utf-16-be", "surrogatepass")
