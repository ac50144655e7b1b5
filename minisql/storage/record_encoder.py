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
    """Makes the function for a REAL column, where integral values within 48 bits are stored as integers."""

    def parts(value: float) -> tuple[int, bytes]:
        if value.is_integer() and -140737488355328.0 <= value <= 140737488355327.0:
            integer = int(value)
            return small[integer] if -128 <= integer <= 127 else integer_parts(integer)
        return 7, _pack_double(value)

    return parts


@lru_cache(maxsize=200)
def make_encoder(kinds: tuple[type, ...], rowid_column: int, real: frozenset[int], legacy_format: bool) -> Encoder | None:
    """Returns the encoder of rows of these classes in a UTF-8 database; None where the general one must do.

    It raises UnicodeEncodeError for text with surrogates, and returns b'' for a record whose header needs more than a byte for
    a type or its size (benchmark append_file).
    """
    if len(kinds) > MAX_COLUMNS or not kinds:
        return None
    names = [f"v{i}" for i in range(len(kinds))]
    lines: list[str] = []
    types: list[str] = []
    pieces: list[str] = []
    lengths: list[str] = []
    for i, kind in enumerate(kinds):
        if i == rowid_column or kind is type(None):
            types.append("0")
            continue
        if kind is str or kind is bytes:
            if kind is str:
                lines.append(f"v{i} = v{i}.encode()")
            lines.append(f"t{i} = {13 if kind is str else 12} + 2 * len(v{i})")
            lengths.append(f"t{i}")
        elif kind is int:
            lines.append(f"t{i}, v{i} = small[v{i}] if -128 <= v{i} <= 127 else integer(v{i})")
        elif kind is float:
            lines.append(f"t{i}, v{i} = real(v{i})" if i in real else f"t{i} = 7; v{i} = double(v{i})")
        else:
            return None
        types.append(f"t{i}")
        pieces.append(f"v{i}")
    if lengths:
        lines.append(f"if {' > 127 or '.join(lengths)} > 127: return b''")
    header = f"bytes(({len(kinds) + 1}, {', '.join(types)}))"
    body = "\n    ".join([f"({', '.join(names)},) = row", *lines, f"return join(({header}, {', '.join(pieces)}))"])
    small = _SMALL[not legacy_format]
    scope: dict[str, Any] = {
        "small": small, "integer": integer_parts, "real": _real_parts(small), "double": _pack_double, "join": b"".join,
    }  # fmt: skip
    exec(f"def encode(row):\n    {body}\n", scope)
    encoder: Encoder = scope["encode"]
    return encoder
