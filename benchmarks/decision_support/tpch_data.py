"""TPC-H's eight tables from a seed: the specification's keys, formulas and distributions, by a generator of ours.

The numbers are not those of the TPC's own program, so answers are compared between engines and not with published ones.

Source: TPC Benchmark H, revision 3.0.1, clauses 1.4 and 4.2.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any

from decision_support import words

Row = tuple[Any, ...]
START = date(1992, 1, 1)
LAST_ORDER_DAY = (date(1998, 12, 31) - timedelta(days=151) - START).days
CURRENT = date(1995, 6, 17)
PER_SUPPLIERS = 4
PROSE_SIZE = 100_000
DAYS = [(START + timedelta(days=day)).isoformat() for day in range(2800)]
CURRENT_DAY = (CURRENT - START).days


def tables(scale: float, seed: int = 1) -> Iterator[tuple[str, list[Row]]]:
    """(name, rows) of the eight tables, referenced ones before those that refer to them."""
    text = words.prose(Random(seed), PROSE_SIZE)
    n_suppliers, n_parts = round(10_000 * scale), round(200_000 * scale)
    n_customers, n_orders = round(150_000 * scale), round(1_500_000 * scale)
    yield "region", _regions(Random(seed + 1), text)
    yield "nation", _nations(Random(seed + 2), text)
    yield "part", list(_parts(Random(seed + 3), text, n_parts))
    yield "supplier", list(_suppliers(Random(seed + 4), text, n_suppliers))
    yield "partsupp", list(_part_suppliers(Random(seed + 5), text, n_parts, n_suppliers))
    yield "customer", list(_customers(Random(seed + 6), text, n_customers))
    orders, items = _orders(Random(seed + 7), text, n_orders, n_customers, n_parts, n_suppliers, max(1, round(1000 * scale)))
    yield "orders", orders
    yield "lineitem", items


def retail_cents(part: int) -> int:
    """A part's price by its key.  Source: clause 4.2.3, P_RETAILPRICE."""
    return 90_000 + part // 10 % 20_001 + 100 * (part % 1000)


def supplier_of(part: int, number: int, n_suppliers: int) -> int:
    """The part's suppliers 0 to 3.  Source: clause 4.2.3, PS_SUPPKEY.

    Below a scale factor of 0.01 the formula would name a supplier twice, so its last part is kept small there.
    """
    turn = (part - 1) // n_suppliers
    if n_suppliers < 100:
        turn %= max(1, n_suppliers // 12)
    return (part + number * (n_suppliers // PER_SUPPLIERS + turn)) % n_suppliers + 1


def _regions(random: Random, text: str) -> list[Row]:
    return [(key, name, words.cut(random, text, 31, 115)) for key, name in enumerate(words.REGIONS)]


def _nations(random: Random, text: str) -> list[Row]:
    return [(key, name, region, words.cut(random, text, 31, 114)) for key, (name, region) in enumerate(words.NATIONS)]


def _parts(random: Random, text: str, n: int) -> Iterator[Row]:
    for key in range(1, n + 1):
        maker, brand = random.randint(1, 5), random.randint(1, 5)
        yield (
            key,
            " ".join(random.sample(words.COLOURS, 5)),
            f"Manufacturer#{maker}",
            f"Brand#{maker}{brand}",
            " ".join(random.choice(syllables) for syllables in words.TYPES),
            random.randint(1, 50),
            " ".join(random.choice(syllables) for syllables in words.CONTAINERS),
            retail_cents(key) / 100,
            words.cut(random, text, 5, 22),
        )


def _suppliers(random: Random, text: str, n: int) -> Iterator[Row]:
    complaining = set(random.sample(range(1, n + 1), max(1, n // 2000)))
    praising = set(random.sample(sorted(set(range(1, n + 1)) - complaining), max(1, n // 2000)))
    for key in range(1, n + 1):
        nation = random.randrange(len(words.NATIONS))
        comment = words.cut(random, text, 25, 100)
        if key in complaining or key in praising:
            comment = f"Customer {comment[:40]} {'Complaints' if key in complaining else 'Recommends'} {comment[40:70]}"
        address, balance = words.code(random, 10, 40), random.randint(-99_999, 999_999) / 100
        yield key, f"Supplier#{key:09}", address, nation, words.phone(random, nation), balance, comment


def _part_suppliers(random: Random, text: str, n_parts: int, n_suppliers: int) -> Iterator[Row]:
    for part in range(1, n_parts + 1):
        for number in range(PER_SUPPLIERS):
            cost, comment = random.randint(100, 100_000) / 100, words.cut(random, text, 49, 198)
            yield part, supplier_of(part, number, n_suppliers), random.randint(1, 9999), cost, comment


def _customers(random: Random, text: str, n: int) -> Iterator[Row]:
    for key in range(1, n + 1):
        nation = random.randrange(len(words.NATIONS))
        address, balance = words.code(random, 10, 40), random.randint(-99_999, 999_999) / 100
        segment, comment = random.choice(words.SEGMENTS), words.cut(random, text, 29, 116)
        yield key, f"Customer#{key:09}", address, nation, words.phone(random, nation), balance, segment, comment


def _orders(
    random: Random, text: str, n_orders: int, n_customers: int, n_parts: int, n_suppliers: int, n_clerks: int
) -> tuple[list[Row], list[Row]]:
    """Orders and their lines.  Every third customer has no order; of 32 keys the first eight are used."""
    orders: list[Row] = []
    items: list[Row] = []
    buying = [key for key in range(1, n_customers + 1) if key % 3]
    for number in range(n_orders):
        key = number // 8 * 32 + number % 8 + 1
        day = random.randint(0, LAST_ORDER_DAY)
        lines = [_line(random, text, key, day, line, n_parts, n_suppliers) for line in range(1, random.randint(1, 7) + 1)]
        items += lines
        statuses = {line[9] for line in lines}
        total = sum(round(line[5] * (1 + line[7]) * (1 - line[6]), 2) for line in lines)
        orders.append(
            (
                key,
                random.choice(buying),
                statuses.pop() if len(statuses) == 1 else "P",
                round(total, 2),
                DAYS[day],
                random.choice(words.PRIORITIES),
                f"Clerk#{random.randint(1, n_clerks):09}",
                0,
                words.cut(random, text, 19, 78),
            )
        )
    return orders, items


def _line(random: Random, text: str, order: int, day: int, line: int, n_parts: int, n_suppliers: int) -> Row:
    part, quantity = random.randint(1, n_parts), random.randint(1, 50)
    shipped = day + random.randint(1, 121)
    committed = day + random.randint(30, 90)
    received = shipped + random.randint(1, 30)
    return (
        order,
        part,
        supplier_of(part, random.randrange(PER_SUPPLIERS), n_suppliers),
        line,
        quantity,
        quantity * retail_cents(part) / 100,
        random.randint(0, 10) / 100,
        random.randint(0, 8) / 100,
        random.choice("RA") if received <= CURRENT_DAY else "N",
        "O" if shipped > CURRENT_DAY else "F",
        DAYS[shipped],
        DAYS[committed],
        DAYS[received],
        random.choice(words.INSTRUCTIONS),
        random.choice(words.MODES),
        words.cut(random, text, 10, 43),
    )
