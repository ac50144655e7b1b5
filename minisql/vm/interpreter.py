"""Tier 1: the loop that runs a Program instruction by instruction and hands out its rows.

`interpret` is a generator: it stops at every row and may be closed at any of them; closing releases the cursors.  The few
opcodes of nearly every statement (Next, ResultRow, jumps and comparisons) are decided inside the loop, for the plain cases
only; everything else goes through the table of handlers.  Sub-programs (triggers, foreign-key actions) run in the same loop on
a frame of their own, so their depth costs no Python stack.

Measured with benchmarks/vm_dispatch.py: an instruction inside the loop costs 25-45 ns, through the table 70-120 ns.

Source: https://www.sqlite.org/opcode.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from minisql import limits
from minisql.bytecode import opcodes
from minisql.bytecode.opcodes import ON_CONFLICT_ABORT, ON_CONFLICT_FAIL, ON_CONFLICT_IGNORE
from minisql.bytecode.program import GroupSpec, WindowSpec
from minisql.errors import CONSTRAINT_FOREIGNKEY, ERROR, INTERRUPT, Error, sqlite_error
from minisql.storage.index_cursor import IndexCursor
from minisql.storage.table_cursor import TableCursor
from minisql.values.arithmetic import truth
from minisql.vm import handlers_bulk, handlers_control, handlers_cursor, handlers_expression, handlers_table, handlers_write
from minisql.vm.comparing import compare_jumps
from minisql.vm.frame import Frame
from minisql.vm.halting import halt_error, raised_text
from minisql.vm.handlers import HANDLERS
from minisql.vm.picking import GETTERS

if TYPE_CHECKING:
    from minisql.bytecode.program import Instruction, Program
    from minisql.vm.host import Host

Row = tuple[Any, ...]

# The modules fill HANDLERS when they are imported.
HANDLER_MODULES = (handlers_bulk, handlers_control, handlers_cursor, handlers_expression, handlers_table, handlers_write)

POLL_STEPS = 1000
# Loop steps after which a query goes over to a translation that exists already, and further ones after which it is translated:
# in a large tree so many as show that it is not a page of rows that is read, else so many for each instruction of the program
# that about as much time has passed as translating takes (benchmarks/vm_dispatch.py).
STEPS_BEFORE_LOOKUP = 60
STEPS_BEFORE_TRANSLATION = 120
STEPS_PER_INSTRUCTION = 60
INTERPRETED_PER_TRANSLATED = 200
CHANGES = frozenset(
    (
        opcodes.Insert, opcodes.Delete, opcodes.IdxInsert, opcodes.IdxDelete, opcodes.IdxBuild, opcodes.AppendRows,
        opcodes.InsertRows, opcodes.UpdateRows, opcodes.DeleteRows, opcodes.Clear, opcodes.Destroy, opcodes.CreateBtree,
        opcodes.SetCookie, opcodes.ParseSchema, opcodes.VUpdate, opcodes.FkCounter, opcodes.Program, opcodes.ResetCount,
        opcodes.HostCall, opcodes.HostRows, opcodes.AutoCommit, opcodes.Savepoint, opcodes.NewRowid,
        opcodes.PreUpdate,
    )
)  # fmt: skip
_ACTS = CHANGES | frozenset((opcodes.Function, opcodes.GroupStep, opcodes.WindowStep))
DATA_CHANGING = frozenset(("insert", "update", "delete", "replace"))


def interpret(
    program: Program,
    host: Host,
    parameters: Sequence[Any] = (),
    promote: Callable[[bool], Iterator[Row] | None] | None = None,
    resumed: Frame | None = None,
    acts: bool | None = None,
) -> Iterator[Row]:
    """Runs a program; yields its rows as tuples.

    `parameters[n - 1]` is the value of parameter n.  `promote` is given when the program may be started afresh in tier 2: it
    is called when loops have made some steps, with false as long as only a translation that exists already is worth it, and
    its rows are handed out from where this tier has come.
    For a statement that changes data or calls what may not be called twice (`acts`; None: the program tells) it is asked only
    before that has begun.
    `resumed` is a frame to go on with at its `pc`; it stays open, and its `pc` tells which Halt has ended the run.
    Errors that ON CONFLICT decides about carry the action in `conflict_action`.
    """
    if resumed is None:
        registers = program.template.copy()
        for number, register in program.parameters:
            registers[register] = parameters[number - 1]
        root = frame = Frame(program, registers, host)
        pc = 0
    else:
        root = frame = resumed
        registers = frame.registers
        pc = frame.pc
    code = program.code
    cursors = frame.cursors
    handlers = HANDLERS
    getters = GETTERS
    poll_steps = POLL_STEPS if host.progress is None else max(1, host.progress_steps // 4)
    promote_later = promote
    countdown = poll_steps if promote_later is None else STEPS_BEFORE_LOOKUP
    has_looked = False
    a: Any
    b: Any
    n_rows = 0
    n_changes = host.total_changes
    translated: Iterator[Row] | None = None
    try:
        while True:
            instruction = code[pc]
            opcode, p1, p2, p3, p4, p5 = instruction
            pc += 1
            if opcode > 16:  # LAST_INLINED
                pc = handlers[opcode](frame, registers, instruction, pc)
            elif opcode > 6:
                if opcode < 13:  # Eq Ne Lt Le Gt Ge
                    a = registers[p1]
                    b = registers[p3]
                    kind = a.__class__
                    other = b.__class__
                    if (kind is int or kind is float) and (other is int or other is float) and p5 & 15 != 2:  # not TEXT
                        if opcode == 7:
                            if a == b:
                                pc = p2
                        elif opcode == 9:
                            if a < b:
                                pc = p2
                        elif opcode == 11:
                            if a > b:
                                pc = p2
                        elif opcode == 8:
                            if a != b:
                                pc = p2
                        elif opcode == 10:
                            if a <= b:
                                pc = p2
                        elif a >= b:
                            pc = p2
                    elif opcode < 9 and p4 is None and not p5 & 255 and a is not None and b is not None:  # Eq Ne
                        if (a == b) == (opcode == 7):
                            pc = p2
                    elif compare_jumps(opcode, a, b, p4, p5):
                        pc = p2
                elif opcode == 13:  # Rewind
                    cursor = cursors[p1]
                    row = cursor.first()
                    if row is None:
                        pc = p2
                    elif p3:
                        registers[p3 : p3 + len(row)] = row
                        if promote is not None and not n_rows and is_large(cursor, p2 - pc, len(code)):
                            if may_start_afresh(frame, pc - 1, acts):
                                translated = promote(True)
                                if translated is not None:
                                    break
                            promote = promote_later = None
                elif opcode == 14:  # Halt
                    if p1:
                        if frame.parent is None or p2 != ON_CONFLICT_IGNORE:
                            raise halt_error(p1, p2, raised_text(registers[p3]) if p5 else p4)
                        frame.close_cursors()
                        frame = leave_frame(frame)
                        registers = frame.registers
                        code = frame.program.code
                        cursors = frame.cursors
                        pc = code[frame.pc - 1][2]
                    elif frame.parent is None:
                        if resumed is not None:
                            frame.pc = pc - 1
                            return
                        if program.statement_kind in DATA_CHANGING:
                            finish_changes(frame)
                        return
                    else:
                        frame.close_cursors()
                        frame = leave_frame(frame)
                        registers = frame.registers
                        code = frame.program.code
                        cursors = frame.cursors
                        pc = frame.pc
                elif opcode == 15:  # Program
                    callee = enter_frame(frame, registers, instruction, pc)
                    if callee is not None:
                        frame = callee
                        registers = frame.registers
                        code = frame.program.code
                        cursors = frame.cursors
                        pc = 0
                else:  # Prev
                    row = cursors[p1].previous()
                    if row is not None:
                        if p3:
                            registers[p3 : p3 + len(row)] = row
                        pc = p2
                        countdown -= 1
                        if not countdown:
                            countdown = poll_steps
                            if promote_later is not None:
                                if not may_start_afresh(frame, instruction, acts):
                                    has_looked = True
                                else:
                                    translated = promote_behind(promote_later, has_looked, host, n_changes, n_rows)
                                    if translated is not None:
                                        break
                                if has_looked:
                                    promote = promote_later = None
                                else:
                                    has_looked = True
                                    countdown = steps_to_go(cursors[p1], len(code))
                            poll(host)
            elif opcode == 0:  # Next
                row = cursors[p1].next()
                if row is not None:
                    if p3:
                        registers[p3 : p3 + len(row)] = row
                    pc = p2
                    countdown -= 1
                    if not countdown:
                        countdown = poll_steps
                        if promote_later is not None:
                            if not may_start_afresh(frame, instruction, acts):
                                has_looked = True
                            else:
                                translated = promote_behind(promote_later, has_looked, host, n_changes, n_rows)
                                if translated is not None:
                                    break
                            if has_looked:
                                promote = promote_later = None
                            else:
                                has_looked = True
                                countdown = steps_to_go(cursors[p1], len(code))
                        poll(host)
            elif opcode == 1:  # ResultRow
                n_rows += 1
                if p4 is not None:
                    yield getters[p4](registers)
                elif p2 == 1:
                    yield (registers[p1],)
                else:
                    yield tuple(registers[p1 : p1 + p2])
            elif opcode == 2:  # Goto
                pc = p2
                countdown -= 1
                if not countdown:
                    countdown = poll_steps
                    if promote_later is not None:
                        if not may_start_afresh(frame, instruction, acts):
                            has_looked = True
                        else:
                            translated = promote_behind(promote_later, has_looked, host, n_changes, n_rows)
                            if translated is not None:
                                break
                        if has_looked:
                            promote = promote_later = None
                        else:
                            has_looked = True
                            countdown = STEPS_PER_INSTRUCTION * len(code)
                    poll(host)
            elif opcode < 5:  # If, IfNot
                a = registers[p1]
                if a.__class__ is not int:
                    if a is None:
                        if p3:
                            pc = p2
                        continue
                    a = truth(a)
                if opcode == 3:
                    if a:
                        pc = p2
                elif not a:
                    pc = p2
            elif opcode == 5:  # IsNull
                if registers[p1] is None:
                    pc = p2
            elif registers[p1] is not None:  # NotNull
                pc = p2
    except Error as error:
        # FAIL keeps what the statement has done so far, so that counts.
        if getattr(error, "conflict_action", 0) == ON_CONFLICT_FAIL and program.statement_kind in DATA_CHANGING:
            if root.immediate_violations > 0:
                raise halt_error(CONSTRAINT_FOREIGNKEY, ON_CONFLICT_ABORT, "FOREIGN KEY constraint failed") from error
            root.report_changes()
        raise
    finally:
        while frame is not root:
            frame.close_cursors()
            host.last_insert_rowid = frame.saved_rowid
            frame = frame.parent  # type: ignore[assignment]
        if resumed is None:
            frame.close_cursors()
    assert translated is not None
    yield from translated


def poll(host: Host) -> None:
    """Asks the connection whether to go on; raises SQLITE_INTERRUPT if not.

    Source: https://www.sqlite.org/c3ref/interrupt.html, https://www.sqlite.org/c3ref/progress_handler.html
    """
    if host.is_interrupted or (host.progress is not None and host.progress()):
        raise sqlite_error(INTERRUPT)


def promote_behind(
    promote: Callable[[bool], Iterator[Row] | None], may_translate: bool, host: Host, n_changes: int, n_rows: int
) -> Iterator[Row] | None:
    """Starts in tier 2 and skips the rows that have been handed out already; None when that cannot be done.

    The query is deterministic, so it gives the same rows again unless the connection has changed something meanwhile.
    """
    if host.total_changes != n_changes:
        return None
    translated = promote(may_translate)
    return translated if translated is None or not n_rows else islice(translated, n_rows, None)


def is_large(cursor: Any, n_body: int, n_code: int) -> bool:
    """Tells whether what is being scanned has so many rows that translating pays, for a body of `n_body` instructions.

    Measured with benchmarks/vm_dispatch.py: translating an instruction takes as long as interpreting some 200.
    """
    if cursor.__class__ is not TableCursor and cursor.__class__ is not IndexCursor:
        return False
    n_rows = len(cursor.rows)
    for node, _ in cursor.path or ():
        n_rows *= len(node.children)
    return n_rows * n_body > INTERPRETED_PER_TRANSLATED * n_code


def steps_to_go(cursor: Any, n_code: int) -> int:
    """How many more steps a loop makes before its program is translated; half of a large tree is taken to lie ahead."""
    return STEPS_BEFORE_TRANSLATION if is_large(cursor, n_code >> 1, n_code) else STEPS_PER_INSTRUCTION * n_code


def address_of(code: Sequence[Instruction], instruction: Instruction) -> int:
    """The address of an instruction that has just jumped back; the last one where it stands more than once."""
    return max(address for address, other in enumerate(code) if other is instruction)


def may_start_afresh(frame: Frame, at: int | Instruction, acts: bool | None) -> bool:
    """Tells whether a program may be started once more when it has come to an address, or has just jumped back by an
    instruction; for `acts` see `interpret`."""
    if acts is None:
        acts = calls_user_aggregates(frame.program)
    if not acts:
        return True
    return is_before_acts(frame, at if at.__class__ is int else address_of(frame.program.code, at))  # type: ignore[arg-type]


def calls_user_aggregates(program: Program) -> bool:
    """Tells whether a program calls aggregate or window functions of the user; the planner says it of scalar functions."""
    for instruction in program.code:
        spec = instruction[4]
        if isinstance(spec, (GroupSpec, WindowSpec)):
            if any(call.function is not None and not call.function.is_built_in for call in spec.calls):
                return True
    return False


def is_before_acts(frame: Frame, pc: int) -> bool:
    """Tells whether nothing can have been changed or called when `pc` is reached, so that the program may start afresh.

    A jump from behind a change to `pc` itself may have been the way there.  In a trigger something has been changed: that is
    what runs it.
    """
    if frame.parent is not None:
        return False
    code = frame.program.code
    first = next((address for address, instruction in enumerate(code) if instruction[0] in _ACTS), len(code))
    return pc <= first and all(
        instruction[2] > pc for instruction in code[first:] if instruction[0] in opcodes.JUMPS and instruction[2] != 0
    )


def finish_changes(frame: Frame) -> None:
    """Ends a data-changing statement: immediate foreign keys must hold, then changes() is set.

    Source: https://www.sqlite.org/foreignkeys.html section 4.2, https://www.sqlite.org/c3ref/changes.html
    """
    if frame.immediate_violations > 0:
        raise halt_error(CONSTRAINT_FOREIGNKEY, ON_CONFLICT_ABORT, "FOREIGN KEY constraint failed")
    if frame.n_changes or not frame.reported:
        frame.report_changes()


def enter_frame(frame: Frame, registers: list[Any], instruction: tuple[Any, ...], pc: int) -> Frame | None:
    """Makes the frame of a Program instruction's sub-program; None when the recursion guard says that it must not run.

    Source: https://www.sqlite.org/opcode.html#Program
    """
    program, argument_registers, name = instruction[4]
    identity = program if name is None else name
    if instruction[1]:
        caller: Frame | None = frame
        while caller is not None:
            if caller.name is identity or caller.name == identity:
                return None
            caller = caller.parent
    if frame.depth >= frame.host.limits[limits.TRIGGER_DEPTH]:
        raise halt_error(ERROR, ON_CONFLICT_ABORT, "triggers nested too deep")
    frame.pc = pc
    values = program.template.copy()
    if argument_registers:
        values[1 : 1 + len(argument_registers)] = GETTERS[argument_registers](registers)
    callee = Frame(program, values, frame.host, frame)
    callee.name = identity
    return callee


def leave_frame(frame: Frame) -> Frame:
    """Ends a sub-program: the caller gets back its last_insert_rowid() and changes(); returns the caller.

    Source: https://www.sqlite.org/lang_corefunc.html#last_insert_rowid
    """
    parent = frame.parent
    assert parent is not None
    host = frame.host
    host.last_insert_rowid = frame.saved_rowid
    host.changes = frame.saved_changes
    return parent


assert opcodes.LAST_INLINED == opcodes.Prev == 16 and opcodes.NotNull == 6 and opcodes.Ge == 12 and opcodes.Program == 15
