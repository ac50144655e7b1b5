"""`make crash`: the crash matrix, seeded, parallel and resumable.

Settings come from pairwise lists, one after the other, each list for another seed; of each setting a number of calls is cut.
The ledger has one JSON line a setting; settings that it has are not run again.  The last line printed gives the counts.

    python -m tests.crash.matrix --case 17 --cut 93    one cut again, with its traceback
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import Any

from tests.crash.pairwise import pairwise
from tests.crash.trial import Trials, Violation
from tests.crash.workloads import FACTORS, Setting

CUTS_OF_A_SETTING = 60
SHOWN = 5


@cache
def _settings(number: int) -> list[Setting]:
    return [Setting(*row) for row in pairwise(FACTORS, number)]


def setting_of(case: int) -> Setting:
    """The setting with a number: lists of different lengths, one after the other."""
    number = 0
    while case >= len(_settings(number)):
        case -= len(_settings(number))
        number += 1
    return _settings(number)[case]


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def run_case(case: int) -> dict[str, Any]:
    """Runs the cuts of a setting; the result is a line of the ledger."""
    setting = setting_of(case)
    chance = random.Random(case)
    entry: dict[str, Any] = {"case": case, "setting": setting, "cuts": 0, "recovery_cuts": 0, "violations": []}
    with _folder() as folder:
        try:
            trials = Trials(setting, folder)
        except Exception:
            entry["violations"].append({"cut": 0, "reason": traceback.format_exc(limit=-6)})
            return entry
        calls = range(trials.first_call, trials.last_call + 1)
        for cut in sorted(chance.sample(calls, min(CUTS_OF_A_SETTING, len(calls)))):
            entry["cuts"] += 1
            try:
                entry["recovery_cuts"] += trials.run(cut, case * 100_000 + cut, cut % 3 == 0)
            except Violation as violation:
                entry["violations"].append({"cut": cut, "reason": str(violation)})
            except Exception:
                entry["violations"].append({"cut": cut, "reason": traceback.format_exc(limit=-6)})
    return entry


def run_one(case: int, cut: int) -> None:
    """Runs one cut and lets its exception out."""
    print(setting_of(case))
    with _folder() as folder:
        trials = Trials(setting_of(case), folder)
        print("calls", trials.first_call, "to", trials.last_call)
        print("cuts during recovery:", trials.run(cut, case * 100_000 + cut, True))


def summary(entries: list[dict[str, Any]]) -> str:
    """The last line."""
    cuts, recovery_cuts, violations = (
        sum(entry["cuts"] for entry in entries),
        sum(entry["recovery_cuts"] for entry in entries),
        sum(len(entry["violations"]) for entry in entries),
    )
    return f"{len(entries)} settings: {cuts} cuts, {recovery_cuts} cuts during recovery; {violations} violations"


def _is_enough(entries: list[dict[str, Any]], cuts: int, recovery_cuts: int) -> bool:
    return (
        sum(entry["cuts"] for entry in entries) >= cuts and sum(entry["recovery_cuts"] for entry in entries) >= recovery_cuts
    )


def main() -> int:
    """Runs settings until there are enough cuts of both kinds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=20_000)
    parser.add_argument("--recovery-cuts", type=int, default=5_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--ledger", type=Path, default=Path(".build/crash.jsonl"))
    parser.add_argument("--case", type=int)
    parser.add_argument("--cut", type=int, default=1)
    options = parser.parse_args()
    if options.case is not None:
        run_one(options.case, options.cut)
        return 0
    options.ledger.parent.mkdir(parents=True, exist_ok=True)
    entries = [json.loads(line) for line in options.ledger.read_text().splitlines()] if options.ledger.exists() else []
    done = {entry["case"] for entry in entries}
    with multiprocessing.Pool(options.jobs) as pool, options.ledger.open("a") as ledger:
        next_case = 0
        while not _is_enough(entries, options.cuts, options.recovery_cuts):
            batch = [case for case in range(next_case, next_case + 16) if case not in done]
            next_case += 16
            for entry in pool.imap_unordered(run_case, batch):
                entries.append(entry)
                ledger.write(json.dumps(entry) + "\n")
                ledger.flush()
            print(summary(entries), flush=True)
    for entry in entries:
        for violation in entry["violations"][:SHOWN]:
            print(entry["case"], entry["setting"], violation["cut"], violation["reason"])
    print(summary(entries))
    return int(any(entry["violations"] for entry in entries))


if __name__ == "__main__":
    sys.exit(main())
