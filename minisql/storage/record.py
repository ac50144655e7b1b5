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

from minisql.storage.varint import encode_varint, read_varint
from minisql.values.shape import KeyShape, RowShape
from minisql.values.storage_class import decode_escaped

Row = tuple[object, ...]
Decoder = Callable[[bytes, int, int], Row]
"""Takes the data, the offset of the record's body, and the rowid."""

MAX_DECODERS = 2000
_SMALL_INTEGER_SIZES = (0, 1, 2, 3, 4, 6, 8)
_FIXED_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)
_STRUCT_CODES = {1: "b", 2: "h", 3: "3s", 4: "i", 5: "6s", 6: "q", 7: "d"}

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


def _decode_integer(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def _decode_real_integer(data: bytes) -> float:
    return float(int.from_bytes(data, "big", signed=True))


def _drop_nan(value: float) -> float | None:
    return value if value == value else None


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
        if known is not None and body + known[0] <= end:
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
        if body + size > end:
            raise RecordError("record values are longer than the payload")
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
                values[position] = float(value)  # type: ignore[arg-type]
        if self.rowid_column >= 0:
            values[self.rowid_column] = rowid
        return tuple(values)

    def make_decoder(self, serial_types: list[int]) -> Decoder:
        """Builds the decoder for one list of serial types."""
        codes: list[str] = [">"]
        n_raw = 0
        constants: list[object] = []
        order: list[int] = []  # below 0: ~i is constant i; rowid is constant -1 by convention below
        conversions: list[tuple[int, Callable[..., object]]] = []
        texts: list[int] = []
        rowid_at = -1
        for position in range(self.n_columns):
            is_real = position in self.real
            serial_type = serial_types[position] if position < len(serial_types) else -1
            if position == self.rowid_column:
                if serial_type > 0:
                    codes.append(f"{serial_type_size(serial_type)}x")
                rowid_at = position
                order.append(0)
                continue
            if serial_type in (-1, 0, 8, 9, 10, 11):
                constant: object = None
                if serial_type == -1:
                    constant = self.defaults[position]
                elif serial_type in (8, 9):
                    constant = serial_type - 8
                order.append(~len(constants))
                constants.append(float(constant) if is_real and constant.__class__ is int else constant)  # type: ignore[arg-type]
                continue
            order.append(n_raw)
            if serial_type >= 12:
                codes.append(f"{(serial_type - 12) >> 1}s")
                if serial_type & 1:
                    texts.append(n_raw)
            else:
                codes.append(_STRUCT_CODES[serial_type])
                if serial_type in (3, 5):
                    conversions.append((n_raw, _decode_real_integer if is_real else _decode_integer))
                elif serial_type == 7:
                    conversions.append((n_raw, _drop_nan))
                elif is_real:
                    conversions.append((n_raw, float))
            n_raw += 1
        order = [item if item >= 0 else n_raw + ~item for item in order]
        if rowid_at >= 0:
            order[rowid_at] = n_raw + len(constants)
        return self._assemble("".join(codes), conversions, texts, tuple(constants), order, n_raw, rowid_at >= 0)

    def _assemble(
        self,
        codes: str,
        conversions: list[tuple[int, Callable[..., object]]],
        texts: list[int],
        constants: Row,
        order: list[int],
        n_raw: int,
        has_rowid: bool,
    ) -> Decoder:
        """Picks the cheapest closure that does the job."""
        unpack = struct.Struct(codes).unpack_from
        is_identity = order == list(range(n_raw))
        pick: Callable[[Sequence[object]], Row] = tuple
        if not is_identity:
            getter = itemgetter(*order)
            pick = getter if len(order) > 1 else lambda values: (getter(values),)
        if texts and self.encoding != "utf-8":
            encoding = self.encoding
            conversions = conversions + [(raw, lambda piece: decode_text(piece, encoding)) for raw in texts]
            texts = []
        if not conversions and not texts:
            if is_identity:
                return lambda data, at, rowid: unpack(data, at)
            if not has_rowid:
                return lambda data, at, rowid: pick(unpack(data, at) + constants)
            return lambda data, at, rowid: pick((*unpack(data, at), *constants, rowid))
        tail = constants
        finish = pick

        def decode(data: bytes, at: int, rowid: int) -> Row:
            values = [*unpack(data, at), *tail, rowid]
            for raw, convert in conversions:
                values[raw] = convert(values[raw])
            try:
                for raw in texts:
                    values[raw] = values[raw].decode()
            except UnicodeDecodeError:
                for raw in texts:
                    if values[raw].__class__ is bytes:
                        values[raw] = decode_escaped(values[raw])
            return finish(values)

        if is_identity:
            finish = itemgetter(*range(n_raw)) if n_raw > 1 else lambda values: (values[0],)
        if conversions or not 1 <= len(texts) <= 2:
            return decode
        first, second = texts[0], texts[-1]

        def decode_few_texts(data: bytes, at: int, rowid: int) -> Row:
            values = [*unpack(data, at), *tail, rowid]
            try:
                values[first] = values[first].decode()
                if second != first:
                    values[second] = values[second].decode()
            except UnicodeDecodeError:
                return decode(data, at, rowid)
            return finish(values)

        return decode_few_texts

    def encode(self, row: Sequence[object]) -> bytes:
        """Encodes a row or entry as a record; integral values of REAL columns become integers, the rowid column NULL."""
        if self.real or self.rowid_column >= 0:
            row = self._as_stored(row)
        header: list[int] = []
        body: list[bytes] = []
        for value in row:
            kind = value.__class__
            if kind is int:
                if -128 <= value <= 127:  # type: ignore[operator]
                    if 0 <= value <= 1 and not self.legacy_format:  # type: ignore[operator]
                        header.append(8 + value)  # type: ignore[operator]
                        continue
                    serial_type = size = 1
                else:
                    bits = (value if value >= 0 else ~value).bit_length()  # type: ignore[operator,attr-defined,operator]
                    if bits < 32:
                        serial_type = size = 2 if bits < 16 else 3 if bits < 24 else 4
                    elif bits < 48:
                        serial_type, size = 5, 6
                    else:
                        serial_type, size = 6, 8
                header.append(serial_type)
                body.append(value.to_bytes(size, "big", signed=True))  # type: ignore[attr-defined]
            elif kind is str:
                try:
                    piece = value.encode() if self.encoding == "utf-8" else value.encode(self.encoding)  # type: ignore[attr-defined]
                except UnicodeEncodeError:
                    piece = encode_text(value, self.encoding)  # type: ignore[arg-type]
                header.append(13 + 2 * len(piece))
                body.append(piece)
            elif value is None:
                header.append(0)
            elif kind is float:
                header.append(7)
                body.append(_pack_double(value))
            else:
                assert isinstance(value, (bytes, bytearray, memoryview)), kind
                header.append(12 + 2 * len(value))
                body.append(bytes(value))
        n_types = len(header)
        if n_types < 127 and (not header or max(header) < 0x80):
            return bytes((n_types + 1, *header)) + b"".join(body)
        types = b"".join(map(encode_varint, header))
        size = len(types) + 1
        if size >= 0x80:
            size = len(types) + (2 if len(types) + 2 < 0x4000 else 3)
        return encode_varint(size) + types + b"".join(body)

    def _as_stored(self, row: Sequence[object]) -> Sequence[object]:
        """Replaces the rowid by NULL and integral REAL values within 48 bits by integers, as SQLite stores them."""
        stored = list(row)
        for position in self.real:
            value = stored[position]
            if value.__class__ is float and -140737488355328.0 <= value <= 140737488355327.0:  # type: ignore[operator]
                whole = int(value)  # type: ignore[call-overload]
                if whole == value:
                    stored[position] = whole
        if self.rowid_column >= 0:
            stored[self.rowid_column] = None
        return stored


def upper_bound(row: Sequence[object]) -> int:
    """Returns a size that the UTF-8 record of `row` does not exceed, without encoding it; UTF-16 needs at most twice that."""
    size = 4
    for value in row:
        kind = value.__class__
        if kind is int or kind is float:
            size += 9
        elif value is None:
            size += 1
        elif kind is str:
            size += len(value) + 5 if value.isascii() else 4 * len(value) + 5  # type: ignore[arg-type,attr-defined]
        else:
            size += len(value) + 5  # type: ignore[arg-type]
    return size
