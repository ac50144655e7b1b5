"""The order of values: one comparison, the SQL operators, and keys that Python sorts natively.

NULL sorts before numbers, numbers before text, text before blobs.  Integers and reals compare exactly, as Python does; blobs
compare as bytes; text compares by a collation.  The operator functions return 1, 0 or None as SQL does; affinity must have
been applied before (`affinity.apply_comparison_affinity`).

A sort key is a tuple `(rank, value)`: comparing two of them is C code, and no two values of different classes meet.
NULL's key is `(0,)`.  Descending keys negate rank and number; text and blobs need a wrapper then.

Source: https://www.sqlite.org/datatype3.html section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minisql.values.collation import BINARY, Collation
from minisql.values.storage_class import Value

_RANK: dict[type, int] = {type(None): 0, int: 1, float: 1, str: 2, bytes: 3}


def compare(a: Any, b: Any, collation: Collation = BINARY) -> int:
    """Returns -1, 0 or 1 by the total order in which NULL equals NULL.

    Source: https://www.sqlite.org/datatype3.html section 4.1
    """
    rank = _RANK[a.__class__]
    other = _RANK[b.__class__]
    if rank != other:
        return -1 if rank < other else 1
    if rank == 2:
        order = collation.compare(a, b)
        return 0 if order == 0 else -1 if order < 0 else 1
    if rank == 0 or a == b:
        return 0
    return -1 if a < b else 1


def equal(a: Any, b: Any, collation: Collation = BINARY) -> bool:
    """Tells whether two values are the same by the total order; NULL equals NULL.

    Source: https://www.sqlite.org/datatype3.html section 4.1
    """
    if a.__class__ is str and b.__class__ is str and not collation.is_binary:
        return collation.compare(a, b) == 0
    # str, bytes, numbers and None never equal one another in Python; int and float compare exactly.
    return bool(a == b)


def eq(a: Any, b: Any, collation: Collation = BINARY) -> int | None:
    """SQL `a = b`: 1, 0 or None.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    if a.__class__ is str and b.__class__ is str and not collation.is_binary:
        return 1 if collation.compare(a, b) == 0 else 0
    return 1 if a == b else 0


def ne(a: Any, b: Any, collation: Collation = BINARY) -> int | None:
    """SQL `a <> b`: 1, 0 or None.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    if a.__class__ is str and b.__class__ is str and not collation.is_binary:
        return 0 if collation.compare(a, b) == 0 else 1
    return 0 if a == b else 1


def lt(a: Any, b: Any, collation: Collation = BINARY) -> int | None:
    """SQL `a < b`: 1, 0 or None.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    rank = _RANK[a.__class__]
    other = _RANK[b.__class__]
    if rank != other:
        return 1 if rank < other else 0
    if rank == 2:
        return 1 if collation.compare(a, b) < 0 else 0
    return 1 if a < b else 0


def le(a: Any, b: Any, collation: Collation = BINARY) -> int | None:
    """SQL `a <= b`: 1, 0 or None.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    rank = _RANK[a.__class__]
    other = _RANK[b.__class__]
    if rank != other:
        return 1 if rank < other else 0
    if rank == 2:
        return 1 if collation.compare(a, b) <= 0 else 0
    return 1 if a <= b else 0


def gt(a: Any, b: Any, collation: Collation = BINARY) -> int | None:
    """SQL `a > b`: 1, 0 or None.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    rank = _RANK[a.__class__]
    other = _RANK[b.__class__]
    if rank != other:
        return 1 if rank > other else 0
    if rank == 2:
        return 1 if collation.compare(a, b) > 0 else 0
    return 1 if a > b else 0


def ge(a: Any, b: Any, collation: Collation = BINARY) -> int | None:
    """SQL `a >= b`: 1, 0 or None.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    if a is None or b is None:
        return None
    rank = _RANK[a.__class__]
    other = _RANK[b.__class__]
    if rank != other:
        return 1 if rank > other else 0
    if rank == 2:
        return 1 if collation.compare(a, b) >= 0 else 0
    return 1 if a >= b else 0


def is_(a: Any, b: Any, collation: Collation = BINARY) -> int:
    """SQL `a IS b`: 1 or 0; NULL IS NULL.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    return 1 if equal(a, b, collation) else 0


def is_not(a: Any, b: Any, collation: Collation = BINARY) -> int:
    """SQL `a IS NOT b`: 1 or 0.  Source: https://www.sqlite.org/lang_expr.html section 2"""
    return 0 if equal(a, b, collation) else 1


