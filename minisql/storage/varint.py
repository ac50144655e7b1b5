"""Variable-length integers: big-endian base 128, at most nine bytes, the ninth with all eight bits.

Callers on hot paths read the one-byte case inline and come here for the rest.

Source: https://www.sqlite.org/fileformat2.html#varint.
"""

from __future__ import annotations


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Reads the unsigned 64-bit integer at `data[at]`; returns it and the offset behind it.

    Raises IndexError past the end of `data`; callers translate it into SQLITE_CORRUPT.
    """
    byte = data[at]
    if byte < 0x80:
        return byte, at + 1
    value = byte & 0x7F
    for offset in range(at + 1, at + 8):
        byte = data[offset]
        if byte < 0x80:
            return value << 7 | byte, offset + 1
        value = value << 7 | byte & 0x7F
    return value << 8 | data[at + 8], at + 9


def read_signed_varint(data: bytes, at: int) -> tuple[int, int]:
    """Reads a rowid: the same bytes taken as a two's-complement 64-bit integer."""
    value, at = read_varint(data, at)
    return (value - (1 << 64) if value >> 63 else value), at


_ONE_BYTE = tuple(bytes((i,)) for i in range(128))


def encode_varint(value: int) -> bytes:
    """Encodes an integer of -2**63 .. 2**64-1 in as few bytes as possible."""
    if 0 <= value < 0x80:
        return _ONE_BYTE[value]
    if 0 <= value < 0x4000:
        return bytes((value >> 7 | 0x80, value & 0x7F))
    value &= (1 << 64) - 1
    if value >> 56:
        tail = [value & 0xFF]
        value >>= 8
        for _ in range(8):
            tail.append(value & 0x7F | 0x80)
            value >>= 7
        tail.reverse()
        return bytes(tail)
    groups = [value & 0x7F]
    value >>= 7
    while value:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.reverse()
    return bytes(groups)


def encode_varints(values: list[int]) -> list[bytes]:
    """Encodes ascending integers; those of one run share all bytes but the last (benchmark bulk_load)."""
    at, end = values[0], values[-1] + 1
    if at < 0 or end > 1 << 56 or end - at != len(values):
        return list(map(encode_varint, values))
    encoded: list[bytes] = []
    while at < end:
        stop = min(end, (at | 0x7F) + 1)
        last = _ONE_BYTE[at & 0x7F : (at & 0x7F) + stop - at]
        if at < 0x80:
            encoded += last
        else:
            first = encode_varint(at >> 7)
            first = first[:-1] + bytes((first[-1] | 0x80,))
            encoded += map(first.__add__, last)
        at = stop
    return encoded


def varint_length(value: int) -> int:
    """Returns the number of bytes that `encode_varint(value)` has."""
    if 0 <= value < 0x80:
        return 1
    if value < 0 or value >> 56:
        return 9
    return (value.bit_length() + 6) // 7
