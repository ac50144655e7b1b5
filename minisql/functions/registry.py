"""The registry: which SQL functions exist, found by name and number of arguments.

A `FunctionRegistry` belongs to a connection.  Built-in functions are one table for the process, filled family by family when
a name of the family is first asked for; user functions lie in a table of the connection in front of it, and a user function
that fits hides the built-in ones of its name.  Between several that fit, the exact number of arguments wins.

How the VM calls them:

- `ScalarFunction.call(*arguments)`; a Collation comes first if `needs_collation`, a FunctionContext if `needs_context`.
- `AggregateFunction.make()` (or `make(collation)` if `needs_collation`) gives a new accumulator per group: `step(*arguments)`
  per row, `value()` at the end, and `inverse(*arguments)` where rows can leave a window frame (`has_inverse`).
- A `WindowFunction` has no code here: the planner and the VM implement the built-in ones.

Subtypes: SQLite marks the text that JSON functions return, so that an outer JSON function takes it for JSON and not for a
string.  Values here are plain: where an argument of a function with `takes_subtype` is a call with `returns_subtype`, which
always gives JSON, the planner calls `scalar_with_json_arguments(function, positions)` instead, which marks those arguments by
the class `JsonText`.  json_extract gives JSON only sometimes; it has a second entry, `call_subtyped`, for a call standing
there, and the planner marks the values of other such expressions.  No other function may ever see a `JsonText`.

Source: https://www.sqlite.org/c3ref/create_function.html; https://www.sqlite.org/c3ref/value_subtype.html.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias

from minisql.functions.like import Runs
from minisql.values.collation import fold_ascii

ANY = -1


class ScalarFunction:
    """A function of one row.

    `max_args` -1 means any number.  `deterministic`: allowed in indexes, CHECK constraints and generated columns.
    `foldable`: same arguments, same result at any time, so that constant arguments may be evaluated when compiling.
    `direct_only`: refused inside views and triggers.  `call_subtyped`, `returns_subtype`, `takes_subtype`: see the module.
    `bind_pattern(pattern)` gives the function of the other argument of a call whose first argument is constant, or None (LIKE,
    GLOB); that function has `matches`, which tells of a text whether the function is true, and `runs` if the pattern is simple.
    """

    __slots__ = (
        "bind_pattern",
        "call",
        "call_subtyped",
        "deterministic",
        "direct_only",
        "foldable",
        "is_built_in",
        "matches",
        "max_args",
        "min_args",
        "name",
        "needs_collation",
        "needs_context",
        "returns_subtype",
        "runs",
        "takes_subtype",
    )

    def __init__(
        self,
        name: str,
        min_args: int,
        max_args: int,
        call: Callable[..., Any],
        *,
        deterministic: bool = True,
        foldable: bool | None = None,
        needs_collation: bool = False,
        needs_context: bool = False,
        direct_only: bool = False,
        call_subtyped: Callable[..., Any] | None = None,
        returns_subtype: bool = False,
        takes_subtype: bool = False,
        bind_pattern: Callable[[Any], ScalarFunction | None] | None = None,
        is_built_in: bool = True,
        matches: Callable[[str], bool] | None = None,
        runs: Runs | None = None,
    ) -> None:
        self.name = name
        self.min_args = min_args
        self.max_args = max_args
        self.call = call
        self.bind_pattern = bind_pattern
        self.matches = matches
        self.runs = runs
        self.deterministic = deterministic
        self.foldable = (deterministic and not needs_context) if foldable is None else foldable
        self.needs_collation = needs_collation
        self.needs_context = needs_context
        self.direct_only = direct_only
        self.call_subtyped = call_subtyped
        self.returns_subtype = returns_subtype
        self.takes_subtype = takes_subtype
        self.is_built_in = is_built_in

    def __repr__(self) -> str:
        return f"ScalarFunction({self.name!r}, {self.min_args}, {self.max_args})"


class Accumulator(Protocol):
    """The state of one aggregate over one group; some have `inverse` too."""

    def step(self, *arguments: Any) -> None:
        """Takes one row's arguments in."""

    def value(self) -> Any:
        """Returns the aggregate of the rows so far; may be called again after more steps."""


