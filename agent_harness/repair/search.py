"""The search: all edits of suspicious lines, in the order of suspicion times weight, until one holds.

Each candidate is asked the probes first (most end there), then every failing record of the task, then every record that
passed.  Candidates are tried a few at a time but judged in their order, so the result does not depend on which child was
quicker: of the ones that hold, the lowest-ranked wins.  What was proposed before and rejected by a gate is not proposed again.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from agent_harness.contract.base import CaseId
from agent_harness.contract.records import Suite
from agent_harness.repair.edits import Edit, Source, all_edits
from agent_harness.repair.localise import Localisation, Place
from agent_harness.repair.workers import Pool, Probe

SUITE_SECONDS = 20.0
LEAST_PROBE_SECONDS = 0.3
# A constant or table at the top of a module runs at import only; it is as suspicious as its readers, and dearer to try.
MODULE_LEVEL = 0.5
TIERS = (300, 1200, 4000, 1_000_000)  # lines


class Found:
    """What a search ended with: the edit that holds, or None; how many were tried; how many passed the probes; whether no
    edit was left."""

    __slots__ = ("edit", "is_exhausted", "n_plausible", "n_tried", "seconds")

    def __init__(self, edit: Edit | None, is_exhausted: bool, n_tried: int, n_plausible: int, seconds: float) -> None:
        self.edit = edit
        self.is_exhausted = is_exhausted
        self.n_tried = n_tried
        self.n_plausible = n_plausible
        self.seconds = seconds


def key_of(edit: Edit) -> str:
    """An edit's identity across attempts."""
    return f"{edit.file}:{edit.start}:{edit.end}:{edit.replacement}"


def ranked_edits(workspace: Path, scores: dict[Place, float]) -> Iterator[Edit]:
    """Every edit of a suspicious line, most promising first; ties in the order of file and position.

    In tiers of lines, the most suspicious ones first, so that the first edits are there before the last ones are made.
    """
    by_file: dict[str, dict[int, float]] = {}
    for (file, line), score in scores.items():
        by_file.setdefault(file, {})[line] = score
    sources: dict[str, Source] = {}
    ranked: list[tuple[float, str, int]] = []
    for file, lines in sorted(by_file.items()):
        try:
            sources[file] = Source(file, (workspace / file).read_bytes())
        except (OSError, SyntaxError):
            continue
        for more in (_jumps(sources[file], lines), _module_level(sources[file], lines)):
            lines.update({line: score for line, score in more.items() if score > lines.get(line, 0.0)})
        ranked += [(-score, file, line) for line, score in lines.items()]
    ranked.sort()
    done: set[str] = set()
    start = 0
    for size in TIERS:
        tier = {(file, line) for _, file, line in ranked[start : start + size]}
        start += size
        for edit in _tier(sources, by_file, tier):
            if key_of(edit) not in done:
                done.add(key_of(edit))
                yield edit


def _tier(sources: dict[str, Source], scores: dict[str, dict[int, float]], tier: set[Place]) -> list[Edit]:
    found: list[tuple[float, str, int, int, Edit]] = []
    for file in sorted({file for file, _ in tier}):
        lines = scores[file]
        for number, edit in enumerate(all_edits(sources[file], {line for each, line in tier if each == file})):
            score = lines.get(edit.line) or max(lines.get(line, 0.0) for line in edit.lines)
            if score:
                found.append((-score * edit.weight, file, edit.start, number, edit))
    found.sort(key=lambda entry: entry[:4])
    return [entry[4] for entry in found]


def _jumps(source: Source, lines: dict[int, float]) -> dict[int, float]:
    """`break` and `continue` often leave no code with a line of its own: as suspicious as what leads to them."""
    found: dict[int, float] = {}
    for parent in ast.walk(source.tree):
        for name in ("body", "orelse", "finalbody"):
            children = getattr(parent, name, None)
            before = getattr(parent, "lineno", 0)
            for child in children if isinstance(children, list) else []:
                if isinstance(child, ast.Break | ast.Continue):
                    test = getattr(parent, "test", None)
                    found[child.lineno] = max(lines.get(before, 0.0), lines.get(getattr(test, "end_lineno", before), 0.0))
                before = child.lineno
    return {line: score for line, score in found.items() if score}


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
        self._others: list[Probe] | None = None
        self._probe_seconds = 1.0

    def run(self, edits: Iterable[Edit], rejected: Collection[str] = ()) -> Found:
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
        is_exhausted = winner is None and time.monotonic() <= self._deadline
        return Found(winner, is_exhausted, n_tried, n_plausible, time.monotonic() - started)

    def _until_deadline(self, edits: Iterable[Edit], rejected: Collection[str]) -> Iterator[Edit]:
        for edit in edits:
            if time.monotonic() > self._deadline:
                return
            if key_of(edit) not in rejected:
                yield edit

    def _time_probes(self) -> float:
        seconds = sum(self._pool.attempt(None, 10.0, [probe])["cpu_s"] for probe in self._localisation.probes)
        return max(LEAST_PROBE_SECONDS, 10 * float(seconds))

    def holds(self, edit: Edit) -> bool:
        """Whether all target records pass and no other record begins to fail."""
        if self._others is None:
            self._others = [other for _, other in self._pool.each(self._baseline, self._suites) if other is not None]
        return self._all_pass(edit, self._others)

    def _all_pass(self, edit: Edit, probes: Sequence[Probe]) -> bool:
        answers = self._pool.each(lambda probe: self._passes(edit, probe), probes, ahead=4)
        try:
            return all(passed for _, passed in answers)
        finally:
            answers.close()

    def _passes(self, edit: Edit, probe: Probe) -> bool:
        is_over = time.monotonic() > self._deadline + SUITE_SECONDS
        return not is_over and not self._pool.attempt(edit, SUITE_SECONDS, [probe])["reason"]

    def _baseline(self, suite: tuple[Probe, list[int]]) -> Probe | None:
        """A suite's probe without the records that fail before any edit and are not the task's; None if nothing is left."""
        probe, targets = suite
        failing = None if probe["file"] else self._localisation.failing.get(probe["name"])
        if failing is None:
            failing = self._pool.ask("failing_lines", probe=probe, timeout_s=SUITE_SECONDS)["failing"]
        if failing is None:  # the suite gives no answer at all: nothing there can be lost
            return {**probe, "lines": targets} if targets else None
        return {**probe, "ignored": sorted(set(failing) - set(targets))}


def _suite_probes(suites: Sequence[tuple[str, Suite]], targets: set[CaseId]) -> list[tuple[Probe, list[int]]]:
    """A probe of each whole suite with the lines of its target records; suites with most of them first."""
    found: list[tuple[Probe, list[int]]] = []
    for configuration, suite in suites:
        lines = [suite.records[position].line for position, case in suite.cases.items() if case.id in targets]
        probe: Probe = {"kind": "records", "name": suite.name, "text": suite.text, "lines": []}
        found.append(({**probe, "file": configuration == "file"}, lines))
    return sorted(found, key=lambda pair: -len(pair[1]))
