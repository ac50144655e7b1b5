"""`python -m tests.fuzz.planted`: how many of the faults that a mutation tool plants the searchers find.

cosmic-ray's operators (agent_harness.bench.faults) change one place of planner, vm, values or functions in a copy of the tree.
A fault counts if the engine still starts and a record of tests/slt fails, so none is equivalent; places that no record reaches and
places that were changed before are passed over.  The searchers get `--limit` seconds on one process; what the same seed finds in
the sound tree, too, does not count, and they go on behind it.  Every fault's row goes into the ledger at once, and a run that was
stopped goes on where it ended.
"""

from __future__ import annotations

import argparse
import ast
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

from coverage import CoverageData

from agent_harness.bench.faults import Fault, planted

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("planner", "vm", "values", "functions")
COPIED = ("minisql", "sqllogictest", "agent_harness", "tests", "pyproject.toml")
FOUND = re.compile(r"^# (\w+), seed (\d+): ", re.M)
SUITES = ("-m", "sqllogictest", "run", "--engine", "minisql", "--stop-after", "1", "tests/slt")
REACHING = """
import coverage
from pathlib import Path
meter = coverage.Coverage(source=["minisql"], data_file="reached")
meter.start()
from sqllogictest import RunOptions, make_engine, run_text
for path in sorted(Path("tests/slt").rglob("*.slt")):
    run_text(path.read_bytes(), make_engine("minisql"), RunOptions("minisql"), path.name)
meter.stop()
meter.save()
"""
"""All records in one process, with the lines that they reach."""
START = "import minisql; c = minisql.connect(':memory:'); c.execute('create table t(a)'); c.execute('select a from t where a = 1').fetchall()"


def run(tree: Path, *arguments: str, seconds: float) -> tuple[int, str]:
    """A Python in a tree: exit code and output; -1 when it took too long."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as late:
        return -1, (late.stdout or b"").decode()
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
    return "died" if code not in (0, 1, -1) or ("workers died" in output and " 0 workers died" not in output) else ""


class Sound:
    """A copy of the tree without faults: which lines its tests reach, how long they take, and which seeds find something in it."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.verdicts: dict[str, bool] = {"": True, "died": True}
        started = time.monotonic()
        run(tree, "-c", REACHING, seconds=1_200)
        self.patience = 60 + 2 * (time.monotonic() - started)
        data = CoverageData(str(tree / "reached"))
        data.read()
        self.reached = {str(Path(file).relative_to(tree)): set(data.lines(file) or ()) for file in data.measured_files()}

    def is_reached(self, file: str, line: int) -> bool:
        """Whether a record runs the statement that `line` belongs to."""
        first, last = _statement_around((self.tree / file).read_text(encoding="utf-8"), line)
        return not self.reached.get(file, set()).isdisjoint(range(first, last + 1))

    def is_without(self, finding: str) -> bool:
        """Whether this tree shows nothing where the faulty one failed."""
        if finding not in self.verdicts:
            oracle, _, seed = finding.partition(" ")
            code, _ = run(
                self.tree, "-m", "tests.fuzz", "--jobs", "1", "--rounds", "1", "--shrink", "0", "--oracle", oracle, "--seed", seed,
                seconds=120,
            )  # fmt: skip
            self.verdicts[finding] = code == 0
        return self.verdicts[finding]


def _statement_around(text: str, line: int) -> tuple[int, int]:
    """The first and last line of the innermost statement with that line; of a compound one only what is before its body."""
    found = (line, line)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and node.end_lineno is not None and node.lineno <= line <= node.end_lineno:
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            if line <= last:
                found = (node.lineno, last)
    return found


def is_killed(tree: Path, patience: float) -> bool:
    """Whether a record of the existing tests fails, or never ends."""
    return run(tree, *SUITES, seconds=patience)[0] != 0


def copy_tree(folder: Path) -> None:
    """Makes a copy of the tree as it is now: what is edited or committed while the search runs does not reach it."""
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)


def try_fault(tree: Path, sound: Sound, fault: Fault, limit: float) -> dict[str, Any]:
    """The row of a fault that is planted in `tree` for the while; `sound` is a copy without it."""
    row: dict[str, Any] = {
        "number": fault.number, "file": fault.file, "line": fault.line, "operator": fault.operator,
        "before": fault.before, "after": fault.after, "counts": False, "found": "", "limit": limit,
    }  # fmt: skip
    if not sound.is_reached(fault.file, fault.line):
        return {**row, "why": "no test reaches it"}
    path = tree / fault.file
    text = path.read_text(encoding="utf-8")
    _write(path, fault.text)
    try:
        if run(tree, "-c", START, seconds=60)[0]:
            return {**row, "why": "does not start"}
        if not is_killed(tree, sound.patience):
            return {**row, "why": "no test feels it"}
        return {**row, "counts": True, **first_found(tree, sound, limit)}
    finally:
        _write(path, text)


def first_found(tree: Path, sound: Sound, limit: float) -> dict[str, Any]:
    """What the searchers find in the faulty tree and not in the sound one, after how many seconds."""
    started = time.monotonic()
    seed = 7_000_000
    found = ""
    while (left := limit - (time.monotonic() - started)) > 0:
        found = search(tree, left, seed)
        if sound.is_without(found):
            break
        # The engine's own fault of that moment: go on behind it.
        seed, found = int(found.split()[1]) + 1, ""
    return {"found": found, "seconds": round(time.monotonic() - started, 1)}


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def _is_same(row: dict[str, Any], fault: Fault) -> bool:
    return bool((row["file"], row["line"], row["after"]) == (fault.file, fault.line, fault.after))


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
        known = Sound(sound)
        for fault in planted(sound, options.seed, ROOMS):
            if sum(row["counts"] for row in rows.values()) >= options.count:
                break
            if time.monotonic() - begun > 60 * options.minutes:
                break
            if fault.number not in rows and not any(_is_same(row, fault) for row in rows.values()):
                row = rows[fault.number] = try_fault(tree, known, fault, options.limit)
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
