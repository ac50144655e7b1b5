"""Nodes of an R-Tree: a header, then cells of a 64-bit id and two 32-bit coordinates per dimension, all big-endian.

The id is the row's in a leaf and a node's number above; the header is the depth of the tree (root only) and the number of
cells.  Coordinates are floats, the lower ones rounded down and the upper ones up, or integers.

Source: https://www.sqlite.org/rtree.html section 7.1.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from minisql.values.cast import to_integer, to_real
from minisql.vtab.shadow_tables import corrupt

Box = tuple[float, ...]
"""Lower and upper coordinate of each dimension in turn."""

Cell = tuple[Any, ...]
"""An id and a box."""

_FLOAT = struct.Struct(">f")
_BITS = struct.Struct(">i")


class CellFormat:
    """How the cells of one table are stored."""

    def __init__(self, n_dimensions: int, is_integer: bool) -> None:
        self.n_coordinates = 2 * n_dimensions
        self.is_integer = is_integer
        self.cell = struct.Struct(">q" + ("i" if is_integer else "f") * self.n_coordinates)

    def decode(self, data: bytes | None) -> tuple[int, list[Cell]]:
        """The depth in the header, and the cells."""
        if data is None or len(data) < 4:
            raise corrupt()
        depth = int.from_bytes(data[:2], "big")
        n_cells = int.from_bytes(data[2:4], "big")
        end = 4 + n_cells * self.cell.size
        if end > len(data):
            raise corrupt()
        return depth, list(self.cell.iter_unpack(data[4:end]))

    def encode(self, depth: int, cells: Sequence[Cell], size: int) -> bytes:
        """A node of `size` bytes."""
        pack = self.cell.pack
        body = b"".join([pack(*cell) for cell in cells])
        return (depth.to_bytes(2, "big") + len(cells).to_bytes(2, "big") + body).ljust(size, b"\x00")

    def coordinates(self, values: Sequence[Any]) -> Box:
        """Values as they are stored."""
        if self.is_integer:
            return tuple([_int32(value) for value in values])
        return tuple([
            _rounded(to_real(value) if value is not None else 0.0, number % 2 == 1) for number, value in enumerate(values)
        ])  # fmt: skip


def _int32(value: Any) -> int:
    number = 0 if value is None else to_integer(value)
    return max(min(number, 0x7FFFFFFF), -0x80000000)


def _rounded(value: float, is_upper: bool) -> float:
    """A 32-bit float not above (a lower coordinate) or not below the value."""
    number = _single(value)
    if number < value if is_upper else number > value:
        return _neighbour(number, is_upper)
    return number


def _neighbour(number: float, is_upper: bool) -> float:
    """The next 32-bit float."""
    bits = _BITS.unpack(_FLOAT.pack(number))[0]
    if number == 0:
        bits = 1 if is_upper else -0x7FFFFFFF
    else:
        # The bits of negative numbers grow with their size.
        bits += 1 if is_upper == (number > 0) else -1
    neighbour: float = _FLOAT.unpack(_BITS.pack(bits))[0]
    return neighbour


def _single(value: float) -> float:
    """The nearest 32-bit float."""
    try:
        single: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return single


# Boxes


def joined(first: Box, second: Box) -> Box:
    """The smallest box around two."""
    return tuple([
        (max if number % 2 else min)(a, b) for number, (a, b) in enumerate(zip(first, second))
    ])  # fmt: skip


def box_around(cells: Sequence[Cell]) -> Box:
    """The smallest box around the boxes of cells."""
    columns = list(zip(*cells))
    return tuple([max(column) if number % 2 else min(column) for number, column in enumerate(columns[1:])])


def area(box: Box) -> float:
    """The product of the lengths."""
    result = 1.0
    for number in range(0, len(box), 2):
        result *= box[number + 1] - box[number]
    return result


def margin(box: Box) -> float:
    """The sum of the lengths."""
    return sum(box[number + 1] - box[number] for number in range(0, len(box), 2))


def overlap(first: Box, second: Box) -> float:
    """The area that two boxes share."""
    result = 1.0
    for number in range(0, len(first), 2):
        length = min(first[number + 1], second[number + 1]) - max(first[number], second[number])
        if length < 0:
            return 0.0
        result *= length
    return result


def contains(outer: Box, inner: Box) -> bool:
    """Whether a box lies within another."""
    return all(
        outer[number] <= inner[number] and inner[number + 1] <= outer[number + 1] for number in range(0, len(outer), 2)
    )
