"""Equality keys: rows made hashable so that equal rows, by the collations of their columns, have equal keys.

Under BINARY a row is its own key, since Python finds 1 and 1.0 equal and values of different storage classes different.  Other
built-in collations fold text.  A user-defined collation has no fold: there the first text seen of each equivalence class
stands for all others, found by bisection, so every structure over hash keys works with it.

Source: https://www.sqlite.org/datatype3.html sections 4.1 and 7.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from minisql.values.collation import Collation

KeyFunction = Callable[[tuple[Any, ...]], tuple[Any, ...]]


class Representatives:
    """Maps texts to one text of their equivalence class under a collation without a hash key."""

    __slots__ = ("_collation", "_keys", "_known", "_texts")

    def __init__(self, collation: Collation) -> None:
        self._collation = collation
        self._keys: list[Any] = []
        self._texts: list[str] = []
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Returns the representative of a text."""
        known = self._known.get(text)
        if known is None:
            key = self._collation.key(text)
            position = bisect_left(self._keys, key)
            if position < len(self._keys) and not key < self._keys[position]:
                known = self._texts[position]
            else:
                self._keys.insert(position, key)
                self._texts.insert(position, text)
                known = text
            self._known[text] = known
        return known


def key_function(collations: Sequence[Collation | None]) -> KeyFunction | None:
    """Returns the function from rows to equality keys, or None when rows are their own keys.

    It looks at the first len(collations) columns only and must see whole keys of that length.
    """
    folds: list[tuple[int, Callable[[str], Hashable]]] = []
    for position, collation in enumerate(collations):
        if collation is not None and not collation.is_binary:
            folds.append((position, collation.hash_key or Representatives(collation)))
    if not folds:
        return None
    if len(collations) == 1:
        fold = folds[0][1]

        def single_key(row: tuple[Any, ...]) -> tuple[Any, ...]:
            value = row[0]
            return (fold(value),) if value.__class__ is str else row

        return single_key

    def key(row: tuple[Any, ...]) -> tuple[Any, ...]:
        columns = list(row)
        for position, fold in folds:
            value = columns[position]
            if value.__class__ is str:
                columns[position] = fold(value)
        return tuple(columns)

    return key
