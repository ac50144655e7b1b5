"""The bytes of a full-text index: varints, doclists, position lists, leaf and interior nodes of segment b-trees.

A doclist is a run of (docid, position list) pairs; a position list ends with a 0 that is no part of it here.  Positions in
memory are (column << 32) + offset, so that distances across columns are long.  A leaf begins with its height, 0, which is at
the same time the length of the prefix that its first term shares with nothing.

Source: https://www.sqlite.org/fts3.html sections 9.2 to 9.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from minisql.vtab.shadow_tables import corrupt, signed

COLUMN_SHIFT = 32
_MASK = 0xFFFFFFFFFFFFFFFF

Entry = tuple[int, bytes]
"""A docid and its position list; an empty one says that the row is gone."""


def encode_varint(number: int) -> bytes:
    """The least significant seven bits first; negative numbers as 64 bits."""
    if 0 <= number < 0x80:
        return bytes((number,))
    number &= _MASK
    result = bytearray()
    while number > 0x7F:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)


def read_varint(data: bytes, place: int) -> tuple[int, int]:
    """The unsigned number at a place, and where it ends; IndexError if the bytes end first."""
    byte = data[place]
    place += 1
    if byte < 0x80:
        return byte, place
    number = byte & 0x7F
    shift = 7
    while byte >= 0x80 and shift < 70:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        shift += 7
    return number & _MASK, place


def encode_numbers(numbers: Iterable[int]) -> bytes:
    """Several varints."""
    return b"".join(map(encode_varint, numbers))


def decode_numbers(data: bytes, n_wanted: int) -> list[int]:
    """So many varints, zeros where they end early."""
    numbers: list[int] = []
    place = 0
    try:
        while len(numbers) < n_wanted:
            number, place = read_varint(data, place)
            numbers.append(number)
    except IndexError:
        numbers += [0] * (n_wanted - len(numbers))
    return numbers


# Doclists


def decode_doclist(data: bytes, is_descending: bool) -> list[Entry]:
    """The rows of a doclist; raises for one that is cut off."""
    entries: list[Entry] = []
    place, end = 0, len(data)
    docid = 0
    find = data.find
    try:
        while place < end:
            delta = data[place]
            if delta < 0x80:
                place += 1
            else:
                delta, place = read_varint(data, place)
            docid = docid - delta if is_descending and entries else docid + delta
            stop = find(0, place)
            while stop > place and data[stop - 1] & 0x80:
                # This 0 is the last byte of a longer varint.
                stop = find(0, stop + 1)
            if stop < 0:
                raise corrupt()
            entries.append((docid if -(1 << 63) <= docid < 1 << 63 else signed(docid), data[place:stop]))
            place = stop + 1
    except IndexError:
        raise corrupt() from None
    return entries


def encode_doclist(entries: Sequence[Entry], is_descending: bool) -> bytes:
    """The doclist of rows that stand in the index's order."""
    parts = []
    before = 0
    for number, (docid, poslist) in enumerate(entries):
        parts.append(encode_varint(before - docid if is_descending and number else docid - before))
        parts.append(poslist)
        parts.append(b"\x00")
        before = docid
    return b"".join(parts)


def decode_positions(poslist: bytes) -> list[int]:
    """The positions of a list, in order."""
    positions = []
    place, end = 0, len(poslist)
    position = 0
    try:
        while place < end:
            number = poslist[place]
            if number < 0x80:
                place += 1
            else:
                number, place = read_varint(poslist, place)
            if number > 1:
                position += number - 2
                positions.append(position)
            elif number == 1:
                column, place = read_varint(poslist, place)
                position = column << COLUMN_SHIFT
            else:
                raise corrupt()
    except IndexError:
        raise corrupt() from None
    return positions


# Nodes


def leaf_entries(node: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The terms of a leaf with their doclists."""
    end = len(node)
    place = 0
    term = b""
    before: bytes | None = None
    try:
        while place < end:
            shared, place = read_varint(node, place)
            size, place = read_varint(node, place)
            if shared > len(term) or size == 0 or place + size > end:
                raise corrupt()
            term = term[:shared] + node[place : place + size]
            if before is not None and term <= before:
                raise corrupt()
            before = term
            n_bytes, place = read_varint(node, place + size)
            stop = place + n_bytes
            if stop > end or n_bytes == 0 or node[stop - 1]:
                raise corrupt()
            yield term, node[place:stop]
            place = stop
    except IndexError:
        raise corrupt() from None


def decode_interior(node: bytes) -> tuple[int, int, list[bytes]]:
    """The height of an interior node, the block of its first child, and the terms between the children."""
    terms: list[bytes] = []
    try:
        height, place = read_varint(node, 0)
        child, place = read_varint(node, place)
        term = b""
        end = len(node)
        while place < end:
            shared = 0
            if terms:
                shared, place = read_varint(node, place)
            size, place = read_varint(node, place)
            if shared > len(term) or place + size > end:
                raise corrupt()
            term = term[:shared] + node[place : place + size]
            terms.append(term)
            place += size
    except IndexError:
        raise corrupt() from None
    return height, child, terms


def shared_length(first: bytes, second: bytes) -> int:
    """How many bytes two terms have in common at their beginnings."""
    least = min(len(first), len(second))
    if first[:least] == second[:least]:
        return least
    place = 0
    while first[place] == second[place]:
        place += 1
    return place


def varint_size(number: int) -> int:
    """How many bytes a number that is not negative takes."""
    return (max(number.bit_length(), 1) + 6) // 7
