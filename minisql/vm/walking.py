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
from minisql.values.affinity import NUMERIC, apply_affinity
from minisql.vm.handlers import HANDLERS
from minisql.vm.interpreter import POLL_STEPS, interpret, poll

if TYPE_CHECKING:
    from minisql.vm.frame import Frame
    from minisql.vm.host import Host

Row = tuple[Any, ...]

OPENERS = frozenset(
    (
        op.OpenRead, op.OpenWrite, op.OpenList, op.OpenTree, op.HashOpen, op.SorterOpen, op.GroupOpen, op.SetOpen, op.MemoOpen,
        op.QueueOpen, op.WindowOpen, op.VOpen, op.ConstantRows, op.HostRows, op.OpenDup,
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


def scan(cursor: Any, host: Host, test: tuple[tuple[int, int], ...] | None) -> Iterator[tuple[Any, bool]]:
    """Yields the rows of a scan leaf by leaf, and whether the specialised loop may take them.

    `test` holds pairs (column, mask bits that it must not have); None for a loop that takes all leaves.  A leaf that is refused
    comes as (rowids, rows).
    """
    for rowids, rows, masks in cursor.leaves():
        if host.is_interrupted:
            poll(host)
        if test is not None:
            for column, refused in test:
                if masks[column] & refused:
                    yield (rowids, rows), False
                    break
            else:
                yield rows, True
        else:
            yield rows, True


def scan_with_rowids(cursor: Any, host: Host, test: tuple[tuple[int, int], ...] | None) -> Iterator[tuple[Any, bool]]:
    """As `scan`, but leaves come as pairs (rowid, row)."""
    for rowids, rows, masks in cursor.leaves():
        if host.is_interrupted:
            poll(host)
        if test is not None and any(masks[column] & refused for column, refused in test):
            yield (rowids, rows), False
        else:
            yield zip(rowids, rows), True


def scan_index(cursor: Any, host: Host, test: None) -> Iterator[tuple[Any, bool]]:
    """As `scan`, for an index."""
    for entries, _ in cursor.leaves():
        if host.is_interrupted:
            poll(host)
        yield entries, True


def interpret_leaf(frame: Frame, part: LoopPart, leaf: tuple[list[int], list[Row]]) -> Generator[Row, None, int]:
    """Runs the body of a loop in tier 1 for every row of a leaf that the specialised loop has refused.

    It is called with `yield from`; the value is 0, or the address outside of the loop to which the body has jumped.
    """
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
    take = queue.take
    row = take()
    countdown = POLL_STEPS
    while row is not None:
        yield row
        countdown -= 1
        if not countdown:
            countdown = POLL_STEPS
            poll(host)
        row = take()


def walk_leaves(first: Row | None, cursor: Any) -> Iterable[Row]:
    """Yields `first`, on which a storage cursor stands, and all rows behind it; the cursor moves leaf by leaf."""
    if first is None:
        return ()
    return chain.from_iterable(_leaves_from(cursor))


def _leaves_from(cursor: Any) -> Iterator[list[Row]]:
    while True:
        rows = cursor.rows
        position = cursor.position
        # The cursor stands on the last row meanwhile: after an edit it seeks the place behind that.
        cursor.position = len(rows) - 1
        yield rows[position:] if position else rows
        if cursor.next() is None:
            return


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
