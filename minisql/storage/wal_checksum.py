"""The checksum of the write-ahead log, cumulative over frames.

For each pair of 32-bit words (a, b):  s0 += a + s1;  s1 += b + s0  (mod 2**32).  That is linear:

    (s0, s1) -> M (s0, s1) + (a, a + b)     with M = [[1, 1], [1, 2]]

so a run of n pairs is  M**n s + sum of M**(n-1-i) v[i].  The run is cut into n/8 groups of eight neighbours, which one big
integer with a 64-bit lane for each group adds up as the plain loop does, eight times two additions for all groups at once; they
cannot overflow a lane.  The sums of the groups are then folded in halves: v'[j] = M**(n/2) v[j] + v[j + n/2], in 6 steps for a
page of 4 KiB.  That takes less than a fifth of a plain loop's time (benchmark wal_checksum).

Source: https://www.sqlite.org/fileformat2.html#checksum_algorithm.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from struct import unpack

_WORD = 0xFFFFFFFF
_GROUP = 8
"""Neighbours that are added up in one lane: more than 17 could overflow its 64 bits."""
_SHORT = 64
"""Bytes up to which the plain loop is the faster one: heads of frames, headers (benchmark commit_wal_normal)."""


@lru_cache(maxsize=64)
def _power(n: int) -> tuple[int, int, int]:
    """Returns (p, q, r) with M**n = [[p, q], [q, r]] mod 2**32."""
    p, q, r = 1, 0, 1
    a, b, c = 1, 1, 2
    while n:
        if n & 1:
            p, q, r = p * a + q * b & _WORD, p * b + q * c & _WORD, q * b + r * c & _WORD
        a, b, c = a * a + b * b & _WORD, a * b + b * c & _WORD, b * b + c * c & _WORD
        n >>= 1
    return p, q, r


@lru_cache(maxsize=32)
def _lane_mask(n_lanes: int) -> int:
    return int.from_bytes(b"\xff\xff\xff\xff\0\0\0\0" * n_lanes, "little")


@lru_cache(maxsize=32)
def _foldings(n_lanes: int, group: int) -> list[tuple[int, int, int, int, int]]:
    """Returns (bits, lane mask, p, q, r) for each halving of as many lanes, whose pairs are `group` apart."""
    steps = []
    while n_lanes > 1:
        n_lanes //= 2
        steps.append((64 * n_lanes, _lane_mask(n_lanes), *_power(group * n_lanes)))
    return steps


def _sum_of_pairs(data: bytes) -> tuple[int, int]:
    """Returns the sum of M**(n-1-i) v[i] for little-endian data whose number of pairs is a power of two."""
    n = len(data) // 8
    group = _GROUP if n > _GROUP else 1
    n_lanes = n // group
    pairs = array("Q", data)
    mask = _lane_mask(n_lanes)
    first = second = 0
    for number in range(group):
        both = int.from_bytes(pairs[number::group], "little")
        first += (both & mask) + second
        second += (both >> 32 & mask) + first
    first &= mask
    second &= mask
    for bits, mask, p, q, r in _foldings(n_lanes, group):
        low_first, low_second = first & mask, second & mask
        first = (low_first * p & mask) + (low_second * q & mask) + (first >> bits) & mask
        second = (low_first * q & mask) + (low_second * r & mask) + (second >> bits) & mask
    return first, second


def wal_checksum(data: bytes, s0: int, s1: int, is_big_endian: bool) -> tuple[int, int]:
    """Continues the checksum (s0, s1) over data, a multiple of 8 bytes."""
    if is_big_endian:
        swapped = array("I" if array("I").itemsize == 4 else "L", data)
        swapped.byteswap()
        data = swapped.tobytes()
    at = 0
    size = len(data)
    if size <= _SHORT:
        words = iter(unpack(f"<{size // 4}I", data))
        for first, second in zip(words, words):
            s0 = s0 + first + s1 & _WORD
            s1 = s1 + second + s0 & _WORD
        return s0, s1
    while at < size:
        block = 1 << (size - at).bit_length() - 1
        n = block // 8
        p, q, r = _power(n)
        first, second = _sum_of_pairs(data[at : at + block])
        s0, s1 = p * s0 + q * s1 + first & _WORD, q * s0 + r * s1 + second & _WORD
        at += block
    return s0, s1
