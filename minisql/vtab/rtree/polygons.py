"""Polygons as geopoly has them: reading and writing, area, box, and how two lie to each other.

A polygon is a list of its vertices, without the first one again at its end; coordinates are 32-bit floats.  As a blob it is a
byte for the order of bytes (1: little-endian), the number of vertices in three bytes, and the coordinates.

Source: https://www.sqlite.org/geopoly.html.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

Polygon = list[tuple[float, float]]
"""Vertices (x, y), at least three."""

NOWHERE = (0.0, 0.0, 0.0, 0.0)
DISJOINT, CROSSING, WITHIN, AROUND, SAME = range(5)
_FEWEST = 3
_MOST_REGULAR = 1000
_NUMBER = re.compile(r"(?!-\.)-?(?!0\d)(?:\d+(?:\.\d+)?|\.\d+|(?<=\[)(?=[,\]\s]))(?:(?<=\d)[eE][+-]?\d+)?")
_SPACE = re.compile(r"[ \t\n\r]*")
_SINGLE = struct.Struct("<f")


def single(value: float) -> float:
    """The nearest 32-bit float."""
    try:
        rounded: float = _SINGLE.unpack(_SINGLE.pack(value))[0]
    except OverflowError:
        rounded = math.copysign(math.inf, value)
    return rounded


# Reading and writing


def read_polygon(value: Any) -> Polygon | None:
    """The polygon that a blob or a JSON text stands for, None if it stands for none."""
    if isinstance(value, bytes):
        return _from_blob(value)
    return _from_json(value) if isinstance(value, str) else None


def is_refused(value: Any) -> bool:
    """Whether a table refuses a value: any but polygons and texts that do not even try to be one."""
    if isinstance(value, str) and not value[_SPACE.match(value).end() :].startswith("["):  # type: ignore[union-attr]
        return False
    return read_polygon(value) is None


def _from_blob(data: bytes) -> Polygon | None:
    if len(data) < 4 + 8 * _FEWEST or data[0] > 1:
        return None
    count = int.from_bytes(data[1:4], "big")
    if count < _FEWEST or len(data) != 4 + 8 * count:
        return None
    numbers = struct.unpack(f"{'<' if data[0] else '>'}{2 * count}f", data[4:])
    return list(zip(numbers[::2], numbers[1::2]))


def _from_json(text: str) -> Polygon | None:
    """[[x, y], ..., the first one again]; what follows y in a vertex does not matter, but must be a number."""
    position = _after_space(text, 0)
    if text[position : position + 1] != "[":
        return None
    position += 1
    points: Polygon = []
    while True:
        position = _after_space(text, position)
        if text[position : position + 1] != "[":
            return None
        vertex, position = _vertex(text, position + 1)
        if len(vertex) < 2:
            return None
        points.append((vertex[0], vertex[1]))
        position = _after_space(text, position)
        following = text[position : position + 1]
        position += 1
        if following == "]":
            break
        if following != ",":
            return None
    is_closed = len(points) > _FEWEST and points[0] == points[-1]
    return points[:-1] if is_closed and _after_space(text, position) == len(text) else None


def _vertex(text: str, position: int) -> tuple[list[float], int]:
    """The numbers up to a closing bracket, and what comes behind it; no numbers if they are malformed."""
    numbers: list[float] = []
    while True:
        position = _after_space(text, position)
        found = _NUMBER.match(text, position)
        if found is None:
            return [], position
        numbers.append(single(float(found[0] or 0)))
        position = _after_space(text, found.end())
        following = text[position : position + 1]
        position += 1
        if following == "]":
            return numbers, position
        if following != ",":
            return [], position


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found is not None else position


def to_blob(polygon: Iterable[tuple[float, float]]) -> bytes:
    """A polygon as a little-endian blob."""
    numbers = [single(number) for point in polygon for number in point]
    return b"\x01" + (len(numbers) // 2).to_bytes(3, "big") + struct.pack(f"<{len(numbers)}f", *numbers)


# Making


def regular(x: float, y: float, radius: float, n_sides: int) -> Polygon | None:
    """A regular polygon around a point; at most 1000 sides."""
    if n_sides < _FEWEST or radius <= 0:
        return None
    n_sides = min(n_sides, _MOST_REGULAR)
    angles = [2.0 * math.pi * number / n_sides for number in range(n_sides)]
    return [
        (single(x - radius * _sine(angle - 0.5 * math.pi)), single(y + radius * _sine(angle))) for angle in angles
    ]  # fmt: skip


def _sine(angle: float) -> float:
    """The sine by a polynomial of the fifth degree, good to three digits: blobs are equal on every machine."""
    if angle >= 1.5 * math.pi:
        angle -= 2.0 * math.pi
    if angle >= 0.5 * math.pi:
        return -_sine(angle - math.pi)
    square = angle * angle
    cube = square * angle
    return 0.9996949 * angle - 0.1656700 * cube + 0.0075134 * (cube * square)


def box(polygon: Sequence[tuple[float, float]]) -> tuple[float, float, float, float]:
    """The least and the greatest x and y: min x, max x, min y, max y."""
    xs, ys = zip(*polygon)
    return min(xs), max(xs), min(ys), max(ys)


def box_polygon(bounds: tuple[float, float, float, float]) -> Polygon:
    """The rectangle of a box, counter-clockwise."""
    left, right, low, high = bounds
    return [(left, low), (right, low), (right, high), (left, high)]


def area(polygon: Polygon) -> float:
    """The area; negative if the vertices go round clockwise.  Differences and sums are 32-bit floats."""
    total = 0.0
    for (x, y), (next_x, next_y) in zip(polygon, [*polygon[1:], polygon[0]]):
        total += single(single(x - next_x) * single(y + next_y)) * 0.5
    return total


def counter_clockwise(polygon: Polygon) -> Polygon:
    """The polygon with its vertices in this order."""
    return polygon if area(polygon) >= 0 else [polygon[0], *polygon[:0:-1]]


# Where things lie


def point_place(polygon: Polygon, x: float, y: float) -> int:
    """0 outside, 1 on the border, 2 inside."""
    n_above = 0
    for (x1, y1), (x2, y2) in zip(polygon, [*polygon[1:], polygon[0]]):
        if (x, y) == (x1, y1):
            return 1
        low, high = (x1, x2) if x1 < x2 else (x2, x1)
        if x1 == x2:
            if x == x1 and min(y1, y2) <= y <= max(y1, y2):
                return 1
        elif low < x <= high:
            line = y1 + (y2 - y1) * (x - x1) / (x2 - x1)
            if y == line:
                return 1
            n_above += y < line
    return 2 if n_above % 2 else 0


Segment = tuple[float, float, float, float, int]
"""x, y at the left, x, y at the right end, and which polygon it belongs to (1 or 2)."""


def relation(first: Polygon, second: Polygon) -> int:
    """DISJOINT, CROSSING, WITHIN (the first in the second), AROUND (the second in the first) or SAME.

    Between two neighbouring x of vertices and crossings no segments cross, so one line up through the middle tells which
    regions there are: of the first polygon only, of the second only, of both.
    """
    a, b = box(first), box(second)
    if a[0] > b[1] or b[0] > a[1] or a[2] > b[3] or b[2] > a[3]:
        return DISJOINT
    segments = [*_segments(first, 1), *_segments(second, 2)]
    places = {x for left in segments for x in (left[0], left[2])}
    ours = [segment for segment in segments if segment[4] == 1]
    for other in segments:
        if other[4] == 2:
            places.update(x for x in (_crossing(one, other) for one in ours) if x is not None)
    ordered = sorted(places)
    regions = [False] * 4
    for left, right in pairwise(ordered):
        _note_regions(segments, left, right, regions)
        if all(regions[1:]):
            return CROSSING
    if not regions[3]:
        return DISJOINT
    return SAME if not regions[1] and not regions[2] else WITHIN if not regions[1] else AROUND


def _segments(polygon: Polygon, owner: int) -> list[Segment]:
    """The sides that are not upright, from left to right."""
    sides = []
    for (x1, y1), (x2, y2) in zip(polygon, [*polygon[1:], polygon[0]]):
        if x1 != x2:
            sides.append((x1, y1, x2, y2, owner) if x1 < x2 else (x2, y2, x1, y1, owner))
    return sides


def _crossing(one: Segment, other: Segment) -> float | None:
    """The x where two segments cross, None if they do not."""
    left, right = max(one[0], other[0]), min(one[2], other[2])
    if left >= right:
        return None
    before = _height(one, left) - _height(other, left)
    after = _height(one, right) - _height(other, right)
    if before * after >= 0:
        return None
    return left + (right - left) * before / (before - after)


def _height(segment: Segment, x: float) -> float:
    x1, y1, x2, y2, _owner = segment
    return y1 + (y2 - y1) * (x - x1) / (x2 - x1)


def _note_regions(segments: Sequence[Segment], left: float, right: float, regions: list[bool]) -> None:
    """Notes which regions a line up between two x passes."""
    middle = (left + right) / 2
    crossed = sorted(
        (_height(segment, middle), segment[4]) for segment in segments if segment[0] <= left and segment[2] >= right
    )
    inside = 0
    for (height, owner), (above, _owner) in pairwise(crossed):
        inside ^= owner
        if above > height:
            regions[inside] = True
