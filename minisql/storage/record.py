"""Records: rows and index entries as bytes, and back.

A record is a header (its own length, then one serial type a value) and a body (the values without separators).  A
`RecordCodec` knows how many values the caller wants, which position holds the rowid, which columns have REAL affinity and
what fills records that are too short.  It keeps one decoder per header seen twice, in a bounded table: such a decoder is a
`struct.Struct` for the body, a list of conversions, and an `itemgetter` that puts columns, constants and rowid in order,
so that most of the work happens in C.  Headers seen once (texts make many: their lengths are in the header) are decoded
by a loop that takes the lengths as data.

Source: https://www.sqlite.org/fileformat2.html#record_format.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from minisql.storage.varint import encode_varint, read_varint
from minisql.values.shape import KeyShape, RowShape
from minisql.values.storage_class import decode_escaped

Row = tuple[object, ...]
Decoder = Callable[[bytes, int, int], Row]
"""Takes the data, the offset of the record's body, and the rowid."""

MAX_DECODERS = 2000
_SMALL_INTEGER_SIZES = (0, 1, 2, 3, 4, 6, 8)
_FIXED_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)
_STRUCT_CODES = {1: "b", 2: "h", 3: "bH", 4: "i", 5: "hI", 6: "q", 7: "d"}
_ONE_BYTE = [bytes((i & 0xFF,)) for i in (*range(128), *range(-128, 0))]
"""One-byte integers; negative ones count from the end, as list indexes do."""

_pack_short = struct.Struct(">h").pack
_pack_int = struct.Struct(">i").pack
_pack_long = struct.Struct(">q").pack
_pack_double = struct.Struct(">d").pack
_unpack_double = struct.Struct(">d").unpack_from


class RecordError(Exception):
    """The bytes are no record; callers translate it into SQLITE_CORRUPT with the page number."""


def serial_type_size(serial_type: int) -> int:
    """Returns the size of a value in the body; the reserved types 10 and 11 take no bytes and read as NULL."""
    return _FIXED_SIZES[serial_type] if serial_type < 12 else (serial_type - 12) >> 1


def decode_text(data: bytes, encoding: str) -> str:
    """Decodes text; bytes that are not valid UTF-8 are kept by `surrogateescape`, those of UTF-16 are replaced as C does."""
    if encoding == "utf-8":
        return decode_escaped(data)
    return data[: len(data) & ~1].decode(encoding, "replace")


def encode_text(text: str, encoding: str) -> bytes:
    """Encodes text for a database; the inverse of `decode_text` on UTF-8."""
    if encoding == "utf-8":
        try:
            return text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass" if _has_foreign_surrogate(text) else "surrogateescape")
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return encode_text(text, "utf-8").decode("utf-8", "replace").encode(encoding)


def _has_foreign_surrogate(text: str) -> bool:
    return any("\ud800" <= character < "\udc80" or "\udd00" <= character <= "\udfff" for character in text)


def _drop_nan(value: float) -> float | None:
    return value if value == value else None


def _wide_header(serial_types: list[int]) -> bytes:
    """Encodes a record header with serial types, or a size, of more than one byte."""
    types = b"".join(map(encode_varint, serial_types))
    size = len(types) + 1
    if size >= 0x80:
        size = len(types) + (2 if len(types) + 2 < 0x4000 else 3)
    return encode_varint(size) + types


