"""Collating sequences: the order of text.

A `Collation` has `compare(a, b)` for one pair, `key(text)` for sorting and searching, and `hash_key(text)` (equal keys mean
equal text) for hash joins, DISTINCT and GROUP BY; a user-defined collation has no `hash_key`.  Keys of one collation are
ordered natively by Python.

BINARY order is the order of the encoded bytes.  Code-point order is the same for valid text in UTF-8, so an ordinary text is
its own key.  Two kinds are not: text with escaped bytes (a lone surrogate sorts as U+DC80 and up, the byte that it stands for
sorts elsewhere), which becomes an `EscapedText`, and any text of a UTF-16 database, where SQLite compares UTF-16 bytes.

Source: https://www.sqlite.org/datatype3.html section 7.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

from minisql.values.storage_class import UTF8, UTF16BE, UTF16LE, encode_text


class EscapedText(str):
    """Text with escaped bytes as a sort key: ordered by its bytes against any other text.

    Python asks the subclass first when it compares `str` with a subclass of it, so plain keys need no wrapper.
    """

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return encode_text(self) < encode_text(other)

    def __le__(self, other: str) -> bool:
        return encode_text(self) <= encode_text(other)

    def __gt__(self, other: str) -> bool:
        return encode_text(self) > encode_text(other)

    def __ge__(self, other: str) -> bool:
        return encode_text(self) >= encode_text(other)


def text_order_key(text: str) -> str:
    """Returns a key that sorts as the UTF-8 bytes of the text do: nearly always the text itself.

    Source: https://www.sqlite.org/datatype3.html section 7 (BINARY)
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return EscapedText(text)
    return text


class Collation:
    """A collating sequence; `is_binary` is true for BINARY over UTF-8, where `a == b` decides equality."""

    __slots__ = ("compare", "hash_key", "is_binary", "key", "name")

    def __init__(
        self,
        name: str,
        compare: Callable[[str, str], int],
        key: Callable[[str], Any] | None = None,
        hash_key: Callable[[str], Hashable] | None = None,
        is_binary: bool = False,
    ) -> None:
        """`compare` returns a negative, zero or positive int; without `key` one is made from `compare`."""
        self.name = name
        self.compare = compare
        self.key: Callable[[str], Any] = functools.cmp_to_key(compare) if key is None else key
        self.hash_key = hash_key
        self.is_binary = is_binary

    def __repr__(self) -> str:
        return f"Collation({self.name!r})"


def _compare_binary(a: str, b: str) -> int:
    if a == b:
        return 0
    # The first difference decides; if one side is ASCII there, code points and bytes agree.
    if a.isascii() or b.isascii():
        return -1 if a < b else 1
    return -1 if text_order_key(a) < text_order_key(b) else 1


_FOLD = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold_ascii(text: str) -> str:
    """Returns the text with A to Z, and nothing else, in lower case.

    Source: https://www.sqlite.org/datatype3.html section 7 (NOCASE)
    """
    return text.lower() if text.isascii() else text.translate(_FOLD)


def _nocase_key(text: str) -> str:
    folded = text_order_key(fold_ascii(text))
    nul = folded.find("\0")
    if nul < 0:
        return folded
    # SQLite's comparison stops at a NUL that both texts have; behind it only the lengths count.
    return text_order_key(folded[:nul] + "\0" * len(encode_text(folded[nul:])))


def _compare_nocase(a: str, b: str) -> int:
    if a == b:
        return 0
    return _compare_keys(_nocase_key(a), _nocase_key(b))


def _rtrim_key(text: str) -> str:
    return text_order_key(text.rstrip(" "))


def _compare_rtrim(a: str, b: str) -> int:
    return _compare_binary(a.rstrip(" "), b.rstrip(" "))


def _compare_keys(a: Any, b: Any) -> int:
    return 0 if a == b else -1 if a < b else 1


def _same(text: str) -> str:
    return text


def _strip(text: str) -> str:
    return text.rstrip(" ")


BINARY = Collation("BINARY", _compare_binary, text_order_key, _same, is_binary=True)
NOCASE = Collation("NOCASE", _compare_nocase, _nocase_key, _nocase_key)
RTRIM = Collation("RTRIM", _compare_rtrim, _rtrim_key, _strip)

BUILT_IN: dict[str, Collation] = {"BINARY": BINARY, "NOCASE": NOCASE, "RTRIM": RTRIM}


def _binary_of_encoding(codec: str) -> Collation:
    def key(text: str) -> bytes:
        return text.encode(codec, "surrogatepass")

    return Collation("BINARY", lambda a, b: _compare_keys(key(a), key(b)), key, _same)


BINARY_UTF16LE = _binary_of_encoding("utf-16-le")
BINARY_UTF16BE = _binary_of_encoding("utf-16-be")

_BINARY_BY_ENCODING = {UTF8: BINARY, UTF16LE: BINARY_UTF16LE, UTF16BE: BINARY_UTF16BE}


def built_in_collations(encoding: int) -> dict[str, Collation]:
    """Returns a new table of the built-in collations for a database encoding: BINARY compares encoded bytes.

    Source: https://www.sqlite.org/datatype3.html section 7
    """
    return {**BUILT_IN, "BINARY": _BINARY_BY_ENCODING[encoding]}
