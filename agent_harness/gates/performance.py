"""Performance: the change does not make the engine slower, measured on base and head in turn.

CPU seconds, not wall time.  Both engines run a small workload (one-shot statements, scans, joins, grouping, changes) side by
side, statement by statement, so that a machine that slows down hurts both alike; that is done several times, and the least that
each statement took counts, since what else a machine does can only add to it.  What is not plainly green is measured again
before it is judged.  What a process used beside its answers (to start, to import) is a part of its own, told by the system:
an engine that made light of its answers' time would be found out there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent_harness.contract.base import Contract
from agent_harness.contract.process_engine import EngineCrash, EngineRefusal, ProcessEngine
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


BESIDE = "start and import"
AGAIN = 3  # times as many pairs where there is doubt
Least = dict[str, list[float]]


class PerformanceGate:
    """Options: `tolerance` (1.2 for all parts together), `part_tolerance` (1.5 for one), `pairs` (3)."""

    name = "performance"

    def __init__(self, contract: RecordsContract, options: Mapping[str, Any]) -> None:
        self._contract = contract
        self._tolerance = float(options.get("tolerance", 1.2))
        self._part_tolerance = float(options.get("part_tolerance", 1.5))
        self._pairs = max(1, int(options.get("pairs", 3)))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Measures, and measures again what is not plainly green."""
        if not any(path.endswith(".py") for path in change.changed_paths):
            return GateResult(self.name, True, "no code has changed")
        run_once(self._contract, (change.base_checkout, change.checkout))  # modules are compiled at their first use
        times: tuple[Least, Least] = {}, {}
        n_pairs = 0
        for n in (self._pairs, (AGAIN - 1) * self._pairs):
            for _ in range(n):
                self._add_pair(change, times, is_swapped=n_pairs % 2 == 1)
                n_pairs += 1
            if not self._slower(times, doubt=0.5):
                break
        slower = self._slower(times)
        evidence = "CPU time of head / base: " + ", ".join(f"{part} {ratio(times, [part]):.2f}" for part in times[0])
        evidence += f", all {ratio(times, list(PARTS)):.2f} ({n_pairs} pairs)"
        if slower:
            return GateResult(self.name, False, f"slower: {', '.join(slower)}\n{evidence}", f"performance: {', '.join(slower)}")
        return GateResult(self.name, True, evidence)

    def _add_pair(self, change: Change, times: tuple[Least, Least], is_swapped: bool) -> None:
        sides = (change.base_checkout, change.checkout)
        measured = run_once(self._contract, sides[::-1] if is_swapped else sides)
        for least, more in zip(times, measured[::-1] if is_swapped else measured, strict=True):
            for part, seconds in more.items():
                known = least.get(part, seconds)
                least[part] = [min(pair) for pair in zip(known, seconds, strict=True)]

    def _slower(self, times: tuple[Least, Least], doubt: float = 1.0) -> list[str]:
        """The parts that are over their tolerance, or over this share of it."""
        slower = [part for part in times[0] if ratio(times, [part]) > 1 + (self._part_tolerance - 1) * doubt]
        is_slower = ratio(times, list(PARTS)) > 1 + (self._tolerance - 1) * doubt
        return slower or (["all parts together"] if is_slower else [])


def ratio(times: tuple[Least, Least], parts: list[str]) -> float:
    """Head / base over the parts' statements."""
    base, head = (sum(sum(least[part]) for part in parts) for least in times)
    return head / base if base > 0 and head > 0 else 1.0


def run_once(contract: RecordsContract, checkouts: tuple[Path, Path]) -> tuple[Least, Least]:
    """The CPU seconds of each statement on two checkouts in turn, by part.  Raises HarnessError when an engine dies."""
    engines = [contract.engine(checkout) for checkout in checkouts]
    times: tuple[Least, Least] = {part: [] for part in PARTS}, {part: [] for part in PARTS}
    answered = [0.0, 0.0]
    statements = [("", sql) for sql in SETUP] + [(part, sql) for part in PARTS for sql in PARTS[part]]
    try:
        for engine in engines:
            engine.open(None)
        for number, (part, sql) in enumerate(statements):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            seconds = dict(zip(order, [_cpu_seconds(engines[side], sql) for side in order], strict=True))
            is_done = all(is_answered for is_answered, _ in seconds.values())
            for side, (_, used) in seconds.items():
                answered[side] += used
                if part:  # a feature that one tree lacks costs nothing on either side
                    times[side][part].append(used if is_done else 0.0)
    except EngineCrash as error:
        raise HarnessError(f"the workload of the performance gate: {error}") from error
    finally:
        for engine in engines:
            engine.close()
    for side, engine in enumerate(engines):
        times[side][BESIDE] = [max(0.0, engine.cpu_seconds - answered[side])]
    return times


def _cpu_seconds(engine: ProcessEngine, sql: str) -> tuple[bool, float]:
    """Whether the statement was answered, and what that took."""
    try:
        engine.execute(sql)
    except EngineRefusal:
        return False, engine.answer_cpu_seconds
    return True, engine.answer_cpu_seconds
