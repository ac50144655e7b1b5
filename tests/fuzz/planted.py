"""`python -m tests.fuzz.planted`: how many of the faults that a mutation tool plants the searchers find.

cosmic-ray's operators (agent_harness.bench.faults) change one place of planner, vm, values or functions in a copy of the tree.
A fault counts if the engine still starts and a record of tests/slt fails, so none is equivalent.  The searchers get `--limit`
seconds on one process; what the same seed finds in the sound tree, too, does not count, and they go on behind it.  Every fault's row goes into the
ledger at once, and a run that was stopped goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from agent_harness.bench.faults import Fault, planted

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("planner", "vm", "values", "functions")
COPIED = ("minisql", "sqllogictest", "agent_harness", "tests", "pyproject.toml")
FOUND = re.compile(r"^# (\w+), seed (\d+): ", re.M)
TEST_SECONDS = 600
START = "import minisql; c = minisql.connect(':memory:'); c.execute('create table t(a)'); c.execute('select a from t where a = 1').fetchall()"


def run(tree: Path, *arguments: str, seconds: float) -> tuple[int, str]:
    """A Python in a tree: exit code and output; -1 when it took too long."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return -1, ""
    return done.returncode, done.stdout + done.stderr


def search(tree: Path, limit: float, seed: int) -> str:
    """What the searchers find first ("oracle seed"), or nothing."""
    code, output = run(
        tree, "-m", "tests.fuzz", "--jobs", "1", "--seconds", str(limit), "--seed", str(seed), "--first", "--shrink", "0",
        seconds=limit + 180,
    )  # fmt: skip
    match = FOUND.search(output)
    if match is not None:
        return f"{match[1]} {match[2]}"
    return "died" if code not in (0, 1) or ("workers died" in output and " 0 workers died" not in output) else ""


def is_sound(sound: Path, finding: str) -> bool:
    """Whether an untouched copy of the same tree shows nothing where the faulty one failed."""
    oracle, _, seed = finding.partition(" ")
    if not seed:
        return True
    code, _ = run(sound, "-m", "tests.fuzz", "--jobs", "1", "--rounds", "1", "--oracle", oracle, "--seed", seed, seconds=120)
    return code == 0


def is_killed(tree: Path) -> bool:
    """Whether a record of the existing tests fails, or never ends."""
    code, _ = run(
        tree, "-m", "sqllogictest", "run", "--engine", "minisql", "--max-failures", "1", "tests/slt", seconds=TEST_SECONDS
    )
    return code != 0


def copy_tree(folder: Path) -> None:
    """Makes a copy of the tree as it is now: what is edited or committed while the search runs does not reach it."""
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)


def try_fault(tree: Path, sound: Path, fault: Fault, limit: float) -> dict[str, Any]:
    """The row of a fault that is planted in `tree` for the while; `sound` is a copy without it."""
    path = tree / fault.file
    text = path.read_text(encoding="utf-8")
    _write(path, fault.text)
    try:
        row: dict[str, Any] = {
            "number": fault.number, "file": fault.file, "line": fault.line, "operator": fault.operator,
            "before": fault.before, "after": fault.after, "counts": False, "found": "", "limit": limit,
        }  # fmt: skip
        if run(tree, "-c", START, seconds=60)[0]:
            return {**row, "why": "does not start"}
        if not is_killed(tree):
            return {**row, "why": "no test feels it"}
        started = time.monotonic()
        seed = 7_000_000
        while (left := limit - (time.monotonic() - started)) > 0:
            found = search(tree, left, seed)
            if not found or is_sound(sound, found):
                row["found"] = found
                break
            # The engine's own fault of that moment: go on behind it.
            seed = int(found.split()[1]) + 1 if " " in found else seed + 100_000
        row["counts"] = True
        row["seconds"] = round(time.monotonic() - started, 1)
        return row
    finally:
        _write(path, text)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def main() -> int:
    """Fills the ledger."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.planted", description=__doc__)
    parser.add_argument("--count", type=int, default=20, help="how many faults that count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1_000_000, help="begin no fault after so many minutes")
    parser.add_argument("--limit", type=float, default=600, help="seconds for the searchers, each fault")
    parser.add_argument("--ledger", type=Path, default=Path(".build/fuzz-planted.jsonl"))
    options = parser.parse_args()
    options.ledger.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    lines = options.ledger.read_text().splitlines() if options.ledger.exists() else []
    rows = {row["number"]: row for row in map(json.loads, lines)}
    with tempfile.TemporaryDirectory(prefix="fuzz-planted-") as folder:
        tree, sound = Path(folder, "faulty"), Path(folder, "sound")
        tree.mkdir()
        copy_tree(tree)
        shutil.copytree(tree, sound)
        for fault in planted(sound, options.seed, ROOMS):
            if sum(row["counts"] for row in rows.values()) >= options.count:
                break
            if time.monotonic() - begun > 60 * options.minutes:
                break
            if fault.number not in rows:
                row = rows[fault.number] = try_fault(tree, sound, fault, options.limit)
                with options.ledger.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                verdict = "not counted" if not row["counts"] else f"found: {row['found']}" if row["found"] else "MISSED"
                print(
                    f"{row['file']}:{row['line']} {row['before']!r} -> {row['after']!r}: {verdict}, {row.get('seconds', 0)} s",
                    flush=True,
                )
    counted = [row for row in rows.values() if row["counts"]]
    found = [row for row in counted if row["found"]]
    slowest = max((row["seconds"] for row in found), default=0)
    print(
        f"{len(rows)} faults planted, {len(counted)} felt by tests/slt, {len(found)} of them found, the slowest after {slowest} s"
    )
    return int(len(found) < 0.9 * len(counted))


if __name__ == "__main__":
    sys.exit(main())
