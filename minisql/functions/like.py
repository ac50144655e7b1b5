"""LIKE and GLOB: patterns compiled once into matchers.

A pattern without `_` or classes becomes one string operation (equals, starts with, ends with, contains); any other becomes a
regular expression.  LIKE ignores the case of A to Z only: both sides are folded first.  Each `%` in a regular expression
searches its segment lazily inside an atomic group: the leftmost place is always good enough, so a pattern of many wildcards
does not explode.  SQLite reads pattern and text up to the first NUL.

Source: https://www.sqlite.org/lang_expr.html section 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from minisql.errors import ERROR, sqlite_error
from minisql.functions.characters import as_read, before_nul
from minisql.limits import DEFAULTS, LIKE_PATTERN_LENGTH
from minisql.values.collation import fold_ascii
from minisql.values.storage_class import encode_text

Matcher: TypeAlias = Callable[[str], bool]

_CACHE_SIZE = 500
_like_matchers: dict[tuple[str, str | None, bool], Matcher] = {}
_glob_matchers: dict[str, Matcher] = {}

# One part of a parsed pattern: ANY_RUN for % or *, else the regular expression of one character, or literal text.
_ANY_RUN = object()
_ONE = object()


def like_matcher(pattern: str, escape: str | None = None, case_sensitive: bool = False) -> Matcher:
    """Returns `matches(text)` for a LIKE pattern; raises "LIKE or GLOB pattern too complex" for one that is too long.

    Source: https://www.sqlite.org/lang_expr.html section 5 (LIKE)
    """
    key = (pattern, escape, case_sensitive)
    matcher = _like_matchers.get(key)
    if matcher is None:
        _check_length(pattern)
        if len(_like_matchers) >= _CACHE_SIZE:
            _like_matchers.clear()
        parts = _parse_like(as_read(before_nul(pattern)), escape)
        matcher = _like_matchers[key] = _never if parts is None else _compile_parts(parts, not case_sensitive)
    return matcher


def glob_matcher(pattern: str) -> Matcher:
    """Returns `matches(text)` for a GLOB pattern.  Source: https://www.sqlite.org/lang_expr.html section 5 (GLOB)"""
    matcher = _glob_matchers.get(pattern)
    if matcher is None:
        _check_length(pattern)
        if len(_glob_matchers) >= _CACHE_SIZE:
            _glob_matchers.clear()
        parts = _parse_glob(as_read(before_nul(pattern)))
        matcher = _glob_matchers[pattern] = _never if parts is None else _compile_parts(parts, False)
    return matcher


class Runs(NamedTuple):
    """A pattern of literals with runs of any characters between them: what the text starts with, what follows in this order,
    what it ends with; "" where there is a run at that end.  Literals are ASCII, in lower case if the pattern folds."""

    first: str
    middle: tuple[str, ...]
    last: str
    folds: bool


_MAX_MIDDLE = 6


def like_runs(pattern: str, case_sensitive: bool) -> Runs | None:
    """The runs of a LIKE pattern without `_`; None for any other.  Source: lang_expr.html section 5 (LIKE)"""
    return _runs(_parse_like(before_nul(pattern), None), not case_sensitive)


def glob_runs(pattern: str) -> Runs | None:
    """The runs of a GLOB pattern without `?` and classes; None for any other.  Source: lang_expr.html section 5 (GLOB)"""
    return _runs(_parse_glob(before_nul(pattern)), False)


def _runs(parts: list[object] | None, folds: bool) -> Runs | None:
    literals = [part for part in parts or () if isinstance(part, str)]
    if parts is None or not literals or len(literals) > _MAX_MIDDLE or not all(map(str.isascii, literals)):
        return None
    if _ANY_RUN not in parts or not all(isinstance(part, str) or part is _ANY_RUN for part in parts):
        return None
    if folds:
        literals = [literal.lower() for literal in literals]
    first = "" if parts[0] is _ANY_RUN else literals.pop(0)
    last = "" if parts[-1] is _ANY_RUN else literals.pop()
    return Runs(first, tuple(literals), last, folds)


def _check_length(pattern: str) -> None:
    limit = DEFAULTS[LIKE_PATTERN_LENGTH]
    if len(pattern) * 4 > limit and len(encode_text(pattern)) > limit:
        raise sqlite_error(ERROR, "LIKE or GLOB pattern too complex")


def _never(text: str) -> bool:
    return False


def _parse_like(pattern: str, escape: str | None) -> list[object] | None:
    """Parts of a LIKE pattern, or None if an escape stands at the end: that matches nothing."""
    parts: list[object] = []
    literal: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            following = next(characters, None)
            if following is None:
                return None
            literal.append(following)
        elif character in "%_":
            _flush(parts, literal)
            parts.append(_ANY_RUN if character == "%" else _ONE)
        else:
            literal.append(character)
    _flush(parts, literal)
    return parts


def _flush(parts: list[object], literal: list[str]) -> None:
    if literal:
        parts.append("".join(literal))
        literal.clear()


def _parse_glob(pattern: str) -> list[object] | None:
    """Parts of a GLOB pattern, or None if a class has no end: that matches nothing."""
    parts: list[object] = []
    literal: list[str] = []
    i = 0
    while i < len(pattern):
        character = pattern[i]
        i += 1
        if character in "*?":
            _flush(parts, literal)
            parts.append(_ANY_RUN if character == "*" else _ONE)
        elif character == "[":
            _flush(parts, literal)
            expression, i = _parse_class(pattern, i)
            if expression is None:
                return None
            parts.append(expression)
        else:
            literal.append(character)
    _flush(parts, literal)
    return parts


