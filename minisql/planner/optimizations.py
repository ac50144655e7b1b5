"""The optimisations that can be left out one by one, so that tests compare the answers with and without each.

`PRAGMA minisql_optimizations = MASK` sets them: bit n stands for NAMES[n].  Each is a decision of the planner that must not
show in an answer, like those behind SQLite's SQLITE_TESTCTRL_OPTIMIZATIONS; the fast path has a pragma of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler

FLATTENING = "minisql_flattening"
PUSH_DOWN = "minisql_push_down"
PRUNING = "minisql_pruning"
JOIN_WEAKENING = "minisql_join_weakening"
HASH_JOINS = "minisql_hash_joins"
CORRELATED_HASHES = "minisql_correlated_hashes"
INDEX_ORDER = "minisql_index_order"
INDEX_UNIONS = "minisql_index_unions"
EARLY_STOP = "minisql_early_stop"
SCAN_AND_SORT = "minisql_scan_and_sort"
ROWS_AT_ONCE = "minisql_rows_at_once"
MEMOS = "minisql_memos"

HEARS_ROWS = "minisql_hears_rows"
"""The flag that is on while a preupdate hook wants to see each row before it changes."""

HEARS_STEPS = "minisql_hears_steps"
"""The flag that is on while a trace callback wants to hear of each trigger and each of its steps."""

NAMES = (
    FLATTENING, PUSH_DOWN, PRUNING, JOIN_WEAKENING, HASH_JOINS, CORRELATED_HASHES, INDEX_ORDER, INDEX_UNIONS, EARLY_STOP,
    SCAN_AND_SORT, ROWS_AT_ONCE, MEMOS,
)  # fmt: skip
"""The flag of each optimisation, by bit."""


def is_left_out(compiler: Compiler, name: str) -> bool:
    """Whether an optimisation must not be used in this statement."""
    flags = compiler.context.flags
    return not flags.get(name, True) or (name == ROWS_AT_ONCE and (flags[HEARS_ROWS] or flags[HEARS_STEPS]))
