"""CPU time of minisql against sqlite3 over the public sqllogictest corpus, by group and in total.

Each file runs on both engines, one after the other in the same process, under the same runner; their order alternates from
file to file. For each engine the CPU time of the whole run (reading, comparing and hashing included) is measured, and the part
spent in `execute` and `fetchall`. The ratio of the whole is what a user of the runner sees, the ratio of the engines' parts
is what the engine is. The clock's own cost per record is measured first and taken off the engine's part.
With `--ledger` a run that was stopped goes on; `--write FOLDER` writes corpus.json and, made from it, corpus.md.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from sqllogictest import Engine, RunOptions, make_engine, run_text
from sqllogictest.records import decode_text, format_records, parse_records
from sqllogictest.samples import choose_sample, every_nth, longest_first
from sqllogictest.sources import TestFile, find_files

ENGINES = ("minisql", "sqlite3")
COLUMNS = (
    *("group", "files", "records", "passed", "failed", "skipped"),
    *("minisql s", "sqlite3 s", "ratio", "minisql us a record", "sqlite3 us a record", "ratio of engines"),
)
Measurement = dict[str, Any]


class TimedEngine:
    """An engine whose `execute` adds up the CPU time that it takes."""

    def __init__(self, inner: Engine) -> None:
        self.inner, self.name, self.errors = inner, inner.name, inner.errors
        self.spent_ns = self.n_calls = 0
        self.execute: Callable[[str], Any] = inner.execute

    def open(self, path: str | None) -> None:
        """Open the inner engine and put the clock around its `execute`."""
        self.inner.open(path)
        run, clock = self.inner.execute, time.thread_time_ns

        def execute(sql: str) -> Any:
            started = clock()
            try:
                return run(sql)
            finally:
                self.spent_ns += clock() - started
                self.n_calls += 1

        self.execute = execute

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def clock_cost_ns(n_calls: int = 20_000) -> float:
    """Return what one measured call sees of the clock's own cost."""
    clock = time.thread_time_ns
    seen = 0
    for _ in range(n_calls):
        started = clock()
        seen += clock() - started
    return seen / n_calls


def measure_file(file: TestFile, engines: Sequence[str], record_timeout_s: float) -> Measurement:
    """Run one file on each engine and return the counts and CPU seconds of each."""
    content, cost_ns = thin_out(file.read(), file.query_stride), clock_cost_ns()
    measured: Measurement = {"name": file.name, "group": file.group, "stride": file.query_stride, "engines": {}}
    for name in engines:
        options = RunOptions(name, record_timeout_s=record_timeout_s, max_failures=3)
        engine = TimedEngine(make_engine(name))
        result = run_text(content, engine, options, file.name, file.group)
        measured["engines"][name] = {
            "passed": result.n_passed,
            "failed": result.n_failed,
            "skipped": result.n_skipped,
            "cpu_s": result.cpu_s,
            "engine_s": max(0.0, (engine.spent_ns - engine.n_calls * cost_ns) / 1e9),
            "failures": [f"{failure.file}:{failure.line}: {failure.reason}" for failure in result.failures],
        }
    return measured


def thin_out(content: bytes, stride: int) -> bytes:
    """Return a file with all statements and every n-th query: a sample is to pay for reading no more than it runs."""
    if stride == 1:
        return content
    kept, n_queries = [], 0
    for record in parse_records(decode_text(content)):
        n_queries += record.kind == "query"
        if record.kind != "query" or n_queries % stride == 0:
            kept.append(record)
    return format_records(kept).encode("utf-8", "surrogateescape")


def measure_all(files: Sequence[TestFile], jobs: int, ledger: str | None, record_timeout_s: float) -> list[Measurement]:
    """Measure all files, in parallel, skipping those that the ledger holds; longest first."""
    known = _read_ledger(ledger)
    done = [known[_key(file)] for file in files if _key(file) in known]
    rest = longest_first([file for file in files if _key(file) not in known])
    if ledger:
        Path(ledger).parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs) as pool, open(ledger or os.devnull, "a", encoding="utf-8") as stream:
        futures = {}
        for number, file in enumerate(rest):
            order = ENGINES if number % 2 else ENGINES[::-1]
            futures[pool.submit(measure_file, file, order, record_timeout_s)] = file
        for future in as_completed(futures):
            measured = future.result()
            stream.write(json.dumps({"key": _key(futures[future]), **measured}) + "\n")
            stream.flush()
            done.append(measured)
            print(f"{len(done)}/{len(files)} {measured['name']}", file=sys.stderr)
    return done


