"""The R*-tree of one table: finding, entering and removing boxes.

A new box goes down to the leaf that has to grow least; a full node is split along the axis with the least total margin, where
the halves overlap least.  A node that becomes too empty is taken out and its cells are entered again.

Source: Beckmann, Kriegel, Schneider, Seeger, "The R*-Tree" (SIGMOD 1990); https://www.sqlite.org/rtree.html section 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minisql.vtab.rtree.nodes import Box, Cell, CellFormat, area, box_around, joined, margin, overlap
from minisql.vtab.shadow_tables import corrupt

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

ROOT = 1
MAX_DEPTH = 40
_KEPT_NODES = 5000


class Node:
    """A node in memory: its number, cells, and height above the leaves; `data` is what is stored."""

    __slots__ = ("cells", "data", "height", "number")

    def __init__(self, number: int, cells: list[Cell], height: int) -> None:
        self.number = number
        self.cells = cells
        self.height = height
        self.data: bytes | None = None


class Tree:
    """Reads and writes the shadow tables."""

    def __init__(self, host: VtabHost, prefix: str, cells: CellFormat, node_size: int) -> None:
        """`prefix` is the quoted schema and the beginning of the tables' names: `"main"."name_`."""
        self.host = host
        self.format = cells
        self.node_size = node_size
        self.max_cells = (node_size - 4) // cells.cell.size
        self.min_cells = self.max_cells // 3
        self.set_prefix(prefix)
        self._known: dict[int, tuple[bytes, int, list[Cell]]] = {}
        self._stamp: tuple[int, int] | None = None
        self._read: dict[int, tuple[int, list[Cell]]] = {}
        self.depth = 0

    def set_prefix(self, prefix: str) -> None:
        """Names the shadow tables."""
        node, rowid, parent = (f'{prefix}{suffix}"' for suffix in ("node", "rowid", "parent"))
        self._read_sql = f"SELECT data FROM {node} WHERE nodeno=?"
        self._write_sql = f"INSERT OR REPLACE INTO {node}(nodeno, data) VALUES(?, ?)"
        self._drop_sql = f"DELETE FROM {node} WHERE nodeno=?"
        self._leaf_sql = f"SELECT nodeno FROM {rowid} WHERE rowid=?"
        self._add_row_sql = f"INSERT INTO {rowid}(rowid, nodeno) VALUES(?, ?)"
        self._move_row_sql = f"UPDATE {rowid} SET nodeno=? WHERE rowid=?"
        self._drop_row_sql = f"DELETE FROM {rowid} WHERE rowid=?"
        self._parent_sql = f"SELECT parentnode FROM {parent} WHERE nodeno=?"
        self._set_parent_sql = f"INSERT OR REPLACE INTO {parent}(nodeno, parentnode) VALUES(?, ?)"
        self._drop_parent_sql = f"DELETE FROM {parent} WHERE nodeno=?"

    # Nodes

    def cells_of(self, number: int) -> tuple[int, list[Cell]]:
        """The depth in a node's header and its cells, not to be changed."""
        data = self.host.read_blob(self._read_sql, number)
        known = self._known.get(number)
        if known is not None and known[0] == data:
            return known[1], known[2]
        if not isinstance(data, bytes):
            raise corrupt()
        depth, cells = self.format.decode(data)
        if len(self._known) >= _KEPT_NODES:
            self._known.clear()
        self._known[number] = (data, depth, cells)
        return depth, cells

    def read_nodes(self) -> dict[int, tuple[int, list[Cell]]]:
        """Depths and cells of nodes by number, for a search that fills in what it reads: those read since the database
        was last changed; none while this connection writes."""
        stamp = self.host.read_stamp()
        if stamp is None or stamp != self._stamp or len(self._read) >= _KEPT_NODES:
            self._stamp = stamp
            self._read = {}
        return self._read

    def root(self) -> Node:
        """The root; notes the depth of the tree."""
        depth, cells = self.cells_of(ROOT)
        if depth > MAX_DEPTH:
            raise corrupt()
        self.depth = depth
        return Node(ROOT, list(cells), depth)

    def node(self, number: int, height: int) -> Node:
        """A node whose height is known."""
        return Node(number, list(self.cells_of(number)[1]), height)

    def _write(self, node: Node) -> None:
        depth = self.depth if node.number == ROOT else 0
        data = self.format.encode(depth, node.cells, self.node_size)
        self.host.change(self._write_sql, (node.number, data))
        self._known[node.number] = (data, depth, list(node.cells))

    def _new_number(self) -> int:
        return self.host.change(self._write_sql, (None, bytes(self.node_size)))

    def forget(self) -> None:
        """Drops what is kept in memory."""
        self._stamp = None
        self._known.clear()

    # Finding

    def leaf_of(self, rowid: int) -> int | None:
        """The number of the leaf that holds a row, None if there is no such row."""
        rows = self.host.execute(self._leaf_sql, (rowid,))
        return rows[0][0] if rows else None

    def cell_of(self, rowid: int) -> Cell | None:
        """The cell of a row."""
        leaf = self.leaf_of(rowid)
        if leaf is None:
            return None
        for cell in self.cells_of(leaf)[1]:
            if cell[0] == rowid:
                return cell
        raise corrupt()

    def _path_to(self, number: int) -> list[int]:
        """The numbers of the nodes from the root to a node."""
        path = [number]
        while path[0] != ROOT:
            rows = self.host.execute(self._parent_sql, (path[0],))
            if not rows or rows[0][0] in path or len(path) > MAX_DEPTH:
                raise corrupt()
            path.insert(0, rows[0][0])
        return path

    # Entering

    def insert(self, rowid: int, box: Box) -> None:
        """Enters a row that is not there."""
        self._insert((rowid, *box), 0, True)

    def _insert(self, cell: Cell, height: int, is_new: bool) -> None:
        """Enters a cell into a node of the height; its row or child learns where it is."""
        path = [self.root()]
        if height > self.depth:
            raise corrupt()
        while path[-1].height > height:
            parent = path[-1]
            chosen = _least_growth(parent.cells, cell[1:])
            path.append(self.node(parent.cells[chosen][0], parent.height - 1))
        leaf = path[-1]
        leaf.cells.append(cell)
        if is_new:
            self.host.execute(self._add_row_sql, (cell[0], leaf.number))
        else:
            self._tell_place(cell[0], leaf)
        self._settle(path)

    def _tell_place(self, identifier: int, node: Node) -> None:
        """A row or node now lies in `node`."""
        if node.height == 0:
            self.host.execute(self._move_row_sql, (node.number, identifier))
        else:
            self.host.execute(self._set_parent_sql, (identifier, node.number))

    def _settle(self, path: list[Node]) -> None:
        """Writes the nodes of a path from below, splitting those that are too full."""
        while path:
            node = path.pop()
            if len(node.cells) <= self.max_cells:
                self._write(node)
                if not path or not self._renew_box(path[-1], node):
                    return
                continue
            left, right = _split(node.cells, self.min_cells)
            if node.number == ROOT:
                self._grow(node, left, right)
                return
            sibling = Node(self._new_number(), right, node.height)
            node.cells = left
            self._write(node)
            self._write(sibling)
            for cell in right:
                self._tell_place(cell[0], sibling)
            parent = path[-1]
            self._renew_box(parent, node)
            parent.cells.append((sibling.number, *box_around(right)))
            self._tell_place(sibling.number, parent)

    def _grow(self, root: Node, left: list[Cell], right: list[Cell]) -> None:
        """The root is split: its halves become its children."""
        children = [Node(self._new_number(), cells, root.height) for cells in (left, right)]
        root.cells = [(child.number, *box_around(child.cells)) for child in children]
        root.height += 1
        self.depth += 1
        for child in children:
            self._write(child)
            self._tell_place(child.number, root)
            for cell in child.cells:
                self._tell_place(cell[0], child)
        self._write(root)

    def _renew_box(self, parent: Node, child: Node) -> bool:
        """Puts the child's box into its cell; tells whether it has changed."""
        box = box_around(child.cells)
        for place, cell in enumerate(parent.cells):
            if cell[0] == child.number:
                if cell[1:] == box:
                    return False
                parent.cells[place] = (child.number, *box)
                return True
        raise corrupt()

    # Removing

    def delete(self, rowid: int) -> None:
        """Removes a row, if it is there."""
        leaf = self.leaf_of(rowid)
        if leaf is None:
            return
        root = self.root()
        numbers = self._path_to(leaf)
        if len(numbers) != root.height + 1:
            raise corrupt()
        path = [root] + [self.node(number, root.height - depth) for depth, number in enumerate(numbers[1:], 1)]
        before = len(path[-1].cells)
        path[-1].cells = [cell for cell in path[-1].cells if cell[0] != rowid]
        if len(path[-1].cells) == before:
            raise corrupt()
        self.host.execute(self._drop_row_sql, (rowid,))
        orphans: list[Node] = []
        while len(path) > 1 and len(path[-1].cells) < self.min_cells:
            node = path.pop()
            self._take_out(path[-1], node)
            orphans.append(node)
        self._write_upwards(path)
        for node in orphans:
            for cell in node.cells:
                self._insert(cell, node.height, False)
        self._lower_root()

    def _take_out(self, parent: Node, node: Node) -> None:
        parent.cells = [cell for cell in parent.cells if cell[0] != node.number]
        self.host.execute(self._drop_sql, (node.number,))
        self.host.execute(self._drop_parent_sql, (node.number,))
        self._known.pop(node.number, None)

    def _write_upwards(self, path: list[Node]) -> None:
        while path:
            node = path.pop()
            self._write(node)
            if not path or not node.cells or not self._renew_box(path[-1], node):
                return

    def _lower_root(self) -> None:
        """A root with a single child takes the child's place."""
        root = self.root()
        while root.height > 0 and len(root.cells) == 1:
            child = self.node(root.cells[0][0], root.height - 1)
            self._take_out(root, child)
            root.cells = child.cells
            root.height -= 1
            self.depth -= 1
            for cell in root.cells:
                self._tell_place(cell[0], root)
            self._write(root)
        if root.height > 0 and not root.cells:
            self.depth = 0
            self._write(Node(ROOT, [], 0))


