"""Suspicion: which probes show the fault most plainly, and which lines of the engine they make suspicious.

A probe is a failing record with only the statements that it depends on, or the brief's minimal script with the reference's
answer.  Probes that run few lines say most, so of many failing records the ones with the least coverage are kept.  A line's
suspicion is Ochiai's coefficient over all records of the contract, failing and passing, each with the statements it depends
on: a line of a hot path that most failing records run is told from one that only some of them happen to run.  It is raised
where an exception that nobody meant to raise went through.

Source: R. Abreu et al., "On the Accuracy of Spectrum-based Fault Localization" (2007).
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from agent_harness.contract.minimise import CREATES, ddmin, dependencies, names_in, reference_engine, replay
from agent_harness.contract.records import FILE_MARK, Suite, has_effect
from agent_harness.repair.evaluator import plain
from agent_harness.repair.workers import Pool, Probe
from sqllogictest import Engine, RunOptions, format_records, parse_records, run_text
from sqllogictest.statements import split_statements

Place = tuple[str, int]
Target = tuple[str, Suite, int]
TRIED_RECORDS = 10
CONSIDERED_PER_SUITE = 40
KEPT_PROBES = 5
PROBE_SECONDS = 10.0
SUITE_SECONDS = 20.0
MINIMISED = 2
ONLY_IN_PROBES = 0.05
MINIMISE_SECONDS = 4.0


class Localisation:
    """`probes` in the order to ask them, `scores` of lines, and `failing`: the failing lines of each suite that was traced."""

    __slots__ = ("failing", "probes", "scores")

    def __init__(self, probes: list[Probe], scores: dict[Place, float], failing: dict[str, list[int]]) -> None:
        self.probes = probes
        self.scores = scores
        self.failing = failing

    def files(self) -> list[str]:
        """The files with a suspicious line."""
        return sorted({file for file, _ in self.scores})


class Counts:
    """How many of all failing and passing records run each line; `small` are the failing ones, least coverage first."""

    def __init__(self) -> None:
        self.n_failing = 0
        self.lines: dict[Place, tuple[int, int]] = {}
        self.small: list[tuple[int, Suite, int]] = []
        self.failing: dict[str, list[int]] = {}

    def add(self, suite: Suite, answer: dict[str, Any]) -> None:
        """Adds a suite's answer; one that gave none adds nothing."""
        if answer["n"] is None:
            return
        self.n_failing += answer["n"][0]
        self.failing[suite.name] = answer["all"]
        self.small += [(n_lines, suite, line) for line, n_lines in answer["failing"]]
        for file, lines in answer["counts"].items():
            for line, (failed, passed) in lines.items():
                before = self.lines.get((file, int(line)), (0, 0))
                self.lines[file, int(line)] = (before[0] + failed, before[1] + passed)

    def suspicion(self, place: Place) -> float:
        """Ochiai's coefficient of a line."""
        failed, passed = self.lines.get(place, (0, 0))
        return failed / math.sqrt(self.n_failing * (failed + passed)) if failed else 0.0


def script_probe(statements: Sequence[str], reference: Engine) -> Probe:
    """A script with the reference's answer."""
    try:
        answer = replay(reference, statements)
    finally:
        reference.close()
    is_ordered = "order by" in " ".join(statements[-1].lower().split())
    probe: Probe = {"kind": "script", "script": list(statements), "ordered": is_ordered}
    if answer.rows is None:
        return {**probe, "error": answer.error}
    rows = [[plain(value) for value in row] for row in answer.rows]
    return {**probe, "rows": rows if is_ordered else sorted(rows, key=repr)}


def smaller_probe(pool: Pool, statements: Sequence[str]) -> Probe | None:
    """The fewest of the statements that the engine still answers wrongly in the same way; None if it answers rightly."""
    reference = reference_engine()
    deadline = time.monotonic() + MINIMISE_SECONDS

    def fault_of(script: Sequence[str]) -> str:
        return str(pool.attempt(None, PROBE_SECONDS, [script_probe(script, reference)])["reason"])

    fault = fault_of(statements)
    if not fault:
        return None
    last = statements[-1]
    kept = ddmin(statements[:-1], lambda part: fault_of([*part, last]) == fault, lambda: time.monotonic() > deadline)
    return script_probe([*kept, last], reference)