def _parse_class(pattern: str, i: int) -> tuple[re.Pattern[str] | None, int]:
    """The expression of a character class whose `[` stands before i, and the place behind its `]`; None without `]`."""
    inverted = pattern[i : i + 1] == "^"
    if inverted:
        i += 1
    ranges: list[str] = []
    if pattern[i : i + 1] == "]":
        ranges.append(r"\]")
        i += 1
    previous = ""
    while i < len(pattern) and pattern[i] != "]":
        character = pattern[i]
        following = pattern[i + 1 : i + 2]
        if character == "-" and previous and following not in ("]", ""):
            if previous <= following:
                ranges.append(f"{re.escape(previous)}-{re.escape(following)}")
            previous = ""
            i += 2
        else:
            ranges.append(re.escape(character))
            previous = character
            i += 1
    if i >= len(pattern):
        return None, i
    if not ranges:
        return re.compile("(?s:.)" if inverted else "(?!)"), i + 1
    return re.compile(f"[{'^' if inverted else ''}{''.join(ranges)}]"), i + 1


def _compile_parts(parts: list[object], fold: bool) -> Matcher:
    """A matcher for the parts: a string operation where there is one, else a regular expression."""
    if fold:
        parts = [fold_ascii(part) if isinstance(part, str) else part for part in parts]
    literals = [part for part in parts if isinstance(part, str)]
    if all(isinstance(part, str) or part is _ANY_RUN for part in parts) and len(literals) <= 1:
        return _compile_simple(parts, literals[0] if literals else "", _fold if fold else _same)
    if all(isinstance(part, str) or part is _ANY_RUN for part in parts):
        return _compile_runs(parts, fold)
    fullmatch = re.compile(_expression(parts), re.DOTALL).fullmatch

    def matches(text: str) -> bool:
        return fullmatch(text) is not None

    return _folded(matches) if fold else _cut(matches)


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else fold_ascii(text)


def _same(text: str) -> str:
    return text


def _compile_simple(parts: list[object], literal: str, fold: Callable[[str], str]) -> Matcher:
    """A matcher for one literal with runs before or behind it; the literal is folded and has no NUL."""
    starts = bool(parts) and parts[0] is _ANY_RUN
    ends = bool(parts) and parts[-1] is _ANY_RUN
    length = len(literal)

    def contains(text: str) -> bool:
        folded = fold(text)
        place = folded.find(literal)
        return place >= 0 and folded.find("\0", 0, place) < 0

    def is_prefix(text: str) -> bool:
        return fold(text[:length]) == literal

    def is_suffix(text: str) -> bool:
        if "\0" in text:
            text = before_nul(text)
        return not length or fold(text[-length:]) == literal

    def is_equal(text: str) -> bool:
        if "\0" in text:
            text = before_nul(text)
        return len(text) == length and fold(text) == literal

    if starts:
        return contains if ends else is_suffix
    return is_prefix if ends else is_equal


def _compile_runs(parts: list[object], fold: bool) -> Matcher:
    """A matcher for several literals with runs between them: each is looked for behind the one before it."""
    literals = [part for part in parts if isinstance(part, str)]
    first = literals.pop(0) if isinstance(parts[0], str) else ""
    last = literals.pop() if isinstance(parts[-1], str) else ""
    start, n_last = len(first), len(last)

    def matches(text: str) -> bool:
        if "\0" in text:
            text = before_nul(text)
        if text.isascii():
            if fold:
                text = text.lower()
        else:
            text = fold_ascii(as_read(text)) if fold else as_read(text)
        end = len(text) - n_last
        place = start
        if place > end or (first and not text.startswith(first)) or (last and not text.endswith(last)):
            return False
        find = text.find
        for literal in literals:
            place = find(literal, place, end)
            if place < 0:
                return False
            place += len(literal)
        return True

    return matches


def _folded(matcher: Matcher) -> Matcher:
    def matches(text: str) -> bool:
        if "\0" in text:
            text = before_nul(text)
        return matcher(text.lower() if text.isascii() else fold_ascii(as_read(text)))

    return matches


def _cut(matcher: Matcher) -> Matcher:
    def matches(text: str) -> bool:
        if "\0" in text:
            text = before_nul(text)
        return matcher(text if text.isascii() else as_read(text))

    return matches


def _expression(parts: list[object]) -> str:
    """The regular expression: segments between runs; all but the first and the last float, leftmost first."""
    segments: list[list[str]] = [[]]
    for part in parts:
        if part is _ANY_RUN:
            segments.append([])
        elif part is _ONE:
            segments[-1].append(".")
        elif isinstance(part, str):
            segments[-1].append(re.escape(part))
        else:
            assert isinstance(part, re.Pattern)
            segments[-1].append(part.pattern)
    texts = ["".join(segment) for segment in segments]
    if len(texts) == 1:
        return texts[0]
    floating = "".join(f"(?>.*?{text})" for text in texts[1:-1] if text)
    return f"{texts[0]}{floating}.*{texts[-1]}"
