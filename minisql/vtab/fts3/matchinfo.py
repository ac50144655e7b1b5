"""matchinfo: numbers about the query and the current row, as 32-bit integers in the machine's order.

Source: https://www.sqlite.org/fts3.html section 4.3.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.cast import to_text
from minisql.vtab.shadow_tables import corrupt

if TYPE_CHECKING:
    from minisql.vtab.fts3.rows import RowContext

_DEFAULT = "pcx"


def matchinfo(context: RowContext, *arguments: Any) -> bytes:
    """The numbers that the letters of a format ask for."""
    format_text = _DEFAULT
    if arguments:
        format_text = to_text(arguments[0]) if arguments[0] is not None else ""
    if not context.is_query:
        return b""
    configuration = context.table.configuration
    for letter in format_text:
        is_known = letter in _LETTERS
        if not is_known or (letter in "na" and not configuration.is_fts4) or (letter == "l" and not configuration.has_sizes):
            raise sqlite_error(ERROR, f"unrecognized matchinfo request: {letter}")
    numbers: list[int] = []
    for letter in format_text:
        numbers += _LETTERS[letter](context)
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, sys.byteorder) for number in numbers)


def _phrases(context: RowContext) -> list[int]:
    return [len(context.phrases)]


def _columns(context: RowContext) -> list[int]:
    return [context.n_columns]


def _hits(context: RowContext) -> list[int]:
    """For each phrase and column: hits in this row, in all rows, and rows with a hit."""
    counts = context.known.get("x")
    assert context.match is not None, "the caller looked"
    if counts is None:
        counts = context.known["x"] = [
            context.match.counts(phrase, context.n_columns, context.docid, context.is_descending)
            for phrase in context.phrases
        ]
    numbers: list[int] = []
    for number, by_column in enumerate(counts):
        for column, (hits, rows) in enumerate(by_column):
            numbers += (len(context.places(number, column)), hits, rows)
    return numbers


def _row_hits(context: RowContext) -> list[int]:
    """For each phrase and column the hits in this row, those of branches left out that do not match."""
    n_columns = context.n_columns
    numbers = [0] * (len(context.phrases) * n_columns)
    for number, by_column in context.live_hits():
        for column in range(n_columns):
            if column in by_column or not column:
                numbers[number * n_columns + column] = by_column.get(column, 0)
    return numbers


def _hit_bits(context: RowContext) -> list[int]:
    """For each phrase a bit for each column, 32 to a number."""
    n_words = (context.n_columns + 31) // 32
    numbers = [0] * (len(context.phrases) * n_words)
    for number, by_column in context.live_hits():
        for column in by_column:
            numbers[number * n_words + column // 32] |= 1 << column % 32
    return numbers


def _totals(context: RowContext) -> list[int]:
    totals: list[int] | None = context.known.get("totals")
    if totals is None:
        totals = context.table.content.totals()
        if totals is None or not totals[0]:
            raise corrupt()
        context.known["totals"] = totals
    return totals


def _row_count(context: RowContext) -> list[int]:
    return [_totals(context)[0]]


def _averages(context: RowContext) -> list[int]:
    n_rows, *sizes = _totals(context)
    return [(size + n_rows // 2) // n_rows for size in sizes[: context.n_columns]]


def _lengths(context: RowContext) -> list[int]:
    return context.table.content.sizes(context.docid)


def _longest_runs(context: RowContext) -> list[int]:
    """For each column the most phrases that follow each other as they do in the query."""
    return [_longest_run(context, column) for column in range(context.n_columns)]


def _longest_run(context: RowContext, column: int) -> int:
    # A phrase's places are shifted by the length of the query up to it: neighbours then stand at the same place.
    shift = 0
    live: list[list[int]] = []
    for number, phrase in enumerate(context.phrases):
        shift += len(phrase.words)
        live.append([place - shift for place in context.places(number, column)])
    at = [0] * len(live)
    longest = 0
    while True:
        run = 0
        next_one = -1
        before: int | None = None
        for number, places in enumerate(live):
            place = places[at[number]] if at[number] < len(places) else None
            if place is None:
                run = 0
            else:
                if next_one < 0 or place < live[next_one][at[next_one]]:
                    next_one = number
                run = run + 1 if run == 0 or place == before else 1
                longest = max(longest, run)
            before = place
        if next_one < 0:
            return longest
        at[next_one] += 1


_LETTERS: dict[str, Callable[[RowContext], list[int]]] = {
    "p": _phrases,
    "c": _columns,
    "n": _row_count,
    "a": _averages,
    "l": _lengths,
    "s": _longest_runs,
    "x": _hits,
    "y": _row_hits,
    "b": _hit_bits,
}
