"""Measuring: one process for each engine, rounds interleaved, medians of the rounds' ratios."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from comparison.workload import REGISTRY

BENCHMARKS = Path(__file__).parent.parent
TIMEOUT_S = 300


class Worker:
    """A worker process for one engine under one Python."""

    def __init__(self, engine: str, python: str) -> None:
        self.engine = engine
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(BENCHMARKS), str(BENCHMARKS.parent)))}
        self.process = subprocess.Popen(
            [python, "-m", "comparison.worker", engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, **command: Any) -> dict[str, Any]:
        """Sends a command and returns the answer; raises RuntimeError when the process is gone."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process for {self.engine} has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(TIMEOUT_S)


def measure_all(
    names: Iterable[str], reference: str, others: Sequence[str], rounds: int, divisor: int, python: str
) -> list[dict[str, Any]]:
    """Measures workloads; each entry has the seconds of every engine, the ratio to the reference and how it was spread."""
    workers = {engine: Worker(engine, python) for engine in ("minisql", reference, *others)}
    try:
        versions = {engine: worker.ask(version=True).get("version", "?") for engine, worker in workers.items()}
        results = []
        for name in names:
            results.append({**measure_one(workers, name, reference, rounds, divisor), "versions": versions})
            print(_line(results[-1], reference), file=sys.stderr, flush=True)
        return results
    finally:
        for worker in workers.values():
            worker.close()


def measure_one(workers: dict[str, Worker], name: str, reference: str, rounds: int, divisor: int) -> dict[str, Any]:
    """Measures one workload: a round to warm up, then `rounds` in which the engines take turns."""
    workload = REGISTRY.workloads[name]
    entry: dict[str, Any] = {"name": name, "group": workload.group, "clock": workload.clock, "errors": {}}
    times: dict[str, list[float]] = {}
    digests: dict[str, str] = {}
    for engine, worker in workers.items():
        answer = worker.ask(prepare=name, divisor=divisor)
        if "error" not in answer:
            answer = worker.ask(run=True)
        if "error" in answer:
            entry["errors"][engine] = answer["error"]
        else:
            times[engine] = []
            digests[engine] = answer["digest"]
    for number in range(rounds):
        order = list(times) if number % 2 else list(times)[::-1]
        for engine in order:
            # What takes long need not be run often, unless it is one of the two that are compared.
            if engine not in ("minisql", reference) and number >= 2:
                continue
            times[engine].append(workers[engine].ask(run=True)[workload.clock])
    entry["seconds"] = {engine: statistics.median(values) for engine, values in times.items()}
    entry["agrees"] = digests.get("minisql") == digests.get(reference)
    if "minisql" in times and reference in times:
        ratios = [ours / max(theirs, 1e-6) for ours, theirs in zip(times["minisql"], times[reference])]
        entry["ratio"] = statistics.median(ratios)
        entry["spread"] = [min(ratios), max(ratios)]
        if not entry["agrees"]:
            entry["results"] = {engine: digests[engine] for engine in ("minisql", reference)}
    return entry


def _line(entry: dict[str, Any], reference: str) -> str:
    if "ratio" not in entry:
        return f"{entry['name']:30} {entry['errors']}"
    seconds = entry["seconds"]
    ours, theirs = 1e3 * seconds["minisql"], 1e3 * seconds[reference]
    text = f"{entry['name']:30} {entry['ratio']:7.2f} x   {ours:8.2f} ms   {theirs:8.2f} ms"
    if not entry["agrees"]:
        text += f"   RESULTS DIFFER {entry['results']}"
    return text


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean of ratios."""
    return statistics.geometric_mean(ratios)
