"""Tokenizers: from text to tokens with their places.

`tokenize(text, reason)` gives (token, start, end) triples, offsets in characters, in the order of the text; a fourth item
that is true makes a token a synonym of the one before.  A tokenizer of one's own is registered with its connection as a
factory that gets the option's arguments.

Source: https://www.sqlite.org/fts5.html sections 4.3 and 7.1.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.vtab.fts5 import unicode_tables
from minisql.vtab.fts5.porter import stem

QUERY, PREFIX, DOCUMENT, AUXILIARY = 1, 2, 4, 8
"""Why a text is tokenized: FTS5_TOKENIZE_*."""

_SPACES = [chr(point) for point in range(0x3001) if chr(point).isspace()]
_MAX_FOLDED = 20_000

Token = tuple[str, int, int] | tuple[str, int, int, bool]
Factory = Callable[[Sequence[str]], Any]


def _wrong() -> Error:
    return sqlite_error(ERROR, "error in tokenizer constructor")


def _pairs(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Options and their values; raises for an option without one."""
    if len(arguments) % 2:
        raise _wrong()
    return [(arguments[i].lower(), arguments[i + 1]) for i in range(0, len(arguments), 2)]


class _Folded(dict[str, str]):
    """Words that were folded before."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self.fold = fold

    def __missing__(self, word: str) -> str:
        if len(self) >= _MAX_FOLDED:
            self.clear()
        folded = self[word] = self.fold(word)
        return folded


class _Characters(dict[int, "str | None"]):
    """What each character of a text becomes where tokens do not depend on more than that: folded, None (a mark that is left
    out), or a space (it ends a token).  Filled in at the first need of each character."""

    def __init__(self, pattern: re.Pattern[str], fold: Callable[[str], str], marks: frozenset[str]) -> None:
        self.pattern = pattern
        self.fold = fold
        self.marks = marks

    def __missing__(self, point: int) -> str | None:
        character = chr(point)
        result: str | None = " "
        if character in self.marks:
            result = None
        elif self.pattern.fullmatch(character):
            result = self.fold(character)
        self[point] = result
        return result


class Tokenizer:
    """A tokenizer whose tokens are the matches of `pattern`, folded by `fold`.

    ASCII texts are folded first, where that changes no token, and searched with a pattern of their own: benchmarks/fts.py.
    """

    def __init__(self, pattern: re.Pattern[str], fold: Callable[[str], str], marks: frozenset[str] | None = None) -> None:
        """`marks` belong to tokens, but are left out of them; None: characters cannot be folded one by one."""
        self.pattern = pattern
        self.fold = fold
        self.characters = _Characters(pattern, fold, marks) if marks is not None else None
        inside = [chr(point) for point in range(128) if pattern.fullmatch(chr(point))]
        self.folds_first = all((letter.upper() in inside) == (letter in inside) for letter in "abcdefghijklmnopqrstuvwxyz")
        if inside:
            self.ascii_pattern = re.compile("[" + "".join(_escaped(ord(letter)) for letter in inside) + "]+")
        else:
            self.ascii_pattern = pattern
        # ASCII in small letters, with a space for whatever ends a token: for bytes.translate and str.split.
        self.ascii_table: bytes | None = None
        if self.folds_first and not any(letter.isspace() for letter in inside):
            table = "".join(chr(point).lower() if chr(point) in inside else " " for point in range(128))
            self.ascii_table = table.encode() + bytes(128)
        self.folded = _Folded(fold)

    def tokenize(self, text: str, reason: int) -> Iterable[Token]:
        """The tokens of a text."""
        if text.isascii() and self.folds_first:
            return [(found.group(), found.start(), found.end()) for found in self.ascii_pattern.finditer(text.lower())]
        fold = self.fold
        return [(fold(found.group()), found.start(), found.end()) for found in self.pattern.finditer(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Just where the tokens stand."""
        return [found.span() for found in self.pattern.finditer(text)]

    def words(self, text: str, reason: int) -> list[str] | None:
        """Just the tokens; None where synonyms or places matter."""
        if text.isascii() and self.ascii_table is not None:
            return text.encode().translate(self.ascii_table).decode().split()
        if self.characters is not None:
            return text.translate(self.characters).split()
        return list(map(self.folded.__getitem__, self.pattern.findall(text)))


