"""The Python source that tier 2 makes of a statement: `PRAGMA minisql_source('SELECT ...')`, and `.source` in the shell.

The statement is compiled and translated, not run.  What the source says depends on the data, too: a loop over a table is
specialised on the storage classes that its first leaf has.

Source: DESIGN, "A VM of two tiers"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.vm.compiled import gather_hints
from minisql.vm.register_plan import Untranslatable
from minisql.vm.translator import Hints, translate

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.engine.session import Session


def source_lines(session: Session, sql: str) -> list[str]:
    """The lines of the source of a statement and, behind it, of the triggers and foreign-key actions that it calls.

    A program that stays in tier 1 is a comment with the reason.  Raises what preparing the statement raises.
    """
    statement, _ = session.prepare(sql)
    if statement.is_empty:
        return []
    program = statement.program
    for instruction in program.code:
        if instruction[0] == op.OpenRead or instruction[0] == op.OpenWrite:
            session.ensure_reading(instruction[3])
    lines = _lines_of(program, gather_hints(program, session, True, True), False)
    for number, called in enumerate(_called_programs(program), 1):
        lines += ["", f"# sub-program {number}", *_lines_of(called, Hints({}, False, True), True)]
    return lines


def _lines_of(program: Program, hints: Hints, is_sub: bool) -> list[str]:
    try:
        return translate(program, hints, is_sub).source.splitlines()
    except Untranslatable as reason:
        return [f"# stays in tier 1: {reason}"]


def _called_programs(program: Program) -> list[Program]:
    """All programs that one leads to, each once."""
    found: list[Program] = []
    pending = [program]
    while pending:
        for instruction in pending.pop().code:
            if instruction[0] == op.Program and not any(instruction[4][0] is known for known in found):
                found.append(instruction[4][0])
                pending.append(instruction[4][0])
    return found
