"""The statements of the differential tests as suites with SQLite's answers, so that they can tell a fault of the past.

Those tests compare the engine with SQLite at run time and hold no answer.  `features/*.sql` have statements between blank
lines, `.reset` and `.file` to start over and `.each` before one statement a line; `scripts/*.sql` have one statement a line and
blank lines between scripts.  What shows a program or a plan is left out: addresses and ids are each engine's own affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from agent_harness.contract.records import Suite
from agent_harness.evolve import suite_text
from agent_harness.repair.workers import Pool

OWN_AFFAIR = re.compile(r"\s*EXPLAIN\b", re.I)
SUITE_SECONDS = 20.0
MOST_TELLING = 4
STARTING_OVER = (".reset", ".file")


class ScriptRecords:
    """The suites, each with the lines of the records that the sound engine of a pool fails."""

    def __init__(self, made: Iterable[Suite], pool: Pool) -> None:
        answers = pool.each(lambda suite: failing_lines(pool, suite), made)
        self._suites = [(suite, frozenset(failing or ())) for suite, failing in answers]

    def telling(self, pool: Pool) -> list[tuple[Suite, frozenset[int]]]:
        """Those of which the engine of another pool fails more, a few short ones."""
        found = []
        for (suite, known), failing in pool.each(lambda entry: failing_lines(pool, entry[0]), self._suites):
            if failing is None or not known.issuperset(failing):
                found.append((suite, known))
        return sorted(found, key=lambda entry: len(entry[0].text))[:MOST_TELLING]


def failing_lines(pool: Pool, suite: Suite) -> list[int] | None:
    """The lines of a suite's records that an engine fails, None when it gives no answer."""
    probe = {"kind": "records", "name": suite.name, "text": suite.text, "lines": []}
    answer: list[int] | None = pool.ask("failing_lines", probe=probe, timeout_s=SUITE_SECONDS)["failing"]
    return answer


def suites(source: Path, folder: str) -> Iterator[Suite]:
    """A suite for each script below `source` that has a statement with a stable answer."""
    for name, statements in scripts(source):
        text, _ = suite_text([sql for sql in statements if not OWN_AFFAIR.match(sql)])
        if text:
            yield Suite(f"{folder}/{name}.slt", text)


def scripts(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """(name, statements) of each script."""
    for path in sorted(folder.glob("features/*.sql")):
        yield from _numbered(path.stem, _parts(_blocks(path.read_text(encoding="utf-8"))))
    for path in sorted(folder.glob("scripts/*.sql")):
        text = path.read_text(encoding="utf-8")
        yield from _numbered(path.stem, (_lines(part) for part in text.split("\n\n")))


def _numbered(name: str, parts: Iterator[list[str]]) -> Iterator[tuple[str, list[str]]]:
    for number, part in enumerate(filter(None, parts), 1):
        yield f"{name}-{number}", part


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("--")]


def _blocks(text: str) -> Iterator[str]:
    for block in text.split("\n\n"):
        statement = "\n".join(line for line in block.split("\n") if not line.startswith("--")).strip()
        if statement.startswith(".each\n"):
            yield from _lines(statement.partition("\n")[2])
        elif statement:
            yield statement


def _parts(blocks: Iterator[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for block in blocks:
        if block in STARTING_OVER:
            yield part
            part = []
        else:
            part.append(block)
    yield part
