"""Verify: the gates on a clean checkout of exactly the commit in question, or no.

The commit is checked out anew (what an attempt left lying in its workspace, ignored files above all, is not there), the main
checkout is compared with its fingerprint, and the gates run in their order.  Whatever goes wrong here is red: a gate that
raises, a contract that moved, a base without verdicts.  Roles may comment; their words are kept and never counted.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_harness.config import Config
from agent_harness.contract.base import Contract, Evaluation
from agent_harness.errors import HarnessError
from agent_harness.gates import is_accepted, run_gates, standard_gates
from agent_harness.gates.base import Change, GateResult
from agent_harness.stages.context import base_checkout, checkout_of, contract_here, discard_quietly
from agent_harness.state.folders import Folders, load_evaluation
from agent_harness.workspaces.repository import Repository


@dataclass(frozen=True, slots=True)
class VerifyJob:
    """What a worker needs to judge a commit."""

    config: Config
    name: str
    base: str
    head: str
    target_ids: tuple[str, ...]
    evaluation: Path
    contract_hash: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gates' results on one tree under one contract."""

    passed: bool
    gates: tuple[dict[str, Any], ...]
    contract: str
    base_tree: str
    tree: str

    def red(self) -> dict[str, Any]:
        """The gate that said no (the last one, since the first red one ends the run), or {}."""
        return next((gate for gate in reversed(self.gates) if not gate["passed"]), {})

    def as_dict(self) -> dict[str, Any]:
        """For verdict.json and events."""
        return {"passed": self.passed, "gates": list(self.gates), "contract": self.contract, "tree": self.tree}


def carry_out(job: VerifyJob) -> Verdict:
    """Judges a commit; never raises for what the change does."""
    started = time.monotonic()
    repository = Repository(job.config.checkout)
    base_tree, tree = repository.tree(job.base), repository.tree(job.head)
    try:
        results = _judge(job, repository)
    except (HarnessError, OSError) as error:
        seconds = time.monotonic() - started
        results = [GateResult("verify", False, f"the gates could not decide: {error}", "undecided", seconds)]
    passed = all(result.passed for result in results)
    return Verdict(passed, tuple(result.as_dict() for result in results), job.contract_hash, base_tree, tree)


def _judge(job: VerifyJob, repository: Repository) -> list[GateResult]:
    contract = contract_here(job.config)
    if contract.hash() != job.contract_hash:
        raise HarnessError("the contract has moved since the run began")
    evaluation = load_evaluation(job.evaluation)
    if evaluation is None or evaluation.contract_hash != job.contract_hash:
        raise HarnessError("there is no verdict on the base under this contract")
    folders = Folders(job.config.state)
    workspace = checkout_of(repository, folders, job.head, f"verify-{job.name}")
    try:
        change = make_change(job, repository, workspace.path, base_checkout(repository, folders, job.base), evaluation)
        return judge_change(job.config, change, contract)
    finally:
        discard_quietly(workspace)


def make_change(job: VerifyJob, repository: Repository, checkout: Path, base_folder: Path, evaluation: Evaluation) -> Change:
    """The change between two commits, as the gates see it."""
    return Change(
        job.base,
        job.head,
        checkout,
        base_folder,
        repository.changed_paths(job.base, job.head),
        repository.diff(job.base, job.head),
        job.target_ids,
        evaluation,
    )


def judge_change(config: Config, change: Change, contract: Contract) -> list[GateResult]:
    """All gates that the configuration leaves on; the hold-out's seed is made here and written nowhere."""
    gates = standard_gates(config, contract, secrets.token_hex(16))
    results = run_gates(gates, change, contract)
    if all(result.passed for result in results) and not is_accepted(gates, results):
        results.append(GateResult("verify", False, "not every gate has a result", "undecided"))
    return results


def check_gates(config: Config, contract: Contract) -> None:
    """Raises ConfigurationError when the configuration of the gates cannot be used."""
    standard_gates(config, contract, "")


def touched_checkout() -> GateResult:
    """The verdict when the main checkout is not as it was when the attempt began."""
    evidence = "the main checkout (branch, files, hooks, configuration or remotes) was changed while attempts were under way"
    return GateResult("integrity", False, evidence, "integrity: main checkout")
