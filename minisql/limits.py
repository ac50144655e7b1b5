"""The run-time limits of a connection (SQLITE_LIMIT_*) and the one way to nest deeper than Python's stack allows.

Defaults follow apsw 3.54.1, except ATTACHED, which follows the standard library's module.
Source: https://www.sqlite.org/c3ref/c_limit_attached.html, https://www.sqlite.org/limits.html.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from minisql.errors import ERROR, sqlite_error

_Result = TypeVar("_Result")

LENGTH = 0
SQL_LENGTH = 1
COLUMN = 2
EXPR_DEPTH = 3
COMPOUND_SELECT = 4
VDBE_OP = 5
FUNCTION_ARG = 6
ATTACHED = 7
LIKE_PATTERN_LENGTH = 8
VARIABLE_NUMBER = 9
TRIGGER_DEPTH = 10
WORKER_THREADS = 11
PARSER_DEPTH = 12

DEFAULTS: tuple[int, ...] = (
    1_000_000_000,  # LENGTH
    1_000_000_000,  # SQL_LENGTH
    2000,  # COLUMN
    1000,  # EXPR_DEPTH
    500,  # COMPOUND_SELECT
    250_000_000,  # VDBE_OP
    1000,  # FUNCTION_ARG
    10,  # ATTACHED
    50_000,  # LIKE_PATTERN_LENGTH
    32_766,  # VARIABLE_NUMBER
    1000,  # TRIGGER_DEPTH
    0,  # WORKER_THREADS
)

HARD_LIMITS: tuple[int, ...] = (
    2_147_483_645,
    1_000_000_000,
    32_767,
    2_147_483_647,
    500,
    250_000_000,
    1000,
    125,
    50_000,
    250_000,
    1000,
    8,
)


def call_on_fresh_stack(function: Callable[..., _Result], *arguments: object) -> _Result:
    """Runs `function(*arguments)` on a stack of its own and returns its result or raises its exception.

    Recursive walkers call this every few dozen levels: CPython counts recursion per thread, so each fresh thread brings a
    whole recursion budget, and pure Python calls use no C stack.  Where threads do not exist the call fails with SQLite's
    "parser stack overflow".  Costs about 100 us, so it is only for depths that ordinary statements never reach.
    """
    outcome: list[_Result] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(function(*arguments))
        except BaseException as error:  # handed to the caller's stack below, nothing is swallowed
            failure.append(error)

    worker = threading.Thread(target=run, daemon=True)
    try:
        worker.start()
    except RuntimeError as error:
        raise sqlite_error(ERROR, "parser stack overflow") from error
    worker.join()
    if failure:
        raise failure[0]
    return outcome[0]
