"""What translated code calls: iteration over cursors, searches, and tier 1 for leaves that a specialised loop refuses.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import Halt
from minisql.bytecode.program import Instruction, LoopExtent, Program
from minisql.storage.index_cursor import IndexCursor
from minisql.storage.table_cursor import TableCursor
from minisql.values.affinity import NUMERIC, apply_affinity
from minisql.vm.handlers import HANDLERS
from minisql.vm.interpreter import POLL_STEPS, interpret, poll

if TYPE_CHECKING:
    from minisql.vm.frame import Frame
    from minisql.vm.host import Host

Row = tuple[Any, ...]

_JOINED_ROWS = 500
_MANY_REFUSED = 16
_KEPT_RANGES = 20_000
_SHORT_RANGE = 50
_KEPT_ROWS = 200_000

OPENERS = frozenset(
    (
        op.OpenRead, op.OpenWrite, op.OpenList, op.OpenTree, op.HashOpen, op.SorterOpen, op.GroupOpen, op.SetOpen, op.MemoOpen,
        op.QueueOpen, op.WindowOpen, op.ConstantRows, op.HostRows, op.OpenDup,
    )
)  # fmt: skip


def opened_cursor(instruction: Instruction) -> int:
    """The number of the cursor that one of the OPENERS opens."""
    number: int = instruction[3] if instruction[0] == op.HostRows else instruction[1]
    return number


def prepare(frame: Frame, registers: list[Any], instructions: list[Instruction]) -> list[Any]:
    """Runs the handlers of instructions that do not jump; returns the cursors that they have opened."""
    opened = []
    for instruction in instructions:
        opcode = instruction[0]
        HANDLERS[opcode](frame, registers, instruction, 0)
        if opcode in OPENERS:
            opened.append(frame.cursors[opened_cursor(instruction)])
    return opened


class Scan:
    """A scan of a table for a `for` loop: it yields the rows of each leaf, and whether the specialised loop may take them.

    `test` holds pairs (column, mask bits that it must not have); None for a loop that takes all leaves.  A leaf that is refused
    comes as (rowids, rows).  With `pairs`, leaves come as pairs (rowid, row); with `joins`, several leaves in one list; with
    `down`, from the last row to the first.
    When a statement changes the tree while the loop hands out a row (`edits` has moved), the loop calls `resume` with its row
    and asks for the next leaf: the scan goes on behind that row in the tree as it is now.
    """

    __slots__ = (
        *("_down", "_joins", "_pairs", "_start", "_test"),
        *("cursor", "edits", "host", "is_behind", "n_refused", "rowids", "rows"),
    )

    def __init__(
        self,
        cursor: Any,
        host: Host,
        test: tuple[tuple[int, int], ...] | None,
        pairs: bool,
        joins: bool = False,
        down: bool = False,
    ) -> None:
        self._joins = joins
        self._down = down
        self.cursor = cursor
        self.host = host
        self._test = test
        self._pairs = pairs
        self._start: int | None = None
        self.is_behind = False
        self.rowids: list[int] = []
        self.rows: list[Row] = []
        self.edits = 0
        self.n_refused = 0

    def __iter__(self) -> Iterator[tuple[Any, bool]]:
        return self._joined() if self._joins else self._leaves()

    def _joined(self) -> Iterator[tuple[Any, bool]]:
        rows: list[Any] = []
        for leaf, is_accepted in self._leaves():
            if is_accepted:
                rows += leaf
                if len(rows) >= _JOINED_ROWS:
                    yield rows, True
                    rows = []
                continue
            if rows:
                yield rows, True
                rows = []
            yield leaf, False
        if rows:
            yield rows, True

    def _leaves(self) -> Iterator[tuple[Any, bool]]:
        test = self._test or ()
        host = self.host
        tree = self.cursor.tree
        while True:
            leaves = self.cursor.leaves_down if self._down else self.cursor.leaves
            for rowids, rows, masks in leaves(self._start):
                if host.is_interrupted:
                    poll(host)
                self.rowids = rowids
                self.rows = rows
                self.edits = tree.edits
                for column, refused in test:
                    if masks[column] & refused:
                        self._note_refused(masks)
                        yield (rowids, rows), False
                        break
                else:
                    yield (zip(rowids, rows) if self._pairs else rows), True
                if self.is_behind:
                    break
            else:
                return
            self.is_behind = False

    def _note_refused(self, masks: Any) -> None:
        """Counts a leaf that is refused, and has the tree remember what it holds, for the next translation."""
        self.n_refused += 1
        met = self.cursor.tree.met_masks
        for column, _ in self._test or ():
            met[column] = met.get(column, 0) | masks[column]

    def resume(self, row: Row) -> None:
        """Makes the scan go on behind a row of the current leaf."""
        self._start = self.rowids[_position(self.rows, row)] + (0 if self._down else 1)
        self.is_behind = True


def _position(rows: list[Row], row: Row) -> int:
    """The position of a row, by identity."""
    return next(position for position, other in enumerate(rows) if other is row)


class RowsByRowid(dict[Any, Row | None]):
    """The rows of a table by what is searched for, found once each: for searches within a loop.

    A leaf that is asked for a second row is taken over whole.  `edits` tells which state of the tree the rows are of.
    """

    __slots__ = ("_met", "cursor", "edits")

    def __init__(self, cursor: Any) -> None:
        self.cursor = cursor
        self.edits = cursor.tree.edits
        self._met: set[int] | None = None

    def __missing__(self, key: Any) -> Row | None:
        cursor = self.cursor
        row = cursor.seek_rowid(key) if key.__class__ is int else seek_value(cursor, key)
        if row is not None and not cursor.is_single:
            # The cursor's lists are kept by the leaf, so their identity stands for it; a coincidence only costs time.
            leaf = id(cursor.rowids)
            met = self._met
            if met is None:
                self._met = {leaf}
            elif leaf in met:
                if len(self) > _KEPT_ROWS:
                    self.start_again()
                self.update(zip(cursor.rowids, cursor.rows))
            else:
                met.add(leaf)
        self[key] = row
        return row

    def start_again(self) -> None:
        """Forgets all rows: there are too many, or the table has changed."""
        self.clear()
        self._met = None
        self.edits = self.cursor.tree.edits


class LeafWalk:
    """Walks a storage cursor from where it stands, list by list, for loops that hand out rows; `resume` as in Scan, the other
    arguments as in walk_lists."""

    __slots__ = ("_above", "_down", "_entry", "_first", "_key", "cursor", "edits", "host", "rows")

    def __init__(
        self, cursor: Any, host: Host, first: Row | None, key: Row | None = None, above: bool = False, down: bool = False
    ) -> None:
        self.cursor = cursor
        self._key = key
        self._above = above
        self._down = down
        self.host = host
        self._first = first
        self._entry: Row | None = None
        self.rows: list[Row] = []
        self.edits = 0

    @property
    def is_behind(self) -> bool:
        """Tells whether the walk has to seek its place again."""
        return self._entry is not None

    def __iter__(self) -> Iterator[list[Row]]:
        if self._first is None:
            return
        cursor = self.cursor
        while True:
            if self.host.is_interrupted:
                poll(self.host)
            rows = self.rows = cursor.rows
            self.edits = cursor.tree.edits
            part, is_last = _part_of_list(cursor, self._key, self._above, self._down)
            if part:
                yield part
            entry = self._entry
            if entry is None:
                if is_last or (cursor.previous() if self._down else cursor.next()) is None:
                    return
                continue
            self._entry = None
            place = _place(cursor, rows, entry)
            if (cursor.seek_lt(place) if self._down else cursor.seek_gt(place)) is None:
                return

    def resume(self, row: Row) -> None:
        """Makes the walk go on behind a row of the current list."""
        self._entry = row


class ShortWalk:
    """As LeafWalk for a range of an index that ends in the list in which it begins; `resume` adds another list, of the entries
    behind the given one in the tree as it is."""

    __slots__ = ("_above", "_key", "_lists", "cursor", "edits", "host", "is_behind")

    def __init__(self, rows: list[Row], cursor: Any, host: Host, key: Row, above: bool) -> None:
        self._lists = [rows]
        self.cursor = cursor
        self.host = host
        self._key = key
        self._above = above
        self.edits = cursor.tree.edits
        self.is_behind = False

    def __iter__(self) -> Iterator[list[Row]]:
        for rows in self._lists:
            yield rows
            self.is_behind = False

    def resume(self, row: Row) -> None:
        """Makes the walk go on behind a row of the current list."""
        cursor = self.cursor
        self._lists.append(list(walk_rows(cursor, self.host, cursor.seek_gt(row), self._key, self._above)))
        self.edits = cursor.tree.edits
        self.is_behind = True


def leaf_walk(
    cursor: Any, host: Host, first: Row | None, key: Row | None = None, above: bool = False, down: bool = False
) -> LeafWalk | ShortWalk:
    """Returns what walks a storage cursor from where it stands; most ranges of an index are short."""
    if first is not None and key is not None and not down and cursor.__class__ is IndexCursor and not cursor.is_single:
        rows, position = cursor.rows, cursor.position
        end = cursor.place_of(key, above, position, len(rows))
        if end < len(rows) and not host.is_interrupted:
            return ShortWalk(rows[position:end], cursor, host, key, above)
    return LeafWalk(cursor, host, first, key, above, down)


def _part_of_list(cursor: Any, key: Row | None, above: bool, down: bool) -> tuple[list[Row], bool]:
    """The rows of a storage cursor's list from its position on in the way it goes, and whether a range ends among them.

    The cursor is left on the last of the list in that way: after an edit it seeks the place behind that.
    """
    rows: list[Row] = cursor.rows
    position: int = cursor.position
    if down:
        start = 0 if key is None else cursor.place_of(key, above, 0, position + 1)
        cursor.position = 0
        return rows[start : position + 1][::-1], start > 0
    end = len(rows)
    cursor.position = end - 1
    if key is not None:
        end = cursor.place_of(key, above, position, end)
        if end < len(rows):
            return rows[position:end], True
    return rows[position:] if position else rows, False


def _place(cursor: Any, rows: list[Row], row: Row) -> Any:
    """What to seek to come to a row: its rowid in a table, itself in an index."""
    return cursor.rowids[_position(rows, row)] if cursor.__class__ is TableCursor else row


def interpret_leaf(
    frame: Frame, part: LoopPart, leaf: tuple[list[int], list[Row]], scan: Scan
) -> Generator[Row, None, int]:
    """Runs the body of a loop in tier 1 for every row of a leaf that the specialised loop has refused.

    It is called with `yield from`; the value is 0, or the address outside of the loop to which the body has jumped.  When many
    leaves are refused, the program is translated again before its next run.
    """
    if scan.n_refused == _MANY_REFUSED:
        frame.program.linked = None
    cursor = frame.cursors[part.cursor]
    registers = frame.registers
    rowids, rows = leaf
    cursor.enter_leaf(rowids, rows)
    for position, row in enumerate(rows):
        cursor.position = position
        if part.row:
            registers[part.row : part.row + len(row)] = row
        frame.pc = part.body
        yield from interpret(part.program, frame.host, resumed=frame)
        if frame.pc != part.next:
            return frame.pc
        if scan.cursor.tree.edits != scan.edits:
            scan.resume(row)
            break
    return 0


def pass_once(frame: Frame, address: int) -> None:
    """Notes for tier 1 that the Once instruction before an address has been passed."""
    if frame.once is None:
        frame.once = {address}
    else:
        frame.once.add(address)


def is_passed(frame: Frame, address: int) -> bool:
    """Tells whether the Once instruction before an address has been passed."""
    return frame.once is not None and address in frame.once


class LoopPart:
    """A loop body as a program of its own: the instructions around it are replaced by Halts, at the same addresses."""

    __slots__ = ("body", "cursor", "next", "program", "row")

    def __init__(self, program: Program, loop: LoopExtent) -> None:
        self.cursor = loop.cursor
        self.body = loop.body
        self.next = loop.next
        self.row = loop.row
        halt: Instruction = (Halt, 0, 0, 0, None, 0)
        code = [halt] * len(program.code)
        code[loop.body : loop.next] = program.code[loop.body : loop.next]
        self.program = Program(code, program.template, program.n_cursors)


def walk(first: Row | None, advance: Callable[[], Row | None]) -> Iterable[Row]:
    """Yields `first`, then what `advance` gives, until it gives None."""
    if first is None:
        return ()
    return chain((first,), iter(advance, None))


def walk_queue(queue: Any, host: Host) -> Iterator[Row]:
    """Yields the rows of a queue, to which the loop's body may add for ever: so it looks for an interrupt now and then."""
    countdown = POLL_STEPS
    waiting = queue.waiting
    take = queue.take if waiting is None else waiting.popleft
    while True:
        if waiting is None:
            row = take()
            if row is None:
                return
        elif waiting:
            row = queue.row = take()
        else:
            return
        yield row
        countdown -= 1
        if not countdown:
            countdown = POLL_STEPS
            poll(host)


