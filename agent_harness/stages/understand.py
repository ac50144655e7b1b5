"""Understand: run the contract on a commit, keep its pass-set, group the failures and put the groups in order.

Offline default of the `decide` role: the order in which contract.clusters gives the groups (what stops everything first, then
the largest).  A model may propose another order; it cannot add or drop a group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agent_harness import roles
from agent_harness.contract.base import CaseResult, Evaluation
from agent_harness.contract.clusters import Cluster, cluster
from agent_harness.errors import HarnessError
from agent_harness.stages.context import RunContext, base_checkout
from agent_harness.state.folders import load_evaluation, save_evaluation

LEASED_SUSPECTS = 3
# What every statement runs is suspicious too, a little; only functions about as suspicious as the first are the cause.
LEASED_SCORE = 0.8


class StoppedByDecision(HarnessError):
    """The decide role has said that the run should end; the text is its reason."""


class Group:
    """A cluster as the scheduler sees it.  `lease` holds what no other builder may work on at the same time."""

    __slots__ = ("features", "key", "lease", "results", "suspects", "title")

    def __init__(
        self, key: str, results: list[CaseResult], scores: Sequence[tuple[str, float]], features: tuple[str, ...]
    ) -> None:
        self.key = key
        self.results = results
        self.suspects = tuple(name for name, _ in scores)
        self.features = features
        first = results[0]
        self.title = f"{first.stage}: {first.error.splitlines()[0] if first.error else first.case.title}"[:160]
        # Unknown suspects collide with each other: two builders must not repair one cause.
        near = [name for name, score in scores[:LEASED_SUSPECTS] if score >= LEASED_SCORE * scores[0][1]]
        self.lease = frozenset(near) or frozenset(["unknown"])

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The failing cases."""
        return tuple(result.case.id for result in self.results)

    def as_dict(self) -> dict[str, Any]:
        """A JSON form."""
        return {
            "key": self.key,
            "title": self.title,
            "n_cases": len(self.results),
            "suspects": list(self.suspects),
            "features": list(self.features),
            "case_ids": list(self.case_ids),
        }


def evaluate(run: RunContext, commit: str) -> Evaluation:
    """The verdicts on a commit, from the store when the same tree was run under the same contract before."""
    tree = run.repository.tree(commit)
    contract_hash = run.contract.hash()
    path = run.folders.evaluation(tree, contract_hash)
    stored = load_evaluation(path)
    if stored is not None and stored.contract_hash == contract_hash:
        return stored
    run.journal.record("evaluation.started", tree=tree, commit=commit, contract=contract_hash)
    run.say(f"running the contract on {commit[:12]}")
    evaluation = run.contract.evaluate(base_checkout(run.repository, run.folders, commit))
    if not evaluation.results:
        raise HarnessError("the contract gave no verdict at all")
    save_evaluation(path, evaluation)
    passed = len(evaluation.pass_set())
    run.journal.record(
        "evaluation.finished",
        tree=tree,
        commit=commit,
        contract=contract_hash,
        n_passed=passed,
        n_failed=len(evaluation.results) - passed,
        cpu_seconds=round(evaluation.cpu_seconds, 3),
    )
    return evaluation


def groups_of(run: RunContext, commit: str, failing: list[CaseResult]) -> list[Group]:
    """The failures as groups, in the order in which to work on them."""
    if not failing:
        return []
    checkout = base_checkout(run.repository, run.folders, commit)
    found = cluster(failing, run.contract, checkout)
    return _decided(run, [group_of(each) for each in found])


def group_of(found: Cluster) -> Group:
    """A contract's cluster as a Group."""
    return Group(found.key, list(found.results), found.suspects, found.features)


def _decided(run: RunContext, groups: list[Group]) -> list[Group]:
    if len(groups) < 2 or not run.config.role("decide").backends:
        return groups
    prompt = roles.render("decide", clusters=[group.as_dict() for group in groups])
    answer = roles.ask(run.config, "decide", prompt, run.folders.root / "asked" / "decide")
    if answer is None:
        return groups
    record_asked(run, answer, "")
    reason = roles.reason_after("STOP", answer.text)
    if reason:
        raise StoppedByDecision(reason)
    left = {int(number) - 1 for number in re.findall(r"\d+", roles.reason_after("LEAVE", answer.text))}
    order = roles.read_order(re.sub(r"(?m)^.*LEAVE.*$", "", answer.text), len(groups))
    return [groups[position] for position in order if position not in left]


def record_asked(run: RunContext, answer: roles.Answer, task: str) -> None:
    """Writes down who was asked and what it cost, once."""
    if any(asked["prompt"] == answer.prompt for asked in run.journal.state.asked):
        return
    run.journal.record(
        "role.asked",
        role=answer.role,
        backend=answer.backend,
        model=answer.model,
        task=task,
        prompt=answer.prompt,
        text=roles.bounded(answer.text),
        usage=answer.usage.as_dict(),
    )