class AggregateFunction:
    """A function of many rows; every one may be used as a window function too unless `has_inverse` is False for a user's.

    `fold`, where there is one, maps the list of one-argument calls' values (NULLs included) to the result at once; `running`
    maps it to the list of the results after each of them, or to None where rows have to be stepped.
    """

    __slots__ = (
        "deterministic",
        "direct_only",
        "fold",
        "has_inverse",
        "is_built_in",
        "is_window",
        "make",
        "make_over",
        "max_args",
        "min_args",
        "name",
        "needs_collation",
        "needs_context",
        "returns_subtype",
        "running",
        "takes_subtype",
    )

    def __init__(
        self,
        name: str,
        min_args: int,
        max_args: int,
        make: Callable[..., Accumulator],
        *,
        has_inverse: bool = False,
        needs_collation: bool = False,
        fold: Callable[[list[Any]], Any] | None = None,
        returns_subtype: bool = False,
        takes_subtype: bool = False,
        direct_only: bool = False,
        is_built_in: bool = True,
        is_window: bool = True,
        make_over: Callable[[], Any] | None = None,
        running: Callable[[list[Any]], list[Any] | None] | None = None,
    ) -> None:
        """`is_window` False: the name may not be used with OVER (a user's aggregate without `inverse` and `value`).

        `make_over` makes the accumulator for OVER, if that is another one than for a group; its `close()` ends a partition.
        """
        self.name = name
        self.min_args = min_args
        self.max_args = max_args
        self.make = make
        self.has_inverse = has_inverse
        self.needs_collation = needs_collation
        self.needs_context = False
        self.fold = fold
        self.running = running
        self.returns_subtype = returns_subtype
        self.takes_subtype = takes_subtype
        self.direct_only = direct_only
        self.deterministic = True
        self.is_built_in = is_built_in
        self.is_window = is_window
        self.make_over = make_over

    def __repr__(self) -> str:
        return f"AggregateFunction({self.name!r}, {self.min_args}, {self.max_args})"


class WindowFunction:
    """The name and arity of a built-in window function (row_number, lag, ...); planner and VM implement it."""

    __slots__ = ("deterministic", "direct_only", "is_built_in", "max_args", "min_args", "name")

    def __init__(self, name: str, min_args: int, max_args: int) -> None:
        self.name = name
        self.min_args = min_args
        self.max_args = max_args
        self.deterministic = True
        self.direct_only = False
        self.is_built_in = True

    def __repr__(self) -> str:
        return f"WindowFunction({self.name!r}, {self.min_args}, {self.max_args})"


class JsonText(str):
    """An argument that is JSON and not a string: an SQL text with SQLite's subtype 'J'."""

    __slots__ = ()


class _MarkingAccumulator:
    """An accumulator whose arguments at some positions are marked as JSON."""

    __slots__ = ("accumulator", "positions")

    def __init__(self, accumulator: Any, positions: tuple[int, ...]) -> None:
        self.accumulator = accumulator
        self.positions = positions

    def step(self, *arguments: Any) -> None:
        self.accumulator.step(*_mark(arguments, self.positions))

    def inverse(self, *arguments: Any) -> None:
        self.accumulator.inverse(*_mark(arguments, self.positions))

    def value(self) -> Any:
        return self.accumulator.value()


def _mark(arguments: tuple[Any, ...], positions: tuple[int, ...]) -> list[Any]:
    marked = list(arguments)
    for position in positions:
        if marked[position].__class__ is str:
            marked[position] = JsonText(marked[position])
    return marked


def scalar_in_pure_place(function: ScalarFunction, place: str) -> ScalarFunction:
    """Returns the function for a call inside 'an index', 'a CHECK constraint' or 'a generated column'.

    The date functions raise there when they meet 'now', 'localtime' or 'utc'.
    Source: https://www.sqlite.org/deterministic.html section 3
    """
    call = function.call

    def call_in_place(context: Any, *arguments: Any) -> Any:
        context.pure_context = place
        try:
            return call(context, *arguments)
        finally:
            context.pure_context = None

    n_min, n_max = function.min_args, function.max_args
    return ScalarFunction(function.name, n_min, n_max, call_in_place, foldable=False, needs_context=True)


def scalar_with_json_arguments(function: ScalarFunction, positions: tuple[int, ...]) -> ScalarFunction:
    """Returns the function for a call whose text arguments at some positions are JSON.

    Source: https://www.sqlite.org/json1.html section 3.4
    """
    call = function.call
    return ScalarFunction(
        function.name, function.min_args, function.max_args, lambda *arguments: call(*_mark(arguments, positions))
    )


def aggregate_with_json_arguments(function: AggregateFunction, positions: tuple[int, ...]) -> AggregateFunction:
    """Returns the aggregate for a call whose text arguments at some positions are JSON.

    Source: https://www.sqlite.org/json1.html section 3.4
    """
    make = function.make
    return AggregateFunction(
        function.name,
        function.min_args,
        function.max_args,
        lambda: _MarkingAccumulator(make(), positions),
        has_inverse=function.has_inverse,
    )


Function: TypeAlias = ScalarFunction | AggregateFunction | WindowFunction

# Which module defines a name.  Each has FUNCTIONS, a sequence of Function.
_FAMILIES: dict[str, str] = {
    "scalar": "abs changes coalesce glob hex if ifnull iif last_insert_rowid like likelihood likely "
    "load_extension match max min nullif quote random randomblob round sign soundex sqlite_compileoption_get "
    "sqlite_compileoption_used sqlite_log sqlite_source_id sqlite_version total_changes typeof unlikely zeroblob",
    "text": "char concat concat_ws format instr length lower ltrim octet_length printf replace rtrim substr substring trim "
    "unhex unicode unistr unistr_quote upper",
    "aggregate": "avg count group_concat max min string_agg sum total",
    "window": "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number",
    "math_functions": "acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi "
    "pow power radians sin sinh sqrt tan tanh trunc",
    "percentile": "median percentile percentile_cont percentile_disc",
    "date_functions": "current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch",
    "json_functions": "-> ->> json json_array json_array_insert json_array_length json_error_position json_extract "
    "json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace "
    "json_set json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object "
    "jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set subtype",
}

