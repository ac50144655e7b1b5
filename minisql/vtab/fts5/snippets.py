"""snippet(): the piece of a row's text that shows most of the query.

Every occurrence of a phrase is a candidate for the beginning of the piece, and so is the beginning of the sentence in front
of it.  A phrase counts 1000 the first time, 1 when it comes again; beginning with a sentence is worth a little, with the column
a little more.

Source: https://www.sqlite.org/fts5.html section 5.1.3.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.cast import to_integer, to_text
from minisql.vtab.fts5.auxiliary import AuxiliaryFunction, RowContext, bm25, highlight, marked_text
from minisql.vtab.fts5.known import Document

_SENTENCE_END = re.compile(r"[.:][ \t\n\r]+")
_FIRST_TIME, _AGAIN = 1000, 1
_COLUMN_START, _SENTENCE_START = 120, 100


def snippet(context: RowContext, *arguments: Any) -> str:
    """snippet(table, column, opening, closing, ellipsis, tokens)"""
    if len(arguments) != 5:
        raise sqlite_error(ERROR, "wrong number of arguments to function snippet()")
    column = to_integer(arguments[0])
    opening, closing, ellipsis = ("" if value is None else to_text(value) for value in arguments[1:4])
    n_tokens = to_integer(arguments[4])
    best_column, start = _best_piece(context, column, n_tokens)
    has_column = 0 <= best_column < context.column_count
    document = context.document(best_column) if has_column else Document("", [])
    size = context.column_size(best_column) if has_column else 0
    end = start + n_tokens - 1
    is_whole = end >= size - 1
    parts = [ellipsis] if start > 0 else []
    parts.append(marked_text(context, best_column, document, opening, closing, start, None if is_whole else end))
    if not is_whole:
        parts.append(ellipsis)
    return "".join(parts)


def _best_piece(context: RowContext, column: int, n_tokens: int) -> tuple[int, int]:
    """The column and the token that the piece begins with."""
    best_column = max(column, 0)
    best_start = 0
    best_score = 0
    for number in range(context.column_count):
        if column >= 0 and number != column:
            continue
        occurrences = [item for item in context.instances if item[1] == number]
        if not occurrences:
            continue
        size = context.column_size(number)
        sentences = _sentence_starts(context, number)
        for _phrase, _column, offset in occurrences:
            score, centered = _score(context, occurrences, offset, n_tokens, size)
            if score > best_score:
                best_column, best_start, best_score = number, centered, score
            if not sentences or size <= n_tokens:
                continue
            start = sentences[bisect_right(sentences, offset) - 1]
            if start < offset:
                score, _centered = _score(context, occurrences, start, n_tokens, size)
                score += _COLUMN_START if start == 0 else _SENTENCE_START
                if score > best_score:
                    best_column, best_start, best_score = number, start, score
    return best_column, best_start


def _sentence_starts(context: RowContext, column: int) -> list[int]:
    """The tokens that begin the column or stand behind a full stop or colon."""
    document = context.document(column)
    if document.sentences is None:
        ends = {found.end() for found in _SENTENCE_END.finditer(document.text)}
        document.sentences = [
            number for number, span in enumerate(document.spans) if number == 0 or span[0] in ends
        ]
    return document.sentences


def _score(
    context: RowContext, occurrences: list[tuple[int, int, int]], start: int, n_tokens: int, size: int
) -> tuple[int, int]:
    """The worth of a piece, and where it would begin with its occurrences in the middle."""
    seen = set()
    score = 0
    first = -1
    last = 0
    for phrase, _column, offset in occurrences:
        if start <= offset < start + n_tokens:
            score += _AGAIN if phrase in seen else _FIRST_TIME
            seen.add(phrase)
            if first < 0:
                first = offset
            last = offset + context.phrase_size(phrase)
    centered = first - int((n_tokens - (last - first)) / 2)
    return score, max(min(centered, size - n_tokens), 0)


BUILT_IN: dict[str, AuxiliaryFunction] = {"bm25": bm25, "highlight": highlight, "snippet": snippet}
