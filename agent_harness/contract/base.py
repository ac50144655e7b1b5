"""What a contract is: cases with stable identities that an engine passes or fails, judged out of the engine's sight.

A contract kind (sqllogictest records; a command that writes a verdict per case) knows how to run all or some of its cases
on a checkout and gives an `Evaluation`.  The rest of the harness knows contracts only through this module.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Protocol

CaseId = str
Triple = tuple[str, str, int]


class Case:
    """One case: `id` is a hash of all that decides its verdict (for a record: file, state before, SQL, mode, expected), so it
    survives line shifts and dies with any edit; `suite` and `line` say where it stands; `title` is one line for people."""

    __slots__ = ("id", "line", "suite", "title")

    def __init__(self, id_: CaseId, suite: str, line: int, title: str) -> None:
        self.id = id_
        self.suite = suite
        self.line = line
        self.title = title


class CaseResult:
    """The verdict on one case.

    `stage` is where it went wrong: 'import', 'prepare', 'compare', 'timeout', 'crash', 'guard', 'close', 'integrity', 'file'
    (a command's cases: 'failure', 'error'), '' when it passed; `error` the engine's error text; `expected` and `actual` are
    readable rows (bounded), never hashes only.
    """

    __slots__ = ("actual", "case", "error", "expected", "passed", "seconds", "stage")

    def __init__(
        self,
        case: Case,
        passed: bool,
        stage: str = "",
        error: str = "",
        expected: str = "",
        actual: str = "",
        seconds: float = 0.0,
    ) -> None:
        self.case = case
        self.passed = passed
        self.stage = stage
        self.error = error
        self.expected = expected
        self.actual = actual
        self.seconds = seconds


class Evaluation:
    """All verdicts of one run of a contract on one tree, void when `contract_hash` is no longer the contract's."""

    __slots__ = ("contract_hash", "cpu_seconds", "results", "tree")

    def __init__(self, tree: str, contract_hash: str, results: dict[CaseId, CaseResult], cpu_seconds: float = 0.0) -> None:
        self.tree = tree
        self.contract_hash = contract_hash
        self.results = results
        self.cpu_seconds = cpu_seconds

    def pass_set(self) -> frozenset[CaseId]:
        """The ids that passed."""
        return frozenset(id_ for id_, result in self.results.items() if result.passed)

    def failing(self) -> list[CaseResult]:
        """The results that failed, in order of suite and line."""
        failed = [result for result in self.results.values() if not result.passed]
        return sorted(failed, key=lambda result: (result.case.suite, result.case.line))


class Brief:
    """A failing case made small and readable: `script` replays it on an empty engine; `expected` and `actual` rows stand side
    by side; `suspects` are (function, score) pairs, most suspicious first; `features` the SQL features it uses."""

    __slots__ = ("actual", "case_ids", "error", "expected", "features", "script", "suspects")

    def __init__(
        self,
        case_ids: tuple[CaseId, ...],
        script: str,
        expected: str,
        actual: str,
        error: str,
        features: tuple[str, ...] = (),
        suspects: tuple[tuple[str, float], ...] = (),
    ) -> None:
        self.case_ids = case_ids
        self.script = script
        self.expected = expected
        self.actual = actual
        self.error = error
        self.features = features
        self.suspects = suspects

    def as_dict(self) -> dict[str, Any]:
        """A JSON form for attempts/ and prompts."""
        return {name: getattr(self, name) for name in self.__slots__}


class Contract(Protocol):
    """A contract kind bound to its configuration."""

    kind: str

    def hash(self) -> str:
        """A hash over cases, splits, the runner's version and the gate settings."""

    def cases(self) -> dict[CaseId, Case]:
        """All cases of the visible split."""

    def evaluate(self, checkout: Path, only: Collection[CaseId] | None = None, *, timeout_s: float = 0.0) -> Evaluation:
        """Runs all cases, or only some (with what they need to run before them), on the engine in `checkout`.

        The engine runs in a process of its own and is given SQL only.  Raises HarnessError when nothing could be run.
        """

    def brief(self, checkout: Path, results: list[CaseResult]) -> Brief:
        """Minimises the first of `results` and describes the cluster."""

    def script(self, case_id: CaseId) -> list[str]:
        """The statements that lead to the case on an empty engine, the case's own last; empty if the kind has none."""

    def coverage(self, checkout: Path, only: Collection[CaseId], *, timeout_s: float = 0.0) -> dict[CaseId, list[Triple]]:
        """What each case runs of the checkout, as (file, function, line); empty if the kind cannot tell."""
