"""Suspicion: which probes show the fault most plainly, and which lines of the engine they make suspicious.

A probe is a failing record with only the statements that it depends on, or the brief's minimal script with the reference's
answer.  Probes that run few lines say most, so of many failing records the ones with the least coverage are kept.  A line's
suspicion is Ochiai's coefficient over the probes and the passing records of the same suites, raised where an exception that
nobody meant to raise went through.

Source: R. Abreu et al., "On the Accuracy of Spectrum-based Fault Localization" (2007).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from agent_harness.contract.minimise import dependencies, reference_engine, replay
from agent_harness.contract.records import FILE_MARK, Suite
from agent_harness.repair.evaluator import plain
from agent_harness.repair.workers import Pool, Probe
from sqllogictest import format_records, parse_records
from sqllogictest.statements import split_statements

Place = tuple[str, int]
TRIED_RECORDS = 16
CONSIDERED_PER_SUITE = 40
KEPT_PROBES = 5
PROBE_SECONDS = 10.0


class Localisation:
    """`probes` in the order to ask them, `scores` of lines, and the slowest probe's time."""

    __slots__ = ("probes", "scores")

    def __init__(self, probes: list[Probe], scores: dict[Place, float]) -> None:
        self.probes = probes
        self.scores = scores

    def files(self) -> list[str]:
        """The files with a suspicious line."""
        return sorted({file for file, _ in self.scores})


def script_probe(script: str) -> Probe | None:
    """A brief's script with the reference's answer; None without a script."""
    statements = split_statements(script)
    if not statements:
        return None
    reference = reference_engine()
    try:
        answer = replay(reference, statements)
    finally:
        reference.close()
    is_ordered = "order by" in " ".join(statements[-1].lower().split())
    probe: Probe = {"kind": "script", "script": statements, "ordered": is_ordered}
    if answer.rows is None:
        return {**probe, "error": answer.error}
    rows = [[plain(value) for value in row] for row in answer.rows]
    return {**probe, "rows": rows if is_ordered else sorted(rows, key=repr)}


def record_probes(suites: Sequence[tuple[str, Suite]], case_ids: Collection[str]) -> list[Probe]:
    """Probes for failing records: the shortest of each suite, then the second of each, and so on."""
    wanted = set(case_ids)
    found: list[tuple[int, int, Probe]] = []
    for configuration, suite in suites:
        positions = [position for position, case in suite.cases.items() if case.id in wanted][:CONSIDERED_PER_SUITE]
        probes = [_record_probe(configuration, suite, position) for position in positions]
        probes.sort(key=lambda probe: len(probe["text"]))
        found.extend((number, len(probe["text"]), probe) for number, probe in enumerate(probes))
    return [probe for _, _, probe in sorted(found, key=lambda entry: entry[:2])]


def _record_probe(configuration: str, suite: Suite, position: int) -> Probe:
    before = [record for record in suite.records[:position] if record.kind == "statement"]
    target = suite.records[position]
    needed = Counter(dependencies([*(record.sql for record in before), target.sql])[:-1])
    kept = []
    for record in before:
        if needed[record.sql] > 0:
            needed[record.sql] -= 1
            kept.append(record)
    text = format_records([*kept, target])
    line = parse_records(text)[-1].line
    return {"kind": "records", "name": suite.name, "text": text, "lines": [line], "file": configuration == "file"}


def localise(
    pool: Pool,
    suites: Sequence[tuple[str, Suite]],
    case_ids: Collection[str],
    script: str,
    editable: Sequence[str],
    seconds: float,
) -> Localisation:
    """Chooses probes and scores lines.  No probe means that nothing here fails in this process."""
    candidates = record_probes(suites, case_ids)[:TRIED_RECORDS]
    minimal = script_probe(script)
    if minimal is not None:
        candidates.insert(0, minimal)
    covered = [
        (probe, answer)
        for probe, answer in pool.each(
            lambda probe: pool.ask("cover", probe=probe, timeout_s=PROBE_SECONDS), candidates
        )
        if answer["reason"]
    ]
    covered.sort(key=lambda pair: sum(map(len, pair[1].get("lines", {}).values())) or 1 << 30)
    kept = covered[:KEPT_PROBES]
    if not kept:
        return Localisation([], {})
    failing = Counter(place for _, answer in kept for place in _places(answer, editable))
    n, passing = _passing(pool, suites, case_ids, seconds)
    scores = {
        place: count / math.sqrt(len(kept) * (count + passing.get(place, 0))) if n else count / len(kept)
        for place, count in failing.items()
    }
    for _, answer in kept:
        for file, line in answer.get("places", ())[-6:]:
            if (file, line) in scores:
                scores[file, line] = min(1.0, scores[file, line] * 2)
    return Localisation([probe for probe, _ in kept], scores)


def _places(answer: dict[str, Any], editable: Sequence[str]) -> set[Place]:
    return {
        (file, line)
        for file, lines in answer.get("lines", {}).items()
        if file.startswith(tuple(editable))
        for line in lines
    }


def _passing(
    pool: Pool, suites: Sequence[tuple[str, Suite]], case_ids: Collection[str], seconds: float
) -> tuple[int, Counter[Place]]:
    """How many passing records ran each line: of suites with failures first, then of others, a slice of time each."""
    failing = set(case_ids)
    chosen = [suite for configuration, suite in suites if configuration == "memory" or FILE_MARK in "".join(case_ids)]
    chosen = list({suite.name: suite for suite in chosen}.values())
    chosen.sort(key=lambda suite: (-sum(case.id in failing for case in suite.cases.values()), suite.name))
    with_failures = [suite for suite in chosen if any(case.id in failing for case in suite.cases.values())][:4]
    others = [suite for suite in chosen if suite not in with_failures][:: max(1, len(chosen) // 4)][:4]

    def count(suite: Suite) -> dict[str, Any]:
        lines = [suite.records[position].line for position, case in suite.cases.items() if case.id not in failing]
        return pool.ask("count_passing", text=suite.text, passing=lines, seconds=seconds)

    n = 0
    counts: Counter[Place] = Counter()
    for _, answer in pool.each(count, [*with_failures, *others]):
        n += int(answer["n"])
        for file, lines in answer["counts"].items():
            for line, number in lines.items():
                counts[file, int(line)] += number
    return n, counts
