"""The gates that run cases: the targets, the part of the pass-set near them, the whole pass-set.

The ratchet: a change merges only if its target cases pass, no case that passed on the base is lost and no fewer cases are
executed.  A case that is lost only because it ran out of time (a busy machine) is run once more before it counts.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agent_harness.contract.base import CaseId, CaseResult, Contract, Evaluation
from agent_harness.gates.base import Change, GateResult

SHOWN = 3
SHOWN_LINES = 12


def describe(results: Sequence[CaseResult], shown: int = SHOWN) -> str:
    """The first failures, with expected and actual rows."""
    parts = []
    for result in results[:shown]:
        case = result.case
        part = f"{case.suite}:{case.line}: {case.title}\n  {result.stage}: {result.error}"
        if result.expected or result.actual:
            part += f"\n  expected: {_short(result.expected)}\n  actual:   {_short(result.actual)}"
        parts.append(part)
    more = len(results) - shown
    return "\n".join([*parts, *([f"and {more} more"] if more > 0 else [])])


def _short(text: str) -> str:
    lines = text.splitlines()
    kept = " | ".join(lines[:SHOWN_LINES])
    return (kept[:400] + (" ..." if len(lines) > SHOWN_LINES or len(kept) > 400 else "")) or "(none)"


def signature(gate: str, failed: Sequence[CaseResult]) -> str:
    """The same failures in the same way have the same signature."""
    ways = sorted({f"{result.case.id} {result.stage} {result.error[:80]} {hash_of(result.actual)}" for result in failed})
    return f"{gate}: {len(failed)} " + ";".join(ways[:3])


def hash_of(text: str) -> str:
    """A short stable mark of a text."""
    return format(sum(ord(letter) * (i + 1) for i, letter in enumerate(text)) % 0xFFFFFF, "06x")


def lost_cases(base_passed: Collection[CaseId], evaluation: Evaluation) -> list[CaseId]:
    """Cases that passed on the base and do not pass, or were not even executed, now."""
    return sorted(set(base_passed) - evaluation.pass_set())


def _judge(name: str, wanted: Collection[CaseId], change: Change, contract: Contract, evaluation: Evaluation) -> GateResult:
    lost = lost_cases(wanted, evaluation)
    in_time = [id_ for id_ in lost if id_ in evaluation.results and evaluation.results[id_].stage == "timeout"]
    if in_time:
        again = contract.evaluate(change.checkout, in_time)
        evaluation.results.update(again.results)
        lost = lost_cases(wanted, evaluation)
    if not lost:
        return GateResult(name, True, f"{len(wanted)} case(s) that passed on the base pass, none is lost")
    failed = [evaluation.results[id_] for id_ in lost if id_ in evaluation.results]
    failed.sort(key=lambda result: (result.case.suite, result.case.line))
    missing = len(lost) - len(failed)
    evidence = f"{len(lost)} case(s) that passed on the base are lost"
    if missing:
        evidence += f" ({missing} of them were not executed)"
    return GateResult(name, False, f"{evidence}\n{describe(failed)}".rstrip(), signature(name, failed))


class TargetGate:
    """All target cases pass.  Option: `optional` (a change without targets is let through to the ratchet)."""

    name = "target"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._is_optional = bool(options.get("optional", False))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Runs the target cases on the changed tree."""
        if not change.target_ids:
            evidence = "no target case is named"
            return GateResult(self.name, self._is_optional, evidence, "target: none")
        evaluation = contract.evaluate(change.checkout, change.target_ids)
        not_run = [id_ for id_ in change.target_ids if id_ not in evaluation.results]
        if not_run:
            evidence = f"{len(not_run)} target case(s) were not executed: {', '.join(not_run[:SHOWN])}"
            return GateResult(self.name, False, evidence, "target: not executed")
        failed = [result for result in evaluation.failing() if result.case.id in set(change.target_ids)]
        if failed:
            evidence = f"{len(failed)} of {len(change.target_ids)} target case(s) fail\n{describe(failed)}"
            return GateResult(self.name, False, evidence, signature(self.name, failed))
        return GateResult(self.name, True, f"{len(change.target_ids)} target case(s) pass")


class AffectedGate:
    """What passed in the targets' suites and in a few others still passes.  Option: `other_suites` (3).

    Whole suites, since a suite's statements all run however few of its cases are asked.
    """

    name = "affected"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._n_others = int(options.get("other_suites", 3))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Runs the part of the pass-set that is most likely to show a regression soon."""
        wanted = self._affected(change, contract)
        if not wanted:
            return GateResult(self.name, True, "no case passed on the base: nothing to lose")
        return _judge(self.name, wanted, change, contract, contract.evaluate(change.checkout, wanted))

    def _affected(self, change: Change, contract: Contract) -> list[CaseId]:
        passed = change.base_evaluation.pass_set()
        cases = contract.cases()
        suites = {cases[id_].suite for id_ in change.target_ids if id_ in cases}
        by_suite: defaultdict[str, list[CaseId]] = defaultdict(list)
        for id_ in sorted(passed & set(cases)):
            by_suite[cases[id_].suite].append(id_)
        others = sorted(set(by_suite) - suites)
        picked = random.Random(change.head).sample(others, min(self._n_others, len(others)))
        return [id_ for suite in (*sorted(suites & set(by_suite)), *picked) for id_ in by_suite[suite]]


class FullGate:
    """The whole pass-set holds and the number of executed cases does not go down."""

    name = "full"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._timeout_s = float(options.get("timeout_s", 0.0))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Runs every case of the contract on the changed tree."""
        base = change.base_evaluation
        if base.contract_hash != contract.hash():
            return GateResult(self.name, False, "the contract has moved since the base was evaluated", "full: contract")
        evaluation = contract.evaluate(change.checkout, timeout_s=self._timeout_s)
        if len(evaluation.results) < len(base.results):
            evidence = f"{len(evaluation.results)} cases were executed, {len(base.results)} on the base"
            return GateResult(self.name, False, evidence, "full: fewer executed")
        verdict = _judge(self.name, base.pass_set(), change, contract, evaluation)
        if verdict.passed:
            gained = len(evaluation.pass_set() - base.pass_set())
            verdict.evidence += f"; {gained} more pass than before, {len(evaluation.results)} executed"
        return verdict
