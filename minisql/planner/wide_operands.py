"""Blobs as operands in UTF-16 databases: what reads a blob as text or as a number reads it in the database's encoding.

Operators and functions know values, not databases, and take a blob for UTF-8.  So in a UTF-16 database an operand that may be
a blob is made text first (`op.Cast` to TEXT_OF_BLOB, which changes nothing else).  Not for JSON, where a blob may be JSONB, nor
for functions that look at a blob's bytes.

Source: https://www.sqlite.org/c3ref/value_blob.html; which functions convert was asked of SQLite 3.54.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.parser import ast
from minisql.values.cast import REAL_OF_BLOB, TEXT_OF_BLOB

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler

_ALL = frozenset(range(1000))
_BUT_FIRST = _ALL - {0}
_READERS = {
    **dict.fromkeys(("abs", "round", "upper", "lower", "unicode", "replace", "trim", "ltrim", "rtrim", "char", "unhex"), _ALL),
    **dict.fromkeys(("printf", "format", "zeroblob", "randomblob", "soundex"), _ALL),
    **dict.fromkeys(("date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"), _ALL),
    **dict.fromkeys(("sum", "total", "avg", "group_concat", "string_agg", "ntile"), _ALL),
    **dict.fromkeys(("substr", "substring"), _BUT_FIRST),
    **dict.fromkeys(("lag", "lead"), frozenset((1,))),
}
"""The arguments that a function reads as text or as a number, by their places."""


def text_of_blob(compiler: Compiler, register: int, kind: int = TEXT_OF_BLOB) -> int:
    """The register with the value as text (for REAL_OF_BLOB as a number) if it is a blob."""
    constants = compiler.constants
    if register in constants and constants[register].__class__ is not bytes:
        return register
    result: int = compiler.register()
    compiler.emit(op.Cast, register, kind, result)
    return result


def texts_of_blobs(
    compiler: Compiler, name: str, arguments: list[ast.Expression], registers: tuple[int, ...]
) -> tuple[int, ...]:
    """The registers of a call's arguments, those made text that the function reads so."""
    places = _READERS.get(name.lower())
    if places is None:
        return registers
    # To a sum a blob is a REAL, though its text be an integer.
    kind = REAL_OF_BLOB if name.lower() in ("sum", "total", "avg") else TEXT_OF_BLOB
    return tuple(
        text_of_blob(compiler, register, kind) if place in places and not is_number(arguments[place]) else register
        for place, register in enumerate(registers)
    )


def is_number(node: ast.Expression) -> bool:
    """Whether an expression is surely no blob: a literal of another class, arithmetic or a comparison."""
    if node.__class__ is ast.Literal:
        return node.value.__class__ is not bytes
    return node.__class__ in (ast.Unary, ast.Binary, ast.And, ast.Or, ast.IsNull, ast.NotNull, ast.Between, ast.Like)
