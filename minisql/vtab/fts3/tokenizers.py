"""The tokenizers of FTS3 and FTS4: simple, porter and unicode61.

`tokenize(text)` gives (token, start, end) triples, offsets in characters, in the order of the text.

Source: https://www.sqlite.org/fts3.html section 8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.vtab.fts5.porter import stem
from minisql.vtab.fts5.tokenizers import DOCUMENT, make_unicode61

Token = tuple[str, int, int]

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LOWER = {point: point + 32 for point in range(ord("A"), ord("Z") + 1)}
_LONGEST_STEM, _SHORTEST_STEM = 20, 3


class SimpleTokenizer:
    """Runs of characters that are no delimiters, ASCII letters folded."""

    def __init__(self, delimiters: str | None) -> None:
        if delimiters is None:
            inside = "".join(re.escape(letter) for letter in _LETTERS)
        else:
            inside = "".join(re.escape(chr(point)) for point in range(1, 128) if chr(point) not in delimiters)
        self.pattern = re.compile(f"[{inside}\\x80-\\U0010ffff]+" if inside else "[\\x80-\\U0010ffff]+")

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text."""
        return [
            (word.lower() if word.isascii() else word.translate(_LOWER), found.start(), found.end())
            for found in self.pattern.finditer(text)
            if (word := found.group())
        ]


class PorterTokenizer:
    """Stems of runs of letters, digits and underscores; words that are no English ones are shortened in the middle."""

    def __init__(self) -> None:
        self.pattern = re.compile("[0-9A-Z_a-z\\x80-\\U0010ffff]+")

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text."""
        return [(_porter(found.group()), found.start(), found.end()) for found in self.pattern.finditer(text)]


@lru_cache(20000)
def _porter(word: str) -> str:
    n_bytes = len(word) if word.isascii() else len(word.encode("utf-8", "surrogateescape"))
    if word.isascii() and word.isalpha() and _SHORTEST_STEM <= n_bytes < _LONGEST_STEM:
        return stem(word.lower())
    return _shortened(word)


def _shortened(word: str) -> str:
    """A word in small letters; a long one keeps only its ends, shorter ones if it has digits."""
    data = word.translate(_LOWER).encode("utf-8", "surrogateescape")
    most = 3 if any(0x30 <= byte <= 0x39 for byte in data) else 10
    if len(data) > 2 * most:
        data = data[:most] + data[-most:]
    return data.decode("utf-8", "surrogateescape")


class UnicodeTokenizer:
    """unicode61, the same as that of FTS5 but for the form of its options."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def tokenize(self, text: str) -> list[Token]:
        """The tokens of a text."""
        tokens: list[Token] = self.inner.tokenize(text, DOCUMENT)
        return tokens


def _make_unicode(arguments: Sequence[str]) -> UnicodeTokenizer:
    options: list[str] = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        is_known = name in ("tokenchars", "separators") or (name == "remove_diacritics" and value in ("0", "1", "2"))
        if not equals or not is_known:
            raise _wrong("unknown tokenizer")
        options += [name, value]
    return UnicodeTokenizer(make_unicode61(options))


def _wrong(text: str) -> Error:
    return sqlite_error(ERROR, text)


def make_tokenizer(words: Sequence[str]) -> Any:
    """The tokenizer of a name and its arguments."""
    name = words[0] if words else ""
    arguments = words[1:]
    lowered = name.lower()
    if lowered == "simple":
        # The second argument is the delimiters; SQLite looks at no other.
        return SimpleTokenizer(arguments[1] if len(arguments) > 1 else None)
    if lowered == "porter":
        return PorterTokenizer()
    if lowered == "unicode61":
        return _make_unicode(arguments)
    raise _wrong(f"unknown tokenizer: {name}")
