"""Pieces: what an emitter adds to a program, cut out of it to be put into another one.

A piece names registers, cursors, labels and addresses by number.  It fits where the same registers are free and hold the same
constants; to other cursors, labels and addresses it is moved.  Loops that begin and do not end within a piece are closed by
whoever has it put in.

Source: DESIGN, "Front end".
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from minisql.bytecode.operands import ROLES
from minisql.bytecode.program import LoopExtent

if TYPE_CHECKING:
    from minisql.bytecode.builder import OpenLoop, ProgramBuilder
    from minisql.bytecode.program import Instruction

Place = tuple[int, int, int, int, int, int, int]
"""How many instructions, registers, cursors, labels, jumps, loops and open loops a program has."""


class Piece:
    """What was added to a builder since a place, by its attributes of the same names; `outside` is the one label from outside
    that the piece may jump to, `constants` are the values of the registers in `constant_registers`."""

    __slots__ = (
        "code", "constant_registers", "constants", "jumps", "label_addresses", "loops", "n_cursors", "open_loops", "outside",
        "place", "template",
    )  # fmt: skip

    def __init__(self, builder: ProgramBuilder, place: Place, outside: int) -> None:
        n_instructions, n_registers, _, n_labels, n_jumps, n_loops, n_open_loops = place
        self.place = place
        self.outside = outside
        self.code: list[Instruction] = builder.code[n_instructions:]
        self.template = builder.template[n_registers:]
        self.n_cursors = builder.n_cursors
        self.label_addresses = builder.label_addresses[n_labels:]
        self.jumps = builder.jumps[n_jumps:]
        self.loops = [_copy(loop) for loop in builder.loops[n_loops:]]
        self.open_loops: list[OpenLoop] = builder.open_loops[n_open_loops:]
        added = [item for item in builder.constant_registers.items() if item[1] >= n_registers]
        self.constant_registers = dict(added)
        self.constants = {register: builder.template[register] for _, register in added}

    def put_into(self, builder: ProgramBuilder) -> None:
        """Adds the piece to a builder at its place."""
        builder.code += self.code
        builder.template += self.template
        builder.n_cursors = self.n_cursors
        builder.label_addresses += self.label_addresses
        builder.jumps += self.jumps
        if self.loops:
            builder.loops += [_copy(loop) for loop in self.loops]
        builder.open_loops += self.open_loops
        builder.constant_registers.update(self.constant_registers)

    def moved(self, place: Place, outside: int) -> Piece:
        """The piece for another place with the same registers, and another label outside."""
        made = copy(self)
        move = Move(self, place, outside)
        made.place = place
        made.outside = outside
        made.code = [move.instruction(instruction) for instruction in self.code]
        made.n_cursors = self.n_cursors + move.cursors
        made.label_addresses = [at if at < 0 else at + move.addresses for at in self.label_addresses]
        made.jumps = [address + move.addresses for address in self.jumps]
        made.loops = [move.loop(loop) for loop in self.loops]
        made.open_loops = [
            (opcode, cursor + move.cursors, start + move.addresses, body + move.addresses, row, n_columns)
            for opcode, cursor, start, body, row, n_columns in self.open_loops
        ]
        return made


class Move:
    """How far a piece is moved: the differences of addresses, cursors and labels."""

    __slots__ = ("addresses", "cursors", "labels", "outside")

    def __init__(self, piece: Piece, place: Place, outside: int) -> None:
        old = piece.place
        self.addresses = place[0] - old[0]
        self.cursors = place[2] - old[2]
        # Labels are negative.
        self.labels = old[3] - place[3]
        self.outside = (piece.outside, outside)

    def label(self, label: int) -> int:
        """The label that takes the place of another."""
        old, new = self.outside
        return new if label == old else label + self.labels

    def instruction(self, instruction: Instruction) -> Instruction:
        """The instruction with its cursors and where it jumps to; 0 means that it does not jump."""
        opcode, p1, p2, p3, p4, p5 = instruction
        roles = ROLES[opcode]
        if roles[0] == "c":
            p1 += self.cursors
        if roles[1] == "j":
            if p2 < 0:
                p2 = self.label(p2)
            elif p2:
                p2 += self.addresses
        elif roles[1] == "c":
            p2 += self.cursors
        if roles[2] == "c":
            p3 += self.cursors
        return (opcode, p1, p2, p3, p4, p5)

    def loop(self, loop: LoopExtent) -> LoopExtent:
        """The extent of a loop that is closed within the piece."""
        by = self.addresses
        return LoopExtent(
            loop.kind, loop.cursor + self.cursors, loop.start + by, loop.body + by, loop.next + by, loop.end + by, loop.row,
            loop.n_columns,
        )  # fmt: skip


def place_of(builder: ProgramBuilder) -> Place:
    """Where a piece that is emitted next begins."""
    return (
        len(builder.code),
        len(builder.template),
        builder.n_cursors,
        len(builder.label_addresses),
        len(builder.jumps),
        len(builder.loops),
        len(builder.open_loops),
    )


def _copy(loop: LoopExtent) -> LoopExtent:
    """Extents move when instructions are put before them."""
    return LoopExtent(loop.kind, loop.cursor, loop.start, loop.body, loop.next, loop.end, loop.row, loop.n_columns)