def statements_of(probe: Probe) -> list[str]:
    """The statements of a records probe."""
    return [sql for record in parse_records(probe["text"]) for sql in split_statements(record.sql)]


def record_probes(suites: Sequence[tuple[str, Suite]], case_ids: Collection[str]) -> list[Probe]:
    """Probes for failing records: the shortest of each suite, then the second of each, and so on."""
    return [_variants(*target)[0] for target in _shortest(suites, case_ids)]


def _shortest(suites: Sequence[tuple[str, Suite]], case_ids: Collection[str]) -> Iterator[Target]:
    wanted = set(case_ids)
    found: list[tuple[int, int, str, Target]] = []
    for configuration, suite in suites:
        positions = [position for position, case in suite.cases.items() if case.id in wanted][:CONSIDERED_PER_SUITE]
        lengths = {position: len(_variants(configuration, suite, position)[0]["text"]) for position in positions}
        positions.sort(key=lambda position: lengths[position])
        for number, position in enumerate(positions):
            found.append((number, lengths[position], suite.name, (configuration, suite, position)))
    return (target for *_, target in sorted(found, key=lambda entry: entry[:3]))


def _variants(configuration: str, suite: Suite, position: int) -> list[Probe]:
    """A failing record after the statements that it depends on, after all statements, and after all records."""
    target = suite.records[position]
    earlier = [record for record in suite.records[:position] if record.kind in ("statement", "query")]
    before = [record for record in earlier if has_effect(record)]
    needed = Counter(dependencies([*(record.sql for record in before), target.sql])[:-1])
    kept = []
    for record in before:
        if needed[record.sql] > 0:
            needed[record.sql] -= 1
            kept.append(record)
    probes: list[Probe] = []
    for setup in (kept, before, earlier):
        text = format_records([*setup, target])
        line = parse_records(text)[-1].line
        probes.append({"kind": "records", "name": suite.name, "text": text, "lines": [line], "file": configuration == "file"})
    return probes


def _failing_probe(pool: Pool, configuration: str, suite: Suite, position: int) -> tuple[Probe, dict[str, Any]] | None:
    """The first variant that the reference answers rightly and the engine does not, with what it covers."""
    tried: set[str] = set()
    for probe in _variants(configuration, suite, position):
        if probe["text"] in tried or not _is_sound(probe):
            continue
        tried.add(probe["text"])
        answer = _cover(pool, probe)
        if answer["reason"]:
            return probe, answer
    return None


def _is_sound(probe: Probe) -> bool:
    """Whether the reference passes the probe: a record without what it depends on says nothing about an engine."""
    outcome = run_text(probe["text"], reference_engine(), RunOptions(max_failures=1_000_000), probe["name"])
    return all(failure.line not in probe["lines"] and failure.line for failure in outcome.failures)


def _cover(pool: Pool, probe: Probe) -> dict[str, Any]:
    return pool.ask("cover", probe=probe, timeout_s=PROBE_SECONDS)


def needed_statements(suite: Suite) -> dict[int, list[int]]:
    """{line of a record: lines of the earlier statements that touch what it names}, directly or through what they name."""
    needs: dict[int, list[int]] = {}
    created: set[str] = set()
    touching: dict[str, list[int]] = {}
    reach: dict[str, set[str]] = {}
    for record in suite.records:
        if record.kind not in ("statement", "query"):
            continue
        names = names_in(record.sql)
        match = CREATES.match(record.sql) if record.kind == "statement" else None
        if match is not None:
            created |= names_in(match.group(1).split(".")[-1])
        tables = names & created
        wanted = set(tables).union(*(reach.get(name, ()) for name in tables))
        needs[record.line] = sorted({line for name in wanted for line in touching.get(name, ())})
        if has_effect(record):
            for name in tables:
                touching.setdefault(name, []).append(record.line)
                reach.setdefault(name, set()).update(wanted)
    return needs


