"""Frame: one running program or sub-program: its registers, cursors and counters.

The frame of the statement itself is the root; a trigger program or a foreign-key action runs in a frame whose `parent` is the
frame that called it.  What belongs to the statement as a whole (the immediate foreign-key counter) lives on the root.

Source: https://www.sqlite.org/opcode.html, "Program".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.vm.host import Host


class Frame:
    """A running program: `registers` and `cursors` are lists, `pc` is valid only while another frame runs on top.

    `n_changes` rows changed and not yet reported; `reported` tells that ResetCount has reported some; `once` addresses of Once
    instructions already passed; `saved_rowid` and `saved_changes` are the connection's values to restore when a sub-program
    ends; `closables` are cursors that need a `close()`; `immediate_violations` is the statement's foreign-key counter
    (root only).
    """

    __slots__ = (
        "_root",
        "closables",
        "cursors",
        "depth",
        "host",
        "immediate_violations",
        "n_changes",
        "name",
        "once",
        "parent",
        "pc",
        "program",
        "registers",
        "reported",
        "saved_changes",
        "saved_rowid",
    )

    def __init__(self, program: Program, registers: list[Any], host: Host, parent: Frame | None = None) -> None:
        self.program = program
        self.registers = registers
        self.cursors: list[Any] = [None] * program.n_cursors
        self.closables: list[Any] | None = None
        self.host = host
        self.parent = parent
        self.pc = 0
        self.n_changes = 0
        self.reported = False
        self.once: set[int] | None = None
        if parent is None:
            self._root: Frame | None = None
            self.depth = 0
            self.immediate_violations = 0
        else:
            self._root = parent.root
            self.depth = parent.depth + 1
            self.saved_rowid = host.last_insert_rowid
            self.saved_changes = host.changes
        self.name: object = None

    @property
    def root(self) -> Frame:
        """The frame of the statement itself.  A reference of that frame to itself would be a cycle, and would leave the whole
        compiled statement to the garbage collector."""
        return self._root or self

    def close_cursors(self) -> None:
        """Lets go of every cursor; those over something outside of storage are closed."""
        if self.closables is not None:
            for cursor in self.closables:
                cursor.close()
            self.closables = None
        self.cursors.clear()

    def add_closable(self, cursor: Any) -> None:
        """Notes that `cursor.close()` must be called when the frame ends."""
        if self.closables is None:
            self.closables = [cursor]
        else:
            self.closables.append(cursor)

    def report_changes(self) -> None:
        """Makes the frame's count what changes() returns and adds it to total_changes()."""
        host = self.host
        host.changes = self.n_changes
        host.total_changes += self.n_changes
        self.n_changes = 0
        self.reported = True
