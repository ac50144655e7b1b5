"""The Star Schema Benchmark's five tables from a seed: one of facts, four of dimensions.

Keys, hierarchies (region, nation, city; maker, category, brand) and formulas are the paper's; the small tables grow with the
scale as TPC-H's do, below a scale factor of one, too, where the paper gives no numbers for parts.

Source: P. O'Neil, B. O'Neil, X. Chen, "Star Schema Benchmark", revision 3, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any

from decision_support import words
from decision_support.tpch_data import retail_cents

Row = tuple[Any, ...]
START = date(1992, 1, 1)
N_DAYS = 2556
LAST_ORDER_DAY = 2405  # 1998-08-02
SEASONS = ("Winter", "Winter", "Spring", "Spring", "Spring", "Summer", "Summer", "Summer", "Fall", "Fall", "Fall", "Christmas")


def tables(scale: float, seed: int = 1) -> Iterator[tuple[str, list[Row]]]:
    """(name, rows) of the five tables, the facts last."""
    n_parts, n_suppliers, n_customers = round(200_000 * scale), max(20, round(2_000 * scale)), round(30_000 * scale)
    yield "dates", [_day(number) for number in range(N_DAYS)]
    yield "part", list(_parts(Random(seed), n_parts))
    yield "supplier", list(_suppliers(Random(seed + 1), n_suppliers))
    yield "customer", list(_customers(Random(seed + 2), n_customers))
    yield "lineorder", list(_line_orders(Random(seed + 3), round(1_500_000 * scale), n_parts, n_suppliers, n_customers))


def _key(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


def _day(number: int) -> Row:
    day = START + timedelta(days=number)
    in_year = day.timetuple().tm_yday
    in_week = day.isoweekday() % 7 + 1
    return (
        *(_key(day), f"{day:%B} {day.day}, {day.year}", f"{day:%A}", f"{day:%B}", day.year, day.year * 100 + day.month),
        *(f"{day:%b}{day.year}", in_week, day.day, in_year, day.month, (in_year - 1) // 7 + 1, SEASONS[day.month - 1]),
        *(int(in_week == 7), int((day + timedelta(days=1)).day == 1), int((day.month, day.day) in HOLIDAYS)),
        int(2 <= in_week <= 6),
    )


HOLIDAYS = frozenset(((1, 1), (2, 20), (4, 20), (5, 20), (7, 20), (8, 20), (9, 20), (10, 20), (11, 20), (12, 25)))


def _parts(random: Random, n: int) -> Iterator[Row]:
    for key in range(1, n + 1):
        maker = f"MFGR#{random.randint(1, 5)}"
        category = f"{maker}{random.randint(1, 5)}"
        colours = random.sample(words.COLOURS, 2)
        kind = " ".join(random.choice(syllables) for syllables in words.TYPES)
        container = " ".join(random.choice(syllables) for syllables in words.CONTAINERS)
        brand = f"{category}{random.randint(1, 40)}"
        yield key, " ".join(colours), maker, category, brand, colours[0], kind, random.randint(1, 50), container


def _place(random: Random) -> tuple[str, str, str, str]:
    """City, nation, region and telephone number; a city is the nation's first nine letters and a digit."""
    number = random.randrange(len(words.NATIONS))
    nation, region = words.NATIONS[number]
    return f"{nation[:9]:9}{random.randrange(10)}", nation, words.REGIONS[region], words.phone(random, number)


def _suppliers(random: Random, n: int) -> Iterator[Row]:
    for key in range(1, n + 1):
        yield key, f"Supplier#{key:09}", words.code(random, 10, 25), *_place(random)


def _customers(random: Random, n: int) -> Iterator[Row]:
    for key in range(1, n + 1):
        yield key, f"Customer#{key:09}", words.code(random, 10, 25), *_place(random), random.choice(words.SEGMENTS)


def _line_orders(random: Random, n: int, n_parts: int, n_suppliers: int, n_customers: int) -> Iterator[Row]:
    for number in range(n):
        key = number // 8 * 32 + number % 8 + 1
        customer, day = random.randint(1, n_customers), random.randrange(LAST_ORDER_DAY + 1)
        priority = random.choice(words.PRIORITIES)
        lines = []
        for _ in range(random.randint(1, 7)):
            part, quantity = random.randint(1, n_parts), random.randint(1, 50)
            price, discount, tax = quantity * retail_cents(part), random.randint(0, 10), random.randint(0, 8)
            lines.append((part, quantity, price, discount, price * (100 - discount) // 100, tax))
        total = sum(revenue * (100 + tax) // 100 for *_, revenue, tax in lines)
        for line, (part, quantity, price, discount, revenue, tax) in enumerate(lines, 1):
            cost = 6 * retail_cents(part) // 10
            committed = _key(START + timedelta(days=day + random.randint(30, 90)))
            yield (
                *(key, line, customer, part, random.randint(1, n_suppliers), _key(START + timedelta(days=day)), priority, "0"),
                *(quantity, price, total, discount, revenue, cost, tax, committed, random.choice(words.MODES)),
            )
