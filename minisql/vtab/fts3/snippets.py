"""snippet and offsets.

A snippet is made of up to four fragments of the row's columns.  The best fragment of a column has the most phrases that no
fragment before it has, then the most occurrences; fragments are added until every phrase that stands in the row is shown.
The start of each fragment is then moved so that the highlighted words stand in its middle.

Source: https://www.sqlite.org/fts3.html sections 4.1 and 4.2.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from minisql.values.cast import to_integer, to_text
from minisql.vtab.shadow_tables import corrupt

if TYPE_CHECKING:
    from minisql.vtab.fts3.rows import RowContext

_MAX_FRAGMENTS = 4
_MAX_TOKENS = 64
_NEW_PHRASE = 1000


class _Fragment:
    """Tokens of a column from `start` on; bits of `highlights` count from there, `covered` are bits of phrases."""

    __slots__ = ("column", "covered", "highlights", "start")

    def __init__(self, column: int, start: int, covered: int, highlights: int) -> None:
        self.column = column
        self.start = start
        self.covered = covered
        self.highlights = highlights


def snippet(context: RowContext, *arguments: Any) -> str | None:
    """Some text of the row around the words that match."""
    column, n_tokens = -1, 15
    if len(arguments) > 4:
        n_tokens = _int32(arguments[4])
    if len(arguments) > 3:
        column = _int32(arguments[3])
    if None in arguments[:3]:
        return None
    marks = [to_text(value) for value in arguments[:3]] + ["<b>", "</b>", "<b>...</b>"][len(arguments[:3]) :]
    if not context.is_query or not n_tokens or column >= context.n_columns:
        return ""
    n_tokens = max(min(n_tokens, _MAX_TOKENS), -_MAX_TOKENS)
    fragments, size = _fragments(context, column, n_tokens)
    parts: list[str] = []
    for number, fragment in enumerate(fragments):
        is_last = number == len(fragments) - 1
        _append_fragment(context, fragment, number, is_last, size, (marks[0], marks[1], marks[2]), parts)
    return "".join(parts) if parts else None


def _int32(value: Any) -> int:
    number = (to_integer(value) if value is not None else 0) & 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


def _fragments(context: RowContext, column: int, n_tokens: int) -> tuple[list[_Fragment], int]:
    """The fragments and how many tokens each may have."""
    columns = [number for number in range(context.n_columns) if column < 0 or number == column]
    seen = 0
    for number in range(len(context.phrases)):
        if any(context.places(number, place) for place in columns):
            seen |= 1 << number % 64
    n_fragments = 1
    while True:
        size = (n_tokens + n_fragments - 1) // n_fragments if n_tokens > 0 else -n_tokens
        covered = 0
        fragments: list[_Fragment] = []
        for _ in range(n_fragments):
            best, best_score = _Fragment(0, 0, 0, 0), -1
            for number in columns:
                fragment, score = _best_fragment(context, number, size, covered)
                if score > best_score:
                    best, best_score = fragment, score
            fragments.append(best)
            covered |= best.covered
        if covered & seen == seen or n_fragments == _MAX_FRAGMENTS:
            return fragments, size
        n_fragments += 1


def _best_fragment(context: RowContext, column: int, size: int, covered: int) -> tuple[_Fragment, int]:
    """The best fragment of a column with its score: one at the beginning, or one that ends with an occurrence."""
    places = [context.places(number, column) for number in range(len(context.phrases))]
    ends = sorted({place for part in places for place in part if place >= size})
    best, best_score = _Fragment(column, 0, 0, 0), -1
    for start in [0, *(end - size + 1 for end in ends)]:
        fragment, score = _scored(context, places, column, start, size, covered)
        if score > best_score:
            best, best_score = fragment, score
    return best, best_score


def _scored(
    context: RowContext, places: list[list[int]], column: int, start: int, size: int, covered: int
) -> tuple[_Fragment, int]:
    score = cover = highlights = 0
    for number, part in enumerate(places):
        bit = 1 << number % 64
        n_words = min(len(context.phrases[number].words), size)
        at = bisect_left(part, start)
        while at < len(part) and part[at] < start + size:
            score += 1 if (cover | covered) & bit else _NEW_PHRASE
            cover |= bit
            place = 1 << (part[at] - start)
            for back in range(n_words):
                highlights |= place >> back
            at += 1
    return _Fragment(column, start, cover, highlights), score


def _append_fragment(
    context: RowContext,
    fragment: _Fragment,
    number: int,
    is_last: bool,
    size: int,
    marks: tuple[str, str, str],
    parts: list[str],
) -> None:
    text = context.text(fragment.column)
    if text is None:
        return
    opening, closing, ellipsis = marks
    tokens = context.table.configuration.tokenizer.tokenize(text)
    if fragment.start >= len(tokens):
        parts.append(text)
        return
    start, highlights = _centered(fragment, size, len(tokens) - fragment.start)
    if start > 0 or number > 0:
        parts.append(ellipsis)
    else:
        parts.append(text[: tokens[0][1]])
    end = 0
    for place in range(start, min(start + size, len(tokens))):
        _token, begin, stop = tokens[place]
        if place > start:
            parts.append(text[end:begin])
        shown = text[begin:stop]
        parts.append(f"{opening}{shown}{closing}" if highlights >> (place - start) & 1 else shown)
        end = stop
    if start + size >= len(tokens):
        parts.append(text[end:])
    elif is_last:
        parts.append(ellipsis)


def _centered(fragment: _Fragment, size: int, n_following: int) -> tuple[int, int]:
    """The start and the highlights once the fragment is moved to the right, as far as there are tokens."""
    start, highlights = fragment.start, fragment.highlights
    if not highlights:
        return start, highlights
    n_left = (highlights & -highlights).bit_length() - 1
    n_right = size - highlights.bit_length()
    wanted = int((n_left - n_right) / 2)
    shift = min(wanted, n_following - size)
    if wanted > 0 and shift > 0:
        return start + shift, highlights >> shift
    return start, highlights


def offsets(context: RowContext) -> str:
    """`column word start size` for each word of a phrase that matches, start and size in bytes."""
    if not context.is_query:
        return ""
    parts: list[str] = []
    for column in range(context.n_columns):
        text = context.text(column)
        if text is not None:
            _append_offsets(context, column, text, parts)
    return " ".join(parts)


def _append_offsets(context: RowContext, column: int, text: str, parts: list[str]) -> None:
    found: list[tuple[int, int]] = []
    n_words = 0
    for number, phrase in enumerate(context.phrases):
        size = len(phrase.words)
        for place in context.places(number, column):
            found += [(place - size + 1 + word, n_words + word) for word in range(size)]
        n_words += size
    if not found:
        return
    tokens = context.table.configuration.tokenizer.tokenize(text)
    is_ascii = text.isascii()
    for place, word in sorted(found):
        if place >= len(tokens):
            if context.table.configuration.content is None:
                raise corrupt()
            return
        _token, start, end = tokens[place]
        if is_ascii:
            parts.append(f"{column} {word} {start} {end - start}")
        else:
            parts.append(f"{column} {word} {_n_bytes(text[:start])} {_n_bytes(text[start:end])}")


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
