"""CPU time of parsing a corpus query, beside what C SQLite takes to prepare it.

Usage: python benchmarks/parse.py CORPUS_DIRECTORY [--queries N]

Takes N queries (default 2,000) evenly from the first bytes of every archive of the sqllogictest corpus, creates their tables
in C SQLite, and times three rounds each, best round counted:
- parse: `minisql.parser.parse_one`;
- prepare: the same text through apsw with the statement cache off and an exec tracer that stops before the first step, which
  is the closest one gets to sqlite3_prepare_v3 alone from Python; the cost of a statement that does nothing, run in the same
  way, is subtracted, so wrapper overhead does not flatter us.
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

import apsw

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


def load(directory: pathlib.Path, n_queries: int) -> list[tuple[apsw.Connection, list[str]]]:
    """Returns, for every archive, a connection in which its tables exist and its share of the queries."""
    archives = sorted(directory.glob("*.tar.xz"))
    samples = []
    for archive in archives:
        connection = apsw.Connection(":memory:", statementcachesize=0)
        found = []
        for kind, sql in corpus_records(archive, 400_000):
            if kind == "statement":
                with contextlib.suppress(apsw.Error):
                    connection.execute(sql)
            else:
                found.append(sql)
        step = max(1, len(found) * len(archives) // n_queries)
        samples.append((connection, found[::step]))
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


def main() -> None:
    """Prints microseconds a query for both and their ratio."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("corpus", type=pathlib.Path)
    arguments.add_argument("--queries", type=int, default=2000)
    options = arguments.parse_args()
    parse_seconds = prepare_seconds = empty_seconds = 0.0
    n = n_tokens = 0
    for connection, found in load(options.corpus, options.queries):
        prepare = prepare_only(connection)
        queries = [sql for sql in found if _is_known(prepare, sql)]
        n += len(queries)
        n_tokens += sum(len(parse_one(sql)[0].source.spans()) for sql in queries)  # type: ignore[union-attr]
        parse_seconds += best_time(parse_one, queries)
        prepare_seconds += best_time(prepare, queries)
        empty_seconds += best_time(prepare, ["begin"] * len(queries))
    parse_us, empty_us = parse_seconds / n * 1e6, empty_seconds / n * 1e6
    prepare_us = prepare_seconds / n * 1e6 - empty_us
    print(f"{n} queries, {n_tokens / n:.1f} tokens each")
    print(f"parse    {parse_us:6.2f} us")
    print(f"prepare  {prepare_us:6.2f} us (C, after subtracting {empty_us:.2f} us for an empty statement)")
    print(f"ratio    {parse_us / prepare_us:6.2f}")


def _is_known(prepare: Callable[[str], None], sql: str) -> bool:
    try:
        prepare(sql)
    except apsw.Error:
        return False
    return True


if __name__ == "__main__":
    main()
