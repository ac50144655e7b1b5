"""`python -m tests.fuzz --seconds 600 --jobs 2`: all oracles, in parallel, until the time is over.

Every round has a seed of its own, printed with what it finds; `--seed S --rounds 1 --oracle NAME` runs one again.  A finding is
shrunk and written to `.build/fuzz` at once.  The last line has the counts.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import random
import resource
import sys
import time
from collections import Counter
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

from tests.fuzz.findings import report, shape, smallest
from tests.fuzz.oracles import ORACLES, Counts
from tests.fuzz.reach import measure
from tests.fuzz.rounds import DATABASES, make_round

MEMORY = 6_000_000_000


def run_round(
    name: str, seed: int, folder: Path, seen: Counter[str], shrink_seconds: float, database: str = "any"
) -> tuple[Counts, list[str]]:
    """One round of an oracle; the texts of its new findings.  `seen` counts the shapes of findings."""
    dice = random.Random(f"{name} {seed}")
    counts = Counts()
    texts = []
    round_ = make_round(dice, has_triggers=name in ("differential", "reopened"), database=database)
    for finding in ORACLES[name][1](round_, counts):
        found = smallest(finding, shrink_seconds)
        seen[shape(found.case)] += 1
        if seen[shape(found.case)] == 1:
            texts.append(report(found, name, seed, folder))
    return counts, texts


def names_of(wanted: list[str] | None) -> list[str]:
    """The oracles of consecutive seeds, each as often as it weighs."""
    names = [name for name, (weight, _) in ORACLES.items() for _ in range(weight) if not wanted or name in wanted]
    random.Random(0).shuffle(names)
    return names


def work(job: int, options: argparse.Namespace, results: Queue[dict[str, Any]]) -> None:
    """A worker: rounds with the seeds job, job + jobs, ... until the time is over."""
    logging.disable(logging.WARNING)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    names = names_of(options.oracle)
    seen: Counter[str] = Counter()
    number = job
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and (options.rounds is None or number < options.rounds):
        seed = options.seed + number
        name = names[seed % len(names)]
        counts, texts = run_round(name, seed, options.folder, seen, options.shrink, options.database)
        results.put(
            {"oracle": name, "seed": seed, "counts": vars(counts), "texts": texts, "n_seen": sum(seen.values()), "job": job}
        )
        if texts and options.first:
            break
        number += options.jobs
    results.put({"job": job, "done": True, "n_seen": sum(seen.values()), "shapes": len(seen)})


def collect(options: argparse.Namespace, results: Queue[dict[str, Any]], workers: list[Any]) -> int:
    """Prints what comes in, and the last line; returns the number of differences."""
    started = time.monotonic()
    totals: Counter[str] = Counter()
    rounds: Counter[str] = Counter()
    seen: dict[int, int] = {}
    shapes = n_written = 0
    running = len(workers)
    last = started
    while running:
        try:
            message = results.get(timeout=5)
        except Exception:  # queue.Empty: see whether a worker died
            dead = [worker for worker in workers if not worker.is_alive() and worker.exitcode]
            if dead:
                print(f"a worker ended with {dead[0].exitcode}")
                totals["crashed"] += len(dead)
                running -= len(dead)
                workers = [worker for worker in workers if worker not in dead]
            continue
        seen[message["job"]] = message["n_seen"]
        if message.get("done"):
            running -= 1
            shapes += message["shapes"]
            continue
        totals.update(message["counts"])
        rounds[message["oracle"]] += 1
        for text in message["texts"]:
            n_written += 1
            print(text, flush=True)
        if time.monotonic() - last > 60:
            last = time.monotonic()
            print(f"  {last - started:.0f} s: {totals['statements']} statements, {sum(seen.values())} differences", flush=True)
    print("rounds: " + ", ".join(f"{name} {count}" for name, count in sorted(rounds.items())))
    n_rounds = sum(rounds.values())
    print(
        f"{totals['statements']} statements in {time.monotonic() - started:.0f} s on {options.jobs} jobs, {n_rounds} rounds from "
        f"seed {options.seed}: {sum(seen.values())} differences ({n_written} cases written), {totals['open']} answers that SQL "
        f"leaves open, {totals['costly']} statements too costly, {totals['crashed']} workers died"
    )
    return sum(seen.values()) + totals["crashed"]


def main() -> int:
    """Runs the searchers."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--rounds", type=int, help="how many rounds at most")
    parser.add_argument("--oracle", action="append", choices=list(ORACLES), help="only this one (may be repeated)")
    parser.add_argument("--folder", type=Path, default=Path(".build/fuzz"))
    parser.add_argument("--database", choices=list(DATABASES), default="any", help="where minisql's databases are")
    parser.add_argument("--coverage", action="store_true", help="say what is reached instead, on one process")
    parser.add_argument("--first", action="store_true", help="a job ends with its first finding")
    parser.add_argument("--shrink", type=float, default=20, help="seconds for making a finding small")
    options = parser.parse_args()
    if options.coverage:
        print(measure(options.seconds, options.seed))
        return 0
    print(f"seed {options.seed}, {options.jobs} jobs, {options.seconds:.0f} s", flush=True)
    results: Queue[dict[str, Any]] = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(job, options, results)) for job in range(options.jobs)]
    for worker in workers:
        worker.start()
    return int(collect(options, results, workers) > 0)


if __name__ == "__main__":
    sys.exit(main())