_FAMILIES_OF_NAME: dict[str, tuple[str, ...]] = {}
for _family, _names in _FAMILIES.items():
    for _name in _names.split():
        _FAMILIES_OF_NAME[_name] = (*_FAMILIES_OF_NAME.get(_name, ()), _family)

_built_in: dict[str, list[Function]] = {}
_loaded: set[str] = set()
_found: dict[tuple[str, int], Function | None] = {}


def _load_family(family: str) -> None:
    """Imports a family's module and puts its functions into the built-in table: the one place that loads late."""
    if family in _loaded:
        return
    module = importlib.import_module("minisql.functions." + family)
    for function in module.FUNCTIONS:
        _built_in.setdefault(function.name, []).append(function)
    _loaded.add(family)


def _built_in_overloads(name: str) -> list[Function]:
    for family in _FAMILIES_OF_NAME.get(name, ()):
        _load_family(family)
    return _built_in.get(name, [])


def _best(overloads: list[Function], n_args: int) -> Function | None:
    found: Function | None = None
    for function in overloads:
        if function.min_args == function.max_args == n_args:
            return function
        if found is None and function.min_args <= n_args and (n_args <= function.max_args or function.max_args < 0):
            found = function
    return found


# The table-valued functions whose column `value` is JSON where the element is an array or an object.
JSON_TABLE_FUNCTIONS = frozenset(("json_each", "json_tree", "jsonb_each", "jsonb_tree"))
JSON_VALUE, JSON_TYPE = 1, 2


class FunctionRegistry:
    """The functions of one connection: its own table in front of the built-in one; creating one costs nothing.

    `generation` grows with every change, so that compiled statements can be checked against it.
    """

    __slots__ = ("_own", "generation")

    def __init__(self) -> None:
        self._own: dict[str, list[Function]] = {}
        self.generation = 0

    def find(self, name: str, n_args: int) -> Function | None:
        """Returns the function for a name in any case and a number of arguments, or None if there is none that fits.

        Source: https://www.sqlite.org/c3ref/create_function.html
        """
        key = (name, n_args)
        if not self._own:
            try:
                return _found[key]
            except KeyError:
                pass
        lowered = fold_ascii(name)
        if self._own:
            own = _best(self._own.get(lowered, []), n_args)
            if own is not None:
                return own
        function = _best(_built_in_overloads(lowered), n_args)
        if function is not None and len(_found) < 2000:
            _found[key] = function
        return function

    def is_scalar_name(self, name: str) -> bool:
        """Tells whether the functions of that name are scalar ones."""
        lowered = fold_ascii(name)
        return any(isinstance(function, ScalarFunction) for function in self._own.get(lowered) or _built_in_overloads(lowered))

    def exists(self, name: str) -> bool:
        """Tells whether a function of that name exists for any number of arguments.

        With it the planner tells `no such function: X` from `wrong number of arguments to function X()`.
        """
        lowered = fold_ascii(name)
        return lowered in self._own or bool(_built_in_overloads(lowered))

    def register(self, function: Function) -> None:
        """Adds a function of the connection; it replaces one of its own with the same name and number of arguments."""
        name = fold_ascii(function.name)
        arity = (function.min_args, function.max_args)
        overloads = [other for other in self._own.get(name, []) if (other.min_args, other.max_args) != arity]
        overloads.append(function)
        self._own[name] = overloads
        self.generation += 1

    def unregister(self, name: str, min_args: int, max_args: int) -> None:
        """Removes a function of the connection; a built-in one of the same name is visible again."""
        lowered = fold_ascii(name)
        overloads = [other for other in self._own.get(lowered, []) if (other.min_args, other.max_args) != (min_args, max_args)]
        if overloads:
            self._own[lowered] = overloads
        else:
            self._own.pop(lowered, None)
        self.generation += 1

    def __iter__(self) -> Iterator[Function]:
        """All functions, the connection's own first; loads every family (PRAGMA function_list)."""
        for overloads in self._own.values():
            yield from overloads
        for family in _FAMILIES:
            _load_family(family)
        for name in sorted(_built_in):
            yield from _built_in[name]


def set_case_sensitive_like(registry: FunctionRegistry, is_on: bool) -> None:
    """Puts a LIKE that tells upper from lower case in front of the built-in one, or takes it away.

    Source: https://www.sqlite.org/pragma.html#pragma_case_sensitive_like
    """
    module = importlib.import_module("minisql.functions.scalar")
    for function in module.LIKE_CASE_SENSITIVE:
        if is_on:
            registry.register(function)
        else:
            registry.unregister(function.name, function.min_args, function.max_args)