class Reversed:
    """A text or blob key in descending order; equal to itself and ordered against its own kind only."""

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: Reversed) -> bool:
        return bool(other.key < self.key)

    def __gt__(self, other: Reversed) -> bool:
        return bool(other.key > self.key)

    def __le__(self, other: Reversed) -> bool:
        return bool(other.key <= self.key)

    def __ge__(self, other: Reversed) -> bool:
        return bool(other.key >= self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reversed) and bool(self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)


_NULL_KEY: tuple[Any, ...] = (0,)
_NULL_KEY_LAST: tuple[Any, ...] = (4,)
_NULL_KEY_FIRST: tuple[Any, ...] = (-4,)


def ascending_key(value: Any, collation: Collation = BINARY) -> tuple[Any, ...]:
    """Returns the ascending sort key of one value, NULLs first: the key of index columns.

    Source: https://www.sqlite.org/datatype3.html section 4.1
    """
    if value.__class__ is str:
        return (2, value if collation.is_binary and value.isascii() else collation.key(value))
    if value is None:
        return _NULL_KEY
    return (_RANK[value.__class__], value)


def descending_key(value: Any, collation: Collation = BINARY) -> tuple[Any, ...]:
    """Returns the descending sort key of one value, NULLs last.

    Source: https://www.sqlite.org/datatype3.html section 4.1
    """
    if value.__class__ is str:
        return (-2, Reversed(collation.key(value)))
    if value is None:
        return _NULL_KEY
    if value.__class__ is bytes:
        return (-3, Reversed(value))
    return (-1, -value)


def sort_key(
    value: Value, collation: Collation = BINARY, descending: bool = False, nulls_first: bool | None = None
) -> tuple[Any, ...]:
    """Returns a key that sorts one value in an ORDER BY term; keys of one term compare natively with each other.

    `nulls_first` None means SQLite's default: first when ascending, last when descending.
    Source: https://www.sqlite.org/lang_select.html#orderby
    """
    if value is None and nulls_first is not None:
        return _NULL_KEY_FIRST if nulls_first else _NULL_KEY_LAST
    return descending_key(value, collation) if descending else ascending_key(value, collation)


def record_sort_key(
    values: Sequence[Value],
    collations: Sequence[Collation] | None = None,
    descending: Sequence[bool] | None = None,
    nulls_first: Sequence[bool | None] | None = None,
) -> tuple[tuple[Any, ...], ...]:
    """Returns the key of a whole record: the tuple of the keys of its columns.

    Sequences that are None mean BINARY, ascending, default NULLs; they may be longer than `values` (a prefix is keyed).
    Source: https://www.sqlite.org/fileformat2.html section 2.5
    """
    if descending is None and nulls_first is None:
        if collations is None:
            return tuple([ascending_key(value) for value in values])
        return tuple([ascending_key(value, collation) for value, collation in zip(values, collations)])
    n = len(values)
    if nulls_first is None:
        # Numbers, most of what indexes hold, without a call each.
        return tuple(
            [
                ((-1, -value) if is_descending else (1, value))
                if value.__class__ is int or value.__class__ is float
                else sort_key(value, collation, is_descending)
                for value, collation, is_descending in zip(values, collations or (BINARY,) * n, descending)  # type: ignore[arg-type]
            ]
        )
    return tuple(
        [
            sort_key(value, collation, is_descending, first)
            for value, collation, is_descending, first in zip(
                values, collations or (BINARY,) * n, descending or (False,) * n, nulls_first or (None,) * n
            )
        ]
    )


def record_key_function(
    collations: Sequence[Collation],
    descending: Sequence[bool],
    nulls_first: Sequence[bool | None] | None = None,
) -> Callable[[Sequence[Value]], Any]:
    """Returns `key(record)` for sorting or bisecting records by their first columns, specialised on the terms.

    Source: https://www.sqlite.org/lang_select.html#orderby
    """
    plain = not any(descending) and (nulls_first is None or not any(first is False for first in nulls_first))
    if plain and len(collations) == 1:
        collation = collations[0]
        return lambda record: ascending_key(record[0], collation)
    if plain and all(collation is BINARY for collation in collations):
        n = len(collations)
        return lambda record: tuple([ascending_key(value) for value in record[:n]])
    if plain:
        return lambda record: record_sort_key(record, collations)
    n = len(collations)
    return lambda record: record_sort_key(record[:n], collations, descending, nulls_first)


def hash_key(value: Any, collation: Collation = BINARY) -> Any:
    """Returns a hashable that is equal for equal values, for DISTINCT, GROUP BY and hash joins.

    Raises TypeError for text under a user-defined collation, which has no hash: use sort keys there.
    Source: https://www.sqlite.org/datatype3.html section 4.1
    """
    if value.__class__ is str and not collation.is_binary:
        if collation.hash_key is None:
            raise TypeError(f"collation {collation.name} has no hash key")
        return collation.hash_key(value)
    return value
