"""Performance: the change does not make the engine slower, measured in pairs on base and head in turn.

CPU seconds of the engine's process, not wall time.  Each part of a small workload (one-shot statements, scans, joins,
grouping, changes) runs in pairs, the order swapped each time so that a machine that slows down hurts both alike; the median of
the pairs' ratios counts.  What looks red is measured again with twice as many pairs before it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from agent_harness.contract.base import Contract
from agent_harness.contract.process_engine import EngineCrash, EngineRefusal
from agent_harness.contract.records import RecordsContract
from agent_harness.errors import HarnessError
from agent_harness.gates.base import Change, GateResult

SETUP = (
    "CREATE TABLE big(k INTEGER PRIMARY KEY, g INTEGER, n INTEGER, t TEXT)",
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000)"
    " INSERT INTO big SELECT i, i % 37, (i * 7919) % 1009, 'text ' || (i % 211) FROM c",
    "CREATE INDEX big_n ON big(n)",
)
PARTS: dict[str, tuple[str, ...]] = {
    "one-shot statements": tuple(
        f"SELECT {i}, count(*) FROM big WHERE k BETWEEN {i} AND {i + 3} AND t LIKE 'text%' OR k = {i * 2}" for i in range(60)
    ),
    "scans and grouping": (
        "SELECT g, count(*), sum(n), max(t) FROM big GROUP BY g ORDER BY 2 DESC, 1",
        "SELECT count(*) FROM big WHERE n % 7 = 3 AND length(t) > 5 OR t LIKE '%9'",
        "SELECT k FROM big ORDER BY t, n DESC LIMIT 20",
        "SELECT DISTINCT t FROM big",
    ),
    "joins and subqueries": (
        "SELECT count(*) FROM big a JOIN big b ON b.n = a.k WHERE a.g < 12",
        "SELECT count(*) FROM big a WHERE EXISTS (SELECT 1 FROM big b WHERE b.n = a.g AND b.k > a.k)",
        "SELECT sum(n) FROM big WHERE k IN (SELECT n FROM big WHERE g = 5)",
    ),
    "changes": (
        "UPDATE big SET n = n + 1 WHERE g < 20",
        "DELETE FROM big WHERE g = 7",
        "INSERT INTO big(g, n, t) SELECT g, n, t FROM big WHERE k < 900",
    ),
}


class PerformanceGate:
    """Options: `tolerance` (1.2 for all parts together), `part_tolerance` (1.5 for one), `pairs` (3)."""

    name = "performance"

    def __init__(self, contract: RecordsContract, options: Mapping[str, Any]) -> None:
        self._contract = contract
        self._tolerance = float(options.get("tolerance", 1.2))
        self._part_tolerance = float(options.get("part_tolerance", 1.5))
        self._pairs = max(1, int(options.get("pairs", 3)))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Measures, and measures again what looks slower."""
        if not any(path.endswith(".py") for path in change.changed_paths):
            return GateResult(self.name, True, "no code has changed")
        self._warm_up(change)
        pairs = self._measure(change, self._pairs, PARTS)
        slower = self._slower(pairs)
        if slower:
            again = [part for part in PARTS if part in slower] or list(PARTS)
            more = self._measure(change, 2 * self._pairs, again)
            pairs = {part: times + more.get(part, []) for part, times in pairs.items()}
            slower = self._slower(pairs)
        evidence = "CPU time of head / base: " + ", ".join(f"{part} {_ratio(pairs[part]):.2f}" for part in PARTS)
        evidence += f", all {_ratio(_sums(pairs)):.2f} ({max(map(len, pairs.values()))} pairs)"
        if slower:
            return GateResult(self.name, False, f"slower: {', '.join(slower)}\n{evidence}", f"performance: {', '.join(slower)}")
        return GateResult(self.name, True, evidence)

    def _slower(self, pairs: dict[str, list[tuple[float, float]]]) -> list[str]:
        slower = [part for part, times in pairs.items() if _ratio(times) > self._part_tolerance]
        return slower or (["all parts together"] if _ratio(_sums(pairs)) > self._tolerance else [])

    def _measure(self, change: Change, n_pairs: int, parts: Iterable[str]) -> dict[str, list[tuple[float, float]]]:
        pairs: dict[str, list[tuple[float, float]]] = {part: [] for part in parts}
        for turn in range(n_pairs):
            for part in pairs:
                if turn % 2:
                    head = self._cpu_seconds(change.checkout, part)
                    base = self._cpu_seconds(change.base_checkout, part)
                else:
                    base = self._cpu_seconds(change.base_checkout, part)
                    head = self._cpu_seconds(change.checkout, part)
                pairs[part].append((base, head))
        return pairs

    def _warm_up(self, change: Change) -> None:
        """Runs what is going to be measured once: modules are compiled at their first use."""
        for checkout in (change.base_checkout, change.checkout):
            self._cpu_seconds(checkout, *PARTS)

    def _cpu_seconds(self, checkout: Path, *parts: str) -> float:
        engine = self._contract.engine(checkout)
        try:
            engine.open(None)
            for sql in (*SETUP, *(sql for part in parts for sql in PARTS[part])):
                try:
                    engine.execute(sql)
                except EngineRefusal:
                    continue  # a feature that this tree lacks costs nothing on either side
        except EngineCrash as error:
            raise HarnessError(f"{parts[0]}: {error}") from error
        finally:
            engine.close()
        return engine.cpu_seconds


def _ratio(times: list[tuple[float, float]]) -> float:
    return median(head / base if base > 0 else 1.0 for base, head in times)


def _sums(pairs: dict[str, list[tuple[float, float]]]) -> list[tuple[float, float]]:
    turns = zip(*pairs.values(), strict=False)  # a part that was measured again has more turns
    return [(sum(base for base, _ in turn), sum(head for _, head in turn)) for turn in turns]
