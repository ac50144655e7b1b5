"""Adapters and converters: Python objects to SQLite values at binding, declared types back to Python objects at fetching.

`adapt` follows the protocol of the standard library: a registered adapter, else the object's `__conform__`, else the
protocol's `__adapt__`.  Dates and datetimes have adapters and converters from the start.

Source: https://docs.python.org/3/library/sqlite3.html, "How to adapt custom Python types to SQLite values".
"""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable
from typing import Any

from minisql.dbapi.arguments import checked_function
from minisql.dbapi.deprecations import warn_deprecated
from minisql.errors import ProgrammingError

PARSE_DECLTYPES = 1
PARSE_COLNAMES = 2

_MISSING = object()


class PrepareProtocol:
    """The protocol that objects conform to when they are bound."""


adapters: dict[tuple[type, type], Callable[[Any], Any]] = {}
converters: dict[str, Callable[[bytes], Any]] = {}

_BASE_TYPES = (int, float, str, bytes, bytearray)
# As long as it is empty, values of these types need no look at `adapters`.
adapted_base_types: list[type] = []


@checked_function()
def register_adapter(type: type, adapter: Callable[[Any], Any], /) -> None:
    """Registers a callable that turns objects of exactly this type into a value that SQLite has."""
    adapters[type, PrepareProtocol] = adapter
    if type in _BASE_TYPES:
        adapted_base_types.append(type)


@checked_function()
def register_converter(typename: str, converter: Callable[[bytes], Any], /) -> None:
    """Registers a callable that turns the bytes of a column of this declared type into an object; case does not matter."""
    converters[typename.upper()] = converter


@checked_function()
def adapt(obj: Any, proto: Any = PrepareProtocol, alt: Any = _MISSING, /) -> Any:
    """Adapts an object to a protocol; raises ProgrammingError("can't adapt") when nothing can and there is no alternate."""
    return adapted(obj, proto, alt)


def adapted(obj: Any, protocol: Any = PrepareProtocol, alternate: Any = _MISSING, /) -> Any:
    """`adapt` for callers inside the module."""
    adapter = adapters.get((type(obj), protocol))
    if adapter is not None:
        return adapter(obj)
    for method_owner, name, argument in ((protocol, "__adapt__", obj), (obj, "__conform__", protocol)):
        method = getattr(method_owner, name, None)
        if method is not None:
            try:
                result = method(argument)
            except TypeError:
                if alternate is _MISSING:
                    raise
                continue
            if result is not None:
                return result
    if alternate is not _MISSING:
        return alternate
    raise ProgrammingError("can't adapt")


Binary = memoryview
Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime


def DateFromTicks(ticks: float) -> datetime.date:
    """A date from seconds since the epoch, local time."""
    return Date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> datetime.time:
    """A time of day from seconds since the epoch, local time."""
    return Time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime.datetime:
    """A date and time from seconds since the epoch, local time."""
    return Timestamp(*time.localtime(ticks)[:6])


def _warn_of_default(what: str) -> None:
    if sys.version_info >= (3, 12):
        warn_deprecated(
            f"The default {what} is deprecated as of Python 3.12; "
            "see the sqlite3 documentation for suggested replacement recipes"
        )


def _adapt_date(value: datetime.date) -> str:
    _warn_of_default("date adapter")
    return value.isoformat()


def _adapt_datetime(value: datetime.datetime) -> str:
    _warn_of_default("datetime adapter")
    return value.isoformat(" ")


def _convert_date(value: bytes) -> datetime.date:
    _warn_of_default("date converter")
    return datetime.date(*map(int, value.split(b"-")))


def _convert_timestamp(value: bytes) -> datetime.datetime:
    _warn_of_default("timestamp converter")
    date_part, time_part = value.split(b" ")
    year, month, day = map(int, date_part.split(b"-"))
    whole, *fraction = time_part.split(b".")
    hours, minutes, seconds = map(int, whole.split(b":"))
    microseconds = int(f"{fraction[0].decode():0<6.6}") if fraction else 0
    return datetime.datetime(year, month, day, hours, minutes, seconds, microseconds)


register_adapter(datetime.date, _adapt_date)
register_adapter(datetime.datetime, _adapt_datetime)
register_converter("date", _convert_date)
register_converter("timestamp", _convert_timestamp)
