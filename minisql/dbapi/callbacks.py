"""Python callables as the engine wants them: functions, aggregates, collations, authorizer, progress handler.

What a user's callable raises becomes the OperationalError that the standard library's module gives; with
`enable_callback_tracebacks(True)` the traceback goes to stderr first.

Source: https://docs.python.org/3/library/sqlite3.html#sqlite3.Connection.create_function and the methods behind it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

from minisql.dbapi.arguments import checked_function
from minisql.dbapi.binding import buffer_bytes
from minisql.errors import ERROR, TOOBIG, DataError, sqlite_error

_DENY = 1
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1

shows_tracebacks = False


@checked_function("_sqlite3")
def enable_callback_tracebacks(enable: int, /) -> None:
    """Makes exceptions in callbacks visible on stderr, or not."""
    global shows_tracebacks
    shows_tracebacks = bool(enable)


def report_exception(error: BaseException, callback: object) -> None:
    """Shows what a callback raised, through sys.unraisablehook where somebody has set one."""
    if not shows_tracebacks:
        return
    hook = sys.unraisablehook
    if hook is not sys.__unraisablehook__:
        hook(_Unraisable(error, callback))  # type: ignore[arg-type]
        return
    print(f"Exception ignored in: {callback!r}", file=sys.stderr)
    sys.__excepthook__(type(error), error, error.__traceback__)


class _Unraisable:
    """What sys.unraisablehook is given."""

    __slots__ = ("err_msg", "exc_traceback", "exc_type", "exc_value", "object")

    def __init__(self, error: BaseException, callback: object) -> None:
        self.exc_type = type(error)
        self.exc_value = error
        self.exc_traceback = error.__traceback__
        self.err_msg = None
        self.object = callback


def _failure(error: BaseException, message: str) -> Exception:
    if isinstance(error, MemoryError):
        return MemoryError()
    if isinstance(error, OverflowError):
        return sqlite_error(TOOBIG)
    return sqlite_error(ERROR, message)


def result_value(value: Any) -> Any:
    """What a function returned, as SQLite stores it; raises TypeError or OverflowError."""
    kind = value.__class__
    if value is None or kind is bytes:
        return value
    if kind is bool:
        return 1 if value else 0
    if isinstance(value, int):
        if not _LOWEST <= value <= _HIGHEST:
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        return int(value)
    if isinstance(value, float):
        return float(value) if value == value else None
    if isinstance(value, str):
        if not value.isascii():
            value.encode()
        return str.__str__(value)
    return buffer_bytes(value)


def scalar_callback(function: Callable[..., Any], n_arguments: int) -> Callable[..., Any]:
    """A scalar function whose errors are OperationalErrors; `n_arguments` is -1 for any number.

    With one or two arguments, by far the most frequent, nothing is packed into a tuple (benchmark udf_scalar).
    """

    def failure(error: BaseException) -> BaseException:
        report_exception(error, function)
        return _failure(error, "user-defined function raised exception")

    def call(*arguments: Any) -> Any:
        try:
            return result_value(function(*arguments))
        except BaseException as error:
            raise failure(error) from None

    def call_one(argument: Any) -> Any:
        try:
            value = function(argument)
            kind = value.__class__
            if kind is int:
                if _LOWEST <= value <= _HIGHEST:
                    return value
            elif kind is float:
                if value == value:
                    return value
            elif kind is str:
                if value.isascii():
                    return value
            elif kind is bool:
                return 1 if value else 0
            return result_value(value)
        except BaseException as error:
            raise failure(error) from None

    def call_two(first: Any, second: Any) -> Any:
        try:
            value = function(first, second)
            kind = value.__class__
            if kind is int:
                if _LOWEST <= value <= _HIGHEST:
                    return value
            elif kind is float:
                if value == value:
                    return value
            elif kind is str:
                if value.isascii():
                    return value
            elif kind is bool:
                return 1 if value else 0
            return result_value(value)
        except BaseException as error:
            raise failure(error) from None

    if n_arguments == 1:
        return call_one
    return call_two if n_arguments == 2 else call


class _Aggregate:
    """One group of a user's aggregate; the instance is made for the first row, and without rows the result is NULL."""

    __slots__ = ("aggregate_class", "instance", "take")

    def __init__(self, aggregate_class: Callable[[], Any]) -> None:
        self.aggregate_class = aggregate_class
        self.instance: Any = None
        self.take: Callable[..., Any] | None = None

    def step(self, *arguments: Any) -> None:
        """Takes a row in."""
        take = self.take or self._begin()
        try:
            take(*arguments)
        except BaseException as error:
            report_exception(error, self.aggregate_class)
            raise _failure(error, "user-defined aggregate's 'step' method raised error") from None

    def _begin(self) -> Callable[..., Any]:
        """Makes the instance; returns its step method, which is looked up once."""
        try:
            self.instance = self.aggregate_class()
        except BaseException as error:
            report_exception(error, self.aggregate_class)
            raise sqlite_error(ERROR, "user-defined aggregate's '__init__' method raised error") from None
        self.take = self._method("step")
        return self.take

    def inverse(self, *arguments: Any) -> None:
        """Takes a row out of the window."""
        self._call("inverse", *arguments)

    def value(self) -> Any:
        """The final value of a group."""
        return self._value("finalize")

    def _method(self, name: str) -> Callable[..., Any]:
        try:
            return getattr(self.instance, name)  # type: ignore[no-any-return]
        except AttributeError as error:
            report_exception(error, self.aggregate_class)
            raise sqlite_error(ERROR, f"user-defined aggregate's '{name}' method not defined") from None

    def _call(self, name: str, *arguments: Any) -> Any:
        method = self._method(name)
        try:
            return method(*arguments)
        except BaseException as error:
            report_exception(error, self.aggregate_class)
            raise _failure(error, f"user-defined aggregate's '{name}' method raised error") from None

    def _value(self, name: str) -> Any:
        if self.instance is None:
            return None
        value = self._call(name)
        try:
            return result_value(value)
        except BaseException as error:
            report_exception(error, self.aggregate_class)
            raise _failure(error, f"user-defined aggregate's '{name}' method raised error") from None


