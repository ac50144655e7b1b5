"""The check of an R-Tree, for rtreecheck() and PRAGMA integrity_check.

Source: https://www.sqlite.org/rtree.html section 7.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.vtab.rtree.nodes import Cell
from minisql.vtab.rtree.tree import ROOT

if TYPE_CHECKING:
    from minisql.vtab.rtree.table import RtreeTable


def check_tree(table: RtreeTable) -> list[str]:
    """What is wrong with the shadow tables, in SQLite's words."""
    return TreeCheck(table).run()


class TreeCheck:
    """Walks the whole tree and compares it with %_rowid and %_parent."""

    def __init__(self, table: RtreeTable) -> None:
        self.table = table
        self.problems: list[str] = []
        self.n_leaf_cells = 0
        self.n_inner_cells = 0

    def run(self) -> list[str]:
        """The problems."""
        table = self.table
        self._check_node(0, None, ROOT)
        for suffix, expected in (("rowid", self.n_leaf_cells), ("parent", self.n_inner_cells)):
            count = table.host.execute(f'SELECT count(*) FROM {table.prefix}{suffix}"')[0][0]
            if count != expected:
                self.problems.append(
                    f"Wrong number of entries in %_{suffix} table - expected {expected}, actual {count}"
                )
        return self.problems

    def _check_node(self, height: int, box: tuple[float, ...] | None, number: int) -> None:
        table = self.table
        rows = table.host.execute(f'SELECT data FROM {table.prefix}node" WHERE nodeno=?', (number,))
        data = rows[0][0] if rows else None
        if not isinstance(data, bytes):
            self.problems.append(f"Node {number} missing from database")
            return
        if len(data) < 4:
            self.problems.append(f"Node {number} is too small ({len(data)} bytes)")
            return
        if box is None:
            height = int.from_bytes(data[:2], "big")
            if height > 40:
                self.problems.append(f"Rtree depth out of range ({height})")
                return
        n_cells = int.from_bytes(data[2:4], "big")
        if 4 + n_cells * table.cells.cell.size > len(data):
            self.problems.append(f"Node {number} is too small for cell count of {n_cells} ({len(data)} bytes)")
            return
        _depth, cells = table.cells.decode(data)
        for place, cell in enumerate(cells):
            self._check_cell(number, place, cell, box)
            if height > 0:
                self._check_mapping("parent", "parentnode", "nodeno", cell[0], number)
                self.n_inner_cells += 1
                self._check_node(height - 1, cell[1:], cell[0])
            else:
                self._check_mapping("rowid", "nodeno", "rowid", cell[0], number)
                self.n_leaf_cells += 1

    def _check_cell(self, number: int, place: int, cell: Cell, box: tuple[float, ...] | None) -> None:
        for dimension in range(0, len(cell) - 1, 2):
            low, high = cell[1 + dimension], cell[2 + dimension]
            if low > high:
                self.problems.append(f"Dimension {dimension // 2} of cell {place} on node {number} is corrupt")
            if box is not None and (low < box[dimension] or high > box[dimension + 1]):
                self.problems.append(
                    f"Dimension {dimension // 2} of cell {place} on node {number} is corrupt relative to parent"
                )

    def _check_mapping(self, suffix: str, column: str, key: str, identifier: int, number: int) -> None:
        table = self.table
        rows = table.host.execute(f'SELECT {column} FROM {table.prefix}{suffix}" WHERE {key}=?', (identifier,))
        if not rows:
            self.problems.append(f"Mapping ({identifier} -> {number}) missing from %_{suffix} table")
        elif rows[0][0] != number:
            found = f"Found ({identifier} -> {rows[0][0]}) in %_{suffix} table"
            self.problems.append(f"{found}, expected ({identifier} -> {number})")
