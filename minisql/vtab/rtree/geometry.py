"""Geometry callbacks: regions of one's own, as in `WHERE id MATCH circle(45.3, 22.9, 5.0)`.

The SQL function that a callback is registered under returns a blob that names the callback and its parameters; the scan finds
it on the right side of MATCH.

Source: https://www.sqlite.org/rtree.html section 6.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, sqlite_error

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost
    from minisql.vtab.rtree.nodes import Cell
    from minisql.vtab.rtree.table import RtreeTable
    from minisql.vtab.rtree.tree import Node, Tree

NOT_WITHIN, PARTLY_WITHIN, FULLY_WITHIN = 0, 1, 2
CALLS_SETTING = "rtree geometry calls"
_MARK = b"minisql rtree geometry "


class Geometry:
    """A call of a geometry function: the callback, whether it is of the query kind, and its parameters."""

    __slots__ = ("callback", "is_query", "parameters")

    def __init__(self, callback: Callable[..., Any], is_query: bool, parameters: tuple[Any, ...]) -> None:
        self.callback = callback
        self.is_query = is_query
        self.parameters = parameters


class QueryInfo:
    """What a query callback is told, and what it answers: `within` and `score` (smaller ones come first).

    `coordinates` is the box of the node or row, `level` 0 for rows, `max_level` that of the root, `rowid` of a row (else 0),
    `parent_score` and `parent_within` what was answered for the node around; `user_data` is the callback's own.
    """

    __slots__ = (
        "coordinates", "level", "max_level", "parameters", "parent_score", "parent_within", "rowid", "score", "user_data",
        "within",
    )  # fmt: skip

    def __init__(self, parameters: tuple[Any, ...], max_level: int) -> None:
        self.parameters = parameters
        self.max_level = max_level
        self.coordinates: tuple[float, ...] = ()
        self.level = 0
        self.rowid = 0
        self.parent_score = 0.0
        self.parent_within = PARTLY_WITHIN
        self.within = FULLY_WITHIN
        self.score = 0.0
        self.user_data: Any = None


def register_geometry(host: VtabHost, name: str, callback: Callable[..., Any], is_query: bool) -> None:
    """Makes `name(...)` usable on the right side of MATCH.

    A query callback gets a QueryInfo; one of the older kind gets coordinates and parameters and returns whether they meet.
    """
    calls: list[Geometry] = host.setting(CALLS_SETTING) or []
    host.keep(CALLS_SETTING, calls)

    def call(*parameters: Any) -> bytes:
        calls.append(Geometry(callback, is_query, parameters))
        del calls[:-1000]
        return _MARK + str(id(calls[-1])).encode()

    host.register_function(name, -1, call)


def register_extension(kind: str, host: VtabHost, name: str, item: Callable[..., Any] | None) -> None:
    """A region of the user's."""
    if item is None:
        raise TypeError("a region cannot be removed")
    register_geometry(host, name, item, kind == "rtree query")


def parse_geometry(host: VtabHost, value: Any) -> Geometry:
    """The call behind a value; raises for any other value."""
    if isinstance(value, bytes) and value.startswith(_MARK):
        for geometry in host.setting(CALLS_SETTING) or []:
            if _MARK + str(id(geometry)).encode() == value:
                found: Geometry = geometry
                return found
    raise sqlite_error(ERROR, "SQL logic error")


Checks = Sequence[tuple[str, int, Any]]


class GeometryQuery:
    """The search for one geometry, others checked on the way; the best score comes first, deeper nodes before others."""

    def __init__(self, geometry: Geometry, table: RtreeTable) -> None:
        self.geometry = geometry
        self.table = table
        self.info: QueryInfo | None = None

    def judge(self, cell: Cell, level: int, max_level: int, parent: tuple[float, int]) -> tuple[float, int]:
        """Score and visibility of a cell."""
        geometry = self.geometry
        if not geometry.is_query:
            meets = geometry.callback(cell[1:], geometry.parameters)
            return parent[0], (PARTLY_WITHIN if meets else NOT_WITHIN)
        info = self.info
        if info is None:
            info = self.info = QueryInfo(geometry.parameters, max_level)
        info.coordinates = cell[1:]
        info.level = level
        info.rowid = cell[0] if level == 0 else 0
        info.parent_score, info.parent_within = parent
        info.within, info.score = parent[1], parent[0]
        geometry.callback(info)
        return info.score, info.within

    def search(
        self,
        tree: Tree,
        root: Node,
        checks: Checks,
        others: Sequence[GeometryQuery],
        may_hold: Callable[[Cell, Checks], bool],
        holds: Callable[[Cell, Checks], bool],
    ) -> Iterator[Cell]:
        """The rows in the order of their scores."""
        max_level = root.height + 1
        number = 0
        queue: list[tuple[float, int, int, Cell | None, int]] = [(0.0, max_level, 0, None, PARTLY_WITHIN)]
        while queue:
            score, level, _number, cell, within = heapq.heappop(queue)
            if level == 0:
                assert cell is not None, "rows have cells"
                yield cell
                continue
            cells = root.cells if cell is None else tree.cells_of(cell[0])[1]
            below = level - 1
            for child in cells:
                if not (holds if below == 0 else may_hold)(child, checks):
                    continue
                child_score, child_within = self.judge(child, below, max_level, (score, within))
                if child_within == NOT_WITHIN:
                    continue
                if any(other.judge(child, below, max_level, (score, within))[1] == NOT_WITHIN for other in others):
                    continue
                number += 1
                heapq.heappush(queue, (child_score, below, number, child, child_within))
