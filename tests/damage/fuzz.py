"""`make fuzz-files`: damages many files and compares minisql's answers with SQLite's; resumable and parallel.

The ledger has one JSON line a batch of files (seeds `first` to `first + size - 1`); batches that it has are not run again.
The last line printed gives the counts.  Files that give a violation are kept beside the ledger.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.damage.comparison import compare, limit_memory
from tests.damage.mutation import mutate
from tests.damage.samples import MAKERS, Sample, make_sample

BATCH = 200
_samples: dict[str, Sample] = {}


def sample_of(seed: int) -> str:
    """The name of the sample that a seed damages."""
    names = list(MAKERS)
    return names[seed % len(names)]


def run_seed(seed: int, folder: str) -> tuple[dict[str, int], list[dict[str, Any]], Sample]:
    """Damages and compares one file; findings as dictionaries for the ledger, and the file."""
    name = sample_of(seed)
    if name not in _samples:
        _samples[name] = make_sample(name)
    damaged = mutate(_samples[name], seed)
    counts, findings = compare(damaged, folder, seed // len(MAKERS) % 4 == 0)
    return counts, [{"seed": seed, "sample": name, **finding._asdict()} for finding in findings], damaged


def run_batch(task: tuple[int, str]) -> dict[str, Any]:
    """Runs the seeds of a batch."""
    first, keep = task
    counts: Counter[str] = Counter()
    found: list[dict[str, Any]] = []
    base = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=base) as folder:
        for seed in range(first, first + BATCH):
            seed_counts, findings, damaged = run_seed(seed, folder)
            counts.update(seed_counts)
            found += findings
            for ending, data in damaged.items() if any(one["kind"] == "violation" for one in findings) else ():
                Path(keep, f"{seed}.db{ending}").write_bytes(data)
    return {"first": first, "size": BATCH, "counts": dict(counts), "findings": found}


def summary(entries: list[dict[str, Any]]) -> str:
    """The last line: files, answers by kind, violations."""
    counts: Counter[str] = Counter()
    for entry in entries:
        counts.update(entry["counts"])
    n_files = sum(entry["size"] for entry in entries)
    n_violations = sum(one["kind"] == "violation" for entry in entries for one in entry["findings"])
    return (
        f"{n_files} damaged files: {counts['same']} answers equal, {counts['only ours']} errors where SQLite gives rows, "
        f"{counts['error']} other error texts, {counts['rows']} other rows, {counts['only theirs']} rows where SQLite gives an "
        f"error, {counts['write']} writes; {n_violations} violations"
    )


def main() -> int:
    """Runs the batches that the ledger lacks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--ledger", type=Path, default=Path(".build/fuzz-files.jsonl"))
    options = parser.parse_args()
    options.ledger.parent.mkdir(parents=True, exist_ok=True)
    keep = options.ledger.with_suffix("")
    keep.mkdir(exist_ok=True)
    entries: list[dict[str, Any]] = []
    if options.ledger.exists():
        entries = [json.loads(line) for line in options.ledger.read_text().splitlines()]
    done = {entry["first"] for entry in entries}
    firsts = range(options.first, options.first + options.files, BATCH)
    tasks = [(first, str(keep)) for first in firsts if first not in done]
    entries = [entry for entry in entries if entry["first"] in firsts]
    with multiprocessing.Pool(options.jobs, limit_memory) as pool, options.ledger.open("a") as ledger:
        for number, entry in enumerate(pool.imap_unordered(run_batch, tasks), 1):
            entries.append(entry)
            ledger.write(json.dumps(entry) + "\n")
            ledger.flush()
            if number % 20 == 0:
                print(summary(entries), flush=True)
    print(summary(entries))
    return int(any(one["kind"] == "violation" for entry in entries for one in entry["findings"]))


if __name__ == "__main__":
    sys.exit(main())
