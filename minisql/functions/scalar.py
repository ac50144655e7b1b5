"""Core scalar functions on any value: numbers, NULLs, choices, blobs, and the connection's counters.

coalesce, ifnull, iif, likely and the like are compiled by the planner so that only what is needed is evaluated; the
functions here are their meaning for arguments that are already there.

Source: https://www.sqlite.org/lang_corefunc.html.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from minisql.errors import ERROR, TOOBIG, Error, sqlite_error
from minisql.functions.characters import before_nul
from minisql.functions.context import FunctionContext
from minisql.functions.like import Matcher, Runs, glob_matcher, glob_runs, like_matcher, like_runs
from minisql.functions.printf import sql_literal
from minisql.functions.registry import ANY, ScalarFunction
from minisql.functions.text import length
from minisql.limits import DEFAULTS, LENGTH
from minisql.values.affinity import apply_numeric
from minisql.values.arithmetic import truth
from minisql.values.cast import to_integer, to_real, to_text
from minisql.values.collation import Collation
from minisql.values.compare import compare
from minisql.values.number_text import leading_digits, round_digits
from minisql.values.storage_class import INT64_MIN, encode_text, type_name

SQLITE_VERSION = "3.54.1"
SOURCE_ID = "2026-11-20 00:00:00 minisql-pure-python-engine"

COMPILE_OPTIONS: tuple[str, ...] = (
    "ENABLE_DBSTAT_VTAB",
    "ENABLE_MATH_FUNCTIONS",
    "ENABLE_PERCENTILE",
    "ENABLE_UPDATE_DELETE_LIMIT",
    "LIKE_DOESNT_MATCH_BLOBS",
    "MAX_ATTACHED=10",
    "SOUNDEX",
    "TEMP_STORE=1",
    "THREADSAFE=1",
)


def absolute(value: Any) -> int | float | None:
    """abs(X): text and blobs count as reals.  Source: https://www.sqlite.org/lang_corefunc.html#abs"""
    if value.__class__ is int:
        if value == INT64_MIN:
            raise sqlite_error(ERROR, "integer overflow")
        return value if value >= 0 else -value
    if value is None:
        return None
    number = to_real(value)
    return -number if number < 0.0 else number


def sign(value: Any) -> int | None:
    """sign(X): -1, 0 or 1; NULL for what is no number.  Source: https://www.sqlite.org/lang_corefunc.html#sign"""
    number = apply_numeric(value)
    if number.__class__ is not int and number.__class__ is not float:
        return None
    return 1 if number > 0 else -1 if number < 0 else 0


_POWERS_OF_TEN = [10**n for n in range(10)]

# At and beyond 2**52 a double has no fraction.
_NO_FRACTION = 4503599627370496.0


def round_(value: Any, n_digits: Any = 0) -> float | None:
    """round(X, Y): always a real; halves away from zero, decided on SQLite's 18 digits.

    Source: https://www.sqlite.org/lang_corefunc.html#round
    """
    if value is None or n_digits is None:
        return None
    places = min(max(to_integer(n_digits), 0), 30)
    number = to_real(value)
    if not -_NO_FRACTION <= number <= _NO_FRACTION:
        return number
    if places == 0:
        return float(int(number + (0.5 if number >= 0 else -0.5)))
    scaled = number * _POWERS_OF_TEN[places] if places < 10 else _NO_FRACTION
    if -1e9 < scaled < 1e9:
        nearest = math.floor(scaled + 0.5)
        # Far enough from a tie that an error of the product cannot matter; the division of exact integers rounds correctly.
        if nearest and abs(scaled - nearest) < 0.499999:
            return float(nearest / _POWERS_OF_TEN[places])
    if number == 0.0:
        return 0.0
    digits, point = leading_digits(abs(number))
    digits, point = round_digits(digits, point, point + places)
    result = float(f"{digits}e{point - len(digits)}")
    return -result if number < 0 else result


def minimum(collation: Collation, *values: Any) -> Any:
    """min(X, Y, ...) of one row: NULL if any is NULL.  Source: https://www.sqlite.org/lang_corefunc.html#min_scalar"""
    best = values[0]
    if best is None:
        return None
    for value in values[1:]:
        if value is None:
            return None
        if compare(best, value, collation) >= 0:
            best = value
    return best


def maximum(collation: Collation, *values: Any) -> Any:
    """max(X, Y, ...) of one row: NULL if any is NULL.  Source: https://www.sqlite.org/lang_corefunc.html#max_scalar"""
    best = values[0]
    if best is None:
        return None
    for value in values[1:]:
        if value is None:
            return None
        if compare(best, value, collation) < 0:
            best = value
    return best


def nullif(collation: Collation, a: Any, b: Any) -> Any:
    """nullif(X, Y).  Source: https://www.sqlite.org/lang_corefunc.html#nullif"""
    return None if compare(a, b, collation) == 0 else a


def coalesce(*values: Any) -> Any:
    """coalesce(X, Y, ...) and ifnull(X, Y).  Source: https://www.sqlite.org/lang_corefunc.html#coalesce"""
    for value in values:
        if value is not None:
            return value
    return None


