"""Sub-programs (triggers, foreign-key actions) in tier 2: functions that the translated statement calls for each row.

A sub-program that does without handlers needs no frame; every other one runs in a frame of its own, whose parent is the
caller's, as in tier 1.  They are translated when the statement is, so that nothing turns out to be untranslatable half-way.

Source: https://www.sqlite.org/opcode.html#Program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql import limits
from minisql.bytecode.opcodes import ON_CONFLICT_ABORT
from minisql.errors import ERROR
from minisql.vm.frame import Frame
from minisql.vm.halting import halt_error

if TYPE_CHECKING:
    from minisql.bytecode.program import Instruction, Program
    from minisql.vm.compiled import CompiledProgram
    from minisql.vm.host import Host

_STACK_LEVELS = 50


class SubProgram:
    """What calls the sub-program of a Program instruction."""

    __slots__ = ("_is_guarded", "_name", "_program")

    def __init__(self, instruction: Instruction) -> None:
        self._program: Program
        self._program, _, name = instruction[4]
        self._name: object = self._program if name is None else name
        self._is_guarded = bool(instruction[1])

    def __call__(self, frame: Frame, host: Host, values: tuple[Any, ...]) -> bool:
        """Runs the sub-program with the values of its arguments; tells whether RAISE(IGNORE) has ended it.

        It does not run inside itself unless recursive triggers are on.
        """
        compiled: CompiledProgram = self._program.linked  # type: ignore[assignment]
        if frame.parent is None and not compiled.needs_registers and host.limits[limits.TRIGGER_DEPTH] > 0:
            # What a row of the statement itself calls, and that does without a frame: most triggers.
            saved_rowid, saved_changes = host.last_insert_rowid, host.changes
            try:
                is_ignored: object = compiled.function(host, *values)
            finally:
                host.last_insert_rowid = saved_rowid
            host.changes = saved_changes
            return is_ignored is True
        if self._is_guarded and frame.parent is not None:
            caller: Frame | None = frame
            while caller is not None:
                if caller.name is self._name or caller.name == self._name:
                    return False
                caller = caller.parent
        if frame.depth >= host.limits[limits.TRIGGER_DEPTH]:
            raise halt_error(ERROR, ON_CONFLICT_ABORT, "triggers nested too deep")
        if frame.depth % _STACK_LEVELS == _STACK_LEVELS - 1:
            return limits.call_on_fresh_stack(self._run, frame, host, values)
        return self._run(frame, host, values)

    def _run(self, frame: Frame, host: Host, values: tuple[Any, ...]) -> bool:
        compiled: CompiledProgram = self._program.linked  # type: ignore[assignment]
        saved_rowid, saved_changes = host.last_insert_rowid, host.changes
        callee = None
        try:
            if compiled.needs_registers:
                registers = self._program.template.copy()
                registers[1 : 1 + len(values)] = values
                if compiled.needs_frame:
                    callee = Frame(self._program, registers, host, frame)
                    callee.name = self._name
                is_ignored: object = compiled.function(host, *values, callee, registers)
            else:
                is_ignored = compiled.function(host, *values)
        finally:
            host.last_insert_rowid = saved_rowid
            if callee is not None:
                callee.close_cursors()
        host.changes = saved_changes
        return is_ignored is True
