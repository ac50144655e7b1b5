"""The functions of geopoly: geopoly_area(), geopoly_json(), geopoly_overlap() and their kin.

Source: https://www.sqlite.org/geopoly.html section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.functions.printf import sql_format
from minisql.values.cast import to_integer, to_real, to_text
from minisql.vtab.rtree import polygons
from minisql.vtab.rtree.polygons import Polygon, read_polygon, to_blob

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost


def register_functions(host: VtabHost) -> None:
    """Registers all of them with a connection."""
    for name, call in _OF_ONE_POLYGON.items():
        host.register_function(name, 1, _of_polygon(call))
    host.register_function("geopoly_svg", -1, _svg)
    host.register_function("geopoly_debug", 1, lambda _value: None)
    host.register_function("geopoly_regular", 4, _regular)
    host.register_function("geopoly_xform", 7, _transformed)
    host.register_function("geopoly_contains_point", 3, _contains_point)
    host.register_function("geopoly_overlap", 2, overlap)
    host.register_function("geopoly_within", 2, within)
    host.register_aggregate("geopoly_group_bbox", 1, GroupBox)


def _of_polygon(call: Callable[[Polygon], Any]) -> Callable[[Any], Any]:
    def called(value: Any) -> Any:
        polygon = read_polygon(value)
        return None if polygon is None else call(polygon)

    return called


def _json(polygon: Polygon) -> str:
    points = [f"[{sql_format('%!g', x)},{sql_format('%!g', y)}]" for x, y in [*polygon, polygon[0]]]
    return f"[{','.join(points)}]"


_OF_ONE_POLYGON: dict[str, Callable[[Polygon], Any]] = {
    "geopoly_area": polygons.area,
    "geopoly_blob": to_blob,
    "geopoly_json": _json,
    "geopoly_bbox": lambda polygon: to_blob(polygons.box_polygon(polygons.box(polygon))),
    "geopoly_ccw": lambda polygon: to_blob(polygons.counter_clockwise(polygon)),
}


def _svg(*arguments: Any) -> str | None:
    polygon = read_polygon(arguments[0]) if arguments else None
    if polygon is None:
        return None
    points = " ".join([f"{sql_format('%g', x)},{sql_format('%g', y)}" for x, y in [*polygon, polygon[0]]])
    attributes = "".join([f" {to_text(value)}" for value in arguments[1:] if value is not None and value != ""])
    return f"<polyline points='{points}'{attributes}></polyline>"


def _number(value: Any) -> float:
    return to_real(value) if value is not None else 0.0


def _regular(x: Any, y: Any, radius: Any, n_sides: Any) -> bytes | None:
    sides = to_integer(n_sides) if n_sides is not None else 0
    polygon = polygons.regular(_number(x), _number(y), _number(radius), sides)
    return None if polygon is None else to_blob(polygon)


def _transformed(value: Any, *factors: Any) -> bytes | None:
    """x' = A*x + B*y + E and y' = C*x + D*y + F."""
    polygon = read_polygon(value)
    if polygon is None:
        return None
    a, b, c, d, e, f = map(_number, factors)
    return to_blob([(a * x + b * y + e, c * x + d * y + f) for x, y in polygon])


def _contains_point(value: Any, x: Any, y: Any) -> int | None:
    polygon = read_polygon(value)
    return None if polygon is None else polygons.point_place(polygon, _number(x), _number(y))


def overlap(first: Any, second: Any) -> int | None:
    """geopoly_overlap(): how two polygons lie to each other."""
    one, other = read_polygon(first), read_polygon(second)
    return None if one is None or other is None else polygons.relation(one, other)


def within(first: Any, second: Any) -> int | None:
    """geopoly_within(): 1 if the first polygon lies within the second, 2 if they are the same, else 0."""
    found = overlap(first, second)
    return None if found is None else {polygons.WITHIN: 1, polygons.SAME: 2}.get(found, 0)


class GroupBox:
    """geopoly_group_bbox(): the box around all polygons."""

    def __init__(self) -> None:
        self.bounds: tuple[float, float, float, float] | None = None

    def step(self, value: Any) -> None:
        """Takes a polygon in; what is none does not count."""
        polygon = read_polygon(value)
        if polygon is None:
            return
        box = polygons.box(polygon)
        old = self.bounds or box
        self.bounds = min(old[0], box[0]), max(old[1], box[1]), min(old[2], box[2]), max(old[3], box[3])

    def value(self) -> bytes | None:
        """The box as a polygon."""
        return None if self.bounds is None else to_blob(polygons.box_polygon(self.bounds))
