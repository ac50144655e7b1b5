"""Machine: runs programs, in the tier that fits.

`run` is what the engine calls for every statement.  It returns an iterator of row tuples; the first instruction runs when the
first row is asked for (a statement without rows must be exhausted to have its effect), and closing the iterator releases the
cursors.  Transactions are the engine's: the Transaction instruction asks the host to begin, and the engine ends the
statement when the iterator is exhausted, closed or has raised.

`host.tier` chooses: '1' interprets; '2' translates what can be translated; 'both' runs a query in both tiers and fails where
they differ; 'auto' translates a query when the interpreter finds that it scans a large table, when it has spent many steps,
or when the same program has run often.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.errors import InternalInvariantError
from minisql.vm.interpreter import DATA_CHANGING, interpret
from minisql.vm.register_plan import Untranslatable

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.vm.compiled import CompiledProgram
    from minisql.vm.host import Host

Row = tuple[Any, ...]

# Runs after which a cached program is translated.
RUNS_BEFORE_TRANSLATION = 60
MAX_INSTRUCTIONS = 2000
_FAILED = "untranslatable"


def run(program: Program, host: Host, parameters: Sequence[Any] = ()) -> Iterator[Row]:
    """Returns the rows of a program.  `parameters[n - 1]` is the value of parameter n; all of them must be there.

    Errors carry `conflict_action` (ON_CONFLICT_*) where ON CONFLICT decides how much is undone; without it ABORT holds.
    Raises SchemaChanged when the program was compiled for another schema.
    """
    tier = host.tier
    if tier == "1" or host.progress is not None:
        return interpret(program, host, parameters)
    if program.statement_kind != "select" or not program.readonly:
        return _run_change(program, host, parameters)
    if tier != "auto":
        return _run_translated(program, host, parameters, tier == "both")
    linked = program.linked
    if linked is None or linked.__class__ is int:
        n_runs = program.linked = 1 if linked is None else linked + 1
        if n_runs < RUNS_BEFORE_TRANSLATION:
            if not program.loops:
                return interpret(program, host, parameters)
            acts = None if program.is_deterministic else True
            return interpret(program, host, parameters, partial(_promote, program, host, parameters), None, acts)
        program.linked = None
        return _run_translated(program, host, parameters, False, True)
    if linked is _FAILED:
        return interpret(program, host, parameters)
    return linked.start(program, host, parameters)  # type: ignore[attr-defined, no-any-return]


def _run_change(program: Program, host: Host, parameters: Sequence[Any]) -> Iterator[Row]:
    """Runs a statement that is no query; one that changes data is translated when it has run often, or as tier 2 demands."""
    linked = program.linked
    if linked is None or linked.__class__ is int:
        if program.statement_kind not in DATA_CHANGING:
            return interpret(program, host, parameters)
        n_runs = program.linked = 1 if linked is None else linked + 1
        if n_runs < RUNS_BEFORE_TRANSLATION and host.tier == "auto":
            if not program.loops:
                return interpret(program, host, parameters)
            return interpret(program, host, parameters, partial(_promote, program, host, parameters), None, True)
        program.linked = None
        return _run_translated(program, host, parameters, False, True)
    if linked is _FAILED:
        return interpret(program, host, parameters)
    return linked.start(program, host, parameters)  # type: ignore[attr-defined, no-any-return]


def _promote(program: Program, host: Host, parameters: Sequence[Any], may_translate: bool) -> Iterator[Row] | None:
    """Starts a program afresh in tier 2; None if it has to stay in tier 1, or is not translated yet and shall not be."""
    compiled = compiled_program(program, host, True, may_translate)
    return None if compiled is None else compiled.start(program, host, parameters)


def tier_of(program: Program) -> str:
    """The tier that the last run of a program has ended in, in words."""
    linked = program.linked
    if linked is _FAILED:
        return "1, as it cannot be translated"
    return "1" if linked is None or linked.__class__ is int else "2"


def compiled_program(
    program: Program, host: Host, specialises: bool, may_translate: bool = True, is_hot: bool = False
) -> CompiledProgram | None:
    """The compiled form of a program, made now if need be and allowed; None if it cannot be translated.

    A read transaction must be open: the first leaves of its tables are looked at.
    """
    linked = program.linked
    if linked is _FAILED:
        return None
    if linked is None or linked.__class__ is int:
        if not may_translate and "minisql.vm.compiled" not in sys.modules:
            return None
        tier_2 = _load_tier_2()
        if len(program.code) > MAX_INSTRUCTIONS:
            program.linked = _FAILED
            return None
        try:
            hints = tier_2.gather_hints(program, host, specialises, is_hot)
            compiled = tier_2.compile_program(program, hints, may_translate)
            if compiled is None:
                return None
            program.linked = compiled
        except Untranslatable:
            program.linked = _FAILED
            return None
    return program.linked  # type: ignore[return-value]


def _load_tier_2() -> Any:
    """The translator is imported when it is first needed; small statements never do."""
    return import_module("minisql.vm.compiled")


def _run_translated(
    program: Program, host: Host, parameters: Sequence[Any], compares: bool, is_hot: bool = False
) -> Iterator[Row]:
    """Tier 2 from the start; with `compares`, tier 1 too.  `is_hot` tells that the program runs often."""
    # A statement that writes begins its transaction itself: whether it waits for a lock depends on how it begins.
    if program.readonly and program.loops:
        for opcode, database, _, cookie, generation, _ in program.code:
            if opcode == op.Transaction:
                host.begin_statement(database, False, cookie, generation)
    compiled = compiled_program(program, host, True, True, is_hot)
    if compiled is None:
        yield from interpret(program, host, parameters)
    elif not compares or not program.is_deterministic:
        yield from compiled.start(program, host, parameters)
    else:
        expected = list(interpret(program, host, parameters))
        rows = list(compiled.start(program, host, parameters))
        if repr(rows) != repr(expected):
            raise InternalInvariantError(f"tier 2 differs from tier 1: {rows!r:.500} is not {expected!r:.500}")
        yield from rows