def iif(*values: Any) -> Any:
    """iif(B1, V1, B2, V2, ..., ELSE).  Source: https://www.sqlite.org/lang_corefunc.html#iif"""
    for i in range(0, len(values) - 1, 2):
        if truth(values[i]):
            return values[i + 1]
    return values[-1] if len(values) & 1 else None


def first_argument(value: Any, *_ignored: Any) -> Any:
    """likely(X), unlikely(X) and likelihood(X, Y): X itself.  Source: https://www.sqlite.org/lang_corefunc.html#likely"""
    return value


def _like_function(case_sensitive: bool) -> Any:
    def like(pattern: Any, text: Any, *escape: Any) -> int | None:
        """like(PATTERN, TEXT [, ESCAPE]).  Source: https://www.sqlite.org/lang_corefunc.html#like"""
        character: str | None = None
        if pattern.__class__ is bytes or text.__class__ is bytes:
            return 0
        if escape:
            if escape[0] is None:
                return None
            character = to_text(escape[0])
            if length(character) != 1:
                raise sqlite_error(ERROR, "ESCAPE expression must be a single character")
        if pattern is None or text is None:
            return None
        matcher = like_matcher(pattern if pattern.__class__ is str else to_text(pattern), character, case_sensitive)
        return 1 if matcher(text if text.__class__ is str else to_text(text)) else 0

    return like


def glob(pattern: Any, text: Any) -> int | None:
    """glob(PATTERN, TEXT): `TEXT GLOB PATTERN`.  Source: https://www.sqlite.org/lang_corefunc.html#glob"""
    if pattern.__class__ is bytes or text.__class__ is bytes:
        return 0
    if pattern is None or text is None:
        return None
    return 1 if glob_matcher(to_text(pattern))(to_text(text)) else 0


def _binder(
    name: str, make_matcher: Callable[[str], Matcher], find_runs: Callable[[str], Runs | None]
) -> Callable[[Any], ScalarFunction | None]:
    """What LIKE or GLOB with a constant pattern does for each text."""

    def bind(pattern: Any) -> ScalarFunction | None:
        if pattern.__class__ is not str:
            return None
        try:
            matches = make_matcher(pattern)
        except Error:
            return None  # raised again when, and if, it runs

        def call(text: Any) -> int | None:
            if text.__class__ is str:
                return 1 if matches(text) else 0
            if text is None:
                return None
            return 0 if text.__class__ is bytes else 1 if matches(to_text(text)) else 0

        return ScalarFunction(name, 1, 1, call, matches=matches, runs=find_runs(pattern))

    return bind


def match(*_arguments: Any) -> Any:
    """match(X, Y): always an error, virtual tables give it a meaning.  Source: lang_expr.html section 5 (MATCH)"""
    raise sqlite_error(ERROR, "unable to use function MATCH in the requested context")


def hexadecimal(context: FunctionContext, value: Any) -> str:
    """hex(X): the bytes of a blob or text, upper case.  Source: https://www.sqlite.org/lang_corefunc.html#hex"""
    if value is None:
        return ""
    if value.__class__ is bytes:
        return value.hex().upper()
    return encode_text(to_text(value), context.encoding).hex().upper()


def random(context: FunctionContext) -> int:
    """random(): any 64-bit integer.  Source: https://www.sqlite.org/lang_corefunc.html#random"""
    return int.from_bytes(context.random_bytes(8), "little", signed=True)


def randomblob(context: FunctionContext, n: Any) -> bytes:
    """randomblob(N): N random bytes, at least one.  Source: https://www.sqlite.org/lang_corefunc.html#randomblob"""
    n_bytes = max(to_integer(n), 1)
    _check_blob_length(n_bytes)
    return context.random_bytes(n_bytes)


def zeroblob(n: Any) -> bytes:
    """zeroblob(N): N zero bytes.  Source: https://www.sqlite.org/lang_corefunc.html#zeroblob"""
    n_bytes = max(to_integer(n), 0)
    _check_blob_length(n_bytes)
    return bytes(n_bytes)


def _check_blob_length(n_bytes: int) -> None:
    if n_bytes > DEFAULTS[LENGTH]:
        raise sqlite_error(TOOBIG)


def changes(context: FunctionContext) -> int:
    """changes().  Source: https://www.sqlite.org/lang_corefunc.html#changes"""
    return context.changes


def total_changes(context: FunctionContext) -> int:
    """total_changes().  Source: https://www.sqlite.org/lang_corefunc.html#total_changes"""
    return context.total_changes


def last_insert_rowid(context: FunctionContext) -> int:
    """last_insert_rowid().  Source: https://www.sqlite.org/lang_corefunc.html#last_insert_rowid"""
    return context.last_insert_rowid


def sqlite_version() -> str:
    """sqlite_version(): the release whose behaviour this engine has."""
    return SQLITE_VERSION


def sqlite_source_id() -> str:
    """sqlite_source_id()."""
    return SOURCE_ID


