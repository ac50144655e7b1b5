"""What a gate is: one check of one change, with evidence, that fails closed.

Gates run in a fixed order from cheap to dear; the first red one ends the run.  A gate that cannot decide is red.  The
verdict of a change is the list of its gate results plus the contract hash and the tree it was made on; it is void when
either has moved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from agent_harness.contract.base import CaseId, Contract, Evaluation


class Change:
    """What is judged: the `base` commit and `head` commit, the checkout of `head`, the changed paths, the diff text, the case
    ids that must pass now, and the evaluation of the base (the pass-set that must not shrink)."""

    __slots__ = ("base", "base_checkout", "base_evaluation", "changed_paths", "checkout", "diff", "head", "target_ids")

    def __init__(
        self,
        base: str,
        head: str,
        checkout: Path,
        base_checkout: Path,
        changed_paths: tuple[str, ...],
        diff: str,
        target_ids: tuple[CaseId, ...],
        base_evaluation: Evaluation,
    ) -> None:
        self.base = base
        self.head = head
        self.checkout = checkout
        self.base_checkout = base_checkout
        self.changed_paths = changed_paths
        self.diff = diff
        self.target_ids = target_ids
        self.base_evaluation = base_evaluation


class GateResult:
    """`evidence` is a line or a few for people and for the next attempt's prompt; `signature` identifies the kind of failure,
    so that the loop notices when it fails the same way twice; `secret` results show counts only."""

    __slots__ = ("evidence", "gate", "passed", "seconds", "signature")

    def __init__(self, gate: str, passed: bool, evidence: str, signature: str = "", seconds: float = 0.0) -> None:
        self.gate = gate
        self.passed = passed
        self.evidence = evidence
        self.signature = signature or gate
        self.seconds = seconds

    def as_dict(self) -> dict[str, Any]:
        """A JSON form for verdict.json."""
        return {name: getattr(self, name) for name in self.__slots__}


class Gate(Protocol):
    """One gate."""

    name: str

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Judges the change.  Raises nothing for what the change does; a HarnessError means red."""
