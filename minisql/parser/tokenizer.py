"""From SQL text to token kinds and words, and from token numbers back to text.

One regex `findall` makes plain strings; a memo that is shared by all statements maps each distinct text to its kind.
Positions are not kept: `Source` finds them again by a second scan when an error, a column name or a schema text asks for
one.  Text ends at the first NUL; every character from U+0080 on may stand in a name; U+FEFF before a token is blank.

Source: https://www.sqlite.org/lang_expr.html#literal_values_constants_, lang_comment.html, lang_keywords.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from minisql.errors import ERROR, sqlite_error
from minisql.parser import tokens as k
from minisql.parser.ast import Literal

# What may start a name and what may follow: written as what may not, because `re` compiles large ranges slowly.
_START = r"[^\0-@\[-^`{-\x7f\ufeff]"
_NAME = r"[^\0-#%-/:-@\[-^`{-\x7f]"
_DECIMAL = r"(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9][0-9_]*+)?"
_HEXADECIMAL = r"0[xX][0-9a-fA-F][0-9a-fA-F_]*+"
_BLANK = r"[ \t\n\f\r\ufeff]"

# Possessive quantifiers throughout: a token never gives characters back, so every text is scanned in linear time.
_TOKEN_RULES = (
    # These two match nothing that later rules do not match, only sooner.
    rf"[a-wyzA-WYZ_]{_NAME}*+",
    r"[(),+*]",
    r"[xX]'[^'\0]*+'?",
    rf"{_START}{_NAME}*+",
    rf"{_HEXADECIMAL}{_NAME}*+",
    rf"{_DECIMAL}{_NAME}*+",
    r"<[=>]|<<|>=|>>|\|\||==|!=|->>|->",
    r"--[^\n\0]*+",
    r"/\*(?=[^\0])(?:[^*\0]|\*(?!/))*+(?:\*/)?",
    r"[-+*/%(),.;=<>&|~]",
    r"'[^'\0]*+(?:''[^'\0]*+)*+'",
    r'"[^"\0]*+(?:""[^"\0]*+)*+"',
    r"`[^`\0]*+(?:``[^`\0]*+)*+`",
    r"\[[^\]\0]*+\]",
    rf"[$@#:](?:{_NAME}|::)*+(?:(?<={_NAME})\([^)\0 \t\n\f\r]*+\)?)?",
    r"\?[0-9]*+",
    r"['\"`\[][^\0]*+",
    r"\0[\s\S]*+",
    r"[^ \t\n\f\r\ufeff]",
)
_ANY_TOKEN = "|".join(_TOKEN_RULES)
# The blanks after a token belong to its match: searching over them would try every rule at each (benchmarks/parse.py).
_TOKEN = re.compile(rf"({_ANY_TOKEN}){_BLANK}*+")

_NUMBER = re.compile(rf"{_HEXADECIMAL}|{_DECIMAL}")
_MISPLACED_SEPARATOR = re.compile(r"_(?![0-9a-fA-F])|(?<![0-9a-fA-F])_")
_BLOB = re.compile(r"[xX]'(?:[0-9a-fA-F]{2})*'")
_PARAMETER = re.compile(rf"\?[0-9]*|[$@#:](?=:*{_NAME})(?:{_NAME}|::)*(?:\([^)]*\))?")
_REGISTER = re.compile(r"#[0-9].*")

_MEMO_LIMIT = 20_000
_MEMO_TEXT_LIMIT = 60


class _KindMemo(dict[str, int]):
    """Token text to kind, filled on demand and emptied when it has grown too large."""

    def __missing__(self, text: str) -> int:
        kind = _classify(text)
        if len(text) <= _MEMO_TEXT_LIMIT:
            if len(self) > _MEMO_LIMIT:
                self.clear()
            self[text] = kind
        return kind


class _LiteralMemo(dict[str, Literal]):
    """Literal token text to its shared node, filled on demand and emptied when it has grown too large."""

    def __missing__(self, text: str) -> Literal:
        node = _make_literal(text)
        if len(text) <= _MEMO_TEXT_LIMIT:
            if len(self) > _MEMO_LIMIT:
                self.clear()
            self[text] = node
        return node


kind_of = _KindMemo().__getitem__
"""Returns the kind of a token text."""

literal_of = _LiteralMemo().__getitem__
"""Returns the Literal of a NUMBER, STRING or BLOB token text."""

SIGNED_ZERO = Literal(0)
"""The integer 0 written with a sign or with a separator of digits: SQLite's parser does not take it for false."""
SMALLEST_MAGNITUDE = Literal(9223372036854775808.0)
"""The literal 9223372036854775808, which is too large for an integer unless a minus stands before it."""


