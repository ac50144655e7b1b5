"""JSON and JSON5 text to trees.

Nearly all text that meets SQL is plain JSON without backslashes, and the standard library's scanner reads that in C.  It
is told to keep numbers as they are written and objects as pairs.  Whatever it refuses, and whatever has escapes or is very
deep, goes to the parser here, which reads all of JSON5, never recurses, and finds the place of an error as SQLite reports it.

Source: https://www.sqlite.org/json1.html sections 3.5 and 3.6; https://spec.json5.org.
"""

from __future__ import annotations

import json
import re
from typing import Any

from minisql.functions.characters import before_nul
from minisql.functions.json_nodes import (
    MAX_DEPTH,
    Escaped5Text,
    EscapedText,
    Integer5Text,
    IntegerText,
    JsonObject,
    Real5Text,
    RealText,
    malformed,
)


class JsonSyntaxError(Exception):
    """The text is not JSON5; `position` is the index of the character where SQLite sees the error."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def _refuse(name: str) -> Any:
    raise ValueError(name)


_decoder = json.JSONDecoder(
    object_pairs_hook=JsonObject, parse_int=IntegerText, parse_float=RealText, parse_constant=_refuse
)
_decode = _decoder.decode
_scan_once = _decoder.scan_once  # type: ignore[attr-defined]

NOT_STANDARD = object()

_CACHE_SIZE = 16
_cache: dict[str, Any] = {}


def parse(text: str) -> Any:
    """Returns the tree of JSON or JSON5 text; raises "malformed JSON".  The last few texts are remembered.

    Source: https://www.sqlite.org/json1.html section 3
    """
    node = _cache.get(text, NOT_STANDARD)
    if node is not NOT_STANDARD:
        return node
    node = parse_standard(text)
    if node is NOT_STANDARD:
        try:
            node, _ = parse_json5(text)
        except JsonSyntaxError as error:
            raise malformed() from error
    if len(_cache) >= _CACHE_SIZE:
        _cache.clear()
    _cache[text] = node
    return node


def parse_standard(text: str) -> Any:
    """Returns the tree of plain JSON without escapes by the C scanner, NOT_STANDARD if it is anything else.

    Source: https://www.sqlite.org/json1.html section 3.5
    """
    if "\\" in text or text.count("[") + text.count("{") > MAX_DEPTH:
        return NOT_STANDARD
    try:
        if text[:1] in ("{", "["):
            # Without white space around it, which `decode` looks for with regular expressions.
            node, end = _scan_once(text, 0)
            if end == len(text):
                return node
        return _decode(text)
    except (ValueError, RecursionError, StopIteration):
        return NOT_STANDARD


_SPACE = re.compile(
    r"(?:[ \t\n\r]|([\v\f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|/\*.*?\*/|//[^\n\r\u2028\u2029]*))*",
    re.DOTALL,
)
_NAME_CHARACTER = re.compile(r"[A-Za-z0-9_$]|[^\x00-\x7f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")
_STANDARD_STRING = re.compile(r'"([^"\\\x00-\x1f]*)"')
_STRING_PIECE = re.compile(r"([^\"'\\\x00-\x1f]+)|(\\)|([\"'])|([\x00-\x1f])")
_STANDARD_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_JSON5_ESCAPE = re.compile(r"\\(?:['v]|0(?![0-9])|x[0-9a-fA-F]{2}|\r\n|[\n\r\u2028\u2029])")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
_JSON5_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITY = re.compile(r"([+-]?)inf(?:inity)?(?![0-9a-zA-Z])", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(r"[qs]?nan(?![0-9a-zA-Z])", re.IGNORECASE)
_WORD = re.compile(r"(null|true|false)(?![0-9a-zA-Z])")
_WORDS = {"null": None, "true": True, "false": False}
_MARKS = frozenset(("", ",", ":", "]", "}"))
_NO_LABEL_STARTS = frozenset("[{+-.0123456789")
_NAME_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")


class _Scanner:
    """The text, and whether something in it was JSON5 and not JSON."""

    __slots__ = ("is_json5", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_json5 = False

    def skip_space(self, i: int) -> int:
        match = _SPACE.match(self.text, i)
        assert match is not None
        if match[1] is not None:
            self.is_json5 = True
        return match.end()

    def scalar(self, i: int) -> tuple[Any, int]:
        """The string, number or word at i and the place behind it."""
        text = self.text
        character = text[i : i + 1]
        if character in ('"', "'") and character:
            return self.string(i)
        match = _WORD.match(text, i)
        if match is not None:
            return _WORDS[match[1]], match.end()
        if character.isdigit() or character in ("-", "+", "."):
            return self.number(i)
        return self.special(i, i)

    def special(self, i: int, position: int) -> tuple[Any, int]:
        match = _INFINITY.match(self.text, i)
        if match is not None:
            self.is_json5 = True
            return RealText(("-" if match[1] == "-" else "") + "9e999"), match.end()
        match = _NOT_A_NUMBER.match(self.text, i)
        if match is not None:
            self.is_json5 = True
            return None, match.end()
        raise JsonSyntaxError(position)

    def number(self, i: int) -> tuple[Any, int]:
        text = self.text
        match = _HEXADECIMAL.match(text, i)
        if match is not None:
            self.is_json5 = True
            return Integer5Text(match[0].lstrip("+")), match.end()
        match = _JSON5_NUMBER.match(text, i)
        if match is None:
            # A sign and a point without a digit: SQLite has read both when it sees that.
            start = i + (text[i] in "+-")
            return self.special(i, i + 2 if start > i and text[start : start + 1] == "." else i)
        end = match.end()
        self.check_number(i, end)
        standard = _NUMBER.fullmatch(text, i, end)
        if standard is not None:
            kind: type[str] = IntegerText if standard[1] is None and standard[2] is None else RealText
            return kind(match[0]), end
        self.is_json5 = True
        digits = match[0].lstrip("+")
        if _NUMBER.fullmatch(digits):
            return (RealText if set(digits) & set(".eE") else IntegerText)(digits), end
        return Real5Text(digits), end

    def check_number(self, i: int, end: int) -> None:
        """Raises where SQLite sees the error in a number that goes on wrongly: a leading zero, a second point, no exponent."""
        text = self.text
        digits = text[i:end].lstrip("+-")
        if digits[0] == "0" and digits[1:2].isdigit():
            raise JsonSyntaxError(i + 1)
        following = text[end : end + 1]
        if following in ("e", "E") and following:
            is_first = "e" not in digits.lower()
            raise JsonSyntaxError(end + (is_first and text[end + 1 : end + 2] in ("+", "-") and end + 1 < len(text)))
        if following == "." and set(digits) & set(".eE"):
            raise JsonSyntaxError(end)

    def string(self, i: int) -> tuple[str, int]:
        """The string at i: its class tells which escapes it has."""
        text = self.text
        match = _STANDARD_STRING.match(text, i)
        if match is not None:
            return match[1], match.end()
        quote = text[i]
        kind: type[str] = str
        if quote == "'":
            self.is_json5 = True
        start = i = i + 1
        while True:
            piece = _STRING_PIECE.match(text, i)
            if piece is None:
                raise JsonSyntaxError(len(text))
            if piece[1]:
                i = piece.end()
            elif piece[2]:
                match = _STANDARD_ESCAPE.match(text, i)
                if match is not None:
                    kind = EscapedText if kind is str else kind
                else:
                    match = _JSON5_ESCAPE.match(text, i)
                    if match is None:
                        raise JsonSyntaxError(i + 1)
                    kind = Escaped5Text
                    self.is_json5 = True
                i = match.end()
            elif piece[3] == quote:
                inside = text[start:i]
                return inside if kind is str else kind(inside), i + 1
            else:
                if piece[3] == '"':
                    kind = Escaped5Text
                elif piece[4]:
                    kind = Escaped5Text
                    self.is_json5 = True
                i += 1

    def begins_value(self, i: int) -> bool:
        """Tells whether what stands at i can only be a value and no label."""
        text = self.text
        if text[i : i + 1] in _NO_LABEL_STARTS:
            return True
        return bool(_WORD.match(text, i) or _NOT_A_NUMBER.match(text, i) or _INFINITY.match(text, i))

    def label(self, i: int) -> tuple[str, int]:
        """The label at i and the place where its colon should be."""
        text = self.text
        if text[i : i + 1] in ('"', "'") and i < len(text):
            label, end = self.string(i)
        else:
            end = self.name_end(i)
            name = text[i:end]
            label = EscapedText(name) if "\\" in name else name
            self.is_json5 = True
        return label, self.skip_space(end)

    def name_end(self, i: int) -> int:
        """The end of an identifier."""
        text = self.text
        start = i
        while i < len(text):
            character = text[i]
            if character == "\\":
                match = _NAME_ESCAPE.match(text, i)
                if match is None:
                    raise JsonSyntaxError(i)
                i = match.end()
            elif _NAME_CHARACTER.match(character) and (i > start or not character.isdecimal()):
                i += 1
            else:
                break
        if i == start:
            raise JsonSyntaxError(i)
        return i


class _Misplaced:
    """Stands around a value in an object where there must be a label, a colon or a comma.

    SQLite reads such a value, so that an error inside comes first.
    """

    __slots__ = ("begin",)

    def __init__(self, begin: int) -> None:
        self.begin = begin


def parse_json5(text: str) -> tuple[Any, bool]:
    """Returns the tree of JSON5 text and whether it needed JSON5; raises JsonSyntaxError.

    Source: https://www.sqlite.org/json1.html section 3.6
    """
    scanner = _Scanner(before_nul(text))
    text = scanner.text
    # Open containers, innermost last, each with the label that waits for its value.
    stack: list[tuple[Any, str]] = []
    # A closing bracket that came where a value could be: the error of a text that goes on behind its end.
    closed = 0
    # Where SQLite began to look for the next value or label: it reports the end of the text and stray marks there.
    begin = 0
    i = scanner.skip_space(0)
    label = ""

    def begin_member() -> None:
        nonlocal label, begin, i
        if not scanner.begins_value(i):
            label, i = scanner.label(i)
            begin = i
            if text[i : i + 1] == ":":
                begin = i + 1
                i = scanner.skip_space(begin)
                return
        stack.append((_Misplaced(begin), ""))

    while True:
        opening = text[i : i + 1]
        if opening in _MARKS:
            raise JsonSyntaxError(begin if stack or not opening else i)
        if opening in ("[", "{"):
            if len(stack) >= MAX_DEPTH:
                raise JsonSyntaxError(i)
            node: Any = [] if opening == "[" else JsonObject()
            begin = i + 1
            i = scanner.skip_space(begin)
            if text[i : i + 1] != ("]" if opening == "[" else "}"):
                stack.append((node, label))
                if opening == "{":
                    begin_member()
                continue
            closed = i
            i += 1
        else:
            node, i = scanner.scalar(i)
        # A value is complete: put it into its container, and close the containers that end behind it.
        while stack:
            container, outer_label = stack[-1]
            is_array = container.__class__ is list
            if container.__class__ is _Misplaced:
                raise JsonSyntaxError(container.begin)
            container.append(node if is_array else (label, node))
            i = scanner.skip_space(i)
            mark = text[i : i + 1]
            if mark == ",":
                begin = i + 1
                i = scanner.skip_space(begin)
                if text[i : i + 1] != ("]" if is_array else "}"):
                    if not is_array:
                        begin = i
                        begin_member()
                    break
                scanner.is_json5 = True
                closed = i
            elif mark != ("]" if is_array else "}"):
                if is_array:
                    raise JsonSyntaxError(i)
                begin = i
                stack.append((_Misplaced(begin), ""))
                break
            i += 1
            node, label = container, outer_label
            stack.pop()
        else:
            if scanner.skip_space(i) != len(text):
                raise JsonSyntaxError(closed)
            return node, scanner.is_json5
