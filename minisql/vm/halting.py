"""How programs end badly: errors that carry the conflict action with them.

Source: https://www.sqlite.org/lang_conflict.html.
"""

from __future__ import annotations

from typing import Any

from minisql.bytecode.opcodes import ON_CONFLICT_ABORT
from minisql.errors import Error, sqlite_error
from minisql.values.cast import to_text


def halt_error(code: int, action: int, message: object) -> Error:
    """Returns the error of a Halt; its attribute `conflict_action` tells the engine how much to undo.

    ROLLBACK undoes the transaction, ABORT the statement, FAIL nothing.  Errors without the attribute mean ABORT.
    Source: https://www.sqlite.org/lang_conflict.html
    """
    error = sqlite_error(code, message if message is None or isinstance(message, str) else to_text(message))
    error.conflict_action = action or ON_CONFLICT_ABORT  # type: ignore[attr-defined]
    return error


def raised_text(message: Any) -> str:
    """The text of RAISE(..., message): of NULL an empty one."""
    return "" if message is None else to_text(message)
