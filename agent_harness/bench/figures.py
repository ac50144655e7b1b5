"""The page of figures, written from the ledger by a command; no number in it is typed by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from agent_harness.bench.faults import SMALL_FIX, family

Row = dict[str, Any]
HEAD = """# What the embedded agent closes

Written by `python -m agent_harness.bench{arguments} --write {page}`; do not edit.

Each fault is one application of one of cosmic-ray's operators at a place chosen by the seed, spread over parser, planner, vm,
functions and storage. It counts when the engine still imports and at least one record of `tests/slt` fails. It is closed when
the embedded agent, without a model, a key or a network, makes a change that passes every gate of the harness (scope, integrity,
imports, target records, affected records, metamorphic twins, review, all records, hold-out) within {limit:g} s from the first
look at the failing records to the last gate, on {jobs} processes. The performance gate is left out: it compares with the base,
and here that is the faulty engine. CPU seconds are those of the agent and of all gates together.
The workspace is a worktree of a repository with one commit, made of the mutated tree: the sound text is in no git object that
the agent could read.
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """How the figures came about: the command's `arguments`, the page's `path`, `limit` in seconds, processes (`jobs`), the
    number of faults asked for (`count`), and a note."""

    arguments: str
    path: str
    limit: float
    jobs: int
    count: int
    note: str = ""


def page(rows: Sequence[Row], past: Sequence[Row], measured: Measured) -> str:
    """The whole page as Markdown."""
    head = HEAD.format(arguments=measured.arguments, page=measured.path, limit=measured.limit, jobs=measured.jobs)
    parts = [head + (f"\n{measured.note}\n" if measured.note else "")]
    counted = [row for row in rows if row.get("counts")]
    parts.append(_summary(counted, len(rows), measured.count))
    parts.append("## By operator\n\n" + _table(counted, "operator", lambda row: family(row["operator"])))
    parts.append("## By room\n\n" + _table(counted, "room", lambda row: str(row["room"])))
    parts.append("## Each fault\n\n" + _each(counted))
    parts.append("## What was not closed, and why\n\n" + _open(counted))
    if past:
        parts.append(_past([row for row in past if row.get("counts")]))
        parts.append("### Undone, and not counted\n\n" + _uncounted([row for row in past if not row.get("counts")]))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _summary(counted: Sequence[Row], n_planted: int, count: int) -> str:
    closed = [row for row in counted if row["closed"]]
    lines = [f"- {n_planted} faults planted, {len(counted)} count, **{len(closed)} closed**"]
    if len(counted) < count:
        lines.append(
            f"- **unfinished**: {len(counted)} of the {count} faults that were asked for; the command goes on from its ledger"
        )
    if closed:
        exact = sum(bool(row["exact"]) for row in closed)
        seconds = [row["seconds"] for row in closed]
        lines.append(f"- seconds to close: median {median(seconds):.1f}, longest {max(seconds):.1f}")
        cpu_seconds = [row["cpu_seconds"] for row in closed]
        lines.append(f"- CPU seconds to close: median {median(cpu_seconds):.1f}, most {max(cpu_seconds):.1f}")
        lines.append(f"- closed within 60 s: {sum(each <= 60 for each in seconds)} of {len(closed)}")
        lines.append(f"- {exact} of the repairs restore the very line; the others pass every gate in another way")
    return "\n".join(lines)


def _table(rows: Sequence[Row], title: str, key: Callable[[Row], str]) -> str:
    lines = [f"| {title} | faults | closed | very line | median s |", "| --- | ---: | ---: | ---: | ---: |"]
    for name in sorted({key(row) for row in rows}):
        group = [row for row in rows if key(row) == name]
        closed = [row for row in group if row["closed"]]
        seconds = f"{median([row['seconds'] for row in closed]):.1f}" if closed else "-"
        lines.append(f"| {name} | {len(group)} | {len(closed)} | {sum(bool(r['exact']) for r in closed)} | {seconds} |")
    return "\n".join(lines)


def _each(rows: Sequence[Row]) -> str:
    lines = [
        "| # | place | fault | failing | closed | attempts | s | CPU s |",
        "| ---: | --- | --- | ---: | --- | ---: | ---: | ---: |",
    ]
    for row in rows:
        verdict = "very line" if row["exact"] else "yes" if row["closed"] else "no"
        fault = f"`{_cell(row['before'])}` to `{_cell(row['after'])}`"
        lines.append(
            f"| {row['number']} | {row['file']}:{row['line']} | {fault} | {row['n_failing']} | {verdict} "
            f"| {len(row['attempts'])} | {row['seconds']} | {row['cpu_seconds']} |"
        )
    return "\n".join(lines)


def _cell(text: str, longest: int = 60) -> str:
    text = text.replace("|", "\\|").replace("`", "'")
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _open(rows: Sequence[Row]) -> str:
    lines = [
        f"- {row['file']}:{row['line']} ({family(row['operator']) or row['operator']}): {'; then '.join(row['attempts'])}"
        for row in rows
        if not row["closed"]
    ]
    return "\n".join(lines) or "Nothing."


def _uncounted(rows: Sequence[Row]) -> str:
    lines = [f"- {row['operator'].removeprefix('history ')} {_cell(row.get('title', ''), 120)}: {row['why']}" for row in rows]
    return "\n".join(lines) or "None."


PAST = """## Faults of the past

Repairs from this repository's history, youngest first, undone: all that a commit of at most {lines} changed lines did to the
engine, in however many files, where it can still be taken back. Of those, {n} made records fail (of `tests/slt`, or of the
statements of the differential tests with SQLite's answers) and count; **{closed} closed**. The agent makes one edit and has no
past to look into, so what took several edits to repair is expected to stay open.
"""


def _past(rows: Sequence[Row]) -> str:
    closed = sum(bool(row["closed"]) for row in rows)
    lines = [PAST.format(lines=SMALL_FIX, n=len(rows), closed=closed)]
    lines += ["| commit | what it had repaired | files | failing | closed | attempts | s | CPU s |"]
    lines += ["| --- | --- | --- | ---: | --- | ---: | ---: | ---: |"]
    for row in rows:
        verdict = "as it was" if row["exact"] else "yes" if row["closed"] else "no"
        files = ", ".join(file.removeprefix("minisql/") for file in row["files"])
        lines.append(
            f"| {row['operator'].removeprefix('history ')} | {_cell(row['title'], 120)} | {files} | {row['n_failing']} "
            f"| {verdict} | {len(row['attempts'])} | {row['seconds']} | {row['cpu_seconds']} |"
        )
    return "\n".join(lines) + "\n\n### Not closed, and why\n\n" + _open(rows)
