"""Records: rows and index entries as bytes, and back.

A record is a header (its own length, then one serial type a value) and a body (the values without separators).  A
`RecordCodec` knows how many values the caller wants, which position holds the rowid, which columns have REAL affinity and
what fills records that are too short.  It keeps one decoder per header seen twice, in a bounded table: such a decoder is a
`struct.Struct` for the body and a generated function that puts its values, constants and the rowid in order.  Headers seen
once (texts make many: their lengths are in the header) are decoded by a loop that takes the lengths as data.

Source: https://www.sqlite.org/fileformat2.html#record_format.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Literal

from minisql.storage.record_encoder import Encoder, make_encoder
from minisql.storage.varint import encode_varint, read_varint
from minisql.values.shape import KeyShape, RowShape
from minisql.values.storage_class import decode_escaped

Row = tuple[object, ...]
Decoder = Callable[[bytes, int, int], Row]
Unpacker = Callable[[bytes, int], tuple[Any, ...]]
"""Takes the data, the offset of the record's body, and the rowid."""

MAX_DECODERS = 2000
MAX_ENCODERS = 200
ROWS_BEFORE_ENCODER = 20
"""An encoder takes as long to make as some hundred rows to encode (benchmark append_file)."""
_SMALL_INTEGER_SIZES = (0, 1, 2, 3, 4, 6, 8)
_FIXED_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)
_PLAIN_TYPES = frozenset((1, 2, 4, 6, 7))
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


class UnfilledRecordError(RecordError):
    """The values of a record do not fill its payload: the only such fault that a check in SQLite reports and ends with."""


_INTEGER_TYPES = frozenset((1, 2, 3, 4, 5, 6, 8, 9))


def serial_type_size(serial_type: int) -> int:
    """Returns the size of a value in the body; the reserved types 10 and 11 take no bytes and read as NULL."""
    return _FIXED_SIZES[serial_type] if serial_type < 12 else (serial_type - 12) >> 1


def decode_text(data: bytes, encoding: str) -> str:
    """Decodes text; bytes that are not valid UTF-8 are kept by `surrogateescape`, surrogates of UTF-16 are joined as C does."""
    if encoding == "utf-8":
        return decode_escaped(data)
    try:
        return data[: len(data) & ~1].decode(encoding)
    except UnicodeDecodeError:
        return _join_surrogates(data, "little" if encoding == "utf-16le" else "big")


def _join_surrogates(data: bytes, order: Literal["little", "big"]) -> str:
    """Decodes UTF-16 that is not valid: SQLite joins any surrogate with the unit behind it; a last one becomes three bytes."""
    units = iter([int.from_bytes(data[at : at + 2], order) for at in range(0, len(data) - 1, 2)])
    pieces: list[str] = []
    for unit in units:
        if not 0xD800 <= unit < 0xE000:
            pieces.append(chr(unit))
            continue
        second = next(units, -1)
        if second < 0:
            pieces.append(decode_escaped(chr(unit).encode("utf-8", "surrogatepass")))
        else:
            pieces.append(chr((second & 0x3FF) + ((unit & 0x3F) << 10) + (((unit & 0x3C0) + 0x40) << 10)))
    return "".join(pieces)


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


def wide_header(serial_types: list[int]) -> bytes:
    """Encodes a record header with serial types, or a size, of more than one byte."""
    types = b"".join(map(encode_varint, serial_types))
    size = len(types) + 1
    if size >= 0x80:
        size = len(types) + (2 if len(types) + 2 < 0x4000 else 3)
    return encode_varint(size) + types


