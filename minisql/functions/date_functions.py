"""The date and time functions: date, time, datetime, julianday, unixepoch, strftime, timediff and CURRENT_*.

Each takes a time value and modifiers and answers NULL if one of them makes no sense; `moment` reads them.  Without arguments
the time value is 'now', which stands still within a step of a statement.

Source: https://www.sqlite.org/lang_datefunc.html.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from minisql.functions.context import FunctionContext
from minisql.functions.moment import (
    MAX_MS,
    MS_PER_DAY,
    UNIX_EPOCH_MS,
    Moment,
    apply_modifier,
    civil_of_days,
    current_moment,
    days_of_civil,
    moment_of_number,
    parse_moment,
)
from minisql.functions.printf import sql_format
from minisql.functions.registry import ANY, ScalarFunction
from minisql.values.cast import to_text

# The Unix times that a date can be shown for.
_FIRST, _LAST = -210866760000, 253402300799


def _moment(context: FunctionContext, function: str, arguments: tuple[Any, ...]) -> Moment | None:
    """The moment of a time value and its modifiers, or None for NULL."""
    if not arguments:
        return current_moment(context, function)
    value = arguments[0]
    if value is None:
        return None
    if value.__class__ is int and len(arguments) == 2 and arguments[1] == "unixepoch" and _FIRST <= value <= _LAST:
        return Moment(value * 1000 + UNIX_EPOCH_MS)  # the common call, without floats
    if value.__class__ is int or value.__class__ is float:
        moment: Moment | None = moment_of_number(float(value))
    else:
        moment = parse_moment(_text(value), context, function)
    if moment is None:
        return None
    for index, modifier in enumerate(arguments[1:], 1):
        if modifier is None or not apply_modifier(moment, _text(modifier), index, context, function):
            return None
    ms = moment.julian_ms()
    if moment.is_wrong or not 0 <= ms <= MAX_MS:
        return None
    if len(arguments) == 1 and moment.civil is not None and moment.civil[2] > 28:
        moment.civil = None  # shown as the day it really is: February 30th is March 1st
    return moment


def _text(value: Any) -> str:
    text = to_text(value)
    nul = text.find("\0")
    return text if nul < 0 else text[:nul]


def _date_text(moment: Moment) -> str:
    year, month, day = moment.read_civil()
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"


def _time_text(moment: Moment) -> str:
    hour, minute, second = moment.read_clock()
    if moment.subsecond:
        ms = int(1000.0 * second + 0.5)
        return f"{hour:02d}:{minute:02d}:{ms // 1000:02d}.{ms % 1000:03d}"
    return f"{hour:02d}:{minute:02d}:{int(second):02d}"


def date(context: FunctionContext, *arguments: Any) -> str | None:
    """date(...): YYYY-MM-DD.  Source: https://www.sqlite.org/lang_datefunc.html"""
    if len(arguments) == 1 and arguments[0].__class__ is str:
        match = _PLAIN_DATE.fullmatch(arguments[0])
        if match is not None:
            return match[1]
    moment = _moment(context, "date", arguments)
    return None if moment is None else _date_text(moment)


# A date that stands for itself, with any time of its day.
_PLAIN_DATE = re.compile(
    r"([0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8]))(?:[ T](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?)?"
)


def time(context: FunctionContext, *arguments: Any) -> str | None:
    """time(...): HH:MM:SS.  Source: https://www.sqlite.org/lang_datefunc.html"""
    moment = _moment(context, "time", arguments)
    return None if moment is None else _time_text(moment)


def datetime(context: FunctionContext, *arguments: Any) -> str | None:
    """datetime(...): YYYY-MM-DD HH:MM:SS.  Source: https://www.sqlite.org/lang_datefunc.html"""
    moment = _moment(context, "datetime", arguments)
    return None if moment is None else f"{_date_text(moment)} {_time_text(moment)}"


def julianday(context: FunctionContext, *arguments: Any) -> float | None:
    """julianday(...): days with fraction.  Source: https://www.sqlite.org/lang_datefunc.html"""
    moment = _moment(context, "julianday", arguments)
    return None if moment is None else moment.julian_ms() / 86400000.0


