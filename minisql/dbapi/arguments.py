"""Arguments as the standard library's module takes them: counts, keywords and types, with its own texts when they are wrong.

`checked` wraps a method.  The method's own signature says how many arguments it takes and which by keyword, and its annotations
which conversion each goes through: `str` (no null characters inside), `int` (32 bits), `Int64`, `float`, `bool` (any truth
value); every other annotation takes any object.  The wrapper also makes the threads that share a connection wait for each
other.  The few methods on the path of every statement (execute, fetchone, ...) do all of that themselves, for speed.

Source: CPython's Argument Clinic, https://devguide.python.org/development-tools/clinic/.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from collections.abc import Callable
from operator import index
from typing import Any, NoReturn, ParamSpec, TypeAlias, TypeVar

from minisql.dbapi.deprecations import warn_deprecated

Int64: TypeAlias = int
"""An `int` argument of 64 bits."""

Flag: TypeAlias = bool
"""A `bool` argument that Python 3.11 still takes as an integer."""

Method = TypeVar("Method", bound=Callable[..., Any])
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

# Argument Clinic hands these their defining class, and then counts as for methods with keywords.
_COUNTED_WITH_KEYWORDS = frozenset({"create_collation", "create_window_function"})
_INT_MAX = 2**31 - 1
_IMMUTABLE_TYPE = 1 << 8
_INT64_MAX = 2**63 - 1
_TAKES_ARGUMENTS_BY_KEYWORD_FROM_3_15 = sys.version_info >= (3, 13)


def text(value: Any, label: str) -> str:
    """A `str` without null characters; `label` begins the message, as "create_function() argument 'name'"."""
    if not isinstance(value, str):
        raise TypeError(f"{label} must be str, not {type_name(value)}")
    if not value.isascii():
        value.encode()
    if "\0" in value:
        raise ValueError("embedded null character")
    return str.__str__(value)


def type_name(value: Any) -> str:
    """A type's name as messages of `getargs` spell it."""
    return "None" if value is None else c_type_name(value)


def c_type_name(value: Any) -> str:
    """A type's name as C code knows it: types written in C, which cannot be changed, carry their module's name."""
    kind = type(value)
    is_written_in_c = kind.__flags__ & _IMMUTABLE_TYPE and kind.__module__ != "builtins"
    return f"{kind.__module__}.{kind.__name__}" if is_written_in_c else kind.__name__


def c_int(value: Any, label: str = "") -> int:
    """An integer of 32 bits."""
    number = index(value)
    if not -_INT_MAX - 1 <= number <= _INT_MAX:
        raise OverflowError("Python int too large to convert to C int")
    return number


def _int64(value: Any, label: str) -> int:
    if not isinstance(value, int):
        raise TypeError("expected 'int'")
    if not -_INT64_MAX - 1 <= value <= _INT64_MAX:
        raise OverflowError("Python int too large to convert to SQLite INTEGER")
    return value


def _float(value: Any, label: str) -> float:
    if isinstance(value, str) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"must be real number, not {c_type_name(value)}")
    return float(value)


def _bool(value: Any, label: str) -> bool:
    return bool(value)


def _flag(value: Any, label: str) -> bool:
    return bool(c_int(value)) if sys.version_info < (3, 12) else bool(value)


_CONVERSIONS: dict[str, Callable[[Any, str], Any]] = {
    "str": text,
    "int": c_int,
    "Int64": _int64,
    "float": _float,
    "bool": _bool,
    "Flag": _flag,
}