# unicode61


def _unpacked(packed: str) -> str:
    return zlib.decompress(base64.b85decode(packed)).decode("utf-8", "surrogatepass")


@lru_cache(1)
def _category_runs() -> list[tuple[int, int, str]]:
    runs = []
    start = 0
    for run in _unpacked(unicode_tables.CATEGORIES).split():
        end = start + int(run[:-2], 16)
        runs.append((start, end, run[-2:]))
        start = end
    return runs


@lru_cache(3)
def fold_map(remove_diacritics: int) -> dict[int, str | None]:
    """What characters become: for str.translate."""
    tables = [unicode_tables.FOLDS]
    if remove_diacritics:
        tables.append(unicode_tables.DIACRITICS_1 if remove_diacritics == 1 else unicode_tables.DIACRITICS_2)
    folds: dict[int, str | None] = {}
    for table in tables:
        text = _unpacked(table)
        for place in range(0, len(text), 2):
            folds[ord(text[place])] = text[place + 1] if text[place + 1] != "\x00" else None
    return folds


@lru_cache(1)
def _diacritics() -> frozenset[str]:
    """The marks that never end a token."""
    return frozenset(chr(point) for point, result in fold_map(1).items() if result is None)


@lru_cache(20)
def _unicode_pattern(categories: str, tokenchars: str, separators: str) -> re.Pattern[str]:
    wanted = categories.split()
    letters = {category for category in wanted if not category.endswith("*")}
    families = {category[0] for category in wanted if category.endswith("*")}
    ranges = [
        (start, end)
        for start, end, category in _category_runs()
        if category == "**" or category in letters or category[0] in families
    ]
    for character in sorted({character for character in separators if character not in tokenchars}):
        ranges = _without(ranges, ord(character))
    inside = "".join(f"{_escaped(start)}-{_escaped(end - 1)}" for start, end in ranges)
    inside += "".join(_escaped(ord(character)) for character in tokenchars)
    marks = "".join(_escaped(ord(character)) for character in sorted(_diacritics()))
    return re.compile(f"[{inside}][{inside}{marks}]*")


def _without(ranges: list[tuple[int, int]], point: int) -> list[tuple[int, int]]:
    """The half-open ranges without one code point."""
    result = []
    for start, end in ranges:
        if start <= point < end:
            result += [part for part in ((start, point), (point + 1, end)) if part[0] < part[1]]
        else:
            result.append((start, end))
    return result


def _escaped(point: int) -> str:
    return f"\\U{point:08x}"


def make_unicode61(arguments: Sequence[str]) -> Tokenizer:
    """unicode61: runs of letters and numbers, folded, without the diacritics of Latin letters."""
    remove_diacritics = 1
    categories = "L* N* Co"
    changes: list[tuple[str, str]] = []
    for name, value in _pairs(arguments):
        if name == "remove_diacritics":
            if value not in ("0", "1", "2"):
                raise _wrong()
            remove_diacritics = int(value)
        elif name == "categories":
            if not value.split() or not all(re.fullmatch(r"[A-Z][a-z*]", item) for item in value.split()):
                raise _wrong()
            categories = value
        elif name in ("tokenchars", "separators"):
            changes.append((name, value))
        else:
            raise _wrong()
    tokenchars = "".join(value for name, value in changes if name == "tokenchars")
    separators = "".join(value for name, value in changes if name == "separators")
    folds = fold_map(remove_diacritics)

    def fold(word: str) -> str:
        return word.lower() if word.isascii() else word.translate(folds)

    pattern = _unicode_pattern(categories, tokenchars, separators)
    marks = _diacritics()
    return Tokenizer(pattern, fold, marks if remove_diacritics and not _begins_oddly(pattern) else None)


@lru_cache(20)
def _begins_oddly(pattern: re.Pattern[str]) -> bool:
    """Whether a token can begin with a mark, or with what Python takes for a space."""
    return any(pattern.fullmatch(character) for character in (*_SPACES, *_diacritics()))


