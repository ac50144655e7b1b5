"""Sorts failing cases into clusters that one builder can close: same stage, same kind of error, same suspicious function.

First by (stage, normalised error or kind of difference), which needs no run; then, for kinds that the contract can trace, a
few cases of each group are traced and the group is split by its most suspicious function, else by its rarest feature.  The
order is the order of work: what stops everything first (import, crash, guard), then failing statements (what comes after them
fails in consequence), then the largest group.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from agent_harness.contract.base import Case, CaseId, CaseResult, Contract, Triple
from agent_harness.contract.spectrum import Spectrum
from agent_harness.contract.sql_text import KEYWORDS, script_features
from agent_harness.errors import HarnessError

TRACED_GROUPS = 12
TRACED_PER_GROUP = 6
PASSING_PER_GROUP = 10
TRACE_S = 60.0
_ORDER = ("import", "guard", "crash", "timeout", "file", "close", "integrity", "prepare", "compare")


class Cluster:
    """Failing cases that seem to have one cause: the same `stage`, normalised `error` and `place` (function or feature).

    `key` is these three in one text.  `suspects` are ("file:function", score), most suspicious first; `features` are those
    that all cases share.
    """

    __slots__ = ("error", "features", "id", "key", "place", "results", "stage", "suspects")

    def __init__(
        self,
        stage: str,
        error: str,
        place: str,
        results: Sequence[CaseResult],
        suspects: Sequence[tuple[str, float]] = (),
        features: Sequence[str] = (),
    ) -> None:
        self.stage = stage
        self.error = error
        self.place = place
        self.key = f"{stage}: {error}" + (f" [{place}]" if place else "")
        self.id = hashlib.sha256(f"{self.key}\0{min(result.case.id for result in results)}".encode()).hexdigest()[:10]
        self.results = tuple(results)
        self.suspects = tuple(suspects)
        self.features = tuple(features)

    @property
    def case_ids(self) -> tuple[CaseId, ...]:
        """The ids of its cases, in order of suite and line."""
        return tuple(result.case.id for result in self.results)

    def files(self) -> tuple[str, ...]:
        """The files of the suspicious functions, most suspicious first."""
        return tuple(dict.fromkeys(name.partition(":")[0] for name, _ in self.suspects))

    def functions(self, n: int = 3) -> frozenset[str]:
        """The most suspicious functions: two builders never work on the same ones."""
        return frozenset(name for name, _ in self.suspects[:n])

    def title(self) -> str:
        """One line for people."""
        return f"{len(self.results)} case(s): {self.key}"


def cluster(results: Sequence[CaseResult], contract: Contract, checkout: Path) -> list[Cluster]:
    """Clusters the failing ones of `results`, an evaluation of `checkout`, in the order of work.

    Cases that are not in `results` count as passing, so the failing ones alone are enough.
    """
    failing = sorted((r for r in results if not r.passed), key=lambda r: (r.case.suite, r.case.line))
    failed_ids = {result.case.id for result in failing}
    passing = [case for case in contract.cases().values() if case.id not in failed_ids]
    groups: defaultdict[tuple[str, str], list[CaseResult]] = defaultdict(list)
    for result in failing:
        groups[(result.stage or "compare", kind_of_failure(result))].append(result)
    ordered = sorted(groups.items(), key=lambda item: _rank(item[0][0], item[1]))
    found: list[Cluster] = []
    for position, ((stage, error), members) in enumerate(ordered):
        is_traced = position < TRACED_GROUPS and stage != "import"
        found += _split(stage, error, members, passing if is_traced else None, contract, checkout)
    return sorted(found, key=lambda each: _rank(each.stage, each.results))


def _rank(stage: str, members: Sequence[CaseResult]) -> tuple[int, int, str, int]:
    place = _ORDER.index(stage) if stage in _ORDER else len(_ORDER)
    return place, -len(members), members[0].case.suite, members[0].case.line


def kind_of_failure(result: CaseResult) -> str:
    """The error without names and numbers; for wrong rows, how they differ."""
    if result.stage == "compare" and result.error.startswith("wrong result"):
        hashed = re.fullmatch(r"(\d+) values hashing to \w+", result.expected)
        if hashed is not None:
            return "wrong values" if result.actual else "no rows"
        return difference(result.expected.splitlines(), result.actual.splitlines())
    return normalise_error(result.error)


def normalise_error(error: str) -> str:
    """An error text in which what is particular to one case is a question mark; keywords and function names stay."""
    text = error.splitlines()[0] if error else ""
    text = re.sub(r" \([\w.]+\.py:[^)]*\)$", "", text)
    text = re.sub(r'near "([^"]*)"', lambda m: m.group(0) if _is_telling(m.group(1)) else 'near "?"', text)
    text = re.sub(r"(no such (?:table|column|index|view|trigger|savepoint): ).*", r"\1?", text)
    text = re.sub(r"(constraint failed: ).*", r"\1?", text)
    text = re.sub(
        r"((?:table|index|view|trigger|column) )(?!name\b)[\w.\"]+( already exists| has no column| is not)", r"\1?\2", text
    )
    text = re.sub(r"0x[0-9a-f]+|\b\d+(?:\.\d+)?\b", "N", text)
    return text[:160]


def _is_telling(token: str) -> bool:
    return token.lower() in KEYWORDS or not token[:1].isalnum()


def difference(expected: Sequence[str], actual: Sequence[str]) -> str:
    """How two lists of values differ, in two or three words."""
    if not actual:
        return "no rows"
    if not expected:
        return "rows where none are expected"
    if Counter(expected) == Counter(actual):
        return "wrong order"
    if len(expected) == len(actual):
        return "wrong values"
    return "rows missing" if len(actual) < len(expected) else "too many rows"


def _split(
    stage: str,
    error: str,
    members: Sequence[CaseResult],
    passing: Sequence[Case] | None,
    contract: Contract,
    checkout: Path,
) -> list[Cluster]:
    features = {result.case.id: _features(contract, result) for result in members}
    traced: dict[CaseId, list[Triple]] = {}
    if passing is not None:
        chosen = _spread(members, features)
        near = _neighbours(chosen, passing)
        try:
            traced = contract.coverage(checkout, {*(r.case.id for r in chosen), *near}, timeout_s=TRACE_S)
        except HarnessError:
            traced = {}
    runs = {result.case.id: traced[result.case.id] for result in members if result.case.id in traced}
    if not runs:
        return _by_feature(stage, error, members, features)
    others = [run for id_, run in traced.items() if id_ not in runs]
    return _by_function(stage, error, members, features, runs, others)


def _by_function(
    stage: str,
    error: str,
    members: Sequence[CaseResult],
    features: dict[CaseId, frozenset[str]],
    runs: dict[CaseId, list[Triple]],
    others: list[list[Triple]],
) -> list[Cluster]:
    """Groups the traced cases by the function that is most suspicious for each; the rest follow the nearest by features."""
    ranked = Spectrum(runs.values(), others).suspects((result.error for result in members), 200)
    top: dict[CaseId, str] = {}
    for id_, run in runs.items():
        mine = {f"{file}:{name}" for file, name, _ in run}
        top[id_] = next((name for name, _ in ranked if name in mine), "")
    groups: defaultdict[str, list[CaseResult]] = defaultdict(list)
    for result in members:
        id_ = result.case.id
        nearest = id_ if id_ in top else max(top, key=lambda other: _likeness(features[id_], features[other]))
        groups[top[nearest]].append(result)
    clusters = []
    for function, group in groups.items():
        inside = [runs[result.case.id] for result in group if result.case.id in runs]
        outside = others + [runs[id_] for id_ in runs if id_ not in {result.case.id for result in group}]
        suspects = Spectrum(inside, outside).suspects(result.error for result in group)
        clusters.append(Cluster(stage, error, function, group, suspects, _shared(group, features)))
    return clusters


def _by_feature(stage: str, error: str, members: Sequence[CaseResult], features: dict[CaseId, frozenset[str]]) -> list[Cluster]:
    """Groups by the feature that is most common in the group, again and again until all are placed."""
    left = list(members)
    clusters: list[Cluster] = []
    while left:
        counts = Counter(feature for result in left for feature in features[result.case.id])
        best = min(counts, key=lambda feature: (-counts[feature], feature)) if counts else ""
        group = [result for result in left if not best or best in features[result.case.id]]
        left = [result for result in left if best and best not in features[result.case.id]]
        clusters.append(Cluster(stage, error, best, group, (), _shared(group, features)))
    return clusters


def _features(contract: Contract, result: CaseResult) -> frozenset[str]:
    script = contract.script(result.case.id)
    # What a statement or query needs stands in itself; the schema around it belongs to its suite.
    return script_features(script[-1:]) or frozenset({result.case.suite})


def _shared(group: Sequence[CaseResult], features: dict[CaseId, frozenset[str]]) -> tuple[str, ...]:
    return tuple(sorted(frozenset.intersection(*(features[result.case.id] for result in group))))


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    union = left | right
    return len(left & right) / len(union) if union else 0.0


def _spread(members: Sequence[CaseResult], features: dict[CaseId, frozenset[str]]) -> list[CaseResult]:
    """A few members with as many different feature sets as possible, the first of each."""
    chosen: list[CaseResult] = []
    seen: set[frozenset[str]] = set()
    for result in members:
        if features[result.case.id] not in seen:
            seen.add(features[result.case.id])
            chosen.append(result)
    chosen += [result for result in members if result not in chosen]
    return chosen[:TRACED_PER_GROUP]


def _neighbours(chosen: Sequence[CaseResult], passing: Sequence[Case]) -> list[CaseId]:
    """Passing cases of the same suites, those next to the chosen ones first."""
    near: list[tuple[int, str, CaseId]] = []
    for case in passing:
        distances = [abs(case.line - each.case.line) for each in chosen if each.case.suite == case.suite]
        if distances:
            near.append((min(distances), case.suite, case.id))
    return [id_ for _, _, id_ in sorted(near)[:PASSING_PER_GROUP]]
