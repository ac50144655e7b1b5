"""The search: all edits of suspicious lines, in the order of suspicion times weight, until one holds.

Each candidate is asked the probes first (most end there), then every failing record of the task, then every record that
passed.  Candidates are tried a few at a time but judged in their order, so the result does not depend on which child was
quicker: of the ones that hold, the lowest-ranked wins.  What was proposed before and rejected by a gate is not proposed again.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from agent_harness.contract.base import CaseId
from agent_harness.contract.records import Suite
from agent_harness.repair.edits import Edit, Source, all_edits
from agent_harness.repair.localise import Localisation, Place
from agent_harness.repair.workers import Pool, Probe

SUITE_SECONDS = 20.0
# A constant or table at the top of a module runs at import only; it is as suspicious as its readers, and dearer to try.
MODULE_LEVEL = 0.5


class Found:
    """What a search ended with: the edit that holds, or None; how many were tried; how many passed the probes."""

    __slots__ = ("edit", "n_candidates", "n_plausible", "n_tried", "seconds")

    def __init__(self, edit: Edit | None, n_candidates: int, n_tried: int, n_plausible: int, seconds: float) -> None:
        self.edit = edit
        self.n_candidates = n_candidates
        self.n_tried = n_tried
        self.n_plausible = n_plausible
        self.seconds = seconds


def key_of(edit: Edit) -> str:
    """An edit's identity across attempts."""
    return f"{edit.file}:{edit.start}:{edit.end}:{edit.replacement}"


def ranked_edits(workspace: Path, scores: dict[Place, float]) -> list[Edit]:
    """Every edit of a suspicious line, most promising first; ties in the order of file and position."""
    by_file: dict[str, dict[int, float]] = {}
    for (file, line), score in scores.items():
        by_file.setdefault(file, {})[line] = score
    found: list[tuple[float, str, int, int, Edit]] = []
    for file, lines in sorted(by_file.items()):
        try:
            source = Source(file, (workspace / file).read_bytes())
        except (OSError, SyntaxError):
            continue
        readers = _module_level(source, lines)
        merged = {line: max(lines.get(line, 0.0), readers.get(line, 0.0)) for line in {*lines, *readers}}
        for number, edit in enumerate(all_edits(source, set(merged))):
            score = merged.get(edit.line) or max(merged.get(line, 0.0) for line in edit.lines)
            if score:
                found.append((-score * edit.weight, file, edit.start, number, edit))
    found.sort(key=lambda entry: entry[:4])
    return [entry[4] for entry in found]


def _module_level(source: Source, lines: dict[int, float]) -> dict[int, float]:
    """The lines of assignments at the top of the module, with the suspicion of the lines that read their names."""
    readers: dict[str, float] = {}
    for name, line in source.loads:
        readers[name] = max(readers.get(name, 0.0), lines.get(line, 0.0))
    return {
        line: MODULE_LEVEL * readers[name]
        for name, first, last in source.module_names
        for line in range(first, last + 1)
        if readers.get(name)
    }


class Search:
    """A search on one workspace."""

    def __init__(
        self,
        pool: Pool,
        localisation: Localisation,
        suites: Sequence[tuple[str, Suite]],
        case_ids: Collection[CaseId],
        deadline: float,
    ) -> None:
        """`case_ids` must pass; of the others none that passes now may begin to fail."""
        self._pool = pool
        self._localisation = localisation
        self._deadline = deadline
        self._suites = _suite_probes(suites, set(case_ids))
        self._targets = [{**probe, "lines": lines} for probe, lines in self._suites if lines]
        self._others: list[tuple[Probe, float]] | None = None
        self._probe_seconds = 1.0

    def run(self, edits: Sequence[Edit], rejected: Collection[str] = ()) -> Found:
        """Tries the edits in their order until one holds or the time is over."""
        started = time.monotonic()
        self._pool.tell_all("set_probes", probes=self._localisation.probes)
        self._probe_seconds = self._time_probes()
        n_tried = n_plausible = 0
        winner = None
        answers = self._pool.each(
            lambda edit: self._pool.attempt(edit, self._probe_seconds), self._until_deadline(edits, rejected)
        )
        for edit, answer in answers:
            n_tried += 1
            if answer["reason"]:
                continue
            n_plausible += 1
            if self.holds(edit):
                winner = edit
                break
        answers.close()
        return Found(winner, len(edits), n_tried, n_plausible, time.monotonic() - started)

    def _until_deadline(self, edits: Sequence[Edit], rejected: Collection[str]) -> Iterator[Edit]:
        for edit in edits:
            if time.monotonic() > self._deadline:
                return
            if key_of(edit) not in rejected:
                yield edit

    def _time_probes(self) -> float:
        began = time.monotonic()
        for probe in self._localisation.probes:
            self._pool.attempt(None, 10.0, [probe])
        return max(1.0, 5 * (time.monotonic() - began))

    def holds(self, edit: Edit) -> bool:
        """Whether all target records pass and no other record begins to fail."""
        return all(self._passes(edit, probe) for probe in self._targets) and self._keeps(edit)

    def _passes(self, edit: Edit, probe: Probe, timeout_s: float = SUITE_SECONDS) -> bool:
        is_over = time.monotonic() > self._deadline + SUITE_SECONDS
        return not is_over and not self._pool.attempt(edit, timeout_s, [probe])["reason"]

    def _keeps(self, edit: Edit) -> bool:
        """Whether no record that passed before the edit fails after it."""
        if self._others is None:
            self._others = [other for _, other in self._pool.each(self._baseline, self._suites) if other is not None]
        answers = self._pool.each(lambda other: self._passes(edit, *other), self._others, ahead=4)
        holds = all(passed for _, passed in answers)
        answers.close()
        return holds

    def _baseline(self, suite: tuple[Probe, list[int]]) -> tuple[Probe, float] | None:
        """A suite's probe without the records that fail before any edit and are not the task's, and a time limit for it."""
        probe, targets = suite
        began = time.monotonic()
        failing = self._pool.ask("failing_lines", probe=probe, timeout_s=SUITE_SECONDS)["failing"]
        if failing is None:  # the suite gives no answer at all: nothing there can be lost
            return None
        seconds = time.monotonic() - began
        return {**probe, "ignored": sorted(set(failing) - set(targets))}, 3.0 + 5 * seconds


def _suite_probes(suites: Sequence[tuple[str, Suite]], targets: set[CaseId]) -> list[tuple[Probe, list[int]]]:
    """A probe of each whole suite with the lines of its target records; suites with most of them first."""
    found: list[tuple[Probe, list[int]]] = []
    for configuration, suite in suites:
        lines = [suite.records[position].line for position, case in suite.cases.items() if case.id in targets]
        probe: Probe = {"kind": "records", "name": suite.name, "text": suite.text, "lines": []}
        found.append(({**probe, "file": configuration == "file"}, lines))
    return sorted(found, key=lambda pair: -len(pair[1]))
