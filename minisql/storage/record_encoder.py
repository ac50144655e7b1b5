"""Encoders of records, generated for the classes of a row's values.

Rows of a table mostly have the same classes in the same columns.  For such a list of classes the choice of serial types is
straight-line code: no loop, no tests of classes.  In come the classes and what the table says (rowid column, REAL columns);
out comes a function from the row to the record.  The generated source holds column numbers and names made here, nothing of
what the rows hold.  Whatever the code does not provide for (text that is not valid, wide headers, UTF-16) it leaves to the
encoder in `record`, which says what a record is.

Source: https://www.sqlite.org/fileformat2.html#record_format.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

MAX_COLUMNS = 100
Encoder = Callable[[Sequence[Any]], bytes]

_pack_short = struct.Struct(">h").pack
_pack_int = struct.Struct(">i").pack
_pack_long = struct.Struct(">q").pack
_pack_double = struct.Struct(">d").pack


def integer_parts(value: int) -> tuple[int, bytes]:
    """Returns serial type and bytes of an integer of more than one byte."""
    if -32768 <= value <= 32767:
        return 2, _pack_short(value)
    if -0x800000 <= value <= 0x7FFFFF:
        return 3, _pack_int(value)[1:]
    if -0x80000000 <= value <= 0x7FFFFFFF:
        return 4, _pack_int(value)
    if -0x800000000000 <= value <= 0x7FFFFFFFFFFF:
        return 5, _pack_long(value)[2:]
    return 6, _pack_long(value)


def _small_integers(has_constants: bool) -> list[tuple[int, bytes]]:
    """Serial type and bytes of -128 to 127; negative ones count from the end, as list indexes do."""
    parts = [(1, bytes((i & 0xFF,))) for i in (*range(128), *range(-128, 0))]
    if has_constants:
        parts[0], parts[1] = (8, b""), (9, b"")
    return parts


_SMALL = {False: _small_integers(False), True: _small_integers(True)}


def _real_parts(small: list[tuple[int, bytes]]) -> Callable[[float], tuple[int, bytes]]:
    """Makes the function for integral values of a REAL column: within 48 bits they are stored as integers."""

    def parts(value: float) -> tuple[int, bytes]:
        integer = int(value)
        if -32768 <= integer <= 32767:
            return small[integer] if -128 <= integer <= 127 else (2, _pack_short(integer))
        if -140737488355328 <= integer <= 140737488355327:
            return integer_parts(integer)
        return 7, _pack_double(value)

    return parts


@lru_cache(maxsize=200)
def make_encoder(kinds: tuple[type, ...], rowid_column: int, real: frozenset[int], legacy_format: bool) -> Encoder | None:
    """Returns the encoder of rows of these classes in a UTF-8 database; None where the general one must do.

    It raises UnicodeEncodeError for text with surrogates, and returns b'' for a record whose header needs more than a byte for
    a type or its size (benchmark append_file).
    """
    plan = plan_encoder(kinds, rowid_column, real)
    if plan is None:
        return None
    test = f"if {' > 57 or '.join(plan.lengths)} > 57: return b\'\'" if plan.lengths else ""
    names = ", ".join([f"v{i}" for i in range(len(kinds))])
    header = f"bytes(({len(kinds) + 1}, {', '.join(plan.types)}))"
    body = "\n    ".join([f"({names},) = row", *plan.lines, test, f"return join(({header}, {', '.join(plan.pieces)}))"])
    encoder: Encoder = compile_encoder(f"def encode(row):\n    {body}\n", legacy_format)
    return encoder


class EncoderPlan:
    """The pieces of generated code for rows of some classes: `lines` turn values into bytes v0, v1, ...

    `types` are the serial types, `lengths` names of the lengths of texts and blobs.  `keys` are what the serial types depend on
    from row to row, and `slots` say how: a type is `offset + factor * key`, and with factor 0 it has no key.
    """

    __slots__ = ("keys", "lengths", "lines", "pieces", "slots", "types")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.types: list[str] = []
        self.pieces: list[str] = []
        self.lengths: list[str] = []
        self.keys: list[str] = []
        self.slots: list[tuple[int, int]] = []

    def add_constant(self, serial_type: int) -> None:
        """Adds a column whose values all have one serial type."""
        self.types.append(str(serial_type))
        self.slots.append((0, serial_type))

    def add_bytes(self, i: int, serial_type: int) -> None:
        """Adds a text or blob; `serial_type` is that of the empty one."""
        self.lines.append(f"n{i} = len(v{i})")
        self.lengths.append(f"n{i}")
        self.types.append(f"{serial_type} + 2 * n{i}")
        self.keys.append(f"n{i}")
        self.slots.append((2, serial_type))

    def add_number(self, i: int, expression: str) -> None:
        """Adds a number; the expression gives serial type and bytes."""
        self.lines.append(f"t{i}, v{i} = {expression}")
        self.types.append(f"t{i}")
        self.keys.append(f"t{i}")
        self.slots.append((1, 0))


def plan_encoder(kinds: tuple[type, ...], rowid_column: int, real: frozenset[int]) -> EncoderPlan | None:
    """Plans the code for rows of these classes; None where the general encoder must do."""
    if len(kinds) > MAX_COLUMNS or not kinds:
        return None
    plan = EncoderPlan()
    for i, kind in enumerate(kinds):
        value = f"v{i}"
        if i == rowid_column or kind is type(None):
            plan.add_constant(0)
            continue
        if kind is str:
            plan.lines.append(f"{value} = {value}.encode()")
            plan.add_bytes(i, 13)
        elif kind is bytes:
            plan.add_bytes(i, 12)
        elif kind is int:
            short = f"(2, short({value})) if -32768 <= {value} <= 32767"
            plan.add_number(i, f"small[{value}] if -128 <= {value} <= 127 else {short} else integer({value})")
        elif kind is float and i in real:
            plan.add_number(i, f"(7, double({value})) if {value} % 1.0 else real({value})")
        elif kind is float:
            plan.lines.append(f"{value} = double({value})")
            plan.add_constant(7)
        else:
            return None
        plan.pieces.append(value)
    return plan


def compile_encoder(source: str, legacy_format: bool, heads: object = None) -> Any:
    """Compiles the source of an encoder made of a plan and returns its function `encode`."""
    small = _SMALL[not legacy_format]
    scope: dict[str, Any] = {
        "small": small, "short": _pack_short, "integer": integer_parts, "real": _real_parts(small), "double": _pack_double,
        "join": b"".join, "heads": heads,
    }  # fmt: skip
    exec(source, scope)
    return scope["encode"]