def _key(file: TestFile) -> str:
    versions = [make_engine(name).version() for name in ENGINES]
    return json.dumps([file.name, file.size, file.query_stride, versions])


def _read_ledger(ledger: str | None) -> dict[str, Measurement]:
    if ledger is None or not os.path.exists(ledger):
        return {}
    known = {}
    for line in Path(ledger).read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        known[entry.pop("key")] = entry
    return known


def summarise(measurements: Iterable[Measurement]) -> dict[str, dict[str, dict[str, float]]]:
    """Return totals by group and engine, with the group `total` over everything."""
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for measured in sorted(measurements, key=lambda measured: str(measured["name"])):
        for group in (measured["group"], "total"):
            for engine, numbers in measured["engines"].items():
                sums = groups.setdefault(group, {}).setdefault(engine, {"files": 0})
                sums["files"] += 1
                for key, value in numbers.items():
                    if key != "failures":
                        sums[key] = round(sums.get(key, 0) + value, 6)
    return dict(sorted(groups.items(), key=lambda item: (item[0] == "total", item[0])))


def render(document: dict[str, Any]) -> str:
    """Return the Markdown page for a document as `--write` stores it."""
    lines = [
        "# The public corpus",
        "",
        f"CPU seconds of minisql {document['versions']['minisql']} and of the standard library's sqlite3"
        f" {document['versions']['sqlite3']} under the same runner, Python {document['python']};"
        f" {document['choice']}. Written by `make corpus`.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        "| --- " * len(COLUMNS) + "|",
    ]
    for group, engines in document["groups"].items():
        ours, theirs = engines["minisql"], engines["sqlite3"]
        n_records = ours["passed"] + ours["failed"]
        lines.append(
            f"| {group} | {ours['files']:.0f} | {n_records:.0f} | {ours['passed']:.0f} | {ours['failed']:.0f}"
            f" | {ours['skipped']:.0f} | {ours['cpu_s']:.1f} | {theirs['cpu_s']:.1f} | {_ratio(ours['cpu_s'], theirs['cpu_s'])}"
            f" | {1e6 * ours['engine_s'] / max(1, n_records):.1f} | {1e6 * theirs['engine_s'] / max(1, n_records):.1f}"
            f" | {_ratio(ours['engine_s'], theirs['engine_s'])} |"
        )
    return "\n".join(lines) + "\n"


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.2f}" if theirs else "-"


def main() -> int:
    """Measure, print the table, write it where asked; exit status 1 when a record of minisql failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", help="folders, archives or files")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--sample", nargs="?", const="ci", default="ci", choices=("ci", "foundation"), help="a fixed part")
    choice.add_argument("--every", type=int, help="files 1, 1+N, 1+2N, ... of each group")
    choice.add_argument("--all", action="store_true", help="the whole corpus")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ledger", help="file to keep measurements in, so that a stopped run goes on")
    parser.add_argument("--record-timeout", type=float, default=120.0, metavar="SECONDS")
    parser.add_argument("--write", metavar="FOLDER", help="write corpus.json and corpus.md there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        files = find_files(arguments.paths, folder)
        if arguments.every:
            files = every_nth(files, arguments.every)
        elif not arguments.all:
            files = choose_sample(files, arguments.sample)
        measurements = measure_all(files, arguments.jobs, arguments.ledger, arguments.record_timeout)
    document = {
        "versions": {name: make_engine(name).version() for name in ENGINES},
        "python": ".".join(map(str, sys.version_info[:3])),
        "choice": "all files"
        if arguments.all
        else f"every {arguments.every}. file"
        if arguments.every
        else f"sample {arguments.sample}",
        "groups": summarise(measurements),
    }
    page = render(document)
    print(page)
    if arguments.write:
        target = Path(arguments.write)
        (target / "corpus.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        (target / "corpus.md").write_text(page, encoding="utf-8")
    total = document["groups"]["total"]["minisql"]  # type: ignore[index]
    for measured in measurements:
        for line in measured["engines"]["minisql"]["failures"][:1] if total["failed"] < 200 else []:
            print(line)
    print(f"{total['passed']:.0f} passed, {total['failed']:.0f} failed, {total['skipped']:.0f} skipped")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
