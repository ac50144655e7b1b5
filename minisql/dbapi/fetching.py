"""Fetching all rows that are left: lists of rows are taken over as they are.

A translated statement hands out a list of rows by `yield from`.  Asking a generator for each of them passes through every
generator around it; when the innermost stands within a list, the rest of that list is taken from it directly, which leaves the
generators in the state in which they would be.

Source: https://docs.python.org/3/reference/expressions.html#yield-expressions (delegation)
"""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any

_LIST_ITERATOR: Any = type(iter([]))
_ROWS_WITHOUT_LIST = 200
"""Rows, one by one, after which no list is expected any more: more than a leaf has that was begun before."""
_LOOKS_EVERY = 8
"""After the first row a list is looked for once in so many rows; a power of two that divides the number above."""


def extend_with_all(rows: list[Any], source: Iterator[Any]) -> None:
    """Appends what an iterator has left."""
    n_left = _ROWS_WITHOUT_LIST
    for row in source:
        rows.append(row)
        if n_left & (_LOOKS_EVERY - 1):
            n_left -= 1
            continue
        inner: Any = source
        while inner.__class__ is GeneratorType:
            inner = inner.gi_yieldfrom
        if inner.__class__ is _LIST_ITERATOR:
            rows.extend(inner)
            n_left = _ROWS_WITHOUT_LIST
        elif n_left:
            n_left -= 1
        else:
            rows.extend(source)
            return