# ascii


def make_ascii(arguments: Sequence[str]) -> Tokenizer:
    """ascii: everything beyond ASCII belongs to tokens, and only ASCII letters are folded."""
    kinds = dict.fromkeys(map(chr, range(128)), False)
    kinds.update(dict.fromkeys("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", True))
    for name, value in _pairs(arguments):
        if name not in ("tokenchars", "separators"):
            raise _wrong()
        for character in value:
            if character in kinds:
                kinds[character] = name == "tokenchars"
    inside = "".join(_escaped(ord(character)) for character, is_inside in kinds.items() if is_inside)
    return Tokenizer(re.compile(f"[{inside}\\U00000080-\\U0010ffff]+"), _ascii_lower)


_ASCII_FOLDS = {point: point + 32 for point in range(ord("A"), ord("Z") + 1)}


def _ascii_lower(word: str) -> str:
    return word.lower() if word.isascii() else word.translate(_ASCII_FOLDS)


# porter


class PorterTokenizer:
    """Stems the tokens of another tokenizer."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def tokenize(self, text: str, reason: int) -> Iterable[Token]:
        """The tokens of a text."""
        return [(stem(token[0]), *token[1:]) for token in self.inner.tokenize(text, reason)]

    def words(self, text: str, reason: int) -> list[str] | None:
        """Just the tokens."""
        words = self.inner.words(text, reason) if hasattr(self.inner, "words") else None
        return None if words is None else [stem(word) for word in words]


# trigram


class TrigramTokenizer:
    """Every run of three characters."""

    def __init__(self, is_case_sensitive: bool, folds: dict[int, str | None] | None) -> None:
        self.is_case_sensitive = is_case_sensitive
        self.folds = folds

    def tokenize(self, text: str, reason: int) -> Iterable[Token]:
        """The tokens of a text."""
        folds = self.folds
        if folds is None:
            return [(text[i : i + 3], i, i + 3) for i in range(len(text) - 2)]
        if text.isascii():
            folded = text.lower()
            return [(folded[i : i + 3], i, i + 3) for i in range(len(text) - 2)]
        kept = [(character.translate(folds), i) for i, character in enumerate(text)]
        kept = [(character, i) for character, i in kept if character]
        n = len(kept)
        return [
            (kept[i][0] + kept[i + 1][0] + kept[i + 2][0], kept[i][1], kept[i + 3][1] if i + 3 < n else len(text))
            for i in range(n - 2)
        ]

    def words(self, text: str, reason: int) -> list[str] | None:
        """Just the tokens."""
        return [token[0] for token in self.tokenize(text, reason)]


def make_trigram(arguments: Sequence[str]) -> TrigramTokenizer:
    """trigram, with case_sensitive and remove_diacritics."""
    is_case_sensitive = False
    removes = False
    for name, value in _pairs(arguments):
        if name == "case_sensitive" and value in ("0", "1"):
            is_case_sensitive = value == "1"
        elif name == "remove_diacritics" and value in ("0", "1"):
            removes = value == "1"
        else:
            raise _wrong()
    if is_case_sensitive and removes:
        raise _wrong()
    return TrigramTokenizer(is_case_sensitive, None if is_case_sensitive else fold_map(2 if removes else 0))


# Finding one


def make_tokenizer(words: Sequence[str], own: dict[str, Factory]) -> Any:
    """The tokenizer of the option's words: a name and its arguments; `own` are those that the connection has registered."""
    name = words[0].lower() if words else "unicode61"
    arguments = list(words[1:])
    factory = own.get(name)
    if factory is not None:
        try:
            return factory(arguments)
        except Error:
            raise
        except Exception as error:
            raise _wrong() from error
    if name == "porter":
        return PorterTokenizer(make_tokenizer(arguments or ["unicode61"], own))
    maker = _BUILT_IN.get(name)
    if maker is None:
        raise sqlite_error(ERROR, f"no such tokenizer: {words[0]}")
    return maker(arguments)


_BUILT_IN: dict[str, Factory] = {"unicode61": make_unicode61, "ascii": make_ascii, "trigram": make_trigram}
