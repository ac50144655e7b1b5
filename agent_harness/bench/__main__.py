"""`python -m agent_harness.bench --count 60 --seed N`: plants faults, counts what the embedded agent closes, writes figures.

Every fault's row goes to the ledger (one JSON object a line) as soon as it is known; a run that was stopped goes on where it
ended.  `--history N` tries N real faults of the past as well.  Exit 0 when at least two thirds of the faults are closed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from agent_harness.bench import figures
from agent_harness.bench.faults import Fault, past, planted
from agent_harness.bench.trial import Ground, is_felt, try_fault
from agent_harness.errors import EXIT_GREEN, EXIT_REJECTED, HarnessError
from agent_harness.workspaces.repository import Repository

ROOT = Path(__file__).resolve().parents[2]
MOST_PLANTED = 40  # planted faults for each one that counts, at most


class Ledger:
    """The rows so far, by kind and number."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows: dict[tuple[str, int], dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.rows[row["kind"], row["number"]] = row

    def add(self, kind: str, row: dict[str, Any]) -> None:
        """Writes a row down."""
        row = {"kind": kind, **row}
        self.rows[kind, row["number"]] = row
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The rows of a kind in the order of their numbers."""
        return [row for (each, _), row in sorted(self.rows.items()) if each == kind]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the bench; one line for what goes wrong."""
    options = _options().parse_args(arguments)
    ledger = Ledger(options.ledger or ROOT / ".build" / f"bench-{options.seed}.jsonl")
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            _fill(options, ledger, Path(folder))
    except HarnessError as error:
        print(f"bench: {error}", file=sys.stderr)
        return error.exit_code
    rows = ledger.of("planted")
    counted = [row for row in rows if row["counts"]]
    closed = sum(row["closed"] for row in counted)
    print(f"{len(rows)} planted, {len(counted)} count, {closed} closed")
    if options.write:
        given = {
            "count": options.count,
            "seed": options.seed,
            "history": options.history,
            "repair": " --repair ".join(commit[:8] for commit in options.repair),
            "limit": f"{options.limit:g}",
        }
        arguments_text = "".join(f" --{key} {value}" for key, value in given.items() if value)
        name = options.write.name if options.write.is_absolute() else str(options.write)
        measured = figures.Measured(arguments_text, name, options.limit, options.jobs, options.count, options.note)
        text = figures.page(rows, ledger.of("past"), measured)
        options.write.write_text(text, encoding="utf-8")
    return EXIT_GREEN if closed * 3 >= len(counted) * 2 else EXIT_REJECTED


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agent_harness.bench", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--count", type=int, default=60, help="faults that count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--history", type=int, default=0, help="real faults of the past to try as well")
    parser.add_argument("--repair", action="append", default=[], metavar="COMMIT", help="of the past, undo these only")
    parser.add_argument("--jobs", type=int, default=2, help="processes of the agent and of the contract")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds for one fault")
    parser.add_argument("--ledger", type=Path, help="where the rows are kept [.build/bench-SEED.jsonl]")
    parser.add_argument("--write", type=Path, help="write the page of figures here")
    parser.add_argument("--note", default="", help="a sentence for the page: where and how it was measured")
    parser.add_argument("--report-only", action="store_true", help="only write the page from the ledger")
    return parser


def _fill(options: argparse.Namespace, ledger: Ledger, folder: Path) -> None:
    if options.report_only:
        return
    if options.count:
        with Ground(ROOT, folder / "planted", options.jobs) as ground:
            faults = islice(planted(ground.path, options.seed), options.count * MOST_PLANTED)
            _try_all("planted", faults, options.count, ground, ledger, options.limit)
    if options.history:
        with Ground(ROOT, folder / "past", options.jobs, has_scripts=True) as ground:
            repairs = past(Repository(ROOT), ground.path, options.repair)
            _try_all("past", repairs, options.history, ground, ledger, options.limit)


def _try_all(kind: str, faults: Iterator[Fault], count: int, ground: Ground, ledger: Ledger, limit: float) -> None:
    for fault in faults:
        if sum(row["counts"] for row in ledger.of(kind)) >= count:
            return
        if (kind, fault.number) in ledger.rows:
            continue
        # The records that tell a fault of the past are too many to trace first.
        if kind == "past" or is_felt(ground, fault):
            row = try_fault(ground, fault, limit)
        else:
            row = fault.row() | {"counts": False, "why": "no record fails"}
        ledger.add(kind, row)
        verdict = row["why"] if not row["counts"] else "closed" if row["closed"] else "open: " + "; ".join(row["attempts"])
        print(
            f"{fault.number:4} {fault.file}:{fault.line} {fault.operator} {row.get('seconds', '')} {verdict}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