class RecordCodec:
    """Encodes and decodes the records of one shape in one database.

    `legacy_format` (schema format 1 to 3) forbids the serial types 8 and 9.  `ends_with_rowid`: entries of an index, whose
    last field must be an integer.
    """

    __slots__ = ("decoders", "defaults", "encoders", "encoding", "ends_with_rowid",
                 "kinds_seen", "legacy_format", "n_columns", "real", "rowid_column", "seen_once", "unpackers")

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
        self.ends_with_rowid = False
        self.decoders: dict[bytes, tuple[int, Decoder]] = {}
        # Payload size, and what unpacks the values behind the rowid, for headers where it stands first before plain numbers.
        self.unpackers: dict[bytes, tuple[int, Unpacker]] = {}
        self.seen_once: dict[bytes, None] = {}
        self.encoders: dict[tuple[type, ...], Encoder] = {}
        self.kinds_seen: dict[tuple[type, ...], int] = {}

    @staticmethod
    def for_rows(shape: RowShape, encoding: str, legacy_format: bool) -> RecordCodec:
        """Makes the codec of a rowid table."""
        return RecordCodec(
            shape.n_columns, shape.rowid_column, shape.defaults, shape.real_columns, encoding, legacy_format
        )

    @staticmethod
    def for_entries(shape: KeyShape, encoding: str, legacy_format: bool) -> RecordCodec:
        """Makes the codec of an index b-tree."""
        codec = RecordCodec(shape.n_fields, -1, shape.defaults, shape.real_fields, encoding, legacy_format)
        codec.ends_with_rowid = shape.ends_with_rowid
        return codec

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
        if body > end or body <= at + 1:
            raise RecordError("record header does not fit its payload")
        serial_types = self._serial_types(data, at, body)
        if self.ends_with_rowid and (len(serial_types) != self.n_columns or serial_types[-1] not in _INTEGER_TYPES):
            raise RecordError("index entry without a rowid")
        size = sum(map(serial_type_size, serial_types))
        if body + size != end:
            raise UnfilledRecordError("record values do not fill the payload")
        header = data[at:body]
        if header in self.seen_once and len(header) < 200 and size < 4000:
            del self.seen_once[header]
            decoder = self.make_decoder(serial_types[: self.n_columns])
            decoders = self.decoders
            if len(decoders) >= MAX_DECODERS:
                for old in list(decoders)[: MAX_DECODERS // 4]:
                    del decoders[old]
                self.unpackers.clear()
            decoders[header] = size, decoder
            if self.rowid_column == 0 and self._are_plain(serial_types):
                self.unpackers[header] = len(header) + size, struct.Struct(_plain_codes(serial_types[1:])).unpack_from
            return decoder(data, body, rowid)
        if len(header) < 200:
            if len(self.seen_once) >= MAX_DECODERS:
                self.seen_once.clear()
            self.seen_once[header] = None
        return self.decode_values(serial_types[: self.n_columns], data, body, rowid)

    def _are_plain(self, serial_types: list[int]) -> bool:
        """Tells whether all values behind the first are numbers as a struct unpacks them, and those of REAL columns reals."""
        return (
            len(serial_types) == self.n_columns
            and serial_types[0] == 0
            and _PLAIN_TYPES.issuperset(serial_types[1:])
            and all(serial_types[position] == 7 for position in self.real)
            and all(position in self.real for position, serial_type in enumerate(serial_types) if serial_type == 7)
        )

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
        """Builds the decoder for one list of serial types: a struct for the body, and code that puts its values in order.

        The code depends on the classes of the values only, so that headers which differ in the lengths of texts share it.
        """
        plan = _Plan()
        columns: list[str] = []
        for position in range(self.n_columns):
            serial_type = serial_types[position] if position < len(serial_types) else -1
            is_real = position in self.real
            if position == self.rowid_column:
                if serial_type > 0:
                    plan.codes.append(f"{serial_type_size(serial_type)}x")
                columns.append("rowid")
            elif serial_type in (-1, 0, 8, 9, 10, 11):
                constant: object = self.defaults[position] if serial_type == -1 else None
                if serial_type in (8, 9):
                    constant = float(serial_type - 8) if is_real else serial_type - 8
                elif is_real and isinstance(constant, int):
                    constant = float(constant)
                columns.append(plan.add_constant(constant))
            else:
                columns.append(plan.add(serial_type, is_real, self.encoding == "utf-8"))
        encoding = self.encoding

        def decode_carefully(data: bytes, at: int, rowid: int) -> Row:
            return self.decode_values(serial_types, data, at, rowid)

        def text(data: bytes) -> str:
            return decode_text(data, encoding)

        make = _decoder_maker(tuple(plan.names), tuple(columns))
        unpack = struct.Struct("".join(plan.codes)).unpack_from
        return make(unpack, plan.constants, decode_carefully, text)

    def encode(self, row: Sequence[Any]) -> bytes:
        """Encodes a row or entry as a record; integral values of REAL columns become integers, the rowid column NULL."""
        kinds = tuple(map(type, row))
        encoder = self.encoders.get(kinds)
        if encoder is None:
            self._note_kinds(kinds)
            return self.encode_any(row)
        try:
            return encoder(row) or self.encode_any(row)
        except UnicodeEncodeError:
            return self.encode_any(row)

    def _note_kinds(self, kinds: tuple[type, ...]) -> None:
        """Counts rows of these classes and has an encoder made once there are enough of them."""
        count = self.kinds_seen.get(kinds, 0) + 1
        if len(self.kinds_seen) < MAX_ENCODERS or count > 1:
            self.kinds_seen[kinds] = count
        if count == ROWS_BEFORE_ENCODER and self.encoding == "utf-8":
            encoder = make_encoder(kinds, self.rowid_column, self.real, self.legacy_format)
            if encoder is not None:
                self.encoders[kinds] = encoder

    def encode_any(self, row: Sequence[Any]) -> bytes:
        """Encodes a row of any classes, value by value."""
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
        return wide_header(header[1:]) + b"".join(body)

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
    """What the struct unpacks: its format, the names of the raw values, and the constants."""

    __slots__ = ("codes", "constants", "names")

    def __init__(self) -> None:
        self.codes = [">"]
        self.constants: list[object] = []
        self.names: list[str] = []

    def add_constant(self, constant: object) -> str:
        """Adds a value that has no bytes in the body and returns the expression for it."""
        if constant is None:
            return "None"
        self.constants.append(constant)
        return f"k{len(self.constants) - 1}"

    def add(self, serial_type: int, is_real: bool, is_utf8: bool) -> str:
        """Adds a value that has bytes in the body and returns the expression for it."""
        name = f"v{len(self.names)}"
        self.names.append(name)
        if serial_type >= 12:
            self.codes.append(f"{(serial_type - 12) >> 1}s")
            if serial_type & 1:
                return f"{name}.decode()" if is_utf8 else f"text({name})"
            return name
        self.codes.append(_STRUCT_CODES[serial_type])
        if serial_type == 7:
            return f"{name} if {name} == {name} else None"  # NaN is NULL
        if serial_type in (3, 5):
            low = f"v{len(self.names)}"
            self.names.append(low)
            name = f"({name} << {16 if serial_type == 3 else 32} | {low})"
        return f"float({name})" if is_real else name


def _plain_codes(serial_types: list[int]) -> str:
    return ">" + "".join(map(_STRUCT_CODES.__getitem__, serial_types))


@lru_cache(maxsize=500)
def _decoder_maker(names: tuple[str, ...], columns: tuple[str, ...]) -> Callable[..., Decoder]:
    """Compiles the code that makes decoders for one order of classes (benchmark scan_cold).

    The source holds names made here and nothing from a file.
    """
    constants = sorted({column for column in columns if column[0] == "k"}, key=lambda name: int(name[1:]))
    raw = f"        ({', '.join(names)},) = unpack(data, at)\n        " if names else "        "
    row = f"({', '.join(columns)},)"
    source = (
        f"def make(unpack, constants, carefully, text):\n    [{', '.join(constants)}] = constants\n"
        "    def decode(data, at, rowid):\n     try:\n"
        f"{raw}return {row}\n     except UnicodeDecodeError:\n        return carefully(data, at, rowid)\n"
        "    return decode\n"
    )
    scope: dict[str, Any] = {}
    exec(source, scope)
    maker: Callable[..., Decoder] = scope["make"]
    return maker


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


def record_bounds(rows: list[Row], factor: int, surplus: int) -> list[int]:
    """Returns for each row what `upper_bound(row) * factor + surplus` is, column by column."""
    base = (4 + 9 * len(rows[0])) * factor + surplus
    lengths: list[Any] = []
    for position in range(len(rows[0])):
        # Not zip(*rows): an iterator for each row is work for the garbage collector.
        column = list(map(itemgetter(position), rows))
        kinds = set(map(type, column))
        if str in kinds or bytes in kinds:
            if kinds == {str} and "".join(column).isascii():
                lengths.append(list(map(len, column)))
            else:
                lengths.append([_length(value) for value in column])
    if not lengths:
        return [base] * len(rows)
    sums = lengths[0] if len(lengths) == 1 else map(sum, zip(*lengths))
    return [base + factor * length for length in sums]


def _length(value: Any) -> int:
    if value.__class__ is str:
        return len(value) if value.isascii() else 4 * len(value)
    return len(value) if value.__class__ is bytes else 0


def text_bound(column: Sequence[Any]) -> int:
    """Returns the bytes that the texts and blobs among some values take in UTF-8 at most."""
    kinds = set(map(type, column))
    if str not in kinds and bytes not in kinds:
        return 0
    if kinds == {str}:
        joined = "".join(column)
        if joined.isascii():
            return len(joined)
    return sum(map(_length, column))
