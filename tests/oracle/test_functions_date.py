"""Date and time functions against SQLite: generated time values, modifiers and formats, with a local time zone."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from function_oracle import CONTEXT, assert_same, ours, theirs

from minisql.errors import OperationalError
from minisql.functions import date_functions

NAMES = ["date", "time", "datetime", "julianday", "unixepoch"]
FORMAT = "%d|%e|%f|%F|%G|%g|%H|%I|%j|%J|%k|%l|%m|%M|%p|%P|%R|%s|%S|%T|%u|%U|%V|%w|%W|%Y|%%"


@pytest.fixture(scope="module")
def connection() -> Iterator[apsw.Connection]:
    old = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield apsw.Connection(":memory:")
    if old is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = old
    time.tzset()


def random_value(source: random.Random) -> object:
    kind = source.randrange(12)
    if kind < 5:
        year = source.choice([source.randrange(1900, 2100), source.randrange(10000), 2000, 1970, 2024])
        text = f"{year:04d}-{source.randrange(1, 13):02d}-{source.choice([28, 29, 30, 31, source.randrange(1, 32)]):02d}"
        if kind < 3:
            text += source.choice([" ", "T", "  "]) + random_clock(source)
        return text
    if kind == 5:
        return random_clock(source)
    if kind == 6:
        return source.choice([source.randrange(5373485), source.uniform(0, 5373484.5), source.uniform(2440000, 2470000)])
    if kind == 7:
        return source.choice([source.randrange(-(10**11), 3 * 10**11), source.uniform(0, 2e9), source.randrange(2 * 10**9)])
    if kind == 8:
        return str(source.choice([source.randrange(2 * 10**9), source.uniform(2440000, 2470000), "1e3", "2460000.5 "]))
    return source.choice(
        [None, "", "x", "2024-1-1", "2024-13-01", "2024-00-10", "2024-02-30", "-4713-11-24 12:00", "-0044-03-15", "-4713-11-23", "12:60", "25:00",
         "24:00", "24:59", "12:34:60", "12:34:56.", "2024-01-01 12", "2024-01-01x", "2024-01-01 ", " 2024-01-01", "9999-12-31 23:59:59.999", "0000-01-01",
         b"2024-01-01", "2024-01-01\0x", "12:34:56.9999", "12:34:56.0005", "2024-02-29 24:00:00"]
    )  # fmt: skip


def random_clock(source: random.Random) -> str:
    text = f"{source.randrange(25):02d}:{source.randrange(60):02d}"
    if source.random() < 0.7:
        text += f":{source.randrange(60):02d}"
        if source.random() < 0.5:
            text += "." + "".join(source.choices("0123456789", k=source.randrange(1, 7)))
    if source.random() < 0.3:
        text += source.choice(["", " "]) + source.choice(["Z", "z", "+01:00", "-05:30", "+14:59", "+15:00", "+00:00", "Zx", "+1:00"])
    return text


def random_modifier(source: random.Random) -> object:
    kind = source.randrange(10)
    if kind < 4:
        number = source.choice([source.randrange(400), source.randrange(40), source.uniform(0, 50), 1.5, 0.5, 100000])
        unit = source.choice(["second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "month", "months", "year", "years", "DAYS", "fortnight", "s"])
        return source.choice(["+", "-", ""]) + f"{number}" + source.choice([" ", "  "]) + unit
    if kind == 4:
        return source.choice(["+", "-", ""]) + random_clock(source)
    if kind == 5:
        clock = source.choice(["", " ", "T"]) + source.choice(["", random_clock(source)])
        digits = source.choice([4, 4, 4, 5])
        return source.choice("+-") + f"{source.randrange(100):0{digits}d}-{source.randrange(14):02d}-{source.randrange(33):02d}" + clock
    return source.choice(
        ["start of month", "start of year", "start of day", "Start Of Day", "start of week", "weekday 0", "weekday 3", "weekday 6.0", "weekday 7", "weekday x",
         "unixepoch", "julianday", "auto", "localtime", "utc", "subsec", "subsecond", "floor", "ceiling", "", None, "x", "+1day", "+ 1 day", "+5", b"+1 day",
         "weekday  1", "+0 days", "+1 month", "-1 month", "+1 year"]
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_one_time_value(connection: apsw.Connection, name: str) -> None:
    source = random.Random(1)
    for _ in range(3000):
        assert_same(connection, name, (random_value(source),))


@pytest.mark.parametrize("name", NAMES)
def test_modifiers(connection: apsw.Connection, name: str) -> None:
    source = random.Random(name)
    for _ in range(12_000):
        value = random_value(source)
        modifiers = [random_modifier(source) for _ in range(source.choice([1, 1, 1, 2, 2, 3, 4]))]
        if not continues_after_an_error(connection, value, modifiers):
            assert_same(connection, name, (value, *modifiers))


def continues_after_an_error(connection: apsw.Connection, value: object, modifiers: list[object]) -> bool:
    """Whether 'localtime' or 'utc' follows where the result is NULL already: SQLite goes on with an accidental moment there."""
    for i, modifier in enumerate(modifiers):
        if modifier in ("localtime", "utc") and theirs(connection, "date", (value, *modifiers[:i])) == ("NoneType", None):
            return True
    return False


def test_strftime(connection: apsw.Connection) -> None:
    source = random.Random(5)
    for template in ("%", "abc%", "%Y-%q", "", None, "%%", "%%%", "a%%b%Y", 5, b"%Y"):
        assert_same(connection, "strftime", (template, "2024-05-06 07:08:09"))
    for _ in range(4000):
        value = random_value(source)
        modifiers = [random_modifier(source) for _ in range(source.randrange(3))]
        if not continues_after_an_error(connection, value, modifiers):
            assert_same(connection, "strftime", (FORMAT, value, *modifiers))


def test_timediff(connection: apsw.Connection) -> None:
    source = random.Random(6)
    for _ in range(8000):
        assert_same(connection, "timediff", (random_value(source), random_value(source)))


def test_now_agrees_to_the_second(connection: apsw.Connection) -> None:
    for _ in range(5):
        try:
            for arguments in ((), ("now",), ("now", "start of day"), ("now", "localtime")):
                assert_same(connection, "datetime", arguments)
            assert_same(connection, "unixepoch", ())
            return
        except AssertionError:
            continue
    raise AssertionError("the clocks disagree")


def test_now_is_refused_where_only_deterministic_functions_are_allowed(connection: apsw.Connection) -> None:
    CONTEXT.pure_context = "an index"
    try:
        with pytest.raises(OperationalError, match=r"non-deterministic use of date\(\) in an index"):
            date_functions.date(CONTEXT, "now")
        assert ours("date", ("2024-01-01",)) == ("text", b"2024-01-01")
    finally:
        CONTEXT.pure_context = None
    with pytest.raises(apsw.Error, match=r"non-deterministic use of date\(\) in an index"):
        connection.execute("CREATE TABLE t(a); CREATE INDEX i ON t(date(a)); INSERT INTO t VALUES('now')")
