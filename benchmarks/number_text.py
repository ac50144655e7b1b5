"""Compares REAL-to-text and text-to-number with SQLite, both directions, on random values of all kinds.

    python benchmarks/number_text.py --count 2000000 --seed 1

Half of the values are doubles (random bits, short decimals, neighbours of short decimals, integers, powers, subnormals), half
are texts (short and long digit strings, exponents, leading zeros, white space, trailing junk).  A text is compared as CAST AS
REAL, CAST AS NUMERIC and CAST AS INTEGER.  Needs `apsw`.  Prints every difference (the first twenty) and a last line
`N passed, M failed`; the exit status is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import math
import random
import struct
import sys

import apsw

from minisql.values.affinity import INTEGER, NUMERIC, REAL
from minisql.values.cast import cast
from minisql.values.number_text import real_to_text

BATCH = 400
SHOWN_FAILURES = 20


def random_double(source: random.Random) -> float:
    """Returns a finite double; each kind of number that the conversions treat differently is likely."""
    kind = source.randrange(10)
    if kind == 0:
        return source.random()
    if kind == 1:
        return source.uniform(-1e6, 1e6)
    if kind == 2:
        return round(source.uniform(-1e5, 1e5), source.randrange(6))
    if kind == 3:
        return float(source.randrange(10 ** source.randrange(1, 19))) * 10.0 ** source.randrange(-30, 30)
    if kind == 4:
        short = float(source.randrange(10 ** source.randrange(1, 17))) * 10.0 ** source.randrange(-30, 30)
        return struct.unpack("<d", struct.pack("<q", max(_bits(short) + source.randrange(-9, 10), 0)))[0]  # type: ignore[no-any-return]
    if kind == 5:
        return source.choice([float(source.randrange(-(2**63), 2**63)), sum(source.randrange(100) / 100 for _ in range(5))])
    if kind == 6:
        return 2.0 ** source.randrange(-1074, 1023)
    if kind == 7:
        return 10.0 ** source.randrange(-320, 307) * source.randrange(1, 100)
    while True:
        n_bits = 64 if kind == 8 else source.randrange(1, 64)
        value: float = struct.unpack("<d", struct.pack("<Q", source.getrandbits(n_bits)))[0]
        if math.isfinite(value):
            return value


def _bits(value: float) -> int:
    return struct.unpack("<q", struct.pack("<d", value))[0]  # type: ignore[no-any-return]


def random_text(source: random.Random) -> str:
    """Returns a text that is, or nearly is, a number."""
    kind = source.randrange(20)
    if kind < 3:
        text = repr(random_double(source))
    else:
        digits = "".join(source.choices("0123456789", k=source.randrange(1, 20 if kind < 9 else 42)))
        if kind == 19:
            digits = digits[0] + source.choice("09") * source.randrange(400) + digits
        if source.random() < 0.6:
            point = source.randrange(len(digits) + 1)
            digits = digits[:point] + "." + digits[point:]
        if source.random() < 0.4:
            digits += source.choice("eE") + source.choice(["", "+", "-"]) + str(source.randrange(source.choice([5, 30, 330])))
        text = source.choice(["", "", "", "-", "+"]) + digits
    if source.random() < 0.1:
        text = source.choice([" ", "\t", "\n", "\v", "\f\r", "\xa0", "-", "x", ""]) + text
    if source.random() < 0.1:
        text += source.choice([" ", "\t", "e", "e+", ".", "x", "_1", "\0", "\u0661"])
    return text


def same(ours: object, theirs: object) -> bool:
    """Tells whether two values have the same type and the same bits."""
    if ours.__class__ is not theirs.__class__:
        return False
    if isinstance(ours, float) and isinstance(theirs, float):
        return _bits(ours) == _bits(theirs)
    return ours == theirs


def main() -> int:
    """Runs the comparison; returns the process's exit status."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--count", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    source = random.Random(options.seed)
    cursor = apsw.Connection(":memory:").cursor()
    casts = (("real", REAL), ("numeric", NUMERIC), ("integer", INTEGER))
    per_text = ",".join(f"cast(?{{0}} as {name})" for name, _ in casts)
    query_texts = "select " + ",".join(per_text.format(i + 1) for i in range(BATCH))
    query_doubles = "select " + ",".join(["cast(? as text)"] * BATCH)
    n_passed = n_failed = 0
    done = 0
    while done < options.count:
        doubles = [random_double(source) for _ in range(BATCH)]
        texts = [random_text(source) for _ in range(BATCH)]
        pairs: list[tuple[object, object, object]] = list(
            zip(doubles, map(real_to_text, doubles), cursor.execute(query_doubles, doubles).fetchall()[0])
        )
        pairs += zip(
            [text for text in texts for _ in casts],
            [cast(text, affinity) for text in texts for _, affinity in casts],
            cursor.execute(query_texts, texts).fetchall()[0],
        )
        for value, ours, theirs in pairs:
            if same(ours, theirs):
                n_passed += 1
            else:
                n_failed += 1
                if n_failed <= SHOWN_FAILURES:
                    print(f"{value!r}: minisql {ours!r}, SQLite {theirs!r}")
        done += 2 * BATCH
    print(f"{n_passed} passed, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