def compileoption_get(n: Any) -> str | None:
    """sqlite_compileoption_get(N).  Source: https://www.sqlite.org/lang_corefunc.html#sqlite_compileoption_get"""
    index = to_integer(n)
    return COMPILE_OPTIONS[index] if 0 <= index < len(COMPILE_OPTIONS) else None


def compileoption_used(name: Any) -> int | None:
    """sqlite_compileoption_used(X): 1 for an option by name or name=value.

    Source: https://www.sqlite.org/lang_corefunc.html#sqlite_compileoption_used
    """
    if name is None:
        return None
    wanted = to_text(name).upper().removeprefix("SQLITE_")
    return 1 if any(option == wanted or option.startswith(wanted + "=") for option in COMPILE_OPTIONS) else 0


def load_extension(*_arguments: Any) -> Any:
    """load_extension(X [, Y]): extensions are C code, so it is never authorized."""
    raise sqlite_error(ERROR, "not authorized")


def sqlite_log(*_arguments: Any) -> None:
    """sqlite_log(CODE, TEXT): there is no error log to write to; NULL."""
    return None


_SOUNDEX_CODES = {
    letter: code
    for letters, code in (("BFPV", "1"), ("CGJKQSXZ", "2"), ("DT", "3"), ("L", "4"), ("MN", "5"), ("R", "6"))
    for letter in letters
}


def soundex(value: Any) -> str:
    """soundex(X): the soundex code, '?000' without a letter.  Source: https://www.sqlite.org/lang_corefunc.html#soundex"""
    data = b"" if value is None else encode_text(before_nul(to_text(value)))
    letter = re.search(rb"[A-Za-z]", data)
    if letter is None:
        return "?000"
    result = letter[0].decode().upper()
    previous = _SOUNDEX_CODES.get(result)
    for byte in data[letter.end() :]:
        # SQLite looks only at the low seven bits of each byte.
        code = _SOUNDEX_CODES.get(chr(byte & 0x7F).upper())
        if code is not None and code != previous:
            result += code
            if len(result) == 4:
                break
        previous = code
    return result.ljust(4, "0")


def _like_functions(case_sensitive: bool) -> tuple[ScalarFunction, ScalarFunction]:
    call = _like_function(case_sensitive)
    bind = _binder(
        "like", lambda pattern: like_matcher(pattern, None, case_sensitive), lambda pattern: like_runs(pattern, case_sensitive)
    )
    return ScalarFunction("like", 2, 2, call, bind_pattern=bind), ScalarFunction("like", 3, 3, call)


LIKE_IGNORING_CASE = _like_functions(False)

# PRAGMA case_sensitive_like registers these in front of the ones above.
LIKE_CASE_SENSITIVE = _like_functions(True)

FUNCTIONS = (
    ScalarFunction("abs", 1, 1, absolute),
    ScalarFunction("sign", 1, 1, sign),
    ScalarFunction("round", 1, 2, round_),
    ScalarFunction("min", 2, ANY, minimum, needs_collation=True),
    ScalarFunction("max", 2, ANY, maximum, needs_collation=True),
    ScalarFunction("nullif", 2, 2, nullif, needs_collation=True),
    ScalarFunction("coalesce", 2, ANY, coalesce),
    ScalarFunction("ifnull", 2, 2, coalesce),
    ScalarFunction("iif", 2, ANY, iif),
    ScalarFunction("if", 2, ANY, iif),
    ScalarFunction("likely", 1, 1, first_argument),
    ScalarFunction("unlikely", 1, 1, first_argument),
    ScalarFunction("likelihood", 2, 2, first_argument),
    ScalarFunction("typeof", 1, 1, type_name),
    *LIKE_IGNORING_CASE,
    ScalarFunction("glob", 2, 2, glob, bind_pattern=_binder("glob", glob_matcher, glob_runs)),
    ScalarFunction("match", 2, 2, match, deterministic=False),
    ScalarFunction("hex", 1, 1, hexadecimal, needs_context=True),
    ScalarFunction("quote", 1, 1, sql_literal),
    ScalarFunction("random", 0, 0, random, deterministic=False, needs_context=True),
    ScalarFunction("randomblob", 1, 1, randomblob, deterministic=False, needs_context=True),
    ScalarFunction("zeroblob", 1, 1, zeroblob),
    ScalarFunction("changes", 0, 0, changes, deterministic=False, needs_context=True),
    ScalarFunction("total_changes", 0, 0, total_changes, deterministic=False, needs_context=True),
    ScalarFunction("last_insert_rowid", 0, 0, last_insert_rowid, deterministic=False, needs_context=True),
    ScalarFunction("sqlite_version", 0, 0, sqlite_version),
    ScalarFunction("sqlite_source_id", 0, 0, sqlite_source_id),
    ScalarFunction("sqlite_compileoption_get", 1, 1, compileoption_get),
    ScalarFunction("sqlite_compileoption_used", 1, 1, compileoption_used),
    ScalarFunction("sqlite_log", 2, 2, sqlite_log, deterministic=False, direct_only=True),
    ScalarFunction("load_extension", 1, 2, load_extension, deterministic=False, direct_only=True),
    ScalarFunction("soundex", 1, 1, soundex),
)