class _NegativeMemo(dict[str, Literal]):
    """NUMBER token text to the shared node of the number with a minus before it."""

    def __missing__(self, text: str) -> Literal:
        literal = literal_of(text)
        if text[:2] in ("0x", "0X") and literal.value == -(1 << 63):
            raise sqlite_error(ERROR, f"hex literal too big: -{text}")
        node = negated(literal)
        if len(text) <= _MEMO_TEXT_LIMIT:
            if len(self) > _MEMO_LIMIT:
                self.clear()
            self[text] = node
        return node


def positive_of(text: str) -> Literal:
    """Returns the Literal of `+` and a NUMBER token text."""
    literal = literal_of(text)
    return literal if literal.value or literal.value.__class__ is float else SIGNED_ZERO


negative_of = _NegativeMemo().__getitem__
"""Returns the Literal of `-` and a NUMBER token text."""


def negated(literal: Literal) -> Literal:
    """Returns the literal of minus a numeric literal."""
    value = literal.value
    assert isinstance(value, (int, float)), "only numbers are folded"
    if literal is SMALLEST_MAGNITUDE:
        return Literal(-(1 << 63))
    if value.__class__ is int and not value:
        return SIGNED_ZERO
    return Literal(-float(value) if value == -(1 << 63) else -value)


tokenize: Callable[[str, int, int], list[str]] = _TOKEN.findall
"""Returns the token texts of sql[start:end], comments included."""


def statement_end(sql: str, start: int) -> int:
    """Returns where the statement that begins at `start` ends: after its first semicolon, or at the end of the text."""
    for match in _TOKEN.finditer(sql, start):
        if match[1] == ";":
            return match.end(1)
    return len(sql)


def dequote(text: str) -> str:
    """Returns the name or string that a quoted token means."""
    quote = text[0]
    if quote == "[":
        return text[1:-1]
    inner = text[1:-1]
    return inner.replace(quote + quote, quote) if quote in inner else inner


def _classify(text: str) -> int:
    first = text[0]
    if first.isalpha() or first == "_" or first >= "\x80":
        if first in "xX" and text[1:2] == "'":
            return k.BLOB if _BLOB.fullmatch(text) else k.ILLEGAL
        return k.KEYWORDS.get(text.upper(), k.ID) if text.isascii() else k.ID
    if text in k.OPERATORS:
        return k.OPERATORS[text]
    if first == "\0":
        return k.END_OF_INPUT
    if text.startswith(("--", "/*")):
        return k.COMMENT
    if first in "0123456789.":
        good = _NUMBER.fullmatch(text) and not ("_" in text and _MISPLACED_SEPARATOR.search(text))
        return k.NUMBER if good and not is_oversized(text) else k.ILLEGAL
    if first in "'\"`[":
        return _classify_quoted(text, first)
    if _REGISTER.fullmatch(text):
        return k.REGISTER
    return k.VARIABLE if _PARAMETER.fullmatch(text) else k.ILLEGAL


def is_grouped(text: str) -> bool:
    """Tells whether a token is a number with digit separators; one in a wrong place only its reader refuses."""
    return "_" in text and _NUMBER.fullmatch(text) is not None


def _classify_quoted(text: str, first: str) -> int:
    last = "]" if first == "[" else first
    if len(text) < 2 or text[-1] != last or (last != "]" and text.count(last) % 2):
        return k.ILLEGAL
    return k.STRING if first == "'" else k.QUOTED_ID


