"""One damaged file, both engines: what each answers to each query, and whether minisql's answer is a right one.

Right is what SQLite answers (the same rows, compared as a list), or a DatabaseError with a text of SQLite's.  Everything else
is a violation, except that differing rows are named apart: they are for a reader to examine.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple

import apsw

import minisql
from tests.damage.samples import QUERIES, WRITES, Sample

N_SECONDS = 20
TEXTS = re.compile(
    r"database disk image is malformed|file is not a database|malformed database schema \(.*|unsupported file format"
    r"|disk I/O error|no such (table|index|column): .*|attempt to write a readonly database|database or disk is full"
    r"|unable to open database file|string or blob too big|out of memory|abort due to ROLLBACK"
    r"|attempt to read|database is locked|.*constraint failed.*|table \w+ has .*|.*no such column.*|there is already.*"
    r"|.*already exists|unable to delete/modify.*|database schema is locked.*|no query solution",
    re.DOTALL,
)


class Finding(NamedTuple):
    """One query whose answers are not the same; `kind` is 'violation', 'rows', 'error', 'only ours', 'only theirs'."""

    kind: str
    query: str
    ours: str
    theirs: str


class TooSlow(BaseException):
    """A statement took longer than `N_SECONDS`."""


def _ring(number: int, frame: Any) -> None:
    raise TooSlow


def write_sample(sample: Sample, path: str) -> None:
    """Puts the files of a sample where an engine can open them."""
    for ending in ("", "-wal", "-journal", "-shm"):
        if ending in sample:
            with open(path + ending, "wb") as file:
                file.write(sample[ending])
        elif os.path.exists(path + ending):
            os.unlink(path + ending)


def _ask_apsw(path: str, queries: tuple[str, ...]) -> list[Any]:
    connection = apsw.Connection(path)
    answers: list[Any] = []
    for query in queries:
        try:
            answers.append([_comparable(row) for row in connection.execute(query)])
        except apsw.Error as error:
            text = str(error)
            answers.append(text.split(": ", 1)[1] if ": " in text else text)
        except (UnicodeDecodeError, MemoryError) as error:
            answers.append(f"{type(error).__name__}")
    connection.close()
    return answers


def _comparable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([(type(value).__name__, repr(value) if isinstance(value, float) else value) for value in row])


def _as_text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _ask_minisql(path: str, queries: tuple[str, ...], reads: bool = True) -> Iterator[Any]:
    """Answers one by one: a list of rows, a text, or a traceback in a tuple."""
    connection = minisql.connect(path, isolation_level=None, timeout=0)
    connection.text_factory = _as_text if not reads else str
    try:
        for query in queries:
            signal.setitimer(signal.ITIMER_REAL, N_SECONDS)
            try:
                rows = connection.execute(query).fetchall()
                yield [_comparable(row) for row in rows] if reads else []
            except minisql.DatabaseError as error:
                if error.__class__ is minisql.OperationalError and str(error).startswith("Could not decode to UTF-8"):
                    yield "UnicodeDecodeError"
                    continue
                yield str(error)
            except (Exception, TooSlow) as error:
                yield (type(error).__name__, traceback.format_exc(limit=-6))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        connection.close()


def compare(sample: Sample, folder: str, with_writes: bool) -> tuple[dict[str, int], list[Finding]]:
    """Asks both engines about a damaged file; returns the number of answers by kind, and what is worth a look."""
    signal.signal(signal.SIGALRM, _ring)
    theirs_path, ours_path = os.path.join(folder, "theirs"), os.path.join(folder, "ours")
    write_sample(sample, theirs_path)
    write_sample(sample, ours_path)
    counts: dict[str, int] = {}
    findings: list[Finding] = []
    expected = _ask_apsw(theirs_path, QUERIES)
    try:
        for query, theirs, ours in zip(QUERIES, expected, _ask_minisql(ours_path, QUERIES)):
            kind = judge(ours, theirs)
            counts[kind] = counts.get(kind, 0) + 1
            if kind != "same" and kind != "only ours":
                findings.append(Finding(kind, query, _shown(ours, theirs), _shown(theirs, ours)))
        if with_writes:
            write_sample(sample, ours_path)
            for query, ours in zip(WRITES, _ask_minisql(ours_path, WRITES, False)):
                kind = judge(ours, ours)
                counts["write"] = counts.get("write", 0) + 1
                if kind == "violation":
                    findings.append(Finding(kind, query, str(ours), ""))
    except (Exception, TooSlow) as error:
        findings.append(Finding("violation", "(open or close)", f"{type(error).__name__} {traceback.format_exc(limit=-6)}", ""))
    return counts, findings


def judge(ours: Any, theirs: Any) -> str:
    """Names the relation of two answers."""
    if isinstance(ours, tuple):
        return "violation"
    if isinstance(ours, str) and ours not in (theirs, "UnicodeDecodeError") and not TEXTS.fullmatch(ours):
        return "violation"
    if ours == theirs:
        return "same"
    if isinstance(ours, list):
        return "rows" if isinstance(theirs, list) else "only theirs"
    return "only ours" if isinstance(theirs, list) else "error"


def _shown(answer: Any, other: Any) -> str:
    """An answer short enough for a list: of rows only those that the other side lacks."""
    if not isinstance(answer, list):
        return str(answer) if not isinstance(answer, tuple) else f"{answer[0]} {answer[1]}"
    if not isinstance(other, list):
        return f"{len(answer)} rows"
    lacking = [row for row in answer if row not in other][:3]
    return f"{len(answer)} rows, not there: {lacking!r}"[:600]


def limit_memory(n_bytes: int = 200 << 20) -> None:
    """Lets this process take `n_bytes` more than it has now; asking for more is a MemoryError, hence a violation."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + n_bytes, used + n_bytes))