def unixepoch(context: FunctionContext, *arguments: Any) -> int | float | None:
    """unixepoch(...): seconds since 1970; a real with subsec.  Source: https://www.sqlite.org/lang_datefunc.html"""
    moment = _moment(context, "unixepoch", arguments)
    if moment is None:
        return None
    if moment.subsecond:
        return (moment.julian_ms() - UNIX_EPOCH_MS) / 1000.0
    return moment.julian_ms() // 1000 - UNIX_EPOCH_MS // 1000


def strftime(context: FunctionContext, *arguments: Any) -> str | None:
    """strftime(FORMAT, ...): NULL for an unknown substitution.  Source: https://www.sqlite.org/lang_datefunc.html"""
    if not arguments or arguments[0] is None:
        return None
    moment = _moment(context, "strftime", arguments[1:])
    if moment is None:
        return None
    civil = moment.read_civil()
    if moment.raw is not None:
        moment.read_clock()
    simple = _simple_formats.get(arguments[0])
    if simple is not None:
        template, pick, needs_clock = simple
        return template % pick((*civil, *map(int, moment.read_clock())) if needs_clock else civil)  # type: ignore[no-any-return]
    output = ""
    for literal, show in _formats.get(arguments[0]) or _parse_format(_text(arguments[0])):
        if show is not None:
            output += literal + show(moment)
        elif literal == "":
            return None
        else:
            output += literal
    return output


_CACHE_SIZE = 100
_formats: dict[str, list[tuple[str, Callable[[Moment], str] | None]]] = {}


# Formats of plain fields of two digits: what `%` makes of the fields, which these are, and whether some are of the clock.
_simple_formats: dict[str, tuple[str, Callable[[tuple[int, ...]], Any], bool]] = {}
_PLAIN_FIELDS = {"Y": (0, "%04d"), "m": (1, "%02d"), "d": (2, "%02d"), "H": (3, "%02d"), "M": (4, "%02d"), "S": (5, "%02d")}
_PLAIN_FORMAT = re.compile("(?:[^%]|%[YmdHMS])*")


def _remember_simple(template: str) -> None:
    """Makes a format that has plain fields, and no others, one of the simple ones."""
    names = re.findall("%(.)", template)
    if not names or _PLAIN_FORMAT.fullmatch(template) is None:
        return
    places = [_PLAIN_FIELDS[name][0] for name in names]
    if len(_simple_formats) >= _CACHE_SIZE:
        _simple_formats.clear()
    text = re.sub("%(.)", lambda match: _PLAIN_FIELDS[match[1]][1], template)
    _simple_formats[template] = text, itemgetter(*places), max(places) > 2


def _parse_format(template: str) -> list[tuple[str, Callable[[Moment], str] | None]]:
    """Literal texts, each with the substitution that follows it; ("", None) for an unknown one.  Remembered."""
    parsed = _formats.get(template)
    if parsed is None:
        parsed = []
        position = 0
        for match in re.finditer("%(.?)", template, re.DOTALL):
            literal = template[position : match.start()]
            position = match.end()
            if match[1] == "%":
                parsed.append((literal + "%", None))
            else:
                show = _SUBSTITUTIONS.get(match[1])
                parsed.append((literal, show) if show is not None else ("", None))
        if position < len(template):
            parsed.append((template[position:], None))
        if len(_formats) >= _CACHE_SIZE:
            _formats.clear()
        _formats[template] = parsed
        _remember_simple(template)
    return parsed


def _fields(moment: Moment) -> tuple[int, int, int, int, int, float]:
    return (*moment.read_civil(), *moment.read_clock())


def _seconds_with_fraction(moment: Moment) -> str:
    return sql_format("%06.3f", min(moment.read_clock()[2], 59.999)) or ""


def _hour_of_twelve(moment: Moment) -> int:
    return moment.read_clock()[0] % 12 or 12


