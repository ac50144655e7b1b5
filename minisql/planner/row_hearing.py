"""Code that tells the preupdate hook of rows which are about to change; none while there is no hook.

SQLite's hook hears of every row of an ordinary table that INSERT, UPDATE, DELETE, REPLACE, triggers and foreign-key actions
change, rowid table or not, with all its columns; of the schema table and sqlite_sequence it hears nothing.

Source: https://www.sqlite.org/c3ref/preupdate_blobwrite.html; what it hears of was taken from tests/oracle/test_hooks.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.planner.optimizations import HEARS_ROWS

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters
    from minisql.planner.targets import Target

_INSERT, _UPDATE, DELETION = 18, 23, 9


def emit_row_heard(compiler: Compiler, target: Target, old: RowRegisters | None, new: RowRegisters | None) -> None:
    """Tells of a row that is deleted (no `new`), inserted (no `old`) or changed."""
    if not compiler.context.flags[HEARS_ROWS]:
        return
    table = target.table
    operation = DELETION if new is None else _INSERT if old is None else _UPDATE
    columns = range(len(table.columns))
    blocks = [tuple([row.column(position) for position in columns]) if row is not None else None for row in (old, new)]
    before, after = old or new, new or old
    assert before is not None and after is not None, "a row is there before or after"
    rowids = (0, 0) if table.is_without_rowid else (before.rowid, after.rowid)
    compiler.emit(op.PreUpdate, p4=(operation, table.name, table.schema_index, *blocks, *rowids))
