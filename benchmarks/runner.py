"""What the sqllogictest runner itself costs per record: the engine is a tape of answers that sqlite3 gave before.

The tape takes no time to speak of, so what is measured is reading, parsing, formatting, sorting, hashing and comparing. Prints
microseconds a record, and the part that parsing has, for each file; the best of several rounds.
"""

import argparse
import sys
import tempfile
import time
from typing import Any

from sqllogictest import Engine, RunOptions, make_engine, parse_records, run_text
from sqllogictest.records import decode_text
from sqllogictest.sources import find_files


class Tape:
    """An engine that records the answers of another on its first run and plays them back on every later one."""

    def __init__(self, inner: Engine) -> None:
        self.inner, self.name, self.errors = inner, inner.name, inner.errors
        self.answers: list[Any] = []
        self.is_recorded = False
        self.execute: Any = inner.execute

    def open(self, path: str | None) -> None:
        """Open the inner engine to record, or wind the tape back to play."""
        if self.is_recorded:
            self.execute = iter(self.answers).__next__
            play = self.execute
            self.execute = lambda sql: _raise_or_return(play())
            return
        self.inner.open(path)
        run, keep = self.inner.execute, self.answers.append

        def execute(sql: str) -> Any:
            try:
                rows = run(sql)
            except Exception as error:  # Kept to be raised again when the tape plays.
                keep(error)
                raise
            keep(rows)
            return rows

        self.execute = execute
        self.is_recorded = True

    def column_count(self, sql: str) -> int | None:
        """Say nothing: the answer is not on the tape."""
        return None

    def rows_before_error(self, sql: str) -> None:
        """Say nothing: the answer is not on the tape."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def _raise_or_return(answer: Any) -> Any:
    if isinstance(answer, Exception):
        raise answer
    return answer


def measure(content: bytes, rounds: int) -> tuple[int, float, float]:
    """Return the number of records that ran, and microseconds a record for everything and for parsing."""
    tape, options = Tape(make_engine("sqlite3")), RunOptions("sqlite3", record_timeout_s=0, file_timeout_s=0)
    n_records = run_text(content, tape, options).n_executed
    best = best_parse = float("inf")
    for _ in range(rounds):
        best = min(best, run_text(content, tape, options).cpu_s)
        started = time.process_time()
        parse_records(decode_text(content))
        best_parse = min(best_parse, time.process_time() - started)
    return n_records, 1e6 * best / max(1, n_records), 1e6 * best_parse / max(1, n_records)


def main() -> int:
    """Measure the files that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", help="folders, archives or files")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="runner-") as folder:
        for file in find_files(arguments.paths, folder):
            n_records, total_us, parse_us = measure(file.read(), arguments.rounds)
            print(f"{total_us:8.2f} us a record, {parse_us:5.2f} of it parsing, {n_records:6} records  {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