def _days(moment: Moment) -> int:
    """Whole days since the Julian epoch, a day beginning at midnight."""
    return (moment.julian_ms() + MS_PER_DAY // 2) // MS_PER_DAY


def _day_of_year(moment: Moment) -> int:
    """0 for January 1st."""
    ms = days_of_civil(moment.read_civil()[0], 1, 1) * MS_PER_DAY + UNIX_EPOCH_MS
    return (moment.julian_ms() - ms) // MS_PER_DAY


def _days_after_monday(moment: Moment) -> int:
    return _days(moment) % 7


def _days_after_sunday(moment: Moment) -> int:
    return (_days(moment) + 1) % 7


def _thursday(moment: Moment) -> tuple[int, int]:
    """Year and day of the year (from 0) of the Thursday of the moment's week: they name the ISO week."""
    ms = moment.julian_ms() + (3 - _days_after_monday(moment)) * MS_PER_DAY
    days = (ms - UNIX_EPOCH_MS) // MS_PER_DAY
    year = civil_of_days(days)[0]
    return year, days - days_of_civil(year, 1, 1)


def _unix_seconds(moment: Moment) -> str:
    if moment.subsecond:
        return sql_format("%.3f", (moment.julian_ms() - UNIX_EPOCH_MS) / 1000.0) or ""
    return str(moment.julian_ms() // 1000 - UNIX_EPOCH_MS // 1000)


def _plain_date(moment: Moment) -> str:
    year, month, day = moment.read_civil()
    return f"{year:04d}-{month:02d}-{day:02d}"


_SUBSTITUTIONS: dict[str, Callable[[Moment], str]] = {
    "d": lambda moment: f"{moment.read_civil()[2]:02d}",
    "e": lambda moment: f"{moment.read_civil()[2]:2d}",
    "f": _seconds_with_fraction,
    "F": _plain_date,
    "G": lambda moment: f"{_thursday(moment)[0]:04d}",
    "g": lambda moment: f"{int(math.fmod(_thursday(moment)[0], 100)):02d}",
    "H": lambda moment: f"{moment.read_clock()[0]:02d}",
    "I": lambda moment: f"{_hour_of_twelve(moment):02d}",
    "j": lambda moment: f"{_day_of_year(moment) + 1:03d}",
    "J": lambda moment: sql_format("%.16g", moment.julian_ms() / 86400000.0) or "",
    "k": lambda moment: f"{moment.read_clock()[0]:2d}",
    "l": lambda moment: f"{_hour_of_twelve(moment):2d}",
    "m": lambda moment: f"{moment.read_civil()[1]:02d}",
    "M": lambda moment: f"{moment.read_clock()[1]:02d}",
    "p": lambda moment: "PM" if moment.read_clock()[0] >= 12 else "AM",
    "P": lambda moment: "pm" if moment.read_clock()[0] >= 12 else "am",
    "R": lambda moment: f"{moment.read_clock()[0]:02d}:{moment.read_clock()[1]:02d}",
    "s": _unix_seconds,
    "S": lambda moment: f"{int(moment.read_clock()[2]):02d}",
    "T": lambda moment: "{:02d}:{:02d}:{:02d}".format(*map(int, moment.read_clock())),
    "u": lambda moment: str(_days_after_sunday(moment) or 7),
    "U": lambda moment: f"{(_day_of_year(moment) - _days_after_sunday(moment) + 7) // 7:02d}",
    "V": lambda moment: f"{_thursday(moment)[1] // 7 + 1:02d}",
    "w": lambda moment: str(_days_after_sunday(moment)),
    "W": lambda moment: f"{(_day_of_year(moment) - _days_after_monday(moment) + 7) // 7:02d}",
    "Y": lambda moment: f"{moment.read_civil()[0]:04d}",
}


def timediff(context: FunctionContext, first: Any, second: Any) -> str | None:
    """timediff(A, B): what to add to B to get A, as +YYYY-MM-DD HH:MM:SS.SSS.

    Source: https://www.sqlite.org/lang_datefunc.html
    """
    a = _moment(context, "timediff", (first,))
    b = _moment(context, "timediff", (second,))
    if a is None or b is None:
        return None
    target = a.julian_ms()
    is_later = target >= b.julian_ms()
    step = 1 if is_later else -1
    target_year, target_month, _ = a.read_civil()
    year, month, day = b.freeze_fields()
    years = (target_year - year) * step
    months = (target_month - month) * step
    if months < 0:
        years -= 1
        months += 12
    b.set_civil(target_year, target_month, day)
    while (b.julian_ms() - target) * step > 0:
        months -= 1
        if months < 0:
            months = 11
            years -= 1
        year, month, _ = b.civil or (target_year, target_month, day)
        b.set_civil(year, month - step, day)
    # The rest is shown as the clock and day of a January of a leap century.
    rest = Moment(abs(target - b.julian_ms()) + 148_699_540_800_000)
    _, _, days = rest.read_civil()
    hour, minute, seconds = rest.read_clock()
    sign = "+" if is_later else "-"
    return f"{sign}{years:04d}-{months:02d}-{days - 1:02d} {hour:02d}:{minute:02d}:{sql_format('%06.3f', seconds)}"


_MAX_REMEMBERED = 2000
_NUMBER_STARTS = frozenset("+-0123456789")
_TIMELESS_MODIFIERS = frozenset(
    ("auto", "julianday", "start of day", "start of month", "start of year", "subsec", "subsecond", "unixepoch")
)


def _remembered(call: Callable[..., Any], n_leading: int) -> Callable[..., Any]:
    """The function with a memory of its last results, where they depend on nothing but the arguments: not on the clock and not
    on the time zone.  `n_leading` arguments come before the time value.

    Numbers that are equal are the same moment, so an integer and a real may share a place; as formats they are two texts.
    """
    memory: dict[tuple[Any, ...], Any] = {}

    def remembering(context: FunctionContext, *arguments: Any) -> Any:
        found = memory.get(arguments, memory)
        if found is not memory:
            return found
        result = call(context, *arguments)
        if len(arguments) <= n_leading:
            return result
        value = arguments[n_leading]
        kind = value.__class__
        if n_leading and arguments[0].__class__ is not str:
            return result
        if kind is int or kind is float or (kind is str and value[:1] in _NUMBER_STARTS):
            modifiers = arguments[n_leading + 1 :]
            is_timeless = _known_modifiers.get(modifiers)
            if is_timeless or (is_timeless is None and _are_timeless(modifiers)):
                if len(memory) >= _MAX_REMEMBERED:
                    memory.clear()
                memory[arguments] = result
        return result

    return remembering


_known_modifiers: dict[tuple[Any, ...], bool] = {}


def _are_timeless(modifiers: tuple[Any, ...]) -> bool:
    """Tells whether modifiers do the same at any time and place."""
    found = all(
        modifier.__class__ is str and (modifier[:1] in _NUMBER_STARTS or modifier in _TIMELESS_MODIFIERS)
        for modifier in modifiers
    )
    if len(_known_modifiers) >= _CACHE_SIZE:
        _known_modifiers.clear()
    _known_modifiers[modifiers] = found
    return found


def _family(name: str, n_min: int, n_max: int, call: Callable[..., Any]) -> ScalarFunction:
    """A function that may stand in an index (unless 'now' turns up) but not be evaluated when compiling."""
    return ScalarFunction(name, n_min, n_max, call, deterministic=True, foldable=False, needs_context=True)


FUNCTIONS = (
    _family("date", 0, ANY, _remembered(date, 0)),
    _family("time", 0, ANY, _remembered(time, 0)),
    _family("datetime", 0, ANY, _remembered(datetime, 0)),
    _family("julianday", 0, ANY, _remembered(julianday, 0)),
    _family("unixepoch", 0, ANY, _remembered(unixepoch, 0)),
    _family("strftime", 0, ANY, _remembered(strftime, 1)),
    _family("timediff", 2, 2, timediff),
    ScalarFunction("current_date", 0, 0, date, deterministic=False, needs_context=True),
    ScalarFunction("current_time", 0, 0, time, deterministic=False, needs_context=True),
    ScalarFunction("current_timestamp", 0, 0, datetime, deterministic=False, needs_context=True),
)
