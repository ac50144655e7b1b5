"""What statements that write note in the Compiler: databases, kinds, the need for a statement journal.

Source: https://www.sqlite.org/c3ref/stmt_readonly.html, https://www.sqlite.org/tempfiles.html section 2.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler


def use_database(compiler: Compiler, database: int, writes: bool) -> None:
    """Notes that the program reads or writes a database: its transaction starts in the prologue."""
    bit = 1 << database
    compiler.databases_read |= bit
    if writes:
        compiler.databases_written |= bit


def begin_ddl(compiler: Compiler, database: int) -> None:
    """Notes that the program changes the schema of a database."""
    use_database(compiler, database, True)
    compiler.is_ddl = True
    compiler.needs_statement_journal = True


def statement_conflict(compiler: Compiler, own: int) -> int:
    """The conflict action of a statement: inside a trigger program, that of the outer statement if it has one."""
    trigger = compiler.trigger
    return (trigger.conflict if trigger is not None else 0) or own
