"""Running the two sets: databases filled, queries timed on minisql and SQLite in turn, answers and plans compared."""

from __future__ import annotations

import importlib
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decision_support import ssb_data, tpch_data

FOLDER = Path(__file__).parent
SETS = {"tpch": tpch_data, "ssb": ssb_data}
Row = tuple[Any, ...]
Execute = Callable[[str], list[Row]]


@dataclass
class Measured:
    """A query's seconds of CPU by engine and round, whether the answers are equal, how many rows there are, and both plans."""

    name: str
    seconds: dict[str, list[float]] = field(default_factory=dict)
    is_equal: bool = False
    n_rows: int = 0
    error: str = ""
    plans: dict[str, str] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """minisql's time over that of the standard library's sqlite3: the median of the rounds' ratios."""
        pairs = zip(self.seconds.get("minisql", ()), self.seconds.get("sqlite3", ()), strict=False)
        return statistics.median([ours / max(theirs, 1e-6) for ours, theirs in pairs] or [float("nan")])


def queries(name: str) -> dict[str, str]:
    """{q1: SQL} of a set, in order."""
    text = (FOLDER / f"{name}.sql").read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^-- (q[0-9.]+).*\n((?:.*\n)*?.*;)$", text))


def filled(module: str, content: Sequence[tuple[str, list[Row]]], scripts: Sequence[str]) -> Execute:
    """A database in memory of "minisql", "sqlite3" or "apsw": the first script, the tables' rows, the other scripts.

    Returns its way to execute.
    """
    engine: Any = importlib.import_module(module)
    connection = engine.Connection(":memory:") if module == "apsw" else engine.connect(":memory:", isolation_level=None)
    for sql in f"{scripts[0]} BEGIN".split(";"):
        connection.execute(sql)
    for table, rows in content:
        places = ", ".join("?" * len(rows[0]))
        connection.cursor().executemany(f"INSERT INTO {table} VALUES({places})", rows)
    for sql in ";".join(("COMMIT", *scripts[1:])).split(";"):
        connection.execute(sql)
    return lambda sql: list(connection.execute(sql))


def measure(
    name: str, scale: float, modules: Sequence[str], rounds: int, wanted: Sequence[str], is_bare: bool, is_analysed: bool
) -> list[Measured]:
    """All wanted queries of a set on all modules; the last module's answers are the right ones."""
    source = SETS[name]
    content = list(source.tables(scale))
    files = [f"{name}_schema.sql", *([] if is_bare else [f"{name}_indexes.sql"])]
    scripts = [(FOLDER / file).read_text(encoding="utf-8") for file in files] + (["ANALYZE"] if is_analysed else [])
    engines = {module: filled(module, content, scripts) for module in modules}
    return [measure_query(key, sql, engines, rounds) for key, sql in queries(name).items() if not wanted or key in wanted]


def measure_query(name: str, sql: str, engines: dict[str, Execute], rounds: int) -> Measured:
    """One query, the engines in turn."""
    measured = Measured(name)
    answers: dict[str, list[Row]] = {}
    for _ in range(rounds):
        for module, execute in engines.items():
            started = time.process_time()
            try:
                answers[module] = execute(sql)
            except Exception as error:  # whatever an engine raises is its answer
                measured.error = f"{module}: {type(error).__name__}: {error}"
                return measured
            measured.seconds.setdefault(module, []).append(time.process_time() - started)
    right = answers[list(engines)[-1]]
    measured.is_equal = exactly(answers["minisql"]) == exactly(right)
    measured.n_rows = len(right)
    measured.plans = {module: plan(execute, sql) for module, execute in engines.items()}
    return measured


def exactly(rows: Sequence[Row]) -> list[str]:
    """Rows as texts that tell types and every digit."""
    return [repr(tuple(row)) for row in rows]


def plan(execute: Execute, sql: str) -> str:
    """EXPLAIN QUERY PLAN as an indented tree."""
    depth = {0: 0}
    lines = []
    for identity, parent, _, detail in execute(f"EXPLAIN QUERY PLAN {sql}"):
        depth[identity] = depth[parent] + 1
        lines.append("  " * depth[parent] + detail)
    return "\n".join(lines)
