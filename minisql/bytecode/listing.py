"""Listing: a Program as text, and as the rows of EXPLAIN.

EXPLAIN has SQLite's eight columns (addr, opcode, p1, p2, p3, p4, p5, comment).  Operands that are not integers (p4 mostly) are
printed in a form that is stable from run to run, so golden tests can hold listings.

Source: https://www.sqlite.org/opcode.html section 2.4, https://www.sqlite.org/lang_explain.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minisql.bytecode.opcodes import CONTRACTS, JUMP_IF_NULL, NULLS_EQUAL, Eq, Ge
from minisql.bytecode.program import (
    AggregateCall,
    ConstantSet,
    GroupSpec,
    HashSpec,
    Program,
    RowsSpec,
    SortSpec,
    WindowCall,
    WindowSpec,
)
from minisql.functions.registry import AggregateFunction, ScalarFunction
from minisql.values.collation import Collation
from minisql.values.shape import KeyShape, RowShape

EXPLAIN_COLUMNS = ("addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment")

ExplainRow = tuple[int, str, Any, Any, Any, str | None, int, str | None]


def explain_rows(program: Program) -> Iterator[ExplainRow]:
    """Yields the rows of EXPLAIN for a program; its sub-programs follow, as SQLite lists them.

    Source: https://www.sqlite.org/opcode.html section 2.4
    """
    for current, _name in programs_of(program):
        yield from instruction_rows(current)


def instruction_rows(program: Program) -> Iterator[ExplainRow]:
    """Yields the rows of EXPLAIN for the instructions of one program without its sub-programs."""
    for address, (opcode, p1, p2, p3, p4, p5) in enumerate(program.code):
        text = None if p4 is None else operand_text(p4)
        yield address, CONTRACTS[opcode].name, number(p1), number(p2), number(p3), text, p5, comment_of(opcode, p1, p2, p3, p5)


def programs_of(program: Program) -> list[tuple[Program, tuple[int, str] | None]]:
    """A program and its sub-programs, each once, with the database and name of the trigger that a sub-program is made of;
    None for the program itself and for the actions of foreign keys."""
    found: list[tuple[Program, tuple[int, str] | None]] = [(program, None)]
    seen = {id(program)}
    for current, _name in found:
        for _opcode, _p1, _p2, _p3, p4, _p5 in current.code:
            if p4.__class__ is tuple and p4 and isinstance(p4[0], Program) and id(p4[0]) not in seen:
                seen.add(id(p4[0]))
                found.append((p4[0], p4[2]))
    return found


def number(operand: Any) -> Any:
    """An operand of the columns p1 to p3: an integer, or the text of anything else."""
    return operand if operand.__class__ is int else operand_text(operand)


def comment_of(opcode: int, p1: Any, p2: Any, p3: Any, p5: int) -> str | None:
    """A remark for the reader: what a comparison does with NULL."""
    if Eq <= opcode <= Ge:
        if p5 & NULLS_EQUAL:
            return "NULL = NULL"
        return "jump if NULL" if p5 & JUMP_IF_NULL else None
    return None


def listing(program: Program) -> str:
    """Returns the program as text: template, loops, instructions; for golden tests and people.

    Source: https://www.sqlite.org/lang_explain.html
    """
    lines = []
    constants = [f"r{register}={value_text(value)}" for register, value in enumerate(program.template) if value is not None]
    if constants:
        lines.append("constants " + " ".join(constants))
    if program.parameters:
        lines.append("parameters " + " ".join(f"?{n}=r{register}" for n, register in program.parameters))
    for loop in program.loops:
        extent = f"{loop.start}..{loop.next} body {loop.body} end {loop.end}"
        lines.append(f"loop {CONTRACTS[loop.kind].name} cursor {loop.cursor} {extent} row r{loop.row}*{loop.n_columns}")
    for address, name, p1, p2, p3, p4, p5, comment in explain_rows(program):
        line = f"{address:4} {name:<13} {p1!s:>4} {p2!s:>4} {p3!s:>4}  {p4 or '':<20} {p5}"
        lines.append((line + (f"  ; {comment}" if comment else "")).rstrip())
    return "\n".join(lines) + "\n"


def value_text(value: Any) -> str:
    """A value as an SQL literal would show it."""
    if value is None:
        return "NULL"
    if value.__class__ is str:
        return "'" + value.encode("utf-8", "backslashreplace").decode().replace("'", "''") + "'"
    if value.__class__ is bytes:
        return "x'" + value.hex() + "'"
    return repr(value)


def operand_text(operand: Any) -> str:
    """The text of a p4 operand of any kind."""
    printer = _PRINTERS.get(operand.__class__)
    if printer is not None:
        return printer(operand)
    return value_text(operand) if operand.__class__ in (int, float, str, bytes) else type(operand).__name__


def _tuple_text(operand: tuple[Any, ...]) -> str:
    return "(" + ",".join("-" if item is None else operand_text(item) for item in operand) + ")"


def _order_text(collations: Any, descending: Any) -> str:
    return ",".join(
        ("-" if is_descending else "") + (collation.name if collation is not None else "BINARY")
        for collation, is_descending in zip(collations, descending)
    )


def _sort_text(spec: SortSpec) -> str:
    terms = zip(spec.keys, _order_text(spec.collations, spec.descending).split(","), spec.descending, spec.nulls_first)
    keys = ",".join(
        f"{position}:{name}" + ("" if first != descending else " nulls first" if first else " nulls last")
        for position, name, descending, first in terms
    )
    return f"sort({keys})"


def _call_text(call: AggregateCall) -> str:
    arguments = ",".join(f"r{register}" for register in call.registers)
    return (
        f"{call.function.name}({'distinct ' if call.distinct else ''}{arguments})"
        + (f" filter r{call.filter_register}" if call.filter_register else "")
        + (f" order {_sort_text(call.order)}" if call.order is not None else "")
    )


def _rows_text(spec: RowsSpec) -> str:
    indexes = " ".join(
        f"{'unique ' if n_unique else ''}{cursor}:{','.join(map(str, fields))}" for cursor, fields, n_unique in spec.indexes
    )
    sources = f" from {','.join(map(str, spec.sources))}" if spec.sources else ""
    return f"rows({spec.table_name or '-'}{sources}{' ' if indexes else ''}{indexes})"


def _group_text(spec: GroupSpec) -> str:
    keys = ",".join(f"r{register}" for register in spec.key_registers)
    calls = ",".join(map(_call_text, spec.calls))
    bare = ",".join(f"r{register}" for register in spec.bare_registers)
    return f"group({keys}; {calls}; {bare}{f' from {spec.bare_call}' if spec.bare_call >= 0 else ''})"


def _window_text(spec: WindowSpec) -> str:
    calls = ",".join(f"{call.name}({','.join(f'r{register}' for register in call.registers)})" for call in spec.calls)
    sort = "" if spec.sort is None else _sort_text(spec.sort)
    return f"window({sort}; partition {spec.n_partition}; {calls})"


def _key_shape_text(shape: KeyShape) -> str:
    return f"k({shape.n_key_fields}/{shape.n_fields},{_order_text(shape.collations, shape.descending)})"


_PRINTERS: dict[type, Callable[[Any], str]] = {
    tuple: _tuple_text,
    type(None): lambda operand: "NULL",
    bool: lambda operand: str(int(operand)),
    Collation: lambda operand: str(operand.name),
    RowShape: lambda operand: f"row({operand.n_columns})",
    KeyShape: _key_shape_text,
    SortSpec: _sort_text,
    HashSpec: lambda operand: f"hash({len(operand.collations)}{',tracks' if operand.tracks_matches else ''})",
    GroupSpec: _group_text,
    RowsSpec: _rows_text,
    WindowSpec: _window_text,
    AggregateCall: _call_text,
    WindowCall: lambda operand: str(operand.name),
    ScalarFunction: lambda operand: f"{operand.name}({operand.max_args})",
    AggregateFunction: lambda operand: f"{operand.name}({operand.max_args})",
    ConstantSet: lambda operand: f"in({len(operand.keys)}{',null' if operand.has_null else ''})",
    Program: lambda operand: "program",
}
