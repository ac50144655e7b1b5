"""Machine: runs programs, in the tier that fits.

`run` is what the engine calls for every statement.  It returns an iterator of row tuples; the first instruction runs when the
first row is asked for (a statement without rows must be exhausted to have its effect), and closing the iterator releases the
cursors.  Transactions are the engine's: the Transaction instruction asks the host to begin, and the engine ends the
statement when the iterator is exhausted, closed or has raised.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.vm.interpreter import interpret

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.vm.host import Host

Row = tuple[Any, ...]


def run(program: Program, host: Host, parameters: Sequence[Any] = ()) -> Iterator[Row]:
    """Returns the rows of a program.  `parameters[n - 1]` is the value of parameter n; all of them must be there.

    Errors carry `conflict_action` (ON_CONFLICT_*) where ON CONFLICT decides how much is undone; without it ABORT holds.
    Raises SchemaChanged when the program was compiled for another schema.
    """
    return interpret(program, host, parameters)