class Signature:
    """What a function takes, read from its code object: names, how many by position, what has a default, conversions."""

    __slots__ = ("conversions", "label", "n_by_position", "n_positional_only", "n_required", "name", "names", "required_names")

    def __init__(self, function: Callable[..., Any], n_skipped: int, name: str = "", label: str = "") -> None:
        code = function.__code__
        n_by_position = code.co_argcount
        defaults = function.__defaults__ or ()
        keyword_defaults = function.__kwdefaults__ or {}
        annotations = function.__annotations__
        self.name = name or function.__name__
        self.label = label or function.__qualname__
        self.names = code.co_varnames[n_skipped : n_by_position + code.co_kwonlyargcount]
        self.n_by_position = n_by_position - n_skipped
        self.n_positional_only = max(code.co_posonlyargcount - n_skipped, 0)
        self.n_required = self.n_by_position - len(defaults)
        only_by_keyword = code.co_varnames[n_by_position : n_by_position + code.co_kwonlyargcount]
        self.required_names = [
            *self.names[: self.n_required],
            *[each for each in only_by_keyword if each not in keyword_defaults],
        ]
        self.conversions = [
            (position, each, _CONVERSIONS[annotations[each]])
            for position, each in enumerate(self.names)
            if annotations.get(each) in _CONVERSIONS
        ]

    def converted(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments after their conversions; raises TypeError, OverflowError or ValueError with the module's text."""
        names = self.names
        if len(names) == self.n_positional_only and self.name not in _COUNTED_WITH_KEYWORDS:
            self._check_positional(arguments, keywords)
        else:
            self._check_keywords(arguments, keywords)
        values = list(arguments)
        for position, name, conversion in self.conversions:
            by_number = position < self.n_positional_only
            label = f"{self.name}() argument {position + 1}" if by_number else f"{self.name}() argument '{name}'"
            if by_number and len(names) == 1:
                label = f"{self.name}() argument"
            if position < len(values):
                values[position] = conversion(values[position], label)
            elif name in keywords:
                keywords[name] = conversion(keywords[name], label)
        return values, keywords

    def _check_positional(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        n = len(arguments)
        if keywords:
            raise TypeError(f"{self.label}() takes no keyword arguments")
        n_most = len(self.names)
        if n_most == 0:
            if n:
                raise TypeError(f"{self.label}() takes no arguments ({n} given)")
        elif n_most == self.n_required == 1:
            if n != 1:
                raise TypeError(f"{self.label}() takes exactly one argument ({n} given)")
        else:
            check_count(self.name, n, self.n_required, n_most)

    def _check_keywords(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        n = len(arguments)
        names = self.names
        if n + len(keywords) > len(names):
            kind = "keyword " if n == 0 else ""
            self._fail(f"takes at most {len(names)} {kind}argument{_plural(len(names))} ({n + len(keywords)} given)")
        if n > self.n_by_position:
            if self.n_by_position == 0:
                self._fail("takes no positional arguments")
            few = "at most" if self.n_required < self.n_by_position else "exactly"
            self._fail(f"takes {few} {self.n_by_position} positional argument{_plural(self.n_by_position)} ({n} given)")
        n_least = min(self.n_positional_only, self.n_required)
        if n < n_least:
            few = "at least" if n_least < self.n_by_position else "exactly"
            self._fail(f"takes {few} {n_least} positional argument{_plural(n_least)} ({n} given)")
        for position, name in enumerate(self.required_names):
            if position >= n and name not in keywords:
                self._fail(f"missing required argument '{name}' (pos {position + 1})")
        for name in keywords:
            if name not in names[self.n_positional_only :]:
                if sys.version_info >= (3, 13):
                    self._fail(f"got an unexpected keyword argument '{name}'")
                raise TypeError(f"'{name}' is an invalid keyword argument for {self.name}()")
            if name in names[:n]:
                position = names.index(name) + 1
                raise TypeError(f"argument for {self.name}() given by name ('{name}') and position ({position})")

    def _fail(self, message: str) -> NoReturn:
        raise TypeError(f"{self.name}() {message}")


def check_count(name: str, n: int, n_least: int, n_most: int) -> None:
    """Raises TypeError unless `n` arguments lie between the bounds: "execute expected at most 2 arguments, got 3"."""
    if n < n_least:
        few = "" if n_least == n_most else "at least "
        raise TypeError(f"{name} expected {few}{n_least} argument{_plural(n_least)}, got {n}")
    if n > n_most:
        few = "" if n_least == n_most else "at most "
        raise TypeError(f"{name} expected {few}{n_most} argument{_plural(n_most)}, got {n}")


def _plural(n: int) -> str:
    return "" if n == 1 else "s"


def checked(function: Method) -> Method:
    """A method of a connection with its arguments checked and its calls serialised."""
    converted, n = _conversion(function)

    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        values: Any = arguments
        if keywords or len(arguments) != n:
            values, keywords = converted(arguments, keywords)
        if self._lock is None or self._thread == get_ident():
            return function(self, *values, **keywords)
        return self._enter(function, self, *values, **keywords)

    return _named(call, function)  # type: ignore[return-value]


def unserialised(function: Method) -> Method:
    """A method with its arguments checked that serialises its steps itself."""
    converted, _n = _conversion(function)

    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        values, keywords = converted(arguments, keywords)
        return function(self, *values, **keywords)

    return _named(call, function)  # type: ignore[return-value]


def without_arguments(function: Method) -> Method:
    """A method without arguments that does not wait for other threads."""
    signature = Signature(function, 1)

    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if arguments or keywords:
            signature.converted(arguments, keywords)
        return function(self)

    return _named(call, function)  # type: ignore[return-value]


def checked_initialiser(function: Method) -> Method:
    """The `__init__` of a connection, whose texts carry the class's name."""
    signature = Signature(function, 1, function.__qualname__.partition(".")[0])

    def __init__(self: Any, *arguments: Any, **keywords: Any) -> None:
        if len(arguments) > 1:
            warn_positional("_sqlite3.Connection")
        values, keywords = signature.converted(arguments, keywords)
        function(self, *values, **keywords)

    return _named(__init__, function)  # type: ignore[return-value]


def warn_positional(name: str) -> None:
    """More than the database by position: deprecated since Python 3.13."""
    if _TAKES_ARGUMENTS_BY_KEYWORD_FROM_3_15:
        warn_deprecated(
            f"Passing more than 1 positional argument to {name}() is deprecated. Parameters 'timeout', 'detect_types', "
            "'isolation_level', 'check_same_thread', 'factory', 'cached_statements' and 'uri' will become keyword-only "
            "parameters in Python 3.15."
        )


def cannot_pickle(instance: object) -> TypeError:
    """What an object that holds a connection answers to pickle and copy."""
    kind = type(instance)
    return TypeError(f"cannot pickle '{kind.__module__}.{kind.__qualname__}' object")


def checked_member(function: Method) -> Method:
    """A method of a cursor or blob with its arguments checked and the calls on its connection serialised."""
    converted, n = _conversion(function)

    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        values: Any = arguments
        if keywords or len(arguments) != n:
            values, keywords = converted(arguments, keywords)
        connection = self._connection
        if connection is None or connection._lock is None or connection._thread == get_ident():
            return function(self, *values, **keywords)
        return connection._enter(function, self, *values, **keywords)

    return _named(call, function)  # type: ignore[return-value]


def _conversion(function: Callable[..., Any]) -> tuple[Callable[..., Any], int]:
    """The conversion of a method's arguments, and how many positional arguments alone need none (-1: all need it)."""
    signature = Signature(function, 1)
    is_plain = not signature.conversions and signature.n_required == len(signature.names)
    return signature.converted, signature.n_required if is_plain else -1


def checked_function(module: str = "", name: str = "") -> Callable[[Method], Method]:
    """A function of the module with its arguments checked; `module` is the prefix of its name in the texts about counts."""

    def decorate(function: Method) -> Method:
        signature = Signature(function, 0, name, (module and module + ".") + function.__name__)

        def call(*arguments: Any, **keywords: Any) -> Any:
            values, keywords = signature.converted(arguments, keywords)
            return function(*values, **keywords)

        return _named(call, function)  # type: ignore[return-value]

    return decorate


def positional_only_soon(*names: str) -> Callable[[Method], Method]:
    """Marks arguments that Python 3.15 takes by position only: since 3.13 their use by keyword warns."""

    def decorate(method: Method) -> Method:
        if not _TAKES_ARGUMENTS_BY_KEYWORD_FROM_3_15:
            return method
        shown = [f"'{name}'" for name in names]
        joined = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
        plural = _plural(len(shown))
        message = (
            f"Passing keyword argument{plural} {joined} to _sqlite3.Connection.{method.__name__}() is deprecated. "
            f"Parameter{plural} {joined} will become positional-only in Python 3.15."
        )

        def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
            if keywords and any(name in keywords for name in names):
                warn_deprecated(message)
            return method(self, *arguments, **keywords)

        return _named(call, method)  # type: ignore[return-value]

    return decorate


def shown_as(shape: Callable[_Parameters, _Result]) -> Callable[[Callable[..., Any]], Callable[_Parameters, _Result]]:
    """Gives a method that counts its arguments itself the signature of `shape`, for `inspect` and type checkers."""

    def decorate(method: Callable[..., Any]) -> Callable[_Parameters, _Result]:
        method.__wrapped__ = shape  # type: ignore[attr-defined]
        # The standard module's signatures have no annotations, and a test of CPython's compares the text of one.
        shape.__annotations__.clear()
        return method

    return decorate


def _named(call: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """As functools.wraps, which costs an import."""
    call.__name__ = function.__name__
    call.__qualname__ = function.__qualname__
    call.__module__ = function.__module__
    call.__doc__ = function.__doc__
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call
