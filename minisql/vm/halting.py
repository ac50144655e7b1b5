"""How programs end badly: errors that carry the conflict action with them.

Source: https://www.sqlite.org/lang_conflict.html.
"""

from __future__ import annotations

from minisql.bytecode.opcodes import ON_CONFLICT_ABORT
from minisql.errors import Error, sqlite_error


def halt_error(code: int, action: int, message: str | None) -> Error:
    """Returns the error of a Halt; its attribute `conflict_action` tells the engine how much to undo.

    ROLLBACK undoes the transaction, ABORT the statement, FAIL nothing.  Errors without the attribute mean ABORT.
    Source: https://www.sqlite.org/lang_conflict.html
    """
    error = sqlite_error(code, message)
    error.conflict_action = action or ON_CONFLICT_ABORT  # type: ignore[attr-defined]
    return error
