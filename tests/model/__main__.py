"""Checks the models: `python -m tests.model` (large bounds), `--small`, `--mutations`, `--trace NAME`, `--replay WALKS`.

Without a fault planted no state may break an invariant; with one, the search must find it.  The last line is
`N states, V violations`, for all searches without a planted fault; the status is 1 when V is not 0 or a fault was not found.
"""

from __future__ import annotations

import argparse
import sys
import time

from . import journal, wal
from .checker import Model, Result, describe, search
from .replay_wal import replay, walks

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


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.model", description="Check the models of the storage protocols.")
    parser.add_argument("--small", action="store_true", help="small bounds only")
    parser.add_argument("--mutations", action="store_true", help="plant each fault in turn, too")
    parser.add_argument("--trace", metavar="NAME", help="plant one fault and print the trace to it")
    parser.add_argument("--replay", metavar="WALKS", type=int, help="follow random traces of the log's model on the engine")
    parser.add_argument("--seed", type=int, default=1, help="of the random traces")
    arguments = parser.parse_args()
    if arguments.replay:
        n_steps = 0
        for model, trace in walks(arguments.seed, arguments.replay):
            replay(model, trace)
            n_steps += len(trace)
        print(f"{arguments.replay} traces, {n_steps} steps replayed, 0 differences")
        return 0
    faults = planted()
    if arguments.trace:
        return 0 if run(arguments.trace, faults[arguments.trace], True).violation else 1
    n_missed = 0
    if arguments.mutations:
        for name, planted_model in faults.items():
            n_missed += not run(f"planted: {name}", planted_model, True).violation
        print(f"{len(faults)} faults planted, {len(faults) - n_missed} found")
    n_states = n_violations = 0
    for sound in SMALL if arguments.small else LARGE:
        result = run(f"{sound.name} {sound.bounds}", sound, True)
        n_states += result.n_states
        n_violations += bool(result.violation)
    print(f"{n_states} states, {n_violations} violations")
    return 1 if n_missed or n_violations else 0


if __name__ == "__main__":
    sys.exit(main())
