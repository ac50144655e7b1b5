"""`make soak`: four processes (two with minisql, two with SQLite) and four threads over one file, in each journal mode.

Three processes have one thread, one of minisql's has four.  Nothing may be lost, no half transaction seen, the file must be
whole, and each process commits at least 20 times within a minute.  The last line printed gives the counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import apsw

from tests.soak.worker import N_ACCOUNTS, TOTAL

MODES = ("delete", "truncate", "persist", "memory", "off", "wal")
PROCESSES = (("minisql", "one", 1), ("minisql", "two", 4), ("apsw", "three", 1), ("apsw", "four", 1))


def set_up(path: str, mode: str) -> None:
    """Makes the file."""
    connection = apsw.Connection(path)
    list(connection.execute(f"PRAGMA journal_mode = {mode}"))
    list(
        connection.execute(
            "CREATE TABLE counter(n); INSERT INTO counter VALUES (0);"
            "CREATE TABLE account(id INTEGER PRIMARY KEY, balance); CREATE TABLE log(id INTEGER PRIMARY KEY, who, what);"
            "CREATE INDEX log_who ON log(who)"
        )
    )
    connection.executemany("INSERT INTO account VALUES (?, 1000)", [(i,) for i in range(N_ACCOUNTS)])
    connection.close()


def soak(mode: str, seconds: float, least: int) -> tuple[int, int, list[str]]:
    """Runs one journal mode; returns (commits, times that a lock was waited for in vain, what is wrong)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "soak.db")
        set_up(path, mode)
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.soak.worker", engine, path, name, str(seconds), str(n_threads), mode],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for engine, name, n_threads in PROCESSES
        ]
        wrong: list[str] = []
        n_commits = n_busy = 0
        for process, (engine, name, _threads) in zip(running, PROCESSES):
            output, errors = process.communicate(timeout=seconds + 120)
            if process.returncode:
                wrong.append(f"{engine} {name}: {errors[-400:]}")
                continue
            results: list[dict[str, Any]] = json.loads(output)
            own = sum(result["commits"] for result in results)
            n_commits += own
            n_busy += sum(result["busy"] for result in results)
            wrong += [f"{name}: {text}" for result in results for text in result["wrong"]]
            if own < least:
                wrong.append(f"{engine} {name}: only {own} commits")
        return n_commits, n_busy, wrong + _examine(path, n_commits)


def _examine(path: str, n_commits: int) -> list[str]:
    connection = apsw.Connection(path)
    wrong = []
    if list(connection.execute("SELECT n FROM counter")) != [(n_commits,)]:
        wrong.append(f"{n_commits} commits, but the counter says {list(connection.execute('SELECT n FROM counter'))}")
    if list(connection.execute("SELECT count(*), count(DISTINCT id) FROM log")) != [(n_commits, n_commits)]:
        wrong.append("the log has other rows than there were commits")
    if list(connection.execute("SELECT sum(balance) FROM account")) != [(TOTAL,)]:
        wrong.append("the sum of the accounts has changed")
    answer = list(connection.execute("PRAGMA integrity_check"))
    if answer != [("ok",)]:
        wrong.append(f"integrity_check: {answer[:3]}")
    connection.close()
    return wrong


def main() -> int:
    """Runs all journal modes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--least", type=int, default=20, help="commits that each process must make")
    parser.add_argument("modes", nargs="*", default=MODES)
    options = parser.parse_args()
    total = n_wrong = 0
    for mode in options.modes:
        n_commits, n_busy, wrong = soak(mode, options.seconds, options.least)
        total += n_commits
        n_wrong += len(wrong)
        print(f"{mode}: {n_commits} commits, {n_busy} times busy, {len(wrong)} violations", flush=True)
        for text in wrong:
            print(f"    {text}")
    print(f"{len(options.modes)} journal modes, {total} commits; {n_wrong} violations")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
