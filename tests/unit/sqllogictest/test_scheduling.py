"""Pools of processes, and what happens when one dies."""

import os
from pathlib import Path

from sqllogictest.runner import FileResult, RunOptions
from sqllogictest.scheduling import run_files
from sqllogictest.sources import TestFile


def die_or_pass(file: TestFile, options: RunOptions) -> FileResult:
    """A task of which one file kills its process."""
    if file.name == "deadly":
        os._exit(1)
    return FileResult(file.name, n_passed=1)


def test_dying_process_fails_its_own_file_only() -> None:
    files = [TestFile(name, "g", 10) for name in ("a", "deadly", "b", "c")]
    results = {result.name: result for result in run_files(files, RunOptions(), 2, task=die_or_pass)}
    assert {name: (result.n_passed, result.n_failed) for name, result in results.items()} == {
        "a": (1, 0),
        "b": (1, 0),
        "c": (1, 0),
        "deadly": (0, 1),
    }
    assert results["deadly"].failures[0].reason == "crash: the worker process died"


def test_results_of_processes_equal_those_of_one(tmp_path: Path) -> None:
    files = []
    for i in range(6):
        path = tmp_path / f"{i}.test"
        path.write_text(f"query I nosort\nSELECT {i}\n----\n{i % 4}\n")
        files.append(TestFile(str(path), "g", 10, str(path)))
    options = RunOptions("sqlite3")
    alone, together = ({r.name: (r.n_passed, r.n_failed) for r in run_files(files, options, jobs)} for jobs in (1, 3))
    assert alone == together
    assert sum(failed for _, failed in alone.values()) == 2
