"""Getters: functions that pick a tuple of registers, or of row positions, in C.

`GETTERS[(3, 4, 7)]` is a function from a list to `(list[3], list[4], list[7])`; statements use the same few tuples again and
again, so the getters are kept, up to a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

_LIMIT = 2000

Getter = Callable[[Sequence[Any]], tuple[Any, ...]]


class _Getters(dict[tuple[int, ...], Getter]):
    """A dict that makes the getter of a tuple of positions when it is first asked for."""

    __slots__ = ()

    def __missing__(self, positions: tuple[int, ...]) -> Getter:
        if len(self) >= _LIMIT:
            self.clear()
        getter = self[positions] = _make_getter(positions)
        return getter


def _make_getter(positions: tuple[int, ...]) -> Getter:
    if not positions:
        return lambda registers: ()
    if len(positions) == 1:
        position = positions[0]
        return lambda registers: (registers[position],)
    first = positions[0]
    if len(positions) > 8 and positions == tuple(range(first, first + len(positions))):
        end = first + len(positions)
        return lambda registers: tuple(registers[first:end])
    return itemgetter(*positions)


GETTERS = _Getters()