def localise(
    pool: Pool,
    suites: Sequence[tuple[str, Suite]],
    case_ids: Collection[str],
    script: str,
    editable: Sequence[str],
) -> Localisation:
    """Chooses probes and scores lines.  No probe means that nothing here fails in this process."""
    counts = _count_all(pool, suites, case_ids)
    targets = _smallest(counts, suites, case_ids) or list(_shortest(suites, case_ids))[:TRIED_RECORDS]
    found = [pair for _, pair in pool.each(lambda target: _failing_probe(pool, *target), targets) if pair is not None]
    scripts = [split_statements(script)] if script.strip() else []
    scripts += [made for made in (statements_of(probe) for probe, _ in found[:MINIMISED]) if len(made) > 2]
    for made in scripts:
        smaller = smaller_probe(pool, made)
        if smaller is not None:
            found.append((smaller, _cover(pool, smaller)))
    covered = [pair for pair in found if pair[1]["reason"]]
    covered.sort(key=lambda pair: sum(map(len, pair[1].get("lines", {}).values())) or 1 << 30)
    kept = covered[:KEPT_PROBES]
    if not kept:
        return Localisation([], {}, {})
    scores: dict[Place, float] = {}
    in_probes = Counter(place for _, answer in kept for place in _places(answer, editable))
    for place, count in in_probes.items():
        # A suite that died gave no counts: what only the probes know is as suspicious as they say.
        known = counts.suspicion(place) if counts.n_failing else 1.0
        scores[place] = (known or ONLY_IN_PROBES) * count / len(kept)
    for _, answer in kept:
        for file, line in answer.get("places", ())[-6:]:
            if (file, line) in scores:
                scores[file, line] = min(1.0, scores[file, line] * 2)
    return Localisation([probe for probe, _ in kept], scores, counts.failing)


def _places(answer: dict[str, Any], editable: Sequence[str]) -> set[Place]:
    return {
        (file, line) for file, lines in answer.get("lines", {}).items() if file.startswith(tuple(editable)) for line in lines
    }


def _count_all(pool: Pool, suites: Sequence[tuple[str, Suite]], case_ids: Collection[str]) -> Counts:
    """All records of all suites in memory, or of the file configuration if only there anything fails."""
    wanted = "file" if all(id_.endswith(FILE_MARK) for id_ in case_ids) else "memory"
    chosen = [suite for configuration, suite in suites if configuration == wanted]
    chosen.sort(key=lambda suite: -len(suite.text))

    ids = set(case_ids)

    def count(suite: Suite) -> dict[str, Any]:
        targets = [suite.records[position].line for position, case in suite.cases.items() if case.id in ids]
        probe: Probe = {"name": suite.name, "text": suite.text, "lines": targets, "file": wanted == "file"}
        return pool.ask("spectrum", probe=probe, needs=needed_statements(suite), timeout_s=SUITE_SECONDS)

    counts = Counts()
    for suite, answer in pool.each(count, chosen):
        counts.add(suite, answer)
    return counts


def _smallest(counts: Counts, suites: Sequence[tuple[str, Suite]], case_ids: Collection[str]) -> list[Target]:
    """The task's failing records that run the fewest lines, two a suite first."""
    wanted = set(case_ids)
    place = {
        (id(suite), suite.records[p].line): p for _, suite in suites for p, case in suite.cases.items() if case.id in wanted
    }
    configuration = {id(suite): name for name, suite in suites}
    seen: Counter[int] = Counter()
    ranked = []
    for n_lines, suite, line in sorted(counts.small, key=lambda entry: (entry[0], entry[1].name, entry[2])):
        position = place.get((id(suite), line))
        if position is not None:
            seen[id(suite)] += 1
            ranked.append((seen[id(suite)] > 2, n_lines, suite.name, position, suite))
    ranked.sort(key=lambda entry: entry[:4])
    return [(configuration[id(suite)], suite, position) for *_, position, suite in ranked[:TRIED_RECORDS]]