class _WindowAggregate(_Aggregate):
    """One partition of a user's aggregate window function: `value` for each row."""

    __slots__ = ()

    def value(self) -> Any:
        """The value of the current frame."""
        return self._value("value")

    def close(self) -> None:
        """Ends the partition: finalize is called, and what it says or raises is dropped, as SQLite drops it."""
        if self.instance is None:
            return
        try:
            self.instance.finalize()
        except BaseException as error:
            report_exception(error, self.aggregate_class)


def aggregate_factory(aggregate_class: Callable[[], Any]) -> Callable[[], Any]:
    """Makes the accumulator of a group."""
    return lambda: _Aggregate(aggregate_class)


def window_factory(aggregate_class: Callable[[], Any]) -> Callable[[], Any]:
    """Makes the accumulator of a partition."""
    return lambda: _WindowAggregate(aggregate_class)


def collation_callback(function: Callable[[str, str], int], failures: list[BaseException]) -> Callable[[str, str], int]:
    """A comparison; for what it raises, which goes into `failures`, and for what is no integer the texts count as equal.

    An order that fails half-way must not leave a half-written index behind, so the statement goes on and fails afterwards.
    """

    def compare(first: str, second: str) -> int:
        try:
            outcome = function(first, second)
        except BaseException as error:
            failures[:] = [error]
            return 0
        if not isinstance(outcome, int):
            return 0
        # Of integers beyond 64 bits the standard library's module sees only that they are no good: less.
        return (outcome > 0) - (outcome < 0) if _LOWEST <= outcome <= _HIGHEST else -1

    return compare


def authorizer(function: Callable[..., Any]) -> Callable[..., int]:
    """An authorizer whose errors and odd answers deny."""

    def authorize(*arguments: Any) -> int:
        try:
            answer = function(*arguments)
        except BaseException as error:
            report_exception(error, function)
            return _DENY
        if isinstance(answer, int) and -(1 << 31) <= answer < 1 << 31:
            return answer
        return _DENY

    return authorize


def progress_callback(function: Callable[[], Any]) -> Callable[[], bool]:
    """A progress handler whose errors interrupt."""

    def report() -> bool:
        try:
            return bool(function())
        except BaseException as error:
            report_exception(error, function)
            return True

    return report


def tracer(function: Callable[[str], Any]) -> Callable[[str, bool], None]:
    """A trace callback whose errors are dropped."""

    def trace(text: str, is_too_long: bool) -> None:
        if is_too_long:
            report_exception(DataError("Expanded SQL string exceeds the maximum string length"), function)
        try:
            function(text)
        except BaseException as error:
            report_exception(error, function)

    return trace


def wal_hook(connection: Any, function: Callable[[Any, str, int], int]) -> Callable[[str, int], int]:
    """A WAL hook that gets the connection, which it keeps only as long as others do."""
    if not callable(function):
        raise TypeError(f"Expected a callable not {type(function).__name__}")
    owner = weakref.ref(connection)

    def hear(name: str, n_frames: int) -> int:
        answer = function(owner(), name, n_frames)
        if not isinstance(answer, int):
            raise TypeError(f"wal hook must return a number not {type(answer).__name__}")
        return answer

    return hear
