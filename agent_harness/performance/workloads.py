"""The benchmark: what is measured, and what a hand-written Python loop needs for the same work.

The floor is no target that an engine can reach; the ratio to it says which workload has most to win, on any machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

Row = tuple[int, int, int, str]
N_ROWS = 3000
TABLE = (
    "CREATE TABLE big(k INTEGER PRIMARY KEY, g INTEGER, n INTEGER, t TEXT)",
    f"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {N_ROWS})"
    " INSERT INTO big SELECT i, i % 37, (i * 7919) % 1009, 'text ' || (i % 211) FROM c",
)


@dataclass(frozen=True, slots=True)
class Workload:
    """`statements` are timed after `setup`; `floor` does their work on a list of rows."""

    name: str
    setup: tuple[str, ...]
    statements: tuple[str, ...]
    floor: Callable[[list[Row]], object]


def _rows() -> list[Row]:
    return [(i, i % 37, (i * 7919) % 1009, f"text {i % 211}") for i in range(1, N_ROWS + 1)]


def _filter(rows: list[Row]) -> object:
    return [row[0] for row in rows if row[2] % 7 == 3 and len(row[3]) > 5]


def _group(rows: list[Row]) -> object:
    groups: dict[int, list[int]] = {}
    for row in rows:
        total = groups.setdefault(row[1], [0, 0])
        total[0] += 1
        total[1] += row[2]
    return sorted((key, *total) for key, total in groups.items())


def _join(rows: list[Row]) -> object:
    by_key = {row[0]: row for row in rows}
    return sum(1 for row in rows if row[1] < 12 and row[2] in by_key)


def _sort(rows: list[Row]) -> object:
    return sorted(rows, key=lambda row: (row[3], -row[2]))[:20]


def _insert(rows: list[Row]) -> object:
    copied = list(rows)
    copied.extend((row[0] + N_ROWS, row[1], row[2], row[3]) for row in rows)
    return copied


WORKLOADS = (
    Workload("filter", TABLE, ("SELECT k FROM big WHERE n % 7 = 3 AND length(t) > 5",), _filter),
    Workload("group", TABLE, ("SELECT g, count(*), sum(n) FROM big GROUP BY g ORDER BY g",), _group),
    Workload("join", TABLE, ("SELECT count(*) FROM big a JOIN big b ON b.k = a.n WHERE a.g < 12",), _join),
    Workload("sort", TABLE, ("SELECT * FROM big ORDER BY t, n DESC LIMIT 20",), _sort),
    Workload("insert", TABLE, (f"INSERT INTO big SELECT k + {N_ROWS}, g, n, t FROM big",), _insert),
)


def floor_seconds(workload: Workload, repeats: int = 5) -> float:
    """The least CPU seconds of the hand-written loop."""
    rows = _rows()
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        workload.floor(rows)
        best = min(best, time.process_time() - began)
    return max(best, 1e-6)
