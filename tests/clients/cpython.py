"""CPython's own tests of `sqlite3`, with minisql in its place: `python -m tests.clients.cpython [--python PATH ...]`.

Each Python runs `test.test_sqlite3` twice in processes of their own, with its own module and with this one (minisql.install()),
and what passes with the one must pass with the other, but for `EXCEPTIONS`.  Without --python: the running Python, and 3.11 to
3.13 where pyenv has them; what is absent, or has no `test` package, is skipped with a word.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

EXCEPTIONS: dict[str, str] = {}
"""Tests that may fail, and why."""

RUN = """
import json, sys, unittest
if sys.argv[1] == "minisql":
    import minisql
    minisql.install()
import sqlite3, test.test_sqlite3
suite = unittest.defaultTestLoader.loadTestsFromName("test.test_sqlite3")
result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
failures = {}
for case, trace in (*result.failures, *result.errors):
    name = str(case.id()).removeprefix("test.test_sqlite3.").partition(" ")[0]
    failures[name] = trace.strip().splitlines()[-1]
skipped = {case.id().removeprefix("test.test_sqlite3."): why for case, why in result.skipped}
print(json.dumps({"n_run": result.testsRun, "failures": failures, "skipped": skipped}))
"""


def run_suite(python: str, module: str) -> dict[str, object]:
    """Runs the suite under one Python with "sqlite3" or "minisql"; returns n_run, failures and skipped."""
    command = [python, "-W", "ignore::ResourceWarning", "-c", RUN, module]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False)
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        raise RuntimeError(f"{python}: the suite did not run\n{done.stderr[-3000:]}")
    outcome: dict[str, object] = json.loads(lines[-1])
    outcome["log"] = done.stderr
    return outcome


def pythons() -> list[str]:
    """The running Python and those of pyenv from 3.11 on."""
    found = [sys.executable]
    for folder in sorted(Path.home().glob(".pyenv/versions/3.1[123].*")):
        same = folder.name.rpartition(".")[0] == f"{sys.version_info.major}.{sys.version_info.minor}"
        if not same:
            found.append(str(folder / "bin" / "python"))
    return found


def has_suite(python: str) -> bool:
    """Tells whether this Python is there, has sqlite3 and its tests."""
    if not Path(python).exists():
        return False
    done = subprocess.run([python, "-c", "import sqlite3, test.test_sqlite3"], capture_output=True, check=False)
    return done.returncode == 0


def main() -> int:
    """Prints a line for each Python and every difference; 0 if there is none."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="an interpreter; may be given several times")
    parser.add_argument("--log", action="store_true", help="print the failures in full")
    options = parser.parse_args()
    n_bad = 0
    for python in options.python or pythons():
        if not has_suite(python):
            print(f"{python}: skipped: no such Python, or it has no test.test_sqlite3")
            continue
        standard, ours = run_suite(python, "sqlite3"), run_suite(python, "minisql")
        bad = set(ours["failures"]) - set(standard["failures"])  # type: ignore[call-overload]
        known = bad & set(EXCEPTIONS)
        n_bad += len(bad - known)
        print(f"{python}: sqlite3 {count(standard)}; minisql {count(ours)}; {len(bad - known)} to mend, {len(known)} excepted")
        for name in sorted(bad):
            print(f"  {name}: {EXCEPTIONS.get(name) or ours['failures'][name]}")  # type: ignore[index]
        if options.log:
            print(ours["log"])
    return 1 if n_bad else 0


def count(outcome: dict[str, object]) -> str:
    """The numbers of one run in words."""
    n_failed, n_skipped = len(outcome["failures"]), len(outcome["skipped"])  # type: ignore[arg-type]
    n_run = outcome["n_run"]
    assert isinstance(n_run, int)
    return f"{n_run} run, {n_run - n_failed - n_skipped} passed, {n_failed} failed, {n_skipped} skipped"


if __name__ == "__main__":
    sys.exit(main())
