"""Checks the models: `python -m tests.model` (large bounds), `--small`, `--mutations`, `--trace NAME`, `--replay WALKS`.

Without a fault planted no state may break an invariant; with one, the search must find it.  The last line counts the distinct
states of all searches without a planted fault, what was planted and found, the traces replayed, and the violations; the status
is 1 when there are any, when a fault was not found or the engine left a trace.
"""

from __future__ import annotations

import argparse
import sys
import time

from . import journal, replay_journal, replay_wal, wal
from .checker import Model, Result, describe, search
from .replay_wal import Drift

LARGE: list[Model] = [
    journal.JournalModel(journal.Bounds(3, 3, 1, 1)),
    wal.WalModel(wal.Bounds(2, 2, 2, 1, 0)),
    wal.WalModel(wal.Bounds(2, 2, 2, 0, 1)),
    wal.WalModel(wal.Bounds(2, 2, 1, 1, 1)),
    wal.WalModel(wal.Bounds(1, 3, 2, 0, 1), synchronous=1),
]
SMALL: list[Model] = [
    journal.JournalModel(journal.Bounds(2, 2, 1, 1)),
    wal.WalModel(wal.Bounds(1, 2, 1, 1, 1)),
    wal.WalModel(wal.Bounds(2, 1, 1, 1, 0)),
    wal.WalModel(wal.Bounds(1, 2, 1, 0, 1), synchronous=1),
]


def planted() -> dict[str, Model]:
    """Returns a model for each fault, with bounds as small as show it."""
    one, two = wal.Bounds(1, 3, 2, 0, 2, page_sets=(1, 3)), wal.Bounds(2, 2, 1, 0, 0)
    race, old = wal.Bounds(2, 2, 2, 0, 0, False, False, (1,)), wal.Bounds(2, 3, 2, 0, 0, False, False, (1, 3))
    bounds = {
        "wal-reset": race,
        "backfill-after-restart": wal.Bounds(1, 3, 2, 1, 0, False, False, (1, 3)),
        "no-commit-sync": one,
        "no-header-sync": one,
        "no-log-sync": one,
        "no-database-sync": one,
        "no-checksum": one,
        "no-frame-chain": one,
        "no-salt": one,
        "no-read-mark": two,
        "no-reader-lock": two,
        "no-verify": old,
        "no-snapshot-check": old,
        "no-commit-mark": one,
        "no-write-lock": two,
    }
    models: dict[str, Model] = {
        name: wal.WalModel(bounds[name], name, 1 if name == "no-log-sync" else 2) for name in wal.MUTATIONS
    }
    models.update({f"journal: {name}": journal.JournalModel(journal.Bounds(2, 2, 1, 1), name) for name in journal.MUTATIONS})
    return models


def run(title: str, model: Model, with_trace: bool) -> Result:
    """Searches one model and prints what was found."""
    start = time.monotonic()
    result = search(model)
    seconds = time.monotonic() - start
    found = result.violation or "no violation"
    print(
        f"{title}: {result.n_states} states, {result.n_transitions} transitions, depth {result.depth}, {seconds:.0f} s: {found}",
        flush=True,
    )
    if result.violation and with_trace:
        print(describe(result.trace))
    return result


def replay(seed: int, n_walks: int) -> tuple[int, int]:
    """Follows random traces of both models on the engine; returns (traces, traces that it has left)."""
    n_traces = n_left = n_steps = 0
    for name, walks, follow in (
        ("log", replay_wal.walks, replay_wal.replay),
        ("journal", replay_journal.walks, replay_journal.replay),
    ):
        for model, trace in walks(seed, n_walks):
            n_traces += 1
            n_steps += len(trace)
            try:
                follow(model, trace)  # type: ignore[operator]
            except Drift as drift:
                n_left += 1
                print(f"{name}: {drift}\n{describe(trace)}", flush=True)
    print(f"{n_traces} traces, {n_steps} steps replayed, {n_left} differences", flush=True)
    return n_traces, n_left


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.model", description="Check the models of the storage protocols.")
    parser.add_argument("--small", action="store_true", help="small bounds only")
    parser.add_argument("--mutations", action="store_true", help="plant each fault in turn, too")
    parser.add_argument("--trace", metavar="NAME", help="plant one fault and print the trace to it")
    parser.add_argument("--replay", metavar="WALKS", type=int, default=0, help="follow random traces of each model on the engine, too")
    parser.add_argument("--seed", type=int, default=1, help="of the random traces")
    arguments = parser.parse_args()
    faults = planted()
    if arguments.trace:
        return 0 if run(arguments.trace, faults[arguments.trace], True).violation else 1
    parts: list[str] = []
    n_traces, n_violations = replay(arguments.seed, arguments.replay) if arguments.replay else (0, 0)
    n_missed = 0
    if arguments.mutations:
        for name, planted_model in faults.items():
            n_missed += not run(f"planted: {name}", planted_model, True).violation
        parts.append(f"{len(faults) - n_missed} of {len(faults)} planted faults found")
    if arguments.replay:
        parts.append(f"{n_traces} traces replayed")
    n_states = 0
    for sound in SMALL if arguments.small else LARGE:
        result = run(f"{sound.name} {sound.bounds}", sound, True)
        n_states += result.n_states
        n_violations += bool(result.violation)
    print(", ".join([f"{n_states} states", *parts, f"{n_violations} violations"]))
    return 1 if n_missed or n_violations else 0


if __name__ == "__main__":
    sys.exit(main())
