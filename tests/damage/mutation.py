"""Mutations of sound files, chosen by a seed: single bytes where structures live, page pointers, swapped pages, cut ends.

Logs and journals are damaged as they are (checksums then reject most of it) or with their checksums made right again, so that
what they carry reaches the engine.
"""

from __future__ import annotations

import random
import struct

from minisql.storage.journal import page_checksum
from minisql.storage.wal_checksum import wal_checksum
from tests.damage.samples import Sample

_INTERESTING = (0, 1, 2, 5, 10, 13, 0x7F, 0x80, 0x81, 0xFF)


def page_size_of(data: bytes) -> int:
    """The page size in a database header."""
    size = data[16] << 8 | data[17]
    return 65536 if size == 1 else size


def mutate(sample: Sample, seed: int) -> Sample:
    """Returns a damaged copy; the same for the same sample and seed."""
    chance = random.Random(seed)
    result = dict(sample)
    beside = [ending for ending in sample if ending]
    if beside and chance.random() < 0.8:
        ending = beside[0]
        result[ending] = (_damaged_log if ending == "-wal" else _damaged_journal)(sample[ending], chance)
        if chance.random() < 0.7:
            return result
    result[""] = _damaged_database(sample[""], chance)
    return result


def _damaged_database(data: bytes, chance: random.Random) -> bytes:
    page_size = page_size_of(data)
    result = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8, 30))):
        _damage_once(result, page_size, chance)
    if chance.random() < 0.06 and len(result) > 1:
        result = result[: chance.randrange(len(result))]
    elif chance.random() < 0.03:
        result += chance.randbytes(chance.choice((1, 100, page_size)))
    return bytes(result)


def _damage_once(data: bytearray, page_size: int, chance: random.Random) -> None:
    n_pages = max(len(data) // page_size, 1)
    page = chance.randrange(n_pages)
    base = page * page_size
    first = base + (100 if page == 0 else 0)
    kind = chance.random()
    if kind < 0.25:  # the b-tree page header
        _put(data, first + chance.randrange(12), chance)
    elif kind < 0.4:  # the cell pointers
        _put(data, first + 8 + chance.randrange(40), chance)
    elif kind < 0.62:  # a cell: payload size, rowid, record header, overflow pointer
        _damage_cell(data, base, first, page_size, chance)
    elif kind < 0.72:
        _put(data, chance.randrange(len(data)), chance)
    elif kind < 0.8:  # a page number somewhere
        at = base + chance.choice((0, 4, 8, page_size - 4, 4 * chance.randrange(page_size // 4)))
        data[at : at + 4] = struct.pack(">I", chance.choice((0, 1, 2, page + 1, chance.randrange(n_pages + 2), 0xFFFFFFFF)))
    elif kind < 0.86:
        _put(data, chance.randrange(100), chance)
    elif kind < 0.92:
        other = chance.randrange(n_pages) * page_size
        data[base : base + page_size] = data[other : other + page_size]
    elif kind < 0.96:
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(1, 64)] = bytes(len(data[at : at + chance.randrange(1, 64)]))
    else:
        at = chance.randrange(len(data))
        noise = chance.randbytes(chance.randrange(1, 9))
        data[at : at + len(noise)] = noise[: len(data) - at]


def _damage_cell(data: bytearray, base: int, first: int, page_size: int, chance: random.Random) -> None:
    kind = data[first] if first < len(data) else 0
    count = int.from_bytes(data[first + 3 : first + 5], "big")
    if not 0 < count < page_size // 4:
        return
    place = first + (12 if kind in (2, 5) else 8) + 2 * chance.randrange(count)
    at = base + int.from_bytes(data[place : place + 2], "big")
    _put(data, at + min(int(chance.expovariate(0.2)), 60), chance)


def _put(data: bytearray, at: int, chance: random.Random) -> None:
    if at >= len(data):
        return
    kind = chance.random()
    if kind < 0.4:
        data[at] = chance.randrange(256)
    elif kind < 0.7:
        data[at] = chance.choice(_INTERESTING)
    elif kind < 0.85:
        data[at] ^= 1 << chance.randrange(8)
    else:
        data[at] = (data[at] + chance.choice((-1, 1))) % 256


def _damaged_log(data: bytes, chance: random.Random) -> bytes:
    if len(data) < 32:
        return data
    result = bytearray(data)
    page_size = int.from_bytes(data[8:12], "big")
    n_frames = (len(data) - 32) // (page_size + 24)
    repairs = chance.random() < 0.6
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = 32 + chance.randrange(n_frames) * (page_size + 24)
        kind = chance.random()
        if kind < 0.2:
            _put(result, chance.randrange(32), chance)
        elif kind < 0.5:
            _put(result, at + chance.randrange(8 if repairs else 24), chance)
        elif kind < 0.85:
            _put(result, at + 24 + chance.choice((chance.randrange(12), chance.randrange(page_size))), chance)
        else:
            result = result[: chance.randrange(32, len(result))]
            break
    if repairs:
        _repair_log(result, page_size)
    return bytes(result)


def _repair_log(data: bytearray, page_size: int) -> None:
    is_big = bool(data[3] & 1)
    s0, s1 = wal_checksum(bytes(data[:24]), 0, 0, is_big)
    data[24:32] = struct.pack(">II", s0, s1)
    for at in range(32, len(data) - page_size - 23, page_size + 24):
        data[at + 8 : at + 16] = data[16:24]
        s0, s1 = wal_checksum(bytes(data[at : at + 8]), s0, s1, is_big)
        s0, s1 = wal_checksum(bytes(data[at + 24 : at + 24 + page_size]), s0, s1, is_big)
        data[at + 16 : at + 24] = struct.pack(">II", s0, s1)


def _damaged_journal(data: bytes, chance: random.Random) -> bytes:
    if len(data) < 512:
        return data
    result = bytearray(data)
    nonce, sector, page_size = (int.from_bytes(data[at : at + 4], "big") for at in (12, 20, 24))
    for _ in range(chance.choice((1, 1, 2, 5))):
        kind = chance.random()
        if kind < 0.35:
            _put(result, chance.randrange(28), chance)
        elif kind < 0.9:
            at = sector + chance.randrange(max((len(data) - sector) // (page_size + 8), 1)) * (page_size + 8)
            _put(result, at + chance.choice((0, 1, 2, 3, chance.randrange(page_size + 8))), chance)
            image = bytes(result[at + 4 : at + 4 + page_size])
            if chance.random() < 0.6 and len(image) == page_size and at + page_size + 8 <= len(result):
                result[at + 4 + page_size : at + 8 + page_size] = page_checksum(nonce, image).to_bytes(4, "big")
        else:
            result = result[: chance.randrange(1, len(result))]
            break
    return bytes(result)