def polled(rows: list[Row], host: Host) -> Iterator[Row]:
    """Yields rows and asks the host now and then whether to go on: for loops around other loops."""
    for n, row in enumerate(rows, 1):
        if n % 64 == 0 and host.is_interrupted:
            poll(host)
        yield row


def walk_lists(
    cursor: Any, host: Host, first: Row | None, key: Row | None = None, above: bool = False, down: bool = False
) -> Iterator[list[Row]]:
    """Yields the rows from `first` on, on which a storage cursor stands, list by list; with `down` in descending order.

    A key ends the range of an index: in front of the first entry not before it, or, with `above`, behind all that start with
    it; downwards, entries beyond that place belong to the range.
    """
    if first is None:
        return
    while True:
        if host.is_interrupted:
            poll(host)
        part, is_last = _part_of_list(cursor, key, above, down)
        if part:
            yield part
        if is_last or (cursor.previous() if down else cursor.next()) is None:
            return


def walk_rows(
    cursor: Any, host: Host, first: Row | None, key: Row | None = None, above: bool = False, down: bool = False
) -> Iterable[Row]:
    """Gives what `walk_lists` yields row by row."""
    if first is None:
        return ()
    if key is not None and not down and cursor.__class__ is IndexCursor and not cursor.is_single and not host.is_interrupted:
        rows, position = cursor.rows, cursor.position
        end = cursor.place_of(key, above, position, len(rows))
        if end < len(rows):
            # The range ends in the list in which it begins, as most do.
            cursor.position = len(rows) - 1
            return rows[position:end]
    return chain.from_iterable(walk_lists(cursor, host, first, key, above, down))


