"""Moments in time as the date functions see them: reading time values, applying modifiers.

A `Moment` holds a Julian day in milliseconds, or the civil fields that were read or set and not yet turned into one.  The
difference is visible: `2024-02-30` stays February 30th until something needs a Julian day, and becomes March 1st then.
The calendar is the Gregorian one at all times, from -4713-11-24 12:00 (Julian day 0) to the end of 9999.

The functions return False where SQLite's function answers NULL.

Source: https://www.sqlite.org/lang_datefunc.html sections 2 and 3.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from functools import lru_cache

from minisql.errors import ERROR, sqlite_error
from minisql.functions.context import FunctionContext
from minisql.values.number_text import text_to_number

MS_PER_DAY = 86_400_000
UNIX_EPOCH_MS = 210_866_760_000_000
MAX_MS = 464_269_060_799_999

_SPACE = " \t\n\v\f\r"
_CLOCK = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?"
_ZONE = rf"[{_SPACE}]*(?:([+-])([0-9]{{2}}):([0-9]{{2}})|([Zz]))?[{_SPACE}]*"
_TIME = re.compile(_CLOCK + _ZONE)
_DATE = re.compile(rf"(-?[0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})[{_SPACE}T]*")
_UNIT_SHIFT = re.compile(rf"([+-]?[0-9]+(?:\.[0-9]+)?)[{_SPACE}]+([A-Za-z]+)")
_SHIFT = re.compile(r"([+-])([0-9]{4,5})-([0-9]{2})-([0-9]{2})")
_SHIFT_CLOCK = re.compile(rf"[+-]?({_CLOCK}{_ZONE})$")

# Unit of `+N unit`: limit of N, seconds.
_UNITS: dict[str, tuple[float, float]] = {
    "second": (4.6427e14, 1.0),
    "minute": (7.7379e12, 60.0),
    "hour": (1.2897e11, 3600.0),
    "day": (5373485.0, 86400.0),
    "month": (176546.0, 2592000.0),
    "year": (14713.0, 31536000.0),
}


def days_of_civil(year: int, month: int, day: int) -> int:
    """Returns days since 1970-01-01; a day beyond the month's end counts on into the next month.

    Source: https://www.sqlite.org/lang_datefunc.html section 2
    """
    # Years begin in March here, so that the leap day is the last one.
    if month <= 2:
        year -= 1
        month += 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719_469


@lru_cache(4000)
def civil_of_days(days: int) -> tuple[int, int, int]:
    """Returns year, month and day of a number of days since 1970-01-01.

    Source: https://www.sqlite.org/lang_datefunc.html section 2
    """
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    return year_of_era + 400 * era + (1 if month <= 2 else 0), month, day


class Moment:
    """A moment under construction.

    `ms`: Julian day times 86,400,000, or None while only the fields below are known.  `civil` and `clock`: (year, month, day)
    and (hour, minute, second) or None.  `raw`: the number that was given and may still be meant as a Unix time.
    `overflow_days`: by how many days the last month arithmetic ran over the end of the month.
    """

    __slots__ = ("civil", "clock", "is_local", "is_utc", "is_wrong", "ms", "overflow_days", "raw", "subsecond", "zone_minutes")

    def __init__(self, ms: int | None = None) -> None:
        self.ms = ms
        self.civil: tuple[int, int, int] | None = None
        self.clock: tuple[int, int, float] | None = None
        self.zone_minutes = 0
        self.raw: float | None = None
        self.overflow_days = 0
        self.subsecond = False
        self.is_utc = False
        self.is_local = False
        self.is_wrong = False

    def julian_ms(self) -> int:
        """Returns the Julian day in milliseconds, computing it from the fields if need be.

        Marks the moment wrong if the fields give none.
        """
        if self.ms is not None:
            return self.ms
        year, month, day = self.civil or (2000, 1, 1)
        if self.raw is not None or not -4713 <= year <= 9999:
            self.set_wrong()
            return 0
        ms = days_of_civil(year, month, day) * MS_PER_DAY + UNIX_EPOCH_MS
        if self.clock is not None:
            hour, minute, second = self.clock
            ms += hour * 3_600_000 + minute * 60_000 + int(second * 1000 + 0.5)
            if self.zone_minutes or hour == 24:
                ms -= self.zone_minutes * 60_000
                self.civil = self.clock = None
                if self.zone_minutes:
                    self.zone_minutes = 0
                    self.is_utc, self.is_local = True, False
        self.ms = ms
        return ms

    def set_wrong(self) -> None:
        """Makes the moment one that no function can show: the result is NULL."""
        self.__init__()  # type: ignore[misc]
        self.is_wrong = True

    def set_ms(self, ms: int) -> None:
        """Sets the Julian day; all fields follow from it."""
        self.ms = ms
        self.civil = self.clock = None
        self.zone_minutes = 0

    def shift_ms(self, ms: int) -> None:
        """Moves the Julian day; all fields follow from it.  A moment that just turned out to be wrong stays without one."""
        self.julian_ms()
        self.civil = self.clock = None
        self.zone_minutes = 0
        if self.ms is not None:
            self.ms += ms

    def read_civil(self) -> tuple[int, int, int]:
        """Returns (year, month, day)."""
        if self.civil is None:
            if self.ms is None:
                self.civil = (2000, 1, 1)
            elif not 0 <= self.ms <= MAX_MS:
                self.set_wrong()
                return (2000, 1, 1)
            else:
                self.civil = civil_of_days((self.ms - UNIX_EPOCH_MS) // MS_PER_DAY)
        return self.civil

    def read_clock(self) -> tuple[int, int, float]:
        """Returns (hour, minute, second); the second has milliseconds."""
        if self.clock is None:
            ms_of_day = (self.julian_ms() + MS_PER_DAY // 2) % MS_PER_DAY
            minutes, ms = divmod(ms_of_day, 60_000)
            self.raw = None
            self.clock = (minutes // 60, minutes % 60, ms / 1000.0)
        return self.clock

    def freeze_fields(self) -> tuple[int, int, int]:
        """Computes all fields and forgets the Julian day, so that fields can be changed; returns the civil ones."""
        civil = self.read_civil()
        self.read_clock()
        return civil

    def set_civil(self, year: int, month: int, day: int) -> None:
        """Sets the date fields, the month being any number; notes how far the day runs over the end of the month."""
        extra_years, month_index = divmod(month - 1, 12)
        year += extra_years
        month = month_index + 1
        self.civil = (year, month, day)
        self.ms = None
        self.overflow_days = max(day - _days_in_month(year, month), 0)


def _days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def parse_moment(text: str, context: FunctionContext, function: str) -> Moment | None:
    """Returns the moment of a time value in any of SQLite's forms, or None if it has none of them.

    Source: https://www.sqlite.org/lang_datefunc.html section 2
    """
    moment = Moment()
    match = _DATE.match(text)
    if match is not None:
        year, month, day = int(match[1]), int(match[2]), int(match[3])
        if 1 <= month <= 12 and 1 <= day <= 31 and (match.end() == len(text) or _parse_time(moment, text[match.end() :])):
            moment.set_civil(year, month, day)
            if moment.zone_minutes or (moment.clock is not None and moment.clock[0] == 24):
                moment.julian_ms()
            return moment
        moment = Moment()
    if _parse_time(moment, text):
        return moment
    lowered = text.lower()
    if lowered in ("now", "subsec", "subsecond"):
        moment = current_moment(context, function)
        moment.subsecond = lowered != "now"
        return moment
    number = text_to_number(text)
    return None if number is None else moment_of_number(float(number))


def moment_of_number(number: float) -> Moment:
    """Returns the moment of a number: a Julian day if it is in range, or what a modifier makes of it.

    Source: https://www.sqlite.org/lang_datefunc.html section 2
    """
    moment = Moment()
    moment.raw = number
    if 0.0 <= number < 5373484.5:
        moment.ms = int(number * 86400000.0 + 0.5)
    return moment


def current_moment(context: FunctionContext, function: str) -> Moment:
    """Returns the statement's moment; raises where only deterministic functions are allowed.

    Source: https://www.sqlite.org/deterministic.html section 3
    """
    check_pure(context, function)
    moment = Moment(context.current_time_ms() + UNIX_EPOCH_MS)
    moment.is_utc = True
    return moment


def check_pure(context: FunctionContext, function: str) -> None:
    """Raises `non-deterministic use of X() in ...` inside an index, a CHECK constraint or a generated column.

    Source: https://www.sqlite.org/deterministic.html section 3
    """
    if context.pure_context is not None:
        raise sqlite_error(ERROR, f"non-deterministic use of {function}() in {context.pure_context}")


def _parse_time(moment: Moment, text: str) -> bool:
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = int(match[1]), int(match[2]), float(match[3] or 0)
    if hour > 24 or minute > 59 or second > 59.0:
        return False
    if match[4]:
        second += min(_fraction(match[4]), 0.999)
    if hour == 24 and (minute or second):
        return False
    if match[5]:
        zone_hour, zone_minute = int(match[6]), int(match[7])
        if zone_hour > 14 or zone_minute > 59:
            return False
        moment.zone_minutes = (zone_hour * 60 + zone_minute) * (1 if match[5] == "+" else -1)
    if match[8] or (match[5] and moment.zone_minutes == 0):
        moment.is_utc, moment.is_local = True, False
    moment.clock = (hour, minute, second)
    return True


def _fraction(digits: str) -> float:
    """Digits behind the point as SQLite collects them, in a double."""
    value = 0.0
    scale = 1.0
    for digit in digits:
        value = value * 10.0 + int(digit)
        scale *= 10.0
    return value / scale


def apply_modifier(moment: Moment, modifier: str, index: int, context: FunctionContext, function: str) -> bool:
    """Applies one modifier in place; `index` 1 is the first.  Returns False for what is none: the result is NULL then.

    Source: https://www.sqlite.org/lang_datefunc.html section 3
    """
    if modifier[:1] in _NUMBER_START:
        return _apply_shift(moment, modifier)
    name = modifier.lower()
    if name in ("localtime", "utc"):
        check_pure(context, function)
    apply = _NAMED.get(name)
    if apply is not None:
        return apply(moment, index)
    if name.startswith("weekday "):
        return _apply_weekday(moment, modifier[8:])
    return False


_NUMBER_START = tuple("+-0123456789")


def _apply_auto(moment: Moment, index: int) -> bool:
    if index > 1:
        return False
    if moment.raw is None or moment.ms is not None:
        moment.raw = None
    elif -210866760000 <= moment.raw <= 253402300799:
        _set_unix_time(moment)
    return True


def _set_unix_time(moment: Moment) -> None:
    assert moment.raw is not None
    ms = moment.raw * 1000.0 + UNIX_EPOCH_MS
    moment.raw = None
    moment.set_ms(int(ms + 0.5))


def _apply_unixepoch(moment: Moment, index: int) -> bool:
    if index > 1 or moment.raw is None or not 0.0 <= moment.raw * 1000.0 + UNIX_EPOCH_MS < MAX_MS + 1:
        return False
    _set_unix_time(moment)
    return True


def _apply_julianday(moment: Moment, index: int) -> bool:
    if index > 1 or moment.raw is None or moment.ms is None:
        return False
    moment.raw = None
    return True


def _apply_ceiling(moment: Moment, index: int) -> bool:
    moment.shift_ms(0)
    moment.overflow_days = 0
    return True


def _apply_floor(moment: Moment, index: int) -> bool:
    moment.shift_ms(-moment.overflow_days * MS_PER_DAY)
    return True


def _apply_subsecond(moment: Moment, index: int) -> bool:
    moment.subsecond = True
    return True


def _start_of(unit: str) -> Callable[[Moment, int], bool]:
    def apply(moment: Moment, index: int) -> bool:
        if moment.ms is None and moment.civil is None and moment.clock is None:
            return False
        year, month, day = moment.read_civil()
        moment.civil = (year, 1, 1) if unit == "year" else (year, month, 1) if unit == "month" else (year, month, day)
        moment.clock = (0, 0, 0.0)
        moment.raw = moment.ms = None
        moment.zone_minutes = 0
        return True

    return apply


# Outside these a year with the same calendar stands in: C libraries know the zone's rules only between them.
_LOCAL_TIME_FROM = 210_866_760_000_000
_LOCAL_TIME_TO = 213_014_145_600_000


def _to_local_fields(moment: Moment) -> None:
    """Sets the fields to local time; as in SQLite a wrong moment becomes 2000-01-01, one out of range 0000-01-01."""
    ms = moment.julian_ms()
    shifted_years = 0
    if moment.ms is None or not 0 <= ms <= MAX_MS:
        shifted_years = 0 if moment.ms is None else 2000
        seconds = days_of_civil(2000, 1, 1) * 86_400
    elif _LOCAL_TIME_FROM <= ms <= _LOCAL_TIME_TO:
        seconds = ms // 1000 - UNIX_EPOCH_MS // 1000
    else:
        copy = Moment(ms)
        year, month, day = copy.freeze_fields()
        # C's remainder keeps the sign of the year.
        shifted_years = 2000 + (year % 4 if year >= 0 else -(-year % 4)) - year
        copy.set_civil(year + shifted_years, month, day)
        seconds = copy.julian_ms() // 1000 - UNIX_EPOCH_MS // 1000
    local = time.localtime(seconds)
    moment.civil = (local.tm_year - shifted_years, local.tm_mon, local.tm_mday)
    moment.clock = (local.tm_hour, local.tm_min, local.tm_sec + math.fmod(ms, 1000) * 0.001)
    moment.ms = None
    moment.raw = None
    moment.zone_minutes = 0
    moment.is_wrong = False


def _apply_localtime(moment: Moment, index: int) -> bool:
    if not moment.is_local:
        _to_local_fields(moment)
    moment.is_utc, moment.is_local = False, True
    return True


def _apply_utc(moment: Moment, index: int) -> bool:
    if not moment.is_utc:
        wanted = guess = moment.julian_ms()
        for n_guesses in range(1, 5):
            local = Moment(guess)
            _to_local_fields(local)
            error = local.julian_ms() - wanted
            if not error or n_guesses == 4:
                break
            guess -= error
        # SQLite forgets everything else here, 'subsec' and errors too.
        moment.__init__(guess)  # type: ignore[misc]
    moment.is_utc, moment.is_local = True, False
    return True


_NAMED: dict[str, Callable[[Moment, int], bool]] = {
    "auto": _apply_auto,
    "ceiling": _apply_ceiling,
    "floor": _apply_floor,
    "julianday": _apply_julianday,
    "localtime": _apply_localtime,
    "start of day": _start_of("day"),
    "start of month": _start_of("month"),
    "start of year": _start_of("year"),
    "subsec": _apply_subsecond,
    "subsecond": _apply_subsecond,
    "unixepoch": _apply_unixepoch,
    "utc": _apply_utc,
}


_BLANKS = " \t\n\v\f\r"


def _apply_weekday(moment: Moment, text: str) -> bool:
    """Forward to the next such day of the week; back to the last one for a number below zero, -0 among them."""
    number = text_to_number(text)
    if number is None or not -7 < number < 7 or number != int(number):
        return False
    moment.freeze_fields()
    moment.zone_minutes = 0
    moment.ms = None
    ms = moment.julian_ms()
    weekday = (ms + 129_600_000) // MS_PER_DAY % 7
    if text.lstrip(_BLANKS).startswith("-"):
        moment.shift_ms(-((weekday + int(number)) % 7) * MS_PER_DAY)
    else:
        moment.shift_ms((int(number) - weekday) % 7 * MS_PER_DAY)
    return True


def _apply_shift(moment: Moment, modifier: str) -> bool:
    """`+N units`, `+HH:MM:SS.SSS`, `+YYYY-MM-DD` and `+YYYY-MM-DD HH:MM`."""
    match = _UNIT_SHIFT.fullmatch(modifier)
    if match is not None and len(match[1]) <= 19:
        return _apply_unit_shift(moment, float(match[1]), match[2].lower())
    match = _SHIFT.match(modifier)
    if match is not None:
        return _apply_date_shift(moment, match, modifier)
    end = next((i for i, character in enumerate(modifier) if i and (character == ":" or character in _SPACE)), len(modifier))
    number = text_to_number(modifier[:end])
    if number is None:
        return False
    if modifier[end : end + 1] == ":":
        return _apply_clock_shift(moment, modifier, modifier[0])
    return _apply_unit_shift(moment, float(number), modifier[end:].lstrip(_SPACE).lower())


def _apply_unit_shift(moment: Moment, number: float, unit: str) -> bool:
    if unit[-1:] == "s" and unit != "s":
        unit = unit[:-1]
    limits = _UNITS.get(unit)
    moment.julian_ms()
    if limits is None or not -limits[0] < number < limits[0]:
        return False
    rounding = -0.5 if number < 0 else 0.5
    moment.overflow_days = 0
    if unit in ("month", "year"):
        whole = int(number)
        year, month, day = moment.freeze_fields()
        moment.set_civil(*((year, month + whole, day) if unit == "month" else (year + whole, month, day)))
        number -= whole
    moment.shift_ms(int(number * 1000.0 * limits[1] + rounding))
    return True


def _apply_clock_shift(moment: Moment, text: str, sign: str) -> bool:
    match = _SHIFT_CLOCK.match(text)
    shift = Moment()
    if match is None or not _parse_time(shift, match[1]):
        return False
    ms = (shift.julian_ms() - MS_PER_DAY // 2) % MS_PER_DAY
    moment.shift_ms(-ms if sign == "-" else ms)
    return True


def _apply_date_shift(moment: Moment, match: re.Match[str], modifier: str) -> bool:
    sign = -1 if match[1] == "-" else 1
    years, months, days = int(match[2]), int(match[3]), int(match[4])
    if months > 11 or days > 30:
        return False
    year, month, day = moment.freeze_fields()
    moment.set_civil(year + sign * years, month + sign * months, day)
    moment.shift_ms(sign * days * MS_PER_DAY)
    rest = modifier[match.end() :]
    if not rest:
        return True
    return rest[0] in _SPACE and _apply_clock_shift(moment, rest[1:], match[1])
