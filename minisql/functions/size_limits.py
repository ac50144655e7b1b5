"""Functions under limits that were lowered: SQLITE_LIMIT_LENGTH of results, SQLITE_LIMIT_LIKE_PATTERN_LENGTH of patterns.

The functions themselves know the default limits only, which cost nothing; where a connection has set other ones, the planner
puts the functions of this module in front of them.

Source: https://www.sqlite.org/limits.html items 1 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from minisql.errors import ERROR, TOOBIG, sqlite_error
from minisql.functions.registry import AggregateFunction, ScalarFunction
from minisql.limits import DEFAULTS, LENGTH, LIKE_PATTERN_LENGTH
from minisql.values.cast import to_text
from minisql.values.storage_class import encode_text

_HAVE_PATTERNS = ("like", "glob")
_JOIN = frozenset(
    ("group_concat", "string_agg", "json_group_array", "json_group_object", "jsonb_group_array", "jsonb_group_object")
)


def scalar_within_limits(function: ScalarFunction, limits: Sequence[int]) -> ScalarFunction:
    """Returns the function with "string or blob too big" and "LIKE or GLOB pattern too complex" by these limits."""
    if limits[LENGTH] >= DEFAULTS[LENGTH] and limits[LIKE_PATTERN_LENGTH] >= DEFAULTS[LIKE_PATTERN_LENGTH]:
        return function
    call = function.call
    longest = limits[LENGTH]
    longest_pattern = limits[LIKE_PATTERN_LENGTH] if function.name in _HAVE_PATTERNS and function.is_built_in else -1

    def call_within_limits(*arguments: Any) -> Any:
        if longest_pattern >= 0 and bytes not in map(type, arguments):
            _check_pattern(arguments[0], longest_pattern)
        value = call(*arguments)
        _check_length(value, longest)
        return value

    return ScalarFunction(
        function.name,
        function.min_args,
        function.max_args,
        call_within_limits,
        deterministic=function.deterministic,
        foldable=function.foldable,
        needs_collation=function.needs_collation,
        needs_context=function.needs_context,
        direct_only=function.direct_only,
        call_subtyped=function.call_subtyped,
        returns_subtype=function.returns_subtype,
        takes_subtype=function.takes_subtype,
        is_built_in=function.is_built_in,
    )


def aggregate_within_limits(function: AggregateFunction, limits: Sequence[int]) -> AggregateFunction:
    """Returns a built-in aggregate that joins texts with "string or blob too big" by these limits; others as they are."""
    if limits[LENGTH] >= DEFAULTS[LENGTH] or not function.is_built_in or function.name not in _JOIN:
        return function
    make = function.make
    # SQLite's joined text has to fit in with the NUL behind it.
    longest = limits[LENGTH] - (function.name in ("group_concat", "string_agg"))
    return AggregateFunction(
        function.name,
        function.min_args,
        function.max_args,
        lambda: _LimitedAccumulator(make(), longest),
        has_inverse=function.has_inverse,
        returns_subtype=function.returns_subtype,
        takes_subtype=function.takes_subtype,
    )


class _LimitedAccumulator:
    """An accumulator whose value must not be longer than the limit."""

    __slots__ = ("accumulator", "longest")

    def __init__(self, accumulator: Any, longest: int) -> None:
        self.accumulator = accumulator
        self.longest = longest

    def step(self, *arguments: Any) -> None:
        self.accumulator.step(*arguments)

    def inverse(self, *arguments: Any) -> None:
        self.accumulator.inverse(*arguments)

    def value(self) -> Any:
        value = self.accumulator.value()
        _check_length(value, self.longest)
        return value


def length_check(limits: Sequence[int]) -> ScalarFunction:
    """A function of one argument that gives it back, unless it is too long."""
    return scalar_within_limits(ScalarFunction("", 1, 1, lambda value: value), limits)


def check_lengths(values: Iterable[Any], limits: Sequence[int]) -> None:
    """Raises "string or blob too big" if one of the values is longer than the limit."""
    for value in values:
        _check_length(value, limits[LENGTH])


def _check_length(value: Any, longest: int) -> None:
    kind = value.__class__
    if kind is str:
        # A character takes four bytes at most.
        if len(value) * 4 > longest and len(encode_text(value)) > longest:
            raise sqlite_error(TOOBIG)
    elif kind is bytes and len(value) > longest:
        raise sqlite_error(TOOBIG)


def _check_pattern(pattern: Any, longest: int) -> None:
    if pattern is not None and len(encode_text(to_text(pattern))) > longest:
        raise sqlite_error(ERROR, "LIKE or GLOB pattern too complex")
