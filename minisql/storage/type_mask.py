"""Type masks: which storage classes a column of a leaf holds.

The translator compares masks once a leaf and then runs code without type checks.  Masks are made from decoded rows at C
speed, once per leaf and change, and only for the columns that someone asks about.

Source: https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes.
"""

from __future__ import annotations

from collections.abc import Sequence

NULL = 1
INTEGER_48 = 2
INTEGER_64 = 4
REAL = 8
TEXT = 16
BLOB = 32
TEXT_NOT_ASCII = 64

_LARGEST_48 = (1 << 47) - 1
_MASK_OF_CLASS = {type(None): NULL, int: INTEGER_48, float: REAL, str: TEXT, bytes: BLOB}


class ColumnMasks(dict[int, int]):
    """The masks of the columns of some rows, made when they are asked for; `rows` must not change meanwhile."""

    __slots__ = ("rows",)

    def __init__(self, rows: Sequence[Sequence[object]]) -> None:
        super().__init__()
        self.rows = rows

    def __missing__(self, column: int) -> int:
        mask = self[column] = column_mask([row[column] for row in self.rows])
        return mask


def column_masks(rows: Sequence[Sequence[object]], n_columns: int) -> tuple[int, ...]:
    """Returns one mask a column; all zero without rows."""
    if not rows:
        return (0,) * n_columns
    return tuple(map(column_mask, zip(*rows)))


def column_mask(column: Sequence[object]) -> int:
    """Returns the mask of one column's values."""
    mask = 0
    classes = set(map(type, column))
    for kind in classes:
        mask |= _MASK_OF_CLASS[kind]
    if mask & INTEGER_48:
        integers = column if len(classes) == 1 else [value for value in column if value.__class__ is int]
        if max(integers) > _LARGEST_48 or min(integers) < -_LARGEST_48 - 1:  # type: ignore[type-var,operator]
            mask |= INTEGER_64
    if mask & TEXT:
        texts = column if len(classes) == 1 else [value for value in column if value.__class__ is str]
        if not "".join(texts).isascii():  # type: ignore[arg-type]
            mask |= TEXT_NOT_ASCII
    return mask
