"""The order of index entries, so that `bisect` runs in C.

Most index leaves hold values of one storage class a column under BINARY ascending order.  Such entries order themselves:
Python compares tuples of int and float exactly, of str by code point (= UTF-8 order for valid text) and of bytes by byte,
and raises TypeError when a comparison of different classes would decide.  So a node starts with `keys is entries`; text
with escaped bytes, a TypeError, another collation or DESC give it a list of sort keys from `values.compare` instead.

Source: https://www.sqlite.org/fileformat2.html#record_sort_order.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from minisql.storage.record import RecordCodec, Row
from minisql.values.compare import record_sort_key, sort_key
from minisql.values.shape import KeyShape


class Top:
    """Greater than every value, whatever its class: closes a prefix from above."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return False

    def __gt__(self, other: object) -> bool:
        return True

    def __le__(self, other: object) -> bool:
        return False

    def __ge__(self, other: object) -> bool:
        return True


TOP = Top()
_TOP_KEY = (9,)


def are_plain(entries: list[Row]) -> bool:
    """Tells whether no text among the entries has escaped bytes."""
    for place in range(len(entries[0]) if entries else 0):
        column = list(map(itemgetter(place), entries))
        if str in set(map(type, column)):
            text = "".join([value for value in column if value.__class__ is str])
            if not text.isascii():
                try:
                    text.encode()
                except UnicodeEncodeError:
                    return False
    return True


class KeyOrder:
    """One key shape in one database: its record codec and its order."""

    __slots__ = ("codec", "collations", "descending", "is_plain", "n_key_fields", "shape")

    def __init__(self, shape: KeyShape, codec: RecordCodec) -> None:
        self.shape = shape
        self.codec = codec
        self.n_key_fields = shape.n_key_fields
        self.collations = shape.collations
        self.descending = shape.descending if any(shape.descending) else None
        self.is_plain = self.descending is None and all(collation.is_binary for collation in shape.collations)

    def key(self, values: Sequence[object]) -> Row:
        """Returns the sort key of an entry or a prefix of one."""
        n = self.n_key_fields
        return record_sort_key(values[:n] if len(values) > n else values, self.collations, self.descending)  # type: ignore[arg-type]

    def key_above(self, values: Sequence[object]) -> Row:
        """Returns a sort key behind every entry that starts with `values`."""
        return (*self.key(values), _TOP_KEY)

    def orders_itself(self, entry: Sequence[object]) -> bool:
        """Tells whether a plain entry may stand in a self-ordered list: no text with escaped bytes."""
        for value in entry:
            if value.__class__ is str and not value.isascii():
                try:
                    value.encode()
                except UnicodeEncodeError:
                    return False
        return True

    def sort(self, entries: list[Row]) -> tuple[list[Row], list[Row]]:
        """Returns entries in the order of the index and the list to compare: the entries themselves where that is right."""
        if self.is_plain and are_plain(entries):
            try:
                entries = sorted(entries)
                return entries, entries
            except TypeError:
                pass
        keys = self._keys(entries)
        places = sorted(range(len(keys)), key=keys.__getitem__)
        return [entries[place] for place in places], [keys[place] for place in places]

    def _keys(self, entries: list[Row]) -> list[Row]:
        """Returns the sort keys of many entries, made column by column."""
        columns: list[list[Row]] = []
        descending = self.descending or (False,) * self.n_key_fields
        for column, collation, is_descending in zip(zip(*entries), self.collations[: self.n_key_fields], descending):
            if {int, float}.issuperset(map(type, column)):
                columns.append([(-1, -value) for value in column] if is_descending else [(1, value) for value in column])
            else:
                columns.append([sort_key(value, collation, is_descending) for value in column])
        return list(zip(*columns))

    def keys_for(self, entries: list[Row]) -> list[Row]:
        """Returns the list to bisect in: `entries` itself where that is right, else sort keys."""
        if self.is_plain and all(map(self.orders_itself, entries)):
            return entries
        return list(map(self.key, entries))
