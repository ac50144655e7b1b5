"""CPU time of parsing and of preparing a corpus query, beside what C SQLite takes to prepare it.

Usage: python benchmarks/parse.py CORPUS_DIRECTORY [--queries N]

Takes N queries (default 2,000) evenly from the first bytes of every archive of the sqllogictest corpus, creates their tables
in C SQLite and in minisql, and times three rounds each, best round counted:
- parse: `minisql.parser.parse_one`;
- whole prepare: `Session.prepare`, from the text to a statement that could run (parse, bind, plan, emit);
- C's prepare: the same text through apsw with the statement cache off and an exec tracer that stops before the first step,
  which is the closest one gets to sqlite3_prepare_v3 alone from Python; the cost of a statement that does nothing, run in
  the same way, is subtracted, so wrapper overhead does not flatter us.
Queries whose tables are not known to C are left out of both sums.
"""

from __future__ import annotations

import argparse
import contextlib
import lzma
import pathlib
import tarfile
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import apsw

from minisql.engine.session import Session
from minisql.errors import Error
from minisql.parser import parse_one


def corpus_records(archive: pathlib.Path, max_bytes: int) -> Iterator[tuple[str, str]]:
    """Yields (kind, SQL) of the first records of an archive."""
    with lzma.open(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as tar:
        for member in tar:
            if not member.isfile():
                continue
            file = tar.extractfile(member)
            assert file is not None, "a regular file has content"
            text = file.read(max_bytes).decode("utf-8", "replace").replace("\r\n", "\n")
            for record in text.split("\n\n")[:-1]:
                yield from _record_sql(record)
            return


def _record_sql(record: str) -> Iterator[tuple[str, str]]:
    lines = [line for line in record.split("\n") if line and not line.startswith("#")]
    if any(line.startswith(("skipif sqlite", "onlyif")) and "onlyif sqlite" not in line for line in lines):
        return
    while lines and lines[0].startswith(("skipif", "onlyif", "hash-threshold", "halt")):
        del lines[0]
    if not lines or lines[0].split()[0] not in ("query", "statement"):
        return
    kind = lines[0].split()[0]
    body = []
    for line in lines[1:]:
        if line.startswith("----"):
            break
        body.append(line)
    yield kind, "\n".join(body)


class Sample(NamedTuple):
    """The share of an archive: its name, connections in which its tables exist, and queries."""

    name: str
    connection: apsw.Connection
    session: Session
    queries: list[str]


def load(directory: pathlib.Path, n_queries: int) -> list[Sample]:
    """Returns a Sample of every archive."""
    archives = sorted(directory.glob("*.tar.xz"))
    samples = []
    for archive in archives:
        connection = apsw.Connection(":memory:", statementcachesize=0)
        session = Session(":memory:")
        found = []
        for kind, sql in corpus_records(archive, 400_000):
            if kind == "statement":
                with contextlib.suppress(apsw.Error):
                    connection.execute(sql)
                with contextlib.suppress(Error):
                    session.execute(sql)
            else:
                found.append(sql)
        step = max(1, len(found) * len(archives) // n_queries)
        samples.append(Sample(archive.name.removesuffix(".tar.xz"), connection, session, found[::step]))
    return samples


def prepare_only(connection: apsw.Connection) -> Callable[[str], None]:
    """Returns a function that prepares a statement and drops it before its first step."""

    def stop(cursor: object, sql: str, bindings: object) -> bool:
        return False

    connection.exec_trace = stop
    cursor = connection.cursor()

    def prepare(sql: str) -> None:
        with contextlib.suppress(apsw.ExecTraceAbort):
            cursor.execute(sql, can_cache=False)

    return prepare


def best_time(action: Callable[[str], object], texts: list[str], rounds: int = 3) -> float:
    """Returns the least CPU time, in seconds, of running the action on all texts."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for text in texts:
            action(text)
        best = min(best, time.process_time() - start)
    return best


class Times:
    """Seconds of each measurement over a number of queries."""

    def __init__(self) -> None:
        self.n = self.n_tokens = 0
        self.parse = self.prepare = self.c_prepare = self.c_empty = 0.0

    def add(self, other: Times) -> None:
        """Adds the times of another sample."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def c_us(self) -> float:
        """Microseconds of C's prepare, without those of an empty statement."""
        return (self.c_prepare - self.c_empty) / max(1, self.n) * 1e6

    def row(self, name: str) -> str:
        """One line of the table."""
        parse, prepare = self.parse / max(1, self.n) * 1e6, self.prepare / max(1, self.n) * 1e6
        return (
            f"{name:22} {self.n:6} {parse:8.2f} {prepare:8.2f} {self.c_us:8.2f}"
            f" {parse / self.c_us:8.2f} {prepare / self.c_us:8.2f}"
        )


def measure(sample: Sample) -> Times:
    """Times the queries whose tables are known to both."""
    prepare = prepare_only(sample.connection)
    queries = [sql for sql in sample.queries if _is_known(prepare, sql) and _is_known(sample.session.prepare, sql)]
    times = Times()
    times.n = len(queries)
    times.n_tokens = sum(len(parse_one(sql)[0].source.spans()) for sql in queries)  # type: ignore[union-attr]
    times.parse = best_time(parse_one, queries)
    times.prepare = best_time(sample.session.prepare, queries)
    times.c_prepare = best_time(prepare, queries)
    times.c_empty = best_time(prepare, ["begin"] * len(queries))
    return times


def main() -> None:
    """Prints microseconds a query for each archive and for all, and the ratios."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("corpus", type=pathlib.Path)
    arguments.add_argument("--queries", type=int, default=2000)
    options = arguments.parse_args()
    total = Times()
    print(f"{'group':22} {'n':>6} {'parse':>8} {'prepare':>8} {'C':>8} {'parse/C':>8} {'prep./C':>8}")
    for sample in load(options.corpus, options.queries):
        times = measure(sample)
        if times.n:
            print(times.row(sample.name))
            total.add(times)
    print(total.row("total"))
    print(f"{total.n} queries, {total.n_tokens / total.n:.1f} tokens each; us a query, C without an empty statement's time")


def _is_known(prepare: Callable[[str], object], sql: str) -> bool:
    try:
        prepare(sql)
    except (apsw.Error, Error):
        return False
    return True


if __name__ == "__main__":
    main()