def _make_literal(text: str) -> Literal:
    first = text[0]
    if first == "'":
        return Literal(dequote(text))
    if first in "xX":
        return Literal(bytes.fromhex(text[2:-1]))
    digits = text.replace("_", "")
    if digits[:2] in ("0x", "0X"):
        return Literal(_hexadecimal_value(digits))
    if digits.isdigit():
        if digits is not text and not digits.strip("0"):
            return SIGNED_ZERO
        if len(digits) < 19:
            return Literal(int(digits))
        digits = digits.lstrip("0") or "0"
        if len(digits) <= 19:
            value = int(digits)
            if value < 1 << 63:
                return Literal(value)
            if value == 1 << 63:
                return SMALLEST_MAGNITUDE
    return Literal(float(digits))


def is_oversized(text: str) -> bool:
    """Tells whether a token is a hexadecimal number of more than 64 bits, which SQLite refuses."""
    if text[:2] not in ("0x", "0X") or len(text) < 19:
        return False
    return bool(_NUMBER.fullmatch(text)) and len(text[2:].replace("_", "").lstrip("0")) > 16


def _hexadecimal_value(digits: str) -> int:
    value = int(digits, 16)
    return value - (1 << 64) if value >= 1 << 63 else value


class Source:
    """The text of one parse; turns token numbers into offsets and text, on demand.

    The tokens are those of sql[start:end]; byte offsets count from `origin`, where the caller's text begins.  With `words`,
    the texts of all tokens, only blanks stand between tokens and each is found by searching on from the one before it;
    without them (comments could hold the text of a token) the tokens are scanned again.
    """

    __slots__ = ("_scanned", "_starts", "_words", "end", "origin", "sql", "start")

    def __init__(self, sql: str, start: int, end: int, words: list[str] | None = None) -> None:
        self.sql = sql
        self.start = self.origin = self._scanned = start
        self.end = end
        self._words = words
        self._starts: list[int] = []

    def _all_words(self) -> list[str]:
        """Returns the texts of all tokens without comments; scans the text if they are not known."""
        words = self._words
        if words is None:
            found = [
                (match[1], match.start(1))
                for match in _TOKEN.finditer(self.sql, self.start, self.end)
                if not match[1].startswith(("--", "/*"))
            ]
            words = self._words = [word for word, _ in found]
            self._starts = [start for _, start in found]
        return words

    def spans(self) -> list[tuple[int, int]]:
        """Returns the character offsets [start, end) of every token; comments are no tokens."""
        words = self._all_words()
        if words and words[-1][0] == "\0":
            words = words[:-1]
        return [(start, start + len(word)) for word, start in zip(words, map(self.character_offset, range(len(words))))]

    def extend(self, end: int, has_comments: bool) -> None:
        """Lets the source reach up to `end`; the parser has added the new words to its list."""
        self.end = end
        if has_comments or self._words is None:
            self._words = None
            self._starts = []

    def text(self, first: int, end: int) -> str:
        """Returns SQLite's span text of tokens [first, end): up to the next token, so with comments, then trimmed."""
        return self.raw_text(first, end).strip(" \t\n\f\r")

    def raw_text(self, first: int, end: int) -> str:
        """Returns the text from token `first` up to where token `end` starts, blanks and comments included."""
        return self.sql[self.character_offset(first) : self.character_offset(end)]

    def exact_text(self, first: int, end: int) -> str:
        """Returns the text from the start of token `first` to the end of token `end - 1`."""
        if first >= end:
            return ""
        last = self.character_offset(end - 1)
        return self.sql[self.character_offset(first) : last + len(self._all_words()[end - 1])]

    def character_offset(self, position: int) -> int:
        """Returns where token `position` starts, in characters from the beginning of `sql`."""
        words = self._words
        if words is None:
            words = self._all_words()
        if position >= len(words):
            return self.end
        starts = self._starts
        if position >= len(starts):
            find = self.sql.find
            at = self._scanned
            for word in words[len(starts) : position + 1]:
                at = find(word, at)
                starts.append(at)
                at += len(word)
            self._scanned = at
        return starts[position]

    def offset(self, position: int) -> int:
        """Returns where token `position` starts, in UTF-8 bytes from `origin`."""
        return len(self.sql[self.origin : self.character_offset(position)].encode("utf-8", "surrogateescape"))