def walk_range(cursor: Any, host: Host, key: Row) -> Iterable[Row]:
    """Gives the entries of an index that start with a key, for loops that ask again and again: short ranges are kept, up to a
    bound, while the tree stays as it is."""
    kept: dict[Row, list[Row]] | None = cursor.ranges
    if kept is None or cursor.ranges_edits != cursor.tree.edits or len(kept) > _KEPT_RANGES:
        kept = cursor.ranges = {}
        cursor.ranges_edits = cursor.tree.edits
    found = kept.get(key)
    if found is not None:
        return found
    rows = walk_rows(cursor, host, cursor.seek(key, "ge"), key, True)
    if rows.__class__ is list and len(rows) <= _SHORT_RANGE:
        kept[key] = rows
    return rows


def seek_value(cursor: Any, key: Any) -> Row | None:
    """Moves a table cursor to the rowid that a value of any class stands for; None if there is none.

    Source: https://www.sqlite.org/opcode.html#SeekRowid
    """
    if key.__class__ is not int:
        key = apply_affinity(key, NUMERIC)
        if key.__class__ is not int:
            return None
    row: Row | None = cursor.seek_rowid(key)
    return row


def rowid_of(cursor: Any) -> int | None:
    """The rowid of a cursor's current row; NULL on the null row of an outer join."""
    try:
        rowid: int | None = cursor.rowid
    except IndexError:
        return None
    return rowid
