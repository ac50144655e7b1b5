"""Trigger programs: compiled once per trigger and conflict mode, run by the Program instruction in a frame of their own.

The arguments of a trigger program are the registers of OLD and of NEW, in this order, as far as the event has them; inside
they are the program's first registers.  The steps are compiled by the ordinary statement emitters, which register themselves
in `STEP_EMITTERS`; a conflict clause of the outer statement overrides those of the steps.  Recursion needs no depth here: a
trigger that fires itself refers to the Program object that is still being filled.

Foreign-key actions are trigger programs too, with steps that nobody wrote.

Source: https://www.sqlite.org/lang_createtrigger.html, https://www.sqlite.org/opcode.html#Program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import Program
from minisql.errors import CONSTRAINT_TRIGGER, ERROR, sqlite_error
from minisql.limits import call_on_fresh_stack
from minisql.parser import ast
from minisql.planner.announcing import announce_expressions
from minisql.planner.compiler import Compiler
from minisql.planner.expressions import EMITTERS
from minisql.planner.layout import allocate_row, table_layout
from minisql.planner.optimizations import HEARS_STEPS
from minisql.planner.rows import row_source
from minisql.planner.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from minisql.catalog.schema import Table, Trigger
    from minisql.planner.layout import RowRegisters

STEP_EMITTERS: dict[type, Callable[[Compiler, Any], object]] = {}
"""Emitters of the statements that may be steps; insert, update, delete and selection enter theirs."""

TEMP = 1
FRESH_STACK_EVERY = 25
"""Levels of programs within programs after which compilation goes on in a new thread: some 20 Python frames each."""

ACTION_CODES = {"ROLLBACK": op.ON_CONFLICT_ROLLBACK, "ABORT": op.ON_CONFLICT_ABORT, "FAIL": op.ON_CONFLICT_FAIL}


class TriggerContext:
    """What a compiler knows while it compiles a trigger program: the `scope` of OLD and NEW, the `conflict` mode that
    overrides the steps' own (0: none), the schema in which unqualified names are looked up (`home`, None: as usual), and the
    trigger's `name` (None for a foreign-key action); `json_columns` of NEW are JSON; `level` is how deep the program is
    nested."""

    __slots__ = ("conflict", "home", "json_columns", "level", "name", "scope")

    def __init__(
        self, scope: Scope, conflict: int, home: str | None, name: str | None = None, json_columns: frozenset[int] = frozenset()
    ) -> None:
        self.name = name
        self.json_columns = json_columns
        self.level = 0
        self.scope = scope
        self.conflict = conflict
        self.home = home


def triggers_of(compiler: Compiler, table: Table, event: str, changed: Collection[str] | None = None) -> list[Trigger]:
    """The triggers that an event fires, in SQLite's order: TEMP ones first, then the newest first.

    `changed` holds the lower-case names of the columns that an UPDATE sets.
    """
    triggers = table.triggers
    if not triggers or compiler.ignores_triggers:
        return []
    found = [
        trigger
        for trigger in triggers
        if trigger.statement.event == event
        and (
            changed is None
            or trigger.statement.update_columns is None
            or any(name.lower() in changed for name in trigger.statement.update_columns)
        )
    ]
    if len(found) < 2:
        return found
    # The table lists TEMP triggers first and everything newest first; of TEMP triggers SQLite fires the oldest first.
    temporary = [trigger for trigger in found if trigger.schema_index == TEMP != table.schema_index]
    temporary.reverse()
    return temporary + found[len(temporary) :]


def has_time(triggers: Sequence[Trigger], time: str) -> bool:
    """Tells whether one of the triggers is BEFORE, AFTER or INSTEAD OF, as `time` says."""
    return any(trigger.statement.time == time for trigger in triggers)


def emit_triggers(
    compiler: Compiler,
    table: Table,
    triggers: Sequence[Trigger],
    time: str,
    old: RowRegisters | None,
    new: RowRegisters | None,
    conflict: int,
    ignore: int,
) -> None:
    """Runs the triggers with that time; RAISE(IGNORE) jumps to `ignore`."""
    arguments: tuple[int, ...] | None = None
    json_columns = new.json_columns if new is not None else frozenset()
    for trigger in triggers:
        if trigger.statement.time != time:
            continue
        if arguments is None:
            arguments = (old.all_registers() if old else ()) + (new.all_registers() if new else ())
        statement = trigger.statement
        home = None if trigger.schema_index == TEMP else schema_name(compiler, trigger.schema_index)
        program = compile_program(
            compiler,
            ("trigger", trigger.schema_index, trigger.name.lower(), conflict, json_columns),
            table,
            (old is not None, new is not None),
            statement.when,
            statement.steps,
            TriggerContext(Scope([]), conflict, home, trigger.name, json_columns),
        )
        guard = 0 if compiler.context.flags.get("recursive_triggers") else 1
        name = (trigger.schema_index, trigger.name.lower())
        compiler.emit(op.Program, guard, ignore, 0, (program, arguments, name))


def schema_name(compiler: Compiler, database: int) -> str:
    """The name of a database of the connection."""
    schema = compiler.context.catalog.schemas[database]
    assert schema is not None, "a loaded object's schema exists"
    return schema.name


def compile_program(
    compiler: Compiler,
    key: tuple[object, ...],
    table: Table,
    has_rows: tuple[bool, bool],
    when: ast.Expression | None,
    steps: Sequence[ast.Statement],
    context: TriggerContext,
) -> Program:
    """The sub-program of a trigger or a foreign-key action, from the statement's cache or compiled now.

    `has_rows` says whether OLD and NEW are handed over.
    """
    programs = compiler.programs
    if compiler.pinned:
        key = (*key, compiler.pinned)
    program = programs.get(key)
    if program is not None:
        return program
    program = programs[key] = Program([], [None], 0)
    context.level = compiler.trigger.level + 1 if compiler.trigger is not None else 1
    if context.level % FRESH_STACK_EVERY:
        _fill_program(compiler, program, table, has_rows, when, steps, context)
    else:
        call_on_fresh_stack(_fill_program, compiler, program, table, has_rows, when, steps, context)
    return program


def _fill_program(
    compiler: Compiler,
    program: Program,
    table: Table,
    has_rows: tuple[bool, bool],
    when: ast.Expression | None,
    steps: Sequence[ast.Statement],
    context: TriggerContext,
) -> None:
    inner = compiler.spawn()
    inner.programs = compiler.programs
    inner.pinned = compiler.pinned
    inner.trigger = context
    inner.home = context.home
    inner.acting_object = context.name
    builder = inner.builder
    layout = table_layout(table)
    sources = []
    for name, is_there in zip(("old", "new"), has_rows):
        if is_there:
            row = allocate_row(builder, layout)
            if name == "new":
                row.json_columns = context.json_columns
            source = row_source(table, row, name, is_qualified_only=True)
            # A view has no rowid; its triggers see none.
            sources.append(source)
    program.n_arguments = len(builder.template) - 1
    context.scope.sources.extend(sources)
    end = inner.label()
    hears_steps = compiler.context.flags[HEARS_STEPS]
    if hears_steps:
        _emit_trace(inner)
    if when is not None:
        if inner.authorized is not None:
            announce_expressions(inner, [when], context.scope)
        inner.emit_condition(when, context.scope, end, False, True)
    for step in steps:
        if hears_steps and context.name:
            _emit_trace(inner)
        STEP_EMITTERS[step.__class__](inner, step)
        if step.__class__ is not ast.Select:
            inner.emit(op.ResetCount, 1)
    inner.place(end)
    inner.emit(op.Halt)
    finished = finish_sub_program(inner)
    program.code = finished.code
    program.template = finished.template
    program.n_cursors = finished.n_cursors
    program.loops = finished.loops
    program.parameters = ()
    compiler.databases_read |= inner.databases_read
    compiler.databases_written |= inner.databases_written


def _emit_trace(compiler: Compiler) -> None:
    """The trace callback hears of a trigger or foreign-key action that begins, and of each step of a trigger.

    Source: https://www.sqlite.org/c3ref/c_trace.html (SQLITE_TRACE_STMT)
    """
    compiler.emit(op.HostCall, p4=("trace", ()))


def finish_sub_program(inner: Compiler) -> Program:
    """Ends a program that starts no transactions of its own: those of the statement cover it."""
    if inner.prologue:
        inner.builder.insert_prologue(inner.prologue, 0)
    return inner.builder.finish()


def emit_raise(compiler: Compiler, node: ast.Raise, scope: Scope, target: int) -> int:
    """RAISE: ends the trigger program and what the action says beyond it.

    Source: https://www.sqlite.org/lang_createtrigger.html section 6.
    """
    if compiler.trigger is None:
        raise sqlite_error(ERROR, "RAISE() may only be used within a trigger-program")
    if node.action == "IGNORE":
        compiler.emit(op.Halt, CONSTRAINT_TRIGGER, op.ON_CONFLICT_IGNORE)
        return target or compiler.constant(None)
    assert node.message is not None, "only IGNORE has no message"
    register = compiler.emit_expression(node.message, scope)
    action = ACTION_CODES[node.action]
    if register in compiler.constants:
        message = compiler.constants[register]
        text = message if isinstance(message, str) else "" if message is None else str(message)
        compiler.emit(op.Halt, CONSTRAINT_TRIGGER, action, 0, text)
    else:
        compiler.emit(op.Halt, CONSTRAINT_TRIGGER, action, register, None, op.MESSAGE_IN_REGISTER)
    return target or compiler.constant(None)


EMITTERS[ast.Raise] = emit_raise