def _least_growth(cells: Sequence[Cell], box: Box) -> int:
    """The cell whose box has to grow least, the smallest of several."""
    best = -1
    best_key = (0.0, 0.0)
    for place, cell in enumerate(cells):
        own = area(cell[1:])
        key = (area(joined(cell[1:], box)) - own, own)
        if best < 0 or key < best_key:
            best, best_key = place, key
    if best < 0:
        raise corrupt()
    return best


def _split(cells: list[Cell], least: int) -> tuple[list[Cell], list[Cell]]:
    """Two halves with at least `least` cells each."""
    least = max(least, 1)
    best: tuple[float, list[Cell]] | None = None
    for axis in range(1, len(cells[0]), 2):
        ordered = sorted(cells, key=lambda cell: (cell[axis], cell[axis + 1]))
        total = 0.0
        for size in range(least, len(ordered) - least + 1):
            total += margin(box_around(ordered[:size])) + margin(box_around(ordered[size:]))
        if best is None or total < best[0]:
            best = (total, ordered)
    assert best is not None, "there is at least one dimension"
    ordered = best[1]
    choices = []
    for size in range(least, len(ordered) - least + 1):
        first, second = box_around(ordered[:size]), box_around(ordered[size:])
        choices.append((overlap(first, second), area(first) + area(second), size))
    size = min(choices)[2]
    return ordered[:size], ordered[size:]