class RecordCodec:
    """Encodes and decodes the records of one shape in one database.

    `legacy_format` (schema format 1 to 3) forbids the serial types 8 and 9.
    """

    __slots__ = ("decoders", "defaults", "encoding", "legacy_format", "n_columns", "real", "rowid_column", "seen_once")

    def __init__(
        self,
        n_columns: int,
        rowid_column: int,
        defaults: Sequence[object],
        real_columns: Sequence[int],
        encoding: str,
        legacy_format: bool = False,
    ) -> None:
        self.n_columns = n_columns
        self.rowid_column = rowid_column
        self.defaults = tuple(defaults)
        self.real = frozenset(real_columns)
        self.encoding = encoding
        self.legacy_format = legacy_format
        self.decoders: dict[bytes, tuple[int, Decoder]] = {}
        self.seen_once: dict[bytes, None] = {}

    @staticmethod
    def for_rows(shape: RowShape, encoding: str, legacy_format: bool) -> RecordCodec:
        """Makes the codec of a rowid table."""
        return RecordCodec(
            shape.n_columns, shape.rowid_column, shape.defaults, shape.real_columns, encoding, legacy_format
        )

    @staticmethod
    def for_entries(shape: KeyShape, encoding: str, legacy_format: bool) -> RecordCodec:
        """Makes the codec of an index b-tree."""
        return RecordCodec(shape.n_fields, -1, shape.defaults, shape.real_fields, encoding, legacy_format)

    def decode(self, data: bytes, at: int, end: int, rowid: int) -> Row:
        """Decodes the record at `data[at:end]`; raises RecordError when it does not fit there."""
        header_size = data[at]
        if header_size >= 0x80:
            return self._decode_long(data, at, end, rowid)
        body = at + header_size
        known = self.decoders.get(data[at:body])
        if known is not None and body + known[0] == end:
            return known[1](data, body, rowid)
        return self._decode_new(data, at, body, end, rowid)

    def _decode_long(self, data: bytes, at: int, end: int, rowid: int) -> Row:
        header_size, _ = read_varint(data, at)
        return self._decode_new(data, at, at + header_size, end, rowid)

    def _decode_new(self, data: bytes, at: int, body: int, end: int, rowid: int) -> Row:
        if body > end or body <= at:
            raise RecordError("record header is longer than its payload")
        serial_types = self._serial_types(data, at, body)
        size = sum(map(serial_type_size, serial_types))
        if body + size != end:
            raise RecordError("record values do not fill the payload")
        header = data[at:body]
        if header in self.seen_once and len(header) < 200 and size < 4000:
            del self.seen_once[header]
            decoder = self.make_decoder(serial_types[: self.n_columns])
            decoders = self.decoders
            if len(decoders) >= MAX_DECODERS:
                for old in list(decoders)[: MAX_DECODERS // 4]:
                    del decoders[old]
            decoders[header] = size, decoder
            return decoder(data, body, rowid)
        if len(header) < 200:
            if len(self.seen_once) >= MAX_DECODERS:
                self.seen_once.clear()
            self.seen_once[header] = None
        return self.decode_values(serial_types[: self.n_columns], data, body, rowid)

    def _serial_types(self, data: bytes, at: int, body: int) -> list[int]:
        types = list(data[at + 1 : body])
        if data[at] < 0x80 and (not types or max(types) < 0x80):
            return types
        _, at = read_varint(data, at)
        types = []
        while at < body:
            serial_type, at = read_varint(data, at)
            types.append(serial_type)
        if at != body:
            raise RecordError("serial type runs out of the header")
        return types

    def decode_values(self, serial_types: list[int], data: bytes, at: int, rowid: int) -> Row:
        """Decodes a body by a loop over its serial types, for headers that have no decoder."""
        values: list[object] = []
        append = values.append
        is_utf8 = self.encoding == "utf-8"
        for serial_type in serial_types:
            if serial_type >= 12:
                end = at + ((serial_type - 12) >> 1)
                piece = data[at:end]
                if not serial_type & 1:
                    append(piece)
                elif is_utf8:
                    try:
                        append(piece.decode())
                    except UnicodeDecodeError:
                        append(decode_escaped(piece))
                else:
                    append(decode_text(piece, self.encoding))
                at = end
            elif 0 < serial_type < 7:
                end = at + _SMALL_INTEGER_SIZES[serial_type]
                append(int.from_bytes(data[at:end], "big", signed=True))
                at = end
            elif serial_type == 7:
                append(_drop_nan(_unpack_double(data, at)[0]))
                at += 8
            else:
                append(serial_type - 8 if serial_type in (8, 9) else None)
        return self._finish(values, rowid)

    def _finish(self, values: list[object], rowid: int) -> Row:
        if len(values) < self.n_columns:
            values.extend(self.defaults[len(values) :])
        for position in self.real:
            value = values[position]
            if value.__class__ is int:
                values[position] = float(value)
        if self.rowid_column >= 0:
            values[self.rowid_column] = rowid
        return tuple(values)

    def make_decoder(self, serial_types: list[int]) -> Decoder:
        """Builds the decoder for one list of serial types.

        The struct makes raw values; 24- and 48-bit integers come out of it as a high and a low part.  `order` then says for
        each column which raw value, constant or rowid it is: raw values first, constants behind them, the rowid last.
        """
        plan = _Plan()
        order: list[int] = []
        rowid_at = -1
        for position in range(self.n_columns):
            serial_type = serial_types[position] if position < len(serial_types) else -1
            is_real = position in self.real
            if position == self.rowid_column:
                if serial_type > 0:
                    plan.codes.append(f"{serial_type_size(serial_type)}x")
                rowid_at = position
                order.append(0)
            elif serial_type in (-1, 0, 8, 9, 10, 11):
                constant: object = self.defaults[position] if serial_type == -1 else None
                if serial_type in (8, 9):
                    constant = float(serial_type - 8) if is_real else serial_type - 8
                elif is_real and isinstance(constant, int):
                    constant = float(constant)
                order.append(~len(plan.constants))
                plan.constants.append(constant)
            else:
                order.append(plan.add(serial_type, is_real))
        n_raw, n_constants = plan.n_raw, len(plan.constants)
        order = [item if item >= 0 else n_raw + ~item for item in order]
        if rowid_at >= 0:
            order[rowid_at] = n_raw + n_constants
        return self._assemble(plan, order, rowid_at >= 0)

    def _assemble(self, plan: _Plan, order: list[int], has_rowid: bool) -> Decoder:
        """Picks the cheapest closure that does the job (benchmark scan_cold)."""
        unpack = struct.Struct("".join(plan.codes)).unpack_from
        n_raw, constants = plan.n_raw, tuple(plan.constants)
        getter = itemgetter(*order)
        finish: Callable[[Sequence[object]], Row] = getter if len(order) > 1 else lambda values: (getter(values),)
        wides, reals, floats, texts = plan.wides, plan.reals, plan.floats, plan.texts
        if not (wides or reals or floats or texts):
            if order == list(range(n_raw)):
                return lambda data, at, rowid: unpack(data, at)
            if not has_rowid:
                return lambda data, at, rowid: finish(unpack(data, at) + constants)
            return lambda data, at, rowid: finish((*unpack(data, at), *constants, rowid))
        encoding = self.encoding

        def decode(data: bytes, at: int, rowid: int) -> Row:
            values: list[Any] = [*unpack(data, at), *constants, rowid]
            for raw, shift in wides:
                values[raw] = values[raw] << shift | values[raw + 1]
            for raw in floats:
                values[raw] = float(values[raw])
            for raw in reals:
                if values[raw] != values[raw]:  # NaN is NULL
                    values[raw] = None
            for raw in texts:
                values[raw] = decode_text(values[raw], encoding)
            return finish(values)

        if not (wides or floats or texts):
            return self._with_reals(decode, unpack, plan, order, finish)
        if encoding != "utf-8" or floats or not texts:
            return decode
        return self._with_texts(decode, unpack, plan, finish)

    def _with_reals(
        self,
        decode: Decoder,
        unpack: Callable[[bytes, int], Row],
        plan: _Plan,
        order: list[int],
        finish: Callable[[Sequence[object]], Row],
    ) -> Decoder:
        """Makes closures for rows of numbers that the struct delivers as they are, falling back to `decode` for NaN."""
        constants, reals = tuple(plan.constants), plan.reals
        first, last = reals[0], reals[-1]
        # Without constants only the rowid comes behind the raw values.
        is_rowid_first = not constants and order == [plan.n_raw, *range(plan.n_raw)]

        def decode_behind_rowid(data: bytes, at: int, rowid: int) -> Row:
            values: Any = unpack(data, at)
            if values[first] == values[first] and values[last] == values[last]:
                return (rowid, *values)
            return decode(data, at, rowid)

        def decode_reals(data: bytes, at: int, rowid: int) -> Row:
            values = unpack(data, at)
            for raw in reals:
                if values[raw] != values[raw]:
                    return decode(data, at, rowid)
            return finish((*values, *constants, rowid))

        return decode_behind_rowid if is_rowid_first and len(reals) < 3 else decode_reals

    def _with_texts(
        self,
        decode: Decoder,
        unpack: Callable[[bytes, int], Row],
        plan: _Plan,
        finish: Callable[[Sequence[object]], Row],
    ) -> Decoder:
        """Makes closures for valid UTF-8 text beside numbers, falling back to `decode` where it is not valid."""
        constants, wides, reals, texts = tuple(plan.constants), plan.wides, plan.reals, plan.texts
        first, second = texts[0], texts[-1]

        def decode_few(data: bytes, at: int, rowid: int) -> Row:
            values: list[Any] = [*unpack(data, at), *constants, rowid]
            try:
                values[first] = values[first].decode()
                if second != first:
                    values[second] = values[second].decode()
            except UnicodeDecodeError:
                return decode(data, at, rowid)
            return finish(values)

        def decode_mixed(data: bytes, at: int, rowid: int) -> Row:
            values: list[Any] = [*unpack(data, at), *constants, rowid]
            for raw, shift in wides:
                values[raw] = values[raw] << shift | values[raw + 1]
            for raw in reals:
                if values[raw] != values[raw]:
                    values[raw] = None
            try:
                for raw in texts:
                    values[raw] = values[raw].decode()
            except UnicodeDecodeError:
                return decode(data, at, rowid)
            return finish(values)

        return decode_mixed if wides or reals or len(texts) > 2 else decode_few

    def encode(self, row: Sequence[Any]) -> bytes:
        """Encodes a row or entry as a record; integral values of REAL columns become integers, the rowid column NULL."""
        if self.real:
            row = self._with_integers(row)
        header = [0]
        if self.rowid_column == 0:
            row = row[1:]
            header.append(0)
        elif self.rowid_column > 0:
            row = (*row[: self.rowid_column], None, *row[self.rowid_column + 1 :])
        body: list[bytes] = []
        add_type, add_value = header.append, body.append
        is_utf8 = self.encoding == "utf-8"
        is_wide = False
        for value in row:
            kind = value.__class__
            if kind is str:
                piece = value.encode() if is_utf8 and value.isascii() else encode_text(value, self.encoding)
                n = len(piece)
                is_wide |= n > 57
                add_type(13 + 2 * n)
                add_value(piece)
            elif kind is int:
                if -32768 <= value <= 32767:
                    if not -128 <= value <= 127:
                        add_type(2)
                        add_value(_pack_short(value))
                    elif 0 <= value <= 1 and not self.legacy_format:
                        add_type(8 + value)
                    else:
                        add_type(1)
                        add_value(_ONE_BYTE[value])
                elif -0x800000 <= value <= 0x7FFFFF:
                    add_type(3)
                    add_value(_pack_int(value)[1:])
                elif -0x80000000 <= value <= 0x7FFFFFFF:
                    add_type(4)
                    add_value(_pack_int(value))
                elif -0x800000000000 <= value <= 0x7FFFFFFFFFFF:
                    add_type(5)
                    add_value(_pack_long(value)[2:])
                else:
                    add_type(6)
                    add_value(_pack_long(value))
            elif kind is float:
                add_type(7)
                add_value(_pack_double(value))
            elif value is None:
                add_type(0)
            else:
                assert isinstance(value, (bytes, bytearray, memoryview)), kind
                n = len(value)
                is_wide |= n > 57
                add_type(12 + 2 * n)
                add_value(bytes(value))
        n_types = len(header)
        if n_types < 128 and not is_wide:
            header[0] = n_types
            return bytes(header) + b"".join(body)
        return _wide_header(header[1:]) + b"".join(body)

    def _with_integers(self, row: Sequence[Any]) -> Sequence[Any]:
        """Replaces integral REAL values within 48 bits by integers, as SQLite stores them."""
        stored: list[Any] | None = None
        for position in self.real:
            value = row[position]
            if value.__class__ is float and -140737488355328.0 <= value <= 140737488355327.0 and value.is_integer():
                if stored is None:
                    stored = list(row)
                stored[position] = int(value)
        return row if stored is None else stored


class _Plan:
    """How the struct's raw values become columns; all lists hold raw positions."""

    __slots__ = ("codes", "constants", "floats", "n_raw", "reals", "texts", "wides")

    def __init__(self) -> None:
        self.codes = [">"]
        self.constants: list[object] = []
        self.wides: list[tuple[int, int]] = []
        self.reals: list[int] = []
        self.floats: list[int] = []
        self.texts: list[int] = []
        self.n_raw = 0

    def add(self, serial_type: int, is_real: bool) -> int:
        """Adds a value that has bytes in the body and returns its raw position."""
        raw = self.n_raw
        self.n_raw += 1
        if serial_type >= 12:
            self.codes.append(f"{(serial_type - 12) >> 1}s")
            if serial_type & 1:
                self.texts.append(raw)
            return raw
        self.codes.append(_STRUCT_CODES[serial_type])
        if serial_type == 7:
            self.reals.append(raw)
        elif serial_type in (3, 5):
            self.n_raw += 1
            self.wides.append((raw, 16 if serial_type == 3 else 32))
        if is_real and serial_type != 7:
            self.floats.append(raw)
        return raw


def upper_bound(row: Sequence[Any]) -> int:
    """Returns a size that the UTF-8 record of `row` does not exceed, without encoding it; UTF-16 needs at most twice that."""
    size = 4 + 9 * len(row)
    for value in row:
        kind = value.__class__
        if kind is str:
            size += len(value) if value.isascii() else 4 * len(value)
        elif kind is bytes:
            size += len(value)
    return size
