"""The registry of tier-1 handlers: one function per opcode, `handler(frame, registers, instruction, pc) -> pc`.

`instruction` is the whole tuple (opcode, p1, p2, p3, p4, p5); `pc` is the address behind it, which a handler returns to go on
or replaces by p2 to jump.  The modules `handlers_*` fill the registry by the decorator; their functions are what an opcode
means, and tier 2 calls the same functions for everything that it does not translate itself.  A handler's contract is the text
in `minisql.bytecode.opcodes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.bytecode.opcodes import CONTRACTS
from minisql.errors import InternalInvariantError

if TYPE_CHECKING:
    from minisql.vm.frame import Frame

Operands = tuple[int, Any, Any, Any, Any, int]
Handler = Callable[["Frame", list[Any], Operands, int], int]


def _missing(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    raise InternalInvariantError(f"opcode {CONTRACTS[i[0]].name} at {pc - 1} is not for the interpreter's table")


HANDLERS: list[Handler] = [_missing] * len(CONTRACTS)


def handles(*opcodes: int) -> Callable[[Handler], Handler]:
    """Decorator: the function is the handler of these opcodes."""

    def register(function: Handler) -> Handler:
        for opcode in opcodes:
            HANDLERS[opcode] = function
        return function

    return register


def is_handled(opcode: int) -> bool:
    """Tells whether an opcode has a handler in the table."""
    return HANDLERS[opcode] is not _missing
