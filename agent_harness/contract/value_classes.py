"""Values by class, as SQL literals: what a hold-out and twins are made of besides everyday rows.

A repair that is right for small values can be wrong for the others (a text that needs overflow pages, an integer that no real
can hold, a number kept as text), and records written by people hold few of those.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Literal = Callable[[random.Random], str]
SIZES = (60, 250, 1000, 4000, 4096, 9000, 70000)


def _long_text(chance: random.Random) -> str:
    return f"printf('%.*c%d', {chance.choice(SIZES)}, '{chance.choice('axyZ')}', {chance.randrange(100)})"


def _large_blob(chance: random.Random) -> str:
    return f"CAST(printf('%d%.*c', {chance.randrange(100)}, {chance.choice(SIZES)}, '{chance.choice('bq')}') AS BLOB)"


VALUE_CLASSES: dict[str, Literal] = {
    "null": lambda chance: "NULL",
    "small integer": lambda chance: str(chance.randrange(20)),
    "negative integer": lambda chance: str(-chance.choice((1, 7, 128, 129, 32769, 8388609))),
    "large integer": lambda chance: chance.choice(
        ("2147483648", "-2147483649", "9007199254740993", "9223372036854775807", "-9223372036854775807")
    ),
    "real": lambda chance: chance.choice(("0.5", "-2.25", "1e10", "-1e300", "3.0", "0.1")),
    "short text": lambda chance: chance.choice(("''", "'a'", "'B'", "'it''s'", "'b '")),
    "number as text": lambda chance: chance.choice(("'12'", "'-3.5'", "' 7 '", "'1e2'", "'0x10'", "'9x'")),
    "text beyond ASCII": lambda chance: chance.choice(("'Ärger'", "'\U0001f600'", "'ıß'")),
    "long text": _long_text,
    "small blob": lambda chance: chance.choice(("x''", "x'00ff'", "x'3132'", "x'c3'")),
    "large blob": _large_blob,
    "zeros": lambda chance: f"zeroblob({chance.choice(SIZES)})",
}
LARGE = ("long text", "large blob", "zeros")


def any_literal(chance: random.Random) -> str:
    """A literal of a class chosen by chance."""
    return VALUE_CLASSES[chance.choice(tuple(VALUE_CLASSES))](chance)


def large_literal(chance: random.Random) -> str:
    """A literal that does not fit on a page, or one beside it that does."""
    return VALUE_CLASSES[chance.choice((*LARGE, *LARGE, "null", "small blob", "short text"))](chance)
