"""Understand: run the contract on a commit, keep its pass-set, group the failures and put the groups in order.

Offline default of the `decide` role: groups with more cases first (one cause that closes much), then the ones with the
clearest suspicion.  A model may propose another order; it cannot add or drop a group.
"""

from __future__ import annotations

from typing import Any

from agent_harness import roles
from agent_harness.contract import clusters as clustering
from agent_harness.contract.base import CaseResult, Evaluation
from agent_harness.errors import HarnessError
from agent_harness.stages.context import RunContext, base_checkout
from agent_harness.state.folders import load_evaluation, save_evaluation

LEASED_SUSPECTS = 3


class Group:
    """A cluster as the scheduler sees it.  `lease` holds what no other builder may work on at the same time."""

    __slots__ = ("features", "key", "lease", "results", "suspects", "title")

    def __init__(self, key: str, results: list[CaseResult], suspects: tuple[str, ...], features: tuple[str, ...]) -> None:
        self.key = key
        self.results = results
        self.suspects = suspects
        self.features = features
        first = results[0]
        self.title = f"{first.stage}: {first.error.splitlines()[0] if first.error else first.case.title}"[:160]
        # Unknown suspects collide with each other: two builders must not repair one cause.
        self.lease = frozenset(suspects[:LEASED_SUSPECTS]) or frozenset(["unknown"])

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
    found = clustering.cluster(failing, run.contract, checkout)
    groups = [group_of(cluster) for cluster in found]
    ordered = sorted(groups, key=lambda group: (-len(group.results), group.key))
    return _decided(run, ordered)


def group_of(cluster: Any) -> Group:
    """A contract's cluster as a Group."""
    suspects = tuple(name if isinstance(name, str) else str(name[0]) for name in cluster.suspects)
    return Group(cluster.key, list(cluster.results), suspects, tuple(cluster.features))


def _decided(run: RunContext, groups: list[Group]) -> list[Group]:
    if len(groups) < 2 or not run.config.role("decide").backends:
        return groups
    prompt = roles.render("decide", clusters=[group.as_dict() for group in groups])
    answer = roles.ask(run.config, "decide", prompt, run.folders.root / "asked" / "decide")
    if answer is None:
        return groups
    record_asked(run, answer, "")
    return [groups[position] for position in roles.read_order(answer.text, len(groups))]


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
