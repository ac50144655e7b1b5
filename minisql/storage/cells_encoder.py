"""Many rows as cells of table leaves, by code generated for the classes of their columns.

In come rows whose columns each hold one class, and ascending rowids; out come cells.  A cell is its payload's size, the rowid,
the record's header and the values.  Size and header follow from the serial types alone, so rows with the same types share them
(`_Heads`), and runs of rowids share all bytes but the last.  What this does not provide for is encoded row by row.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages, https://www.sqlite.org/fileformat2.html#record_format.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import Any

from minisql.storage.record import RecordCodec, Row, serial_type_size, wide_header
from minisql.storage.record_encoder import compile_encoder, plan_encoder
from minisql.storage.varint import encode_varint, encode_varints

MAX_HEADS = 4096
CellsEncoder = Callable[[list[bytes], list[Row]], "list[bytes]"]


def encode_cells(codec: RecordCodec, rowids: list[int], rows: list[Row], columns: list[Any] | None) -> list[bytes] | None:
    """Encodes rows as cells without overflow pages; None when that has to be done one by one.

    `columns` are the values of the rows by column, for those who have them.
    """
    if codec.encoding != "utf-8":
        return None
    if columns is None:
        columns = [list(map(itemgetter(i), rows)) for i in range(len(rows[0]))]
    kinds = [set(map(type, column)) for column in columns]
    if any(len(kind) != 1 for kind in kinds):
        return None
    encode = _make_encoder(tuple([next(iter(kind)) for kind in kinds]), codec.rowid_column, codec.real, codec.legacy_format)
    if encode is None:
        return None
    try:
        return encode(encode_varints(rowids), rows)
    except UnicodeEncodeError:
        return None


@lru_cache(maxsize=50)
def _make_encoder(
    kinds: tuple[type, ...], rowid_column: int, real: frozenset[int], legacy_format: bool
) -> CellsEncoder | None:
    """Compiles the encoder for columns of these classes (benchmark bulk_load)."""
    plan = plan_encoder(kinds, rowid_column, real)
    if plan is None or not plan.keys:
        return None
    lines = [
        "def encode(rowids, rows):",
        "    cells = []",
        "    add = cells.append",
        f"    for rowid, ({''.join([f'v{i}, ' for i in range(len(kinds))])}) in zip(rowids, rows):",
        *[f"        {line}" for line in plan.lines],
        f"        size, header = heads[{', '.join(plan.keys)},]",
        f"        add(join((size, rowid, header, {', '.join(plan.pieces)})))",
        "    return cells\n",
    ]
    encoder: CellsEncoder = compile_encoder("\n".join(lines), legacy_format, _Heads(plan.slots))
    return encoder


class _Heads(dict[tuple[int, ...], tuple[bytes, bytes]]):
    """Payload size and record header, encoded, by the lengths and serial types that differ from row to row."""

    def __init__(self, slots: list[tuple[int, int]]) -> None:
        super().__init__()
        self.slots = slots

    def __missing__(self, key: tuple[int, ...]) -> tuple[bytes, bytes]:
        if len(self) >= MAX_HEADS:
            self.clear()
        rest = iter(key)
        types = [offset + factor * next(rest) if factor else offset for factor, offset in self.slots]
        n_types = len(types) + 1
        header = bytes((n_types, *types)) if n_types < 0x80 and max(types) < 0x80 else wide_header(types)
        size = len(header) + sum(map(serial_type_size, types))
        self[key] = encoded = encode_varint(size), header
        return encoded
