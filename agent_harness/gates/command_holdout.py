"""Hold-out for command contracts: a second command over tests that builders never see.

Its trusted files lie outside the repository (`source`), are laid over a copy of each tree only while the gate runs, and only
counts are shown.  Red when a case that passes on the base does not pass on the head; with `strict`, when any does not pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent_harness.config import ContractConfig
from agent_harness.contract.base import Contract
from agent_harness.contract.command import CommandContract
from agent_harness.errors import ConfigurationError
from agent_harness.gates.base import Change, GateResult


class CommandHoldoutGate:
    """Options: `command` (as in the contract), `source` (the folder that holds the hidden tests), `paths` (in it),
    `strict` (for a contract whose repair is one task: all hidden cases have to pass)."""

    name = "holdout"

    def __init__(self, chosen: ContractConfig, options: Mapping[str, Any]) -> None:
        source = Path(str(options.get("source", "")))
        if not options.get("source") or not source.is_dir():
            raise ConfigurationError("gates.holdout.source: must be the folder that holds the hidden tests")
        self._is_strict = bool(options.get("strict", False))
        paths = tuple(options.get("paths", ("holdout/",)))
        self._hidden = CommandContract(source, tuple(options["command"]), chosen.report, paths, chosen.timeout_s)

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Compares base and head on the hidden tests."""
        now = self._hidden.evaluate(change.checkout)
        passed = now.pass_set()
        lost = 0
        if len(passed) < len(now.results):
            lost = len(self._hidden.evaluate(change.base_checkout).pass_set() - passed)
        evidence = f"{len(passed)} of {len(now.results)} hidden cases pass, {lost} lost against the base"
        is_red = lost > 0 or (self._is_strict and len(passed) < len(now.results))
        return GateResult(self.name, not is_red, evidence, "holdout: lost" if lost else "holdout: not repaired")
